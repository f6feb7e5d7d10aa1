package machine

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/gpu"
	"warpscope/ptx"
)

// registers records registers that lanes are about to write, and where a call or a return takes the values from.
func (r *recorder) registers(w *Warp, fr *Frame, writes []DstReg, lanes Mask, from []gpu.Place) {
	at := sitesOf(w, fr)
	for _, d := range writes {
		reg := gpu.RegWrite{Reg: d.Reg, Elem: d.Elem, Lanes: lanes, Depth: fr.depth + 1, From: from}
		reg.Old, reg.OldHi = rowValues(w.CTA.Grid, fr, d.Op)
		if slot := fr.slotAt(d.Op.Off); slot != nil {
			reg.Known = lanes & writtenLanes(w, fr, slot, at)
		}
		r.Step.Regs, r.regs = append(r.Step.Regs, reg), append(r.regs, writing{fr, d.Op})
	}
}

// finish records what a step has written: the registers, and the variables that got values from another activation.
func (r *recorder) finish(w *Warp) {
	for i, o := range r.regs {
		reg := &r.Step.Regs[i]
		reg.New, reg.NewHi = rowValues(w.CTA.Grid, o.fr, o.op)
	}
	for i := range r.Step.Mem {
		m := &r.Step.Mem[i]
		if m.Space == ClusterSpace {
			m.Space = ptx.SharedSpace
		}
		if m.New == nil {
			m.New = slices.Clone(w.localOf(m.Lane)[m.Addr-w.Mem.Win.Local:][:len(m.Old)])
		}
	}
}

// forget drops the registers of a step that does not write them.
func (r *recorder) forget() { r.Step.Regs, r.regs = nil, nil }

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
	r.Step.Mem = append(r.Step.Mem, gpu.MemWrite{Space: space, Addr: addr, Lane: lane, Old: old, New: slices.Clone(bytes)})
}

// from notes where the change of memory that was recorded last comes from: size bytes at an arena offset.
func (r recorder) from(g *Grid, off, size uint32) {
	if r.Step != nil && size > 0 {
		_, addr := g.place(r.Step.CTAIndex, off)
		r.Step.Mem[len(r.Step.Mem)-1].From = []gpu.Place{{Addr: addr, Size: int(size)}}
	}
}

// Mbarrier records the state of an object. Only its last state in a step counts.
func (r recorder) Mbarrier(v gpu.MbarrierView) {
	if r.Step == nil {
		return
	}
	i := slices.IndexFunc(r.Step.Mbarriers, func(o gpu.MbarrierView) bool { return o.CTA == v.CTA && o.Addr == v.Addr })
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

// whereInShared names a place in memory, as a CTA sees it: "shared+8", "variable+4", "0x200001000".
func whereInShared(g *Grid, cta int, off uint32) string {
	space, a := g.place(cta, off)
	if space != ptx.SharedSpace {
		if al := g.Mem.Find(a, 1); al != nil && al.Name != "" {
			return fmt.Sprintf("%s+%d", al.Name, off-al.Off)
		}
		return fmt.Sprintf("%#x", a)
	}
	a -= g.Mem.Win.Shared
	var b strings.Builder
	fmt.Fprintf(&b, "shared+%d", a%ClusterStride)
	if a >= ClusterStride {
		fmt.Fprintf(&b, " of rank %d", a/ClusterStride-1)
	}
	return b.String()
}

// whereIs names a place in memory, as the warp sees it.
func whereIs(w *Warp, off uint32) string {
	if w.Local.Holds(off) {
		return fmt.Sprintf("local+%d", (off-w.Local.off)%uint32(w.Local.Size))
	}
	return whereInShared(w.CTA.Grid, w.CTA.Index, off)
}
