/* Special floats: comparisons with NaN, infinities, signed zeros, subnormals; minimum and maximum; classification. */
#include "kernel.h"

CONSTANT u32 specials[16] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
	0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4b000001, 0x3eaaaaab, 0xc2f6e979, 0x33800000,
};

/* plain hides the payload of a NaN, which is not the same everywhere. */
static u32 plain(f32 f) { return f != f ? 0x7fffffff : f32_bits(f); }

KERNEL float_edges(u32 *compared, u32 *results, u64 *wide) {
	u32 id = GLOBAL_ID;
	f32 a = bits_f32(specials[id & 15]), b = bits_f32(specials[id >> 4 & 15]);
	u32 c = 0;
	c |= (u32)(a < b) | (u32)(a <= b) << 1 | (u32)(a > b) << 2 | (u32)(a >= b) << 3 | (u32)(a == b) << 4;
	c |= (u32)(a != b) << 5 | (u32)!(a < b) << 6 | (u32)!(a >= b) << 7 | (u32)__builtin_isunordered(a, b) << 8;
	c |= (u32)__builtin_islessgreater(a, b) << 9 | (u32)(__builtin_signbit(a) != 0) << 10;
	c |= (u32)(a - a != 0.0f) << 11 | (u32)(__builtin_fabsf(a) < 0x1p-126f) << 12;
	compared[id] = c;
	u32 *r = results + 8 * id;
	r[0] = plain(a + b);
	r[1] = plain(a - b);
	r[2] = plain(a * b);
	r[3] = plain(a / b);
	r[4] = plain(__builtin_sqrtf(a));
	r[5] = plain(__builtin_fmaf(a, b, -a));
	r[6] = a == 0 && b == 0 ? 0 : plain(__builtin_fminf(a, b));
	r[7] = a == 0 && b == 0 ? 0 : plain(__builtin_fmaxf(a, b));
	f64 d = (f64)a * 0x1p-1000, e = d / ((f64)b + 3), s = d + e;
	wide[id] = s != s ? 0 : f64_bits(s);
}

#ifdef HOST
void describe(void) {
	title("Special floating-point values");
	grid(4, 1, 1);
	block(64, 1, 1);
	u32 *compared = U32(256, ""), *results = U32(2048, "");
	u64 *wide = U64(256, "");
	LAUNCH(float_edges(compared, results, wide));
}
#endif
