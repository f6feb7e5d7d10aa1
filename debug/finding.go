package debug

import (
	"math/bits"
	"sort"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// findings are those up to now, and those that the run is known to make later. The latter stay known when the session
// goes back, so that a user can look at both places of a finding in turn.
func (s *Session) findings() (now, later []emu.Finding) {
	now = s.prepared.Findings()
	h := s.history
	if len(now) >= len(h.noted) {
		h.noted = now
	}
	return now, h.noted[len(now):]
}

// firstWith is the first tick from low to high at which the machine has a number of findings. It has them at high.
func (h *history) firstWith(findings int, low, high int64) int64 {
	return low + int64(sort.Search(int(high-low), func(i int) bool {
		h.seek(low + int64(i))
		return len(h.grid.Findings()) >= findings
	}))
}

// GoToFinding goes to a place of a finding. Findings are counted from 0: those of the view's Findings first, then
// Later. It goes to the state after the step that made the finding or, with other set, after the step of the other
// instruction that the finding names: the last one before that accessed the same bytes, or that the witness executed.
func (s *Session) GoToFinding(index int, other bool) {
	s.Prepare()
	if s.phase == Invalid {
		return
	}
	now, later := s.findings()
	if index < 0 || index >= len(now)+len(later) {
		return
	}
	s.changed()
	h, from := s.history, s.Tick()
	f := h.noted[index]
	high := h.end
	if index < len(now) {
		high = from
	}
	noted := h.firstWith(index+1, 0, high)
	if !other {
		s.landAfter(noted - 1)
		s.status = "Finding: " + f.Message
		return
	}
	found := s.otherPlace(&f, noted-1)
	if found == nil {
		s.SeekTo(from)
		s.status = "No step before the finding is its other place."
		return
	}
	s.landAfter(found.tick)
}

// landAfter goes to the state after the step at a tick, and follows the warp of the step.
func (s *Session) landAfter(tick int64) {
	s.history.seek(tick)
	s.followNext()
	s.SeekTo(tick + 1)
}

// otherPlace looks for the step of the instruction that a finding names beside the one that made it, before that one's
// tick. It prefers one that accessed the same bytes; those of other CTAs of a cluster have other addresses.
func (s *Session) otherPlace(f *emu.Finding, noted int64) *answer {
	s.history.seek(noted)
	cta, warp, _ := s.history.grid.Next()
	e := s.at(cta, warp)
	other, lanes := &f.With, f.At.Lanes
	if e.Warp.PC != f.At.Inst { // the finding is about an earlier step, and its use has made it
		other, lanes = &f.At, f.With.Lanes
	}
	if other.Inst == nil {
		return nil
	}
	q := question{at: map[*ptx.Inst]bool{other.Inst: true}, cta: s.index(other.CTA), warp: other.Warp, pass: -1}
	if cells := s.accesses(e, lanes); len(cells) > 0 {
		q.stop = func(cta, warp int) bool { return overlap(cells, s.accesses(s.at(cta, warp), other.Lanes)) }
		if found := s.history.last(q, noted, 0); found != nil {
			return found
		}
	}
	q.stop = func(cta, warp int) bool {
		return other.Lanes == 0 || uint32(other.Lanes)&s.executes(s.at(cta, warp)) != 0
	}
	return s.history.last(q, noted, 0)
}

func overlap(a, b []Cell) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Addr < y.Addr+emu.Addr(y.Size) && y.Addr < x.Addr+emu.Addr(x.Size) {
				return true
			}
		}
	}
	return false
}

// accesses are the bytes that some lanes, or all if there are none, access by the next instruction of a warp.
func (s *Session) accesses(e *launch.Env, lanes emu.Mask) (list []Cell) {
	exec := s.executes(e)
	if lanes != 0 {
		exec &= uint32(lanes)
	}
	if e.Warp.PC == nil {
		return nil
	}
	for _, o := range s.Operands(e.Warp.PC, &e.Warp) {
		if !o.Memory || o.Size == 0 {
			continue
		}
		for m := exec; m != 0; m &= m - 1 {
			list = append(list, Cell{Addr: o.Values[bits.TrailingZeros32(m)], Size: o.Size})
		}
	}
	return list
}

// executes are the lanes that execute the next instruction of a warp: the active ones whose guard is true.
func (s *Session) executes(e *launch.Env) uint32 {
	exec := e.Active()
	if e.Warp.PC == nil || e.Warp.PC.Guard == nil {
		return exec
	}
	guard := s.Operands(e.Warp.PC, &e.Warp)[0]
	mask := uint32(0)
	for lane, v := range guard.Values {
		mask |= uint32(v&1) << lane
	}
	if e.Warp.PC.Guard.Neg {
		mask = ^mask
	}
	return exec & mask
}
