/* Numbers to decimal text and back: signed 64-bit integers, and fixed point. */
#include "kernel.h"

NOINLINE u32 format(s64 v, u8 *out) {
	u8 reversed[20];
	u32 n = 0, length = 0;
	u64 u = v < 0 ? -(u64)v : (u64)v;
	do
		reversed[n++] = (u8)('0' + u % 10);
	while ((u /= 10) != 0);
	if (v < 0)
		out[length++] = '-';
	while (n > 0)
		out[length++] = reversed[--n];
	return length;
}

NOINLINE s64 parse(const u8 *text, u32 n) {
	u32 negative = text[0] == '-';
	u64 v = 0;
	for (u32 i = negative; i < n; i++)
		v = v * 10 + (u64)(text[i] - '0');
	return (s64)(negative ? -v : v);
}

KERNEL decimal(u8 *out, s64 *parsed) {
	u32 id = GLOBAL_ID;
	s64 v = (s64)mix64(id) >> (id * 3 % 62);
	if (id == 0)
		v = (s64)(1ull << 63);
	u8 *text = out + 24 * id;
	u32 n = format(v, text);
	parsed[id] = parse(text, n) - (s64)n;
	text[23] = (u8)n;
}

#ifdef HOST
void describe(void) {
	title("Decimal text of 64-bit integers");
	grid(1, 1, 1);
	block(64, 1, 1);
	u8 *out = U8(1536, "");
	s64 *parsed = S64(64, "");
	LAUNCH(decimal(out, parsed));
}
#endif
