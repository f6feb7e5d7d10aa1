package jit

import (
	"encoding/binary"

	"warpscope/emu/jit/call"
	"warpscope/emu/machine"
	"warpscope/gpu"
)

// RunCTAs implements machine.Compiled.
func (e *Engine) RunCTAs(b *machine.Batch) bool {
	b.Done, b.Ran, b.Lost, b.Parted = 0, 0, 0, 0
	k := e.batchOf(b.Entry)
	if k == nil || len(b.Frames) > mostWarps {
		return false
	}
	longest := int64(len(b.Frames)) * int64(b.Entry.End-b.Entry.Start+1) // instructions of a CTA
	n, size := min(int64(b.CTAs), b.Most/longest), uint32(len(b.Frames))*k.logged
	if len(k.loops) > 0 {
		n = int64(b.CTAs)
	}
	if n < 1 || size > mostLog || !k.made && b.Left*longest < e.warm {
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
	e.run(k, b, n, log)
	k.learn(b.Done)
	clear(e.mem.Bytes(log, size))
	return true
}

// run executes up to n CTAs of a batch. A CTA that is undone because of a window is tried again after the window has
// moved, as often as there are windows.
func (e *Engine) run(k *batch, b *machine.Batch, n int64, log uint32) {
	base := e.host.Base()
	ctx := e.open(k.region, base)
	own := ctx[k.ctx:][:batchSize]
	put(own, batchLog, base+log)
	put(own, batchWarps, uint32(len(b.Frames)))
	put(own, batchMost, uint32(min(b.Most, mostAtOnce)))
	for i, off := range b.Frames {
		put(own, batchFrames+4*i, base+off)
	}
	for again := len(k.region.sites); ; again-- {
		put(own, batchCTAs, uint32(n)-uint32(b.Done))
		done := int(e.host.Call(k.f, 0, base+call.At, uint32(gpu.FullMask), uint32(b.X+b.Done)))
		end, pc := get(own, batchUndo), int32(get(own, batchMissed))-1
		if b.Done += done; done > 0 {
			again = len(k.region.sites)
		}
		if end == 0 {
			break
		}
		e.undo(e.mem.Bytes(log, end-base-log), base)
		if pc < 0 || again == 0 {
			break
		}
		s := k.region.site(pc)
		if !e.move(s, e.prog.Code[pc].X.Mem, binary.LittleEndian.Uint64(own[batchOffset:])-s.add) {
			break
		}
		put(own, batchUndo, 0)
		put(own, batchMissed, 0)
	}
	b.Ran, b.Lost, b.Parted = int64(get(own, batchRan)), int64(get(own, batchLost)), int64(get(own, batchParted))
	for i := range k.spans {
		k.counts[i] += int64(get(own, batchCounts+4*i))
	}
	clear(own)
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
