package emu

import (
	"math/bits"
	"unsafe"

	"warpscope/emu/row"
)

// atomicWide is atom and red on 128 bits and on vectors, whose elements are atomic one by one (9.7.13.5, 9.7.13.6).
// Lanes take turns in ascending order.
func (w *lsu) atomicWide(in *inst, f unsafe.Pointer, exec Mask) bool {
	x, g := in.x, w.cta.grid
	ac := x.mem
	size, do := ac.size*uint32(len(x.s)), atomicElements
	if ac.size == 16 {
		size, do = 16, atomicPair
	}
	if !w.locate(in, ac, f, exec, uint64(size)) {
		return false
	}
	if lanes := w.notAtomic(exec, ac.size == 16); lanes != 0 {
		w.memoryFault(in, ac, IllegalAddress, laneAddr(ac, f, firstLane(lanes)), int(size), lanes)
		return false
	}
	if g.flying != 0 {
		w.checkFlight(in, exec, size, true)
	}
	w.storeGeneric(in, exec, size)
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.seg.Base + w.offs[lane]
		w.mem.Mark(off)
		addr := laneAddr(ac, f, lane) // the address register may be a destination
		was := string(w.mem.Bytes(off, size))
		do(x, f, lane, w.mem.At(off))
		now := string(w.mem.Bytes(off, size))
		if now != was {
			g.state.progress = true
		}
		if w.rec != nil {
			w.rec.Mem = append(w.rec.Mem, MemWrite{Space: ac.space, Addr: g.generic(ac.space, addr), Lane: lane, Old: []byte(was), New: []byte(now)})
		}
	}
	return true
}

// notAtomic are the lanes whose address is in local memory, or in shared memory where only global memory is allowed:
// scalars reach both, vectors only global memory (9.7.13.5). Through generic addresses each lane has a space of its own.
func (w *lsu) notAtomic(exec Mask, shared bool) (lanes Mask) {
	eachLane(exec, func(lane int) {
		off := w.seg.Base + w.offs[lane]
		if w.local.holds(off) || !shared && w.inShared(off) {
			lanes |= 1 << lane
		}
	})
	return lanes
}

// atomicElements works on a vector, element by element.
func atomicElements(x *extra, f unsafe.Pointer, lane int, p unsafe.Pointer) {
	var old [8]uint64
	size := x.mem.size
	for i := range x.s {
		at := unsafe.Add(p, uint32(i)*size)
		old[i], _ = readElement(at, size, false)
		writeElement(at, size, x.mem.rmw(old[i], x.s[i].Get(f, lane), 0), 0)
	}
	for i := range x.d { // destinations may be sources
		x.d[i].Set(f, lane, old[i])
	}
}

// atomicPair is the exchange, or compare-and-swap, of 128 bits.
func atomicPair(x *extra, f unsafe.Pointer, lane int, p unsafe.Pointer) {
	lo, hi := readElement(p, 16, false)
	old := row.Pair{lo, hi}
	now := x.s[0].GetPair(f, lane)
	if len(x.s) > 1 { // compare-and-swap
		if old == now {
			now = x.s[1].GetPair(f, lane)
		} else {
			now = old
		}
	}
	writeElement(p, 16, now[0], now[1])
	for i := range x.d {
		x.d[i].SetPair(f, lane, old)
	}
}
