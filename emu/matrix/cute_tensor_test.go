package matrix

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Layouts of tensor memory, from include/cute/atom/mma_traits_sm100_frag.hpp of CUTLASS. CuTe numbers its cells by lane
// + 128 * column; a column has 32 bits of an element of D, one byte of scale factors, or one bit of metadata.

// tensorCase is a tcgen05.mma, and what follows from its instruction descriptor.
type tensorCase struct {
	name string
	m    MMA
	rows int // of all CTAs
	n    int
	kind uint32 // the type bits of the instruction descriptor
}

func (c *tensorCase) plan(t *testing.T, d uint32) Plan {
	t.Helper()
	desc := c.kind | uint32(c.n/8)<<17
	if c.m.Sparse {
		desc |= 1 << 2
	}
	if c.m.Scaled() {
		desc |= uint32(c.rows/128) << 27
	} else {
		desc |= uint32(c.rows/16) << 24
	}
	p, err := c.m.Decode(desc, d)
	require.NoError(t, err, c.name)
	return p
}

// tmem_frg and tmem_frg_ws: the first mode is the row in its CTA, the others are the column.
func TestPlacesOfDAreThoseOfCuTe(t *testing.T) {
	f16 := func(m MMA) MMA {
		m.Kind = ".kind::f16"
		return m
	}
	for _, c := range []struct {
		tensorCase
		row, col cute
	}{
		{tensorCase{"M 128", f16(MMA{}), 128, 48, 1 << 4}, modes([]int{128}, 1), modes([]int{48}, 128)},
		{tensorCase{"M 64", f16(MMA{}), 64, 40, 1 << 4}, modes([]int{16, 4}, 1, 32), modes([]int{40}, 128)},
		{tensorCase{"M 256", f16(MMA{Pair: true}), 256, 64, 1 << 4}, modes([]int{128}, 1), modes([]int{64}, 128)},
		{tensorCase{"M 128 in a pair", f16(MMA{Pair: true}), 128, 96, 1 << 4}, modes([]int{64}, 1),
			modes([]int{48, 2}, 128, 64)},
		{tensorCase{".ws, M 32", f16(MMA{Stationary: true}), 32, 128, 1 << 4}, modes([]int{32}, 1),
			modes([]int{32, 4}, 128, 32)},
		{tensorCase{".ws, M 64", f16(MMA{Stationary: true}), 64, 256, 1 << 4}, modes([]int{64}, 1),
			modes([]int{128, 2}, 128, 64)},
		{tensorCase{".ws, M 128", f16(MMA{Stationary: true}), 128, 64, 1 << 4}, modes([]int{128}, 1),
			modes([]int{64}, 128)},
	} {
		p := c.plan(t, 0)
		require.Equal(t, c.row.size(), p.Rows())
		for row := range p.Rows() {
			for col := range c.n {
				lane, column := p.Place(row, col)
				require.Equal(t, c.row.at(row)+c.col.at(col), lane+128*column, "%s, row %d, column %d", c.name, row, col)
			}
		}
	}
}

// TmemAllocMode: an A of M 128 in a pair is there twice, its 64 rows in lanes 0 to 63 and again in 64 to 127. In one
// CTA and without .ws, A has the lanes of D.
func TestLanesOfAAreThoseOfCuTe(t *testing.T) {
	pair := tensorCase{"", MMA{Kind: ".kind::f16", Pair: true}, 128, 32, 1 << 4}
	half := tensorCase{"", MMA{Kind: ".kind::f16"}, 64, 32, 1 << 4}
	p, f := pair.plan(t, 0), half.plan(t, 0)
	for line := range 128 {
		require.Equal(t, line, p.LaneOf(line))
	}
	for line := range 64 {
		require.Equal(t, modes([]int{16, 4}, 1, 32).at(line), f.LaneOf(line))
	}
}

// tmem_e_frg and tmem_e_frg_ws: row and column of the matrix that A stands for. The last mode, where there is one, is
// the copy. A cell is a bit; .tf32 has cells of two bits, and elements of 4 bits have half a bit.
func TestMetadataInTensorMemoryIsThatOfCuTe(t *testing.T) {
	row16, col16 := []int{8, 2, 8}, []int{16, 2}
	tf32 := uint32(1<<4 | 2<<7 | 2<<10)
	for _, c := range []struct {
		tensorCase
		row, col, copies cute
		halfBits         int // of a cell
	}{
		{tensorCase{".f16", MMA{Kind: ".kind::f16"}, 128, 64, 1 << 4}, modes(row16, 1, 2048, 16), modes(col16, 128, 8),
			cute{}, 2},
		{tensorCase{".tf32", MMA{Kind: ".kind::tf32"}, 128, 64, tf32}, modes(row16, 1, 1024, 16),
			modes([]int{8, 2}, 128, 8), cute{}, 4},
		{tensorCase{".e4m3", MMA{Kind: ".kind::f8f6f4"}, 128, 64, 1 << 4}, modes([]int{128}, 1), modes([]int{64}, 128),
			cute{}, 2},
		{tensorCase{"4 bits", MMA{Kind: ".kind::mxf4"}, 128, 64, 1<<23 | 1<<7 | 1<<10}, modes([]int{128}, 1),
			modes([]int{128}, 128), cute{}, 1},
		{tensorCase{".ws, .f16, M 64", MMA{Kind: ".kind::f16", Stationary: true}, 64, 64, 1 << 4},
			modes([]int{8, 2, 4}, 1, 2048, 16), modes(col16, 128, 8), modes([]int{2}, 64), 2},
		{tensorCase{".ws, .tf32, M 32", MMA{Kind: ".kind::tf32", Stationary: true}, 32, 64, tf32},
			modes([]int{8, 2, 2}, 1, 1024, 16), modes([]int{8, 2}, 128, 8), modes([]int{4}, 32), 4},
		{tensorCase{".ws, .e4m3, M 32", MMA{Kind: ".kind::f8f6f4", Stationary: true}, 32, 64, 1 << 4},
			modes([]int{32}, 1), modes([]int{64}, 128), modes([]int{4}, 32), 2},
	} {
		c.m.Sparse = true
		p := c.plan(t, 0)
		chunk := 8 / c.halfBits // columns that share four bits
		require.Equal(t, p.K, c.col.size(), c.name)
		require.Equal(t, p.Parts(), c.copies.size(), c.name)
		for row := range p.Rows() {
			for k := 0; k < p.K; k += chunk {
				for part := range p.Parts() {
					cell := c.row.at(row) + c.col.at(k) + c.copies.at(part)
					lane, col, shift := p.metaAt(row, part, k/chunk)
					require.Equal(t, [2]int{cell % 128, cell / 128 * c.halfBits / 2}, [2]int{lane, 32*col + shift},
						"%s, row %d, column %d", c.name, row, k)
				}
			}
		}
	}
}

// factorCells gives what ScaleA or ScaleB reads: the cell, in bytes, of the scale factor of each element.
func factorCells(scale func(values []uint64, words Words), lines, k int) [][]int {
	cells := make([][]int, lines)
	for line := range lines {
		cells[line] = make([]int, k)
	}
	// Three runs say a byte, the lane and the column of what has been read: powers of two, of which the exponent is the
	// factor.
	for i, digit := range []func(lane, column int) [4]int{
		func(int, int) [4]int { return [4]int{0, 1, 2, 3} },
		func(lane, _ int) [4]int { return [4]int{lane, lane, lane, lane} },
		func(_, column int) [4]int { return [4]int{column, column, column, column} },
	} {
		values := make([]uint64, lines*k)
		for j := range values {
			values[j] = math.Float64bits(1)
		}
		scale(values, func(lane, column int) (word uint32) {
			for b, e := range digit(lane, column) {
				word |= uint32(127+e-64) << (8 * b) // .ue8m0: 2^(e-64)
			}
			return word
		})
		for j, v := range values {
			e := int(math.Log2(math.Float64frombits(v))) + 64
			cells[j/k][j%k] += e * []int{128, 1, 128 * 4}[i]
		}
	}
	return cells
}

// tmem_sf_frg: the line of A or B, its copy in another warp, and the factor. Without pairs of M 128 every warp has all
// (ScaleFactorDuplicated4by1), and reads its own.
func TestScaleFactorsAreThoseOfCuTe(t *testing.T) {
	for _, c := range []struct {
		tensorCase
		k, factors int
	}{
		{tensorCase{"1X", MMA{Kind: ".kind::mxf8f6f4"}, 128, 128, 1 << 23}, 32, 1},
		{tensorCase{"2X", MMA{Kind: ".kind::mxf4"}, 128, 256, 1<<23 | 1<<7 | 1<<10}, 64, 2},
		{tensorCase{"4X", MMA{Kind: ".kind::mxf4nvf4", Blocks: ".block16"}, 128, 64, 1<<23 | 1<<7 | 1<<10}, 64, 4},
		{tensorCase{"2X in a pair", MMA{Kind: ".kind::mxf4", Pair: true}, 256, 128, 1<<23 | 1<<7 | 1<<10}, 64, 2},
	} {
		p := c.plan(t, 0)
		factor := modes([]int{c.k / c.factors, c.factors}, 0, 128)
		a := factorCells(p.ScaleA, p.Rows(), c.k)
		for line := range p.Rows() {
			for k := range c.k { // the copy that the warp of the row has
				want := modes([]int{32, 4}, 1, 512).at(line) + line/32*32 + factor.at(k)
				require.Equal(t, want, a[line][k], "%s, row %d, column %d", c.name, line, k)
			}
		}
		for row := 0; row < p.Rows(); row += 32 {
			b := factorCells(func(values []uint64, words Words) { p.ScaleB(values, row, words) }, c.n, c.k)
			for line := range c.n {
				for k := range c.k {
					want := modes([]int{32, 8}, 1, 512).at(line) + row + factor.at(k)
					require.Equal(t, want, b[line][k], "%s, row %d of D, column %d", c.name, row, line)
				}
			}
		}
	}
}

// ScaleFactorDuplicated2by2, of M 128 in a pair: warps 0 and 1 have the factors of the first half of the columns of B,
// and warps 2 and 3 those of the second half, each from the first column of tensor memory on. These warps have those
// columns of D.
func TestScaleFactorsOfPairsAreThoseOfCuTe(t *testing.T) {
	for _, n := range []int{128, 256} {
		c := tensorCase{"", MMA{Kind: ".kind::mxf4", Pair: true}, 128, n, 1<<23 | 1<<7 | 1<<10}
		p := c.plan(t, 0)
		line := modes([]int{32, n / 64, 2}, 1, 512, 64)
		factor := modes([]int{32, 2}, 0, 128)
		for row := 0; row < 64; row += 32 {
			b := factorCells(func(values []uint64, words Words) { p.ScaleB(values, row, words) }, n, 64)
			for i := range n {
				for k := range 64 {
					require.Equal(t, line.at(i)+row+factor.at(k), b[i][k], "row %d of D, column %d", row, i)
				}
			}
		}
		require.Equal(t, n/64, p.FactorColumnsB())
	}
}

// K 96 in include/cutlass/gemm/collective/sm103_blockscaled_mma_warpspecialized.hpp: tmem_sf_frg with one factor for
// each product, and the products of a row after each other: four bytes of a word, and then the words after those of 128
// or 256 lines. The instruction descriptor of one in four of them says where its factors begin.
func TestScaleFactorsOfK96AreThoseOfCuTe(t *testing.T) {
	const kind = 1<<31 | 1<<23 | 1<<7 | 1<<10
	for _, c := range []struct {
		n, first int
		blocks   string
		factors  int
	}{{128, 0, ".block32", 3}, {128, 3, ".block32", 3}, {192, 2, ".block32", 3}, {256, 2, ".block16", 6}} {
		m := MMA{Kind: ".kind::mxf4nvf4", Blocks: c.blocks, Pair: true, SM: 103, Arch: "a"}
		tc := tensorCase{"", m, 256, c.n, kind | uint32(c.first)<<29 | uint32(c.first)<<4}
		p := tc.plan(t, 0)
		byteOf := func(lines, k int) int {
			return modes([]int{4, 4}, 128, (lines+127)/128*4*512).at(c.first + k*c.factors/96)
		}
		a := factorCells(p.ScaleA, 128, 96)
		b := factorCells(func(values []uint64, words Words) { p.ScaleB(values, 0, words) }, c.n, 96)
		for k := range 96 {
			for line := range 128 {
				require.Equal(t, line%32+line/32*512+line/32*32+byteOf(128, k), a[line][k], "row %d, column %d", line, k)
			}
			for line := range c.n {
				require.Equal(t, line%32+line/32*512+byteOf(c.n, k), b[line][k], "column %d of B, %d", line, k)
			}
		}
	}
}
