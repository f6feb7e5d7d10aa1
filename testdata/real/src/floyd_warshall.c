/* All shortest paths in a small graph: one CTA, distances in global memory, a barrier per round. */
#include "kernel.h"

KERNEL floyd_warshall(u32 *distance, u32 *via, u32 n) {
	for (u32 i = TID_X; i < n * n; i += NTID_X) {
		u32 v = mix(i);
		distance[i] = i / n == i % n ? 0 : v % 5 == 0 ? v >> 8 & 1023 : 1000000;
		via[i] = 0xffffffffu;
	}
	for (u32 k = 0; k < n; k++) {
		BARRIER();
		for (u32 i = TID_X; i < n * n; i += NTID_X) {
			u32 through = distance[i / n * n + k] + distance[k * n + i % n];
			if (through < distance[i]) {
				distance[i] = through;
				via[i] = k;
			}
		}
	}
}

#ifdef HOST
void describe(void) {
	title("Floyd-Warshall, 24 vertices");
	grid(1, 1, 1);
	block(128, 1, 1);
	u32 *distance = U32(576, ""), *via = U32(576, ""), n = scalar_u32(24);
	LAUNCH(floyd_warshall(distance, via, n));
}
#endif
