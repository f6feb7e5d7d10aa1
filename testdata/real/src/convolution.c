/* 5 x 5 blur of a grey picture made from colours (vectors of four bytes), clamped at the edges. */
#include "kernel.h"

typedef u8 u8x4 __attribute__((vector_size(4)));
CONSTANT u8 weights[5][5] = {
	{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1},
};

static s32 clamp(s32 v, s32 high) { return v < 0 ? 0 : v > high ? high : v; }

static u32 grey(u8x4 c) { return (c[0] * 77u + c[1] * 150u + c[2] * 29u) >> 8; }

KERNEL convolution(const u8x4 *picture, u8 *out, s32 width, s32 height) {
	s32 x = (s32)(CTAID_X * NTID_X + TID_X), y = (s32)(CTAID_Y * NTID_Y + TID_Y);
	if (x >= width || y >= height)
		return;
	u32 sum = 128;
	for (s32 j = -2; j <= 2; j++)
		for (s32 i = -2; i <= 2; i++) {
			s32 at = clamp(y + j, height - 1) * width + clamp(x + i, width - 1);
			sum += weights[j + 2][i + 2] * grey(picture[at]);
		}
	out[y * width + x] = (u8)(sum >> 8);
}

#ifdef HOST
void describe(void) {
	title("Blur of a picture, vectors of bytes");
	grid(4, 3, 1);
	block(8, 8, 1);
	const u8x4 *picture = buffer("u8", 30 * 20 * 4, "13, 200, 77, 255, 90, 41, 250, 0, 3, 128, 64, 190, 222");
	u8 *out = U8(600, "");
	s32 width = scalar_s32(30), height = scalar_s32(20);
	LAUNCH(convolution(picture, out, width, height));
}
#endif
