package machine

import (
	"unsafe"

	"warpscope/emu/row"
	"warpscope/gpu"
)

// special executes the operations that the loop does not know. w.Cur.PC is the pc of the instruction.
func (w *Warp) special(in *Inst, f unsafe.Pointer, exec Mask) action {
	switch in.Op {
	case OpNop:
		if in.X != nil && in.X.Run != nil {
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
	case OpJump:
		return jump(w, in, exec)
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
		w.Fail(in, &Fault{Kind: gpu.IllegalInstruction, Lanes: exec, Detail: ": " + in.Src.Opcode + " has no implementation"})
		return actFault
	}
	return actNext
}

// lineOp executes an instruction of a straight line that has no handler. It returns false after a fault.
func (w *Warp) lineOp(in *Inst, f unsafe.Pointer, exec Mask) bool {
	switch in.Op {
	case OpLoad:
		return w.LSU.load(in, f, exec)
	case OpStore:
		return w.LSU.store(in, f, exec)
	}
	return in.X.Run(w, in, f, exec)
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

// indexed computes the addresses of the elements, then executes the instruction.
func (w *Warp) indexed(x *Indexing, f unsafe.Pointer, exec Mask) action {
	for _, e := range x.Elements {
		EachLane(exec, func(lane int) {
			e.Sum.Set(f, lane, e.Array.Get(f, lane)+e.Type.Extend(e.Number.Get(f, lane))*e.Stride)
		})
	}
	if x.Inner.Op == OpHandler {
		x.Inner.partial(f, exec)
		return actNext
	}
	return w.special(&x.Inner, f, exec)
}

// partial runs a handler for the lanes of exec.
func (in *Inst) partial(f unsafe.Pointer, exec Mask) {
	if in.Width != 0 || in.X == nil {
		in.Inst.Partial(f, uint32(exec))
		return
	}
	in.Handler(f, &in.Inst, row.Scratch)
	t := *row.Pred(f, row.Scratch)
	in.X.Predicates.Store(f, exec, t, ^t)
}
