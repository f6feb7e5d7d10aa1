package jit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// Sides of branches inside sides of others, in a loop. All of both is executed in one call, up to the end of a turn.
const apartKernel = `.entry k(.param .u64 out) {
	.reg .b32 %t, %i, %v, %w, %u; .reg .b64 %a; .reg .pred %p, %q, %r;
	ld.param.u64 %a, [out];
	mov.u32 %t, %tid.x; mov.u32 %i, 0; mov.u32 %v, 0;
	mad.wide.u32 %a, %t, 4, %a;
LOOP:
	and.b32 %w, %t, 1; setp.eq.u32 %p, %w, 1;
	@%p bra ODD;
	xor.b32 %u, %t, %i; and.b32 %u, %u, 2; setp.eq.u32 %q, %u, 0;
	@%q bra SAME;
	add.u32 %v, %v, %i;
	bra BOTH;
SAME:
	xor.b32 %v, %v, %t;
BOTH:
	add.u32 %v, %v, 1;
	bra ON;
	bra MEET;
ON:
	add.u32 %v, %v, 1;
	bra AND;
	bra MEET;
AND:
	add.u32 %v, %v, 1;
	bra MEET;
ODD:
	setp.lt.u32 %r, %t, 16;
	@%r bra MEET;
	mad.lo.u32 %v, %v, 5, %i;
MEET:
	st.global.u32 [%a], %v;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 400;
	@%p bra LOOP;
	ret;
}`

func TestBothSidesInOneCall(t *testing.T) {
	const threads, rounds = 32, 400
	want := make([]uint32, threads)
	for lane := range uint32(threads) {
		for i := range uint32(rounds) {
			switch v := &want[lane]; {
			case lane&1 == 0 && (lane^i)&2 == 0:
				*v = (*v ^ lane) + 3
			case lane&1 == 0:
				*v += i + 3
			case lane >= 16:
				*v = *v*5 + i
			}
		}
	}
	for _, model := range []emu.Divergence{emu.Stack, emu.Independent} {
		out, calls := inCalls(t, apartKernel, model, threads, 1, make([]uint32, threads))
		require.Equal(t, want, out, model.String())
		// A round is 23 instructions, and a turn ends after 256: 36 times. Lanes whose turn ends apart meet in the policy,
		// which takes up to four calls more. The first 32 calls for all lanes find out how soon they part.
		require.Less(t, calls, 32*2+36*5, model.String())
		for _, n := range []int64{7, 50, 1 << 20} {
			grids, read := pairOfGrids(t, apartKernel, model, threads, threads, nil)
			together(t, grids, n)
			require.Equal(t, want, read(1), model.String())
		}
	}
}

// More sides inside others than compiled code has room for: the lanes above each number from 0 to 19 go on.
func TestManySidesInsideOthers(t *testing.T) {
	const threads, deep = 32, 20
	var in, out string
	want := make([]uint32, threads)
	for n := range uint32(deep) {
		in += fmt.Sprintf("setp.le.u32 %%p, %%t, %d; @%%p bra M%d; mad.lo.u32 %%v, %%v, 3, %d;\n", n, n, n)
		out = fmt.Sprintf("xor.b32 %%v, %%v, %d;\nM%d:\n", n, n) + out
	}
	for lane := range want {
		v := &want[lane]
		for n := range min(lane, deep) {
			*v = *v*3 + uint32(n)
		}
		for n := range min(lane, deep) {
			*v ^= uint32(n)
		}
	}
	kernel := `.entry k(.param .u64 out) {
	.reg .b32 %t, %v; .reg .b64 %a; .reg .pred %p;
	ld.param.u64 %a, [out];
	mov.u32 %t, %tid.x; mov.u32 %v, 0;
	mad.wide.u32 %a, %t, 4, %a;
` + in + out + "st.global.u32 [%a], %v;\nret;\n}"
	for _, model := range []emu.Divergence{emu.Stack, emu.Independent} {
		for _, n := range []int64{7, 31, 1 << 20} {
			grids, read := pairOfGrids(t, kernel, model, threads, threads, nil)
			together(t, grids, n)
			require.Equal(t, want, read(1), model.String())
		}
	}
}
