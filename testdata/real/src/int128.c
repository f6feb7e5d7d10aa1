/* 128-bit integers: sum, difference, product, shifts, comparisons, quotient and modular power. */
#include "kernel.h"

static u64 power(u64 base, u64 exponent, u64 modulus) {
	u128 result = 1, b = base % modulus;
	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result = result * b % modulus;
		b = b * b % modulus;
	}
	return (u64)result;
}

KERNEL int128(u64 *out, u64 *powers) {
	u32 id = GLOBAL_ID, n = id * 5 & 127;
	u128 a = (u128)mix64(id) << 64 | mix64(id + 1), b = (u128)mix64(id + 2) << 64 | mix64(id + 3);
	s128 c = (s128)a >> n, d = (s128)b >> (n / 2);
	u128 results[6] = {a + b, a - b, a * b, a << n ^ b >> n, (u128)(c < d ? c : d), a / ((b >> n) | 1)};
	for (u32 i = 0; i < 6; i++) {
		out[12 * id + 2 * i] = (u64)results[i];
		out[12 * id + 2 * i + 1] = (u64)(results[i] >> 64);
	}
	powers[id] = power(mix64(id), mix(id) & 15, 0xffffffffffffffc5ull);
}

#ifdef HOST
void describe(void) {
	title("128-bit integers");
	grid(1, 1, 1);
	block(40, 1, 1);
	u64 *out = U64(480, ""), *powers = U64(40, "");
	LAUNCH(int128(out, powers));
}
#endif
