package jit

import "warpscope/emu/jit/wasm"

// emitBatch returns the module of a batch.
func (e *layout) emitBatch(b *batch) []byte {
	k := &batcher{emitter: &emitter{e: e, r: b.region, full: true, consts: constants(b.fn)}, batch: b}
	e.fixed = k.consts
	own := uint32(b.ctx)
	word := func(local, at uint32) {
		k.Get(locCtx)
		k.Mem(wasm.I32Load, 4, own+at)
		k.Set(local)
	}
	k.Loop()
	word(locLog, batchLog)
	word(locTick, batchRan)
	for i := range b.spans {
		k.I32(0)
		k.Set(locCounts + uint32(i))
	}
	if len(k.loops) > 0 {
		k.turns(func() { k.warps(func() { k.turn(k.throughout) }) })
	} else {
		k.warps(k.warp)
	}
	for i := range b.spans {
		k.change(own+batchCounts+4*uint32(i), wasm.I32Add, func() { k.Get(locCounts + uint32(i)) })
	}
	k.Get(locCtx)
	k.Get(locTick)
	k.Mem(wasm.I32Store, 4, own+batchRan)
	k.add(locLeft, 1)
	k.next(locDone, own+batchCTAs)
	k.Op(wasm.End)
	k.Get(locDone)
	return k.module(wasm.Function{
		Params: parameters,
		Locals: []wasm.Locals{{N: locFirsts - locNext, Type: wasm.I32}, {N: 2*maxShapes + 1, Type: wasm.I64},
			{N: k.most, Type: wasm.Vector}},
		Code: k.Bytes,
	})
}

// warps executes something for each warp of the CTA.
func (k *batcher) warps(do func()) {
	k.I32(0)
	k.Set(locWarp)
	k.Loop()
	k.entry()
	k.Mem(wasm.I32Load, 4, uint32(k.ctx)+batchFrames)
	k.Set(locFrame)
	do()
	k.next(locWarp, uint32(k.ctx)+batchWarps)
	k.Op(wasm.End)
}

// warp executes one warp, the quick way if it can.
func (k *batcher) warp() {
	k.Block()
	k.Block()
	k.sweep()
	k.Op(wasm.End)
	k.throughout()
	k.Op(wasm.End)
}
