package simd

import (
	"warpscope/emu/jit/wasm"
)

// A part is a function that executes one instruction: f(frame, in, to) returns 0, or 1 where it has done nothing.
type part struct {
	number uint16 // of the operation or access
	how    uint8  // of loads from shared memory: Inst.How
	wasm.Code
	vectors, scalars, wide uint32 // locals
}

// The parameters and locals of parts. A part has the addresses of the result and of the operands in them.
const (
	frame = iota
	inst
	to
	rowA
	rowB
	rowC
	temp
	vectors // the first of type v128; scalars follow
)

func (p *part) function() wasm.Function {
	return wasm.Function{Params: []byte{wasm.I32, wasm.I32, wasm.I32}, Code: p.Bytes, Locals: []wasm.Locals{
		{N: vectors - rowA, Type: wasm.I32}, {N: p.vectors, Type: wasm.Vector}, {N: p.scalars, Type: wasm.I32},
		{N: p.wide, Type: wasm.I64}}}
}

// giveUp ends the part if the number on the stack is not 0.
func (p *part) giveUp() {
	p.If()
	p.I32(1)
	p.Op(wasm.Return, wasm.End)
}

// splat pushes 4 times the same word.
func (p *part) splat(v uint32) {
	w := uint64(v)<<32 | uint64(v)
	p.V128(w, w)
}

// operand sets the local with an operand's address.
func (p *part) operand(i uint32) {
	p.Get(frame)
	p.Get(inst)
	p.Mem(wasm.I32Load, 4, atA+4*i)
	p.Op(wasm.I32Add)
	p.Set(rowA + i)
}

// end ends a part that does what it should.
func (p *part) end() *part {
	p.I32(0)
	return p
}

// load pushes a vector of an operand.
func (p *part) load(operand, n uint32) {
	p.Get(rowA + operand)
	p.Mem(wasm.V128Load, 4, 16*n)
}

// store pops a vector of the result, and the result's address.
func (p *part) store(n uint32) { p.Mem(wasm.V128Store, 4, 16*n) }

// canonical replaces NaNs by the one that single-precision instructions return, by way of a local.
func (p *part) canonical(local uint32) {
	p.Tee(local)
	p.V128(0x7fffffff_7fffffff, 0x7fffffff_7fffffff)
	p.Get(local)
	p.Get(local)
	p.Op(wasm.F32x4Eq, wasm.V128Bitselect)
}
