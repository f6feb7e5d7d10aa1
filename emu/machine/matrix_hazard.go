package machine

import (
	"fmt"
	"slices"

	"warpscope/emu/causes"
)

// The registers of wgmma.mma_async, the fragments of D and A, have rules (9.7.17.7.1, 9.7.17.7.3). No thread uses them
// before wgmma.wait_group has waited for the product. A wgmma.fence separates a product from other instructions that
// use them before it. Products of the same shape that add to one D need no fence between them.
//
// Lowering marks the instructions that use such registers, so that only these check.

// Product returns the product of a wgmma.mma_async, or nil.
func (in *Inst) Product() *GroupProduct {
	if in.X == nil {
		return nil
	}
	return in.X.Group
}

// checkHeld looks at the instruction at pc, which uses registers of products. It notes a use that comes too early, and
// remembers the use for later products.
func checkHeld(w *Warp, in *Inst, pc int32) {
	list := w.CTA.Grid.Prog.Held.Users[pc]
	for i := range w.Late {
		l := &w.Late[i]
		if l.Kind != LateProduct || l.frame != w.Cur.Frame {
			continue
		}
		p := l.Reads.Product
		for _, n := range list {
			if slices.Contains(p.HoldsD, n) || slices.Contains(p.HoldsA, n) {
				tooEarlyForProduct(w, in, p.In, n)
				break
			}
		}
	}
	for _, n := range list {
		NoteProductUse(w, n, in)
	}
}

// tooEarlyForProduct notes the first instruction that uses a register of a product before a wait has covered it.
func tooEarlyForProduct(w *Warp, in, product *Inst, n int32) {
	g := w.CTA.Grid
	at := g.Position(product.Src)
	if slices.ContainsFunc(g.findings, func(f noted) bool { return f.cause == causes.Early && f.Other == at }) {
		return
	}
	w.NoteWith(in, causes.Early, product, fmt.Sprintf("`%s` in warp %d uses %s, a register of `%s` of line %d: before "+
		"wgmma.wait_group has waited for its group, that is undefined", in.Src.Opcode, w.Index, g.Prog.Held.Names[n],
		product.Src.Opcode, at.Line))
}

// NoteProductUse remembers an instruction as the last user of register n of HeldRegs.
func NoteProductUse(w *Warp, n int32, in *Inst) {
	if w.Wgmma.Users == nil {
		w.Wgmma.Users = make([]*Inst, len(w.CTA.Grid.Prog.Held.Names))
	}
	w.Wgmma.Users[n] = in
}
