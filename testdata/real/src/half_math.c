/* Half-precision arithmetic, each operation rounded to f16: dot products, polynomials, comparisons, conversions. */
#include "kernel.h"

typedef _Float16 f16;

KERNEL half_math(f16 *results, u32 *compared, s32 *ints) {
	u32 id = GLOBAL_ID, v = mix(id);
	f16 a = (f16)((f32)(s32)(v & 0xfff) * 0.0625f - 100.0f), b = (f16)((f32)(v >> 20) * 0.001953125f + 0.125f);
	f16 *r = results + 8 * id;
	r[0] = (f16)(a + b);
	r[1] = (f16)(a - b);
	r[2] = (f16)(a * b);
	r[3] = (f16)(a / b);
	r[4] = (f16)((f16)((f16)(b * b) + (f16)2) * b);
	r[5] = (f16)-a;
	f16 sum = 0;
	for (u32 i = 0; i < 1 + id % 6; i++)
		sum = (f16)(sum + (f16)(a * (f16)(s32)i));
	r[6] = sum;
	r[7] = (f16)(s32)(v >> 18);
	compared[id] = (u32)(a < b) | (u32)(a <= sum) << 1 | (u32)(a == b) << 2 |
		(u32)(b != sum) << 3 | (u32)(a > sum) << 4;
	ints[2 * id] = (s32)a;
	ints[2 * id + 1] = (s32)(f32)(f16)(b * (f16)100);
}

#ifdef HOST
void describe(void) {
	title("Half-precision arithmetic");
	grid(2, 1, 1);
	block(64, 1, 1);
	f16 *results = buffer("u16", 1024, "");
	u32 *compared = U32(128, "");
	s32 *ints = S32(256, "");
	LAUNCH(half_math(results, compared, ints));
}
#endif
