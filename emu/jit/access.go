package jit

import (
	"encoding/binary"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// A site is a load or store of a region. Outside of shared memory it reaches what its window shows, which is the
// allocation that it reached last. An access that goes elsewhere ends the compiled code before it, and Engine.look moves
// the window, or leaves the fault to the interpreter.
type site struct {
	pc      int32
	window  uint32 // offset in the context
	seg     uint32 // arena offset of the allocation
	limit   int64  // the highest offset of an access in it; below 0: there is none
	add     uint64 // to addresses, to get offsets
	changes int    // Memory.Changes when the window was found
}

// The parts of a window in the context.
const (
	winSeg   = 0  // i32: address of the range
	winLimit = 8  // i64
	winAdd   = 16 // i64
	winSize  = 24
)

// accesses says whether a load or store can be compiled.
func accesses(in *machine.Inst) bool {
	switch in.X.Mem.Space {
	case ptx.SharedSpace, ptx.GlobalSpace, ptx.ConstSpace, ptx.ParamSpace, ptx.Generic:
		return in.Width != 0
	}
	return false
}

// access writes a load or store. All lanes are checked before one of them loads or stores, so that the code can stop
// before the instruction.
func (w *emitter) access(pc int32) {
	in := &w.e.prog.Code[pc]
	a := &accessor{body: w.body(), in: in, ac: in.X.Mem, pc: pc, some: !w.full || in.Guard != row.TruePred}
	a.size, a.store = a.ac.Size, in.Op == machine.OpStore
	a.Get(locMask)
	if in.Guard != row.TruePred {
		a.Get(locFrame)
		a.Mem(wasm.I32Load, 4, in.Guard)
		if in.Neg != 0 {
			a.I32(-1)
			a.Op(wasm.I32Xor)
		}
		a.Op(wasm.I32And)
	}
	a.Tee(locExec)
	a.If()
	if a.store {
		a.Get(locCtx)
		a.Mem(wasm.I32Load, 4, ctxPlain)
		a.Op(wasm.I32Eqz)
		a.exitIf(pc)
	}
	a.check()
	a.Block()
	if !a.some {
		a.together()
	}
	a.each()
	a.Op(wasm.End)
	if in.Guard != row.TruePred && in.Seen != 0 {
		a.Get(locFrame)
		a.Get(locFrame)
		a.Mem(wasm.I32Load, 4, in.Seen)
		a.Get(locExec)
		a.Op(wasm.I32Or)
		a.Mem(wasm.I32Store, 4, in.Seen)
	}
	a.Op(wasm.End)
}

// accessor writes the code of one access.
type accessor struct {
	*body
	in    *machine.Inst
	ac    *machine.Access
	pc    int32
	size  uint32
	store bool
	some  bool // not all lanes access
}

// window pushes a part of the site's window, as an i64 in both lanes of a vector.
func (a *accessor) window(part uint32) {
	a.Get(locCtx)
	a.Mem(wasm.V128Load64Splat, 8, a.r.site(a.pc).window+part)
}

// bounds sets locals to where the range is, and to vectors of what is added to addresses and of the highest offset.
func (a *accessor) bounds(add, limit uint32) {
	if a.ac.Space == ptx.SharedSpace {
		a.Get(locCtx)
		a.Mem(wasm.I32Load, 4, ctxShared)
		a.Set(locSeg)
		a.V128(a.ac.Off, a.ac.Off)
		a.Set(add)
		a.Get(locCtx)
		a.Mem(wasm.I32Load, 4, ctxSharedSize)
		a.Op(wasm.I64ExtendI32U)
		a.I64(int64(a.size))
		a.Op(wasm.I64Sub, wasm.I64x2Splat)
		a.Set(limit)
		return
	}
	a.Get(locCtx)
	a.Mem(wasm.I32Load, 4, a.r.site(a.pc).window+winSeg)
	a.Set(locSeg)
	a.window(winAdd)
	a.Set(add)
	a.window(winLimit)
	a.Set(limit)
}

// check puts the offsets of all lanes into the context, 0 for those that do not access, and stops before the instruction
// where one is outside the range or not aligned.
func (a *accessor) check() {
	m := a.fresh(7)
	add, limit, bad, or, mask, offset := m, m+1, m+2, m+3, m+4, m+5
	a.bounds(add, limit)
	for _, v := range [...]uint32{bad, or} {
		a.V128(0, 0)
		a.Set(v)
	}
	a.eachGroup(func() {
		if a.some {
			a.Get(locExec)
			a.Get(locShift)
			a.Op(wasm.I32ShrU)
			a.spread(0)
			a.Set(mask)
		}
		for half := range uint32(2) {
			a.address(half)
			a.Get(add)
			a.Op(wasm.I64x2Add)
			if a.some {
				a.Get(mask)
				a.Op(extend[half], wasm.V128And)
			}
			a.Set(offset + half)
			a.Get(bad)
			a.Get(limit)
			a.Get(offset + half)
			a.Op(wasm.I64x2Sub)
			a.Get(offset + half)
			a.Op(wasm.V128Or, wasm.V128Or)
			a.Set(bad)
			a.Get(or)
			a.Get(offset + half)
			a.Op(wasm.V128Or)
			a.Set(or)
		}
		a.Get(locAtCtx)
		a.Get(offset)
		a.Get(offset + 1)
		a.Shuffle(lowerWords)
		a.Mem(wasm.V128Store, 16, ctxOffs)
	})
	a.Get(bad)
	a.Op(wasm.I64x2Bitmask)
	a.Get(or)
	a.V128(uint64(a.size-1), uint64(a.size-1))
	a.Op(wasm.V128And, wasm.V128AnyTrue, wasm.I32Or)
	a.exitIf(a.pc)
}

// address pushes the addresses of 2 lanes.
func (a *accessor) address(half uint32) {
	if a.ac.Wide {
		a.Get(locAt64)
		a.Mem(wasm.V128Load, 16, a.ac.Addr.Off+16*half)
		return
	}
	a.Get(locAt32)
	a.Mem(wasm.V128Load, 16, a.ac.Addr.Off)
	a.Op([2]wasm.Op{wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU}[half])
}

// together is for lanes that access neighbouring elements, or load the same one. It leaves the block around the access.
func (a *accessor) together() {
	at := func(lane uint32) {
		a.Get(locCtx)
		a.Mem(wasm.I32Load, 4, ctxOffs+4*lane)
	}
	apart := func(by uint32) { // whether lane n is n times by after lane 0, for all lanes
		at(31)
		at(0)
		a.Op(wasm.I32Sub)
		a.I32(int32(31 * by))
		a.Op(wasm.I32Eq)
		a.If()
		for g := range uint32(8) {
			a.Get(locCtx)
			a.Mem(wasm.V128Load, 16, ctxOffs+16*g)
			at(0)
			a.Op(wasm.I32x4Splat)
			n := uint64(4 * g * by)
			if by != 0 {
				a.V128(n|(n+uint64(by))<<32, n+2*uint64(by)|(n+3*uint64(by))<<32)
				a.Op(wasm.I32x4Add)
			}
			a.Op(wasm.I32x4Eq)
			if g > 0 {
				a.Op(wasm.V128And)
			}
		}
		a.Op(wasm.I32x4AllTrue)
		a.If()
		a.Get(locSeg)
		at(0)
		a.Op(wasm.I32Add)
		a.Set(locTemp)
	}
	leave := func() {
		a.Arg(wasm.Br, 2)
		a.Op(wasm.End, wasm.End)
	}
	apart(a.size)
	for off := uint32(0); off < 32*a.size; off += 16 {
		from, to, fromOff, toOff := uint32(locTemp), uint32(locFrame), off, a.in.D+off
		if a.store {
			from, to, fromOff, toOff = to, from, toOff, fromOff
		}
		a.Get(to)
		a.Get(from)
		a.Mem(wasm.V128Load, min(a.size, 8), fromOff)
		a.Mem(wasm.V128Store, min(a.size, 8), toOff)
	}
	if a.store {
		a.mark(0)
		a.mark(32*a.size - 1)
	}
	leave()
	if a.store {
		return
	}
	apart(0)
	v := a.fresh(1)
	a.Get(locTemp)
	a.Mem(map[uint32]wasm.Op{4: wasm.V128Load32Splat, 8: wasm.V128Load64Splat}[a.size], a.size, 0)
	a.Set(v)
	for off := uint32(0); off < 32*a.size; off += 16 {
		a.Get(locFrame)
		a.Get(v)
		a.Mem(wasm.V128Store, 8, a.in.D+off)
	}
	leave()
}

// mark marks the page of the byte at locTemp plus an offset as written. Shared memory needs no marks.
func (a *accessor) mark(off uint32) {
	if a.ac.Space == ptx.SharedSpace {
		return
	}
	a.Get(locTemp)
	a.I32(int32(off))
	a.Op(wasm.I32Add)
	a.I32(12)
	a.Op(wasm.I32ShrU)
	a.Get(locCtx)
	a.Mem(wasm.I32Load, 4, ctxMarks)
	a.Op(wasm.I32Add)
	a.I32(1)
	a.Mem(wasm.I32Store8, 1, 0)
}

// each accesses lane by lane, in ascending order.
func (a *accessor) each() {
	lane, load, store := uint32(locShift), wasm.I32Load, wasm.I32Store
	if a.size == 8 {
		load, store = wasm.I64Load, wasm.I64Store
	}
	a.Loop()
	a.Get(locExec)
	a.Op(wasm.I32Ctz)
	a.Set(lane)
	a.Get(locCtx)
	a.Get(lane)
	a.I32(2)
	a.Op(wasm.I32Shl, wasm.I32Add)
	a.Mem(wasm.I32Load, 4, ctxOffs)
	a.Get(locSeg)
	a.Op(wasm.I32Add)
	a.Set(locTemp)
	data := func() { // the address of the lane's place in the row, less its offset
		a.Get(locFrame)
		a.Get(lane)
		a.I32(map[uint32]int32{4: 2, 8: 3}[a.size])
		a.Op(wasm.I32Shl, wasm.I32Add)
	}
	if a.store {
		a.Get(locTemp)
		data()
		a.Mem(load, a.size, a.in.D)
		a.Mem(store, a.size, 0)
		a.mark(0)
	} else {
		data()
		a.Get(locTemp)
		a.Mem(load, a.size, 0)
		a.Mem(store, a.size, a.in.D)
	}
	a.Get(locExec)
	a.Get(locExec)
	a.I32(1)
	a.Op(wasm.I32Sub, wasm.I32And)
	a.Tee(locExec)
	a.Arg(wasm.BrIf, 0)
	a.Op(wasm.End)
}

// show writes a window into the context.
func (s *site) show(ctx []byte, base uint32) {
	binary.LittleEndian.PutUint32(ctx[s.window+winSeg:], base+s.seg)
	binary.LittleEndian.PutUint64(ctx[s.window+winLimit:], uint64(s.limit))
	binary.LittleEndian.PutUint64(ctx[s.window+winAdd:], s.add)
}

// look moves the window of an access that compiled code has stopped before, if there is one at the pc, to where its
// first lane goes. Accesses to shared memory with generic addresses, and such that fault, get none.
func (e *Engine) look(w *machine.Warp, r *region, pc int32, at machine.Place) {
	in := &e.prog.Code[pc]
	if in.Op != machine.OpLoad && in.Op != machine.OpStore || in.X.Mem.Space == ptx.SharedSpace {
		return
	}
	f, ac := e.mem.At(at.Frame), in.X.Mem
	exec := at.Active & machine.Mask(*row.Pred(f, in.Guard)^in.Neg)
	if exec == 0 {
		return
	}
	al := e.mem.Find(ac.Addr.Get(f, machine.FirstLane(exec))+ac.Off, uint64(ac.Size))
	if al == nil || ac.Write && al.Kind != mem.Global || ac.Space == ptx.ConstSpace && al.Kind != mem.Const ||
		ac.Space == ptx.GlobalSpace && al.Kind == mem.Const {
		return
	}
	s, seg := r.site(pc), e.mem.Segment(al)
	s.seg, s.limit, s.add, s.changes = seg.Base, int64(seg.Size)-int64(ac.Size), seg.Add+ac.Off, e.mem.Changes()
	s.show(e.mem.Bytes(ctxAt, mem.PageSize-ctxAt), e.host.Base())
}
