/* Data with addresses in it: a linked list of structures with strings and functions, made by the compiler; functions
 * and variables with external linkage; a trap that is never reached. */
#include "kernel.h"

struct item {
	const char *name;
	u32 (*apply)(u32);
	u64 weight;
	struct item *next;
};

NOINLINE u32 half(u32 x) { return x / 2; }
u32 triple(u32 x) { return x * 3; }
__attribute__((weak, noinline)) u32 negate(u32 x) { return -x; }

u64 base = 1000;
static struct item last = {"omega", negate, 7, 0};
static struct item second = {"middle one", triple, 40, &last};
static struct item first = {"a", half, 500, &second};
static u16 steps[2][3] = {{1, 2, 3}, {40, 50}};
static u16 *const corner = &steps[1][1];

KERNEL linked_data(u32 *out, u64 *weights) {
	u32 id = GLOBAL_ID, v = mix(id);
	u64 sum = base;
	for (struct item *i = id % 3 ? &first : &second; i; i = i->next) {
		u32 length = 0;
		while (i->name[length])
			length++;
		if (length > 20)
			__builtin_trap();
		v = i->apply(v) + length;
		sum += i->weight * (u64)i->name[id % length];
	}
	out[id] = v + *corner * 1000u + corner[-1];
	weights[id] = sum;
	BARRIER();
	if (id == 0) {
		base += 1;
		last.weight = 8;
		corner[0] = 51;
	}
	BARRIER();
	weights[64 + id] = base * last.weight + steps[1][id % 3];
}

#ifdef HOST
void describe(void) {
	title("Initialised data with addresses");
	grid(1, 1, 1);
	block(64, 1, 1);
	u32 *out = U32(64, "");
	u64 *weights = U64(128, "");
	LAUNCH(linked_data(out, weights));
}
#endif
