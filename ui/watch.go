package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/ptx"
)

// The panels of expressions that the user watches, and of what stops a run. launch/expr is their language.
const (
	watchPanel = "watch"
	stopsPanel = "breakpoints"
)

// Changes of the two lists.
type (
	SetWatch struct { // At is the number of expressions for a new one; "" removes one
		At   int
		Text string
	}
	SetStop struct { // the same
		At   int
		Stop debug.Stop
	}
	RemoveStop struct{ At int }
	AddStop    struct { // What is a line, a register, or memory such as out[5..9]
		Kind debug.StopKind
		What string
	}
)

// watchAction applies a change of the lists.
func (s *Store) watchAction(action Action) bool {
	m := s.model
	switch a := action.(type) {
	case SetWatch:
		list := slices.Clone(m.Watches)
		switch text := strings.TrimSpace(a.Text); {
		case a.At >= len(list) && text != "":
			list = append(list, text)
		case a.At < len(list) && text != "":
			list[a.At] = text
		case a.At < len(list):
			list = slices.Delete(list, a.At, a.At+1)
		}
		s.update(func(m *Model) {
			m.Watches = list
			s.ask(m)
		})
	case SetStop:
		list := append(slices.Clone(m.Stops), debug.Stop{})[:max(len(m.Stops), a.At+1)]
		list[a.At] = a.Stop
		s.changeStops(list)
	case RemoveStop:
		if a.At < len(m.Stops) {
			s.changeStops(slices.Delete(slices.Clone(m.Stops), a.At, a.At+1))
		}
	case AddStop:
		stop, problem := newStop(m, a)
		if problem == "" && stop.Kind == debug.StopLine {
			stop.Line, problem = s.breakLine(stop.Line)
		}
		s.update(func(m *Model) { m.NoStop = problem })
		if problem == "" {
			s.changeStops(append(slices.Clone(m.Stops), stop))
		}
	default:
		return false
	}
	s.saveSettings()
	return true
}

// newStop is the stop that the user wants to add, or what is missing.
func newStop(m *Model, a AddStop) (stop debug.Stop, problem string) {
	stop = debug.Stop{Kind: a.Kind, What: strings.TrimSpace(a.What)}
	if a.Kind == debug.StopLine {
		line, err := strconv.Atoi(stop.What)
		if stop = (debug.Stop{Line: line}); err != nil || line < 1 || line > len(m.Lines) {
			problem = fmt.Sprintf("The text has the lines 1 to %d.", len(m.Lines))
		}
	} else if stop.What == "" {
		problem = "Name a register such as %r4, or memory such as out[5] or out[5..9]."
	}
	return stop, problem
}

// breakLine is the line at which a breakpoint of a line stops, or why there is none.
func (s *Store) breakLine(line int) (at int, problem string) {
	if s.cancelCheck != nil { // the session knows an older text
		s.parse()
	}
	if at = s.session.BreakLine(line); at == 0 {
		problem = fmt.Sprintf("There is no instruction in line %d or after it.", line)
	}
	return at, problem
}

// setBreakpoints takes the lines of the editor's breakpoints. One that a click has added moves to the line where it
// stops; typing adds none.
func (s *Store) setBreakpoints(lines []int) {
	had := s.model.View.Breakpoints
	if len(lines) <= len(had) {
		s.session.SetBreakpoints(lines)
		s.refreshBreakpoints()
		return
	}
	for i, line := range lines {
		if at, problem := s.breakLine(line); problem == "" && !slices.Contains(had, line) {
			lines[i] = at
		}
	}
	s.session.SetBreakpoints(lines)
	s.refreshBreakpoints()
	if s.editor != nil {
		s.editor.SetBreakpoints(s.model.View.Breakpoints)
	}
}

// changeStops gives the session other stops, and the editor their lines.
func (s *Store) changeStops(list []debug.Stop) {
	s.session.SetStops(list)
	s.refreshBreakpoints()
	if s.editor != nil {
		s.editor.SetBreakpoints(s.model.View.Breakpoints)
	}
}

// setStops gives the session the stops of a program. One that an older version has stored has only lines.
func (s *Store) setStops(lines []int, stops []debug.Stop) {
	if len(stops) == 0 {
		for _, line := range lines {
			stops = append(stops, debug.Stop{Line: line})
		}
	}
	s.session.SetStops(stops)
}

// ask works out what the user has asked about the moment that the model shows.
func (s *Store) ask(m *Model) {
	m.Stops, m.Watched = s.session.Stops(), nil
	if machine := s.machine(m); len(m.Watches) > 0 && machine != nil {
		m.Watched = machine.Watches(m.Watches)
	}
}

// watchRuns are the values of a watched expression: neighbours with one value are one run.
func watchRuns(m *Model, w *debug.Watch) []hoverRun {
	if w.Error != "" || m.View.State == nil {
		return nil
	}
	if w.Same {
		return []hoverRun{{0, 31, w.Values[0]}}
	}
	return runsOf(w.Values, m.View.State.Present)
}

// stopRow is what the panel shows of a stop.
type stopRow struct {
	At   int // in Model.Stops
	Stop debug.Stop
	Name string
	Hits string // how often the run has come to it; "" where that is not known
	Last bool   // it stays in the list when it is off
}

// stopRows are the stops, and after them the events that have none.
func stopRows(m *Model) (rows []stopRow) {
	has := map[debug.StopKind]bool{}
	for i, stop := range m.Stops {
		has[stop.Kind] = true
		rows = append(rows, stopRow{i, stop, stopName(stop), hitWords(m, stop), isEvent(stop.Kind)})
	}
	for _, kind := range []debug.StopKind{debug.StopDivergence, debug.StopBarrier, debug.StopFinding} {
		if !has[kind] {
			stop := debug.Stop{Kind: kind, Off: true}
			rows = append(rows, stopRow{len(m.Stops), stop, stopName(stop), hitWords(m, stop), true})
		}
	}
	return rows
}

func isEvent(kind debug.StopKind) bool { return kind > debug.StopLine && kind < debug.StopRead }

// stopName is what a stop stops at.
func stopName(stop debug.Stop) string {
	switch stop.Kind {
	case debug.StopLine:
		return "line " + strconv.Itoa(stop.Line)
	case debug.StopDivergence:
		return "divergence"
	case debug.StopBarrier:
		return "arrival at a barrier"
	case debug.StopFinding:
		return "finding"
	}
	return stop.What + map[debug.StopKind]string{debug.StopRead: " is read", debug.StopWrite: " is written",
		debug.StopChange: " changes"}[stop.Kind]
}

// hitWords say how often the run has come to a breakpoint. One with a condition need not have been hit each time: how
// often is known only to a run that asks it.
func hitWords(m *Model, stop debug.Stop) string {
	hits, known := m.View.Hits[stop.Line]
	switch {
	case stop.Off:
		return "off"
	case stop.Kind != debug.StopLine || !known:
		return ""
	case stop.Condition != "":
		return "reached " + count(hits) + "×"
	}
	return ptx.Plural(hits, "hit")
}
