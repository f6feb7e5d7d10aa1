package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
)

// Phases are executed by a function beside that of the region for full warps, which it calls for each warp in turn. It
// ends where a turn does not end at the barrier to which the first warp of the phase has come, and where the schedule
// would ask for more than the next warp's turn.

// The part of the context that belongs to phases. It comes after the windows of the region.
const (
	phaseCur      = 0  // i32, in and out: machine.Phases
	phaseWarps    = 4  // i32
	phaseMost     = 8  // i32
	phaseTurn     = 12 // i32
	phaseSince    = 16 // i32, in and out: when the watch of spinning warps began, counted from the start of the call
	phasePassed   = 20 // i32, out
	phaseCome     = 24 // i32, out
	phaseBarrier  = 28 // i32, out
	phaseBarriers = 32 // i32, out: how many
	phaseGiven    = 36 // i32, out: what the turn in progress was given; 0: there is none
	phasePlain    = 40 // i32: call.Plain after the first barrier
	phaseLeft     = 44 // i32, out: what is left of the turn in progress, or the next
	phaseFrames   = 48 // i32 by warp: addresses
	phaseLocals   = phaseFrames + 4*mostWarps
	phaseEnds     = phaseLocals + 4*mostWarps // i32 by warp, out
	phaseList     = phaseEnds + 4*mostWarps   // i32, out: barriers
	phaseSize     = phaseList + 4*mostPhases

	mostPhases = 48 // of a call
)

// Scalar locals of phases.
const (
	locCur = locLeft + 1 + iota
	locPC
	locBarrier
	locAfter // the piece after it; afterEnd if phases end there
	locMostTurn
	locPassed
	locSince
	locCome
	locBarriers
	locGiven
	locHas // what of a turn has been executed
	locOwn // address of the warp's words, less where they begin
	phaseLocalsEnd
)

const (
	noBarrier = -1
	afterEnd  = -2
	warpsEnd  = -3 // it is no barrier: warps end there
)

// phased says whether the region has a function for phases: there is a barrier in it, and room in the context.
func (r *region) phased() bool {
	return len(r.barriers) > 0 && r.phaseAt()+phaseSize <= mem.PageSize-call.At
}

// phaseAt returns where the part of the context for phases begins.
func (r *region) phaseAt() uint32 {
	return call.Counts + 8*uint32(len(r.pieces)) + call.WinSize*uint32(len(r.sites))
}

// findBarriers finds the barriers of a region that warps pass together, and where they end together.
func (e *layout) findBarriers(r *region) {
	entry := e.function(r).Src.Entry
	for i := range r.pieces {
		p := &r.pieces[i]
		if !p.stops {
			continue
		}
		switch in := &e.prog.Code[p.end]; {
		case in.Simple():
			r.barriers = append(r.barriers, p.end)
		case entry && in.Ends():
			r.ends = append(r.ends, p.end)
		}
	}
}

// phases returns the function for phases. It calls the region's function, which is the first of the module.
func (e *layout) phases(r *region) wasm.Function {
	k := &phaser{layout: e, region: r, own: r.phaseAt()}
	k.word(phaseCur)
	k.Set(locCur)
	k.word(phaseSince)
	k.Set(locSince)
	k.Block() // which a turn leaves that is in progress
	k.Loop()
	k.begin()
	k.Loop()
	k.turn()
	k.Op(wasm.End)
	k.pass()
	k.Op(wasm.End, wasm.End)
	for _, o := range [...]struct{ word, local uint32 }{{phaseCur, locCur}, {phaseSince, locSince},
		{phasePassed, locPassed}, {phaseCome, locCome}, {phaseBarrier, locBarrier}, {phaseBarriers, locBarriers},
		{phaseGiven, locGiven}, {phaseLeft, locLeft}} {
		k.Get(locCtx)
		k.Get(o.local)
		k.Mem(wasm.I32Store, 4, k.own+o.word)
	}
	k.Get(locPC)
	return wasm.Function{
		Params: parameters,
		Locals: []wasm.Locals{{N: phaseLocalsEnd - locCur, Type: wasm.I32}},
		Code:   k.Bytes,
	}
}

// phaser writes a function for phases. Its parameter locLeft is what is left of the present turn.
type phaser struct {
	wasm.Code
	*layout
	*region
	own uint32
}

// word pushes a word of the context.
func (k *phaser) word(at uint32) {
	k.Get(locCtx)
	k.Mem(wasm.I32Load, 4, k.own+at)
}

// add sets a local to itself plus, or minus, the i32 on the stack.
func (k *phaser) add(local uint32) {
	k.Get(local)
	k.Op(wasm.I32Add)
	k.Set(local)
}

// begin works out the most instructions that each warp can execute in a phase: the region's function looks at the
// budget before blocks.
func (k *phaser) begin() {
	k.word(phaseMost)
	k.Get(locPassed)
	k.Op(wasm.I32Sub)
	k.word(phaseWarps)
	k.Op(wasm.I32DivS)
	k.I32(int32(k.longest))
	k.Op(wasm.I32Sub)
	k.Set(locMostTurn)
}

// turn executes the turn of a warp, up to a barrier.
func (k *phaser) turn() {
	const stop = 2
	k.Get(locLeft)
	k.Get(locMostTurn)
	k.Get(locLeft)
	k.Get(locMostTurn)
	k.Op(wasm.I32LtS, wasm.Select)
	k.Tee(locGiven)
	k.I32(0)
	k.Op(wasm.I32LeS)
	k.If()
	k.I32(0)
	k.Set(locGiven)
	k.Arg(wasm.Br, stop+1)
	k.Op(wasm.End)
	k.callWarp()
	k.Get(locGiven)
	k.Get(locCtx)
	k.Mem(wasm.I32Load, 4, call.Left)
	k.Op(wasm.I32Sub)
	k.Tee(locHas)
	k.Op(wasm.I32Eqz)
	k.Get(locHas)
	k.Get(locLeft)
	k.Op(wasm.I32GeS, wasm.I32Or)
	for _, word := range [...]uint32{call.Branches, call.EventsSize} {
		k.Get(locCtx)
		k.Mem(wasm.I32Load, 4, word)
		k.Op(wasm.I32Or)
	}
	k.Arg(wasm.BrIf, stop)
	k.Get(locCome)
	k.If()
	k.Get(locPC)
	k.Get(locBarrier)
	k.Op(wasm.I32Ne)
	k.Arg(wasm.BrIf, stop+1)
	k.Op(wasm.Else)
	k.find()
	k.Get(locAfter)
	k.I32(noBarrier)
	k.Op(wasm.I32Eq)
	k.Arg(wasm.BrIf, stop+1)
	k.Op(wasm.End)
	if len(k.ends) > 0 { // the last warp ends as any other
		k.Get(locAfter)
		k.I32(warpsEnd)
		k.Op(wasm.I32Eq)
		k.Get(locCome)
		k.I32(1)
		k.Op(wasm.I32Add)
		k.word(phaseWarps)
		k.Op(wasm.I32Eq, wasm.I32And)
		k.Arg(wasm.BrIf, stop)
	}
	k.come(stop)
}

// callWarp calls the region's function for the present warp.
func (k *phaser) callWarp() {
	k.Get(locCtx)
	k.Get(locCur)
	k.I32(2)
	k.Op(wasm.I32Shl, wasm.I32Add)
	k.Set(locOwn)
	if k.local {
		k.Get(locCtx)
		k.Get(locOwn)
		k.Mem(wasm.I32Load, 4, k.own+phaseLocals)
		k.Mem(wasm.I32Store, 4, call.Local)
	}
	k.Get(locOwn)
	k.Mem(wasm.I32Load, 4, k.own+phaseFrames)
	k.Get(locCtx)
	k.Get(locMask)
	k.Get(locGiven)
	k.Arg(wasm.Call, 0)
	k.Set(locPC)
}

// find sets locBarrier and locAfter for the pc to which the first warp has come.
func (k *phaser) find() {
	k.Get(locPC)
	k.Set(locBarrier)
	k.I32(noBarrier)
	k.Set(locAfter)
	is := func(pc, after int32) {
		k.I32(after)
		k.Get(locAfter)
		k.Get(locPC)
		k.I32(pc)
		k.Op(wasm.I32Eq, wasm.Select)
		k.Set(locAfter)
	}
	for _, pc := range k.barriers {
		if at := k.at[pc+1]; at.region == k.region && at.start == pc+1 {
			is(pc, at.piece)
		} else {
			is(pc, afterEnd)
		}
	}
	for _, pc := range k.ends {
		is(pc, warpsEnd)
	}
}

// come notes that the turn has come to the barrier, and goes on with the next warp, if there is one.
func (k *phaser) come(stop uint32) {
	k.I32(0)
	k.Set(locGiven)
	k.Get(locHas)
	k.I32(1)
	k.Op(wasm.I32Add)
	k.Tee(locHas)
	k.add(locPassed)
	k.Get(locOwn)
	k.Get(locPassed)
	k.Mem(wasm.I32Store, 4, k.own+phaseEnds)
	k.I32(1)
	k.add(locCome)
	k.Get(locCome)
	k.word(phaseWarps)
	k.Op(wasm.I32LtU)
	k.If()
	k.I32(0)
	k.Get(locCur)
	k.I32(1)
	k.Op(wasm.I32Add)
	k.Tee(locCur)
	k.Get(locCur)
	k.word(phaseWarps)
	k.Op(wasm.I32Eq, wasm.Select)
	k.Set(locCur)
	k.word(phaseTurn)
	k.Set(locLeft)
	k.since()
	k.I32(machine.SpinInterval)
	k.Op(wasm.I32GeS)
	k.Arg(wasm.BrIf, stop+1)
	k.Arg(wasm.Br, 1)
	k.Op(wasm.End)
}

// since pushes how many instructions ago the watch of spinning warps began.
func (k *phaser) since() {
	k.Get(locPassed)
	k.Get(locSince)
	k.Op(wasm.I32Sub)
}

// pass notes a barrier to which all warps have come, and goes on with the next phase.
func (k *phaser) pass() {
	k.Get(locCtx)
	k.Get(locBarriers)
	k.I32(2)
	k.Op(wasm.I32Shl, wasm.I32Add)
	k.Get(locBarrier)
	k.Mem(wasm.I32Store, 4, k.own+phaseList)
	k.I32(1)
	k.add(locBarriers)
	k.I32(0)
	k.Set(locCome)
	k.Get(locLeft)
	k.Get(locHas)
	k.Op(wasm.I32Sub)
	k.Set(locLeft)
	k.Get(locPassed)
	k.Get(locSince)
	k.since()
	k.I32(machine.AgainAtBarrier)
	k.Op(wasm.I32GeS, wasm.Select)
	k.Set(locSince)
	k.Get(locCtx)
	k.word(phasePlain)
	k.Mem(wasm.I32Store, 4, call.Plain)
	k.Get(locCtx)
	k.Get(locAfter)
	k.Mem(wasm.I32Store, 4, call.Entry)
	k.Get(locAfter)
	k.I32(0)
	k.Op(wasm.I32GeS)
	k.Get(locLeft)
	k.I32(0)
	k.Op(wasm.I32GtS, wasm.I32And)
	k.Get(locBarriers)
	k.I32(mostPhases)
	k.Op(wasm.I32LtU, wasm.I32And)
	k.Get(locBarrier)
	k.I32(1)
	k.Op(wasm.I32Add)
	k.Get(locCtx)
	k.Mem(wasm.I32Load, 4, call.RPC)
	k.Op(wasm.I32Ne, wasm.I32And)
	k.Arg(wasm.BrIf, 0)
}
