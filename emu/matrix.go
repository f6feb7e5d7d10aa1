package emu

import (
	"fmt"
	"unsafe"
	"warpscope/emu/row"

	"warpscope/emu/matrix"
)

// Matrices that the lanes of a warp hold together (9.7.14): the registers of fragments, and mma. Package matrix has the
// layouts and the arithmetic.

// frag is a fragment: a matrix in registers.
type frag struct {
	matrix.Fragment
	regs []row.Operand
}

// hold puts the matrix into registers.
func (g *frag) hold(regs []row.Operand) {
	g.regs = regs
	g.Prepare()
}

// rowOf is an operand in all lanes.
func rowOf(o *row.Operand, f unsafe.Pointer) matrix.Row {
	switch {
	case o.Sink:
		return matrix.Row{}
	case o.Wide():
		return matrix.Row{Wide: row.U64s(f, o.Off)}
	}
	return matrix.Row{Narrow: row.U32s(f, o.Off)}
}

// read gathers the elements' bits.
func (g *frag) read(f unsafe.Pointer, out []uint64) {
	g.Read(func(i int) matrix.Row { return rowOf(&g.regs[i], f) }, out)
}

// write spreads elements over the lanes.
func (g *frag) write(f unsafe.Pointer, in []uint64) {
	g.Write(func(i int) matrix.Row { return rowOf(&g.regs[i], f) }, len(g.regs), in)
}

// product is D = A B + C.
type product struct {
	a, b, c, d     frag // b is transposed; of a sparse A, what is stored
	dot            matrix.Dot
	sparsity       *sparsity
	scaleA, scaleB *scales
}

// run multiplies. All of A, B and C is read before D is written: they may share registers.
func (p *product) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	if !w.whole(in, exec) || !p.scaleA.valid(w, in, f) || !p.scaleB.valid(w, in, f) {
		return false
	}
	columns, ok := p.sparsity.columns(w, in, f)
	if !ok {
		return false
	}
	var a [matrix.MaxA]uint64
	var b [matrix.MaxB]uint64
	var c [matrix.MaxAccumulator]uint64
	p.a.read(f, a[:])
	p.b.read(f, b[:])
	p.c.read(f, c[:])
	p.a.Values(a[:])
	p.b.Values(b[:])
	p.scaleA.apply(f, a[:], &p.a)
	p.scaleB.apply(f, b[:], &p.b)
	p.multiply(a[:], b[:], c[:], columns)
	p.d.write(f, c[:])
	return true
}

// multiply adds A B to c. columns are those of the stored elements of a sparse A.
func (p *product) multiply(a, b, c []uint64, columns []uint8) {
	m := matrix.Product{A: &p.a.Fragment, B: &p.b.Fragment, Dot: p.dot}
	m.Multiply(a, b, c, columns)
}

// sparsity is where the stored elements of a sparse A lie, and the register of metadata.
type sparsity struct {
	matrix.Sparsity
	meta row.Operand
}

// columns are those of the stored elements; nil for a dense A. Indices that the manual leaves undefined are a fault.
func (s *sparsity) columns(w *warp, in *inst, f unsafe.Pointer) (columns []uint8, ok bool) {
	if s == nil {
		return nil, true
	}
	columns, bad := s.Columns(rowOf(&s.meta, f))
	if bad != nil {
		return nil, illegal(w, in, 1<<bad.Lane, ": the metadata of `%s` has %v", in.src.Opcode, bad)
	}
	return columns, true
}

// scales are the scale factors of A or B, and their registers.
type scales struct {
	matrix.Scales
	data, byte, thread row.Operand
}

// valid says whether the selectors have values that mean something, the same in all lanes; that they have not is a
// fault.
func (s *scales) valid(w *warp, in *inst, f unsafe.Pointer) bool {
	if s == nil {
		return true
	}
	at, thread := s.byte.Get(f, 0), s.thread.Get(f, 0)
	for lane := range 32 {
		if s.byte.Get(f, lane) != at || s.thread.Get(f, lane) != thread || !s.Valid(at, thread) {
			return illegal(w, in, 1<<lane, ": the scale factors of `%s` lie at bytes that are multiples of %d below 4, and "+
				"thread-id is below %d, the same in all lanes: not {%d, %d}",
				in.src.Opcode, s.Factors, s.Threads(), s.byte.Get(f, lane), s.thread.Get(f, lane))
		}
	}
	return true
}

// apply multiplies the values of A, or of the transposed B.
func (s *scales) apply(f unsafe.Pointer, values []uint64, g *frag) {
	if s != nil {
		s.Apply(rowOf(&s.data, f), int(s.byte.Get(f, 0)), int(s.thread.Get(f, 0)), values[:g.Rows*g.Cols], g.Cols)
	}
}

// whole says whether all lanes of the warp are there, as .aligned demands; that they are not is a fault.
func (w *warp) whole(in *inst, exec Mask) bool {
	if exec == FullMask {
		return true
	}
	return illegal(w, in, exec, ": all 32 lanes of a warp execute `%s` together, but only %s came",
		in.src.Opcode, exec.Lanes())
}

// illegal stops the warp with operands that the instruction cannot have. It returns false.
func illegal(w *warp, in *inst, lanes Mask, format string, args ...any) bool {
	w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: lanes, Detail: fmt.Sprintf(format, args...)})
	return false
}
