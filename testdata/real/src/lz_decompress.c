/* Decompresses what it has compressed: greedy matches in a window, as (distance, length) pairs and literals. */
#include "kernel.h"

enum { SIZE = 96 };

static u32 compress(const u8 *in, u8 *out) {
	u32 n = 0;
	for (u32 at = 0; at < SIZE;) {
		u32 best = 0, distance = 0;
		for (u32 d = 1; d <= at && d < 64; d++) {
			u32 length = 0;
			while (at + length < SIZE && length < 63 && in[at + length] == in[at + length - d])
				length++;
			if (length > best) {
				best = length;
				distance = d;
			}
		}
		if (best >= 3) {
			out[n++] = (u8)(0x80 | distance);
			out[n++] = (u8)best;
			at += best;
		} else {
			out[n++] = in[at++] & 0x7f;
		}
	}
	return n;
}

static u32 decompress(const u8 *in, u32 n, u8 *out) {
	u32 at = 0;
	for (u32 i = 0; i < n;) {
		u8 c = in[i++];
		if (c < 0x80) {
			out[at++] = c;
			continue;
		}
		for (u32 length = in[i++], distance = c & 0x7f; length > 0; length--, at++)
			out[at] = out[at - distance];
	}
	return at;
}

KERNEL lz_decompress(u8 *plain, u32 *sizes) {
	u32 id = GLOBAL_ID;
	u8 in[SIZE], packed[SIZE];
	for (u32 i = 0; i < SIZE; i++)
		in[i] = (u8)('A' + mix(i % (5 + id % 20) + id) % (2 + id % 5));
	u32 n = compress(in, packed);
	sizes[id] = n | decompress(packed, n, plain + id * SIZE) << 16;
}

#ifdef HOST
void describe(void) {
	title("LZ compression and decompression");
	grid(1, 1, 1);
	block(32, 1, 1);
	u8 *plain = U8(32 * 96, "");
	u32 *sizes = U32(32, "");
	LAUNCH(lz_decompress(plain, sizes));
}
#endif
