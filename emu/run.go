package emu

import "unsafe"

// run executes up to n instructions of the warp's current group and says how many were executed and why it stopped.
// The group's pc, masks and frame live in locals and go back to w.cur whenever somebody else may look. Taken jumps are
// dear in Go's WebAssembly, so the path of a handler under a full mask has none but the loop itself.
func (w *warp) run(n int64) (done int64, why stop) {
	g := w.cta.grid
	code := g.code
	pc, rpc, active, f := w.cur.pc, w.cur.rpc, w.cur.mask, w.framePtr()
	lanes, laneCount, left := int64(active.Count()), int64(0), n
loop:
	for ; left > 0; left-- {
		in := &code[pc]
		if in.brk && !(g.passBreak && left == n) {
			why = stopBreak
			break
		}
		in.count++
		laneCount += lanes
		exec := active & Mask(*predAt(f, in.guard)^in.neg)
		*predAt(f, execMask) = uint32(exec)
		if in.op == opHandler {
			if exec == FullMask {
				in.handler(f, in, in.d)
			} else if exec != 0 {
				in.partial(f, exec)
			}
			pc++
		} else if in.op == opBra && (exec == active || exec == 0) {
			pc++
			if exec != 0 {
				pc = in.target
			}
		} else if exec == 0 {
			pc++
		} else if in.op == opLoad && w.load(in, f, exec) {
			pc++
		} else {
			w.cur.pc, w.ran = pc, n-left
			switch w.special(in, f, exec) {
			case actNext:
				f = w.framePtr() // memory may have grown
				pc++
			case actJumped:
				if w.ended {
					why = stopEnded
					left--
					break loop
				}
				pc, rpc, active, f = w.cur.pc, w.cur.rpc, w.cur.mask, w.framePtr()
				lanes = int64(active.Count())
				continue
			case actBlocked:
				why = stopBlocked
				pc++
				left--
				break loop
			case actYield:
				why = stopYield
				pc++
				left--
				break loop
			case actFault: // the faulting instruction has not been executed
				why = stopFault
				in.count--
				laneCount -= lanes
				break loop
			}
		}
		if pc == rpc {
			w.cur.pc = pc
			w.policy.reconverge(w)
			pc, rpc, active, f = w.cur.pc, w.cur.rpc, w.cur.mask, w.framePtr()
			lanes = int64(active.Count())
		}
	}
	if left < n {
		g.passBreak = false
	}
	if why != stopEnded {
		w.cur.pc = pc
		if pc == rpc {
			w.policy.reconverge(w)
		}
	}
	g.stats.LaneInstructions += laneCount
	return n - left, why
}

// partial runs a handler when only some lanes may take its result.
func (in *inst) partial(f unsafe.Pointer, exec Mask) {
	if in.width == 0 {
		in.handler(f, in, in.d)
		return
	}
	in.handler(f, in, scratchRow)
	switch {
	case exec.Count() <= sparse:
		blendFew(f, in, uint32(exec))
	case in.width == 1:
		select32(f, in.d, scratchRow, in.d, uint32(exec))
	default:
		select64(f, in.d, scratchRow, in.d, uint32(exec))
	}
}

// blendFew takes the scratch row's values in a few lanes.
func blendFew(f unsafe.Pointer, in *inst, exec uint32) {
	if in.width == 1 {
		blend32(f, in.d, scratchRow, exec)
	} else {
		blend64(f, in.d, scratchRow, exec)
	}
}
