package jit_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// pairOfGrids launches a kernel "k" with a buffer of so many words under both engines. in is what it begins with.
func pairOfGrids(t *testing.T, text string, model emu.Divergence, threads, words int, in []uint32) (grids [2]*emu.Grid,
	read func(i int) []uint32) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(".version 7.8\n.target sm_80\n.address_size 64\n"+text))
	require.NoError(t, err)
	var devices [2]*emu.Device
	var at [2]emu.Addr
	for i, engine := range engines {
		devices[i], err = emu.Load(m, emu.Options{Divergence: model, Engine: engine})
		require.NoError(t, err)
		at[i], err = devices[i].Alloc(4 * words)
		require.NoError(t, err)
		var bytes []byte
		for _, v := range in {
			bytes = binary.LittleEndian.AppendUint32(bytes, v)
		}
		require.NoError(t, devices[i].Write(at[i], bytes))
		grids[i], err = devices[i].Launch(emu.Config{Entry: "k", Grid: emu.Dim3{X: 2}, Block: emu.Dim3{X: threads},
			Args: [][]byte{emu.Ptr(at[i])}})
		require.NoError(t, err)
	}
	return grids, func(i int) []uint32 {
		bytes, list := make([]byte, 4*words), make([]uint32, words)
		require.NoError(t, devices[i].Read(at[i], bytes))
		for n := range list {
			list[n] = binary.LittleEndian.Uint32(bytes[4*n:])
		}
		return list
	}
}

// together runs both grids to their end, n instructions at a time; they must be alike each time.
func together(t *testing.T, grids [2]*emu.Grid, n int64) {
	t.Helper()
	for !grids[0].Done() {
		for _, g := range grids {
			_, err := g.RunFor(n)
			require.NoError(t, err)
		}
		for cta := range 2 {
			require.Equal(t, grids[0].Warp(cta, 0), grids[1].Warp(cta, 0), "tick %d", grids[0].Tick())
		}
		require.Equal(t, grids[0].Hash(), grids[1].Hash(), "tick %d", grids[0].Tick())
		require.Equal(t, grids[0].Counted(), grids[1].Counted())
	}
	require.Equal(t, grids[0].Stats(), grids[1].Stats())
}

// A loop that only computes, with two ways out. Lane l of a warp makes 5*l mod 8 rounds and a part, or, where that is
// 7, all 6 rounds that the other way allows.
const loopKernel = `.entry k(.param .u64 out) {
	.reg .b32 %t, %i, %n, %s; .reg .b64 %a; .reg .pred %p, %q;
	ld.param.u64 %a, [out];
	mov.u32 %t, %tid.x;
	mul.lo.u32 %n, %t, 5; and.b32 %n, %n, 7;
	mov.u32 %i, 0; mov.u32 %s, 100;
LOOP:
	add.u32 %s, %s, %t;
	setp.eq.u32 %p, %i, %n;
	@%p bra OUT;
	add.u32 %i, %i, 1;
	xor.b32 %s, %s, %i;
	setp.lt.u32 %q, %i, 6;
	@%q bra LOOP;
OUT:
	mad.wide.u32 %a, %t, 4, %a;
	st.global.u32 [%a], %s;
	ret;
}`

// Lanes leave a loop one after the other, and the engine tells the policy of them afterwards.
func TestLanesLeaveALoop(t *testing.T) {
	const threads = 64
	want := make([]uint32, threads)
	for lane := range uint32(threads) {
		s := uint32(100)
		for i := uint32(0); ; {
			s += lane
			if i == lane*5&7 {
				break
			}
			i++
			if s ^= i; i == 6 {
				break
			}
		}
		want[lane] = s
	}
	for _, model := range emu.Divergences() {
		for _, n := range []int64{11, 40, 1 << 20} {
			grids, read := pairOfGrids(t, loopKernel, model, threads, threads, nil)
			together(t, grids, n)
			require.Equal(t, want, read(1), model.String())
			// 5*l mod 8 is each of 0 to 7. At the first branch lanes leave in rounds 0 to 5, each time while others stay;
			// those of 6 and 7 leave together at the second one. 2 CTAs of 2 warps.
			require.EqualValues(t, 6*4, grids[1].Stats().DivergentBranches)
		}
	}
}

// Warps exchange words through shared memory, between barriers. Each word of the next round is the sum of a thread's
// own and that of the thread of the same lane in the next warp. Between barriers there are 4 * (57 + i) instructions
// and some more, so that later rounds take longer than a turn, 256.
const phaseKernel = `.entry k(.param .u64 out) {
	.reg .b32 %t, %i, %k, %n, %v, %w, %s, %u; .reg .b64 %a; .reg .pred %p;
	.shared .align 4 .b8 sh[512];
	ld.param.u64 %a, [out];
	mov.u32 %t, %tid.x;
	mov.u32 %s, sh; mad.lo.u32 %s, %t, 4, %s;
	add.u32 %u, %t, 32; rem.u32 %u, %u, 96;
	mov.u32 %w, sh; mad.lo.u32 %u, %u, 4, %w;
	mov.u32 %v, %t; mov.u32 %i, 0;
LOOP:
	add.u32 %n, %i, 57; mov.u32 %k, 0;
WORK:
	ld.shared.u32 %w, [%s];
	add.u32 %k, %k, 1;
	setp.lt.u32 %p, %k, %n;
	@%p bra WORK;
	st.shared.u32 [%s], %v;
	bar.sync 0;
	ld.shared.u32 %w, [%u];
	add.u32 %v, %v, %w;
	bar.sync 1;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 9;
	@%p bra LOOP;
	mad.wide.u32 %a, %t, 4, %a;
	st.global.u32 [%a], %v;
	ret;
}`

// Runs stop anywhere between the barriers, and go on.
func TestPhases(t *testing.T) {
	const threads = 96
	now, next := [threads]uint32{}, [threads]uint32{}
	for lane := range now {
		now[lane] = uint32(lane)
	}
	for range 9 {
		for lane := range now {
			next[lane] = now[lane] + now[(lane+32)%threads]
		}
		now = next
	}
	for _, model := range emu.Divergences() {
		for _, n := range []int64{7, 50, 333, 1 << 20} {
			grids, read := pairOfGrids(t, phaseKernel, model, threads, threads, nil)
			together(t, grids, n)
			require.Equal(t, now[:], read(1), model.String())
			require.EqualValues(t, 2*3*9*2, grids[1].Stats().Barriers) // 2 CTAs, 3 warps, 9 rounds, 2 barriers
		}
	}
}
