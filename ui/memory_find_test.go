package ui

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// memoryModel has x, f32[4,8] at 0x1000 with 0, 1, 2, …, ptrs, u64[2] at 0x2000 that points to x[3] and nowhere, and 64
// bytes of shared memory at 0x8000.
func memoryModel() *Model {
	var x, ptrs []byte
	for i := range 32 {
		x = binary.LittleEndian.AppendUint32(x, math.Float32bits(float32(i)))
	}
	ptrs = binary.LittleEndian.AppendUint64(ptrs, 0x100c)
	ptrs = binary.LittleEndian.AppendUint64(ptrs, 0x9999999)
	reg := &ptx.Reg{Name: "%p", Type: isa.U64}
	w := &emu.WarpView{Regs: []emu.RegView{{Reg: reg, Elem: -1, Written: 2, Lo: new([32]uint64)}}}
	w.Regs[0].Lo[1] = 0x2008
	return &Model{MemoryTab: MemoryTable, Region: "x", View: debug.View{State: w, Memory: []debug.Region{
		{Name: "x", Space: ptx.GlobalSpace, Addr: 0x1000, Type: "f32", Dims: []int{4, 8}, Size: 128, Bytes: x},
		{Name: "ptrs", Space: ptx.GlobalSpace, Addr: 0x2000, Type: "u64", Dims: []int{2}, Size: 16, Bytes: ptrs},
		{Name: "shared", Space: ptx.SharedSpace, Addr: 0x8000, Type: "b32", Size: 64, Bytes: make([]byte, 64)},
	}}}
}

func TestGoToMemory(t *testing.T) {
	m := memoryModel()
	m.Lane = 1
	for text, want := range map[string]memoryPlace{
		"0x1004":    {"x", 4, 5},
		"0x8010":    {"shared", 16, 17},
		"x[5]":      {"x", 20, 24},
		"x[5][2]":   {"x", 88, 92}, // dimensions are 4 columns, 8 rows: 5*4 + 2 = 22
		"x[5,2]":    {"x", 88, 92},
		" ptrs [1]": {"ptrs", 8, 16},
		"x+6":       {"x", 6, 7},
		"7":         {"x", 28, 32},
		"shared":    {"shared", 0, 4},
		"%p":        {"ptrs", 8, 9},
	} {
		place, problem := goToMemory(m, text)
		require.Empty(t, problem, text)
		require.Equal(t, want, place, text)
	}
	for text, want := range map[string]string{
		"x[32]":   "x has 32 elements",
		"x+128":   "x has 128 bytes",
		"y[1]":    `there is no buffer or variable named "y"`,
		"0x10":    "nothing that is shown here is at 0x10",
		"0xzz":    "0xzz is not an address",
		"x[5][4]": "x has 32 elements",
		"x[-1]":   "x has 32 elements",
		"%q":      "no instruction here has a register %q",
		"x[":      "write an index or a number of bytes: x[0], x+4",
	} {
		_, problem := goToMemory(m, text)
		require.Equal(t, want, problem, text)
	}
	m.memoryAction(GoToMemory{"shared[15]"})
	require.Equal(t, "shared", m.Region)
	require.True(t, m.Chosen)
	require.True(t, m.found(m.shownRegion(), 60, 64))
	require.False(t, m.found(m.shownRegion(), 56, 60))
}

const sharedText = `//@ block 32
//@ arg ptrs u64[1] = address(x, 16)
//@ arg x u32[8]
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 ptrs, .param .u64 x)
{
	.reg .b32 %u, %t;
	.shared .align 4 .f32 tile[34];
	mov.u32 %t, %tid.x;
	mov.u32 %u, tile;
	mad.lo.u32 %u, %t, 4, %u;
	st.shared.b32 [%u+8], %t;
	ret;
}
`

// %u is an offset of shared memory: 4 bytes a lane. The store says so, and its own offset is not in the register. The
// only variable of shared memory is found by its name, too.
func TestGoToSharedMemory(t *testing.T) {
	store := realStore(sharedText)
	store.Do(SelectLane{5})
	goTo := func(text string) string {
		store.Do(GoToMemory{text})
		m := store.Model()
		if m.MemoryWords != "" {
			return m.MemoryWords
		}
		return fmt.Sprint(m.MemoryFound.Region, " ", m.MemoryFound.From)
	}
	store.Do(StepOnce{})
	require.Equal(t, "%u has no value in lane 5", goTo("%u"))
	store.Do(StepOnce{})
	require.Equal(t, "nothing that is shown here is at 0x0; as an offset it is shared+0", goTo("%u"), "it may be a number")
	store.Do(StepOnce{})
	require.Equal(t, "shared 20", goTo("%u"), "the next instruction stores there")
	store.Do(StepOnce{})
	require.Equal(t, "shared 20", goTo("%u"), "the last one has")
	require.Equal(t, "shared 12", goTo("tile[3]"))
	store.Do(SetWatch{0, "shared[7] == tile[7] && shared[7] > 0"}) // lane 5 has stored its number at 5*4 + 8 bytes
	require.Equal(t, "true", store.Model().Watched[0].Values[0])
	require.Equal(t, "ptrs 0", goTo("ptrs"))
	store.Do(FindMemory{"x+16"})
	require.Equal(t, "ptrs[0], 1 of 1", store.Model().MemoryWords, "as the cell shows it")
}

func TestFindAValue(t *testing.T) {
	m := memoryModel()
	m.memoryAction(FindMemory{"7"})
	require.Equal(t, "x[1][3], 1 of 1", m.MemoryWords, "as the table's rows are named")
	require.Equal(t, &memoryPlace{"x", 28, 32}, m.MemoryFound)
	place, _ := goToMemory(m, "x[1][3]")
	require.Equal(t, *m.MemoryFound, place)
	m.memoryAction(FindMemory{"0x40e00000"}) // 7.0 in bits
	require.Equal(t, "x[1][3], 1 of 1", m.MemoryWords)
	m.memoryAction(FindMemory{"7.5"})
	require.Equal(t, "7.5 is not in x", m.MemoryWords)
	m.memoryAction(FindMemory{"seven"})
	require.Equal(t, `"seven" is not a value of type f32`, m.MemoryWords)
	m.memoryAction(SetMemoryType{"b32"})
	m.memoryAction(FindMemory{"0x40e00000"})
	require.Equal(t, "x[7], 1 of 1", m.MemoryWords, "read as another type it has one dimension")
	require.Equal(t, "x[1234]", elementName(&debug.Region{Name: "x"}, 1234), "a comma would be between two indices")

	m.memoryAction(choosing("shared", m))
	for i := 1; i <= 17; i++ { // 16 zeros, then the first again
		m.memoryAction(FindMemory{"0"})
		require.Equal(t, 4*((i-1)%16), m.MemoryFound.From)
	}
	for typ, c := range map[isa.Type]struct {
		text string
		bits uint64
	}{isa.S16: {"-2", 0xfffe}, isa.U8: {"255", 255}, isa.F64: {"-1.5", 0xbff8000000000000}, isa.F16: {"1.5", 0x3e00},
		isa.B32: {"0xffffffff", 0xffffffff}} {
		match, ok := matcher(typ, c.text)
		require.True(t, ok)
		require.True(t, match(c.bits), "%s of %s", c.text, typ)
		require.False(t, match(c.bits^1))
	}
	_, ok := matcher(isa.U8, "256")
	require.False(t, ok)
}

// choosing chooses a region and gives an action that changes nothing.
func choosing(name string, m *Model) Action {
	m.Region, m.MemoryFound = name, nil
	return SetMemoryType{""}
}

func TestMemoryIsReadAsAnotherType(t *testing.T) {
	m := memoryModel()
	m.memoryAction(SetMemoryType{"u8"})
	r := m.shownRegion()
	require.Equal(t, "u8", r.Type)
	rows, _ := memoryPage(r, MemoryTable, 0)
	require.Equal(t, "128", rows[0].Cells[6].Text) // 1.0 is 0x3f800000: byte 2 of the second element
	require.Equal(t, "f32", m.View.Memory[0].Type, "the view stays as it is")
	m.memoryAction(SetMemoryType{""})
	require.Equal(t, "f32", m.shownRegion().Type)
}

func TestPointersAreFollowed(t *testing.T) {
	m := memoryModel()
	m.Region = "ptrs"
	r := m.shownRegion()
	rows, _ := memoryPage(r, MemoryTable, 0)
	markCells(m, r, MemoryTable, rows)
	require.Equal(t, memoryCell{Text: "x+12", Offset: 0, Pointer: 0x100c}, rows[0].Cells[0])
	require.Zero(t, rows[0].Cells[1].Pointer)
	require.Contains(t, strings.Join(memoryHTML(rows, MemoryTable), ""), `data-pointer="0x100c"`)
	m.memoryAction(GoToMemory{"0x100c"})
	require.Equal(t, "x", m.Region)
}

// From a chosen step on, changed is what differs from that step, on the page that is shown.
func TestChangedSinceAStep(t *testing.T) {
	m := memoryModel()
	m.View.Tick = 7
	m.memoryAction(CompareMemory{true})
	require.Empty(t, m.shownRegion().Changed)
	later := memoryModel().View.Memory
	later[0].Bytes[21] = 9
	later[0].Bytes[22] = 9
	later[0].Bytes[0] = 1
	m.View.Memory = later
	require.Equal(t, []debug.Range{{Start: 0, End: 1}, {Start: 21, End: 23}}, m.shownRegion().Changed)
	rows, _ := memoryPage(m.shownRegion(), MemoryTable, 0)
	require.True(t, rows[1].Cells[1].Changed, "a row of the matrix is a row of the table")
	require.False(t, rows[1].Cells[0].Changed)
	m.memoryAction(CompareMemory{false})
	require.Empty(t, m.shownRegion().Changed)
}
