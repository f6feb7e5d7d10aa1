package ptx

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// resolved is what the instruction table says about an opcode; each opcode is looked up once per module.
type resolved struct {
	bounds []*isa.Bound
	err    error
}

func (p *parser) resolve(opcode string) resolved {
	r, ok := p.opcodes[opcode]
	if !ok {
		r.bounds, r.err = isa.Resolve(opcode)
		p.opcodes[opcode] = r
	}
	return r
}

// check binds an instruction to the form and syntax line that its operands fit, or says why none does.
func (p *parser) check(in *Inst, mnemonic string) {
	if p.ended {
		return
	}
	r := p.resolve(in.Opcode)
	if r.err != nil {
		p.refusedOpcode(in, mnemonic, r.err)
		return
	}
	if mnemonic == "call" {
		in.Match = r.bounds[0]
		p.gate(in)
		p.checkCall(in)
		return
	}
	var worst misfit
	var fitting []Operand
	for _, b := range r.bounds {
		ops, m := p.fit(b, in.Operands)
		if m.problem == fits && (in.Match == nil || !p.allowed(in.Match) && p.allowed(b)) {
			in.Match, fitting = b, ops
		} else if m.problem != fits && (worst.problem == fits || m.rank() > worst.rank()) {
			worst = m
		}
	}
	if in.Match == nil {
		p.explain(in, worst)
		return
	}
	in.Operands = fitting
	for i := range in.Operands {
		if in.Operands[i].Kind != OpMissing {
			p.checkRange(in, i)
			p.adapt(&in.Match.Operands[i], &in.Operands[i])
		}
	}
	p.gate(in)
	p.checkDouble(in)
	p.checkSpaces(in, mnemonic)
	p.lint(in, mnemonic)
}

// allowed says whether the module's version and target have a form.
func (p *parser) allowed(b *isa.Bound) bool {
	n := b.Requires()
	return n.Version <= p.m.Version && p.has(n) && !b.Form.Gone.For(p.m.Version, p.target.sm)
}

// gate reports what the module's .version or .target does not have yet, or no longer has.
func (p *parser) gate(in *Inst) {
	f := in.Match.Form
	if p.m.Version == 0 || p.target.sm == 0 {
		return
	}
	if f.Gone.For(p.m.Version, p.target.sm) {
		p.gone(in)
		return
	}
	for i := range in.Operands {
		if s := in.Operands[i].SReg(); s != nil {
			p.needVersion(in.Operands[i].Span, s.Name, s.Version, s.SM, s.Section)
			if strings.HasPrefix(s.Name, "%perctamemory") && p.fn.MinPerCTAMemory == 0 {
				p.report("needs-directive", in.Operands[i].Span, "%s is for kernels with .minperctamemory", s.Name)
			}
		}
	}
	for i := range in.Operands {
		slot, op := &in.Match.Operands[i], &in.Operands[i]
		switch {
		case op.Kind == OpImm:
			p.needOperand(in, slot.Name, op.Span, int64(op.Imm), slot.Optional, slot.Range)
		case op.Kind != OpMissing:
			p.needOperand(in, slot.Name, op.Span, 0, slot.Optional, nil)
		}
		if op.Second() != nil {
			p.needOperand(in, slot.Pair.Name, op.Second().Span, 0, true, nil)
		}
	}
	n := in.Match.Requires()
	what := in.Opcode
	if n.Cause != "" {
		what = n.Cause + " of " + what
	}
	if !p.needsVersion(in.OpSpan, what, n, f.Section) {
		p.needsTarget(in.OpSpan, what, n, f.Section)
	}
}

// needOperand reports an optional operand, or a value of an operand, that PTX got later than its instruction.
func (p *parser) needOperand(in *Inst, name string, at Span, value int64, optional bool,
	limit *isa.Range) {
	n, ok := in.Match.OperandNeeds(name, value)
	if !ok || n.From == 0 && !optional || limit != nil && !limit.Has(value) {
		return
	}
	what := "operand " + name
	if n.From != 0 {
		what = fmt.Sprintf("%s %d", name, value)
	}
	what += " of " + in.Opcode
	needs := isa.Needs{Version: n.Version, SM: n.SM, Arch: n.Arch, Family: n.Family, Also: n.Also}
	p.needsVersion(at, what, needs, in.Match.Form.Section)
	p.needsTarget(at, what, needs, in.Match.Form.Section)
}

// problem is the reason why an operand does not fit its place.
type problem uint8

const (
	fits problem = iota
	tooFew
	tooMany
	wrongKind
	wrongLength // of a tuple
	wrongType
	wrongSize
	noNegation
	noPair
	needsPair
	badSelector
	needsSelector
	noSink
	onlySinks
	noConstant // of half precision (4.5.2) or of two integers
)

// misfit is the first problem of an opcode's operands with one syntax line.
type misfit struct {
	problem
	index int // of the operand
	slot  *isa.Operand
	op    *Operand
	bound *isa.Bound
}

// rank orders misfits: the nearest miss is the syntax line that got furthest, and of these the one whose kind was
// right.
func (m misfit) rank() int {
	r := m.index * 4
	switch m.problem {
	case tooFew, tooMany:
		return r
	case wrongKind:
		return r + 1
	}
	return r + 2
}

// fit assigns operands to the places of a syntax line. Optional places are filled from the left; one that must be left
// out so that the rest fits becomes OpMissing.
func (p *parser) fit(b *isa.Bound, ops []Operand) ([]Operand, misfit) {
	if len(ops) > len(b.Operands) {
		return nil, misfit{problem: tooMany, index: len(b.Operands), bound: b}
	}
	if m := p.fitFrom(b, 0, ops, 0, len(b.Operands)-len(ops)); m.problem != fits || len(ops) == len(b.Operands) {
		return ops, m
	}
	var out []Operand
	m := p.assign(b, 0, ops, 0, &out)
	return out, m
}

// fitFrom checks ops[i:] against b.Operands[slot:] when exactly skips optional places stay empty.
func (p *parser) fitFrom(b *isa.Bound, slot int, ops []Operand, i, skips int) misfit {
	if i == len(ops) {
		for ; slot < len(b.Operands); slot++ {
			if !b.Operands[slot].Optional {
				m := misfit{problem: tooFew, index: i, slot: &b.Operands[slot], bound: b}
				if len(ops) >= required(b) {
					m.index = -1 // an optional place was filled that should have been left out: the worst explanation
				}
				return m
			}
		}
		return misfit{}
	}
	var m misfit
	s := &b.Operands[slot]
	if pr := p.accepts(s, &ops[i], b); pr == fits {
		if m = p.fitFrom(b, slot+1, ops, i+1, skips); m.problem == fits {
			return m
		}
	} else {
		m = misfit{problem: pr, index: i, slot: s, op: &ops[i], bound: b}
	}
	if s.Optional && skips > 0 {
		if other := p.fitFrom(b, slot+1, ops, i, skips-1); other.problem == fits || other.rank() > m.rank() {
			return other
		}
	}
	if skips > 0 && m.problem > tooMany && len(ops) < required(b) {
		return misfit{problem: tooFew, index: i, slot: s, bound: b}
	}
	return m
}

// required is how many operands a syntax line cannot do without.
func required(b *isa.Bound) int {
	n := 0
	for i := range b.Operands {
		if !b.Operands[i].Optional {
			n++
		}
	}
	return n
}

// assign repeats the choice that fitFrom found, writing OpMissing for the places it skipped.
func (p *parser) assign(b *isa.Bound, slot int, ops []Operand, i int, out *[]Operand) misfit {
	for ; i < len(ops); slot++ {
		skips := len(b.Operands) - slot - (len(ops) - i)
		s := &b.Operands[slot]
		if p.accepts(s, &ops[i], b) == fits && p.fitFrom(b, slot+1, ops, i+1, skips).problem == fits {
			*out = append(*out, ops[i])
			i++
			continue
		}
		*out = append(*out, Operand{Kind: OpMissing, Elem: -1, Span: Span{ops[i].Span.Start, ops[i].Span.Start}})
	}
	return misfit{}
}

// accepts checks one operand against one place.
func (p *parser) accepts(s *isa.Operand, op *Operand, b *isa.Bound) problem {
	if op.Second() != nil {
		if s.Pair == nil {
			return noPair
		}
		second := *op.Second()
		if pr := p.accepts(s.Pair, &second, b); pr != fits {
			return pr
		}
	} else if s.Pair != nil && !s.Pair.Optional {
		return needsPair
	}
	// A predicate that is read can be negated everywhere: only some syntax lines say so, but ptxas accepts all.
	if predicate := isPredicate(s); op.Neg && (!s.Neg && (!predicate || s.Role&isa.Write != 0) ||
		(p.src[op.Span.Start] == '!') != predicate) {
		return noNegation
	}
	switch op.Kind {
	case OpReg:
		if pr := selectorFits(s, b.Form.Mnemonic, op.Sel()); pr != fits {
			return pr
		}
		return acceptsReg(s, op)
	case OpImm:
		return acceptsImm(s, op)
	case OpVec:
		if single(s, op, b) {
			return p.accepts(s, &op.List()[0], b)
		}
		return p.acceptsVec(s, op, b)
	case OpAddr:
		if op.Sel() != "" && !slices.Contains(s.Suffix, op.Sel()) {
			return badSelector
		}
		if s.Kinds&isa.KTex != 0 {
			return p.acceptsTex(s, op, b)
		}
		if op.List() != nil {
			return wrongKind
		}
		return kindIf(s, isa.KAddr)
	case OpVar:
		if m := b.Form.Mnemonic; op.element && s.Kinds&isa.KAddr != 0 && (m == "ld" || m == "ldu" || m == "st") {
			return fits
		}
		if pr := kindIf(s, isa.KSym); pr != fits {
			return pr
		}
		return addressSize(s)
	case OpFunc:
		if pr := kindIf(s, isa.KFunc|isa.KSym); pr != fits {
			return pr
		}
		return addressSize(s)
	case OpSReg:
		return acceptsSReg(s, op, b)
	case OpSink:
		return kindIf(s, isa.KSink)
	case OpLabel:
		return kindIf(s, isa.KLabel)
	}
	return wrongKind
}

// selectorFits checks the .b0 or .h10 after an operand of a video instruction (9.7.20): parts of registers, or, for
// instructions on two or four elements, which element comes from where and, at the destination, which ones are written.
func selectorFits(s *isa.Operand, mnemonic, sel string) problem {
	if sel == "" {
		if len(s.Suffix) > 0 && s.Suffix[0] == ".dsel" {
			return needsSelector
		}
		return fits
	}
	if len(s.Suffix) == 0 || len(sel) < 3 {
		return badSelector
	}
	letter, most, elements := sel[1], byte('3'), 0
	switch mnemonic[len(mnemonic)-1] {
	case '2':
		elements = 2
	case '4':
		elements, most = 4, '7'
	default:
		if letter == 'h' {
			most = '1'
		}
		if len(sel) != 3 || sel[2] > most {
			return badSelector
		}
		return fits
	}
	digits := sel[2:]
	if letter != map[int]byte{2: 'h', 4: 'b'}[elements] {
		return badSelector
	}
	mask := s.Suffix[0] == ".mask"
	if mask {
		most = '0' + byte(elements) - 1
	} else if len(digits) != elements {
		return badSelector
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > most || mask && i > 0 && digits[i] >= digits[i-1] {
			return badSelector
		}
	}
	return fits
}

// acceptsTex checks what is between the brackets of [texture, sampler, {coordinates}] and its like: a name or a
// register, perhaps others and values for them, and coordinates.
func (p *parser) acceptsTex(s *isa.Operand, op *Operand, b *isa.Bound) problem {
	after := s.Inner[1:]
	least := len(after)
	for i := range after {
		if after[i].Optional {
			least--
		}
	}
	n := len(op.List())
	if op.Reg == nil && op.Var == nil || op.Off() != 0 || n < least || n > len(after) {
		return wrongKind
	}
	if base := &s.Inner[0]; base.Type != isa.NoType { // a fabric handle
		if op.Reg == nil {
			return wrongKind
		} else if pr := typeFits(base, op.Reg.Type); pr != fits {
			return pr
		}
	}
	for i := range op.List() {
		e, place := &op.List()[i], &after[i]
		tuple := place.Kinds&isa.KVec != 0
		switch coordinates := i == n-1 && (tuple || place.Type == isa.NoType); {
		case coordinates && e.Kind != OpReg && e.Kind != OpVec && e.Kind != OpImm:
			return wrongKind
		case coordinates:
		case tuple || place.Type != isa.NoType: // what overrides a field of a tensor map, an offset from a handle
			if pr := p.accepts(place, e, b); pr != fits {
				return pr
			}
		case e.Kind != OpReg && e.Kind != OpVar:
			return wrongKind
		}
	}
	return fits
}

func kindIf(s *isa.Operand, kinds isa.Kind) problem {
	if s.Kinds&kinds != 0 {
		return fits
	}
	return wrongKind
}

func addressSize(s *isa.Operand) problem {
	switch {
	case s.Type == isa.NoType:
		return fits
	case s.Type.Class() == isa.Float || s.Type.Class() == isa.Predicate:
		return wrongType
	case s.Type.Bits() < 16: // legacy code keeps addresses of shared memory in 16 bits
		return wrongSize
	}
	return fits
}

func acceptsReg(s *isa.Operand, op *Operand) problem {
	typ := op.Reg.Type
	if typ == isa.Pred {
		switch {
		case s.Kinds&isa.KPred != 0, s.Kinds&isa.KReg != 0 && s.Type == isa.Pred:
			return fits
		case s.Kinds&isa.KReg != 0:
			return wrongType
		}
		return wrongKind
	}
	if s.Kinds&isa.KReg == 0 {
		if s.Kinds&isa.KPred != 0 {
			return wrongType
		}
		return wrongKind
	}
	return typeFits(s, typ)
}

// typeFits compares a register's type with the place's by Table 26, or Tables 27 and 28 where wider is allowed.
func typeFits(s *isa.Operand, typ isa.Type) problem {
	switch {
	case s.Type == isa.NoType:
		if s.Kinds&isa.KPred != 0 && s.Kinds&isa.KReg == 0 && typ != isa.Pred {
			return wrongType
		}
		return fits
	case agree(s.Type, typ), s.Wider && wider(s.Type, typ):
		return fits
	case s.Type.Bits() != typ.Bits() && (!s.Wider || typ.Bits() < s.Type.Bits()):
		return wrongSize
	}
	return wrongType
}

// agree is Table 26: bit-size types agree with every type of their size, signed and unsigned integers of one size
// with each other, floating-point types only with themselves.
func agree(inst, operand isa.Type) bool {
	if inst == operand {
		return true
	}
	a, b := inst.Class(), operand.Class()
	if inst.Bits() != operand.Bits() || a == isa.Predicate || b == isa.Predicate || a == isa.Opaque || b == isa.Opaque {
		return false
	}
	integer := func(c isa.Class) bool { return c == isa.Signed || c == isa.Unsigned }
	if operand == isa.F16x2 { // NVIDIA's assembler accepts any 32 bits
		return a != isa.Float
	}
	if packed(inst) {
		return b == isa.Bits
	}
	return a == isa.Bits || b == isa.Bits || integer(a) && integer(b)
}

// packed says whether a type is one of several integers, which are in registers of bits and have no constants
// (9.7.1.1).
func packed(t isa.Type) bool {
	return t == isa.U16x2 || t == isa.S16x2 || t == isa.U8x4 || t == isa.S8x4
}

// wider is Tables 27 and 28, which are alike: a register wider than the instruction's type.
func wider(inst, operand isa.Type) bool {
	a, b := inst.Class(), operand.Class()
	if operand.Bits() <= inst.Bits() || b == isa.Predicate || b == isa.Opaque {
		return false
	}
	return b == isa.Bits || a == isa.Bits || a != isa.Float && b != isa.Float
}

func acceptsImm(s *isa.Operand, op *Operand) problem {
	float := op.ImmType == isa.F32 || op.ImmType == isa.F64
	switch {
	case s.Kinds&isa.KImm == 0 && !(s.Kinds&isa.KPred != 0 && s.Role&isa.Write == 0):
		return wrongKind
	case s.Type.Class() == isa.Float && s.Type.Bits() < 32, s.Type == isa.F16x2, s.Type == isa.BF16x2,
		s.Type == isa.TF32, packed(s.Type):
		return noConstant
	case !float, s.Type == isa.NoType, s.Type.Class() == isa.Float:
		return fits
	case s.Type.Class() == isa.Bits && s.Type.Bits() == op.ImmType.Bits():
		return fits
	}
	return wrongType
}

// acceptsSReg accepts special registers only in mov and cvt (chapter 10). Their lower 16 bits can be read too, because
// legacy code reads %tid and its like so (10.1).
func acceptsSReg(s *isa.Operand, op *Operand, b *isa.Bound) problem {
	mnemonic := b.Form.Mnemonic
	if mnemonic != "mov" && mnemonic != "cvt" || s.Role&isa.Write != 0 {
		return wrongKind
	}
	if op.SReg().Vec > 1 && op.Elem < 0 {
		if s.Vec == op.SReg().Vec {
			return fits
		}
		return wrongLength
	}
	class, bits := s.Type.Class(), s.Type.Bits()
	switch {
	case mnemonic == "cvt" && b.Types[0].Class() == isa.Float, s.Type != isa.Pred && op.SReg().Type == isa.Pred:
		return wrongKind
	case class == isa.Float:
		return wrongType
	case op.SReg().Name == "%gridid" && bits >= 16, op.SReg().Vec > 1 && bits == 16: // 10.1, 10.10
		return fits
	case mnemonic == "cvt" && s.Wider && bits < op.SReg().Type.Bits():
		return fits
	case bits != op.SReg().Type.Bits():
		return wrongSize
	}
	return fits
}

// acceptsVec checks a tuple. mov also packs a tuple into a scalar and unpacks it (9.7.10.4): then the elements' sizes
// add up to the type's.
func (p *parser) acceptsVec(s *isa.Operand, op *Operand, b *isa.Bound) problem {
	if s.Kinds&isa.KVec == 0 {
		return wrongKind
	}
	if b.Form.Mnemonic == "mov" && s.Vec == 0 {
		return packs(s, b, op)
	}
	if s.Vec > 0 && len(op.List()) != s.Vec {
		return wrongLength
	}
	element := *s
	element.Kinds |= isa.KReg
	if s.Type == isa.Pred {
		element.Kinds |= isa.KPred
	}
	if s.Role&isa.Write == 0 {
		element.Kinds |= isa.KImm
	}
	matrix := s.Vec == 0 && (strings.HasSuffix(b.Form.Mnemonic, "mma") || strings.HasSuffix(b.Form.Mnemonic, "matrix"))
	bits, mixed := mixture(op.List(), s.Type, !matrix)
	if bits {
		element.Type = isa.BitsType(s.Type.Bits())
	}
	sinks := 0
	for i := range op.List() {
		e, place := &op.List()[i], &element
		if e.Kind == OpSink {
			sinks++
			if s.Role&isa.Read != 0 && s.Vec*s.Type.Bits() != 256 { // 9.7.10.11: such a store leaves elements alone
				return noSink
			}
			continue
		}
		if e.Kind != OpReg && e.Kind != OpImm {
			return wrongKind
		}
		if e.Kind == OpImm && matrix && s.Role&isa.Write == 0 {
			if bits {
				continue // any number, as bits
			}
			if s.Type == isa.B32 && e.ImmType != isa.F32 {
				return wrongKind
			}
		}
		if e.Kind == OpImm {
			number := element
			number.Type, place = s.Type, &number
		}
		if pr := p.accepts(place, e, b); pr != fits {
			return pr
		}
	}
	if sinks == len(op.List()) && mixed == fits {
		return onlySinks
	}
	return mixed
}

// mixture looks at a tuple's registers together: they have one size, and integers and floats do not mix. One .b
// register makes the tuple one of bits, whatever the instruction's type; integers are allowed for floats if forFloats
// says so. These are the rules of ptxas.
func mixture(list []Operand, typ isa.Type, forFloats bool) (bits bool, pr problem) {
	size, floats, integers := 0, false, false
	for i := range list {
		if list[i].Kind != OpReg {
			continue
		}
		t := list[i].Reg.Type
		if size != 0 && t.Bits() != size {
			return false, wrongSize
		}
		size = t.Bits()
		switch t.Class() {
		case isa.Bits:
			bits = true
		case isa.Float:
			floats = true
		default:
			integers = true
		}
	}
	if floats && integers {
		return false, wrongType
	}
	return typ.Bits() >= 8 && (bits || forFloats && integers && typ.Class() == isa.Float), fits
}

// single says whether a tuple of one element means the element: loads, stores and mov.b accept { %r1 } as a scalar, and
// Triton writes it.
func single(s *isa.Operand, op *Operand, b *isa.Bound) bool {
	switch b.Form.Mnemonic {
	case "ld", "st", "ldu", "suld", "sust":
	case "mov":
		if b.Types[0].Class() != isa.Bits {
			return false
		}
	default:
		return false
	}
	return op.Kind == OpVec && len(op.List()) == 1 && s.Kinds&isa.KVec == 0
}

// isPredicate says whether a place is for a predicate.
func isPredicate(s *isa.Operand) bool {
	return s.Type == isa.Pred || s.Type == isa.NoType && s.Kinds&isa.KPred != 0 && s.Kinds&isa.KReg == 0
}

// packs checks a tuple that mov packs or unpacks. Unpacking may drop elements, but not all (9.7.10.4).
func packs(s *isa.Operand, b *isa.Bound, op *Operand) problem {
	total, bits, sinks := 0, 0, 0
	if len(b.Types) > 0 {
		bits = b.Types[0].Bits()
	}
	for i := range op.List() {
		switch e := &op.List()[i]; e.Kind {
		case OpReg:
			if e.Reg.Type == isa.Pred {
				return wrongType
			}
			total += e.Reg.Type.Bits()
		case OpSink:
			if sinks++; s.Role&isa.Write == 0 {
				return noSink
			}
			total += bits / len(op.List())
		case OpImm:
			if s.Role&isa.Write != 0 {
				return wrongKind
			}
			total += bits / len(op.List())
			if t := e.ImmType; (t == isa.F32 || t == isa.F64) && t.Bits()*len(op.List()) != bits {
				return wrongType
			}
		default:
			return wrongKind
		}
	}
	switch {
	case sinks == len(op.List()):
		return onlySinks
	case total != bits:
		return wrongSize
	case len(op.List()) != 2 && len(op.List()) != 4:
		return wrongLength
	}
	_, pr := mixture(op.List(), isa.NoType, false)
	return pr
}

// adapt turns a constant into what its place takes: a truth value for a predicate, a number for a float.
func (p *parser) adapt(s *isa.Operand, op *Operand) {
	if op.Kind == OpVar && op.element && s.Kinds&isa.KAddr != 0 {
		op.Kind = OpAddr
	}
	if op.Kind == OpVec && len(op.List()) == 1 && s.Kinds&isa.KVec == 0 {
		*op = op.List()[0]
	}
	if op.Kind == OpVec {
		element := *s
		if bits, _ := mixture(op.List(), s.Type, false); bits && s.Vec == 0 { // a matrix
			element.Type = isa.BitsType(s.Type.Bits())
		}
		for i := range op.List() {
			p.adapt(&element, &op.List()[i])
		}
	}
	if op.Kind != OpImm {
		return
	}
	if op.ImmType == isa.F32 || op.ImmType == isa.F64 {
		if s.Type.Class() == isa.Bits {
			op.Imm, op.ImmType = floatBits(value{op.ImmType, op.Imm}, s.Type.Bits()), isa.U64
		}
		return
	}
	switch class := s.Type.Class(); {
	case isPredicate(s):
		if op.Neg = false; op.Imm != 0 {
			op.Imm = 1
		}
		op.ImmType = isa.Pred
	case class == isa.Float && s.Type.Bits() >= 16:
		number := float64(int64(op.Imm))
		d := p.report("integer-for-float", op.Span, "an integer constant for a %s operand; NVIDIA's assembler refuses it. "+
			"It is taken as %s", s.Type, decimal(number))
		if !p.offerExact(d, op.Span, s.Type) {
			d.fix(op.Span, decimal(number), "write %s", decimal(number))
		}
		v := double(number)
		op.Imm, op.ImmType = v.bits, v.typ
	case s.Type != isa.NoType:
		p.checkFits(value{op.ImmType, op.Imm}, s.Type, op.Span)
	}
}

// checkRange checks a constant against the range that its instruction allows, such as that of a barrier's number.
func (p *parser) checkRange(in *Inst, i int) {
	s, op := &in.Match.Operands[i], &in.Operands[i]
	if op.Kind == OpImm && s.Range != nil && !s.Range.Has(int64(op.Imm)) {
		p.report("bad-operand", op.Span, "%s of %s is %s, not %d", placeName(s, i), in.Opcode, s.Range, int64(op.Imm)).
			section(in.Match.Form.Section)
	}
}

func decimal(f float64) string {
	s := fmt.Sprint(f)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// checkFits warns when a constant loses bits by being converted to the size of its type (4.5.1).
func (p *parser) checkFits(v value, typ isa.Type, at Span) {
	bits := typ.Bits()
	if bits >= 64 || bits < 8 || v.float() {
		return
	}
	n := int64(v.bits)
	if n < -1<<(bits-1) || n >= 1<<bits {
		mask := uint64(1)<<bits - 1
		p.report("constant-truncated", at, "the constant %d does not fit in %s; its lower %d bits are %#x", n, typ, bits,
			v.bits&mask)
	}
}
