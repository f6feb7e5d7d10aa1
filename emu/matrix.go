package emu

import (
	"fmt"
	"math"
	"unsafe"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// Matrices that the lanes of a warp hold together (9.7.14). Each lane has a fragment: registers with packed elements.
//
// One rule gives all fragment layouts of 9.7.14.5.2 to 9.7.14.5.13. A matrix is cut into tiles of eight rows; a lane
// works for row lane/4 of a tile and has in each register a chunk of neighbouring columns, four lanes side by side. The
// columns of B take the part of rows, so B is kept transposed. A and accumulators go through 16 rows, upper tile
// first, before they move right; B moves along k first.
//
// The layout of wmma fragments is unspecified (9.7.14.4.1). Here it is the same rule for the larger shapes: a fragment
// of m16n16k16 is two of mma.m16n8k16 side by side, as on sm_80.

// tile is how a matrix lies in the lanes' registers.
type tile struct {
	rows, cols int
	chunk      int  // neighbouring columns that a lane has
	pairs      bool // A and accumulators: 16 rows before the next columns
	quad       quad
}

// quad is for mma.m8n8k4 of .f16 (9.7.14.5.1): four products at once, one for lanes 0-3 and 16-19, and so on.
type quad uint8

const (
	noQuad      quad = iota
	quadRow          // a lane has a row: A by rows, B by columns, accumulators of .f16
	quadColumn       // a lane has a part of a column
	quadSquares      // accumulators of .f32: 2 by 2 squares
)

// batch is the number of matrices.
func (t *tile) batch() int {
	if t.quad != noQuad {
		return 4
	}
	return 1
}

// perLane is the number of elements that a lane has.
func (t *tile) perLane() int { return t.batch() * t.rows * t.cols / 32 }

// at is the index of a lane's element i: row times cols plus column, behind the matrices of earlier quads.
func (t *tile) at(lane, i int) int {
	if t.quad != noQuad {
		return t.quadAt(lane, i)
	}
	c := i / t.chunk
	across := t.cols / (4 * t.chunk)
	down, right := c/across, c%across
	if t.pairs && t.rows > 8 {
		within := c % (2 * across)
		down, right = c/(2*across)*2+within&1, within>>1
	}
	return (8*down+lane>>2)*t.cols + (4*right+lane&3)*t.chunk + i%t.chunk
}

func (t *tile) quadAt(lane, i int) int {
	high := lane >> 4 * 4
	row, col := 0, 0
	switch t.quad {
	case quadRow:
		row, col = lane&3+high, i
	case quadColumn:
		row, col = i+high, lane&3
	default:
		row, col = lane&1+i&2+high, i&4+lane&2+i&1
	}
	return lane>>2&3*t.rows*t.cols + row*t.cols + col
}

// element is a type of matrix elements.
type element struct {
	bits   int // in registers and memory
	packed int // matrix elements in one: 32 for .b1, whose words are the elements here
	value  func(uint64) uint64
}

// elementTypes are the types of A and B. value turns an element's bits into what products are made of: the bits of a
// float64, a 64-bit integer, or a word of bits. Subnormal numbers count ("unspecified", 9.7.14.5.14). The low 13 bits
// of a tf32 register are ignored.
var elementTypes = map[isa.Type]element{
	isa.F16:  {16, 1, number(isa.F16, 0)},
	isa.BF16: {16, 1, number(isa.BF16, 0)},
	isa.E4M3: {8, 1, number(isa.E4M3, 0)},
	isa.E5M2: {8, 1, number(isa.E5M2, 0)},
	isa.E3M2: {8, 1, number(isa.E3M2, 0)},
	isa.E2M3: {8, 1, number(isa.E2M3, 0)},
	isa.E2M1: {4, 1, number(isa.E2M1, 0)},
	isa.TF32: {32, 1, func(v uint64) uint64 {
		return math.Float64bits(float64(math.Float32frombits(uint32(v) &^ 0x1fff)))
	}},
	isa.F64: {64, 1, func(v uint64) uint64 { return v }},
	isa.S8:  {8, 1, func(v uint64) uint64 { return uint64(int8(v)) }},
	isa.U8:  {8, 1, func(v uint64) uint64 { return v }},
	isa.S4:  {4, 1, func(v uint64) uint64 { return uint64(int64(v<<60) >> 60) }},
	isa.U4:  {4, 1, func(v uint64) uint64 { return v }},
	isa.B1:  {32, 32, func(v uint64) uint64 { return v }},
}

// paddedE2M1 is an .e2m1 in the middle of eight bits, as .kind::f8f6f4 and .kind::mxf8f6f4 have it.
var paddedE2M1 = element{8, 1, number(isa.E2M1, 2)}

// number decodes a floating-point type that begins at a bit of its container.
func number(t isa.Type, shift int) func(uint64) uint64 {
	decode := num.Decoder(t)
	return func(v uint64) uint64 { return math.Float64bits(decode(v >> shift)) }
}

// frag is a fragment: a matrix in registers.
type frag struct {
	tile
	element
	regs   []operand
	places []uint16 // at for each element of lane 0, then of lane 1, …
}

// hold puts the matrix into registers.
func (g *frag) hold(regs []operand) {
	g.regs = regs
	for lane := range 32 {
		for i := range g.perLane() {
			g.places = append(g.places, uint16(g.at(lane, i)))
		}
	}
}

// perRegister is the number of elements in a register.
func (g *frag) perRegister() int { return max(32/g.bits, 1) }

// read gathers the elements' bits.
func (g *frag) read(f unsafe.Pointer, out []uint64) {
	per, mask := g.perRegister(), ^uint64(0)>>(64-g.bits)
	n := g.perLane()
	for r := range n / per {
		reg := &g.regs[r]
		for lane := range 32 {
			v := reg.get(f, lane)
			for _, at := range g.places[lane*n+r*per:][:per] {
				out[at] = v & mask
				v >>= g.bits
			}
		}
	}
}

// write spreads elements over the lanes. Fragments with more registers than the matrix needs (wmma of .f16) hold it
// several times.
func (g *frag) write(f unsafe.Pointer, in []uint64) {
	per, n := g.perRegister(), g.perLane()
	for r := range g.regs {
		for lane := range 32 {
			v := uint64(0)
			for i, at := range g.places[lane*n+r*per%n:][:per] {
				v |= in[at] << (i * g.bits)
			}
			g.regs[r].set(f, lane, v)
		}
	}
}

// values replaces elements by what products are made of.
func (g *frag) values(in []uint64) {
	for i, v := range in[:g.batch()*g.rows*g.cols] {
		in[i] = g.value(v)
	}
}

// The largest matrices: A of mma.m16n8k64, B of mma.sp.m16n8k128, any accumulator.
const (
	maxA           = 1024
	maxB           = 1024
	maxAccumulator = 256
)

// product is D = A B + C.
type product struct {
	a, b, c, d frag // b is transposed; of a sparse A, what is stored
	dot        dot
	places     *sparsity
	scaleA     *scales
	scaleB     *scales
}

// run multiplies. All of A, B and C is read before D is written: they may share registers.
func (p *product) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	if !w.whole(in, exec) || !p.scaleA.valid(w, in, f) || !p.scaleB.valid(w, in, f) {
		return false
	}
	var columns []uint8
	if p.places != nil {
		columns = make([]uint8, p.a.rows*p.a.cols)
		if !p.places.read(w, in, f, columns) {
			return false
		}
	}
	var a [maxA]uint64
	var b [maxB]uint64
	var c [maxAccumulator]uint64
	p.a.read(f, a[:])
	p.b.read(f, b[:])
	p.c.read(f, c[:])
	p.a.values(a[:])
	p.b.values(b[:])
	p.scaleA.apply(f, a[:], p.a.rows, p.a.cols)
	p.scaleB.apply(f, b[:], p.b.rows, p.b.cols)
	p.multiply(a[:], b[:], c[:], columns)
	p.d.write(f, c[:])
	return true
}

// multiply adds A B to c. columns are those of the stored elements of a sparse A.
func (p *product) multiply(a, b, c []uint64, columns []uint8) {
	m, n, k := p.a.rows, p.b.rows, p.a.cols
	var chosen [64]uint64 // elements of a column of B that meet a stored one
	for q := range p.a.batch() {
		for i := range m {
			row := a[(q*m+i)*k:][:k]
			for j := range n {
				col := b[(q*n+j)*p.b.cols:][:p.b.cols]
				if columns != nil {
					for at, from := range columns[i*k:][:k] {
						chosen[at] = col[from]
					}
					col = chosen[:k]
				}
				at := &c[(q*m+i)*n+j]
				*at = p.dot(row, col, *at)
			}
		}
	}
}

// whole says whether all lanes of the warp are there, as .aligned demands; that they are not is a fault.
func (w *warp) whole(in *inst, exec Mask) bool {
	if exec == FullMask {
		return true
	}
	return w.illegal(in, exec, ": all 32 lanes of a warp execute `%s` together, but only %s came",
		in.src.Opcode, exec.Lanes())
}

// illegal stops the warp with operands that the instruction cannot have. It returns false.
func (w *warp) illegal(in *inst, lanes Mask, format string, args ...any) bool {
	w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: lanes, Detail: fmt.Sprintf(format, args...)})
	return false
}
