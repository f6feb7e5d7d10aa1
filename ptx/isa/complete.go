package isa

import (
	"slices"
	"strings"
)

// Complete lists the continuations of a piece of an opcode, sorted. Without a dot these are mnemonics ("se" gives set,
// setp, selp …); after one they are the modifiers with which the opcode can still become legal ("add.ftz." gives .rn,
// .sat, .f32 …; "add.ftz.f" only those that begin with .f). Forms that PTX no longer has are left out.
func Complete(prefix string) []string {
	c := &theCatalog
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index()
	dot := strings.LastIndexByte(prefix, '.')
	if dot < 0 {
		return c.mnemonics(prefix)
	}
	mnemonic, mods := splitOpcode(prefix[:dot])
	var out []string
	for _, l := range c.linesOf(mnemonic) {
		if l.form.Gone != (Gone{}) {
			continue
		}
		for _, v := range l.open(mods) {
			if strings.HasPrefix(v, prefix[dot:]) {
				out = appendNew(out, v)
			}
		}
	}
	slices.Sort(out)
	return out
}

// mnemonics lists the first words of opcodes that begin with prefix.
func (c *catalog) mnemonics(prefix string) []string {
	var out []string
	for name := range c.forms {
		if strings.HasPrefix(name, prefix) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// open lists what the line could take in addition to the modifiers given. If the line does not take all of those, the
// list is empty.
func (l *line) open(mods []mod) []string {
	fill := make([]int, len(l.elements))
	for i := range fill {
		fill[i] = -1
	}
	var out []string
	l.extend(mods, 0, -1, fill, &out)
	return out
}

// extend collects the values of free elements for every way to place the modifiers. A type may only follow the last
// type placed, since it is written after it.
func (l *line) extend(mods []mod, i, lastType int, fill []int, out *[]string) {
	if i == len(mods) {
		for e := range l.elements {
			if el := &l.elements[e]; fill[e] < 0 && (el.order != typeOrder || e > lastType && !l.skips(lastType, e, fill)) {
				*out = appendNew(*out, el.values...)
			}
		}
		return
	}
	m := mods[i]
	for e := range l.elements {
		el := &l.elements[e]
		if fill[e] >= 0 || !el.accepts(m.text) ||
			m.order == typeOrder && (e < lastType || l.skips(lastType, e, fill)) {
			continue
		}
		fill[e] = i
		last := lastType
		if m.order == typeOrder {
			last = e
		}
		l.extend(mods, i+1, last, fill, out)
		fill[e] = -1
		if m.order != typeOrder {
			break // equal places are as good
		}
	}
}

// skips says whether a mandatory type lies between two elements: then the later one cannot come next.
func (l *line) skips(from, to int, fill []int) bool {
	for e := from + 1; e < to; e++ {
		if el := &l.elements[e]; el.order == typeOrder && el.group == 0 && fill[e] < 0 {
			return true
		}
	}
	return false
}

// Words are all words of PTX by kind, sorted; modifiers, types and directives with their dots.
type Words struct {
	Mnemonics, Modifiers, Types, Directives, Registers []string
}

// Vocabulary collects the words that an editor colours from the tables.
func Vocabulary() Words {
	c := &theCatalog
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index()
	w := Words{Mnemonics: c.mnemonics("")}
	directives := map[string]bool{}
	for _, d := range Directives() {
		for _, name := range strings.Fields(d.Name) {
			directives[name] = strings.HasPrefix(name, ".")
		}
	}
	for t := NoType + 1; t < numTypes; t++ {
		w.Types = append(w.Types, t.String())
	}
	for _, s := range SRegs() {
		w.Registers = append(w.Registers, s.Name)
	}
	w.Modifiers, w.Directives = trueKeys(modifiers()), trueKeys(directives)
	slices.Sort(w.Types)
	slices.Sort(w.Registers)
	return w
}

// modifiers are those of all forms without their types. An editor asks for them before anything is shown, so the forms
// are not compiled for it: only their value sets are read, and the fixed words of their opcodes.
func modifiers() map[string]bool {
	found, read := map[string]bool{}, map[string][]string{}
	for _, f := range Forms() {
		var slots, fixed []string
		for _, s := range statements(f.Syntax) {
			if !strings.HasPrefix(s.text, ".") {
				fixed = append(fixed, modifiersOf(s.text)...)
				continue
			}
			names, ok := read[s.text] // many forms have the same sets
			if !ok {
				var values []string
				names, values = valueSet(s.text)
				read[s.text] = names
				noteModifiers(found, values)
			}
			slots = append(slots, names...)
		}
		fixed = slices.DeleteFunc(fixed, func(word string) bool { return slices.Contains(slots, word) })
		noteModifiers(found, fixed)
	}
	return found
}

func noteModifiers(found map[string]bool, words []string) {
	for _, word := range words {
		if _, known := found[word]; !known {
			found[word] = orderOf(word) != typeOrder
		}
	}
}

// modifiersOf are the words of a syntax line's opcode, slots among them.
func modifiersOf(line string) []string {
	var out []string
	opcode, _ := cutOpcode(line)
	for i := strings.IndexByte(opcode, '.'); i >= 0; {
		n := modifierLen(opcode[i:])
		out = append(out, subQualified(opcode[i:i+n])...)
		next := strings.IndexByte(opcode[i+n:], '.')
		if next < 0 {
			break
		}
		i += n + next
	}
	return out
}

func trueKeys(set map[string]bool) []string {
	var out []string
	for key, in := range set {
		if in {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}
