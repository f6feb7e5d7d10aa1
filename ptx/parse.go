package ptx

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unsafe"

	"warpscope/ptx/isa"
)

// Limits that keep hostile input from costing more than its size.
const (
	maxNesting     = 200     // braces, brackets and parentheses
	maxDiagnostics = 200     // of each severity
	maxSource      = 1 << 28 // bytes
)

// parser holds the state of one Parse. It never fails: it reports what it expected and found, skips to a safe token
// and goes on.
type parser struct {
	scanner
	m          *Module
	tok        token // the current token
	prev       token // the one before it
	scope      *scope
	module     *scope
	fn         *Func // the function whose body is being parsed
	loc        *Loc
	depth      int // open braces, brackets and parentheses
	found      []*Diagnostic
	counts     [3]int          // diagnostics by severity
	guesses    int             // pairs of letters compared for did-you-mean
	foreigners []*Func         // called, but not declared
	ended      bool            // parsing was given up: nothing more is reported
	absent     map[string]bool // names and sets that the function at hand has been told of
	scanned    int             // bytes by greatest
	astray     bool            // a declaration belonged into a function

	foreignNamed map[string]*Func
	callTables   map[*Var][]*Func // the functions that arrays name

	uses    int                    // of labels, so far
	pending map[string][]*labelRef // those that no label has answered yet

	versionAt, targetAt Span  // the number of .version, the architecture of the .target in force
	began               int32 // the module's statement that is being parsed

	settled  int32   // see kept
	gaps     []Span  // see kept
	doublets []*Func // see kept
	traces   bool    // a body has changed more of the module than itself

	target  target // the .target in force
	sized   bool   // .address_size was there already, or can no longer be
	debug   Span   // of its option debug
	doubles bool   // checkDouble has warned
	opcodes map[string]resolved
	words   map[string]string // opcodes as spelt, each kept once
	ops     []Operand         // scratch space for the operands of one instruction
	reading reading           // which of them is being read
	slab    slab[Operand]
	rares   slab[rarePart]
	parts   map[any]*rarePart // by the special register or function that operands name
	jumps   slab[jump]
	targets slab[int]
	elems   []Operand // of the lists that are being read
	insts   slab[Inst]
}

// Parse parses and checks src; name is used in messages only. On failure the error is Diagnostics, and the module holds
// everything that could be understood.
func Parse(name string, src []byte) (*Module, error) {
	m := &Module{Name: name, Src: src, AddressSize: 32, Files: map[int]string{}, lines: lineStarts(src)}
	p := newParser(m, bytes.TrimRight(src, "\x00")) // a C string may end with its zero
	if len(src) > maxSource {
		p.report("too-large", Span{}, "the file has %d bytes; the limit is %d", len(src), maxSource)
		p.src = nil
	}
	p.next()
	p.parseModule()
	m.kept = p.whatRemains()
	p.finish()
	p.lintModule()
	return m, p.diagnose()
}

func newParser(m *Module, src []byte) *parser {
	p := &parser{m: m, opcodes: map[string]resolved{}, words: map[string]string{}, pending: map[string][]*labelRef{},
		absent:       map[string]bool{},
		foreignNamed: map[string]*Func{}, callTables: map[*Var][]*Func{}, parts: map[any]*rarePart{}}
	p.scanner = scanner{src: src, report: p.report}
	p.module = newScope(nil, 0)
	p.scope = p.module
	return p
}

// diagnose sorts the diagnostics into the module and returns the errors as an error.
func (p *parser) diagnose() error {
	ds := make(Diagnostics, len(p.found))
	for i, d := range p.found {
		ds[i] = *d
	}
	p.m.Diagnostics = p.m.Located(ds)
	if p.counts[Error] > 0 {
		return p.m.Diagnostics
	}
	return nil
}

// report notes a diagnostic. Severity and section are the code's, from the table in codes.go.
func (p *parser) report(code string, span Span, format string, args ...any) *Diagnostic {
	c := codes[code]
	d := &Diagnostic{Severity: c.severity, Code: code, Span: span, Section: c.section,
		Message: fmt.Sprintf(format, args...)}
	if p.ended {
		return d
	}
	p.counts[d.Severity]++
	switch n := p.counts[d.Severity]; {
	case n <= maxDiagnostics:
		p.found = append(p.found, d)
	case n == maxDiagnostics+1 && d.Severity == Error:
		p.found = append(p.found, &Diagnostic{Severity: Error, Code: "too-many-errors", Span: span,
			Message: fmt.Sprintf("more than %d errors; the rest of the file was not looked at", maxDiagnostics)})
		p.giveUp()
	}
	return d
}

// giveUp ends the parse: it skips the rest of the file, and nothing more is reported.
func (p *parser) giveUp() {
	p.ended = true
	p.pos = int32(len(p.src))
	p.tok = token{tokEOF, p.pos, p.pos, true}
}

// slab hands out small slices of larger allocations: a big file has a million of them. The allocations begin small and
// double, so that a small file does not pay for a big one.
type slab[T any] struct {
	free  []T
	bytes int // of the last allocation
}

func (s *slab[T]) take(n int) []T {
	const least, most = 1 << 10, 32 << 10 // bytes
	const header = 8                      // the allocator's own, within its sizes
	var v T
	size := int(unsafe.Sizeof(v))
	if n*size > most/8 {
		return make([]T, n)
	}
	if n > len(s.free) {
		s.bytes = min(max(2*s.bytes, least), most)
		s.free = make([]T, max(n, (s.bytes-header)/size))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// next moves to the next token.
func (p *parser) next() token {
	p.prev = p.tok
	p.tok = p.scanner.next()
	for p.tok.kind == tokBad && p.blank(p.tok) {
		first := p.tok.first
		p.tok = p.scanner.next()
		p.tok.first = p.tok.first || first
	}
	return p.prev
}

// peek looks at the token after the current one.
func (p *parser) peek() token {
	pos := p.pos
	t := p.scanner.next()
	p.pos = pos
	return t
}

func (p *parser) text(t token) string { return string(p.src[t.start:t.end]) }
func (p *parser) is(word string) bool { return string(p.src[p.tok.start:p.tok.end]) == word }

// accept takes the current token when it is of this kind.
func (p *parser) accept(k kind) bool {
	if p.tok.kind == k {
		p.next()
		return true
	}
	return false
}

// acceptWord takes the current token if it is this word.
func (p *parser) acceptWord(word string) bool {
	if p.tok.kind != tokEOF && p.is(word) {
		p.next()
		return true
	}
	return false
}

// expect takes a token of this kind or reports what is there instead.
func (p *parser) expect(k kind, where string) bool {
	if p.accept(k) {
		return true
	}
	p.unexpected(k.String()+where, "")
	return false
}

// unexpected reports that something else was expected here. Of bytes that are no token the scanner has said so.
func (p *parser) unexpected(expected, code string) *Diagnostic {
	if p.tok.kind == tokBad {
		return &Diagnostic{}
	}
	if code == "" {
		code = "syntax"
	}
	return p.report(code, p.tok.span(), "expected %s, found %s", expected, p.describe(p.tok))
}

// describe names a token in a message.
func (p *parser) describe(t token) string {
	const long = 40 // bytes of the source in a message
	switch {
	case t.kind == tokEOF:
		return "the end of the file"
	case t.kind == tokBad:
		return "bytes that are not text"
	case t.end-t.start > long:
		return fmt.Sprintf("%.*q…", long, p.text(t)[:long])
	}
	return "'" + p.text(t) + "'"
}

func (k kind) String() string {
	switch k {
	case tokIdent:
		return "a name"
	case tokNumber:
		return "a number"
	case tokString:
		return "a string"
	}
	return "'" + string(rune(k)) + "'"
}

// enter counts an open brace, bracket or parenthesis; too many of them end the parse with one clear error.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting && !p.ended {
		p.report("nesting-too-deep", p.tok.span(), "more than %d levels of braces or parentheses; "+
			"the rest of the file was not looked at", maxNesting)
		p.giveUp()
	}
	return !p.ended
}

func (p *parser) leave() { p.depth-- }

// semicolon ends a statement. If it is missing, the next line is parsed as the next statement; otherwise the rest of
// this statement is skipped, and the result is false.
func (p *parser) semicolon(after string) bool {
	if p.accept(';') || p.ended {
		return true
	}
	if p.tok.first || p.tok.kind == '}' || p.tok.kind == tokEOF {
		end := Span{p.prev.end, p.prev.end}
		d := p.report("missing-semicolon", Span{p.prev.start, p.prev.end}, "expected ';' after %s", after)
		if p.prev.kind != tokString || p.prev.end-p.prev.start > 1 && p.src[p.prev.end-1] == '"' { // not within the string
			d.fix(end, ";", "insert ';'")
		}
		return true
	}
	p.unexpected("';' after "+after, "")
	p.resync()
	return false
}

// resync skips to the end of a statement: past a ';', or up to a brace, a directive or a new line's label or guard.
func (p *parser) resync() {
	for p.tok.kind != tokEOF {
		switch p.tok.kind {
		case ';':
			p.next()
			return
		case '{', '}':
			if !p.inOperands() {
				return
			}
		case tokDot:
			if p.tok.first && statementDirective(p.text(p.tok)) {
				return
			}
		case '@':
			if p.tok.first {
				return
			}
		case tokIdent:
			if p.tok.first && p.peek().kind == ':' {
				return
			}
		}
		p.next()
	}
}

// inOperands says whether the brace at hand belongs to a tuple and not to a group of statements.
func (p *parser) inOperands() bool {
	if p.tok.kind == '{' {
		return p.prev.kind == ',' || p.prev.kind == '[' || p.prev.kind == '('
	}
	switch p.peek().kind {
	case ',', ';', ']', ')':
		return !p.tok.first
	}
	return false
}

// integer parses a constant expression whose value must be an integer in a range.
func (p *parser) integer(what string, low, high int64) (int64, bool) {
	start := p.tok
	v, ok := p.expression()
	return p.inRange(start, v, ok, what, low, high)
}

// setSize parses the n of <n>, in which '>' is the end and not a comparison.
func (p *parser) setSize(what string, low, high int64) (int64, bool) {
	start := p.tok
	v, ok := p.binary(precedence[tokShl])
	return p.inRange(start, v, ok, what, low, high)
}

func (p *parser) inRange(start token, v value, ok bool, what string, low, high int64) (int64, bool) {
	if !ok {
		return 0, false
	}
	span := Span{start.start, p.prev.end}
	if v.typ == isa.F64 || v.typ == isa.F32 {
		p.report("bad-value", span, "%s must be an integer", what)
		return 0, false
	}
	n := int64(v.bits)
	if n < low || n > high || v.typ == isa.U64 && n < 0 {
		p.report("bad-value", span, "%s must be between %d and %d", what, low, high)
		return 0, false
	}
	return n, true
}

// parseModule parses the statements at module scope (chapter 11).
func (p *parser) parseModule() {
	p.parseVersion()
	for p.tok.kind != tokEOF {
		before := p.tok.start
		p.gaps = append(p.gaps, Span{p.prev.end, p.tok.start})
		p.sized = p.sized || p.target.sm > 0 && !p.is(".target") && !p.is(".address_size")
		p.moduleStatement()
		if p.tok.start == before && p.tok.kind != tokEOF {
			p.next() // so that at least one token is consumed
		}
	}
}

// parseVersion parses the .version that must come first (11.1.1).
func (p *parser) parseVersion() {
	if p.tok.kind == tokDwarf {
		return // PTX 1.x; moduleStatement sees what follows
	}
	if p.tok.kind == tokEOF {
		p.report("no-version", p.tok.span(), "the file has no PTX in it: a module begins with .version and .target")
		return
	}
	if !p.is(".version") && !p.isForeign() {
		p.report("no-version", p.tok.span(), "a PTX module begins with .version, found %s", p.describe(p.tok)).
			fix(Span{p.tok.start, p.tok.start}, ".version 8.0\n.target sm_80\n.address_size 64\n", "insert the module's head")
		p.m.Version = isa.Latest
		p.target = target{sm: 120, arch: "a"}
	}
}

func (p *parser) moduleStatement() {
	t := p.tok
	p.began = t.start
	switch t.kind {
	case tokDwarf:
		p.m.Sections = append(p.m.Sections, t.span())
		p.next()
		return
	case tokDot:
		p.wantTarget(t)
		if p.moduleDirective(p.text(t)) {
			if p.astray {
				p.astray = false
				p.skipStrays()
			}
			return
		}
	case tokIdent:
		if knownMnemonic(p.text(t)) {
			d := p.report("outside-function", t.span(), "the instruction %s is outside every function", p.text(t))
			if p.prev.kind == '}' {
				d.note(p.prev.span(), "this ends the function before it")
			}
			p.skipStrays()
			return
		}
		if p.peek().kind == ':' {
			p.unexpected("a directive", "")
			p.skipStrays()
			return
		}
	case '}', ';':
		p.report("syntax", t.span(), "this '%s' ends nothing", p.text(t))
		p.next()
		return
	}
	p.unknownDirective(t, moduleDirectives)
	if t.kind == tokDot || t.kind == tokIdent {
		p.skipUnknown()
	} else {
		p.skipStrays()
	}
}

// skipStrays skips what belongs into a function, up to a line that begins with a statement of the module. One message
// for all of it is enough: a brace is too many or missing.
func (p *parser) skipStrays() {
	for p.tok.kind != tokEOF && p.tok.kind != tokDwarf {
		if p.tok.first && p.tok.kind == tokDot && slices.Contains(functionEnds, p.text(p.tok)) {
			return
		}
		p.next()
	}
}

// functionEnds are directives that can only be at module scope, but for variables, which do no harm there.
var functionEnds = []string{".version", ".target", ".address_size", ".section", ".alias", ".entry", ".func", ".extern",
	".visible", ".weak", ".common", ".global", ".const", ".shared", ".tex", ".file"}

// wantTarget reports, once, that something comes before .target.
func (p *parser) wantTarget(t token) {
	if word := p.text(t); p.target.sm == 0 && p.m.Version > 0 && word != ".target" && word != ".version" {
		p.report("no-target", t.span(), "%s before .target, which goes right after .version", word)
		p.target = target{sm: 120, arch: "a"}
	}
}

// skipUnknown resynchronises at module scope, where a brace opens something unexpected.
func (p *parser) skipUnknown() {
	p.next()
	p.resync()
	if p.tok.kind == '{' && !p.ended {
		p.skipBraces()
	}
}

// skipBraces skips a balanced pair of braces without looking inside, in constant stack space.
func (p *parser) skipBraces() {
	open := p.tok
	level := 0
	for {
		switch p.tok.kind {
		case '{':
			level++
			if level > maxNesting {
				p.depth = maxNesting
				p.enter()
				return
			}
		case '}':
			level--
		case tokEOF:
			p.report("unclosed-brace", open.span(), "this '{' is never closed")
			return
		}
		p.next()
		if level == 0 {
			return
		}
	}
}

// moduleDirectives are the directives that begin a statement at module scope.
var moduleDirectives = []string{".version", ".target", ".address_size", ".file", ".section", ".pragma",
	".nv_intermediate_source_section", ".alias", ".entry", ".func", ".extern", ".visible", ".weak", ".common", ".global",
	".const", ".shared", ".local",
	".reg", ".tex", ".param"}

// bodyDirectives are those inside a function.
var bodyDirectives = []string{".reg", ".param", ".local", ".shared", ".global", ".const", ".loc", ".loc_intermediate",
	".pragma",
	".branchtargets", ".calltargets", ".callprototype"}

var directiveSet = func() map[string]bool {
	m := map[string]bool{".hidden": true}
	for _, list := range [][]string{moduleDirectives, bodyDirectives} {
		for _, d := range list {
			m[d] = true
		}
	}
	return m
}()

func statementDirective(word string) bool { return directiveSet[word] }

// unknownDirective reports a word that cannot begin a statement here.
func (p *parser) unknownDirective(t token, known []string) {
	if t.kind != tokDot {
		d := p.report("syntax", t.span(), "expected a directive, found %s", p.describe(t))
		if near := closestDirective("."+p.text(t), known); near != "" {
			d.Message += fmt.Sprintf("; did you mean %s?", near)
			d.fix(t.span(), near, "write %s", near)
		}
		return
	}
	d := p.report("unknown-directive", t.span(), "there is no directive %s", p.describe(t))
	if statementDirective(p.text(t)) {
		d.Message = fmt.Sprintf("the directive %s is not allowed here", p.text(t))
	} else if near := closestDirective(p.text(t), known); near != "" {
		d.Message += fmt.Sprintf("; did you mean %s?", near)
		d.fix(t.span(), near, "write %s", near)
	}
}

// closestDirective prefers directives that a word begins with: .function is .func, though .section has more of its
// letters.
func closestDirective(word string, known []string) string {
	longest := ""
	for _, d := range known {
		if len(d) > len(longest) && strings.HasPrefix(word, d) {
			longest = d
		}
	}
	if longest != "" {
		return longest
	}
	return closest(word, among(known...))
}

// moduleDirective parses one statement that begins with a directive; false when the word is unknown.
func (p *parser) moduleDirective(word string) bool {
	switch word {
	case ".version":
		p.version()
	case ".target":
		p.targetDirective()
	case ".address_size":
		if p.sized {
			return false
		}
		p.addressSize()
		p.sized = true
	case ".file":
		p.file()
	case ".section":
		p.section()
	case ".nv_intermediate_source_section":
		p.intermediateSource()
	case ".pragma":
		p.pragma()
	case ".alias":
		p.alias()
	case ".entry", ".func", ".extern", ".visible", ".weak", ".common", ".hidden", ".global", ".const", ".shared", ".local",
		".reg", ".tex", ".param", ".attribute", ".align":
		p.linked()
	default:
		return false
	}
	switch word {
	case ".version", ".target", ".address_size", ".alias":
		p.settle()
	}
	return true
}

// settle notes that functions before here may have seen something else than those after.
func (p *parser) settle() { p.settled = p.tok.start }

// linked parses a function or variable with its linkage (11.6).
func (p *parser) linked() {
	linkage, at := Internal, p.tok
	for {
		l, ok := linkages[p.text(p.tok)]
		if p.tok.kind != tokDot || !ok {
			break
		}
		if linkage != Internal {
			p.report("bad-linkage", p.tok.span(), "a symbol has one of .extern, .visible, .weak and .common, not two")
		}
		linkage = max(linkage, l)
		p.next()
	}
	if linkage == Weak {
		p.needVersion(at.span(), ".weak", 31, 0, "11.6.3")
	} else if linkage == Common {
		p.needVersion(at.span(), ".common", 50, 20, "11.6.4")
	}
	switch {
	case p.tok.kind == tokDot && p.is(".entry"), p.tok.kind == tokDot && p.is(".func"):
		p.function(linkage)
	case p.tok.kind == tokDot && (spaces[p.text(p.tok)] != 0 || p.is(".align") || p.is(".attribute")):
		p.variables(linkage)
	default:
		p.unexpected("a variable or function after the linkage", "")
		p.skipUnknown()
	}
}

var linkages = map[string]Linkage{".extern": Extern, ".visible": Visible, ".weak": Weak, ".common": Common,
	".hidden": Internal}

var spaces = map[string]Space{".reg": RegSpace, ".sreg": SRegSpace, ".const": ConstSpace, ".global": GlobalSpace,
	".local": LocalSpace, ".param": ParamSpace, ".shared": SharedSpace, ".tex": TexSpace}

func (s Space) String() string {
	return [...]string{"generic", ".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex"}[s]
}

// finish reports what is known only at the end of the module.
func (p *parser) finish() {
	for _, f := range p.m.Funcs {
		if f.AliasOf != nil && !f.AliasOf.Defined {
			p.report("bad-alias", f.Span, "%s is an alias of %s, which this module does not define", f.Name, f.AliasOf.Name)
		}
	}
	p.checkForeigners()
	if p.target.sm == 0 && !p.ended && p.m.Version != 0 {
		p.report("no-target", Span{0, 0}, "the module has no .target; it goes right after .version")
	}
	p.checkDebug()
	sort.Slice(p.m.Sections, func(i, j int) bool { return p.m.Sections[i].Start < p.m.Sections[j].Start })
}

func quoted(s string) string {
	if t, err := strconv.Unquote(s); err == nil {
		return t
	}
	return strings.Trim(s, `"`)
}
