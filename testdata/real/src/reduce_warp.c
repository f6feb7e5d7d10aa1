/* Reductions and a scan inside warps by shuffles; float sums in a fixed order. */
#include "kernel.h"

KERNEL reduce_warp(f32 *sums, u32 *scan, u32 *reversed, u32 *broadcast) {
	u32 i = GLOBAL_ID, lane = i & 31;
	f32 v = (f32)(mix(i) & 0xfff) * 0.125f;
	for (u32 delta = 16; delta > 0; delta >>= 1)
		v += bits_f32(SHFL_DOWN(f32_bits(v), delta));
	if (lane == 0)
		sums[i / 32] = v;

	u32 total = i * i + 1;
	for (u32 delta = 1; delta < 32; delta <<= 1) {
		u32 below = SHFL_UP(total, delta);
		if (lane >= delta)
			total += below;
	}
	scan[i] = total;
	reversed[i] = SHFL_XOR(i, 31);
	broadcast[i] = SHFL_IDX(mix(i), (i / 32) & 31);
}

#ifdef HOST
void describe(void) {
	title("Warp shuffles: reduction, scan, reversal, broadcast");
	grid(2, 1, 1);
	block(128, 1, 1);
	f32 *sums = F32(8, "");
	u32 *scan = U32(256, ""), *reversed = U32(256, ""), *broadcast = U32(256, "");
	LAUNCH(reduce_warp(sums, scan, reversed, broadcast));
}
#endif
