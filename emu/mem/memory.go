package mem

import "sort"

// Addr is a generic device address (6.4.1.1).
type Addr = uint64

// Windows are the bases of the generic address windows (6.4.1.1). A generic address in the shared or local window is
// the window's base plus the address in that space. Addresses of global, constant and parameter memory are generic
// already. Functions have addresses below all windows, from Code on.
type Windows struct {
	Code, Shared, Local, Global Addr
	LocalEnd                    Addr
}

// The windows of modules with addresses of 64 and 32 bits.
var (
	Windows64 = Windows{0x10000, 0x1_0000_0000, 0x1_8000_0000, 0x2_0000_0000, 0x1_9000_0000}
	Windows32 = Windows{0x10000, 0x0100_0000, 0x0800_0000, 0x1000_0000, 0x1000_0000}
)

// SharedWindow is the size in bytes of the window of shared memory.
const SharedWindow = 16 << 20

// InShared says whether a generic address is in the shared window.
func (w *Windows) InShared(a Addr) bool { return a-w.Shared < SharedWindow }

// InLocal says whether a generic address is in the local window.
func (w *Windows) InLocal(a Addr) bool { return a >= w.Local && a < w.LocalEnd }

// Spaces tells the lanes apart whose generic addresses are in global, shared and local memory.
func Spaces[A uint32 | uint64](w *Windows, at *[32]A, off A, lanes uint32) (global, shared, local uint32) {
	for i, address := range at {
		switch bit := lanes & (1 << i); {
		case w.InShared(Addr(address + off)):
			shared |= bit
		case w.InLocal(Addr(address + off)):
			local |= bit
		default:
			global |= bit
		}
	}
	return global, shared, local
}

// Kind says what an allocation is for. Guest code can write only to Global ones.
type Kind uint8

// The kinds of allocations.
const (
	Global Kind = iota
	Const
	Param
)

// Allocation is a range of the arena that guest code can access. Off and Size are in bytes.
type Allocation struct {
	Off, Size uint32
	Name      string // of a module variable, or what the allocation is for
	Kind      Kind
}

// holds says whether size bytes at an arena offset v are in the allocation. Sizes go up to 2^64 - 1.
func (al *Allocation) holds(v, size uint64) bool {
	in := v - uint64(al.Off)
	return in <= uint64(al.Size) && size <= uint64(al.Size)-in
}

// Memory is an arena with the allocations that guest code reaches through addresses.
type Memory struct {
	Arena
	Win    Windows
	allocs []Allocation // sorted by offset
	last   int          // the allocation that Find found last
}

// New returns memory of at most limit bytes. Its first page belongs to no allocation, so that offset 0 can mean "none".
// ok is false when the limit has no room for that page.
func New(limit int64, win Windows) (m *Memory, ok bool) {
	m = &Memory{Arena: Arena{limit: limit}, Win: win}
	_, ok = m.Alloc(PageSize)
	return m, ok
}

// Reserve makes an allocation of size zeroed bytes. ok is false when there is no memory.
func (m *Memory) Reserve(size int64, name string, kind Kind) (a Addr, ok bool) {
	// At least one byte after every allocation belongs to none, so that an access past its end is a fault.
	off, ok := m.Alloc(size + 1)
	if !ok {
		return 0, false
	}
	i := sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].Off > off })
	m.allocs = append(m.allocs, Allocation{})
	copy(m.allocs[i+1:], m.allocs[i:])
	m.allocs[i] = Allocation{off, uint32(size), name, kind}
	m.changes++
	return m.Addr(off), true
}

// Unreserve undoes Reserve. It does nothing at an address that is not that of an allocation.
func (m *Memory) Unreserve(a Addr) {
	for i, al := range m.allocs {
		if m.Addr(al.Off) == a {
			m.allocs = append(m.allocs[:i:i], m.allocs[i+1:]...)
			m.Release(al.Off, int64(al.Size)+1)
			m.last = 0
			m.changes++
			return
		}
	}
}

// Addr returns the generic address of an arena offset, as part of global memory. Off is its inverse.
func (m *Memory) Addr(off uint32) Addr { return m.Win.Global + Addr(off) }

// Off returns the arena offset of an address in global memory.
func (m *Memory) Off(a Addr) uint32 { return uint32(a - m.Win.Global) }

// Allocations returns the allocations in address order. The caller does not change them.
func (m *Memory) Allocations() []Allocation { return m.allocs }

// Find returns the allocation that holds all of size bytes at an address, or nil.
func (m *Memory) Find(a Addr, size uint64) *Allocation {
	v := a - m.Win.Global
	if a < m.Win.Global || v >= uint64(len(m.bytes)) {
		return nil
	}
	if m.last < len(m.allocs) {
		if al := &m.allocs[m.last]; al.holds(v, size) {
			return al
		}
	}
	i := sort.Search(len(m.allocs), func(i int) bool { return uint64(m.allocs[i].Off) > v }) - 1
	if i < 0 {
		return nil
	}
	if al := &m.allocs[i]; al.holds(v, size) {
		m.last = i
		return al
	}
	return nil
}

// Holder returns the allocation where Near has been, if it holds all of size bytes at an address, else nil.
func (m *Memory) Holder(near int, a Addr, size uint64) *Allocation {
	if near < len(m.allocs) && m.allocs[near].holds(a-m.Win.Global, size) {
		return &m.allocs[near]
	}
	return nil
}

// Near returns where Find looks first. Code that comes back to an allocation keeps it from the last time.
func (m *Memory) Near() int { return m.last }

// LookFirst sets where Find looks first, to what Near returned.
func (m *Memory) LookFirst(near int) { m.last = near }

// Beyond says whether an address could not be in global memory, however much of it were allocated.
func (m *Memory) Beyond(a Addr) bool { return a < m.Win.Global || a-m.Win.Global >= uint64(m.limit) }

// Nearest returns the allocation that an address was probably meant for, or nil when none is near. The address is gap
// bytes before its start or after its end, as before says. gap is 0 when the address is in the allocation or at its
// end.
func (m *Memory) Nearest(a Addr) (al *Allocation, before bool, gap uint64) {
	const far = 1 << 20
	best := -1
	gap = 1 << 63
	for i := range m.allocs {
		start := m.Addr(m.allocs[i].Off)
		end := start + Addr(m.allocs[i].Size)
		switch {
		case a < start && start-a < gap:
			best, gap, before = i, start-a, true
		case a >= end && a-end < gap:
			best, gap, before = i, a-end, false
		case a >= start && a < end:
			best, gap, before = i, 0, false
		}
	}
	if best < 0 || gap > far {
		return nil, false, gap
	}
	return &m.allocs[best], before, gap
}

// Segment is a range of the arena that lanes of one access can share. An address a is at offset a + Add from its start.
// Sizes are in bytes.
type Segment struct {
	Base   uint32
	Add    uint64
	Size   uint64
	Stride uint32 // local memory: distance between the ranges of neighbouring lanes, else 0
}

// Place returns the arena offset of size bytes at an address of the segment, as a lane sees them. ok is false when some
// of them are outside.
func (s *Segment) Place(a Addr, size uint64, lane int) (off uint32, ok bool) {
	v := a + s.Add
	if v >= s.Size || s.Size-v < size {
		return 0, false
	}
	return s.Base + uint32(v) + uint32(lane)*s.Stride, true
}

// Segment returns an allocation as a segment.
func (m *Memory) Segment(al *Allocation) Segment {
	return Segment{Base: al.Off, Add: -m.Addr(al.Off), Size: uint64(al.Size)}
}
