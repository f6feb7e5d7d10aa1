/* Half precision as a storage format: conversions to and from f16, against a version with integers only. */
#include "kernel.h"

/* to_half rounds to nearest even; the value is finite. */
static u16 to_half(f32 f) {
	u32 x = f32_bits(f), sign = x >> 16 & 0x8000, magnitude = x & 0x7fffffff;
	if (magnitude >= 0x477ff000)
		return (u16)(sign | 0x7c00);
	if (magnitude < 0x38800000) {
		u32 shift = 126 - (magnitude >> 23);
		if (shift > 24)
			return (u16)sign;
		u32 m = (magnitude & 0x7fffff) | 0x800000, kept = m >> shift, rest = m & ((1u << shift) - 1);
		u32 half = 1u << (shift - 1);
		return (u16)(sign | (kept + (rest > half || (rest == half && (kept & 1)))));
	}
	u32 rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
	return (u16)(sign | (rounded - 0x38000000) >> 13);
}

KERNEL half_convert(_Float16 *halves, u16 *by_integers, f32 *back) {
	u32 id = GLOBAL_ID, v = mix(id);
	f32 f = bits_f32((v & 0x807fffff) | (98 + v % 50) << 23);
	_Float16 h = (_Float16)f;
	halves[id] = h;
	by_integers[id] = to_half(f);
	f32 widened = (f32)h;
	back[id] = widened - widened == 0 ? widened * 0.5f : 0.0f;
}

#ifdef HOST
void describe(void) {
	title("Half-precision conversions");
	grid(4, 1, 1);
	block(64, 1, 1);
	_Float16 *halves = buffer("u16", 256, "");
	u16 *by_integers = U16(256, "");
	f32 *back = F32(256, "");
	LAUNCH(half_convert(halves, by_integers, back));
}
#endif
