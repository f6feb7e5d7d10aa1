/* Histogram: counts in shared memory, then added to the global ones. */
#include "kernel.h"

enum { BINS = 64 };
SHARED u32 local[BINS];

KERNEL histogram(u32 *counts, u64 *checksum, u32 n) {
	for (u32 i = TID_X; i < BINS; i += NTID_X)
		local[i] = 0;
	BARRIER();
	for (u32 i = GLOBAL_ID; i < n; i += NTID_X * NCTAID_X) {
		u32 v = mix(i);
		__atomic_fetch_add(&local[(v >> 8 & 63) * (v & 63) >> 6], 1, RELAXED);
		__atomic_fetch_add(checksum, (u64)v * v, RELAXED);
	}
	BARRIER();
	for (u32 i = TID_X; i < BINS; i += NTID_X)
		__atomic_fetch_add(&counts[i], local[i], RELAXED);
}

#ifdef HOST
void describe(void) {
	title("Histogram with atomics");
	grid(3, 1, 1);
	block(96, 1, 1);
	u32 *counts = U32(64, "");
	u64 *checksum = U64(1, "");
	u32 n = scalar_u32(2000);
	LAUNCH(histogram(counts, checksum, n));
}
#endif
