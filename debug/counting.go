package debug

import (
	"fmt"
	"slices"

	"warpscope/emu"
	"warpscope/launch"
)

// countingRun is a second run of the program, which keeps counters. The session's own run keeps none, so it is as
// fast as ever. Runs are deterministic: at one tick both are in the same state.
type countingRun struct {
	prepared *launch.Prepared
	history  *history
	edits    int // of the session that it has made
	made     []Edit
	failed   error
}

// countingBudget is the bytes that snapshots of the second run take.
const countingBudget = 8 << 20

// mostCounted is the bytes of a machine that is made a second time for counters.
const mostCounted = 256 << 20

// Count runs the counters up to where the session is, by about so many warp instructions, and says whether there is
// more to run. Account then has the counts.
func (s *Session) Count(ticks int64) (more bool) {
	s.Prepare()
	if s.phase == Invalid {
		return false
	}
	s.comeHome()
	c := s.secondRun()
	if c.failed != nil {
		return false
	}
	h, t := c.history, s.history.tick()
	if h.tick() > t {
		h.seek(t)
	}
	for ticks > 0 && h.tick() < t {
		before, until := h.tick(), t
		if c.edits < len(s.history.edits) {
			until = min(until, s.history.edits[c.edits].Tick)
		}
		if until > before {
			_ = h.silently(min(ticks, until-before)) // the session has met the fault, too
			ticks -= h.tick() - before
		}
		c.edit(s, until)
		if h.tick() == before && until > before {
			return false // the run has ended
		}
	}
	c.edit(s, t)
	return h.tick() < t
}

// edit makes the edits of the tick that the run has come to.
func (c *countingRun) edit(s *Session, tick int64) {
	for c.edits < len(s.history.edits) && c.history.tick() == tick && s.history.edits[c.edits].Tick == tick {
		e := s.history.edits[c.edits]
		if c.failed = c.history.edit(e.Edit); c.failed != nil {
			return
		}
		c.made = append(c.made, e)
		c.edits++
	}
}

func sameEdit(a, b Edit) bool { return a.Tick == b.Tick && a.Edit.Equal(&b.Edit) }

// secondRun is the run with counters. It begins anew where the user has changed what happened.
func (s *Session) secondRun() *countingRun {
	if c := s.counting; c != nil {
		edits := s.history.edits
		if c.edits <= len(edits) && slices.EqualFunc(c.made, edits[:c.edits], sameEdit) &&
			(c.edits == len(edits) || c.failed != nil || edits[c.edits].Tick >= c.history.end) {
			return c
		}
	}
	o := s.options
	o.Counters = true
	c := &countingRun{}
	s.counting = c
	if s.history.snaps[0].Bytes > mostCounted {
		c.failed = fmt.Errorf("the program has too much memory for a second run with counters")
		return c
	}
	if c.prepared, c.failed = launch.Prepare(s.module, s.spec, o); c.failed == nil {
		c.history = newHistory(c.prepared.Grid)
		c.history.budget = countingBudget
	}
	return c
}

// Account is what the run has counted up to where the session is; nil where it is not counted that far. The error says
// why nothing can be counted.
func (s *Session) Account() (*emu.Account, error) {
	c := s.counting
	if c != nil && c.failed != nil {
		return nil, c.failed
	}
	if c == nil || s.history == nil || c.history.tick() != s.Tick() {
		return nil, nil
	}
	return emu.CountsOf(c.prepared.Grid), nil
}

// Live says where most registers of the kernel are live.
func (s *Session) Live() emu.Live {
	s.Prepare()
	if s.phase == Invalid {
		return emu.Live{}
	}
	if s.live.of != s.prepared {
		s.live = liveness{s.prepared, emu.LiveOf(s.prepared.Grid)}
	}
	return s.live.is
}

// liveness is what Live has found for a launch. It takes long in a long kernel.
type liveness struct {
	of *launch.Prepared
	is emu.Live
}

// StopCounting ends the second run.
func (s *Session) StopCounting() { s.counting = nil }
