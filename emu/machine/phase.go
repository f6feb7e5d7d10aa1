package machine

import (
	"warpscope/emu/row"
	"warpscope/gpu"
)

const (
	turnLength  = 256  // docs/rationale.md says why
	privateTurn = 4096 // the same for turns that go on with what no other warp can see
)

// A phase is what the warps of a CTA do from one barrier to the next. Where all of them are at one place with all
// lanes, as they are after a barrier, and compiled code takes each of them to the same barrier within its turn, nothing
// is to be decided on the way, and at the end all go on. phases does only what is left of these turns.

// phases executes phases of the current CTA, at most n instructions, and returns how many. Where a warp does not come
// to the barrier, it stops within the warp's turn. The warp that comes last goes on with its turn, as in Warp.Run.
func phases(g *Grid, e Compiled, n int64) (ran int64) {
	for c := g.State.CTAs[g.State.Cur]; g.breaks.to == nil && c.together(); {
		k, whole := c.phase(e, n-ran)
		if ran += k; !whole {
			break
		}
	}
	return ran
}

// together says whether a phase can begin: all warps are where the current one is, with all lanes, and can come to a
// barrier. There has been progress not long ago, so that watchSpin has nothing to do.
func (c *CTA) together() bool {
	s := &c.Grid.State
	cur := &c.Warps[c.Cur].Cur
	if c.open != 0 || s.left <= 0 || s.Tick-s.spin.since > 2*SpinInterval || !c.Grid.Prog.Barrier[cur.PC] {
		return false
	}
	for _, w := range c.Warps {
		if w.Ended || w.Blocked || w.Live != gpu.FullMask || w.Cur.Mask != gpu.FullMask || w.Cur.PC != cur.PC ||
			w.Cur.RPC != cur.RPC {
			return false
		}
	}
	return true
}

// phase executes a phase, at most n instructions of it. It returns how many they were, and whether all warps have come
// to the barrier.
func (c *CTA) phase(e Compiled, n int64) (ran int64, whole bool) {
	g, w := c.Grid, c.Warps[c.Cur]
	s := &g.State
	pc, k := e.Run(w, Place{PC: w.Cur.PC, RPC: w.Cur.RPC, Active: gpu.FullMask, Frame: w.Cur.Frame.Off, Left: s.left,
		More: privateTurn - turnLength, Most: min(n, s.ctaLeft)/int64(len(c.Warps)) - 1})
	barrier, gone := pc, e.Gone()
	if k == 0 || !g.Prog.Code[barrier].simple() {
		return c.stopped(w, pc, k, gone), false
	}
	for i := 1; ; i++ {
		if pc != barrier || k == 0 || k >= s.left || gone.Branches != 0 {
			g.Counters.LaneInstructions += 32 * ran
			c.wait(barrier, i-1)
			return ran + c.stopped(w, pc, k, gone), false
		}
		ran += k + 1
		executed(w, k+1)
		if i == len(c.Warps) {
			break
		}
		watchSpin(g)
		if c.Cur++; c.Cur == len(c.Warps) {
			c.Cur = 0
		}
		w, s.left = c.Warps[c.Cur], turnLength
		w.Policy.Turn(&w.lanes)
		pc, k = e.Again(w, w.Cur.Frame.Off, turnLength)
	}
	g.Counters.LaneInstructions += 32 * ran
	c.pass(barrier)
	return ran, true
}

// stopped notes that a warp's turn has come to a pc after so many instructions, and goes on there.
func (c *CTA) stopped(w *Warp, pc int32, ran int64, gone *Gone) int64 {
	if ran == 0 {
		return 0
	}
	executed(w, ran)
	c.Grid.Counters.LaneInstructions += 32 * ran
	if w.Cur.PC = pc; gone.Branches != 0 {
		c.Grid.Counters.LaneInstructions -= gone.Missed
		depart(w, gone, pc)
	}
	if w.Cur.PC == w.Cur.RPC {
		w.Policy.Reconverge(&w.lanes)
	}
	return ran
}

// wait lets the n warps before the current one wait at a barrier, to which they have come.
func (c *CTA) wait(barrier int32, n int) {
	for i := len(c.Warps) - n; i < len(c.Warps); i++ {
		w := c.Warps[(c.Cur+i)%len(c.Warps)]
		w.Cur.PC = barrier
		c.Grid.Counts[barrier].each++
		w.barrier(&c.Grid.Prog.Code[barrier], w.FramePtr(), gpu.FullMask)
	}
}

// pass lets all warps go on after a barrier, to which they have come, the current one last.
func (c *CTA) pass(barrier int32) {
	g := c.Grid
	id, _ := g.Prog.Code[barrier].X.Barrier.at(c.Warps[0].FramePtr(), 0)
	b := &c.barriers[id]
	b.begin(len(c.Warps))
	b.expected = 0
	if len(c.Warps) > 1 {
		b.missing = c.Cur
	}
	for i, w := range c.Warps {
		b.lanes[i] = gpu.FullMask
		if w.Cur.PC = barrier + 1; w.Cur.PC == w.Cur.RPC {
			w.Policy.Reconverge(&w.lanes)
		}
	}
	g.Counts[barrier].each += int64(len(c.Warps))
	g.Counters.Barriers += int64(len(c.Warps))
	g.State.Progress = true
}

// simple says whether an instruction is a barrier at which whole warps do nothing but wait for all others of their CTA.
func (in *Inst) simple() bool {
	if in.Op != OpBar || in.Held || in.Guard != row.TruePred {
		return false
	}
	b := in.X.Barrier
	return !b.Vary && !b.Arrives && b.Red == nil && b.Count.Sink
}

// executed counts instructions that a warp has executed in its turn.
func executed(w *Warp, ran int64) {
	g := w.CTA.Grid
	s := &g.State
	if ran > 1 {
		w.last = s.Tick + ran - 1
	}
	if ran > 0 {
		w.prev, w.last = w.last, s.Tick+ran
	}
	s.Tick += ran
	s.left -= ran
	s.ctaLeft -= ran
	g.Counters.WarpInstructions += ran
}
