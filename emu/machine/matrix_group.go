package machine

import (
	"slices"

	"warpscope/emu/matrix"
	"warpscope/emu/row"
)

// wgmma: products of four warps (9.7.17). Each warp has 16 of the 64 rows of A and D in fragments like those of mma,
// and B is in shared memory, so a warp can do its part alone.
//
// A product may be computed at any time until the warp has waited for its group. Here that is as late as possible, in
// wgmma.wait_group, where shared memory and the fragments are read and D is written: a program that does not wait, or
// changes its matrices too early, sees a wrong result every time. A missing wgmma.fence is a finding; see
// matrix_hazard.go. Descriptors, metadata and scale-d are read at once.

// GroupProduct is wgmma.mma_async, the part of one warp.
type GroupProduct struct {
	Product
	DescA, DescB   row.Operand
	InMemory       bool // A
	TransA, TransB bool
	NegA, NegB     bool
	ScaleD         row.Operand
	HoldsD, HoldsA []int32 // registers, see HeldRegs
}

// groupUse is what a warp has done with wgmma.
type groupUse struct {
	Fences   int64   // wgmma.fence that it has executed
	Products int64   // that it has issued with wgmma.mma_async
	Users    []*Inst // of registers of products, since the last wgmma.fence; see HeldRegs
}

func (u groupUse) clone() groupUse {
	u.Users = slices.Clone(u.Users)
	return u
}

// AheadOfGroup says whether another warp of the warpgroup has executed fewer fences.
func (w *Warp) AheadOfGroup() bool {
	first := w.Index &^ 3
	return slices.ContainsFunc(w.CTA.Warps[first:min(first+4, len(w.CTA.Warps))], func(p *Warp) bool {
		return !p.Ended && p.Wgmma.Fences < w.Wgmma.Fences
	})
}

// SettleGroups lets warps go on whose warpgroups have met.
func (c *CTA) SettleGroups() {
	for _, w := range c.Warps {
		if w.Wgmma.Fences > 0 && !w.AheadOfGroup() {
			w.EndWaits(func(o *Waiting) bool { return o.At == AtGroup })
		}
	}
}

// IssuedProduct is a product with the operands that were read when it was issued.
type IssuedProduct struct {
	*GroupProduct
	A, B       matrix.Descriptor
	Accumulate bool
	Columns    []uint8 // of the stored elements of a sparse A
	In         *Inst
	Number     int64 // products that the warp has issued
}

// Parts are what a warp's product needs of shared memory.
func (n *IssuedProduct) Parts(w *Warp) []SmemRead {
	p := n.GroupProduct
	list := []SmemRead{{n.B, 0, p.B.Rows, p.B.Cols}}
	if p.InMemory {
		list = append(list, SmemRead{n.A, w.Index % 4 * 16, 16, p.A.Cols})
	}
	return list
}

// GroupReads is what a product has read from shared memory: the first warp of a warpgroup that waits for it reads for
// all four, since the product is one operation, and is complete for all of them then (9.7.17.7.3).
type GroupReads struct {
	First int // warp of the group
	Of    IssuedProduct
	A, B  []uint64
	Left  uint8 // warps that are still to take it
}

func (r *GroupReads) cost() int64 { return sizeOf(r) + sliceBytes(r.A) + sliceBytes(r.B) }
