package jit

import (
	"warpscope/emu/machine"
	"warpscope/gpu"
)

// RunCTAs implements machine.Compiled.
func (e *Engine) RunCTAs(b *machine.Batch) bool {
	b.Done, b.Ran = 0, 0
	k := e.batchOf(b.Entry)
	if k == nil || len(b.Frames) > mostWarps || !k.region.state[0].ok && e.warm > 0 {
		return false
	}
	warps := len(b.Frames)
	n := min(int64(b.CTAs), b.Most/int64(warps)/int64(b.Entry.End-b.Entry.Start+1))
	size := uint32(warps) * k.logged
	if n < 1 || size > mostLog {
		return false
	}
	if k.pause > 0 {
		k.pause--
		return false
	}
	if !k.compile(e) {
		return false
	}
	log, ok := e.mem.Spare(size)
	if !ok {
		return false
	}
	base := e.host.Base()
	ctx := e.open(k.region, base)
	own := ctx[k.ctx:][:batchSize]
	put(own, batchLog, base+log)
	put(own, batchWarps, uint32(warps))
	put(own, batchCTAs, uint32(n))
	for i, off := range b.Frames {
		put(own, batchFrames+4*i, base+off)
	}
	b.Done = int(e.host.Call(k.f, 0, base+ctxAt, uint32(gpu.FullMask), uint32(b.X)))
	b.Ran = int64(get(own, batchRan))
	for i := range k.spans {
		k.counts[i] += int64(get(own, batchCounts+4*i))
	}
	if end := get(own, batchUndo); end != 0 {
		e.undo(e.mem.Bytes(log, end-base-log), base)
	}
	k.learn(b.Done)
	clear(own)
	clear(e.mem.Bytes(log, size))
	return true
}

// undo puts back what a log holds, the last entry first.
func (e *Engine) undo(log []byte, base uint32) {
	for at := len(log) - logEntry; at >= 0; at -= logEntry {
		copy(e.mem.Bytes(get(log, at+logAddress)-base, 16), log[at:])
	}
}

// batchOf returns the batch for a kernel, or nil.
func (e *Engine) batchOf(fn *machine.Function) *batch {
	if e.batches == nil {
		e.batches = make([]*batch, len(e.prog.Funcs))
	}
	k := e.batches[fn.Number]
	if k == nil {
		if k = e.newBatch(fn); k == nil {
			k = &batch{}
		}
		e.batches[fn.Number] = k
	}
	if k.fn == nil {
		return nil
	}
	return k
}

// compile says whether the code is there.
func (k *batch) compile(e *Engine) bool {
	if !k.made {
		k.made = true
		e.try()
		list, err := e.host.Compile(e.emitBatch(k), 1)
		if err == nil {
			k.f, k.ok = list[0], true
		}
	}
	return k.ok
}
