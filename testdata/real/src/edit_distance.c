/* Levenshtein distance between generated words, with one row of the table in local memory. */
#include "kernel.h"

enum { LONGEST = 24 };

static u32 word(u8 *w, u32 seed) {
	u32 length = 4 + mix(seed) % (LONGEST - 4);
	for (u32 i = 0; i < length; i++)
		w[i] = (u8)('a' + mix(seed * 31 + i) % 4);
	return length;
}

KERNEL edit_distance(u32 *out) {
	u32 id = GLOBAL_ID;
	u8 a[LONGEST], b[LONGEST], row[LONGEST + 1];
	u32 n = word(a, id), m = word(b, id + 500);
	for (u32 j = 0; j <= m; j++)
		row[j] = (u8)j;
	for (u32 i = 1; i <= n; i++) {
		u32 diagonal = row[0];
		row[0] = (u8)i;
		for (u32 j = 1; j <= m; j++) {
			u32 above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1u < best)
				best = row[j - 1] + 1u;
			diagonal = above;
			row[j] = (u8)best;
		}
	}
	out[id] = row[m] | n << 8 | m << 16;
}

#ifdef HOST
void describe(void) {
	title("Edit distance of word pairs");
	grid(2, 1, 1);
	block(50, 1, 1);
	u32 *out = U32(100, "");
	LAUNCH(edit_distance(out));
}
#endif
