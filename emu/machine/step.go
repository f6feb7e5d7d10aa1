package machine

import (
	"slices"

	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
)

// Step executes one warp instruction and returns the record of its effects. The error is a *Fault or ErrMaxSteps.
func (g *Grid) Step() (gpu.Step, error) {
	s := &g.State
	if s.finished {
		return gpu.Step{Tick: s.Tick, Done: true}, nil
	}
	if g.Fault != nil {
		return gpu.Step{Tick: s.Tick, Fault: g.Fault}, g.Fault
	}
	if g.max > 0 && s.Tick >= g.max {
		return gpu.Step{Tick: s.Tick}, gpu.ErrMaxSteps
	}
	observe(g)
	w := s.CTAs[s.Cur].Warps[s.CTAs[s.Cur].Cur]
	pc, fr := w.Cur.PC, w.Cur.Frame
	in := &g.Prog.Code[pc]
	rec := gpu.Step{Tick: s.Tick, CTA: w.CTA.id, CTAIndex: w.CTA.Index, Warp: w.Index, Func: fr.Fn.Src, Inst: in.Src,
		Active: w.Cur.Mask, Exec: in.guarded(g.Mem.At(fr.Off), w.Cur.Mask)}
	w.Rec, g.Record = &rec, recorder{Step: &rec}
	if in.Op != OpCall { // the return writes its results
		g.Record.registers(w, fr, g.Prog.Writes[pc], rec.Exec, nil)
	}
	if in.Op == OpBra {
		rec.Taken = rec.Exec
	}
	printed := len(g.Printed)
	g.passBreak = true
	_, why := g.turn(1)
	g.Record.finish(w)
	w.Rec, g.Record = nil, recorder{}
	if rec.Exec == 0 || rec.Waits != 0 || why == stopFault && rec.Fault != nil {
		rec.Regs = nil
	}
	rec.Output = string(g.Printed[printed:])
	rec.Done = s.finished
	if g.Fault != nil {
		rec.Fault = g.Fault
		return rec, g.Fault
	}
	return rec, nil
}

// RecordStack implements simt.Host.
func (w *Warp) RecordStack(push bool, gr Group) {
	if w.Rec == nil {
		return
	}
	why := gpu.Reached
	switch {
	case push:
	case gr.Mask != 0 && gr.PC != gr.RPC:
		why = gpu.Replaced
	case gr.Mask == 0 && w.Rec.Exited == 0:
		why = gpu.Returned
	case gr.Mask == 0:
		why = gpu.Exited
	}
	w.Rec.Stack = append(w.Rec.Stack, gpu.StackChange{Push: push, Why: why, Entry: w.CTA.Grid.entryView(gr)})
}

func (g *Grid) entryView(gr Group) gpu.StackEntry {
	e := gpu.StackEntry{Kind: gr.Kind, Func: gr.Frame.Fn.Src, Mask: gr.Mask, Wait: gr.Wait, For: gr.Missing}
	e.PC = g.source(gr.PC)
	e.RPC = g.source(gr.RPC)
	e.Cause = g.source(gr.Cause)
	return e
}

func (g *Grid) source(pc int32) *ptx.Inst {
	if pc == NoPC {
		return nil
	}
	return g.Prog.Code[pc].Src
}

// Warp returns a copy of a warp's state. cta is the CTA's linear index, x fastest, and warp the index in the CTA. For a
// CTA that is not resident, the copy says only which warp it is and whether it has ended.
func (g *Grid) Warp(cta, warp int) WarpView { return WarpAfter(g, cta, warp, nil) }

// WarpAfter is Grid.Warp. It shares the values of registers that are as in an earlier view, if there is one.
func WarpAfter(g *Grid, cta, warp int, last *WarpView) WarpView {
	v := WarpHead(g, cta, warp)
	if v.Resident {
		w := g.cta(cta).Warps[warp]
		v.Undefined, v.Regs = undefinedAhead(w), registers(w, last)
	}
	return v
}

// WarpHead is Warp without registers and the values that are undefined, which are most of the work where a function has
// thousands of registers.
func WarpHead(g *Grid, cta, warp int) WarpView {
	if c := g.cta(cta); c != nil && warp < len(c.Warps) {
		return c.Warps[warp].head()
	}
	return WarpView{CTA: g.Grid.Index(cta), CTAIndex: cta, Index: warp, Ended: g.startOrder(cta) < g.State.Next,
		Model: g.Dev.opts.Divergence}
}

// shownFrame is the frame whose registers are shown: that of the next instruction.
func shownFrame(w *Warp) *Frame {
	if w.Ended {
		return w.Base
	}
	return w.Cur.Frame
}

func (w *Warp) head() WarpView {
	g := w.CTA.Grid
	v := WarpView{CTA: w.CTA.id, CTAIndex: w.CTA.Index, Index: w.Index, Resident: true, Ended: w.Ended, Present: w.Present,
		Active: w.Cur.Mask, Exited: w.exited(), Carry: w.Carry, Model: g.Dev.opts.Divergence}
	v.AtBarrier, v.BarrierID = w.atBarrier()
	for _, o := range w.waits.list {
		v.Waits = append(v.Waits, Wait{o.lanes, o.In.Src})
	}
	if !w.Ended {
		v.PC = g.source(w.Cur.PC)
	}
	v.Func, v.Depth = shownFrame(w).Fn.Src, shownFrame(w).depth+1
	for _, e := range w.Policy.Entries(&w.lanes) {
		v.Stack = append(v.Stack, g.entryView(e))
	}
	return v
}

// Register returns the values of a register, of 128 bits the low half, in the function that Warp shows; nil when the
// CTA is not resident or the function does not use it.
func Register(g *Grid, cta, warp int, reg *ptx.Reg, elem int) *[32]uint64 {
	c := g.cta(cta)
	if c == nil || warp >= len(c.Warps) {
		return nil
	}
	fr := shownFrame(c.Warps[warp])
	for i := range fr.Fn.Regs {
		if slot := &fr.Fn.Regs[i]; slot.Reg == reg && slot.Elem == elem {
			lo, _ := rowValues(g, fr, row.Operand{Off: slot.Off, Bits: slot.Bits})
			return &lo
		}
	}
	return nil
}

// LocalVar returns the generic address of a .local or .param variable in the activation that Warp shows. ok is false
// where that has no such variable.
func LocalVar(g *Grid, cta, warp int, v *ptx.Var) (at Addr, ok bool) {
	if c := g.cta(cta); c != nil && warp < len(c.Warps) {
		at, ok = shownFrame(c.Warps[warp]).variable(v)
	}
	return g.Mem.Win.Local + at, ok
}

func registers(w *Warp, last *WarpView) []gpu.RegView {
	g, fr, exited := w.CTA.Grid, shownFrame(w), w.exited()
	at := sitesOf(w, fr)
	live := make([]RegSet, len(at))
	for k, o := range at {
		live[k] = g.Prog.Liveness(fr.Fn).At(o.pc)
	}
	regs := make([]gpu.RegView, len(fr.Fn.Regs))
	for i := range regs {
		slot, r := &fr.Fn.Regs[i], &regs[i]
		r.Reg, r.Elem, r.Written, r.Dead = slot.Reg, slot.Elem, writtenLanes(w, fr, slot, at), exited
		for k, o := range at {
			if !live[k].Has(int32(i)) {
				r.Dead |= o.lanes
			}
		}
		lo, hi := rowValues(g, fr, row.Operand{Off: slot.Off, Bits: slot.Bits})
		if r.Hi = hi; last != nil && i < len(last.Regs) && *last.Regs[i].Lo == lo {
			r.Lo = last.Regs[i].Lo
		} else {
			r.Lo = new(lo)
		}
	}
	return regs
}

// Shared returns the generic address of shared memory, and a copy of a CTA's shared memory: nil when the CTA is not
// resident.
func (g *Grid) Shared(cta int) (Addr, []byte) {
	if c := g.cta(cta); c != nil {
		return g.Mem.Win.Shared, append([]byte(nil), c.SharedBytes()...)
	}
	return g.Mem.Win.Shared, nil
}

// SharedVars lists the shared variables that the kernel and the functions it calls name, by offset. Unsized arrays
// (size 0) come last, where the dynamic part begins.
func (g *Grid) SharedVars() []gpu.SharedVar { return g.sharedVars }

// Local returns the generic address of local memory, and a copy of one lane's local memory: nil when its CTA is not
// resident.
func (g *Grid) Local(cta, warp, lane int) (Addr, []byte) {
	if c := g.cta(cta); c != nil && warp < len(c.Warps) {
		return g.Mem.Win.Local, slices.Clone(c.Warps[warp].localOf(lane))
	}
	return g.Mem.Win.Local, nil
}
