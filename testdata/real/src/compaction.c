/* Stream compaction: ballots, population counts and a scan over the warps of a CTA; votes. */
#include "kernel.h"

SHARED u32 warp_totals[8];

KERNEL compaction(u32 *out, u32 *total, u32 *votes) {
	u32 t = TID_X, lane = t & 31, warp = t / 32, v = mix(GLOBAL_ID);
	u32 keep = v % 3 == 0, ballot = BALLOT((s32)keep);
	if (lane == 0)
		warp_totals[warp] = (u32)__builtin_popcount(ballot);
	BARRIER();
	u32 base = CTAID_X * NTID_X;
	for (u32 w = 0; w < warp; w++)
		base += warp_totals[w];
	if (keep)
		out[base + (u32)__builtin_popcount(ballot & ((1u << lane) - 1))] = v;
	u32 all = ALL((v | lane) != 0), any = ANY(v % 50 == 0);
	if (t == NTID_X - 1)
		total[CTAID_X] = base - CTAID_X * NTID_X + warp_totals[warp];
	if (lane == 0)
		votes[GLOBAL_ID / 32] = all | any << 1 | ballot << 2;
}

#ifdef HOST
void describe(void) {
	title("Stream compaction with ballots");
	grid(2, 1, 1);
	block(256, 1, 1);
	u32 *out = U32(512, ""), *total = U32(2, ""), *votes = U32(16, "");
	LAUNCH(compaction(out, total, votes));
}
#endif
