package isa

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// tables are the rows in the manual's order.
var tables = [][]Form{
	integerForms, extendedForms, floatForms, halfForms, alternateForms, compareForms, logicForms,
	moveForms, convertForms, copyForms, fabricForms, sparseForms, textureForms, controlForms, syncForms, mbarrierForms,
	matrixForms, wgmmaForms, tcgenForms, miscForms,
}

// Forms returns every row of the table in the manual's order. The rows are shared: do not change them.
func Forms() []*Form {
	var out []*Form
	for _, t := range tables {
		for i := range t {
			out = append(out, &t[i])
		}
	}
	return out
}

// longest is a number of modifiers that no opcode has. If one has more, its first modifiers show what is wrong.
const longest = 40

// memoLimit bounds the opcodes that Resolve remembers, so that hostile input cannot fill memory.
const memoLimit = 2048

// catalog finds the forms of a mnemonic and compiles them when they are first asked for.
type catalog struct {
	mu    sync.Mutex
	forms map[string][]*Form // by the first word of a syntax line
	lines map[string][]*line
	memo  map[string][]*Bound
}

var theCatalog catalog

// index fills the map from mnemonics to forms; it reads only the first word of each statement.
func (c *catalog) index() {
	if c.forms != nil {
		return
	}
	c.forms = map[string][]*Form{}
	c.lines = map[string][]*line{}
	c.memo = map[string][]*Bound{}
	for _, f := range Forms() {
		for _, word := range firstWords(f) {
			c.forms[word] = append(c.forms[word], f)
		}
	}
}

// firstWords are the mnemonics of a form's syntax lines; the rows for braces and guards have none. All rows pass
// through it when the first opcode is resolved, so it looks only at how statements begin.
func firstWords(f *Form) []string {
	var words []string
	text := f.Syntax
	for {
		text = strings.TrimLeft(text, " \t\n")
		end := byte(';')
		n := 0
		switch {
		case text == "":
			return words
		case strings.HasPrefix(text, "//"):
			end = '\n'
		default:
			for n < len(text) && isWord(text[n]) {
				n++
			}
		}
		if n > 0 && !slices.Contains(words, text[:n]) {
			words = append(words, text[:n])
		}
		i := strings.IndexByte(text, end)
		if i < 0 {
			return words
		}
		text = text[i+1:]
	}
}

// linesOf returns the compiled syntax lines of a mnemonic.
func (c *catalog) linesOf(mnemonic string) []*line {
	if lines, ok := c.lines[mnemonic]; ok {
		return lines
	}
	var lines []*line
	for _, f := range c.forms[mnemonic] {
		for _, l := range compile(f) {
			if l.mnemonic == mnemonic {
				lines = append(lines, l)
			}
		}
	}
	if lines != nil {
		c.lines[mnemonic] = lines
	}
	return lines
}

// BitTypesOnly says whether a mnemonic has types and all of them, in each of its forms, are bit-size types or
// predicates.
func BitTypesOnly(mnemonic string) bool {
	c := &theCatalog
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index()
	some := false
	for _, l := range c.linesOf(mnemonic) {
		for _, e := range l.elements {
			for _, value := range e.values {
				switch t, ok := ParseType(value); {
				case !ok || t == Pred:
				case t.Class() == Bits:
					some = true
				default:
					return false
				}
			}
		}
	}
	return some
}

// Match returns the forms that accept an opcode with its modifiers ("setp.lt.and.ftz.f32"), for the whole of
// PTX ISA 9.4, emulated or not; or an *OpcodeError that names the offending modifier and what is allowed.
func Match(opcode string) ([]*Form, error) {
	bound, err := Resolve(opcode)
	if err != nil {
		return nil, err
	}
	var out []*Form
	for _, b := range bound {
		if !slices.Contains(out, b.Form) {
			out = append(out, b.Form)
		}
	}
	return out, nil
}

// Resolve binds an opcode to every syntax line that accepts it: one, or several that differ in their operands
// (min.f32 with two and with three inputs, mov.b32 of scalars and of vectors). The error is an *OpcodeError.
// The results are shared between callers: do not change them.
func Resolve(opcode string) ([]*Bound, error) {
	c := &theCatalog
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index()
	if bound, ok := c.memo[opcode]; ok {
		return bound, nil
	}
	mnemonic, mods := splitOpcode(opcode)
	var bound []*Bound
	lines := c.linesOf(mnemonic)
	for _, l := range lines {
		if fill := l.assign(mods); fill != nil {
			if b := l.bind(mods, fill); !covered(bound, b) {
				bound = append(bound, b)
			}
		}
	}
	if bound == nil {
		return nil, c.explain(opcode, mnemonic, mods[:min(len(mods), longest)], lines)
	}
	if len(c.memo) >= memoLimit {
		clear(c.memo)
	}
	c.memo[opcode] = bound
	return bound, nil
}

// mod is one modifier of an opcode as written.
type mod struct {
	text   string // with its dot
	offset int    // of the dot, in the opcode
	order  order
}

// splitOpcode cuts an opcode at its dots.
func splitOpcode(opcode string) (mnemonic string, mods []mod) {
	i := strings.IndexByte(opcode, '.')
	if i < 0 {
		return opcode, nil
	}
	mnemonic = opcode[:i]
	for i < len(opcode) {
		end := i + 1
		for end < len(opcode) && opcode[end] != '.' {
			end++
		}
		text := opcode[i:end]
		mods = append(mods, mod{text, i, orderOf(text)})
		i = end
	}
	return mnemonic, mods
}

// assign gives every modifier an element of the line. An element takes at most one modifier, types keep their order,
// all mandatory elements are filled, and an optional group is filled wholly or not at all. The result maps elements to
// modifiers, -1 for none; nil: no match.
func (l *line) assign(mods []mod) []int {
	if len(mods) > len(l.elements) {
		return nil
	}
	fill := make([]int, len(l.elements))
	for i := range fill {
		fill[i] = -1
	}
	if !l.place(mods, 0, nothingPlaced(), fill) {
		return nil
	}
	return fill
}

// lastPlaced holds the element of the last modifier placed in each class of order, -1 for none.
type lastPlaced [numOrders]int

func nothingPlaced() *lastPlaced {
	var last lastPlaced
	for i := range last {
		last[i] = -1
	}
	return &last
}

// mayTake says whether element e is free for m, as far as order goes.
func (l *line) mayTake(e int, m mod, last *lastPlaced, fill []int) bool {
	el := &l.elements[e]
	return fill[e] < 0 && el.order == m.order && (m.order == anyOrder || e > last[m.order]) && el.accepts(m.text)
}

// place finds an element for mods[i] and those after it.
func (l *line) place(mods []mod, i int, last *lastPlaced, fill []int) bool {
	if i == len(mods) {
		return l.complete(fill)
	}
	m := mods[i]
	before := last[m.order]
	for e := range l.elements {
		if !l.mayTake(e, m, last, fill) {
			continue
		}
		fill[e], last[m.order] = i, e
		if l.place(mods, i+1, last, fill) {
			return true
		}
		fill[e], last[m.order] = -1, before
	}
	return false
}

// complete says whether nothing is missing: mandatory elements, and partners within optional groups.
func (l *line) complete(fill []int) bool {
	for e := range l.elements {
		if fill[e] < 0 && l.needed(e, fill) {
			return false
		}
	}
	return true
}

// needed says whether element e must be filled given the others.
func (l *line) needed(e int, fill []int) bool {
	group := l.elements[e].group
	if group == 0 {
		return true
	}
	for o := range l.elements {
		if fill[o] >= 0 && l.elements[o].group == group {
			return true
		}
	}
	return false
}

// bind makes the Bound of a successful assignment.
func (l *line) bind(mods []mod, fill []int) *Bound {
	b := &Bound{Form: l.form, Line: l.index, slots: map[string]string{}}
	var plain []string
	for e, i := range fill {
		if i < 0 {
			continue
		}
		text := mods[i].text
		b.Mods = append(b.Mods, text)
		if el := &l.elements[e]; el.slot != "" {
			b.slots[el.slot] = text
		}
		if t, ok := ParseType(text); ok {
			b.Types = append(b.Types, t)
		} else {
			plain = append(plain, text)
		}
	}
	sort.Strings(plain)
	b.key = l.mnemonic + strings.Join(plain, "")
	for _, t := range b.Types {
		b.key += t.String()
	}
	n := &binder{b: b, specs: parseSpecs(l.form.Operands)}
	b.Operands = n.operands(l.operands)
	b.needs = b.requires()
	return b
}

// covered says whether an earlier line of the same form already allows the same operands.
func covered(bound []*Bound, b *Bound) bool {
	return slices.ContainsFunc(bound, func(o *Bound) bool {
		return o.Form == b.Form && slices.EqualFunc(o.Operands, b.Operands, sameOperand)
	})
}

func sameOperand(a, b Operand) bool {
	if (a.Pair == nil) != (b.Pair == nil) || a.Pair != nil && !sameOperand(*a.Pair, *b.Pair) {
		return false
	}
	return a.Name == b.Name && a.Role == b.Role && a.Kinds == b.Kinds && a.Type == b.Type && a.Vec == b.Vec &&
		a.Optional == b.Optional && slices.Equal(a.Suffix, b.Suffix) && slices.EqualFunc(a.Inner, b.Inner, sameOperand)
}
