package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Settings change a launch header without touching the text: the caller's words take precedence over the header's.
type Settings struct {
	Lines  []string // header lines without "//@": "grid 4", "arg n u32 = 5". Expectations are added.
	Values []Value  // of arguments
	Flags  bool     // they are flags of a command: messages call them "-grid 0" and "-arg n"
}

// Value is the value of an argument whose type and shape the header says or the kernel's parameters suggest.
type Value struct {
	Name string
	Text string // as after a header's "="; or, when Data is nil, as after the argument's name: "f32[4] = iota"
	List bool   // Text is a list whose length becomes a buffer's, unless it has that many components
	Type string // of the numbers in Data; "" for bytes of the argument's type
	Data []byte // contents
}

func (s Settings) empty() bool { return len(s.Lines) == 0 && len(s.Values) == 0 }

// HasHeader says whether a text has a launch header.
func HasHeader(src []byte) bool {
	return slices.ContainsFunc(newScanner(string(src)).header(), func(l line) bool { return l.key != "" })
}

// Title is the title in a text's launch header, even when the rest of the header has errors.
func Title(src string) string {
	for _, l := range newScanner(src).header() {
		if l.key == "title" {
			return src[l.value:l.end]
		}
	}
	return ""
}

// FromSettings is FromSource with settings. An error in a setting names it, and its span is empty.
func FromSettings(m *ptx.Module, set Settings) (*Spec, error) {
	if set.empty() {
		return FromSource(m)
	}
	h := parseHeader(string(m.Src))
	h.flags = set.Flags
	b := &builder{m: m, h: h, errs: &h.errs}
	meant, args, expects := h.entry, h.args, h.expects
	if entries := m.Entries(); meant == "" && len(entries) > 0 {
		meant = entries[0].Name
	}
	h.args, h.expects = nil, nil
	own := h.entry
	h.override(set.Lines)
	from := len(h.errs)
	entry := b.entry()
	if entry == nil {
		if h.entry != own {
			h.blame("entry "+h.entry, from)
		}
		return nil, m.Located(h.errs)
	}
	hadHeader := HasHeader(m.Src)
	if !hadHeader || entry.Name != meant {
		args, expects = madeUp(m, entry), nil // the header is about another kernel
	}
	for _, a := range args {
		if !slices.ContainsFunc(h.args, func(given Arg) bool { return given.Name == a.Name }) {
			h.args = append(h.args, a)
		}
	}
	h.expects = append(expects, h.expects...)
	for _, v := range set.Values {
		from := len(h.errs)
		b.override(entry, v, hadHeader)
		h.blame("arg "+v.Name, from)
	}
	if !hadHeader {
		h.lines, b.bare = []line{{key: "arg"}}, true // the arguments are in h.args
	}
	s := b.spec()
	s.Defaulted = false
	if len(h.errs) == 0 {
		return s, nil
	}
	return nil, m.Located(h.errs)
}

// override puts the settings in place of the header's lines with the same keys.
func (h *header) override(lines []string) {
	for _, text := range lines {
		from := len(h.errs)
		h.take(text)
		h.blame(text, from)
		key, _, _ := strings.Cut(text, " ")
		h.settings[key] = h.called(text)
	}
}

// called is what messages call a setting.
func (h *header) called(setting string) string {
	if h.flags {
		return "-" + short(setting)
	}
	return "setting " + short(setting)
}

// take takes one setting.
func (h *header) take(text string) {
	src := "//@ " + strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	l := scanLine(src, 0, len(src))
	if l.key == "" {
		return
	}
	h.args = slices.DeleteFunc(h.args, func(a Arg) bool { return a.Name == l.name })
	delete(h.spans, l.id())
	args, expects := len(h.args), len(h.expects)
	h.parseLine(&cursor{src: src[:l.end], pos: l.value, errs: &h.errs}, l)
	delete(h.spans, l.id()) // a setting has no place in the text
	for i := range h.args[args:] {
		h.args[args+i].Span = ptx.Span{}
	}
	for i := range h.expects[expects:] {
		h.expects[expects+i].Span = ptx.Span{}
	}
}

// blame attributes the errors from a number on to a setting: its name goes in front, and they have no place.
func (h *header) blame(setting string, from int) {
	for i, e := range h.errs[from:] {
		h.errs[from+i] = ptx.Diagnostic{Code: e.Code, Message: h.called(setting) + ": " + e.Message}
	}
}

func (h *header) setArg(a Arg) {
	h.args = append(slices.DeleteFunc(h.args, func(old Arg) bool { return old.Name == a.Name }), a)
}

// override gives an argument a value.
func (b *builder) override(entry *ptx.Func, v Value, hadHeader bool) {
	fail := func(format string, args ...any) {
		b.fail("header-argument", ptx.Span{}, format, args...)
	}
	p := paramCalled(entry, v.Name)
	if p != nil && slices.ContainsFunc(b.h.args, func(a Arg) bool { return a.Name == p.Name }) {
		v.Name = p.Name
	} else if p != nil {
		v.Name = cmp.Or(paramLabel(entry, p), p.Name)
	}
	if v.Data == nil && !v.List && startsWithType(v.Text) {
		b.h.take("arg " + v.Name + " " + v.Text)
		return
	}
	var a Arg
	if i := slices.IndexFunc(b.h.args, func(a Arg) bool { return a.Name == v.Name }); i >= 0 {
		a = b.h.args[i]
	} else if p != nil {
		a = madeUp(b.m, entry)[slices.Index(entry.Params, p)]
	} else {
		b.unknownParam(entry, Arg{Name: v.Name})
		return
	}
	a.madeUp = false
	a.Span, a.Data, a.Init = ptx.Span{}, nil, ""
	if v.Data != nil {
		if why := a.take(v, hadHeader); why != "" {
			fail("%s", why)
			return
		}
		b.h.setArg(a)
		return
	}
	if v.List && a.Buffer {
		a.resize(strings.Count(v.Text, ",") + 1)
	}
	a.Init = strings.TrimSpace(v.Text)
	if _, err := a.Contents(); err != nil {
		fail("%s", strings.TrimPrefix(err.Error(), "argument "+a.Name+": "))
		return
	}
	b.h.setArg(a)
}

// startsWithType tells "f32[4] = iota", which follows an argument's name, from "u64 address(x)", which follows its "=".
func startsWithType(text string) bool {
	c := &cursor{src: text}
	_, isType := ParseElem(c.word())
	return isType && (c.done() || strings.ContainsAny(c.rest()[:1], "[=") || c.acceptWord("as"))
}

// resize gives a buffer this number of components, in one dimension, unless it has it already.
func (a *Arg) resize(components int) {
	if lanes := a.Elem().Lanes; a.Len()*lanes != components {
		a.Dims, a.Image = []int{max(1, (components+lanes-1)/lanes)}, false
	}
}

// take copies contents: as they are if they have no type of their own or one with the bits of the argument's, else
// number by number. why says what is wrong with them.
func (a *Arg) take(v Value, typed bool) (why string) {
	given, ok := ParseElem(v.Type)
	if v.Type == "" {
		given, ok = a.Elem(), true
	}
	if !ok {
		return "unknown type " + short(v.Type)
	}
	if a.Buffer && !typed {
		a.Type = given.String()
	}
	if len(v.Data)%given.Size() != 0 {
		return fmt.Sprintf("%s are not a whole number of %s", ptx.Plural(len(v.Data), "byte"), given)
	}
	n := len(v.Data) * 8 / given.Type.Bits()
	if n == 0 {
		return "it has no elements"
	}
	to := a.Elem().Type
	if a.Buffer {
		a.resize(n)
	}
	if want := a.Len() * a.Elem().Lanes; n != want {
		return fmt.Sprintf("it has %s and needs %s", ptx.Plural(n, "element"), ptx.Thousands(int64(want)))
	}
	if given.Type == to || v.Type == "" || sameBits(given.Type, to) {
		a.Data = v.Data
		return ""
	}
	a.Data = make([]byte, a.Size())
	for i := range n {
		bits, why := ParseValue(to, FormatValue(given.Type, component(v.Data, given.Type, i), 0))
		if why != "" {
			return fmt.Sprintf("element %d: %s", i, why)
		}
		setComponent(a.Data, to, i, bits)
	}
	return ""
}

// sameBits says whether the numbers of two types mean the same bits: they are integers of one width.
func sameBits(a, b isa.Type) bool {
	return a.Bits() == b.Bits() && a.Class() != isa.Float && b.Class() != isa.Float
}
