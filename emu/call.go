package emu

import (
	"fmt"
	"unsafe"

	"warpscope/ptx"
)

// maxDepth is the deepest chain of calls.
const maxDepth = 4096

// diverge handles a branch that only some lanes take.
func (w *warp) diverge(in *inst, taken Mask) bool {
	if in.b != 0 { // bra.uni (9.7.12.3)
		return w.notUniform(in, taken)
	}
	w.cta.grid.stats.DivergentBranches++
	w.policy.branch(w, in, taken)
	return true
}

func (w *warp) notUniform(in *inst, taken Mask) bool {
	w.fail(in, &Fault{Kind: DivergentUniform, Lanes: taken,
		Detail: fmt.Sprintf(": %s is marked .uni, but only %d of %d active lanes take it", in.src.Opcode, taken.Count(), w.cur.mask.Count())})
	return false
}

// brx is brx.idx (9.7.12.4): each lane jumps to the label its index names; the first labels' lanes run first.
func (w *warp) brx(in *inst, f unsafe.Pointer, exec Mask) action {
	x := in.x
	masks := make([]Mask, len(x.targets))
	var bad Mask
	eachLane(exec, func(lane int) {
		if i := x.s[0].get(f, lane); i < uint64(len(masks)) {
			masks[i] |= 1 << lane
		} else {
			bad |= 1 << lane
		}
	})
	if bad != 0 {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: bad,
			Detail: fmt.Sprintf(": index %d, but there are %d branch targets", x.s[0].get(f, firstLane(bad)), len(masks))})
		return actFault
	}
	var sides []side
	add := func(pc int32, m Mask) {
		for i := range sides {
			if sides[i].pc == pc {
				sides[i].mask |= m
				return
			}
		}
		sides = append(sides, side{pc, m})
	}
	for i, m := range masks {
		if m != 0 {
			add(x.targets[i], m)
		}
	}
	if rest := w.cur.mask &^ exec; rest != 0 {
		add(w.cur.pc+1, rest)
	}
	if len(sides) > 1 {
		if x.mode != 0 {
			w.notUniform(in, sides[0].mask)
			return actFault
		}
		w.cta.grid.stats.DivergentBranches++
	}
	if w.rec != nil {
		w.rec.Taken = exec
	}
	w.policy.split(w, in, sides)
	return actJumped
}

// doCall is call (9.7.12.5). Lanes that call different functions take turns.
func (w *warp) doCall(in *inst, f unsafe.Pointer, exec Mask) action {
	x, g := in.x, w.cta.grid
	info := x.call
	if info.uniform && exec != w.cur.mask {
		w.notUniform(in, exec)
		return actFault
	}
	fn := info.target
	if fn == nil {
		a := info.via.get(f, firstLane(exec))
		var same Mask
		eachLane(exec, func(lane int) { same |= Mask(b2u(info.via.get(f, lane) == a)) << lane })
		if same != exec {
			if info.uniform {
				w.notUniform(in, same)
				return actFault
			}
			w.apart(in, exec, same)
			return actJumped
		}
		if fn = g.prog.byAddr[a-g.dev.win.code]; fn == nil {
			w.fail(in, &Fault{Kind: IllegalAddress, Lanes: exec, Detail: fmt.Sprintf(": no function has the address %#x", a)})
			return actFault
		}
	}
	if fn.builtin != "" {
		return w.builtin(in, fn, f, exec)
	}
	return w.enter(in, fn, exec)
}

// enter makes the callee's frame and copies the arguments.
func (w *warp) enter(in *inst, fn *function, exec Mask) action {
	caller := w.cur.frame
	var fr *frame
	ok := caller.depth < maxDepth
	if ok {
		fr, ok = w.newFrame(fn, caller, w.cur.pc)
	}
	if !ok {
		w.fail(in, &Fault{Kind: StackOverflow, Lanes: exec,
			Detail: fmt.Sprintf(": %s deep, %s of local memory in use", ptx.Plural(caller.depth+1, "call"),
				ptx.Plural(caller.local+caller.fn.local, "byte"))})
		return actFault
	}
	for i, a := range in.x.call.args {
		if i >= len(fn.src.Params) {
			break
		}
		w.pass(caller, a, fr, callee(fn.src.Params, fn.paramRegs, i), exec)
	}
	w.mark(fr, fn.entered, exec)
	w.policy.call(w, exec, fr)
	return actJumped
}

// callee is the callee's side of a parameter or return value.
func callee(vars []*ptx.Var, regs []operand, i int) passed {
	if i < len(vars) && vars[i] != nil {
		return passed{v: vars[i]}
	}
	return passed{reg: regs[i]}
}

// pass copies one value between frames of this warp, in the lanes of exec.
func (w *warp) pass(from *frame, src passed, to *frame, dst passed, exec Mask) {
	a := w.cta.grid.dev.arena
	eachLane(exec, func(lane int) {
		lo, hi := uint64(0), uint64(0)
		switch {
		case src.v != nil && dst.v != nil:
			n := src.v.Size
			if dst.v.Size != 0 { // else an unsized array, which takes what comes (7.1)
				n = min(n, dst.v.Size)
			}
			copy(w.localBytes(to, dst.v, lane)[:n], w.localBytes(from, src.v, lane)[:n])
			return
		case src.v != nil:
			lo, hi = readElement(unsafe.Pointer(&w.localBytes(from, src.v, lane)[0]), uint32(src.v.Size), false)
		default:
			f := a.at(from.off)
			lo = src.reg.get(f, lane)
			if src.reg.bits == 128 {
				h := src.reg.hi()
				hi = h.get(f, lane)
			}
		}
		if dst.v != nil {
			writeElement(unsafe.Pointer(&w.localBytes(to, dst.v, lane)[0]), uint32(dst.v.Size), lo, hi)
			return
		}
		f := a.at(to.off)
		dst.reg.set(f, lane, lo)
		if dst.reg.bits == 128 {
			h := dst.reg.hi()
			h.set(f, lane, hi)
		}
	})
}

// localBytes are a variable's bytes in one lane's local memory.
func (w *warp) localBytes(fr *frame, v *ptx.Var, lane int) []byte {
	off := int64(w.localOff) + int64(lane)*w.localSize + fr.local + fr.fn.localOff[v]
	return w.cta.grid.dev.arena.bytes[off : int64(w.localOff)+int64(lane+1)*w.localSize]
}

// doRet is ret (9.7.12.6): return values are copied for the lanes that leave; in an entry the lanes exit.
func (w *warp) doRet(in *inst, exec Mask) action {
	fr := w.cur.frame
	if in.b != 0 && exec != w.cur.mask {
		w.notUniform(in, exec)
		return actFault
	}
	if fr.caller == nil {
		return w.doExit(exec)
	}
	for i, r := range w.cta.grid.code[fr.call].x.call.rets {
		w.pass(fr, callee(fr.fn.src.Returns, fr.fn.returnRegs, i), fr.caller, r, exec)
	}
	w.mark(fr.caller, w.cta.grid.code[fr.call].seen, exec)
	w.dropStack(exec, fr)
	w.policy.leave(w, exec)
	return actJumped
}

// doExit ends lanes (9.7.12.7); barriers that waited only for them are released.
func (w *warp) doExit(exec Mask) action {
	w.exited |= exec
	w.cta.grid.state.progress = true
	w.cta.live -= exec.Count()
	if w.rec != nil {
		w.rec.Exited = exec
	}
	w.policy.exit(w, exec)
	w.cta.settleBarriers()
	return actJumped
}
