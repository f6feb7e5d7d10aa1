package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/vector"
)

// emits writes what an instruction does with 4 lanes: it pushes operands, and pops the result into D.
type emits func(b *body, in *machine.Inst)

// lanesOf is what computes lanes of an instruction that has a handler.
func lanesOf(in *machine.Inst) *vector.Operation { return &vector.Operations[in.Number] }

// words is an operation on lanes of 32 bits.
func words(b *body, in *machine.Inst) {
	for _, off := range factors(in) {
		b.get(off)
	}
	o := lanesOf(in)
	if b.Op(o.Do...); o.Add != 0 {
		b.get(in.C)
		b.Op(o.Add)
	}
	b.put(in.D)
}

// floats is an operation on single-precision numbers, one that makes NaNs.
func floats(b *body, in *machine.Inst) {
	for _, off := range operands(in) {
		b.getFloat(off)
	}
	b.Op(lanesOf(in).Do...)
	b.putFloat(in.D)
}

// mulHigh is the upper half of a product.
func mulHigh(b *body, in *machine.Inst) {
	for _, do := range lanesOf(in).Do {
		b.get(in.A)
		b.get(in.B)
		b.Op(do)
	}
	b.Shuffle(wasm.UpperWords)
	b.put(in.D)
}

// shiftWords is a shift, which is clamped to 32 bits. Vectors can be shifted by one number only.
func shiftWords(b *body, in *machine.Inst) {
	vector, scalar := lanesOf(in).Do[0], lanesOf(in).Do[1]
	if by, ok := b.consts[in.B]; ok {
		by &= 0xffffffff
		b.get(in.A)
		switch {
		case by < 32:
			b.I32(int32(by))
			b.Op(vector)
		case scalar == wasm.I32ShrS:
			b.I32(31)
			b.Op(vector)
		default:
			b.Op(wasm.Drop)
			b.V128(0, 0)
		}
		b.put(in.D)
		return
	}
	b.get(in.A)
	from := b.fresh(3)
	by, to := from+1, from+2
	b.Set(from)
	b.get(in.B)
	b.Set(by)
	for lane := range byte(4) {
		b.Get(to)
		b.lane(wasm.I32x4ExtractLane, from, lane)
		b.clampedShift(scalar, by, lane)
		b.Op(wasm.I32x4ReplaceLane)
		b.Bytes = append(b.Bytes, lane)
		b.Set(to)
	}
	b.Get(to)
	b.put(in.D)
}

// shiftBelow32 is a shift by a constant below 32.
func shiftBelow32(b *body, in *machine.Inst) {
	b.get(in.A)
	if by, ok := b.consts[in.B]; ok {
		b.I32(int32(by & 31))
	} else {
		b.Get(locFrame)
		b.Mem(wasm.I32Load, 4, in.B)
	}
	b.Op(lanesOf(in).Do...)
	b.put(in.D)
}

// clampedShift shifts the scalar on the stack by a lane.
func (b *body) clampedShift(do wasm.Op, by uint32, lane byte) {
	if do == wasm.I32ShrS { // by 31 at most
		b.lane(wasm.I32x4ExtractLane, by, lane)
		b.Tee(locTemp)
		b.I32(31)
		b.Get(locTemp)
		b.I32(32)
		b.Op(wasm.I32LtU, wasm.Select, do)
		return
	}
	b.lane(wasm.I32x4ExtractLane, by, lane)
	b.Tee(locTemp)
	b.Op(do)
	b.I32(0)
	b.Get(locTemp)
	b.I32(32)
	b.Op(wasm.I32LtU, wasm.Select)
}

// scalars is an operation on one operand of 32 bits that vectors do not have.
func scalars(b *body, in *machine.Inst) {
	b.get(in.A)
	from := b.fresh(2)
	b.Set(from)
	for lane := range byte(4) {
		b.Get(from + 1)
		b.lane(wasm.I32x4ExtractLane, from, lane)
		b.Op(lanesOf(in).Do[0], wasm.I32x4ReplaceLane)
		b.Bytes = append(b.Bytes, lane)
		b.Set(from + 1)
	}
	b.Get(from + 1)
	b.put(in.D)
}

func compareWords(b *body, in *machine.Inst)  { compare(b, in, b.get) }
func compareFloats(b *body, in *machine.Inst) { compare(b, in, b.getFloat) }

// compare sets a predicate where one of the operation's comparisons holds.
func compare(b *body, in *machine.Inst, get func(off uint32)) {
	for i, do := range lanesOf(in).Do {
		get(in.A)
		get(in.B)
		if b.Op(do); i > 0 {
			b.Op(wasm.V128Or)
		}
	}
	b.putMask(in.D)
}

// compareStrictly is setp.lt.u32 or setp.gt.u32. Processors compare unsigned numbers by their minimum, so V8 takes 2
// instructions for <= and 5 for <; to compare with a constant, it can be the one next to it.
func compareStrictly(orEqual wasm.Op, next, never uint32) emits {
	return func(b *body, in *machine.Inst) {
		if c, ok := b.consts[in.B]; ok && uint32(c) != never {
			b.get(in.A)
			b.splat(uint64(uint32(c) + next))
			b.Op(orEqual)
			b.putMask(in.D)
			return
		}
		compareWords(b, in)
	}
}

func selectWords(b *body, in *machine.Inst) {
	b.get(in.A)
	b.get(in.B)
	b.mask(in.C)
	b.Op(wasm.V128Bitselect)
	b.put(in.D)
}
