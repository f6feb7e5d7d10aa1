package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
)

// A kernel in a batch can have loops that only compute with registers; see loop. Then a warp may take more than one
// turn, and what warps store is in memory in the order of their turns. So the code runs turns as the machine does: each
// warp's up to the first block boundary where it ends, and then the next warp's. A CTA is undone if lanes are still in
// a loop at the end of a turn, or if the CTA takes more than its slice.

// mostRan is how many instructions a CTA with loops can execute in a batch: with fewer than that it is never another
// CTA's turn. mostAtOnce bounds what a call executes, so that it can be counted by lanes in an i32.
const (
	mostRan    = 1<<16 - 1
	mostAtOnce = 1 << 24
)

// atEnd is the next span of a warp that has ended.
const atEnd = -1

// turns executes the warps of a CTA, turn after turn, until all have ended.
func (k *batcher) turns(warps func()) {
	own := uint32(k.ctx)
	for i := range uint32(mostWarps / 4) {
		k.Get(locCtx)
		k.V128(0, 0)
		k.Mem(wasm.V128Store, 4, own+batchEntries+16*i)
	}
	k.Get(locTick)
	k.I32(mostRan)
	k.Op(wasm.I32Add)
	k.Set(locTemp)
	k.Get(locCtx)
	k.Mem(wasm.I32Load, 4, own+batchMost)
	k.Set(locExec)
	k.Get(locTemp)
	k.Get(locExec)
	k.Get(locTemp)
	k.Get(locExec)
	k.Op(wasm.I32LtU, wasm.Select)
	k.Set(locLast)
	for _, n := range [...]uint32{locLost, locParted} {
		k.I32(0)
		k.Set(n)
	}
	k.Loop()
	k.I32(0)
	k.Set(locAlive)
	warps()
	k.Get(locAlive)
	k.Arg(wasm.BrIf, 0)
	k.Op(wasm.End)
	k.change(own+batchLost, wasm.I32Add, func() { k.Get(locLost) })
	k.change(own+batchParted, wasm.I32Add, func() { k.Get(locParted) })
}

// turn executes a turn of a warp that has not ended.
func (k *batcher) turn(warp func()) {
	k.entry()
	k.Mem(wasm.I32Load, 4, uint32(k.ctx)+batchEntries)
	k.Tee(locNext)
	k.I32(atEnd)
	k.Op(wasm.I32Ne)
	k.If()
	k.enters(func() { k.I32(atEnd) })
	k.Get(locTick)
	k.Set(locBegan)
	warp()
	k.Get(locTick)
	k.Get(locLast)
	k.Op(wasm.I32GtU)
	k.undoIf()
	k.Op(wasm.End)
}

// entry pushes where the context has the next span of the warp, less batchEntries.
func (k *batcher) entry() {
	k.Get(locCtx)
	k.Get(locWarp)
	k.I32(2)
	k.Op(wasm.I32Shl, wasm.I32Add)
}

// enters notes the span with which the warp's next turn begins.
func (k *batcher) enters(span func()) {
	k.entry()
	span()
	k.Mem(wasm.I32Store, 4, uint32(k.ctx)+batchEntries)
}

// dispatch goes to the span with which the turn begins. The blocks of all spans are open.
func (k *batcher) dispatch() {
	labels := make([]uint32, len(k.spans))
	for i := range labels {
		labels[i] = uint32(i)
	}
	k.Get(locNext)
	k.Table(labels, uint32(len(labels)-1))
}

// ended goes to the end of the warp before a span if its turn ends there.
func (k *batcher) ended(s span) {
	in := &k.e.prog.Code[s.start]
	if len(k.loops) == 0 || !in.Leader || k.at == 0 {
		return
	}
	k.left(in.Private > 0)
	k.I32(0)
	k.Op(wasm.I32LeS)
	k.If()
	k.enters(func() { k.I32(int32(k.at)) })
	k.I32(1)
	k.Set(locAlive)
	k.Arg(wasm.Br, uint32(len(k.spans)-k.at))
	k.Op(wasm.End)
}

// left pushes what is left of the turn.
func (k *batcher) left(private bool) {
	most := int32(machine.TurnLength)
	if private {
		most = machine.PrivateTurn
	}
	k.I32(most)
	k.Get(locTick)
	k.Get(locBegan)
	k.Op(wasm.I32Sub, wasm.I32Sub)
}

// loop executes a loop, all rounds of a group of lanes or two at a time.
func (k *batcher) loop(l *loop) {
	k.left(l.private())
	k.I32(l.length)
	k.Op(wasm.I32DivS)
	k.I32(l.length)
	k.Op(wasm.I32Mul)
	k.Tee(locLimit)
	k.I32(l.length)
	k.Op(wasm.I32LtS)
	k.undoIf()
	if len(l.floats) > 0 {
		k.clean(l)
		k.undoIf()
	}
	k.begin()
	k.groups(l.sides, func() {
		b := k.body()
		(&pair{body: b, loop: l, lanes: b.fresh(2), leave: b.fresh(2)}).run()
	})
	k.Get(locStay)
	k.undoIf()
	k.parted()
	start := l.pieces[0].start
	for i := range l.pieces {
		at := locCounts + uint32(k.at+i)
		l.times(k.emitter, l.pieces[i].end-start)
		k.Get(at)
		k.Op(wasm.I32Add)
		k.Set(at)
	}
	k.Get(locTick)
	k.Get(locMost)
	k.Op(wasm.I32Add)
	k.Set(locTick)
	k.Arg(wasm.Br, uint32(k.spanAt(l.out)-k.at-1))
}

// parted counts the branches of a loop at which lanes have parted, and the instructions that those which left have not
// executed. All lanes have left: each is in an event.
func (k *batcher) parted() {
	field := func(at, word uint32) {
		k.Get(locCtx)
		k.Get(at)
		k.Op(wasm.I32Add)
		k.Mem(wasm.I32Load, 4, call.Events+word)
	}
	const event, other = locExec, locSeg
	k.I32(0)
	k.Set(event)
	k.Loop()
	field(event, 0)
	k.Get(locLeft)
	k.Get(locMost)
	k.Op(wasm.I32Sub, wasm.I32Sub)
	k.Tee(locTemp)
	k.If() // it is not one of the last
	field(event, 8)
	k.Op(wasm.I32Popcnt)
	k.Get(locTemp)
	k.Op(wasm.I32Mul)
	k.Get(locLost)
	k.Op(wasm.I32Add)
	k.Set(locLost)
	k.I32(0)
	k.Set(other)
	k.Block()
	k.Loop()
	k.Get(other)
	k.Get(event)
	k.Op(wasm.I32GeU)
	k.If()
	k.add(locParted, 1)
	k.Arg(wasm.Br, 2)
	k.Op(wasm.End)
	field(other, 0)
	field(event, 0)
	k.Op(wasm.I32Eq)
	k.Arg(wasm.BrIf, 1)
	k.add(other, eventSize)
	k.Arg(wasm.Br, 0)
	k.Op(wasm.End)
	k.Op(wasm.End)
	k.Op(wasm.End)
	k.add(event, eventSize)
	k.Get(event)
	k.Get(locEvents)
	k.Op(wasm.I32LtU)
	k.Arg(wasm.BrIf, 0)
	k.Op(wasm.End)
}
