package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/ptx/isa"
)

// target is a .target's architecture: sm_90a is 90 and "a" (11.1.2).
type target struct {
	sm   int
	arch string
}

func (t target) String() string { return fmt.Sprintf("sm_%d%s", t.sm, t.arch) }

// version parses .version major.minor (11.1.1).
func (p *parser) version() {
	at := p.next()
	t := p.tok
	if !p.expect(tokNumber, " such as 8.0 after .version") {
		p.resyncLine()
		return
	}
	major, minor, dot := strings.Cut(p.text(t), ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err != nil || err2 != nil || !dot || a < 1 || a > 99 || b > 9 {
		p.report("bad-value", t.span(), "%s is not a version; it is written major.minor, such as 8.0", p.describe(t))
		return
	}
	v := a*10 + b
	switch {
	case p.m.Version != 0:
		p.report("second-version", at.span(), "a module has one .version")
		return
	case v > isa.Latest:
		p.report("future-version", t.span(), "PTX ISA %s is newer than %d.%d, the newest that is known here",
			p.text(t), isa.Latest/10, isa.Latest%10)
	}
	p.m.Version, p.versionAt = v, t.span()
}

// resyncLine skips to the next line, for directives that end without a semicolon.
func (p *parser) resyncLine() {
	for p.tok.kind != tokEOF && !p.tok.first && p.tok.kind != '}' {
		p.next()
	}
}

// targetOptions are the words of .target that do not name an architecture.
var targetOptions = []string{"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"}

// targetDirective parses .target list (11.1.2).
func (p *parser) targetDirective() {
	p.next()
	first := true
	for {
		t := p.tok
		if !p.expect(tokIdent, " such as sm_80 after .target") {
			p.resyncLine()
			return
		}
		p.targetWord(t, first)
		first = false
		if !p.accept(',') {
			return
		}
	}
}

func (p *parser) targetWord(t token, first bool) {
	word := p.text(t)
	tg, named := parseTarget(word)
	since := targetVersion(tg)
	if named && since == 0 {
		if known, ok := tg.standIn(); ok {
			p.report("future-target", t.span(), "the target %s is not known here: it is taken as %s, the newest that is",
				tg, known)
			tg, since = known, 10 // it is not known either which version brings it
		}
	}
	if since > 0 {
		p.target, p.targetAt = tg, t.span()
		if p.m.Target == "" {
			p.m.Target = word
		}
		if tg.sm > p.m.SM {
			p.m.SM, p.m.Arch = tg.sm, tg.arch
		}
		p.needsVersion(t.span(), tg.String(), isa.Needs{Version: since}, "11.1.2")
		return
	}
	if slices.Contains(targetOptions, word) {
		p.targetOption(t, word)
		return
	}
	d := p.report("unknown-target", t.span(), "there is no target %s", p.describe(t))
	near := nearestTarget(word)
	if near != "" {
		d.Message += fmt.Sprintf("; did you mean %s?", near)
		d.fix(t.span(), near, "write %s", near)
	}
	if first && p.target.sm == 0 { // allow everything from here on, or each instruction would be reported
		p.target = target{sm: 120, arch: "a"}
	}
}

// targetOption takes a platform option or the texturing mode (11.1.2).
func (p *parser) targetOption(t token, word string) {
	mode := strings.HasPrefix(word, "texmode_")
	switch {
	case p.target.sm == 0:
		p.report("bad-target-option", t.span(), "the architecture goes before its options")
	case word == "map_f64_to_f32" && p.target.sm >= 13:
		p.report("bad-target-option", t.span(), "%s has double precision; map_f64_to_f32 is for sm_10, sm_11 and sm_12",
			p.target)
	case mode && slices.ContainsFunc(p.m.TargetOpts, func(o string) bool {
		return o != word && strings.HasPrefix(o, "texmode_")
	}):
		p.report("bad-target-option", t.span(), "a module has one texturing mode")
	case mode:
		p.needVersion(t.span(), word, 15, 0, "11.1.2")
	case word == "debug" && p.debug == (Span{}):
		p.debug = t.span()
	}
	p.m.TargetOpts = append(p.m.TargetOpts, word)
}

// checkDebug: a module with the option debug has DWARF data (11.1.2). The option came with PTX ISA 3.0; earlier
// compilers wrote it for their own use.
func (p *parser) checkDebug() {
	if p.debug != (Span{}) && len(p.m.Sections) == 0 && p.m.Version >= 30 {
		p.report("bad-target-option", p.debug,
			"the option debug says that there is DWARF data, but the module has no .section")
	}
}

// has says whether the target has what an instruction needs. Where map_f64_to_f32 is given, targets without double
// precision still have its instructions (11.1.2).
func (p *parser) has(n isa.Needs) bool {
	return n.On(p.target.sm, p.target.arch) || n.SM == 13 && slices.Contains(p.m.TargetOpts, "map_f64_to_f32")
}

// checkDouble warns once where map_f64_to_f32 would make a difference.
func (p *parser) checkDouble(in *Inst) {
	if p.doubles || !slices.Contains(p.m.TargetOpts, "map_f64_to_f32") || !slices.Contains(in.Match.Types, isa.F64) {
		return
	}
	p.doubles = true
	p.report("double-precision-kept", in.OpSpan, "map_f64_to_f32 has %s computed in single precision on such a target; "+
		"here double precision stays what it is", in.Opcode)
}

// targetSince says which PTX ISA version introduced each target (11.1.2, PTX ISA notes).
var targetSince = []struct {
	target  target
	version int
}{
	{target{10, ""}, 10}, {target{11, ""}, 10}, {target{12, ""}, 12}, {target{13, ""}, 12}, {target{20, ""}, 20},
	{target{21, ""}, 20},
	{target{30, ""}, 30}, {target{32, ""}, 40}, {target{35, ""}, 31}, {target{37, ""}, 41}, {target{50, ""}, 40},
	{target{52, ""}, 41}, {target{53, ""}, 42}, {target{60, ""}, 50}, {target{61, ""}, 50}, {target{62, ""}, 50},
	{target{70, ""}, 60}, {target{72, ""}, 61}, {target{75, ""}, 63}, {target{80, ""}, 70}, {target{86, ""}, 71},
	{target{87, ""}, 74}, {target{88, ""}, 90}, {target{89, ""}, 78}, {target{90, ""}, 78}, {target{90, "a"}, 80},
	{target{100, ""}, 86}, {target{100, "a"}, 86}, {target{100, "f"}, 88},
	{target{101, ""}, 86}, {target{101, "a"}, 86}, {target{101, "f"}, 88},
	{target{103, ""}, 88}, {target{103, "a"}, 88}, {target{103, "f"}, 88},
	{target{107, ""}, 94}, {target{107, "a"}, 94}, {target{107, "f"}, 94},
	{target{110, ""}, 90}, {target{110, "a"}, 90}, {target{110, "f"}, 90},
	{target{120, ""}, 87}, {target{120, "a"}, 87}, {target{120, "f"}, 88},
	{target{121, ""}, 88}, {target{121, "a"}, 88}, {target{121, "f"}, 88},
}

// parseTarget reads sm_90a, or compute_90a, which is a synonym, whether there is such a target or not.
func parseTarget(word string) (target, bool) {
	rest, ok := strings.CutPrefix(word, "sm_")
	if !ok {
		rest, ok = strings.CutPrefix(word, "compute_")
	}
	digits := strings.TrimRight(rest, "af")
	n, err := strconv.Atoi(digits)
	tg := target{n, rest[len(digits):]}
	return tg, ok && err == nil && len(tg.arch) <= 1
}

// nearestTarget is the newest target before an unknown one, or one that is spelt alike.
func nearestTarget(word string) string {
	if t, ok := parseTarget(word); ok {
		var before target
		for _, s := range targetSince {
			if (s.target.arch == "" || s.target.arch == t.arch) && before.sm <= s.target.sm && s.target.sm < t.sm {
				before = s.target
			}
		}
		if before.sm > 0 {
			return before.String()
		}
	}
	return closest(word, func(yield func(string)) {
		for _, s := range targetSince {
			yield(s.target.String())
		}
		among(targetOptions...)(yield)
	})
}

// standIn is the target that replaces an unknown one of three digits: the newest of its family (11.1.2), or the newest
// of all if the family is not known either. Lower numbers are older than this program, which knows them all.
func (t target) standIn() (known target, ok bool) {
	if t.sm < 100 || t.sm > 999 {
		return target{}, false
	}
	for _, s := range targetSince {
		akin, before := s.target.sm/10 == t.sm/10, known.sm/10 == t.sm/10
		if s.target.arch == t.arch && (akin && !before || akin == before && s.target.sm > known.sm) {
			known = s.target
		}
	}
	return known, true
}

func targetVersion(tg target) int {
	for _, s := range targetSince {
		if s.target == tg {
			return s.version
		}
	}
	return 0
}

// needVersion reports a feature that is newer than the module's version or target.
func (p *parser) needVersion(at Span, what string, version, sm int, section string) {
	n := isa.Needs{Version: version, SM: sm}
	p.needsVersion(at, what, n, section)
	p.needsTarget(at, what, n, section)
}

// addressSize parses .address_size 32|64 (11.1.3).
func (p *parser) addressSize() {
	at := p.next()
	n, ok := p.integer(".address_size", 0, 1<<31)
	if !ok {
		p.resyncLine()
		return
	}
	if n != 32 && n != 64 {
		p.report("bad-value", Span{at.start, p.prev.end}, ".address_size is 32 or 64, not %d", n).section("11.1.3")
		return
	}
	p.needVersion(at.span(), ".address_size", 23, 0, "11.1.3")
	p.m.AddressSize = int(n)
}

// file parses .file index {"directory"} "name" {, timestamp, size} (11.5.3); LLVM writes the directory for DWARF 5.
func (p *parser) file() {
	p.next()
	index, ok := p.integer("the file index", 0, 1<<31-1)
	if !ok {
		p.resyncLine()
		return
	}
	name := p.tok
	if !p.expect(tokString, " with the file name") {
		p.resyncLine()
		return
	}
	path := quoted(p.text(name))
	if p.tok.kind == tokString && !p.tok.first {
		path = strings.TrimSuffix(path, "/") + "/" + quoted(p.text(p.next()))
	}
	if _, given := p.m.Files[int(index)]; given {
		p.report("duplicate-name", name.span(), "there is a .file %d already", index).section("11.5.3")
	}
	p.m.Files[int(index)] = path
	for p.accept(',') {
		if !p.expect(tokNumber, " (time stamp or size)") {
			p.resyncLine()
			return
		}
	}
}

// locDirective parses .loc file line column {, function_name label {+ n}, inlined_at file line column} (11.5.4).
func (p *parser) locDirective() {
	p.next()
	loc, ok := p.place3()
	if !ok {
		p.resyncLine()
		return
	}
	for p.accept(',') {
		p.needVersion(p.tok.span(), p.text(p.tok), 70, 0, "11.5.4")
		switch {
		case p.acceptWord("function_name"):
			if p.tok.kind != tokIdent && p.tok.kind != tokDot {
				p.unexpected("a label of section .debug_str", "")
				p.resyncLine()
				return
			}
			p.next()
			if p.accept('+') && !p.expect(tokNumber, "") {
				return
			}
		case p.acceptWord("inlined_at"):
			if loc.InlinedAt, ok = p.place3(); !ok {
				p.resyncLine()
				return
			}
		default:
			p.unexpected("function_name or inlined_at", "")
			p.resyncLine()
			return
		}
	}
	p.loc = loc
}

func (p *parser) place3() (*Loc, bool) {
	var n [3]int64
	for i, what := range []string{"the file index", "the line", "the column"} {
		var ok bool
		if n[i], ok = p.integer(what, 0, 1<<32-1); !ok {
			return nil, false
		}
	}
	return &Loc{File: int(n[0]), Line: int(n[1]), Column: int(n[2])}, true
}

// section keeps a DWARF section's text verbatim (11.5.2).
func (p *parser) section() {
	at := p.next()
	if p.tok.kind != tokDot && p.tok.kind != tokIdent {
		p.unexpected("the section's name", "")
		p.resync()
		return
	}
	p.next()
	for p.tok.kind != '{' && p.tok.kind != tokEOF && !p.tok.first {
		p.next() // flags such as "", @progbits
	}
	if p.tok.kind != '{' {
		p.unexpected("'{' with the section's data", "")
		return
	}
	p.skipBraces()
	p.m.Sections = append(p.m.Sections, Span{at.start, p.prev.end})
}

// pragma parses .pragma "…" {, "…"}; only NVIDIA's backend reads the strings (11.4.7).
func (p *parser) pragma() {
	at := p.next()
	p.needVersion(at.span(), ".pragma", 20, 0, "11.4.7")
	p.pragmaStrings()
}

func (p *parser) pragmaStrings() {
	for {
		if !p.expect(tokString, " after .pragma") {
			p.resync()
			return
		}
		if !p.accept(',') {
			break
		}
	}
	p.semicolon(".pragma")
}

// alias parses .alias name, function; (11.2.3).
func (p *parser) alias() {
	at := p.next()
	p.needVersion(at.span(), ".alias", 63, 30, "11.2.3")
	var fs [2]*Func
	for i := range fs {
		t := p.tok
		if !p.expect(tokIdent, " of a function") {
			p.resync()
			return
		}
		sym := p.module.local(p.text(t))
		if sym == nil || sym.fn == nil || sym.fn.Entry {
			p.report("bad-alias", t.span(), "%s is not a device function declared before", p.text(t))
		} else {
			fs[i] = sym.fn
		}
		if i == 0 && !p.expect(',', " between the two functions") {
			p.resync()
			return
		}
	}
	p.semicolon(".alias")
	name, target := fs[0], fs[1]
	if name == nil || target == nil {
		return
	}
	switch {
	case name.Defined:
		p.report("bad-alias", at.span(), "%s has a body; an alias is declared without one", name.Name)
	case name.AliasOf != nil:
		p.report("bad-alias", at.span(), "%s is an alias already", name.Name)
	case target.Linkage == Weak:
		p.report("bad-alias", at.span(), "%s is .weak; only functions that are not can have an alias", target.Name)
	case !sameSignature(name, target, true):
		p.report("bad-alias", at.span(), "%s and %s differ in their parameters", name.Name, target.Name).
			note(name.Span, "the alias").note(target.Span, "the function")
	case target.AliasOf != nil:
		name.AliasOf = target.AliasOf
	default:
		name.AliasOf = target
	}
}
