package jit

import (
	"slices"

	"warpscope/emu/jit/call"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// A batch is whole CTAs that one call executes. They run a kernel whose branches lead forward, but for loops that only
// compute, and which neither synchronizes nor has memory of its own, so that all that a CTA leaves is in global memory.
// The bytes that it stores over are in a log: when something happens that only the machine can do, the CTA is undone,
// and the machine executes it.
type batch struct {
	fn     *machine.Function
	region *region
	spans  []span
	loops  map[int32]*loop // by pc
	x      []uint32        // rows that hold %ctaid.x
	logged uint32          // bytes of the log that a warp can take
	ctx    int             // where the batch's part of the context begins
	made   bool
	ok     bool // the host has taken it
	f      mem.Func
	counts []int64 // by span: executions that flush has not told yet
	misses int     // calls in a row that have executed nothing
	pause  int     // calls that are left out
}

// span is a piece, or a return or an exit.
type span struct {
	start, end int32
	returns    bool
}

// The part of the context that belongs to a batch. It comes after the windows of the region.
const (
	batchLog    = 0  // i32: address of the log
	batchUndo   = 4  // i32, out: the end of the log, if a CTA is to be undone
	batchWarps  = 8  // i32: of a CTA
	batchCTAs   = 12 // i32
	batchRan    = 16 // i32, out: instructions executed
	batchMissed = 20 // i32, out: 1 + pc of the access outside of its window; 0: another reason
	batchOffset = 24 // i64, out: where it is in the window
	batchFrames = 32 // i32 by warp: addresses

	batchMost    = batchFrames + 4*mostWarps  // i32, with loops: the most instructions
	batchLost    = batchMost + 4              // i32, out: instructions that lanes have not executed which left a loop
	batchParted  = batchMost + 8              // i32, out: branches at which lanes have parted
	batchEntries = batchMost + 12             // i32 by warp: the next span
	batchCounts  = batchEntries + 4*mostWarps // i32 by span, out
)

// The limits of batches.
const (
	mostWarps  = 32
	mostSpans  = 24
	mostLog    = 1 << 18 // bytes
	mostMisses = 16

	logEntry   = 32 // bytes: 16 that were there, and at logAddress where
	logAddress = 16

	batchSize   = batchCounts + 4*mostSpans
	mostContext = mem.PageSize - call.At - batchSize
)

// newBatch returns a batch for a kernel; nil if there can be none.
func (e *layout) newBatch(fn *machine.Function) *batch {
	r := e.at[fn.Start].region
	if r == nil {
		return nil
	}
	k := &batch{fn: fn, region: r, ctx: call.Counts + 8*len(r.pieces) + call.WinSize*len(r.sites)}
	k.findLoops(e)
	for pc := fn.Start; pc <= fn.End; {
		at, in := e.at[pc], &e.prog.Code[pc]
		s := span{start: pc, end: pc + 1, returns: true}
		switch {
		case at.region == r && at.start == pc:
			s.end, s.returns = r.pieces[at.piece].end, false
		case in.Op != machine.OpRet && in.Op != machine.OpExit || in.Held:
			return nil
		}
		k.spans = append(k.spans, s)
		for ; pc < s.end; pc++ {
			if !k.takes(&e.prog.Code[pc], pc) {
				return nil
			}
		}
	}
	for _, c := range fn.Consts {
		if c.Kind == machine.ConstCTASReg && c.SReg == "%ctaid.x" {
			k.x = append(k.x, c.Off)
		} else if c.Kind == machine.ConstCTASReg && c.SReg != "%ctaid.y" && c.SReg != "%ctaid.z" {
			return nil
		}
	}
	preds := 0
	live := e.prog.Liveness(fn).At(fn.Start)
	for i, slot := range fn.Regs {
		if live.Has(int32(i)) {
			return nil // it reads a register that nothing has written
		}
		preds += bit(slot.Bits == 1)
	}
	if len(k.spans) > mostSpans || preds > mostBatchPreds || k.ctx > mostContext {
		return nil
	}
	k.counts = make([]int64, len(k.spans))
	return k
}

// takes says whether a batch can have an instruction. Accesses under a guard are of one element.
func (k *batch) takes(in *machine.Inst, pc int32) bool {
	switch in.Op {
	case machine.OpBra:
		return k.leads(in, pc)
	case machine.OpAtom, machine.OpRun:
		return false
	case machine.OpPure:
		return !crosses(in)
	case machine.OpLoad, machine.OpStore:
		ac, lanes := in.X.Mem, uint32(1)
		if in.Width == 0 {
			if in.Guard != row.TruePred {
				return false
			}
			lanes = uint32(len(elements(in)))
		}
		if in.Op == machine.OpStore {
			k.logged += 32 * logEntry * ((ac.Size*lanes + 15) / 16)
		}
		return ac.Space != ptx.SharedSpace && ac.Space != ptx.LocalSpace
	}
	return true
}

// findLoops finds the loops of a kernel.
func (k *batch) findLoops(e *layout) {
	e.fixed = constants(k.fn)
	w := &emitter{e: e, r: k.region, full: true, consts: e.fixed}
	k.loops = map[int32]*loop{}
	for i := 0; i < len(k.region.pieces); i++ {
		l, ok := w.loopAt(i)
		if !ok {
			continue
		}
		k.loops[k.region.pieces[i].start] = &l
		live := e.prog.Liveness(k.fn).At(l.out)
		dead := func(off uint32) bool {
			at := slices.IndexFunc(k.fn.Regs, func(s machine.RegSlot) bool { return s.Off == off })
			return at >= 0 && !live.Has(int32(at))
		}
		l.dirty, l.set = slices.DeleteFunc(l.dirty, dead), slices.DeleteFunc(l.set, dead)
		l.unseen = true
		i += len(l.pieces) - 1
	}
}

// leads says whether a batch can have a branch: a forward one, or one of a loop, but none into the middle of a loop.
func (k *batch) leads(in *machine.Inst, pc int32) bool {
	ok := in.Target > pc
	for start, l := range k.loops {
		if in.Target > start && in.Target < start+l.length {
			return false
		}
		ok = ok || pc >= start && pc < start+l.length
	}
	return ok
}

// spanAt returns the number of the span that begins with a pc.
func (k *batch) spanAt(pc int32) int {
	at, _ := slices.BinarySearchFunc(k.spans, pc, func(s span, pc int32) int { return int(s.start - pc) })
	return at
}

// learn leaves out calls after one that has executed nothing, and more of them each time.
func (k *batch) learn(done int) {
	if done > 0 {
		k.misses = 0
		return
	}
	k.pause = 1<<k.misses - 1
	k.misses = min(k.misses+1, mostMisses)
}

// flush tells how often spans have been executed.
func (k *batch) flush(executed func(start, end int32, n int64)) {
	if k == nil {
		return
	}
	for i, n := range k.counts {
		if n != 0 {
			executed(k.spans[i].start, k.spans[i].end, n)
		}
	}
	clear(k.counts)
}
