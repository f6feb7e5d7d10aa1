/* Double arithmetic: Horner's scheme, Newton's iteration with divergent trip counts, exact fused steps. */
#include "kernel.h"

CONSTANT f64 coefficients[8] = {
	1, 1, 0.5, 0x1.5555555555555p-3, 0x1.5555555555555p-5,
	0x1.1111111111111p-7, 0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-13,
};

KERNEL newton(f64 *exponentials, f64 *roots, u32 *trips, f64 *errors) {
	u32 id = GLOBAL_ID;
	f64 x = ((f64)(s32)id - 32) / 40, sum = 0, fused = 0;
	for (s32 i = 7; i >= 0; i--) {
		sum = sum * x + coefficients[i];
		fused = __builtin_fma(fused, x, coefficients[i]);
	}
	exponentials[2 * id] = sum;
	exponentials[2 * id + 1] = fused;

	f64 a = (f64)mix(id) / 1000 + id, r = a, before = 0;
	u32 n = 0;
	while (r != before && n < 60) {
		before = r;
		r = (2 * r + a / (r * r)) / 3;
		n++;
	}
	roots[2 * id] = r;
	roots[2 * id + 1] = __builtin_sqrt(a);
	trips[id] = n;
	f64 product = r * r;
	errors[id] = __builtin_fma(r, r, -product);
}

#ifdef HOST
void describe(void) {
	title("Doubles: Horner, Newton, fused errors");
	grid(1, 1, 1);
	block(64, 1, 1);
	f64 *exponentials = F64(128, ""), *roots = F64(128, "");
	u32 *trips = U32(64, "");
	f64 *errors = F64(64, "");
	LAUNCH(newton(exponentials, roots, trips, errors));
}
#endif
