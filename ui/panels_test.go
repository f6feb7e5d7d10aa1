package ui

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

func TestLaneStates(t *testing.T) {
	w := warp()
	w.Present, w.Active = 0x00ffffff, 0x000000ff
	w.AtBarrier, w.Exited = 0x0000f000, 0x00f00000
	w.PC = &ptx.Inst{Guard: &ptx.Guard{Reg: w.Regs[1].Reg, Elem: -1}} // %p1: even lanes
	states := laneStates(w)
	for lane, want := range map[int]LaneState{0: LaneActive, 1: LaneGuarded, 6: LaneActive, 7: LaneGuarded, 8: LaneWaiting,
		12: LaneAtBarrier, 16: LaneWaiting, 20: LaneExited, 24: LaneAbsent, 31: LaneAbsent} {
		require.Equal(t, want, states[lane], "lane %d", lane)
	}
	w.PC.Guard.Neg = true
	states = laneStates(w)
	require.Equal(t, LaneGuarded, states[0])
	require.Equal(t, LaneActive, states[1])
	w.Ended = true
	require.Equal(t, LaneExited, laneStates(w)[0])
}

func TestLaneGridCells(t *testing.T) {
	m := warpModel()
	m.View.State.Regs[0].Written = 0x0000000f
	m.View.Last = &emu.Step{Regs: []emu.RegWrite{{Reg: m.View.State.Regs[1].Reg, Elem: -1, Lanes: 0x3}}}
	g := laneGrid(m)
	require.Len(t, g.Rows, 3)
	require.Equal(t, LaneCell{Text: "3"}, g.cell(&g.Rows[0], 3))
	require.Equal(t, LaneCell{Text: "·", Flags: CellUnwritten}, g.cell(&g.Rows[0], 4))
	require.Equal(t, LaneCell{Text: "T", Flags: CellPred | CellSet | CellChanged}, g.cell(&g.Rows[1], 0))
	require.Equal(t, LaneCell{Text: "F", Flags: CellPred}, g.cell(&g.Rows[1], 3))
	require.Equal(t, LaneCell{Text: "x", Flags: CellPointer}, g.cell(&g.Rows[2], 0))
	require.Equal(t, LaneCell{Text: "x+16", Flags: CellPointer}, g.cell(&g.Rows[2], 4))
	g.Rows[2].base = g.base(&g.Rows[2])
	require.Equal(t, "x", g.Rows[2].base, "the label names the buffer, cells hold offsets")
	require.Equal(t, LaneCell{Text: "16", Flags: CellPointer}, g.cell(&g.Rows[2], 4))
	// bits in hex are named too, unless the user has chosen hex for this register
	bits := g.Rows[2]
	bits.as = AsHex
	require.Equal(t, "x", g.base(&bits))
	bits.chosen = true
	require.Equal(t, "", g.base(&bits))
	require.Equal(t, LaneCell{Text: "0x1010"}, g.cell(&bits, 4))
	require.Equal(t, 1, g.Changed)
	require.True(t, g.Rows[1].Tile, "tiles follow what changed")
	require.Equal(t, "%rd1 .u64, lane 4: x+16 = 0x0000000000001010", cellTitle(m, "%rd1", 4))
	require.Equal(t, "%r1 .u32, lane 4: never written", cellTitle(m, "%r1", 4))

	m.View.Last.Warp = 3
	require.Equal(t, -1, laneGrid(m).Changed, "another warp's step changes nothing here")
}

func TestLaneGridFilterAndPins(t *testing.T) {
	m := warpModel()
	names := func() (names []string) {
		g := laneGrid(m)
		for _, r := range g.Rows {
			names = append(names, r.Reg)
		}
		return names
	}
	require.Equal(t, []string{"%r1", "%p1", "%rd1"}, names())
	m.Filter = ".pred rd"
	require.Equal(t, []string{"%p1", "%rd1"}, names())
	m.Filter, m.Pinned = "p1", []string{"%rd1"}
	require.Equal(t, []string{"%rd1", "%p1"}, names(), "pinned rows stay, and are on top")
}

func TestRegisterReadings(t *testing.T) {
	m := warpModel()
	m.Lane = 5
	row := func(i int) []string {
		table := newRegisterTable(m)
		value, readings := table.cells(&table.grid.Rows[i])
		return append([]string{value.Text}, readings...)
	}
	require.Equal(t, []string{"5", ".u32", "0x00000005", "5"}, row(0))
	require.Equal(t, []string{"F", ".pred", "", ""}, row(1))
	require.Equal(t, []string{"x+20", ".u64", "0x0000000000001014", "4116"}, row(2)) // 0x1000 + 5 × 4
	m.Columns = []string{"binary", "unsigned", "float"}
	require.Equal(t, []string{"5", "5", "7e-45", "0b101"}, row(0)) // 5 × 2^-149 = 7.006e-45
	m.Columns = []string{}
	require.Equal(t, []string{"5"}, row(0))
}

// The table has the registers of any function: none is left out, and only rows in sight are written.
func TestRegistersAreWrittenWhereTheyAreSeen(t *testing.T) {
	m := warpModel()
	one := m.View.State.Regs[0]
	for i := range 2000 {
		r := one
		r.Reg = &ptx.Reg{Name: fmt.Sprintf("%%x%d", i), Type: isa.U32, Vec: 1}
		m.View.State.Regs = append(m.View.State.Regs, r)
	}
	table := newRegisterTable(m)
	require.Len(t, table.grid.Rows, 2003)
	text := strings.Join(table.html(1003, 1005), "")
	require.Equal(t, 2, strings.Count(text, "<tr"))
	require.Contains(t, text, ">%x1000<")
	require.Contains(t, text, ">%x1001<")
}

// stackModel is the state after `@p bra L` at line 2 has split a warp: line 3 is next, line 4 waits, and both meet at
// line 5.
func stackModel() *Model {
	text := "mov;\n@p bra L;\nadd;\nsub;\nret;\n"
	inst := func(start, end int32) *ptx.Inst { return &ptx.Inst{Span: ptx.Span{Start: start, End: end}} }
	bra, add, sub, ret := inst(5, 14), inst(15, 19), inst(20, 24), inst(25, 29)
	stack := []emu.StackEntry{
		{Kind: emu.KindBranch, PC: add, RPC: ret, Mask: 0xf, Cause: bra},
		{Kind: emu.KindBranch, PC: sub, RPC: ret, Mask: 0xfffffff0, Cause: bra},
		{Kind: emu.KindReconv, PC: ret, Mask: 0xffffffff, Cause: bra},
	}
	m := &Model{Text: text, Lines: indexLines(text)}
	m.View.State = &emu.WarpView{Model: emu.Stack, Present: emu.FullMask, Stack: stack}
	m.View.Last = &emu.Step{Stack: []emu.StackChange{{Push: false, Entry: emu.StackEntry{Mask: 0xffffffff, PC: bra}},
		{Push: true, Entry: stack[2]}, {Push: true, Entry: stack[1]}, {Push: true, Entry: stack[0]}}}
	return m
}

func TestStackRows(t *testing.T) {
	rows := stackRows(stackModel())
	require.Equal(t, []stackRow{
		{PC: "3", PCLine: 3, RPC: "5", Mask: 0xf, Here: 0xf, State: "runs", Kind: "branch",
			Cause: "pushed by line 2: @p bra L", Because: "bra L 2", Pushed: true},
		{PC: "4", PCLine: 4, RPC: "5", Mask: 0xfffffff0, Here: 0xfffffff0, State: "waits its turn",
			Kind: "branch", Cause: "pushed by line 2: @p bra L", Because: "bra L 2", Pushed: true},
		{PC: "5", PCLine: 5, RPC: "end", Mask: 0xffffffff, State: "0 of 32 here", Kind: "reconverge",
			Cause: "pushed by line 2: @p bra L", Because: "bra L 2", Pushed: true},
	}, rows)
}

// An entry that a step pushes and pops again is not new.
func TestStackGrowth(t *testing.T) {
	m := stackModel()
	require.Equal(t, 3, grownBy(m))
	m.View.Last.Stack = append(m.View.Last.Stack, emu.StackChange{Entry: m.View.State.Stack[0]})
	require.Equal(t, 2, grownBy(m))
}

func TestStackNews(t *testing.T) {
	news := stackNews(stackModel())
	require.Len(t, news, 4)
	require.False(t, news[0].Push)
	require.Equal(t, stackChangeRow{true, "pushed the reconvergence entry ffffffff: 32 lanes will meet at line 5"},
		news[1])
	require.Equal(t, stackChangeRow{true, "pushed the branch entry fffffff0: 28 lanes go on at line 4"}, news[2])
	require.Equal(t, stackChangeRow{true, "pushed the branch entry 0000000f: 4 lanes go on at line 3"}, news[3])
}

// The words for entries that leave the stack: to return is not to exit, and not all lanes of a replaced entry have
// reached its end.
func TestStackNewsOfPops(t *testing.T) {
	m := stackModel()
	ret := m.View.State.Stack[0].RPC
	m.View.Last.Exec = 0xff00 // lanes leave where they execute ret or exit
	m.View.Last.Stack = []emu.StackChange{
		{Why: emu.Replaced, Entry: emu.StackEntry{Kind: emu.KindBranch, Mask: 0xcccccccc, RPC: ret}},
		{Push: true, Entry: emu.StackEntry{Kind: emu.KindBranch, Mask: 0x88888888, PC: m.View.State.Stack[1].PC, RPC: ret}},
		{Why: emu.Replaced, Entry: emu.StackEntry{Kind: emu.KindBranch, Mask: 0xff, RPC: ret}},
		{Push: true, Entry: emu.StackEntry{Kind: emu.KindBranch, Mask: 0xf0, RPC: ret}},
		{Push: true, Entry: emu.StackEntry{Kind: emu.KindBranch, Mask: 0x0f, RPC: ret}},
		{Why: emu.Returned, Entry: emu.StackEntry{Kind: emu.KindCall}},
		{Why: emu.Exited, Entry: emu.StackEntry{Kind: emu.KindCall}},
		{Entry: emu.StackEntry{Kind: emu.KindBranch, Mask: 0x88888888, RPC: ret}},
	}
	var texts []string
	for _, n := range stackNews(m) {
		texts = append(texts, n.Text)
	}
	require.Equal(t, []string{
		"replaced the branch entry cccccccc by 88888888; 8 of its 16 lanes reached line 5",
		"pushed the branch entry 88888888: 8 lanes go on at line 4",
		"replaced the branch entry 000000ff by 000000f0 and 0000000f",
		"pushed the branch entry 000000f0: 4 lanes go on at the function's end",
		"pushed the branch entry 0000000f: 4 lanes go on at the function's end",
		"popped the call entry 0000ff00: its lanes have returned",
		"popped the call entry 0000ff00: its lanes have exited",
		"popped the branch entry 88888888: 8 lanes reached line 5",
	}, texts)
}

// An entry that leaves the stack at a ret or an exit is named by the lanes that leave. Lanes 0 to 7 return from f and
// exit before the others, which wait at B in the base: first mask 000000ff, then ffffff00, the rest of the base.
func TestStackNewsOfTheLastLanes(t *testing.T) {
	text := txtar.Text(t, "panels/lastLanes")
	for model, want := range map[emu.Divergence][]string{
		emu.Stack: {
			"popped the call entry 000000ff: its lanes have returned",
			"popped the branch entry 000000ff: its lanes have exited",
			"popped the call entry ffffff00: its lanes have returned",
			"popped the base entry ffffff00: its lanes have exited",
		},
		emu.Independent: {
			"gone: group 000000ff: its lanes have returned", "gone: group ffffff00: its lanes have returned",
			"gone: group ffffff00: its lanes have exited",
		},
	} {
		module, err := ptx.Parse("test.ptx", []byte(text))
		require.NoError(t, err)
		device, err := emu.Load(module, emu.Options{Divergence: model})
		require.NoError(t, err)
		grid, err := device.Launch(emu.Config{Entry: "k", Block: emu.Dim3{X: 32}})
		require.NoError(t, err)
		var got []string
		for !grid.Done() {
			step, err := grid.Step()
			require.NoError(t, err)
			m := &Model{Text: text, Lines: indexLines(text)}
			state := grid.Warp(0, 0)
			m.View.State, m.View.Last = &state, &step
			for _, n := range stackNews(m) {
				if strings.Contains(n.Text, "its lanes have") {
					got = append(got, n.Text)
				}
			}
		}
		require.Equal(t, want, got, model)
	}
}

// The grid and the panel mark cells whose values are undefined and about to decide something, and a note names them.
func TestUndefinedValuesAreMarked(t *testing.T) {
	m := warpModel()
	w := m.View.State
	r1, p1 := w.Regs[0].Reg, w.Regs[1].Reg
	w.Regs[0].Written = 0xffff00ff
	w.PC = &ptx.Inst{}
	w.Undefined = []emu.UndefinedUse{{Reg: r1, Elem: -1, Use: emu.UseStore, Lanes: 0xff00, From: r1, FromElem: -1,
		Origin: w.PC}}
	g := laneGrid(m)
	require.Equal(t, LaneCell{Text: "·", Flags: CellUnwritten | CellUndefined}, g.cell(&g.Rows[0], 8))
	require.Equal(t, LaneCell{Text: "7"}, g.cell(&g.Rows[0], 7))
	require.Equal(t, "Next line: lanes 8-15 store %r1, which they have never written: the value is undefined.",
		undefinedWords(m))
	m.Lane = 8
	table := newRegisterTable(m)
	require.Contains(t, table.html(0, 1)[0], `class="unwritten undefined"`)

	// Those of the last step stay marked; those of another warp do not count.
	w.Undefined = nil
	m.View.Last = &emu.Step{Undefined: []emu.UndefinedUse{{Reg: p1, Elem: -1, Use: emu.UseGuard, Lanes: 1, From: r1,
		Origin: w.PC}}}
	g = laneGrid(m)
	require.NotZero(t, g.cell(&g.Rows[1], 0).Flags&CellUndefined)
	require.Zero(t, g.cell(&g.Rows[1], 1).Flags&CellUndefined)
	require.True(t, strings.HasSuffix(cellTitle(m, "%p1", 0), ", undefined"))
	require.False(t, strings.HasSuffix(cellTitle(m, "%p1", 1), ", undefined"))
	require.Empty(t, undefinedWords(m))
	m.View.Last.Warp = 3
	g = laneGrid(m)
	require.Zero(t, g.cell(&g.Rows[1], 0).Flags&CellUndefined)
}

func TestMemoryPages(t *testing.T) {
	r := &debug.Region{Name: "x", Addr: 0x1000, Type: "f32", Dims: []int{200}, Bytes: make([]byte, 800),
		Changed: []debug.Range{{Start: 516, End: 520}}}
	for i := range 200 {
		binary.LittleEndian.PutUint32(r.Bytes[4*i:], math.Float32bits(float32(i)/4))
	}
	rows, pages := memoryPage(r, MemoryTable, 0)
	require.Equal(t, 2, pages, "8 × 16 elements on a page")
	require.Equal(t, "[8]", rows[1].Label)
	require.Equal(t, memoryCell{Text: "2.25", Offset: 36}, rows[1].Cells[1])
	rows, _ = memoryPage(r, MemoryTable, 1)
	require.Equal(t, "[128]", rows[0].Label)
	require.Equal(t, memoryCell{Text: "32.25", Offset: 516, Changed: true}, rows[0].Cells[1])
	require.Len(t, rows, 9, "72 elements are left")

	rows, pages = memoryPage(r, MemoryHex, 0)
	require.Equal(t, 4, pages, "16 × 16 bytes on a page")
	require.Equal(t, "1010", rows[1].Label)
	// Element 4 is 1.0f, 0x3f800000, little-endian.
	require.Equal(t, []string{"00", "00", "80", "3f"}, []string{rows[1].Cells[0].Text, rows[1].Cells[1].Text,
		rows[1].Cells[2].Text, rows[1].Cells[3].Text})
	require.Equal(t, "...?", rows[1].Text[:4])

	m := &Model{MemoryTab: MemoryHex, Region: "x", View: debug.View{Memory: []debug.Region{*r}, Last: &emu.Step{}}}
	followWrites(m)
	require.Equal(t, 2, m.Page, "byte 516 is on the third page")
}

// 72 elements of 5 letters, 43 pixels each, beside labels of 70: 16 need 758 pixels, 32 need 1,446. Each letter more
// takes 7 pixels for each element.
func TestMemoryUsesItsWidth(t *testing.T) {
	r := &debug.Region{Name: "x", Type: "u32", Dims: []int{72}, Bytes: make([]byte, 4*72)}
	shape := func(width int) (columns, rows, last int) {
		page, _ := memoryPage(r, MemoryTable, 0)
		f := fitOf(r, MemoryTable, width)
		f.hold(page)
		page, _ = widened(page, f)
		nameRows(page, r, MemoryTable)
		require.Equal(t, fmt.Sprintf("[%d]", len(page[0].Cells)), page[1].Label)
		return len(page[0].Cells), len(page), len(page[len(page)-1].Cells)
	}
	for _, c := range []struct{ width, columns, rows, last int }{
		{0, 8, 9, 8}, {757, 8, 9, 8}, {758, 16, 5, 8}, {1445, 16, 5, 8}, {1446, 32, 3, 8},
	} {
		columns, rows, last := shape(c.width)
		require.Equal(t, c, struct{ width, columns, rows, last int }{c.width, columns, rows, last})
	}
	binary.LittleEndian.PutUint32(r.Bytes[100:], 123456)
	columns, _, _ := shape(869)
	require.Equal(t, 8, columns)
	columns, _, _ = shape(870)
	require.Equal(t, 16, columns)

	m := &Model{MemoryTab: MemoryTable, Room: Room{1919, 1000}}
	require.Equal(t, 512, m.pageLayout(r).pageBytes())
	m.Room.W = 1920
	require.Equal(t, 1024, m.pageLayout(r).pageBytes())
}

// A tile of 16 × 16 is drawn in its own rows where they fit closely: labels of 4 letters and 16 pixels, and 16 cells of
// 3 letters, 25 pixels each, need 444 pixels; the panel of the preset Kernel has 448 on a screen of 1,440. 16 bytes
// and labels of 5 letters need 451. Where a cell becomes wider, rows are halved.
func TestMemoryFitsRowsClosely(t *testing.T) {
	for _, c := range []struct {
		name, typ string
		dims      []int
		width     int
		value     string
		columns   int
		tight     bool
	}{
		{"a tile", "f32", []int{16, 16}, 448, "871", 16, true},
		{"just fits", "f32", []int{16, 16}, 444, "871", 16, true},
		{"does not fit", "f32", []int{16, 16}, 443, "871", 8, false},
		{"a cell of 4 letters", "f32", []int{16, 16}, 448, "1023", 8, false},
		{"room for 4 letters", "f32", []int{16, 16}, 556, "1023", 16, true},
		{"room for all", "f32", []int{16, 16}, 758, "1023", 16, false},
		{"rows of 32", "f32", []int{32, 32}, 448, "871", 8, false},
		{"no rows", "f32", []int{256}, 448, "871", 8, false},
		{"bytes", "u8", []int{256}, 451, "255", 16, true},
		{"bytes in too little", "u8", []int{256}, 450, "255", 8, false},
		{"bytes with a sign need 4 letters", "s8", []int{256}, 451, "1", 8, false},
		{"pairs", "u8x2", []int{16, 16}, 448, "871", 4, false},
		{"a phone", "f32", []int{16, 16}, 390, "0", 8, false},
	} {
		r := &debug.Region{Name: "x", Type: c.typ, Dims: c.dims}
		r.Bytes = make([]byte, regionSize(r))
		rows, _ := memoryRows(r, pageLayout(r, MemoryTable), MemoryTable, 0)
		rows[1].Cells[1].Text = c.value
		f := fitOf(r, MemoryTable, c.width)
		f.hold(rows)
		rows, tight := widened(rows, f)
		require.Equal(t, c.columns, len(rows[0].Cells), c.name)
		require.Equal(t, c.tight, tight, c.name)
	}
}

// 8 cells of 10 letters need 70 + 8 * 78 = 694 pixels, 4 need 382 and 2 need 226. Labels name what is first in a row.
func TestMemoryIsNeverWiderThanItsPanel(t *testing.T) {
	r := &debug.Region{Name: "x", Type: "u32", Dims: []int{12}, Bytes: make([]byte, 4*12)}
	binary.LittleEndian.PutUint32(r.Bytes[8:], 4_000_000_000)
	for _, c := range []struct {
		width  int
		labels string
	}{
		{0, "[0] [8]"}, {694, "[0] [8]"}, {693, "[0] [4] [8]"}, {382, "[0] [4] [8]"},
		{381, "[0] [2] [4] [6] [8] [10]"}, {225, "[0] [1] [2] [3] [4] [5] [6] [7] [8] [9] [10] [11]"},
	} {
		rows, _ := memoryRows(r, pageLayout(r, MemoryTable), MemoryTable, 0)
		f := fitOf(r, MemoryTable, c.width)
		f.hold(rows)
		rows, tight := widened(narrowed(rows, f), f)
		require.False(t, tight)
		nameRows(rows, r, MemoryTable)
		var labels []string
		for _, row := range rows {
			labels = append(labels, row.Label)
		}
		require.Equal(t, c.labels, strings.Join(labels, " "), c.width)
	}
}

// Rows and columns have the indices by which the header and "Go to" name an element.
func TestMemoryNamesItsElements(t *testing.T) {
	const wide, narrow = 2000, 0
	for _, c := range []struct {
		name, typ string
		dims      []int
		tab       string
		width     int
		second    string
		heads     string
	}{
		{"a list", "u32", []int{72}, MemoryTable, narrow, "[8]", "+0 +1 +2 +3 +4 +5 +6 +7"},
		{"pairs", "f16x2", []int{72}, MemoryTable, narrow, "[4]", "+0 +1 +2 +3"},
		{"64 bits", "f64", []int{72}, MemoryTable, narrow, "[4]", "+0 +1 +2 +3"},
		{"bytes", "u8", []int{72}, MemoryTable, narrow, "[8]", "+0 +1 +2 +3 +4 +5 +6 +7"},
		{"a matrix", "f32", []int{8, 9}, MemoryTable, narrow, "[1]", "0 1 2 3 4 5 6 7"},
		{"a matrix in a wide panel", "f32", []int{8, 9}, MemoryTable, wide, "[1]", "0 1 2 3 4 5 6 7"},
		{"rows of 16 in a narrow panel", "f32", []int{16, 16}, MemoryTable, narrow, "[0][8]", "+0 +1 +2 +3 +4 +5 +6 +7"},
		{"rows of 16", "f32", []int{16, 16}, MemoryTable, 800, "[1]", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
		{"a narrow matrix", "b32", []int{4, 4}, MemoryTable, wide, "[1]", "0 1 2 3"},
		{"rows of two are no rows", "b32", []int{2, 36}, MemoryTable, narrow, "[8]", "+0 +1 +2 +3 +4 +5 +6 +7"},
		{"no whole rows", "u32", []int{10, 8}, MemoryTable, narrow, "[8]", "+0 +1 +2 +3 +4 +5 +6 +7"},
		{"planes", "u32", []int{8, 2, 3}, MemoryTable, narrow, "[0][1]", "0 1 2 3 4 5 6 7"},
		{"hex", "u32", []int{72}, MemoryHex, narrow, "1010", "0 1 2 3 4 5 6 7 8 9 a b c d e f"},
	} {
		r := &debug.Region{Name: "x", Addr: 0x1000, Type: c.typ, Dims: c.dims}
		r.Bytes = make([]byte, regionSize(r))
		rows, _ := memoryRows(r, pageLayout(r, c.tab), c.tab, 0)
		rows, _ = widened(rows, fitOf(r, c.tab, c.width))
		nameRows(rows, r, c.tab)
		require.Equal(t, c.second, rows[1].Label, c.name)
		require.Equal(t, c.heads, strings.Join(columnHeads(len(rows[0].Cells), rowOf(r, c.tab), c.tab), " "), c.name)
		if c.tab == MemoryTable {
			text := rows[1].Label
			if rowOf(r, c.tab) == len(rows[0].Cells) {
				text += "[0]"
			}
			at, ok := indexOf(text, c.dims)
			require.True(t, ok, c.name)
			require.Equal(t, len(rows[0].Cells), at, c.name)
		}
	}
}

func TestPictures(t *testing.T) {
	drawing := debug.Region{Name: "a", Type: "u8x2", Dims: []int{2, 3}, Bytes: make([]byte, 12)}
	require.Equal(t, "Picture of a, 2 pixels wide: all are zero", pictureWords(&drawing))
	drawing.Bytes[7], drawing.Bytes[8] = 1, 1
	require.Equal(t, "Picture of a, 2 pixels wide: 2 pixels not zero, in rows 1 to 2", pictureWords(&drawing))
	width, height, rgba := pixels(&debug.Region{Type: "u8x4", Dims: []int{2, 1}, Bytes: []byte{1, 2, 3, 4, 5, 6, 7, 8}})
	require.Equal(t, []int{2, 1}, []int{width, height})
	require.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8}, rgba)

	bytes := make([]byte, 8)
	binary.LittleEndian.PutUint32(bytes[4:], math.Float32bits(0.5))
	_, _, rgba = pixels(&debug.Region{Type: "f32", Dims: []int{1, 2}, Bytes: bytes})
	require.Equal(t, []byte{0, 0, 0, 255, 128, 128, 128, 255}, rgba) // 0.5 × 255 = 127.5, rounded up

	_, _, rgba = pixels(&debug.Region{Type: "u32", Dims: []int{2}, Bytes: []byte{10, 0, 0, 0, 20, 0, 0, 0}})
	require.Equal(t, []byte{128, 128, 128, 255, 255, 255, 255, 255}, rgba)

	_, _, rgba = pixels(&debug.Region{Type: "u8", Dims: []int{1 << 20, 1 << 20}, Bytes: []byte{1}})
	require.Nil(t, rgba, "too large to draw")

	require.Contains(t, blank(&debug.Region{Bytes: make([]byte, 8)}), "nothing is drawn yet")
	require.Empty(t, blank(&debug.Region{Bytes: []byte{0, 0, 0, 1}}))
}

func TestPhoneTurnsToThePicture(t *testing.T) {
	after := func(change func(m *Model)) string {
		m := warpModel()
		m.View.Phase, m.View.Memory[0].Image = debug.Finished, true
		m.Region, m.MemoryTab, m.Tab = "x", MemoryImage, "lanes"
		change(m)
		return m.tab()
	}
	require.Equal(t, "memory", after(func(m *Model) {}))
	require.Equal(t, "stack", after(func(m *Model) { m.Tab = "stack" }), "chosen by the reader")
	require.Equal(t, "lanes", after(func(m *Model) { m.TabChosen = true }), "chosen by the reader")
	require.Equal(t, "lanes", after(func(m *Model) { m.View.Phase = debug.Paused }), "a step back")
	require.Equal(t, "lanes", after(func(m *Model) { m.View.Memory[0].Image = false }))
	require.Equal(t, "lanes", after(func(m *Model) { m.Panels = []string{"lanes", "stack"} }), "an embed without memory")
}

func TestRegionChoice(t *testing.T) {
	m := &Model{MemoryTab: MemoryTable, View: debug.View{Memory: []debug.Region{
		{Name: "x", Type: "f32"}, {Name: "img", Type: "u8x4", Image: true}}}}
	chooseRegion(m)
	require.Equal(t, "img", m.Region)
	require.Equal(t, MemoryImage, m.MemoryTab)
	m.Region = "x"
	chooseRegion(m)
	require.Equal(t, "x", m.Region)
	require.Equal(t, MemoryTable, m.MemoryTab)
}

func TestProblemsOfARun(t *testing.T) {
	text := "a;\nb;\n"
	m := &Model{Text: text, Lines: indexLines(text), View: debug.View{
		Fault:    &emu.Fault{Kind: emu.Misaligned, Pos: ptx.Position{Line: 2, Column: 1}},
		Findings: []emu.Finding{{Check: emu.Racecheck, Pos: ptx.Position{Line: 1, Column: 1}}},
		Expect:   []launch.Expectation{{Text: "x == 1", Pass: true, Line: 1}, {Text: "y == 2", Got: "3", Line: 1}},
	}}
	list, total := problemList(m)
	require.Equal(t, 3, total)
	require.Equal(t, "racecheck", list[1].Code)
	require.Equal(t, "fault", list[0].Severity)
	require.Equal(t, "b;", text[list[0].From:list[0].To])
	require.Equal(t, "Expected y == 2; got 3", list[2].Message)
}

// A problem says what the assembler does with such a text: ptx/testdata/verdicts.txt has only refusals of variables in
// another space, and no launch headers.
func TestProblemsNameTheAssembler(t *testing.T) {
	m := &Model{Text: "a", Lines: indexLines("a"), View: debug.View{Diagnostics: ptx.Diagnostics{
		{Code: "wrong-space"}, {Code: "header-arg"}}}}
	list, _ := problemList(m)
	require.Contains(t, list[0].Ptxas, "ptxas 12.5 refuses this")
	require.Equal(t, "", list[1].Ptxas)
}

// The names of panels are in more places than the list of tabs; none is missing there.
func TestPanelsAreKnownElsewhere(t *testing.T) {
	for file, list := range map[string]string{
		"phone.css":               `[data-tab="%s"]`,
		"../public/embed.js":      `"%s"`,
		"../docs/embedding.md":    "`%s`",
		"../docs/share-format.md": "`%s`",
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range tabNames() {
			require.Contains(t, string(text), fmt.Sprintf(list, name), file)
		}
	}
}

func TestStatisticsInWords(t *testing.T) {
	// 10 warp instructions with 200 of 320 lanes: 62.5 %.
	s := emu.Stats{WarpInstructions: 10, LaneInstructions: 200, Branches: 4, DivergentBranches: 1}
	require.Equal(t, "62.5 %", efficiency(s))
	require.Equal(t, "1 of 4", divergence(s))
	require.Equal(t, "–", efficiency(emu.Stats{}))

	require.Equal(t, "–", fidelity(&debug.View{})[0].value)
	v := debug.View{Stats: s}
	require.Equal(t, fact{"Arithmetic", "all exact", "how close the results are to those of a GPU"}, fidelity(&v)[0])
	v.Inexact = []emu.Inexact{{Opcode: "div.full.f32", Bound: "2 ulp", Section: "9.7.3.8"}}
	require.Equal(t, fact{"div.full.f32", "2 ulp", "the error that the manual allows in 9.7.3.8"}, fidelity(&v)[1])

	text := "add; // one\nsub;\n"
	m := &Model{Text: text, Lines: indexLines(text), View: debug.View{Heat: []int64{1: 5, 2: 20}}}
	require.Equal(t, []hotLine{{2, 20, 100, "sub;"}, {1, 5, 25, "add;"}}, hotLines(m))
}

// Of very many expectations a hundred are drawn, those that fail first; a sentence counts the others.
func TestManyExpectations(t *testing.T) {
	m := &Model{Lines: indexLines("")}
	for i := range 20_000 {
		m.View.Expect = append(m.View.Expect, launch.Expectation{Line: i, Pass: i < 50})
	}
	drawn, note := drawnExpectations(m.View)
	require.Len(t, drawn, 100)
	require.Equal(t, 50, drawn[0].Line)
	require.Equal(t, 149, drawn[99].Line)
	require.Equal(t, "Another 19,850 expectations failed.", note) // 20,000 less 50 that passed and 100
	list, total := problemList(m)
	require.Len(t, list, 100)
	require.Equal(t, 19_950, total)

	for i := range m.View.Expect {
		m.View.Expect[i].Pass = i != 300
	}
	drawn, note = drawnExpectations(m.View)
	require.Len(t, drawn, 100)
	require.Equal(t, []int{300, 0}, []int{drawn[0].Line, drawn[1].Line})
	require.Equal(t, "19,900 expectations that passed are not shown.", note)

	m.View.Expect = m.View.Expect[:100]
	drawn, note = drawnExpectations(m.View)
	require.Len(t, drawn, 100)
	require.Equal(t, "", note)
}

// The editor shows the counts of the last step already: it is told those that the next one changes.
func TestHeatIsToldByWhatChanges(t *testing.T) {
	before := []int64{1: 5, 2: 20, 3: 1}
	require.Empty(t, heatChanges(before, []int64{1: 5, 2: 20, 3: 1}))
	require.Equal(t, map[int]int64{2: 21, 4: 1}, heatChanges(before, []int64{1: 5, 2: 21, 3: 1, 4: 1}))
	require.Equal(t, map[int]int64{2: 19, 3: 0}, heatChanges(before, []int64{1: 5, 2: 19}), "a step back")
	require.Equal(t, map[int]int64{1: 0, 2: 0, 3: 0}, heatChanges(before, nil), "the start")
	require.Equal(t, map[int]int64{1: 5, 2: 20, 3: 1}, heatChanges(nil, before))
}
