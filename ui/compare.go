package ui

import (
	"bytes"
	"fmt"
	"strings"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Two versions of a program are compared: their texts line by line, and what is left when each has run to its end.

// Actions of the comparison.
type (
	ShowCompare struct{ On bool }
	CompareWith struct{ ID int } // a program; 0 is the example as it was
)

// Comparison is the open dialog. A published one never changes.
type Comparison struct {
	Choices []File // what the program can be compared with; number 0 is the example
	With    int
	Edits   []edit // from the other text to this one
	Running bool
	Rows    []comparedRow
	Problem string // why there are no results
}

// comparedRow is a counter or a result of both runs.
type comparedRow struct {
	Name, Other, This string
	Differs           bool
}

// The bounds of a run that is only compared.
const (
	comparedMemory = 64 << 20
	comparedSteps  = 20 << 20 // warp instructions
)

// trial runs one version.
type trial struct {
	prepared *launch.Prepared
	problem  string
	done     bool
	steps    int64
}

// newTrial prepares a version; name says which one a problem is of.
func newTrial(name, text string) *trial {
	t := &trial{}
	m, err := ptx.Parse(name, []byte(text))
	var spec *launch.Spec
	if err == nil {
		spec, err = launch.FromSource(m)
	}
	if err == nil {
		t.prepared, err = launch.Prepare(m, spec, emu.Options{MemoryLimit: comparedMemory})
	}
	if err != nil {
		if t.problem, t.done = err.Error(), true; !strings.HasPrefix(t.problem, name) {
			t.problem = name + ", " + t.problem
		}
	}
	return t
}

// advance runs a part.
func (t *trial) advance(steps int64) {
	if t.done {
		return
	}
	done, err := t.prepared.Grid.RunFor(steps)
	t.prepared.Err = err
	t.steps += steps
	if t.done = done || err != nil || t.steps >= comparedSteps; !done && err == nil && t.done {
		t.prepared.Err = emu.ErrMaxSteps
	}
}

// compareAction applies an action of the comparison.
func (s *Store) compareAction(action Action) bool {
	switch a := action.(type) {
	case ShowCompare:
		s.runner.trials = nil
		if !a.On {
			s.update(func(m *Model) { m.Compared = nil })
			return true
		}
		choices := s.comparable()
		if len(choices) == 0 {
			s.update(func(m *Model) {
				m.Notice = "There is no other program to compare with: open one, or change an example."
			})
			return true
		}
		s.update(func(m *Model) { m.Compared = &Comparison{Choices: choices} })
		s.compareWith(choices[0].ID)
	case CompareWith:
		s.compareWith(a.ID)
	default:
		return false
	}
	return true
}

// comparable are the programs that this one can be compared with.
func (s *Store) comparable() []File {
	m := s.model
	var list []File
	if m.Example != "" && m.Edited {
		list = append(list, File{Label: "The example as it was"})
	}
	for _, f := range m.Files.Open {
		if f.ID != m.Files.Current {
			list = append(list, File{ID: f.ID, Label: m.label(f.ID)})
		}
	}
	return list
}

func (s *Store) compareWith(id int) {
	if s.model.Compared == nil {
		return
	}
	this := s.model.label(s.model.Files.Current)
	show := func(name, other string) {
		next := *s.model.Compared
		next.With, next.Edits = id, diffLines(other, s.text)
		next.Running, next.Rows, next.Problem = true, nil, ""
		s.update(func(m *Model) { m.Compared = &next })
		s.runner.trials = []*trial{newTrial(name, other), newTrial(this, s.text)}
		s.platform.Frame(s.try)
	}
	if id != 0 {
		show(s.model.label(id), s.stored(id).Text)
		return
	}
	s.platform.Fetch("examples/"+s.model.Example, func(text string, err error) {
		if err == nil && s.model.Compared != nil {
			show("the example", text)
		}
	})
}

// try runs both versions for one frame and asks for the next.
func (s *Store) try() {
	trials := s.runner.trials
	if len(trials) != 2 || s.model.Compared == nil {
		return
	}
	for start := s.platform.Now(); s.platform.Now()-start < frameMS && !(trials[0].done && trials[1].done); {
		for _, t := range trials {
			t.advance(minChunk * 16)
		}
	}
	if !trials[0].done || !trials[1].done {
		s.platform.Frame(s.try)
		return
	}
	s.runner.trials = nil
	next := *s.model.Compared
	next.Running = false
	if next.Rows, next.Problem = compared(trials[0], trials[1]); next.Problem != "" {
		next.Rows = nil
	}
	s.update(func(m *Model) { m.Compared = &next })
}

// compared are the counters and results of both runs.
func compared(other, this *trial) (rows []comparedRow, problem string) {
	for _, t := range []*trial{other, this} {
		if t.problem != "" {
			return nil, t.problem
		}
	}
	add := func(name, a, b string) { rows = append(rows, comparedRow{name, a, b, a != b}) }
	a, b := other.prepared.Report(), this.prepared.Report()
	add("Ends", ending(a), ending(b))
	add("Expectations that hold", held(a), held(b))
	this1 := facts(b.Stats)
	for i, f := range facts(a.Stats) {
		add(f.name, f.value, this1[i].value)
	}
	if len(a.Output)+len(b.Output) > 0 {
		add("Output", ptx.Plural(len(a.Output), "byte"), ptx.Plural(len(b.Output), "byte"))
		rows[len(rows)-1].Differs = !bytes.Equal(a.Output, b.Output)
	}
	for i := range this.prepared.Buffers {
		arg := this.prepared.Buffers[i].Arg
		rows = append(rows, comparedBuffer(arg, a.Buffers[arg.Name], b.Buffers[arg.Name]))
	}
	for i := range other.prepared.Buffers { // those that only the other version has
		arg := other.prepared.Buffers[i].Arg
		if _, both := b.Buffers[arg.Name]; !both {
			rows = append(rows, comparedBuffer(arg, a.Buffers[arg.Name], nil))
		}
	}
	return rows, ""
}

// comparedBuffer names the first element that differs.
func comparedBuffer(a *launch.Arg, other, this []byte) comparedRow {
	row := comparedRow{Name: a.Label(), Differs: !bytes.Equal(other, this)}
	e := a.Elem()
	size := e.Size()
	switch {
	case other == nil:
		row.Other, row.This = "none", ptx.Plural(len(this), "byte")
		return row
	case this == nil:
		row.Other, row.This = ptx.Plural(len(other), "byte"), "none"
		return row
	case len(other) != len(this):
		row.Other, row.This = ptx.Plural(len(other), "byte"), ptx.Plural(len(this), "byte")
		return row
	case !row.Differs:
		row.Other, row.This = "equal", "equal"
		return row
	}
	n, first := 0, -1
	for at := 0; at+size <= len(this); at += size {
		if !bytes.Equal(other[at:at+size], this[at:at+size]) {
			if n++; first < 0 {
				first = at
			}
		}
	}
	if first < 0 {
		first = 0
	}
	row.Name = fmt.Sprintf("%s: %s of %s, first [%s]", a.Label(), count(int64(n)), ptx.Plural(len(this)/size, "element"),
		count(int64(first/size)))
	value := func(data []byte) string {
		part := e.Type.Bytes()
		if part == 0 || 8*part != e.Type.Bits() {
			return fmt.Sprintf("0x%02x", data[first])
		}
		var words []string
		for i := range e.Lanes {
			words = append(words, launch.FormatValue(e.Type, loadBits(data[first+i*part:], part), 0))
		}
		return strings.Join(words, ", ")
	}
	row.Other, row.This = value(other), value(this)
	return row
}

func ending(r *launch.Report) string {
	switch {
	case r.Fault != nil:
		return "with a fault: " + string(r.Fault.Kind)
	case r.Stopped != nil:
		return "stopped after " + count(comparedSteps) + " warp instructions"
	}
	return "normally"
}

func held(r *launch.Report) string {
	n := 0
	for _, e := range r.Expectations {
		if e.Pass {
			n++
		}
	}
	return fmt.Sprintf("%d of %d", n, len(r.Expectations))
}
