package emu

import (
	"fmt"

	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// refuse reports an operand that the instruction cannot have. It returns true, so that lowering reports nothing else.
func (l *lowerer) refuse(op ptx.Operand, format string, args ...any) bool {
	l.diags = append(l.diags, ptx.Diagnostic{Severity: ptx.Error, Code: "bad-operand", Span: op.Span,
		Section: l.in.Match.Form.Section, Message: fmt.Sprintf(format, args...)})
	return true
}

// registers lowers the tuple of a fragment: registers of this number of bits.
func (l *lowerer) registers(op ptx.Operand, bits int, write bool) (regs []row.Operand) {
	t := bitsType(bits)
	for _, e := range elements(op) {
		var o row.Operand
		if write {
			o = l.dst(e)
		} else if e.Kind == ptx.OpImm && bits == 32 && e.ImmType == isa.F64 {
			o = l.src(e, isa.F32)
		} else {
			o = l.src(e, t)
		}
		regs = append(regs, o)
	}
	return regs
}

// element is how an element of A or B is stored; it has no bits if A and B cannot have this type.
func element(b *isa.Bound, t isa.Type) matrix.Element {
	return matrix.ElementOf(t, b.HasAny(".kind::f8f6f4", ".kind::mxf8f6f4"))
}

// multiplicand is the layout of A (m rows) or of the transposed B (n rows).
func multiplicand(b *isa.Bound, t isa.Type, rows, k int, isA bool) (matrix.Fragment, bool) {
	e := element(b, t)
	if e.Bits == 0 {
		return matrix.Fragment{}, false
	}
	if !isA {
		return quadOf(b, matrix.B(e, rows, k), t, k, "blayout", ".col"), true
	}
	return quadOf(b, matrix.A(e, rows, k), t, k, "alayout", ".row"), true
}

// quadOf is the layout g, or for mma.m8n8k4 of .f16 its own layout. There the modifier in slot is word when a lane has
// a row of A or a column of B.
func quadOf(b *isa.Bound, g matrix.Fragment, t isa.Type, k int, slot, word string) matrix.Fragment {
	if t != isa.F16 || k != 4 {
		return g
	}
	return matrix.QuadOf(g, b.Value(slot) == word)
}

// accumulator is the layout of C or D.
func accumulator(t isa.Type, m, n int, quad bool) matrix.Fragment {
	if quad {
		return matrix.QuadAccumulator(t, m, n)
	}
	return matrix.Accumulator(t, m, n)
}

// wmmaFragment is the layout of what wmma.load or wmma.store moves. transposed: it is that of B.
func wmmaFragment(b *isa.Bound) (g matrix.Fragment, transposed, ok bool) {
	m, n, k := b.Shape()
	switch t := b.Types[0]; {
	case b.Has(".a"):
		g, ok = multiplicand(b, t, m, k, true)
	case b.Has(".b"):
		g, ok = multiplicand(b, t, n, k, false)
		transposed = true
	default:
		g, ok = accumulator(t, m, n, false), true
	}
	return g, transposed, ok
}

// lowerWmma is wmma.load, wmma.store and wmma.mma (9.7.16.4.3 to 9.7.16.4.5).
func lowerWmma(l *lowerer) bool {
	if !l.has(".mma") {
		return lowerWmmaMove(l)
	}
	return lowerMma(l)
}

// lowerMma lowers D = A B + C: wmma.mma, mma.sync (9.7.16.5.14), and mma.sp.sync (9.7.16.6.3), whose A is stored with
// half of its columns in the fragment of a matrix of that size.
func lowerMma(l *lowerer) bool {
	m, n, k := l.in.Match.Shape()
	dt, at, bt, ct := l.in.Match.MatrixTypes()
	p := &machine.Product{Dot: lowerDot(l, dt, at, ct)}
	stored := k
	rest := l.in.Operands[4:]
	if l.in.Match.Sparse() {
		stored = k / 2
		p.Sparsity = lowerSparsity(l, at, stored, rest[0], rest[1])
		rest = rest[2:]
	}
	a, okA := multiplicand(l.in.Match, at, m, stored, true)
	b, okB := multiplicand(l.in.Match, bt, n, k, false)
	if !okA || !okB || p.Dot == nil {
		return false
	}
	p.A.Fragment, p.B.Fragment = a, b
	p.C.Fragment, p.D.Fragment = accumulator(ct, m, n, a.Quad()), accumulator(dt, m, n, a.Quad())
	for i, g := range []*machine.Frag{&p.D, &p.A, &p.B, &p.C} {
		hold(g, l.registers(l.in.Operands[i], max(g.Bits, 32), i == 0))
	}
	if l.has(".block_scale") {
		p.ScaleA, p.ScaleB = lowerScales(l, rest[0], rest[1], true), lowerScales(l, rest[2], rest[3], false)
	}
	return l.runs(bound(runProduct, p))
}

// lowerSparsity lowers metadata and selector of a sparse A (9.7.16.6.1).
func lowerSparsity(l *lowerer, t isa.Type, cols int, meta, selector ptx.Operand) *machine.Sparsity {
	return &machine.Sparsity{Meta: l.src(meta, isa.B32),
		Sparsity: matrix.Sparsity{Element: element(l.in.Match, t), Cols: cols,
			Selector: int(selector.Imm), Ordered: l.has(".sp::ordered_metadata")}}
}

// lowerScales lowers the scale factors of A or B; at is {byte-id, thread-id}.
func lowerScales(l *lowerer, data, at ptx.Operand, ofA bool) *machine.Scales {
	types := l.in.Match.Types
	s := &machine.Scales{Data: l.src(data, isa.B32),
		Scales: matrix.Scales{Factors: 1, OfA: ofA, Value: num.Decoder(types[len(types)-1])}}
	list := elements(at)
	s.Byte, s.Thread = l.src(list[0], isa.U16), l.src(list[1], isa.U16)
	switch {
	case l.has(".scale_vec::4X"):
		s.Factors = 4
	case !l.has(".kind::mxf8f6f4"):
		s.Factors = 2
	}
	return s
}

func lowerDot(l *lowerer, d, a, c isa.Type) matrix.Dot {
	switch {
	case a == isa.B1:
		return matrix.BitDot(l.has(".and"))
	case a == isa.F64:
		k, ok := num.Lookup("fma" + lowerRounding(l) + ".f64")
		if !ok || k.F3 == nil {
			return nil
		}
		return matrix.DoubleDot(k.F3)
	case d == isa.S32:
		return matrix.IntegerDot(l.has(".satfinite"))
	}
	return matrix.FloatDot(matrix.Accumulators{C: c, D: d, Finite: l.has(".satfinite")})
}

func lowerRounding(l *lowerer) string {
	if r := l.first(".rn", ".rz", ".rm", ".rp"); r != "" {
		return r
	}
	return ".rn"
}

// lowerWmmaMove lowers wmma.load and wmma.store.
func lowerWmmaMove(l *lowerer) bool {
	ops := l.in.Operands
	load := l.has(".load")
	reg, addr := ops[0], ops[1]
	if !load {
		reg, addr = addr, reg
	}
	v := &wmmaMove{}
	g, transposed, ok := wmmaFragment(l.in.Match)
	v.Fragment, v.byRow = g, l.has(".row") != transposed
	if !ok || addr.Kind != ptx.OpAddr {
		return false
	}
	hold(&v.Frag, l.registers(reg, max(v.Bits, 32), load))
	if len(ops) > 2 && ops[2].Kind != ptx.OpMissing {
		v.stride, v.hasStride = l.src(ops[2], isa.U32), true
	}
	run := v.load
	if !load {
		run = v.store
	}
	return l.reaches(l.access(addr, isa.B32, !load), run)
}

// lowerLdmatrix is ldmatrix and stmatrix (9.7.16.5.15, 9.7.16.5.16).
func lowerLdmatrix(l *lowerer) bool {
	ops := l.in.Operands
	load := l.in.Match.Form.Mnemonic == "ldmatrix"
	reg, addr := ops[0], ops[1]
	if !load {
		reg, addr = addr, reg
	}
	if addr.Kind != ptx.OpAddr {
		return false
	}
	v := rowsMoveOf(l.in.Match)
	v.regs = l.registers(reg, 32, load)
	run := v.load
	if !load {
		run = v.store
	}
	return l.reaches(l.access(addr, isa.B128, !load), run)
}

// rowsMoveOf is an ldmatrix or stmatrix without its registers.
func rowsMoveOf(b *isa.Bound) *rowsMove {
	n := b.Tuple("r")
	v := &rowsMove{lanes: 8 * n, size: 1, bits: 8, row: 16} // each matrix has a register, and a lane for each of its rows
	switch {
	case b.Has(".m16n16"):
		v.place = squarePlace // two registers, 16 rows
	case b.Has(".m8n16"):
		v.place = rowPlace(4)
	case b.Has(".m16n8"):
		v.place = tallPlace
	default:
		v.size, v.bits, v.place = 2, 16, rowPlace(2)
		if b.Has(".trans") {
			v.place = columnPlace
		}
	}
	switch {
	case b.Has(".b6x16_p32"):
		v.bits = 6
	case b.Has(".b4x16_p64"):
		v.bits = 4
	case b.Has(".s4"):
		v.bits, v.row, v.signed = 4, 8, true
	}
	return v
}

// lowerMovmatrix is movmatrix (9.7.16.5.17).
func lowerMovmatrix(l *lowerer) bool {
	ops := l.in.Operands
	v := &transpose{l.dst(ops[0]), l.src(ops[1], isa.B32)}
	return l.runs(v.run)
}
