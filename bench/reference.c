//go:build ignore

// (Go builds no package that has C files without that line.)

/* The four benchmark kernels in C: the yardstick that compare.sh takes ratios against.
 * scalar: one thread after another, no vectorisation:
 *   gcc -O3 -ffp-contract=off -fno-tree-vectorize -fno-tree-slp-vectorize -mfma reference.c -o scalar -lm
 * simd128: 32 lanes in an inner loop, 128-bit vectors:
 *   clang -O3 -ffp-contract=off -msse4.1 -mno-avx -DSIMT reference.c -o simd128 -lm
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
		{"saxpy", saxpy, 18874368}, {"matmul", matmul, 8306688}};
	for (int i = 0; i < 16384; i++) { a[i] = (float)(i % 7) - 3; b[i] = (float)(i % 5) - 2; }
	for (int i = 0; i < 1 << 20; i++) { x[i] = (float)i; y[i] = 1; }
	for (int j = 0; j < 4; j++) {
		double t[9];
		for (int r = 0; r < 9; r++) { double s = now(); k[j].run(); t[r] = now() - s; }
		qsort(t, 9, sizeof t[0], by_value);
		double check = hash_out[17] + mandel_out[30000] + y[5] + c[200];
		printf("%-7s %9.0f M lane-instr/s   (check %g)\n", k[j].name, k[j].count / t[4] / 1e6, check);
	}
	return 0;
}
