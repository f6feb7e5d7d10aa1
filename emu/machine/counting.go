package machine

import (
	"slices"
	"unsafe"

	"warpscope/emu/count"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// Counters beyond those of gpu.Stats are kept only where Options ask for them. Then loads, stores and atomics have
// functions that count around their own (Program.CountAccesses), the interpreter counts lanes, and no compiled code
// runs. Launches without counters have the same code as before, and look at a nil pointer once a straight line.

// mostWarps is how many warps that have ended a grid lists with their counts.
const mostWarps = 1 << 16

func newCounting(o Options, code []Inst) *counting {
	if !o.Counters {
		return nil
	}
	return &counting{insts: make([]instCounts, len(code))}
}

// begin makes the counts of a CTA that starts.
func (n *counting) begin(c *CTA) {
	if n != nil {
		c.counted = make([]warpCounts, len(c.Warps))
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

// counted returns the warp's counts, or nil where nothing is counted.
func (w *Warp) counted() *warpCounts {
	if c := w.CTA.counted; c != nil {
		return &c[w.Index]
	}
	return nil
}

// line counts executions of k instructions of a straight line. whole says that they are all of it.
func (n *warpCounts) line(g *Grid, pc int32, k int64, whole bool, active Mask) {
	lanes := int64(active.Count())
	if whole {
		g.counting.insts[pc].lines += lanes
		return
	}
	part := g.counting.insts[pc:][:k]
	for i := range part {
		part[i].Lanes += lanes
	}
}

// inst counts by executions of one instruction: 1, or -1 for one that has faulted and does not count.
func (n *warpCounts) inst(g *Grid, pc int32, active, exec Mask, by int64) {
	off := by * int64((active &^ exec).Count())
	c := &g.counting.insts[pc]
	c.Lanes += by * int64(active.Count())
	c.Off += off
	n.Off += off
	if o := g.Prog.Code[pc].Op; o == OpBra || o == OpBrx {
		n.Branches += by
	}
}

// began counts what other warps have executed while all lanes of the warp waited.
func (n *warpCounts) began(w *Warp) {
	if n.waits != 0 {
		g := w.CTA.Grid
		ticks := g.State.Tick - w.last
		g.counting.insts[n.waits-1].Waits += ticks
		n.Waits += ticks
		n.waits = 0
	}
}

// ended counts the instructions of a call of Run, and notes where the warp waits.
func (n *warpCounts) ended(w *Warp, ran, lanes int64) {
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
	if n := w.counted(); n != nil {
		n.Divergent++
		g.counting.insts[w.Cur.PC].Divergent++
	}
}

// Arrived counts an arrival of a warp at a barrier.
func Arrived(w *Warp) {
	g := w.CTA.Grid
	g.Counters.Barriers++
	if n := w.counted(); n != nil {
		n.Arrivals++
		g.counting.insts[w.Cur.PC].Arrivals++
	}
}

// accessOps are the instructions whose accesses are counted.
var accessOps = map[string]count.Op{"ld": count.Load, "ldu": count.Load, "st": count.Store, "atom": count.Atomic,
	"red": count.Reduction}

// accessOp says which kind of access an instruction makes that is counted. Parameters are not in memory that lanes
// share, and constants have a cache of their own.
func accessOp(in *Inst) count.Op {
	if in.X != nil && in.X.Indexing != nil {
		in = &in.X.Indexing.Inner
	}
	if in.X == nil || in.X.Mem == nil || in.X.Mem.Space == ptx.ConstSpace || in.X.Mem.Space == ptx.ParamSpace ||
		HasAny(in.Src.Match, ".param", ".param::func", ".param::entry") {
		return count.None
	}
	return accessOps[in.Src.Match.Form.Mnemonic]
}

// CountAccesses puts counting around all loads, stores and atomics of a program.
func (p *Program) CountAccesses() {
	for pc := range p.Code {
		if p.Code[pc].Op != OpIndexed {
			countAccess(&p.Code[pc], int32(pc))
		}
	}
	for _, x := range p.Indexed {
		countAccess(&x.Inner, int32(x.PC))
	}
}

func countAccess(in *Inst, pc int32) {
	op := accessOp(in)
	if op == count.None {
		return
	}
	inner, x, size := *in, *in.X, bytesOf(op, in)
	in.X, in.How = &x, 0
	if in.Op = OpRun; inner.Op <= lastLineOp {
		in.Op = OpPure
	}
	x.Run = func(w *Warp, _ *Inst, f unsafe.Pointer, exec Mask) bool {
		a := accessed{size: size, atomic: op >= count.Atomic}
		a.measure(w, x.Mem, f, uint32(exec))
		if w.special(&inner, f, exec) != actNext {
			return false
		}
		a.add(&w.CTA.Grid.counting.insts[pc].Counts)
		a.add(&w.counted().Counts)
		return true
	}
}

// bytesOf returns the bytes that a lane accesses, whatever checks its instruction has.
func bytesOf(op count.Op, in *Inst) uint32 {
	switch {
	case op == count.Load:
		return in.X.bytes(OpLoad)
	case op == count.Store:
		return in.X.bytes(OpStore)
	case HasAny(in.Src.Match, ".v2", ".v4", ".v8"):
		return in.X.bytes(OpAtomWide)
	}
	return in.X.bytes(OpAtom)
}

// accessed is what one access of a warp takes.
type accessed struct {
	size                  uint32 // bytes of a lane
	atomic                bool
	global, local, shared count.Traffic
	lanes, repeats        int64 // of an atomic
}

func (a *accessed) add(to *count.Counts) {
	if a.global.Requests != 0 {
		to.Global.Add(a.global)
	}
	if a.shared.Requests != 0 {
		to.Shared.Add(a.shared)
	}
	if a.local.Requests != 0 {
		to.Local.Add(a.local)
	}
	to.Atomics += a.lanes
	to.Repeats += a.repeats
}

// measure works out what an access takes, before it happens: it can overwrite its addresses.
func (a *accessed) measure(w *Warp, ac *Access, f unsafe.Pointer, lanes uint32) {
	if ac.Wide {
		measure(a, w, ac, row.U64s(f, ac.Addr.Off), ac.Off, lanes)
	} else {
		measure(a, w, ac, row.U32s(f, ac.Addr.Off), uint32(ac.Off), lanes)
	}
}

func measure[A uint32 | uint64](a *accessed, w *Warp, ac *Access, at *[32]A, off A, lanes uint32) {
	var global, local, shared uint32
	switch ac.Space {
	case ptx.GlobalSpace:
		global = lanes
	case ptx.LocalSpace:
		local = lanes
	case ptx.SharedSpace, ClusterSpace:
		shared = lanes
	default:
		win := &w.Mem.Win
		for i, address := range at {
			switch bit := lanes & (1 << i); {
			case win.InShared(Addr(address + off)):
				shared |= bit
			case win.InLocal(Addr(address + off)):
				local |= bit
			default:
				global |= bit
			}
		}
	}
	if global != 0 {
		a.global = count.Traffic{Requests: 1, Parts: int64(count.Sectors(at, off, global)),
			Ideal: int64(count.IdealSectors(a.size, global))}
	}
	if local != 0 {
		n, ideal := count.LocalSectors(at, off, a.size, local)
		a.local = count.Traffic{Requests: 1, Parts: int64(n), Ideal: int64(ideal)}
	}
	if shared != 0 {
		n, ideal := count.Wavefronts(at, off, a.size, shared)
		a.shared = count.Traffic{Requests: 1, Parts: int64(n), Ideal: int64(ideal)}
	}
	if a.atomic {
		a.lanes, a.repeats = int64(Mask(lanes).Count()), int64(count.Repeats(at, off, lanes))
	}
}

// AccountOf returns all that a grid has counted so far, or nil where it counts nothing.
func AccountOf(g *Grid) *count.Account {
	if g.counting == nil {
		return nil
	}
	a := &count.Account{LeftOut: g.counting.leftOut, Warps: slices.Clone(g.counting.ended),
		Live: g.Prog.mostLive(g.Entry)}
	lines := int64(0)
	for pc, n := range g.Counted() {
		in, c := &g.Prog.Code[pc], g.counting.insts[pc]
		lines += c.lines
		c.Lanes += lines
		if in.Line <= 1 {
			lines = 0
		}
		if n == 0 {
			continue
		}
		if c.Instructions = n; in.Op == OpBra || in.Op == OpBrx {
			c.Branches = n
		}
		line := 0
		if in.Src != nil {
			line = g.line(int32(pc))
		}
		a.Insts = append(a.Insts, count.Inst{Line: line, Op: accessOp(in), Counts: c.Counts})
	}
	eachCTA(g, func(c *CTA) {
		for i := range c.counted {
			a.Warps = append(a.Warps, count.Warp{CTA: c.Index, Index: i, Counts: c.counted[i].Counts})
		}
	})
	return a
}

// mostLive finds the first place where most registers of a function are live. Those that other lanes read across the warp count only
// where the lane itself can still read them.
func (p *Program) mostLive(fn *Function) (most count.Live) {
	l := p.newLiveness(fn, true)
	for block := len(fn.Src.Blocks) - 1; block >= 0; block-- {
		start, end := fn.Bounds(block)
		live := l.after(block)
		for pc := end - 1; pc >= start; pc-- {
			live = l.back(live, pc+1, pc)
			var now count.Live
			for i := range fn.Regs {
				switch bits := int(fn.Regs[i].Bits); {
				case !live.Has(int32(i)):
				case bits == 1:
					now.Predicates++
				default:
					now.Registers += (bits + 31) / 32
				}
			}
			if in := p.Code[pc].Src; in != nil && now.Registers >= most.Registers && now != (count.Live{}) {
				most = now
				most.Line = p.Mod.Position(int(in.OpSpan.Start)).Line
			}
		}
	}
	return most
}
