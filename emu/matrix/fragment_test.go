package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// where gives rows and columns of a lane's elements.
func where(g Fragment, lane int) (list [][2]int) {
	g.Prepare()
	for i := range g.PerLane() {
		at := g.Place(lane, i)
		list = append(list, [2]int{at / g.Cols, at % g.Cols})
	}
	return list
}

// Lane 5 has groupID 1 and threadID_in_group 1. The lists follow from the formulas of the section.
func TestFragmentLayouts(t *testing.T) {
	f16, tf32 := ElementOf(isa.F16, false), ElementOf(isa.TF32, false)
	s8, f64 := ElementOf(isa.S8, false), ElementOf(isa.F64, false)
	for _, c := range []struct {
		section string
		g       Fragment
		want    [][2]int
	}{
		{"9.7.16.5.8, C of m16n8k16", Accumulator(isa.F32, 16, 8), [][2]int{{1, 2}, {1, 3}, {9, 2}, {9, 3}}},
		{"9.7.16.5.8, A of .f16", A(f16, 16, 16), [][2]int{{1, 2}, {1, 3}, {9, 2}, {9, 3}, {1, 10}, {1, 11}, {9, 10},
			{9, 11}}},
		{"9.7.16.5.8, B of .f16, transposed", B(f16, 8, 16), [][2]int{{1, 2}, {1, 3}, {1, 10}, {1, 11}}},
		{"9.7.16.5.7, A of .tf32", A(tf32, 16, 8), [][2]int{{1, 1}, {9, 1}, {1, 5}, {9, 5}}},
		{"9.7.16.5.3, A of m8n8k4 of .f64", A(f64, 8, 4), [][2]int{{1, 1}}},
		{"9.7.16.5.4, A of m8n8k16 of .s8", A(s8, 8, 16), [][2]int{{1, 4}, {1, 5}, {1, 6}, {1, 7}}},
	} {
		require.Equal(t, c.want, where(c.g, 5), c.section)
	}
	// 9.7.16.5.1: lane 17 is thread 1 of the second half of the first quad: row 1 + 4 of A by rows, and column 1 by
	// columns.
	require.Equal(t, [][2]int{{5, 0}, {5, 1}, {5, 2}, {5, 3}}, where(QuadOf(A(f16, 8, 4), true), 17))
	require.Equal(t, [][2]int{{4, 1}, {5, 1}, {6, 1}, {7, 1}}, where(QuadOf(A(f16, 8, 4), false), 17))
}

// What is written is read, whatever the width of elements and registers, and no two elements share a place.
func TestFragmentsHoldWhatIsWritten(t *testing.T) {
	for _, e := range []isa.Type{isa.F16, isa.TF32, isa.F64, isa.S8, isa.U4, isa.B1} {
		for _, g := range []Fragment{A(ElementOf(e, false), 16, 128), B(ElementOf(e, false), 8, 128)} {
			g.Prepare()
			var narrow [64][32]uint32
			var wide [64][32]uint64
			registers := func(i int) Row {
				if g.Bits == 64 {
					return Row{Wide: &wide[i]}
				}
				return Row{Narrow: &narrow[i]}
			}
			count := g.PerLane() * g.Bits / max(32, g.Bits)
			in, out := make([]uint64, g.Rows*g.Cols), make([]uint64, g.Rows*g.Cols)
			for i := range in {
				in[i] = uint64(i*0x9e37) & (^uint64(0) >> (64 - g.Bits))
			}
			g.Write(registers, count, in)
			g.Read(registers, out)
			require.Equal(t, in, out, "%d bits", g.Bits)
		}
	}
}

// A row without registers loses what is written and reads as 0; more registers than the matrix needs repeat it.
func TestFragmentRegisters(t *testing.T) {
	g := A(ElementOf(isa.F16, false), 16, 8) // 4 elements in a lane: two registers
	g.Prepare()
	in, out := make([]uint64, 128), make([]uint64, 128)
	for i := range in {
		in[i] = uint64(i)
	}
	var regs [4][32]uint32
	g.Write(func(i int) Row { return Row{Narrow: &regs[i]} }, 4, in)
	require.Equal(t, [2]uint32{0x0001_0000, 0x0041_0040}, [2]uint32{regs[0][0], regs[1][0]}) // (0,0), (0,1); (8,0), (8,1)
	require.Equal(t, regs[:2], regs[2:])
	g.Write(func(int) Row { return Row{} }, 2, in)
	g.Read(func(int) Row { return Row{} }, out)
	require.Equal(t, make([]uint64, 128), out)
}
