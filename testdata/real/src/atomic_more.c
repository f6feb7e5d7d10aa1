/* Atomics that C lacks: minimum and maximum, wrapping increment and decrement, floating-point addition (exact sums). */
#include "kernel.h"

#ifdef __NVPTX__
#define MAX_U32 __nvvm_atom_max_gen_ui
#define MAX_S32 __nvvm_atom_max_gen_i
#define MIN_U32 __nvvm_atom_min_gen_ui
#define MIN_S32 __nvvm_atom_min_gen_i
#define MAX_U64 __nvvm_atom_max_gen_ull
#define MIN_S64 __nvvm_atom_min_gen_ll
#define ADD_F32 __nvvm_atom_add_gen_f
#define ADD_F64 __nvvm_atom_add_gen_d
#define INC __nvvm_atom_inc_gen_ui
#define DEC __nvvm_atom_dec_gen_ui
#else
#define UPDATE(name, type, expression) \
	static void name(type *at, type v) { \
		type old = *at; \
		*at = expression; \
	}
UPDATE(MAX_U32, u32, old > v ? old : v)
UPDATE(MAX_S32, s32, old > v ? old : v)
UPDATE(MIN_U32, u32, old < v ? old : v)
UPDATE(MIN_S32, s32, old < v ? old : v)
UPDATE(MAX_U64, u64, old > v ? old : v)
UPDATE(MIN_S64, s64, old < v ? old : v)
UPDATE(ADD_F32, f32, old + v)
UPDATE(ADD_F64, f64, old + v)
UPDATE(INC, u32, old >= v ? 0 : old + 1)
UPDATE(DEC, u32, old == 0 || old > v ? v : old - 1)
#endif

SHARED f32 part;
SHARED s32 lowest;

KERNEL atomic_more(u32 *u, s32 *s, u64 *w, s64 *l, f32 *f, f64 *d) {
	u32 id = GLOBAL_ID, v = mix(id);
	if (TID_X == 0) {
		part = 0;
		lowest = 0x7fffffff;
	}
	BARRIER();
	MAX_U32(&u[id & 1], v);
	MIN_U32(&u[2 + (id & 1)], v);
	INC(&u[4], 9);
	DEC(&u[5], 6);
	MAX_S32(&s[0], (s32)v);
	MIN_S32(&s[1], (s32)v >> 3);
	MAX_U64(w, mix64(id));
	MIN_S64(l, (s64)mix64(id));
	ADD_F32(&f[0], (f32)(v & 255) * 0.25f);
	ADD_F64(&d[0], (f64)(v >> 8) * 0.0625);
	ADD_F32((f32 *)&part, (f32)(v >> 28));
	MIN_S32((s32 *)&lowest, (s32)v);
	BARRIER();
	if (TID_X == 0) {
		f[1 + CTAID_X] = part;
		s[2 + CTAID_X] = lowest;
	}
}

#ifdef HOST
void describe(void) {
	title("Atomic minimum, maximum, increment, float add");
	grid(3, 1, 1);
	block(40, 1, 1);
	u32 *u = U32(6, "0, 0, 4294967295, 4294967295, 3, 3");
	s32 *s = S32(5, "");
	u64 *w = U64(1, "");
	s64 *l = S64(1, "");
	f32 *f = F32(4, "");
	f64 *d = F64(1, "");
	LAUNCH(atomic_more(u, s, w, l, f, d));
}
#endif
