package emu

import (
	"slices"

	"warpscope/ptx"
)

// recorder notes what a step does besides the accesses of its own lanes: what asynchronous operations write, and which
// mbarrier objects change. Without a step to record it does nothing.
type recorder struct{ step *Step }

// memory makes a change of size bytes at an arena offset, and notes it.
func (r recorder) memory(g *Grid, off, size uint32, lane int, change func()) {
	g.mem.Touch(off, size)
	g.dev.shadow.wrote(off, size)
	g.state.progress = true
	if r.step == nil {
		change()
		return
	}
	bytes := g.mem.Bytes(off, size)
	old := slices.Clone(bytes)
	change()
	space, addr := g.place(r.step.CTAIndex, off)
	r.step.Mem = append(r.step.Mem, MemWrite{Space: space, Addr: addr, Lane: lane, Old: old, New: slices.Clone(bytes)})
}

// mbarrier notes the state of an object; only the last one of a step counts.
func (r recorder) mbarrier(v MbarrierView) {
	if r.step == nil {
		return
	}
	i := slices.IndexFunc(r.step.Mbarriers, func(o MbarrierView) bool { return o.CTA == v.CTA && o.Addr == v.Addr })
	if i < 0 {
		r.step.Mbarriers = append(r.step.Mbarriers, v)
		return
	}
	r.step.Mbarriers[i] = v
}

// place is the generic address of an arena offset in shared or global memory, as the threads of a CTA see it.
func (g *Grid) place(cta int, off uint32) (ptx.Space, Addr) {
	if c := ownerOfShared(g, off); c != nil {
		return ptx.SharedSpace, g.mem.Win.Shared + Addr(off-c.sharedOff) + g.rankOffset(cta, c)
	}
	return ptx.GlobalSpace, g.mem.Addr(off)
}
