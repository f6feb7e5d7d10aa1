package machine

import (
	"context"
	"errors"
	"slices"

	"warpscope/gpu"
)

const (
	ctaSlice    = 1 << 16
	maxResident = 4096 // CTAs that can be resident at a time, while there is memory
	maxThreads  = 1024 // per CTA
)

// ErrBreak is what RunFor returns before an instruction with a breakpoint.
var ErrBreak = errors.New("stopped at a breakpoint")

// Run executes the grid to its end. It returns nil, a *Fault, ErrMaxSteps or ctx.Err().
func (g *Grid) Run(ctx context.Context) error {
	const slice = 1 << 18
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if done, err := g.RunFor(slice); done || err != nil {
			return err
		}
	}
}

// RunFor executes at most steps warp instructions, and says whether the grid has ended. It stops with ErrBreak before
// an instruction with a breakpoint, but executes the first instruction of a call even if that has one. Other errors are
// a *Fault and ErrMaxSteps.
func (g *Grid) RunFor(steps int64) (done bool, err error) {
	g.passBreak = true
	observe(g)
	defer flush(g)
	for steps > 0 && !g.State.finished {
		if g.Fault != nil {
			return false, g.Fault
		}
		if g.max > 0 && g.State.Tick >= g.max {
			return false, gpu.ErrMaxSteps
		}
		n := steps
		if g.max > 0 {
			n = min(n, g.max-g.State.Tick)
		}
		if g.Dev.engine != nil {
			if ran := runBatch(g, n); ran > 0 {
				steps -= ran
				continue
			}
		}
		ran, why := g.turn(n)
		steps -= ran
		switch why {
		case stopFault:
			return false, g.Fault
		case stopBreak:
			if observe(g); g.AtBreak() {
				return false, ErrBreak
			}
			g.passBreak = true
		}
	}
	g.passBreak = false
	if g.Fault != nil {
		return false, g.Fault
	}
	return g.State.finished, nil
}

// turn lets the current warp execute up to n instructions of its turn, then settles which warp is next. It returns how
// many instructions the warp has executed, and why it stopped.
func (g *Grid) turn(n int64) (int64, stop) {
	s := &g.State
	c := s.CTAs[s.Cur]
	w := c.Warps[c.Cur]
	if e := engineFor(w); e != nil && g.Flying == 0 {
		if ran := phases(g, e, n); ran > 0 {
			return ran, stopBudget
		}
	}
	ran, why := w.Run(n)
	executed(w, ran)
	if why == stopFault || why == stopBreak {
		return ran, why
	}
	if why == stopEnded {
		c.warpEnded(w)
	}
	if why != stopBudget || g.stretch(w.Cur.PC, 0) == 0 {
		s.left = 0
		if watchSpin(g) {
			spinFault(g)
			return ran, stopFault
		}
		if err := g.schedule(); err != nil {
			return ran, stopFault
		}
	}
	return ran, why
}

// schedule settles whose turn it is: the next ready warp of the CTA, or another CTA.
func (g *Grid) schedule() error {
	s := &g.State
	for {
		if s.Cur < len(s.CTAs) {
			c := s.CTAs[s.Cur]
			if c.twin = nil; c.done() {
				g.retire(s.Cur)
				s.ctaLeft = slice(g)
				continue
			}
			stay := s.ctaLeft > 0 || !another(g)
			switch {
			case stay && c.nextWarp():
				s.left = g.Dev.opts.Schedule.Turn(TurnLength, c.Index, c.Cur, int(c.Warps[c.Cur].Cur.PC))
				if s.ctaLeft <= 0 {
					s.ctaLeft = slice(g)
				}
				return nil
			case !stay && c.ready():
				s.Cur++
			case g.runPeer(c) || c.releaseLanes() || c.timeUp():
				continue
			default:
				g.Fault = c.deadlock()
				return g.Fault
			}
		}
		switch {
		case g.room() && s.Cur >= len(s.CTAs):
			if err := g.start(); err != nil {
				return err
			}
			s.Cur = len(s.CTAs) - g.ClusterSize()
		case len(s.CTAs) == 0:
			s.finished = true
			g.finish()
			return nil
		case s.Cur >= len(s.CTAs):
			s.Cur = 0
		}
		s.ctaLeft = slice(g)
	}
}

// slice returns for how many instructions the current CTA runs before another one does.
func slice(g *Grid) int64 { return g.Dev.opts.Schedule.Slice(ctaSlice, g.State.Cur) }

// another says whether some other CTA could run now.
func another(g *Grid) bool {
	return len(g.State.CTAs) > 1 || g.room()
}

// room says whether another CTA is to start, and there is a place for it.
func (g *Grid) room() bool {
	return int64(g.State.Next) < g.Counters.CTAs && len(g.State.CTAs) < g.State.most
}

// runPeer gives the turn to the next CTA of the cluster that can run. It returns false when there is none.
func (g *Grid) runPeer(c *CTA) bool {
	if g.ClusterSize() == 1 {
		return false
	}
	peers := c.peers()
	at := slices.Index(peers, c)
	for i := 1; i < len(peers); i++ {
		if p := peers[(at+i)%len(peers)]; p.ready() {
			g.State.Cur, g.State.ctaLeft = slices.Index(g.State.CTAs, p), slice(g)
			return true
		}
	}
	return false
}

// start makes the next CTA resident, with all others of its cluster. When one more like it would leave less than an
// eighth of the memory, it limits resident CTAs to their present number: the rest of the memory is for their calls.
func (g *Grid) start() error {
	s := &g.State
	before := g.Mem.Used()
	for range g.ClusterSize() {
		c, err := g.newCTA(g.CTAAt(s.Next))
		if err != nil {
			return err
		}
		s.Next++
		s.CTAs = append(s.CTAs, c)
	}
	if s.most == maxResident && 2*g.Mem.Used()-before > g.Mem.Limit()-g.Mem.Limit()/8 {
		s.most = len(s.CTAs)
	}
	return nil
}

// retire removes an ended CTA. The last CTA of the grid stays, so that people can look at its registers.
func (g *Grid) retire(i int) {
	s := &g.State
	if g.ends != nil {
		g.ends[s.CTAs[i].Index] = s.Tick
	}
	landTransfers(g, s.CTAs[i])
	s.CTAs[i].checkResizes()
	if len(s.CTAs) == 1 && int64(s.Next) == g.Counters.CTAs {
		s.last = s.CTAs[i]
	} else {
		s.CTAs[i].release()
		g.counting.end(s.CTAs[i])
		if len(g.spare) < mostSpare {
			g.spare = append(g.spare, s.CTAs[i])
		}
	}
	s.CTAs = slices.Delete(s.CTAs, i, i+1)
	g.Counters.CTAsDone++
	s.ctaEnded()
}

// finish gives back the memory that the launch has reserved. Counters and output stay.
func (g *Grid) finish() {
	giveBack(g)
	g.Dev.ended = g
}

// giveBack frees the memory of a grid that has ended, or that could not start.
func giveBack(g *Grid) {
	for _, c := range g.State.CTAs {
		c.release()
	}
	g.State.CTAs = nil
	g.releaseFrames()
	g.Mem.Unreserve(g.params)
	g.Mem.Unreserve(g.workspace)
	g.Mem.Unreserve(g.slices)
}
