/* Every index register in three dimensions, with partial warps. */
#include "kernel.h"

KERNEL grid3d(u32 *out, u64 *sizes) {
	u32 block = (CTAID_Z * NCTAID_Y + CTAID_Y) * NCTAID_X + CTAID_X;
	u32 thread = (TID_Z * NTID_Y + TID_Y) * NTID_X + TID_X;
	u32 i = block * NTID_X * NTID_Y * NTID_Z + thread;
	out[i] = TID_X | TID_Y << 4 | TID_Z << 8 | CTAID_X << 12 | CTAID_Y << 16 | CTAID_Z << 20;
	if (i == 0)
		sizes[0] = (u64)NTID_X | (u64)NTID_Y << 8 | (u64)NTID_Z << 16 |
			(u64)NCTAID_X << 24 | (u64)NCTAID_Y << 32 | (u64)NCTAID_Z << 40;
}

#ifdef HOST
void describe(void) {
	title("Three-dimensional indices");
	grid(3, 2, 2);
	block(5, 3, 4);
	u32 *out = U32(720, "");
	u64 *sizes = U64(1, "");
	LAUNCH(grid3d(out, sizes));
}
#endif
