package ptx

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// These fixes complete an opcode, or give an access the address that it expects.

// spelt is an opcode as the manual writes it, if the module has it and it takes these operands; else "".
func (p *parser) spelt(opcode string, operands []Operand) string {
	r := p.resolve(opcode)
	for _, b := range r.bounds {
		if _, m := p.fit(b, operands); m.problem == fits && p.allowed(b) {
			return b.Form.Mnemonic + strings.Join(b.Mods, "")
		}
	}
	return ""
}

// insertModifier offers the modifier that is missing, if one alone makes an instruction of the words. What the threads
// of a warp do together may lack its member mask as well (9.7.10.6, 9.7.15.9, 9.7.15.13).
func (p *parser) insertModifier(d *Diagnostic, in *Inst, missing []string) {
	if p.m.Text(in.OpSpan) != in.Opcode {
		return
	}
	mask := Operand{Kind: OpImm, ImmType: isa.S64, Imm: 0xffffffff}
	better, masked := "", false
	for _, modifier := range missing {
		if _, ok := spaceMods[modifier]; ok && elsewhere(in, modifier) {
			continue
		}
		full, lacks := p.spelt(in.Opcode+modifier, in.Operands), false
		if full == "" && modifier == ".sync" {
			full, lacks = p.spelt(in.Opcode+modifier, append(slices.Clone(in.Operands), mask)), true
		}
		if full == "" {
			continue
		}
		if better != "" {
			return
		}
		better, masked = full, lacks
	}
	switch {
	case better == "":
	case !masked:
		d.fix(in.OpSpan, better, "write %s", better)
	case len(in.Operands) > 0:
		last := in.Operands[len(in.Operands)-1].Span.End
		d.fix(Span{in.OpSpan.Start, last}, better+p.m.Text(Span{in.OpSpan.End, last})+", 0xffffffff",
			"write %s with the mask of a whole warp", better)
	}
}

// elsewhere says whether an operand is a variable in another state space.
func elsewhere(in *Inst, space string) bool {
	return slices.ContainsFunc(in.Operands, func(op Operand) bool {
		return op.Var != nil && op.Var.Space.String() != space
	})
}

// syncForm offers the .sync form of a warp operation that is written with a member mask (9.7.10.6, 9.7.15.9).
func (p *parser) syncForm(d *Diagnostic, in *Inst) {
	if better := p.spelt(in.Opcode+".sync", in.Operands); better != "" && p.m.Text(in.OpSpan) == in.Opcode {
		d.Message += "; did you mean " + better + ", which takes a member mask?"
		d.fix(in.OpSpan, better, "write %s", better)
	}
}

// rightSpace offers the access in the space that the variable is in; or the generic address, where the instruction has
// no such space.
func (p *parser) rightSpace(d *Diagnostic, in *Inst, op *Operand, accessed Space) {
	v := op.Var
	if p.m.Text(in.OpSpan) != in.Opcode {
		return
	}
	if accessed == Generic {
		if better := p.spelt(in.Opcode+v.Space.String(), in.Operands); better != "" {
			d.fix(in.OpSpan, better, "write %s", better)
		} else {
			d.Fix = p.m.throughCvta(in, op, "cvta"+v.Space.String())
		}
		return
	}
	for _, modifier := range in.Match.Mods {
		if space, ok := spaceMods[modifier]; !ok || space != accessed {
			continue
		}
		better := p.spelt(strings.Replace(in.Opcode, modifier, v.Space.String(), 1), in.Operands)
		if better != "" {
			d.fix(in.OpSpan, better, "write %s", better)
			return
		}
	}
}

// throughCvta is the instruction with an address that cvta has converted (9.7.10.23), in braces of its own; nil where
// no such text is known.
func (m *Module) throughCvta(in *Inst, op *Operand, cvta string) *Fix {
	text, address := m.Text(in.Span), m.Text(op.Span)
	temp := "%g"
	for hasName(text, temp) {
		temp += "_"
	}
	inner := strings.TrimSpace(strings.TrimPrefix(address, "["))
	end := strings.IndexAny(inner, " \t+-]")
	if end <= 0 || address[0] != '[' || !strings.HasSuffix(text, ";") {
		return nil
	}
	width := max(m.AddressSize, 32)
	start := op.Span.Start - in.Span.Start
	changed := text[:start] + "[" + temp + inner[end:] + text[int(start)+len(address):]
	return &Fix{in.Span, fmt.Sprintf("{ .reg .b%d %s; %s.u%d %s, %s; %s }", width, temp, cvta, width, temp, inner[:end],
		changed), "convert the address with " + cvta}
}

// hasName says whether a text has a name (4.4), not only as the first letters of a longer one.
func hasName(text, name string) bool {
	for {
		_, after, found := strings.Cut(text, name)
		if !found {
			return false
		}
		if after == "" || class[after[0]]&isFollow == 0 {
			return true
		}
		text = after
	}
}

// Convert is a fix of an instruction whose address is to be converted by cvta.shared or cvta.to.shared; nil where none
// is known.
func (m *Module) Convert(in *Inst, cvta string) *Fix {
	i := slices.IndexFunc(in.Operands, func(op Operand) bool { return op.Kind == OpAddr })
	if i < 0 {
		return nil
	}
	return m.throughCvta(in, &in.Operands[i], cvta)
}
