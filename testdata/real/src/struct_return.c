/* Device functions that return structures, small and large, and fill in structures by pointer. */
#include "kernel.h"

struct complex {
	f32 re, im;
};
struct quotient {
	u64 q;
	u32 r;
	u8 exact;
};
struct stats {
	s32 low, high;
	s64 sum;
	f64 mean;
	u16 counts[4];
};

NOINLINE struct complex multiply(struct complex a, struct complex b) {
	struct complex p = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
	return p;
}

NOINLINE struct quotient divide(u64 a, u32 b) {
	struct quotient r = {a / b, (u32)(a % b), a % b == 0};
	return r;
}

NOINLINE struct stats summarize(const s32 *v, u32 n) {
	struct stats s = {v[0], v[0], 0, 0, {0, 0, 0, 0}};
	for (u32 i = 0; i < n; i++) {
		s.low = v[i] < s.low ? v[i] : s.low;
		s.high = v[i] > s.high ? v[i] : s.high;
		s.sum += v[i];
		s.counts[v[i] & 3]++;
	}
	s.mean = (f64)s.sum / n;
	return s;
}

NOINLINE void split(u32 v, u8 *low, u16 *high) {
	*low = (u8)v;
	*high = (u16)(v >> 16);
}

KERNEL struct_return(struct complex *powers, u64 *quotients, f64 *means, u32 *rest) {
	u32 id = GLOBAL_ID;
	struct complex z = {(f32)(id % 8) * 0.25f, 1.0f - (f32)(id % 5) * 0.5f}, p = {1, 0};
	for (u32 i = 0; i < 1 + id % 4; i++)
		p = multiply(p, z);
	powers[id] = p;

	struct quotient q = divide(mix64(id), mix(id) >> (id & 15) | 1);
	quotients[id] = q.q ^ q.r ^ (u64)q.exact << 63;

	s32 values[10];
	for (u32 i = 0; i < 10; i++)
		values[i] = (s32)mix(id * 10 + i) >> 8;
	struct stats s = summarize(values, 3 + id % 8);
	means[id] = s.mean + s.low * 0.5 - s.high;

	u8 low;
	u16 high;
	split(mix(id), &low, &high);
	rest[id] = s.counts[0] | (u32)s.counts[1] << 4 | (u32)s.counts[2] << 8 |
		(u32)s.counts[3] << 12 | (u32)(low ^ high) << 16;
}

#ifdef HOST
void describe(void) {
	title("Structures as results");
	grid(1, 1, 1);
	block(64, 1, 1);
	struct complex *powers = buffer("f32", 128, "");
	u64 *quotients = U64(64, "");
	f64 *means = F64(64, "");
	u32 *rest = U32(64, "");
	LAUNCH(struct_return(powers, quotients, means, rest));
}
#endif
