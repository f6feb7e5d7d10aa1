package machine

import (
	"fmt"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/gpu"
	"warpscope/ptx"
)

// maxDepth is the deepest chain of calls.
const maxDepth = 4096

// diverge executes a branch that only some lanes take. It returns false when that is a fault.
func (w *Warp) diverge(in *Inst, taken Mask) bool {
	if in.Uniform { // 9.7.14.3
		return notUniform(w, in, taken)
	}
	diverged(w)
	w.sides = [2]simt.Side{{PC: w.Cur.PC + 1, Mask: w.Cur.Mask &^ taken}, {PC: in.Target, Mask: taken}}
	w.Policy.Split(&w.lanes, in.Fork, w.sides[:])
	return true
}

// jump executes a branch that some or all lanes take, through the policy.
func jump(w *Warp, in *Inst, taken Mask) action {
	if w.Rec != nil {
		w.Rec.Taken = taken
	}
	if taken == w.Cur.Mask {
		w.sides[0] = simt.Side{PC: in.Target, Mask: taken}
		w.Policy.Split(&w.lanes, in.Fork, w.sides[:1])
	} else if !w.diverge(in, taken) {
		return actFault
	}
	return actJumped
}

// notUniform stops the warp at a .uni instruction whose lanes disagree. It returns false.
func notUniform(w *Warp, in *Inst, taken Mask) bool {
	w.Fail(in, &Fault{Kind: gpu.DivergentUniform, Lanes: taken,
		Detail: fmt.Sprintf(": %s is marked .uni, but only %d of %d active lanes take it", in.Src.Opcode, taken.Count(),
			w.Cur.Mask.Count())})
	return false
}

// brx executes brx.idx (9.7.14.4): each lane jumps to the label that its index names. The lanes of the first label in
// the table run first.
func (w *Warp) brx(in *Inst, f unsafe.Pointer, exec Mask) action {
	b := in.X.Branches
	masks := make([]Mask, len(b.Targets))
	var bad Mask
	EachLane(exec, func(lane int) {
		if i := b.Index.Get(f, lane); i < uint64(len(masks)) {
			masks[i] |= 1 << lane
		} else {
			bad |= 1 << lane
		}
	})
	if bad != 0 {
		w.Fail(in, &Fault{Kind: gpu.IllegalInstruction, Lanes: bad,
			Detail: fmt.Sprintf(": index %d, but there are %d branch targets", b.Index.Get(f, FirstLane(bad)), len(masks))})
		return actFault
	}
	var sides []simt.Side
	add := func(pc int32, m Mask) {
		for i := range sides {
			if sides[i].PC == pc {
				sides[i].Mask |= m
				return
			}
		}
		sides = append(sides, simt.Side{PC: pc, Mask: m})
	}
	for i, m := range masks {
		if m != 0 {
			add(b.Targets[i], m)
		}
	}
	if rest := w.Cur.Mask &^ exec; rest != 0 {
		add(w.Cur.PC+1, rest)
	}
	if len(sides) > 1 {
		if in.Uniform {
			notUniform(w, in, sides[0].Mask)
			return actFault
		}
		diverged(w)
	}
	if w.Rec != nil {
		w.Rec.Taken = exec
	}
	w.Policy.Split(&w.lanes, in.Fork, sides)
	return actJumped
}

// doCall executes call (9.7.14.5). Lanes that call different functions take turns.
func (w *Warp) doCall(in *Inst, f unsafe.Pointer, exec Mask) action {
	info, g := in.X.Call, w.CTA.Grid
	if in.Uniform && exec != w.Cur.Mask {
		notUniform(w, in, exec)
		return actFault
	}
	fn := info.Target
	if fn == nil {
		a := info.Via.Get(f, FirstLane(exec))
		var same Mask
		EachLane(exec, func(lane int) { same |= Mask(row.Bit(info.Via.Get(f, lane) == a)) << lane })
		if same != exec {
			if in.Uniform {
				notUniform(w, in, same)
				return actFault
			}
			w.apart(in, exec, same)
			return actJumped
		}
		if fn = g.Prog.ByAddr[a-g.Mem.Win.Code]; fn == nil {
			w.Fail(in, &Fault{Kind: gpu.IllegalAddress, Lanes: exec,
				Detail: fmt.Sprintf(": no function has the address %#x", a)})
			return actFault
		}
	}
	if fn != info.fits {
		if why := misfit(g.Prog, in.Src.Call, fn); why != "" {
			Illegal(w, in, exec, ": %s", why)
			return actFault
		}
		info.fits = fn
	}
	if fn.Builtin != nil {
		return callBuiltin(w, in, fn, f, exec)
	}
	return w.enter(in, fn, exec)
}

// callBuiltin calls a provided function lane by lane, in ascending order.
func callBuiltin(w *Warp, in *Inst, fn *Function, f unsafe.Pointer, exec Mask) action {
	info := in.X.Call
	fr := w.Cur.Frame
	w.CTA.Grid.State.Progress = true
	var fault *Fault
	recordPassed(w, nil, nil, fr, info.Rets, exec)
	EachLane(exec, func(lane int) {
		if fault != nil {
			return
		}
		args := make([]uint64, len(info.Args))
		for i := range info.Args {
			args[i] = valueOf(w, fr, &info.Args[i], lane)[0]
		}
		var v uint64
		if v, fault = fn.Builtin.Run(w, args, lane); fault != nil {
			fault.Lanes = 1 << lane
			return
		}
		for i := range info.Rets {
			setValue(w, fr, &info.Rets[i], lane, row.Pair{v})
		}
	})
	if fault != nil {
		w.Fail(in, fault)
		return actFault
	}
	return actNext
}

// enter makes the callee's frame, copies the arguments and lets the policy start the callee.
func (w *Warp) enter(in *Inst, fn *Function, exec Mask) action {
	caller := w.Cur.Frame
	if caller.depth >= maxDepth {
		return Overflow(w, in, exec, "%s deep, which is the limit", ptx.Plural(caller.depth, "call"))
	}
	fr, why := w.newFrame(fn, caller, w.Cur.PC)
	if why != "" {
		return Overflow(w, in, exec, "%s deep: %s", ptx.Plural(caller.depth+1, "call"), why)
	}
	pass(w, caller, in.X.Call.Args, fr, fn.FormalParams, exec)
	enterLocal(w, fr, exec)
	w.mark(fr, fn.Entered, exec)
	spins := simt.NoSpin
	if fn.Spins {
		spins = simt.SpinAround
	}
	w.Policy.Call(&w.lanes, exec, fr, fn.Start, spins)
	return actJumped
}

// Overflow stops the warp with the fault StackOverflow.
func Overflow(w *Warp, in *Inst, lanes Mask, format string, args ...any) action {
	w.Fail(in, &Fault{Kind: gpu.StackOverflow, Lanes: lanes, Detail: ": " + fmt.Sprintf(format, args...)})
	return actFault
}

// doRet executes ret (9.7.14.6). It copies the return values of the lanes that leave. In an entry function the lanes
// exit.
func (w *Warp) doRet(in *Inst, exec Mask) action {
	fr := w.Cur.Frame
	if in.Uniform && exec != w.Cur.Mask {
		notUniform(w, in, exec)
		return actFault
	}
	if fr.caller == nil {
		return w.doExit(exec)
	}
	rets := w.CTA.Grid.Prog.Code[fr.call].X.Call.Rets
	pass(w, fr, fr.Fn.Returns, fr.caller, rets, exec)
	w.mark(fr.caller, w.CTA.Grid.Prog.Code[fr.call].Seen, exec)
	dropStack(w, exec, fr)
	w.Policy.Leave(&w.lanes, exec)
	return actJumped
}

// doExit ends lanes (9.7.14.7), and releases the barriers that waited only for them.
func (w *Warp) doExit(exec Mask) action {
	w.Live &^= exec
	w.CTA.Grid.State.Progress = true
	w.CTA.live -= exec.Count()
	if w.Rec != nil {
		w.Rec.Exited = exec
	}
	w.Policy.Exit(&w.lanes, exec)
	w.CTA.settleBarriers()
	return actJumped
}
