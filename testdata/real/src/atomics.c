/* Every atomic operation that gives the same result in any order, on global and shared memory, and loops of CAS. */
#include "kernel.h"

SHARED u32 shared_max;
SHARED u64 shared_sum;

NOINLINE void add_f32(f32 *at, f32 v) {
	u32 *bits = (u32 *)at, old = __atomic_load_n(bits, RELAXED);
	while (!__atomic_compare_exchange_n(bits, &old, f32_bits(bits_f32(old) + v), 0, RELAXED, RELAXED))
		;
}

KERNEL atomics(u32 *u, s32 *s, u64 *w, f32 *f) {
	u32 id = GLOBAL_ID, v = mix(id);
	if (TID_X == 0) {
		shared_max = 0;
		shared_sum = 0;
	}
	BARRIER();
	__atomic_fetch_add(&u[0], v, RELAXED);
	__atomic_fetch_sub(&u[1], v >> 3, RELAXED);
	__atomic_fetch_and(&u[2], v | 0xff, RELAXED);
	__atomic_fetch_or(&u[3], v & 0x11111111, RELAXED);
	__atomic_fetch_xor(&u[4], v, RELAXED);
	u[8 + __atomic_fetch_add(&u[5], 1, RELAXED)] = 1;
	u32 seen = __atomic_load_n(&u[6], RELAXED);
	while (seen < v && !__atomic_compare_exchange_n(&u[6], &seen, v, 0, RELAXED, RELAXED))
		;
	if (__atomic_exchange_n(&u[7], 7, RELAXED) == 0)
		__atomic_fetch_add(&s[0], 1, RELAXED);
	s32 low = __atomic_load_n(&s[1], RELAXED);
	while ((s32)v < low && !__atomic_compare_exchange_n(&s[1], &low, (s32)v, 0, RELAXED, RELAXED))
		;
	__atomic_fetch_add(&w[0], mix64(id), RELAXED);
	__atomic_fetch_or(&w[1], 1ull << (id & 63), RELAXED);
	u64 old = __atomic_load_n(&w[2], RELAXED);
	while (!__atomic_compare_exchange_n(&w[2], &old, old * 1 + 3, 0, RELAXED, RELAXED))
		;
	add_f32(&f[id & 3], (f32)(v & 255) * 0.5f);

	u32 top = __atomic_load_n(&shared_max, RELAXED);
	while (top < v && !__atomic_compare_exchange_n(&shared_max, &top, v, 0, RELAXED, RELAXED))
		;
	__atomic_fetch_add(&shared_sum, v, RELAXED);
	BARRIER();
	if (TID_X == 0) {
		w[3 + 2 * CTAID_X] = shared_max;
		w[4 + 2 * CTAID_X] = shared_sum;
	}
}

#ifdef HOST
void describe(void) {
	title("Atomics and CAS loops");
	grid(2, 1, 1);
	block(64, 1, 1);
	u32 *u = U32(136, "");
	s32 *s = S32(2, "");
	u64 *w = U64(7, "");
	f32 *f = F32(4, "");
	LAUNCH(atomics(u, s, w, f));
}
#endif
