package simd

import (
	"unsafe"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
)

// access is a load or store of lanes of 32 or 64 bits that all lanes execute.
type access struct {
	store, global, wide bool   // wide: addresses have 64 bits
	bytes               uint32 // of a lane
}

// accesses are those that row.Run knows, which are loads from shared memory, and those of row.Access.
func accesses(cell uint32) (list []*part) {
	for width := range uint8(2) {
		for _, wide := range []bool{false, true} {
			load := access{wide: wide, bytes: 4 << width}
			list = append(list, load.part(cell, part{how: row.ByLoad32at32 + 2*width + uint8(row.Bit(wide))}))
			for _, a := range []access{{store: true, wide: wide}, {global: true, wide: true}, {true, true, true, 0}} {
				if a.bytes = load.bytes; a.wide == wide {
					number := row.Access(a.store, a.global, wide, width+1)
					list = append(list, a.part(cell, part{number: number}))
				}
			}
		}
	}
	return list
}

// Locals of an access: vectors with the places of 4 lanes each, in bytes from the window's begin, and what is or-ed
// together; the window's begin, and the largest place.
const (
	places = vectors
	all    = places + 8
	spare  = all + 1
	reach  = spare + 1
	base   = reach + 1
	limit  = base + 1
	index  = limit + 1
	wide64 = index + 1 // of type i64: what turns an address into a place
)

// part writes the access. It leaves to others, and does nothing, where a place is outside of the window or not aligned.
func (a access) part(cell uint32, p part) *part {
	p.vectors, p.scalars, p.wide = reach-vectors, wide64-reach, 1
	p.operand(0)
	p.I32(int32(cell))
	p.Mem(wasm.I32Load, 4, 0)
	p.Tee(reach)
	p.Op(wasm.I32Eqz)
	p.giveUp()
	if a.store {
		p.reached(unsafe.Offsetof(row.Reach{}.Stores))
		p.Op(wasm.I32Eqz)
		p.giveUp()
	}
	if a.global {
		a.window(&p)
	} else {
		a.shared(&p)
	}
	a.places(&p)
	a.check(&p)
	a.patterns(&p)
	return p.end()
}

// reached pushes a word of the row.Reach.
func (p *part) reached(at uintptr) {
	p.Get(reach)
	p.Mem(wasm.I32Load, 4, uint32(at))
}

// shared sets the window to shared memory.
func (a access) shared(p *part) {
	p.reached(unsafe.Offsetof(row.Reach{}.Shared))
	p.Tee(base)
	p.Op(wasm.I32Eqz)
	p.giveUp()
	p.reached(unsafe.Offsetof(row.Reach{}.SharedSize))
	p.offset()
	p.Set(wide64)
	a.limit(p)
}

// offset pushes what the instruction adds to addresses.
func (p *part) offset() {
	p.Get(inst)
	p.Mem(wasm.I64Load32S, 4, atC)
}

// limit sets the largest place of a window whose size is on the stack.
func (a access) limit(p *part) {
	p.I32(int32(a.bytes))
	p.Op(wasm.I32Sub)
	p.Tee(limit)
	p.I32(0)
	p.Op(wasm.I32LtS)
	p.giveUp()
}

// window sets it to the one that the first address is in.
func (a access) window(p *part) {
	first := unsafe.Offsetof(row.Reach{}.Windows)
	at := func(i int, field uintptr) uint32 {
		return uint32(first + uintptr(i)*unsafe.Sizeof(row.Window{}) + field)
	}
	p.Block()
	for i := range len(row.Reach{}.Windows) {
		// address + offset - start, which is below the size
		p.offset()
		p.Get(reach)
		p.Mem(wasm.I64Load, 8, at(i, unsafe.Offsetof(row.Window{}.Start)))
		p.Op(wasm.I64Sub)
		p.Tee(wide64)
		p.Get(rowA)
		p.Mem(wasm.I64Load, 4, 0)
		p.Op(wasm.I64Add)
		p.Get(reach)
		p.Mem(wasm.I64Load32U, 4, at(i, unsafe.Offsetof(row.Window{}.Size)))
		p.Op(wasm.I64LtU)
		p.If()
		p.Get(reach)
		p.Mem(wasm.I32Load, 4, at(i, unsafe.Offsetof(row.Window{}.At)))
		p.Set(base)
		p.Get(reach)
		p.Mem(wasm.I32Load, 4, at(i, unsafe.Offsetof(row.Window{}.Size)))
		a.limit(p)
		p.Arg(wasm.Br, 1)
		p.Op(wasm.End)
	}
	p.I32(1)
	p.Op(wasm.Return, wasm.End)
}

// places sets the places. It gives up where one needs more than 32 bits.
func (a access) places(p *part) {
	if !a.wide {
		// Below 2^31 an address and an offset make no sum that needs more than 32 bits, or one below 0, which is large.
		p.Get(wide64)
		p.Op(wasm.I32WrapI64)
		p.Set(index)
		for n := range uint32(8) {
			p.Get(rowA)
			p.Mem(wasm.V128Load, 4, 16*n)
			p.Tee(places + n)
			p.Get(all)
			p.Op(wasm.V128Or)
			p.Set(all)
			p.Get(places + n)
			p.Get(index)
			p.Op(wasm.I32x4Splat, wasm.I32x4Add)
			p.Set(places + n)
		}
		p.Get(all)
		p.Op(wasm.I32x4Bitmask)
		p.giveUp()
		return
	}
	for n := range uint32(8) {
		for half, to := range [...]uint32{spare, places + n} {
			p.Get(rowA)
			p.Mem(wasm.V128Load, 4, 32*n+16*uint32(half))
			p.Get(wide64)
			p.Op(wasm.I64x2Splat, wasm.I64x2Add)
			p.Set(to)
		}
		p.Get(spare)
		p.Get(places + n)
		p.Shuffle(wasm.UpperWords)
		p.Get(all)
		p.Op(wasm.V128Or)
		p.Set(all)
		p.Get(spare)
		p.Get(places + n)
		p.Shuffle(wasm.LowerWords)
		p.Set(places + n)
	}
	p.Get(all)
	p.Op(wasm.V128AnyTrue)
	p.giveUp()
}

// check looks whether all places are in the window, and aligned.
func (a access) check(p *part) {
	fold := func(op wasm.Op) {
		p.Get(places)
		for n := range uint32(7) {
			p.Get(places + 1 + n)
			p.Op(op)
		}
	}
	fold(wasm.I32x4MaxU)
	p.Get(limit)
	p.Op(wasm.I32x4Splat, wasm.I32x4GtU)
	fold(wasm.V128Or)
	p.splat(a.bytes - 1)
	p.Op(wasm.V128And, wasm.V128Or, wasm.V128AnyTrue)
	p.giveUp()
}

// patterns writes the access for groups of 4 lanes that go to neighbouring elements, for groups that all load one, and
// for others.
func (a access) patterns(p *part) {
	if !a.store {
		p.differ(0)
		p.Op(wasm.I32Eqz)
		p.If()
		a.groups(p, true)
		p.Op(wasm.Else)
	}
	p.differ(a.bytes)
	p.Op(wasm.I32Eqz)
	p.If()
	a.groups(p, false)
	p.Op(wasm.Else)
	a.each(p)
	p.Op(wasm.End)
	if !a.store {
		p.Op(wasm.End)
	}
}

// differ pushes whether the 4 places of a group are other than the first one and those that follow it by steps, in any
// group.
func (p *part) differ(step uint32) {
	s := uint64(step)
	for n := range uint32(8) {
		p.Get(places + n)
		p.Get(places + n)
		p.Get(places + n)
		p.Shuffle(firstWord)
		if step > 0 {
			p.V128(s<<32, 2*s|3*s<<32)
			p.Op(wasm.I32x4Add)
		}
		p.Op(wasm.V128Xor)
		if n > 0 {
			p.Op(wasm.V128Or)
		}
	}
	p.Op(wasm.V128AnyTrue)
}

// firstWord puts the first lane in all 4.
var firstWord = [16]byte{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}

// groups moves groups of 4 lanes: from one place each, or from or to places that follow each other.
func (a access) groups(p *part, same bool) {
	load, vectors := wasm.Op(wasm.V128Load), a.bytes/4 // of a group
	if same {
		load = map[uint32]wasm.Op{4: wasm.V128Load32Splat, 8: wasm.V128Load64Splat}[a.bytes]
	}
	for n := range uint32(8) {
		p.address(4 * n)
		if a.store {
			p.mark(0)
			p.mark(3 * a.bytes)
		}
		for i := range vectors {
			row, near := 16*(n*vectors+i), 16*i
			if same {
				near = 0
			}
			if a.store {
				p.Get(temp)
				p.Get(to)
				p.Mem(wasm.V128Load, 4, row)
				p.Mem(wasm.V128Store, 4, near)
			} else {
				p.Get(to)
				p.Get(temp)
				p.Mem(load, 4, near)
				p.Mem(wasm.V128Store, 4, row)
			}
		}
	}
}

// each moves lane after lane: of several that store to one place, the last one stays.
func (a access) each(p *part) {
	load, store := wasm.Op(wasm.I32Load), wasm.Op(wasm.I32Store)
	if a.bytes == 8 {
		load, store = wasm.I64Load, wasm.I64Store
	}
	for lane := range uint32(32) {
		p.address(lane)
		if a.store {
			p.mark(0)
			p.Get(temp)
			p.Get(to)
			p.Mem(load, 4, a.bytes*lane)
			p.Mem(store, 4, 0)
		} else {
			p.Get(to)
			p.Get(temp)
			p.Mem(load, 4, 0)
			p.Mem(store, 4, a.bytes*lane)
		}
	}
}

// address sets temp to where a lane goes.
func (p *part) address(lane uint32) {
	p.Get(places + lane/4)
	p.Arg(wasm.I32x4ExtractLane, lane%4)
	p.Get(base)
	p.Op(wasm.I32Add)
	p.Set(temp)
}

// mark marks the page of what is so far after temp.
func (p *part) mark(after uint32) {
	p.Get(temp)
	if after > 0 {
		p.I32(int32(after))
		p.Op(wasm.I32Add)
	}
	p.reached(unsafe.Offsetof(row.Reach{}.Arena))
	p.Op(wasm.I32Sub)
	p.I32(row.PageShift)
	p.Op(wasm.I32ShrU)
	p.reached(unsafe.Offsetof(row.Reach{}.Marks))
	p.Op(wasm.I32Add)
	p.I32(1)
	p.Mem(wasm.I32Store8, 1, 0)
}
