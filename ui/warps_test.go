package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// opened is a session with a program, and the model that shows it.
func opened(t *testing.T, text string) (*debug.Session, func() *Model) {
	t.Helper()
	s := debug.New(emu.Options{})
	s.SetSource("k.ptx", text)
	return s, func() *Model {
		view := s.View()
		require.NotEqual(t, debug.Invalid, view.Phase, "%v", view.Diagnostics)
		return &Model{View: view, Text: text, Lines: indexLines(text), Module: s.Module(), Spec: s.Spec()}
	}
}

// small is a kernel of 4 instructions in a launch of a shape.
func small(shape string) string {
	return shape + ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" +
		"\t.reg .u32 %r;\n\tmov.u32 %r, 1;\n\tbar.sync 0;\n\tmov.u32 %r, 2;\n\tret;\n}\n"
}

// The editor tells at which lines the other warps of the resident CTA are: of four, one waits at the barrier.
func TestOtherWarpsByLine(t *testing.T) {
	s, model := opened(t, small("//@ block 128\n"))
	require.Equal(t, []lineWarps{{8, 3, 0}}, otherWarps(model(), sameLine))
	s.Step()
	s.Step() // warp 0 waits at the barrier
	m := model()
	total := 0
	for _, l := range otherWarps(m, sameLine) {
		total += l.Warps
	}
	require.Equal(t, 3, total)
	waits := 0
	for cta, warp := 0, 0; warp < 4; warp++ {
		m.View.CTA, m.View.Warp = cta, warp
		for _, l := range otherWarps(m, sameLine) {
			require.Contains(t, []int{8, 9}, l.Line)
			if waits += l.Waiting; l.Waiting > 0 {
				require.Equal(t, 9, l.Line)
			}
		}
	}
	require.Positive(t, waits)
	require.Equal(t, []lineWarps{{1, 3, 1}}, otherWarps(m, func(int) int { return 1 }), "from one line of a source")
	for s.RunFor(100) {
	}
	require.Empty(t, otherWarps(model(), sameLine), "all have ended")
}

// Matrix product: 4 CTAs of 8 warps, a line for each CTA where there is room for 8 tiles.
func TestWarpsAreTiles(t *testing.T) {
	text, err := os.ReadFile("../public/examples/18-matrix-product.ptx")
	require.NoError(t, err)
	s, model := opened(t, string(text))
	for s.Go(debug.Journey{Goal: debug.ToBarrier}) {
	}
	m := model()
	sheet := newWarpSheet(m)
	require.True(t, sheet.tiles)
	lines, height := sheet.lines(warpName + 8*warpTile)
	require.Equal(t, []warpLine{{0, 8, 0, true}, {8, 16, 1, true}, {16, 24, 2, true}, {24, 32, 3, true}}, lines)
	require.Equal(t, tileLine, height)
	lines, _ = sheet.lines(warpName + 5*warpTile)
	require.Equal(t, warpLine{4, 8, 0, false}, lines[1], "two lines of four, not of five and three")

	chips := warpChips(m)
	require.Equal(t, warpChip{Key: "wait0", Class: "wait", Count: "1", Words: "at barrier 0"}, chips[1])
	require.Equal(t, warpChip{Key: "come", Class: "come", Count: "24", Words: "to come"}, chips[3])
	line := sheet.html(lines[0])
	require.Equal(t, 4, strings.Count(line, "data-cta=\"0\" data-warp="))
	require.Contains(t, line, "CTA 0 warp 0: at barrier 0, line 63")
	require.Contains(t, line, `data-state="run"`)

	m.WarpFilter = "wait0"
	sheet = newWarpSheet(m)
	require.Equal(t, []int{0}, sheet.list)
	require.Equal(t, 0, sheet.place(0, 0))
	require.Equal(t, -1, sheet.place(0, 1))
	m.WarpFilter = "fault"
	require.True(t, warpChips(m)[4].On, "a filter that nothing passes can be taken off")
	require.Equal(t, warpChip{Key: "fault", Class: "fault", Count: "0", Words: "faulted", On: true}, warpChips(m)[4])
	require.Equal(t, "0 warps: faulted. Press the button with the 0 to see all warps.", noWarps("fault"))
	for doing := debug.DoesFault; doing <= debug.DoesCome; doing++ {
		for _, at := range []int{0, 3, emu.AtMbarrier} {
			if c := countOf(chipKey(doing, at)); doing == debug.DoesWait {
				require.Equal(t, debug.Count{Doing: doing, At: at}, c)
			} else {
				require.Equal(t, debug.Count{Doing: doing}, c)
			}
		}
	}
	require.Empty(t, newWarpSheet(m).list)
}

// 12,500 CTAs of 8 warps: cells of 32 warps, because 100,000/16 are more than 4,096 and 100,000/32 = 3,125 are not.
func TestAHundredThousandWarps(t *testing.T) {
	s, model := opened(t, small("//@ grid 12500\n//@ block 256\n"))
	s.RunFor(4*8*6000 + 1)
	m := model()
	sheet := newWarpSheet(m)
	require.False(t, sheet.tiles)
	require.Equal(t, 32, sheet.each)
	require.Equal(t, 3125, sheet.n)
	require.Equal(t, debug.DoesEnded, sheet.at(0).Doing)
	require.Equal(t, debug.DoesCome, sheet.at(3124).Doing)
	require.Equal(t, debug.DoesRun, sheet.at(6000*8/32).Doing, "the most remarkable of CTAs 6000 to 6003")
	lines, height := sheet.lines(60 * warpCell)
	require.Len(t, lines, 53) // 3125 / 60, rounded up
	require.Equal(t, cellLine, height)
	require.Equal(t, 60, strings.Count(sheet.html(lines[0]), "<button"))

	m.WarpFilter = "come"
	sheet = newWarpSheet(m)
	require.Equal(t, mostListed, sheet.n)
	require.Equal(t, 6001, sheet.at(0).CTA)
}

// 64 CTAs of 5 warps are 320 cells. A line has whole CTAs.
func TestCellsKeepCTAsTogether(t *testing.T) {
	_, model := opened(t, small("//@ grid 64\n//@ block 160\n"))
	lines, _ := newWarpSheet(model()).lines(33 * warpCell)
	require.Equal(t, warpLine{From: 30, To: 60}, lines[1])
}

func TestEndedWarpsSaySo(t *testing.T) {
	s, model := opened(t, small("//@ grid 3\n//@ block 64\n"))
	require.Empty(t, endedNote(model()))
	for s.RunFor(1000) {
	}
	m := model()
	require.Empty(t, absence(m))
	require.Contains(t, endedNote(m), "of CTA 2 has ended. These are its last registers.")
	s.Follow(0, 1)
	m = model()
	require.Empty(t, absence(m))
	require.Equal(t, "Warp 1 of CTA 0 has ended. These are its last registers.", endedNote(m))
	require.Len(t, laneGrid(m).Rows, 1)
}

func TestWarpsOfNothing(t *testing.T) {
	lines, _ := newWarpSheet(&Model{}).lines(500)
	require.Empty(t, lines)
}
