package machine

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// races says whether two conflicting accesses are a data race. Without progress, the lanes of a warp run in step.
func (s *shadow) races(now, old *touched, code []Inst, progress bool) bool {
	sameWarp := old.thread>>5 == now.thread>>5
	switch {
	case old.thread == now.thread, old.grid != now.grid:
		return false
	case old.how.reach() != weak && now.how.reach() != weak:
		return old.thread>>10 != now.thread>>10 && min(old.how.reach(), now.how.reach()) == reachCTA
	case old.thread>>10 != now.thread>>10:
		return true
	case old.cta != now.cta:
		return false
	case !sameWarp:
		return true
	}
	return progress && code[old.how.pc()].Src != code[now.how.pc()].Src && old.warp == now.warp
}

func (h how) pc() int32    { return int32(h >> 3) }
func (h how) reach() reach { return reach(h >> 1 & 3) }
func (h how) nc() bool     { return h&1 != 0 }

// ordered says, of most pairs of accesses that are no data race and at a glance, that they are none.
func (now *touched) ordered(old *touched) bool {
	return old.grid != now.grid || old.thread == now.thread || old.cta != now.cta && (old.thread^now.thread)>>10 == 0
}

// Watch puts the checks before all instructions that access or order memory.
func (p *Program) Watch() {
	for i := range p.Code {
		in := &p.Code[i]
		if in.Src == nil || in.Src.Match == nil {
			continue
		}
		m := in.Src.Match
		inner := in.Op
		switch inner {
		case OpLoad, OpStore, OpAtom, OpAtomWide:
			if in.X.Mem.Space != ptx.LocalSpace && in.X.Mem.Space != ptx.ParamSpace && in.X.Mem.Space != ptx.ConstSpace {
				in.Op, in.X.Run = OpRun, watched(inner, m)
			}
		case OpNop, OpRun:
			if in.X != nil && in.X.Orders != OrdersNothing {
				in.thenOrders(in.X.Orders)
			}
		}
	}
}

// thenOrders ends an epoch after the instruction, which is a function or does nothing.
func (in *Inst) thenOrders(o Orders) {
	run := in.X.Run
	in.X.Run = func(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool {
		ok := run == nil || run(w, in, f, exec)
		w.Ordered(o == OrdersGrid || o == OrdersCluster && w.CTA.Grid.ClusterSize() > 1)
		return ok
	}
}

// strength returns the reach of a load, store or atomic.
func strength(m *isa.Bound, o Op) reach {
	switch {
	case o != OpAtom && o != OpAtomWide && !HasAny(m, ".volatile", ".relaxed", ".acquire", ".release", ".mmio"):
		return weak
	case m.Has(".cta"):
		return reachCTA
	}
	return reachGrid
}

// HasAny says whether an opcode has one of these modifiers.
func HasAny(m *isa.Bound, modifiers ...string) bool { return slices.ContainsFunc(modifiers, m.Has) }

// Ordered ends an epoch: that of the grid, or that of the warp's CTA.
func (w *Warp) Ordered(grid bool) {
	if s := w.CTA.Grid.Dev.Shadow; grid {
		s.syncGrid()
	} else {
		s.syncCTA(w.CTA)
	}
}

// watched returns the function that executes a load, store or atomic with its checks.
func watched(o Op, m *isa.Bound) Runner {
	strong, nc := strength(m, o), m.Has(".nc")
	releases, acquires := HasAny(m, ".release", ".acq_rel"), HasAny(m, ".acquire", ".acq_rel")
	do := map[Op]func(*LSU, *Inst, unsafe.Pointer, Mask) bool{OpLoad: (*LSU).load, OpStore: (*LSU).store,
		OpAtom: (*LSU).atomic, OpAtomWide: (*LSU).atomicWide}[o]
	return func(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool {
		x := in.X
		size := x.Bytes(o)
		if !w.LSU.locate(in, x.Mem, f, exec, uint64(size)) {
			return false
		}
		base, offs := w.LSU.Seg.Base, w.LSU.offs
		if releases {
			w.Ordered(strong == reachGrid)
		}
		c := checker{WatchedAccess: WatchedAccess{In: in, Size: size, Op: o, reach: strong, nc: nc}}
		ok := true
		if o == OpStore {
			same := unchanged(w, base, &offs, exec, size, func() { ok = do(&w.LSU, in, f, exec) })
			c.row(&w.LSU, base, &offs, exec, same)
		} else {
			c.row(&w.LSU, base, &offs, exec, 0)
			ok = do(&w.LSU, in, f, exec)
		}
		if acquires {
			w.Ordered(strong == reachGrid)
		}
		return ok
	}
}

// Bytes returns the bytes that a lane accesses.
func (x *Extra) Bytes(o Op) uint32 {
	elements := len(x.S)
	if o == OpLoad {
		elements = len(x.D)
	}
	if o == OpAtom || x.Mem.Size == 16 {
		return x.Mem.Size
	}
	return x.Mem.Size * uint32(elements)
}

// mostStored is the most bytes that a lane stores with one instruction: a vector of eight words (9.7.10.11).
const mostStored = 32

// unchanged returns the lanes whose memory has the same contents after do as before.
func unchanged(w *Warp, base uint32, offs *[32]uint32, exec Mask, size uint32, do func()) (same Mask) {
	var before [32][mostStored]byte
	EachLane(exec, func(lane int) { copy(before[lane][:size], w.Mem.Bytes(base+offs[lane], size)) })
	do()
	EachLane(exec, func(lane int) {
		if bytes.Equal(before[lane][:size], w.Mem.Bytes(base+offs[lane], size)) {
			same |= 1 << lane
		}
	})
	return same
}

// row checks the accesses of lanes. same are the lanes that store what is there already.
func (c *checker) row(w *LSU, base uint32, offs *[32]uint32, exec, same Mask) {
	c.begin(w)
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		c.check(lane, base+offs[lane], same>>lane&1 != 0)
	}
}

// WatchedAccess is one lane's access as the checks see it.
type WatchedAccess struct {
	In        *Inst
	Lane      int
	Off, Size uint32
	Op        Op
	reach     reach
	nc        bool // through the non-coherent cache
	same      bool // it stores the value that is there already, as many threads do at once: no race with a store
}

// Check checks one lane's access, and remembers it.
func (w *LSU) Check(a *WatchedAccess) {
	c := checker{WatchedAccess: *a}
	c.begin(w)
	c.check(a.Lane, a.Off, a.same)
}

// checker checks the lanes of one access in turn. What it finds out for a lane it keeps for the next ones.
type checker struct {
	WatchedAccess
	w   *LSU
	s   *shadow
	now touched

	from, size uint32      // memory that a lane was in: offset and bytes
	off        bool        // accesses there are not checked
	looks      bool        // reads there are checked for contents
	page       *shadowPage // of the last lane
	number     uint32      // of page
	bits       uint64      // of Written, for an access at offset 0; 0 where accesses are not of whole words
}

// begin prepares for the lanes of a warp.
func (c *checker) begin(w *LSU) {
	s := w.CTA.Grid.Dev.Shadow
	c.w, c.s, c.number = w, s, math.MaxUint32
	if c.bits = 0; s.On(gpu.Racecheck) && c.Size >= 1<<wordUnit && c.Size&(c.Size-1) == 0 {
		c.bits = 1<<c.Size - 1
	}
	c.now = touched{thread: thread(w.CTA.Index)<<10 | thread(w.Index)<<5, grid: s.grid, cta: w.CTA.epoch, warp: w.epoch,
		how: how(w.Cur.PC)<<3 | how(c.reach)<<1 | how(row.Bit(c.nc))}
}

// look finds the memory that an access is in, and what is checked there.
func (c *checker) look(off uint32) {
	g := c.w.CTA.Grid
	if owner := OwnerOfShared(g, off); owner != nil {
		c.from, c.size, c.off, c.looks = owner.SharedOff, uint32(owner.SharedSize), false, true
		return
	}
	al := g.Mem.Find(g.Mem.Addr(off), uint64(c.Size))
	if c.off = al == nil || al.Kind != mem.Global; c.off {
		c.size = 0
		return
	}
	c.from, c.size, c.looks = al.Off, al.Size, al.Name == ""
}

// check checks and remembers the access of a lane. same is that of WatchedAccess. Nearly all accesses are of whole
// words and aligned: they need no loop over bytes and pages.
func (c *checker) check(lane int, off uint32, same bool) {
	if in := off - c.from; in >= c.size || c.size-in < c.Size {
		if c.look(off); c.off {
			return
		}
	}
	c.Lane, c.Off = lane, off
	c.now.thread = c.now.thread&^31 | thread(lane)
	number := off >> mem.PageShift
	if c.bits == 0 || off&(c.Size-1) != 0 || number != c.number && !c.turnTo(number) || c.page.unit != wordUnit {
		c.checkEach(off, same)
		return
	}
	written, mask := c.page.writtenAt(off), c.bits<<(off&63)
	if c.Op != OpStore && c.looks && *written&mask != mask {
		c.w.checkWritten(&c.WatchedAccess)
	}
	if c.Op != OpLoad {
		*written |= mask
	}
	words := c.page.last[off&(mem.PageSize-1)>>wordUnit:][:c.Size>>wordUnit]
	if w := &words[0].write; c.Op == OpLoad && len(words) == 1 && !c.nc && c.now.ordered(w) {
		words[0].read = c.now
		return
	}
	for i := range words {
		c.unit(&words[i], off+uint32(i)<<wordUnit, same)
	}
}

// turnTo makes a page the current one, and says whether racecheck has looked at it before.
func (c *checker) turnTo(number uint32) bool {
	if p := c.s.page(number); p == nil || p.last == nil {
		return false
	}
	c.page, c.number = c.s.Page(number<<mem.PageShift), number
	return true
}

// checkEach does what check does for any access.
func (c *checker) checkEach(off uint32, same bool) {
	if c.Op != OpStore && c.looks {
		c.w.checkWritten(&c.WatchedAccess)
	}
	if c.Op != OpLoad {
		c.s.Wrote(off, c.Size)
	}
	if !c.s.On(gpu.Racecheck) {
		return
	}
	for at := off; at < off+c.Size; {
		p := c.s.Page(at)
		p.Divide(at, off+c.Size-at)
		c.unit(p.unitOf(at), at, same)
		at += 1 << p.unit
	}
}

// unit checks and remembers the access to one unit of memory.
func (c *checker) unit(last *lastAccess, at uint32, same bool) {
	now, writes := &c.now, c.Op != OpLoad
	if !same && (c.nc || !now.ordered(&last.write)) {
		c.w.checkRace(now, &last.write, at, writes, true)
	}
	if !writes {
		last.read = *now
		return
	}
	if !now.ordered(&last.read) || last.read.how.nc() {
		c.w.checkRace(now, &last.read, at, true, false)
	}
	last.write = *now
}

// checkWritten notes a read of memory that was never written (5.1.4, 5.1.7).
func (w *LSU) checkWritten(a *WatchedAccess) {
	g := w.CTA.Grid
	s := g.Dev.Shadow
	if !s.On(gpu.Initcheck) || s.written(a.Off, a.Size) || g.Noted(a.In, CauseUnwritten) {
		return
	}
	w.Note(a.In, CauseUnwritten,
		fmt.Sprintf("`%s` in lane %d of warp %d reads %s, which nothing has written: the value is undefined; "+
			"store something first", a.In.Src.Opcode, a.Lane, w.Index, whereInShared(g, w.CTA.Index, a.Off)))
}

// checkRace notes two accesses to the byte at an arena offset that conflict and are unordered (8.7). writes says that
// the access now is a write, and wrote that the old one was.
func (w *LSU) checkRace(now, old *touched, at uint32, writes, wrote bool) {
	g := w.CTA.Grid
	s, code := g.Dev.Shadow, g.Prog.Code
	if old.grid == 0 || old.grid < s.start {
		return
	}
	stale := now.how.nc() && wrote || old.how.nc() && writes
	if !stale && !s.races(now, old, code, w.progress()) || g.Noted(&code[now.how.pc()], CauseRace) {
		return
	}
	did := "read"
	if wrote {
		did = "written"
	}
	does := "reads"
	if writes {
		does = "writes"
	}
	in, was := &code[now.how.pc()], &code[old.how.pc()]
	who := fmt.Sprintf("lane %d of warp %d", old.thread&31, old.thread>>5&31)
	if old.thread>>10 != now.thread>>10 {
		id := g.Grid.Index(int(old.thread >> 10))
		who += fmt.Sprintf(" of CTA %d,%d,%d", id.X, id.Y, id.Z)
	}
	why := "the two accesses are unordered: put a barrier between them, or use atomics whose scope covers both threads"
	if stale {
		why = "ld.global.nc is for memory that no thread writes while the kernel runs: use ld.global"
	}
	const told = "`%s` in lane %d of warp %d %s %s, which `%s` of line %d has %s in %s; %s"
	w.NoteWith(in, CauseRace, was, fmt.Sprintf(told,
		in.Src.Opcode, now.thread&31, now.thread>>5&31, does, whereInShared(g, w.CTA.Index, at), was.Src.Opcode,
		g.Position(was.Src).Line, did, who, why))
}
