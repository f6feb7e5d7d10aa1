package ptx

import (
	"sort"
	"strings"

	"warpscope/ptx/isa"
)

// instruction parses {@{!}p} opcode operands ; and checks it (4.3.2).
func (p *parser) instruction() {
	in := &p.insts.take(1)[0]
	*in = Inst{Span: p.tok.span(), Loc: p.loc}
	ok := true
	if p.tok.kind == '@' {
		if in.Guard, ok = p.guard(); ok && p.tok.kind == '{' {
			p.guardedGroup(in)
			return
		}
	}
	if p.tok.kind != tokIdent {
		if ok {
			p.unexpected("an instruction", "")
		}
		p.resync()
		return
	}
	p.opcode(in)
	if !ok || p.isInline(in) {
		p.resync()
		return
	}
	mnemonic, _, _ := strings.Cut(in.Opcode, ".")
	if p.lacksColon(in) {
		return
	}
	if !knownMnemonic(mnemonic) { // a word that is not an instruction explains everything else on its line
		p.check(in, mnemonic)
		if p.tok.kind == '{' && !p.tok.first {
			p.skipBraces() // a tuple
		}
		p.resync()
		return
	}
	if mnemonic == "call" {
		ok = p.callOperands(in)
	} else {
		ok = p.operands(in, mnemonic)
	}
	if !ok {
		p.resync()
		p.keep(in)
		return
	}
	in.Span.End = p.prev.end
	whole := !p.missingComma(in) && p.semicolon(in.Opcode)
	if p.prev.kind == ';' {
		in.Span.End = p.prev.end
	}
	p.keep(in)
	if whole {
		p.check(in, mnemonic)
	}
}

// missingComma reports an operand that follows another one on its line without a comma, and skips the statement.
func (p *parser) missingComma(in *Inst) bool {
	t := p.tok
	another := t.kind == tokNumber || t.kind == '[' || t.kind == '{' || t.kind == tokIdent && !knownMnemonic(p.text(t))
	if len(in.Operands) == 0 || t.first || !another {
		return false
	}
	p.unexpected("',' or ';' after "+p.describe(p.prev), "").fix(Span{p.prev.end, p.prev.end}, ",", "insert ','")
	p.resync()
	return true
}

// keep appends an instruction to the function.
func (p *parser) keep(in *Inst) {
	in.Index = len(p.fn.Insts)
	p.fn.Insts = append(p.fn.Insts, in)
}

// guard parses @p or @!p (9.3).
func (p *parser) guard() (*Guard, bool) {
	g := &Guard{Span: p.tok.span(), Elem: -1}
	p.next()
	g.Neg = p.accept('!')
	t := p.tok
	if !p.expect(tokIdent, " of a predicate register after '@'") {
		return g, false
	}
	g.Span.End = t.end
	sym, _ := p.scope.lookup(p.text(t))
	if sym == nil {
		p.undeclared(t, "predicate register", ".pred")
		return g, false
	}
	if sym.reg == nil && (sym.decl == nil || sym.decl.space != RegSpace) {
		p.report("bad-guard", t.span(), "%s is not a register; a guard is a predicate register", p.text(t))
		return g, false
	}
	g.Reg = p.register(sym)
	if g.Reg.Type != isa.Pred {
		p.report("bad-guard", t.span(), "the guard %s is not a predicate", g.Reg.describe()).
			note(g.Reg.Span, "declared here")
		return g, false
	}
	return g, true
}

// isInline reports a statement of CUDA C++ that has PTX in it.
func (p *parser) isInline(in *Inst) bool {
	if in.Opcode != "asm" && in.Opcode != "__asm__" {
		return false
	}
	p.report("unknown-instruction", in.OpSpan, "%s is inline assembly of CUDA C++: only what is between its quotes is "+
		"PTX", in.Opcode)
	return true
}

// guardedGroup makes @p { … } what the manual's prose says: a branch around the block if p is false (9.7.14.2).
func (p *parser) guardedGroup(in *Inst) {
	g := *in.Guard
	p.report("guarded-block", g.Span, "a guard before '{' has no syntax line in the manual and NVIDIA's assembler "+
		"refuses it; it is run as a branch around the instruction block")
	g.Neg = !g.Neg
	in.Guard, in.Opcode, in.OpSpan = &g, "bra", g.Span
	in.Span = g.Span
	if r := p.resolve("bra"); r.err == nil {
		in.Match = r.bounds[0]
	}
	p.keep(in)
	p.innerGroup()
	in.jump = &jump{targets: []int{len(p.fn.Insts)}, implicit: true}
	in.Operands = []Operand{{Kind: OpLabel, Span: g.Span, Elem: -1}}
}

// opcode collects the mnemonic and its modifiers; white space between them is allowed, as between any tokens.
func (p *parser) opcode(in *Inst) {
	start := p.next()
	end, joined := start.end, true
	for p.tok.kind == tokDot {
		joined = joined && p.tok.start == end
		end = p.tok.end
		p.next()
		if p.tok.kind == '[' && p.tok.start == end && p.text(p.prev) == ".const" {
			end = p.constBank(end)
			joined = joined && end == p.prev.end
		}
	}
	in.OpSpan = Span{start.start, end}
	text, known := p.words[string(p.src[start.start:end])]
	if !known {
		text = string(p.src[start.start:end])
		p.words[text] = text
	}
	if in.Opcode = text; !joined || strings.ContainsAny(text, "[ \t\n") {
		in.Opcode = squeeze(text)
	}
}

// constBank skips [n] in ld.const[n].u32 (5.1.3.1, deprecated).
func (p *parser) constBank(end int32) int32 {
	pos, tok, prev := p.pos, p.tok, p.prev
	p.next()
	if p.tok.kind == tokNumber {
		p.next()
		if p.tok.kind == ']' && p.peek().kind == tokDot {
			p.next()
			return p.prev.end
		}
	}
	p.pos, p.tok, p.prev = pos, tok, prev
	return end
}

// squeeze drops white space, comments and a constant bank from an opcode.
func squeeze(opcode string) string {
	var b strings.Builder
	s := scanner{src: []byte(opcode), report: func(string, Span, string, ...any) *Diagnostic { return &Diagnostic{} }}
	for t := s.next(); t.kind != tokEOF; t = s.next() {
		if t.kind == tokIdent || t.kind == tokDot {
			b.Write(s.src[t.start:t.end])
		}
	}
	return b.String()
}

// operands parses a comma-separated list of operands up to the semicolon.
func (p *parser) operands(in *Inst, mnemonic string) bool {
	if p.tok.kind == ';' || p.tok.first && p.tok.kind != '[' && p.tok.kind != '{' && p.endsStatement() {
		return true
	}
	branch := mnemonic == "bra" || mnemonic == "brx"
	ops, ok := p.ops[:0], true
	for ok {
		var op Operand
		p.reading = reading{in.Opcode, len(ops), p.tok.kind == '['}
		if branch && p.tok.kind == tokIdent && (mnemonic == "bra" || len(ops) == 1) {
			op = p.labelOperand(in, mnemonic == "brx")
		} else {
			op, ok = p.operand()
		}
		ops = append(ops, op)
		if !p.accept(',') {
			break
		}
	}
	in.Operands = p.slab.take(len(ops))
	copy(in.Operands, ops)
	p.ops, p.reading = ops, reading{}
	return ok
}

// endsStatement says whether the current token cannot be an operand but begins the next statement, so that only the
// semicolon is missing.
func (p *parser) endsStatement() bool {
	switch p.tok.kind {
	case '}', '@', tokDot, tokEOF:
		return true
	case tokIdent:
		return p.peek().kind == ':' || knownMnemonic(p.text(p.tok))
	}
	return false
}

// labelOperand takes a label, which may come later; it is resolved when its scope ends.
func (p *parser) labelOperand(in *Inst, table bool) Operand {
	t := p.next()
	name := p.text(t)
	if sym, _ := p.scope.lookup(name); sym != nil && sym.label == nil && sym.targets == nil {
		p.report("bad-operand", t.span(), "%s is not a label", name).note(sym.span, "declared here").section("6.4.4")
	} else {
		in.jump = &p.jumps.take(1)[0]
		in.jump.targets = p.targets.take(1)
		p.use(&labelRef{labelName: labelName{name, t.span()}, inst: in, list: in.jump.targets, table: table})
	}
	return Operand{Kind: OpLabel, Span: t.span(), Elem: -1}
}

// use notes the use of a label. A label of this scope or of one around it answers the use when that scope ends.
func (p *parser) use(ref *labelRef) {
	p.uses++
	ref.number = p.uses
	p.pending[ref.name] = append(p.pending[ref.name], ref)
}

// resolveLabels answers the uses of a scope's labels when the scope has ended. Uses are numbered, and those within a
// scope are the last ones of each name, so nothing is looked at twice, however deep scopes are nested. The labels of a
// .branchtargets list count as used in its scope, so lists come first.
func (p *parser) resolveLabels(s *scope) {
	for _, sym := range s.labels {
		if list := sym.targets; list != nil {
			p.answer(s, sym, func(ref *labelRef) {
				if list.targets == nil { // all users of a list share its targets
					list.targets = make([]int, len(list.labels))
				}
				ref.inst.jump.targets = list.targets
				if ref.span.Start < sym.span.Start {
					p.report("undeclared", ref.span, "%s is used before it is declared; a .branchtargets list comes before its "+
						"branches", sym.name).note(sym.span, "declared here").section("9.7.14.4")
				}
			})
			for slot := range list.targets { // only when all have been answered: a label can have the name of the list
				p.use(&labelRef{labelName: list.labels[slot], list: list.targets, slot: slot})
			}
		}
	}
	for _, sym := range s.labels {
		if sym.label != nil {
			p.answer(s, sym, func(ref *labelRef) { ref.list[ref.slot] = sym.label.Target })
		}
	}
	if s.parent == p.module {
		p.reportUndefined()
	}
}

// answer calls found for each use of a name that means this symbol of a scope: a label or a list of labels.
func (p *parser) answer(s *scope, sym *symbol, found func(*labelRef)) {
	list := p.pending[sym.name]
	first := len(list)
	for first > 0 && list[first-1].number > s.uses {
		first--
	}
	rest := list[:first]
	for _, ref := range list[first:] {
		if ref.table == (sym.targets != nil) && (sym.targets == nil || sym.targets.labels != nil) {
			found(ref)
		} else {
			rest = append(rest, ref)
		}
	}
	p.pending[sym.name] = rest
}

// reportUndefined reports the uses of labels that the function does not have.
func (p *parser) reportUndefined() {
	var left []*labelRef
	for _, list := range p.pending {
		left = append(left, list...)
	}
	sort.Slice(left, func(i, j int) bool { return left[i].number < left[j].number })
	for _, ref := range left {
		if p.ended {
			break
		}
		p.undefinedLabel(ref)
	}
	clear(p.pending)
}

func (p *parser) undefinedLabel(ref *labelRef) {
	what := "label"
	if ref.table {
		what = ".branchtargets list"
	}
	d := p.report("undefined-label", ref.span, "no %s named %s is visible here", what, ref.name)
	for _, l := range p.fn.Labels {
		if l.Name == ref.name {
			d.note(l.Span, "this one is inside an instruction block { }, whose labels cannot be reached from outside")
			d.section("9.7.14.1")
			return
		}
	}
	near := p.nearest(ref.name, func(yield func(string)) {
		for _, l := range p.fn.Labels {
			yield(l.Name)
		}
	})
	if near != "" {
		d.Message += "; did you mean " + near + "?"
		d.fix(ref.span, near, "write %s", near)
	}
}

// operand parses one operand (chapter 6), with the q of p|q.
func (p *parser) operand() (Operand, bool) {
	op, ok := p.primary()
	if !ok || p.tok.kind != '|' {
		return op, ok
	}
	p.next()
	second, ok := p.primary()
	pair := &p.rares.take(1)[0]
	if op.rare != nil {
		*pair = *op.rare
	}
	pair.second, op.rare = &second, pair
	op.Span.End = p.prev.end
	return op, ok
}

func (p *parser) primary() (Operand, bool) {
	t := p.tok
	op := Operand{Span: t.span(), Elem: -1}
	switch t.kind {
	case '[':
		return p.address()
	case '{':
		return p.tuple()
	case '_':
		p.next()
		op.Kind = OpSink
		return op, true
	case '!', '-':
		if next := p.peek(); next.kind == tokIdent && p.text(next) != "WARP_SZ" {
			p.next()
			named, ok := p.named()
			named.Neg = true
			named.Span.Start = t.start
			return named, ok
		}
	case tokIdent:
		if !p.is("WARP_SZ") {
			return p.named()
		}
	}
	switch t.kind {
	case ',', ';', ':', ')', ']', '}', tokDot, tokEOF:
		p.unexpected("an operand", "")
		return op, false
	}
	v, ok := p.expression()
	op.Kind, op.Imm, op.ImmType = OpImm, v.bits, v.typ
	op.Span.End = p.prev.end
	return op, ok
}

// tuple parses {a, b, _} (6.4.3).
func (p *parser) tuple() (Operand, bool) {
	op := Operand{Kind: OpVec, Span: p.tok.span(), Elem: -1}
	if !p.enter() {
		return op, false
	}
	defer p.leave()
	p.next()
	first := len(p.elems)
	for {
		e, ok := p.primary()
		if !ok {
			p.elems = p.elems[:first]
			return op, false
		}
		p.elems = append(p.elems, e)
		if !p.accept(',') {
			break
		}
	}
	p.rare(&op).list = p.elementsFrom(first)
	ok := p.expect('}', " after the elements")
	op.Span.End = p.prev.end
	return op, ok
}

// rare is the part of an operand for rare properties; only the operand that is being read can get one.
func (p *parser) rare(op *Operand) *rarePart {
	if op.rare == nil {
		op.rare = &p.rares.take(1)[0]
	}
	return op.rare
}

// shared is the part of all operands that name one special register or function.
func (p *parser) shared(of any, part rarePart) *rarePart {
	kept := p.parts[of]
	if kept == nil {
		kept = &p.rares.take(1)[0]
		*kept = part
		p.parts[of] = kept
	}
	return kept
}

// elementsFrom ends a list: its elements are those that have been read from this index on.
func (p *parser) elementsFrom(first int) []Operand {
	list := p.slab.take(len(p.elems) - first)
	copy(list, p.elems[first:])
	p.elems = p.elems[:first]
	return list
}

// named parses an operand that begins with a name: register, component, variable, function or special register.
func (p *parser) named() (Operand, bool) {
	before := p.prev
	t := p.next()
	name := p.text(t)
	op := Operand{Span: t.span(), Elem: -1}
	sym, home := p.scope.lookup(name)
	switch {
	case sym == nil:
		if s := lookupSReg(name); s != nil {
			op.Kind, op.rare = OpSReg, p.shared(s, rarePart{sreg: s})
			return p.component(op, s.Vec, name)
		}
		p.undeclared(t, "register, variable or function", p.typeAfter(before, name))
		return op, false
	case sym.reg != nil || sym.decl != nil && sym.decl.space == RegSpace:
		op.Kind, op.Reg = OpReg, p.register(sym)
		return p.component(op, op.Reg.Vec, name)
	case sym.vr != nil || sym.decl != nil:
		op.Kind, op.Var = OpVar, p.variable(sym, home)
		return p.element(op)
	case sym.fn != nil:
		op.Kind, op.rare = OpFunc, p.shared(sym.fn, rarePart{fn: sym.fn})
		return op, true
	}
	op.Kind = OpLabel
	return op, true
}

var components = map[string]int8{".x": 0, ".y": 1, ".z": 2, ".w": 3, ".r": 0, ".g": 1, ".b": 2, ".a": 3}

// component parses .x and its like after a vector, and the byte selectors of video instructions after a scalar.
func (p *parser) component(op Operand, vec int, name string) (Operand, bool) {
	if p.tok.kind != tokDot || p.tok.first {
		if op.Kind == OpReg && vec > 1 {
			return p.expand(op, vec), true
		}
		return op, true
	}
	t := p.next()
	word := p.text(t)
	op.Span.End = t.end
	elem, ok := components[word]
	switch {
	case ok && vec > int(elem) && vec > 1:
		op.Elem = elem
		return op, true
	case vec == 1 && op.Kind == OpReg && selectors[word[1:min(2, len(word))]]:
		p.rare(&op).sel = word
		return op, true
	case vec == 1:
		p.report("bad-component", t.span(), "%s is not a vector and has no component %s", name, word).section("6.4.3")
	default:
		p.report("bad-component", t.span(), "%s has %s; there is no %s",
			name, Plural(vec, "component"), word).section("6.4.3")
	}
	return op, false
}

// selectors begin the words .b0 … .b3210 and .h0 … .h10 (9.7.20.1).
var selectors = map[string]bool{"b": true, "h": true}

// expand turns a whole vector register into the tuple of its components.
func (p *parser) expand(op Operand, vec int) Operand {
	list := p.slab.take(vec)
	for i := range list {
		list[i] = op
		list[i].Elem = int8(i)
	}
	whole := Operand{Kind: OpVec, Span: op.Span, Elem: -1}
	p.rare(&whole).list = list
	return whole
}

// element parses what may follow a variable's name: [n], the address of an array element (6.4.2), and ± n bytes.
func (p *parser) element(op Operand) (Operand, bool) {
	if p.tok.kind == '[' && !p.tok.first {
		open := p.next()
		var index Operand
		var n int64
		ok := true
		if p.tok.kind == tokIdent && !p.is("WARP_SZ") {
			if index, ok = p.base(index); ok && index.Var != nil {
				p.report("bad-operand", index.Span, "an index is a register or a constant").section("6.4.2")
			}
			n = index.Off()
		} else {
			n, ok = p.integer("the index", -1<<31, 1<<31-1)
		}
		if !ok || !p.expect(']', " after the index") {
			return op, false
		}
		if op.Var.Dims == nil {
			p.report("bad-operand", Span{open.start, p.prev.end}, "%s is not an array", op.Var.Name).
				note(op.Var.Span, "declared here").section("6.4.2")
		}
		op.Imm, op.Reg = uint64(n*op.Var.Stride()), index.Reg
		op.element = true
		op.Span.End = p.prev.end
		if op.Reg == nil && op.Var.Size > 0 && (op.Off() < 0 || op.Off() >= op.Var.Size) {
			p.report("out-of-bounds", Span{open.start, p.prev.end}, "element %d lies outside %s", n, op.Var.Name).
				note(op.Var.Span, "declared here").section("6.4.2")
		}
		return op, true
	}
	return p.offset(op)
}

// plus takes the sign before an offset; a negative offset is added as well (6.4.1).
func (p *parser) plus() bool {
	if p.tok.kind == '-' {
		p.report("syntax", p.tok.span(), "offsets are added to an address: write +- for a negative one").
			section("6.4.1").fix(p.tok.span(), "+-", "write +-")
		return true
	}
	return p.accept('+')
}

// offset parses the constants added to an address; sums are signed 32-bit (6.4.1).
func (p *parser) offset(op Operand) (Operand, bool) {
	for sign := p.tok; p.plus(); {
		if p.tok.kind == tokIdent {
			if sym, _ := p.scope.lookup(p.text(p.tok)); sym != nil {
				p.report("bad-operand", p.tok.span(), "offsets are constants: add %s to the address in a register first",
					p.text(p.tok)).section("6.4.1")
				return op, false
			}
		}
		v, ok := p.binary(precedence['*'])
		if !ok {
			return op, false
		}
		if v.float() {
			p.report("bad-value", Span{sign.start, p.prev.end}, "an address offset must be an integer")
			return op, false
		}
		op.Imm += v.bits
		op.Span.End = p.prev.end
		if op.Off() < -1<<31 || op.Off() > 1<<32-1 {
			p.report("bad-value", Span{sign.start, p.prev.end}, "an address offset has 32 bits").section("6.4.1")
			return op, false
		}
	}
	return op, true
}

// address parses [base ± n], and the further operands of [tex, sampler, {coordinates}] (6.4.1).
func (p *parser) address() (Operand, bool) {
	op := Operand{Kind: OpAddr, Span: p.tok.span(), Elem: -1}
	if !p.enter() {
		return op, false
	}
	defer p.leave()
	p.next()
	ok := true
	if p.tok.kind == tokIdent && !p.is("WARP_SZ") {
		op, ok = p.base(op)
	} else {
		var n int64
		n, ok = p.integer("an absolute address", -1<<31, 1<<63-1)
		op.Imm = uint64(n)
	}
	first := len(p.elems)
	for ok && p.accept(',') {
		var e Operand
		if e, ok = p.primary(); ok {
			p.elems = append(p.elems, e)
		}
	}
	if len(p.elems) > first {
		p.rare(&op).list = p.elementsFrom(first)
	}
	ok = ok && p.expect(']', " after the address")
	if ok && p.tok.kind == tokDot && p.is(".unified") {
		p.rare(&op).sel = p.text(p.next()) // 9.7.10.8: ld reads a variable with the .unified attribute
	}
	op.Span.End = p.prev.end
	return op, ok
}

// base parses the register or variable at the beginning of an address.
func (p *parser) base(op Operand) (Operand, bool) {
	at := p.tok
	b, ok := p.named()
	if !ok {
		return op, false
	}
	switch b.Kind {
	case OpReg, OpVar:
		if b.element {
			p.report("bad-operand", b.Span, "the address of an element takes no further brackets").section("6.4.2")
		} else if b.Sel() != "" {
			p.report("bad-component", b.Span, "%s has no component %s", p.text(at), b.Sel()).section("6.4.3")
		} else if b.Kind == OpReg && b.Elem >= 0 {
			p.report("bad-operand", b.Span, "%s is part of a vector; an address is a scalar register",
				p.text(at)).section("6.4.1")
		}
		op.Reg, op.Var, op.Elem, op.Imm = b.Reg, b.Var, b.Elem, b.Imm
		return p.offset(op)
	case OpVec:
		p.report("bad-operand", at.span(), "%s is a vector; an address is a scalar register", p.text(at)).section("6.4.1")
	case OpSReg:
		p.report("bad-operand", at.span(), "%s is a special register; mov it into a register first", p.text(at)).
			section("6.4.1")
	default:
		p.report("bad-operand", at.span(), "%s has no address", p.text(at)).section("6.4.4")
	}
	return op, false
}
