package machine

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
)

// ByteOrder is the byte order of device memory.
var ByteOrder = binary.LittleEndian

// Segment finds the range of memory that an address of a space belongs to, and leaves it in w.Seg. It returns "" or the
// fault of an access of size bytes there.
func (w *LSU) Segment(space ptx.Space, a Addr, size uint64, write bool) gpu.FaultKind {
	win := &w.Mem.Win
	switch space {
	case ptx.SharedSpace:
		return w.sharedSegment(0)
	case ClusterSpace:
		return w.clusterSegment(a, 0)
	case ptx.LocalSpace:
		return w.localSegment(0)
	case ptx.ParamSpace:
		if a < win.Global { // a function's parameter is in local memory
			return w.localSegment(0)
		}
	case ptx.Generic:
		switch {
		case win.InShared(a):
			return w.clusterSegment(a, -win.Shared)
		case win.InLocal(a):
			return w.localSegment(-win.Local)
		case a < win.Global:
			return gpu.IllegalAddress
		}
	}
	al := w.Mem.Find(a, size)
	switch {
	case al == nil && w.Mem.Beyond(a):
		return gpu.IllegalAddress
	case al == nil:
		return gpu.OutOfBounds
	case write && al.Kind != mem.Global, space == ptx.ConstSpace && al.Kind != mem.Const,
		space == ptx.GlobalSpace && al.Kind == mem.Const:
		return gpu.IllegalAddress
	}
	w.Seg = w.Mem.Segment(al)
	return ""
}

// segmentOf does what Segment does, for an instruction. It looks first at the allocation that the instruction's last
// access was in.
func (w *LSU) segmentOf(ac *Access, a Addr, size uint64) gpu.FaultKind {
	w.Mem.LookFirst(ac.near)
	kind := w.Segment(ac.Space, a, size, ac.Write)
	ac.near = w.Mem.Near()
	return kind
}

func (w *LSU) sharedSegment(add uint64) gpu.FaultKind {
	w.Seg = mem.Segment{Base: w.CTA.SharedOff, Add: add, Size: uint64(w.CTA.SharedSize)}
	return ""
}

// clusterSegment finds the shared memory that an address of .shared::cluster is in, and leaves it in w.Seg. a + add is
// the address in the space.
func (w *LSU) clusterSegment(a, add Addr) gpu.FaultKind {
	at := a + add
	if at < ClusterStride {
		return w.sharedSegment(add)
	}
	c := w.CTA.Peer(int(at/ClusterStride) - 1)
	if c == nil {
		return gpu.IllegalAddress
	}
	w.Seg = mem.Segment{Base: c.SharedOff, Add: add - at/ClusterStride*ClusterStride, Size: uint64(c.SharedSize)}
	return ""
}

func (w *LSU) localSegment(add uint64) gpu.FaultKind {
	fr := w.Cur.Frame
	w.Seg = mem.Segment{Base: w.Local.off, Add: add, Size: uint64(max(fr.Local+fr.Fn.LocalUsed, w.Stack.end)),
		Stride: uint32(w.Local.Size)}
	return ""
}

// LocalRange is the local memory that instructions of the current frame can reach: the arena offset of lane 0's, its
// size, and the distance between those of neighbouring lanes.
func LocalRange(w *Warp) (off, size, stride uint32) {
	was := w.LSU.Seg
	w.LSU.localSegment(0)
	s := w.LSU.Seg
	w.LSU.Seg = was
	return s.Base, uint32(s.Size), s.Stride
}

// locate turns the addresses of an access of size bytes per lane into offsets from w.Seg.Base, in w.offs. Lanes outside
// exec get 0. It returns false after a fault.
func (w *LSU) locate(in *Inst, ac *Access, f unsafe.Pointer, exec Mask, size uint64) bool {
	first := ac.Off
	if ac.Space != ptx.SharedSpace {
		first += ac.Addr.Get(f, FirstLane(exec))
	}
	if w.segmentOf(ac, first, size) == "" && w.Seg.Size >= size {
		var bad, or uint64
		if ac.Wide {
			bad, or = row.Offsets64(&w.offs, f, ac.Addr.Off, ac.Off+w.Seg.Add, w.Seg.Size-size, uint32(exec))
		} else {
			bad, or = row.Offsets32(&w.offs, f, ac.Addr.Off, ac.Off+w.Seg.Add, w.Seg.Size-size, uint32(exec))
		}
		if bad>>63 == 0 && or&(size-1) == 0 {
			if w.Seg.Stride != 0 {
				for i := range w.offs {
					w.offs[i] += uint32(i) * w.Seg.Stride
				}
			}
			return true
		}
	}
	return w.locateEach(in, ac, f, exec, size)
}

// notAtomic returns the lanes whose address is in local memory, or in shared memory where only global memory is
// allowed. Scalars reach both, vectors only global memory (9.7.15.5). With generic addresses each lane may be in
// another space.
func (w *LSU) notAtomic(exec Mask, shared bool) (lanes Mask) {
	EachLane(exec, func(lane int) {
		off := w.Seg.Base + w.offs[lane]
		if w.Local.Holds(off) || !shared && w.InShared(off) {
			lanes |= 1 << lane
		}
	})
	return lanes
}

// locateEach does what locate does, for lanes that do not share a segment and for lanes that fault.
func (w *LSU) locateEach(in *Inst, ac *Access, f unsafe.Pointer, exec Mask, size uint64) bool {
	w.offs = [32]uint32{}
	var lanes Mask
	var kind gpu.FaultKind
	var at Addr
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := ac.Addr.Get(f, lane) + ac.Off
		off, k := w.locateOne(ac.Space, a, size, ac.Write, lane)
		if k != "" && (kind == "" || k == kind) {
			if kind == "" {
				kind, at = k, a
			}
			lanes |= 1 << lane
		}
		w.offs[lane] = off
	}
	w.Seg = mem.Segment{}
	if kind == "" {
		return true
	}
	w.MemoryFault(in, ac, kind, at, int(size), lanes)
	return false
}

// locateOne returns the arena offset of one lane's access, or its fault.
func (w *LSU) locateOne(space ptx.Space, a Addr, size uint64, write bool, lane int) (uint32, gpu.FaultKind) {
	if a&(size-1) != 0 {
		return 0, gpu.Misaligned
	}
	if kind := w.Segment(space, a, size, write); kind != "" {
		return 0, kind
	}
	off, ok := w.Seg.Place(a, size, lane)
	if !ok {
		return 0, gpu.OutOfBounds
	}
	return off, ""
}

// MemoryFault stops the warp with a fault of lanes at an address, and explains it: which allocation is near, or what is
// allowed there. size is in bytes.
func (w *LSU) MemoryFault(in *Inst, ac *Access, kind gpu.FaultKind, a Addr, size int, lanes Mask) {
	space, win := spaceName(ac.Space), &w.Mem.Win
	detail := ""
	switch {
	case kind == gpu.Misaligned:
		detail = fmt.Sprintf("; it must be a multiple of %d", size)
	case kind == gpu.IllegalAddress && w.isShared(ac.Space, a):
		detail = w.noPeer(a)
	case ac.Space == ptx.SharedSpace && a >= win.Shared && w.sharedName(a-win.Shared) != "":
		detail = fmt.Sprintf("; it is the generic address of %s: make it a shared one with %s",
			w.sharedName(a-win.Shared), gpu.ToShared)
	case w.isShared(ac.Space, a):
		detail = "; the CTA has " + ptx.Plural(w.CTA.SharedSize, "byte") + " of shared memory"
	case ac.Space == ptx.LocalSpace:
		detail = "; local memory in use: " + ptx.Plural(w.Cur.Frame.Local+w.Cur.Frame.Fn.LocalUsed, "byte")
	case kind == gpu.IllegalAddress && ac.Write && w.Mem.Find(a, uint64(size)) != nil:
		detail = "; this memory is read-only"
	case kind == gpu.IllegalAddress && ac.Space == ptx.Generic && win.InLocal(a):
		detail = fmt.Sprintf("; this is local memory, which `%s` cannot reach", in.Src.Opcode)
	case kind == gpu.IllegalAddress && ac.Space == ptx.Generic && w.sharedName(a) != "":
		detail = fmt.Sprintf("; it is in no window, but as a shared address it is %s: make it generic with %s",
			w.sharedName(a), gpu.ToGeneric)
	default:
		detail = w.CTA.Grid.Dev.Nearest(a)
	}
	w.Fail(in, &Fault{Kind: kind, Lanes: lanes, Space: space, Addr: a, Size: size, Detail: detail})
}

// noPeer explains an address of shared memory that belongs to no CTA.
func (w *LSU) noPeer(a Addr) string {
	g := w.CTA.Grid
	if a >= g.Mem.Win.Shared {
		a -= g.Mem.Win.Shared
	}
	rank := int(a/ClusterStride) - 1
	if rank < g.ClusterSize() {
		return fmt.Sprintf("; the CTA of rank %d has ended, and its shared memory with it", rank)
	}
	return fmt.Sprintf("; the cluster has no CTA of rank %d", rank)
}

// sharedName names what a shared variable has at a shared address; "" where there is none.
func (w *Warp) sharedName(a Addr) string {
	for _, v := range w.CTA.Grid.sharedVars {
		size := v.Var.Size
		if size == 0 {
			size = w.CTA.SharedSize - v.Off
		}
		if at := int64(a) - v.Off; at >= 0 && at < size {
			name := ptx.DisplayName(v.Var.Name)
			if at > 0 {
				name += fmt.Sprintf("+%d", at)
			}
			return name
		}
	}
	return ""
}

// isShared says whether an address is meant for shared memory.
func (w *LSU) isShared(space ptx.Space, a Addr) bool {
	return space == ptx.SharedSpace || space == ClusterSpace ||
		space == ptx.Generic && w.Mem.Win.InShared(a)
}

// InShared says whether an arena offset is in shared memory, that of this CTA or of another CTA of the cluster.
func (w *LSU) InShared(off uint32) bool {
	return off-w.CTA.SharedOff < uint32(w.CTA.SharedSize) || w.CTA.Grid.ClusterSize() > 1 &&
		OwnerOfShared(w.CTA.Grid, off) != nil
}

// spaceName returns a state space as the text writes it.
func spaceName(s ptx.Space) string {
	if s == ClusterSpace {
		return ".shared::cluster"
	}
	return s.String()
}

// Generic returns the generic address of an address in a state space.
func (g *Grid) Generic(space ptx.Space, a Addr) Addr {
	switch {
	case space == ptx.SharedSpace, space == ClusterSpace:
		return g.Mem.Win.Shared + a
	case space == ptx.LocalSpace, space == ptx.ParamSpace && a < g.Mem.Win.Global:
		return g.Mem.Win.Local + a
	}
	return a
}

// LaneAddr returns the address of one lane's access, in the access's space.
func LaneAddr(ac *Access, f unsafe.Pointer, lane int) Addr { return ac.Addr.Get(f, lane) + ac.Off }
