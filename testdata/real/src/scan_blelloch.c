/* Exclusive prefix sum of a CTA's elements, up-sweep and down-sweep, in dynamic shared memory. */
#include "kernel.h"

DYNAMIC_SHARED(u32, data);

KERNEL scan_blelloch(const u32 *in, u32 *out, u32 n) {
	u32 t = TID_X, base = CTAID_X * n;
	data[2 * t] = in[base + 2 * t];
	data[2 * t + 1] = in[base + 2 * t + 1];
	u32 offset = 1;
	for (u32 d = n >> 1; d > 0; d >>= 1) {
		BARRIER();
		if (t < d)
			data[offset * (2 * t + 2) - 1] += data[offset * (2 * t + 1) - 1];
		offset <<= 1;
	}
	if (t == 0)
		data[n - 1] = 0;
	for (u32 d = 1; d < n; d <<= 1) {
		offset >>= 1;
		BARRIER();
		if (t < d) {
			u32 left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, v = data[left];
			data[left] = data[right];
			data[right] += v;
		}
	}
	BARRIER();
	out[base + 2 * t] = data[2 * t];
	out[base + 2 * t + 1] = data[2 * t + 1];
}

#ifdef HOST
void describe(void) {
	title("Prefix scan (Blelloch), dynamic shared memory");
	grid(2, 1, 1);
	block(128, 1, 1);
	dynamic_shared(1024);
	const u32 *in = U32(512, "3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5");
	u32 *out = U32(512, ""), n = scalar_u32(256);
	LAUNCH(scan_blelloch(in, out, n));
}
#endif
