/* Directed rounding of every operation, single and double, against the processor's own rounding modes. */
#include "kernel.h"

#ifdef __NVPTX__
#define OPERATIONS(mode) \
	static f32 add_##mode(f32 a, f32 b) { return __nvvm_add_##mode##_f(a, b); } \
	static f32 mul_##mode(f32 a, f32 b) { return __nvvm_mul_##mode##_f(a, b); } \
	static f32 div_##mode(f32 a, f32 b) { return __nvvm_div_##mode##_f(a, b); } \
	static f32 fma_##mode(f32 a, f32 b, f32 c) { return __nvvm_fma_##mode##_f(a, b, c); } \
	static f32 sqrt_##mode(f32 a) { return __nvvm_sqrt_##mode##_f(a); } \
	static f32 narrow_##mode(f64 a) { return __nvvm_d2f_##mode(a); } \
	static f64 addd_##mode(f64 a, f64 b) { return __nvvm_add_##mode##_d(a, b); } \
	static f64 muld_##mode(f64 a, f64 b) { return __nvvm_mul_##mode##_d(a, b); } \
	static f64 divd_##mode(f64 a, f64 b) { return __nvvm_div_##mode##_d(a, b); } \
	static f64 fmad_##mode(f64 a, f64 b, f64 c) { return __nvvm_fma_##mode##_d(a, b, c); } \
	static f64 sqrtd_##mode(f64 a) { return __nvvm_sqrt_##mode##_d(a); }
OPERATIONS(rz)
OPERATIONS(rm)
OPERATIONS(rp)
#else
#include <fenv.h>
#define IN_MODE(mode, name, type, parameters, expression) \
	static __attribute__((noinline)) type name parameters { \
		fesetround(mode); \
		volatile type result = expression; \
		fesetround(FE_TONEAREST); \
		return result; \
	}
#define OPERATIONS(suffix, mode) \
	IN_MODE(mode, add_##suffix, f32, (volatile f32 a, volatile f32 b), a + b) \
	IN_MODE(mode, mul_##suffix, f32, (volatile f32 a, volatile f32 b), a *b) \
	IN_MODE(mode, div_##suffix, f32, (volatile f32 a, volatile f32 b), a / b) \
	IN_MODE(mode, fma_##suffix, f32, (volatile f32 a, volatile f32 b, volatile f32 c), __builtin_fmaf(a, b, c)) \
	IN_MODE(mode, sqrt_##suffix, f32, (volatile f32 a), __builtin_sqrtf(a)) \
	IN_MODE(mode, narrow_##suffix, f32, (volatile f64 a), (f32)a) \
	IN_MODE(mode, addd_##suffix, f64, (volatile f64 a, volatile f64 b), a + b) \
	IN_MODE(mode, muld_##suffix, f64, (volatile f64 a, volatile f64 b), a *b) \
	IN_MODE(mode, divd_##suffix, f64, (volatile f64 a, volatile f64 b), a / b) \
	IN_MODE(mode, fmad_##suffix, f64, (volatile f64 a, volatile f64 b, volatile f64 c), __builtin_fma(a, b, c)) \
	IN_MODE(mode, sqrtd_##suffix, f64, (volatile f64 a), __builtin_sqrt(a))
OPERATIONS(rz, FE_TOWARDZERO)
OPERATIONS(rm, FE_DOWNWARD)
OPERATIONS(rp, FE_UPWARD)
#endif

#define STORE(mode, at) \
	do { \
		f32 *r = single + 18 * id + 6 * at; \
		r[0] = add_##mode(a, b), r[1] = mul_##mode(a, b), r[2] = div_##mode(a, b); \
		r[3] = fma_##mode(a, b, c), r[4] = sqrt_##mode(p), r[5] = narrow_##mode(x); \
		f64 *w = twice + 15 * id + 5 * at; \
		w[0] = addd_##mode(x, y), w[1] = muld_##mode(x, y), w[2] = divd_##mode(x, y); \
		w[3] = fmad_##mode(x, y, z), w[4] = sqrtd_##mode(q); \
	} while (0)

/* number32 makes a number of any sign and size from bits, with an exponent that keeps away from infinity. */
static f32 number32(u32 v, u32 range) {
	return bits_f32((v & 0x807fffff) | (127 - range / 2 + (v >> 8) % range) << 23);
}

static f64 number64(u64 v, u32 range) {
	u64 bits = (v & 0x800fffffffffffffull) | (u64)(1023 - range / 2 + (u32)(v >> 40) % range) << 52;
	f64 d;
	__builtin_memcpy(&d, &bits, 8);
	return d;
}

KERNEL rounding(f32 *single, f64 *twice) {
	u32 id = GLOBAL_ID, range = id % 4 == 0 ? 120 : id % 4 == 1 ? 6 : 40;
	f32 a = number32(mix(id), range), b = number32(mix(id + 500), range), c = number32(mix(id + 900), 20);
	f32 p = number32(mix(id + 77) & 0x7fffffff, 200);
	u32 wide = id % 3 ? 30 : 900;
	f64 x = number64(mix64(id), id % 2 ? 290 : 40), y = number64(mix64(id + 33), id % 2 ? wide : 20);
	f64 z = number64(mix64(id + 66), 25), q = number64(mix64(id + 99) & ~0ull >> 1, 1800);
	if (id % 16 == 3)
		c = -(a * b);
	if (id % 16 == 5)
		b = -a, y = -x;
	STORE(rz, 0);
	STORE(rm, 1);
	STORE(rp, 2);
}

#ifdef HOST
void describe(void) {
	title("Directed rounding of all operations");
	grid(2, 1, 1);
	block(64, 1, 1);
	f32 *single = F32(2304, "");
	f64 *twice = F64(1920, "");
	LAUNCH(rounding(single, twice));
}
#endif
