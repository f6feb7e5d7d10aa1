package launch

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// typeText is the argument's type as headers write it: "f32", "u8x4[256,256]".
func (a *Arg) typeText() string {
	if len(a.Dims) == 0 {
		return a.Type
	}
	dims := make([]string, len(a.Dims))
	for i, d := range a.Dims {
		dims[i] = strconv.Itoa(d)
	}
	return a.Type + "[" + strings.Join(dims, ",") + "]"
}

// argText is a header line about an argument, after the key.
func argText(a *Arg) string {
	if descriptions[a.Key] > 0 {
		return a.Name + " = " + a.Init
	}
	text := a.headerName() + " " + a.typeText()
	if a.Init != "" {
		text += " = " + a.Init
	}
	if a.Image {
		text += " as image"
	}
	return text
}

// entryLine is one line of a header that is to be written.
type entryLine struct {
	key, name string // name is the argument's
	value     string // what follows the key
	isDefault bool   // need not be written if there is no such line
}

func (l entryLine) text() string {
	return fmt.Sprintf("//@ %-8s %s", l.key, l.value)
}

// wanted are the lines for a Spec.
func (s *Spec) wanted() []entryLine {
	one, block := emu.Dim3{X: 1, Y: 1, Z: 1}, s.defaultBlock
	if block.X == 0 {
		block = emu.Dim3{X: 32, Y: 1, Z: 1}
	}
	lines := []entryLine{
		{key: "title", value: s.Title, isDefault: s.Title == ""},
		{key: "entry", value: s.Entry, isDefault: s.Entry == s.firstEntry},
		{key: "grid", value: shapeText(s.Grid), isDefault: atLeastOne(s.Grid) == one},
		{key: "block", value: shapeText(s.Block), isDefault: atLeastOne(s.Block) == block},
		{key: "cluster", value: clusterText(s.Cluster), isDefault: s.Cluster == emu.Dim3{}},
		{key: "shared", value: strconv.Itoa(s.Shared), isDefault: s.Shared == 0},
		{key: "model", value: modelText(s.Model), isDefault: s.Model == emu.Auto},
		{key: "engine", value: engineText(s.Engine), isDefault: s.Engine == emu.EngineAuto},
		{key: "sanitize", value: ChecksText(s.Sanitize), isDefault: s.Sanitize&^emu.AlwaysOn == 0},
	}
	for i := range s.Args {
		a := &s.Args[i]
		key := "arg"
		if a.Key != "" {
			key = a.Key
		}
		lines = append(lines, entryLine{key: key, name: a.headerName(), value: argText(a)})
	}
	for _, e := range s.Expects {
		lines = append(lines, entryLine{key: "expect", value: e.Text})
	}
	return lines
}

func clusterText(d emu.Dim3) string {
	if d == (emu.Dim3{}) {
		return "" // no line says so
	}
	return shapeText(d)
}

func modelText(d emu.Divergence) string {
	if d == emu.Auto {
		return "" // no line says so
	}
	return d.String()
}

func engineText(e emu.Engine) string {
	if e == emu.EngineAuto {
		return "" // no line says so
	}
	return e.String()
}

// ChecksText is a set of sanitizers as the header writes it.
func ChecksText(c emu.Checks) string {
	if c == 1<<len(checkNames)-1 {
		return "all"
	}
	var names []string
	for i, name := range checkNames {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Header is the whole header for the Spec, a line for each fact, ending in a line break.
func (s *Spec) Header() string {
	var out strings.Builder
	for _, l := range s.wanted() {
		shape := l.key == "grid" || l.key == "block"
		if !l.isDefault || shape {
			out.WriteString(l.text() + "\n")
		}
	}
	return out.String()
}

// ApplyHeader makes a text's header agree with a Spec. Lines that agree already stay as they are, even in their
// spacing; lines that say something else are replaced in their place, missing lines are added, and lines that the Spec
// does not have are removed. Nothing else of the text changes.
func ApplyHeader(src string, s *Spec) string {
	h := parseHeader(src)
	if !slices.ContainsFunc(h.lines, func(l line) bool { return l.key != "" }) {
		bom := mark(src)
		return bom + strings.ReplaceAll(s.Header(), "\n", lineBreak(src)) + src[len(bom):]
	}
	e := &editor{src: src, old: h}
	wanted := s.wanted()
	used := make([]bool, len(h.lines))
	after := -1 // the line that additions follow
	for _, l := range wanted {
		i := e.find(l, used)
		if i < 0 {
			if !l.isDefault {
				e.add(after, l)
			}
			continue
		}
		used[i], after = true, i
		e.replace(i, l)
	}
	for i, l := range h.lines {
		if !used[i] && l.key != "" {
			e.remove(i)
		}
	}
	return e.apply()
}

func lineBreak(src string) string {
	if i := strings.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// editor collects changes of a text.
type editor struct {
	src   string
	old   *header
	edits []edit
}

type edit struct {
	start, end int
	text       string
}

// find is the old line for a wanted one, with the same key and name. For an expectation it is the line with the same
// text, else the next one.
func (e *editor) find(l entryLine, used []bool) int {
	next := -1
	for i, old := range e.old.lines {
		switch {
		case used[i] || old.key != l.key || old.name != l.name:
		case old.key != "expect" || e.src[old.value:old.end] == l.value:
			return i
		case next < 0:
			next = i
		}
	}
	return next
}

// replace changes an old line's value if it means something else.
func (e *editor) replace(i int, l entryLine) {
	old := e.old.lines[i]
	value := e.src[old.value:old.end]
	if value == l.value || e.means(old, l) {
		return
	}
	if l.value == "" { // title, cluster, model, engine and sanitize
		e.remove(i)
		return
	}
	e.edits = append(e.edits, edit{old.value, old.end, l.value})
}

// means says whether an old line reads as the wanted value.
func (e *editor) means(old line, l entryLine) bool {
	one := parseHeader(e.src[old.start:old.end])
	if len(one.errs) > 0 || l.key == "title" || l.key == "expect" {
		return false
	}
	s := Spec{Entry: one.entry, Grid: one.grid, Block: one.block, Cluster: one.cluster, Shared: one.shared,
		Model: one.model, Engine: one.engine, Sanitize: one.sanitize, Args: one.args}
	if l.key == "sanitize" {
		return one.sanitize|emu.Memcheck == parseHeader("//@ sanitize "+l.value).sanitize|emu.Memcheck
	}
	for _, w := range s.wanted() {
		if w.key == l.key && w.name == l.name {
			return w.value == l.value
		}
	}
	return false
}

// add puts a new line after an old one, or before all of them.
func (e *editor) add(after int, l entryLine) {
	text, nl := l.text(), lineBreak(e.src)
	if after < 0 {
		at := e.old.lines[0].start
		e.edits = append(e.edits, edit{at, at, text + nl})
		return
	}
	at := e.old.lines[after].end
	e.edits = append(e.edits, edit{at, at, nl + text})
}

// remove removes an old line with its line break.
func (e *editor) remove(i int) {
	start, end := e.old.lines[i].start, e.old.lines[i].end
	start -= len(e.src[:start]) - len(strings.TrimRight(e.src[:start], " \t"))
	if n := strings.IndexByte(e.src[end:], '\n'); n >= 0 {
		end += n + 1
	} else {
		end = len(e.src)
	}
	e.edits = append(e.edits, edit{start, end, ""})
}

func (e *editor) apply() string {
	sort.SliceStable(e.edits, func(i, j int) bool { return e.edits[i].start < e.edits[j].start })
	var out strings.Builder
	at := 0
	for _, c := range e.edits {
		if c.start < at { // an addition after a line that is removed
			c.start, c.end = at, max(at, c.end)
			c.text = strings.TrimLeft(c.text, "\r\n") + lineBreak(e.src)
		}
		out.WriteString(e.src[at:c.start])
		out.WriteString(c.text)
		at = c.end
	}
	out.WriteString(e.src[at:])
	return out.String()
}

// WithEntry is the Spec for another kernel of the module: arguments that fit its parameters stay, others are guessed,
// and expectations about buffers that it does not have are dropped. If the launch is guessed, its shape is guessed
// again. It is nil if there is no such kernel.
func (s *Spec) WithEntry(m *ptx.Module, name string) *Spec {
	entries := m.Entries()
	i := slices.IndexFunc(entries, func(f *ptx.Func) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	var errs ptx.Diagnostics
	b := &builder{m: m, h: &header{entry: name}, errs: &errs}
	next := *s
	if s.Defaulted {
		next = *b.spec()
	}
	next.Entry, next.entrySpan = name, entries[i].Span
	next.Args = madeUp(m, entries[i])
	for k, p := range entries[i].Params {
		label := paramLabel(entries[i], p)
		old := slices.IndexFunc(s.Args, func(a Arg) bool { return a.Name == p.Name || a.Name == label })
		if old < 0 {
			continue
		}
		errs = nil
		if a := b.fit(s.Args[old], p); len(errs) == 0 {
			next.Args[k] = a
		}
	}
	for _, a := range s.Args {
		if a.Key == keyBuffer || a.bound {
			next.Args = append(next.Args, a)
		}
	}
	next.Expects = nil
	for _, e := range s.Expects {
		errs = nil
		c := &cursor{src: e.Text, errs: &errs}
		if _, ok := c.expectation(m, &next); ok {
			next.Expects = append(next.Expects, e)
		}
	}
	return &next
}

// Typed says whether the argument has a type that can be another: it is not a described object.
func (a *Arg) Typed() bool { return descriptions[a.Key] == 0 }

// Refuses says what is wrong with a text as the argument's initial value, as far as the text alone tells; "" for
// nothing.
func (a *Arg) Refuses(text string) string {
	var errs ptx.Diagnostics
	like := *a
	if text == "" || !a.Typed() {
		return ""
	}
	if _, ok := (&cursor{src: text, errs: &errs}).initial(a.Elem(), &like); !ok {
		return errs[0].Message
	}
	return ""
}

// Retyped is the Spec with another type and shape of one argument, as a form gives them: "f32" and "1024" or "64,64",
// or "" for a value; "f32[64]" says both. If something is wrong, why says what, and there is no Spec.
func (s *Spec) Retyped(m *ptx.Module, name, typ, elements string) (next *Spec, why string) {
	i := slices.IndexFunc(s.Args, func(a Arg) bool { return a.Name == name })
	if i < 0 || !s.Args[i].Typed() {
		return nil, "there is no argument " + short(name) + " with a type"
	}
	old := s.Args[i]
	text := old.Label() + " " + typ
	if elements != "" && !strings.Contains(typ, "[") {
		text += "[" + elements + "]"
	}
	if old.Init != "" {
		text += " = " + old.Init
	}
	var errs ptx.Diagnostics
	a, ok := (&cursor{src: text, errs: &errs}).arg()
	if !ok {
		return nil, errs[0].Message
	}
	a.Image = old.Image && len(a.Dims) == 2 && slices.Contains(imageTypes, a.Type)
	a.Key, a.Name, a.label, a.madeUp, a.bound = old.Key, old.Name, old.label, old.madeUp, old.bound
	b := &builder{m: m, h: &header{entry: s.Entry}, errs: &errs}
	entry := b.entry()
	switch p := paramCalled(entry, a.Name); {
	case a.Key == keySymbol:
		a.Buffer = true
		b.symbol(&a)
	case a.Key == keyBuffer && !a.Buffer:
		return nil, "a buffer has a length"
	case a.Key == "" && p != nil:
		a = b.fit(a, p)
	}
	if len(errs) > 0 {
		return nil, errs[0].Message
	}
	changed := *s
	changed.Args = slices.Clone(s.Args)
	changed.Args[i] = a
	return &changed, ""
}
