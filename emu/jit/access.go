package jit

import (
	"math/bits"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// access writes a load or store. All lanes are checked before one of them loads or stores, so that the code can stop
// before the instruction.
func (w *emitter) access(pc int32) {
	in := &w.e.prog.Code[pc]
	a := &accessor{body: w.body(), in: in, ac: in.X.Mem, pc: pc, some: !w.full || in.Guard != row.TruePred}
	a.size, a.store = a.ac.Size, in.Op != machine.OpLoad
	if in.Width == 0 && in.Op != machine.OpAtom {
		a.list = elements(in)
		a.size *= uint32(len(a.list))
	}
	a.whereExecuted(in)
	if a.store {
		a.context(call.Plain)
		a.Op(wasm.I32Eqz)
		a.exitIf(pc)
	}
	a.Block()
	if !a.some && in.Op != machine.OpAtom && a.ac.Space != ptx.LocalSpace {
		a.together()
	}
	a.check()
	if in.Op == machine.OpStore {
		a.noteChange()
	}
	if (in.Guard != row.TruePred || in.Op == machine.OpAtom) && in.Seen != 0 {
		a.join(in.Seen, func() { a.Get(locExec) })
	}
	a.each() // which uses up locExec
	a.Op(wasm.End)
	a.Op(wasm.End)
}

// check puts the offsets of the lanes that access into the context, and stops before the
// instruction where one is outside the range or not aligned.
func (a *accessor) check() {
	m := a.fresh(7)
	add, limit, bad, or := m, m+1, m+2, m+3
	a.segment()
	a.Set(locSeg)
	if a.some && apart(a.ac) {
		a.Get(locExec)
		a.Op(wasm.I32Popcnt)
		a.I32(fewLanes)
		a.Op(wasm.I32LeU)
		a.If()
		a.elsewhere()
		a.missIf()
		a.Op(wasm.Else)
		defer a.Op(wasm.End)
	}
	a.sum()
	a.Op(wasm.I64x2Splat)
	a.Set(add)
	a.highest()
	a.Op(wasm.I64x2Splat)
	a.Set(limit)
	for _, v := range [...]uint32{bad, or} {
		a.V128(0, 0)
		a.Set(v)
	}
	a.eachGroup(func() { a.offsets(add, limit, bad, or, m+4) })
	a.Get(bad)
	a.Op(wasm.I64x2Bitmask)
	if apart(a.ac) {
		a.If()
		a.elsewhere()
		a.missIf()
		a.Op(wasm.End)
		a.I32(0)
	}
	a.Get(or)
	a.V128(uint64(a.size-1), uint64(a.size-1))
	a.Op(wasm.V128And, wasm.V128AnyTrue, wasm.I32Or)
	a.missIf()
}

// offsets puts the offsets of 4 lanes into the context, and collects in bad and or what is wrong with them. It uses
// three locals from spare on.
func (a *accessor) offsets(add, limit, bad, or, spare uint32) {
	mask, offset := spare, spare+1
	if a.some {
		a.Get(locExec)
		a.Get(locShift)
		a.Op(wasm.I32ShrU)
		a.Tee(locTemp)
		a.I32(15)
		a.Op(wasm.I32And)
		a.If()
		a.Get(locTemp)
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
	a.Shuffle(wasm.LowerWords)
	if a.Mem(wasm.V128Store, 16, call.Offs); a.some {
		a.Op(wasm.End)
	}
}

// fewLanes are so few that it takes less time to look at them one by one than in groups.
const fewLanes = 12

// elsewhere looks lane by lane. It pushes 0 if each is in the window or in one of the other allocations, and aligned.
func (a *accessor) elsewhere() {
	a.Get(locFrame)
	a.I32(int32(a.ac.Addr.Off))
	a.Op(wasm.I32Add)
	a.Get(locExec)
	a.Get(locCtx)
	a.I32(int32(a.r.site(a.pc).window))
	a.I32(int32(a.size))
	a.I32(int32(a.size - a.ac.Size))
	a.call(call.LookAround[bit(a.ac.Wide)])
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

// shape returns the number of the shape of the access's addresses, which it finds out if it is not known.
func (a *accessor) shape() uint32 {
	free := uint32(1<<maxShapes - 1)
	for _, s := range a.shapes {
		if s.off == a.ac.Addr.Off && s.size == a.size {
			return s.n
		}
		free &^= 1 << s.n
	}
	if free == 0 {
		free = 1 << a.shapes[0].n
		a.emitter.shapes = a.shapes[1:]
	}
	n := uint32(bits.TrailingZeros32(free))
	a.emitter.shapes = append(a.shapes, shape{a.ac.Addr.Off, a.size, n})
	a.find(n)
	return n
}

// find finds out the shape of a row: in each group the addresses, less that of its first lane, must be the same.
func (a *accessor) find(n uint32) {
	m := a.fresh(7)
	differ, or, head, apart, words := m, m+1, m+4, m+5, m+6 // after or: the least and the greatest
	for g := range uint32(8) {
		at := a.ac.Addr.Off + 16*g
		if a.ac.Wide {
			at += 16 * g
		}
		a.Get(locFrame)
		a.Mem(wasm.V128Load32Splat, 4, at)
		a.Set(head)
		a.Get(locFrame)
		a.Mem(wasm.V128Load, 16, at)
		if a.ac.Wide {
			a.Tee(words)
			a.Get(locFrame)
			a.Mem(wasm.V128Load, 16, at+16)
			a.Shuffle(wasm.LowerWords)
		}
		a.Get(head)
		a.Op(wasm.I32x4Sub)
		if g == 0 {
			a.Set(apart)
			a.V128(0, 0)
			a.Set(differ)
		} else {
			a.Get(apart)
			a.Op(wasm.V128Xor)
			a.fold(differ, wasm.V128Or)
		}
		if a.ac.Wide { // the upper words are those of lane 0
			a.Get(words)
			a.Get(locFrame)
			a.Mem(wasm.V128Load, 16, at+16)
			a.Shuffle(wasm.UpperWords)
			a.Get(locFrame)
			a.Mem(wasm.V128Load32Splat, 4, a.ac.Addr.Off+4)
			a.Op(wasm.V128Xor)
			a.fold(differ, wasm.V128Or)
		}
		for v, do := range [...]wasm.Op{wasm.V128Or, wasm.I32x4MinU, wasm.I32x4MaxU} {
			a.Get(head)
			if v := or + uint32(v); g == 0 {
				a.Set(v)
			} else {
				a.fold(v, do)
			}
		}
	}
	a.settle(n, m)
}

// settle sets the locals of a shape from what find has found out.
func (a *accessor) settle(n, m uint32) {
	differ, or, least, most, apart := m, m+1, m+2, m+3, m+5
	size := uint64(a.size)
	a.Get(apart)
	a.V128(size<<32, 2*size|3*size<<32)
	a.Op(wasm.I32x4Eq, wasm.I32x4AllTrue)
	a.I32(1)
	a.Op(wasm.I32Shl)
	a.Get(apart)
	a.Op(wasm.V128AnyTrue, wasm.I32Eqz, wasm.I32Or)
	a.I32(0)
	a.Get(or)
	a.splat(size - 1)
	a.Op(wasm.V128And)
	a.Get(differ)
	a.Op(wasm.V128Or, wasm.V128AnyTrue, wasm.I32Eqz, wasm.Select)
	a.Set(locKinds + n)
	a.lane(wasm.I32x4ExtractLane, least, 0)
	a.Op(wasm.I64ExtendI32U)
	if a.ac.Wide {
		a.Get(locFrame)
		a.Mem(wasm.I64Load32U, 4, a.ac.Addr.Off+4)
		a.I64(32)
		a.Op(wasm.I64Shl, wasm.I64Or)
	}
	a.Set(locFirsts + n)
	a.lane(wasm.I32x4ExtractLane, most, 0)
	a.lane(wasm.I32x4ExtractLane, least, 0)
	a.Op(wasm.I32Sub)
	a.Get(locKinds + n)
	a.I32(1)
	a.Op(wasm.I32ShrU)
	a.I32(3 * int32(a.size))
	a.Op(wasm.I32Mul, wasm.I32Add, wasm.I64ExtendI32U)
	a.Set(locSpans + n)
}

// together is for rows of addresses that have a shape: one look at the bounds is enough for all lanes. It leaves the
// block around the access unless it finds something wrong.
func (a *accessor) together() {
	n := a.shape()
	kind, first, span := locKinds+n, locFirsts+n, locSpans+n
	a.Get(kind)
	if a.store {
		a.context(call.Plain)
		a.I32(call.StoresPlain)
		a.Op(wasm.I32Eq, wasm.I32Mul)
	}
	a.If()
	a.Get(first)
	a.sum()
	a.Op(wasm.I64Add)
	a.Tee(locOffset)
	a.highest()
	a.Get(span)
	a.Op(wasm.I64Sub)
	a.Get(locOffset)
	a.Op(wasm.I64Sub, wasm.I64Or)
	a.I64(0)
	a.Op(wasm.I64GeS)
	a.Get(locOffset)
	a.I64(int64(a.size - 1))
	a.Op(wasm.I64And, wasm.I64Eqz, wasm.I32And)
	if a.store { // in two pages at most
		a.Get(span)
		a.I64(mem.PageSize - 32)
		a.Op(wasm.I64LtU, wasm.I32And)
	}
	a.If()
	if a.store {
		a.segment()
		a.Get(locOffset)
		a.Op(wasm.I32WrapI64, wasm.I32Add)
		a.Set(locTemp)
		a.mark(0)
		a.Get(locTemp)
		a.Get(span)
		a.Op(wasm.I32WrapI64, wasm.I32Add)
		a.Set(locTemp)
		a.mark(a.size - 1)
	}
	a.segment()
	a.sum()
	a.Op(wasm.I32WrapI64, wasm.I32Add)
	a.Set(locSeg)
	a.Get(kind)
	a.I32(2)
	a.Op(wasm.I32And)
	a.If()
	a.eachGroup(func() { a.group(a.size, a.neighbours) })
	a.Op(wasm.Else)
	a.eachGroup(func() { a.group(0, a.same) })
	a.Op(wasm.End)
	a.Arg(wasm.Br, 2)
	a.Op(wasm.End, wasm.End)
}

// element pushes the address of the first element of a group.
func (a *accessor) element() {
	a.Get(locSeg)
	if a.ac.Wide {
		a.Get(locAt64)
	} else {
		a.Get(locAt32)
	}
	a.Mem(wasm.I32Load, 4, a.ac.Addr.Off)
	a.Op(wasm.I32Add)
}

// data pushes the address of a group's data, less the row's offset.
func (a *accessor) data() {
	if a.size == 8 {
		a.Get(locAt64)
	} else {
		a.Get(locAt32)
	}
}

// neighbours accesses the elements of a group one after the other.
func (a *accessor) neighbours() {
	a.element()
	a.Set(locTemp) // a load can write the row of addresses
	for off := uint32(0); off < 4*a.size; off += 16 {
		if a.store {
			a.Get(locTemp)
			a.data()
			a.Mem(wasm.V128Load, 16, a.in.D+off)
			a.Mem(wasm.V128Store, 4, off)
			continue
		}
		a.data()
		a.Get(locTemp)
		a.Mem(wasm.V128Load, 4, off)
		a.Mem(wasm.V128Store, 16, a.in.D+off)
	}
}

// same accesses one element with all lanes of a group. Of those that store, the last one wins.
func (a *accessor) same() {
	load, store, splat := wasm.I32Load, wasm.I32Store, wasm.V128Load32Splat
	if a.size == 8 {
		load, store, splat = wasm.I64Load, wasm.I64Store, wasm.V128Load64Splat
	}
	if a.store {
		a.element()
		a.data()
		a.Mem(load, a.size, a.in.D+3*a.size)
		a.Mem(store, a.size, 0)
		return
	}
	v := a.fresh(1)
	a.element()
	a.Mem(splat, a.size, 0)
	a.Set(v)
	for off := uint32(0); off < 4*a.size; off += 16 {
		a.data()
		a.Get(v)
		a.Mem(wasm.V128Store, 16, a.in.D+off)
	}
}

// each accesses lane by lane, in ascending order.
func (a *accessor) each() {
	lane, load, store := uint32(locShift), wasm.I32Load, wasm.I32Store
	if a.size == 8 {
		load, store = wasm.I64Load, wasm.I64Store
	}
	a.EachBit(locExec, lane, func() {
		a.Get(locCtx)
		a.Get(lane)
		a.I32(2)
		a.Op(wasm.I32Shl, wasm.I32Add)
		a.Mem(wasm.I32Load, 4, call.Offs)
		a.Get(locSeg)
		a.Op(wasm.I32Add)
		if a.ac.Space == ptx.LocalSpace {
			a.Get(lane)
			a.context(call.Stride)
			a.Op(wasm.I32Mul, wasm.I32Add)
		}
		a.Set(locTemp)
		place := func() { // the address of the lane's place in the row, less its offset
			a.Get(locFrame)
			a.Get(lane)
			a.I32(map[uint32]int32{4: 2, 8: 3}[a.size])
			a.Op(wasm.I32Shl, wasm.I32Add)
		}
		switch {
		case a.in.Op == machine.OpAtom:
			a.atomic(lane)
		case a.list != nil:
			a.eachElement(lane)
		case a.store:
			a.Get(locTemp)
			place()
			a.Mem(load, a.size, a.in.D)
			a.Mem(store, a.size, 0)
			a.mark(0)
		default:
			place()
			a.Get(locTemp)
			a.Mem(load, a.size, 0)
			a.Mem(store, a.size, a.in.D)
		}
	})
}

// noteChange looks, where nothing has changed yet, whether lanes in locExec are about to change memory. Lanes before
// the first that differ store what is there, so that looking at all of them first is enough.
func (a *accessor) noteChange() {
	a.context(call.Plain)
	a.I32(call.StoresQuiet)
	a.Op(wasm.I32Eq)
	a.If()
	compare := func(off, size uint32, wide bool, at uint32) {
		a.Get(locFrame)
		a.I32(int32(off))
		a.Op(wasm.I32Add)
		a.Get(locExec)
		a.Get(locCtx)
		a.Get(locSeg)
		a.I32(int32(at))
		a.Op(wasm.I32Add)
		a.I32(int32(2 + bit(wide)))
		if a.ac.Space == ptx.LocalSpace {
			a.context(call.Stride)
		} else {
			a.I32(0)
		}
		a.call(call.Differs[size])
		a.If()
		a.changes()
		a.Op(wasm.End)
	}
	if a.list == nil {
		compare(a.in.D, a.size, a.size == 8, 0)
	}
	for i, o := range a.list {
		if !o.Sink {
			compare(o.Off, a.ac.Size, o.Wide(), uint32(i)*a.ac.Size)
		}
	}
	a.Op(wasm.End)
}

// Loads and stores of vectors, and of elements that are narrower than their registers.

// compilable says whether all elements are in rows of 32 or 64 bits.
func compilable(in *machine.Inst) bool {
	list := elements(in)
	for _, o := range list {
		if o.Bits == 1 || o.Bits == 128 {
			return false
		}
	}
	return in.X.Mem.Size <= 8 && len(list) > 0
}

// part copies an element of a lane. from and to push addresses that have the offsets at and off added.
func (a *accessor) part(o row.Operand, memory, rows func(), at, off uint32) {
	size := a.ac.Size
	if a.store { // the bytes of a register are in its row from the lowest on
		memory()
		rows()
		load := map[uint32][2]wasm.Op{1: {wasm.I32Load8U, wasm.I32Store8}, 2: {wasm.I32Load16U, wasm.I32Store16},
			4: {wasm.I32Load, wasm.I32Store}, 8: {wasm.I64Load, wasm.I64Store}}[size]
		a.Mem(load[0], size, off)
		a.Mem(load[1], size, at)
		return
	}
	rows()
	memory()
	a.Mem(call.Loaders(size, o.Wide())[bit(a.ac.Signed)], size, at)
	if o.Wide() {
		a.Mem(wasm.I64Store, 8, off)
		return
	}
	if o.Bits < 32 && a.ac.Signed {
		a.I32(1<<o.Bits - 1)
		a.Op(wasm.I32And)
	}
	a.Mem(wasm.I32Store, 4, off)
}

// eachElement accesses the elements of a lane, whose address is at locTemp.
func (a *accessor) eachElement(lane uint32) {
	for i, o := range a.list {
		if o.Sink {
			continue
		}
		a.part(o, func() { a.Get(locTemp) }, func() {
			a.Get(locFrame)
			a.Get(lane)
			a.I32(int32(2 + bit(o.Wide())))
			a.Op(wasm.I32Shl, wasm.I32Add)
		}, uint32(i)*a.ac.Size, o.Off)
	}
	if a.store {
		a.mark(0)
	}
}

// group accesses the elements of 4 lanes whose addresses are so many bytes apart. simple does it for one element of a
// row's width.
func (a *accessor) group(apart uint32, simple func()) {
	if a.list == nil {
		simple()
		return
	}
	a.element()
	a.Set(locTemp)
	for i, o := range a.list {
		at, rows := uint32(i)*a.ac.Size, uint32(locAt32)
		if o.Wide() {
			rows = locAt64
		}
		switch {
		case o.Sink:
		case apart == 0 && !a.store && 8*a.ac.Size == uint32(o.Bits) && o.Bits >= 32:
			a.splatElement(o, rows, at)
		case apart == a.ac.Size && !o.Wide() && a.ac.Size < 4:
			a.narrow(o)
		default:
			for lane := range uint32(4) {
				if a.store && apart == 0 && lane < 3 { // the last one wins
					continue
				}
				a.part(o, func() { a.Get(locTemp) }, func() { a.Get(rows) }, at+lane*apart,
					o.Off+lane<<(2+bit(o.Wide())))
			}
		}
	}
}

// splatElement loads one element for all lanes of a group.
func (a *accessor) splatElement(o row.Operand, rows, at uint32) {
	v, load := a.fresh(1), wasm.V128Load32Splat
	if o.Wide() {
		load = wasm.V128Load64Splat
	}
	a.Get(locTemp)
	a.Mem(load, a.ac.Size, at)
	a.Set(v)
	for off := uint32(0); off < 4*a.ac.Size; off += 16 {
		a.Get(rows)
		a.Get(v)
		a.Mem(wasm.V128Store, 16, o.Off+off)
	}
}

// narrow accesses 4 neighbouring elements of one or two bytes.
func (a *accessor) narrow(o row.Operand) {
	bytes := a.ac.Size == 1
	if a.store {
		pick := [16]byte{0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12}
		store := wasm.V128Store32Lane
		if !bytes {
			pick = [16]byte{0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13}
			store = wasm.V128Store64Lane
		}
		v := a.fresh(1)
		a.Get(locAt32)
		a.Mem(wasm.V128Load, 16, o.Off)
		a.Set(v)
		a.Get(locTemp)
		a.Get(v)
		a.Get(v)
		a.Shuffle(pick)
		a.MemLane(store, 1, 0, 0)
		return
	}
	a.Get(locAt32)
	a.Get(locTemp)
	if bytes {
		a.Mem(wasm.V128Load32Zero, 1, 0)
		a.Op([...]wasm.Op{wasm.I16x8ExtendLowI8x16U, wasm.I16x8ExtendLowI8x16S}[bit(a.ac.Signed)])
	} else {
		a.Mem(wasm.V128Load64Zero, 1, 0)
	}
	a.Op([...]wasm.Op{wasm.I32x4ExtendLowI16x8U, wasm.I32x4ExtendLowI16x8S}[bit(a.ac.Signed)])
	a.extendWord(int(o.Bits), false)
	a.Mem(wasm.V128Store, 16, o.Off)
}
