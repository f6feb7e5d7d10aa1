package emu

import (
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/emu/row"
)

// hold gives the matrix its registers.
func hold(g *machine.Frag, regs []row.Operand) {
	g.Regs = regs
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
func read(g *machine.Frag, f unsafe.Pointer, out []uint64) {
	g.Read(func(i int) matrix.Row { return rowOf(&g.Regs[i], f) }, out)
}

// write spreads elements over the lanes.
func write(g *machine.Frag, f unsafe.Pointer, in []uint64) {
	g.Write(func(i int) matrix.Row { return rowOf(&g.Regs[i], f) }, len(g.Regs), in)
}

// runProduct multiplies. All of A, B and C is read before D is written: they may share registers.
func runProduct(p *machine.Product, w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	if !wholeWarp(w, in, exec) || !valid(p.ScaleA, w, in, f) || !valid(p.ScaleB, w, in, f) {
		return false
	}
	columns, ok := columns(p.Sparsity, w, in, f)
	if !ok {
		return false
	}
	var a [matrix.MaxA]uint64
	var b [matrix.MaxB]uint64
	var c [matrix.MaxAccumulator]uint64
	read(&p.A, f, a[:])
	read(&p.B, f, b[:])
	read(&p.C, f, c[:])
	p.A.Values(a[:])
	p.B.Values(b[:])
	apply(p.ScaleA, f, a[:], &p.A)
	apply(p.ScaleB, f, b[:], &p.B)
	multiplyParts(p, a[:], b[:], c[:], columns)
	write(&p.D, f, c[:])
	return true
}

// multiplyParts adds A B to c. columns are those of the stored elements of a sparse A.
func multiplyParts(p *machine.Product, a, b, c []uint64, columns []uint8) {
	m := matrix.Product{A: &p.A.Fragment, B: &p.B.Fragment, Dot: p.Dot}
	m.Multiply(a, b, c, columns)
}

// columns are those of the stored elements; nil for a dense A. Indices that the manual leaves undefined are a fault.
func columns(s *machine.Sparsity, w *machine.Warp, in *machine.Inst, f unsafe.Pointer) (columns []uint8, ok bool) {
	if s == nil {
		return nil, true
	}
	columns, bad := s.Columns(rowOf(&s.Meta, f))
	if bad != nil {
		return nil, machine.Illegal(w, in, 1<<bad.Lane, ": the metadata of `%s` has %v", in.Src.Opcode, bad)
	}
	return columns, true
}

// valid says whether the selectors are in range, and the same in all lanes. If they are not, it reports a fault.
func valid(s *machine.Scales, w *machine.Warp, in *machine.Inst, f unsafe.Pointer) bool {
	if s == nil {
		return true
	}
	at, thread := s.Byte.Get(f, 0), s.Thread.Get(f, 0)
	for lane := range 32 {
		if s.Byte.Get(f, lane) != at || s.Thread.Get(f, lane) != thread || !s.Valid(at, thread) {
			return machine.Illegal(w, in, 1<<lane, ": the scale factors of `%s` lie at bytes that are multiples of %d below 4, "+
				"and "+
				"thread-id is below %d, the same in all lanes: not {%d, %d}",
				in.Src.Opcode, s.Factors, s.Threads(), s.Byte.Get(f, lane), s.Thread.Get(f, lane))
		}
	}
	return true
}

// apply multiplies the values of A, or of the transposed B, by their scale factors.
func apply(s *machine.Scales, f unsafe.Pointer, values []uint64, g *machine.Frag) {
	if s != nil {
		s.Apply(rowOf(&s.Data, f), int(s.Byte.Get(f, 0)), int(s.Thread.Get(f, 0)), values[:g.Rows*g.Cols], g.Cols)
	}
}

// wholeWarp says whether all lanes of the warp execute the instruction together, as .aligned requires. If they do not,
// it reports a fault.
func wholeWarp(w *machine.Warp, in *machine.Inst, exec Mask) bool {
	if exec == FullMask {
		return true
	}
	return machine.Illegal(w, in, exec, ": all 32 lanes of a warp execute `%s` together, but only %s came",
		in.Src.Opcode, exec.Lanes())
}
