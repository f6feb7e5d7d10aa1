package machine

import (
	"bytes"
	"fmt"
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
		var c shadow.Checker
		c.Size, c.Reads, c.Writes = size, o != OpStore, o != OpLoad
		if o == OpLoad && strong == causal.Weak {
			w.LSU.checker(&c, in, strong, nc)
			c.Read(&w.LSU.Seg, &w.LSU.offs, uint32(exec))
			return do(&w.LSU, in, f, exec)
		}
		base, offs := w.LSU.Seg.Base, w.LSU.offs
		op := causal.Operation{Reach: strong, Reads: o != OpStore, Writes: o != OpLoad, Acquires: acquires,
			Releases: releases}
		if o == OpStore {
			synchronize(w, &op, base, &offs, exec)
		}
		w.LSU.checker(&c, in, strong, nc)
		ok := true
		switch {
		case exec == gpu.FullMask && shadow.InOrder(&offs) && c.Row(base+offs[0]):
			ok = do(&w.LSU, in, f, exec)
		case o == OpStore && x.Mem.Space != ptx.LocalSpace:
			same := unchanged(w, base, &offs, exec, size, func() { ok = do(&w.LSU, in, f, exec) })
			w.LSU.check(&c, base, &offs, exec, same)
		default:
			w.LSU.check(&c, base, &offs, exec, 0)
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

// check checks the accesses of lanes, and remembers them. same are the lanes that store what is there already.
func (w *LSU) check(c *shadow.Checker, base uint32, offs *[32]uint32, exec, same Mask) {
	if !c.Words(base, offs, uint32(exec)) {
		c.Lanes(base, offs, uint32(exec), uint32(same))
	}
}

// CheckStore checks that a lane has stored size bytes at an arena offset, and remembers it.
func (w *LSU) CheckStore(in *Inst, lane int, off, size uint32) {
	var offs [32]uint32
	offs[lane] = off
	w.Check(in, causal.Weak, 1<<lane, &offs, size, true, 0)
}

// Check checks the accesses of lanes to size bytes each at arena offsets, stores that have happened or loads, and
// remembers them. Initcheck does not ask whether what they load was written. same are the lanes that have stored what
// was there already.
func (w *LSU) Check(in *Inst, reach causal.Reach, lanes Mask, offs *[32]uint32, size uint32, write bool, same Mask) {
	if w.CTA.Grid.Dev.Shadow != nil {
		var c shadow.Checker
		c.Size, c.Writes = size, write
		w.checker(&c, in, reach, false)
		w.check(&c, 0, offs, lanes, same)
	}
}

// checker makes a checker ready for an instruction's access. nc says that it uses the non-coherent cache.
func (w *LSU) checker(c *shadow.Checker, in *Inst, reach causal.Reach, nc bool) {
	g, pc := w.CTA.Grid, w.Cur.PC
	if at := g.Prog.pcOf(in); at >= 0 {
		pc = at
	}
	s := g.Dev.Shadow
	c.Met = w.CTA.order.Met
	c.Now = shadow.Access{Thread: causal.ThreadOf(w.CTA.Index, w.Index, 0), Time: s.Clock.Time,
		How: shadow.HowOf(pc, reach, nc)}
	c.Begin(w, s)
}

// Around implements shadow.Machine.
func (w *LSU) Around(off, size uint32) shadow.Range {
	g := w.CTA.Grid
	if l := &w.Local; l.Holds(off) {
		return shadow.Range{From: l.off, Size: uint32(l.all()), Looks: true, Local: true}
	}
	if owner := OwnerOfShared(g, off); owner != nil {
		return shadow.Range{From: owner.SharedOff, Size: uint32(owner.SharedSize), Looks: true,
			Own: owner == w.CTA && g.cluster == gpu.Dim3{X: 1, Y: 1, Z: 1}}
	}
	if al := g.Mem.Find(g.Mem.Addr(off), uint64(size)); al != nil && al.Kind == mem.Global {
		return shadow.Range{From: al.Off, Size: al.Size, Looks: al.Name == ""}
	}
	return shadow.Range{Off: true}
}

// Order implements shadow.Machine.
func (w *LSU) Order() causal.Warp {
	o, _ := orderOf(w.Warp)
	return o
}

// Place implements shadow.Machine.
func (w *LSU) Place(cta int) causal.Place { return placeOf(w.CTA.Grid, cta, 0) }

// Apart implements shadow.Machine. Without progress, the lanes of a warp run in step.
func (w *LSU) Apart(a, b shadow.How) bool {
	code := w.CTA.Grid.Prog.Code
	return w.progress() && code[a.PC()].Src != code[b.PC()].Src
}

// Unwritten implements shadow.Machine. What a load brings from there is followed, and noted where it decides something;
// see undefined.go.
func (w *LSU) Unwritten(off uint32, o shadow.Operation) {
	g, lane := w.CTA.Grid, o.Now.Thread.Lane()
	in := &g.Prog.Code[o.Now.How.PC()]
	if willWrite(g, off, o.Size) || !o.Writes && w.doubt(in, lane, off) {
		return
	}
	w.Note(in, causes.Unwritten,
		fmt.Sprintf("`%s` in lane %d of warp %d reads %s, which nothing has written: the value is undefined; "+
			"store something first", in.Src.Opcode, lane, w.Index, whereIs(w.Warp, off)))
}

// Race implements shadow.Machine.
func (w *LSU) Race(p shadow.Pair) {
	g, old, now := w.CTA.Grid, p.Old.Thread, p.Now.Thread
	in, was := &g.Prog.Code[p.Now.How.PC()], &g.Prog.Code[p.Old.How.PC()]
	if g.Noted(in, causes.Race) || notedPair(g, was, in, causes.Race) {
		return
	}
	did := "read"
	if p.Wrote {
		did = "written"
	}
	does := "reads"
	if p.Writes {
		does = "writes"
	}
	who := fmt.Sprintf("lane %d of warp %d", old.Lane(), old.Warp())
	if old.CTA() != now.CTA() {
		id := g.Grid.Index(old.CTA())
		who += fmt.Sprintf(" of CTA %d,%d,%d", id.X, id.Y, id.Z)
	}
	const told = "`%s` in lane %d of warp %d %s %s, which `%s` of line %d has %s in %s; %s"
	f := w.NoteWith(in, causes.Race, was, fmt.Sprintf(told, in.Src.Opcode, now.Lane(), now.Warp(), does,
		whereInShared(g, w.CTA.Index, p.At), was.Src.Opcode, g.Position(was.Src).Line, did, who, p.Cure()))
	if f != nil {
		f.At.Lanes = 1 << now.Lane()
		f.With = gpu.Witness{Inst: was.Src, CTA: g.Grid.Index(old.CTA()), Warp: old.Warp(), Lanes: 1 << old.Lane()}
	}
}
