/* Game of life on a torus, several generations in shared memory. */
#include "kernel.h"

enum { W = 32, H = 16 };
SHARED u8 cells[2][H][W];

KERNEL life(u8 *out, u32 generations) {
	u32 x = TID_X, y = TID_Y;
	cells[0][y][x] = (u8)(mix(CTAID_X * W * H + y * W + x) % 3 == 0);
	u32 now_in = 0;
	for (u32 g = 0; g < generations; g++) {
		BARRIER();
		u32 n = 0;
		for (s32 dy = -1; dy <= 1; dy++)
			for (s32 dx = -1; dx <= 1; dx++)
				if (dx != 0 || dy != 0)
					n += cells[now_in][(y + (u32)dy) % H][(x + (u32)dx) % W];
		u8 alive = cells[now_in][y][x];
		now_in ^= 1;
		cells[now_in][y][x] = n == 3 || (n == 2 && alive);
	}
	out[(CTAID_X * H + y) * W + x] = cells[now_in][y][x] ? '#' : '.';
}

#ifdef HOST
void describe(void) {
	title("Game of life on a torus, 9 generations");
	grid(2, 1, 1);
	block(32, 16, 1);
	u8 *out = U8(1024, "");
	u32 generations = scalar_u32(9);
	LAUNCH(life(out, generations));
}
#endif
