package debug

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"warpscope/emu"
	"warpscope/gpu"
)

// Edit is a change that the user has made at a tick, before the instruction that runs next.
type Edit struct {
	Tick int64
	gpu.Edit
}

// Edit writes a value to a cell: to a register, or to up to 8 bytes of memory, little-endian. History goes on from here
// with the new value, and what was known of the future is forgotten. Ask the user first where Future is true. StepBack
// takes it back if nothing has run since, and Reset takes back all edits.
func (s *Session) Edit(c Cell, value, hi uint64) error {
	s.Prepare()
	if s.phase == Invalid {
		return fmt.Errorf("nothing is loaded")
	}
	e := gpu.Edit{CTA: c.CTA, Warp: c.Warp, Lane: c.Lane, Reg: c.Reg, Elem: c.Elem, Value: value, Hi: hi, Addr: c.Addr}
	if c.Reg == nil {
		e.Bytes = binary.LittleEndian.AppendUint64(nil, value)[:min(c.Size, 8)]
	}
	if err := s.history.edit(e); err != nil {
		return err
	}
	s.prepared.Forget(s.history.tick())
	s.changed()
	s.last = nil
	if s.phase != Ready {
		s.phase = Paused
	}
	if s.history.grid.Done() {
		s.settle(nil)
	}
	s.status = fmt.Sprintf("You have set %s. Step back takes that back.", s.cellName(c))
	return nil
}

// Future says whether an edit now would drop steps that are known.
func (s *Session) Future() bool {
	s.comeHome()
	return s.history != nil && s.history.tick() < s.history.end
}

// Edits are the changes that the user has made, by tick.
func (s *Session) Edits() []Edit {
	if s.history == nil {
		return nil
	}
	return slices.Clone(s.history.edits)
}

// Replay makes edits again after SetSource, as a link brings them. It runs to each one's tick, and stops at the first
// that cannot be made.
func (s *Session) Replay(edits []Edit) error {
	s.Prepare()
	if s.phase == Invalid {
		return fmt.Errorf("nothing is loaded")
	}
	s.changed()
	for _, e := range edits {
		if err := s.history.silently(e.Tick - s.history.tick()); err != nil || s.history.tick() != e.Tick {
			return fmt.Errorf("the run ends before step %d", e.Tick)
		}
		if err := s.history.edit(e.Edit); err != nil {
			return err
		}
		s.prepared.Forget(e.Tick)
	}
	s.settle(nil)
	return nil
}

// edit changes the machine and forgets the future. A snapshot right after the change stays for good: the way from
// earlier ones to a later tick leads through it.
func (h *history) edit(e gpu.Edit) error {
	if h.faulted {
		return fmt.Errorf("the run has stopped at a fault: step back first")
	}
	if err := h.grid.Edit(e); err != nil {
		return err
	}
	t := h.tick()
	h.edits = slices.DeleteFunc(h.edits, func(o Edit) bool { return o.Tick > t })
	h.edits = append(h.edits, Edit{t, e})
	h.forget(t)
	if t == 0 { // the edit comes before the first instruction
		h.snaps[0] = h.grid.Snapshot()
		return nil
	}
	h.snaps = append(h.snaps, h.grid.Snapshot())
	h.costs = append(h.costs, 0)
	h.count(len(h.snaps) - 1)
	return nil
}

// forget forgets the run from a tick on. The first snapshot stays.
func (h *history) forget(t int64) {
	for i := len(h.snaps) - 1; i > 0 && h.snaps[i].Tick >= t; i-- {
		h.drop(i)
	}
	h.end, h.fault, h.faultStep, h.refused, h.noted = t, nil, nil, 0, nil
	h.edition++
}

// takeBack takes back the edits from an index on. The machine goes to the tick of the first of them, and forgets what
// was after it.
func (h *history) takeBack(i int) {
	t := h.edits[i].Tick
	first := slices.IndexFunc(h.edits, func(e Edit) bool { return e.Tick == t })
	stay := slices.Clone(h.edits[first:i])
	h.edits = h.edits[:first]
	h.forget(t)
	if t == 0 {
		h.snaps[0] = h.clean
	}
	h.faulted = false
	h.grid.Restore(h.snaps[len(h.snaps)-1])
	h.seek(t)
	for _, e := range stay {
		_ = h.edit(e.Edit) // it could be made before
	}
}

// undo takes back the last edit if nothing has run since, and says whether it did.
func (s *Session) undo() bool {
	h := s.history
	n := len(h.edits)
	if n == 0 || h.edits[n-1].Tick != h.tick() || h.end != h.tick() {
		return false
	}
	e := h.edits[n-1]
	s.takeBack(n - 1)
	name := s.cellName(Cell{CTA: e.CTA, Warp: e.Warp, Lane: e.Lane, Reg: e.Reg, Elem: e.Elem, Addr: e.Addr})
	s.status = fmt.Sprintf("%s has its old value again.", name)
	return true
}

// takeBack takes back the edits from an index on, and shows the machine at the tick of the first of them.
func (s *Session) takeBack(i int) {
	s.history.takeBack(i)
	s.prepared.Forget(s.history.tick())
	s.settle(nil)
}

// edited says whether there are edits at a tick.
func (h *history) edited(t int64) bool {
	return slices.ContainsFunc(h.edits, func(e Edit) bool { return e.Tick == t })
}

// nextEdit is the tick of the first edit after a tick, or a tick that no run reaches.
func (h *history) nextEdit(t int64) int64 {
	for _, e := range h.edits {
		if e.Tick > t {
			return e.Tick
		}
	}
	return 1 << 62
}

// passEdit makes the edits of the tick that the machine has come to, by going to the snapshot after them.
func (h *history) passEdit() {
	t := h.grid.Tick()
	if !h.edited(t) {
		return
	}
	if i := sort.Search(len(h.snaps), func(i int) bool { return h.snaps[i].Tick >= t }); h.snaps[i].Tick == t {
		h.grid.Restore(h.snaps[i])
	}
}

// look is a view of a warp in which registers count as written where the user has set them.
func (s *Session) look(cta, warp int) emu.WarpView {
	v := emu.WarpAfter(s.history.grid, cta, warp, s.view.State)
	for _, e := range s.history.edits {
		if e.Tick > s.Tick() || e.Reg == nil || e.CTA != cta || e.Warp != warp {
			continue
		}
		if r := findReg(&v, e.Reg, e.Elem); r != nil {
			r.Written |= 1 << e.Lane
		}
	}
	return v
}
