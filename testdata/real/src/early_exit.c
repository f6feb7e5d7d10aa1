/* Threads that return at different places, before, in and after loops; goto; nested breaks. */
#include "kernel.h"

KERNEL early_exit(u32 *out, u32 n) {
	u32 id = GLOBAL_ID, v = mix(id);
	if (id >= n)
		return;
	out[id] = 1;
	if (v % 7 == 0)
		return;
	for (u32 i = 0; i < 20; i++) {
		v = v * 1664525 + 1013904223;
		if (v >> 28 == 3)
			goto found;
		for (u32 j = 0; j < 5; j++) {
			v ^= v >> 7;
			if ((v & 31) == id % 32) {
				out[id] = v | 1;
				return;
			}
			if ((v & 15) == 5)
				break;
			if ((v & 63) == 9)
				goto next;
		}
		v += i;
	next:;
	}
	out[id] = v & ~1u;
	return;
found:
	out[id] = id % 2 ? v : ~v;
}

#ifdef HOST
void describe(void) {
	title("Returns and jumps out of nested loops");
	grid(3, 1, 1);
	block(50, 1, 1);
	u32 *out = U32(150, ""), n = scalar_u32(143);
	LAUNCH(early_exit(out, n));
}
#endif
