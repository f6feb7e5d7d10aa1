package machine

import (
	"slices"
	"unsafe"

	"warpscope/emu/count"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// Counters beyond those of gpu.Stats are kept only where Options ask for them. Then no compiled code runs, and the
// interpreter counts beside what it does. What an access takes is measured before it happens, because a load can
// overwrite its addresses. A straight line runs in parts, so that its accesses can be measured before each: no part
// writes an address that it uses later. Launches without counters look at a nil pointer once a line.

// mostWarps is how many warps that have ended a grid lists with their counts.
const mostWarps = 1 << 12

func newCounting(o Options, p *Program) *counting {
	if !o.Counters {
		return nil
	}
	if p.accesses == nil {
		p.planAccesses()
	}
	return &counting{insts: make([]instCounts, len(p.Code)), now: make([]accessed, len(p.Code))}
}

// begin makes the counts of a CTA that starts.
func (n *counting) begin(c *CTA) {
	switch {
	case n == nil:
	case c.counted == nil:
		c.counted = make([]warpCounts, len(c.Warps))
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

// counted returns the warp's counts, or nil where nothing is counted.
func (w *Warp) counted() *warpCounts {
	if c := w.CTA.counted; c != nil {
		return &c[w.Index]
	}
	return nil
}

// part measures the accesses of a part of a straight line, and returns how many of k instructions are in the part.
func (n *warpCounts) part(w *Warp, pc int32, k int64, f unsafe.Pointer, active Mask) int64 {
	p := w.CTA.Grid.Prog
	k = min(k, int64(p.parts[pc]-pc))
	end := pc + int32(k)
	for at := p.nextAccess[pc]; at < end; at = p.nextAccess[at+1] {
		if a, now := &p.accesses[at], w.CTA.Grid.counting.now; a.like >= pc {
			now[at] = now[a.like]
		} else {
			a.measure(&now[at], w, f, uint32(active))
		}
	}
	return k
}

// line counts executions of k instructions of a straight line. whole says that they are all of it.
func (n *warpCounts) line(g *Grid, pc int32, k int64, whole bool, active Mask) {
	c, end := g.counting, pc+int32(k)
	for at := g.Prog.nextAccess[pc]; at < end; at = g.Prog.nextAccess[at+1] {
		c.now[at].add(&c.insts[at].Counts)
		c.now[at].add(&n.Counts)
	}
	lanes := int64(active.Count())
	if whole {
		c.insts[pc].lines += lanes
		return
	}
	part := c.insts[pc:end]
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

// access measures the access of one instruction and executes it.
func (n *warpCounts) access(w *Warp, in *Inst, pc int32, f unsafe.Pointer, exec Mask) action {
	g := w.CTA.Grid
	a := &g.Prog.accesses[pc]
	if a.op == count.None {
		return w.special(in, f, exec)
	}
	now := &g.counting.now[pc]
	if in.Op != OpIndexed {
		a.measure(now, w, f, uint32(exec))
	}
	act := w.special(in, f, exec)
	if in.Op == OpIndexed { // it has computed its addresses, in a row of their own
		a.measure(now, w, f, uint32(exec))
	}
	if act == actNext {
		now.add(&g.counting.insts[pc].Counts)
		now.add(&n.Counts)
	}
	return act
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
	if in.X == nil || in.X.Mem == nil || in.X.Mem.Space == ptx.ConstSpace || in.X.Mem.Space == ptx.ParamSpace ||
		HasAny(in.Src.Match, ".param", ".param::func", ".param::entry") {
		return count.None
	}
	return accessOps[in.Src.Match.Form.Mnemonic]
}

// planAccesses finds the accesses of a program, and cuts its straight lines into parts.
func (p *Program) planAccesses() {
	p.accesses = make([]accessPlan, len(p.Code))
	p.parts, p.nextAccess = make([]int32, len(p.Code)), make([]int32, len(p.Code)+1)
	start, written := 0, map[uint32]bool{} // of the part in turn
	for pc := range p.Code {
		in, a := &p.Code[pc], &p.accesses[pc]
		a.plan(in)
		if pc > 0 && p.Code[pc-1].Line <= 1 || a.op != count.None && written[a.ac.Addr.Off] {
			start = pc
			clear(written)
		}
		a.like = -1
		for i := pc - 1; i >= start && a.op != count.None; i-- {
			if a.sameAs(&p.accesses[i]) {
				a.like = int32(i)
				break
			}
		}
		for _, d := range p.Writes[pc] {
			written[d.Op.Off] = true
		}
		for i := start; i <= pc; i++ {
			p.parts[i] = int32(pc + 1)
		}
	}
	p.nextAccess[len(p.Code)] = int32(len(p.Code))
	for pc := len(p.Code) - 1; pc >= 0; pc-- {
		if p.nextAccess[pc] = p.nextAccess[pc+1]; p.accesses[pc].op != count.None {
			p.nextAccess[pc] = int32(pc)
		}
	}
}

// accessPlan says how an instruction's access is measured. op is count.None where there is none.
type accessPlan struct {
	op   count.Op
	ac   *Access
	size uint32 // bytes of a lane
	like int32  // pc of an access of the same part of a line that takes as much, or -1
}

func (a *accessPlan) plan(in *Inst) {
	if in.X != nil && in.X.Indexing != nil {
		in = &in.X.Indexing.Inner
	}
	if a.op = accessOp(in); a.op != count.None {
		a.ac, a.size = in.X.Mem, bytesOf(a.op, in)
	}
}

// sameAs says whether an access takes what another one with the same lanes takes, whatever is in their registers: both
// have the same addresses but for a distance that keeps sectors or banks.
func (a *accessPlan) sameAs(o *accessPlan) bool {
	if o.op == count.None || a.ac.Addr.Off != o.ac.Addr.Off || a.ac.Space != o.ac.Space || a.size != o.size ||
		a.op >= count.Atomic || o.op >= count.Atomic {
		return false
	}
	switch apart := a.ac.Off - o.ac.Off; a.ac.Space {
	case ptx.SharedSpace:
		return apart%4 == 0
	case ptx.GlobalSpace:
		return apart%32 == 0
	default:
		return apart == 0
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

// measure works out what an access takes.
func (a *accessPlan) measure(to *accessed, w *Warp, f unsafe.Pointer, lanes uint32) {
	*to = accessed{}
	if a.ac.Wide {
		measure(to, a, &w.Mem.Win, row.U64s(f, a.ac.Addr.Off), a.ac.Off, lanes)
	} else {
		measure(to, a, &w.Mem.Win, row.U32s(f, a.ac.Addr.Off), uint32(a.ac.Off), lanes)
	}
}

func measure[A uint32 | uint64](to *accessed, a *accessPlan, win *mem.Windows, at *[32]A, off A, lanes uint32) {
	var global, local, shared uint32
	different := int64(0) // addresses, if it is known
	switch a.ac.Space {
	case ptx.GlobalSpace:
		global = lanes
	case ptx.LocalSpace:
		local = lanes
	case ptx.SharedSpace, ClusterSpace:
		shared = lanes
	default:
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
		to.global = count.Traffic{Requests: 1, Parts: int64(count.Sectors(at, off, global)),
			Ideal: int64(count.IdealSectors(a.size, global))}
	}
	if local != 0 {
		n, ideal := count.LocalSectors(at, off, a.size, local)
		to.local = count.Traffic{Requests: 1, Parts: int64(n), Ideal: int64(ideal)}
	}
	if shared != 0 {
		n, ideal, words := count.Wavefronts(at, off, a.size, shared)
		to.shared = count.Traffic{Requests: 1, Parts: int64(n), Ideal: int64(ideal)}
		if shared == lanes && a.size == 4 {
			different = int64(words)
		}
	}
	if a.op >= count.Atomic {
		to.lanes = int64(Mask(lanes).Count())
		if to.repeats = to.lanes - different; different == 0 {
			to.repeats = int64(count.Repeats(at, off, lanes))
		}
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
		a.Insts = append(a.Insts, count.Inst{Line: line, Op: g.Prog.accesses[pc].op, Counts: c.Counts})
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
