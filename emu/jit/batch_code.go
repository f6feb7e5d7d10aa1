package jit

import "warpscope/emu/jit/wasm"

// mostBatchPreds is how many predicates a kernel in a batch can have.
const mostBatchPreds = 24

// Scalar locals of batches. locLeft, the last parameter, is %ctaid.x.
const (
	locLog   = locPreds + mostBatchPreds + iota // the end of the log
	locWarp                                     // number of the warp
	locDone                                     // CTAs that have been executed
	locTick                                     // instructions, those of the CTA in progress included
	locLast                                     // with loops: the most that there can be after the CTA
	locBegan                                    // those before the warp's turn
	locAlive                                    // whether a warp has not ended
	locLost                                     // see batchLost
	locParted
	locCounts
)

// batcher writes the function of a batch. What several groups of lanes of a warp must agree on divides the code into
// parts: branches, and stores, which come after all loads before them. In a part each group of 4 lanes executes all
// instructions with its rows in locals. Only rows that a later part reads are stored.
type batcher struct {
	*emitter
	*batch
	at    int // number of the span
	known []shape
}

// add adds to a scalar local.
func (k *batcher) add(local uint32, n int32) {
	k.Get(local)
	k.I32(n)
	k.Op(wasm.I32Add)
	k.Set(local)
}

// next counts a local up, and goes back to the start of the loop while it is less than a word of the context.
func (k *batcher) next(local, limit uint32) {
	k.add(local, 1)
	k.Get(local)
	k.Get(locCtx)
	k.Mem(wasm.I32Load, 4, limit)
	k.Op(wasm.I32LtU)
	k.Arg(wasm.BrIf, 0)
}

// undoIf ends the batch before the CTA in progress if the i32 on the stack is not 0.
func (k *batcher) undoIf() {
	k.If()
	k.undo()
	k.Op(wasm.End)
}

func (k *batcher) undo() {
	k.Get(locCtx)
	k.Get(locLog)
	k.Mem(wasm.I32Store, 4, uint32(k.ctx)+batchUndo)
	k.Get(locDone)
	k.Op(wasm.Return)
}
