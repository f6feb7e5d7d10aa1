package machine

import (
	"slices"

	"warpscope/emu/matrix"
	"warpscope/emu/row"
)

// wgmma computes products of four warps (9.7.17). Each warp has 16 of the 64 rows of A and D, in fragments like those
// of mma. B is in shared memory, so a warp can do its part alone.
//
// A product can be computed at any time until the warp has waited for its group. Here that is as late as possible, in
// wgmma.wait_group: shared memory and the fragments are read and D is written then. A program that does not wait, or
// that changes its matrices too early, sees a wrong result every time. A missing wgmma.fence is a finding; see
// matrix_hazard.go. Descriptors, metadata and scale-d are read at once.

// GroupProduct is wgmma.mma_async: the part of one warp.
type GroupProduct struct {
	Product
	DescA, DescB   row.Operand
	InMemory       bool // A is in shared memory, else in registers
	TransA, TransB bool
	NegA, NegB     bool
	ScaleD         row.Operand
	HoldsD, HoldsA []int32 // registers, see HeldRegs
}

// groupUse is what a warp has done with wgmma.
type groupUse struct {
	Fences   int64   // how many wgmma.fence it has executed
	Products int64   // how many wgmma.mma_async it has executed
	Users    []*Inst // by register of HeldRegs: the last use since the last wgmma.fence
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

// SettleGroups lets the warps go on whose warpgroups are complete at their wgmma.fence.
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
	Number     int64 // products that the warp has issued up to this one
}

// Parts lists what the warp's product reads from shared memory.
func (n *IssuedProduct) Parts(w *Warp) []SmemRead {
	p := n.GroupProduct
	list := []SmemRead{{n.B, 0, p.B.Rows, p.B.Cols}}
	if p.InMemory {
		list = append(list, SmemRead{n.A, w.Index % 4 * 16, 16, p.A.Cols})
	}
	return list
}

// GroupReads is what a product has read from shared memory. The first warp of a warpgroup that waits for the product
// reads for all four: the product is one operation, and it is then complete for all of them (9.7.17.7.3).
type GroupReads struct {
	First int // index of the warpgroup's first warp
	Of    IssuedProduct
	A, B  []uint64
	Left  uint8 // warps that still have to take it
}

func (r *GroupReads) cost() int64 { return sizeOf(r) + sliceBytes(r.A) + sliceBytes(r.B) }
