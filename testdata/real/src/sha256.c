/* SHA-256 of one message per thread: "message " followed by as many letters as the thread's number. */
#include "kernel.h"

CONSTANT u32 K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline u32 rotate(u32 x, u32 n) { return x >> n | x << (32 - n); }

static void compress(u32 *state, const u8 *block) {
	u32 w[64];
	for (u32 i = 0; i < 16; i++)
		w[i] = (u32)block[4 * i] << 24 | (u32)block[4 * i + 1] << 16 | (u32)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (u32 i = 16; i < 64; i++) {
		u32 s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
		u32 s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
	u32 a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
	for (u32 i = 0; i < 64; i++) {
		u32 t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
		u32 t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
	}
	state[0] += a, state[1] += b, state[2] += c, state[3] += d;
	state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

KERNEL sha256(u32 *digest) {
	u32 id = GLOBAL_ID, length = 8 + id;
	u32 state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	static const char prefix[] = "message ";
	u8 block[64];
	u32 blocks = (length + 9 + 63) / 64;
	for (u32 b = 0; b < blocks; b++) {
		for (u32 i = 0; i < 64; i++) {
			u32 at = b * 64 + i;
			block[i] = at < 8 ? (u8)prefix[at] : at < length ? (u8)('a' + at % 26) : at == length ? 0x80 : 0;
		}
		if (b == blocks - 1)
			for (u32 i = 0; i < 4; i++)
				block[63 - i] = (u8)(length * 8 >> 8 * i);
		compress(state, block);
	}
	for (u32 i = 0; i < 8; i++)
		digest[id * 8 + i] = state[i];
}

#ifdef HOST
void describe(void) {
	title("SHA-256, one message per thread, one to three blocks");
	grid(2, 1, 1);
	block(64, 1, 1);
	u32 *digest = U32(1024, "");
	LAUNCH(sha256(digest));
}
#endif
