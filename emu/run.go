package emu

import (
	"unsafe"

	"warpscope/emu/row"
)

// run executes up to n instructions of the warp's current group and says how many were executed and why it stopped.
// The group's pc, masks and frame live in locals and go back to w.Cur whenever somebody else may look. Straight lines
// of code, most of what there is, go through small loops of their own: in Go's WebAssembly every taken jump of a large
// function is dear.
func (w *warp) run(n int64) (done int64, why stop) {
	g := w.cta.grid
	code := g.prog.code
	pc, rpc, active, f := w.place()
	laneCount, left := int64(0), n
loop:
	for {
		if pc == rpc {
			w.Cur.PC = pc
			if w.policy.Reconverge(&w.lanes); w.Blocked {
				break
			}
			pc, rpc, active, f = w.place()
		}
		if left == 0 || why == stopYield {
			break
		}
		if g.breaksAt(pc) && !(g.passBreak && left == n) {
			why = stopBreak
			break
		}
		was, lanes := left, int64(active.Count())
		pc, left = w.straight(code, pc, rpc, f, active, left)
		laneCount += (was - left) * lanes
		if pc == rpc || left == 0 {
			continue
		}
		if g.breaksAt(pc) && left != was {
			continue
		}
		in := &code[pc]
		g.counts[pc].each++
		left--
		laneCount += lanes
		exec := in.guarded(f, active)
		*row.Pred(f, row.ExecMask) = uint32(exec)
		if in.held {
			w.look(in, pc, f, active, exec)
		}
		switch {
		case in.op == opBra && exec == active:
			pc = in.target
		case exec == 0:
			pc++
		case in.op == opHandler:
			in.partial(f, exec)
			in.mark(f, exec)
			pc++
		default:
			w.Cur.PC, w.ran = pc, n-left-1
			switch w.special(in, f, exec) {
			case actNext:
				f = w.framePtr() // memory may have grown
				in.mark(f, exec)
				pc++
			case actJumped:
				if w.Ended || w.Blocked {
					break loop
				}
				pc, rpc, active, f = w.place()
			case actYield:
				why = stopYield
				pc++
			case actFault: // the faulting instruction has not been executed
				why = stopFault
				g.counts[pc].each--
				left++
				laneCount -= lanes
				break loop
			}
		}
	}
	if left < n {
		g.passBreak = false
	}
	switch {
	case w.Ended:
		why = stopEnded
	case w.Blocked:
		why = stopBlocked
	default:
		w.Cur.PC = pc
	}
	g.stats.LaneInstructions += laneCount
	return n - left, why
}

// breaksAt says whether an instruction has a breakpoint.
func (g *Grid) breaksAt(pc int32) bool { return g.toBreak != nil && g.toBreak[pc] == 0 }

// place is where the warp's current group is.
func (w *warp) place() (pc, rpc int32, active Mask, f unsafe.Pointer) {
	return w.Cur.PC, w.Cur.RPC, w.Cur.Mask, w.framePtr()
}

// guarded is the lanes that an instruction's guard lets through.
func (in *inst) guarded(f unsafe.Pointer, active Mask) Mask {
	return active & Mask(*row.Pred(f, in.guard)^in.neg)
}

// look checks what an instruction does with its registers.
func (w *warp) look(in *inst, pc int32, f unsafe.Pointer, active, exec Mask) {
	if exec != 0 {
		checkHeld(w, in, pc)
	}
	trackUndefinedUses(w, in, pc, f, active, exec)
}

// markLines gives every instruction the length of the straight line of code that begins with it: unguarded
// instructions that neither move the pc nor stop the warp, up to the end of the basic block. Reconvergence points begin
// basic blocks, so that a line never runs over one.
//
// Lanes that have executed all of a line note it. A line that a breakpoint cuts is noted by its last part.
func markLines(code []inst, marks []uint32) {
	for pc := len(code) - 1; pc >= 0; pc-- {
		in := &code[pc]
		in.line, in.seen = 0, 0
		if in.guard != row.TruePred || in.op > lastLineOp || in.held {
			if !in.writesLate() {
				in.seen = marks[pc]
			}
			continue
		}
		in.line = 1
		switch next := pc + 1; {
		case next == len(code) || code[next].leader || code[next].line == 0:
			in.seen = marks[pc]
		default:
			in.line += code[next].line
			in.seen = code[next].seen
		}
	}
}

// straight executes lines and the branches between them on which all lanes agree, up to the reconvergence point, a
// breakpoint, an instruction of another kind or the end of the budget. It gives the new pc and what is left.
func (w *warp) straight(code []inst, pc, rpc int32, f unsafe.Pointer, active Mask, left int64) (int32, int64) {
	c, g := w.cta, w.cta.grid
	counts, toBreak := g.counts[:len(code)], g.toBreak
	var shared unsafe.Pointer
	if g.flying == 0 && c.sharedSize > 0 {
		shared = c.mem.At(c.sharedOff)
	}
	for left > 0 && pc != rpc {
		in, most := &code[pc], left
		if toBreak != nil {
			if most = min(left, int64(toBreak[pc])); most == 0 {
				break
			}
		}
		if in.line > 0 {
			k := min(int64(in.line), most)
			*row.Pred(f, row.ExecMask) = uint32(active)
			n, odd := int64(0), uint32(0)
			if in.How != 0 {
				n, odd = row.Run(&in.Inst, instSize, k, f, uint32(active), shared, uint64(c.sharedSize))
			}
			if n < k {
				n += w.line(code[pc+int32(n):pc+int32(k)], f, active, shared, odd)
			}
			if left -= n; n == int64(in.line) {
				counts[pc].lines++
				*row.Pred(f, in.seen) |= uint32(active)
			} else {
				countEach(counts[pc : pc+int32(n)])
			}
			if pc += int32(n); n < k {
				break
			}
			continue
		}
		exec := in.guarded(f, active)
		if in.op != opBra || in.held || exec != 0 && exec != active {
			break
		}
		*row.Pred(f, row.ExecMask) = uint32(exec)
		counts[pc].each++
		left--
		if pc++; exec != 0 {
			pc = in.target
		}
	}
	return pc, left
}

// line executes straight-line instructions of which RunRows cannot do the first, and says how many: a load or store
// that faults ends it. Shared and odd are those of RunRows.
func (w *warp) line(code []inst, f unsafe.Pointer, active Mask, shared unsafe.Pointer, odd uint32) int64 {
	n := int64(len(code))
	for i := int64(0); i < n; i++ {
		in := &code[i]
		switch {
		case odd != 0:
			row.FmaOdd(f, &in.Inst, in.D, odd)
		case in.op == opHandler:
			in.partial(f, active)
		case !w.lineOp(in, f, active):
			return i
		}
		if odd = 0; i+1 < n && code[i+1].How != 0 {
			var k int64
			k, odd = row.Run(&code[i+1].Inst, instSize, n-i-1, f, uint32(active), shared, uint64(w.cta.sharedSize))
			i += k
		}
	}
	return n
}

// lineOp executes a straight-line instruction that has no handler.
func (w *warp) lineOp(in *inst, f unsafe.Pointer, exec Mask) bool {
	switch in.op {
	case opLoad:
		return w.lsu.load(in, f, exec)
	case opStore:
		return w.lsu.store(in, f, exec)
	}
	return in.x.run(w, in, f, exec)
}

// partial runs a handler when perhaps only some lanes may take its result.
func (in *inst) partial(f unsafe.Pointer, exec Mask) {
	if in.Width != 0 || in.x == nil {
		in.Inst.Partial(f, uint32(exec))
		return
	}
	in.Handler(f, &in.Inst, row.Scratch)
	t := *row.Pred(f, row.Scratch)
	in.x.predicates.store(f, exec, t, ^t)
}
