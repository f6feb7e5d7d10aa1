package machine

import (
	"warpscope/emu/row"
	"warpscope/gpu"
)

const (
	TurnLength  = 256  // docs/rationale.md says why
	PrivateTurn = 4096 // the same for turns that go on with what no other warp can see
)

// A phase is what the warps of a CTA do from one barrier to the next. Where all of them are at one place with all
// lanes, as they are after a barrier, and compiled code takes each of them to the same barrier within its turn, nothing
// is to be decided on the way, and at the end all go on. The engine executes phase after phase; what is left to do of
// their turns comes after that.

// phases executes phases of the current CTA, at most n instructions, and returns how many. Where a warp does not come
// to the barrier, it stops within the warp's turn. The warp that comes last goes on with its turn, as in Warp.Run.
func phases(g *Grid, e Compiled, n int64) (ran int64) {
	p := &g.phases
	c := g.State.CTAs[g.State.Cur]
	pauses := g.breaks.to != nil && (g.observer.do != nil || !g.breaks.one || g.breaks.cta == c.Index)
	for !pauses && c.together() {
		p.Most = min(n-ran, g.State.ctaLeft)
		p.Turn, p.Left, p.Quiet, p.Cur = TurnLength, g.State.left, g.State.Tick-g.State.spin.since, c.Cur
		e.Phases(c, p)
		ran += c.passed(p)
		if p.Come > 0 || p.Ran > 0 || len(p.Barriers) == 0 {
			ran += c.stopped(e, p)
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

// passed notes the phases that the engine has executed, and the warps that have come to the next barrier. It returns
// how many instructions that were.
func (c *CTA) passed(p *Phases) int64 {
	g, n := c.Grid, len(c.Warps)
	s := &g.State
	if len(p.Barriers) > 0 && n > 1 && !s.Progress {
		c.Cur = (c.Cur + n - 2) % n
		s.roundOver() // before the last turn of the first phase, as watchSpin does
		c.Cur = (c.Cur + 2) % n
	}
	for i := range p.Barriers {
		c.turns(n - 1)
		c.pass(p.Barriers[i])
	}
	c.turns(p.Come)
	if p.Since > 0 {
		s.spin = spinWatch{since: s.Tick + p.Since}
	}
	for i, w := range c.Warps {
		if end := p.Ends[i]; end > 0 {
			w.prev, w.last = s.Tick+end-1, s.Tick+end
		}
		if k := len(p.Barriers); k > 0 {
			if w.Cur.PC = p.Barriers[k-1] + 1; w.Cur.PC == w.Cur.RPC {
				w.Policy.Reconverge(&w.lanes)
			}
		}
	}
	s.Tick += p.Passed
	s.ctaLeft -= p.Passed
	s.left = p.Left
	g.Counters.WarpInstructions += p.Passed
	g.Counters.LaneInstructions += 32 * p.Passed
	if p.Come > 0 {
		c.wait(p.Barrier, p.Come)
		c.Cur = (c.Cur + n - 1) % n
		watchSpin(g)
		c.Cur = (c.Cur + 1) % n
	}
	return p.Passed
}

// turns gives the turn to the next n warps, one after the other. A stack takes no notice of that.
func (c *CTA) turns(n int) {
	for i := 1; i <= n && c.Warps[0].progress(); i++ {
		w := c.Warps[(c.Cur+i)%len(c.Warps)]
		w.Policy.Turn(&w.lanes)
	}
	c.Cur = (c.Cur + n) % len(c.Warps)
}

// stopped goes on where the turn of the current warp has come to in the engine. It returns how many instructions of it
// have been executed.
func (c *CTA) stopped(e Compiled, p *Phases) int64 {
	if p.Ran == 0 {
		return 0
	}
	w := c.Warps[c.Cur]
	executed(w, p.Ran)
	c.Grid.Counters.LaneInstructions += 32 * p.Ran
	if w.Cur.PC = p.PC; e.Gone().Branches != 0 {
		c.Grid.Counters.LaneInstructions -= e.Gone().Missed
		depart(w, e.Gone(), p.PC)
	}
	if w.Cur.PC == w.Cur.RPC {
		w.Policy.Reconverge(&w.lanes)
	}
	return p.Ran
}

// wait lets the n warps before the current one wait at a barrier, to which they have come, or end.
func (c *CTA) wait(at int32, n int) {
	in := &c.Grid.Prog.Code[at]
	for i := len(c.Warps) - n; i < len(c.Warps); i++ {
		w := c.Warps[(c.Cur+i)%len(c.Warps)]
		w.Cur.PC = at
		c.Grid.Counts[at].Each++
		if in.Ends() {
			w.doExit(gpu.FullMask)
			c.warpEnded(w)
			continue
		}
		w.barrier(in, w.FramePtr(), gpu.FullMask)
	}
}

// pass notes that all warps have gone on after a barrier, to which the current one has come last.
func (c *CTA) pass(barrier int32) {
	g := c.Grid
	id, _ := g.Prog.Code[barrier].X.Barrier.at(c.Warps[0].FramePtr(), 0)
	b := &c.barriers[id]
	b.begin(len(c.Warps))
	b.expected = 0
	if len(c.Warps) > 1 {
		b.missing = c.Cur
	}
	for i := range b.lanes {
		b.lanes[i] = gpu.FullMask
	}
	g.Counts[barrier].Each += int64(len(c.Warps))
	g.Counters.Barriers += int64(len(c.Warps))
	g.State.Progress = true
}

// Simple says whether an instruction is a barrier at which whole warps do nothing but wait for all others of their CTA.
func (in *Inst) Simple() bool {
	if in.Op != OpBar || in.Held || in.Guard != row.TruePred {
		return false
	}
	b := in.X.Barrier
	return !b.Vary && !b.Arrives && b.Red == nil && b.Count.Sink
}

// Ends says whether an instruction of a kernel ends whole warps.
func (in *Inst) Ends() bool {
	return (in.Op == OpRet || in.Op == OpExit) && !in.Held && in.Guard == row.TruePred
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
