package machine

import (
	"unsafe"

	"warpscope/emu/row"
)

// Run executes up to n instructions of the warp's current group, and stops earlier where the warp's turn ends. It
// returns how many it has executed and why it has stopped. The group's pc, masks and frame are in locals, and go back
// to w.Cur before other code reads them. Straight lines, most of the code, go through small loops of their own: in Go's
// WebAssembly every taken jump of a large function costs much.
func (w *Warp) Run(n int64) (done int64, why stop) {
	g := w.CTA.Grid
	code := g.Prog.Code
	pc, rpc, active, f := w.place()
	laneCount, left := int64(0), n
	e, counted, toBreak := engineFor(w), countsOf(w), w.toBreak()
	if counted != nil {
		counted.began(w)
	}
loop:
	for {
		if pc == rpc {
			w.Cur.PC = pc
			if w.Policy.Reconverge(&w.lanes); w.Blocked {
				break
			}
			pc, rpc, active, f = w.place()
		}
		most := min(left, g.stretch(pc, n-left))
		if most == 0 || why == stopYield {
			break
		}
		if toBreak != nil && toBreak[pc] == 0 && !(g.passBreak && left == n) && g.breaks.stops(w, &code[pc]) {
			why = stopBreak
			break
		}
		if w.Doubting {
			most = 1
			follow(w, code, pc, f, active)
		}
		lanes, ran := int64(active.Count()), int64(0)
		if e != nil {
			w.Cur.PC = pc
			if pc, ran = runCompiled(w, e, n-left, left); ran > 0 {
				if gone := e.Gone(); gone.Branches != 0 {
					laneCount -= gone.Missed
					depart(w, gone, pc)
					pc, rpc, active, f = w.place()
				}
			}
		}
		if ran == 0 {
			b := budget{most: most, turn: g.State.left - n + left, once: e != nil}
			if e == nil && !w.Doubting && g.Dev.opts.Schedule == 0 {
				b.more = left - most
			}
			pc, ran = w.straight(code, pc, rpc, f, active, b)
		}
		left -= ran
		laneCount += ran * lanes
		if pc == rpc || ran >= most || ran > 0 && (e != nil || toBreak != nil && toBreak[pc] == 0) {
			continue
		}
		in := &code[pc]
		g.Counts[pc].Each++
		left--
		laneCount += lanes
		exec := in.guarded(f, active)
		if counted != nil {
			counted.inst(g, pc, active, exec, 1)
		}
		*row.Pred(f, row.ExecMask) = uint32(exec)
		if in.Held {
			w.look(in, pc, f, active, exec)
		}
		switch {
		case in.Op == OpBra && exec == active:
			pc = in.Target
		case exec == 0:
			pc++
		case in.Op == OpHandler:
			in.partial(f, exec)
			in.mark(f, exec)
			pc++
		default:
			w.Cur.PC, w.Ran = pc, n-left-1
			var act action
			if counted != nil {
				act = counted.access(w, in, pc, f, exec)
			} else {
				act = w.special(in, f, exec)
			}
			switch act {
			case actNext:
				f = w.FramePtr() // memory can have grown
				in.mark(f, exec)
				pc++
			case actJumped:
				if w.Ended || w.Blocked {
					break loop
				}
				if pc, rpc, active, f = w.place(); e != nil && in.Op == OpBar {
					break loop // the whole CTA may be at a phase's begin
				}
			case actYield:
				why = stopYield
				pc++
			case actFault: // the faulting instruction has not been executed
				why = stopFault
				g.Counts[pc].Each--
				left++
				laneCount -= lanes
				if counted != nil {
					counted.inst(g, pc, active, exec, -1)
				}
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
	g.Counters.LaneInstructions += laneCount
	if counted != nil {
		counted.ended(w, n-left, laneCount)
	}
	return n - left, why
}

// place returns where the warp's current group is.
func (w *Warp) place() (pc, rpc int32, active Mask, f unsafe.Pointer) {
	return w.Cur.PC, w.Cur.RPC, w.Cur.Mask, w.FramePtr()
}

// look checks what an instruction is about to do with its registers.
func (w *Warp) look(in *Inst, pc int32, f unsafe.Pointer, active, exec Mask) {
	if exec != 0 {
		checkHeld(w, in, pc)
	}
	trackUndefinedUses(w, in, pc, f, active, exec)
}

// follow looks at an instruction that look does not look at.
func follow(w *Warp, code []Inst, pc int32, f unsafe.Pointer, active Mask) {
	if in := &code[pc]; !in.Held && inDoubt(w.CTA.Grid.Prog.Tracked[pc], f) {
		trackUndefinedUses(w, in, pc, f, active, in.guarded(f, active))
	}
}

// shortLine is the longest line that vectors are not worth while for where checks are between lines.
const shortLine = 4

// straight executes straight lines, and the branches between them on which all lanes agree. It goes on up to the
// reconvergence point, a breakpoint, an instruction of another kind or the end of a budget. It returns the new pc and
// how many instructions it has executed.
func (w *Warp) straight(code []Inst, pc, rpc int32, f unsafe.Pointer, active Mask, b budget) (to int32, ran int64) {
	left := b.most
	c, g, counted := w.CTA, w.CTA.Grid, countsOf(w)
	counts, toBreak := g.Counts[:len(code)], w.toBreak()
	var shared unsafe.Pointer
	if g.Flying == 0 && c.SharedSize > 0 {
		shared = c.Mem.At(c.SharedOff)
	}
	vectors := row.Straight != nil && toBreak == nil && (g.Dev.Shadow == nil || code[pc].Line > shortLine)
	if row.Straight != nil {
		if row.Reached = 0; vectors {
			b.begin(w, code, f, active, rpc)
		}
	}
	for left > 0 && pc != rpc {
		n, odd := int64(0), uint32(0)
		if vectors {
			if pc, n = b.goOn(pc, &left); left <= 0 || pc == rpc || n < 0 {
				break
			}
		}
		in, here := &code[pc], left
		if toBreak != nil {
			if here = min(left, int64(toBreak[pc])); here == 0 {
				break
			}
		}
		if in.Line > 0 {
			k := min(int64(in.Line), here)
			if counted != nil {
				k = counted.part(w, pc, k, f, active)
			}
			*row.Pred(f, row.ExecMask) = uint32(active)
			if n == 0 && in.InRow() && (!vectors || counted != nil || k < int64(in.Line)) {
				n, odd = row.Run(&in.Inst, InstSize, k, f, uint32(active), shared, uint64(c.SharedSize))
			}
			if n < k {
				n += w.line(code[pc+int32(n):pc+int32(k)], f, active, shared, odd)
			}
			if counted != nil {
				counted.line(g, pc, n, n == int64(in.Line), active)
			}
			if left -= n; n == int64(in.Line) {
				counts[pc].Lines++
				*row.Pred(f, in.Seen) |= uint32(active)
			} else {
				countEach(counts[pc : pc+int32(n)])
			}
			if pc += int32(n); n < k {
				break
			}
			continue
		}
		exec := in.guarded(f, active)
		if in.Op != OpBra || in.Held || exec != 0 && exec != active {
			break
		}
		*row.Pred(f, row.ExecMask) = uint32(exec)
		counts[pc].Each++
		if counted != nil {
			counted.inst(g, pc, active, exec, 1)
		}
		left--
		if pc++; exec != 0 {
			pc = in.Target
		}
		if b.once {
			break
		}
	}
	if row.Prepare != nil {
		row.Warm(b.most - left)
	}
	return pc, b.most - left
}

// line executes the instructions of a straight line, of which row.Run cannot execute the first. It returns how many it
// has executed: a load or store that faults ends the line. shared and odd are those of row.Run.
func (w *Warp) line(code []Inst, f unsafe.Pointer, active Mask, shared unsafe.Pointer, odd uint32) int64 {
	n := int64(len(code))
	for i := int64(0); i < n; i++ {
		in := &code[i]
		switch {
		case odd != 0:
			row.FmaOdd(f, &in.Inst, in.D, odd)
		case in.Op == OpHandler:
			in.partial(f, active)
		case !w.lineOp(in, f, active):
			return i
		}
		if odd = 0; i+1 < n && code[i+1].InRow() {
			var k int64
			k, odd = row.Run(&code[i+1].Inst, InstSize, n-i-1, f, uint32(active), shared, uint64(w.CTA.SharedSize))
			i += k
		}
	}
	return n
}

// access measures the access of one instruction and executes it.
func (n *WarpCounts) access(w *Warp, in *Inst, pc int32, f unsafe.Pointer, exec Mask) action {
	g := w.CTA.Grid
	a := &g.Prog.Accesses[g.Prog.Next[pc]]
	if a.PC != pc {
		return w.special(in, f, exec)
	}
	if in.Op != OpIndexed {
		measure(a, w, f, uint32(exec))
	}
	act := w.special(in, f, exec)
	if in.Op == OpIndexed { // it has computed its addresses, in a row of their own
		measure(a, w, f, uint32(exec))
	}
	if act == actNext {
		a.AddTo(&g.counting.insts[pc].Counts, &n.Counts)
	}
	return act
}

// MarkLines gives every instruction the length of the straight line that begins with it: unguarded instructions that
// neither move the pc nor stop the warp, up to the end of the basic block. Reconvergence points begin basic blocks, so
// a line never runs past one.
//
// Lanes note when they have executed all of a line, in the word of its last instruction. marks gives that word by pc. A
// line that a breakpoint cuts is noted by its last part.
func MarkLines(code []Inst, marks []uint32) {
	for pc := len(code) - 1; pc >= 0; pc-- {
		in := &code[pc]
		in.Line, in.Seen = 0, 0
		if in.Guard != row.TruePred || in.Op > lastLineOp || in.Held {
			if !in.writesLate() {
				in.Seen = marks[pc]
			}
			continue
		}
		in.Line = 1
		switch next := pc + 1; {
		case next == len(code) || code[next].Leader || code[next].Line == 0:
			in.Seen = marks[pc]
		default:
			in.Line += code[next].Line
			in.Seen = code[next].Seen
		}
	}
}

// stretch returns how many instructions the current warp can execute before its turn can end: 0 when it ends here. The
// warp has come to a pc, and has executed ran instructions that State.left does not know of.
func (g *Grid) stretch(pc int32, ran int64) int64 {
	left, in := g.State.left-ran, &g.Prog.Code[pc]
	switch {
	case left > 0:
		return left
	case g.Dev.opts.Schedule != 0:
		return 0 // turns end anywhere
	case !in.Leader:
		return max(1, int64(in.Line))
	case left <= LastTurn:
		return 0
	}
	return int64(in.Private)
}
