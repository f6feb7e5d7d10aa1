package machine

import (
	"fmt"

	"warpscope/emu/row"
	"warpscope/gpu"
)

// Edit changes a register of the activation whose registers Warp shows, or memory. The error says why it cannot: the
// CTA is not resident, the register is not one of the activation's, or the bytes are outside of the memory.
func (g *Grid) Edit(e gpu.Edit) error {
	c := g.cta(e.CTA)
	if c == nil || e.Warp >= len(c.Warps) {
		return fmt.Errorf("CTA %d is not running", e.CTA)
	}
	w := c.Warps[e.Warp]
	c.edited, c.twin = true, nil
	if e.Reg == nil {
		return w.editMemory(&e)
	}
	if w.Ended {
		return fmt.Errorf("warp %d has ended: its registers are not used any more", e.Warp)
	}
	fr := w.Cur.Frame
	for i := range fr.Fn.Regs {
		slot := &fr.Fn.Regs[i]
		if slot.Reg != e.Reg || slot.Elem != e.Elem && (slot.Elem > 0 || e.Elem > 0) {
			continue
		}
		o := row.Operand{Off: slot.Off, Bits: slot.Bits}
		o.SetPair(g.Mem.At(fr.Off), e.Lane, row.Pair{e.Value, e.Hi})
		g.Mem.Touch(fr.Off, fr.Fn.Frame)
		g.State.Progress = true
		return nil
	}
	return fmt.Errorf("%s is not a register of %s", e.Reg.Name, fr.Fn.Src.Name)
}

// editMemory writes bytes of shared, local or device memory.
func (w *Warp) editMemory(e *gpu.Edit) error {
	g, n := w.CTA.Grid, uint64(len(e.Bytes))
	within := func(base Addr, bytes []byte) bool {
		if e.Addr < base || e.Addr+n > base+uint64(len(bytes)) {
			return false
		}
		copy(bytes[e.Addr-base:], e.Bytes)
		return true
	}
	g.State.Progress = true
	switch {
	case within(g.Mem.Win.Shared, w.CTA.SharedBytes()):
		off := w.CTA.SharedOff + uint32(e.Addr-g.Mem.Win.Shared)
		g.Mem.Touch(off, uint32(n))
		g.Dev.Shadow.Wrote(off, uint32(n))
		return nil
	case within(g.Mem.Win.Local, w.localOf(e.Lane)):
		w.Local.touch(g.Mem)
		return nil
	}
	err := g.Dev.Write(e.Addr, e.Bytes)
	argumentsChanged(g)
	return err
}
