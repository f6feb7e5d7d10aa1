package emu

import (
	"slices"

	"warpscope/emu/row"
	"warpscope/ptx"
)

// Step executes one warp instruction and returns the record of its effects.
func (g *Grid) Step() (Step, error) {
	s := &g.state
	if s.finished {
		return Step{Tick: s.tick, Done: true}, nil
	}
	if g.fault != nil {
		return Step{Tick: s.tick, Fault: g.fault}, g.fault
	}
	if g.max > 0 && s.tick >= g.max {
		return Step{Tick: s.tick}, ErrMaxSteps
	}
	w := s.ctas[s.cur].warps[s.ctas[s.cur].cur]
	pc, fr := w.Cur.PC, w.Cur.Frame
	in := &g.prog.code[pc]
	f := g.mem.At(fr.off)
	rec := Step{Tick: s.tick, CTA: w.cta.id, CTAIndex: w.cta.index, Warp: w.index, Func: fr.fn.src, Inst: in.src,
		Active: w.Cur.Mask, Exec: in.guarded(f, w.Cur.Mask)}
	writes := g.prog.writes[pc]
	rec.Regs = make([]RegWrite, len(writes))
	for i, d := range writes {
		rec.Regs[i] = RegWrite{Reg: d.reg, Elem: d.elem, Lanes: rec.Exec}
		rec.Regs[i].Old, rec.Regs[i].OldHi = rowValues(g, fr, d.op)
	}
	if in.op == opBra {
		rec.Taken = rec.Exec
	}
	before := len(g.output)
	w.rec, g.record.step = &rec, &rec
	g.passBreak = true
	_, why := g.turn(1)
	w.rec, g.record.step = nil, nil
	for i := range rec.Mem {
		if rec.Mem[i].Space == clusterSpace {
			rec.Mem[i].Space = ptx.SharedSpace
		}
	}
	for i, d := range writes[:min(len(writes), len(rec.Regs))] {
		rec.Regs[i].New, rec.Regs[i].NewHi = rowValues(g, fr, d.op)
	}
	if rec.Exec == 0 || rec.Waits != 0 || why == stopFault && rec.Fault != nil {
		rec.Regs = nil
	}
	rec.Output = string(g.output[before:])
	rec.Done = s.finished
	if g.fault != nil {
		rec.Fault = g.fault
		return rec, g.fault
	}
	return rec, nil
}

// rowValues are the values of an operand in all lanes; hi is nil unless it has 128 bits.
func rowValues(g *Grid, fr *frame, o row.Operand) (lo [32]uint64, hi *[32]uint64) {
	f := g.mem.At(fr.off)
	o.Mask, o.Neg = ^uint64(0), false
	for lane := range 32 {
		lo[lane] = o.Get(f, lane)
	}
	if o.Bits == 128 {
		v := *row.U64s(f, o.Hi().Off)
		hi = &v
	}
	return lo, hi
}

// RecordStack implements simt.Host.
func (w *warp) RecordStack(push bool, gr group) {
	if w.rec == nil {
		return
	}
	why := Reached
	switch {
	case push:
	case gr.Mask != 0 && gr.PC != gr.RPC:
		why = Replaced
	case gr.Mask == 0 && w.rec.Exited == 0:
		why = Returned
	case gr.Mask == 0:
		why = Exited
	}
	w.rec.Stack = append(w.rec.Stack, StackChange{Push: push, Why: why, Entry: w.cta.grid.entryView(gr)})
}

func (g *Grid) entryView(gr group) StackEntry {
	e := StackEntry{Kind: gr.Kind, Func: gr.Frame.fn.src, Mask: gr.Mask, Wait: gr.Wait, For: gr.Missing}
	e.PC = g.source(gr.PC)
	e.RPC = g.source(gr.RPC)
	e.Cause = g.source(gr.Cause)
	return e
}

func (g *Grid) source(pc int32) *ptx.Inst {
	if pc == noPC {
		return nil
	}
	return g.prog.code[pc].src
}

// Warp is a copy of a warp's state. CTAs are numbered with x fastest.
func (g *Grid) Warp(cta, warp int) WarpView {
	if c := g.cta(cta); c != nil && warp < len(c.warps) {
		return c.warps[warp].view()
	}
	return WarpView{CTA: g.grid.Index(cta), CTAIndex: cta, Index: warp, Ended: g.turnOf(cta) < g.state.next,
		Model: g.dev.opts.Divergence}
}

func (w *warp) view() WarpView {
	g := w.cta.grid
	v := WarpView{CTA: w.cta.id, CTAIndex: w.cta.index, Index: w.index, Resident: true, Ended: w.Ended, Present: w.present,
		Active: w.Cur.Mask, Exited: w.exited(), Model: g.dev.opts.Divergence}
	v.AtBarrier, v.BarrierID = w.atBarrier()
	fr := w.base
	if !w.Ended {
		fr = w.Cur.Frame
		v.PC = g.source(w.Cur.PC)
	}
	v.Func, v.Undefined = fr.fn.src, undefinedAhead(w)
	for _, e := range w.policy.Entries(&w.lanes) {
		v.Stack = append(v.Stack, g.entryView(e))
	}
	at := sitesOf(w, fr)
	for i := range fr.fn.regs {
		slot := &fr.fn.regs[i]
		r := RegView{Reg: slot.reg, Elem: slot.elem, Written: writtenLanes(w, fr, slot, at)}
		r.Lo, r.Hi = rowValues(g, fr, row.Operand{Off: slot.off, Bits: slot.bits})
		v.Regs = append(v.Regs, r)
	}
	return v
}

// Shared is a copy of a resident CTA's shared memory and its generic address.
func (g *Grid) Shared(cta int) (Addr, []byte) {
	if c := g.cta(cta); c != nil {
		return g.mem.Win.Shared, append([]byte(nil), c.sharedBytes()...)
	}
	return g.mem.Win.Shared, nil
}

// SharedVars are the shared variables that the kernel and what it calls name, in the order of their places. Unsized
// arrays (Size 0) come last and stand where the dynamic part begins.
func (g *Grid) SharedVars() []SharedVar { return g.sharedVars }

// Local is a copy of one lane's local memory and its generic address.
func (g *Grid) Local(cta, warp, lane int) (Addr, []byte) {
	if c := g.cta(cta); c != nil && warp < len(c.warps) {
		return g.mem.Win.Local, slices.Clone(c.warps[warp].localOf(lane))
	}
	return g.mem.Win.Local, nil
}
