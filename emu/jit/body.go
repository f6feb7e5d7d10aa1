package jit

import (
	"slices"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// forget drops the shape of a row that an instruction has written.
func (w *emitter) forget(pc int32) {
	in := &w.e.prog.Code[pc]
	w.shapes = slices.DeleteFunc(w.shapes, func(s shape) bool { return writes(in, s.off) })
}

// A body is the code for instructions in a row that compute with registers: a loop over the 8 groups of 4 lanes. The
// rows that a group reads are loaded when they are first needed and stay in locals; those that it has written are
// stored at its end. Predicates that it writes are collected in scalar locals, and stored after the loop.
type body struct {
	*emitter
	lot
	lots   [2]lot   // where the code goes through two groups at a time: those of both, but for the present one
	many   uint32   // how many groups: 1 or 2
	side   uint32   // the present one
	wrote  []uint32 // predicates
	marks  []guardMark
	used   uint32 // locals of type v128 in use
	guard  uint32 // local with the lanes that a guarded instruction executes in
	within bool   // there is a guard

	direct  []direct // how loads of a stretch are done
	sums    sums
	fixed   map[uint32]uint32 // by frame offset of a constant: its vector local, 0 where it has none
	results map[uint32]bool   // rows that are written; true: with single-precision results
	mixed   bool              // a row gets such results and others
}

// lot is what is known of one group.
type lot struct {
	values map[uint32]*value // by frame offset
	order  []uint32          // offsets in the order of their first use
	preds  map[uint32]*pred
}

// value is 4 lanes of a row.
type value struct {
	local uint32 // the second half of a value of 64-bit lanes is in the next one
	wide  bool
	dirty bool
	raw   bool // single-precision results, in which a NaN may have any bits

	pair [2]uint32 // locals with the same 4 numbers in double precision, or 0
	late bool      // local is not set yet: see body.single
	from *direct   // how a late value is loaded; nil: it is in pair
	at   uint32    // and its offset
}

// base is a register with addresses: the loads through it go from off + least to off + most.
type base struct {
	first       int32 // pc of the first load
	off         uint32
	least, most int64
	near        bool // some loads go to neighbouring elements
}

// direct is how loads of a stretch are done for a group of lanes.
type direct struct {
	base
	scalar uint32 // the address of the element of the group's first lane
	kind   uint32 // of the shape: 1 or 2; 0: either
	turn   uint32 // for either: vector, which bytes of 4 elements from there on the lanes get
}

// sums are vectors that fold what must be looked at.
type sums struct {
	quick     bool
	again     bool   // after a quick attempt has failed
	n         int    // sums so far
	halfway   uint32 // the least of the bits that are cleared: 0 halfway between two results
	low, high uint32 // the least and greatest upper words without their sign, times 2; low has 1 less, so that 0 is large
}

// pred is 4 lanes of a predicate, as a vector, and the scalar local that collects what is written.
type pred struct {
	local, all uint32
	wrote      bool
}

// guardMark is a word of the frame where lanes note that they have executed a guarded instruction.
type guardMark struct{ seen, all uint32 }

// scalar returns an unused scalar local, which it sets to 0.
func (b *body) scalar() uint32 {
	n := locPreds + uint32(len(b.wrote)+len(b.marks))
	b.I32(0)
	b.Set(n)
	return n
}

// fresh returns unused vector locals.
func (b *body) fresh(n uint32) uint32 {
	b.used += n
	b.most = max(b.most, b.used)
	return vectors + b.used - n
}

// declare gives the predicates that are written their locals.
func (b *body) declare(code []machine.Inst) {
	for i := range code {
		for _, d := range predicates(&code[i]) {
			if b.preds[d] == nil {
				b.preds[d] = &pred{all: b.scalar(), wrote: true}
				b.wrote = append(b.wrote, d)
			}
		}
		if in := &code[i]; in.Guard != row.TruePred && in.Seen != 0 {
			b.marks = append(b.marks, guardMark{in.Seen, b.scalar()})
		}
	}
}

// find returns the value of a row, which it loads when it is new.
func (b *body) find(off uint32, wide bool) *value {
	v := b.values[off]
	if v == nil {
		v = b.add(off, wide)
		if wide {
			b.Get(locAt64)
			b.Mem(wasm.V128Load, 16, off+32*b.side)
			b.Set(v.local)
			b.Get(locAt64)
			b.Mem(wasm.V128Load, 16, off+32*b.side+16)
			b.Set(v.local + 1)
		} else {
			b.Get(locAt32)
			b.Mem(wasm.V128Load, 16, off+16*b.side)
			b.Set(v.local)
		}
	}
	b.single(v)
	return v
}

func (b *body) add(off uint32, wide bool) *value {
	v := &value{wide: wide}
	if wide {
		v.local = b.fresh(2)
	} else {
		v.local = b.fresh(1)
	}
	b.values[off] = v
	b.order = append(b.order, off)
	return v
}

// get pushes 4 lanes of 32 bits.
func (b *body) get(off uint32) {
	if c, ok := b.consts[off]; ok {
		if !b.constant(off) {
			b.splat(c)
		}
		return
	}
	v := b.find(off, false)
	b.canon(v)
	b.Get(v.local)
}

// getFloat pushes 4 lanes for single-precision arithmetic, to which NaNs are all the same.
func (b *body) getFloat(off uint32) {
	if v := b.values[off]; v != nil {
		b.single(v)
		b.Get(v.local)
		return
	}
	b.get(off)
}

// getHalf pushes 2 lanes of 64 bits: lanes 0 and 1, or 2 and 3.
func (b *body) getHalf(off, half uint32) {
	if c, ok := b.consts[off]; ok {
		if !b.constant(off) {
			b.V128(c, c)
		}
		return
	}
	b.Get(b.find(off, true).local + half)
}

// constant pushes the vector of a constant if it has a local.
func (b *body) constant(off uint32) bool {
	if b.fixed == nil {
		return false
	}
	local := b.fixed[off]
	if b.fixed[off] = local; local != 0 {
		b.Get(local)
	}
	return local != 0
}

func (w *emitter) splat(c uint64) {
	c = c&0xffffffff | c<<32
	w.V128(c, c)
}

// canon makes NaNs of a value those that single-precision instructions return.
func (b *body) canon(v *value) {
	if !v.raw {
		return
	}
	b.canonical(v)
	b.Set(v.local)
	v.raw = false
}

// canonical pushes a value of 32-bit lanes as others see it.
func (b *body) canonical(v *value) {
	if !v.raw {
		b.Get(v.local)
		return
	}
	b.splat(0x7fffffff)
	b.Get(v.local)
	b.Get(v.local)
	b.Get(v.local)
	b.Op(wasm.F32x4Ne, wasm.V128Bitselect)
}

// result notes that a row is written.
func (b *body) result(off uint32, raw bool) {
	if b.results != nil {
		was, ok := b.results[off]
		b.results[off], b.mixed = raw, b.mixed || ok && was != raw
	}
}

// put pops the new 4 lanes of 32 bits of a row.
func (b *body) put(off uint32) { b.putAs(off, false) }

// putFloat pops single-precision results.
func (b *body) putFloat(off uint32) { b.putAs(off, true) }

func (b *body) putAs(off uint32, raw bool) {
	b.result(off, raw)
	if b.within {
		v := b.find(off, false)
		if raw && !v.raw { // lanes that do not execute keep their bits, of NaNs, too
			result := &value{local: b.fresh(1), raw: true}
			b.Set(result.local)
			b.canon(result)
			b.Get(result.local)
			raw = false
		}
		if !raw {
			b.canon(v)
		}
		b.Get(v.local)
		b.Get(b.guard)
		b.Op(wasm.V128Bitselect)
	}
	v := b.values[off]
	if v == nil {
		v = b.add(off, false)
	}
	b.Set(v.local)
	*v = value{local: v.local, dirty: true, raw: raw}
}

// putHalves pops the new 4 lanes of 64 bits of a row: lanes 2 and 3 first, then 0 and 1.
func (b *body) putHalves(off uint32) {
	b.result(off, false)
	v := b.values[off]
	if v == nil && b.within {
		hi, lo := b.fresh(1), b.fresh(1)
		b.Set(hi)
		b.Set(lo)
		v = b.find(off, true)
		b.Get(lo)
		b.Get(hi)
	}
	if v == nil {
		v = b.add(off, true)
	}
	for half := uint32(1); half < 2; half-- {
		if b.within {
			b.Get(v.local + half)
			b.Get(b.guard)
			b.Op(extend[half])
			b.Op(wasm.V128Bitselect)
		}
		b.Set(v.local + half)
	}
	v.dirty = true
}

// extend turns a mask of 4 lanes of 32 bits into one of 2 lanes of 64 bits.
var extend = [2]wasm.Op{wasm.I64x2ExtendLowS, wasm.I64x2ExtendHighS}

// mask pushes 4 lanes of a predicate as a vector.
func (b *body) mask(off uint32) {
	p := b.preds[off]
	if p != nil && p.local != 0 {
		b.Get(p.local)
		return
	}
	if p == nil {
		p = &pred{}
		b.preds[off] = p
	}
	p.local = b.fresh(1)
	b.Get(locFrame)
	b.Mem(wasm.I32Load, 4, off)
	b.Get(locShift)
	b.Op(wasm.I32ShrU)
	b.spread(4 * b.side)
	b.Tee(p.local)
}

// putMask pops the new 4 lanes of a predicate.
func (b *body) putMask(off uint32) {
	p := b.preds[off]
	if b.within {
		b.mask(off)
		b.Get(b.guard)
		b.Op(wasm.V128Bitselect)
	}
	if p.local == 0 {
		p.local = b.fresh(1)
	}
	b.Set(p.local)
}

// store writes what the group has changed.
func (b *body) store() {
	for _, off := range b.order {
		v := b.values[off]
		if !v.dirty {
			continue
		}
		b.single(v)
		b.canon(v)
		if !v.wide {
			b.storeVector(locAt32, off+16*b.side, v.local, 2)
			continue
		}
		b.storeVector(locAt64, off+32*b.side, v.local, 0)
		b.storeVector(locAt64, off+32*b.side+16, v.local+1, 1)
	}
	for _, off := range b.wrote {
		b.collect(b.preds[off].local, b.preds[off].all)
	}
}

// storeVector stores a vector in the active lanes. half is 2 for lanes of 32 bits.
func (b *body) storeVector(at, off, local, half uint32) {
	b.Get(at)
	b.Get(local)
	if !b.full {
		b.Get(at)
		b.Mem(wasm.V128Load, 16, off)
		b.Get(locAtCtx)
		b.Mem(wasm.V128Load, 16, call.Masks+16*b.side)
		if half < 2 {
			b.Op(extend[half])
		}
		b.Op(wasm.V128Bitselect)
	}
	b.Mem(wasm.V128Store, 16, off)
}

// storePreds stores the predicates in the active lanes.
func (b *body) storePreds() {
	for _, off := range b.wrote {
		b.Get(locFrame)
		b.Get(b.preds[off].all)
		if !b.full { // old ^ (old ^ new) & mask
			b.Get(locFrame)
			b.Mem(wasm.I32Load, 4, off)
			b.Op(wasm.I32Xor)
			b.Get(locMask)
			b.Op(wasm.I32And)
			b.Get(locFrame)
			b.Mem(wasm.I32Load, 4, off)
			b.Op(wasm.I32Xor)
		}
		b.Mem(wasm.I32Store, 4, off)
	}
}

// predicate pushes a predicate as it is after the loop.
func (b *body) predicate(off uint32) {
	if p := b.preds[off]; p != nil && p.wrote {
		b.Get(p.all)
		return
	}
	b.Get(locFrame)
	b.Mem(wasm.I32Load, 4, off)
}

// seen notes the lanes in which guarded instructions have been executed; see machine.MarkLines.
func (b *body) seen() {
	for _, m := range b.marks {
		b.join(m.seen, func() {
			b.Get(m.all)
			b.Get(locMask)
			b.Op(wasm.I32And)
		})
	}
}

// collect adds the lanes of a vector to those in a scalar local.
func (b *body) collect(vector, all uint32) {
	b.Get(vector)
	b.Op(wasm.I32x4Bitmask)
	b.Get(locShift)
	b.Op(wasm.I32Shl)
	if b.side > 0 {
		b.I32(int32(4 * b.side))
		b.Op(wasm.I32Shl)
	}
	b.Get(all)
	b.Op(wasm.I32Or)
	b.Set(all)
}

// fold combines the vector on the stack with a local.
func (b *body) fold(into uint32, do wasm.Op) {
	b.Get(into)
	b.Op(do)
	b.Set(into)
}

// whereExecuted opens what happens when lanes execute an instruction. They are in locExec.
func (w *emitter) whereExecuted(in *machine.Inst) {
	w.Get(locMask)
	if in.Guard != row.TruePred {
		w.Get(locFrame)
		w.Mem(wasm.I32Load, 4, in.Guard)
		if in.Neg != 0 {
			w.I32(-1)
			w.Op(wasm.I32Xor)
		}
		w.Op(wasm.I32And)
	}
	w.Tee(locExec)
	w.If()
}

func (w *emitter) body() *body {
	return &body{emitter: w, lot: newLot(), many: 1}
}

func newLot() lot { return lot{values: map[uint32]*value{}, preds: map[uint32]*pred{}} }

// eachSide writes something for each of the groups that the code goes through at a time.
func eachSide(b *body, do func()) {
	for range b.many {
		do()
		if b.many > 1 {
			b.lots[b.side] = b.lot
			b.side = 1 - b.side
			b.lot = b.lots[b.side]
		}
	}
}

// renew returns a lot with the same predicates to write, and nothing else.
func (l *lot) renew() lot {
	n := newLot()
	for off, p := range l.preds {
		n.preds[off] = &pred{all: p.all, wrote: p.wrote}
	}
	return n
}

// operands lists the operands of an instruction.
func operands(in *machine.Inst) []uint32 {
	return []uint32{in.A, in.B, in.C}[:len(row.Operations[in.Number].Rows)-1]
}

// factors lists the operands before a third one.
func factors(in *machine.Inst) []uint32 {
	list := operands(in)
	return list[:min(2, len(list))]
}

// lane pushes one lane of a local.
func (b *body) lane(extract wasm.Op, local uint32, lane byte) {
	b.Get(local)
	b.Op(extract)
	b.Bytes = append(b.Bytes, lane)
}
