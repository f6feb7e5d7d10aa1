package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// FromSource reads the launch header of a module and completes it with defaults. Errors are ptx.Diagnostics; a header
// with no more than warnings gives Spec.Warnings. Nothing is allocated.
func FromSource(m *ptx.Module) (*Spec, error) {
	h := parseHeader(string(m.Src))
	b := &builder{m: m, h: h, errs: &h.errs}
	s := b.spec()
	if len(h.errs) == 0 {
		return s, nil
	}
	return nil, m.Located(h.errs)
}

// builder makes a Spec from a header and a module.
type builder struct {
	m    *ptx.Module
	h    *header
	errs *ptx.Diagnostics
	bare bool // the text has no header: what settings do not say is guessed
}

func (b *builder) fail(code string, at ptx.Span, format string, args ...any) {
	*b.errs = append(*b.errs, ptx.Diagnostic{Code: code, Message: fmt.Sprintf(format, args...), Span: at})
}

// span is the place of errors about a key: its line, else the kernel's name.
func (b *builder) span(key string, entry *ptx.Func) ptx.Span {
	if at, ok := b.h.spans[key]; ok {
		return at
	}
	if entry != nil {
		return entry.Span
	}
	return ptx.Span{}
}

func (b *builder) spec() *Spec {
	h := b.h
	s := &Spec{
		Title: h.title, Shared: h.shared, Model: h.model, Engine: h.engine,
		Sanitize: h.sanitize | emu.Memcheck,
		Grid:     atLeastOne(h.grid), Block: h.block, Cluster: h.cluster, Expects: h.expects, Defaulted: true, spans: h.spans,
		settings: h.settings,
	}
	for _, l := range h.lines {
		s.Defaulted = s.Defaulted && l.key == ""
	}
	entry := b.entry()
	if entry == nil {
		return s
	}
	s.Entry, s.entrySpan = entry.Name, entry.Span
	s.firstEntry = b.m.Entries()[0].Name
	s.defaultBlock = defaultBlock(entry)
	bare := b.bare || s.Defaulted
	if s.Block == (emu.Dim3{}) {
		s.Block = s.defaultBlock
		if bare {
			s.Block = madeUpBlock(entry, s.Block)
		}
	}
	s.Block = atLeastOne(s.Block)
	if bare {
		b.madeUpGrid(s, entry)
	}
	b.shared(s, entry, bare)
	if s.Defaulted {
		s.Args = madeUp(b.m, entry)
	} else {
		s.Args = b.arguments(entry)
	}
	if len(*b.errs) == 0 {
		b.addresses(s)
		b.described(s)
		b.expectations(s)
	}
	b.warnLate(s)
	b.sayUnseen(s)
	return s
}

// entry is the kernel to run, or nil.
func (b *builder) entry() *ptx.Func {
	entries := b.m.Entries()
	at := b.span("entry", nil)
	if len(entries) == 0 {
		b.fail("header-entry", at, "the module has no kernel to run: it needs an .entry")
		return nil
	}
	f := entries[0]
	if b.h.entry != "" {
		i := slices.IndexFunc(entries, func(f *ptx.Func) bool { return f.Name == b.h.entry })
		if i < 0 {
			b.noSuchEntry(entries, at)
			return nil
		}
		f = entries[i]
	}
	if !f.Defined {
		b.fail("header-entry", b.span("entry", f), "kernel %s has no body", f.Name)
		return nil
	}
	return f
}

func (b *builder) noSuchEntry(entries []*ptx.Func, at ptx.Span) {
	names := make([]string, len(entries))
	for i, f := range entries {
		names[i] = f.Name
	}
	if near := closest(b.h.entry, names); near != "" {
		b.fail("header-entry", at, "no kernel is named %q: did you mean %q?", short(b.h.entry), near)
		return
	}
	b.fail("header-entry", at, "no kernel is named %q: there are %s", short(b.h.entry), strings.Join(names, ", "))
}

// defaultBlock is .reqntid, or a warp, or as much of it as .maxntid allows (11.4).
func defaultBlock(f *ptx.Func) emu.Dim3 {
	if f.ReqNTID[0] > 0 {
		return atLeastOne(emu.Dim3{X: f.ReqNTID[0], Y: f.ReqNTID[1], Z: f.ReqNTID[2]})
	}
	return emu.Dim3{X: min(32, mostThreads(f)), Y: 1, Z: 1}
}

// mostThreads is how many threads .maxntid allows in a CTA (11.4.2), up to the machine's limit.
func mostThreads(f *ptx.Func) int {
	if n := f.MaxThreads(); n > 0 {
		return min(n, maxThreads)
	}
	return maxThreads
}

// arguments puts the header's arguments in the order of the parameters and checks that they fit.
func (b *builder) arguments(f *ptx.Func) []Arg {
	given := map[string]Arg{}
	var args, buffers, proposed []Arg
	for _, a := range b.h.args {
		if a.Key == keySymbol {
			a.bound = b.symbol(&a)
		} else if descriptions[a.Key] > 0 {
			a.bound = b.opaqueVariable(&a)
		}
		if a.Key == keyBuffer || a.Key == keySymbol || a.bound {
			buffers = append(buffers, a)
			continue
		}
		given[a.Name] = a
	}
	for i, p := range f.Params {
		name, label := p.Name, paramLabel(f, p)
		if _, full := given[name]; !full && label != "" {
			name = label
		}
		a, ok := given[name]
		_, bad := b.h.spans["arg "+name] // a line with an error is not missing
		switch {
		case ok:
			a.label = label
			from := len(*b.errs)
			if args = append(args, b.fit(a, p)); a.Span == (ptx.Span{}) {
				b.h.blame("arg "+a.Name, from)
			}
			delete(given, name)
		case !bad:
			if proposed == nil {
				proposed = madeUp(b.m, f)
			}
			b.missing(f, p, &proposed[i])
		}
	}
	for _, a := range b.h.args {
		if _, unknown := given[a.Name]; unknown && len(*b.errs) < maxErrors {
			b.unknownParam(f, a)
		}
	}
	return append(args, buffers...)
}

func (b *builder) missing(f *ptx.Func, p *ptx.Param, proposed *Arg) {
	b.fail("header-argument", f.Span, `kernel %s needs an argument for its parameter %s (%s): add a line "//@ arg %s"`,
		f.Name, p.Name, paramText(p), argText(proposed))
	if len(b.h.lines) == 0 {
		return
	}
	last := b.h.lines[len(b.h.lines)-1]
	text := "\n" + entryLine{key: "arg", value: argText(proposed)}.text()
	at := span(last.end, last.end)
	(*b.errs)[len(*b.errs)-1].Fix = &ptx.Fix{Span: at, Text: text, Message: "add the argument to the header"}
}

func (b *builder) unknownParam(f *ptx.Func, a Arg) {
	names := make([]string, len(f.Params))
	for i, p := range f.Params {
		names[i] = p.Name
	}
	switch near := closest(a.Name, names); {
	case len(names) == 0:
		b.fail("header-argument", a.Span, "kernel %s has no parameters, so none is named %q", f.Name, short(a.Name))
	case near != "":
		b.fail("header-argument", a.Span, "kernel %s has no parameter %q: did you mean %q?", f.Name, short(a.Name), near)
	default:
		b.fail("header-argument", a.Span, "kernel %s has no parameter %q: there are %s", f.Name, short(a.Name),
			strings.Join(names, ", "))
	}
}

// paramText is a parameter's declaration without its name: ".u64", ".b8[12]".
func paramText(p *ptx.Param) string {
	text := p.Type.String()
	if p.Vec > 1 {
		text = fmt.Sprintf(".v%d %s", p.Vec, text)
	}
	for _, d := range p.Dims {
		text += fmt.Sprintf("[%d]", d)
	}
	return text
}

// fit completes an argument for its parameter and reports what does not match.
func (b *builder) fit(a Arg, p *ptx.Param) Arg {
	bytes, _ := a.size()
	byValue := len(p.Dims) > 0 || p.Vec > 1 // a structure
	pointer := p.Size >= int64(b.m.AddressSize/8) && p.Size <= 8 && p.Type.Class() != isa.Float
	switch {
	case byValue && bytes != p.Size:
		b.fail("header-argument", a.Span, "%s is passed by value and has %s (%s), %s has %s", a.Name,
			ptx.Plural(p.Size, "byte"), paramText(p), a.typeText(), ptx.Plural(bytes, "byte"))
	case byValue:
		a.Buffer = false
	case a.Buffer && !pointer:
		b.fail("header-argument", a.Span, "%s is a buffer, but its parameter (%s) cannot hold an address: drop the %s",
			a.Name, paramText(p), strings.TrimPrefix(a.typeText(), a.Type))
	case !a.Buffer && bytes != p.Size:
		hint := ""
		if pointer && bytes < p.Size {
			hint = fmt.Sprintf(`; for a buffer write its length, as in %s[32]`, a.Type)
		}
		b.fail("header-argument", a.Span, "%s has %s (%s), %s has %s%s", a.Name, ptx.Plural(p.Size, "byte"),
			paramText(p), a.Type, ptx.Plural(bytes, "byte"), hint)
	}
	if !a.Buffer && bytes == p.Size && a.Key == "" {
		if data, addressed, _ := a.contents(nil); !addressed {
			a.Data = data
		}
	}
	return a
}

// expectations checks every expectation against the arguments.
func (b *builder) expectations(s *Spec) {
	src := string(b.m.Src)
	for _, e := range s.Expects {
		if len(*b.errs) >= maxErrors {
			return
		}
		c := &cursor{src: src[:e.Span.End], pos: int(e.Span.Start), errs: b.errs}
		from, setting := len(*b.errs), e.Span == ptx.Span{}
		if setting {
			c = &cursor{src: e.Text, errs: b.errs}
		}
		if c.expectation(b.m, s); setting {
			b.h.blame("expect "+e.Text, from)
		}
	}
}

// shared gives an unsized array its memory if the launch is guessed, and warns if a header has forgotten it.
func (b *builder) shared(s *Spec, entry *ptx.Func, bare bool) {
	named := false
	s.unsized, named, s.mostShared = sharedUse(b.m, entry)
	if _, said := b.h.spans["shared"]; s.unsized == nil || !named && !bare || s.Shared > 0 || said {
		return
	}
	d := ptx.Diagnostic{Severity: ptx.Warning, Code: "header-shared", Span: s.entrySpan}
	if bare {
		s.Shared = s.mostShared
		d.Severity = ptx.Info
		d.Message = fmt.Sprintf("kernel %s uses the unsized shared array %s, and no header says how large it is: "+
			"the launch gives it %s bytes, all that a CTA can have with %s", s.Entry, s.unsized.Name,
			ptx.Thousands(int64(s.Shared)), b.m.Target)
	} else {
		last := b.h.lines[len(b.h.lines)-1]
		line := entryLine{key: "shared", value: strconv.Itoa(s.mostShared)}.text()
		d.Message = fmt.Sprintf(`kernel %s uses the unsized shared array %s, but the launch gives it no memory: `+
			`add a line "//@ shared BYTES"`, s.Entry, s.unsized.Name)
		d.Fix = &ptx.Fix{Span: span(last.end, last.end), Text: "\n" + line, Message: "give it shared memory"}
	}
	s.Warnings = append(s.Warnings, b.m.Located(ptx.Diagnostics{d})...)
}

func (b *builder) warnLate(s *Spec) {
	if b.h.late < 0 {
		return
	}
	s.Warnings = append(s.Warnings, b.m.Located(ptx.Diagnostics{{
		Severity: ptx.Warning, Code: "header-late", Span: span(b.h.late, b.h.late+len("//@")),
		Message: "this line is not read: launch header lines go before the module's first directive",
	}})...)
}
