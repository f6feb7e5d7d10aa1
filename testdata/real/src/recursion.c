/* Device functions that call themselves and each other, with frames that hold arrays. */
#include "kernel.h"

NOINLINE u32 ackermann(u32 m, u32 n) {
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

NOINLINE u64 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

NOINLINE u32 is_odd(u32 n);
NOINLINE u32 is_even(u32 n) { return n == 0 ? 1 : is_odd(n - 1) ^ (n & 64) >> 6; }
NOINLINE u32 is_odd(u32 n) { return n == 0 ? 0 : is_even(n - 1) ^ (n & 32) >> 5; }

/* permute counts permutations whose neighbours differ by at most reach; each frame has its own copy. */
NOINLINE u32 permute(const u8 *items, u32 n, u32 last, u32 reach) {
	u8 rest[6];
	u32 count = 0;
	if (n == 0)
		return 1;
	for (u32 i = 0; i < n; i++) {
		u32 v = items[i], gap = v > last ? v - last : last - v;
		if (gap > reach)
			continue;
		for (u32 j = 0, k = 0; j < n; j++)
			if (j != i)
				rest[k++] = items[j];
		count += permute(rest, n - 1, v, reach);
	}
	return count;
}

KERNEL recursion(u32 *out, u64 *fib) {
	u32 id = GLOBAL_ID;
	u8 items[6] = {0, 1, 2, 3, 4, 5};
	out[4 * id] = ackermann(id % 3, id % 7);
	out[4 * id + 1] = is_even(id * 3);
	out[4 * id + 2] = permute(items, 1 + id % 5, 2, 1 + id % 3);
	out[4 * id + 3] = id % 2 ? permute(items, 4, id % 6, 3) : ackermann(2, id % 4);
	fib[id] = fibonacci(id % 11);
}

#ifdef HOST
void describe(void) {
	title("Recursion: Ackermann, Fibonacci, mutual, permutations");
	grid(1, 1, 1);
	block(40, 1, 1);
	u32 *out = U32(160, "");
	u64 *fib = U64(40, "");
	LAUNCH(recursion(out, fib));
}
#endif
