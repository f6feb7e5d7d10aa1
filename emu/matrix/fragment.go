// Package matrix is what the instructions on matrices (9.7.16 to 9.7.18) compute, without a machine: values in, values
// out.
//
//   - fragment.go, element.go: fragments, the registers of a warp that hold a matrix together; types of elements.
//   - dot.go: products of a row and a column, and of whole matrices.
//   - sparsity.go, scale.go: the metadata of a sparse A, and block scale factors.
//   - tcgen05.go, tcgen05_scale.go, tcgen05_sparse.go: what the instruction descriptor of tcgen05.mma says, and where
//     A, D, scale factors and metadata lie in tensor memory.
//   - descriptor.go: matrices in shared memory, as matrix descriptors give them, and swizzling.
//
// A matrix is a slice of elements, row after row; B is transposed, so that its columns follow each other. An element is
// its bits until Fragment.Values or an Element's Value has turned it into what a Dot takes.
//
// The package knows no registers, no memory and no faults: the caller hands it rows of lanes (Row) and bytes, and turns
// its errors into faults. An error's text says what is wrong; the caller puts the instruction before it.
package matrix

import "warpscope/ptx/isa"

// Fragment is how a matrix lies in registers of a warp (9.7.16.5): each lane has some elements, packed into registers.
//
// One rule gives all fragment layouts of 9.7.16.5.2 to 9.7.16.5.13. A matrix is cut into tiles of eight rows; a lane
// works for row lane/4 of a tile and has in each register a chunk of neighbouring columns, four lanes side by side. The
// columns of B take the part of rows, so B is kept transposed. A and accumulators go through 16 rows, upper tile
// first, before they move right; B moves along k first.
//
// The layout of wmma fragments is unspecified (9.7.16.4.1). Here it is the same rule for the larger shapes: a fragment
// of m16n16k16 is two of mma.m16n8k16 side by side, as on sm_80.
type Fragment struct {
	Element
	Rows, Cols int
	chunk      int  // neighbouring columns that a lane has
	pairs      bool // A and accumulators: 16 rows before the next columns
	quad       quad
	places     []uint16 // Place for each element of lane 0, then of lane 1, …
}

// quad is for mma.m8n8k4 of .f16 (9.7.16.5.1): four products at once, one for lanes 0-3 and 16-19, and so on.
type quad uint8

const (
	noQuad      quad = iota
	quadRow          // a lane has a row: A by rows, B by columns, accumulators of .f16
	quadColumn       // a lane has a part of a column
	quadSquares      // accumulators of .f32: 2 by 2 squares
)

// A is the layout of A, with m rows and k columns; of a sparse A, those that are stored.
func A(e Element, m, k int) Fragment {
	return Fragment{Element: e, Rows: m, Cols: k / e.packed, chunk: max(32/e.Bits, 1), pairs: true}
}

// B is the layout of the transposed B, with n rows and k columns.
func B(e Element, n, k int) Fragment {
	return Fragment{Element: e, Rows: n, Cols: k / e.packed, chunk: max(32/e.Bits, 1)}
}

// QuadOf is the layout that a fragment A or B of mma.m8n8k4 of .f16 has (9.7.16.5.1). byRow: a lane has a row of A,
// or a column of B.
func QuadOf(g Fragment, byRow bool) Fragment {
	if g.quad = quadColumn; byRow {
		g.quad = quadRow
	}
	return g
}

// Accumulator is the layout of C or D, with m rows and n columns of type t.
func Accumulator(t isa.Type, m, n int) Fragment {
	return Fragment{Element: Element{Bits: t.Bits(), packed: 1}, Rows: m, Cols: n, chunk: 2, pairs: true}
}

// QuadAccumulator is the layout of C or D of mma.m8n8k4 of .f16: .f16 or .f32.
func QuadAccumulator(t isa.Type, m, n int) Fragment {
	g := Accumulator(t, m, n)
	if g.quad = quadSquares; t == isa.F16 {
		g.quad = quadRow
	}
	return g
}

// Quad says whether the fragment is one of mma.m8n8k4 of .f16: it has four matrices.
func (g *Fragment) Quad() bool { return g.quad != noQuad }

// batch is the number of matrices.
func (g *Fragment) batch() int {
	if g.Quad() {
		return 4
	}
	return 1
}

// PerLane is the number of elements that a lane has.
func (g *Fragment) PerLane() int { return g.batch() * g.Rows * g.Cols / 32 }

// at is the index of a lane's element i: row times columns plus column, after the matrices of earlier quads.
func (g *Fragment) at(lane, i int) int {
	if g.Quad() {
		return g.quadAt(lane, i)
	}
	c := i / g.chunk
	across := g.Cols / (4 * g.chunk)
	down, right := c/across, c%across
	if g.pairs && g.Rows > 8 {
		within := c % (2 * across)
		down, right = c/(2*across)*2+within&1, within>>1
	}
	return (8*down+lane>>2)*g.Cols + (4*right+lane&3)*g.chunk + i%g.chunk
}

func (g *Fragment) quadAt(lane, i int) int {
	high := lane >> 4 * 4
	row, col := 0, 0
	switch g.quad {
	case quadRow:
		row, col = lane&3+high, i
	case quadColumn:
		row, col = i+high, lane&3
	default:
		row, col = lane&1+i&2+high, i&4+lane&2+i&1
	}
	return lane>>2&3*g.Rows*g.Cols + row*g.Cols + col
}

// Prepare works out the places of the elements. Place, Read and Write need it; it is done once.
func (g *Fragment) Prepare() {
	g.places = make([]uint16, 0, 32*g.PerLane())
	for lane := range 32 {
		for i := range g.PerLane() {
			g.places = append(g.places, uint16(g.at(lane, i)))
		}
	}
}

// Place is the index in the matrix of a lane's element i.
func (g *Fragment) Place(lane, i int) int { return int(g.places[lane*g.PerLane()+i]) }

// perRegister is the number of elements in a register.
func (g *Fragment) perRegister() int { return max(32/g.Bits, 1) }

// Row is one register in all lanes of a warp: of 32 bits or of 64. One that has neither reads as 0, and what is written
// to it is lost.
type Row struct {
	Narrow *[32]uint32
	Wide   *[32]uint64
}

func (r Row) get(lane int) uint64 {
	switch {
	case r.Narrow != nil:
		return uint64(r.Narrow[lane])
	case r.Wide != nil:
		return r.Wide[lane]
	}
	return 0
}

func (r Row) set(lane int, v uint64) {
	switch {
	case r.Narrow != nil:
		r.Narrow[lane] = uint32(v)
	case r.Wide != nil:
		r.Wide[lane] = v
	}
}

// Read gathers the elements' bits from the fragment's registers. Registers after the first ones that hold the matrix
// are not read.
func (g *Fragment) Read(registers func(i int) Row, out []uint64) {
	per, mask := g.perRegister(), ^uint64(0)>>(64-g.Bits)
	n := g.PerLane()
	for r := range n / per {
		row := registers(r)
		for lane := range 32 {
			v := row.get(lane)
			for _, at := range g.places[lane*n+r*per:][:per] {
				out[at] = v & mask
				v >>= g.Bits
			}
		}
	}
}

// Write spreads elements over the lanes of so many registers. Fragments with more registers than the matrix needs (wmma
// of .f16) hold it several times.
func (g *Fragment) Write(registers func(i int) Row, count int, in []uint64) {
	per, n := g.perRegister(), g.PerLane()
	for r := range count {
		row := registers(r)
		for lane := range 32 {
			v := uint64(0)
			for i, at := range g.places[lane*n+r*per%n:][:per] {
				v |= in[at] << (i * g.Bits)
			}
			row.set(lane, v)
		}
	}
}

// Values replaces the bits of elements of A or B by what products are made of.
func (g *Fragment) Values(in []uint64) {
	for i, v := range in[:g.batch()*g.Rows*g.Cols] {
		in[i] = g.Value(v)
	}
}
