package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Lane i stores at out + 4 i, and out has 24 elements: lanes 24 to 31 store after its end, which is byte 96.
func TestFaultIsMarked(t *testing.T) {
	s, model := opened(t, "//@ block 32\n//@ arg out u32[24]\n//@ expect out[0] == 1\n.version 6.4\n.target sm_70\n"+
		".address_size 64\n.visible .entry k(.param .u64 out)\n{\n\t.reg .u32 %i;\n\t.reg .u64 %a, %o;\n"+
		"\tld.param.u64 %a, [out];\n\tmov.u32 %i, %tid.x;\n\tmul.wide.u32 %o, %i, 4;\n\tadd.s64 %a, %a, %o;\n"+
		"\tst.global.u32 [%a], %i;\n\tret;\n}\n")
	require.Empty(t, troubles(model()))
	for s.RunFor(100) {
	}
	m := model()
	require.Equal(t, []trouble{{15, true, "8 lanes"}}, troubles(m))
	require.Equal(t, emu.Mask(0xff000000), faultedLanes(m))
	g := laneGrid(m)
	require.Equal(t, LaneActive, g.Heads[23])
	require.Equal(t, LaneFaulted, g.Heads[24])
	require.Equal(t, "made the fault, line 15", brackets(m, &g.Heads)[1].Text)
	require.Equal(t, "made the fault", g.words()[31])
	row := stackRows(m)[0]
	require.Equal(t, "8 of 32 made the fault", row.State)
	require.Equal(t, emu.Mask(0xff000000), row.Failed)
	require.Equal(t, faulted, faultState(0xff, 0xff))
	m.Region = "out"
	off, ok := faultPlace(m, m.region())
	require.True(t, ok)
	require.Equal(t, 96, off)
	require.Equal(t, "out[24]: lane 24 would access this, after the end of out; 7 other lanes made the fault, too",
		beyond(m, m.region()))

	list, _ := problemList(m)
	require.Equal(t, "Stopped here: OutOfBounds. The status line says why.", list[0].Message)
	require.Equal(t, "Expected out[0] == 1; got the fault", list[1].Message)
	require.Contains(t, m.View.Status, "out of bounds")
	stale := *m
	stale.Stale, stale.View.Diagnostics = true, ptx.Diagnostics{{Severity: ptx.Error, Message: "no such thing"}}
	list, _ = problemList(&stale)
	require.Equal(t, "no such thing", list[0].Message, "the status line says this first")
	require.Equal(t, "The last good text stopped here: OutOfBounds.", list[1].Message)
	s.Follow(0, 0)
	s.SeekTo(0)
	require.Empty(t, troubles(model()), "before the fault nothing is marked")
}

// What was found is named after "got", unless it is a sentence.
func TestWhatWasFound(t *testing.T) {
	for got, want := range map[string]string{
		"out[0] is 0, expected 7":       "out[0] is 0, expected 7",
		"no warp came to line 5":        "no warp came to line 5",
		"no fault":                      "got no fault",
		"3":                             "got 3",
		`"it is wrong"`:                 `got "it is wrong"`,
		"Misaligned at line 4":          "got Misaligned at line 4",
		"1 finding, none of this check": "got 1 finding, none of this check",
		"the run was stopped before its end: context canceled": "the run was stopped before its end: context canceled",
		"false at step 3 in lane 0 of CTA 0, warp 0: %v is 1":  "false at step 3 in lane 0 of CTA 0, warp 0: %v is 1",
		"": "",
	} {
		require.Equal(t, want, gotWords(&debug.View{}, &launch.Expectation{Got: got}))
	}
}

// Lane i stores a word at out + 2 i: lane 1 is misaligned at byte 2, which is in out[0].
func TestFaultInsideARegion(t *testing.T) {
	s, model := opened(t, "//@ block 32\n//@ arg out u32[64]\n.version 6.4\n.target sm_70\n"+
		".address_size 64\n.visible .entry k(.param .u64 out)\n{\n\t.reg .u32 %i;\n\t.reg .u64 %a, %o;\n"+
		"\tld.param.u64 %a, [out];\n\tmov.u32 %i, %tid.x;\n\tmul.wide.u32 %o, %i, 2;\n\tadd.s64 %a, %a, %o;\n"+
		"\tst.global.u32 [%a], %i;\n\tret;\n}\n")
	for s.RunFor(100) {
	}
	m := model()
	showFault(m)
	require.Equal(t, "out", m.Region)
	rows, _ := memoryPage(m.region(), MemoryTable, m.Page)
	markFault(m, m.region(), rows)
	require.True(t, rows[0].Cells[0].Fault)
	require.True(t, rows[0].Cells[1].Fault, "the access is 4 bytes from byte 2")
	require.False(t, rows[0].Cells[2].Fault)
	require.Empty(t, beyond(m, m.region()))
}
