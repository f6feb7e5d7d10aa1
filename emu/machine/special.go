package machine

import (
	"math/bits"
	"unsafe"
)

// special executes the operations that the loop does not know. w.Cur.PC is the pc of the instruction.
func (w *Warp) special(in *Inst, f unsafe.Pointer, exec Mask) action {
	switch in.Op {
	case OpNop:
		if in.X != nil {
			in.X.Run(w, in, f, exec)
		}
	case OpLoad, OpStore, OpPure:
		if !w.lineOp(in, f, exec) {
			return actFault
		}
	case OpBra:
		if !w.diverge(in, exec) {
			return actFault
		}
		return actJumped
	case OpBrx:
		return w.brx(in, f, exec)
	case OpCall:
		return w.doCall(in, f, exec)
	case OpRet:
		return w.doRet(in, exec)
	case OpExit:
		return w.doExit(exec)
	case OpBar:
		return w.barrier(in, f, exec)
	case OpSleep:
		return actYield
	case OpAtom:
		if !w.LSU.atomic(in, f, exec) {
			return actFault
		}
	case OpAtomWide:
		if !w.LSU.atomicWide(in, f, exec) {
			return actFault
		}
	case OpIndexed:
		return w.indexed(in.X.Indexing, f, exec)
	case OpRun:
		return w.runs(in, f, exec)
	default:
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: exec, Detail: ": " + in.Src.Opcode + " has no implementation"})
		return actFault
	}
	return actNext
}

// Trap executes trap (9.7.21.4): it stops the grid. It returns false.
func (w *Warp) Trap(in *Inst, _ unsafe.Pointer, exec Mask) bool {
	w.Fail(in, &Fault{Kind: Trap, Lanes: exec})
	return false
}

// runs executes an instruction whose operation is OpRun.
func (w *Warp) runs(in *Inst, f unsafe.Pointer, exec Mask) action {
	switch {
	case in.X.meets():
		return w.acrossLanes(in, f, exec)
	case !in.X.Run(w, in, f, exec):
		return actFault
	case w.waited:
		w.waited = false
		return actJumped
	}
	return actNext
}

// FirstLane returns the lowest lane of a mask; 32 when the mask is empty.
func FirstLane(m Mask) int { return bits.TrailingZeros32(uint32(m)) }

// EachLane calls do for each lane of exec, in ascending order.
func EachLane(exec Mask, do func(lane int)) {
	for m := uint32(exec); m != 0; m &= m - 1 {
		do(bits.TrailingZeros32(m))
	}
}
