package launch

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// places knows where buffers are, for "address(x)" among values.
type places struct {
	args  []Arg
	addrs []emu.Addr // of args; nil before they are allocated
	bits  int        // of an address
}

const addressWord = "address"

// fields are values that get their places, like the members of a structure in C: each at the next multiple of its size.
type fields struct {
	list []field
	end  int  // of the last field, in bits
	own  bool // a field has a type or a place of its own
}

type field struct {
	t    isa.Type
	at   int // in units of the type
	bits uint64
}

// bytes are the fields as they are in memory.
func (f *fields) bytes() []byte {
	data := make([]byte, (f.end+7)/8)
	for _, m := range f.list {
		setComponent(data, m.t, m.at, m.bits)
	}
	return data
}

// member reads "at 16 u32 5" after the fields before it: the place and the type can be left out.
func (c *cursor) member(f *fields, t isa.Type) (ok bool) {
	c.skip()
	start := c.pos
	given, bits := -1, uint64(0)
	if c.acceptWord("at") {
		f.own = true
		if given, ok = c.indexNumber("header-value", "the bytes before the value, as in \"at 16 u32 5\""); !ok {
			return false
		}
	}
	c.skip()
	at := c.pos
	if e, isType := ParseElem(c.word()); isType && e.Lanes == 1 {
		f.own, t = true, e.Type
	} else {
		c.pos = at
	}
	n := t.Bits()
	pos := (f.end + n - 1) / n * n
	switch {
	case given >= maxBytes:
		return c.fail("header-value", c.from(start), "no argument is so large")
	case given >= 0 && given*8 < f.end:
		return c.fail("header-value", c.from(start), "fields come in ascending order: this one cannot begin at %d, where "+
			"the one before it ends at %d", given, (f.end+7)/8)
	case given >= 0 && given*8%n != 0:
		return c.fail("header-value", c.from(start), "%s lies at a multiple of %s, not at %d", typeName(t),
			ptx.Plural(n/8, "byte"), given)
	case given >= 0:
		pos = given * 8
	}
	if bits, ok = c.valueOrAddress(t); ok {
		f.end = pos + n
		f.list = append(f.list, field{t, pos / n, bits})
	}
	return ok
}

// list reads "1, 2, 3", which is repeated to fill the buffer, or fields, which are not.
func (c *cursor) list(e Elem, a *Arg) (v values, ok bool) {
	c.skip()
	start := c.pos
	var f fields
	for first := true; first || c.accept(","); first = false {
		if !c.member(&f, e.Type) {
			return nil, false
		}
	}
	n := a.Len() * e.Lanes
	switch {
	case f.own && f.end > 8*a.Size():
		return nil, c.fail("header-value", c.from(start), "the fields take %s, %s has %s", ptx.Plural((f.end+7)/8, "byte"),
			a.Name, ptx.Plural(a.Size(), "byte"))
	case f.own:
		data := sync.OnceValue(f.bytes)
		return func(to []uint64, first int) { inMemory(data(), e.Type)(to, first) }, true
	case len(f.list) > n:
		return nil, c.fail("header-value", c.from(start), "%s values for %s of %s", ptx.Thousands(int64(len(f.list))),
			ptx.Plural(n, "element"), a.Name)
	}
	c.repeats = len(f.list)
	return func(to []uint64, first int) {
		k := first % len(f.list)
		for i := range to {
			to[i] = f.list[k].bits
			if k++; k == len(f.list) {
				k = 0
			}
		}
	}, true
}

// beginsField says whether a word begins a value of a list without being a number.
func beginsField(word string) bool {
	_, isType := ParseElem(word)
	return isType || word == addressWord || word == "at" || isSpecial(word)
}

// valueOrAddress reads a number, or the address of a buffer.
func (c *cursor) valueOrAddress(t isa.Type) (bits uint64, ok bool) {
	c.skip()
	at := c.pos
	if !c.acceptWord(addressWord) {
		return c.value(t)
	}
	if !c.accept("(") {
		return 0, c.failHere("header-value", `"(": an address is address(x) or address(x, BYTES)`)
	}
	c.skip()
	nameAt := c.pos
	name := c.word()
	nameSpan := c.from(nameAt)
	offset := 0
	if name == "" {
		return 0, c.failHere("header-value", "the name of a buffer")
	}
	if c.accept(",") {
		if offset, ok = c.indexNumber("header-value", "a number of bytes"); !ok {
			return 0, false
		}
	}
	if !c.accept(")") {
		return 0, c.failHere("header-value", `")", as in address(x) or address(x, 64)`)
	}
	c.addressed = true
	if c.places == nil { // not all lines have been read
		return 0, true
	}
	if t.Class() == isa.Float || t.Bits() < c.places.bits {
		return 0, c.fail("header-value", c.from(at), "an address has %d bits, and %s cannot hold it: give it the type u%d",
			c.places.bits, typeName(t), c.places.bits)
	}
	return c.addressOf(name, nameSpan, offset)
}

func (c *cursor) addressOf(name string, at ptx.Span, offset int) (uint64, bool) {
	p := c.places
	i := slices.IndexFunc(p.args, func(a Arg) bool { return a.Buffer && a.called(name) })
	if i < 0 {
		var names []string
		for _, a := range p.args {
			if a.Buffer {
				names = append(names, a.Name)
			}
		}
		hint := `: add a line "//@ buffer ` + short(name) + ` TYPE[LENGTH]"`
		if near := closest(name, names); near != "" {
			hint = ": did you mean " + strconv.Quote(near) + "?"
		}
		return 0, c.fail("header-value", at, "no buffer is named %q%s", short(name), hint)
	}
	if size := p.args[i].Size(); offset > size {
		return 0, c.fail("header-value", at, "%s has %s, so nothing of it is at %d", name, ptx.Plural(size, "byte"), offset)
	}
	if p.addrs == nil {
		return 0, true
	}
	return p.addrs[i] + emu.Addr(offset), true
}

// initCursor reads an argument's initial values at their place in the text, or those of a setting by themselves.
func (b *builder) initCursor(a *Arg) *cursor {
	if a.Span.End > 0 {
		return &cursor{src: string(b.m.Src[:a.Span.End]), pos: int(a.initAt), errs: b.errs}
	}
	return &cursor{src: a.Init, errs: b.errs}
}

// addresses checks those among the initial values, now that all buffers are known.
func (b *builder) addresses(s *Spec) {
	for i := range s.Args {
		a := &s.Args[i]
		if strings.Contains(a.Init, addressWord) && descriptions[a.Key] == 0 && len(*b.errs) < maxErrors {
			from, c := len(*b.errs), b.initCursor(a)
			c.places = &places{args: s.Args, bits: b.m.AddressSize}
			if c.initial(a.Elem(), a); a.Span == (ptx.Span{}) {
				b.h.blame("arg "+a.Name, from)
			}
		}
	}
}

// symbol says whether a variable of the module can take what a symbol line gives it (5.1.3, 5.1.4).
func (b *builder) symbol(a *Arg) bool {
	names := make([]string, 0, len(b.m.Vars))
	for _, v := range b.m.Vars {
		isMemory := v.Space == ptx.GlobalSpace || v.Space == ptx.ConstSpace
		opaque := v.Type.Class() == isa.Opaque
		bytes, _ := a.size()
		switch {
		case v.Name != a.Name:
			if isMemory && !opaque {
				names = append(names, v.Name)
			}
			continue
		case opaque:
			b.fail("header-symbol", a.Span,
				`%s is an object, which a line "//@ texture", "//@ surface" or "//@ sampler" describes`, a.Name)
		case !isMemory:
			b.fail("header-symbol", a.Span, "%s is a variable in %s: a symbol is one in .global or .const", a.Name, v.Space)
		case bytes != v.Size:
			b.fail("header-symbol", a.Span, "the variable %s has %s (%s), %s has %s", a.Name, ptx.Plural(v.Size, "byte"),
				paramText(v), a.typeText(), ptx.Plural(bytes, "byte"))
		default:
			return true
		}
		return false
	}
	near := closest(a.Name, names)
	switch {
	case near != "":
		b.fail("header-symbol", a.Span, "the module has no variable %q: did you mean %q?", short(a.Name), near)
	case len(names) == 0:
		b.fail("header-symbol", a.Span, "the module has no variables in .global or .const, so none is named %q",
			short(a.Name))
	default:
		b.fail("header-symbol", a.Span, "the module has no variable %q: there are %s", short(a.Name),
			strings.Join(names[:min(len(names), 8)], ", "))
	}
	return false
}
