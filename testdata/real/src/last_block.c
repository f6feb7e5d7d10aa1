/* Sum over a grid in one launch: every CTA adds its part behind a fence, and the last to finish sums the parts. */
#include "kernel.h"

static u32 finished;
SHARED u32 is_last;
SHARED f64 parts[64];

KERNEL last_block(volatile f64 *partial, f64 *result) {
	u32 t = TID_X;
	parts[t] = (f64)(mix(GLOBAL_ID) & 0xffff) / 16;
	for (u32 half = NTID_X / 2; half > 0; half /= 2) {
		BARRIER();
		if (t < half)
			parts[t] += parts[t + half];
	}
	if (t == 0) {
		partial[CTAID_X] = parts[0];
		FENCE();
		is_last = __atomic_fetch_add(&finished, 1, RELAXED) == NCTAID_X - 1;
	}
	BARRIER();
	if (is_last && t == 0) {
		f64 sum = 0;
		for (u32 i = 0; i < NCTAID_X; i++)
			sum += partial[i];
		*result = sum;
	}
}

#ifdef HOST
void describe(void) {
	title("Grid-wide sum, last block finishes");
	grid(7, 1, 1);
	block(64, 1, 1);
	volatile f64 *partial = F64(7, "");
	f64 *result = F64(1, "");
	LAUNCH(last_block(partial, result));
}
#endif
