package debug

import (
	"fmt"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Goal is what a journey through a run looks for.
type Goal uint8

// The goals. Those of a warp are about the followed one.
const (
	ToBreakpoint    Goal = iota // of any warp
	ToDivergence                // lanes of the warp branch apart
	ToReconvergence             // lanes of the warp meet
	ToBarrier                   // a warp of the CTA arrives at a barrier
	ToOutput                    // any warp prints
	ToFinding                   // the sanitizers note something
	ToLine                      // the warp comes to a line: Journey.Line
	ToSourceLine                // the warp comes to another line of the source that .loc names
	OverCall                    // the warp comes to the instruction after this one, or to any other that is no call
	OutOfCall                   // the warp returns from its function
	ToWarp                      // any warp's next instruction
)

// Goals are the words for the goals, for menus.
var Goals = [...]string{"breakpoint", "divergence", "reconvergence", "barrier", "output", "finding", "line",
	"source line", "step over", "step out", "instruction of any warp"}

// Journey is a goal and a direction.
type Journey struct {
	Goal Goal
	Back bool
	Line int // ToLine
}

// journeyTicks is how far a journey goes in one call of Go.
const journeyTicks = 1 << 20

// travel is a journey on its way. Its question is asked where it begins: the machine moves between two calls of Go.
type travel struct {
	journey    Journey
	question   question
	from       int64  // where it began
	version    uint64 // of the session, when the last call ended
	looked     int64  // how far back it has looked
	lineBefore bool   // it looks for the beginning of the source line before the one where it began
}

// Go travels to the next or the previous place that a journey looks for. It looks at a bounded number of instructions
// and says whether there is more to look at: call it again with the same journey, or stop. A search that finds nothing
// stays where it began, unless it has met a fault, and the status says so. A step forward ends at the end of the run.
func (s *Session) Go(j Journey) (more bool) {
	s.Prepare()
	if s.phase == Invalid || !j.Back && !s.canRun() {
		return false
	}
	t, from := s.travel, s.Tick()
	if t != nil && (t.journey != j || t.version != s.version) {
		t = nil
	}
	s.travel = nil
	s.changed()
	if j.Goal == ToFinding {
		if t == nil {
			t = &travel{journey: j, from: from}
		}
		return s.goOn(t, s.goToFinding(t, from))
	}
	if t == nil {
		q, ok := s.questionOf(j)
		if !ok {
			s.status = "There is nothing to go to: " + s.missing(j)
			return false
		}
		t = &travel{journey: j, question: q, from: from, looked: from}
		if q.match != nil { // the step that led here is not the one before
			t.looked = max(from-1, 0)
		}
		t.question.pass = from // do not stay here
	}
	if j.Back {
		more = s.goBack(t)
	} else {
		found := s.history.next(t.question, from+journeyTicks)
		more = found == nil && !s.history.faulted && !s.history.grid.Done()
		s.arrive(t, found, more)
	}
	return s.goOn(t, more)
}

// goOn keeps a journey that has more to look at.
func (s *Session) goOn(t *travel, more bool) bool {
	if more {
		t.version = s.version
		s.travel = t
	}
	return more
}

// goBack looks for the last answer before now.
func (s *Session) goBack(t *travel) (more bool) {
	h := s.history
	least := max(t.looked-journeyTicks, 0)
	found := h.last(t.question, t.looked, least)
	t.looked = least
	switch {
	case found == nil && least > 0:
		s.phase = Running
		return true
	case found == nil:
		if t.journey.Goal == ToSourceLine { // there is no other line before: the warp's first one has begun with it
			h.seek(0)
			found = h.next(s.ofWarp(func(*ptx.Inst) bool { return true }), t.from)
		}
	case t.journey.Goal == ToSourceLine:
		found = s.lineBegins(t, found.tick)
		if found == nil {
			return s.goBack(t)
		}
	default:
		h.seek(found.tick)
	}
	s.arrive(t, found, false)
	return false
}

// lineBegins goes to where the warp came to another source line after a tick. If it began its journey there, the answer
// is nil, and the journey goes on with the line before.
func (s *Session) lineBegins(t *travel, end int64) *answer {
	h := s.history
	h.seek(end)
	q := s.ofWarp(otherLine(emu.WarpHead(h.grid, s.cta, s.warp).PC))
	q.pass = end
	begin := h.next(q, t.from)
	if begin != nil || t.lineBefore {
		return begin
	}
	t.question, t.looked, t.lineBefore = q, end, true
	return nil
}

// ofWarp asks for the next of certain instructions that the followed warp comes to.
func (s *Session) ofWarp(where func(*ptx.Inst) bool) question {
	return question{at: s.instsWhere(where), cta: s.cta, warp: s.warp, stop: always, pass: -1}
}

// nothing sets phase and status at the end of a journey that has found nothing, or of a part of it. One that goes
// forward has run new instructions, and shows a fault of theirs.
func (s *Session) nothing(t *travel, more bool) {
	j := t.journey
	if !j.Back {
		s.settle(nil)
		if s.history.faulted {
			s.settle(s.history.fault)
			return
		}
		if more {
			s.status = fmt.Sprintf("No %s was found so far.", Goals[j.Goal])
			return
		}
		if !j.searches() {
			return
		}
	}
	cta, warp, chosen := s.cta, s.warp, s.chosen
	s.SeekTo(t.from)
	s.cta, s.warp, s.chosen = cta, warp, chosen
	status := s.status
	if s.status = j.Nothing(); s.phase == Finished || s.phase == Faulted {
		s.status += " " + status
	}
}

// searches says whether a journey looks for a place, or is a step.
func (j Journey) searches() bool {
	switch j.Goal {
	case ToSourceLine, OverCall, OutOfCall, ToWarp:
		return false
	}
	return true
}

// Nothing says that a journey finds nothing.
func (j Journey) Nothing() string {
	what, where := Goals[j.Goal], "further"
	if j.Back {
		where = "earlier"
	}
	switch {
	case j.Goal == ToLine && j.Back:
		return fmt.Sprintf("Line %d has not run before.", j.Line)
	case j.Goal == ToLine:
		return fmt.Sprintf("Line %d does not run again.", j.Line)
	case j.Goal == OverCall, j.Goal == OutOfCall:
		what = "step"
	}
	return "There is no " + where + " " + what + "."
}

// arrive sets phase and status at the end of a journey, or of a part of it.
func (s *Session) arrive(t *travel, found *answer, more bool) {
	if found == nil {
		s.nothing(t, more)
		return
	}
	j := t.journey
	if found.rec != nil && (j.Goal == ToBarrier || j.Goal == ToOutput) {
		s.cta, s.warp = found.rec.CTAIndex, found.rec.Warp
	} else if j.Goal == ToBreakpoint || j.Goal == ToWarp {
		s.followNext()
	}
	s.settle(nil)
	if s.history.faulted {
		s.settle(s.history.fault)
		return
	}
	if found.rec != nil {
		s.last, s.status = found.rec, s.sentence(found.rec)
		return
	}
	w := emu.WarpHead(s.history.grid, s.cta, s.warp)
	s.status = fmt.Sprintf("Line %d: warp %d of CTA %s executes %s next.", s.line(w.PC), s.warp, s.ctaName(s.cta),
		s.quote(w.PC))
}

// missing says why there is nothing to look for.
func (s *Session) missing(j Journey) string {
	switch j.Goal {
	case ToBreakpoint:
		return "no breakpoint is set."
	case ToSourceLine:
		return "the text has no .loc for this place."
	case OutOfCall:
		return "the warp is in the kernel itself."
	}
	return fmt.Sprintf("no instruction can lead to a %s.", Goals[j.Goal])
}

// questionOf is the search of a journey. ok is false if no instruction can be an answer.
func (s *Session) questionOf(j Journey) (q question, ok bool) {
	q = question{at: map[*ptx.Inst]bool{}, cta: s.cta, warp: s.warp, pass: -1}
	w := emu.WarpHead(s.history.grid, s.cta, s.warp)
	where := func(in *ptx.Inst) bool { return true }
	switch j.Goal {
	case ToBreakpoint:
		q = s.stops.question(s)
		return q, len(q.at) > 0
	case ToDivergence:
		where = func(in *ptx.Inst) bool { return in.Match.Form.Effect&isa.Branches != 0 }
		q.match = splits
	case ToReconvergence:
		q.match = joins
	case ToBarrier:
		q.warp = -1
		where = func(in *ptx.Inst) bool { return in.Match.Form.Effect&isa.Barrier != 0 }
		q.match = func(rec *emu.Step) bool { return rec.Barrier != nil }
	case ToOutput:
		q.cta, q.warp = -1, -1
		where = func(in *ptx.Inst) bool { return in.Call != nil }
		q.match = func(rec *emu.Step) bool { return rec.Output != "" }
	case ToLine:
		q.at, q.stop = breakInsts(s.module, []int{j.Line}), always
		return q, len(q.at) > 0
	case ToSourceLine:
		where, q.stop = otherLine(w.PC), always
	case OverCall:
		q.stop = always
		where = func(in *ptx.Inst) bool { return w.Func != nil && in != w.PC && contains(w.Func, in) }
	case OutOfCall:
		if w.Func == nil || w.Func.Entry {
			return q, false
		}
		where = func(in *ptx.Inst) bool { return strings.HasPrefix(in.Opcode, "ret") && contains(w.Func, in) }
		q.match = func(rec *emu.Step) bool { return emu.WarpHead(s.history.grid, s.cta, s.warp).Func != w.Func }
	case ToWarp:
		q.cta, q.warp, q.stop = -1, -1, always
	}
	q.at = s.instsWhere(where)
	return q, len(q.at) > 0
}

func (s *Session) instsWhere(where func(*ptx.Inst) bool) map[*ptx.Inst]bool {
	at := map[*ptx.Inst]bool{}
	for _, f := range s.module.Funcs {
		for _, in := range f.Insts {
			if where(in) {
				at[in] = true
			}
		}
	}
	return at
}

func contains(f *ptx.Func, in *ptx.Inst) bool {
	return in.Index < len(f.Insts) && f.Insts[in.Index] == in
}

// otherLine says which instructions are of another source line (.loc, 11.5.4) than one.
func otherLine(from *ptx.Inst) func(*ptx.Inst) bool {
	return func(in *ptx.Inst) bool {
		if in.Loc == nil || in.Loc.Line == 0 {
			return false
		}
		return from == nil || from.Loc == nil || in.Loc.Line != from.Loc.Line || in.Loc.File != from.Loc.File
	}
}

// splits says whether lanes have branched apart: the step has made two groups of one.
func splits(rec *emu.Step) bool {
	for _, c := range rec.Stack {
		if c.Push && c.Entry.Cause == rec.Inst && c.Entry.Mask != rec.Active {
			return true
		}
	}
	return false
}

// joins says whether lanes have met at their reconvergence point.
func joins(rec *emu.Step) bool {
	for _, c := range rec.Stack {
		if !c.Push && c.Why == emu.Reached {
			return true
		}
	}
	return false
}

// goToFinding goes to the state after the step that made the next finding, or the last one, from a tick on.
func (s *Session) goToFinding(t *travel, from int64) (more bool) {
	h := s.history
	count := func() int { return len(h.grid.Findings()) }
	now := count()
	low, high := from, h.end
	want := now + 1
	if t.journey.Back {
		low, high, want = 0, from, now
		if h.seek(max(from-1, 0)); count() < now { // the last step made the latest one
			want, high = now-1, from-1
		}
	} else if h.seek(high); count() < want {
		_ = h.silently(journeyTicks)
		if more = !h.grid.Done() && !h.faulted; count() < want {
			s.nothing(t, more)
			return more
		}
		high = h.tick()
	}
	if want <= 0 {
		s.nothing(t, false)
		return false
	}
	h.seek(h.firstWith(want, low, high))
	s.settle(nil)
	list := h.grid.Findings()
	s.status = "Finding: " + list[min(want, len(list))-1].Message
	return false
}
