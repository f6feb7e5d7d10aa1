/* Collatz: lengths and peaks of the sequences, as divergent a loop as can be. */
#include "kernel.h"

KERNEL collatz(u32 *lengths, u64 *peaks) {
	u32 id = GLOBAL_ID, n = 0;
	u64 v = id + 1, peak = v;
	while (v != 1) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		peak = v > peak ? v : peak;
		n++;
	}
	lengths[id] = n;
	peaks[id] = peak;
}

#ifdef HOST
void describe(void) {
	title("Collatz sequences");
	grid(2, 1, 1);
	block(128, 1, 1);
	u32 *lengths = U32(256, "");
	u64 *peaks = U64(256, "");
	LAUNCH(collatz(lengths, peaks));
}
#endif
