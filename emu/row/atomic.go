package row

import (
	"unsafe"

	"warpscope/emu/mem"
)

// AtomicElements makes the access of one lane to a vector at p, element by element. Destinations can be sources.
func AtomicElements(d, s []Operand, f unsafe.Pointer, lane int, p unsafe.Pointer, size uint32,
	rmw func(old, b, c uint64) uint64) {
	var old [8]uint64
	for i := range s {
		at := unsafe.Add(p, uint32(i)*size)
		old[i], _ = mem.ReadElement(at, size, false)
		mem.WriteElement(at, size, rmw(old[i], s[i].Get(f, lane), 0), 0)
	}
	for i := range d {
		d[i].Set(f, lane, old[i])
	}
}

// AtomicPair is the exchange, or the compare-and-swap, of 128 bits at p in one lane.
func AtomicPair(d, s []Operand, f unsafe.Pointer, lane int, p unsafe.Pointer) {
	lo, hi := mem.ReadElement(p, 16, false)
	old := Pair{lo, hi}
	now := s[0].GetPair(f, lane)
	if len(s) > 1 { // compare-and-swap
		if old == now {
			now = s[1].GetPair(f, lane)
		} else {
			now = old
		}
	}
	mem.WriteElement(p, 16, now[0], now[1])
	for i := range d {
		d[i].SetPair(f, lane, old)
	}
}
