package ptx

import (
	"math/bits"
	"slices"
	"strconv"

	"warpscope/ptx/isa"
)

// maxVariable is the size of the largest variable in bytes; no address space has room for a larger one.
const maxVariable = 1 << 40

// specifier is the part of a declaration before the names, in any order: space, alignment, attributes, vector length
// and type (5.4.1). Compilers write .align before the type, the manual's own examples write it after the type too.
type specifier struct {
	space   Space
	typ     isa.Type
	vec     int
	align   int64
	ptr     *Ptr
	managed bool
	unified bool
	span    Span
	linkage Linkage
}

// specifier parses up to the first name. ok is false when the declaration cannot be used.
func (p *parser) specifier() (specifier, bool) {
	s := specifier{vec: 1, span: p.tok.span()}
	for p.tok.kind == tokDot {
		t := p.tok
		word := p.text(t)
		if !p.qualifier(&s, t, word) {
			return s, false
		}
	}
	s.span.End = p.prev.end
	if s.space == SRegSpace {
		p.report("bad-declaration", s.span, "special registers are predefined; none can be declared").section("5.1.2")
		return s, false
	}
	if s.typ == isa.NoType {
		p.unexpected("a type", "").section("5.2.1")
		return s, false
	}
	return s, p.checkSpecifier(&s)
}

// qualifier takes one word of a specifier.
func (p *parser) qualifier(s *specifier, t token, word string) bool {
	if typ, ok := isa.ParseType(word); ok {
		if s.typ != isa.NoType {
			p.report("bad-declaration", t.span(), "a second type %s; the declaration has %s already", word, s.typ)
			return false
		}
		s.typ = typ
		p.next()
		return true
	}
	if space, ok := spaces[word]; ok {
		p.next()
		return p.spaceWord(s, t, space)
	}
	switch word {
	case ".v2", ".v4":
		s.vec = int(word[2] - '0')
		p.next()
		return true
	case ".align":
		p.next()
		return p.alignment(s)
	case ".attribute":
		p.next()
		return p.attribute(s)
	case ".ptr":
		p.next()
		s.ptr = &Ptr{Align: 4} // 5.1.6.3: 4 when not given
		return true
	}
	near := closest(word, func(yield func(string)) {
		for t := isa.B8; t <= isa.Pred; t++ {
			yield(t.String())
		}
		among(".reg", ".const", ".global", ".local", ".param", ".shared", ".align", ".attribute", ".ptr", ".v2", ".v4")(yield)
	})
	d := p.report("unknown-type", t.span(), "%s is not a type or state space", word)
	if near != "" {
		d.Message += "; did you mean " + near + "?"
		d.fix(t.span(), near, "write %s", near)
	}
	return false
}

// typeNames are the types that a declaration can have.
var typeNames = func() map[string]isa.Type {
	m := map[string]isa.Type{}
	for t := isa.B8; t <= isa.Pred; t++ {
		m[t.String()] = t
	}
	return m
}()

// spaceWord takes a state space; after .ptr it is the space that the parameter points to.
func (p *parser) spaceWord(s *specifier, t token, space Space) bool {
	if s.ptr != nil {
		if space == RegSpace || space == SRegSpace || space == ParamSpace || space == TexSpace {
			p.report("bad-declaration", t.span(),
				"a .ptr points to .const, .global, .local or .shared memory").section("5.1.6.3")
		}
		s.ptr.Space = space
		return true
	}
	if s.space != Generic {
		p.report("bad-declaration", t.span(), "a second state space %s; the declaration has %s already", space, s.space)
		return false
	}
	s.space = space
	if space == ConstSpace && p.tok.kind == '[' { // banked constant memory, deprecated (5.1.3.1)
		p.next()
		if p.tok.kind != ']' {
			p.integer("the constant bank", 0, 10)
		}
		return p.expect(']', " after the constant bank")
	}
	return true
}

func (p *parser) alignment(s *specifier) bool {
	at := p.tok
	n, ok := p.integer("the alignment", 1, 1<<31)
	if !ok {
		return false
	}
	if n&(n-1) != 0 {
		p.report("bad-alignment", Span{at.start, p.prev.end}, "the alignment %d is not a power of two", n)
		n = 1 << bits.Len64(uint64(n))
	}
	if s.ptr != nil {
		s.ptr.Align = n
	} else {
		s.align = n
	}
	return true
}

// attribute parses (.managed) or (.unified(n, n)), comma separated (5.4.8).
func (p *parser) attribute(s *specifier) bool {
	if !p.expect('(', " after .attribute") {
		return false
	}
	for {
		t := p.tok
		switch {
		case p.acceptWord(".managed"):
			s.managed = true
			p.needVersion(t.span(), ".managed", 40, 30, "5.4.8")
		case p.acceptWord(".unified"):
			s.unified = true
			p.needVersion(t.span(), ".unified", 80, 90, "5.4.8")
			if !p.expect('(', " after .unified") {
				return false
			}
			if _, ok := p.expression(); !ok || !p.expect(',', " between the two halves of the identifier") {
				return false
			}
			if _, ok := p.expression(); !ok || !p.expect(')', " after the identifier") {
				return false
			}
		default:
			p.unexpected(".managed or .unified", "")
			return false
		}
		if !p.accept(',') {
			return p.expect(')', " after the attributes")
		}
	}
}

// checkSpecifier checks type against space (5.1, 5.2, 5.4.2).
func (p *parser) checkSpecifier(s *specifier) bool {
	opaque := s.typ.Class() == isa.Opaque
	switch {
	case typeNames[s.typ.String()] == isa.NoType && !opaque:
		p.report("bad-declaration", s.span, "no variable has the type %s; it belongs to instructions only, "+
			"use a bit-size type", s.typ).section("5.2.3")
		return false
	case s.typ == isa.BF16 || s.typ == isa.BF16x2 || s.typ == isa.TF32 || s.typ == isa.F32x2:
		p.report("bad-declaration", s.span, "%s values are declared .b%d", s.typ, s.typ.Bits()).section("5.2.3")
	case s.typ == isa.Pred && s.space != RegSpace:
		p.report("bad-declaration", s.span, "predicates live in registers only").section("5.4.1")
		return false
	case s.typ == isa.Pred && s.vec > 1:
		p.report("bad-declaration", s.span, "there are no vectors of predicates").section("5.4.2")
		return false
	case s.vec > 1 && s.vec*s.typ.Bits() > 128:
		p.report("bad-declaration", s.span, "vectors are at most 128 bits long, .v%d %s has %d", s.vec, s.typ,
			s.vec*s.typ.Bits()).section("5.4.2")
		return false
	case s.vec > 1 && s.space == ParamSpace:
		p.report("bad-declaration", s.span, "there are no vectors in .param space: declare an aligned array of .b8").
			section("5.4.2")
	case opaque && s.space != GlobalSpace && s.space != ParamSpace && s.space != Generic:
		p.report("bad-declaration", s.span, "%s variables live in .global or .param space", s.typ).section("5.3")
		return false
	case s.typ == isa.SamplerRef && !slices.Contains(p.m.TargetOpts, "texmode_independent"):
		p.report("bad-declaration", s.span, "samplers are apart from textures only where .target says texmode_independent").
			section("5.3")
	}
	return true
}

// elementSize is the size of one element, vector included, in bytes.
func (s *specifier) elementSize() int64 { return int64(s.typ.Bytes() * s.vec) }

// variable makes the variable of one name of a declaration.
func (s *specifier) variable(name string, span Span) *Var {
	v := &Var{Name: name, Space: s.space, Linkage: s.linkage, Type: s.typ, Vec: s.vec, Size: s.elementSize(),
		Align: s.align, Ptr: s.ptr, Managed: s.managed, Unified: s.unified, Span: span}
	if v.Align == 0 {
		v.Align = max(1, v.Size) // 5.4.5: the element's size; sizes of fundamental types and vectors are powers of two
	}
	return v
}

// variables parses one declaration statement with all its names, in a function or at module scope.
func (p *parser) variables(linkage Linkage) {
	s, ok := p.specifier()
	if !ok {
		p.resync()
		return
	}
	s.linkage = linkage
	if !p.spaceAllowed(&s) {
		p.resync()
		return
	}
	if s.space == TexSpace { // 5.1.8: the same as .global .texref
		s.space, s.typ, s.vec = GlobalSpace, isa.TexRef, 1
	}
	for {
		if !p.declarator(&s) {
			p.resync()
			if p.fn == nil && p.tok.kind == '{' {
				p.skipBraces()
			}
			return
		}
		if !p.accept(',') {
			break
		}
	}
	p.semicolon("the declaration")
}

// spaceAllowed says whether variables of this space can be declared where the parser is.
func (p *parser) spaceAllowed(s *specifier) bool {
	inside := p.fn != nil
	switch {
	case s.space == Generic:
		p.report("bad-declaration", s.span, "the declaration names no state space").section("5.4.1")
		return false
	case !inside && s.space == ParamSpace:
		p.report("bad-declaration", s.span, ".param variables belong to functions").section("5.1.6")
		p.astray = true
		return false
	case !inside && (s.space == RegSpace || s.space == LocalSpace) && p.m.Version >= 30:
		p.report("bad-declaration", s.span, "%s variables are declared inside functions", s.space).section("5.1")
		p.astray = true
		return false
	case s.space == TexSpace && (inside || p.m.Version >= 15):
		p.report("bad-declaration", s.span, ".tex variables belong to the module, and to PTX ISA up to 1.4; textures are "+
			".global .texref").section("5.1.8")
		return false
	case inside && s.linkage != Internal:
		p.report("bad-linkage", s.span, "what a function declares has no linkage").section("11.6")
	case s.linkage == Common && s.space != GlobalSpace:
		p.report("bad-linkage", s.span, ".common is for .global variables only").section("11.6.4")
	case s.linkage != Internal && (s.space == RegSpace || s.space == LocalSpace || s.space == ParamSpace):
		p.report("bad-linkage", s.span, "%s variables have no linkage", s.space).section("11.6")
	case s.managed && s.space != GlobalSpace:
		p.report("bad-declaration", s.span, ".managed is for .global variables only").section("5.4.8")
	}
	return true
}

// declarator parses one name with its set size, dimensions or initialiser.
func (p *parser) declarator(s *specifier) bool {
	t := p.tok
	if !p.expect(tokIdent, " for the "+s.space.String()+" variable") {
		return false
	}
	name := p.text(t)
	if p.tok.kind == '<' {
		return p.nameSet(s, t, name)
	}
	if s.space == RegSpace {
		if p.tok.kind == '[' {
			p.report("bad-declaration", p.tok.span(), "registers cannot form arrays; %s<n> declares many", name).
				section("5.1.1")
			return false
		}
		p.register1(s, t, name)
		return true
	}
	v := s.variable(name, t.span())
	if !p.dimensions(v) {
		return false
	}
	if p.tok.kind == '=' {
		if !p.initialiser(v) {
			return false
		}
	}
	p.completeVariable(v)
	return true
}

func (p *parser) register1(s *specifier, t token, name string) {
	d := &decl{prefix: name, typ: s.typ, vec: s.vec, space: s.space, span: t.span()}
	p.checkReserved(name, t.span())
	if p.declare(p.scope, &symbol{name: name, span: t.span(), decl: d}) {
		p.remember(d)
	}
}

// checkReserved warns of a special register's name. It can be declared; from then on it means what was declared.
func (p *parser) checkReserved(name string, at Span) {
	if lookupSReg(name) != nil {
		p.report("reserved-name", at, "%s is a special register; this declaration hides it", name)
	}
}

// remember keeps a declaration for the editor.
func (p *parser) remember(d *decl) {
	if p.fn != nil {
		p.fn.decls = append(p.fn.decls, d)
	}
}

// nameSet parses <count> after a prefix (5.4.6).
func (p *parser) nameSet(s *specifier, t token, prefix string) bool {
	p.next()
	const most = 1 << 24
	n, ok := p.setSize("the number of names", 0, most)
	if !ok && p.tok.kind == '>' {
		n, ok = most, true // a name is declared, whatever the number should have been
	}
	if !ok || !p.expect('>', " after the number of names") {
		return false
	}
	if p.tok.kind == '[' || p.tok.kind == '=' {
		p.report("bad-declaration", p.tok.span(), "a set of names has no array size and no initialiser").section("5.4.6")
		return false
	}
	d := &decl{prefix: prefix, count: int(n), typ: s.typ, vec: s.vec, space: s.space, span: t.span()}
	if s.space != RegSpace {
		d.model = s.variable(prefix, t.span())
	}
	p.declareSet(p.scope, d)
	p.remember(d)
	return true
}

// dimensions parses [n][m]… (5.4.3). Only the first may be empty.
func (p *parser) dimensions(v *Var) bool {
	for p.tok.kind == '[' {
		open := p.next()
		if p.accept(']') {
			if len(v.Dims) > 0 {
				p.report("bad-declaration", Span{open.start, p.prev.end}, "only the first dimension may be empty").
					section("5.4.3")
			}
			v.Dims = append(v.Dims, 0)
			v.Size = 0
			continue
		}
		n, ok := p.integer("the array size", 0, maxVariable)
		if !ok || !p.expect(']', " after the array size") {
			return false
		}
		v.Dims = append(v.Dims, n)
		if v.Size > 0 && n > maxVariable/v.Size {
			p.report("too-large", Span{open.start, p.prev.end}, "%s would be larger than %d bytes", v.Name, int64(maxVariable))
			v.Dims, v.Size = nil, int64(v.Type.Bytes())
			return false
		}
		v.Size *= n
	}
	return true
}

// completeVariable checks a finished declaration and enters it in its scope.
func (p *parser) completeVariable(v *Var) {
	unsized := len(v.Dims) > 0 && v.Dims[0] == 0
	if unsized && v.Init == nil && v.Linkage != Extern && v.Space != ParamSpace {
		p.report("bad-declaration", v.Span, "%s has no size; only .extern arrays and those with an initialiser may "+
			"leave it out", v.Name).section("5.4.3")
	}
	p.checkReserved(v.Name, v.Span)
	if v.Space == ParamSpace && p.fn != nil && p.fn.Entry && p.m.Version > 0 && p.m.Version < 14 {
		p.addParam(v) // 11.2.1: up to PTX 1.3 kernel parameters are declared in the body
		return
	}
	home := p.scope
	if old := home.local(v.Name); home.fn == nil && old != nil && old.vr != nil && old.vr.Space == v.Space {
		if p.redeclare(old.vr, v) {
			return
		}
	}
	if p.declare(home, &symbol{name: v.Name, span: v.Span, vr: v}) {
		p.place(home, v)
		p.remember(&decl{prefix: v.Name, typ: v.Type, vec: v.Vec, space: v.Space, span: v.Span, model: v})
	}
}

// redeclare merges an .extern declaration with another declaration of the same variable (11.6.1).
func (p *parser) redeclare(old, v *Var) bool {
	p.settle()
	if old.Linkage != Extern && v.Linkage != Extern {
		return false
	}
	if old.Type != v.Type || old.Size != v.Size && old.Size != 0 && v.Size != 0 {
		p.report("duplicate-name", v.Span, "%s is declared again with another type or size", v.Name).
			note(old.Span, "the first declaration is here").section("11.6.1")
		return true
	}
	if v.Linkage == Internal {
		p.report("bad-linkage", v.Span, "%s is declared .extern, so its definition is .visible, .weak or .common", v.Name).
			note(old.Span, "the first declaration is here").section("11.6.1")
	}
	if old.Linkage == Extern {
		index := old.Index
		*old = *v
		old.Index = index
	}
	return true
}

func (p *parser) addParam(v *Var) {
	f := p.fn
	if p.declare(p.scope, &symbol{name: v.Name, span: v.Span, vr: v}) {
		v.Func, v.Index = f, len(f.Params)
		f.Params = append(f.Params, v)
	}
}

// describe names a register and its type in messages.
func (r *Reg) describe() string {
	if r.Vec > 1 {
		return r.Name + " (.v" + strconv.Itoa(r.Vec) + " " + r.Type.String() + ")"
	}
	return r.Name + " (" + r.Type.String() + ")"
}
