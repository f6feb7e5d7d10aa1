package machine

import (
	"slices"
	"unsafe"

	"warpscope/emu/row"
)

// writesLate says whether an instruction's registers are written some time after it; see Late.
func (in *Inst) writesLate() bool {
	return in.Product() != nil || in.X != nil && in.X.Late
}

// mark notes that lanes have executed an instruction, if it is outside of a straight line or the last of one.
func (in *Inst) mark(f unsafe.Pointer, lanes Mask) {
	if in.Line <= 1 {
		*row.Pred(f, in.Seen) |= uint32(lanes)
	}
}

// mark notes the same for lanes of any activation. seen is the Inst.Seen of the instruction.
func (w *Warp) mark(fr *Frame, seen uint32, lanes Mask) {
	*row.Pred(w.Mem.At(fr.Off), seen) |= uint32(lanes)
}

// laneSite is a pc of some lanes of an activation.
type laneSite struct {
	pc    int32
	lanes Mask
}

// sitesOf lists where the lanes of an activation are.
func sitesOf(w *Warp, fr *Frame) (list []laneSite) {
	var seen Mask
	for _, e := range w.Policy.Entries(&w.lanes) {
		if own := e.Mask &^ seen; own != 0 && e.Frame == fr && e.PC != NoPC {
			list = append(list, laneSite{e.PC, own})
		}
		seen |= e.Mask
	}
	return list
}

// writtenLanes returns the lanes that have written a register of an activation. at says where its lanes are.
func writtenLanes(w *Warp, fr *Frame, slot *RegSlot, at []laneSite) (lanes Mask) {
	p, f := w.CTA.Grid.Prog, w.Mem.At(fr.Off)
	if slot.Param {
		lanes = Mask(*row.Pred(f, fr.Fn.Entered))
	}
	for _, pc := range slot.Defs {
		lanes |= Mask(*row.Pred(f, p.Marks[pc]))
		for _, o := range at {
			if pc < o.pc && p.Marks[pc] == p.Marks[o.pc] { // in the middle of a straight line
				lanes |= o.lanes
			}
		}
	}
	return lanes & w.Present
}

// slotAt returns the register at an offset of an activation's frame, or nil.
func (fr *Frame) slotAt(off uint32) *RegSlot {
	if k := slices.IndexFunc(fr.Fn.Regs, func(s RegSlot) bool { return s.Off == off }); k >= 0 {
		return &fr.Fn.Regs[k]
	}
	return nil
}

// rowValues returns the values of an operand in all lanes. hi is nil unless the operand has 128 bits.
func rowValues(g *Grid, fr *Frame, o row.Operand) (lo [32]uint64, hi *[32]uint64) {
	f := g.Mem.At(fr.Off)
	lo = o.All(f)
	if o.Bits == 128 {
		hi = new(*row.U64s(f, o.Hi().Off))
	}
	return lo, hi
}
