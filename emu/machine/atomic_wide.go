package machine

import (
	"math/bits"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/gpu"
)

// atomicWide is atom and red on 128 bits and on vectors, whose elements are atomic one by one (9.7.15.5, 9.7.15.6).
// Lanes take turns in ascending order.
func (w *LSU) atomicWide(in *Inst, f unsafe.Pointer, exec Mask) bool {
	x, g := in.X, w.CTA.Grid
	ac := x.Mem
	size, do := ac.Size*uint32(len(x.S)), atomicElements
	if ac.Size == 16 {
		size, do = 16, atomicPair
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
		do(x, f, lane, w.Mem.At(off))
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

// atomicElements makes the access of one lane to a vector, element by element.
func atomicElements(x *Extra, f unsafe.Pointer, lane int, p unsafe.Pointer) {
	var old [8]uint64
	size := x.Mem.Size
	for i := range x.S {
		at := unsafe.Add(p, uint32(i)*size)
		old[i], _ = mem.ReadElement(at, size, false)
		mem.WriteElement(at, size, x.Mem.Rmw(old[i], x.S[i].Get(f, lane), 0), 0)
	}
	for i := range x.D { // destinations can be sources
		x.D[i].Set(f, lane, old[i])
	}
}

// atomicPair is the exchange, or the compare-and-swap, of 128 bits in one lane.
func atomicPair(x *Extra, f unsafe.Pointer, lane int, p unsafe.Pointer) {
	lo, hi := mem.ReadElement(p, 16, false)
	old := row.Pair{lo, hi}
	now := x.S[0].GetPair(f, lane)
	if len(x.S) > 1 { // compare-and-swap
		if old == now {
			now = x.S[1].GetPair(f, lane)
		} else {
			now = old
		}
	}
	mem.WriteElement(p, 16, now[0], now[1])
	for i := range x.D {
		x.D[i].SetPair(f, lane, old)
	}
}
