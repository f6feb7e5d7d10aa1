package jit

import (
	"maps"
	"slices"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// A loop only computes with registers, and lanes that leave it all go to one place, where they meet. What a lane does
// there does not depend on other lanes, so groups of lanes go through all rounds on their own, or in pairs, with their
// rows in locals. Lanes store their rows when they leave. Events tell which lanes have left and when: from them the
// engine works out what the policy and the counters must hear.
type loop struct {
	pieces []piece
	first  int    // number of the first of them
	length int32  // instructions in one round
	sides  uint32 // groups that go together
	out    int32  // pc where lanes go that leave
	floats []uint32
	rows   []uint32 // offsets of all rows
	wide   map[uint32]bool
	dirty  []uint32 // rows that are written
	consts []uint32 // constants: from memory they stay in registers
	preds  []uint32
	set    []uint32 // predicates that are written
	unseen bool     // which straight lines lanes have executed is not asked for
}

// The limits of loops, and how many rounds must be left to make one worth while.
const (
	longestLoop = 64 // instructions
	mostRows    = 24
	rowsOfPair  = 5 // with more, two groups need more vector registers than processors have
	fewRounds   = 3
)

// Scalar locals of loops. Bodies do not use them at the same time.
const (
	locLimit  = locPreds + iota // instructions that a lane can execute
	locRan                      // that the pair has executed, up to the start of the round
	locLeave                    // lanes that leave
	locMost                     // instructions that the last lane has executed
	locLeast                    // that the first one has that left
	locStay                     // lanes that have not left
	locEvents                   // size of the events
)

// An event is in the context: what is left of the budget, the branch at which lanes left, and the lanes.
const (
	eventSize  = 12
	mostEvents = 32
)

// loopAt returns the loop that begins with a piece.
func (w *emitter) loopAt(first int) (l loop, ok bool) {
	start := w.r.pieces[first].start
	for i := first; i < len(w.r.pieces); i++ {
		p := &w.r.pieces[i]
		if i > first && p.start != w.r.pieces[i-1].end || p.end-start > longestLoop || p.stops {
			break
		}
		if in := &w.e.prog.Code[p.end-1]; p.jumps && in.Target == start {
			l = loop{pieces: w.r.pieces[first : i+1], first: first, length: p.end - start, out: p.end}
			if in.Guard == row.TruePred {
				l.out = machine.NoPC
			}
			return l, w.free(&l) && w.survey(&l)
		}
	}
	return l, false
}

// free says whether a loop does nothing but compute, and all its lanes leave for the place where they meet.
func (w *emitter) free(l *loop) bool {
	start, end := l.pieces[0].start, l.pieces[0].start+l.length
	for pc := start; pc < end; pc++ {
		in := &w.e.prog.Code[pc]
		switch {
		case in.Op == machine.OpHandler && in.Guard == row.TruePred && in.X == nil:
			continue
		case in.Op != machine.OpBra || in.Uniform:
			return false
		case in.Target == start && pc == end-1:
			if in.Guard != row.TruePred && in.Fork.Reconv != l.out {
				return false
			}
			continue
		case in.Guard == row.TruePred || in.Target >= start && in.Target < end:
			return false
		}
		if l.out == machine.NoPC {
			l.out = in.Target
		}
		if in.Target != l.out || in.Fork.Reconv != l.out {
			return false
		}
	}
	return l.out != machine.NoPC
}

// survey finds out what a loop uses.
func (w *emitter) survey(l *loop) bool {
	b := (&emitter{e: w.e, r: w.r, full: true, consts: w.consts}).body()
	b.results, b.fixed = map[uint32]bool{}, map[uint32]uint32{}
	for pc := l.pieces[0].start; pc < l.pieces[0].start+l.length; pc++ {
		in := &w.e.prog.Code[pc]
		if in.Op == machine.OpBra {
			if in.Guard != row.TruePred {
				b.mask(in.Guard)
			}
			continue
		}
		if row.Operations[in.Number].Rows[0] == 0 {
			if l.set = append(l.set, in.D); b.preds[in.D] == nil {
				b.preds[in.D] = &pred{}
			}
		}
		b.instruction(in)
	}
	l.rows, l.wide = b.order, map[uint32]bool{}
	l.preds = slices.Sorted(maps.Keys(b.preds))
	l.consts = slices.Sorted(maps.Keys(b.fixed))
	slices.Sort(l.set)
	l.set = slices.Compact(l.set)
	for _, off := range l.rows {
		l.wide[off] = b.values[off].wide
		raw, written := b.results[off]
		if written {
			l.dirty = append(l.dirty, off)
		}
		if raw {
			l.floats = append(l.floats, off)
		}
	}
	if l.sides = 1; len(l.rows) <= rowsOfPair {
		l.sides = 2
	}
	return !b.mixed && len(l.rows) <= mostRows
}

// private says whether a turn goes on through the whole loop.
func (l *loop) private() bool {
	return !slices.ContainsFunc(l.pieces, func(p piece) bool { return !p.private && p.leader })
}

// times pushes how often the loop has executed the piece that ends at some instruction of it.
func (l *loop) times(w *emitter, end int32) {
	w.Get(locMost)
	w.I32(l.length - end)
	w.Op(wasm.I32Add)
	w.I32(l.length)
	w.Op(wasm.I32DivU)
}

// pair is the body of a loop for one group of lanes or two.
type pair struct {
	*body
	*loop
	values [2]map[uint32]*value
	preds  [2]map[uint32]*pred
	lanes  uint32 // two vectors: lanes that are in the loop
	leave  uint32 // two vectors: lanes that leave
}

// rounds writes a loop that begins with a piece. It falls through where too little is left of the budget for it, or at
// the end of what is left.
func (w *emitter) rounds(first int) {
	l, ok := w.loopAt(first)
	if !ok {
		return
	}
	w.Block()
	w.nested = 1
	w.enter(&l)
	w.groups(l.sides, func() {
		b := w.body()
		p := &pair{body: b, loop: &l, lanes: b.fresh(2), leave: b.fresh(2)}
		if !w.full {
			w.Get(locMask)
			w.Get(locShift)
			w.Op(wasm.I32ShrU)
			w.I32(1<<(4*l.sides) - 1)
			w.Op(wasm.I32And)
			w.If()
		}
		p.run()
		if !w.full {
			w.Op(wasm.End)
		}
	})
	w.leaveLoop(&l)
	w.Op(wasm.End)
	w.nested = 0
}

// enter goes past a loop that cannot run free, else it sets the loop's locals.
func (w *emitter) enter(l *loop) {
	for _, p := range l.pieces {
		if p.meets {
			w.context(call.RPC)
			w.I32(p.start)
			w.Op(wasm.I32Eq)
			w.Arg(wasm.BrIf, 0)
		}
	}
	w.Get(locLeft)
	if l.private() {
		w.context(call.Floor)
		w.Op(wasm.I32Sub)
	}
	w.I32(l.length)
	w.Op(wasm.I32DivS)
	w.I32(l.length)
	w.Op(wasm.I32Mul)
	w.Tee(locLimit)
	w.I32(fewRounds * l.length)
	w.Op(wasm.I32LtS)
	w.Arg(wasm.BrIf, 0)
	if len(l.floats) > 0 {
		w.clean(l)
		w.Arg(wasm.BrIf, 0)
	}
	w.begin()
}

// begin sets the locals that tell what becomes of the lanes.
func (w *emitter) begin() {
	for _, n := range [...]uint32{locMost, locStay, locEvents} {
		w.I32(0)
		w.Set(n)
	}
	w.Get(locLimit)
	w.Set(locLeast)
}

// clean pushes whether NaNs of rows that single-precision results go to have bits that such results do not have: a
// lane could leave before it has written the row.
func (w *emitter) clean(l *loop) {
	b := w.body()
	bad, v := b.fresh(1), &value{local: b.fresh(1), raw: true}
	w.V128(0, 0)
	w.Set(bad)
	w.eachGroup(func() {
		for _, off := range l.floats {
			w.Get(locAt32)
			w.Mem(wasm.V128Load, 16, off)
			w.Set(v.local)
			b.canonical(v)
			w.Get(v.local)
			w.Op(wasm.V128Xor)
			w.Get(bad)
			w.Op(wasm.V128Or)
			w.Set(bad)
		}
	})
	w.Get(bad)
	w.Op(wasm.V128AnyTrue)
}

// run writes all rounds of a pair.
func (p *pair) run() {
	p.load()
	p.I32(0)
	p.Set(locRan)
	p.Block()
	p.Loop()
	for k := range p.pieces {
		for pc := p.pieces[k].start; pc < p.pieces[k].end; pc++ {
			in := &p.e.prog.Code[pc]
			if in.Op == machine.OpHandler {
				p.each(func(int) { p.instruction(in) })
			} else if in.Guard != row.TruePred {
				p.exits(k, in)
			}
		}
	}
	p.Get(locRan)
	p.I32(p.length)
	p.Op(wasm.I32Add)
	p.Tee(locRan)
	p.Get(locLimit)
	p.Op(wasm.I32LtS)
	p.Arg(wasm.BrIf, 0)
	p.Op(wasm.End)
	p.bits(p.lanes)
	p.save(p.lanes, len(p.pieces)-1)
	p.Get(locStay)
	p.Get(locLeave)
	p.Op(wasm.I32Or)
	p.Set(locStay)
	p.Get(locLimit)
	p.Set(locMost)
	p.Op(wasm.End)
}

// each writes something for both groups.
func (p *pair) each(do func(side int)) {
	for side := range int(p.sides) {
		p.body.values, p.body.preds = p.values[side], p.preds[side]
		do(side)
	}
}

// load puts all rows into locals.
func (p *pair) load() {
	p.fixed = map[uint32]uint32{}
	for _, off := range p.loop.consts {
		p.fixed[off] = p.fresh(1)
		p.Get(locFrame)
		p.Mem(wasm.V128Load, 16, off)
		p.Set(p.fixed[off])
	}
	for side := range p.sides {
		p.values[side], p.preds[side] = map[uint32]*value{}, map[uint32]*pred{}
		if p.full {
			p.V128(1<<64-1, 1<<64-1)
		} else {
			p.Get(locMask)
			p.Get(locShift)
			p.Op(wasm.I32ShrU)
			p.spread(4 * side)
		}
		p.Set(p.lanes + side)
		for _, off := range p.rows {
			at, n := uint32(locAt32), uint32(1)
			if p.wide[off] {
				at, n = locAt64, 2
			}
			v := &value{local: p.fresh(n), wide: p.wide[off], raw: slices.Contains(p.floats, off)}
			p.values[side][off] = v
			for i := range n {
				p.Get(at)
				p.Mem(wasm.V128Load, 16, off+16*(n*side+i))
				p.Set(v.local + i)
			}
		}
		for _, off := range p.loop.preds {
			local := p.fresh(1)
			p.preds[side][off] = &pred{local: local}
			p.Get(locFrame)
			p.Mem(wasm.I32Load, 4, off)
			p.Get(locShift)
			p.Op(wasm.I32ShrU)
			p.spread(4 * side)
			p.Set(local)
		}
	}
}

// exits writes a branch out of the loop, or back to its start, at the end of its piece number k.
func (p *pair) exits(k int, in *machine.Inst) {
	out := (in.Target == p.out) == (in.Neg == 0) // lanes leave whose predicate is true
	p.each(func(side int) {
		p.Get(p.lanes + uint32(side))
		p.mask(in.Guard)
		if out {
			p.Op(wasm.V128And)
		} else {
			p.Op(wasm.V128AndNot)
		}
		p.Set(p.leave + uint32(side))
	})
	p.any(p.leave)
	p.If()
	p.bits(p.leave)
	p.note(k)
	p.save(p.leave, k)
	for side := range p.sides {
		p.Get(p.lanes + side)
		p.Get(p.leave + side)
		p.Op(wasm.V128AndNot)
		p.Set(p.lanes + side)
	}
	p.any(p.lanes)
	p.Op(wasm.I32Eqz)
	p.Arg(wasm.BrIf, 2)
	p.Op(wasm.End)
}

// bits sets locLeave to the lanes of a pair of vectors.
func (p *pair) bits(vectors uint32) {
	p.gather(func(side uint32) { p.Get(vectors + side) })
	p.Set(locLeave)
}

// any pushes whether there are lanes in vectors, one for each group. V8 branches on bits sooner than on v128.any_true.
func (p *pair) any(vectors uint32) {
	p.Get(vectors)
	if p.sides > 1 {
		p.Get(vectors + 1)
		p.Op(wasm.V128Or)
	}
	p.Op(wasm.I32x4Bitmask)
}

// gather pushes the bits of lanes in vectors that push pushes.
func (p *pair) gather(push func(side uint32)) {
	for side := range p.sides {
		push(side)
		p.Op(wasm.I32x4Bitmask)
		if side > 0 {
			p.I32(4)
			p.Op(wasm.I32Shl, wasm.I32Or)
		}
	}
	p.Get(locShift)
	p.Op(wasm.I32Shl)
}

// note writes an event.
func (p *pair) note(k int) {
	pc := p.pieces[k].end - 1
	p.Get(locRan)
	p.I32(pc + 1 - p.pieces[0].start)
	p.Op(wasm.I32Add)
	p.Set(locTemp)
	for _, c := range [...]struct {
		local uint32
		do    wasm.Op
	}{{locMost, wasm.I32GtS}, {locLeast, wasm.I32LtS}} {
		p.Get(locTemp)
		p.Get(c.local)
		p.Get(locTemp)
		p.Get(c.local)
		p.Op(c.do, wasm.Select)
		p.Set(c.local)
	}
	p.Get(locCtx)
	p.Get(locEvents)
	p.Op(wasm.I32Add)
	p.Set(locExec)
	p.Get(locExec)
	p.Get(locLeft)
	p.Get(locTemp)
	p.Op(wasm.I32Sub)
	p.Mem(wasm.I32Store, 4, call.Events)
	p.Get(locExec)
	p.I32(pc)
	p.Mem(wasm.I32Store, 4, call.Events+4)
	p.Get(locExec)
	p.Get(locLeave)
	p.Mem(wasm.I32Store, 4, call.Events+8)
	p.Get(locEvents)
	p.I32(eventSize)
	p.Op(wasm.I32Add)
	p.Set(locEvents)
}

// save stores what the lanes of a pair of vectors, which are in locLeave too, have written up to the end of piece
// number k. Predicates and straight lines of pieces after it have been reached in earlier rounds, if there are some.
func (p *pair) save(vectors uint32, k int) {
	p.each(func(side int) {
		for _, off := range p.dirty {
			v, at, n := p.body.values[off], uint32(locAt32), uint32(1)
			if v.wide {
				at, n = locAt64, 2
			}
			for i := range n {
				to := off + 16*(n*uint32(side)+i)
				p.Get(at)
				if v.wide {
					p.Get(v.local + i)
				} else {
					p.canonical(v)
				}
				p.Get(at)
				p.Mem(wasm.V128Load, 16, to)
				p.Get(vectors + uint32(side))
				if v.wide {
					p.Op(extend[i])
				}
				p.Op(wasm.V128Bitselect)
				p.Mem(wasm.V128Store, 16, to)
			}
		}
	})
	for _, off := range p.set {
		p.savePred(off)
	}
	for i := range p.pieces {
		if !p.unseen {
			p.reached(&p.pieces[i], i <= k)
		}
	}
}

// savePred stores a predicate: old ^ (old ^ new) & lanes.
func (p *pair) savePred(off uint32) {
	p.Get(locFrame)
	p.Get(locFrame)
	p.Mem(wasm.I32Load, 4, off)
	p.gather(func(side uint32) { p.Get(p.preds[side][off].local) })
	p.Get(locFrame)
	p.Mem(wasm.I32Load, 4, off)
	p.Op(wasm.I32Xor)
	p.Get(locLeave)
	p.Op(wasm.I32And, wasm.I32Xor)
	p.Mem(wasm.I32Store, 4, off)
}

// reached notes the lanes that leave where the straight lines of a piece end; now or only in earlier rounds.
func (p *pair) reached(at *piece, now bool) {
	for pc := at.start; pc < at.end; pc++ {
		in := &p.e.prog.Code[pc]
		if in.Op == machine.OpBra || in.Line != 1 || in.Seen == 0 {
			continue
		}
		p.join(in.Seen, func() {
			p.Get(locLeave)
			if !now {
				p.I32(0)
				p.Get(locRan)
				p.Op(wasm.Select)
			}
		})
	}
}

// leaveLoop counts what has been executed and goes to where the last lanes are. If others have left before them, the
// engine must hear of it first.
func (w *emitter) leaveLoop(l *loop) {
	start := l.pieces[0].start
	for i := range l.pieces {
		w.Get(locCtx)
		w.Get(locCtx)
		w.Mem(wasm.I64Load, 8, call.Counts+8*uint32(l.first+i))
		l.times(w, l.pieces[i].end-start)
		w.Op(wasm.I64ExtendI32U, wasm.I64Add)
		w.Mem(wasm.I64Store, 8, call.Counts+8*uint32(l.first+i))
	}
	w.Get(locLeft)
	w.Get(locMost)
	w.Op(wasm.I32Sub)
	w.Set(locLeft)
	w.Get(locEvents)
	w.If()
	w.nested++
	w.Get(locStay)
	w.Get(locLeast)
	w.Get(locMost)
	w.Op(wasm.I32Ne, wasm.I32Or)
	w.If()
	w.Get(locCtx)
	w.Get(locEvents)
	w.Mem(wasm.I32Store, 4, call.EventsSize)
	w.Get(locStay)
	w.exitIf(start)
	w.exit(l.out)
	w.Op(wasm.End)
	w.jump(l.first, l.out)
	w.Op(wasm.End)
	w.nested--
}
