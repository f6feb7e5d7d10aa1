/* Radix-2 FFT of 128 points per CTA in shared memory; twiddles by repeated rotation, without a library. */
#include "kernel.h"

enum { N = 128, LOG = 7 };
SHARED f32 re[N], im[N], cosine[N / 2], sine[N / 2];

/* cos and sin of 2 pi / 128. */
#define C1 0x1.ff621e3796d7ep-1
#define S1 0x1.91f65f10dd814p-5

static u32 reverse_bits(u32 x) {
	u32 r = 0;
	for (u32 i = 0; i < LOG; i++)
		r |= (x >> i & 1) << (LOG - 1 - i);
	return r;
}

KERNEL fft(f32 *out_re, f32 *out_im) {
	u32 t = TID_X;
	f64 c = 1, s = 0;
	for (u32 i = 0; i < t; i++) {
		f64 next = c * C1 - s * S1;
		s = s * C1 + c * S1;
		c = next;
	}
	cosine[t] = (f32)c;
	sine[t] = (f32)-s;
	for (u32 i = t; i < N; i += N / 2) {
		u32 from = reverse_bits(i);
		re[i] = (f32)(s32)(mix(CTAID_X * N + from) & 0xff) - 128.0f;
		im[i] = (from & 15) < 8 ? 0.5f : -0.25f;
	}
	for (u32 half = 1; half < N; half <<= 1) {
		BARRIER();
		u32 k = t & (half - 1), i = 2 * t - k, j = i + half, w = k * (N / 2 / half);
		f32 x = re[j] * cosine[w] - im[j] * sine[w], y = re[j] * sine[w] + im[j] * cosine[w];
		re[j] = re[i] - x;
		im[j] = im[i] - y;
		re[i] += x;
		im[i] += y;
	}
	BARRIER();
	for (u32 i = t; i < N; i += N / 2) {
		out_re[CTAID_X * N + i] = re[i];
		out_im[CTAID_X * N + i] = im[i];
	}
}

#ifdef HOST
void describe(void) {
	title("FFT of 128 points in shared memory");
	grid(2, 1, 1);
	block(64, 1, 1);
	f32 *out_re = F32(256, ""), *out_im = F32(256, "");
	LAUNCH(fft(out_re, out_im));
}
#endif
