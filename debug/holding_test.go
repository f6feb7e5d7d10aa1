package debug

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx/isa"
)

// at opens an example at the step after the first execution of an instruction that begins so.
func at(t *testing.T, example, opcode string) *Session {
	t.Helper()
	text, err := os.ReadFile("../public/examples/" + example)
	require.NoError(t, err)
	s := open(t, string(text))
	for range 200 {
		s.Step()
		if v := s.View(); v.Ran != nil && strings.HasPrefix(v.Ran.Inst.Opcode, opcode) {
			return s
		}
	}
	require.Fail(t, "it did not run", opcode)
	return nil
}

// A[r][k] = 16 r + k, B[k][c] = 16 c + k, and D[r][c] = 4096 r c + 1920 (r + c) + 1240: the example works them out.
func TestHoldingOfAProduct(t *testing.T) {
	s := at(t, "23-mma-f16.ptx", "mma.sync")
	h := s.Holding(false)
	require.NotNil(t, h)
	require.False(t, h.Upcoming)
	d, a, b, c := h.Matrices[0], h.Matrices[1], h.Matrices[2], h.Matrices[3]
	for _, m := range h.Matrices {
		require.True(t, m.Known, m.Name)
	}
	number := func(n int) string { return fmt.Sprint(n) }
	for row := range 16 {
		for col := range 8 {
			require.EqualValues(t, 4096*row*col+1920*(row+col)+1240,
				math.Float32frombits(uint32(d.Values[row*d.Cols+col])), "D[%d][%d]", row, col)
			require.Zero(t, c.Values[row*c.Cols+col])
			require.Equal(t, number(16*col+row), launch.FormatValue(isa.F16, b.Values[row*8+col], 0))
		}
		for k := range 16 {
			require.Equal(t, number(16*row+k), launch.FormatValue(isa.F16, a.Values[row*16+k], 0), "A[%d][%d]", row, k)
		}
	}
	// Row 9 is eight rows below row 1, which lanes 4 to 7 have; column 3 is the second of lane 5.
	require.Equal(t, "lane 5, %a1, upper half", a.HolderName(a.At(9, 3)))
	require.Equal(t, "lane 5, %d3", d.HolderName(d.At(9, 3)))

	s.StepBack()
	h = s.Holding(true)
	require.True(t, h.Upcoming)
	require.False(t, h.Matrices[0].Known, "D is yet to come")
	require.Equal(t, a.Values, h.Matrices[1].Values)
	s.Reset()
	require.Nil(t, s.Holding(false))
}

// With .bfly and 16 each lane gets the value of the lane on the other side of the warp.
func TestHoldingOfAShuffle(t *testing.T) {
	s := at(t, "11-warp-reduction.ptx", "shfl.sync.bfly")
	h := s.Holding(false)
	require.Empty(t, h.Matrices)
	e := h.Exchange
	require.Equal(t, emu.FullMask, e.Lanes&e.InRange)
	for lane := range 32 {
		require.Equal(t, emu.Mask(1)<<(lane^16), e.From[lane])
		require.Equal(t, e.Gives.Values[lane^16], e.Gets.Values[lane])
	}
	require.Equal(t, "%other", e.Gets.Name)
}

// A ballot is made from the predicates of all lanes; of match.any the lanes of one value are those in the result.
func TestHoldingOfVotesAndMatches(t *testing.T) {
	e := at(t, "12-vote-ballot.ptx", "vote.sync.ballot").Holding(false).Exchange
	require.Equal(t, emu.FullMask, e.From[7])
	s := open(t, "//@ block 32\n.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n"+
		"mov.u32 %r0, %laneid;\nand.b32 %r0, %r0, 3;\nmatch.any.sync.b32 %r1, %r0, -1;\nredux.sync.add.s32 %r2, %r0, -1;\n"+
		"ret;\n}\n")
	for range 3 {
		s.Step()
	}
	e = s.Holding(false).Exchange
	for lane := range 32 {
		require.Equal(t, emu.Mask(0x11111111)<<(lane&3), e.From[lane])
		require.EqualValues(t, e.From[lane], e.Gets.Values[lane])
	}
}
