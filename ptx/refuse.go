package ptx

import (
	"errors"
	"fmt"
	"strings"

	"warpscope/ptx/isa"
)

// refusedOpcode explains an opcode that the instruction table does not have. The most frequent mistakes have their own
// messages; the table explains the rest.
func (p *parser) refusedOpcode(in *Inst, mnemonic string, err error) {
	if !knownMnemonic(mnemonic) {
		p.unknownInstruction(in, mnemonic)
		return
	}
	if (mnemonic == "st" || mnemonic == "atom" || mnemonic == "red") && strings.Contains(in.Opcode, ".const") {
		p.report("read-only-space", in.OpSpan, "%s: constant memory can only be read by kernels", in.Opcode)
		return
	}
	if p.predicateNumber(in, mnemonic) || p.wrongTypeClass(in, mnemonic) || mnemonic == "cvt" && p.checkRounding(in) {
		return
	}
	p.opcodeError(in, err)
}

// opcodeError reports the table's message, at the modifier that it is about.
func (p *parser) opcodeError(in *Inst, err error) {
	var e *isa.OpcodeError
	if !errors.As(err, &e) {
		p.report("modifier-not-allowed", in.OpSpan, "%s", err)
		return
	}
	at, code := in.OpSpan, "modifier-not-allowed"
	if spelt := p.m.Text(in.OpSpan) == in.Opcode; spelt && e.Length > 0 {
		at = Span{at.Start + int32(e.Offset), at.Start + int32(e.Offset+e.Length)}
	}
	if e.Kind == isa.MissingModifier {
		code = "modifier-missing"
	}
	d := p.mayBeNewer(p.report(code, at, "%s", e).section(e.Section))
	if e.Suggest != "" && e.Kind == isa.BadModifier && at != in.OpSpan {
		d.fix(at, e.Suggest, "write %s", e.Suggest)
	}
	if e.Kind == isa.MissingModifier {
		p.insertModifier(d, in, e.Allowed)
	}
}

// mayBeNewer adds that an opcode which the table does not have may exist in the module's version.
func (p *parser) mayBeNewer(d *Diagnostic) *Diagnostic {
	if v := p.m.Version; v > isa.TableVersion {
		d.Message += fmt.Sprintf("; the instructions known here are those of PTX ISA %d.%d, and the module says "+
			".version %d.%d", isa.TableVersion/10, isa.TableVersion%10, v/10, v%10)
	}
	return d
}

func (p *parser) unknownInstruction(in *Inst, mnemonic string) {
	d := p.mayBeNewer(p.report("unknown-instruction", in.OpSpan, "there is no instruction %s", mnemonic))
	near := closest(mnemonic, instructionNames)
	if dotted := "." + mnemonic; statementDirective(dotted) {
		near = dotted
	}
	if near != "" {
		d.Message += "; did you mean " + near + "?"
		d.fix(Span{in.OpSpan.Start, in.OpSpan.Start + int32(len(mnemonic))}, near, "write %s", near)
	}
}

// wrongTypeClass reports arithmetic types of instructions that have only bit-size types (and, shfl), and half-precision
// types of loads and stores: both need the bit-size type of the same width.
func (p *parser) wrongTypeClass(in *Inst, mnemonic string) bool {
	words := strings.Split(in.Opcode, ".")
	for i, w := range words {
		typ, ok := isa.ParseType("." + w)
		if i == 0 || !ok || typ.Class() == isa.Bits || typ == isa.Pred {
			continue
		}
		memory := (mnemonic == "ld" || mnemonic == "st" || mnemonic == "ldu") && typ.Class() == isa.Float &&
			(typ.Bits() == 16 || typ == isa.F16x2 || typ == isa.BF16x2)
		if !memory && !isa.BitTypesOnly(mnemonic) {
			continue
		}
		words[i] = bitsOf(typ)[1:]
		better := strings.Join(words, ".")
		bounds, err := isa.Resolve(better)
		if err != nil {
			return false
		}
		why, section := mnemonic+" has only bit-size types", bounds[0].Form.Section
		if memory {
			why, section = "memory has no half-precision types", "9.7.10"
		}
		p.report("use-bit-type", in.OpSpan, "%s does not exist: %s; use %s", in.Opcode, why, better).section(section).
			fix(in.OpSpan, better, "write %s", better)
		return true
	}
	return false
}

// rounding modifiers of cvt (9.7.10.24, 6.5.2).
var (
	floatRounding   = map[string]bool{"rn": true, "rz": true, "rm": true, "rp": true, "rna": true, "rs": true}
	integerRounding = map[string]bool{"rni": true, "rzi": true, "rmi": true, "rpi": true}
)

// checkRounding checks the rounding of a plain cvt.dtype.atype: forbidden where the conversion is exact, needed where
// it is not. It says whether it reported something.
func (p *parser) checkRounding(in *Inst) bool {
	var types []isa.Type
	round, at := "", -1
	words := strings.Split(in.Opcode, ".")
	for i, w := range words[1:] {
		if t, ok := isa.ParseType("." + w); ok {
			types = append(types, t)
		} else if floatRounding[w] || integerRounding[w] {
			round, at = w, i+1
		} else if w != "ftz" && w != "sat" {
			return false // relu, satfinite, pack: the table knows them
		}
	}
	if len(types) != 2 || !plain(types[0]) || !plain(types[1]) {
		return false
	}
	d, a := types[0], types[1]
	fromFloat, toFloat := a.Class() == isa.Float, d.Class() == isa.Float
	without := strings.Join(append(append([]string(nil), words[:max(at, 0)]...), words[max(at, 0)+1:]...), ".")
	switch {
	case !fromFloat && !toFloat && round != "":
		return p.noRounding(in, round, without, "between integers")
	case fromFloat && toFloat && d.Bits() > a.Bits() && round != "":
		return p.noRounding(in, round, without, fmt.Sprintf("from %s to the wider %s", a, d))
	case fromFloat && toFloat && d == a && floatRounding[round]:
		p.report("cvt-no-rounding", in.OpSpan, "%s: nothing is rounded from %s to %s; .%si would round to an integer value",
			in.Opcode, a, d, round[:2])
		return true
	case toFloat && (!fromFloat || d.Bits() < a.Bits()) && !floatRounding[round]:
		return p.wantsRounding(in, words, at, "rn", floatRounding, fmt.Sprintf("%s cannot hold every %s value", d, a))
	case fromFloat && !toFloat && !integerRounding[round]:
		return p.wantsRounding(in, words, at, "rzi", integerRounding, "a floating-point value becomes an integer")
	}
	return false
}

// plain says whether cvt's simple rules cover a type.
func plain(t isa.Type) bool {
	switch t {
	case isa.U8, isa.U16, isa.U32, isa.U64, isa.S8, isa.S16, isa.S32, isa.S64, isa.F16, isa.F32, isa.F64:
		return true
	}
	return false
}

func (p *parser) noRounding(in *Inst, round, without, why string) bool {
	p.report("cvt-no-rounding", in.OpSpan, "%s: the conversion %s is exact and takes no rounding modifier; remove .%s",
		in.Opcode, why, round).fix(in.OpSpan, without, "write %s", without)
	return true
}

func (p *parser) wantsRounding(in *Inst, words []string, at int, usual string, kinds map[string]bool, why string) bool {
	better := append([]string(nil), words...)
	if at > 0 {
		better[at] = usual
	} else {
		better = append([]string{words[0], usual}, words[1:]...)
	}
	text := strings.Join(better, ".")
	names := ".rn, .rz, .rm or .rp"
	if kinds["rni"] {
		names = ".rni, .rzi, .rmi or .rpi"
	}
	p.report("cvt-needs-rounding", in.OpSpan, "%s: %s, so a rounding modifier is needed: %s", in.Opcode, why, names).
		fix(in.OpSpan, text, "write %s", text)
	return true
}

// lacksColon reports a name before a statement, which is a label without its colon, unless it resembles that of an
// instruction and nothing branches to it yet.
func (p *parser) lacksColon(in *Inst) bool {
	name := in.Opcode
	if in.Guard != nil || strings.Contains(name, ".") || knownMnemonic(name) || !p.endsStatement() {
		return false
	}
	if len(p.pending[name]) == 0 && p.nearest(name, instructionNames) != "" {
		return false
	}
	end := Span{in.OpSpan.End, in.OpSpan.End}
	p.report("syntax", in.OpSpan, "the label %s lacks its colon", name).section("4.4").fix(end, ":", "insert ':'")
	p.defineLabel(name, in.OpSpan)
	return true
}

func instructionNames(yield func(string)) {
	for _, m := range isa.Complete("") {
		yield(m)
	}
}
