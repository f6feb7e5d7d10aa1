/* Heap sort in global memory, one slice per thread; keys are 16 bits wide. */
#include "kernel.h"

enum { N = 40 };

static void sift(s16 *a, s32 root, s32 n) {
	s16 v = a[root];
	for (s32 child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && a[child + 1] > a[child])
			child++;
		if (a[child] <= v)
			break;
		a[root] = a[child];
	}
	a[root] = v;
}

KERNEL heapsort(s16 *data) {
	s16 *a = data + GLOBAL_ID * N;
	for (s32 i = 0; i < N; i++)
		a[i] = (s16)mix(GLOBAL_ID * N + (u32)i);
	for (s32 i = N / 2 - 1; i >= 0; i--)
		sift(a, i, N);
	for (s32 n = N - 1; n > 0; n--) {
		s16 t = a[0];
		a[0] = a[n];
		a[n] = t;
		sift(a, 0, n);
	}
}

#ifdef HOST
void describe(void) {
	title("Heap sort of 16-bit keys in global memory");
	grid(2, 1, 1);
	block(33, 1, 1);
	s16 *data = S16(66 * 40, "");
	LAUNCH(heapsort(data));
}
#endif
