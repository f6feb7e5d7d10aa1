package machine

import (
	"math/bits"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/gpu"
)

// atomicWide is atom and red on 128 bits and on vectors, whose elements are atomic one by one (9.7.15.5, 9.7.15.6).
// Lanes take turns in ascending order.
func (w *LSU) atomicWide(in *Inst, f unsafe.Pointer, exec Mask) bool {
	x, g := in.X, w.CTA.Grid
	ac := x.Mem
	size := ac.Size
	if size < 16 {
		size *= uint32(len(x.S))
	}
	if !w.locate(in, ac, f, exec, uint64(size)) {
		return false
	}
	if lanes := w.notAtomic(exec, ac.Size == 16); lanes != 0 {
		w.MemoryFault(in, ac, gpu.IllegalAddress, LaneAddr(ac, f, FirstLane(lanes)), int(size), lanes)
		return false
	}
	if g.Flying != 0 {
		w.checkFlight(in, exec, size, true)
	}
	w.noteUnfencedLanes(in, exec, size)
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.Seg.Base + w.offs[lane]
		w.Mem.Mark(off)
		addr := LaneAddr(ac, f, lane) // the address register can be a destination
		was := string(w.Mem.Bytes(off, size))
		if p := w.Mem.At(off); ac.Size == 16 {
			row.AtomicPair(x.D, x.S, f, lane, p)
		} else {
			row.AtomicElements(x.D, x.S, f, lane, p, ac.Size, ac.Rmw)
		}
		now := string(w.Mem.Bytes(off, size))
		if now != was {
			g.State.Progress = true
		}
		if w.Rec != nil {
			w.Rec.Mem = append(w.Rec.Mem, gpu.MemWrite{Space: ac.Space, Addr: g.Generic(ac.Space, addr), Lane: lane,
				Old: []byte(was), New: []byte(now)})
		}
	}
	return true
}
