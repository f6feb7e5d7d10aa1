package jit

import (
	"encoding/binary"
	"math"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// probe finds out whether the host has relaxed multiply-add, and whether it rounds once, in both precisions: a host
// without fused multiply-add rounds the product, too. Subnormal results must stay.
func probe(host mem.Host, memory *mem.Memory) bool {
	var w wasm.Code
	for n, do := range [...]wasm.Op{wasm.F32x4RelaxedMadd, wasm.F64x2RelaxedMadd} {
		at := call.Masks + probeDouble*uint32(n)
		w.Get(locCtx)
		for i := range uint32(3) {
			w.Get(locCtx)
			w.Mem(wasm.V128Load, 16, at+16*i)
		}
		w.Op(do)
		w.Mem(wasm.V128Store, 16, at)
	}
	w.I32(0)
	list, err := host.Compile(wasm.Module(1, []wasm.Function{{Params: parameters, Code: w.Bytes}}), 1)
	if err != nil {
		return false
	}
	// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, of which a product of 24 bits loses the last term.
	// In units of 2^-149, 1.5 + 1 = 2.5 is rounded to 2; a product that is rounded before is 2, and the sum 3.
	const x, y = 1 + 0x1p-12, 1 + 0x1p-11
	lanes := [4]struct{ a, b, c, want float32 }{
		{x, x, -y, 0x1p-24}, {-x, x, y, -0x1p-24}, {0x1p-126, 0.5, 0, 0x1p-127}, {0x1.8p-75, 0x1p-74, 0x1p-149, 0x1p-148},
	}
	ctx := memory.Bytes(call.At, call.Offs)
	defer clear(ctx)
	put := func(at int, v float32) { binary.LittleEndian.PutUint32(ctx[call.Masks+at:], math.Float32bits(v)) }
	for i, l := range lanes {
		put(4*i, l.a)
		put(16+4*i, l.b)
		put(32+4*i, l.c)
	}
	// The same of doubles: (1 + 2^-27)^2 = 1 + 2^-26 + 2^-54, and 2^-1074 times 1.5 plus 1.
	const u, v = 1 + 0x1p-27, 1 + 0x1p-26
	doubles := [2]struct{ a, b, c, want float64 }{{u, u, -v, 0x1p-54}, {0x1.8p-538, 0x1p-536, 0x1p-1074, 0x1p-1073}}
	wide := func(at int, v float64) {
		binary.LittleEndian.PutUint64(ctx[call.Masks+probeDouble+at:], math.Float64bits(v))
	}
	for i, l := range doubles {
		wide(8*i, l.a)
		wide(16+8*i, l.b)
		wide(32+8*i, l.c)
	}
	base := host.Base()
	host.Call(list[0], base, base+call.At, uint32(gpu.FullMask), 0)
	for i, l := range lanes {
		if binary.LittleEndian.Uint32(ctx[call.Masks+4*i:]) != math.Float32bits(l.want) {
			return false
		}
	}
	for i, l := range doubles {
		if binary.LittleEndian.Uint64(ctx[call.Masks+probeDouble+8*i:]) != math.Float64bits(l.want) {
			return false
		}
	}
	return true
}

// probeDouble is where the operands in double precision are, after those in single precision.
const probeDouble = 48
