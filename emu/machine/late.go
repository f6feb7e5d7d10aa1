package machine

import (
	"slices"

	"warpscope/gpu"
)

// Postpone keeps work of the instruction in progress for later. The step's record gets no registers: they are not
// written yet.
func (w *Warp) Postpone(l Late) {
	p := w.CTA.Grid.Prog
	l.frame, l.writes, l.seen, l.lanes = w.Cur.Frame, p.Writes[w.Cur.PC], p.Marks[w.Cur.PC], w.Cur.Mask
	if w.Rec != nil {
		w.CTA.Grid.Record.forget()
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
	defer w.mark(l.frame, l.seen, l.lanes)
	if w.Rec != nil {
		w.CTA.Grid.Record.registers(w, l.frame, l.writes, gpu.FullMask, nil)
	}
	l.Do(w, w.Mem.At(l.frame.Off))
}
