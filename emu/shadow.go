package emu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// shadow is what racecheck and initcheck know about shared memory and buffers: for each byte, whether it was written,
// and who accessed it last. It is nil when neither check is asked for, and then costs nothing: the checks are in the
// instructions (see watch), not in the interpreter.
//
// What orders two accesses (8.9) is taken generously, so that nothing is reported wrongly: an access is ordered before
// all that follow a barrier, fence, release or acquire of anybody in reach. In reach are the warp, the CTA or the whole
// grid; for each there is an epoch that these instructions end.
type shadow struct {
	checks Checks
	pages  map[uint32]*shadowPage // by page of the arena
	age    int                    // of snapshots: older pages are shared with them
	start  uint32                 // epoch of the grid in which the present launch began
	grid   uint32
	ctas   map[int]uint32
	warps  map[[2]int]uint32 // by CTA and warp
}

type shadowPage struct {
	age     int
	written [mem.PageSize / 64]uint64
	last    []lastAccess // racecheck: by byte
}

// lastAccess is the last write to a byte and the last read.
type lastAccess struct{ write, read touched }

// touched is one access. in is nil when there was none.
type touched struct {
	in                    *inst
	index, lane           int32 // CTA and lane
	warp                  int32
	inGrid, inCTA, inWarp uint32 // epochs
	reach                 reach
	nc                    bool // through the non-coherent cache
}

// reach is the scope of a strong operation (8.5); weak for all others.
type reach uint8

const (
	weak reach = iota
	reachCTA
	reachGrid
)

func newShadow(checks Checks) *shadow {
	if checks&^AlwaysOn == 0 {
		return nil
	}
	return &shadow{checks: checks, pages: map[uint32]*shadowPage{}, ctas: map[int]uint32{}, warps: map[[2]int]uint32{}}
}

func (s *shadow) on(check Checks) bool { return s != nil && s.checks&check != 0 }

// cost is the bytes that a snapshot holds which the one before it does not.
func (s *shadow) cost() (n int64) {
	if s == nil {
		return 0
	}
	for _, p := range s.pages {
		if p.age == s.age {
			n += p.bytes()
		}
	}
	return n
}

func (p *shadowPage) bytes() int64 { return sizeOf(p) + sliceBytes(p.last) }

// clone is a copy for a snapshot. Pages are shared until one side writes.
func (s *shadow) clone() *shadow {
	if s == nil {
		return nil
	}
	s.age++
	c := *s
	c.pages, c.ctas, c.warps = maps.Clone(s.pages), maps.Clone(s.ctas), maps.Clone(s.warps)
	return &c
}

// page is the page of an arena offset, for writing.
func (s *shadow) page(off uint32) *shadowPage {
	p := s.pages[off>>mem.PageShift]
	switch {
	case p == nil:
		p = &shadowPage{age: s.age}
	case p.age != s.age:
		c := *p
		c.age, c.last = s.age, slices.Clone(p.last)
		p = &c
	default:
		return p
	}
	s.pages[off>>mem.PageShift] = p
	return p
}

// forget makes a range new memory.
func (s *shadow) forget(off uint32, size int64) {
	if s == nil {
		return
	}
	for at := off; int64(at-off) < size; at++ {
		if s.pages[at>>mem.PageShift] == nil {
			at |= mem.PageSize - 1
			continue
		}
		p := s.page(at)
		p.written[at&(mem.PageSize-1)>>6] &^= 1 << (at & 63)
		if p.last != nil {
			p.last[at&(mem.PageSize-1)] = lastAccess{}
		}
	}
}

// wrote notes bytes that have contents now.
func (s *shadow) wrote(off, size uint32) {
	if s == nil {
		return
	}
	for at := off; at < off+size; at++ {
		s.page(at).written[at&(mem.PageSize-1)>>6] |= 1 << (at & 63)
	}
}

// launched begins a grid: what was before is ordered before it.
func (s *shadow) launched() {
	if s != nil {
		s.grid++
		s.start = s.grid
	}
}

func (s *shadow) syncGrid() {
	if s != nil {
		s.grid++
	}
}

func (s *shadow) syncCTA(c *cta) {
	if s != nil {
		s.ctas[c.index]++
	}
}

func (s *shadow) syncWarp(w *warp) {
	if s != nil {
		s.warps[[2]int{w.cta.index, w.index}]++
	}
}

// watch puts the checks in front of all instructions that access or order memory.
func (p *program) watch() {
	for i := range p.code {
		in := &p.code[i]
		if in.src == nil || in.src.Match == nil {
			continue
		}
		m := in.src.Match
		inner := in.op
		switch inner {
		case opLoad, opStore, opAtom, opAtomWide:
			if in.x.mem.space != ptx.LocalSpace && in.x.mem.space != ptx.ParamSpace && in.x.mem.space != ptx.ConstSpace {
				in.op, in.x.run = opRun, watched(inner, strength(m, inner), m.Has(".nc"))
			}
		case opNop, opRun:
			switch name := m.Form.Mnemonic; {
			case name == "fence" || name == "membar":
				wide := !m.Has(".cta")
				in.then(func(w *warp) { w.ordered(wide) })
			case in.op == opRun && orders(name) && in.x.across == nil && !in.x.cluster: // see clusterArrive
				in.then(func(w *warp) { w.ordered(w.cta.grid.clusterSize() > 1) })
			}
		}
	}
}

// then has something done after an instruction that is a closure or nothing.
func (in *inst) then(do func(w *warp)) {
	run := func(*warp, *inst, unsafe.Pointer, Mask) bool { return true }
	if in.x == nil {
		in.x = &extra{}
	} else {
		run = in.x.run
	}
	in.x.run = func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		ok := run(w, in, f, exec)
		do(w)
		return ok
	}
}

// orders says whether an instruction of several effects orders memory accesses too.
func orders(mnemonic string) bool {
	return slices.Contains([]string{"mbarrier", "cp", "barrier", "bar", "wgmma", "tcgen05", "griddepcontrol"}, mnemonic)
}

// strength is the reach of a load, store or atomic.
func strength(m *isa.Bound, o op) reach {
	switch {
	case o != opAtom && o != opAtomWide && !hasAny(m, ".volatile", ".relaxed", ".acquire", ".release", ".mmio"):
		return weak
	case m.Has(".cta"):
		return reachCTA
	}
	return reachGrid
}

func hasAny(m *isa.Bound, modifiers ...string) bool { return slices.ContainsFunc(modifiers, m.Has) }

// ordered ends an epoch.
func (w *warp) ordered(grid bool) {
	if s := w.cta.grid.dev.shadow; grid {
		s.syncGrid()
	} else {
		s.syncCTA(w.cta)
	}
}

// watched is a load, store or atomic after the checks.
func watched(o op, strong reach, nc bool) runner {
	do := map[op]func(*lsu, *inst, unsafe.Pointer, Mask) bool{opLoad: (*lsu).load, opStore: (*lsu).store,
		opAtom: (*lsu).atomic, opAtomWide: (*lsu).atomicWide}[o]
	return func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		x := in.x
		elements := len(x.s)
		if o == opLoad {
			elements = len(x.d)
		}
		size := x.mem.size * uint32(elements)
		if o == opAtom || x.mem.size == 16 {
			size = x.mem.size
		}
		if !w.lsu.locate(in, x.mem, f, exec, uint64(size)) {
			return false
		}
		base, offs := w.lsu.seg.Base, w.lsu.offs
		look := func(lane int, same bool) {
			w.lsu.check(&watchedAccess{in: in, lane: lane, off: base + offs[lane], size: size, op: o, reach: strong,
				nc: nc, same: same})
		}
		m := in.src.Match
		if hasAny(m, ".release", ".acq_rel") {
			w.ordered(strong == reachGrid)
		}
		var before [32]string
		if o == opStore {
			eachLane(exec, func(lane int) { before[lane] = w.bytes(base+offs[lane], size) })
		} else {
			eachLane(exec, func(lane int) { look(lane, false) })
		}
		ok := do(&w.lsu, in, f, exec)
		if o == opStore {
			eachLane(exec, func(lane int) { look(lane, before[lane] == w.bytes(base+offs[lane], size)) })
		}
		if hasAny(m, ".acquire", ".acq_rel") {
			w.ordered(strong == reachGrid)
		}
		return ok
	}
}

func (w *warp) bytes(off, size uint32) string {
	return string(w.mem.Bytes(off, size))
}

// watchedAccess is one lane's access as the checks see it.
type watchedAccess struct {
	in        *inst
	lane      int
	off, size uint32
	op        op
	reach     reach
	nc        bool // through the non-coherent cache
	same      bool // it stores what is there already, as many threads do with one value: no race with another store
}

// check looks at one lane's access, and notes it.
func (w *lsu) check(a *watchedAccess) {
	g, off, size := w.cta.grid, a.off, a.size
	reads, writes := a.op != opStore, a.op != opLoad
	s, c := g.dev.shadow, ownerOfShared(g, off)
	if c == nil {
		if al := g.mem.Find(g.mem.Addr(off), uint64(size)); al == nil || al.Kind != mem.Global {
			return
		} else if reads && al.Name == "" {
			w.checkWritten(a)
		}
	} else if reads {
		w.checkWritten(a)
	}
	if writes {
		s.wrote(off, size)
	}
	if !s.on(Racecheck) {
		return
	}
	now := touched{in: a.in, index: int32(w.cta.index), lane: int32(a.lane), warp: int32(w.index), inGrid: s.grid,
		inCTA: s.ctas[w.cta.index], inWarp: s.warps[[2]int{w.cta.index, w.index}], reach: a.reach, nc: a.nc}
	for at := off; at < off+size; at++ {
		p := s.page(at)
		if p.last == nil {
			p.last = make([]lastAccess, mem.PageSize)
		}
		last := &p.last[at&(mem.PageSize-1)]
		if !a.same {
			w.checkRace(&now, &last.write, at, writes, true)
		}
		if writes {
			w.checkRace(&now, &last.read, at, true, false)
			last.write = now
		} else {
			last.read = now
		}
	}
}

// checkWritten notes a read of what was never written (5.1.4, 5.1.7).
func (w *lsu) checkWritten(a *watchedAccess) {
	g := w.cta.grid
	s := g.dev.shadow
	if !s.on(Initcheck) || g.noted(a.in, causeUnwritten) {
		return
	}
	for at := a.off; at < a.off+a.size; at++ {
		if p := s.pages[at>>mem.PageShift]; p != nil && p.written[at&(mem.PageSize-1)>>6]>>(at&63)&1 != 0 {
			continue
		}
		w.note(a.in, causeUnwritten,
			fmt.Sprintf("`%s` in lane %d of warp %d reads %s, which nothing has written: the value is undefined; "+
				"store something first", a.in.src.Opcode, a.lane, w.index, whereInShared(g, w.cta.index, a.off)))
		return
	}
}

// checkRace notes two accesses that conflict and that nothing orders (8.7).
func (w *lsu) checkRace(now, old *touched, at uint32, writes, wrote bool) {
	g := w.cta.grid
	s := g.dev.shadow
	if old.in == nil || old.inGrid < s.start || g.noted(now.in, causeRace) {
		return
	}
	stale := now.nc && wrote || old.nc && writes
	if !stale && !s.races(now, old, w.progress()) {
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
	who := fmt.Sprintf("lane %d of warp %d", old.lane, old.warp)
	if old.index != now.index {
		id := g.grid.Index(int(old.index))
		who += fmt.Sprintf(" of CTA %d,%d,%d", id.X, id.Y, id.Z)
	}
	why := "the two accesses are unordered: put a barrier between them, or use atomics whose scope covers both threads"
	if stale {
		why = "ld.global.nc is for memory that no thread writes while the kernel runs: use ld.global"
	}
	const told = "`%s` in lane %d of warp %d %s %s, which `%s` of line %d has %s in %s; %s"
	w.noteWith(now.in, causeRace, old.in, fmt.Sprintf(told,
		now.in.src.Opcode, now.lane, now.warp, does, whereInShared(g, w.cta.index, at), old.in.src.Opcode,
		g.position(old.in.src).Line, did, who, why))
}

// races says whether two conflicting accesses are a data race. Without progress the lanes of a warp run in step.
func (s *shadow) races(now, old *touched, progress bool) bool {
	sameWarp := old.index == now.index && old.warp == now.warp
	switch {
	case sameWarp && old.lane == now.lane, old.inGrid != now.inGrid:
		return false
	case old.reach != weak && now.reach != weak:
		return old.index != now.index && min(old.reach, now.reach) == reachCTA
	case old.index != now.index:
		return true
	case old.inCTA != now.inCTA:
		return false
	case !sameWarp:
		return true
	}
	return progress && old.in.src != now.in.src && old.inWarp == now.inWarp
}

// whereInShared names a place in memory: "shared+8", "variable+4", "0x200001000".
func whereInShared(g *Grid, cta int, off uint32) string {
	space, a := g.place(cta, off)
	if space != ptx.SharedSpace {
		if al := g.mem.Find(a, 1); al != nil && al.Name != "" {
			return fmt.Sprintf("%s+%d", al.Name, off-al.Off)
		}
		return fmt.Sprintf("%#x", a)
	}
	a -= g.mem.Win.Shared
	var b strings.Builder
	fmt.Fprintf(&b, "shared+%d", a%clusterStride)
	if a >= clusterStride {
		fmt.Fprintf(&b, " of rank %d", a/clusterStride-1)
	}
	return b.String()
}
