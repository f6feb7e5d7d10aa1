package simd

import "warpscope/emu/jit/wasm"

// Locals of sum, after its 8 results: operands of an exact sum, with what that needs, or two sums of doubles; and what
// is in doubt in any lane.
const (
	results = vectors
	work    = results + 8
	doubts  = work + 3 + wasm.SumLocals
)

// sum is fma.rn.f32 without a fused multiply-add (9.7.3.6). In double precision the product is exact, and rounding the
// sum to 24 bits is right but in rare cases: if there is one, all lanes are computed again.
func (p *part) sum() {
	p.vectors = doubts + 1 - vectors
	for n := range uint32(8) {
		p.quick(n)
	}
	p.Get(doubts)
	p.Op(wasm.V128AnyTrue)
	p.If()
	for n := range uint32(8) {
		for i := range uint32(3) {
			p.load(i, n)
			p.Set(work + i)
		}
		p.ExactSum(work)
		p.Set(results + n)
	}
	p.Op(wasm.End)
	for n := range uint32(8) {
		p.Get(to)
		p.Get(results + n)
		p.canonical(work)
		p.store(n)
	}
}

// quick sets the result of 4 lanes, and doubts where it may be wrong: the 29 bits that are dropped are 1 0…0, or the
// number is below 2^-126 and not zero. No sum of products is so small that its upper word is 0.
func (p *part) quick(n uint32) {
	const dropped, half, least = 1<<29 - 1, 1 << 28, (1023 - 126) << 20
	pair := [2]uint32{work, work + 1}
	for i, s := range pair {
		for operand := range uint32(3) {
			p.Get(rowA + operand)
			p.Mem(wasm.V128Load64Zero, 4, 16*n+8*uint32(i))
			p.Op(wasm.F64x2PromoteLowF32x4)
			if operand == 1 {
				p.Op(wasm.F64x2Mul)
			}
		}
		p.Op(wasm.F64x2Add)
		p.Set(s)
	}
	words := func(from [16]byte, mask uint32) {
		p.Get(work)
		p.Get(work + 1)
		p.Shuffle(from)
		p.splat(mask)
		p.Op(wasm.V128And)
	}
	words(wasm.LowerWords, dropped)
	p.splat(half)
	p.Op(wasm.I32x4Eq)
	words(wasm.UpperWords, 1<<31-1)
	p.splat(1<<32 - 1)
	p.Op(wasm.I32x4Add)
	p.splat(least - 1)
	p.Op(wasm.I32x4LtU, wasm.V128Or)
	p.Get(doubts)
	p.Op(wasm.V128Or)
	p.Set(doubts)
	p.Narrow(pair)
	p.Set(results + n)
}
