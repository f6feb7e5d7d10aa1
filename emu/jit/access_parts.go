package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// Loads and stores of vectors, and of elements that are narrower than their registers.

// elements are the registers that a load writes or a store reads.
func elements(in *machine.Inst) []row.Operand {
	if in.Op == machine.OpStore {
		return in.X.S
	}
	return in.X.D
}

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
	a.Mem(loaders(size, o.Wide())[bit(a.ac.Signed)], size, at)
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

// loaders are the loads of an element, without and with its sign.
func loaders(size uint32, wide bool) [2]wasm.Op {
	if !wide {
		return map[uint32][2]wasm.Op{1: {wasm.I32Load8U, wasm.I32Load8S}, 2: {wasm.I32Load16U, wasm.I32Load16S},
			4: {wasm.I32Load, wasm.I32Load}, 8: {wasm.I32Load, wasm.I32Load}}[size]
	}
	return map[uint32][2]wasm.Op{1: {wasm.I64Load8U, wasm.I64Load8S}, 2: {wasm.I64Load16U, wasm.I64Load16S},
		4: {wasm.I64Load32U, wasm.I64Load32S}, 8: {wasm.I64Load, wasm.I64Load}}[size]
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
