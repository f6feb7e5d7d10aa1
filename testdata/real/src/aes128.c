/* AES-128 with its S-box computed in shared memory; key and first block of FIPS 197, appendix C.1. */
#include "kernel.h"

SHARED u8 sbox[256];

static inline u8 twice(u8 x) { return (u8)(x << 1 ^ (x >> 7) * 0x1b); }

static u8 times(u8 a, u8 b) {
	u8 p = 0;
	for (; b; b >>= 1, a = twice(a))
		p ^= b & 1 ? a : 0;
	return p;
}

static u8 substitute(u8 x) {
	/* x^254 is the inverse. */
	u8 y = 1, p = x;
	for (u32 e = 254; e; e >>= 1, p = times(p, p))
		if (e & 1)
			y = times(y, p);
	u8 s = 0x63;
	for (u32 i = 0; i < 5; i++)
		s ^= (u8)(y << i | y >> (8 - i));
	return s;
}

KERNEL aes128(u8 *out) {
	u32 t = TID_X;
	for (u32 i = t; i < 256; i += NTID_X)
		sbox[i] = substitute((u8)i);
	BARRIER();
	u8 key[16], state[16], next[16], constant = 1;
	for (u32 i = 0; i < 16; i++) {
		key[i] = (u8)i;
		state[i] = (u8)(i * 0x11 + t) ^ key[i];
	}
	for (u32 round = 1; round <= 10; round++) {
		for (u32 i = 0; i < 4; i++)
			key[i] ^= sbox[key[12 + (i + 1) % 4]];
		key[0] ^= constant;
		constant = twice(constant);
		for (u32 i = 4; i < 16; i++)
			key[i] ^= key[i - 4];
		for (u32 i = 0; i < 16; i++)
			next[i] = sbox[state[(i * 5) & 15]];
		for (u32 c = 0; c < 16; c += 4) {
			u8 all = next[c] ^ next[c + 1] ^ next[c + 2] ^ next[c + 3];
			for (u32 i = 0; i < 4; i++) {
				u8 mixed = next[c + i] ^ all ^ twice(next[c + i] ^ next[c + (i + 1) % 4]);
				state[c + i] = (round < 10 ? mixed : next[c + i]) ^ key[c + i];
			}
		}
	}
	for (u32 i = 0; i < 16; i++)
		out[t * 16 + i] = state[i];
}

#ifdef HOST
void describe(void) {
	title("AES-128");
	grid(1, 1, 1);
	block(64, 1, 1);
	u8 *out = U8(1024, "");
	LAUNCH(aes128(out));
}
#endif
