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

// group writes what is done with 4 lanes of 32 bits, or 2 of 64, whose operands are on the stack.
type group func(p *part)

func do(ops ...wasm.Op) group { return func(p *part) { p.Op(ops...) } }

// rows begins a part with so many operands: it sets the locals with their addresses.
func rows(number uint16, operands uint32) *part {
	p := &part{number: number, vectors: 8}
	for i := range operands {
		p.operand(i)
	}
	return p
}

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

// each is an operation on rows of 16 bytes times groups.
func each(number uint16, operands, groups uint32, g group) *part {
	p := rows(number, operands)
	for n := range groups {
		p.Get(to)
		for i := range operands {
			p.Get(rowA + i)
			p.Mem(wasm.V128Load, 4, 16*n)
		}
		g(p)
		p.Mem(wasm.V128Store, 4, 16*n)
	}
	return p.end()
}

func words(number uint16, operands uint32, ops ...wasm.Op) *part {
	return each(number, operands, 8, do(ops...))
}
func longs(number uint16, operands uint32, ops ...wasm.Op) *part {
	return each(number, operands, 16, do(ops...))
}

// canonical replaces NaNs by the one that single-precision instructions return, by way of a local.
func (p *part) canonical(local uint32) {
	p.Tee(local)
	p.V128(0x7fffffff_7fffffff, 0x7fffffff_7fffffff)
	p.Get(local)
	p.Get(local)
	p.Op(wasm.F32x4Eq, wasm.V128Bitselect)
}
