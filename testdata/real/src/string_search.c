/* Knuth-Morris-Pratt: each thread makes a pattern's failure table and lists where it occurs. */
#include "kernel.h"

enum { LONGEST = 12 };

KERNEL string_search(const u8 *text, u32 n, u32 *count, s32 *last) {
	u32 id = GLOBAL_ID;
	u8 pattern[LONGEST];
	s8 failure[LONGEST];
	s32 length = 1 + (s32)(id % 5);
	u32 start = mix(id) % (n - LONGEST);
	for (s32 i = 0; i < length; i++)
		pattern[i] = text[start + (u32)i];
	failure[0] = -1;
	for (s32 i = 1, k = -1; i < length; i++) {
		while (k >= 0 && pattern[k + 1] != pattern[i])
			k = failure[k];
		if (pattern[k + 1] == pattern[i])
			k++;
		failure[i] = (s8)k;
	}
	u32 found = 0;
	s32 at = -1, k = -1;
	for (u32 i = 0; i < n; i++) {
		while (k >= 0 && pattern[k + 1] != text[i])
			k = failure[k];
		if (pattern[k + 1] == text[i])
			k++;
		if (k == length - 1) {
			found++;
			at = (s32)i - k;
			k = failure[k];
		}
	}
	count[id] = found;
	last[id] = at;
}

#ifdef HOST
void describe(void) {
	title("String search (Knuth-Morris-Pratt)");
	grid(1, 1, 1);
	block(64, 1, 1);
	const u8 *text = U8(80,
		"text \"abracadabra alakazam abracadabrabra banana cabana bandana and a cab in abba abab\"");
	u32 n = scalar_u32(80), *count = U32(64, "");
	s32 *last = S32(64, "");
	LAUNCH(string_search(text, n, count, last));
}
#endif
