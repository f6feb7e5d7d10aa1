package jit

import (
	"encoding/binary"
	"math"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// probe finds out whether the host has relaxed multiply-add, and whether it rounds once: a host without fused
// multiply-add rounds the product, too. Subnormal results must stay.
func probe(host mem.Host, memory *mem.Memory) bool {
	var w wasm.Code
	w.Get(locCtx)
	for i := range uint32(3) {
		w.Get(locCtx)
		w.Mem(wasm.V128Load, 16, ctxMasks+16*i)
	}
	w.Op(wasm.F32x4RelaxedMadd)
	w.Mem(wasm.V128Store, 16, ctxMasks)
	w.I32(0)
	list, err := host.Compile(wasm.Module(4, []wasm.Function{{Code: w.Bytes}}), 1)
	if err != nil {
		return false
	}
	// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, of which a product of 24 bits loses the last term.
	// In units of 2^-149, 1.5 + 1 = 2.5 is rounded to 2; a product that is rounded before is 2, and the sum 3.
	const x, y = 1 + 0x1p-12, 1 + 0x1p-11
	lanes := [4]struct{ a, b, c, want float32 }{
		{x, x, -y, 0x1p-24}, {-x, x, y, -0x1p-24}, {0x1p-126, 0.5, 0, 0x1p-127}, {0x1.8p-75, 0x1p-74, 0x1p-149, 0x1p-148},
	}
	ctx := memory.Bytes(ctxAt, ctxOffs)
	defer clear(ctx)
	put := func(at int, v float32) { binary.LittleEndian.PutUint32(ctx[ctxMasks+at:], math.Float32bits(v)) }
	for i, l := range lanes {
		put(4*i, l.a)
		put(16+4*i, l.b)
		put(32+4*i, l.c)
	}
	base := host.Base()
	host.Call(list[0], base, base+ctxAt, uint32(gpu.FullMask), 0)
	for i, l := range lanes {
		if binary.LittleEndian.Uint32(ctx[ctxMasks+4*i:]) != math.Float32bits(l.want) {
			return false
		}
	}
	return true
}
