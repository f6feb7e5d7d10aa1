/* y = a x + y with a fused multiply-add and a grid-stride loop. */
#include "kernel.h"

KERNEL saxpy(u32 n, f32 a, const f32 *x, f32 *y) {
	for (u32 i = GLOBAL_ID; i < n; i += NTID_X * NCTAID_X)
		y[i] = __builtin_fmaf(a, x[i], y[i]);
}

#ifdef HOST
void describe(void) {
	title("Saxpy, grid-stride loop");
	grid(3, 1, 1);
	block(96, 1, 1);
	u32 n = scalar_u32(1021);
	f32 a = scalar_f32(0.1f);
	const f32 *x = F32(1024, "iota(-3, 0.25)");
	f32 *y = F32(1024, "1, -2.5, 3e-3, 1e7");
	LAUNCH(saxpy(n, a, x, y));
}
#endif
