/* Tree reduction in shared memory: sum, minimum and maximum of a CTA's elements. */
#include "kernel.h"

SHARED u32 sums[256];
SHARED s32 lows[256], highs[256];

KERNEL reduce_shared(u32 *sum, s32 *low, s32 *high) {
	u32 t = TID_X, v = mix(GLOBAL_ID);
	sums[t] = v;
	lows[t] = highs[t] = (s32)v >> 4;
	BARRIER();
	for (u32 half = NTID_X / 2; half > 0; half >>= 1) {
		if (t < half) {
			s32 a = lows[t + half], b = highs[t + half];
			sums[t] += sums[t + half];
			lows[t] = a < lows[t] ? a : lows[t];
			highs[t] = b > highs[t] ? b : highs[t];
		}
		BARRIER();
	}
	if (t == 0) {
		sum[CTAID_X] = sums[0];
		low[CTAID_X] = lows[0];
		high[CTAID_X] = highs[0];
	}
}

#ifdef HOST
void describe(void) {
	title("Reduction in shared memory");
	grid(6, 1, 1);
	block(256, 1, 1);
	u32 *sum = U32(6, "");
	s32 *low = S32(6, ""), *high = S32(6, "");
	LAUNCH(reduce_shared(sum, low, high));
}
#endif
