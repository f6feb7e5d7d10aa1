package ptx

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// These fixes do more than replace a word. Each is one edit that makes the text valid.

// longestFix bounds the text that a fix repeats, in bytes.
const longestFix = 1 << 16

// needsVersion reports a feature that is newer than the module's .version, and returns whether it is.
func (p *parser) needsVersion(at Span, what string, n isa.Needs, section string) bool {
	if n.Version <= p.m.Version || p.m.Version == 0 {
		return false
	}
	d := p.report("needs-newer-version", at, "%s needs PTX ISA %s; the module says .version %s", what,
		versionName(n.Version), versionName(p.m.Version)).section(section)
	p.raise(d, n)
	return true
}

// needsTarget reports what the module's .target does not have.
func (p *parser) needsTarget(at Span, what string, n isa.Needs, section string) {
	if p.target.sm > 0 && !p.has(n) {
		wanted := n.Targets()
		if t, ok := p.newerTarget(n); ok && t.sm == p.target.sm { // only the suffix is missing
			wanted = t.String()
		}
		d := p.report("needs-newer-target", at, "%s needs %s; the module says .target %s", what, wanted, p.target).
			section(section)
		p.raise(d, n)
	}
}

func versionName(v int) string { return fmt.Sprintf("%d.%d", v/10, v%10) }

// newerTarget is the target that the module needs. It is never lower than the module's own, which other instructions
// may need. The features of a suffix hold within its family (11.1.2), so the suffix stays, and the target is a newer
// one of the family.
func (p *parser) newerTarget(n isa.Needs) (t target, ok bool) {
	old := p.target
	if t = (target{old.sm, n.Arch}); n.On(t.sm, t.arch) {
		return t, targetVersion(t) > 0
	}
	t, _ = parseTarget(n.Target())
	if old.arch != "" {
		t.arch = old.arch
	}
	ok = t.sm > old.sm && (old.arch == "" || t.sm/10 == old.sm/10) && targetVersion(t) > 0 && n.On(t.sm, t.arch)
	return t, ok && !slices.Contains(p.m.TargetOpts, "map_f64_to_f32") // which ends with sm_13
}

// raise offers a new head of the module: another .version, another .target, or both if the target is newer than the
// version.
func (p *parser) raise(d *Diagnostic, n isa.Needs) {
	target, ok := p.target, true
	if !p.has(n) {
		if target, ok = p.newerTarget(n); !ok {
			return
		}
	}
	version := max(n.Version, targetVersion(target), p.m.Version)
	if p.debug != (Span{}) && p.m.Version < 30 && version >= 30 {
		return // from there on the option debug means something else: see checkDebug
	}
	at, text, says := p.versionAt, versionName(version), ".version "+versionName(version)
	if target != p.target {
		old := p.m.Text(p.targetAt)
		word := old[:strings.IndexByte(old, '_')] + strings.TrimPrefix(target.String(), "sm") // or compute_
		if version == p.m.Version {
			at, text, says = p.targetAt, word, ".target "+word
		} else {
			text += p.m.Text(Span{at.End, p.targetAt.Start}) + word
			at.End, says = p.targetAt.End, says+" and .target "+word
		}
	}
	if at.Start > 0 && len(text) <= longestFix {
		d.fix(at, text, "write %s", says)
	}
}

// misplacedFile parses a .file within a function: it belongs to the outermost scope (11.5.3).
func (p *parser) misplacedFile(t token) {
	d := p.report("unknown-directive", t.span(),
		"the directive .file is not allowed here: it belongs to the outermost scope").
		section("11.5.3")
	p.traces = true
	p.file()
	end := p.prev.end
	before, after := p.m.Text(Span{p.began, t.start}), end
	if t.first && p.tok.first { // it is alone on its line
		before = strings.TrimRight(before, " \t")
		after += int32(strings.IndexByte(string(p.src[end:]), '\n') + 1)
	}
	if text := p.m.Text(Span{t.start, end}) + "\n" + before; len(text) <= longestFix {
		d.fix(Span{p.began, after}, text, "move it in front of the function")
	}
}

// gone reports an instruction that PTX no longer has, and names those that replaced it. The fix writes the one with the
// meaning of the old one.
func (p *parser) gone(in *Inst) {
	f := in.Match.Form
	d := p.report("removed-instruction", in.OpSpan, "%s no longer exists from PTX ISA %s on", in.Opcode,
		versionName(f.Gone.Version)).section(f.Section)
	if f.Gone.SM > 10 {
		d.Message += fmt.Sprintf(" for sm_%d and higher", f.Gone.SM)
	}
	var heirs []string
	for _, opcode := range isa.Successors(in.Opcode) {
		if r := p.resolve(opcode); r.err == nil && p.allowed(r.bounds[0]) {
			heirs = append(heirs, opcode)
		}
	}
	if len(heirs) == 0 {
		return
	}
	d.Message += "; write " + orList(heirs)
	better, says := in.Match.Today(), ""
	if r := p.resolve(better); better == "" || r.err != nil || !p.allowed(r.bounds[0]) {
		better = heirs[0]
	} else if !slices.Contains(heirs, better) {
		says = ", which means the same"
	}
	last := in.Operands[len(in.Operands)-1].Span.End
	if strings.Contains(better, ".sync") && !strings.Contains(in.Opcode, ".sync") { // 9.7.10.6, 9.7.15.10
		d.Message += " with a member mask"
		d.fix(Span{in.OpSpan.Start, last}, better+p.m.Text(Span{in.OpSpan.End, last})+", 0xffffffff",
			"write %s with the mask of a whole warp", better)
		return
	}
	d.fix(in.OpSpan, better, "write %s%s", better, says)
}

// predicateNumber reports conversions of predicates, and loads and stores of them: a predicate is not a number, but
// setp turns a number into a predicate, and selp a predicate into a number (9.3.2).
func (p *parser) predicateNumber(in *Inst, mnemonic string) bool {
	var types []isa.Type
	for _, word := range strings.Split(in.Opcode, ".")[1:] {
		if t, ok := isa.ParseType("." + word); ok {
			types = append(types, t)
		}
	}
	from := slices.Index(types, isa.Pred) == len(types)-1 && mnemonic != "ld"
	switch {
	case !slices.Contains(types, isa.Pred):
		return false
	case mnemonic == "cvt" && len(types) == 2 && types[0] != types[1]:
	case mnemonic == "ld" || mnemonic == "st":
	default:
		return false
	}
	says := "setp turns a number into a predicate: setp.ne.u32 p, a, 0"
	if from {
		says = "selp turns it into one: selp.u32 d, 1, 0, p"
	}
	d := p.report("modifier-not-allowed", in.OpSpan, "%s does not exist: a predicate is not a number; %s", in.Opcode,
		says).section("9.3.2")
	if len(in.Operands) == 2 && in.Operands[0].Kind != OpVec && in.Operands[1].Kind != OpVec {
		p.throughNumber(d, in, mnemonic, types, from)
	}
	return true
}

// throughNumber offers setp and selp in place of a conversion, or beside an access to memory of 32 bits.
func (p *parser) throughNumber(d *Diagnostic, in *Inst, mnemonic string, types []isa.Type, from bool) {
	const temp = "%t" // in braces of its own, where it may hide another register
	a, b := p.m.Text(in.Operands[0].Span), p.m.Text(in.Operands[1].Span)
	guard := p.m.Text(Span{in.Span.Start, in.OpSpan.Start})
	opcode := strings.Replace(in.Opcode, ".pred", ".u32", 1)
	var text string
	switch {
	case mnemonic == "ld":
		text = fmt.Sprintf("{ .reg .u32 %s; %s%s %s, %s; %s%s }", temp, guard, opcode, temp, b, guard,
			fromNumber(isa.U32, a, temp))
	case mnemonic == "st":
		text = fmt.Sprintf("{ .reg .u32 %s; %s %s%s %s, %s; }", temp, toNumber(isa.U32, temp, b), guard, opcode, a, temp)
	case from:
		opcode, text = "selp"+types[0].String(), guard+toNumber(types[0], a, b)
	default:
		opcode, text = "setp.ne"+types[1].String(), guard+fromNumber(types[1], a, b)
	}
	hides := mnemonic != "cvt" && strings.Contains(a+b+guard, temp)
	if _, err := isa.Resolve(opcode); err == nil && !hides {
		d.fix(in.Span, text, "write %s", text)
	}
}

// toNumber and fromNumber are statements that convert a predicate to a number and back.
func toNumber(t isa.Type, d, predicate string) string {
	one, zero := "1", "0"
	if t.Class() == isa.Float {
		one, zero = "1.0", "0.0"
	}
	return fmt.Sprintf("selp%s %s, %s, %s, %s;", t, d, one, zero, predicate)
}

func fromNumber(t isa.Type, predicate, a string) string {
	if t.Class() == isa.Float { // NaN is true, as in C
		return fmt.Sprintf("setp.neu%s %s, %s, 0.0;", t, predicate, a)
	}
	return fmt.Sprintf("setp.ne%s %s, %s, 0;", t, predicate, a)
}
