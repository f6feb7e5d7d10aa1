package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// atomicOp returns the operation of an atom or red that can be compiled (9.7.15.5, 9.7.15.6), or "": those on 32 bits
// of shared and global memory, without floating-point numbers.
func atomicOp(in *machine.Inst) string {
	x, m := in.X, in.Src.Match
	if x.Mem.Size != 4 || x.Mem.Space != ptx.SharedSpace && x.Mem.Space != ptx.GlobalSpace ||
		m.Types[0].Class() == isa.Float {
		return ""
	}
	for _, o := range x.S {
		if o.Sink || o.Bits != 32 {
			return ""
		}
	}
	for _, o := range x.D {
		if !o.Sink && o.Bits != 32 {
			return ""
		}
	}
	for _, op := range []string{"add", "min", "max", "and", "or", "xor", "exch", "cas"} {
		if m.Has("." + op) {
			return op
		}
	}
	return ""
}

// atomic executes an atomic in one lane. The address is at locTemp; the old value goes to locNext, which is free until
// the next branch.
func (a *accessor) atomic(lane uint32) {
	const old = locNext
	place := func() {
		a.Get(locFrame)
		a.Get(lane)
		a.I32(2)
		a.Op(wasm.I32Shl, wasm.I32Add)
	}
	source := func(i int) {
		place()
		a.Mem(wasm.I32Load, 4, a.in.X.S[i].Off)
	}
	a.Get(locTemp)
	a.Mem(wasm.I32Load, 4, 0)
	a.Set(old)
	a.Get(locTemp)
	switch op := atomicOp(a.in); op {
	case "exch":
		source(0)
	case "cas":
		source(1)
		a.Get(old)
		a.Get(old)
		source(0)
		a.Op(wasm.I32Eq, wasm.Select)
	case "min", "max":
		a.Get(old)
		source(0)
		a.Get(old)
		source(0)
		n := bit(op == "max") + 2*bit(a.ac.Signed)
		a.Op([...]wasm.Op{wasm.I32LtU, wasm.I32GtU, wasm.I32LtS, wasm.I32GtS}[n], wasm.Select)
	default:
		a.Get(old)
		source(0)
		a.Op(map[string]wasm.Op{"add": wasm.I32Add, "and": wasm.I32And, "or": wasm.I32Or, "xor": wasm.I32Xor}[op])
	}
	a.Mem(wasm.I32Store, 4, 0)
	a.mark(0)
	a.Get(locTemp)
	a.Mem(wasm.I32Load, 4, 0)
	a.Get(old)
	a.Op(wasm.I32Ne)
	a.If()
	a.changes()
	a.Op(wasm.End)
	if list := a.in.X.D; len(list) > 0 && !list[0].Sink {
		place()
		a.Get(old)
		a.Mem(wasm.I32Store, 4, list[0].Off)
	}
}
