package machine

import (
	"slices"
)

// wgmma computes products of four warps (9.7.17). Each warp has 16 of the 64 rows of A and D, in fragments like those
// of mma. B is in shared memory, so a warp can do its part alone.
//
// A product can be computed at any time until the warp has waited for its group. Here that is as late as possible, in
// wgmma.wait_group: shared memory and the fragments are read and D is written then. A program that does not wait, or
// that changes its matrices too early, sees a wrong result every time. A missing wgmma.fence is a finding; see
// matrix_hazard.go. Descriptors, metadata and scale-d are read at once.

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

// Parts lists what the warp's product reads from shared memory.
func (n *IssuedProduct) Parts(w *Warp) []SmemRead {
	p := n.GroupProduct
	list := []SmemRead{{n.B, 0, p.B.Rows, p.B.Cols}}
	if p.InMemory {
		list = append(list, SmemRead{n.A, w.Index % 4 * 16, 16, p.A.Cols})
	}
	return list
}
