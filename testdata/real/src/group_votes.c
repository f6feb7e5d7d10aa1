/* Barriers that count and vote, and lanes of a warp that find others with the same value. */
#include "kernel.h"

KERNEL group_votes(u32 *peers, u32 *counts, u32 *votes) {
	u32 id = GLOBAL_ID, v = mix(id);
	u32 same = MATCH_ANY(v % 5);
	peers[id] = same;
	u32 leader = (u32)__builtin_ctz(same) == (id & 31);
	counts[id] = BARRIER_COUNT((s32)leader) << 16 | (leader ? (u32)__builtin_popcount(same) : 0);
	u32 all = BARRIER_AND(v != 12345), none = BARRIER_OR(v == 12345);
	u32 some = BARRIER_OR((v & 127) == 0), most = BARRIER_AND((v & 7) != 0 || id > 40);
	votes[id] = all | none << 1 | some << 2 | most << 3;
}

#ifdef HOST
void describe(void) {
	title("Barriers that count, and matching lanes");
	grid(2, 1, 1);
	block(96, 1, 1);
	u32 *peers = U32(192, ""), *counts = U32(192, ""), *votes = U32(192, "");
	LAUNCH(group_votes(peers, counts, votes));
}
#endif
