/* Conversions between integers and floats of all widths, and rounding to integral values; all in range. */
#include "kernel.h"

KERNEL convert(f32 *single, f64 *twice, s32 *ints, s64 *longs) {
	u32 id = GLOBAL_ID;
	u32 v = mix(id);
	s32 w = (s32)v >> (id & 15);
	u64 x = mix64(id) >> (id & 31);
	s64 y = (s64)mix64(id + 9) >> (id % 48);
	single[8 * id] = (f32)v;
	single[8 * id + 1] = (f32)w;
	single[8 * id + 2] = (f32)x;
	single[8 * id + 3] = (f32)y;
	f32 f = (f32)((s32)v >> 4) * 0.0009765625f;
	single[8 * id + 4] = __builtin_floorf(f);
	single[8 * id + 5] = __builtin_ceilf(f);
	single[8 * id + 6] = __builtin_truncf(f) + __builtin_fabsf(f);
	single[8 * id + 7] = __builtin_rintf(f);
	twice[4 * id] = v;
	twice[4 * id + 1] = (f64)x;
	twice[4 * id + 2] = (f64)y;
	f64 d = (f64)y / 4096.0 / 1048576.0;
	twice[4 * id + 3] = __builtin_floor(d) + __builtin_rint(d) * 0.5 + (f64)(f32)d;
	ints[6 * id] = (s32)f;
	ints[6 * id + 1] = (s32)(u32)__builtin_fabsf(f);
	ints[6 * id + 2] = (u8)((u32)__builtin_fabsf(f) & 0xff) + (s16)(s32)(f / 32.0f);
	ints[6 * id + 3] = (s32)d;
	ints[6 * id + 4] = (s32)__builtin_rintf(f);
	ints[6 * id + 5] = (s8)(s32)(d / 16777216.0) + (u16)((u32)__builtin_fabs(d) & 0xffff);
	longs[2 * id] = (s64)(f * 1048576.0f);
	longs[2 * id + 1] = (s64)(u64)(__builtin_fabs(d) * 1073741824.0);
}

#ifdef HOST
void describe(void) {
	title("Conversions between integers and floats");
	grid(2, 1, 1);
	block(48, 1, 1);
	f32 *single = F32(768, "");
	f64 *twice = F64(384, "");
	s32 *ints = S32(576, "");
	s64 *longs = S64(192, "");
	LAUNCH(convert(single, twice, ints, longs));
}
#endif
