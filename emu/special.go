package emu

import (
	"math/bits"
	"unsafe"
)

func firstLane(m Mask) int { return bits.TrailingZeros32(uint32(m)) }

// special executes the ops that the loop does not know. w.Cur.pc is the instruction's.
func (w *warp) special(in *inst, f unsafe.Pointer, exec Mask) action {
	switch in.op {
	case opNop:
		if in.x != nil {
			in.x.run(w, in, f, exec)
		}
	case opLoad, opStore, opPure:
		if !w.lineOp(in, f, exec) {
			return actFault
		}
	case opBra:
		if !w.diverge(in, exec) {
			return actFault
		}
		return actJumped
	case opBrx:
		return w.brx(in, f, exec)
	case opCall:
		return w.doCall(in, f, exec)
	case opRet:
		return w.doRet(in, exec)
	case opExit:
		return w.doExit(exec)
	case opBar:
		return w.barrier(in, f, exec)
	case opSleep:
		return actYield
	case opAtom:
		if !w.lsu.atomic(in, f, exec) {
			return actFault
		}
	case opAtomWide:
		if !w.lsu.atomicWide(in, f, exec) {
			return actFault
		}
	case opIndexed:
		return w.indexed(in.x.indexing, f, exec)
	case opRun:
		return w.runs(in, f, exec)
	default:
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: exec, Detail: ": " + in.src.Opcode + " has no implementation"})
		return actFault
	}
	return actNext
}

// trap is trap (9.7.19.4).
func (w *warp) trap(in *inst, _ unsafe.Pointer, exec Mask) bool {
	w.fail(in, &Fault{Kind: Trap, Lanes: exec})
	return false
}

// runs executes an instruction that is a closure.
func (w *warp) runs(in *inst, f unsafe.Pointer, exec Mask) action {
	switch {
	case in.x.meets():
		return w.acrossLanes(in, f, exec)
	case !in.x.run(w, in, f, exec):
		return actFault
	case w.waited:
		w.waited = false
		return actJumped
	}
	return actNext
}

func eachLane(exec Mask, do func(lane int)) {
	for m := uint32(exec); m != 0; m &= m - 1 {
		do(bits.TrailingZeros32(m))
	}
}
