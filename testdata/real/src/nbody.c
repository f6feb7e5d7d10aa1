/* One step of an n-body simulation, tiles of bodies in shared memory, division and square root exact. */
#include "kernel.h"

struct vec4 {
	f32 x, y, z, w;
};
enum { TILE = 32 };
SHARED struct vec4 tile[TILE];

static struct vec4 body(u32 i) {
	struct vec4 b = {(f32)(mix(i) & 1023) * 0.25f, (f32)(mix(i + 1000) & 1023) * 0.25f,
		(f32)(mix(i + 2000) & 1023), 1.5f};
	return b;
}

KERNEL nbody(struct vec4 *out, struct vec4 *velocity, u32 n, f32 dt) {
	u32 i = GLOBAL_ID;
	struct vec4 p = body(i);
	f32 ax = 0, ay = 0, az = 0;
	for (u32 start = 0; start < n; start += TILE) {
		u32 j = start + TID_X;
		tile[TID_X] = body(j);
		BARRIER();
		for (u32 k = 0; k < TILE; k++) {
			f32 dx = tile[k].x - p.x, dy = tile[k].y - p.y, dz = tile[k].z - p.z;
			f32 r2 = dx * dx + dy * dy + dz * dz + 0.01f;
			f32 r = __builtin_sqrtf(r2);
			f32 s = tile[k].w / (r2 * r);
			ax += dx * s, ay += dy * s, az += dz * s;
		}
		BARRIER();
	}
	struct vec4 v = {ax * dt, ay * dt, az * dt, 0};
	p.x += v.x * dt, p.y += v.y * dt, p.z += v.z * dt;
	out[i] = p;
	velocity[i] = v;
}

#ifdef HOST
void describe(void) {
	title("N-body step");
	grid(2, 1, 1);
	block(32, 1, 1);
	struct vec4 *out = buffer("f32", 256, ""), *velocity = buffer("f32", 256, "");
	u32 n = scalar_u32(64);
	f32 dt = scalar_f32(0.125f);
	LAUNCH(nbody(out, velocity, n, dt));
}
#endif
