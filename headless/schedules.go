package headless

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warpscope/launch"
	"warpscope/ptx"
)

// Schedules says what other legal schedules of a run have shown.
type Schedules struct {
	Tried  int          `json:"tried"`
	Differ []Difference `json:"differ"`
}

// Difference is a schedule in which a run ends otherwise than in the usual one.
type Difference struct {
	Schedule uint64   `json:"schedule"` // the seed, for -schedule
	What     []string `json:"what"`
}

// trials repeat a run in other schedules: those with the seeds from 1 on. A schedule that shows only what an earlier
// one has shown is not listed. Nil ones have nothing to do.
type trials struct {
	of    *Run
	first *Result
	now   *Run // in the schedule whose seed is found.Tried + 1
	seen  map[string]bool
	found Schedules
}

func newTrials(r *Run) *trials {
	return &trials{of: r, first: r.own(), seen: map[string]bool{}, found: Schedules{Differ: []Difference{}}}
}

func (t *trials) advance(steps int64) (done bool) {
	if t == nil || t.found.Tried == t.of.options.Schedules {
		return true
	}
	seed := uint64(t.found.Tried) + 1
	if t.now == nil {
		o := t.of.options
		o.Schedule, o.Schedules, o.Models = seed, 0, false
		t.now = Start(t.of.name, t.of.src, o)
	}
	if !t.now.Advance(steps) {
		return false
	}
	d := Difference{Schedule: seed}
	for _, one := range differences(t.first, t.now.own()) {
		if !t.seen[one.key] {
			d.What = append(d.What, one.text)
		}
		t.seen[one.key] = true
	}
	if len(d.What) > 0 {
		t.found.Differ = append(t.found.Differ, d)
	}
	t.now = nil
	t.found.Tried++
	return false
}

func (t *trials) add(to *Result) {
	if t == nil {
		return
	}
	to.Schedules = &t.found
	if len(t.found.Differ) > 0 {
		to.OK, to.Verdict = false, Failed
	}
}

// difference is one thing in which two runs differ. Those with the same key are one for the reader.
type difference struct{ key, text string }

// differences lists in what a run differs from the first one: fault, limit, buffers, output, and findings that the
// first does not have.
func differences(a, b *Result) (list []difference) {
	add := func(key, format string, args ...any) {
		list = append(list, difference{key, fmt.Sprintf(format, args...)})
	}
	if x, y := faultWords(a.Fault), faultWords(b.Fault); x != y {
		add("fault "+y, "%s; in the usual schedule %s", y, x)
	}
	if a.Stopped != b.Stopped {
		add("stopped", "stopped: %s", cmp.Or(b.Stopped, "not, as in the usual schedule"))
	}
	var names []string
	for name := range a.Buffers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if at, x, y, n := a.Buffers[name].differs(b.Buffers[name]); n > 0 {
			add("buffer "+name, "%s[%d] is %s, in the usual schedule %s (%s)", name, at, y, x,
				ptx.Plural(n, "element")+" "+map[bool]string{true: "differs", false: "differ"}[n == 1])
		}
	}
	if x, y := sortedLines(a.Output), sortedLines(b.Output); !slices.Equal(x, y) {
		add("output", "the output has other lines than in the usual schedule")
	}
	for _, f := range b.Findings {
		same := func(o Finding) bool { return o.key() == f.key() }
		if !slices.ContainsFunc(a.Findings, same) {
			add(f.key(), "finding: line %d: %s", f.Line, f.Message)
		}
	}
	return list
}

func faultWords(f *Fault) string {
	if f == nil {
		return "no fault"
	}
	return fmt.Sprintf("fault %s at line %d", f.Kind, f.Line)
}

// key names a finding by its check and its lines, whichever of them comes first.
func (f *Finding) key() string {
	return fmt.Sprint("finding ", f.Check, min(f.Line, f.Other), max(f.Line, f.Other))
}

func sortedLines(text string) []string {
	list := strings.SplitAfter(text, "\n")
	slices.Sort(list)
	return list
}

// differs compares buffers of two runs: the first number that differs, as text, and how many do.
func (b *Buffer) differs(o *Buffer) (at int, x, y string, n int) {
	if o == nil || bytes.Equal(b.Data, o.Data) {
		return 0, "", "", 0
	}
	e, ok := launch.ParseElem(b.Type)
	if !ok || len(b.Data) != len(o.Data) {
		return 0, ptx.Plural(len(b.Data), "byte"), ptx.Plural(len(o.Data), "byte"), 1
	}
	numbers := b.numbers(e)
	e.Lanes = 1
	for i := range numbers {
		p, q := launch.FormatNth(e, b.Data, i), launch.FormatNth(e, o.Data, i)
		if p == q {
			continue
		}
		if n++; n == 1 {
			at, x, y = i, p, q
		}
	}
	return at, x, y, n
}

// describeSchedules prints what other schedules have shown.
func (t *tool) describeSchedules(s *Schedules) {
	for _, d := range s.Differ {
		t.Out(fmt.Sprintf("schedule %d (-schedule %d repeats it):\n", d.Schedule, d.Schedule))
		for _, what := range d.What {
			t.Out("    " + what + "\n")
		}
	}
	if len(s.Differ) == 0 {
		t.Out(fmt.Sprintf("%s tried: all end alike, with the same findings\n", ptx.Plural(s.Tried, "other schedule")))
	}
}
