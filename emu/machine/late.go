package machine

import (
	"slices"
	"unsafe"
)

// Late is work of a warp that is done as late as it may be: when the warp waits for it. wgmma writes registers then,
// tcgen05.ld too, and tcgen05.st tensor memory.
type Late struct {
	Kind   LateKind
	frame  *Frame   // whose registers it uses
	writes []DstReg // those it writes
	seen   uint32   // where that is noted
	lanes  Mask     // that execute it
	Age    int      // wgmma groups committed since: 0 for products in no group yet
	Do     func(w *Warp, f unsafe.Pointer)
	Reads  *ProductReads // of products
}

type LateKind uint8

const (
	LateProduct LateKind = iota
	LateLoad
	LateStore
)

// lateWork is what a warp is still to do, in the order in which it was started.
type lateWork []Late

func (l lateWork) clone() lateWork { return slices.Clone(l) }

// Postpone notes work. The record of the step has no registers: they are not written yet.
func (w *Warp) Postpone(l Late) {
	p := w.CTA.Grid.Prog
	l.frame, l.writes, l.seen, l.lanes = w.Cur.Frame, p.Writes[w.Cur.PC], p.Marks[w.Cur.PC], w.Cur.Mask
	if w.Rec != nil {
		w.Rec.Regs = nil
	}
	w.Late = append(w.Late, l)
}

// DoLate does what is due, in the order in which it was started. Work of functions that have returned meanwhile had its
// registers there, and is dropped.
func (w *Warp) DoLate(due func(l *Late) bool) {
	w.Late = slices.DeleteFunc(w.Late, func(l Late) bool {
		if !due(&l) {
			return false
		}
		if l.Reads != nil {
			w.CTA.Grid.Flying--
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
func (w *Warp) doRecorded(l *Late) {
	g := w.CTA.Grid
	f := g.Mem.At(l.frame.Off)
	defer w.mark(l.frame, l.seen, l.lanes)
	if w.Rec == nil {
		l.Do(w, f)
		return
	}
	regs := make([]RegWrite, len(l.writes))
	for i, d := range l.writes {
		regs[i] = RegWrite{Reg: d.Reg, Elem: d.Elem, Lanes: FullMask}
		regs[i].Old, regs[i].OldHi = rowValues(g, l.frame, d.Op)
	}
	l.Do(w, f)
	for i, d := range l.writes {
		regs[i].New, regs[i].NewHi = rowValues(g, l.frame, d.Op)
	}
	w.Rec.Regs = append(w.Rec.Regs, regs...)
}

// ProductReads is what a product in shared memory is still to read.
type ProductReads struct {
	In      *Inst
	Product IssuedProduct
	around  Extent // all of it, once somebody has asked
}

// visit visits the 16-byte pieces.
func (r *ProductReads) visit(w *Warp, do func(at Extent)) {
	piece := func(addr uint32) bool {
		do(Extent{w.CTA.SharedOff + addr, w.CTA.SharedOff + addr + 16})
		return true
	}
	for _, part := range r.Product.Parts(w) {
		part.EachPiece(piece)
	}
}

func (r *ProductReads) meets(w *Warp, off, size uint32) (found bool) {
	if r.around.end == 0 {
		r.visit(w, func(at Extent) { r.around.Add(at.start, 16) })
	}
	if r.around.meets(off, size) {
		r.visit(w, func(at Extent) { found = found || at.meets(off, size) })
	}
	return found
}

// overProduct looks for a product of the warp that is still to read what an access overwrites, and notes it. Those of
// other warps do not count: a warp that has waited for its share may take the product of all four for done.
func (w *Warp) overProduct(a *laneAccess) bool {
	for i := range w.Late {
		if r := w.Late[i].Reads; r != nil && r.meets(w, a.off, a.size) {
			w.LSU.tooEarly(a, stillReads, startedAt(w.CTA.Grid, r.In, w.CTA.Index, w.Index, -1), r.In)
			return true
		}
	}
	return false
}
