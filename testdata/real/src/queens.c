/* Solutions of the eight queens puzzle: each thread fixes the first two rows and backtracks with bit sets. */
#include "kernel.h"

enum { N = 8, ALL_COLUMNS = (1 << N) - 1 };

KERNEL queens(u32 *out, u32 *total) {
	u32 id = GLOBAL_ID, first = 1u << id % N, second = 1u << id / N, count = 0;
	u32 columns[N], left[N], right[N], free[N];
	if ((second & (first | first << 1 | first >> 1)) == 0) {
		s32 row = 2;
		columns[2] = first | second;
		left[2] = (first << 1 | second) << 1;
		right[2] = (first >> 1 | second) >> 1;
		free[2] = ALL_COLUMNS & ~(columns[2] | left[2] | right[2]);
		while (row >= 2) {
			if (free[row] == 0) {
				row--;
				continue;
			}
			u32 queen = free[row] & -free[row];
			free[row] ^= queen;
			if (row == N - 1) {
				count++;
				continue;
			}
			columns[row + 1] = columns[row] | queen;
			left[row + 1] = (left[row] | queen) << 1;
			right[row + 1] = (right[row] | queen) >> 1;
			row++;
			free[row] = ALL_COLUMNS & ~(columns[row] | left[row] | right[row]);
		}
	}
	out[id] = count;
	__atomic_fetch_add(total, count, RELAXED);
}

#ifdef HOST
void describe(void) {
	title("Eight queens");
	grid(1, 1, 1);
	block(64, 1, 1);
	u32 *out = U32(64, ""), *total = U32(1, "");
	LAUNCH(queens(out, total));
}
#endif
