package isa

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// ErrorKind says what is wrong with an opcode.
type ErrorKind uint8

// The kinds of OpcodeError.
const (
	UnknownMnemonic ErrorKind = iota + 1
	BadModifier               // a modifier that this opcode cannot have
	MissingModifier
	Conflict // two modifiers that exclude each other, or one given twice
)

// OpcodeError says why an opcode is not PTX.
type OpcodeError struct {
	Kind     ErrorKind
	Opcode   string
	Offset   int      // in bytes, of what is wrong: the modifier's dot, 0 for the mnemonic, the end when missing
	Length   int      // its length; 0 when something is missing
	Modifier string   // the offending modifier with its dot; "" when the mnemonic is unknown or something is missing
	With     string   // Conflict: the other modifier
	Allowed  []string // what is allowed there instead, or what is missing
	Belongs  []string // other forms of the mnemonic that have the modifier: "add.f32"
	Suggest  string   // the likeliest replacement for Modifier or the mnemonic; "" when nothing is close
	Note     string   // what the table says about the nearest form
	Section  string   // section of the nearest form
}

// Error is one sentence: what was found, the rule, and the way out.
func (e *OpcodeError) Error() string {
	var b strings.Builder
	switch e.Kind {
	case UnknownMnemonic:
		fmt.Fprintf(&b, "`%s` is not a PTX instruction", e.Opcode[:e.Length])
	case MissingModifier:
		fmt.Fprintf(&b, "`%s` lacks a modifier: %s", e.Opcode, oneOf(e.Allowed))
	case Conflict:
		if e.With == e.Modifier {
			fmt.Fprintf(&b, "`%s` is given twice", e.Modifier)
		} else {
			fmt.Fprintf(&b, "`%s` and `%s` exclude each other", e.With, e.Modifier)
		}
	default:
		fmt.Fprintf(&b, "`%s` is not allowed on `%s`", e.Modifier, e.Opcode[:e.Offset]+e.Opcode[e.Offset+e.Length:])
		if len(e.Belongs) > 0 {
			fmt.Fprintf(&b, "; it belongs to %s", quoted(e.Belongs, " and "))
		} else if e.Suggest == "" && len(e.Allowed) > 0 {
			fmt.Fprintf(&b, "; allowed: %s", quoted(e.Allowed, " and "))
		}
	}
	if e.Suggest != "" {
		fmt.Fprintf(&b, "; did you mean `%s`?", e.Suggest)
	}
	if e.Note != "" {
		fmt.Fprintf(&b, " (%s)", e.Note)
	}
	return b.String()
}

func oneOf(list []string) string {
	if len(list) == 1 {
		return "`" + list[0] + "`"
	}
	return "one of " + quoted(list, " or ")
}

// quoted lists up to twelve items.
func quoted(list []string, last string) string {
	const limit = 12
	var b strings.Builder
	for i, item := range list {
		switch {
		case i == limit:
			return b.String() + ", …"
		case i > 0 && i == len(list)-1:
			b.WriteString(last)
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString("`" + item + "`")
	}
	return b.String()
}

// attempt is how far a line gets with an opcode that it does not accept.
type attempt struct {
	line  *line
	fill  []int // element to modifier, -1 for none
	extra []int // modifiers without an element
	cost  int
}

// explain finds the line that comes nearest and says what keeps the opcode from it. The catalog is locked.
func (c *catalog) explain(opcode, mnemonic string, mods []mod, lines []*line) *OpcodeError {
	e := &OpcodeError{Opcode: opcode}
	if lines == nil {
		e.Kind, e.Length = UnknownMnemonic, len(mnemonic)
		names := make([]string, 0, len(c.forms))
		for name := range c.forms {
			names = append(names, name)
		}
		slices.Sort(names)
		e.Suggest = nearest(mnemonic, names)
		return e
	}
	var best attempt
	for i, l := range lines {
		if a := l.attempt(mods); i == 0 || a.cost < best.cost {
			best = a
		}
	}
	e.Section, e.Note = best.line.form.Section, best.line.note
	if best.line.form.Gone != (Gone{}) {
		e.Note = ""
	}
	if len(best.extra) == 0 {
		e.missing(best, lines, mods)
		return e
	}
	m := pickExtra(mods, best.extra)
	e.Modifier, e.Offset, e.Length = m.text, m.offset, len(m.text)
	if rival, ok := best.rival(mods, m); ok {
		e.Kind, e.With, e.Note = Conflict, rival.text, ""
		return e
	}
	e.Kind = BadModifier
	if m.order != typeOrder && !known(lines, m.text) {
		e.Note = ""
	}
	if e.Allowed = best.instead(lines, m); len(e.Allowed) > 1 {
		return e // others of its kind are allowed, so it is not misspelt
	}
	if e.Allowed == nil {
		e.Allowed = allowedBeside(lines, mods, m)
		e.Belongs = belongs(lines, best.line, mods, m)
	}
	if slices.Contains(e.Allowed, m.text) { // it is there already, or in another's place
		e.Allowed = nil
		if m.order == spaceOrder {
			e.Note = "state spaces go in the order of the operands"
		}
	}
	if len(e.Belongs) == 0 || m.order == typeOrder {
		e.Suggest = suggest(m, e.Allowed)
	}
	return e
}

// Successors are the opcodes of today that an old one becomes when one modifier is added: one for each syntax line, in
// the manual's order. So div.f32 becomes div.approx.f32, div.full.f32 and div.rn.f32.
func Successors(opcode string) []string {
	c := &theCatalog
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index()
	mnemonic, mods := splitOpcode(opcode)
	var out []string
	for _, l := range c.linesOf(mnemonic) {
		a := l.attempt(mods)
		if len(a.extra) > 0 || l.form.Gone != (Gone{}) {
			continue
		}
		name, missing := mnemonic, 0
		for e := range l.elements {
			switch {
			case a.fill[e] >= 0:
				name += mods[a.fill[e]].text
			case l.needed(e, a.fill):
				name += l.elements[e].values[0]
				missing++
			}
		}
		if missing == 1 {
			out = appendNew(out, name)
		}
	}
	return out
}

// Today is the opcode of today that means the same as a legacy one; "" if the table names none.
func (b *Bound) Today() string {
	lines := strings.Fields(b.Form.As)
	if b.Line >= len(lines) {
		return ""
	}
	var name strings.Builder
	for _, part := range strings.FieldsFunc(lines[b.Line], func(r rune) bool { return r == '{' || r == '}' }) {
		optional := strings.Contains(lines[b.Line], "{"+part+"}")
		if !optional || slices.Contains(b.Mods, part) {
			name.WriteString(part)
		}
	}
	return name.String()
}

// missing fills in an error for mandatory elements that no modifier fills. It looks at all lines that are as near as
// the best.
func (e *OpcodeError) missing(best attempt, lines []*line, mods []mod) {
	e.Kind, e.Offset = MissingModifier, len(e.Opcode)
	for _, l := range lines {
		a := l.attempt(mods)
		if a.cost != best.cost || len(a.extra) > 0 {
			continue
		}
		for i := range l.elements {
			if a.fill[i] < 0 && l.needed(i, a.fill) {
				e.Allowed = appendNew(e.Allowed, l.elements[i].values...)
				break
			}
		}
	}
}

// pickExtra prefers a modifier that is not a type, because a wrong type often follows from it.
func pickExtra(mods []mod, extra []int) mod {
	for _, i := range extra {
		if mods[i].order != typeOrder {
			return mods[i]
		}
	}
	return mods[extra[0]]
}

// rival finds the modifier that holds the only places where m could go. If the line has several places for modifiers of
// m's order, none of them excludes m.
func (a *attempt) rival(mods []mod, m mod) (mod, bool) {
	ordered := 0
	for e := range a.line.elements {
		if o := a.line.elements[e].order; o == m.order && o != anyOrder && o != spaceOrder {
			ordered++
		}
	}
	if ordered > 1 {
		return mod{}, false
	}
	for e := range a.line.elements {
		el := &a.line.elements[e]
		if i := a.fill[e]; i >= 0 && el.accepts(m.text) && mods[i].offset != m.offset {
			return mods[i], true
		}
	}
	return mod{}, false
}

// instead is what the line has in the place that m fills in other lines, when nothing else fills it;
// nil for types.
func (a *attempt) instead(lines []*line, m mod) []string {
	for i := range a.line.elements {
		el := &a.line.elements[i]
		if a.fill[i] >= 0 || el.slot == "" || el.order == typeOrder || !a.line.needed(i, a.fill) {
			continue
		}
		for _, l := range lines {
			if slices.ContainsFunc(l.elements, func(o element) bool { return o.slot == el.slot && o.accepts(m.text) }) {
				return el.values
			}
		}
	}
	return nil
}

// These are the costs of differences between an opcode and a line; the nearest line is the cheapest. A wrong type
// counts once, although it leaves one type over and one place empty.
const (
	wrongType    = 10
	wrongMod     = 6
	missingMod   = 3
	legacyForm   = 1
	tellingMod   = -3 // a modifier that the line is about
	tellingWidth = -5 // .v4
)

// attempt places as many modifiers as it can, in their order, and adds up the costs of what is left over.
func (l *line) attempt(mods []mod) attempt {
	a := attempt{line: l, fill: make([]int, len(l.elements))}
	for i := range a.fill {
		a.fill[i] = -1
	}
	last := nothingPlaced()
	extraTypes, missingTypes := 0, 0
	for i, m := range mods {
		at := -1
		for e := range l.elements {
			if l.mayTake(e, m, last, a.fill) {
				at = e
				break
			}
		}
		switch {
		case at < 0 && m.order == typeOrder:
			a.extra = append(a.extra, i)
			extraTypes++
		case at < 0:
			a.extra = append(a.extra, i)
			a.cost += wrongMod
		default:
			a.fill[at], last[m.order] = i, at
			a.cost += l.elements[at].telling()
		}
	}
	for e := range l.elements {
		switch {
		case a.fill[e] >= 0 || !l.needed(e, a.fill):
		case l.elements[e].order == typeOrder:
			missingTypes++
		default:
			a.cost += missingMod
		}
	}
	a.cost += wrongType * max(extraTypes, missingTypes)
	if l.form.Gone != (Gone{}) {
		a.cost += legacyForm
	}
	return a
}

// telling is the cost of a modifier, which is lower the more surely it means this line.
func (e *element) telling() int {
	switch {
	case e.order == typeOrder || e.group != 0:
		return 0
	case e.slot == "vec":
		return tellingWidth
	case e.slot == "" || e.slot == "op" || e.slot == "load_mode" || strings.HasPrefix(e.slot, "level::"):
		return tellingMod
	}
	return 0
}

// without is the opcode's modifiers without one of them.
func without(mods []mod, m mod) []mod {
	return slices.DeleteFunc(slices.Clone(mods), func(o mod) bool { return o.offset == m.offset })
}

// known says whether any of the lines has this modifier.
func known(lines []*line, text string) bool {
	return slices.ContainsFunc(lines, func(l *line) bool { return l.known(text) })
}

func (l *line) known(text string) bool {
	return slices.ContainsFunc(l.elements, func(e element) bool { return e.accepts(text) })
}

// allowedBeside lists what could take m's place: modifiers of its kind that make a legal opcode with the rest, or,
// if none does, those that a line which has the rest still has room for.
func allowedBeside(lines []*line, mods []mod, m mod) []string {
	rest := without(mods, m)
	var exact, open []string
	for _, l := range lines {
		a := l.attempt(rest)
		if len(a.extra) > 0 || l.form.Gone != (Gone{}) {
			continue
		}
		for e := range l.elements {
			el := &l.elements[e]
			if a.fill[e] >= 0 || (el.order == typeOrder) != (m.order == typeOrder) {
				continue
			}
			open = appendNew(open, el.values...)
			probe := slices.Clone(mods)
			for i := range probe {
				if probe[i].offset == m.offset {
					probe[i].text, probe[i].order = el.values[0], el.order
				}
			}
			if l.assign(probe) != nil {
				exact = appendNew(exact, el.values...)
			}
		}
	}
	if exact != nil {
		return exact
	}
	return open
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// belongs names up to three other forms of the mnemonic that have modifier m, the nearest first.
func belongs(lines []*line, not *line, mods []mod, m mod) []string {
	if m.order == typeOrder || not.known(m.text) {
		return nil
	}
	type owner struct {
		name  string
		cost  int
		exact bool // its types are fixed or the opcode's own
	}
	var owners []owner
	for _, l := range lines {
		at := slices.IndexFunc(l.elements, func(e element) bool { return e.order != typeOrder && e.accepts(m.text) })
		if at < 0 {
			continue
		}
		name, exact := l.describe(without(mods, m))
		if i := slices.IndexFunc(owners, func(o owner) bool { return o.name == name }); i < 0 {
			owners = append(owners, owner{name, l.attempt(mods).cost, exact})
		}
	}
	if slices.ContainsFunc(owners, func(o owner) bool { return o.exact }) {
		owners = slices.DeleteFunc(owners, func(o owner) bool { return !o.exact })
	}
	sort.SliceStable(owners, func(i, j int) bool { return owners[i].cost < owners[j].cost })
	var out []string
	for _, o := range owners[:min(3, len(owners))] {
		out = append(out, o.name)
	}
	return out
}

// describe names a line by what is fixed in it: "add.f32", "cvt.rn.f16x2.f32". For a slot it takes the opcode's
// modifier, or else the first value; exact says that no type had to be guessed.
func (l *line) describe(mods []mod) (name string, exact bool) {
	name, exact = l.mnemonic, true
	for e := range l.elements {
		el := &l.elements[e]
		if el.group != 0 || el.order != typeOrder && el.slot != "" {
			continue
		}
		i := slices.IndexFunc(mods, func(m mod) bool { return el.accepts(m.text) })
		switch {
		case i >= 0:
			name += mods[i].text
		default:
			name += el.values[0]
			exact = exact && len(el.values) == 1
		}
	}
	return name, exact
}

// suggest picks the likeliest replacement: the type of the same width, else the nearest spelling.
func suggest(m mod, allowed []string) string {
	if t, ok := ParseType(m.text); ok {
		for _, name := range allowed {
			if a, _ := ParseType(name); a.Bits() == t.Bits() && a.Class() == Bits {
				return name
			}
		}
		for _, name := range allowed {
			if a, _ := ParseType(name); a.Bits() == t.Bits() && a.Class() != Float && t.Class() != Float {
				return name
			}
		}
		return ""
	}
	return nearest(m.text, allowed)
}

// nearest is the candidate that takes the fewest edits: one in a short word, up to three in a long one; "" when none
// is that near.
func nearest(word string, candidates []string) string {
	limit := 3
	switch n := len(strings.TrimPrefix(word, ".")); {
	case n <= 3:
		limit = 1
	case n <= 8:
		limit = 2
	}
	return Closest(word, limit, func(yield func(string)) {
		for _, c := range candidates {
			yield(c)
		}
	})
}
