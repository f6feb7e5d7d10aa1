/* Linear equations in doubles by a whole CTA: elimination with pivoting through shared memory. */
#include "kernel.h"

enum { N = 12 };
SHARED f64 m[N][N + 1];
SHARED u32 pivot_row;

KERNEL gauss(f64 *solution) {
	u32 t = TID_X;
	for (u32 i = t; i < N * (N + 1); i += NTID_X)
		m[i / (N + 1)][i % (N + 1)] = (f64)((s32)(mix(i + CTAID_X * 1000) & 1023) - 512) / 32;
	for (u32 k = 0; k < N; k++) {
		BARRIER();
		if (t == 0) {
			u32 best = k;
			for (u32 i = k + 1; i < N; i++)
				if (__builtin_fabs(m[i][k]) > __builtin_fabs(m[best][k]))
					best = i;
			pivot_row = best;
		}
		BARRIER();
		u32 p = pivot_row;
		if (p != k && t <= N) {
			f64 swap = m[k][t];
			m[k][t] = m[p][t];
			m[p][t] = swap;
		}
		BARRIER();
		if (t < N && t != k) {
			f64 factor = m[t][k] / m[k][k];
			for (u32 j = k; j <= N; j++)
				m[t][j] -= factor * m[k][j];
		}
	}
	BARRIER();
	if (t < N)
		solution[CTAID_X * N + t] = m[t][N] / m[t][t];
}

#ifdef HOST
void describe(void) {
	title("Gaussian elimination in shared memory");
	grid(2, 1, 1);
	block(32, 1, 1);
	f64 *solution = F64(24, "");
	LAUNCH(gauss(solution));
}
#endif
