package debug

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// instOf parses an instruction with registers of these declarations.
func instOf(t *testing.T, target, declare, text string) *ptx.Inst {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 9.0\n.target "+target+"\n.address_size 64\n.visible .entry k()\n{\n"+
		declare+"\n"+text+"\nret;\n}\n"))
	require.NoError(t, err)
	return m.Entries()[0].Insts[0]
}

// In the manual's formulas (9.7.16.5.8) groupID is lane/4, threadID_in_group is lane%4, and i numbers the elements of a
// lane.
func TestLayoutsOfMma(t *testing.T) {
	in := instOf(t, "sm_80", ".reg .b32 %a<4>, %b<2>; .reg .f32 %c<4>;",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, "+
			"{%c0,%c1,%c2,%c3};")
	list := emu.Layouts(in)
	require.Len(t, list, 4)
	d, a, b, c := list[0], list[1], list[2], list[3]
	require.Equal(t, []string{"D", "A", "B", "C"}, []string{d.Name, a.Name, b.Name, c.Name})
	require.Equal(t, []int{16, 16, 16, 8}, []int{a.Rows, a.Cols, b.Rows, b.Cols})
	require.Equal(t, []bool{true, false}, []bool{d.Write, a.Write})
	for lane := range 32 {
		group, thread := lane/4, lane%4
		for i := range 8 {
			row, col := group, 2*thread+i&1
			if i&2 != 0 { // 2 <= i < 4 or 6 <= i
				row += 8
			}
			if i >= 4 {
				col += 8
			}
			require.Equal(t, emu.Holder{Lane: lane, Register: i / 2, Part: i % 2}, a.At(row, col), "a%d of lane %d", i, lane)
		}
		for i := range 4 {
			row, col := 2*thread+i&1, group
			if i >= 2 {
				row += 8
			}
			require.Equal(t, emu.Holder{Lane: lane, Register: i / 2, Part: i % 2}, b.At(row, col), "b%d of lane %d", i, lane)
			row, col = group, 2*thread+i&1
			if i >= 2 {
				row += 8
			}
			require.Equal(t, emu.Holder{Lane: lane, Register: i}, c.At(row, col), "c%d of lane %d", i, lane)
			require.Equal(t, c.At(row, col), d.At(row, col))
		}
	}
}

// 9.7.16.5.1: of four products at once the first has lanes 0-3 and 16-19. A by rows: the row is lane%4, 4 more from
// lane 16 on; the column is i.
func TestLayoutsOfQuads(t *testing.T) {
	in := instOf(t, "sm_70", ".reg .b32 %a<2>, %b<2>; .reg .f32 %c<8>;",
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, {%a0,%a1}, {%b0,%b1}, "+
			"{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};")
	list := emu.Layouts(in)
	require.Len(t, list, 16)
	require.Equal(t, "A of lanes 4–7 and 20–23", list[5].Name)
	require.Equal(t, emu.Holder{Lane: 4 + 17, Register: 1, Part: 1}, list[5].At(5, 3))
}

// Each row of 16 bytes is given by a lane's address: lanes 0-7 for the first matrix, 8-15 for the second. Lane l has
// of row l/4 the elements 2(l%4) and the next; with .trans of column l/4 (9.7.16.5.15).
func TestLayoutsOfLdmatrix(t *testing.T) {
	const declare = ".reg .b32 %r<2>; .reg .b64 %p;"
	list := emu.Layouts(instOf(t, "sm_75", declare, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0,%r1}, [%p];"))
	require.Len(t, list, 2)
	require.Equal(t, []int{8, 9, 10, 11, 12, 13, 14, 15}, list[1].RowLanes)
	across := emu.Layouts(instOf(t, "sm_75", declare, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r0,%r1}, [%p];"))
	for lane := range 32 {
		for e := range 2 {
			want := emu.Holder{Lane: lane, Register: 1, Part: e}
			require.Equal(t, want, list[1].At(lane/4, 2*(lane%4)+e))
			require.Equal(t, want, across[1].At(2*(lane%4)+e, lane/4))
		}
	}
	store := emu.Layouts(instOf(t, "sm_90", declare, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%p], {%r0};"))
	require.Equal(t, []int{1, 8, 8}, []int{store[0].Operand, store[0].Rows, store[0].Cols})
	require.False(t, store[0].Write)
}

// A warp has 16 of the 64 rows of D: row lane/4 and the row 8 more, in each group of 8 columns 2(lane%4) and the next
// (9.7.17.5.1.1).
func TestLayoutsOfWgmma(t *testing.T) {
	in := instOf(t, "sm_90a", ".reg .f32 %d<8>; .reg .b64 %a, %b; .reg .pred %p;",
		"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, %a, %b, %p, 1, 1, 0, 0;")
	list := emu.Layouts(in)
	require.Len(t, list, 1, "A and B are in shared memory")
	for lane := range 32 {
		for i := range 8 {
			row, col := lane/4+i/2%2*8, i/4*8+2*(lane%4)+i%2
			require.Equal(t, emu.Holder{Lane: lane, Register: i}, list[0].At(row, col))
		}
	}
}

// 9.7.10.6: bval 3, and a segment of the warp by cval: 0x1f all lanes, 0x1807 segments of 8.
func TestShuffleSource(t *testing.T) {
	for text, want := range map[string][2]int{ // of lane 5 and of lane 30; lanes that are out of range keep theirs
		"shfl.sync.up.b32 %r0, %r0, 3, 0, -1;":       {2, 27},
		"shfl.sync.down.b32 %r0, %r0, 3, 0x1f, -1;":  {8, 30},
		"shfl.sync.bfly.b32 %r0, %r0, 3, 0x1f, -1;":  {6, 29},
		"shfl.sync.idx.b32 %r0, %r0, 3, 0x1807, -1;": {3, 27},
	} {
		in := instOf(t, "sm_70", ".reg .b32 %r<2>;", text)
		for i, lane := range []int{5, 30} {
			source, ok := emu.ShuffleSource(in, lane, in.Operands[2].Imm, in.Operands[3].Imm)
			require.Equal(t, want[i], source, text)
			require.Equal(t, source != lane, ok)
		}
	}
	require.Nil(t, emu.Layouts(instOf(t, "sm_70", ".reg .b32 %r<2>;", "mov.b32 %r0, %r1;")))
}
