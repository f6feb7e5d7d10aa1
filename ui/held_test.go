package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx/isa"
)

// heldAt is a store with an example that has just executed an instruction that begins so.
func heldAt(t *testing.T, example, opcode string) *Store {
	t.Helper()
	s := exampleAt(t, example, 0)
	for range 200 {
		h := s.Model().Holding
		if h != nil && !h.Upcoming && strings.HasPrefix(h.Inst.Opcode, opcode) {
			return s
		}
		s.Do(StepOnce{})
		s.platform.(*fakePlatform).frame()
	}
	require.Fail(t, "it did not run", opcode)
	return nil
}

func table(s *Store) heldTable { return newHeldTable(s.Model().Holding, s.Model().Held) }

// The operands of a wgmma with rows of 32 bytes and 32-byte swizzling: A[r][k] = 16 r + k is at byte 32 r of ta, in the
// first 16 bytes if k < 8, and the other way round in rows 4 to 7 of eight.
func TestHeldInSharedMemory(t *testing.T) {
	s := heldAt(t, "29-wgmma.ptx", "wgmma.mma_async")
	s.Do(ShowMatrix{1})
	a := table(s)
	require.Equal(t, heldSpan{0, 64, 64, 64}, a.Rows)
	require.Equal(t, "value, byte of shared memory", a.Legend)
	require.Equal(t, heldCell{Lane: -1, Element: 5*16 + 10, Text: "90", Sub: "164", Words: "A[5][10] = 90: ta+164"},
		a.Lines[5].Cells[10])
	require.True(t, a.Lines[5].Cells[7].Odd, "the second 16 bytes of a line")

	s.Do(ShowPlaces{true})
	a = table(s)
	require.Equal(t, []string{"+0", "+16", "+32", "+48", "+64", "+80", "+96", "+112"}, a.Heads)
	require.Len(t, a.Lines, 16, "2048 bytes")
	require.Equal(t, "ta+128", a.Lines[1].Head) // rows 4 to 7
	require.Equal(t, heldCell{Lane: -1, Element: 4*16 + 8, Text: "72…", Sub: "4·8–15", Odd: true,
		Words: "A[4][8] = 72: ta+128 and the next 7 elements, to A[4][15] = 79"}, a.Lines[1].Cells[0])
	require.Equal(t, "0·0–7", a.Lines[0].Cells[0].Sub)

	// In the panel Memory ta is an array of words: cells of 4 bytes.
	s.Do(SelectRegion{"ta"})
	m := s.Model()
	require.Equal(t, []int{128, 132, 136, 140}, m.heldOffsets(4*16+8))
	require.Equal(t, []int{72, 73, 74, 75, 76, 77, 78, 79}, m.heldIn(136))
	s.Do(ShowPlaces{false})
	m = s.Model()
	require.Equal(t, []int{164}, m.heldOffsets(5*16+10))
	require.Equal(t, []int{5*16 + 10, 5*16 + 11}, m.heldIn(164))
	s.Do(SelectRegion{"tb"})
	require.Empty(t, s.Model().heldOffsets(5*16+10))
	s.Do(GoToMemory{s.Model().heldAddress(5*16 + 10)})
	require.Equal(t, &memoryPlace{"ta", 164, 165}, s.Model().MemoryFound)
}

// D of a tcgen05.mma has its row r in lane r.
func TestHeldInTensorMemory(t *testing.T) {
	s := heldAt(t, "34-tcgen05.ptx", "tcgen05.mma")
	d := table(s)
	require.Equal(t, heldSpan{0, 64, 128, 64}, d.Rows)
	require.Equal(t, "rows 0–63 of 128", d.Rows.words("rows"))
	s.Do(ShowRows{64})
	d = table(s)
	require.Equal(t, "64", d.Lines[0].Head)
	require.Equal(t, heldCell{Lane: -1, Element: 73*16 + 3, Text: "0", Sub: "73·3",
		Words: "D[73][3] = 0: lane 73, column 3 of tensor memory, which warp 2 reads"}, d.Lines[9].Cells[3])
	s.Do(SelectRegion{debug.TensorMemory})
	m := s.Model()
	require.Equal(t, []int{4 * (73*32 + 3)}, m.heldOffsets(73*16+3)) // 32 columns are allocated
	require.Equal(t, []int{73*16 + 3}, m.heldIn(4*(73*32+3)))
	s.Do(GoToMemory{m.heldAddress(73*16 + 3)})
	require.Equal(t, 4*(73*32+3), s.Model().MemoryFound.From)
	s.Do(ShowPlaces{true})
	require.Equal(t, heldSpan{0, 64, 128, 64}, table(s).Rows)
	require.Equal(t, "3·2", table(s).Lines[3].Cells[2].Sub)
}

// Of 128 x 256 elements 32 x 32 are drawn, and turned by the lanes of a warp.
func TestHeldCutOuts(t *testing.T) {
	rows, cols := cutOuts(heldChoice{Col: 40, Row: 100}, 128, 256)
	require.Equal(t, []heldSpan{{96, 32, 128, 32}, {32, 32, 256, 32}}, []heldSpan{rows, cols})
	rows, cols = cutOuts(heldChoice{Col: 999, Row: -4}, 16, 8)
	require.Equal(t, []heldSpan{{0, 16, 16, 128}, {0, 8, 8, 32}}, []heldSpan{rows, cols})

	// A row of two lines of memory with nothing between them.
	mat := &debug.Matrix{}
	mat.Name, mat.Home, mat.Rows, mat.Cols, mat.Type = "A", emu.InShared, 1, 2, isa.F16
	mat.Places = []emu.MemoryPlace{{At: 1040}, {At: 16}}
	p := newHeldPlaces(mat, heldChoice{})
	require.Len(t, p.Lines, 2)
	require.Equal(t, "shared+1024", p.Lines[1].Head)
	require.Equal(t, "A[0][0]: shared+1040", p.Lines[1].Cells[1].Words)
	require.Equal(t, heldCell{Lane: -1, Element: -1, Words: "none of A"}, p.Lines[0].Cells[0])
}
