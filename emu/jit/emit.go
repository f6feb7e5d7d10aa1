package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// lanes writes the loop for instructions that compute with registers.
func (b *body) lanes(code []machine.Inst) {
	if len(code) == 0 {
		return
	}
	b.declare(code)
	b.eachGroup(func() { b.group(code) })
	b.storePreds()
	b.seen()
}

// group writes what is done for 4 lanes.
func (b *body) group(code []machine.Inst) {
	if !b.full {
		b.Get(locMask)
		b.Get(locShift)
		b.Op(wasm.I32ShrU)
		b.I32(15)
		b.Op(wasm.I32And)
		b.If()
	}
	attempt(b, code, func() {
		marks := b.marks
		for i := range code {
			if b.instruction(&code[i]); b.within && code[i].Seen != 0 {
				b.collect(b.guard, marks[0].all)
				marks = marks[1:]
			}
		}
	})
	if !b.full {
		b.Op(wasm.End)
	}
}

// instruction writes one instruction.
func (b *body) instruction(in *machine.Inst) {
	b.under(in)
	b.e.does(in)(b, in)
}

// under lets what follows write the lanes that an instruction's guard lets through.
func (b *body) under(in *machine.Inst) {
	if b.within = in.Guard != row.TruePred; b.within {
		b.mask(in.Guard)
		if in.Neg != 0 {
			b.Op(wasm.V128Not)
		}
		b.guard = b.fresh(1)
		b.Set(b.guard)
	}
}

// emit returns the module of a variant of a region.
func (e *layout) emit(r *region, full bool) []byte {
	w := &emitter{e: e, r: r, full: full, consts: constants(e.function(r)), beside: uint32(bit(full && r.phased()))}
	e.fixed = w.consts
	if !full {
		w.Get(locCtx)
		w.Get(locMask)
		w.call(call.SpreadMask)
		w.Op(wasm.Drop)
	}
	n := uint32(len(r.pieces))
	w.context(call.Entry)
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
	f := wasm.Function{
		Params: parameters,
		Locals: []wasm.Locals{{N: locFirsts - locNext, Type: wasm.I32}, {N: 2*maxShapes + 1, Type: wasm.I64},
			{N: w.most, Type: wasm.Vector}},
		Code: w.Bytes,
	}
	if w.beside > 0 {
		return w.module(f, e.phases(r))
	}
	return w.module(f)
}

// piece writes the code of piece number i. The loop around all pieces and the blocks of those that come later are open.
func (w *emitter) piece(i int) {
	p := &w.r.pieces[i]
	w.nested = 0
	if p.meets {
		w.meet(i)
	}
	w.rounds(i)
	if p.leader {
		w.Get(locLeft)
		if p.private {
			w.context(call.Floor)
		} else {
			w.I32(0)
		}
		w.Op(wasm.I32LeS)
		w.exitIf(p.start)
	}
	b := w.instructions(p)
	if !p.jumps {
		w.finish(i)
		if p.stops || i+1 == len(w.r.pieces) || w.r.pieces[i+1].start != p.end {
			w.exit(p.end)
		}
		return
	}
	w.branch(i, b)
}

// instructions writes the instructions of a piece, except for a branch at its end. It returns the body of the last of
// them. Before a load or store all lanes have executed what comes before: it can be where compiled code must stop.
func (w *emitter) instructions(p *piece) *body {
	end := p.end
	if p.jumps {
		end--
	}
	from := p.start
	w.shapes = w.shapes[:0]
	for pc := from; pc < end; pc++ {
		in := &w.e.prog.Code[pc]
		if crosses(in) {
			w.operations(from, pc)
			w.across(pc)
			w.forget(pc)
			w.lineEnds(pc, pc+1)
			from = pc + 1
			continue
		}
		if !reaches(in.Op) {
			if stop := w.e.refuses(in); stop != nil {
				w.operations(from, pc)
				w.refuse(pc, stop)
				from = pc
			}
			w.forget(pc)
			continue
		}
		if in.Op == machine.OpLoad && w.full {
			if s := w.stretch(pc, end); s.loads > 1 {
				w.operations(from, pc)
				w.atOnce(&s)
				for at := s.from; at < s.to; at++ {
					w.forget(at)
				}
				w.lineEnds(s.from, s.to)
				from, pc = s.to, s.to-1
				continue
			}
		}
		w.operations(from, pc)
		w.each(pc, pc+1)
		w.lineEnds(pc, pc+1)
		from = pc + 1
	}
	b := w.body()
	b.lanes(w.e.prog.Code[from:end])
	w.lineEnds(from, end)
	return b
}

// operations writes the instructions from one pc to another, none of which accesses memory.
func (w *emitter) operations(from, to int32) {
	w.body().lanes(w.e.prog.Code[from:to])
	w.lineEnds(from, to)
}

// each writes the instructions from one pc to another, one after the other, without what they note.
func (w *emitter) each(from, to int32) {
	for pc := from; pc < to; pc++ {
		if reaches(w.e.prog.Code[pc].Op) {
			w.access(pc)
		} else {
			w.body().lanes(w.e.prog.Code[pc : pc+1])
		}
		w.forget(pc)
	}
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
	w.Mem(wasm.I64Load, 8, call.Counts+8*uint32(i))
	w.I64(1)
	w.Op(wasm.I64Add)
	w.Mem(wasm.I64Store, 8, call.Counts+8*uint32(i))
}

// lineEnds notes the active lanes where straight lines end, after the instructions from one pc to another.
func (w *emitter) lineEnds(from, to int32) {
	for pc := from; pc < to; pc++ {
		in := &w.e.prog.Code[pc]
		if in.Line != 1 || in.Seen == 0 {
			continue
		}
		w.join(in.Seen, func() { w.Get(locMask) })
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
	w.If()
	w.divided(p)
	w.Op(wasm.End, wasm.End)
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
