/* Sparse matrix (compressed rows) times vector, one warp per row with a shuffle reduction, and one thread per row. */
#include "kernel.h"

KERNEL spmv(u32 *starts, u32 *columns, f32 *values, f32 *by_warp, f32 *by_thread, u32 rows) {
	u32 t = TID_X;
	if (t == 0) {
		u32 n = 0;
		for (u32 r = 0; r < rows; r++) {
			starts[r] = n;
			for (u32 k = 0; k < mix(r) % 40; k++, n++) {
				columns[n] = mix(n) % 64;
				values[n] = (f32)((s32)(mix(n + 77) & 255) - 128) * 0.375f;
			}
		}
		starts[rows] = n;
	}
	BARRIER();
	for (u32 r = t / 32; r < rows; r += NTID_X / 32) {
		f32 sum = 0;
		for (u32 k = starts[r] + (t & 31); k < starts[r + 1]; k += 32)
			sum += values[k] / (f32)(columns[k] + 1);
		for (u32 mask = 16; mask > 0; mask >>= 1)
			sum += bits_f32(SHFL_XOR(f32_bits(sum), mask));
		if ((t & 31) == 0)
			by_warp[r] = sum;
	}
	if (t < rows) {
		f32 sum = 0;
		for (u32 k = starts[t]; k < starts[t + 1]; k++)
			sum = __builtin_fmaf(values[k], 1.0f / (f32)(columns[k] + 1), sum);
		by_thread[t] = sum;
	}
}

#ifdef HOST
void describe(void) {
	title("Sparse matrix times vector");
	grid(1, 1, 1);
	block(64, 1, 1);
	u32 *starts = U32(25, ""), *columns = U32(1024, "");
	f32 *values = F32(1024, ""), *by_warp = F32(24, ""), *by_thread = F32(24, "");
	u32 rows = scalar_u32(24);
	LAUNCH(spmv(starts, columns, values, by_warp, by_thread, rows));
}
#endif
