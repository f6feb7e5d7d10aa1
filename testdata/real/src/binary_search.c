/* Lower and upper bounds in a sorted array, the second one without branches. */
#include "kernel.h"

KERNEL binary_search(const s32 *sorted, u32 n, u32 *lower, u32 *upper) {
	u32 id = GLOBAL_ID;
	s32 key = (s32)(mix(id) % 700) - 100;
	u32 low = 0, high = n;
	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (sorted[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	lower[id] = low;
	u32 base = 0;
	for (u32 step = 128; step > 0; step >>= 1)
		base += base + step <= n && sorted[base + step - 1] <= key ? step : 0;
	upper[id] = base;
}

#ifdef HOST
void describe(void) {
	title("Binary search");
	grid(2, 1, 1);
	block(64, 1, 1);
	const s32 *sorted = S32(200, "iota(-50, 3)");
	u32 n = scalar_u32(200), *lower = U32(128, ""), *upper = U32(128, "");
	LAUNCH(binary_search(sorted, n, lower, upper));
}
#endif
