//go:build ignore

// (Go builds no package that has C files without that line.)

/* The benchmark kernels in C: the yardstick that compare.sh takes ratios against.
 * scalar: one thread after another, no vectorisation:
 *   gcc -O3 -ffp-contract=off -fno-tree-vectorize -fno-tree-slp-vectorize -mfma reference.c -o scalar -lm
 * simd128: 32 lanes in an inner loop, 128-bit vectors:
 *   clang -O3 -ffp-contract=off -msse4.1 -mno-avx -DSIMT reference.c -o simd128 -lm
 *   (hash, mandel, saxpy and matmul; the others are scalar there too)
 * -mfma is for x86-64 only. Prints the median of 9 runs in million PTX-equivalent lane-instructions per second:
 * the same PTX instruction counts for every engine. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define LANES 32
static uint32_t hash_out[4096], mandel_out[65536];
static float x[1 << 20], y[1 << 20], a[16384], b[16384], c[16384];
static uint32_t words[1 << 18], bins[256];
static uint64_t xxhash_out[4096];
static double body[512][4], velocity[512][4], moved[512][4];
static uint8_t streams[2048][768], text[2048][512];

#ifndef SIMT
static void hash(void) {
	for (uint32_t t = 0; t < 4096; t++) {
		uint32_t v = t + 0x9E3779B9u, sum = 0;
		for (int i = 0; i < 4096; i++) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; sum += v * 1664525u + 1013904223u; }
		hash_out[t] = sum;
	}
}
static void mandel(void) {
	for (int t = 0; t < 65536; t++) {
		float cx = (t & 255) * 0.01171875f - 2.0f, cy = (t >> 8) * 0.009765625f - 1.25f, zx = 0, zy = 0;
		uint32_t n = 0;
		while (n < 256) {
			float xx = zx * zx, yy = zy * zy;
			if (xx + yy > 4.0f) break;
			float xy = zx * zy;
			zx = xx - yy + cx; zy = xy + xy + cy; n++;
		}
		mandel_out[t] = n;
	}
}
static void saxpy(void) { for (int i = 0; i < 1 << 20; i++) y[i] = fmaf(2.5f, x[i], y[i]); }
static void matmul(void) {
	for (int i = 0; i < 128; i++)
		for (int j = 0; j < 128; j++) {
			float s = 0;
			for (int k = 0; k < 128; k++) s = fmaf(a[i * 128 + k], b[k * 128 + j], s);
			c[i * 128 + j] = s;
		}
}
#else
static void hash(void) {
	for (uint32_t w = 0; w < 4096; w += LANES) {
		uint32_t v[LANES], sum[LANES];
		for (int l = 0; l < LANES; l++) { v[l] = w + l + 0x9E3779B9u; sum[l] = 0; }
		for (int i = 0; i < 4096; i++)
			for (int l = 0; l < LANES; l++) {
				uint32_t u = v[l];
				u ^= u << 13; u ^= u >> 17; u ^= u << 5;
				v[l] = u; sum[l] += u * 1664525u + 1013904223u;
			}
		for (int l = 0; l < LANES; l++) hash_out[w + l] = sum[l];
	}
}
static void mandel(void) {
	for (int w = 0; w < 65536; w += LANES) {
		float zx[LANES], zy[LANES], cx[LANES], cy[LANES];
		uint32_t n[LANES], live[LANES], any = 1;
		for (int l = 0; l < LANES; l++) {
			int t = w + l;
			cx[l] = (t & 255) * 0.01171875f - 2.0f; cy[l] = (t >> 8) * 0.009765625f - 1.25f;
			zx[l] = zy[l] = 0; n[l] = 0; live[l] = ~0u;
		}
		while (any) {
			any = 0;
			for (int l = 0; l < LANES; l++) {
				float xx = zx[l] * zx[l], yy = zy[l] * zy[l], xy = zx[l] * zy[l];
				uint32_t m = live[l] & (xx + yy > 4.0f ? 0u : ~0u);
				zx[l] = xx - yy + cx[l]; zy[l] = xy + xy + cy[l];
				n[l] += m & 1; m &= n[l] < 256 ? ~0u : 0u;
				live[l] = m; any |= m;
			}
		}
		for (int l = 0; l < LANES; l++) mandel_out[w + l] = n[l];
	}
}
static void saxpy(void) { for (int i = 0; i < 1 << 20; i++) y[i] = 2.5f * x[i] + y[i]; }
static void matmul(void) {
	for (int i = 0; i < 128; i++)
		for (int j = 0; j < 128; j += LANES) {
			float s[LANES] = {0};
			for (int k = 0; k < 128; k++)
				for (int l = 0; l < LANES; l++) s[l] += a[i * 128 + k] * b[k * 128 + j + l];
			for (int l = 0; l < LANES; l++) c[i * 128 + j + l] = s[l];
		}
}
#endif

static void histogram(void) {
	for (int i = 0; i < 256; i++) bins[i] = 0;
	for (int i = 0; i < 1 << 18; i++) {
		uint32_t w = words[i];
		bins[w & 255]++; bins[w >> 8 & 255]++; bins[w >> 16 & 255]++; bins[w >> 24]++;
	}
}
static uint64_t rotl(uint64_t v, int n) { return v << n | v >> (64 - n); }
static void xxhash(void) {
	const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u;
	const uint64_t p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;
	for (uint64_t t = 0; t < 4096; t++) {
		uint64_t h = t;
		for (uint64_t seed = 0; seed < 512; seed++) {
			h = (seed + p5 + 8) ^ rotl(h * p2, 31) * p1;
			h = rotl(h, 27) * p1 + p4;
			h = (h ^ h >> 33) * p2; h = (h ^ h >> 29) * p3; h ^= h >> 32;
		}
		xxhash_out[t] = h;
	}
}
static void nbody(void) {
	const double step = 1.0 / 128, softening = 1.0 / 64;
	for (int i = 0; i < 512; i++) {
		double ax = 0, ay = 0, az = 0, *p = body[i], *v = velocity[i];
		for (int j = 0; j < 512; j++) {
			double dx = body[j][0] - p[0], dy = body[j][1] - p[1], dz = body[j][2] - p[2];
			double square = fma(dz, dz, fma(dy, dy, fma(dx, dx, softening)));
			double pull = body[j][3] / (sqrt(square) * square);
			ax = fma(dx, pull, ax); ay = fma(dy, pull, ay); az = fma(dz, pull, az);
		}
		moved[i][0] = fma(fma(ax, step, v[0]), step, p[0]);
		moved[i][1] = fma(fma(ay, step, v[1]), step, p[1]);
		moved[i][2] = fma(fma(az, step, v[2]), step, p[2]);
		moved[i][3] = p[3];
	}
}
static void unpack(void) {
	for (int t = 0; t < 2048; t++) {
		const uint8_t *in = streams[t], *from;
		uint8_t *out = text[t], *end = out + 512;
		while (out < end) {
			unsigned n = *in;
			if (n < 128) { n++; from = in + 1; in += 1 + n; }
			else { from = out - in[1]; n -= 126; in += 2; }
			do *out++ = *from++; while (--n);
		}
	}
}
/* The streams of bench/kernels_test.go, which says what is in them. */
static uint32_t state;
static int next(void) { state = state * 1664525u + 1013904223u; return state >> 16; }
static void pack(int t) {
	uint8_t *in = streams[t];
	int done = 0, n;
	state = (uint32_t)t * 2654435761u + 1;
	while (done < 512) {
		int r = next(), left = 512 - done;
		if (done == 0 || left < 2 || r & 1) {
			n = 1 + (r >> 1) % 8; if (n > left) n = left;
			*in++ = n - 1;
			for (int i = 0; i < n; i++) *in++ = 'a' + next() % 26;
		} else {
			n = 2 + (r >> 1) % 31; if (n > left) n = left;
			*in++ = 126 + n;
			*in++ = 1 + next() % (done < 255 ? done : 255);
		}
		done += n;
	}
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
static int by_value(const void *p, const void *q) {
	double d = *(const double *)p - *(const double *)q;
	return (d > 0) - (d < 0);
}
int main(void) {
	struct { const char *name; void (*run)(void); double count; } k[] = {
		{"hash", hash, 201375744}, {"mandel", mandel, 50031416},
		{"saxpy", saxpy, 18874368}, {"matmul", matmul, 8306688},
		{"histogram", histogram, 5586944}, {"xxhash", xxhash, 46182400},
		{"nbody", nbody, 4518912}, {"unpack", unpack, 8368468}};
	for (int i = 0; i < 16384; i++) { a[i] = (float)(i % 7) - 3; b[i] = (float)(i % 5) - 2; }
	for (int i = 0; i < 1 << 20; i++) { x[i] = (float)i; y[i] = 1; }
	for (uint32_t i = 0; i < 1 << 18; i++) { uint32_t w = i * 2654435761u; words[i] = w ^ w >> 15; }
	for (int i = 0; i < 512; i++) {
		const int primes[3] = {7919, 104729, 1299709};
		for (int k = 0; k < 3; k++) body[i][k] = ((long long)i * primes[k] % 1024) / 512.0 - 1;
		body[i][3] = (1 + i % 4) / 1024.0;
	}
	for (int t = 0; t < 2048; t++) pack(t);
	for (unsigned j = 0; j < sizeof k / sizeof k[0]; j++) {
		double t[9];
		for (int r = 0; r < 9; r++) { double s = now(); k[j].run(); t[r] = now() - s; }
		qsort(t, 9, sizeof t[0], by_value);
		double check = hash_out[17] + mandel_out[30000] + y[5] + c[200];
		check += bins[7] + (uint32_t)xxhash_out[17] + moved[5][1] + text[30][500];
		printf("%-9s %9.0f M lane-instr/s   (check %g)\n", k[j].name, k[j].count / t[4] / 1e6, check);
	}
	return 0;
}
