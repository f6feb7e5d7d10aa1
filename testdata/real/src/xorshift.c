/* Random numbers: xorshift128+ and PCG with their states in global memory; pi by counting. */
#include "kernel.h"

struct state {
	u64 a, b;
};

static u64 next(struct state *s) {
	u64 x = s->a, y = s->b;
	s->a = y;
	x ^= x << 23;
	s->b = x ^ y ^ x >> 17 ^ y >> 26;
	return s->b + y;
}

static u32 pcg(u64 *s) {
	u64 old = *s;
	*s = old * 6364136223846793005ull + 1442695040888963407ull;
	u32 x = (u32)((old >> 18 ^ old) >> 27), n = (u32)(old >> 59);
	return x >> n | x << (-n & 31);
}

KERNEL xorshift(struct state *states, u32 *inside, f64 *uniform) {
	u32 id = GLOBAL_ID, count = 0;
	struct state s = {mix64(id), mix64(id + 1)};
	u64 t = id;
	for (u32 i = 0; i < 50; i++) {
		f32 x = (f32)(next(&s) >> 40) * 0x1p-24f, y = (f32)(pcg(&t) >> 8) * 0x1p-24f;
		count += x * x + y * y < 1.0f;
	}
	states[id] = s;
	inside[id] = count;
	uniform[id] = (f64)(next(&s) >> 11) * 0x1p-53;
}

#ifdef HOST
void describe(void) {
	title("Random number generators");
	grid(2, 1, 1);
	block(64, 1, 1);
	struct state *states = buffer("u64", 256, "");
	u32 *inside = U32(128, "");
	f64 *uniform = F64(128, "");
	LAUNCH(xorshift(states, inside, uniform));
}
#endif
