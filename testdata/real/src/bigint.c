/* 256-bit integers of 32-bit and 64-bit limbs: sum, difference, product, with carries. */
#include "kernel.h"

enum { LIMBS = 8 };

static void make(u32 *a, u32 seed) {
	for (u32 i = 0; i < LIMBS; i++)
		a[i] = (seed + i) % 5 == 0 ? 0xffffffffu : mix(seed * LIMBS + i);
}

static u32 add_limbs(u32 *sum, const u32 *a, const u32 *b) {
	u64 carry = 0;
	for (u32 i = 0; i < LIMBS; i++) {
		carry += (u64)a[i] + b[i];
		sum[i] = (u32)carry;
		carry >>= 32;
	}
	return (u32)carry;
}

static u32 subtract_limbs(u32 *difference, const u32 *a, const u32 *b) {
	u32 borrow = 0;
	for (u32 i = 0; i < LIMBS; i++) {
		u64 d = (u64)a[i] - b[i] - borrow;
		difference[i] = (u32)d;
		borrow = (u32)(d >> 32) & 1;
	}
	return borrow;
}

static void multiply_limbs(u32 *product, const u32 *a, const u32 *b) {
	for (u32 i = 0; i < 2 * LIMBS; i++)
		product[i] = 0;
	for (u32 i = 0; i < LIMBS; i++) {
		u64 carry = 0;
		for (u32 j = 0; j < LIMBS; j++) {
			carry += (u64)a[i] * b[j] + product[i + j];
			product[i + j] = (u32)carry;
			carry >>= 32;
		}
		product[i + LIMBS] = (u32)carry;
	}
}

KERNEL bigint(u32 *sums, u32 *differences, u32 *products, u32 *flags) {
	u32 id = GLOBAL_ID, a[LIMBS], b[LIMBS];
	make(a, id);
	make(b, id * 7 + 1000);
	u32 carry = add_limbs(sums + id * LIMBS, a, b);
	u32 borrow = subtract_limbs(differences + id * LIMBS, a, b);
	multiply_limbs(products + id * 2 * LIMBS, a, b);
	flags[id] = carry | borrow << 1;
}

#ifdef HOST
void describe(void) {
	title("256-bit integers: add, subtract, multiply");
	grid(1, 1, 1);
	block(40, 1, 1);
	u32 *sums = U32(320, ""), *differences = U32(320, "");
	u32 *products = U32(640, ""), *flags = U32(40, "");
	LAUNCH(bigint(sums, differences, products, flags));
}
#endif
