package machine

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// races says whether two conflicting accesses are a data race. Without progress, the lanes of a warp run in step.
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
	return progress && old.in.Src != now.in.Src && old.inWarp == now.inWarp
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
			switch name := m.Form.Mnemonic; {
			case name == "fence" || name == "membar":
				wide := !m.Has(".cta")
				in.then(func(w *Warp) { w.Ordered(wide) })
			case in.Op == OpRun && orders(name) && in.X.Across == nil && !in.X.Cluster: // clusterArrive orders accesses itself
				in.then(func(w *Warp) { w.Ordered(w.CTA.Grid.ClusterSize() > 1) })
			}
		}
	}
}

// then adds something that is done after an instruction, which is a function or does nothing.
func (in *Inst) then(do func(w *Warp)) {
	run := func(*Warp, *Inst, unsafe.Pointer, Mask) bool { return true }
	if in.X == nil {
		in.X = &Extra{}
	} else {
		run = in.X.Run
	}
	in.X.Run = func(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool {
		ok := run(w, in, f, exec)
		do(w)
		return ok
	}
}

// orders says whether instructions with a mnemonic order memory accesses, among other effects.
func orders(mnemonic string) bool {
	return slices.Contains([]string{"mbarrier", "cp", "barrier", "bar", "wgmma", "tcgen05", "griddepcontrol"}, mnemonic)
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
		elements := len(x.S)
		if o == OpLoad {
			elements = len(x.D)
		}
		size := x.Mem.Size * uint32(elements)
		if o == OpAtom || x.Mem.Size == 16 {
			size = x.Mem.Size
		}
		if !w.LSU.locate(in, x.Mem, f, exec, uint64(size)) {
			return false
		}
		base, offs := w.LSU.Seg.Base, w.LSU.offs
		look := func(lane int, same bool) {
			w.LSU.Check(&WatchedAccess{In: in, Lane: lane, Off: base + offs[lane], Size: size, Op: o, reach: strong,
				nc: nc, same: same})
		}
		if releases {
			w.Ordered(strong == reachGrid)
		}
		var before [32]string
		if o == OpStore {
			EachLane(exec, func(lane int) { before[lane] = w.bytes(base+offs[lane], size) })
		} else {
			EachLane(exec, func(lane int) { look(lane, false) })
		}
		ok := do(&w.LSU, in, f, exec)
		if o == OpStore {
			EachLane(exec, func(lane int) { look(lane, before[lane] == w.bytes(base+offs[lane], size)) })
		}
		if acquires {
			w.Ordered(strong == reachGrid)
		}
		return ok
	}
}

func (w *Warp) bytes(off, size uint32) string {
	return string(w.Mem.Bytes(off, size))
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
	g, off, size := w.CTA.Grid, a.Off, a.Size
	reads, writes := a.Op != OpStore, a.Op != OpLoad
	s, c := g.Dev.Shadow, OwnerOfShared(g, off)
	if c == nil {
		if al := g.Mem.Find(g.Mem.Addr(off), uint64(size)); al == nil || al.Kind != mem.Global {
			return
		} else if reads && al.Name == "" {
			w.checkWritten(a)
		}
	} else if reads {
		w.checkWritten(a)
	}
	if writes {
		s.Wrote(off, size)
	}
	if !s.On(gpu.Racecheck) {
		return
	}
	now := touched{in: a.In, index: int32(w.CTA.Index), lane: int32(a.Lane), warp: int32(w.Index), inGrid: s.grid,
		inCTA: s.ctas[w.CTA.Index], inWarp: s.warps[[2]int{w.CTA.Index, w.Index}], reach: a.reach, nc: a.nc}
	for at := off; at < off+size; at++ {
		p := s.Page(at)
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

// checkWritten notes a read of memory that was never written (5.1.4, 5.1.7).
func (w *LSU) checkWritten(a *WatchedAccess) {
	g := w.CTA.Grid
	s := g.Dev.Shadow
	if !s.On(gpu.Initcheck) || g.Noted(a.In, CauseUnwritten) {
		return
	}
	for at := a.Off; at < a.Off+a.Size; at++ {
		if p := s.pages[at>>mem.PageShift]; p != nil && p.Written[at&(mem.PageSize-1)>>6]>>(at&63)&1 != 0 {
			continue
		}
		w.Note(a.In, CauseUnwritten,
			fmt.Sprintf("`%s` in lane %d of warp %d reads %s, which nothing has written: the value is undefined; "+
				"store something first", a.In.Src.Opcode, a.Lane, w.Index, whereInShared(g, w.CTA.Index, a.Off)))
		return
	}
}

// checkRace notes two accesses to the byte at an arena offset that conflict and are unordered (8.7). writes says that
// the access now is a write, and wrote that the old one was.
func (w *LSU) checkRace(now, old *touched, at uint32, writes, wrote bool) {
	g := w.CTA.Grid
	s := g.Dev.Shadow
	if old.in == nil || old.inGrid < s.start || g.Noted(now.in, CauseRace) {
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
		id := g.Grid.Index(int(old.index))
		who += fmt.Sprintf(" of CTA %d,%d,%d", id.X, id.Y, id.Z)
	}
	why := "the two accesses are unordered: put a barrier between them, or use atomics whose scope covers both threads"
	if stale {
		why = "ld.global.nc is for memory that no thread writes while the kernel runs: use ld.global"
	}
	const told = "`%s` in lane %d of warp %d %s %s, which `%s` of line %d has %s in %s; %s"
	w.NoteWith(now.in, CauseRace, old.in, fmt.Sprintf(told,
		now.in.Src.Opcode, now.lane, now.warp, does, whereInShared(g, w.CTA.Index, at), old.in.Src.Opcode,
		g.Position(old.in.Src).Line, did, who, why))
}
