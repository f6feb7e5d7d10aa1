/* Quotients and remainders of 64-bit and 32-bit integers, signed and unsigned, by variables and constants. */
#include "kernel.h"

KERNEL div64(u64 *uq, u64 *ur, s64 *sq, s64 *sr, u32 *narrow, s64 *by_constant) {
	u32 id = GLOBAL_ID;
	u64 a = mix64(id) >> (id & 31), b = (mix64(id + 7777) >> (id * 5 % 62)) | 1;
	uq[id] = a / b;
	ur[id] = a % b;
	s64 c = (s64)mix64(id + 99) >> (id & 15), d = (s64)mix64(id + 55555) >> (id * 7 % 60);
	if (d == 0)
		d = -3;
	sq[id] = c / d;
	sr[id] = c % d;
	u32 e = mix(id + 3), f = (mix(id + 4) >> (id & 31)) | 1;
	s32 g = (s32)mix(id + 5), h = (s32)mix(id + 6) >> (id & 15);
	if (h == 0)
		h = 9;
	narrow[4 * id] = e / f;
	narrow[4 * id + 1] = e % f;
	narrow[4 * id + 2] = (u32)(g / h);
	narrow[4 * id + 3] = (u32)(g % h);
	by_constant[4 * id] = c / 10;
	by_constant[4 * id + 1] = c % 1000000007;
	by_constant[4 * id + 2] = (s64)(a / 7);
	by_constant[4 * id + 3] = g % 12 + (s64)(e / 641);
}

#ifdef HOST
void describe(void) {
	title("64-bit and 32-bit division and remainder");
	grid(2, 1, 1);
	block(64, 1, 1);
	u64 *uq = U64(128, ""), *ur = U64(128, "");
	s64 *sq = S64(128, ""), *sr = S64(128, "");
	u32 *narrow = U32(512, "");
	s64 *by_constant = S64(512, "");
	LAUNCH(div64(uq, ur, sq, sr, narrow, by_constant));
}
#endif
