package jit

import (
	"slices"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// atomicOp returns the operation of an atom or red that can be compiled (9.7.15.5, 9.7.15.6), or "": those on 32 and 64
// bits of shared and global memory, without floating-point numbers.
func atomicOp(in *machine.Inst) string {
	x, m := in.X, in.Src.Match
	size := x.Mem.Size
	if size != 4 && size != 8 || x.Mem.Space != ptx.SharedSpace && x.Mem.Space != ptx.GlobalSpace ||
		m.Types[0].Class() == isa.Float {
		return ""
	}
	other := func(o row.Operand) bool { return !o.Sink && uint32(o.Bits) != 8*size }
	if slices.ContainsFunc(x.D, other) ||
		slices.ContainsFunc(x.S, func(o row.Operand) bool { return o.Sink || other(o) }) {
		return ""
	}
	for _, op := range []string{"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"} {
		if m.Has("." + op) {
			return op
		}
	}
	return ""
}

// integer is the instructions of WebAssembly for integers of one size.
type integer struct {
	load, store     wasm.Op
	add, sub        wasm.Op
	and, or, xor    wasm.Op
	equal, differ   wasm.Op
	zero            wasm.Op
	above, notBelow wasm.Op    // without a sign
	order           [4]wasm.Op // less and greater, without and with a sign
	old             uint32     // a local for an old value, which nothing uses during an access
}

var integers = map[uint32]*integer{
	4: {wasm.I32Load, wasm.I32Store, wasm.I32Add, wasm.I32Sub, wasm.I32And, wasm.I32Or, wasm.I32Xor, wasm.I32Eq,
		wasm.I32Ne, wasm.I32Eqz, wasm.I32GtU, wasm.I32GeU,
		[4]wasm.Op{wasm.I32LtU, wasm.I32GtU, wasm.I32LtS, wasm.I32GtS}, locNext},
	8: {wasm.I64Load, wasm.I64Store, wasm.I64Add, wasm.I64Sub, wasm.I64And, wasm.I64Or, wasm.I64Xor, wasm.I64Eq,
		wasm.I64Ne, wasm.I64Eqz, wasm.I64GtU, wasm.I64GeU,
		[4]wasm.Op{wasm.I64LtU, wasm.I64GtU, wasm.I64LtS, wasm.I64GtS}, locOffset},
}

// atomic executes an atomic in one lane. The address is at locTemp.
func (a *accessor) atomic(lane uint32) {
	n := integers[a.size]
	place := func() {
		a.Get(locFrame)
		a.Get(lane)
		a.I32(int32(2 + bit(a.size == 8)))
		a.Op(wasm.I32Shl, wasm.I32Add)
	}
	source := func(i int) {
		place()
		a.Mem(n.load, a.size, a.in.X.S[i].Off)
	}
	a.Get(locTemp)
	a.Mem(n.load, a.size, 0)
	a.Set(n.old)
	a.Get(locTemp)
	a.updated(n, source)
	a.Mem(n.store, a.size, 0)
	a.mark(0)
	a.Get(locTemp)
	a.Mem(n.load, a.size, 0)
	a.Get(n.old)
	a.Op(n.differ)
	a.If()
	a.changes()
	a.Op(wasm.End)
	if list := a.in.X.D; len(list) > 0 && !list[0].Sink {
		place()
		a.Get(n.old)
		a.Mem(n.store, a.size, list[0].Off)
	}
}

// updated pushes the new value of an atomic.
func (a *accessor) updated(n *integer, source func(i int)) {
	constant := func(v int64) {
		if a.size == 8 {
			a.I64(v)
		} else {
			a.I32(int32(v))
		}
	}
	switch op := atomicOp(a.in); op {
	case "exch":
		source(0)
	case "cas":
		source(1)
		a.Get(n.old)
		a.Get(n.old)
		source(0)
		a.Op(n.equal, wasm.Select)
	case "min", "max":
		a.Get(n.old)
		source(0)
		a.Get(n.old)
		source(0)
		a.Op(n.order[bit(op == "max")+2*bit(a.ac.Signed)], wasm.Select)
	case "inc": // old >= b ? 0 : old + 1
		constant(0)
		a.Get(n.old)
		constant(1)
		a.Op(n.add)
		a.Get(n.old)
		source(0)
		a.Op(n.notBelow, wasm.Select)
	case "dec": // old == 0 || old > b ? b : old - 1
		source(0)
		a.Get(n.old)
		constant(1)
		a.Op(n.sub)
		a.Get(n.old)
		a.Op(n.zero)
		a.Get(n.old)
		source(0)
		a.Op(n.above, wasm.I32Or, wasm.Select)
	default:
		a.Get(n.old)
		source(0)
		a.Op(map[string]wasm.Op{"add": n.add, "and": n.and, "or": n.or, "xor": n.xor}[op])
	}
}
