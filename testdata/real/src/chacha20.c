/* ChaCha20 blocks, one per thread, key and nonce in constant memory (the ones of RFC 8439, 2.3.2). */
#include "kernel.h"

CONSTANT u32 initial[16] = {
	0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
	0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c, 0x00000000, 0x09000000, 0x4a000000, 0x00000000,
};

static inline u32 rotate(u32 x, u32 n) { return x << n | x >> (32 - n); }

static inline void quarter(u32 *x, u32 a, u32 b, u32 c, u32 d) {
	x[a] += x[b], x[d] = rotate(x[d] ^ x[a], 16);
	x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 12);
	x[a] += x[b], x[d] = rotate(x[d] ^ x[a], 8);
	x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 7);
}

KERNEL chacha20(u32 *out) {
	u32 id = GLOBAL_ID, x[16];
	for (u32 i = 0; i < 16; i++)
		x[i] = initial[i];
	x[12] = id;
	for (u32 round = 0; round < 10; round++) {
		quarter(x, 0, 4, 8, 12);
		quarter(x, 1, 5, 9, 13);
		quarter(x, 2, 6, 10, 14);
		quarter(x, 3, 7, 11, 15);
		quarter(x, 0, 5, 10, 15);
		quarter(x, 1, 6, 11, 12);
		quarter(x, 2, 7, 8, 13);
		quarter(x, 3, 4, 9, 14);
	}
	for (u32 i = 0; i < 16; i++)
		out[id * 16 + i] = x[i] + (i == 12 ? id : initial[i]);
}

#ifdef HOST
void describe(void) {
	title("ChaCha20 key stream");
	grid(2, 1, 1);
	block(32, 1, 1);
	u32 *out = U32(1024, "");
	LAUNCH(chacha20(out));
}
#endif
