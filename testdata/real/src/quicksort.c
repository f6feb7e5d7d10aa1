/* Every thread sorts its own array in local memory: quicksort with an explicit stack, insertion sort for the rest. */
#include "kernel.h"

enum { N = 60, SMALL = 6 };

KERNEL quicksort(s32 *out) {
	u32 id = GLOBAL_ID;
	s32 a[N];
	u8 stack[32];
	for (u32 i = 0; i < N; i++)
		a[i] = (s32)mix(id * N + i) >> (id % 24);
	s32 top = 0;
	stack[top++] = 0;
	stack[top++] = N - 1;
	while (top > 0) {
		s32 high = stack[--top], low = stack[--top];
		if (high - low < SMALL)
			continue;
		s32 pivot = a[(low + high) / 2], i = low, j = high;
		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i <= j) {
				s32 t = a[i];
				a[i++] = a[j];
				a[j--] = t;
			}
		}
		/* The larger side waits, so that the stack holds at most log2(N) ranges. */
		if (j - low > high - i) {
			stack[top++] = (u8)low, stack[top++] = (u8)(j < 0 ? 0 : j);
			stack[top++] = (u8)i, stack[top++] = (u8)high;
		} else {
			stack[top++] = (u8)i, stack[top++] = (u8)high;
			stack[top++] = (u8)low, stack[top++] = (u8)(j < 0 ? 0 : j);
		}
	}
	for (s32 i = 1; i < N; i++) {
		s32 v = a[i], j = i - 1;
		for (; j >= 0 && a[j] > v; j--)
			a[j + 1] = a[j];
		a[j + 1] = v;
	}
	for (u32 i = 0; i < N; i++)
		out[id * N + i] = a[i];
}

#ifdef HOST
void describe(void) {
	title("Quicksort with a local stack, one array per thread");
	grid(1, 1, 1);
	block(48, 1, 1);
	s32 *out = S32(48 * 60, "");
	LAUNCH(quicksort(out));
}
#endif
