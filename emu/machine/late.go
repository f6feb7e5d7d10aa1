package machine

import (
	"slices"
	"unsafe"
)

// Late is work that a warp has postponed as long as the manual allows: until the warp waits for it. wgmma and
// tcgen05.ld write their registers then, and tcgen05.st writes tensor memory.
type Late struct {
	Kind   LateKind
	frame  *Frame   // whose registers it uses
	writes []DstReg // the registers that it writes
	seen   uint32   // offset of the word where lanes note that they have written them
	lanes  Mask     // lanes that execute it
	Age    int      // wgmma groups committed since: 0 for products in no group yet
	Do     func(w *Warp, f unsafe.Pointer)
	Reads  *ProductReads // for a product: what it still has to read
}

// LateKind says which instruction has postponed work.
type LateKind uint8

// The kinds of late work: products of wgmma, tcgen05.ld and tcgen05.st.
const (
	LateProduct LateKind = iota
	LateLoad
	LateStore
)

// lateWork is the work that a warp has postponed, in the order in which it was started.
type lateWork []Late

func (l lateWork) clone() lateWork { return slices.Clone(l) }

// Postpone keeps work of the instruction in progress for later. The step's record gets no registers: they are not
// written yet.
func (w *Warp) Postpone(l Late) {
	p := w.CTA.Grid.Prog
	l.frame, l.writes, l.seen, l.lanes = w.Cur.Frame, p.Writes[w.Cur.PC], p.Marks[w.Cur.PC], w.Cur.Mask
	if w.Rec != nil {
		w.Rec.Regs = nil
	}
	w.Late = append(w.Late, l)
}

// DoLate does the work that is due, in the order in which it was started. It drops work of functions that have returned
// meanwhile, because its registers no longer exist.
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

// doRecorded does late work and records the registers that it changes.
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

// ProductReads is what a product still has to read from shared memory.
type ProductReads struct {
	In      *Inst
	Product IssuedProduct
	around  Extent // holds all of it, once an access has asked
}

// visit calls do for each 16-byte piece.
func (r *ProductReads) visit(w *Warp, do func(at Extent)) {
	piece := func(addr uint32) bool {
		do(Extent{w.CTA.SharedOff + addr, w.CTA.SharedOff + addr + 16})
		return true
	}
	for _, part := range r.Product.Parts(w) {
		part.EachPiece(piece)
	}
}

// meets says whether the product still has to read some of size bytes at an arena offset.
func (r *ProductReads) meets(w *Warp, off, size uint32) (found bool) {
	if r.around.end == 0 {
		r.visit(w, func(at Extent) { r.around.Add(at.start, 16) })
	}
	if r.around.meets(off, size) {
		r.visit(w, func(at Extent) { found = found || at.meets(off, size) })
	}
	return found
}

// overProduct looks for a product of the warp that still has to read what an access overwrites, and notes the access.
// Products of other warps do not count: a warp that has waited for its share can take the product of all four warps for
// done.
func (w *Warp) overProduct(a *laneAccess) bool {
	for i := range w.Late {
		if r := w.Late[i].Reads; r != nil && r.meets(w, a.off, a.size) {
			w.LSU.tooEarly(a, stillReads, startedAt(w.CTA.Grid, r.In, w.CTA.Index, w.Index, -1), r.In)
			return true
		}
	}
	return false
}
