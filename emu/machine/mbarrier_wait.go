package machine

import (
	"fmt"
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/gpu"
)

// mbarrier.test_wait looks at an object. mbarrier.try_wait suspends the warp until the phases that its lanes name are
// complete. It returns false, because its time is up, only when nothing else can run and no operation under way could
// complete the phases. If the program then comes back to the same state, nothing will ever change, and that is a fault.

// Test returns the lanes whose phase is complete: the object at at[lane] is in another phase.
func (v *MbarrierWait) Test(w *Warp, f unsafe.Pointer, exec Mask, at *[32]uint32) (done Mask) {
	EachLane(exec, func(lane int) {
		was := v.Phase.Get(f, lane)
		if !v.Parity {
			was = gpu.Mbarrier(was).Phase()
		}
		_, ref := FindMbarrier(w.CTA.Grid, at[lane])
		now := MbarrierAt(w.CTA.Grid, at[lane]).Phase()
		if v.Conditional && ref != nil {
			now = uint64(ref.Conditional)
		}
		if (now-was)&1 != 0 {
			done |= 1 << lane
			if ref != nil {
				ref.Seen = true
			}
			Synchronizes(w, at[lane], causal.Operation{Reach: v.Scope, Reads: true, Acquires: v.Acquires})
		}
	})
	return done
}

// Answer sets the results of lanes, some of which are done. The others get reports of zero, where the manual leaves
// them unspecified; the value is always zero, for no operation here reports another (9.7.10.28.1.3).
func (v *MbarrierWait) Answer(w *Warp, f unsafe.Pointer, lanes, done Mask, at *[32]uint32) {
	v.Complete.P.SetLanes(f, lanes, uint32(done))
	if !v.Complete.Q.Sink {
		reported := Mask(0)
		EachLane(done, func(lane int) {
			if _, ref := FindMbarrier(w.CTA.Grid, at[lane]); ref != nil && ref.Before {
				reported |= 1 << lane
			}
		})
		v.Complete.Q.SetLanes(f, lanes, uint32(reported))
	}
	EachLane(lanes, func(lane int) { v.Value.Set(f, lane, 0) })
}

// wakeAtMbarriers wakes lanes that are suspended at mbarriers, when the phases that they wait for are complete or their
// time is up. It returns whether there were some.
func wakeAtMbarriers(w *Warp, timeUp bool) bool {
	return w.EndWaits(func(o *Waiting) bool { return o.At == AtMbarrier && phasesDone(w, o, timeUp) })
}

// phasesDone says whether a suspended group can go on, and writes its result if so. It first makes operations under way
// happen that could complete the phases.
func phasesDone(w *Warp, o *Waiting, timeUp bool) bool {
	g := w.CTA.Grid
	f := g.Mem.At(o.frame.Off)
	at, ok := w.Mbarriers(o.In, o.In.X.Mem, f, o.lanes)
	if !ok { // a thread has invalidated the object
		return true
	}
	v := o.In.X.Wait
	done := v.Test(w, f, o.lanes, &at)
	if done != o.lanes {
		EachLane(o.lanes&^done, func(lane int) { DeliverTo(g, at[lane]) })
		done = v.Test(w, f, o.lanes, &at)
	}
	if done != o.lanes && !timeUp {
		return false
	}
	v.Answer(w, f, o.lanes, done, &at)
	w.mark(o.frame, o.In.Seen, o.lanes)
	return true
}

// runnable says whether the warp can run now.
func (w *Warp) runnable() bool {
	if w.Ended {
		return false
	}
	if w.waits.suspended {
		wakeAtMbarriers(w, false)
	}
	return !w.Blocked
}

// awaitedPhases describes what the suspended lanes of a warp wait for, and those at tensor memory.
func awaitedPhases(w *Warp) (list []string) {
	for _, o := range w.waits.list {
		if o.At == AtMbarrier {
			list = append(list, fmt.Sprintf("%s of warp %d %s for %s", o.lanes.Lanes(), w.Index, wait(o.lanes),
				phasesOf(w, o.In, o.frame, o.lanes)))
		}
		if o.At == AtTensor {
			list = append(list, o.In.X.Tensor.awaits(w, &o))
		}
		if o.At == AtGroup {
			list = append(list, fmt.Sprintf("warp %d waits in `%s` for the other warps of its warpgroup", w.Index,
				o.In.Src.Opcode))
		}
	}
	return list
}

// phasesOf describes the first object that lanes look at: "the mbarrier at shared+8, in phase 1, 3 of …".
func phasesOf(w *Warp, in *Inst, fr *Frame, lanes Mask) string {
	g := w.CTA.Grid
	f := g.Mem.At(fr.Off)
	off, _ := w.Span(in.X.Mem, LaneAddr(in.X.Mem, f, FirstLane(lanes)), 8, 8, 0)
	c, ref := FindMbarrier(g, off)
	if ref == nil {
		return "an mbarrier"
	}
	if in.X.Wait.Conditional && ref.Conditional != ref.Phase {
		return fmt.Sprintf("conditional phase %d of the mbarrier at shared+%d, which stayed behind because an operation has "+
			"reported; it is in %s", ref.Conditional, ref.Off, c.MbarrierView(ref))
	}
	return fmt.Sprintf("the mbarrier at shared+%d, in %s", ref.Off, c.MbarrierView(ref))
}
