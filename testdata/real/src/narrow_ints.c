/* 8-bit and 16-bit integers: wrap-around, sign extension, division, comparison, saturation, packed bytes. */
#include "kernel.h"

KERNEL narrow_ints(const u8 *a, const s8 *b, u8 *out8, s16 *out16, u32 *out32) {
	u32 id = GLOBAL_ID;
	u8 x = a[id];
	s8 y = b[id];
	out8[4 * id] = (u8)(x + y);
	out8[4 * id + 1] = (u8)(x * 3 - 7);
	out8[4 * id + 2] = (u8)((u8)(x << 1) >> 2);
	s32 sum = x + y;
	out8[4 * id + 3] = (u8)(sum < 0 ? 0 : sum > 255 ? 255 : sum);

	s16 p = (s16)(x * y), q = (s16)(y == 0 ? 5 : y);
	out16[4 * id] = p;
	out16[4 * id + 1] = (s16)(p / q);
	out16[4 * id + 2] = (s16)(p % q);
	out16[4 * id + 3] = (s16)(p >> 3);

	u16 u = (u16)(x * 257u), v = (u16)(u + 40000u);
	out32[4 * id] = (u32)u << 16 | v;
	out32[4 * id + 1] = (u32)(s32)(s16)v;
	out32[4 * id + 2] = (u32)((u < v) + 2 * ((s16)u < (s16)v) + 4 * (x > (u8)y) + 8 * (s8)(y + 1 > y));
	u32 packed = 0;
	for (u32 i = 0; i < 4; i++) {
		u8 c = (u8)(x + i * 70), d = (u8)y;
		packed |= (u32)(u8)((c + d + 1) >> 1) << 8 * i;
	}
	out32[4 * id + 3] = packed;
}

#ifdef HOST
void describe(void) {
	title("8-bit and 16-bit arithmetic");
	grid(2, 1, 1);
	block(64, 1, 1);
	const u8 *a = U8(128, "0, 1, 127, 128, 255, 200, 77, 3, 254, 100, 50");
	const s8 *b = S8(128, "0, -1, 127, -128, 5, -77, 100");
	u8 *out8 = U8(512, "");
	s16 *out16 = S16(512, "");
	u32 *out32 = U32(512, "");
	LAUNCH(narrow_ints(a, b, out8, out16, out32));
}
#endif
