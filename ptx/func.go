package ptx

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// function parses an .entry or .func with its parameters, directives and body (11.2).
func (p *parser) function(linkage Linkage) {
	if linkage == Common {
		p.report("bad-linkage", p.prev.span(), ".common is for .global variables only").section("11.6.4")
	}
	f := &Func{Entry: p.is(".entry"), Linkage: linkage, header: p.tok.start}
	p.next()
	inner := newScope(p.module, p.tok.start)
	inner.fn = f
	if !p.header(f, inner) {
		p.skipFunction()
		return
	}
	f = p.enterFunction(f, inner)
	p.functionDirectives(f)
	switch {
	case p.accept(';'):
		if f.Entry && linkage != Extern {
			// A kernel may be declared before its definition, as a function may.
			return
		}
	case p.tok.kind == '{':
		p.body(f, inner)
	default:
		if p.tok.first && !f.Entry {
			if p.m.Version >= 30 { // compilers before PTX 3.0 ended no declaration with a semicolon
				p.semicolon("the declaration of " + f.Name)
			}
			return
		}
		p.unexpected("'{' with the body of "+f.Name+" or ';'", "")
		p.skipStrays()
	}
}

// skipFunction skips the rest of a function whose header could not be understood.
func (p *parser) skipFunction() {
	for p.tok.kind != '{' && p.tok.kind != ';' && p.tok.kind != tokEOF {
		if p.tok.kind == tokDot && p.tok.first && (p.is(".entry") || p.is(".func") || p.is(".visible")) {
			return
		}
		p.next()
	}
	if p.tok.kind == '{' {
		p.skipBraces()
		return
	}
	p.accept(';')
}

// header parses {attribute} {(returns)} name {(params)}.
func (p *parser) header(f *Func, inner *scope) bool {
	if !f.Entry && p.acceptWord(".attribute") {
		if !p.attribute(&specifier{}) {
			return false
		}
	}
	if p.tok.kind == '(' {
		if f.Entry {
			p.report("bad-declaration", p.tok.span(), "kernels return nothing").section("11.2.1")
		}
		if !p.paramList(f, inner, true) {
			return false
		}
	}
	t := p.tok
	if !p.expect(tokIdent, " of the function") {
		return false
	}
	f.Name, f.Span = p.text(t), t.span()
	return p.tok.kind != '(' || p.paramList(f, inner, false)
}

// paramList parses "( declaration, … )" into the parameters or the return values.
func (p *parser) paramList(f *Func, inner *scope, returns bool) bool {
	p.next()
	if p.accept(')') {
		return true
	}
	for {
		if !p.param(f, inner, returns) {
			return false
		}
		if !p.accept(',') {
			return p.expect(')', " after the parameters")
		}
	}
}

// param parses one parameter (5.1.6, 11.2).
func (p *parser) param(f *Func, inner *scope, returns bool) bool {
	if f.Entry && !returns {
		p.acceptWord(".hidden") // CUDA 13.1 marks what its tile compiler has added; the manual does not have it
	}
	s, ok := p.specifier()
	if !ok {
		return false
	}
	if opaque := s.typ.Class() == isa.Opaque; opaque && !f.Entry {
		p.report("bad-declaration", s.span, "%s parameters belong to kernels: a .func takes the address as a .u64", s.typ).
			section("5.3")
	}
	if s.space != ParamSpace && (s.space != RegSpace || f.Entry) {
		p.report("bad-declaration", s.span, "parameters are declared .param%s", map[bool]string{false: " or .reg"}[f.Entry]).
			section("11.2")
		return false
	}
	t := p.tok
	prototype := inner.fn == nil
	if !(prototype && p.accept('_')) && !p.expect(tokIdent, " of the parameter") {
		return false
	}
	name := p.text(t)
	if prototype {
		name = "_" // the names of a prototype name nothing
	}
	if s.space == RegSpace {
		p.paramReg(f, inner, &s, name, t.span(), returns)
		return true
	}
	v := s.variable(name, t.span())
	if !p.dimensions(v) {
		return false
	}
	if v.Ptr != nil && (!f.Entry || v.Type.Bytes() < 4) {
		p.report("bad-declaration", s.span, ".ptr belongs to kernel parameters of type .u32 or .u64").section("5.1.6.3")
	}
	v.Func = f
	vars, regs := &f.Params, &f.ParamRegs
	if returns {
		vars, regs = &f.Returns, &f.ReturnRegs
	}
	v.Index = len(*vars)
	*vars, *regs = append(*vars, v), append(*regs, nil)
	p.declare(inner, &symbol{name: name, span: t.span(), vr: v})
	return true
}

// paramReg adds a parameter in register space. It is one of the function's registers, used or not.
func (p *parser) paramReg(f *Func, inner *scope, s *specifier, name string, at Span, returns bool) {
	r := &Reg{Name: name, Type: s.typ, Vec: s.vec, Index: len(f.Regs), Span: at, Param: true}
	f.Regs = append(f.Regs, r)
	vars, regs := &f.Params, &f.ParamRegs
	if returns {
		vars, regs = &f.Returns, &f.ReturnRegs
	}
	*vars, *regs = append(*vars, nil), append(*regs, r)
	p.declare(inner, &symbol{name: r.Name, span: r.Span, reg: r})
}

// enterFunction makes the function known, merging it with an earlier declaration of the same name: the earlier Func
// stays, so that calls made in between reach the definition.
func (p *parser) enterFunction(f *Func, inner *scope) *Func {
	p.checkParams(f)
	old := p.module.local(f.Name)
	if old == nil {
		p.module.put(&symbol{name: f.Name, span: f.Span, fn: f})
		p.m.Funcs = append(p.m.Funcs, f)
		return f
	}
	g := old.fn
	if defines := p.tok.kind == '{' || p.tok.kind == tokDot; g != nil && g.Defined && defines {
		if p.definesAgain() {
			p.report("duplicate-name", f.Span, "%s is defined twice", f.Name).note(g.Span, "the first definition is here")
		}
		p.doublets = append(p.doublets, f)
		return f
	}
	p.settle()
	if g == nil {
		p.report("duplicate-name", f.Span, "%s is declared twice", f.Name).note(old.span, "the first declaration is here")
		return f
	}
	again := func(code, how, section string) {
		p.report(code, f.Span, "%s is declared again %s", f.Name, how).
			note(g.Span, "the first declaration is here").section(section)
	}
	switch {
	case g.Defined:
		again("duplicate-name", "after its definition", "11.2.2")
		return g
	case g.Entry != f.Entry || !sameSignature(g, f, true):
		again("signature-mismatch", "with other parameters", "11.2.2")
	case f.Linkage != g.Linkage && (f.Linkage != Internal || g.Linkage == Extern):
		again("bad-linkage", "with another linkage", "11.6")
	}
	linkage := max(g.Linkage, f.Linkage)
	*g = Func{Name: f.Name, Entry: f.Entry, Linkage: linkage, Params: f.Params, Returns: f.Returns,
		ParamRegs: f.ParamRegs, ReturnRegs: f.ReturnRegs, Regs: f.Regs, Variadic: f.Variadic, Span: f.Span,
		NoReturn: g.NoReturn, AliasOf: g.AliasOf, header: f.header}
	for _, list := range [][]*Var{g.Params, g.Returns} {
		for _, v := range list {
			if v != nil {
				v.Func = g
			}
		}
	}
	inner.fn = g
	return g
}

// definesAgain looks ahead past the directives of a function for the brace of its body.
func (p *parser) definesAgain() bool {
	pos, tok := p.pos, p.tok
	defer func() { p.pos, p.tok = pos, tok }()
	for p.tok.kind != '{' && p.tok.kind != ';' && p.tok.kind != tokEOF {
		p.tok = p.scanner.next()
	}
	return p.tok.kind == '{'
}

// checkParams checks sizes and the unsized last parameter (11.2.1, 11.2.2).
func (p *parser) checkParams(f *Func) {
	total := int64(0)
	if f.Entry && len(f.Params) > 0 {
		p.needVersion(f.Span, "a kernel with a list of parameters", 14, 0, "11.2.1")
	}
	for i, v := range f.Params {
		if v == nil {
			continue
		}
		if len(v.Dims) > 0 && v.Dims[0] == 0 {
			if f.Entry || i != len(f.Params)-1 {
				p.report("bad-declaration", v.Span, "only the last parameter of a .func may have no size").
					section("11.2.2")
			} else {
				f.Variadic = true
				p.needVersion(v.Span, "an unsized parameter", 60, 30, "11.2.2")
			}
		}
		total = v.after(total)
	}
	limit := int64(32764)
	switch {
	case p.m.Version < 15:
		limit = 256
	case p.m.Version < 81 || p.target.sm < 70:
		limit = 4352
	}
	if f.Entry && total > limit && p.m.Version > 0 {
		p.report("too-many-parameters", f.Span, "the parameters of %s take %d bytes; PTX ISA %d.%d for %s allows %d", f.Name,
			total, p.m.Version/10, p.m.Version%10, p.target, limit)
	}
	if len(f.Returns) > 1 && slices.ContainsFunc(f.Returns, func(v *Var) bool { return v != nil }) {
		p.report("bad-declaration", f.Span, "several return values are registers").section("11.2.2")
	}
}

// sameSignature compares parameters and return values of two functions: by size and types that agree, or, as the
// declarations of one function must, by type and alignment.
func sameSignature(a, b *Func, exactly bool) bool {
	return sameParams(a.Params, b.Params, a.ParamRegs, b.ParamRegs, exactly) &&
		sameParams(a.Returns, b.Returns, a.ReturnRegs, b.ReturnRegs, exactly)
}

func sameParams(a, b []*Var, ar, br []*Reg, exactly bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		switch {
		case a[i] == nil && b[i] == nil:
			if ar[i].Vec != br[i].Vec || !agree(ar[i].Type, br[i].Type) || exactly && ar[i].Type != br[i].Type {
				return false
			}
		case a[i] == nil || b[i] == nil || a[i].Size != b[i].Size || !agree(a[i].Type, b[i].Type),
			exactly && (a[i].Type != b[i].Type || a[i].Align != b[i].Align):
			return false
		}
	}
	return true
}

// functionDirectives parses what is between a function's header and its body (11.4, 11.7, 11.8).
func (p *parser) functionDirectives(f *Func) {
	for p.tok.kind == tokDot {
		t := p.tok
		word := p.text(t)
		belongs, known := functionDirectiveFor[word]
		if !known && statementDirective(word) && p.tok.first {
			return
		}
		p.next()
		row := directiveRow(word)
		p.needVersion(t.span(), word, row.Version, row.SM, row.Section)
		if known && !f.Entry && !belongs.fn {
			p.report("bad-directive", t.span(), "%s belongs to kernels (.entry)", word).section(row.Section)
		} else if known && f.Entry && !belongs.entry {
			p.report("bad-directive", t.span(), "%s belongs to device functions (.func)", word).section(row.Section)
		}
		if !p.functionDirective(f, t, word) {
			return
		}
	}
	p.checkFunctionDirectives(f)
}

// functionDirectiveFor says which functions each directive is for.
var functionDirectiveFor = map[string]struct{ entry, fn bool }{
	".maxnreg": {true, false}, ".maxntid": {true, false}, ".reqntid": {true, false}, ".minnctapersm": {true, false},
	".maxnctapersm": {true, false}, ".reqnctapercluster": {true, false}, ".explicitcluster": {true, false},
	".maxclusterrank": {true, false}, ".blocksareclusters": {true, false}, ".noreturn": {false, true},
	".abi_preserve": {false, true}, ".abi_preserve_control": {false, true}, ".pragma": {true, false},
	".minperctamemory": {true, false}, ".language": {true, true},
}

func (p *parser) functionDirective(f *Func, t token, word string) (ok bool) {
	n := 0
	switch word {
	case ".maxntid":
		f.MaxNTID, ok = p.extents(word)
	case ".reqntid":
		f.ReqNTID, ok = p.extents(word)
	case ".reqnctapercluster":
		f.ReqNCTAPerCluster, ok = p.extents(word)
	case ".maxnreg":
		f.MaxNReg, ok = p.count(word)
	case ".maxnctapersm":
		if p.m.Version > 20 {
			p.report("bad-directive", t.span(), "%s is gone from PTX ISA 2.1 on: .minnctapersm", word).section("11.4.5")
		}
		f.MinNCTAPerSM, ok = p.count(word)
	case ".minnctapersm":
		f.MinNCTAPerSM, ok = p.count(word)
	case ".maxclusterrank":
		f.MaxClusterRank, ok = p.count(word)
	case ".abi_preserve", ".abi_preserve_control":
		n, ok = p.count(word)
		_ = n // tunes the backend's calling convention, which an emulator does not have
	case ".noreturn":
		f.NoReturn, ok = true, true
		if len(f.Returns) > 0 {
			p.report("bad-directive", t.span(), "%s has return values and cannot be .noreturn", f.Name).section("11.4.6")
		}
	case ".explicitcluster":
		f.ExplicitCluster, ok = true, true
	case ".blocksareclusters":
		f.BlocksAreClusters, ok = true, true
	case ".pragma":
		p.pragmaStrings()
		ok = true
	case ".minperctamemory":
		f.MinPerCTAMemory, ok = p.integer(word, 0, 1<<32-1)
		f.MinPerCTAMemory = max(f.MinPerCTAMemory, 1)
	case ".language":
		ok = p.language(word)
	default:
		var known []string
		for name := range functionDirectiveFor {
			known = append(known, name)
		}
		slices.Sort(known)
		p.unknownDirective(t, known)
		for p.tok.kind != '{' && p.tok.kind != ';' && p.tok.kind != tokDot && p.tok.kind != tokEOF {
			p.next()
		}
		ok = true
	}
	return ok
}

func (p *parser) count(word string) (int, bool) {
	least := int64(1)
	if strings.HasPrefix(word, ".abi") || strings.Contains(word, "cluster") {
		least = 0
	}
	n, ok := p.integer(word, least, 1<<31-1)
	return int(n), ok
}

// extents parses nx {, ny {, nz}}; extents that are not given are 1.
func (p *parser) extents(word string) (e [3]int, ok bool) {
	e = [3]int{1, 1, 1}
	for i := range e {
		if e[i], ok = p.count(word); !ok || !p.accept(',') {
			break
		}
	}
	return e, ok
}

func (p *parser) checkFunctionDirectives(f *Func) {
	zero := [3]int{}
	switch {
	case f.ReqNTID != zero && f.MaxNTID != zero:
		p.report("bad-directive", f.Span, "%s has both .reqntid and .maxntid", f.Name).section("11.4.3")
	case f.MaxClusterRank != 0 && f.ReqNCTAPerCluster != zero:
		p.report("bad-directive", f.Span, "%s has both .maxclusterrank and .reqnctapercluster", f.Name).section("11.7.3")
	case f.BlocksAreClusters && (f.ReqNTID == zero || f.ReqNCTAPerCluster == zero):
		p.report("bad-directive", f.Span, ".blocksareclusters needs .reqntid and .reqnctapercluster").section("11.8.1")
	case f.MinNCTAPerSM != 0 && f.ReqNTID == zero && f.MaxNTID == zero && p.m.Version >= 21:
		p.report("minnctapersm-alone", f.Span, "%s: .minnctapersm has no effect without .maxntid or .reqntid", f.Name)
	}
}

// body parses a function's braces and everything in them.
func (p *parser) body(f *Func, inner *scope) {
	if f.Defined { // a second definition, already reported: parse it for its errors, and keep the first
		f = &Func{Name: f.Name, Entry: f.Entry, Params: f.Params, Returns: f.Returns, ParamRegs: f.ParamRegs,
			ReturnRegs: f.ReturnRegs}
		inner.fn = f
	}
	if f.Linkage == Extern {
		p.report("bad-linkage", f.Span, "%s is .extern and cannot have a body here", f.Name).section("11.6.1")
	}
	f.Defined = true
	f.found[0] = len(p.found)
	clear(p.absent)
	p.braces(f, inner)
	f.found[1] = len(p.found)
}

// braces parses a body, of which nothing has been parsed yet.
func (p *parser) braces(f *Func, inner *scope) {
	p.fn, p.scope, p.loc = f, inner, nil
	f.Body.Start = p.tok.start
	p.group()
	f.Body.End = p.prev.end
	p.resolveLabels(inner)
	p.fn, p.scope, p.loc = nil, p.module, nil
	if f.Body.End <= f.Body.Start {
		f.Body.End = int32(len(p.src))
	}
	buildCFG(f)
}

// group parses { statements }.
func (p *parser) group() {
	open := p.tok
	if !p.enter() {
		return
	}
	defer p.leave()
	p.next()
	for p.tok.kind != '}' {
		if p.tok.kind == tokEOF || p.startsFunction() {
			if p.hidden && p.tok.kind == tokEOF {
				clear(p.pending)
				return
			}
			p.report("unclosed-brace", open.span(), "this '{' is never closed")
			return
		}
		before := p.tok.start
		p.statement()
		if p.tok.start == before && p.tok.kind != '}' && p.tok.kind != tokEOF {
			p.next()
		}
	}
	p.next()
}

// startsFunction says whether the next function begins here: a closing brace is missing.
func (p *parser) startsFunction() bool {
	return p.tok.kind == tokDot && p.tok.first &&
		(p.is(".entry") || p.is(".func") || p.is(".visible") && p.functionAhead())
}

func (p *parser) functionAhead() bool {
	t := p.peek()
	word := p.text(t)
	return t.kind == tokDot && (word == ".entry" || word == ".func")
}

// innerGroup parses a nested group with its own scope.
func (p *parser) innerGroup() {
	s := newScope(p.scope, p.tok.start)
	s.uses = p.uses
	first := len(p.fn.decls)
	p.scope = s
	p.group()
	p.scope = s.parent
	for _, d := range p.fn.decls[first:] {
		if d.within == (Span{}) {
			d.within = Span{s.start, p.prev.end}
		}
	}
	p.resolveLabels(s)
}

// statement parses one statement of a body: a label, a directive, a group or an instruction (4.3).
func (p *parser) statement() {
	t := p.tok
	switch t.kind {
	case '{':
		p.innerGroup()
	case tokDot:
		p.bodyDirective(t)
	case tokDwarf:
		p.m.Sections = append(p.m.Sections, t.span())
		p.traces = true
		p.next()
	case '@':
		p.instruction()
	case tokIdent:
		if p.peek().kind == ':' {
			p.label()
			return
		}
		p.instruction()
	case tokBad:
		p.next()
		p.resync()
	default:
		p.unexpected("an instruction", "")
		p.next()
		if t.kind != ';' {
			p.resync()
		}
	}
}

func (p *parser) bodyDirective(t token) {
	switch word := p.text(t); word {
	case ".reg", ".sreg", ".param", ".local", ".shared", ".global", ".const", ".tex", ".align", ".attribute":
		p.variables(Internal)
	case ".extern", ".visible", ".weak", ".common":
		l := linkages[word]
		p.next()
		p.variables(l)
	case ".loc":
		p.locDirective()
		if p.is(".loc_intermediate") {
			p.locIntermediate(true)
		}
	case ".loc_intermediate":
		p.locIntermediate(false)
	case ".pragma":
		p.pragma()
	case ".file":
		p.misplacedFile(t)
	case ".branchtargets", ".calltargets", ".callprototype":
		p.report("syntax", t.span(), "%s needs a label in front, by which an instruction names it", word).section("11.3")
		p.next()
		p.resync()
	default:
		p.unknownDirective(t, bodyDirectives)
		p.next()
		p.resync()
		if p.tok.kind == '{' {
			p.skipBraces()
		}
	}
}

// label parses "name:" and, where one follows, the control-flow directive that it names (11.3).
func (p *parser) label() {
	t := p.next()
	name := p.text(t)
	p.next()
	if p.tok.kind == tokDot {
		list := &targetList{}
		sym := &symbol{name: name, span: t.span(), targets: list}
		switch {
		case p.is(".branchtargets"):
			p.branchTargets(list)
		case p.is(".calltargets"):
			p.callTargets(list)
		case p.is(".callprototype"):
			p.callPrototype(list, t)
		default:
			sym = nil
		}
		if sym != nil {
			p.declare(p.scope, sym)
			return
		}
	}
	p.defineLabel(name, t.span())
}

// defineLabel makes a label of the next instruction.
func (p *parser) defineLabel(name string, at Span) {
	l := &Label{Name: name, Target: len(p.fn.Insts), Span: at}
	if p.declare(p.scope, &symbol{name: name, span: at, label: l}) {
		p.fn.Labels = append(p.fn.Labels, l)
	}
}

func (p *parser) branchTargets(list *targetList) {
	at := p.next()
	p.needVersion(at.span(), ".branchtargets", 21, 20, "11.3.1")
	for {
		t := p.tok
		if !p.expect(tokIdent, " of a label") {
			p.resync()
			return
		}
		if !p.accept('<') {
			list.labels = append(list.labels, labelName{p.text(t), t.span()})
		} else {
			const most = 1 << 16
			n, ok := p.setSize("the number of labels", 1, most)
			if !ok || !p.expect('>', " after the number of labels") {
				p.resync()
				return
			}
			for i := 0; i < int(n); i++ {
				list.labels = append(list.labels, labelName{fmt.Sprint(p.text(t), i), t.span()})
			}
		}
		if !p.accept(',') {
			break
		}
	}
	p.semicolon(".branchtargets")
}

func (p *parser) callTargets(list *targetList) {
	at := p.next()
	p.needVersion(at.span(), ".calltargets", 21, 20, "11.3.2")
	for {
		t := p.tok
		if !p.expect(tokIdent, " of a function") {
			p.resync()
			return
		}
		if f := p.functionNamed(t); f != nil {
			if len(list.funcs) > 0 && !sameSignature(list.funcs[0], f, false) {
				p.report("signature-mismatch", t.span(), "%s and %s differ in their parameters", f.Name, list.funcs[0].Name).
					section("11.3.2")
			}
			list.funcs = append(list.funcs, f)
		}
		if !p.accept(',') {
			break
		}
	}
	p.semicolon(".calltargets")
}

// functionNamed finds a function that has been declared, or reports that there is none.
func (p *parser) functionNamed(t token) *Func {
	if sym, _ := p.scope.lookup(p.text(t)); sym != nil && sym.fn != nil {
		return sym.fn
	}
	p.undeclared(t, "function", "")
	return nil
}

func (p *parser) callPrototype(list *targetList, name token) {
	at := p.next()
	p.needVersion(at.span(), ".callprototype", 21, 20, "11.3.3")
	f := &Func{Name: p.text(name), Span: name.span(), header: at.start}
	inner := newScope(nil, at.start)
	ok := p.tok.kind != '(' || p.paramList(f, inner, true)
	ok = ok && p.expect('_', " in place of the name: prototypes have none")
	ok = ok && (p.tok.kind != '(' || p.paramList(f, inner, false))
	if !ok {
		p.resync()
		return
	}
	p.functionDirectives(f)
	list.proto = f
	p.semicolon(".callprototype")
}
