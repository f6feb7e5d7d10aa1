package ptx

import (
	"fmt"
	"strings"

	"warpscope/ptx/isa"
)

// explain reports why an instruction's operands fit none of its syntax lines.
func (p *parser) explain(in *Inst, m misfit) {
	section := m.bound.Form.Section
	switch m.problem {
	case tooFew, tooMany:
		d := p.report("operand-count", in.OpSpan, "%s takes %s, %d given", in.Opcode, operandCount(m.bound),
			len(in.Operands)).section(section)
		p.syncForm(d, in)
		return
	case wrongType, wrongSize:
		p.explainType(in, m)
		return
	}
	at := m.op.Span
	place := placeName(m.slot, m.index)
	switch m.problem {
	case wrongKind:
		p.explainKind(in, m)
	case wrongLength:
		if m.op.Kind == OpSReg && m.slot.Vec <= 1 {
			p.explainVector(in, m)
			return
		}
		p.report("bad-operand", at, "%s of %s is a tuple of %s, not of %d", place, in.Opcode,
			Plural(max(1, m.slot.Vec), "element"), elements(m.op)).section(section)
	case noNegation:
		p.report("bad-operand", at, "%s of %s cannot be negated", place, in.Opcode).section(section)
	case noPair:
		p.report("bad-operand", at, "%s of %s is a single operand, not a pair with '|'", place, in.Opcode).section(section)
	case badSelector:
		p.report("bad-component", at, "%s of %s has no part %s", place, in.Opcode, m.op.Sel()).section(section)
	case noSink:
		p.report("bad-operand", at, "%s of %s is read: '_' is allowed only where a result goes",
			place, in.Opcode).section("6.4.3")
	case onlySinks:
		p.report("bad-operand", at, "%s of %s needs a register for at least one element", place, in.Opcode).section(section)
	case noConstant:
		p.report("bad-operand", at, "%s takes no constant for %s; mov.b%d puts one into a register", in.Opcode, place,
			m.slot.Type.Bits()).section(section)
	case needsSelector:
		p.report("operand-count", in.OpSpan, "%s takes c only to combine with it, by .add, .min or .max, or to keep what "+
			"the selector of d leaves", in.Opcode).section(section)
	case needsPair:
		p.report("bad-operand", at, "%s of %s is a pair %s|%s", place, in.Opcode, m.slot.Name, m.slot.Pair.Name).
			section(section)
	}
}

// elements is how many values an operand stands for.
func elements(op *Operand) int {
	if op.Kind == OpSReg {
		return op.SReg().Vec
	}
	return max(1, len(op.List()))
}

// explainVector reports a special register of several components where one value is wanted. Its first component is
// offered; where that is too narrow for a mov, cvt widens it (9.7.10.24).
func (p *parser) explainVector(in *Inst, m misfit) {
	first := p.m.Text(m.op.Span) + ".x"
	d := p.report("bad-operand", m.op.Span, "%s has components: write %s", p.m.Text(m.op.Span), first).
		section(m.op.SReg().Section)
	component := *m.op
	component.Elem = 0
	switch p.accepts(m.slot, &component, m.bound) {
	case fits:
		d.fix(m.op.Span, first, "write %s", first)
	case wrongSize:
		if m.slot.Type.Bits() == 64 && m.bound.Form.Mnemonic == "mov" {
			const widen = "cvt.u64.u32"
			d.Message += ", with " + widen + ", because it has 32 bits"
			between := p.m.Text(Span{in.OpSpan.End, m.op.Span.Start})
			d.fix(Span{in.OpSpan.Start, m.op.Span.End}, widen+between+first, "write %s and %s", widen, first)
		}
	}
}

// placeName is "operand 2 (a)".
func placeName(s *isa.Operand, index int) string {
	return fmt.Sprintf("operand %d (%s)", index+1, s.Name)
}

func operandCount(b *isa.Bound) string {
	least, most := required(b), len(b.Operands)
	names := make([]string, 0, most)
	for i := range b.Operands {
		name := b.Operands[i].Name
		if b.Operands[i].Optional {
			name = "{" + name + "}"
		}
		names = append(names, name)
	}
	count := Plural(most, "operand")
	if least != most {
		count = fmt.Sprintf("%d to %d operands", least, most)
	}
	if most == 0 {
		return count
	}
	return count + " (" + strings.Join(names, ", ") + ")"
}

// kindNames in the order of isa's bits.
var kindNames = []struct {
	kind isa.Kind
	name string
}{
	{isa.KReg, "a register"}, {isa.KPred, "a predicate register"}, {isa.KImm, "a constant"}, {isa.KVec, "a tuple {…}"},
	{isa.KAddr, "an address […]"}, {isa.KTex, "a texture address […]"}, {isa.KSym, "a variable's name"},
	{isa.KSReg, "a special register"}, {isa.KSink, "'_'"}, {isa.KLabel, "a label"}, {isa.KFunc, "a function"},
}

func wanted(s *isa.Operand) string {
	var names []string
	for _, k := range kindNames {
		if s.Kinds&k.kind != 0 && !(k.kind == isa.KReg && s.Type == isa.Pred && s.Kinds&isa.KPred != 0) {
			names = append(names, k.name)
		}
	}
	return orList(names)
}

func (p *parser) explainKind(in *Inst, m misfit) {
	section := m.bound.Form.Section
	place, text := placeName(m.slot, m.index), p.m.Text(m.op.Span)
	switch op := m.op; {
	case op.Kind == OpSReg && m.slot.Role&isa.Write != 0:
		p.report("bad-operand", op.Span, "the special register %s is read-only", text).section("5.1.2")
	case op.Kind == OpSReg:
		p.report("special-register-operand", op.Span, "%s cannot read the special register %s; mov it into a register first",
			in.Opcode, text)
	case op.Kind == OpImm && m.slot.Role&isa.Write != 0:
		p.report("bad-operand", op.Span, "%s is where the result goes; it cannot be the constant %s", place, text).
			section(section)
	case m.slot.Kinds&isa.KAddr != 0 && (op.Kind == OpReg || op.Kind == OpVar):
		p.report("bad-operand", op.Span, "%s of %s is an address: write [%s]", place, in.Opcode, text).section(section).
			fix(op.Span, "["+text+"]", "put it in brackets")
	case op.Kind == OpVar && m.slot.Kinds&isa.KReg != 0:
		d := p.report("bad-operand", op.Span, "%s is a variable in %s space; %s works on registers: load it with ld, or "+
			"take its address with mov", op.Var.Name, op.Var.Space, in.Opcode).note(op.Var.Span, "declared here").
			section(section)
		if m.bound.Form.Mnemonic == "cvta" && m.bound.Has(op.Var.Space.String()) { // its name is that address (6.6)
			mov := "mov" + m.slot.Type.String()
			d.fix(in.OpSpan, mov, "write %s", mov)
		}
	default:
		p.report("bad-operand", op.Span, "%s of %s is %s, not %s", place, in.Opcode, wanted(m.slot), text).section(section)
	}
}

func (p *parser) explainType(in *Inst, m misfit) {
	place := placeName(m.slot, m.index)
	op := badElement(p, m)
	switch op.Kind {
	case OpReg:
		p.explainRegister(in, m, op, place)
	case OpSReg:
		p.report("type-mismatch", op.Span, "%s is %s; %s of %s is %s", p.m.Text(op.Span), op.SReg().Type, place, in.Opcode,
			m.slot.Type).section("9.4")
	case OpImm:
		p.report("type-mismatch", op.Span, "a floating-point constant for %s of %s, which is %s", place, in.Opcode,
			m.slot.Type).section("9.4")
	case OpVec:
		why := "differ in size, or are integers and floats"
		if m.problem == wrongSize && m.bound.Form.Mnemonic == "mov" {
			why = "do not add up to the size of " + in.Opcode
		}
		p.report("type-mismatch", op.Span, "the elements of this tuple %s", why).section(m.bound.Form.Section)
	default:
		p.report("type-mismatch", op.Span, "an address does not fit %s of %s, which is %s", place, in.Opcode, m.slot.Type).
			section("9.4")
	}
}

// badElement is the part of an operand that does not fit: an element, the second half, or all of it.
func badElement(p *parser, m misfit) *Operand {
	if m.op.Second() != nil && m.slot.Pair != nil && p.accepts(m.slot.Pair, m.op.Second(), m.bound) != fits {
		return m.op.Second()
	}
	if m.op.Kind == OpVec && !(m.bound.Form.Mnemonic == "mov" && m.slot.Vec == 0) {
		for i := range m.op.List() {
			e := &m.op.List()[i]
			if e.Kind == OpReg && acceptsReg(&isa.Operand{Kinds: isa.KReg, Type: m.slot.Type, Wider: m.slot.Wider}, e) != fits {
				return e
			}
		}
	}
	return m.op
}

func (p *parser) explainRegister(in *Inst, m misfit, op *Operand, place string) {
	slot, r := m.slot, op.Reg
	if op == m.op.Second() {
		slot = m.slot.Pair
	}
	want := slot.Type.String()
	if slot.Type == isa.NoType && slot.Kinds&isa.KPred != 0 || slot.Type == isa.Pred {
		want = ".pred"
	}
	section := "9.4"
	d := p.report("type-mismatch", op.Span, "%s is declared %s; %s of %s is %s", p.m.Text(op.Span), r.Type, place,
		in.Opcode, want)
	switch {
	case r.Type.Bits() == 8 && r.Type != isa.Pred:
		d.Message += ": 8-bit registers are for ld, st and cvt only"
		section = "5.2.2"
	case m.problem == wrongSize && slot.Wider:
		d.Message += ": a register narrower than the type cannot hold it"
		section = "9.4.1"
	case m.problem == wrongSize && r.Type != isa.Pred && want != ".pred":
		d.Message += fmt.Sprintf(": %d bits where %d are wanted", r.Type.Bits(), slot.Type.Bits())
	case slot.Type == isa.TF32, slot.Type == isa.F16x2, slot.Type == isa.BF16x2:
		d.Message += ": a .b32 register can hold it"
	case r.Type.Class() == isa.Float || slot.Type.Class() == isa.Float:
		d.Message += ": floating-point and integer registers do not mix; mov.b32 moves bits, cvt converts"
	}
	d.note(r.Span, "%s is declared here", r.Name).section(section)
}
