package ptx

import (
	"sort"
	"strconv"
	"strings"

	"warpscope/ptx/isa"
)

// Completion is one proposal of the editor.
type Completion struct {
	Label  string // the text that replaces Span
	Kind   string // opcode, modifier, type, directive, register, special register, variable, function or label
	Detail string
	Span   Span // what it replaces, the same for all of a list
}

// maxSetNames bounds the names proposed from a set such as %r<1000000>.
const maxSetNames = 100

// Complete lists what can be written at a byte offset, judged by the text before it on its line: directives and opcodes
// at the beginning of a statement, modifiers that are still legal inside an opcode, names in scope after it.
func (m *Module) Complete(offset int) []Completion {
	if offset < 0 || offset > len(m.Src) {
		return nil
	}
	statement := statementStart(m.Src, offset)
	word := wordStart(m.Src, statement, offset)
	text := string(m.Src[statement:offset])
	prefix := string(m.Src[word:offset])
	f := m.FuncAt(offset)
	c := &completer{m: m, f: f, offset: offset, prefix: prefix, span: Span{int32(word), int32(offset)}}
	switch opcode, operands := splitStatement(text); {
	case strings.HasPrefix(text, "."):
		c.declaration(text)
	case f == nil:
		c.words(moduleDirectives, "directive")
	case operands:
		c.operands(opcode)
	default:
		c.opcodes(opcode)
	}
	sort.SliceStable(c.out, func(i, j int) bool {
		a, b := &c.out[i], &c.out[j]
		if a.Kind != b.Kind {
			return rank[a.Kind] < rank[b.Kind]
		}
		return natural(a.Label, b.Label) < 0
	})
	return c.out
}

// rank orders proposals by kind: names nearest to the code come first.
var rank = map[string]int{"register": 1, "variable": 2, "label": 3, "function": 4, "special register": 5, "type": 6,
	"modifier": 7, "directive": 8, "opcode": 9}

// natural orders %r2 before %r10.
func natural(a, b string) int {
	if len(a) != len(b) && strings.TrimRight(a, "0123456789") == strings.TrimRight(b, "0123456789") {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// statementStart is the offset after the last ';', '{', '}' or label colon before an offset, white space skipped.
func statementStart(src []byte, offset int) int {
	i := offset
	for i > 0 && src[i-1] != ';' && src[i-1] != '\n' && src[i-1] != '}' {
		if src[i-1] == '{' && (i < 2 || strings.TrimSpace(string(src[max(0, i-40):i-1])) == "") {
			break
		}
		if src[i-1] == ':' && (i < 2 || src[i-2] != ':') && (i >= len(src) || src[i] != ':') {
			break
		}
		i--
	}
	for i < offset && class[src[i]]&isSpace != 0 {
		i++
	}
	return i
}

// wordStart is where the word before an offset begins: a dotted word in an opcode, else a name.
func wordStart(src []byte, from, offset int) int {
	i := offset
	for i > from && (class[src[i-1]]&isFollow != 0 || src[i-1] == '%' || src[i-1] == ':') {
		i--
	}
	if i > from && src[i-1] == '.' {
		i--
	}
	return i
}

// splitStatement drops the guard and returns the opcode so far, and whether it is complete and operands follow.
func splitStatement(text string) (opcode string, operands bool) {
	if strings.HasPrefix(text, "@") {
		guard, rest, found := strings.Cut(text, " ")
		if !found {
			return guard, true
		}
		text = strings.TrimLeft(rest, " \t")
	}
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], true
	}
	return text, false
}

// completer collects proposals.
type completer struct {
	m      *Module
	f      *Func
	offset int
	prefix string
	span   Span
	out    []Completion
}

func (c *completer) add(label, kind, detail string) {
	if strings.HasPrefix(label, c.prefix) {
		c.out = append(c.out, Completion{label, kind, detail, c.span})
	}
}

func (c *completer) words(list []string, kind string) {
	for _, w := range list {
		c.add(w, kind, directiveRow(w).Summary)
	}
}

// declaration proposes directives, or after one the types and the words that go with it.
func (c *completer) declaration(text string) {
	if !strings.ContainsAny(text, " \t") {
		if c.f != nil {
			c.words(bodyDirectives, "directive")
		} else {
			c.words(moduleDirectives, "directive")
		}
		return
	}
	if !strings.HasPrefix(c.prefix, ".") {
		return
	}
	for t := isa.B8; t <= isa.Pred; t++ {
		c.add(t.String(), "type", Plural(t.Bits(), "bit"))
	}
	c.words([]string{".align", ".attribute", ".v2", ".v4", ".ptr", ".global", ".shared", ".const", ".local", ".param",
		".entry", ".func"}, "directive")
}

func (c *completer) opcodes(opcode string) {
	if !strings.Contains(opcode, ".") {
		for _, m := range isa.Complete(opcode) {
			c.add(m, "opcode", summaries()[m])
		}
		return
	}
	for _, mod := range isa.Complete(opcode) {
		kind := "modifier"
		if _, ok := isa.ParseType(mod); ok {
			kind = "type"
		}
		c.add(mod, kind, "")
	}
}

// operands proposes names in scope: labels for branches, functions for calls, and first the registers whose type fits.
func (c *completer) operands(opcode string) {
	mnemonic, _, _ := strings.Cut(opcode, ".")
	guard := strings.HasPrefix(opcode, "@")
	switch mnemonic {
	case "bra":
		for _, l := range c.f.Labels {
			c.add(l.Name, "label", "")
		}
		return
	case "call":
		for _, g := range c.m.Funcs {
			if !g.Entry {
				c.add(g.Name, "function", "")
			}
		}
	}
	if guard {
		c.prefix = strings.TrimLeft(c.prefix, "@!")
	}
	c.names(guard)
	if guard {
		return
	}
	for _, list := range [][]*Var{c.f.Params, c.f.Returns, c.m.Vars} {
		for _, v := range list {
			if v != nil {
				c.add(v.Name, "variable", v.Space.String()+" "+shape(v.Type, v.Vec, v))
			}
		}
	}
	if mnemonic == "mov" || mnemonic == "cvt" {
		for _, s := range specialRegisters() {
			c.add(s.Name, "special register", s.Summary)
		}
	}
}

// names proposes what the function's body declares around the offset.
func (c *completer) names(predicates bool) {
	for _, d := range c.f.decls {
		if d.within != (Span{}) && !within(d.within, c.offset) || predicates && d.typ != isa.Pred {
			continue
		}
		kind := "variable"
		if d.space == RegSpace {
			kind = "register"
		}
		detail := d.space.String() + " " + vector(d.vec) + d.typ.String()
		if d.count == 0 {
			c.add(d.prefix, kind, detail)
		}
		for i := range min(d.count, maxSetNames) {
			c.add(d.prefix+strconv.Itoa(i), kind, detail)
		}
	}
	for _, regs := range [][]*Reg{c.f.ParamRegs, c.f.ReturnRegs} {
		for _, r := range regs {
			if r != nil && (!predicates || r.Type == isa.Pred) {
				c.add(r.Name, "register", r.Type.String())
			}
		}
	}
}
