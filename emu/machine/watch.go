package machine

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/causes"
	"warpscope/emu/mem"
	"warpscope/emu/shadow"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// races says whether two conflicting accesses are a data race. Without progress, the lanes of a warp run in step.
func (c *checker) races(old *shadow.Access) bool {
	now, w := &c.now, c.w.Warp
	g := w.CTA.Grid
	if c.ordered(old) {
		return false
	}
	if c.order.Clock == nil {
		if c.order, _ = orderOf(w); c.order.Clock == nil {
			return false
		}
	}
	o := &c.order
	switch {
	case old.How.Reach() != causal.Weak && now.How.Reach() != causal.Weak:
		return !o.Includes(placeOf(g, old.Thread.CTA(), 0), min(old.How.Reach(), now.How.Reach()))
	case o.Knows(now.Thread.Lane(), old.Thread, old.Time):
		return false
	}
	return (old.Thread^now.Thread)>>5 != 0 ||
		w.progress() && g.Prog.Code[old.How.PC()].Src != g.Prog.Code[now.How.PC()].Src
}

// ordered says, of most pairs of accesses that are no data race and at a glance, that they are none.
func (c *checker) ordered(old *shadow.Access) bool {
	return old.Time <= c.floor || old.Thread == c.now.Thread ||
		old.Time <= c.met && (old.Thread^c.now.Thread)>>10 == 0
}

// Watch puts the checks before all instructions that access or order memory; before those that access only local
// memory if local says so.
func (p *Program) Watch(local bool) {
	for i := range p.Code {
		in := &p.Code[i]
		if in.Src == nil || in.Src.Match == nil {
			continue
		}
		m := in.Src.Match
		inner := in.Op
		switch inner {
		case OpLoad, OpStore, OpAtom, OpAtomWide:
			if s := in.X.Mem.Space; s != ptx.ParamSpace && s != ptx.ConstSpace && (local || s != ptx.LocalSpace) {
				in.Op, in.X.Run = OpRun, watched(inner, m)
			}
		case OpNop, OpRun:
			if in.X != nil && in.X.Fences {
				in.thenFences(ScopeOf(m))
			}
			p.Strong = p.Strong || inner == OpRun && m.Form.Effect&isa.WritesMemory != 0 &&
				m.HasAny(".relaxed", ".acquire", ".release") && m.Form.Mnemonic != "mbarrier"
		}
	}
}

// thenFences makes a fence of the instruction, which is a function or does nothing.
func (in *Inst) thenFences(r causal.Reach) {
	run := in.X.Run
	in.X.Run = func(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool {
		ok := run == nil || run(w, in, f, exec)
		if o, on := orderOf(w); on {
			o.Fence(r)
		}
		return ok
	}
}

// strength returns the reach of a load, store or atomic.
func strength(m *isa.Bound, o Op) causal.Reach {
	switch {
	case o != OpAtom && o != OpAtomWide && !m.HasAny(".volatile", ".relaxed", ".acquire", ".release", ".mmio"):
		return causal.Weak
	}
	return ScopeOf(m)
}

// ScopeOf returns the reach of a strong operation or a fence: that of its scope.
func ScopeOf(m *isa.Bound) causal.Reach {
	switch {
	case m.Has(".cta"):
		return causal.CTA
	case m.Has(".cluster"):
		return causal.Cluster
	}
	return causal.Grid
}

// watched returns the function that executes a load, store or atomic with its checks.
func watched(o Op, m *isa.Bound) Runner {
	strong, nc := strength(m, o), m.Has(".nc")
	releases, acquires := m.HasAny(".release", ".acq_rel"), m.HasAny(".acquire", ".acq_rel")
	do := map[Op]func(*LSU, *Inst, unsafe.Pointer, Mask) bool{OpLoad: (*LSU).load, OpStore: (*LSU).store,
		OpAtom: (*LSU).atomic, OpAtomWide: (*LSU).atomicWide}[o]
	return func(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool {
		x := in.X
		size := x.Bytes(o)
		if !w.LSU.locate(in, x.Mem, f, exec, uint64(size)) {
			return false
		}
		base, offs := w.LSU.Seg.Base, w.LSU.offs
		op := causal.Operation{Reach: strong, Reads: o != OpStore, Writes: o != OpLoad, Acquires: acquires,
			Releases: releases}
		if o == OpStore {
			synchronize(w, &op, base, &offs, exec)
		}
		c := checker{WatchedAccess: WatchedAccess{In: in, Size: size, Op: o, reach: strong, nc: nc}}
		ok := true
		if o == OpStore && x.Mem.Space != ptx.LocalSpace {
			same := unchanged(w, base, &offs, exec, size, func() { ok = do(&w.LSU, in, f, exec) })
			c.row(&w.LSU, base, &offs, exec, same)
		} else {
			c.row(&w.LSU, base, &offs, exec, 0)
			ok = do(&w.LSU, in, f, exec)
		}
		if o != OpStore {
			synchronize(w, &op, base, &offs, exec)
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

// synchronize notes what a strong operation of lanes orders.
func synchronize(w *Warp, op *causal.Operation, base uint32, offs *[32]uint32, exec Mask) {
	if op.Reach == causal.Weak {
		return
	}
	if o, ok := orderOf(w); ok {
		var at [32]uint32
		op.Locations = at[:0]
		for m := uint32(exec); m != 0; m &= m - 1 {
			op.Locations = append(op.Locations, base+offs[bits.TrailingZeros32(m)])
		}
		o.Synchronizes(op)
	}
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
	reach     causal.Reach
	nc        bool // through the non-coherent cache
	same      bool // it stores the value that is there already, as many threads do at once: no race with a store
}

// Check checks one lane's access, and remembers it.
func (w *LSU) Check(a *WatchedAccess) {
	if w.CTA.Grid.Dev.Shadow == nil {
		return
	}
	c := checker{WatchedAccess: *a}
	c.begin(w)
	c.check(a.Lane, a.Off, a.same)
}

// checker checks the lanes of one access in turn. What it finds out for a lane it keeps for the next ones.
type checker struct {
	WatchedAccess
	w          *LSU
	s          *shadow.Shadow
	now        shadow.Access
	order      causal.Warp // once it is asked
	floor, met uint32      // the times up to which all accesses are ordered, and those of the CTA

	from, size uint32       // memory that a lane was in: offset and bytes
	off        bool         // accesses there are not checked
	looks      bool         // reads there are checked for contents
	local      bool         // it is local memory, which no other thread reaches
	page       *shadow.Page // of the last lane
	number     uint32       // of page
	bits       uint64       // of Written, for an access at offset 0; 0 where accesses are not of whole words
}

// begin prepares for the lanes of a warp.
func (c *checker) begin(w *LSU) {
	s := w.CTA.Grid.Dev.Shadow
	pc := w.Cur.PC
	if at := w.CTA.Grid.Prog.pcOf(c.In); at >= 0 {
		pc = at
	}
	c.w, c.s, c.number = w, s, math.MaxUint32
	if c.bits = 0; s.On(gpu.Racecheck) && c.Size >= 1<<shadow.WordUnit && c.Size&(c.Size-1) == 0 {
		c.bits = 1<<c.Size - 1
	}
	c.floor, c.met = s.Clock.Floor, w.CTA.order.Met
	c.now = shadow.Access{Thread: causal.ThreadOf(w.CTA.Index, w.Index, 0), Time: s.Clock.Time,
		How: shadow.HowOf(pc, c.reach, c.nc)}
}

// look finds the memory that an access is in, and what is checked there.
func (c *checker) look(off uint32) {
	g := c.w.CTA.Grid
	if l := &c.w.Local; l.Holds(off) {
		c.from, c.size, c.off, c.looks, c.local = l.off, uint32(l.all()), false, true, true
		if c.Op != OpLoad && c.Op != OpStore { // it faults there
			c.off, c.size = true, 0
		}
		return
	}
	c.local = false
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
	c.now.Thread = c.now.Thread&^31 | causal.Thread(lane)
	number := off >> mem.PageShift
	slow := c.bits == 0 || c.local || off&(c.Size-1) != 0
	if slow || number != c.number && !c.turnTo(number) || !c.page.OfWords() {
		c.checkEach(off, same)
		return
	}
	written, mask := c.page.WrittenAt(off), c.bits<<(off&63)
	if c.Op != OpStore && c.looks && *written&mask != mask {
		c.w.checkWritten(&c.WatchedAccess)
	}
	if c.Op != OpLoad {
		*written |= mask
	}
	words := c.page.Words(off, c.Size)
	if l := &words[0]; c.Op == OpLoad && len(words) == 1 && !c.nc && c.ordered(&l.Write) {
		c.reads(l)
		return
	}
	for i := range words {
		c.unit(&words[i], off+uint32(i)<<shadow.WordUnit, same)
	}
}

// turnTo makes a page the current one, and says whether racecheck has looked at it before.
func (c *checker) turnTo(number uint32) bool {
	if !c.s.At(number).Seen() {
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
		c.s.Fill(off, c.Size)
	}
	if c.local || !c.s.On(gpu.Racecheck) {
		return
	}
	for at := off; at < off+c.Size; {
		p := c.s.Page(at)
		p.Divide(at, off+c.Size-at)
		c.unit(p.UnitOf(at), at, same)
		at += p.UnitBytes()
	}
}

// unit checks and remembers the access to one unit of memory.
func (c *checker) unit(last *shadow.Unit, at uint32, same bool) {
	writes := c.Op != OpLoad
	if !same && (c.nc || !c.ordered(&last.Write)) {
		c.checkRace(&last.Write, at, true)
	}
	if !writes {
		c.reads(last)
		return
	}
	for _, read := range []*shadow.Access{&last.Read, &last.Other} {
		if !c.ordered(read) || read.How.NC() {
			c.checkRace(read, at, false)
		}
	}
	last.Write = c.now
}

// reads remembers a read.
func (c *checker) reads(l *shadow.Unit) {
	if was := l.Read.Thread ^ c.now.Thread; was>>5 != 0 || was != 0 && c.ordered(&l.Other) {
		l.Other = l.Read
	}
	l.Read = c.now
}

// checkWritten looks whether memory that a lane is about to read was written (5.1.4, 5.1.7). What a load brings from
// there is followed, and noted where it decides something; see undefined.go.
func (w *LSU) checkWritten(a *WatchedAccess) {
	g := w.CTA.Grid
	s := g.Dev.Shadow
	if !s.On(gpu.Initcheck) || s.Written(a.Off, a.Size) || willWrite(g, a.Off, a.Size) {
		return
	}
	if a.Op == OpLoad && w.doubt(a.In, a.Lane, a.Off) {
		return
	}
	w.Note(a.In, causes.Unwritten,
		fmt.Sprintf("`%s` in lane %d of warp %d reads %s, which nothing has written: the value is undefined; "+
			"store something first", a.In.Src.Opcode, a.Lane, w.Index, whereIs(w.Warp, a.Off)))
}

// checkRace notes two accesses to the byte at an arena offset that conflict and are unordered (8.7). wrote says that
// the old one was a write.
func (c *checker) checkRace(old *shadow.Access, at uint32, wrote bool) {
	now, w, writes := &c.now, c.w, c.Op != OpLoad
	g := w.CTA.Grid
	if old.Time <= c.s.Clock.Launch {
		return
	}
	in, was := &g.Prog.Code[now.How.PC()], &g.Prog.Code[old.How.PC()]
	stale := now.How.NC() && wrote || old.How.NC() && writes
	if !stale {
		if !c.races(old) {
			return
		}
		c.order.Settle(now.Thread.Lane(), old.Thread)
	}
	if g.Noted(in, causes.Race) || notedPair(g, was, in, causes.Race) {
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
	who := fmt.Sprintf("lane %d of warp %d", old.Thread.Lane(), old.Thread.Warp())
	if old.Thread.CTA() != now.Thread.CTA() {
		id := g.Grid.Index(old.Thread.CTA())
		who += fmt.Sprintf(" of CTA %d,%d,%d", id.X, id.Y, id.Z)
	}
	const told = "`%s` in lane %d of warp %d %s %s, which `%s` of line %d has %s in %s; %s"
	f := w.NoteWith(in, causes.Race, was, fmt.Sprintf(told,
		in.Src.Opcode, now.Thread.Lane(), now.Thread.Warp(), does, whereInShared(g, w.CTA.Index, at), was.Src.Opcode,
		g.Position(was.Src).Line, did, who, c.cure(old, stale)))
	if f != nil {
		f.At.Lanes = 1 << now.Thread.Lane()
		f.With = gpu.Witness{Inst: was.Src, CTA: g.Grid.Index(old.Thread.CTA()), Warp: old.Thread.Warp(),
			Lanes: 1 << old.Thread.Lane()}
	}
}

// cure says what would order a race.
func (c *checker) cure(old *shadow.Access, stale bool) string {
	const unordered = "the two accesses are unordered: "
	apart, strong := old.Thread^c.now.Thread, old.How.Reach() != causal.Weak
	switch {
	case stale:
		return "ld.global.nc is for memory that no thread writes while the kernel runs: use ld.global"
	case strong && c.now.How.Reach() != causal.Weak:
		return fmt.Sprintf("%sthe scopes %s and %s do not both include the two threads: widen the narrower one", unordered,
			old.How.Reach(), c.now.How.Reach())
	case apart>>5 == 0:
		return unordered + "lanes of a warp go on independently; put bar.warp.sync between them"
	case apart>>10 == 0:
		return unordered + "put a barrier between them, or use atomics whose scope covers both threads"
	}
	return unordered + "a barrier does not reach the other CTA; release after the first and acquire before the second, " +
		"with a scope that covers both threads, or use atomics"
}
