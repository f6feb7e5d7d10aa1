package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
)

// Panels follow the program by themselves, until the user has chosen something.

func TestMemoryFollowsWrites(t *testing.T) {
	m := &Model{MemoryTab: MemoryTable,
		Spec: &launch.Spec{Args: []launch.Arg{{Name: "x", Buffer: true, Init: "iota"}, {Name: "out", Buffer: true}}},
		View: debug.View{Last: &emu.Step{}, Memory: []debug.Region{{Name: "x", Type: "u32"}, {Name: "out", Type: "u32"},
			{Name: "shared", Type: "b32"}}}}
	followWrites(m)
	require.Equal(t, "out", m.Region, "a buffer of zeros is there to be written")
	m.View.Memory[2].Changed = []debug.Range{{Start: 4, End: 8}}
	followWrites(m)
	require.Equal(t, "shared", m.Region)
	m.Region, m.Chosen = "x", true
	followWrites(m)
	require.Equal(t, "x", m.Region, "the user's choice stays")
}

func TestTileStaysWithWhatWasWrittenLast(t *testing.T) {
	m := warpModel()
	m.View.Last = &emu.Step{Regs: []emu.RegWrite{{Reg: m.View.State.Regs[1].Reg, Elem: -1, Lanes: 1}}}
	m.Recent = recent(m, 0)
	require.Equal(t, "%p1", m.Recent)
	m.View.Last = &emu.Step{} // a store writes no register
	m.Recent = recent(m, 0)
	require.True(t, laneGrid(m).Rows[1].Tile)
	m.View.Last = nil // a run: which register it wrote last is not known
	require.Equal(t, "%p1", recent(m, m.View.Tick), "an edit is at the same tick")
	require.Empty(t, recent(m, m.View.Tick-1))
	m.Tile = "%rd1"
	require.True(t, laneGrid(m).Rows[2].Tile)
	require.False(t, laneGrid(m).Rows[1].Tile)

	m.Tile, m.View.State.Regs[1].Written = "", 0 // another warp wrote it, and this one is followed
	require.True(t, laneGrid(m).Rows[0].Tile)
	m.View.State.Regs[0].Written = 0
	require.True(t, laneGrid(m).Rows[2].Tile, "the first that has a value")
}

// Warp 1 of a block of 40 threads had 8; its registers are gone, those of the last CTA are not.
func TestWarpThatIsGone(t *testing.T) {
	m := &Model{View: debug.View{Phase: debug.Finished, CTA: 0, CTAs: 4, Block: emu.Dim3{X: 20, Y: 2},
		State: &emu.WarpView{Index: 1, Ended: true}}}
	g := laneGrid(m)
	require.Equal(t, LaneExited, g.Heads[7])
	require.Equal(t, LaneAbsent, g.Heads[8])
	require.Contains(t, absence(m), "has ended")
	cta, ok := lastCTA(m)
	require.True(t, ok)
	require.Equal(t, 3, cta)
	m.View.State.Resident = true
	_, ok = lastCTA(m)
	require.False(t, ok)
}

func TestTextThatIsNoExampleAnyMore(t *testing.T) {
	m := &Model{Example: "a.ptx", Examples: []Example{{File: "a.ptx", Title: "Vector add"}}}
	m.Text = "//@ title Vector add\nret;"
	require.False(t, m.renamed())
	m.Text = ".version 6.4\n"
	require.True(t, m.renamed())
}
