package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
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
	locPreds // the first of those that predicates have
)

// maxPreds is how many predicates and guarded instructions a piece can have.
const maxPreds = 64

// vectors is the first local of type v128.
const vectors = locPreds + maxPreds

// emitter writes the function of one variant of a region.
type emitter struct {
	wasm.Code
	e      *Engine
	r      *region
	full   bool // all lanes are active
	consts map[uint32]uint64
	nested uint32 // structures open inside the code of a piece
	most   uint32 // locals of type v128 in use at most
}

// emit returns the module of a variant of a region.
func (e *Engine) emit(r *region, full bool) []byte {
	w := &emitter{e: e, r: r, full: full, consts: e.constants(r)}
	if !full {
		w.spreadMask()
	}
	n := uint32(len(r.pieces))
	w.Get(locCtx)
	w.Mem(wasm.I32Load, 4, ctxEntry)
	w.Set(locNext)
	w.Loop()
	for range r.pieces {
		w.Block()
	}
	labels := make([]uint32, n)
	for i := range labels {
		labels[i] = uint32(i)
	}
	w.Get(locNext)
	w.Table(labels, n-1)
	for i := range r.pieces {
		w.Op(wasm.End)
		w.piece(i)
	}
	w.Op(wasm.End, wasm.Unreachable)
	return wasm.Module(4, []wasm.Function{{
		Locals: []wasm.Locals{{N: vectors - locNext, Type: wasm.I32}, {N: w.most, Type: wasm.Vector}},
		Code:   w.Bytes,
	}})
}

// constants returns the values of the constant rows of a region's function.
func (e *Engine) constants(r *region) map[uint32]uint64 {
	m := map[uint32]uint64{}
	for _, fn := range e.prog.Funcs {
		if pc := r.pieces[0].start; pc < fn.Start || pc > fn.End || !fn.Src.Defined {
			continue
		}
		for _, c := range fn.Consts {
			if c.Kind == machine.ConstBits {
				m[c.Off] = c.Value
			}
		}
	}
	return m
}

// spreadMask makes vectors of the mask of active lanes, once a call.
func (w *emitter) spreadMask() {
	for g := range uint32(8) {
		w.Get(locCtx)
		w.Get(locMask)
		w.spread(4 * g)
		w.Mem(wasm.V128Store, 16, ctxMasks+16*g)
	}
}

// spread turns the bits of an i32 from bit first on into a vector: lane i is all ones if bit first+i is set.
func (w *emitter) spread(first uint32) {
	bit := func(i uint32) uint64 { return 1 << (first + i) }
	lo, hi := bit(0)|bit(1)<<32, bit(2)|bit(3)<<32
	w.Op(wasm.I32x4Splat)
	w.V128(lo, hi)
	w.Op(wasm.V128And)
	w.V128(lo, hi)
	w.Op(wasm.I32x4Eq)
}

// piece writes the code of piece number i. The loop around all pieces and the blocks of those that come later are open.
func (w *emitter) piece(i int) {
	p := &w.r.pieces[i]
	w.nested = 0
	if p.meets {
		w.Get(locCtx)
		w.Mem(wasm.I32Load, 4, ctxRPC)
		w.I32(p.start)
		w.Op(wasm.I32Eq)
		w.exitIf(p.start)
	}
	if p.leader {
		w.Get(locLeft)
		if p.private {
			w.Get(locCtx)
			w.Mem(wasm.I32Load, 4, ctxFloor)
		} else {
			w.I32(0)
		}
		w.Op(wasm.I32LeS)
		w.exitIf(p.start)
	}
	b := &body{emitter: w, piece: p, values: map[uint32]*value{}, preds: map[uint32]*pred{}}
	b.lanes()
	if !p.jumps {
		w.finish(i)
		if p.stops || i+1 == len(w.r.pieces) || w.r.pieces[i+1].start != p.end {
			w.exit(p.end)
		}
		return
	}
	w.branch(i, b)
}

// finish counts an execution of a piece.
func (w *emitter) finish(i int) {
	p := &w.r.pieces[i]
	w.Get(locLeft)
	w.I32(p.end - p.start)
	w.Op(wasm.I32Sub)
	w.Set(locLeft)
	w.Get(locCtx)
	w.Get(locCtx)
	w.Mem(wasm.I64Load, 8, ctxCounts+8*uint32(i))
	w.I64(1)
	w.Op(wasm.I64Add)
	w.Mem(wasm.I64Store, 8, ctxCounts+8*uint32(i))
	seen := map[uint32]bool{0: true} // no lanes need to be noted at 0
	for pc := p.start; pc < p.end; pc++ {
		in := &w.e.prog.Code[pc]
		if in.Guard != row.TruePred || seen[in.Seen] || in.Op == machine.OpBra {
			continue
		}
		seen[in.Seen] = true
		if end := pc + max(1, in.Line); end > p.end {
			continue // the last instruction of the line notes them
		}
		w.Get(locFrame)
		w.Get(locFrame)
		w.Mem(wasm.I32Load, 4, in.Seen)
		w.Get(locMask)
		w.Op(wasm.I32Or)
		w.Mem(wasm.I32Store, 4, in.Seen)
	}
}

// branch writes the branch at the end of piece number i.
func (w *emitter) branch(i int, b *body) {
	p := &w.r.pieces[i]
	pc := p.end - 1
	in := &w.e.prog.Code[pc]
	if in.Guard == row.TruePred {
		w.finish(i)
		w.jump(i, in.Target)
		return
	}
	b.predicate(in.Guard)
	if in.Neg != 0 {
		w.I32(-1)
		w.Op(wasm.I32Xor)
	}
	if !w.full {
		w.Get(locMask)
		w.Op(wasm.I32And)
	}
	w.Tee(locTemp)
	w.If()
	w.Get(locTemp)
	w.Get(locMask)
	w.Op(wasm.I32Ne)
	w.exitIf(pc)
	w.Op(wasm.End)
	w.finish(i)
	w.Get(locTemp)
	w.If()
	w.nested++
	w.jump(i, in.Target)
	w.Op(wasm.End)
	w.nested--
	if i+1 == len(w.r.pieces) || w.r.pieces[i+1].start != p.end {
		w.exit(p.end)
	}
}

// jump goes from piece number i to a pc.
func (w *emitter) jump(i int, to int32) {
	at, n := w.e.at[to], len(w.r.pieces)
	switch {
	case at.region != w.r || at.start != to:
		w.exit(to)
	case int(at.piece) > i:
		w.Arg(wasm.Br, uint32(int(at.piece)-i-1)+w.nested)
	default:
		w.I32(at.piece)
		w.Set(locNext)
		w.Arg(wasm.Br, uint32(n-1-i)+w.nested)
	}
}

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
	w.Mem(wasm.I32Store, 4, ctxLeft)
	w.I32(pc)
	w.Op(wasm.Return)
}
