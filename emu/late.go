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
	age    int      // wgmma groups committed since: 0 for products in no group yet
	do     func(w *warp, f unsafe.Pointer)
}

type lateKind uint8

const (
	lateProduct lateKind = iota
	lateLoad
	lateStore
)

// postpone notes work. The record of the step has no registers: they are not written yet.
func (w *warp) postpone(l late) {
	l.frame, l.writes = w.cur.frame, w.cta.grid.prog.writes[w.cur.pc]
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
		for fr := w.cur.frame; fr != nil; fr = fr.caller {
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
	f := g.dev.arena.at(l.frame.off)
	if w.rec == nil {
		l.do(w, f)
		return
	}
	regs := make([]RegWrite, len(l.writes))
	for i, d := range l.writes {
		regs[i] = RegWrite{Reg: d.reg, Elem: d.elem, Lanes: FullMask}
		regs[i].Old, regs[i].OldHi = g.rowValues(l.frame, d.op)
	}
	l.do(w, f)
	for i, d := range l.writes {
		regs[i].New, regs[i].NewHi = g.rowValues(l.frame, d.op)
	}
	w.rec.Regs = append(w.rec.Regs, regs...)
}
