package ui

import (
	"fmt"

	"warpscope/debug"
)

// registerCell is a register of the followed warp in a lane.
func registerCell(m *Model, name string, lane int) (c debug.Cell, ok bool) {
	if m.View.State == nil || name == "" {
		return c, false
	}
	for i := range m.View.State.Regs {
		if r := &m.View.State.Regs[i]; r.Reg.Name == name || regName(*r) == name {
			return debug.Cell{CTA: m.View.CTA, Warp: m.View.Warp, Lane: lane, Reg: r.Reg, Elem: r.Elem}, true
		}
	}
	return c, false
}

// toWriter travels to the step that wrote a register last, and says which it was.
func (s *Store) toWriter(lane int, name string) {
	s.move(func() {})
	c, ok := registerCell(s.model, name, lane)
	if !ok {
		s.update(func(m *Model) { m.Notice = "Point at a register first: the last write is looked for of that one." })
		return
	}
	where := fmt.Sprintf("%s in lane %d", name, lane)
	w, found := s.session.Writer(c)
	if !found {
		s.update(func(m *Model) { m.Notice = "No step before this one has written " + where + "." })
		return
	}
	s.move(func() { s.session.SeekTo(w.Tick + 1) })
	s.update(func(m *Model) { m.Notice = where + " was written by " + changeWords(&w) + "." })
}
