/* One thread per element, with a bounds check that cuts the last warp. */
#include "kernel.h"

KERNEL vecadd(const f32 *x, const f32 *y, f32 *out, u32 n) {
	u32 i = GLOBAL_ID;
	if (i < n)
		out[i] = x[i] + y[i];
}

#ifdef HOST
void describe(void) {
	title("Vector add");
	grid(4, 1, 1);
	block(256, 1, 1);
	const f32 *x = F32(1024, "iota"), *y = F32(1024, "2.5");
	f32 *out = F32(1024, "");
	u32 n = scalar_u32(1000);
	LAUNCH(vecadd(x, y, out, n));
}
#endif
