package jit

import (
	"math"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
)

// flushed is an operation on single-precision numbers with .ftz.
func flushed(do wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		for _, off := range operands(in) {
			b.getFloat(off)
			b.flush()
		}
		b.Op(do)
		b.flush()
		b.putFloat(in.D)
	}
}

// flush makes subnormal numbers zero, which keep their sign.
func (b *body) flush() {
	v := b.fresh(1)
	b.Tee(v)
	b.Get(v)
	b.splat(0x7f800000)
	b.Op(wasm.V128And)
	b.V128(0, 0)
	b.Op(wasm.I32x4Eq)
	b.splat(0x7fffffff)
	b.Op(wasm.V128And, wasm.V128AndNot)
}

// fma is fma.rn.f32. In double precision the product is exact, and rounding the sum to 24 bits is right unless the sum
// was rounded to a number halfway between two results, or the result is subnormal.
func fma(b *body, in *machine.Inst) {
	if b.e.relaxed {
		b.getFloat(in.A)
		b.getFloat(in.B)
		b.getFloat(in.C)
		b.Op(wasm.F32x4RelaxedMadd)
		b.putFloat(in.D)
		return
	}
	if b.sums.quick && !b.within {
		b.sum(in)
		return
	}
	m := b.fresh(8)
	product, addend, sum := m, m+2, m+4
	upper := [16]byte{8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15}
	for half := range uint32(2) {
		for n, off := range operands(in) {
			b.getFloat(off)
			if half == 1 {
				b.getFloat(off)
				b.Shuffle(upper)
			}
			b.Op(wasm.F64x2PromoteLowF32x4)
			switch n {
			case 1:
				b.Op(wasm.F64x2Mul)
				b.Tee(product + half)
			case 2:
				b.Tee(addend + half)
			}
		}
		b.Op(wasm.F64x2Add)
		b.Set(sum + half)
		doubtful(b, sum+half)
	}
	b.Op(wasm.V128Or, wasm.V128AnyTrue)
	b.If()
	for half := range uint32(2) {
		b.roundToOdd(product+half, addend+half, sum+half, m+6)
	}
	b.Op(wasm.End)
	for half := range uint32(2) {
		b.Get(sum + half)
		b.Op(wasm.F32x4DemoteF64x2Zero)
	}
	b.Shuffle([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
	b.putFloat(in.D)
}

// doubtful pushes the lanes of a sum in double precision that could be rounded twice on the way to single precision:
// the 29 bits that are dropped are 1 0…0, or the number is below 2^-126 and not zero.
func doubtful(b *body, sum uint32) {
	const dropped, half = 1<<29 - 1, 1 << 28
	b.Get(sum)
	b.V128(dropped, dropped)
	b.Op(wasm.V128And)
	b.V128(half, half)
	b.Op(wasm.I64x2Eq)
	least := math.Float64bits(0x1p-126)
	b.Get(sum)
	b.Op(wasm.F64x2Abs)
	b.V128(least, least)
	b.Op(wasm.F64x2Lt)
	b.Get(sum)
	b.V128(0, 0)
	b.Op(wasm.F64x2Ne, wasm.V128And, wasm.V128Or)
}

// roundToOdd corrects a sum of doubles: where it is not exact and its last bit is 0, it becomes its neighbour on the
// side of the exact sum. Rounding that to fewer bits gives what rounding the exact sum gives (Boldo and Melquiond). The
// error of the sum is exact, too (Knuth).
func (b *body) roundToOdd(x, y, sum, temp uint32) {
	// part = sum - x; err = (x - (sum - part)) + (y - part)
	part, err := temp, temp+1
	b.Get(sum)
	b.Get(x)
	b.Op(wasm.F64x2Sub)
	b.Set(part)
	b.Get(x)
	b.Get(sum)
	b.Get(part)
	b.Op(wasm.F64x2Sub, wasm.F64x2Sub)
	b.Get(y)
	b.Get(part)
	b.Op(wasm.F64x2Sub, wasm.F64x2Add)
	b.Set(err)
	// sum += (sign of err ^ sign of sum) | 1, as integers, where err is not 0 and the last bit is 0
	b.Get(sum)
	b.Get(err)
	b.Get(sum)
	b.Op(wasm.V128Xor)
	b.I32(63)
	b.Op(wasm.I64x2ShrS)
	b.V128(1, 1)
	b.Op(wasm.V128Or)
	b.Get(err)
	b.Op(wasm.F64x2Abs)
	b.V128(0, 0)
	b.Op(wasm.F64x2Gt, wasm.V128And)
	b.Get(sum)
	b.V128(1, 1)
	b.Op(wasm.V128And)
	b.V128(0, 0)
	b.Op(wasm.I64x2Eq, wasm.V128And, wasm.I64x2Add)
	b.Set(sum)
}
