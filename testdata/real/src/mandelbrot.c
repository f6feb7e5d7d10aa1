/* Mandelbrot set in single and double precision: a divergent loop with two exits. */
#include "kernel.h"

KERNEL mandelbrot(u8 *single, u8 *twice) {
	u32 x = CTAID_X * NTID_X + TID_X, y = CTAID_Y * NTID_Y + TID_Y, width = NTID_X * NCTAID_X;
	f32 cx = (f32)x * 0.0625f - 2.2f, cy = (f32)y * 0.0703125f - 1.1f, zx = 0, zy = 0;
	u32 n = 0;
	for (; n < 100; n++) {
		f32 xx = zx * zx, yy = zy * zy;
		if (xx + yy > 4.0f)
			break;
		zy = 2 * zx * zy + cy;
		zx = xx - yy + cx;
	}
	single[y * width + x] = (u8)n;

	f64 dx = x / 16.0 - 2.2, dy = y * 0.07 - 1.1, wx = 0, wy = 0;
	n = 0;
	do {
		f64 next = wx * wx - wy * wy + dx;
		wy = 2 * wx * wy + dy;
		wx = next;
	} while (wx * wx + wy * wy <= 4 && ++n < 50);
	twice[y * width + x] = (u8)n;
}

#ifdef HOST
void describe(void) {
	title("Mandelbrot set 48 x 32");
	grid(3, 8, 1);
	block(16, 4, 1);
	u8 *single = U8(1536, ""), *twice = U8(1536, "");
	LAUNCH(mandelbrot(single, twice));
}
#endif
