package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// mbarrier.test_wait looks at an object. mbarrier.try_wait suspends the warp until the phases that its lanes name are
// complete. Only when nothing else can run and nothing is under way that could complete them is its time up, and it
// returns false. If the program comes back to the same state, nothing will ever change, and that is a fault.

// mbarrierWait is mbarrier.test_wait and mbarrier.try_wait (9.7.13.15.16).
type mbarrierWait struct {
	complete row.Operand
	phase    row.Operand // the state before an arrival, or a parity
	parity   bool
	suspend  bool
}

func lowerMbarrierWait(l *lowerer) bool {
	ops := l.in.Operands
	v := &mbarrierWait{complete: l.dst(ops[0]), parity: l.has(".parity"), suspend: l.has(".try_wait")}
	if v.phase = l.src(ops[2], isa.B64); v.parity {
		v.phase = l.src(ops[2], isa.U32)
	}
	mem := l.access(ops[1], isa.B64, false)
	l.i.op, l.i.x = opRun, &extra{mem: mem, wait: v, run: v.run}
	return true
}

func (v *mbarrierWait) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	at, ok := w.mbarriers(in, in.x.mem, f, exec)
	if !ok {
		return false
	}
	g := w.cta.grid
	valid := true
	eachLane(exec, func(lane int) {
		c, ref := findMbarrier(g, at[lane])
		switch is, why := v.phase.Get(f, lane), validMbarrier(g, ref, at[lane]); {
		case !valid:
		case why != "":
			valid = w.mbarrierFault(in, f, lane, why)
		case c != w.cta:
			valid = w.mbarrierFault(in, f, lane, "a thread can wait only for objects of its own CTA")
		case v.parity && is > 1:
			valid = w.mbarrierFault(in, f, lane, fmt.Sprintf("a parity of %d: it is 0 or 1", is))
		case !v.parity && !mbarrier(is).set():
			valid = w.mbarrierFault(in, f, lane, fmt.Sprintf("%#x is no state that mbarrier.arrive has returned", is))
		case !v.parity && (ref.is.phase()-mbarrier(is).phase())&2 != 0:
			valid = w.mbarrierFault(in, f, lane, fmt.Sprintf("a state of a phase before the last one, and it is in %s",
				c.mbarrierView(ref)))
		default:
			g.record.mbarrier(c.mbarrierView(ref))
		}
	})
	if !valid {
		return false
	}
	done := v.test(w, f, exec, &at)
	switch {
	case done == exec:
	case v.suspend:
		w.waitAt(AtMbarrier, in, exec)
		return true
	default: // what is under way arrives for the next look
		g.state.polled = g.state.tick + w.ran + 1
		eachLane(exec&^done, func(lane int) { deliverTo(g, at[lane]) })
	}
	v.complete.SetLanes(f, exec, uint32(done))
	return g.fault == nil
}

// test is the lanes whose phase is complete: it is not the current one.
func (v *mbarrierWait) test(w *warp, f unsafe.Pointer, exec Mask, at *[32]uint32) (done Mask) {
	eachLane(exec, func(lane int) {
		was := v.phase.Get(f, lane)
		if !v.parity {
			was = mbarrier(was).phase()
		}
		if (mbarrierAt(w.cta.grid, at[lane]).phase()-was)&1 != 0 {
			done |= 1 << lane
			if _, ref := findMbarrier(w.cta.grid, at[lane]); ref != nil {
				ref.seen = true
			}
		}
	})
	return done
}

// wakeAtMbarriers lets lanes that are suspended at mbarriers go on when the phases they wait for are complete, or their time is up.
func wakeAtMbarriers(w *warp, timeUp bool) bool {
	return w.endWaits(func(o *waiting) bool { return o.at == AtMbarrier && phasesDone(w, o, timeUp) })
}

func phasesDone(w *warp, o *waiting, timeUp bool) bool {
	g := w.cta.grid
	f := g.mem.At(o.frame.off)
	at, ok := w.mbarriers(o.in, o.in.x.mem, f, o.lanes)
	if !ok { // somebody has invalidated the object
		return true
	}
	v := o.in.x.wait
	done := v.test(w, f, o.lanes, &at)
	if done != o.lanes {
		eachLane(o.lanes&^done, func(lane int) { deliverTo(g, at[lane]) })
		done = v.test(w, f, o.lanes, &at)
	}
	if done != o.lanes && !timeUp {
		return false
	}
	v.complete.SetLanes(f, o.lanes, uint32(done))
	w.mark(o.frame, o.in.seen, o.lanes)
	return true
}

// runnable says whether the warp can run now.
func (w *warp) runnable() bool {
	if w.Ended {
		return false
	}
	if w.waits.suspended {
		wakeAtMbarriers(w, false)
	}
	return !w.Blocked
}

// maxTimeUps bounds how often suspended warps are told in vain, one after the other, that their time is up: a loop that
// counts its tries, or looks at a clock, is in a new state every time.
const maxTimeUps = 1 << 10

// timeUp ends the suspension of the CTA's warps, since nothing else can run. A program may look several times before it
// gives up; false when it has come back with nothing changed, registers included, or has done so very often.
func (c *cta) timeUp() bool {
	s := &c.grid.state
	if s.progress {
		s.watchAgain()
	}
	t := &s.timeUps
	if t.since != s.spin.since {
		*t = spinWatch{since: s.spin.since}
	}
	h := c.spinHash()
	if h == t.seen && t.period > 0 || t.looked == maxTimeUps {
		return false
	}
	if t.looks >= t.period {
		t.seen, t.looks, t.period = h, 0, max(1, 2*t.period)
	}
	t.looks++
	t.looked++
	woken := false
	for _, w := range c.warps {
		woken = wakeAtMbarriers(w, true) || woken
	}
	return woken
}

// awaitedPhases tells what lanes wait for that are suspended or at tensor memory.
func awaitedPhases(w *warp) (list []string) {
	for _, o := range w.waits.list {
		if o.at == AtMbarrier {
			list = append(list, fmt.Sprintf("%s of warp %d %s for %s", o.lanes.Lanes(), w.index, wait(o.lanes),
				phasesOf(w, o.in, o.frame, o.lanes)))
		}
		if o.at == AtTensor {
			list = append(list, o.in.x.tensor.awaits(w, &o))
		}
		if o.at == AtGroup {
			list = append(list, fmt.Sprintf("warp %d waits in `%s` for the other warps of its warpgroup", w.index, o.in.src.Opcode))
		}
	}
	return list
}

// phasesOf tells of the first object that lanes look at: "phase 1 of the mbarrier at shared+8 (phase 1, 3 of …)".
func phasesOf(w *warp, in *inst, fr *frame, lanes Mask) string {
	g := w.cta.grid
	f := g.mem.At(fr.off)
	off, _ := w.span(in.x.mem, laneAddr(in.x.mem, f, firstLane(lanes)), 8, 8, 0)
	c, ref := findMbarrier(g, off)
	if ref == nil {
		return "an mbarrier"
	}
	return fmt.Sprintf("the mbarrier at shared+%d, in %s", ref.off, c.mbarrierView(ref))
}

// pollFault says which lanes look at an mbarrier forever.
func (c *cta) pollFault() {
	g := c.grid
	for _, w := range c.warps {
		if w.Ended || w.Blocked {
			continue
		}
		// The test is where the warp is, or a little before: in the loop around it.
		pc := w.Cur.PC
		for g.prog.code[pc].x == nil || g.prog.code[pc].x.wait == nil {
			if pc--; pc < w.Cur.Frame.fn.start {
				break
			}
		}
		if pc < w.Cur.Frame.fn.start {
			continue
		}
		in := &g.prog.code[pc]
		w.fail(in, &Fault{Kind: BarrierDeadlock, Lanes: w.Cur.Mask, Detail: fmt.Sprintf(": these lanes look forever at %s, "+
			"and nothing is left that could complete the phase", phasesOf(w, in, w.Cur.Frame, w.Cur.Mask))})
		return
	}
	g.fault = c.deadlock()
}
