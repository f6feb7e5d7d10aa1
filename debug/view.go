package debug

import (
	"bytes"
	"fmt"
	"slices"
	"sort"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// View is a picture of the current moment. Views of one version share their contents; nothing in them changes.
func (s *Session) View() View {
	if s.view.Version != s.version {
		s.Prepare()
		s.view = s.newView()
	}
	return s.view
}

// Draft is the view without the machine: what is known before Prepare.
func (s *Session) Draft() View {
	return View{Version: s.version, Phase: s.phase, Status: s.status, Last: s.last,
		Diagnostics: s.diagnostics, Breakpoints: s.stops.breakpoints(), Past: s.past != nil}
}

func (s *Session) newView() View {
	v := s.Draft()
	if s.phase == Invalid {
		return v
	}
	h := s.history
	v.Tick, v.End, v.Edits = h.tick(), h.end, len(h.edits)
	v.Entry, v.Grid, v.Block = s.spec.Entry, s.spec.Grid, s.spec.Block
	v.CTA, v.Warp = s.cta, s.warp
	v.CTAs, v.WarpsPerCTA = s.counts()
	w := s.lookBack(s.cta, s.warp)
	v.State = &w
	v.Warps = s.warps()
	v.Line = s.line(w.PC)
	v.Groups = s.groups(&w)
	v.Heat, v.Hits = h.grid.LineCounts(), s.hits()
	v.Stats = h.grid.Stats()
	v.Inexact = emu.InexactOf(h.grid)
	v.Output = string(h.grid.Output())
	v.Findings, v.Later = s.findings()
	v.Memory = s.regions()
	v.Ran, v.Next = s.instructions(&v)
	if s.phase == Faulted {
		v.Fault, v.Fix = s.prepared.Fault(), s.prepared.Fix()
	}
	if s.phase == Faulted || s.phase == Finished {
		v.Expect = s.outcome()
	}
	return v
}

// groups says at which lines the lanes of a warp are: a lane is where the topmost stack entry that holds it is.
func (s *Session) groups(w *emu.WarpView) []Group {
	var groups []Group
	left := w.Present &^ w.Exited
	for i, e := range w.Stack {
		mask := e.Mask & left
		left &^= mask
		if mask == 0 || e.PC == nil {
			continue
		}
		g := Group{Line: s.line(w.Place(mask, e.PC)), Mask: mask, Top: i == 0, Bar: w.AtBarrier&mask == mask}
		if k := slices.IndexFunc(groups, func(o Group) bool { return o.Line == g.Line && !o.Top }); k >= 0 {
			groups[k].Mask |= mask
			continue
		}
		groups = append(groups, g)
	}
	return groups
}

// Name writes an address as a region of memory and an offset: "x+16", "x" for its start, "" when it is in none. The
// address after the end belongs to the region unless another region begins there.
func (v *View) Name(a emu.Addr) string { return v.Places().name(a) }

// Places are where regions of memory are.
type Places []extent

// Places lists where the regions of a view are.
func (v *View) Places() (list Places) {
	for i := range v.Memory {
		if r := &v.Memory[i]; r.Name != TensorMemory { // it has no generic addresses
			list = append(list, extent{r.Name, r.Addr, emu.Addr(max(r.Size, len(r.Bytes)))})
		}
	}
	return list
}

// extent is the place of a region.
type extent struct {
	name       string
	addr, size emu.Addr
}

// Find returns the region that an address is in, and its offset there; no region's name is "".
func (p Places) Find(a emu.Addr) (region string, offset emu.Addr) {
	for _, e := range p {
		switch {
		case e.size == 0:
		case a >= e.addr && a < e.addr+e.size:
			return e.name, a - e.addr
		case a == e.addr+e.size:
			region, offset = e.name, e.size
		}
	}
	return region, offset
}

func (p Places) name(a emu.Addr) string {
	switch region, offset := p.Find(a); {
	case region == "" || offset == 0:
		return region
	default:
		return fmt.Sprintf("%s+%d", region, offset)
	}
}

// extents are the places of the regions, with the shared and the local memory of a lane.
func (s *Session) extents(cta, warp, lane int) Places {
	list := Places{}
	for i := range s.prepared.Buffers {
		b := &s.prepared.Buffers[i]
		list = append(list, extent{b.Arg.Label(), b.Addr, emu.Addr(b.Arg.Size())})
	}
	for _, a := range s.prepared.Device.Variables() {
		list = append(list, extent{ptx.DisplayName(a.Name), a.Addr, emu.Addr(a.Size)})
	}
	base, shared := s.history.grid.Shared(cta)
	for _, r := range s.sharedVariables(base, shared) {
		list = append(list, extent{r.Name, r.Addr, emu.Addr(r.Size)})
	}
	list = append(list, extent{"shared", base, emu.Addr(len(shared))})
	base, local := s.history.grid.Local(cta, warp, lane)
	return append(list, extent{"local", base, emu.Addr(len(local))})
}

// regions are the launch's buffers, the module's variables, and the followed warp's shared and local memory.
func (s *Session) regions() []Region {
	var regions []Region
	for i := range s.prepared.Buffers {
		b := &s.prepared.Buffers[i]
		elem, dims := b.Arg.Cells()
		regions = append(regions, Region{Name: b.Arg.Label(), Space: ptx.GlobalSpace, Addr: b.Addr, Type: elem,
			Dims: dims, Image: b.Arg.Image, Size: b.Arg.Size(), Bytes: s.bytes(b.Addr, b.Arg.Size(), b.Arg.Image)})
	}
	regions = append(regions, s.variables()...)
	g := s.history.grid
	if base, bytes := g.Shared(s.cta); len(bytes) > 0 {
		parts := s.sharedVariables(base, bytes)
		whole := Region{Name: "shared", Space: ptx.SharedSpace, Addr: base, Type: s.prepared.SharedType(), Size: len(bytes),
			Bytes: bytes, Mbarriers: g.Mbarriers(s.cta)}
		if vars := g.SharedVars(); len(vars) == 1 {
			whole.Holds = ptx.DisplayName(vars[0].Var.Name)
		}
		regions = append(append(regions, parts...), whole)
	}
	if base, bytes := g.Local(s.cta, s.warp, s.lane); len(bytes) > 0 {
		regions = append(regions, Region{Name: "local", Space: ptx.LocalSpace, Addr: base, Type: "b32", Size: len(bytes),
			Bytes: bytes, Lane: s.lane})
	}
	if s.last != nil {
		for i := range regions {
			regions[i].Changed = s.changedRanges(&regions[i])
		}
	}
	return append(regions, s.tensorMemory()...)
}

// shownBytes are the bytes of a buffer or variable that a view holds, unless it is a picture: a view is a copy.
const shownBytes = 16 << 20

// bytes is a copy of device memory, or of the first shownBytes of it; nil when the kernel has freed it. What has not
// changed since the last view is the last view's copy: a step writes to one region at most, and megabytes of copies a
// step would be collected as garbage all the time.
func (s *Session) bytes(a emu.Addr, size int, whole bool) []byte {
	if !whole {
		size = min(size, shownBytes)
	}
	if cap(s.scratch) < size {
		s.scratch = make([]byte, size)
	}
	now := s.scratch[:size]
	if s.prepared.Device.Read(a, now) != nil {
		return nil
	}
	for i := range s.view.Memory {
		last := &s.view.Memory[i]
		if last.Addr == a && bytes.Equal(last.Bytes, now) {
			return last.Bytes
		}
	}
	return slices.Clone(now)
}

// TensorMemory is the name of the region that is a CTA's tensor memory: lanes of columns.
const TensorMemory = "tensor memory"

func (s *Session) tensorMemory() []Region {
	columns, bytes, floats := s.history.grid.Tensor(s.cta)
	if columns == 0 {
		return nil
	}
	r := Region{Name: TensorMemory, Type: "b32", Dims: []int{columns, len(bytes) / 4 / columns}, Size: len(bytes),
		Bytes: bytes}
	if floats {
		r.Type = "f32"
	}
	if s.last == nil {
		return []Region{r}
	}
	for _, w := range s.last.Tensor {
		for lane := w.Lane; lane < w.Lane+w.Lanes && w.CTA == s.cta; lane++ {
			start := 4 * (lane*columns + w.Column)
			r.Changed = append(r.Changed, Range{start, start + 4*w.Columns})
		}
	}
	return []Region{r}
}

// variables are the module's .global and .const variables, those inside functions included, except those that are
// buffers of the launch.
func (s *Session) variables() []Region {
	var regions []Region
	for _, a := range s.prepared.Device.Variables() {
		v := s.prepared.Symbols().Vars[a.Name]
		named := slices.ContainsFunc(s.prepared.Buffers, func(b launch.Buffer) bool { return b.Addr == a.Addr })
		if v == nil || named {
			continue
		}
		regions = append(regions, Region{Name: ptx.DisplayName(v.Name), Space: v.Space, Addr: a.Addr, Type: launch.ElemOf(v),
			Dims: arrayDims(v), Size: a.Size, Bytes: s.bytes(a.Addr, a.Size, false)})
	}
	return regions
}

// arrayDims are an array's dimensions, x first.
func arrayDims(v *ptx.Var) []int {
	var list []int
	for i := len(v.Dims) - 1; i >= 0; i-- {
		list = append(list, int(v.Dims[i]))
	}
	return list
}

// sharedVariables are the parts of a CTA's shared memory when several variables share it; a single one has all of it.
func (s *Session) sharedVariables(base emu.Addr, bytes []byte) []Region {
	vars := s.history.grid.SharedVars()
	if len(vars) < 2 || len(bytes) == 0 {
		return nil
	}
	var parts []Region
	for _, v := range vars {
		end := v.Off + v.Var.Size
		if v.Var.Size == 0 {
			end = int64(len(bytes))
		}
		if v.Off == end {
			continue
		}
		r := Region{Name: ptx.DisplayName(v.Var.Name), Space: ptx.SharedSpace, Addr: base + emu.Addr(v.Off),
			Type: s.prepared.Symbols().SharedElem(v.Var), Size: int(end - v.Off), Bytes: bytes[v.Off:end:end]}
		if v.Var.Size > 0 && r.Type == launch.ElemOf(v.Var) {
			r.Dims = arrayDims(v.Var)
		}
		parts = append(parts, r)
	}
	return parts
}

// changedRanges are the bytes of a region that the last step wrote, merged and in order.
func (s *Session) changedRanges(r *Region) []Range {
	var ranges []Range
	for i := range s.last.Mem {
		w := &s.last.Mem[i]
		owner, addr := s.history.grid.SharedOwner(s.last.CTAIndex, w.Addr)
		inRegion := addr >= r.Addr && addr-r.Addr < emu.Addr(len(r.Bytes))
		switch {
		case !inRegion:
		case r.Space == ptx.SharedSpace && owner != s.cta:
		case r.Space == ptx.LocalSpace && (s.last.CTAIndex != s.cta || s.last.Warp != s.warp || w.Lane != r.Lane):
		default:
			start := int(addr - r.Addr)
			ranges = append(ranges, Range{start, min(start+len(w.New), len(r.Bytes))})
		}
	}
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].Start < ranges[j].Start })
	merged := ranges[:0]
	for _, n := range ranges {
		if k := len(merged) - 1; k >= 0 && n.Start <= merged[k].End {
			merged[k].End = max(merged[k].End, n.End)
			continue
		}
		merged = append(merged, n)
	}
	return merged
}
