package ptx

import (
	"bytes"
	"strconv"
	"strings"

	"warpscope/ptx/isa"
)

// registerTypes are the types of registers by the names that compilers give them.
var registerTypes = map[string]string{"%p": ".pred", "%rc": ".b8", "%rs": ".b16", "%r": ".b32", "%rd": ".b64",
	"%rq": ".b128", "%f": ".f32", "%fd": ".f64"}

// undeclared reports a name that nothing declares, with a way to declare it or the nearest name that something does.
// typ is the type of a register here, ".b32"; "" where that is not known or the name may be another thing.
func (p *parser) undeclared(t token, what, typ string) {
	name := p.text(t)
	if p.fn != nil && p.absentAlready(name) {
		return
	}
	d := p.report("undeclared", t.span(), "%s is not declared: no such %s", name, what)
	if full := "%" + name; p.isRegister(full, typ) {
		d.Message += "; did you mean " + full + "?"
		d.fix(t.span(), full, "write %s", full)
		return
	}
	if p.fn != nil && p.declares(d, name) {
		return
	}
	if near := p.meant(name, typ); near != "" {
		d.Message += "; did you mean " + near + "?"
		d.fix(t.span(), near, "write %s", near)
	} else if typ != "" {
		p.declareRegister(d, typ, name)
	}
}

// absentAlready says whether the function has been told of a name, or of a set that would have it.
func (p *parser) absentAlready(name string) bool {
	prefix, _, numbered := splitNumber(name)
	told := p.absent[name] || numbered && p.absent[prefix+"<"]
	p.absent[name] = true
	return told
}

// greatest is the greatest number, from n on, with which the rest of the function names something of a set.
func (p *parser) greatest(prefix string, n int) int {
	const most = 20_000_000 // bytes of a module that are scanned for this
	s := scanner{src: p.src, pos: p.pos, report: func(string, Span, string, ...any) *Diagnostic { return &Diagnostic{} }}
	for depth := 0; depth >= 0 && p.scanned < most; {
		t := s.next()
		p.scanned += int(t.end - t.start)
		switch t.kind {
		case '{':
			depth++
		case '}':
			depth--
		case tokEOF:
			return n
		case tokIdent:
			if before, m, ok := splitNumber(p.text(t)); ok && before == prefix {
				n = max(n, m)
			}
		}
	}
	return n
}

// splitNumber splits a name that a set can have (5.4.6).
func splitNumber(name string) (prefix string, n int, ok bool) {
	prefix = strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(prefix):])
	return prefix, n, err == nil && n < maxDeclared && strconv.Itoa(n) == name[len(prefix):]
}

// isRegister says whether a name is that of a special register, or of a declared one that fits the type if it is known.
func (p *parser) isRegister(name, typ string) bool {
	sym, _ := p.scope.lookup(name)
	if sym == nil {
		return p.fn != nil && lookupSReg(name) != nil
	}
	isReg := sym.reg != nil || sym.decl != nil && sym.decl.space == RegSpace
	return isReg && (typ == "" || p.fits(sym, typ, true))
}

// meant is the declared name that an undeclared one resembles; "" for none. Where a register is wanted, it is one of
// that type, and the fewer letters its name has, the more of them are right.
func (p *parser) meant(name, typ string) string {
	letters, sign := slips(name), strings.HasPrefix(name, "%")
	if typ != "" {
		letters = len(strings.TrimPrefix(name, "%")) / 3
	}
	near := p.nearestWithin(letters, name, func(yield func(string)) {
		p.scope.visible(func(other string) {
			if sym, _ := p.scope.lookup(other); typ == "" || p.fits(sym, typ, sign) {
				yield(other)
			}
		})
	})
	if near == "" && sign {
		near = isa.Closest(name, letters, func(yield func(string)) {
			for _, s := range specialRegisters() {
				yield(s.Name)
			}
		})
	}
	return near
}

// fits says whether a name can be meant where a register of a type is wanted, by a name with or without a sign.
func (p *parser) fits(sym *symbol, typ string, sign bool) bool {
	size := func(t string) string { return strings.TrimLeft(t, ".bf") } // .b32 holds .f32 as well (9.4, Table 26)
	switch {
	case sym == nil:
		return false
	case sym.reg != nil:
		return size(compilersType(sym.reg.Type)) == size(typ)
	case sym.decl != nil && sym.decl.space == RegSpace:
		return size(compilersType(sym.decl.typ)) == size(typ)
	}
	return !sign
}

// declareRegister offers a declaration of registers at the beginning of the function. False outside of one.
func (p *parser) declareRegister(d *Diagnostic, typ, names string) bool {
	if p.fn == nil || p.fn.Body.Start == 0 {
		return false
	}
	text := ".reg " + typ + " " + names + ";"
	at := Span{p.fn.Body.Start + 1, p.fn.Body.Start + 1}
	d.fix(at, "\n"+p.indent()+text, "insert %s", text)
	return true
}

// indent is what the first statement of the function begins its line with; a tab if it has no line of its own.
func (p *parser) indent() string {
	rest := p.m.Src[p.fn.Body.Start+1:]
	space := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]
	if at := bytes.LastIndexByte(space, '\n'); at >= 0 && at+1 < len(space) {
		return string(space[at+1:])
	}
	return "\t"
}

// reading is the operand of an instruction that is being read.
type reading struct {
	opcode    string // "" for none
	operand   int    // from 0
	bracketed bool   // it began with a bracket
}

// typeAfter is the type of a register after a token of the operand that is being read: an address is as wide as
// addresses are (6.4.1), all else has the type of its place (9.4). "" if the name may be another thing.
func (p *parser) typeAfter(before token, name string) string {
	at, sign := p.reading, strings.HasPrefix(name, "%")
	switch {
	case at.opcode == "" || at.bracketed && (before.kind != '[' || !sign):
		return ""
	case at.bracketed:
		return ".b" + strconv.Itoa(p.m.AddressSize)
	}
	typ := ""
	for i, b := range p.resolve(at.opcode).bounds {
		is := ""
		if at.operand < len(b.Operands) {
			is = registerType(&b.Operands[at.operand], before.kind == '|', sign)
		}
		if i > 0 && is != typ {
			return "" // forms of the opcode differ
		}
		typ = is
	}
	return typ
}

// registerType is the type that compilers give a register in a place, or as its second of a pair; "" where none can be,
// its type is not known, or a name that does not look like a register may be a variable.
func registerType(place *isa.Operand, second, sign bool) string {
	if second && place.Pair != nil {
		place = place.Pair
	}
	switch {
	case place.Kinds&isa.KSym != 0 && !sign:
		return ""
	case place.Kinds&isa.KPred != 0:
		return ".pred"
	case place.Kinds&(isa.KReg|isa.KVec) == 0 || place.Type.Bits() == 0:
		return ""
	}
	return compilersType(place.Type)
}

// compilersType is the type that compilers give a register for values of a type.
func compilersType(t isa.Type) string {
	switch t {
	case isa.Pred, isa.F32, isa.F64:
		return t.String()
	}
	return ".b" + strconv.Itoa(max(t.Bits(), 16)) // narrower ones can only be loaded, stored and converted
}

// maxDeclared bounds the sets that a fix declares.
const maxDeclared = 10000

// declares offers a declaration of a register with a number: its set becomes larger, or the function gets a set of the
// type that its name tells (5.4.6). False for other names.
func (p *parser) declares(d *Diagnostic, name string) bool {
	prefix, n, ok := splitNumber(name)
	if !ok {
		return false
	}
	set := prefix + "<" + strconv.Itoa(p.greatest(prefix, n)+1) + ">"
	for s := p.scope; s != nil; s = s.parent {
		old := s.byName[prefix]
		if old == nil || old.space != RegSpace || old.count == 0 {
			continue
		}
		at := old.span
		if end := bytes.IndexByte(p.src[at.End:], '>'); end >= 0 { // the span is that of the name
			at.End += int32(end) + 1
		}
		d.Message += "; " + p.m.Text(at) + " ends before it"
		d.fix(at, set, "declare %s", set)
		p.absent[prefix+"<"] = true
		return true
	}
	typ, known := registerTypes[prefix]
	if !known || !p.declareRegister(d, typ, set) {
		return false
	}
	p.absent[prefix+"<"] = true
	return true
}
