package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/ptx"
)

// maxDepth is the deepest chain of calls.
const maxDepth = 4096

// diverge handles a branch that only some lanes take.
func (w *warp) diverge(in *inst, taken Mask) bool {
	if in.uniform { // 9.7.12.3
		return notUniform(w, in, taken)
	}
	w.cta.grid.stats.DivergentBranches++
	w.sides = [2]simt.Side{{PC: w.Cur.PC + 1, Mask: w.Cur.Mask &^ taken}, {PC: in.target, Mask: taken}}
	w.policy.Split(&w.lanes, in.fork, w.sides[:])
	return true
}

func notUniform(w *warp, in *inst, taken Mask) bool {
	w.fail(in, &Fault{Kind: DivergentUniform, Lanes: taken,
		Detail: fmt.Sprintf(": %s is marked .uni, but only %d of %d active lanes take it", in.src.Opcode, taken.Count(), w.Cur.Mask.Count())})
	return false
}

// branchTable is where the lanes of a brx.idx may jump to.
type branchTable struct {
	index   row.Operand
	targets []int32
}

// brx is brx.idx (9.7.12.4): each lane jumps to the label its index names; the first labels' lanes run first.
func (w *warp) brx(in *inst, f unsafe.Pointer, exec Mask) action {
	b := in.x.branches
	masks := make([]Mask, len(b.targets))
	var bad Mask
	eachLane(exec, func(lane int) {
		if i := b.index.Get(f, lane); i < uint64(len(masks)) {
			masks[i] |= 1 << lane
		} else {
			bad |= 1 << lane
		}
	})
	if bad != 0 {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: bad,
			Detail: fmt.Sprintf(": index %d, but there are %d branch targets", b.index.Get(f, firstLane(bad)), len(masks))})
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
			add(b.targets[i], m)
		}
	}
	if rest := w.Cur.Mask &^ exec; rest != 0 {
		add(w.Cur.PC+1, rest)
	}
	if len(sides) > 1 {
		if in.uniform {
			notUniform(w, in, sides[0].Mask)
			return actFault
		}
		w.cta.grid.stats.DivergentBranches++
	}
	if w.rec != nil {
		w.rec.Taken = exec
	}
	w.policy.Split(&w.lanes, in.fork, sides)
	return actJumped
}

// doCall is call (9.7.12.5). Lanes that call different functions take turns.
func (w *warp) doCall(in *inst, f unsafe.Pointer, exec Mask) action {
	info, g := in.x.call, w.cta.grid
	if in.uniform && exec != w.Cur.Mask {
		notUniform(w, in, exec)
		return actFault
	}
	fn := info.target
	if fn == nil {
		a := info.via.Get(f, firstLane(exec))
		var same Mask
		eachLane(exec, func(lane int) { same |= Mask(row.Bit(info.via.Get(f, lane) == a)) << lane })
		if same != exec {
			if in.uniform {
				notUniform(w, in, same)
				return actFault
			}
			w.apart(in, exec, same)
			return actJumped
		}
		if fn = g.prog.byAddr[a-g.mem.Win.Code]; fn == nil {
			w.fail(in, &Fault{Kind: IllegalAddress, Lanes: exec, Detail: fmt.Sprintf(": no function has the address %#x", a)})
			return actFault
		}
	}
	if fn != info.fits {
		if why := g.prog.misfit(in.src.Call, fn); why != "" {
			illegal(w, in, exec, ": %s", why)
			return actFault
		}
		info.fits = fn
	}
	if fn.builtin != nil {
		return callBuiltin(w, in, fn, f, exec)
	}
	return w.enter(in, fn, exec)
}

// enter makes the callee's frame and copies the arguments.
func (w *warp) enter(in *inst, fn *function, exec Mask) action {
	caller := w.Cur.Frame
	if caller.depth >= maxDepth {
		return stackOverflow(w, in, exec, "%s deep, which is the limit", ptx.Plural(caller.depth, "call"))
	}
	fr, why := w.newFrame(fn, caller, w.Cur.PC)
	if why != "" {
		return stackOverflow(w, in, exec, "%s deep: %s", ptx.Plural(caller.depth+1, "call"), why)
	}
	for i := range in.x.call.args {
		passArguments(w, caller, &in.x.call.args[i], fr, &fn.formalParams[i], exec)
	}
	w.mark(fr, fn.entered, exec)
	spins := simt.NoSpin
	if fn.spins {
		spins = simt.SpinAround
	}
	w.policy.Call(&w.lanes, exec, fr, fn.start, spins)
	return actJumped
}

func stackOverflow(w *warp, in *inst, lanes Mask, format string, args ...any) action {
	w.fail(in, &Fault{Kind: StackOverflow, Lanes: lanes, Detail: ": " + fmt.Sprintf(format, args...)})
	return actFault
}

// passArguments copies one value between frames of this warp, in the lanes of exec.
func passArguments(w *warp, from *frame, src *passed, to *frame, dst *passed, exec Mask) {
	switch {
	case src.v != nil && dst.v != nil:
		n := src.v.Size
		if dst.v.Size != 0 { // else an unsized array, which takes what comes (7.1)
			n = min(n, dst.v.Size)
		}
		eachLane(exec, func(lane int) {
			copy(localBytes(w, to, dst.v, lane)[:n], localBytes(w, from, src.v, lane)[:n])
		})
	case src.bits <= 64 && len(src.regs) == 1 && len(dst.regs) == 1: // the usual case
		f, t, s, d := w.mem.At(from.off), w.mem.At(to.off), &src.regs[0], &dst.regs[0]
		eachLane(exec, func(lane int) { d.Set(t, lane, s.Get(f, lane)) })
	default:
		eachLane(exec, func(lane int) { setValue(w, to, dst, lane, valueOf(w, from, src, lane)) })
	}
}

// valueOf reads what is passed in one lane: a variable, or registers, the first element of a vector lowest.
func valueOf(w *warp, fr *frame, p *passed, lane int) (v row.Pair) {
	if p.v != nil {
		v[0], v[1] = readElement(unsafe.Pointer(&localBytes(w, fr, p.v, lane)[0]), uint32(p.v.Size), false)
		return v
	}
	f := w.mem.At(fr.off)
	if len(p.regs) == 1 {
		return p.regs[0].GetPair(f, lane)
	}
	for i := range p.regs {
		at := i * p.bits
		v[at/64] |= p.regs[i].Get(f, lane) << (at % 64)
	}
	return v
}

// setValue writes what is passed in one lane.
func setValue(w *warp, fr *frame, p *passed, lane int, v row.Pair) {
	if p.v != nil {
		writeElement(unsafe.Pointer(&localBytes(w, fr, p.v, lane)[0]), uint32(p.v.Size), v[0], v[1])
		return
	}
	f := w.mem.At(fr.off)
	if len(p.regs) == 1 {
		p.regs[0].SetPair(f, lane, v)
		return
	}
	for i := range p.regs {
		at := i * p.bits
		p.regs[i].Set(f, lane, v[at/64]>>(at%64))
	}
}

// localBytes are a variable's bytes in one lane's local memory.
func localBytes(w *warp, fr *frame, v *ptx.Var, lane int) []byte {
	off := fr.local + fr.fn.localOff[v]
	return w.localOf(lane)[off:]
}

// doRet is ret (9.7.12.6): return values are copied for the lanes that leave; in an entry the lanes exit.
func (w *warp) doRet(in *inst, exec Mask) action {
	fr := w.Cur.Frame
	if in.uniform && exec != w.Cur.Mask {
		notUniform(w, in, exec)
		return actFault
	}
	if fr.caller == nil {
		return w.doExit(exec)
	}
	rets := w.cta.grid.prog.code[fr.call].x.call.rets
	for i := range rets {
		passArguments(w, fr, &fr.fn.returns[i], fr.caller, &rets[i], exec)
	}
	w.mark(fr.caller, w.cta.grid.prog.code[fr.call].seen, exec)
	dropStack(w, exec, fr)
	w.policy.Leave(&w.lanes, exec)
	return actJumped
}

// doExit ends lanes (9.7.12.7); barriers that waited only for them are released.
func (w *warp) doExit(exec Mask) action {
	w.Live &^= exec
	w.cta.grid.state.progress = true
	w.cta.live -= exec.Count()
	if w.rec != nil {
		w.rec.Exited = exec
	}
	w.policy.Exit(&w.lanes, exec)
	w.cta.settleBarriers()
	return actJumped
}
