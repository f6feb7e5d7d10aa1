/* Bit tricks: population count, leading and trailing zeros, byte and bit reversal, parity, Gray code, interleaving. */
#include "kernel.h"

static u32 reverse(u32 x) {
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}

static u32 spread(u32 x) {
	x &= 0xffff;
	x = (x | x << 8) & 0x00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f;
	x = (x | x << 2) & 0x33333333;
	return (x | x << 1) & 0x55555555;
}

KERNEL bits(u32 *out, u64 *wide) {
	u32 id = GLOBAL_ID, v = mix(id) >> (id & 15), *o = out + 8 * id;
	u64 w = mix64(id) >> (id & 31);
	o[0] = (u32)(__builtin_popcount(v) | __builtin_popcountll(w) << 8);
	o[1] = (u32)(__builtin_clz(v | 1) | __builtin_clzll(w | 1) << 8);
	o[2] = (u32)(__builtin_ctz(v | 0x80000000u) | __builtin_ctzll(w | 1ull << 63) << 8);
	o[3] = __builtin_bswap32(v) ^ __builtin_bswap16((u16)v);
	o[4] = reverse(v);
	o[5] = (u32)(__builtin_parity(v) | __builtin_ffs((s32)v) << 8 | (v & (v - 1)) << 16);
	o[6] = v ^ v >> 1;
	o[7] = spread(v) | spread(v >> 16) << 1;
	wide[2 * id] = __builtin_bswap64(w);
	wide[2 * id + 1] = (w & -w) ^ (w | ~v) ^ ~(w & v);
}

#ifdef HOST
void describe(void) {
	title("Bit counting and permuting");
	grid(2, 1, 1);
	block(64, 1, 1);
	u32 *out = U32(1024, "");
	u64 *wide = U64(256, "");
	LAUNCH(bits(out, wide));
}
#endif
