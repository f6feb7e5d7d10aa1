package emu

import (
	"slices"
	"unsafe"
)

// late is work of a warp that is done as late as it may be: when the warp waits for it. wgmma writes registers then,
// tcgen05.ld too, and tcgen05.st tensor memory.
type late struct {
	kind   lateKind
	frame  *frame   // whose registers it uses
	writes []dstReg // those it writes
	seen   uint32   // where that is noted
	lanes  Mask     // that execute it
	age    int      // wgmma groups committed since: 0 for products in no group yet
	do     func(w *warp, f unsafe.Pointer)
	reads  *productReads // of products
}

type lateKind uint8

const (
	lateProduct lateKind = iota
	lateLoad
	lateStore
)

// lateWork is what a warp is still to do, in the order in which it was started.
type lateWork []late

func (l lateWork) clone() lateWork { return slices.Clone(l) }

// postpone notes work. The record of the step has no registers: they are not written yet.
func (w *warp) postpone(l late) {
	p := w.cta.grid.prog
	l.frame, l.writes, l.seen, l.lanes = w.Cur.Frame, p.writes[w.Cur.PC], p.marks[w.Cur.PC], w.Cur.Mask
	if w.rec != nil {
		w.rec.Regs = nil
	}
	w.late = append(w.late, l)
}

// doLate does what is due, in the order in which it was started. Work of functions that have returned meanwhile had its
// registers there, and is dropped.
func (w *warp) doLate(due func(l *late) bool) {
	w.late = slices.DeleteFunc(w.late, func(l late) bool {
		if !due(&l) {
			return false
		}
		if l.reads != nil {
			w.cta.grid.flying--
		}
		for fr := w.Cur.Frame; fr != nil; fr = fr.caller {
			if fr == l.frame {
				w.doRecorded(&l)
			}
		}
		return true
	})
}

// doRecorded notes the registers that work changes.
func (w *warp) doRecorded(l *late) {
	g := w.cta.grid
	f := g.mem.At(l.frame.off)
	defer w.mark(l.frame, l.seen, l.lanes)
	if w.rec == nil {
		l.do(w, f)
		return
	}
	regs := make([]RegWrite, len(l.writes))
	for i, d := range l.writes {
		regs[i] = RegWrite{Reg: d.reg, Elem: d.elem, Lanes: FullMask}
		regs[i].Old, regs[i].OldHi = rowValues(g, l.frame, d.op)
	}
	l.do(w, f)
	for i, d := range l.writes {
		regs[i].New, regs[i].NewHi = rowValues(g, l.frame, d.op)
	}
	w.rec.Regs = append(w.rec.Regs, regs...)
}

// productReads is what a product in shared memory is still to read.
type productReads struct {
	in      *inst
	product issuedProduct
	around  extent // all of it, once somebody has asked
}

// visit visits the 16-byte pieces.
func (r *productReads) visit(w *warp, do func(at extent)) {
	piece := func(addr uint32) bool {
		do(extent{w.cta.sharedOff + addr, w.cta.sharedOff + addr + 16})
		return true
	}
	for _, part := range r.product.parts(w) {
		part.chunks(piece)
	}
}

func (r *productReads) meets(w *warp, off, size uint32) (found bool) {
	if r.around.end == 0 {
		r.visit(w, func(at extent) { r.around.add(at.start, 16) })
	}
	if r.around.meets(off, size) {
		r.visit(w, func(at extent) { found = found || at.meets(off, size) })
	}
	return found
}

// overProduct looks for a product of the warp that is still to read what an access overwrites, and notes it. Those of
// other warps do not count: a warp that has waited for its share may take the product of all four for done.
func (w *warp) overProduct(a *laneAccess) bool {
	for i := range w.late {
		if r := w.late[i].reads; r != nil && r.meets(w, a.off, a.size) {
			w.lsu.tooEarly(a, stillReads, startedAt(w.cta.grid, r.in, w.cta.index, w.index, -1), r.in)
			return true
		}
	}
	return false
}
