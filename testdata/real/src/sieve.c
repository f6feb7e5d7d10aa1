/* Sieve of Eratosthenes in a bit set with atomic or; counting by population count. */
#include "kernel.h"

enum { LIMIT = 2048 };
SHARED u32 composite[LIMIT / 32];

KERNEL sieve(u32 *primes, u32 *counts) {
	u32 t = TID_X;
	for (u32 i = t; i < LIMIT / 32; i += NTID_X)
		composite[i] = i == 0 ? 3 : 0;
	BARRIER();
	for (u32 p = 2 + t; p * p < LIMIT; p += NTID_X)
		for (u32 m = p * p; m < LIMIT; m += p)
			__atomic_fetch_or(&composite[m / 32], 1u << m % 32, RELAXED);
	BARRIER();
	for (u32 i = t; i < LIMIT / 32; i += NTID_X) {
		primes[i] = ~composite[i];
		u32 before = 0;
		for (u32 j = 0; j < i; j++)
			before += 32 - (u32)__builtin_popcount(composite[j]);
		counts[i] = before;
	}
}

#ifdef HOST
void describe(void) {
	title("Sieve of Eratosthenes");
	grid(1, 1, 1);
	block(64, 1, 1);
	u32 *primes = U32(64, ""), *counts = U32(64, "");
	LAUNCH(sieve(primes, counts));
}
#endif
