package headless

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// explain says of a step of a run where the lanes are, and what it is asked about a register, memory or the lanes'
// ways.
func (t *tool) explain() int {
	programs := t.programs(false)
	if len(programs) != 1 {
		t.Err("warpscope explain: " + t.Paths[0] + " is not one program\n")
		return exitUsage
	}
	p := programs[0]
	if p.err != nil {
		t.Err(p.err.Error() + "\n")
		return exitUsage
	}
	t.Settings.Flags = true
	s := Open(p.file, p.src, t.Settings)
	if found := s.Found(); !found.OK {
		for i := range found.Diagnostics {
			p.shift(&found.Diagnostics[i])
		}
		t.diagnose(p.file, found.Diagnostics)
		return exitOf[found.Verdict]
	}
	e := &explanation{s: s, place: Ask{CTA: t.CTA, Warp: t.Warp, Lane: t.Lane}, deadline: time.Now().Add(t.Time)}
	if problem := e.find(t); problem != "" {
		t.Err("warpscope explain: " + problem + "\n")
		return exitUsage
	}
	if t.JSON {
		text, _ := json.MarshalIndent(e, "", "  ")
		t.Out(string(text) + "\n")
		return exitOK
	}
	e.print(t)
	return exitOK
}

// explanation is what explain has found.
type explanation struct {
	State  *State  `json:"state"`
	Origin *Origin `json:"origin,omitempty"`
	Write  any     `json:"write,omitempty"` // of what has no value
	Chart  *Chart  `json:"chart,omitempty"`

	s        *Session
	place    Ask
	deadline time.Time
}

// ask asks one question about the place until it is answered, or time is over.
func (e *explanation) ask(do string, change func(a *Ask)) any {
	a := e.place
	a.Do, a.Budget = do, 1<<18
	if change != nil {
		change(&a)
	}
	for {
		answer, more := e.s.answer(&a)
		switch {
		case !more:
			return answer
		case time.Now().After(e.deadline):
			e.s.Pause()
			return Answer{Problem: errTime.Error()}
		}
	}
}

// find asks all questions; problem is why one of them has no answer.
func (e *explanation) find(t *tool) (problem string) {
	for _, step := range []int64{t.At + chartColumns/2, t.At} { // a chart shows what comes after, too
		if t.At < 0 {
			step = math.MaxInt64
		}
		refused, ok := e.ask("seek", func(a *Ask) { a.Step = step }).(Answer)
		if ok {
			return refused.Problem
		}
	}
	e.State = e.s.state()
	if refused, ok := e.ask("follow", nil).(Answer); ok {
		return refused.Problem
	}
	status := e.State.Status
	e.State = e.s.state()
	e.State.Status = status
	if t.Of != "" {
		switch answer := e.ask("origin", func(a *Ask) { a.What = t.Of }).(type) {
		case originAnswer:
			e.Origin = answer.Origin
		default:
			written, ok := e.ask("writer", func(a *Ask) { a.What = t.Of }).(writeAnswer)
			if !ok {
				return answer.(Answer).Problem
			}
			e.Write = written.Write
		}
	}
	if t.Lanes {
		e.Chart, _ = e.ask("chart", func(a *Ask) {
			a.From = max(e.State.Step-chartColumns/2, 0)
			a.To = a.From + chartColumns
		}).(*Chart)
	}
	return ""
}

// print prints what was found for people.
func (e *explanation) print(t *tool) {
	v := e.State
	t.Out(fmt.Sprintf("step %d: %s\n", v.Step, v.Status))
	for _, g := range v.Groups {
		does := "wait"
		if g.Runs {
			does = "run next"
		}
		t.Out(fmt.Sprintf("warp %d of CTA %d: lanes %s %s, at line %d\n", v.Warp, v.CTA, ranges(g.Lanes), does, g.Line))
	}
	if e.Origin != nil {
		t.Out(fmt.Sprintf("%s in lane %d:\n", t.Of, v.Lane))
		e.Origin.print(t, "  ")
	}
	if w, ok := e.Write.(*Writing); ok && w != nil {
		t.Out(fmt.Sprintf("%s: %s\n", t.Of, w.words()))
	} else if ok {
		t.Out(t.Of + ": no step has changed it\n")
	}
	if e.Chart != nil {
		t.Out(e.Chart.text(v.Step))
	}
}

func (w *Writing) words() string { return fmt.Sprintf("step %d, line %d: %s", w.Step, w.Line, w.Text) }

// print prints a value with its writer, and its sources further to the right.
func (o *Origin) print(t *tool, indent string) {
	text := indent + o.Name
	if o.Value != o.Name { // no constant
		text += " = " + o.Value
	}
	if o.Note != "" {
		text += ", " + o.Note
	}
	switch {
	case o.Write != nil:
		text += "    " + o.Write.words()
	case !o.Fixed:
		text += "    as the launch made it, or never written"
	}
	if o.More {
		text += " …"
	}
	t.Out(text + "\n")
	for _, source := range o.Sources {
		source.print(t, indent+"  ")
	}
}

// ranges writes numbers in order: "0-11,13".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		part := fmt.Sprint(list[i])
		if k > i {
			part += fmt.Sprintf("-%d", list[k])
		}
		parts, i = append(parts, part), k+1
	}
	return strings.Join(parts, ",")
}

// chartColumns are the steps that a chart has on a terminal.
const chartColumns = 64

// text draws the chart with a letter for each block: a capital where the lane executes the warp's next instruction, a
// small one where it waits. A mark is over the step that is shown.
func (c *Chart) text(step int64) string {
	var b strings.Builder
	used, letters := map[int]bool{}, ""
	letter := func(block int, active bool) byte {
		if block < 0 {
			return ' '
		}
		used[block] = true
		if active {
			return 'A' + byte(block%26)
		}
		return 'a' + byte(block%26)
	}
	mark := strings.Repeat(" ", int(min(max(step-c.From, 0), int64(len(c.Moments)))))
	fmt.Fprintf(&b, "steps %d to %d of warp %d of CTA %d\n         %sv\n", c.From, c.To, c.Warp, c.CTA, mark)
	for lane := range 32 {
		row := make([]byte, 0, len(c.Moments))
		for i := range c.Moments {
			m := &c.Moments[i]
			row = append(row, letter(m.Blocks[lane], m.Turn && m.runs(lane)))
		}
		letters += strings.TrimRight(fmt.Sprintf("lane %2d  %s", lane, row), " ") + "\n"
	}
	b.WriteString(letters)
	for i, block := range c.Blocks {
		if used[i] {
			fmt.Fprintf(&b, "%c  %s, lines %d to %d\n", letter(i, true), block.Name, block.First, block.Last)
		}
	}
	return b.String()
}

// runs says whether a lane executes the warp's next instruction.
func (m *Moment) runs(lane int) bool {
	for _, active := range m.Active {
		if active == lane {
			return true
		}
	}
	return false
}
