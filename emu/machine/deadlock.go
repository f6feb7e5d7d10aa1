package machine

import (
	"fmt"
	"strings"

	"warpscope/gpu"
	"warpscope/ptx"
)

// deadlock returns the fault that explains why no warp of the CTA can go on.
func (c *CTA) deadlock() *Fault {
	var who []string
	f := &Fault{Kind: gpu.BarrierDeadlock, CTA: c.id}
	for i := range c.barriers {
		b := &c.barriers[i]
		if b.arrived == 0 {
			continue
		}
		want := b.expected
		if want == 0 {
			want = c.live
		}
		who = append(who, fmt.Sprintf("barrier %d has %d of %s", i, b.arrived, ptx.Plural(want, "thread")))
	}
	if n := c.ClusterArrivals(); n > 0 {
		who = append(who, fmt.Sprintf("the cluster's barrier has %d of %s", n, ptx.Plural(c.ClusterLive(), "thread")))
	}
	for _, w := range c.Warps {
		if w.Ended {
			continue
		}
		who = append(who, awaitedPhases(w)...)
		if waits := lanesWaiting(w); waits != "" {
			who = append(who, fmt.Sprintf("in warp %d %s", w.Index, waits))
		}
		if f.Inst == nil && len(w.waits.list) > 0 {
			o := w.waits.list[0]
			f.Warp, f.Lanes, f.Inst = w.Index, o.lanes, o.In.Src
		}
		for _, e := range w.Policy.Entries(&w.lanes) {
			if e.Wait == gpu.WaitMembers {
				f.Kind = gpu.DivergenceDeadlock
				f.Warp, f.Lanes, f.Inst = w.Index, e.Mask, c.Grid.Prog.Code[e.PC].Src
			}
		}
	}
	for _, p := range c.peers() {
		for _, w := range p.Warps {
			for _, what := range awaitedPhases(w) {
				if p != c {
					who = append(who, fmt.Sprintf("%s in CTA %d,%d,%d", what, p.id.X, p.id.Y, p.id.Z))
				}
			}
		}
	}
	if f.Inst != nil {
		f.Pos = c.Grid.Position(f.Inst)
	}
	f.Detail = ": no warp can go on; " + strings.Join(who, "; ")
	return f
}

// pollFault stops the grid at the lanes that look at an mbarrier forever.
func (c *CTA) pollFault() {
	g := c.Grid
	for _, w := range c.Warps {
		if w.Ended || w.Blocked {
			continue
		}
		// The test is where the warp is, or a little before, in the same loop.
		pc := w.Cur.PC
		for g.Prog.Code[pc].X == nil || g.Prog.Code[pc].X.Wait == nil {
			if pc--; pc < w.Cur.Frame.Fn.Start {
				break
			}
		}
		if pc < w.Cur.Frame.Fn.Start {
			continue
		}
		in := &g.Prog.Code[pc]
		w.Fail(in, &Fault{Kind: gpu.BarrierDeadlock, Lanes: w.Cur.Mask, Detail: fmt.Sprintf(": these lanes look forever "+
			"at %s, and nothing is left that could complete the phase", phasesOf(w, in, w.Cur.Frame, w.Cur.Mask))})
		return
	}
	g.Fault = c.deadlock()
}

// lanesWait returns the first CTA in which lanes wait for others of their warp, or nil.
func lanesWait(g *Grid) *CTA {
	for _, c := range g.State.CTAs {
		for _, w := range c.Warps {
			if !w.Blocked && lanesWaiting(w) != "" {
				return c
			}
		}
	}
	return nil
}

// lanesWaiting describes which lanes wait for others of their warp, and where. Lanes that have not had their turn on
// the stack wait nowhere: they still have to run.
func lanesWaiting(w *Warp) string {
	var waits []string
	var seen Mask
	for _, e := range w.Policy.Entries(&w.lanes) {
		lanes := e.Mask &^ seen
		seen |= lanes
		if lanes == 0 || e.Wait == gpu.WaitNone || e.Wait == gpu.WaitBarrier {
			continue
		}
		who, line := lanes.Lanes(), w.CTA.Grid.line(int(e.PC))
		switch e.Wait {
		case gpu.WaitTurn:
			waits = append(waits, fmt.Sprintf("%s %s still to run line %d, but %s under them on the stack", who,
				gpu.Verb(lanes, "has", "have"), line, gpu.Verb(lanes, "lies", "lie")))
		case gpu.WaitMembers:
			waits = append(waits, fmt.Sprintf("%s %s for %s at line %d", who, wait(lanes), e.Missing.Lanes(), line))
		default:
			waits = append(waits, fmt.Sprintf("%s %s for the others at line %d", who, wait(lanes), line))
		}
	}
	return strings.Join(waits, ", ")
}
