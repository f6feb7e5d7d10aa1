/* Calls through a table of functions, through a pointer that lanes disagree on, and a callback. */
#include "kernel.h"

typedef u32 operation(u32, u32);
NOINLINE u32 plus(u32 a, u32 b) { return a + b; }
NOINLINE u32 minus(u32 a, u32 b) { return a - b; }
NOINLINE u32 times(u32 a, u32 b) { return a * b + 1; }
NOINLINE u32 average(u32 a, u32 b) { return (a & b) + ((a ^ b) >> 1); }
static operation *const table[4] = {plus, minus, times, average};

NOINLINE u32 fold(operation *f, u32 start, u32 n) {
	for (u32 i = 0; i < n; i++)
		start = f(start, mix(i));
	return start;
}

typedef f32 function(f32);
NOINLINE f32 cubic(f32 x) { return ((x - 2.0f) * x + 1.0f) * x - 5.0f; }
NOINLINE f32 ratio(f32 x) { return (x + 1.0f) / (x * x + 3.0f); }

NOINLINE f32 integrate(function *f, f32 low, f32 high, u32 n) {
	f32 step = (high - low) / (f32)n, sum = 0;
	for (u32 i = 0; i < n; i++)
		sum += f(low + ((f32)i + 0.5f) * step);
	return sum * step;
}

KERNEL function_pointers(u32 *out, f32 *areas) {
	u32 id = GLOBAL_ID;
	out[3 * id] = table[id & 3](mix(id), id);
	out[3 * id + 1] = fold(table[id >> 3 & 3], id, 2 + id % 4);
	operation *chosen = id % 3 ? table[CTAID_X & 3] : id & 1 ? plus : average;
	out[3 * id + 2] = chosen(chosen(id, 1000), 77);
	areas[id] = integrate(id & 4 ? cubic : ratio, (f32)(id % 5), (f32)(id % 5 + 2), 4 + (id & 1));
}

#ifdef HOST
void describe(void) {
	title("Function pointers: tables, divergent targets, callbacks");
	grid(2, 1, 1);
	block(48, 1, 1);
	u32 *out = U32(288, "");
	f32 *areas = F32(96, "");
	LAUNCH(function_pointers(out, areas));
}
#endif
