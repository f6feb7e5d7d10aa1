package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
)

// Where lanes branch apart, the code for some lanes goes on with one side, then with the other, and then with both.
// Until a turn ends, every policy does so: the sides are first in its queue, and lanes that have met are, too. A level
// is a branch whose sides have not met yet. The context has a stack of them, and the group that runs is on its top.
// When the code stops, the engine tells the policy what is left of them; see machine.Gone.

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
		w.context(call.RPC)
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
	w.change(call.Branches, wasm.I32Add, func() { w.I32(1) })
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
	w.change(call.Group+call.GroupGone, wasm.I32Or, func() {
		w.Get(locTemp)
		if pc+1 == w.e.prog.Code[pc].Fork.Reconv {
			w.Get(locMask)
			w.Op(wasm.I32Xor)
		}
	})
	w.Get(locCtx)
	w.I32(pc)
	w.Mem(wasm.I32Store, 4, call.Group+call.GroupBranch)
	w.Get(locCtx)
	w.I32(0)
	w.Mem(wasm.I32Store, 4, call.Group+call.GroupMet)
}

// level begins a level, or stops before the branch where there is no room for it.
func (w *emitter) level(pc, second int32) {
	w.context(call.Top)
	w.Tee(locSeg)
	w.I32(call.MostLevels * call.LevelSize)
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
		{call.LevelBranch, func() { w.I32(pc) }}, {call.LevelTaken, func() { w.Get(locTemp) }},
		{call.LevelActive, func() { w.Get(locMask) }}, {call.LevelSecond, func() { w.I32(second) }},
	} {
		w.Get(locExec)
		word.push()
		w.Mem(wasm.I32Store, 4, call.Levels+word.at)
	}
	w.Get(locExec)
	w.Get(locCtx)
	w.Mem(wasm.V128Load, 16, call.Group)
	w.Mem(wasm.V128Store, 16, call.Levels+call.LevelGroup)
	w.group(w.e.prog.Code[pc].Fork.Reconv)
	w.grow(call.LevelSize)
}

// group makes the group one that has just come to be.
func (w *emitter) group(rpc int32) {
	w.Get(locCtx)
	w.V128(uint64(uint32(rpc)), 0)
	w.Mem(wasm.V128Store, 16, call.Group)
}

// grow changes the size of the levels.
func (w *emitter) grow(by int32) {
	w.change(call.Top, wasm.I32Add, func() { w.I32(by) })
}

// regroup pops the lanes that go on, when ran more instructions than the budget knows have been executed.
func (w *emitter) regroup(ran int32) {
	w.Set(locExec)
	w.change(call.Missed, wasm.I32Add, func() {
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
	w.Mem(wasm.I32Store, 4, call.Active)
	w.Get(locCtx)
	w.Get(locMask)
	w.call(call.SpreadMask)
	w.Op(wasm.Drop)
}

// meet is for a piece where lanes can have their reconvergence point. If the group has, the second side goes on, or
// both do.
func (w *emitter) meet(i int) {
	start := w.r.pieces[i].start
	w.context(call.RPC)
	w.I32(start)
	w.Op(wasm.I32Eq)
	if w.full {
		w.exitIf(start)
		return
	}
	w.If()
	w.context(call.Top)
	w.Tee(locSeg)
	w.Op(wasm.I32Eqz)
	w.exitIf(start)
	w.Get(locCtx)
	w.Get(locSeg)
	w.Op(wasm.I32Add)
	w.Tee(locSeg)
	const top = call.Levels - call.LevelSize
	w.Mem(wasm.I32Load, 4, top+call.LevelSecond)
	w.Tee(locNext)
	w.If()
	w.Get(locSeg)
	w.I32(0)
	w.Mem(wasm.I32Store, 4, top+call.LevelSecond)
	w.group(start)
	w.Get(locSeg)
	w.Mem(wasm.I32Load, 4, top+call.LevelTaken)
	w.regroup(0)
	w.Get(locNext)
	w.I32(1)
	w.Op(wasm.I32Sub)
	w.Set(locNext)
	w.Op(wasm.Else)
	w.grow(-call.LevelSize)
	w.Get(locCtx)
	w.Get(locSeg)
	w.Mem(wasm.V128Load, 16, top+call.LevelGroup)
	w.Mem(wasm.V128Store, 16, call.Group)
	w.Get(locCtx)
	w.I32(1)
	w.Mem(wasm.I32Store, 4, call.Group+call.GroupMet)
	w.Get(locSeg)
	w.Mem(wasm.I32Load, 4, top+call.LevelActive)
	w.regroup(0)
	w.Get(locMask)
	w.I32(-1)
	w.Op(wasm.I32Eq)
	w.context(call.Stay)
	w.Op(wasm.I32GtU)
	w.exitIf(start)
	w.I32(int32(i))
	w.Set(locNext)
	w.Op(wasm.End)
	w.Arg(wasm.Br, uint32(len(w.r.pieces)-1-i)+1)
	w.Op(wasm.End)
}
