package ui

import (
	"slices"
	"strings"

	"warpscope/debug"
	"warpscope/launch"
	"warpscope/ptx"
)

// again is where the reader was in the program before its text changed.
type again struct {
	Tick      int64
	CTA, Warp int
}

// whereNow is where the reader is; zero at the beginning.
func whereNow(v *debug.View) again {
	if v.Tick == 0 || v.Phase == debug.Invalid {
		return again{}
	}
	return again{v.Tick, v.CTA, v.Warp}
}

// blank says whether there is no program, because the text is empty.
func (m *Model) blank() bool { return len(m.Lines) > 0 && strings.TrimSpace(m.Text) == "" }

// noProgram is the state of an empty text. It is no error, and says what to do.
func (m *Model) noProgram() string {
	switch {
	case m.ReadOnly:
		return "There is no program."
	case m.Embedded:
		return "There is no program: type or paste PTX."
	}
	return "There is no program: type or paste PTX, open a file, or choose an example."
}

// takeView takes the view of a text that the session has prepared. If the text has errors, and is a changed one of the
// same program, the state of the last good text stays, and only what is wrong is new. Its version stays too, so that
// nothing draws it again.
func (s *Store) takeView(m *Model, view debug.View) {
	if m.blank() {
		view.Diagnostics, view.Status = nil, m.noProgram()
	} else if view.Phase == debug.Invalid && m.View.Phase != debug.Invalid && !s.other && !s.pasted &&
		!s.anotherProgram(m) {
		m.Stale = true
		m.View.Diagnostics, m.View.Status, m.View.Breakpoints = view.Diagnostics, view.Status, view.Breakpoints
		m.View.Past = view.Past
		return
	}
	if m.Again = whereNow(&m.View); s.other || view.Phase == debug.Invalid {
		m.Again = again{}
	}
	m.Stale = false
	m.MemoryFound, m.MemoryWords, m.MemoryBase = nil, "", nil
	if next := s.session.Module(); next != m.Module {
		m.Module, m.Fragments = next, fragments(next)
	}
	m.View, m.Spec = view, s.session.Spec()
}

// machine is the session of the program whose state a model shows: while the text has errors, that of the last good
// one. It is nil where that one is not kept; panels then keep what they show.
func (s *Store) machine(m *Model) Session {
	if !m.Stale {
		return s.session
	}
	if past := s.session.Past(); past != nil {
		return past
	}
	return nil
}

// unasked says that nothing more can be asked of the machine that the model shows; "" where it can.
func (m *Model) unasked() string {
	if m.Stale && !m.View.Past {
		return "The text has an error: this is shown when it can run."
	}
	return ""
}

// source is the text of the program whose state the model shows.
func (m *Model) source() (text string, lines lineIndex) {
	if m.Stale && m.Module != nil {
		text = string(m.Module.Src)
		return text, indexLines(text)
	}
	return m.Text, m.Lines
}

// seek travels to a tick.
func (s *Store) seek(tick int64) {
	if !s.seekPast(tick) {
		s.move(func() { s.session.SeekTo(tick) })
	}
}

// seekPast travels in the run of the last good text, while there are errors.
func (s *Store) seekPast(tick int64) bool {
	if s.parseNow(); !s.model.Stale {
		return false
	}
	view, ok := s.session.SeekPast(tick)
	if !ok {
		return false
	}
	before := s.model.View.Tick
	s.update(func(m *Model) {
		view.Diagnostics, view.Status, view.Breakpoints = m.View.Diagnostics, m.View.Status, m.View.Breakpoints
		view.Past = true
		m.View = view
		s.ask(m)
		s.charts(m, before)
		followWrites(m)
		m.Recent = recent(m, before)
	})
	s.recount()
	s.surveySoon()
	return true
}

// anotherProgram says whether the text is PTX without errors that lacks the kernel whose machine the page shows: then
// nothing of that machine is worth keeping.
func (s *Store) anotherProgram(m *Model) bool {
	now := s.session.Module()
	return m.Spec != nil && now != nil && launch.OnlyTheLaunch(s.session.Draft().Diagnostics.Errors()) &&
		!slices.ContainsFunc(now.Funcs, func(f *ptx.Func) bool { return f.Name == m.Spec.Entry })
}

// staleWords say that the page shows an earlier text's state; "" when it does not.
func staleWords(m *Model) string {
	switch {
	case !m.Stale:
		return ""
	case m.View.Tick == 0:
		return "stale: the last good text"
	}
	return "stale: step " + count(m.View.Tick) + " of the last good text"
}

// againTick is the step to which the program can be run again; 0 for none.
func againTick(m *Model) int64 {
	switch {
	case m.Running:
		return 0
	case m.Stale:
		return m.View.Tick
	}
	return m.Again.Tick
}

// runAgain runs the changed program to the step at which the reader was.
func (s *Store) runAgain() {
	to := s.model.Again
	if s.parseNow(); s.model.Stale || s.model.View.Phase == debug.Invalid {
		s.explainInvalid()
		return
	}
	if s.model.Again.Tick > 0 {
		to = s.model.Again
	}
	if to.Tick == 0 || s.model.Running {
		return
	}
	s.update(func(m *Model) { m.Again = again{} })
	s.travel(goal{tick: to.Tick, cta: to.CTA, warp: to.Warp})
}

// leftBehind is the model without the offer to run again: the reader has done something else.
func (m *Model) leftBehind() *Model {
	next := *m
	next.Again = again{}
	return &next
}
