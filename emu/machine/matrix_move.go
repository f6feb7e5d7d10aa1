package machine

import (
	"unsafe"

	"warpscope/gpu"
)

// Span returns the arena offset of size bytes at an address in the access's space, as a lane sees them. The fault kind
// is "" when the lane can make the access. align is in bytes.
func (w *Warp) Span(ac *Access, a Addr, size, align uint64, lane int) (uint32, gpu.FaultKind) {
	if a%align != 0 {
		return 0, gpu.Misaligned
	}
	if kind := w.LSU.Segment(ac.Space, a, size, ac.Write); kind != "" {
		return 0, kind
	}
	v := a + w.LSU.Seg.Add
	if v >= w.LSU.Seg.Size || w.LSU.Seg.Size-v < size {
		return 0, gpu.OutOfBounds
	}
	return w.LSU.Seg.Base + uint32(v) + uint32(lane)*w.LSU.Seg.Stride, ""
}

// Spans returns what Span does for each lane of a mask, at its own address. size gives the bytes of each lane. ok is
// false after a fault, which is that of the first lane that fails and of all that fail for the same reason.
func (w *Warp) Spans(in *Inst, ac *Access, f unsafe.Pointer, lanes Mask, align uint64, size func(lane int) uint64) (
	offs [32]uint32, ok bool) {
	return w.Parts(in, ac, f, lanes, align, func(lane int) (skip, n uint64) { return 0, size(lane) })
}

// Parts is Spans for lanes that leave out so many bytes at their aligned addresses before they access so many.
func (w *Warp) Parts(in *Inst, ac *Access, f unsafe.Pointer, lanes Mask, align uint64,
	part func(lane int) (skip, size uint64)) (offs [32]uint32, ok bool) {
	var failed Mask
	var kind gpu.FaultKind
	var at Addr
	var bytes uint64
	EachLane(lanes, func(lane int) {
		skip, n := part(lane)
		if n == 0 {
			return
		}
		a := LaneAddr(ac, f, lane)
		off, bad := uint32(0), gpu.Misaligned
		if a%align == 0 {
			a += skip
			off, bad = w.Span(ac, a, n, 1, lane)
		}
		offs[lane] = off
		if bad != "" && kind == "" {
			kind, at, bytes = bad, a, n
		}
		if bad != "" && bad == kind {
			failed |= 1 << lane
		}
	})
	if kind == "" {
		return offs, true
	}
	if kind == gpu.Misaligned {
		bytes = align
	}
	w.LSU.MemoryFault(in, ac, kind, at, int(bytes), failed)
	return offs, false
}
