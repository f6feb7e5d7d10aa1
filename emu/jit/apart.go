package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
)

// Where lanes branch apart, the code for some lanes goes on with one side, then with the other, and then with both.
// Until a turn ends, every policy does so: the sides are first in its queue, and lanes that have met are, too. A level
// is a branch whose sides have not met yet. The context has a stack of them, and the group that runs is on its top.
// When the code stops, the engine tells the policy what is left of them; see machine.Gone.

// The words of a level. Lanes that go to the reconvergence point at once are no side.
const (
	levelBranch = 0  // i32: pc
	levelTaken  = 4  // i32: lanes that take it
	levelActive = 8  // i32: the group before it, a lane a bit
	levelSecond = 12 // i32: 1 + the piece with which the second side begins; 0: it has begun, or there is none
	levelGroup  = 16 // the group before it
	levelSize   = levelGroup + groupSize
	mostLevels  = 8
)

// The words of a group: its reconvergence point, the lanes that have left for it since the level began, at branches of
// which this is the last, and whether lanes of a level above it have met since.
const (
	groupRPC    = 0  // i32
	groupGone   = 4  // i32
	groupBranch = 8  // i32: pc
	groupMet    = 12 // i32
	groupSize   = 16
)

// leads says whether one way of a branch leads to its reconvergence point.
func leads(in *machine.Inst, pc int32) bool {
	return in.Target == in.Fork.Reconv || pc+1 == in.Fork.Reconv
}

// divided is for a branch at the end of a piece that only the lanes in locTemp take. locTemp says again afterwards
// whether the lanes that go on take the branch. The code for all lanes stops.
func (w *emitter) divided(p *piece) {
	pc := p.end - 1
	in := &w.e.prog.Code[pc]
	second := w.e.at[in.Target]
	inside := second.region == w.r && second.start == in.Target
	if w.full || in.Uniform || in.Target == p.end || !inside && !leads(in, pc) {
		w.exit(pc)
		return
	}
	if leads(in, pc) {
		w.context(ctxRPC)
		w.I32(in.Fork.Reconv)
		w.Op(wasm.I32Eq)
		w.If()
		w.leave(pc)
		w.Op(wasm.Else)
		w.level(pc, 0)
		w.Op(wasm.End)
	} else {
		w.level(pc, second.piece+1)
	}
	w.change(ctxBranches, wasm.I32Add, func() { w.I32(1) })
	if w.Get(locTemp); pc+1 != in.Fork.Reconv { // those that fall through go first
		w.Get(locMask)
		w.Op(wasm.I32Xor)
		w.I32(0)
		w.Set(locTemp)
	}
	w.regroup(p.end - p.start)
}

// leave takes the lanes that go from a branch to the group's reconvergence point out of it.
func (w *emitter) leave(pc int32) {
	w.change(ctxGroup+groupGone, wasm.I32Or, func() {
		w.Get(locTemp)
		if pc+1 == w.e.prog.Code[pc].Fork.Reconv {
			w.Get(locMask)
			w.Op(wasm.I32Xor)
		}
	})
	w.Get(locCtx)
	w.I32(pc)
	w.Mem(wasm.I32Store, 4, ctxGroup+groupBranch)
	w.Get(locCtx)
	w.I32(0)
	w.Mem(wasm.I32Store, 4, ctxGroup+groupMet)
}

// level begins a level, or stops before the branch where there is no room for it.
func (w *emitter) level(pc, second int32) {
	w.context(ctxTop)
	w.Tee(locSeg)
	w.I32(mostLevels * levelSize)
	w.Op(wasm.I32Eq)
	w.exitIf(pc)
	w.Get(locCtx)
	w.Get(locSeg)
	w.Op(wasm.I32Add)
	w.Set(locExec)
	for _, word := range [...]struct {
		at   uint32
		push func()
	}{
		{levelBranch, func() { w.I32(pc) }}, {levelTaken, func() { w.Get(locTemp) }},
		{levelActive, func() { w.Get(locMask) }}, {levelSecond, func() { w.I32(second) }},
	} {
		w.Get(locExec)
		word.push()
		w.Mem(wasm.I32Store, 4, ctxLevels+word.at)
	}
	w.Get(locExec)
	w.Get(locCtx)
	w.Mem(wasm.V128Load, 16, ctxGroup)
	w.Mem(wasm.V128Store, 16, ctxLevels+levelGroup)
	w.group(w.e.prog.Code[pc].Fork.Reconv)
	w.grow(levelSize)
}

// group makes the group one that has just come to be.
func (w *emitter) group(rpc int32) {
	w.Get(locCtx)
	w.V128(uint64(uint32(rpc)), 0)
	w.Mem(wasm.V128Store, 16, ctxGroup)
}

// grow changes the size of the levels.
func (w *emitter) grow(by int32) {
	w.change(ctxTop, wasm.I32Add, func() { w.I32(by) })
}

// regroup pops the lanes that go on, when ran more instructions than the budget knows have been executed.
func (w *emitter) regroup(ran int32) {
	w.Set(locExec)
	w.change(ctxMissed, wasm.I32Add, func() {
		w.Get(locLeft)
		w.I32(ran)
		w.Op(wasm.I32Sub)
		w.Get(locMask)
		w.Op(wasm.I32Popcnt)
		w.Get(locExec)
		w.Op(wasm.I32Popcnt, wasm.I32Sub, wasm.I32Mul)
	})
	w.Get(locCtx)
	w.Get(locExec)
	w.Tee(locMask)
	w.Mem(wasm.I32Store, 4, ctxActive)
	w.Get(locCtx)
	w.Get(locMask)
	w.call(spreadMask)
	w.Op(wasm.Drop)
}

// meet is for a piece where lanes can have their reconvergence point. If the group has, the second side goes on, or
// both do.
func (w *emitter) meet(i int) {
	start := w.r.pieces[i].start
	w.context(ctxRPC)
	w.I32(start)
	w.Op(wasm.I32Eq)
	if w.full {
		w.exitIf(start)
		return
	}
	w.If()
	w.context(ctxTop)
	w.Tee(locSeg)
	w.Op(wasm.I32Eqz)
	w.exitIf(start)
	w.Get(locCtx)
	w.Get(locSeg)
	w.Op(wasm.I32Add)
	w.Tee(locSeg)
	const top = ctxLevels - levelSize
	w.Mem(wasm.I32Load, 4, top+levelSecond)
	w.Tee(locNext)
	w.If()
	w.Get(locSeg)
	w.I32(0)
	w.Mem(wasm.I32Store, 4, top+levelSecond)
	w.group(start)
	w.Get(locSeg)
	w.Mem(wasm.I32Load, 4, top+levelTaken)
	w.regroup(0)
	w.Get(locNext)
	w.I32(1)
	w.Op(wasm.I32Sub)
	w.Set(locNext)
	w.Op(wasm.Else)
	w.grow(-levelSize)
	w.Get(locCtx)
	w.Get(locSeg)
	w.Mem(wasm.V128Load, 16, top+levelGroup)
	w.Mem(wasm.V128Store, 16, ctxGroup)
	w.Get(locCtx)
	w.I32(1)
	w.Mem(wasm.I32Store, 4, ctxGroup+groupMet)
	w.Get(locSeg)
	w.Mem(wasm.I32Load, 4, top+levelActive)
	w.regroup(0)
	w.Get(locMask)
	w.I32(-1)
	w.Op(wasm.I32Eq)
	w.context(ctxStay)
	w.Op(wasm.I32GtU)
	w.exitIf(start)
	w.I32(int32(i))
	w.Set(locNext)
	w.Op(wasm.End)
	w.Arg(wasm.Br, uint32(len(w.r.pieces)-1-i)+1)
	w.Op(wasm.End)
}

// spreadMask makes vectors in the context of a mask of active lanes.
var spreadMask = &helper{
	params: []byte{wasm.I32, wasm.I32},
	write: func(w *wasm.Code) {
		const ctx, mask = 0, 1
		for g := range uint32(8) {
			w.Get(ctx)
			w.Get(mask)
			spread(w, 4*g)
			w.Mem(wasm.V128Store, 16, ctxMasks+16*g)
		}
		w.I32(0)
	},
}
