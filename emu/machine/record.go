package machine

import (
	"slices"

	"warpscope/ptx"
)

// recorder records what a step does besides the accesses of its own lanes: the memory that asynchronous operations
// write, and the mbarrier objects that change. Without a step to record it records nothing.
type recorder struct{ Step *Step }

// Memory makes a change of size bytes at an arena offset by calling change, marks them as written, and records them as
// a store of a lane.
func (r recorder) Memory(g *Grid, off, size uint32, lane int, change func()) {
	g.Mem.Touch(off, size)
	g.Dev.Shadow.Wrote(off, size)
	g.State.Progress = true
	if r.Step == nil {
		change()
		return
	}
	bytes := g.Mem.Bytes(off, size)
	old := slices.Clone(bytes)
	change()
	space, addr := g.place(r.Step.CTAIndex, off)
	r.Step.Mem = append(r.Step.Mem, MemWrite{Space: space, Addr: addr, Lane: lane, Old: old, New: slices.Clone(bytes)})
}

// Mbarrier records the state of an object. Only its last state in a step counts.
func (r recorder) Mbarrier(v MbarrierView) {
	if r.Step == nil {
		return
	}
	i := slices.IndexFunc(r.Step.Mbarriers, func(o MbarrierView) bool { return o.CTA == v.CTA && o.Addr == v.Addr })
	if i < 0 {
		r.Step.Mbarriers = append(r.Step.Mbarriers, v)
		return
	}
	r.Step.Mbarriers[i] = v
}

// place returns the space of an arena offset in shared or global memory, and its generic address as the threads of a
// CTA see it.
func (g *Grid) place(cta int, off uint32) (ptx.Space, Addr) {
	if c := OwnerOfShared(g, off); c != nil {
		return ptx.SharedSpace, g.Mem.Win.Shared + Addr(off-c.SharedOff) + g.rankOffset(cta, c)
	}
	return ptx.GlobalSpace, g.Mem.Addr(off)
}
