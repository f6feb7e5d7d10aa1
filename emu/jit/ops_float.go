package jit

import (
	"math"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
)

// flushed is an operation on single-precision numbers with .ftz.
func flushed(b *body, in *machine.Inst) {
	for _, off := range operands(in) {
		b.getFloat(off)
		b.flush()
	}
	b.Op(lanesOf(in).Do...)
	b.flush()
	b.putFloat(in.D)
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
		quickSum(b, in)
		return
	}
	if b.sums.again {
		pushExact(b, in)
		b.putFloat(in.D)
		return
	}
	sum := b.fresh(3)
	result := sum + 2
	for half := range uint32(2) {
		for n, off := range operands(in) {
			b.getFloat(off)
			if half == 1 {
				b.getFloat(off)
				b.Shuffle(wasm.UpperHalf)
			}
			b.Op(wasm.F64x2PromoteLowF32x4)
			if n == 1 {
				b.Op(wasm.F64x2Mul)
			}
		}
		b.Op(wasm.F64x2Add)
		b.Set(sum + half)
		doubtful(b, sum+half)
	}
	b.Narrow([2]uint32{sum, sum + 1})
	b.Set(result)
	b.Op(wasm.V128Or, wasm.V128AnyTrue)
	b.If()
	pushExact(b, in)
	b.Set(result)
	b.Op(wasm.End)
	b.Get(result)
	b.putFloat(in.D)
}

// pushExact pushes the result of fma.rn.f32.
func pushExact(b *body, in *machine.Inst) {
	for _, off := range operands(in) {
		b.getFloat(off)
	}
	b.call(call.ExactSum)
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
