/* UTF-8: encodes code points, breaks some of the bytes, decodes with all the checks. */
#include "kernel.h"

static u32 encode(u32 c, u8 *out) {
	if (c < 0x80)
		return out[0] = (u8)c, 1;
	if (c < 0x800)
		return out[0] = (u8)(0xc0 | c >> 6), out[1] = (u8)(0x80 | (c & 63)), 2;
	if (c < 0x10000) {
		out[0] = (u8)(0xe0 | c >> 12), out[1] = (u8)(0x80 | (c >> 6 & 63)), out[2] = (u8)(0x80 | (c & 63));
		return 3;
	}
	out[0] = (u8)(0xf0 | c >> 18), out[1] = (u8)(0x80 | (c >> 12 & 63));
	out[2] = (u8)(0x80 | (c >> 6 & 63)), out[3] = (u8)(0x80 | (c & 63));
	return 4;
}

/* decode returns the code point and moves at; 0xfffd for what is no code point. */
static u32 decode(const u8 *s, u32 n, u32 *at) {
	u8 first = s[(*at)++];
	u32 more, c, least;
	if (first < 0x80)
		return first;
	if (first >> 5 == 6)
		more = 1, c = first & 31, least = 0x80;
	else if (first >> 4 == 14)
		more = 2, c = first & 15, least = 0x800;
	else if (first >> 3 == 30)
		more = 3, c = first & 7, least = 0x10000;
	else
		return 0xfffd;
	for (; more > 0; more--) {
		if (*at >= n || s[*at] >> 6 != 2)
			return 0xfffd;
		c = c << 6 | (s[(*at)++] & 63);
	}
	return c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c;
}

KERNEL utf8_decode(u32 *out, u32 *counts) {
	u32 id = GLOBAL_ID, n = 0, valid = 0, broken = 0;
	u8 bytes[48];
	for (u32 i = 0; i < 10; i++)
		n += encode(mix(id * 10 + i) >> (11 + mix(i + id) % 16), bytes + n);
	for (u32 i = 0; i < id % 4; i++)
		bytes[mix(id + i * 1000) % n] ^= (u8)(0x80 >> (i + id) % 3);
	for (u32 at = 0, i = 0; at < n; i++) {
		u32 c = decode(bytes, n, &at);
		c == 0xfffd ? broken++ : valid++;
		if (i < 12)
			out[id * 12 + i] = c;
	}
	counts[id] = n << 16 | valid << 8 | broken;
}

#ifdef HOST
void describe(void) {
	title("UTF-8 decoding");
	grid(1, 1, 1);
	block(64, 1, 1);
	u32 *out = U32(768, ""), *counts = U32(64, "");
	LAUNCH(utf8_decode(out, counts));
}
#endif
