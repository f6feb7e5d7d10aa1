/* Inverse of a 4 x 4 matrix per thread: Gauss-Jordan with pivoting, in local memory. */
#include "kernel.h"

KERNEL matrix_inverse(f32 *out, f64 *determinants) {
	u32 id = GLOBAL_ID;
	f32 m[4][8];
	f64 determinant = 1;
	for (u32 i = 0; i < 4; i++)
		for (u32 j = 0; j < 8; j++)
			m[i][j] = j >= 4 ? (f32)(j - 4 == i) : (f32)((s32)(mix(id * 16 + i * 4 + j) & 63) - 30) * 0.5f;
	for (u32 k = 0; k < 4; k++) {
		u32 pivot = k;
		for (u32 i = k + 1; i < 4; i++)
			if (__builtin_fabsf(m[i][k]) > __builtin_fabsf(m[pivot][k]))
				pivot = i;
		if (m[pivot][k] == 0.0f) {
			determinant = 0;
			break;
		}
		if (pivot != k) {
			for (u32 j = 0; j < 8; j++) {
				f32 t = m[k][j];
				m[k][j] = m[pivot][j];
				m[pivot][j] = t;
			}
			determinant = -determinant;
		}
		determinant *= m[k][k];
		f32 scale = 1.0f / m[k][k];
		for (u32 j = 0; j < 8; j++)
			m[k][j] *= scale;
		for (u32 i = 0; i < 4; i++) {
			f32 factor = m[i][k];
			if (i != k)
				for (u32 j = 0; j < 8; j++)
					m[i][j] -= factor * m[k][j];
		}
	}
	for (u32 i = 0; i < 16; i++)
		out[id * 16 + i] = determinant == 0 ? 0.0f : m[i / 4][4 + i % 4];
	determinants[id] = determinant;
}

#ifdef HOST
void describe(void) {
	title("Inverse of 4 x 4 matrices");
	grid(1, 1, 1);
	block(64, 1, 1);
	f32 *out = F32(1024, "");
	f64 *determinants = F64(64, "");
	LAUNCH(matrix_inverse(out, determinants));
}
#endif
