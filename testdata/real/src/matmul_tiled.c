/* Matrix product by 8 x 8 tiles in shared memory. */
#include "kernel.h"

enum { TILE = 8 };
SHARED f32 tile_a[TILE][TILE], tile_b[TILE][TILE];

KERNEL matmul_tiled(const f32 *a, const f32 *b, f32 *c, u32 n) {
	u32 x = TID_X, y = TID_Y, column = CTAID_X * TILE + x, row = CTAID_Y * TILE + y;
	f32 sum = 0;
	for (u32 k = 0; k < n; k += TILE) {
		tile_a[y][x] = a[row * n + k + x];
		tile_b[y][x] = b[(k + y) * n + column];
		BARRIER();
		for (u32 i = 0; i < TILE; i++)
			sum = __builtin_fmaf(tile_a[y][i], tile_b[i][x], sum);
		BARRIER();
	}
	c[row * n + column] = sum;
}

#ifdef HOST
void describe(void) {
	title("Tiled matrix product 32 x 32");
	grid(4, 4, 1);
	block(8, 8, 1);
	const f32 *a = F32(1024, "1.5, -2.25, 0.1, 3, 7, -0.3, 11"), *b = F32(1024, "0.7, 2, -1.1, 5, 0.01");
	f32 *c = F32(1024, "");
	u32 n = scalar_u32(32);
	LAUNCH(matmul_tiled(a, b, c, n));
}
#endif
