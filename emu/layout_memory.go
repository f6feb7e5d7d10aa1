package emu

import (
	"fmt"

	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// MatrixOperands is what the places of matrices in memory follow from, besides the opcode.
type MatrixOperands struct {
	Module *ptx.Module
	Value  func(operand int) (value uint64, known bool)
	Odd    bool // the CTA is the odd one of its pair
}

// MemoryLayouts lists the matrices of a product, or of a copy into tensor memory, that are in shared memory and in
// tensor memory, as far as the operands that place them are known. The error says which descriptor is wrong.
func MemoryLayouts(in *ptx.Inst, o MatrixOperands) ([]Layout, error) {
	if in.Match == nil {
		return nil, nil
	}
	s := memoryLister{in: in, b: in.Match, MatrixOperands: o}
	switch in.Match.Form.ID {
	case "wgmma.mma_async", "wgmma.mma_async.sp":
		s.groupProduct()
	case "tcgen05.mma", "tcgen05.mma.sp", "tcgen05.mma.ws", "tcgen05.mma.ws.sp":
		s.tensorProduct()
	case "tcgen05.cp":
		s.tensorCopy()
	}
	return s.list, s.err
}

// memoryLister collects the matrices of an instruction.
type memoryLister struct {
	MatrixOperands
	in   *ptx.Inst
	b    *isa.Bound
	list []Layout
	err  error
}

// named is the number and the value of an operand that has a name in the instruction's form.
func (s *memoryLister) named(name string) (operand int, value uint64, ok bool) {
	for i, o := range s.b.Operands {
		if o.Name == name && i < len(s.in.Operands) && s.in.Operands[i].Kind != ptx.OpMissing {
			value, ok = s.Value(i)
			return i, value, ok
		}
	}
	return 0, 0, false
}

// bad keeps the first error.
func (s *memoryLister) bad(what string, bits uint64, err error) bool {
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("the %s %#x: %w", what, bits, err)
	}
	return err != nil
}

// groupProduct has A, if it is not in registers, and B of wgmma.mma_async.
func (s *memoryLister) groupProduct() {
	_, n, k := s.b.Shape()
	_, at, bt, _ := s.b.MatrixTypes()
	stored := k
	if s.b.Sparse() {
		stored = k / 2
	}
	fa, okA := multiplicand(s.b, at, groupRows, stored, true)
	fb, okB := multiplicand(s.b, bt, n, k, false)
	add := func(name, desc, trans string, t isa.Type, f matrix.Fragment) {
		if operand, d, ok := s.named(desc); ok {
			_, across, _ := s.named(trans)
			r := machine.SmemRead{Descriptor: matrix.Wgmma(d, f.Bits, across != 0), Lines: f.Rows, K: f.Cols}
			s.shared(Layout{Name: name, Operand: operand, Type: t, Bits: f.Bits}, r, nil)
		}
	}
	if okA && okB {
		add("A", "a-desc", "imm-trans-a", at, fa)
		add("B", "b-desc", "imm-trans-b", bt, fb)
	}
}

// tensorProduct has D, A and B of tcgen05.mma, of a pair those that the CTA has.
func (s *memoryLister) tensorProduct() {
	mma := mmaOf(s.b, s.Module)
	_, desc, okI := s.named("idesc")
	d, addr, okD := s.named("d-tmem")
	if !mma.Known() || !okI || !okD {
		return
	}
	p, err := mma.Decode(uint32(desc), uint32(addr))
	if s.bad("instruction descriptor", desc, err) {
		return
	}
	if _, mask, ok := s.named("zero-column-mask-desc"); ok && s.bad("zero-column mask descriptor", mask, p.Mask(mask)) {
		return
	}
	half := 0
	if s.Odd && mma.Pair {
		half = 1
	}
	s.product(&p, d, half*p.Rows())
	if operand, a, ok := s.named("a-tmem"); ok {
		s.tensorA(&p, operand, uint32(a), half*p.Rows())
	} else if operand, a, ok := s.named("a-desc"); ok {
		m, err := p.DescriptorA(a)
		if !s.bad("matrix descriptor of A", a, err) {
			s.shared(Layout{Name: "A", Operand: operand, Type: p.A.Type(), FirstRow: half * p.Rows()},
				machine.SmemRead{Descriptor: m, Lines: p.Rows(), K: p.Stored}, p.A.Number)
		}
	}
	if operand, b, ok := s.named("b-desc"); ok {
		m, err := p.DescriptorB(b)
		own := p.N / mma.CTAs()
		if !s.bad("matrix descriptor of B", b, err) {
			s.shared(Layout{Name: "B", Operand: operand, Type: p.B.Type(), FirstCol: half * own},
				machine.SmemRead{Descriptor: m, First: p.Shift(), Lines: own, K: p.K}, p.B.Number)
		}
	}
}

// shared adds a matrix in shared memory. Lines of B are its columns. number makes numbers of elements as they are read;
// nil: they are numbers.
func (s *memoryLister) shared(l Layout, r machine.SmemRead, number func(uint64) uint64) {
	across := l.Name == "B"
	l.Home, l.Packed, l.Rows, l.Cols = InShared, 1, r.Lines, r.K
	if across {
		l.Rows, l.Cols = l.Cols, l.Rows
	}
	if l.Type == isa.B1 {
		l.Packed = l.Bits
	}
	index := func(line, k int) int {
		if across {
			line, k = k, line
		}
		return line*l.Cols + k
	}
	l.Places = make([]MemoryPlace, r.Lines*r.K)
	for line := range r.Lines {
		for k := range r.K {
			addr, bit := r.Place(r.First+line, k)
			l.Places[index(line, k)] = MemoryPlace{At: int(addr), Bit: bit}
		}
	}
	l.values = func(m Memory) []uint64 {
		if _, bad := r.Outside(int64(len(m.Shared)), r.First, r.Lines, r.K); bad {
			return nil
		}
		read, list := make([]uint64, r.Lines*r.K), make([]uint64, r.Lines*r.K)
		r.Read(m.Shared, r.First, r.Lines, r.K, read)
		for i, v := range read {
			if number != nil {
				v = number(v)
			}
			list[index(i/r.K, i%r.K)] = v
		}
		return list
	}
	s.list = append(s.list, l)
}

// product adds the rows of D that the CTA has, in tensor memory.
func (s *memoryLister) product(p *matrix.Plan, operand, first int) {
	l := Layout{Name: "D", Operand: operand, Write: true, Late: true, Type: p.D, Bits: p.D.Bits(), Home: InTensor,
		Rows: p.Rows(), Cols: p.N, Packed: 1, FirstRow: first}
	for row := range l.Rows {
		for col := range l.Cols {
			lane, at := p.Place(row, col)
			l.Places = append(l.Places, MemoryPlace{Lane: lane, At: at})
		}
	}
	s.tensor(l, func(word matrix.Words, i int) uint64 {
		return uint64(word(l.Places[i].Lane, l.Places[i].At)) & (1<<l.Bits - 1)
	})
}

// tensorA adds A in tensor memory, once for each range of columns of D that has its own.
func (s *memoryLister) tensorA(p *matrix.Plan, operand int, addr uint32, first int) {
	column, width := int(addr&0xffff), p.N/p.Parts()
	for part := range p.Parts() {
		l := Layout{Name: "A", Operand: operand, Type: p.A.Type(), Bits: p.BitsOfA(), Home: InTensor, Rows: p.Rows(),
			Cols: p.Stored, Packed: 1, FirstRow: first}
		if p.Parts() > 1 {
			l.Name = fmt.Sprintf("A of columns %d–%d", part*width, part*width+width-1)
		}
		for row := range l.Rows {
			for k := range l.Cols {
				lane, col, bit := p.PlaceOfA(part*l.Rows+row, k)
				l.Places = append(l.Places, MemoryPlace{lane, column + col, bit + p.A.Inset()})
			}
		}
		s.tensor(l, func(word matrix.Words, i int) uint64 {
			line, k := part*l.Rows+i/l.Cols, i%l.Cols
			after := func(lane, col int) uint32 { return word(lane, column+col) }
			return p.A.Number(tensorElement(p, after, line, k))
		})
	}
}

// tensorCopy has S, the source of tcgen05.cp in shared memory, and T, to which it goes, once for each copy. Elements
// are words, and bytes where narrower ones are spread over bytes.
func (s *memoryLister) tensorCopy() {
	v := lanesCopyOf(s.b)
	from, d, okS := s.named("s-desc")
	to, addr, okT := s.named("taddr")
	if !okS || !okT {
		return
	}
	bits := 32
	if v.width < 8 {
		bits = 8
	}
	m, err := matrix.Tcgen05(d, bits, false)
	if m.Pack(v.width); err == nil {
		err = m.CheckCopy()
	}
	if s.bad("matrix descriptor", d, err) {
		return
	}
	s.shared(Layout{Name: "S", Operand: from, Type: isa.BitsType(bits), Bits: bits},
		machine.SmemRead{Descriptor: m, Lines: v.rows, K: v.size / bits}, nil)
	copies := len(v.lanes(0))
	for n := range copies {
		l := Layout{Name: "T", Operand: to, Write: true, Late: true, Type: isa.B32, Bits: 32, Home: InTensor, Rows: v.rows,
			Cols: v.size / 32, Packed: 1}
		if copies > 1 {
			l.Name = fmt.Sprintf("T of copy %d", n)
		}
		for i := range l.Rows * l.Cols {
			lane := int(addr>>16&0xffff) + v.lanes(i / l.Cols)[n]
			l.Places = append(l.Places, MemoryPlace{Lane: lane, At: int(addr&0xffff) + i%l.Cols})
		}
		s.tensor(l, func(word matrix.Words, i int) uint64 { return uint64(word(l.Places[i].Lane, l.Places[i].At)) })
	}
}

// tensor adds a matrix in tensor memory, of which element reads one.
func (s *memoryLister) tensor(l Layout, element func(word matrix.Words, i int) uint64) {
	l.values = func(m Memory) []uint64 {
		list, whole := make([]uint64, len(l.Places)), true
		word := func(lane, col int) uint32 {
			w, ok := m.Word(lane, col)
			whole = whole && ok
			return w
		}
		for i := range list {
			list[i] = element(word, i)
		}
		if !whole {
			return nil
		}
		return list
	}
	s.list = append(s.list, l)
}
