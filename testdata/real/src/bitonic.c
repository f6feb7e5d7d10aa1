/* Bitonic sort of 64-bit keys in shared memory, one CTA per array. */
#include "kernel.h"

enum { N = 256 };
SHARED u64 keys[N];

KERNEL bitonic(u64 *out) {
	u32 t = TID_X;
	keys[t] = mix64(GLOBAL_ID);
	for (u32 k = 2; k <= N; k <<= 1)
		for (u32 j = k >> 1; j > 0; j >>= 1) {
			BARRIER();
			u32 other = t ^ j;
			if (other > t) {
				u64 a = keys[t], b = keys[other];
				if ((a > b) == ((t & k) == 0)) {
					keys[t] = b;
					keys[other] = a;
				}
			}
		}
	BARRIER();
	out[GLOBAL_ID] = keys[t];
}

#ifdef HOST
void describe(void) {
	title("Bitonic sort in shared memory");
	grid(2, 1, 1);
	block(256, 1, 1);
	u64 *out = U64(512, "");
	LAUNCH(bitonic(out));
}
#endif
