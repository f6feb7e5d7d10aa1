package headless

import (
	"fmt"
	"slices"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx/isa"
)

// State is where a session is.
type State struct {
	Answer
	Phase  string  `json:"phase"`
	Status string  `json:"status"` // a sentence about what happened last
	Step   int64   `json:"step"`
	End    int64   `json:"end"` // the last step that is known
	CTA    int     `json:"cta"` // of the followed warp, linear
	Warp   int     `json:"warp"`
	Lane   int     `json:"lane"`
	Line   int     `json:"line"` // of its next instruction
	Next   string  `json:"next"` // that instruction
	Groups []Group `json:"groups"`
	Fault  *Fault  `json:"fault"`
	Output string  `json:"output"`
	Stats  Stats   `json:"stats"`
}

// Group is lanes of a warp that are at one line.
type Group struct {
	Line  int   `json:"line"`
	Lanes []int `json:"lanes"`
	Runs  bool  `json:"runs"` // they execute the next instruction
}

var phases = [...]string{"invalid", "ready", "running", "paused", "finished", "faulted"}

func (s *Session) state() *State {
	v := s.debug.View()
	out := &State{Answer{OK: true}, phases[v.Phase], v.Status, v.Tick, v.End, v.CTA, v.Warp, s.lane, v.Line, "",
		[]Group{}, nil, v.Output, statsOf(&v.Stats)}
	if v.Next != nil {
		out.Next = v.Next.Text
	}
	for _, g := range v.Groups {
		out.Groups = append(out.Groups, Group{g.Line, lanesOf(g.Mask), g.Top})
	}
	if v.Fault != nil {
		out.Fault = fault(&launch.Report{Fault: v.Fault})
	}
	return out
}

func lanesOf(mask emu.Mask) []int {
	list := []int{}
	for lane := range 32 {
		if mask.Has(lane) {
			list = append(list, lane)
		}
	}
	return list
}

// Writing is a step that wrote a cell.
type Writing struct {
	Step int64  `json:"step"` // after it
	CTA  int    `json:"cta"`
	Warp int    `json:"warp"`
	Lane int    `json:"lane"`
	Line int    `json:"line"`
	Text string `json:"text"` // the instruction
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// writing describes a change. Masks, stacks and barriers have no values.
func writing(c *debug.Cell, t isa.Type, w *debug.Change) *Writing {
	out := &Writing{Step: w.Tick + 1, CTA: w.CTA, Warp: w.Warp, Lane: w.Lane, Line: w.Line, Text: plain(w.Text)}
	if c.Reg != nil || c.Size > 0 {
		out.Old, out.New = launch.FormatValue(t, w.Old, w.OldHi), launch.FormatValue(t, w.New, w.NewHi)
	}
	return out
}

// plain takes the quotation marks off an instruction.
func plain(quoted string) string {
	if len(quoted) > 1 && quoted[0] == '`' {
		return quoted[1 : len(quoted)-1]
	}
	return quoted
}

type writeAnswer struct {
	Answer
	Write *Writing `json:"write"` // null: no step that is known
}

// writer answers who wrote a cell last, or, asked for the next one, who writes it next.
func (s *Session) writer(a *Ask) any {
	c, t, problem := s.cell(a)
	if problem != "" {
		return refuse("%s", problem)
	}
	find := s.debug.Writer
	if a.Do == "next" {
		find = s.debug.NextChange
	}
	out := writeAnswer{Answer{OK: true}, nil}
	if w, ok := find(c); ok {
		out.Write = writing(&c, t, &w)
	}
	return out
}

// Origin is where a value comes from.
type Origin struct {
	Name    string    `json:"name"`
	Value   string    `json:"value"`
	Write   *Writing  `json:"write"`          // null: it is from the launch, or was never written
	Note    string    `json:"note,omitempty"` // who asks for it, or which part of a matrix it is
	Sources []*Origin `json:"sources"`
	More    bool      `json:"more,omitempty"`  // its sources are not listed
	Fixed   bool      `json:"fixed,omitempty"` // a constant, a special register or values of several lanes
}

type originAnswer struct {
	Answer
	*Origin
}

func (s *Session) origin(a *Ask) any {
	c, t, problem := s.cell(a)
	if problem == "" && c.Reg == nil && c.Size == 0 {
		problem = fmt.Sprintf("%s has no value: ask for its writer", a.What)
	}
	if problem != "" {
		return refuse("%s", problem)
	}
	o := s.debug.Origin(c)
	return originAnswer{Answer{OK: true}, origin(&o, t)}
}

// origin describes a value by a type, and its sources by theirs.
func origin(o *debug.Origin, t isa.Type) *Origin {
	out := &Origin{Name: o.Name, Value: o.Text, Note: o.Note, Sources: []*Origin{}, More: o.More, Fixed: o.Fixed()}
	if out.Value == "" {
		out.Value = launch.FormatValue(t, o.Value, 0)
	}
	if o.Write != nil {
		out.Write = writing(&o.Cell, t, o.Write)
	}
	for i := range o.Sources {
		source := &o.Sources[i]
		t := source.Type
		if t == isa.NoType { // a constant
			t = isa.U32
		}
		out.Sources = append(out.Sources, origin(source, t))
	}
	return out
}

// Watched is an expression and its values.
type Watched struct {
	Text    string   `json:"text"`
	Values  []string `json:"values"` // by lane; a single one for the whole warp
	Problem string   `json:"problem,omitempty"`
}

func (s *Session) watch(a *Ask) any {
	out := struct {
		Answer
		Watches []Watched `json:"watches"`
	}{Answer{OK: true}, []Watched{}}
	for _, w := range s.debug.Watches(a.Texts) {
		one := Watched{w.Text, []string{}, w.Error}
		switch {
		case w.Error != "":
		case w.Same:
			one.Values = []string{w.Values[0]}
		default:
			one.Values = slices.Clone(w.Values[:])
		}
		out.Watches = append(out.Watches, one)
	}
	return out
}

// Witness is a place of a finding, and who was there.
type Witness struct {
	Line  int    `json:"line"`
	CTA   [3]int `json:"cta"`
	Warp  int    `json:"warp"` // -1: not known
	Lanes []int  `json:"lanes"`
}

// findings are those up to now and those that are known to come, with both places.
func (s *Session) findings() any {
	v := s.debug.View()
	type found struct {
		Check   string   `json:"check"`
		Message string   `json:"message"`
		Section string   `json:"section,omitempty"`
		At      *Witness `json:"at"`
		With    *Witness `json:"with"` // null: there is no other place
		Later   bool     `json:"later"`
	}
	out := struct {
		Answer
		Findings []found `json:"findings"`
	}{Answer{OK: true}, []found{}}
	for i, f := range append(v.Findings[:len(v.Findings):len(v.Findings)], v.Later...) {
		one := found{Check: launch.ChecksText(f.Check), Message: f.Message, Section: f.Section,
			At: witness(f.Pos.Line, f.At.CTA, f.At.Warp, f.At.Lanes), Later: i >= len(v.Findings)}
		if f.Other.Line > 0 {
			one.With = witness(f.Other.Line, f.With.CTA, f.With.Warp, f.With.Lanes)
		}
		out.Findings = append(out.Findings, one)
	}
	return out
}

func witness(line int, cta emu.Dim3, warp int, lanes emu.Mask) *Witness {
	return &Witness{line, triple(cta), warp, lanesOf(lanes)}
}
