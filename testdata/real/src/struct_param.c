/* Structures by value as kernel parameters and as arguments of device functions. */
#include "kernel.h"

struct affine {
	f32 xx, xy, dx, dy;
};
struct pair {
	u64 low, high;
};
struct mixed {
	u8 tag;
	s16 small;
	f64 wide;
	u8 tail[3];
};

NOINLINE f32 apply(struct affine m, f32 x, f32 y) { return m.xx * x + m.xy * y + m.dx * m.dy; }

NOINLINE f64 weigh(struct mixed m, u8 scale) {
	return m.wide * scale + m.small - m.tag + m.tail[0] * 4 + m.tail[1] * 2 + m.tail[2];
}

KERNEL struct_param(struct affine m, f32 *out, struct pair limits, f64 *weights) {
	u32 id = GLOBAL_ID;
	f32 x = (f32)id, y = (f32)(id * id);
	struct affine inverse = {m.xy, m.xx, -m.dx, m.dy};
	out[2 * id] = apply(m, x, y);
	out[2 * id + 1] = apply(inverse, y, x);
	struct mixed w = {(u8)id, (s16)(id * 1000), id * 0.5, {(u8)(id >> 1), (u8)(id * 3), (u8)limits.low}};
	weights[id] = weigh(w, (u8)(id + limits.high));
}

#ifdef HOST
void describe(void) {
	title("Structures by value");
	grid(2, 1, 1);
	block(32, 1, 1);
	struct affine m;
	struct pair limits;
	by_value("f32x4", "1.5, -0.25, 10, 3", &m);
	f32 *out = F32(128, "");
	by_value("u64x2", "200, 1099511627776", &limits);
	f64 *weights = F64(64, "");
	LAUNCH(struct_param(m, out, limits, weights));
}
#endif
