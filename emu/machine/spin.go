package machine

import (
	"fmt"
	"slices"

	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// SpinPatience and SpinInterval say when watchSpin looks, in warp instructions.
const (
	SpinPatience = 1 << 19 // instructions without progress before the first look
	pollPatience = 1 << 16 // the same when threads look at mbarriers in vain
	SpinInterval = 1 << 13 // least number of instructions between looks
	// AgainAtBarrier is after how many instructions a barrier starts the watch anew. That is sooner than between warps'
	// turns: there warps wait at a barrier, and stores before the next one would be slow.
	AgainAtBarrier = SpinInterval / 2
	spinRound      = 16 * ctaSlice
	spinCTAs       = 8 // with more CTAs a look would take too long
)

// watchAgain starts the watch anew, because something has changed.
func (s *GridState) watchAgain() { s.Progress, s.spin = false, spinWatch{since: s.Tick} }

// ctaEnded starts the watch anew as well: batches and turns agree on when a CTA ends. Stores remain quick.
func (s *GridState) ctaEnded() { s.Progress, s.spin = true, spinWatch{since: s.Tick} }

// watchSpin says, at the end of a warp's turn, whether lanes of the last CTAs spin forever: a state has come back,
// memory has not changed, and no lane has read a clock. A loop that reads a clock can still end, even where it does not
// keep what it has read.
func watchSpin(g *Grid) bool {
	s := &g.State
	if s.Progress {
		if s.Tick-s.spin.since >= SpinInterval { // not often: stores are quicker while Progress is set
			s.watchAgain()
		}
		return false
	}
	patience := int64(SpinPatience)
	if s.Polled > s.spin.since {
		patience = pollPatience
	}
	if !s.roundOver() || s.Tick-s.spin.since < patience {
		return false
	}
	s.spin.looked = s.Tick
	if len(s.CTAs) > spinCTAs || int64(s.Next) < g.Counters.CTAs {
		return false // other CTAs can write what this one waits for
	}
	h := spinHash(g)
	if h == s.spin.seen && s.spin.period > 0 {
		released := false
		for _, c := range s.CTAs {
			released = c.releaseLanes() || released
		}
		if released {
			s.spin = spinWatch{since: s.Tick}
			return false
		}
		return s.Polled > s.spin.since || executionsWhere(g, looksAtClock) == s.spin.clocks
	}
	if s.spin.looks >= s.spin.period {
		s.spin.seen, s.spin.looks, s.spin.period = h, 0, max(1, 2*s.spin.period)
		s.spin.reads, s.spin.clocks = executionsWhere(g, looksAtMemory), executionsWhere(g, looksAtClock)
	}
	s.spin.looks++
	return false
}

// roundOver says whether a round of turns has begun and it is time to look. Turns have any length: states that are
// taken at other moments could all differ.
func (s *GridState) roundOver() bool {
	spin := &s.spin
	warp := s.CTAs[s.Cur].Cur
	ctas, warps := s.Cur < spin.cta, s.Cur == spin.cta && warp <= spin.warp
	spin.cta, spin.warp = s.Cur, warp
	quiet := s.Tick - spin.looked
	if len(s.CTAs) == 1 {
		return warps && quiet >= SpinInterval
	}
	return ctas && quiet >= SpinInterval || warps && quiet >= spinRound // perhaps only one of the CTAs runs
}

// spinHash returns a hash of all that decides how the grid goes on, apart from memory.
func spinHash(g *Grid) uint64 {
	s := &g.State
	if len(s.CTAs) == 1 {
		return s.CTAs[0].spinHash()
	}
	h := hasher(14695981039346656037)
	h.add(uint64(s.Cur), uint64(s.ctaLeft))
	for _, c := range s.CTAs {
		h.add(c.spinHash())
	}
	return uint64(h)
}

// executionsWhere returns how often instructions of a kind have been executed.
func executionsWhere(g *Grid, of func(*Inst) bool) (n int64) {
	for pc, ran := range g.Counted() {
		if of(&g.Prog.Code[pc]) {
			n += ran
		}
	}
	return n
}

// looksAtMemory says whether an instruction reads memory that other lanes can change. A loop without such reads waits
// for nothing.
func looksAtMemory(in *Inst) bool {
	if in.Src == nil || in.Src.Match == nil {
		return false
	}
	m := in.Src.Match
	return m.Form.Effect&isa.ReadsMemory != 0 && !m.Has(".param") && !m.Has(".const") && !m.Has(".local")
}

func looksAtClock(in *Inst) bool { return in.X != nil && in.X.Clock }

// spinHash returns a hash of all that decides how the CTA goes on, apart from memory.
func (c *CTA) spinHash() uint64 {
	h := hasher(14695981039346656037)
	words := c.Mem.Words()
	h.add(uint64(c.Cur))
	for _, w := range c.Warps {
		at, _ := w.atBarrier()
		h.add(uint64(w.exited()), uint64(w.Carry), uint64(at))
		for _, e := range w.Policy.Entries(&w.lanes) {
			h.add(uint64(e.PC), uint64(e.RPC), uint64(e.Mask), uint64(e.Frame.Off), uint64(e.Missing))
			// The first words are left over from the last instruction: the execution mask and the scratch row.
			h.add(words[(e.Frame.Off+row.FalsePred)/8 : (e.Frame.Off+e.Frame.Fn.Frame)/8]...)
		}
	}
	return uint64(h)
}

// spinFault stops the grid with a fault that says which lanes spin and which wait.
func spinFault(g *Grid) {
	s := &g.State
	if s.Polled > s.spin.since {
		s.CTAs[s.Cur].pollFault()
		return
	}
	reads := executionsWhere(g, looksAtMemory) > s.spin.reads
	fault := &Fault{Kind: gpu.EndlessLoop, Detail: fmt.Sprintf(": these lanes run in a loop that has no end: "+
		"it reads no memory "+
		"that could change, and all registers are again as they were (%s in which memory has not changed)",
		ptx.Plural(s.Tick-s.spin.since, "instruction"))}
	if reads {
		fault = &Fault{Kind: gpu.SpinDeadlock, Detail: fmt.Sprintf(": these lanes spin forever: nothing that still runs can "+
			"change what they wait for (%s in which memory has not changed)", ptx.Plural(s.Tick-s.spin.since, "instruction"))}
	}
	w := spinnerOf(g)
	if waits := lanesWaiting(w); waits != "" {
		fault.Detail += "; " + waits
		if reads {
			fault.Kind = gpu.DivergenceDeadlock
		}
		if !w.progress() && wantsLock(w) {
			fault.Detail += ": a lane that holds a lock must not be " + g.Dev.model().Elsewhere + " while others want it"
		}
	}
	fault.Lanes = w.Cur.Mask
	w.Fail(&g.Prog.Code[w.Cur.PC], fault)
}

// spinnerOf returns the warp to report: one in which lanes wait for others, or one that runs.
func spinnerOf(g *Grid) *Warp {
	c := lanesWait(g)
	waits := func(w *Warp) bool { return !w.Ended && !w.Blocked && lanesWaiting(w) != "" }
	if c == nil {
		c, waits = g.State.CTAs[g.State.Cur], (*Warp).runnable
	}
	for i := range c.Warps {
		if w := c.Warps[(c.Cur+i)%len(c.Warps)]; waits(w) {
			return w
		}
	}
	return c.Warps[c.Cur]
}

// wantsLock says whether the running lanes try to take a lock while other lanes have left the loop and wait at the
// meeting point. Lanes take locks by a compare-and-swap or an exchange in the loop that they are in.
func wantsLock(w *Warp) bool {
	var seen Mask
	met := slices.ContainsFunc(w.Policy.Entries(&w.lanes), func(e Group) bool {
		own := e.Mask &^ seen
		seen |= own
		return own != 0 && e.Wait == gpu.WaitConverge
	})
	if !met {
		return false
	}
	for fr, pc := w.Cur.Frame, w.Cur.PC; fr != nil; fr, pc = fr.caller, fr.call {
		number, blocks := ptx.Loops(fr.Fn.Src), fr.Fn.Src.Blocks
		at := slices.IndexFunc(blocks, func(b ptx.Block) bool { return pc < fr.Fn.Start+int32(b.End) })
		if at < 0 || number[at] == 0 {
			continue // the loop is around the call
		}
		for b := range blocks {
			start := fr.Fn.Start
			if number[b] == number[at] && takesLock(w, start+int32(blocks[b].Start), start+int32(blocks[b].End), 8) {
				return true
			}
		}
		return false
	}
	return false
}

// takesLock says whether the code from start to end has an instruction that takes locks. It follows calls to some
// depth.
func takesLock(w *Warp, start, end int32, depth int) bool {
	for pc := start; pc < end; pc++ {
		switch in := &w.CTA.Grid.Prog.Code[pc]; {
		case in.X != nil && in.X.Mem != nil && in.X.Mem.Locks:
			return true
		case in.Op == OpCall && in.X.Call.Target != nil && depth > 0:
			if fn := in.X.Call.Target; fn.Builtin == nil && takesLock(w, fn.Start, fn.End, depth-1) {
				return true
			}
		}
	}
	return false
}

// maxTimeUps is how often, one after the other and in vain, suspended warps can learn that their time is up. A loop
// that counts its tries, or looks at a clock, is in a new state every time.
const maxTimeUps = 1 << 10

// timeUp ends the suspension of the CTA's warps, because nothing else can run. A program can look several times before
// it gives up. timeUp returns false when the program has come back to the same state, registers included, or has looked
// very often.
func (c *CTA) timeUp() bool {
	s := &c.Grid.State
	if s.Progress {
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
	for _, w := range c.Warps {
		woken = wakeAtMbarriers(w, true) || woken
	}
	return woken
}
