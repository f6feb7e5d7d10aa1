package debug

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/launch"
)

// written is an element as the page writes it.
func written(m *Matrix, row, col int) string {
	return launch.FormatValue(m.Type, m.Values[row*m.Cols+col], 0)
}

// Warp 0 loads lanes 0 to 31 of D: row r goes to lane r, column c to register c.
func TestHoldingOfTensorMemory(t *testing.T) {
	s := at(t, "34-tcgen05.ptx", "tcgen05.ld")
	h := s.Holding(false)
	require.Len(t, h.Matrices, 1)
	m := h.Matrices[0]
	require.Equal(t, []int{32, 16}, []int{m.Rows, m.Cols})
	require.Equal(t, "lane 3, %d2", m.HolderName(m.At(3, 2)))
	// Tensor memory has the product: 4096*3*2 + 1920*(3 + 2) + 1240.
	require.True(t, m.Known)
	require.Equal(t, "35416", written(&m, 3, 2))
	require.Equal(t, "T is tensor memory from [%i] on: a row is a lane there. "+
		"The values are in the registers after tcgen05.wait::ld.", h.Elsewhere)
}

// The example works out its own addresses: block (r/8, k/8) of 8 rows and 16 bytes begins at 256 (r/8) + 128 (k/8), and
// A[r][k] = 16 r + k, B[k][c] = 16 c + k.
func TestHoldingOfATensorProduct(t *testing.T) {
	s := at(t, "34-tcgen05.ptx", "tcgen05.mma")
	h := s.Holding(false)
	require.Len(t, h.Matrices, 3)
	d, a, b := &h.Matrices[0], &h.Matrices[1], &h.Matrices[2]
	require.Equal(t, []string{"D", "A", "B"}, []string{d.Name, a.Name, b.Name})
	require.Equal(t, []int{128, 16, 128, 16, 16, 16}, []int{d.Rows, d.Cols, a.Rows, a.Cols, b.Rows, b.Cols})
	for _, m := range h.Matrices {
		require.True(t, m.Known, m.Name)
	}
	for k := range 16 {
		for row := range 128 {
			require.Equal(t, strconv.Itoa(16*row+k), written(a, row, k))
			require.Equal(t, 256*(row/8)+128*(k/8)+row%8*16+k%8*2, a.Places[row*16+k].At)
		}
		for col := range 16 {
			require.Equal(t, strconv.Itoa(16*col+k), written(b, k, col))
		}
	}
	// Of layout D, row r and column c are lane r and column c (9.7.18.10.5.4).
	require.Equal(t, "lane 41, column 3 of tensor memory, which warp 1 reads", d.PlaceName(41*16+3))
	require.Equal(t, "ta+1426", a.PlaceName(41*16+9)) // 256*5 + 128*1 + 1*16 + 1*2
	require.Equal(t, "tb+18", b.PlaceName(1*16+1))    // column 1, k 1: 16 + 2
	require.Equal(t, "D is in tensor memory, from [%tmem] on: lanes 0–127, columns 0–15. "+
		"A is in shared memory, where the descriptor %descA says: ta to ta+4095. "+
		"B is in shared memory, where the descriptor %descB says: tb to tb+511. "+
		"Warps whose number modulo 4 is w read lanes 32 w to 32 w + 31 of tensor memory. "+
		"D is written when a thread waits for the mbarrier of a tcgen05.commit; until then it is what it was.", h.Elsewhere)
	require.Equal(t, "0", written(d, 3, 2), "the product is under way")

	s.StepBack()
	require.Equal(t, h.Matrices[1].Values, s.Holding(true).Matrices[1].Values, "and before it runs")
	s = at(t, "34-tcgen05.ptx", "tcgen05.fence")
	require.Nil(t, s.Holding(false))
}

// Rows of 32 bytes of which the halves change places in the upper four of eight rows: 32-byte swizzling (9.7.17.5.1.2).
func TestHoldingOfAGroupProduct(t *testing.T) {
	s := at(t, "29-wgmma.ptx", "wgmma.mma_async")
	h := s.Holding(false)
	require.Len(t, h.Matrices, 3)
	d, a, b := &h.Matrices[0], &h.Matrices[1], &h.Matrices[2]
	require.Equal(t, []int{64, 16, 16, 16}, []int{a.Rows, a.Cols, b.Rows, b.Cols})
	require.Equal(t, 16*s.View().State.Index, d.FirstRow)
	for k := range 16 {
		for row := range 64 {
			require.Equal(t, strconv.Itoa(16*row+k), written(a, row, k))
			require.Equal(t, 32*row+(k/8^row/4%2)*16+k%8*2, a.Places[row*16+k].At)
		}
		for col := range 16 {
			require.Equal(t, strconv.Itoa(16*col+k), written(b, k, col))
		}
	}
	require.Equal(t, "ta+164", a.PlaceName(5*16+10)) // 32*5 + 0*16 + 2*2
	require.Equal(t, "A is in shared memory, where the descriptor %descA says: ta to ta+2047. "+
		"B is in shared memory, where the descriptor %descB says: tb to tb+511. "+
		"The values are in the registers after wgmma.wait_group.", h.Elsewhere)
}

// Each CTA of a pair has half of the rows of A and D and of the columns of B (9.7.18.10.5.1).
func TestHoldingOfAPair(t *testing.T) {
	s := at(t, "37-tcgen05-pair.ptx", "tcgen05.mma")
	h := s.Holding(false)
	require.Equal(t, []int{128, 32, 128, 8, 8, 16}, []int{h.Matrices[0].Rows, h.Matrices[0].Cols, h.Matrices[1].Rows,
		h.Matrices[1].Cols, h.Matrices[2].Rows, h.Matrices[2].Cols})
	require.Contains(t, h.Elsewhere, "This CTA has rows 0–127 and columns 0–31 of D. "+
		"This CTA has rows 0–127 and columns 0–7 of A. This CTA has rows 0–7 and columns 0–15 of B.")
	require.Equal(t, strconv.Itoa(8*100+5), written(&h.Matrices[1], 100, 5))
	require.Equal(t, strconv.Itoa(8*9+5), written(&h.Matrices[2], 5, 9))
}

// A descriptor that is wrong is said, and one that is not known yet leaves the words.
func TestHoldingWithoutPlaces(t *testing.T) {
	src := "//@ block 128\n.version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n" +
		".shared .b32 s[32];\n.reg .b32 %t, %i<2>; .reg .b64 %a;\n" +
		"mov.b32 %t, 0;\nmov.b64 %a, 0;\nmov.b32 %i0, 0x08040018;\n" +
		"tcgen05.mma.cta_group::1.kind::f16 [%t], %a, %a, %i#, 0;\nret;\n}\n"
	for operand, want := range map[string]string{
		"1": "B is in shared memory, where the descriptor %a says.",
		"0": "It is a fault: the instruction descriptor 0x8040018: the bits 0x8 are reserved, and must be 0.",
	} {
		s := open(t, strings.Replace(src, "#", operand, 1))
		for range 3 {
			s.Step()
		}
		h := s.Holding(true)
		require.NotNil(t, h)
		require.Empty(t, h.Matrices)
		require.True(t, strings.HasSuffix(h.Elsewhere, want), h.Elsewhere)
	}
}

// A copy into tensor memory: row r of S is 16 bytes at 256 (r/8) + 16 (r%8), and goes to lane r.
func TestHoldingOfATensorCopy(t *testing.T) {
	s := open(t, txtar.Text(t, "sentence/tensorMoves"))
	for !strings.Contains(s.View().Status, "starts a copy to lane") {
		require.True(t, s.canRun())
		s.Step()
	}
	h := s.Holding(false)
	require.Len(t, h.Matrices, 2)
	require.Equal(t, "s+548", h.Matrices[0].PlaceName(4*18+1)) // 256*2 + 16*2 + 4
	require.Equal(t, "lane 18, column 5 of tensor memory, which warp 0 reads", h.Matrices[1].PlaceName(4*18+1))
	require.Equal(t, "T is in tensor memory, from [%t+4] on: lanes 0–127, columns 4–7. "+
		"S is in shared memory, where the descriptor %d says: s to s+3967. "+ // 256*15 + 16*7 + 15
		"Warps whose number modulo 4 is w read lanes 32 w to 32 w + 31 of tensor memory. "+
		"T is written when a thread waits for the mbarrier of a tcgen05.commit; until then it is what it was.", h.Elsewhere)
}
