/* Shifts and rotates of all widths by variable amounts, signed and unsigned; bit fields. */
#include "kernel.h"

struct fields {
	u32 a : 5, b : 11;
	s32 c : 7;
	u32 d : 9;
};

static inline u64 rotate64(u64 x, u32 n) { return x << (n & 63) | x >> (-n & 63); }

KERNEL shifts(s32 *s, u64 *u, u32 *fields) {
	u32 id = GLOBAL_ID, n = id & 31, v = mix(id);
	s32 w = (s32)v;
	s64 x = (s64)mix64(id);
	s[6 * id] = w >> n;
	s[6 * id + 1] = (s32)(v >> n);
	s[6 * id + 2] = (s32)(v << n);
	s[6 * id + 3] = (s16)(v >> 7) >> (n & 15);
	s[6 * id + 4] = (s8)v >> (n & 7);
	s[6 * id + 5] = (s32)(v << n | v >> (-n & 31));
	u[4 * id] = (u64)(x >> (id & 63));
	u[4 * id + 1] = (u64)x >> (id * 3 & 63);
	u[4 * id + 2] = (u64)x << (id * 5 & 63);
	u[4 * id + 3] = rotate64((u64)x, id * 7);
	struct fields f = {v & 31, v >> 3 & 2047, (s32)(v << 4) >> 25, v >> 23};
	f.a += 9;
	f.b ^= f.d;
	f.c = f.c * 3 & 63;
	f.d -= f.a;
	fields[id] = f.a | (u32)f.b << 5 | (u32)(f.c & 127) << 16 | (u32)f.d << 23;
}

#ifdef HOST
void describe(void) {
	title("Shifts, rotates and bit fields");
	grid(2, 1, 1);
	block(64, 1, 1);
	s32 *s = S32(768, "");
	u64 *u = U64(512, "");
	u32 *fields = U32(128, "");
	LAUNCH(shifts(s, u, fields));
}
#endif
