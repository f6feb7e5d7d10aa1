package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
)

// The parameters and the scalar locals of a region's function.
const (
	locFrame = iota // parameter: address of the frame
	locCtx          // parameter: address of the context
	locMask         // parameter: active lanes
	locLeft         // parameter: what is left of the budget
	locNext         // the piece to go on with
	locAt32         // address of the current 4 lanes of rows of 32 bits, less the row's offset
	locAt64         // the same for rows of 64 bits
	locAtCtx        // the same for the masks in the context
	locShift        // number of the first of the current 4 lanes
	locTemp
	locExec  // lanes that make an access
	locSeg   // address of the range that they access
	locPreds // the first of those that predicates have
)

// parameters are the types of a region's parameters.
var parameters = []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32}

// maxPreds is how many predicates and guarded instructions a piece can have.
const maxPreds = 64

// maxShapes is how many shapes of rows of addresses are known at a time.
const maxShapes = 8

// The first locals of other kinds: what is known of rows of addresses, of which all but the first are i64, and vectors.
const (
	locKinds  = locPreds + maxPreds
	locFirsts = locKinds + maxShapes
	locSpans  = locFirsts + maxShapes
	locOffset = locSpans + maxShapes
	vectors   = locOffset + 1
)

// emitter writes the function of one variant of a region.
type emitter struct {
	wasm.Code
	e       *layout
	r       *region
	full    bool // all lanes are active
	consts  map[uint32]uint64
	nested  uint32         // structures open inside the code of a piece
	most    uint32         // locals of type v128 in use at most
	helpers []*call.Helper // that the function calls
	beside  uint32         // functions of the module between it and them
	shapes  []shape        // of rows of addresses that have been looked at in the piece
}

// shape is what is known of a row of addresses of a full warp. The local locKinds + n is 1 where each group of 4 lanes
// has one address, 2 where the lanes of each group access neighbouring elements, else 0. If it is not 0, all addresses
// are aligned, locFirsts + n is the lowest, and locSpans + n is how far the highest is from it.
type shape struct {
	off, size uint32 // of the row, and of the elements
	n         uint32
}

// spread turns the bits of an i32 from bit first on into a vector: lane i is all ones if bit first+i is set.
func (w *emitter) spread(first uint32) { call.Spread(&w.Code, first) }

// exitIf stops before a pc if the i32 on the stack is not 0.
func (w *emitter) exitIf(pc int32) {
	w.If()
	w.exit(pc)
	w.Op(wasm.End)
}

// exit stops before a pc.
func (w *emitter) exit(pc int32) {
	w.Get(locCtx)
	w.Get(locLeft)
	w.Mem(wasm.I32Store, 4, call.Left)
	w.I32(pc)
	w.Op(wasm.Return)
}

// context pushes a word of the context.
func (w *emitter) context(at uint32) {
	w.Get(locCtx)
	w.Mem(wasm.I32Load, 4, at)
}

// change combines a word of the context with the i32 that by pushes.
func (w *emitter) change(word uint32, do wasm.Op, by func()) {
	w.Get(locCtx)
	w.context(word)
	by()
	w.Op(do)
	w.Mem(wasm.I32Store, 4, word)
}

// join adds the lanes that push pushes to those in a word of the frame.
func (w *emitter) join(word uint32, push func()) {
	w.Get(locFrame)
	w.Get(locFrame)
	w.Mem(wasm.I32Load, 4, word)
	push()
	w.Op(wasm.I32Or)
	w.Mem(wasm.I32Store, 4, word)
}

// eachGroup writes a loop over the groups of 4 lanes.
func (w *emitter) eachGroup(do func()) { w.groups(1, do) }

// groups writes a loop over the groups of 4 lanes, n of them at a time.
func (w *emitter) groups(n uint32, do func()) {
	w.Get(locFrame)
	w.Set(locAt32)
	w.Get(locFrame)
	w.Set(locAt64)
	w.Get(locCtx)
	w.Set(locAtCtx)
	w.I32(0)
	w.Set(locShift)
	w.Loop()
	do()
	for _, step := range [...]struct{ local, by uint32 }{{locAt32, 16}, {locAt64, 32}, {locAtCtx, 16}} {
		w.Get(step.local)
		w.I32(int32(n * step.by))
		w.Op(wasm.I32Add)
		w.Set(step.local)
	}
	w.Get(locShift)
	w.I32(int32(4 * n))
	w.Op(wasm.I32Add)
	w.Tee(locShift)
	w.I32(32)
	w.Op(wasm.I32LtU)
	w.Arg(wasm.BrIf, 0)
	w.Op(wasm.End)
}
