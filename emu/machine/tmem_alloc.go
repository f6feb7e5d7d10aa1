package machine

import (
	"fmt"
	"unsafe"
)

// Partner returns the other CTA of the pair: their ranks differ in the last bit (9.7.18.5.1). It is nil when the
// cluster has none, or when it has ended.
func (c *CTA) Partner() *CTA { return c.Peer(c.Rank() ^ 1) }

// SameTensor says whether operations work on the tensor memory of one CTA, or of one pair.
func SameTensor(g *Grid, a, b *AsyncOp) bool {
	return a.CTA == b.CTA || (a.Pair || b.Pair) && g.cta(a.CTA).Partner() == g.cta(b.CTA)
}

// The requests.
const (
	RequestColumns   TensorRequest = iota // tcgen05.alloc
	FreeColumns                           // tcgen05.dealloc
	RelinquishPermit                      // tcgen05.relinquish_alloc_permit
)

// AtTensor returns the wait of a warp at tensor memory, or nil.
func (w *Warp) AtTensor() *Waiting {
	for i := range w.waits.list {
		if w.waits.list[i].At == AtTensor {
			return &w.waits.list[i]
		}
	}
	return nil
}

// Party is a warp that waits to allocate or free columns.
type Party struct {
	W *Warp
	O *Waiting
}

// Frame returns the frame of its operands, where it is now: memory can have grown.
func (p Party) Frame() unsafe.Pointer { return p.W.Mem.At(p.O.frame.Off) }

// Parties returns the warp and, for a pair, a warp of the other CTA that waits to do the same. missing says that there
// is no such warp.
func (v *TensorAlloc) Parties(w *Warp, o *Waiting) (list []Party, missing bool) {
	self := Party{w, o}
	list = []Party{self}
	if !v.Pair {
		return list, false
	}
	p := w.CTA.Partner()
	if p == nil {
		return list, true
	}
	for _, ow := range p.Warps {
		if oo := ow.AtTensor(); oo != nil {
			other, u := Party{ow, oo}, oo.In.X.Tensor
			if u.Pair && u.Does == v.Does && u.Exclusive == v.Exclusive && u.Operand(other.Frame()) == v.Operand(self.Frame()) {
				return append(list, other), false
			}
		}
	}
	return list, true
}

// Operand returns the operands that both CTAs of a pair must agree on.
func (v *TensorAlloc) Operand(f unsafe.Pointer) (is [2]uint64) {
	if v.Columns.Bits != 0 {
		is[0] = v.Columns.Get(f, 0)
	}
	if v.Addr.Bits != 0 {
		is[1] = v.Addr.Get(f, 0)
	}
	return is
}

// awaits describes what a warp waits for.
func (v *TensorAlloc) awaits(w *Warp, o *Waiting) string {
	if _, missing := v.Parties(w, o); missing {
		return fmt.Sprintf("warp %d waits in `%s` for a warp of the other CTA of the pair to do the same", w.Index,
			o.In.Src.Opcode)
	}
	what := fmt.Sprintf("%d columns of tensor memory are free", v.Operand(Party{w, o}.Frame())[0])
	switch {
	case v.Exclusive:
		what = "there is no other allocation of tensor memory"
	case w.CTA.Tensor.Exclusive:
		what = "the exclusive allocation of tensor memory is freed"
	}
	return fmt.Sprintf("warp %d waits in `%s` until %s", w.Index, o.In.Src.Opcode, what)
}
