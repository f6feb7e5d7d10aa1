package jit

import (
	"math"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// Where the host has no fused multiply-add, fma.rn.f32 is computed in double precision, in which the product is exact.
// Of several in a row the results stay in double precision, rounded to 24 bits by adding half of the last place and
// clearing what is below. That is right for all numbers but those that the double-precision sum may have been rounded
// to from either side, halfway between two results, and where results have other than 24 bits: below 2^-126, except
// for 0, and from 2^128 on, infinities and NaNs included. Whether there were some is looked at once, at the end, when
// nothing is stored yet. If so, the group does everything again with fma.

// fewSums are so many that an attempt is worth while. After sumsAtOnce of them what was folded is stored, where nothing
// reads it: V8 would put off all folding to the end, and spill every sum until then.
const (
	fewSums    = 2
	manySums   = 4
	sumsAtOnce = 1
)

// The upper words of 2^-126 and 2^128 in double precision, times 2.
const (
	leastNormal = (1023 - 126) << 21
	tooLarge    = (1023 + 128) << 21
)

// pairs says whether code goes through two groups at a time: a sum waits for the one before it.
func pairs(b *body, code []machine.Inst) bool { return !b.e.relaxed && sumsIn(code) >= manySums }

// sumsIn returns how many sums are in code.
func sumsIn(code []machine.Inst) (n int) {
	for i := range code {
		if in := &code[i]; in.Op == machine.OpHandler && in.X == nil && in.Number == row.NFmaF32 {
			n++
		}
	}
	return n
}

// attempt writes what do writes for the group, and stores it; quickly where that can be.
func attempt(b *body, code []machine.Inst, do func()) {
	if sumsIn(code) < fewSums || b.e.relaxed || len(b.marks) > 0 {
		do()
		eachSide(b, b.store)
		return
	}
	n := b.fresh(3)
	b.sums = sums{quick: true, halfway: n, low: n + 1, high: n + 2}
	for i, v := range [...]uint64{1<<64 - 1, 1<<64 - 1, 0} {
		b.V128(v, v)
		b.Set(n + uint32(i))
	}
	free := b.used
	do()
	doubt(b)
	b.If()
	quick, sum := [2]lot{}, b.sums
	eachSide(b, func() {
		quick[b.side] = b.lot
		b.lot = b.lot.renew()
	})
	b.sums, b.used = sums{again: true}, free
	do()
	eachSide(b, b.store)
	b.Op(wasm.Else)
	b.sums = sum
	eachSide(b, func() {
		b.lot = quick[b.side]
		b.store()
	})
	b.Op(wasm.End)
	b.sums, b.used = sums{}, b.most
}

// doubt pushes whether a sum may be wrong.
func doubt(b *body) {
	b.Get(b.sums.halfway)
	b.V128(0, 0)
	b.Op(wasm.I32x4Eq)
	b.Get(b.sums.low)
	b.splat(leastNormal - 1)
	b.Op(wasm.I32x4LtU, wasm.V128Or)
	b.Get(b.sums.high)
	b.splat(tooLarge)
	b.Op(wasm.I32x4GeU, wasm.V128Or, wasm.V128AnyTrue)
}

// quickSum is fma.rn.f32 in an attempt.
func quickSum(b *body, in *machine.Inst) {
	m := b.fresh(5)
	sum, result, temp := m, m+2, m+4
	const half = 1 << 28
	for n := range uint32(2) {
		pushDouble(b, in.A, n)
		pushDouble(b, in.B, n)
		b.Op(wasm.F64x2Mul)
		pushDouble(b, in.C, n)
		b.Op(wasm.F64x2Add)
		b.V128(half, half)
		b.Op(wasm.I64x2Add)
		b.Tee(sum + n)
		b.V128(-2*half&(1<<64-1), -2*half&(1<<64-1)) // with andnot V8 would copy the constant
		b.Op(wasm.V128And)
		b.Set(result + n)
	}
	word := func(from [16]byte, shift int32) {
		b.Get(sum)
		b.Get(sum + 1)
		b.Shuffle(from)
		b.I32(shift)
		b.Op(wasm.I32x4Shl)
	}
	word(wasm.LowerWords, 3)
	b.fold(b.sums.halfway, wasm.I32x4MinU)
	word(wasm.UpperWords, 1)
	b.Tee(temp)
	b.fold(b.sums.high, wasm.I32x4MaxU)
	b.Get(temp)
	b.V128(1<<64-1, 1<<64-1)
	b.Op(wasm.I32x4Add)
	b.fold(b.sums.low, wasm.I32x4MinU)
	if b.sums.n++; b.sums.n%(sumsAtOnce*int(b.many)) == 0 {
		for i, v := range [...]uint32{b.sums.halfway, b.sums.low, b.sums.high} {
			b.Get(locCtx)
			b.Get(v)
			b.Mem(wasm.V128Store, 16, call.Offs+16*uint32(i))
		}
	}
	v := b.values[in.D]
	if v == nil {
		v = b.add(in.D, false)
	}
	*v = value{local: v.local, dirty: true, raw: true, late: true, pair: [2]uint32{result, result + 1}}
}

// pushDouble pushes 2 of 4 lanes of a single-precision number, in double precision.
func pushDouble(b *body, off, half uint32) {
	if c, ok := b.consts[off]; ok {
		c = math.Float64bits(float64(math.Float32frombits(uint32(c))))
		b.V128(c, c)
		return
	}
	v := b.values[off]
	if v == nil {
		v = b.find(off, false)
	}
	if v.pair[0] == 0 {
		widenPair(b, v)
	}
	b.Get(v.pair[half])
}

// widenPair makes the pair of a value.
func widenPair(b *body, v *value) {
	n := b.fresh(2)
	v.pair = [2]uint32{n, n + 1}
	if v.late && v.from.kind == 1 { // all lanes have the same
		fetch(b, v, wasm.V128Load32Splat)
		b.Op(wasm.F64x2PromoteLowF32x4)
		b.Set(n)
		v.pair[1] = n
		return
	}
	b.single(v)
	b.Get(v.local)
	b.Op(wasm.F64x2PromoteLowF32x4)
	b.Set(n)
	b.Get(v.local)
	b.Get(v.local)
	b.Shuffle(wasm.UpperHalf)
	b.Op(wasm.F64x2PromoteLowF32x4)
	b.Set(n + 1)
}

// single sets the local of a value that is late: it has not been loaded, or is in double precision only.
func (b *body) single(v *value) {
	if !v.late {
		return
	}
	v.late = false
	switch {
	case v.from == nil:
		b.Narrow(v.pair)
	case v.from.kind == 1:
		fetch(b, v, wasm.V128Load32Splat)
	case v.from.kind == 2:
		fetch(b, v, wasm.V128Load)
	default:
		fetch(b, v, wasm.V128Load)
		b.Get(v.from.turn)
		b.Op(wasm.I8x16Swizzle)
	}
	b.Set(v.local)
}

// fetch loads what a load of a stretch reads.
func fetch(b *body, v *value, load wasm.Op) {
	b.Get(v.from.scalar + mostBases*b.side)
	b.Mem(load, 4, v.at)
}
