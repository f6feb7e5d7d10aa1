/* Vectors: loads and stores of two and four elements at once, of all widths. */
#include "kernel.h"

typedef f32 f32x4 __attribute__((vector_size(16)));
typedef u32 u32x4 __attribute__((vector_size(16)));
typedef u64 u64x2 __attribute__((vector_size(16)));
typedef u16 u16x2 __attribute__((vector_size(4)));
typedef s8 s8x4 __attribute__((vector_size(4)));
SHARED f32x4 tile[64];

NOINLINE f32x4 rotate(f32x4 v, u32 n) {
	f32x4 r = {v[n & 3], v[(n + 1) & 3], v[(n + 2) & 3], v[(n + 3) & 3]};
	return r;
}

KERNEL vectors(const f32x4 *a, f32x4 *f, u32x4 *u, u64x2 *w, u16x2 *h, s8x4 *b) {
	u32 id = GLOBAL_ID, t = TID_X;
	tile[t] = a[id];
	BARRIER();
	f32x4 v = tile[(t + 1) % NTID_X] * tile[t] + a[id ^ 1];
	f[id] = rotate(v, id) - v;
	u32 x = mix(id);
	u32x4 bits = {x, x >> 1, x << 3, ~x};
	u[id] = (bits ^ x) + (bits << 2);
	u64x2 wide = {mix64(id), (u64)x * x};
	w[id] = wide * 3 + w[id];
	u16x2 half = {(u16)x, (u16)(x >> 16)};
	h[id] = half * half - h[id];
	s8x4 bytes = {(s8)x, (s8)(x >> 8), (s8)(x >> 16), (s8)(x >> 24)};
	b[id] = (bytes >> 1) + b[id];
}

#ifdef HOST
void describe(void) {
	title("Vector loads and stores");
	grid(2, 1, 1);
	block(64, 1, 1);
	const f32x4 *a = buffer("f32", 512, "iota(-7, 0.375)");
	f32x4 *f = buffer("f32", 512, "");
	u32x4 *u = buffer("u32", 512, "");
	u64x2 *w = buffer("u64", 256, "iota");
	u16x2 *h = buffer("u16", 256, "iota(1, 3)");
	s8x4 *b = buffer("s8", 512, "1, -1, 100, -100, 5");
	LAUNCH(vectors(a, f, u, w, h, b));
}
#endif
