package jit

import (
	"math/bits"
	"slices"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// throughout executes one warp the long way.
func (k *batcher) throughout() {
	if len(k.x) > 0 {
		v := k.body().fresh(1)
		k.Get(locLeft)
		k.Op(wasm.I32x4Splat)
		k.Set(v)
		for _, off := range k.x {
			for i := range uint32(8) {
				k.Get(locFrame)
				k.Get(v)
				k.Mem(wasm.V128Store, 16, off+16*i)
			}
		}
	}
	k.Block()
	for range k.spans {
		k.Block()
	}
	if len(k.loops) > 0 {
		k.dispatch()
	}
	past := int32(0) // the end of a loop
	for i, s := range k.spans {
		k.Op(wasm.End)
		if k.at = i; s.start < past {
			continue
		}
		if k.ended(s); k.loops[s.start] == nil {
			k.span(s)
			continue
		}
		l := k.loops[s.start]
		k.loop(l)
		past = s.start + l.length
	}
	k.Op(wasm.End)
}

// span executes a span.
func (k *batcher) span(s span) {
	k.add(locTick, s.end-s.start)
	k.add(locCounts+uint32(k.at), 1)
	if s.returns {
		k.branch(&k.e.prog.Code[s.start], k.body(), len(k.spans))
		return
	}
	from := s.start
	for pc := s.start; pc < s.end; pc++ {
		in := &k.e.prog.Code[pc]
		if stop := k.e.refuses(in); stop != nil {
			k.part(from, pc)
			from = pc
			k.refused(pc, stop)
			k.undoIf()
		}
		switch in.Op {
		case machine.OpStore:
			k.part(from, pc)
			from = pc + 1
			k.store(pc)
		case machine.OpBra:
			k.branch(in, k.part(from, pc), k.spanAt(in.Target))
			return
		}
	}
	k.part(from, s.end)
}

// branch goes to a span, or to the end of the warp, if all lanes take the branch or return after a part. Where only
// some do, the CTA is undone.
func (k *batcher) branch(in *machine.Inst, b *body, to int) {
	label := uint32(to - k.at - 1)
	if in.Guard == row.TruePred {
		k.Arg(wasm.Br, label)
		return
	}
	b.predicate(in.Guard)
	if in.Neg != 0 {
		k.I32(-1)
		k.Op(wasm.I32Xor)
	}
	k.Tee(locTemp)
	k.If()
	k.Get(locTemp)
	k.I32(-1)
	k.Op(wasm.I32Ne)
	k.undoIf()
	k.Arg(wasm.Br, label+1)
	k.Op(wasm.End)
}

// part executes the instructions from one pc to another, none of which stores.
func (k *batcher) part(from, to int32) *body {
	b := k.body()
	if from == to {
		return b
	}
	code := k.e.prog.Code
	for pc := from; pc < to; pc++ {
		if reaches(code[pc].Op) {
			continue
		}
		for _, d := range predicates(&code[pc]) {
			if b.preds[d] == nil {
				b.preds[d] = &pred{all: b.scalar(), wrote: true}
				b.wrote = append(b.wrote, d)
			}
		}
	}
	k.known = nil
	b.eachGroup(func() {
		for pc := from; pc < to; pc++ {
			if in := &code[pc]; in.Op == machine.OpLoad {
				k.load(b, pc)
			} else {
				b.instruction(in)
			}
			k.known = slices.DeleteFunc(k.known, func(s shape) bool { return writes(&code[pc], s.off) })
		}
		k.drop(b, to)
		b.store()
	})
	b.storePreds()
	return b
}

// drop forgets the values that are dead at a pc.
func (k *batcher) drop(b *body, pc int32) {
	live := k.e.prog.Liveness(k.fn).At(pc)
	for i, slot := range k.fn.Regs {
		if v := b.values[slot.Off]; v != nil && !live.Has(int32(i)) {
			v.dirty = false
		}
	}
}

// reach begins an access of a group of lanes.
func (k *batcher) reach(b *body, pc int32) *reached {
	in := &k.e.prog.Code[pc]
	a := &reached{accessor: &accessor{body: b, in: in, ac: in.X.Mem, pc: pc, store: in.Op == machine.OpStore}, k: k}
	if a.size = a.ac.Size; in.Width == 0 {
		a.list = elements(in)
		a.size *= uint32(len(a.list))
	}
	a.under(in)
	a.addresses = b.fresh(2)
	for half := range uint32(2) {
		if a.ac.Wide {
			b.getHalf(a.ac.Addr.Off, half)
		} else {
			b.get(a.ac.Addr.Off)
			b.Op([2]wasm.Op{wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU}[half])
		}
		b.Set(a.addresses + half)
	}
	return a
}

// reached is an access of 4 lanes.
type reached struct {
	*accessor
	k         *batcher
	addresses uint32 // 2 vectors
}

// shape returns the number of the shape of the addresses; see shape. It is only known whether they are neighbours.
func (a *reached) shape() uint32 {
	unused := uint32(1<<maxShapes - 1)
	for _, s := range a.k.known {
		if s.off == a.ac.Addr.Off && s.size == a.size {
			return s.n
		}
		unused &^= 1 << s.n
	}
	if unused == 0 {
		unused = 1 << a.k.known[0].n
		a.k.known = a.k.known[1:]
	}
	n := uint32(bits.TrailingZeros32(unused))
	a.k.known = append(a.k.known, shape{a.ac.Addr.Off, a.size, n})
	a.lane(wasm.I64x2ExtractLane, a.addresses, 0)
	a.Tee(locFirsts + n)
	a.Op(wasm.I64x2Splat)
	first := a.fresh(1)
	a.Set(first)
	for half := range uint32(2) {
		a.Get(first)
		a.V128(uint64(2*half*a.size), uint64((2*half+1)*a.size))
		a.Op(wasm.I64x2Add)
		a.Get(a.addresses + half)
		a.Op(wasm.I64x2Eq)
	}
	a.Op(wasm.V128And, wasm.I64x2AllTrue)
	a.Set(locKinds + n)
	return n
}

// inside pushes whether an access is inside its window and aligned. Its address is on the stack, and the offset is in
// locOffset afterwards. span is how far the last element is from the first one.
func (a *reached) inside(span uint32) {
	a.sum()
	a.Op(wasm.I64Add)
	a.Tee(locOffset)
	a.highest()
	if span > 0 {
		a.I64(int64(span))
		a.Op(wasm.I64Sub)
	}
	a.Get(locOffset)
	a.Op(wasm.I64Sub, wasm.I64Or)
	a.I64(0)
	a.Op(wasm.I64GeS)
	if a.size > 1 {
		a.Get(locOffset)
		a.I64(int64(a.size - 1))
		a.Op(wasm.I64And, wasm.I64Eqz, wasm.I32And)
	}
}

// place sets locTemp to the address of the element at locOffset.
func (a *reached) place() {
	a.segment()
	a.Get(locOffset)
	a.Op(wasm.I32WrapI64, wasm.I32Add)
	a.Set(locTemp)
}

// each writes an access: near, if the 4 lanes access neighbouring elements, of which the first is at locTemp, or far
// for each lane, whose element is there.
func (a *reached) each(near func(), far func(lane byte)) {
	n := a.shape()
	a.Get(locFirsts + n)
	a.inside(3 * a.size)
	a.Get(locKinds + n)
	a.Op(wasm.I32And)
	if a.within {
		a.Get(a.guard)
		a.Op(wasm.I32x4AllTrue, wasm.I32And)
	}
	a.If()
	a.place()
	near()
	a.Op(wasm.Else)
	for lane := range byte(4) {
		if a.within {
			a.lane(wasm.I32x4ExtractLane, a.guard, lane)
			a.If()
		}
		a.lane(wasm.I64x2ExtractLane, a.addresses+uint32(lane/2), lane%2)
		a.inside(0)
		a.Op(wasm.I32Eqz)
		a.If()
		a.Get(locCtx)
		a.I32(a.pc + 1)
		a.Mem(wasm.I32Store, 4, uint32(a.k.ctx)+batchMissed)
		a.Get(locCtx)
		a.Get(locOffset)
		a.Mem(wasm.I64Store, 8, uint32(a.k.ctx)+batchOffset)
		a.k.undo()
		a.Op(wasm.End)
		a.place()
		far(lane)
		if a.within {
			a.Op(wasm.End)
		}
	}
	a.Op(wasm.End)
}

// load executes a load.
func (k *batcher) load(b *body, pc int32) {
	a := k.reach(b, pc)
	if a.list != nil {
		for _, o := range a.list {
			delete(b.values, o.Off)
			b.order = slices.DeleteFunc(b.order, func(off uint32) bool { return off == o.Off })
		}
		a.each(func() {
			for lane := range byte(4) {
				a.elements(lane, uint32(lane)*a.size)
			}
		}, func(lane byte) { a.elements(lane, 0) })
		return
	}
	v := b.fresh(a.size / 4)
	a.each(func() {
		for i := range a.size / 4 {
			b.Get(locTemp)
			b.Mem(wasm.V128Load, 4, 16*i)
			b.Set(v + i)
		}
	}, func(lane byte) {
		at, load := uint32(0), wasm.Op(wasm.V128Load32Lane)
		if a.size == 8 {
			at, load, lane = uint32(lane/2), wasm.V128Load64Lane, lane%2
		}
		b.Get(locTemp)
		b.Get(v + at)
		b.MemLane(load, 4, 0, lane)
		b.Set(v + at)
	})
	b.Get(v)
	if a.size == 8 {
		b.Get(v + 1)
		b.putHalves(a.in.D)
	} else {
		b.put(a.in.D)
	}
}

// elements copies the elements of a lane between its registers and memory at an offset from locTemp.
func (a *reached) elements(lane byte, at uint32) {
	for i, o := range a.list {
		if o.Sink {
			continue
		}
		rows := uint32(locAt32)
		if o.Wide() {
			rows = locAt64
		}
		a.part(o, func() { a.Get(locTemp) }, func() { a.Get(rows) }, at+uint32(i)*a.ac.Size,
			o.Off+uint32(lane)<<(2+bit(o.Wide())))
	}
}

// store executes a store by all groups of lanes. What it stores is in rows.
func (k *batcher) store(pc int32) {
	b := k.body()
	k.known = nil
	b.eachGroup(func() {
		a := k.reach(b, pc)
		a.each(func() {
			a.log(4 * a.size)
			for lane := range byte(4) {
				if a.list != nil {
					a.elements(lane, uint32(lane)*a.size)
				}
			}
			for off := uint32(0); a.list == nil && off < 4*a.size; off += 16 {
				b.Get(locTemp)
				a.data()
				b.Mem(wasm.V128Load, 16, a.in.D+off)
				b.Mem(wasm.V128Store, 4, off)
			}
			a.mark(0)
			a.mark(4*a.size - 1)
		}, func(lane byte) {
			a.log(a.size)
			if a.list != nil {
				a.elements(lane, 0)
			} else {
				b.Get(locTemp)
				a.data()
				load, store := wasm.Op(wasm.I32Load), wasm.Op(wasm.I32Store)
				if a.size == 8 {
					load, store = wasm.I64Load, wasm.I64Store
				}
				b.Mem(load, a.size, a.in.D+uint32(lane)*a.size)
				b.Mem(store, a.size, 0)
			}
			a.mark(0)
		})
	})
}

// log notes the bytes from locTemp on, 16 at a time.
func (a *reached) log(size uint32) {
	for off := uint32(0); off < size; off += 16 {
		a.Get(locLog)
		a.Get(locTemp)
		a.Mem(wasm.V128Load, 1, off)
		a.Mem(wasm.V128Store, 16, 0)
		a.Get(locLog)
		a.Get(locTemp)
		a.I32(int32(off))
		a.Op(wasm.I32Add)
		a.Mem(wasm.I32Store, 4, logAddress)
		a.k.add(locLog, logEntry)
	}
}
