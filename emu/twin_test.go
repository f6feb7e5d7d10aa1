package emu

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/gpu"
)

// Snapshots share what a CTA was while others had their turns. These tests are of what changes a CTA that has no turn.

// returns says that a grid is as it was, and names the first value that is not.
func returns(t *testing.T, g *Grid, want []uint64, what string) {
	t.Helper()
	have := StateOf(g).Values
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			require.Fail(t, what, "%s is %#x, was %#x", PathOf(g, i), have[i], want[i])
		}
	}
	require.Len(t, have, len(want), what)
}

// CTA 0 starts 3,200 copies into its shared memory and waits for none. The 4,097th copy is CTA 1's, and makes the older
// 2,048 happen: in the memory of CTA 0, at its mbarrier.
func TestSnapshotsHoldWhatAnotherCTAHasCopied(t *testing.T) {
	d, err := matrixModule(t, "in out", bulkKernel+`and.b32 %v0, %l, 15; shl.b32 %v0, %v0, 4; add.u32 %a, %a, %v0;
		mov.u32 %n, 0;
	COPY: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%a], [%p], 16, [%b];
		add.u32 %n, %n, 1; setp.lt.u32 %z0, %n, 100; @%z0 bra COPY;
	SPIN: add.u32 %n, %n, 1; setp.lt.u32 %z0, %n, 1000000; @%z0 bra SPIN;`)
	require.NoError(t, err)
	from, err := d.Alloc(16)
	require.NoError(t, err)
	require.NoError(t, d.Write(from, counting(1, 16)))
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 32}, Args: [][]byte{Ptr(from), Ptr(from)}})
	require.NoError(t, err)
	for len(g.State.CTAs) < 2 || g.State.Cur != 1 {
		_, err = g.RunFor(1)
		require.NoError(t, err)
	}
	require.Len(t, g.Async, 3200)
	first := g.State.CTAs[0]
	before := slices.Clone(first.SharedBytes())
	early, atFirst := g.Snapshot(), StateOf(g).Values
	for bytes.Equal(before, first.SharedBytes()) {
		_, err = g.RunFor(1)
		require.NoError(t, err)
		require.Equal(t, 1, g.State.Cur, "CTA 0 has had no turn")
	}
	late, then := g.Snapshot(), StateOf(g).Values
	for range 2 {
		g.Restore(early)
		returns(t, g, atFirst, "before the copies")
		g.Restore(late)
		returns(t, g, then, "after the copies")
	}
}

// waiting is a grid of two CTAs. Half of each one's lanes wait for the others, which never come out of a loop.
func waiting(t *testing.T) *Grid {
	t.Helper()
	d := deviceWith(t, Options{Divergence: Independent}, ".param .u64 out", `.shared .b32 f; .reg .pred %p; .reg .b32 %v;
		mov.u32 %v, %tid.x; setp.ge.u32 %p, %v, 16; @%p bra JOIN;
	L: add.u32 %v, %v, 0; setp.lt.u32 %p, %v, 16; @%p bra L;
	JOIN: st.shared.u32 [f], 1; ret;`)
	out, err := d.Alloc(4)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 32}, Args: [][]byte{Ptr(out)}})
	require.NoError(t, err)
	return g
}

// When nothing has changed for long, the lanes of all CTAs are released, in the turn of one.
func TestSnapshotsHoldLanesThatAreReleased(t *testing.T) {
	g := waiting(t)
	start := g.Snapshot()
	released := func() bool {
		return slices.ContainsFunc(g.State.CTAs, func(c *machine.CTA) bool { return c.SharedBytes()[0] == 1 })
	}
	run := func(steps int64) {
		_, err := g.RunFor(steps)
		require.NoError(t, err)
	}
	for !released() {
		run(1 << 10)
	}
	end := g.Tick()
	g.Restore(start)
	run(end - 2000)
	require.Len(t, g.State.CTAs, 2)
	var snaps []*Snapshot
	var values [][]uint64
	for range 150 {
		snaps, values = append(snaps, g.Snapshot()), append(values, StateOf(g).Values)
		run(20)
	}
	require.True(t, released())
	for i := range slices.Backward(snaps) {
		g.Restore(snaps[i])
		returns(t, g, values[i], "going back")
	}
}

// An edit changes a CTA that waits for its turn.
func TestSnapshotsHoldEditsOfACTAThatWaits(t *testing.T) {
	g := waiting(t)
	for len(g.State.CTAs) < 2 || g.State.Cur != 1 {
		_, err := g.RunFor(10)
		require.NoError(t, err)
	}
	early, before := g.Snapshot(), StateOf(g).Values
	slot := &g.State.CTAs[0].Warps[0].Cur.Frame.Fn.Regs[0]
	require.NoError(t, g.Edit(gpu.Edit{Reg: slot.Reg, Elem: slot.Elem, Value: 77}))
	late, after := g.Snapshot(), StateOf(g).Values
	require.NotEqual(t, before, after)
	for range 2 {
		g.Restore(early)
		returns(t, g, before, "before the edit")
		g.Restore(late)
		returns(t, g, after, "after the edit")
	}
}
