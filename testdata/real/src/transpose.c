/* Matrix transpose through a padded tile in shared memory; sides that no tile divides. */
#include "kernel.h"

enum { TILE = 16, ROWS = 4 };
SHARED f64 tile[TILE][TILE + 1];

KERNEL transpose(const f64 *in, f64 *out, s32 width, s32 height) {
	s32 x = (s32)(CTAID_X * TILE + TID_X), y = (s32)(CTAID_Y * TILE + TID_Y);
	for (s32 j = 0; j < TILE; j += ROWS)
		if (x < width && y + j < height)
			tile[(s32)TID_Y + j][TID_X] = in[(y + j) * width + x];
	BARRIER();
	x = (s32)(CTAID_Y * TILE + TID_X);
	y = (s32)(CTAID_X * TILE + TID_Y);
	for (s32 j = 0; j < TILE; j += ROWS)
		if (x < height && y + j < width)
			out[(y + j) * height + x] = tile[TID_X][(s32)TID_Y + j];
}

#ifdef HOST
void describe(void) {
	title("Matrix transpose 50 x 37 of doubles");
	grid(4, 3, 1);
	block(16, 4, 1);
	const f64 *in = F64(1850, "iota(0.5, 1)");
	f64 *out = F64(1850, "");
	s32 width = scalar_s32(50), height = scalar_s32(37);
	LAUNCH(transpose(in, out, width, height));
}
#endif
