package emu

import (
	"strings"
	"unsafe"

	"warpscope/emu/row"
)

// Which lanes have written a register? Lanes read zero from a register that they have never written, and people want to
// know. A frame has a word, one bit a lane, for each straight line of code that writes registers, and for each other
// instruction that does: lanes that have been there leave their bits. So it is known for each lane, each activation and
// at any time, and frames carry it through snapshots, for one OR a line.

// markWrites makes room for these words. Lines are those of markLines without breakpoints; one that is left in the middle
// has left no bits yet, see written.
func (p *program) markWrites() {
	p.marks = make([]uint32, len(p.code))
	markLines(p.code, p.marks)
	for _, fn := range p.funcs {
		if !fn.src.Defined {
			continue
		}
		word := func() uint32 {
			fn.frame += 4
			return fn.frame - 4
		}
		fn.entered = word()
		for pc := fn.start; pc <= fn.end; {
			next := pc + max(p.code[pc].line, 1)
			mark := uint32(0)
			for i := pc; i < next; i++ {
				if len(p.writes[i]) > 0 && mark == 0 {
					mark = word()
				}
			}
			for ; pc < next; pc++ {
				p.marks[pc] = mark
			}
		}
		fn.frame = uint32(alignUp(int64(fn.frame), 8))
	}
	for _, x := range p.indexed {
		x.inner.seen = p.marks[x.pc]
	}
	markLines(p.code, p.marks)
}

// writesLate says whether an instruction's registers are written some time after it: see late.
func (in *inst) writesLate() bool {
	return in.product() != nil || in.src != nil && strings.HasPrefix(in.src.Opcode, "tcgen05.ld")
}

// mark is left by lanes that have executed an instruction outside of a line, or the last one of a line.
func (in *inst) mark(f unsafe.Pointer, lanes Mask) {
	if in.line <= 1 {
		*row.Pred(f, in.seen) |= uint32(lanes)
	}
}

// mark does the same for lanes of any activation.
func (w *warp) mark(fr *frame, seen uint32, lanes Mask) {
	*row.Pred(w.mem.At(fr.off), seen) |= uint32(lanes)
}

// laneSite is where lanes of an activation are.
type laneSite struct {
	pc    int32
	lanes Mask
}

// sitesOf are those of a frame's lanes.
func sitesOf(w *warp, fr *frame) (list []laneSite) {
	var seen Mask
	for _, e := range w.policy.Entries(&w.lanes) {
		if own := e.Mask &^ seen; own != 0 && e.Frame == fr && e.PC != noPC {
			list = append(list, laneSite{e.PC, own})
		}
		seen |= e.Mask
	}
	return list
}

// writtenLanes is the lanes that have written a register of a frame whose lanes are at these places.
func writtenLanes(w *warp, fr *frame, slot *regSlot, at []laneSite) (lanes Mask) {
	p, f := w.cta.grid.prog, w.mem.At(fr.off)
	if slot.param {
		lanes = Mask(*row.Pred(f, fr.fn.entered))
	}
	for _, pc := range slot.defs {
		lanes |= Mask(*row.Pred(f, p.marks[pc]))
		for _, o := range at {
			if pc < o.pc && p.marks[pc] == p.marks[o.pc] { // in the middle of a line
				lanes |= o.lanes
			}
		}
	}
	return lanes & w.present
}
