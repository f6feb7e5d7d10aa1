/* SipHash-2-4 of byte strings of growing length (the reference vectors), read byte by byte. */
#include "kernel.h"

static inline u64 rotate(u64 x, u32 n) { return x << n | x >> (64 - n); }

static inline void round_once(u64 *v) {
	v[0] += v[1], v[1] = rotate(v[1], 13) ^ v[0], v[0] = rotate(v[0], 32);
	v[2] += v[3], v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3], v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1], v[1] = rotate(v[1], 17) ^ v[2], v[2] = rotate(v[2], 32);
}

KERNEL siphash(const u8 *key, const u8 *message, u64 *out) {
	u32 n = GLOBAL_ID;
	u64 k0 = 0, k1 = 0;
	for (u32 i = 0; i < 8; i++) {
		k0 |= (u64)key[i] << 8 * i;
		k1 |= (u64)key[8 + i] << 8 * i;
	}
	u64 v[4] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull,
		k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
	for (u32 at = 0; at <= n; at += 8) {
		u64 m = 0;
		for (u32 i = 0; i < 8 && at + i < n; i++)
			m |= (u64)message[at + i] << 8 * i;
		if (at + 8 > n)
			m |= (u64)n << 56;
		v[3] ^= m;
		round_once(v);
		round_once(v);
		v[0] ^= m;
	}
	v[2] ^= 0xff;
	for (u32 i = 0; i < 4; i++)
		round_once(v);
	out[n] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

#ifdef HOST
void describe(void) {
	title("SipHash-2-4, the reference vectors");
	grid(1, 1, 1);
	block(64, 1, 1);
	const u8 *key = U8(16, "iota"), *message = U8(64, "iota");
	u64 *out = U64(64, "");
	LAUNCH(siphash(key, message, out));
}
#endif
