package machine

import (
	"slices"
	"unsafe"

	"warpscope/emu/count"
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// Counters beyond those of gpu.Stats are kept only where Options ask for them. Then no compiled code runs, and the
// interpreter counts beside what it does. What an access takes is measured before it happens, because a load can
// overwrite its addresses. A straight line runs in parts, so that its accesses can be measured before each: no part
// writes an address that it uses later. Vectors go on where rows of addresses are shaped as the last time. Launches
// without counters look at a nil pointer once a line.

// mostWarps is how many warps that have ended a grid lists with their counts.
const mostWarps = 1 << 12

func newCounting(o Options, p *Program) *counting {
	if !o.Counters {
		return nil
	}
	return &counting{insts: make([]InstCounts, len(p.Code))}
}

// begin makes the counts of a CTA that starts.
func (n *counting) begin(c *CTA) {
	switch {
	case n == nil:
	case c.counted == nil:
		c.counted = make([]WarpCounts, len(c.Warps))
	default:
		clear(c.counted)
	}
}

// end keeps the counts of a CTA that has ended.
func (n *counting) end(c *CTA) {
	for i := range c.counted {
		if len(n.ended) == mostWarps {
			n.leftOut += int64(len(c.counted) - i)
			return
		}
		n.ended = append(n.ended, count.Warp{CTA: c.Index, Index: i, Counts: c.counted[i].Counts})
	}
}

// countsOf returns a warp's counts, or nil where nothing is counted.
func countsOf(w *Warp) *WarpCounts {
	if c := w.CTA.counted; c != nil {
		return &c[w.Index]
	}
	return nil
}

// part measures the accesses of a part of a straight line, and returns how many of k instructions are in the part.
func (n *WarpCounts) part(w *Warp, pc int32, k int64, f unsafe.Pointer, active Mask) int64 {
	p := w.CTA.Grid.Prog
	k = min(k, int64(p.Parts[pc]-pc))
	first := p.Next[pc]
	for i := first; p.Accesses[i].PC < pc+int32(k); i++ {
		if a := &p.Accesses[i]; a.Like >= first {
			a.Taken = p.Accesses[a.Like].Taken
		} else {
			measure(a, w, f, uint32(active))
		}
	}
	return k
}

// line counts executions of k instructions of a straight line. whole says that they are all of it.
func (n *WarpCounts) line(g *Grid, pc int32, k int64, whole bool, active Mask) {
	c, end := g.counting, pc+int32(k)
	list := g.Prog.Accesses[g.Prog.Next[pc]:]
	for i := 0; list[i].PC < end; i++ {
		list[i].AddTo(&c.insts[list[i].PC].Counts, &n.Counts)
	}
	lanes := int64(active.Count())
	if whole {
		c.insts[pc].Lines += lanes
		return
	}
	part := c.insts[pc:end]
	for i := range part {
		part[i].Lanes += lanes
	}
}

// inst counts by executions of one instruction: 1, or -1 for one that has faulted and does not count.
func (n *WarpCounts) inst(g *Grid, pc int32, active, exec Mask, by int64) {
	off := by * int64((active &^ exec).Count())
	c := &g.counting.insts[pc]
	c.Lanes += by * int64(active.Count())
	c.Off += off
	n.Off += off
	if g.Prog.Code[pc].Op.Branches() {
		n.Branches += by
	}
}

// began counts what other warps have executed while all lanes of the warp waited.
func (n *WarpCounts) began(w *Warp) {
	if n.waits != 0 {
		g := w.CTA.Grid
		ticks := g.State.Tick - w.last
		g.counting.insts[n.waits-1].Waits += ticks
		n.Waits += ticks
		n.waits = 0
	}
}

// ended counts the instructions of a call of Run, and notes where the warp waits.
func (n *WarpCounts) ended(w *Warp, ran, lanes int64) {
	n.Instructions += ran
	n.Lanes += lanes
	if list := w.waits.list; w.Blocked && len(list) > 0 {
		o := &list[len(list)-1]
		n.waits = o.frame.Fn.Start + int32(o.In.Src.Index) + 1
	}
}

// diverged counts a branch after which lanes go different ways.
func diverged(w *Warp) {
	g := w.CTA.Grid
	g.Counters.DivergentBranches++
	if n := countsOf(w); n != nil {
		n.Divergent++
		g.counting.insts[w.Cur.PC].Divergent++
	}
}

// CountArrival counts an arrival of a warp at a barrier.
func CountArrival(w *Warp) {
	g := w.CTA.Grid
	g.Counters.Barriers++
	if n := countsOf(w); n != nil {
		n.Arrivals++
		g.counting.insts[w.Cur.PC].Arrivals++
	}
}

// measure works out what an access takes.
func measure(a *AccessPlan, w *Warp, f unsafe.Pointer, lanes uint32) {
	if a.Mem.Wide {
		measureRow(a, &w.Mem.Win, row.U64s(f, a.Mem.Addr.Off), a.Mem.Off, lanes)
	} else {
		measureRow(a, &w.Mem.Win, row.U32s(f, a.Mem.Addr.Off), uint32(a.Mem.Off), lanes)
	}
}

func measureRow[A uint32 | uint64](a *AccessPlan, win *mem.Windows, at *[32]A, off A, lanes uint32) {
	in := a.Spaces(lanes)
	if in == (count.Spaces{}) {
		in.Global, in.Shared, in.Local = mem.Spaces(win, at, off, lanes)
	}
	count.Measure(&a.Shape, in, a.Op, a.Size, at, off)
}

// AccountOf returns what a grid has counted so far, or nil where it counts nothing.
func AccountOf(g *Grid) *count.Account {
	if g.counting == nil {
		return nil
	}
	a, lines := &count.Account{LeftOut: g.counting.leftOut, Warps: slices.Clone(g.counting.ended)}, int64(0)
	a.Insts = make([]count.Inst, 0, len(g.Counts))
	a.Block = count.Block{Threads: g.block.X * g.block.Y * g.block.Z, Shared: int(g.sharedSize), Target: g.Prog.Mod.SM}
	for pc, n := range g.Counted() {
		in, c := &g.Prog.Code[pc], g.counting.insts[pc]
		lines += c.Lines
		c.Lanes += lines
		if in.Line <= 1 {
			lines = 0
		}
		if n == 0 {
			continue
		}
		if c.Instructions = n; in.Op.Branches() {
			c.Branches = n
		}
		op := count.None
		if access := &g.Prog.Accesses[g.Prog.Next[pc]]; access.PC == int32(pc) {
			op = access.Op
		}
		a.Insts = append(a.Insts, count.Inst{Line: g.line(pc), PC: pc, Op: op, Counts: c.Counts})
	}
	resident := g.State.CTAs
	if last := g.State.last; last != nil {
		resident = []*CTA{last}
	}
	for _, c := range resident {
		for i := range c.counted {
			a.Warps = append(a.Warps, count.Warp{CTA: c.Index, Index: i, Counts: c.counted[i].Counts})
		}
	}
	return a
}
