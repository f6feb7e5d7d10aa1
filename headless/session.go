package headless

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx/isa"
)

// Session is a program under the debugger, for questions about its run. docs/headless.md lists what it can be asked.
type Session struct {
	debug *debug.Session
	found *Checked
	lane  int // followed
}

// Open reads a program and makes its launch ready.
func Open(name string, src []byte, set launch.Settings) *Session {
	s := &Session{debug: debug.New(emu.Options{}), found: Check(name, src)}
	if s.found.Verdict == NotPTX || s.found.Verdict == NotEmulated {
		return s
	}
	s.debug.Settings(set)
	s.debug.SetSource(name, string(src))
	v := s.debug.View()
	s.found.Diagnostics = diagnostics(s.debug.Module(), v.Diagnostics)
	s.found.Verdict = OK
	if v.Phase == debug.Invalid {
		s.found.Verdict = BadLaunch
	}
	s.found.OK = s.found.Verdict == OK
	return s
}

// Found says what keeps the program from running, as Check does.
func (s *Session) Found() *Checked { return s.found }

// Ask is a question, or a command. Steps count as everywhere: step 22 is the state after 22 warp instructions.
type Ask struct {
	Do     string
	Budget int64 // warp instructions that one call executes

	What            string // a cell, as debug.Session.Named reads it
	CTA, Warp, Lane *int   // whose; default: the followed one
	Value           string // of an edit

	Step     int64
	Goal     string // of a journey, one of debug.Goals
	Line     int
	Back     bool
	Index    int  // of a finding
	Other    bool // its other place
	Upcoming bool // the next instruction rather than the last one
	From, To int64
	All      bool
	Texts    []string // expressions
	Stops    []Stop
}

// Stop is at what a run stops: one of a line, a kind of event, and a register or memory with what is done to it.
type Stop struct {
	Line    int    `json:"line,omitempty"`
	Kind    string `json:"kind,omitempty"` // divergence, barrier, finding, read, write, change; "" is a line
	What    string `json:"what,omitempty"`
	If      string `json:"if,omitempty"`
	Problem string `json:"problem,omitempty"` // why it cannot be used
}

var stopKinds = []string{"", "divergence", "barrier", "finding", "read", "write", "change"}

// Answer is what all answers have in common.
type Answer struct {
	OK      bool   `json:"ok"`
	Problem string `json:"problem,omitempty"` // why there is no answer
}

func refuse(format string, args ...any) any { return Answer{Problem: fmt.Sprintf(format, args...)} }

// Ask answers a question in JSON. Where more is true the run has only come a part of the way, and the same question
// has to be asked again. Any text has an answer.
func (s *Session) Ask(question []byte) (answer any, more bool) {
	a := Ask{}
	if err := json.Unmarshal(question, &a); err != nil {
		return refuse("the question cannot be read: %v", err), false
	}
	if !s.found.OK {
		return refuse("the program cannot run: see diagnostics"), false
	}
	if a.Budget <= 0 {
		a.Budget = 1 << 16
	}
	return s.answer(&a)
}

// answer answers a question about a program that can run.
func (s *Session) answer(a *Ask) (answer any, more bool) {
	switch a.Do {
	case "state":
	case "step":
		s.debug.Step()
	case "back":
		s.debug.StepBack()
	case "run":
		more = s.debug.RunFor(a.Budget)
	case "seek":
		more = s.seek(a)
	case "go":
		answer, more = s.travel(a)
	case "finding":
		answer = s.toFinding(a)
	case "follow":
		answer = s.follow(a)
	case "stops":
		answer = s.stops(a)
	case "watch":
		answer = s.watch(a)
	case "edit":
		answer = s.edit(a)
	case "writer", "next":
		answer = s.writer(a)
	case "origin":
		answer = s.origin(a)
	case "findings":
		answer = s.findings()
	case "chart":
		answer, more = s.chart(a)
	case "flow", "counters":
		if more = s.debug.Count(a.Budget); !more && a.Do == "flow" {
			answer = s.flow()
		} else if !more {
			answer = s.counters()
		}
	case "access":
		answer = s.access(a)
	case "holds":
		answer = s.holds(a)
	default:
		return refuse("there is no question %q", a.Do), false
	}
	if answer == nil && !more {
		answer = s.state()
	}
	return answer, more
}

// Pause ends a run or a search before its end.
func (s *Session) Pause() { s.debug.Pause() }

// place is the lane that a question is about.
func (s *Session) place(a *Ask) (cta, warp, lane int) {
	v := s.debug.View()
	cta, warp, lane = v.CTA, v.Warp, s.lane
	for _, one := range []struct{ to, from *int }{{&cta, a.CTA}, {&warp, a.Warp}, {&lane, a.Lane}} {
		if one.from != nil {
			*one.to = *one.from
		}
	}
	return cta, warp, lane
}

// cell is the cell that a question is about.
func (s *Session) cell(a *Ask) (c debug.Cell, t isa.Type, problem string) {
	cta, warp, lane := s.place(a)
	return s.debug.Named(a.What, cta, warp, lane)
}

// seek goes to a step. Where the run is not known so far, it runs there, past all stops.
func (s *Session) seek(a *Ask) (more bool) {
	d := s.debug
	if d.Draft().Phase != debug.Running {
		d.SeekTo(a.Step)
	}
	if phase := d.Draft().Phase; d.Tick() >= a.Step || phase == debug.Finished || phase == debug.Faulted {
		return false
	}
	stops := d.Stops()
	d.SetStops(nil)
	more = d.RunFor(min(a.Budget, a.Step-d.Tick()))
	d.SetStops(stops)
	if more && d.Tick() < a.Step {
		return true
	}
	d.Pause()
	d.SeekTo(a.Step)
	return false
}

func (s *Session) travel(a *Ask) (any, bool) {
	goal := slices.Index(debug.Goals[:], a.Goal)
	if goal < 0 {
		return refuse("there is no goal %q: there are %s", a.Goal, strings.Join(debug.Goals[:], ", ")), false
	}
	return nil, s.debug.Go(debug.Journey{Goal: debug.Goal(goal), Back: a.Back, Line: a.Line})
}

func (s *Session) toFinding(a *Ask) any {
	v := s.debug.View()
	if n := len(v.Findings) + len(v.Later); a.Index < 0 || a.Index >= n {
		return refuse("there is no finding %d: %d are known", a.Index, n)
	}
	s.debug.GoToFinding(a.Index, a.Other)
	return nil
}

func (s *Session) follow(a *Ask) any {
	cta, warp, lane := s.place(a)
	if problem := s.debug.NoLane(cta, warp, lane); problem != "" {
		return refuse("%s", problem)
	}
	s.debug.Follow(cta, warp)
	s.debug.FollowLane(lane)
	s.lane = lane
	return nil
}

func (s *Session) stops(a *Ask) any {
	list := []debug.Stop{}
	for _, one := range a.Stops {
		kind := slices.Index(stopKinds, one.Kind)
		if kind < 0 {
			return refuse("there is no kind of stop %q: there are%s", one.Kind, strings.Join(stopKinds, " "))
		}
		list = append(list, debug.Stop{Kind: debug.StopKind(kind), Line: one.Line, What: one.What, Condition: one.If})
	}
	s.debug.SetStops(list)
	set := struct {
		Answer
		Stops []Stop `json:"stops"`
	}{Answer{OK: true}, []Stop{}}
	for _, one := range s.debug.Stops() {
		set.Stops = append(set.Stops, Stop{one.Line, stopKinds[one.Kind], one.What, one.Condition, one.Error})
	}
	return set
}

// edit sets a register or memory, which is a step of its own: what was known of the future is forgotten.
func (s *Session) edit(a *Ask) any {
	c, t, problem := s.cell(a)
	if problem == "" && c.Reg == nil && c.Size != t.Bytes() {
		problem = fmt.Sprintf("%s is no register and no single element", a.What)
	}
	if problem != "" {
		return refuse("%s", problem)
	}
	bits, why := launch.ParseValue(t, a.Value)
	if why != "" {
		return refuse("%s", why)
	}
	if err := s.debug.Edit(c, bits, 0); err != nil {
		return refuse("%v", err)
	}
	return nil
}
