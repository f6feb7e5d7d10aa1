package simd

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
)

// loads are those from shared memory: of 32 and 64 bits, with addresses of 32 and 64.
func loads(window uint32) []*part {
	return []*part{
		load(row.ByLoad32at32, window, 4, 4),
		load(row.ByLoad32at64, window, 4, 8),
		load(row.ByLoad64at32, window, 8, 4),
		load(row.ByLoad64at64, window, 8, 8),
	}
}

// Locals of a load: vectors with the places of 4 lanes each, some to compute with, and scalars.
const (
	places = vectors
	all    = places + 8
	other  = all + 1

	base  = other + 1
	limit = base + 1
)

// load loads lanes of so many bytes. It leaves to others what is outside of the window or not aligned, and addresses
// from 2^31 on.
func load(how uint8, window, bytes, address uint32) *part {
	p := rows(0, 1)
	p.how, p.vectors, p.scalars = how, base-vectors, limit+1-base
	p.I32(int32(window))
	p.Mem(wasm.I32Load, 4, 0)
	p.Tee(base)
	p.Op(wasm.I32Eqz)
	p.giveUp()
	p.I32(int32(window))
	p.Mem(wasm.I32Load, 4, 4)
	p.I32(int32(bytes))
	p.Op(wasm.I32Sub)
	p.Tee(limit)
	p.I32(0)
	p.Op(wasm.I32LtS)
	p.giveUp()
	p.addresses(address)
	p.check(bytes)

	p.differ(0)
	p.Op(wasm.I32Eqz)
	p.If()
	p.alike(bytes, true)
	p.Op(wasm.Else)
	p.differ(bytes)
	p.Op(wasm.I32Eqz)
	p.If()
	p.alike(bytes, false)
	p.Op(wasm.Else)
	p.gather(bytes)
	p.Op(wasm.End, wasm.End)
	return p.end()
}

// giveUp ends the part if the number on the stack is not 0.
func (p *part) giveUp() {
	p.If()
	p.I32(1)
	p.Op(wasm.Return, wasm.End)
}

// addresses sets places to the addresses, of which all that is or-ed together is in all: above 31 bits it must be 0.
func (p *part) addresses(size uint32) {
	for n := range uint32(8) {
		if size == 4 {
			p.Get(rowA)
			p.Mem(wasm.V128Load, 4, 16*n)
			p.Set(places + n)
		} else {
			for i, from := range [...][16]byte{wasm.LowerWords, wasm.UpperWords} {
				for half := range uint32(2) {
					p.Get(rowA)
					p.Mem(wasm.V128Load, 4, 32*n+16*half)
				}
				p.Shuffle(from)
				if i == 0 {
					p.Set(places + n)
				} else {
					p.Get(all)
					p.Op(wasm.V128Or)
					p.Set(all)
				}
			}
		}
	}
	if size == 8 {
		p.Get(all)
		p.Op(wasm.V128AnyTrue)
		p.giveUp()
	}
	p.Get(places)
	for n := range uint32(7) {
		p.Get(places + n + 1)
		p.Op(wasm.V128Or)
	}
	p.Op(wasm.I32x4Bitmask)
	p.giveUp()
}

// check adds the offset and looks whether all places are in the window, and aligned. A place below it is far above it
// as an unsigned number.
func (p *part) check(bytes uint32) {
	p.Get(inst)
	p.Mem(wasm.I32Load, 4, atC)
	p.Op(wasm.I32x4Splat)
	p.Set(other)
	p.V128(0, 0)
	p.Set(all)
	for n := range uint32(8) {
		p.Get(places + n)
		p.Get(other)
		p.Op(wasm.I32x4Add)
		p.Tee(places + n)
		p.Get(limit)
		p.Op(wasm.I32x4Splat, wasm.I32x4GtU)
		p.Get(places + n)
		p.splat(bytes - 1)
		p.Op(wasm.V128And, wasm.V128Or)
		p.Get(all)
		p.Op(wasm.V128Or)
		p.Set(all)
	}
	p.Get(all)
	p.Op(wasm.V128AnyTrue)
	p.giveUp()
}

func (p *part) splat(v uint32) {
	w := uint64(v)<<32 | uint64(v)
	p.V128(w, w)
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

// alike loads groups of 4 lanes from one place each, or from places that follow each other.
func (p *part) alike(bytes uint32, same bool) {
	load, vectors := wasm.Op(wasm.V128Load), bytes/4 // of a group
	if same {
		load = map[uint32]wasm.Op{4: wasm.V128Load32Splat, 8: wasm.V128Load64Splat}[bytes]
	}
	for n := range uint32(8) {
		p.Get(places + n)
		p.Arg(wasm.I32x4ExtractLane, 0)
		p.Get(base)
		p.Op(wasm.I32Add)
		p.Set(temp)
		for i := range vectors {
			p.Get(to)
			p.Get(temp)
			if same {
				p.Mem(load, 4, 0)
			} else {
				p.Mem(load, 4, 16*i)
			}
			p.Mem(wasm.V128Store, 4, 16*(n*vectors+i))
		}
	}
}

// gather loads lane by lane.
func (p *part) gather(bytes uint32) {
	for lane := range uint32(32) {
		p.Get(to)
		p.Get(places + lane/4)
		p.Arg(wasm.I32x4ExtractLane, lane%4)
		p.Get(base)
		p.Op(wasm.I32Add)
		if bytes == 4 {
			p.Mem(wasm.I32Load, 4, 0)
			p.Mem(wasm.I32Store, 4, 4*lane)
		} else {
			p.Mem(wasm.I64Load, 4, 0)
			p.Mem(wasm.I64Store, 4, 8*lane)
		}
	}
}
