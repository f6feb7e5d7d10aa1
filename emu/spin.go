package emu

import (
	"fmt"
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// spinWatch finds warps that spin for ever. The machine is deterministic: when nothing has been written for a long time
// and registers, stacks and schedule are what they were before, they will be so again and again. States are compared by
// Brent's method: one is remembered, and replaced after 1, 2, 4, … looks.
type spinWatch struct {
	since  int64 // tick of the last progress that was looked at: a change of memory, an exit, a barrier
	seen   uint64
	looks  int64 // since seen was replaced
	period int64 // looks after which it is replaced
	reads  int64 // when seen was remembered

	looked    int64 // tick of the last look
	cta, warp int   // whose turn was the last
}

const (
	spinPatience = 1 << 19 // instructions without progress before looking
	pollPatience = 1 << 16 // the same, when somebody looks at mbarriers in vain
	spinInterval = 1 << 13 // instructions between looks, at least
	spinRound    = 16 * ctaSlice
	spinCTAs     = 8 // looking at more would take too long
)

// watchAgain forgets what has been seen, since something has changed.
func (s *gridState) watchAgain() { s.progress, s.spin = false, spinWatch{since: s.tick} }

// watchSpin is called at the end of a warp's turn; it reports whether lanes of the last CTAs spin for ever: others wait
// for them, or they look at memory that nobody is left to change.
func (g *Grid) watchSpin() bool {
	s := &g.state
	if s.progress {
		if s.tick-s.spin.since >= spinInterval { // seldom: stores that cannot be progress are quicker
			s.watchAgain()
		}
		return false
	}
	patience := int64(spinPatience)
	if s.polled > s.spin.since {
		patience = pollPatience
	}
	if !s.roundOver() || s.tick-s.spin.since < patience {
		return false
	}
	s.spin.looked = s.tick
	if len(s.ctas) > spinCTAs || int64(s.next) < g.stats.CTAs {
		return false // others may write what it waits for
	}
	h := g.spinHash()
	if h == s.spin.seen && s.spin.period > 0 {
		released := false
		for _, c := range s.ctas {
			released = c.releaseLanes() || released
		}
		if released {
			s.spin = spinWatch{since: s.tick}
			return false
		}
		return g.lanesWait() != nil || s.polled > s.spin.since || g.reads() > s.spin.reads
	}
	if s.spin.looks >= s.spin.period {
		s.spin.seen, s.spin.looks, s.spin.period, s.spin.reads = h, 0, max(1, 2*s.spin.period), g.reads()
	}
	s.spin.looks++
	return false
}

// roundOver says whether a round of turns has begun, so that it is time to look. Turns are of any length, and states seen
// at other times than these might all be different.
func (s *gridState) roundOver() bool {
	spin := &s.spin
	warp := s.ctas[s.cur].cur
	ctas, warps := s.cur < spin.cta, s.cur == spin.cta && warp <= spin.warp
	spin.cta, spin.warp = s.cur, warp
	quiet := s.tick - spin.looked
	if len(s.ctas) == 1 {
		return warps && quiet >= spinInterval
	}
	return ctas && quiet >= spinInterval || warps && quiet >= spinRound // one of the CTAs may be all that runs
}

// spinHash covers all that decides how the grid goes on, apart from memory.
func (g *Grid) spinHash() uint64 {
	s := &g.state
	if len(s.ctas) == 1 {
		return s.ctas[0].spinHash()
	}
	h := hasher(14695981039346656037)
	h.add(uint64(s.cur), uint64(s.ctaLeft))
	for _, c := range s.ctas {
		h.add(c.spinHash())
	}
	return uint64(h)
}

// reads counts the executions of instructions that look at memory which others can change. A loop without them waits
// for nobody: it is just endless, as its author may have wanted.
func (g *Grid) reads() (n int64) {
	code := g.counted()
	for i := range code {
		in := code[i].src
		if in == nil || in.Match == nil {
			continue
		}
		if m := in.Match; m.Form.Effect&isa.ReadsMemory != 0 && !m.Has(".param") && !m.Has(".const") && !m.Has(".local") {
			n += code[i].count
		}
	}
	return n
}

// spinHash covers all that decides how the CTA goes on, apart from memory.
func (c *cta) spinHash() uint64 {
	h := hasher(14695981039346656037)
	words := c.grid.dev.arena.words
	h.add(uint64(c.cur))
	for _, w := range c.warps {
		at, _ := w.atBarrier()
		h.add(uint64(w.exited), uint64(w.carry), uint64(at))
		for _, e := range w.policy.entries(w) {
			h.add(uint64(e.pc), uint64(e.rpc), uint64(e.mask), uint64(e.frame.off), uint64(e.missing))
			// The first words hold the execution mask and the scratch row: leftovers of the last instruction.
			h.add(words[(e.frame.off+falsePred)/8 : (e.frame.off+e.frame.fn.frame)/8]...)
		}
	}
	return uint64(h)
}

// lanesWait is the first CTA in which lanes wait for others of their warp, or nil.
func (g *Grid) lanesWait() *cta {
	for _, c := range g.state.ctas {
		for _, w := range c.warps {
			if !w.blocked && w.lanesWaiting() != "" {
				return c
			}
		}
	}
	return nil
}

// lanesWaiting says which lanes wait for others of their warp, and where.
func (w *warp) lanesWaiting() string {
	var waits []string
	var seen Mask
	for _, e := range w.policy.entries(w) {
		lanes := e.mask &^ seen
		seen |= lanes
		if lanes == 0 || e.wait == WaitNone || e.wait == WaitBarrier {
			continue
		}
		whom := "the others"
		if e.wait == WaitMembers {
			whom = e.missing.Lanes()
		}
		waits = append(waits, fmt.Sprintf("%s %s for %s at line %d", lanes.Lanes(), wait(lanes), whom, w.cta.grid.line(e.pc)))
	}
	return strings.Join(waits, ", ")
}

// wait is what lanes do: one lane waits.
func wait(lanes Mask) string {
	if lanes.Count() == 1 {
		return "waits"
	}
	return "wait"
}

// spinFault says who spins and who waits.
func (g *Grid) spinFault() {
	s := &g.state
	if s.polled > s.spin.since {
		s.ctas[s.cur].pollFault()
		return
	}
	ever := fmt.Sprintf(": these lanes spin forever: nothing that still runs can change what they wait for (%s in which memory "+
		"has not changed)", ptx.Plural(s.tick-s.spin.since, "instruction"))
	c := g.lanesWait()
	if c == nil {
		c = s.ctas[s.cur]
		w := c.warps[c.cur]
		for i := 0; !w.runnable() && i < len(c.warps); i++ {
			w = c.warps[i]
		}
		w.fail(&g.code[w.cur.pc], &Fault{Kind: SpinDeadlock, Lanes: w.cur.mask, Detail: ever})
		return
	}
	for _, w := range c.warps {
		waits := w.lanesWaiting()
		if w.ended || w.blocked || waits == "" {
			continue
		}
		if _, stack := w.policy.(*simtStack); stack {
			waits += ": a lane that holds a lock must not wait on the stack for those that want it"
		}
		w.fail(&g.code[w.cur.pc], &Fault{Kind: DivergenceDeadlock, Lanes: w.cur.mask, Detail: ever + "; " + waits})
		return
	}
}
