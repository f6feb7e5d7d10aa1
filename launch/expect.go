package launch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/emu/count"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// outcome has what expectations are about.
type outcome struct {
	fault    *emu.Fault
	buffers  map[string][]byte
	output   []byte
	findings []emu.Finding
	stats    *emu.Stats
	account  *emu.Account   // nil: the run has counted nothing
	lines    func() []int64 // executions of each
}

// condition is a parsed expectation. got says what was found.
type condition interface {
	eval(o *outcome) (pass bool, got string)
}

var faultKinds = []string{
	string(emu.OutOfBounds), string(emu.Misaligned), string(emu.IllegalAddress), string(emu.Trap),
	string(emu.AssertFail), string(emu.BarrierDeadlock), string(emu.DivergenceDeadlock), string(emu.SpinDeadlock),
	string(emu.EndlessLoop), string(emu.StackOverflow),
	string(emu.IllegalInstruction), string(emu.DivergentUniform),
}

// expectation parses the text of an expectation about these arguments.
func (c *cursor) expectation(m *ptx.Module, s *Spec) (condition, bool) {
	c.skip()
	at := c.pos
	full := c.metric(c.word())
	c.pos = at
	if !isSubject(full) && closest(full, count.ShortNames()) == "" {
		if cond, ok, none := c.there(m, s); !none {
			return cond, ok
		}
	}
	name := c.word()
	c.skip()
	// A buffer can be named "output", "fault" or "finding": an index or a comparison follows.
	ofBuffer := c.rest() == "" || strings.IndexAny(c.rest(), "[=≈~") == 0
	for i := range s.Args {
		if a := &s.Args[i]; a.called(name) && a.Buffer && (ofBuffer || !isSubject(name)) {
			return c.elements(a)
		}
	}
	switch name {
	case "fault":
		return c.fault()
	case "output":
		text, ok := c.quoted("header-expect")
		return outputCondition(text), ok && c.end("header-expect", "the text")
	case "finding":
		return c.finding(s)
	case "findings":
		cond, ok := c.comparison()
		return findingsCondition{cond}, ok && c.end("header-expect", "the number")
	case "":
		return nil, c.failHere("header-expect", `a buffer's name, a counter's, "fault", "output" or "finding"`)
	}
	name = c.metric(name)
	if counter, ok := count.Named(name); ok {
		return c.counters(counter)
	}
	return nil, c.unknownSubject(s, name, c.from(at))
}

// metric takes the end of a counter's name, which in Nsight Compute's names is after a point.
func (c *cursor) metric(name string) string {
	if name != "" && c.accept(".") {
		name += "." + c.word()
	}
	return name
}

// isSubject says whether an expectation can be about what has this name, apart from buffers.
func isSubject(name string) bool {
	_, ok := count.Named(name)
	return ok || name == "findings" || slices.Contains(subjects, name)
}

// subjects are what expectations are about besides buffers.
var subjects = []string{"fault", "output", "finding"}

func (c *cursor) unknownSubject(s *Spec, name string, at ptx.Span) bool {
	words := slices.Clone(subjects)
	for _, a := range s.Args {
		if a.called(name) {
			return c.fail("header-expect", at, "%s is passed by value and cannot change: expect something of a buffer", name)
		}
		if a.Buffer {
			words = append(words, a.Name)
		}
	}
	if near := closest(name, slices.Concat(words, count.ShortNames())); near != "" {
		return c.fail("header-expect", at, "no buffer is named %q: did you mean %q?", short(name), near)
	}
	return c.fail("header-expect", at, "no buffer is named %q: there are %s, and the counters of docs/counters.md",
		short(name), strings.Join(words, ", "))
}

func (c *cursor) fault() (condition, bool) {
	c.skip()
	at := c.pos
	kind := c.word()
	if kind == "" {
		return nil, c.failHere("header-expect", "the kind of fault: "+strings.Join(faultKinds, ", "))
	}
	if !slices.Contains(faultKinds, kind) {
		if near := closest(kind, faultKinds); near != "" {
			return nil, c.fail("header-expect", c.from(at), "unknown fault %q: did you mean %q?", short(kind), near)
		}
		return nil, c.fail("header-expect", c.from(at), "unknown fault %q: there are %s", short(kind),
			strings.Join(faultKinds, ", "))
	}
	f := faultCondition{kind: emu.FaultKind(kind)}
	if c.acceptWord("at") {
		if !c.acceptWord("line") {
			return nil, c.failHere("header-expect", `"line" after "at"`)
		}
		var ok bool
		if f.line, ok = c.count("header-expect", "the number of a line"); !ok {
			return nil, false
		}
	}
	return f, c.end("header-expect", "the fault")
}

func (c *cursor) finding(s *Spec) (condition, bool) {
	c.skip()
	at := c.pos
	i := slices.Index(checkNames, strings.ToLower(c.word()))
	if i < 0 {
		c.pos = at
		return nil, c.failHere("header-expect", "the name of a check: "+strings.Join(checkNames, ", "))
	}
	check := emu.Checks(1) << i
	if (s.Sanitize|emu.AlwaysOn)&check == 0 {
		return nil, c.fail("header-expect", c.from(at), `there are no such findings without a line "//@ sanitize %s"`,
			checkNames[i])
	}
	return findingCondition(check), c.end("header-expect", "the check")
}

// elements parses what follows a buffer's name.
func (c *cursor) elements(a *Arg) (condition, bool) {
	e := &elementsCondition{arg: a}
	var ok bool
	if e.at, ok = c.index(a); !ok {
		return nil, false
	}
	approx := false
	if !c.accept("==") {
		if approx = c.accept("≈") || c.accept("~="); !approx {
			return nil, c.failHere("header-expect", "== or ≈")
		}
	}
	c.skip()
	at := c.pos
	if e.want, ok = c.wants(a.Elem().Type); !ok {
		return nil, false
	}
	lanes := a.Elem().Lanes
	if n, all := len(e.want), e.at.count*lanes; n != 1 && n != lanes && n != all {
		return nil, c.fail("header-expect", c.from(at), "%s for %s: give one for each, or one for all",
			ptx.Plural(n, "value"), ptx.Plural(all, "number"))
	}
	if approx {
		e.tol = tolerance{kind: inUlp, limit: 4, text: "4ulp"}
	}
	if c.accept("±") || c.accept("+-") {
		if e.tol, ok = c.tolerance(); !ok {
			return nil, false
		}
	}
	return e, c.end("header-expect", "the values")
}

// box is a range of indexes in each dimension of a buffer.
type box struct {
	low, extent, stride []int
	count               int // elements
}

// element is the number of the k-th element of the box, x fastest.
func (b *box) element(k int) int {
	n := 0
	for d := range b.low {
		n += (b.low[d] + k%b.extent[d]) * b.stride[d]
		k /= b.extent[d]
	}
	return n
}

func wholeBox(a *Arg) box {
	return box{low: make([]int, len(a.Dims)), extent: a.Dims, stride: a.strides(), count: a.Len()}
}

// index reads "[i..j,k]". A single index into several dimensions counts the elements in the order of memory.
func (c *cursor) index(a *Arg) (b box, ok bool) {
	if !c.accept("[") {
		return wholeBox(a), true
	}
	start := c.pos
	b.count = 1
	for {
		low, high, ok := c.indexRange()
		if !ok {
			return b, false
		}
		b.low, b.extent = append(b.low, low), append(b.extent, high-low+1)
		if c.accept("]") {
			break
		}
		if !c.accept(",") {
			return b, c.failHere("header-expect", `"]" or another index after ","`)
		}
	}
	dims := a.Dims
	b.stride = a.strides()
	switch len(b.low) {
	case len(dims):
	case 1:
		dims, b.stride = []int{a.Len()}, []int{1}
	default:
		return b, c.fail("header-expect", span(start, c.pos-1), "%s has %s, not %d", a.Name,
			ptx.Plural(len(dims), "dimension"), len(b.low))
	}
	for d, low := range b.low {
		if low+b.extent[d] > dims[d] {
			return b, c.fail("header-expect", span(start, c.pos-1), "%s ends at index %d", a.Name, dims[d]-1)
		}
		b.count *= b.extent[d]
	}
	return b, true
}

// indexRange reads "i" or "i..j".
func (c *cursor) indexRange() (low, high int, ok bool) {
	c.skip()
	at := c.pos
	if low, ok = c.indexNumber("header-expect", "an index"); !ok {
		return 0, 0, false
	}
	high = low
	if c.accept("..") {
		if high, ok = c.indexNumber("header-expect", "an index"); !ok {
			return 0, 0, false
		}
	}
	if high < low || high >= maxBytes {
		return 0, 0, c.fail("header-expect", c.from(at), "an index range i..j needs i at most j, and both in the buffer")
	}
	return low, high, true
}

// indexNumber reads a decimal number from 0 up.
func (c *cursor) indexNumber(code, want string) (int, bool) {
	c.skip()
	if rest := c.rest(); rest != "" && rest[0] == '0' {
		if c.pos++; len(rest) == 1 || strings.IndexByte("0123456789", rest[1]) < 0 {
			return 0, true
		}
		c.pos--
	}
	return c.count(code, want)
}

// want is one expected value.
type want struct {
	bits  uint64
	exact bool // compare bits
	nan   bool
}

func (c *cursor) wants(t isa.Type) (list []want, ok bool) {
	for {
		c.skip()
		at := c.pos
		bits, ok := c.value(t)
		if !ok {
			return nil, false
		}
		text := c.src[at:c.pos]
		_, hex := cutHex(text)
		list = append(list, want{bits: bits, exact: hex, nan: strings.EqualFold(text, "nan")})
		if !c.accept(",") {
			return list, true
		}
	}
}

type faultCondition struct {
	kind emu.FaultKind
	line int // 0: any
}

func (f faultCondition) matches(fault *emu.Fault) bool {
	return fault != nil && fault.Kind == f.kind && (f.line == 0 || f.line == fault.Pos.Line)
}

func (f faultCondition) eval(o *outcome) (bool, string) {
	if o.fault == nil {
		return false, "no fault"
	}
	return f.matches(o.fault), fmt.Sprintf("%s at line %d", o.fault.Kind, o.fault.Pos.Line)
}

type outputCondition string

func (text outputCondition) eval(o *outcome) (bool, string) {
	if bytes.Contains(o.output, []byte(text)) {
		return true, fmt.Sprintf("%q", string(text))
	}
	if len(o.output) == 0 {
		return false, "no output"
	}
	return false, fmt.Sprintf("%q", short(string(o.output)))
}

type findingCondition emu.Checks

func (check findingCondition) eval(o *outcome) (bool, string) {
	for _, f := range o.findings {
		if f.Check == emu.Checks(check) {
			return true, f.Message
		}
	}
	return false, fmt.Sprintf("%s, none of this check", ptx.Plural(len(o.findings), "finding"))
}
