package jit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// Votes, shuffles, reductions and atomics in a loop of 300 rounds, by full warps and by one of 18 lanes.
const acrossKernel = `.entry k(.param .u64 out) {
	.reg .b64 %o, %d; .reg .b32 %t, %l, %v, %w, %n, %x, %s; .reg .pred %p, %q, %r;
	.shared .align 8 .b64 sum[2];
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x; mov.u32 %l, %laneid; mov.u32 %v, %t; mov.u32 %n, 0;
	shr.u32 %s, %t, 5; shl.b32 %s, %s, 3; mov.u32 %w, sum; add.u32 %s, %s, %w;
LOOP:
	shfl.sync.bfly.b32 %w, %v, 1, 31, -1;
	add.u32 %v, %v, %w;
	shfl.sync.up.b32 %w|%p, %v, 2, 0, -1;
	@%p add.u32 %v, %v, %w;
	and.b32 %w, %v, 4;
	setp.ne.u32 %p, %w, 0;
	vote.sync.ballot.b32 %x, %p, -1;
	vote.sync.any.pred %q, %p, -1;
	popc.b32 %x, %x;
	@%q add.u32 %v, %v, %x;
	redux.sync.max.u32 %x, %v, -1;
	activemask.b32 %w;
	popc.b32 %w, %w;
	add.u32 %x, %x, %w;
	elect.sync %w|%r, -1;
	@%r add.u32 %x, %x, 9;
	xor.b32 %v, %v, %x;
	and.b32 %v, %v, 0xffff;
	cvt.u64.u32 %d, %v;
	red.shared.add.u64 [%s], %d;
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 300;
	@%p bra LOOP;
	ld.shared.u32 %w, [%s];
	add.u32 %v, %v, %w;
	mad.wide.u32 %o, %t, 4, %o;
	st.global.u32 [%o], %v;
	ret;
}`

// across is what the kernel does in one warp of so many lanes.
func across(lanes, first int) []uint32 {
	v, sum := make([]uint32, lanes), uint32(0)
	for l := range v {
		v[l] = uint32(first + l)
	}
	for range 300 {
		was := append([]uint32(nil), v...)
		for l := range v {
			v[l] += was[l^1] // lanes is even
		}
		was = append(was[:0], v...)
		for l := 2; l < lanes; l++ {
			v[l] += was[l-2]
		}
		ballot, most := 0, uint32(0)
		for _, x := range v {
			ballot += int(x >> 2 & 1)
		}
		for l := range v {
			v[l] += uint32(ballot) // 0 where no lane votes for it
			most = max(most, v[l])
		}
		for l := range v {
			x := most + uint32(lanes)
			if l == 0 {
				x += 9
			}
			v[l] = (v[l] ^ x) & 0xffff
			sum += v[l]
		}
	}
	for l := range v {
		v[l] += sum
	}
	return v
}

func TestWarpOperations(t *testing.T) {
	for _, model := range emu.Divergences() {
		for _, threads := range []int{64, 50} {
			out, calls := inCalls(t, acrossKernel, model, threads, 1, make([]uint32, threads))
			require.Equal(t, append(across(32, 0), across(threads-32, 32)...), out)
			// Each warp takes 24 * 300 instructions in turns of 256 at least: 29 turns, and the first ones stop at
			// atomics that change memory.
			if model != emu.Frontier { // its loops are the interpreter's
				require.Less(t, calls, 80, "%s, %d threads", model, threads)
			}
		}
	}
}
