package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/vector"
)

// longs is an operation on lanes of 64 bits.
func longs(b *body, in *machine.Inst) {
	o := lanesOf(in)
	for half := range uint32(2) {
		for _, off := range factors(in) {
			b.getHalf(off, half)
		}
		if b.Op(o.Do...); o.Add != 0 {
			b.getHalf(in.C, half)
			b.Op(o.Add)
		}
	}
	b.putHalves(in.D)
}

// widen computes 64 bits of operands of 32 bits: lanes 0 and 1, then 2 and 3.
func widen(b *body, in *machine.Inst) {
	o := lanesOf(in)
	for half, do := range o.Do {
		for _, off := range factors(in) {
			b.get(off)
		}
		if b.Op(do); o.Add != 0 {
			b.getHalf(in.C, uint32(half))
			b.Op(o.Add)
		}
	}
	b.putHalves(in.D)
}

// narrow keeps the lower 32 bits.
func narrow(b *body, in *machine.Inst) {
	b.getHalf(in.A, 0)
	b.getHalf(in.A, 1)
	b.Shuffle(wasm.LowerWords)
	b.put(in.D)
}

// compareLongs compares lanes of 64 bits. Unsigned numbers compare as signed ones do whose sign is flipped.
func compareLongs(b *body, in *machine.Inst) {
	o := lanesOf(in)
	for half := range uint32(2) {
		for i, do := range o.Do {
			for _, off := range operands(in) {
				if b.getHalf(off, half); o.Kind == vector.CompareUnsigned {
					b.V128(1<<63, 1<<63)
					b.Op(wasm.V128Xor)
				}
			}
			if b.Op(do); i > 0 {
				b.Op(wasm.V128Or)
			}
		}
	}
	b.Shuffle(wasm.LowerWords)
	b.putMask(in.D)
}

func selectLongs(b *body, in *machine.Inst) {
	for half := range uint32(2) {
		b.getHalf(in.A, half)
		b.getHalf(in.B, half)
		b.mask(in.C)
		b.Op(extend[half], wasm.V128Bitselect)
	}
	b.putHalves(in.D)
}

// shiftLongs is a shift of 64 bits by an operand of 32, which is clamped to 64.
func shiftLongs(b *body, in *machine.Inst) {
	vector, scalar := lanesOf(in).Do[0], lanesOf(in).Do[1]
	by, ok := b.consts[in.B]
	if by &= 0xffffffff; !ok {
		shiftEach(b, in, scalar)
		return
	}
	for half := range uint32(2) {
		b.getHalf(in.A, half)
		switch {
		case by < 64 || scalar == wasm.I64ShrS:
			b.I32(int32(min(by, 63)))
			b.Op(vector)
		default:
			b.Op(wasm.Drop)
			b.V128(0, 0)
		}
	}
	b.putHalves(in.D)
}

// shiftEach shifts lane by lane.
func shiftEach(b *body, in *machine.Inst, do wasm.Op) {
	from := b.fresh(5)
	by, to := from+2, from+3
	for half := range uint32(2) {
		b.getHalf(in.A, half)
		b.Set(from + half)
	}
	b.get(in.B)
	b.Set(by)
	for lane := range uint32(4) {
		half, at := lane/2, byte(lane%2)
		b.Get(to + half)
		b.lane(wasm.I64x2ExtractLane, from+half, at)
		b.lane(wasm.I32x4ExtractLane, by, byte(lane))
		b.Tee(locTemp)
		if do == wasm.I64ShrS {
			b.I32(63)
			b.Get(locTemp)
			b.I32(64)
			b.Op(wasm.I32LtU, wasm.Select, wasm.I64ExtendI32U, do)
		} else {
			b.Op(wasm.I64ExtendI32U, do)
			b.I64(0)
			b.Get(locTemp)
			b.I32(64)
			b.Op(wasm.I32LtU, wasm.Select)
		}
		b.Op(wasm.I64x2ReplaceLane)
		b.Bytes = append(b.Bytes, at)
		b.Set(to + half)
	}
	b.Get(to)
	b.Get(to + 1)
	b.putHalves(in.D)
}
