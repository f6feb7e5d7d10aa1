package mem

import "sort"

// Addr is a generic device address (6.4.1.1).
type Addr = uint64

// Windows are the bases of the generic address windows (6.4.1.1). A generic address in the shared or local window is
// the window's base plus the address in that space; addresses of global, constant and parameter memory are generic
// addresses already. Functions have addresses below all windows.
type Windows struct {
	Code, Shared, Local, Global Addr
	LocalEnd                    Addr
}

// The windows of modules with addresses of 64 and 32 bits.
var (
	Windows64 = Windows{0x10000, 0x1_0000_0000, 0x1_8000_0000, 0x2_0000_0000, 0x1_9000_0000}
	Windows32 = Windows{0x10000, 0x0100_0000, 0x0800_0000, 0x1000_0000, 0x1000_0000}
)

// SharedWindow is the bytes that are reserved for shared memory in the generic space.
const SharedWindow = 16 << 20

// InShared says whether a generic address is in the shared window.
func (w *Windows) InShared(a Addr) bool { return a-w.Shared < SharedWindow }

// InLocal says whether a generic address is in the local window.
func (w *Windows) InLocal(a Addr) bool { return a >= w.Local && a < w.LocalEnd }

// Kind says what an allocation is for. Only a Global one may be written.
type Kind uint8

// The kinds of allocations.
const (
	Global Kind = iota
	Const
	Param
)

// Allocation is a range of the arena that guest code may touch.
type Allocation struct {
	Off, Size uint32
	Name      string // of a module variable, or what it is for
	Kind      Kind
}

// holds says whether size bytes at an offset of the arena are in the allocation. Sizes go up to 2^64 - 1.
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

// New is memory of at most so many bytes. Its first page belongs to no allocation: offset 0 can stand for nothing. ok
// is false when the limit leaves no room for it.
func New(limit int64, win Windows) (m *Memory, ok bool) {
	m = &Memory{Arena: Arena{limit: limit}, Win: win}
	_, ok = m.Alloc(PageSize)
	return m, ok
}

// Reserve makes an allocation of zeroed bytes.
func (m *Memory) Reserve(size int64, name string, kind Kind) (a Addr, ok bool) {
	// At least one byte after every allocation belongs to none, so that running over its end is noticed.
	off, ok := m.Alloc(size + 1)
	if !ok {
		return 0, false
	}
	i := sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].Off > off })
	m.allocs = append(m.allocs, Allocation{})
	copy(m.allocs[i+1:], m.allocs[i:])
	m.allocs[i] = Allocation{off, uint32(size), name, kind}
	return m.Addr(off), true
}

// Unreserve undoes Reserve; for an address that is reserved no longer it does nothing.
func (m *Memory) Unreserve(a Addr) {
	for i, al := range m.allocs {
		if m.Addr(al.Off) == a {
			m.allocs = append(m.allocs[:i:i], m.allocs[i+1:]...)
			m.Release(al.Off, int64(al.Size)+1)
			m.last = 0
			return
		}
	}
}

// Addr is the generic address of an offset of the arena, as part of global memory; Off is its inverse.
func (m *Memory) Addr(off uint32) Addr { return m.Win.Global + Addr(off) }

// Off is the offset in the arena of an address of global memory.
func (m *Memory) Off(a Addr) uint32 { return uint32(a - m.Win.Global) }

// Allocations lists them in address order.
func (m *Memory) Allocations() []Allocation { return m.allocs }

// Find is the allocation that holds the whole access, or nil.
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

// Near is where Find looks first: one who comes back to an allocation keeps it from the last time.
func (m *Memory) Near() int { return m.last }

// LookFirst sets where Find looks first.
func (m *Memory) LookFirst(near int) { m.last = near }

// Beyond says whether an address is of no global memory at all, however much of it there is.
func (m *Memory) Beyond(a Addr) bool { return a < m.Win.Global || a-m.Win.Global >= uint64(m.limit) }

// Nearest is the allocation that an address probably was meant for, or nil. It begins or ends gap bytes from the
// address, which comes before it or not; or the address is in it.
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

// Segment is a range of the arena that lanes of one access can share: offsets from its start are address + Add.
type Segment struct {
	Base   uint32
	Add    uint64
	Size   uint64
	Stride uint32 // distance between the ranges of neighbouring lanes, for local memory
}

// Place is the arena offset of size bytes at an address of the segment, as a lane sees them; ok is false when they are
// not all in it.
func (s *Segment) Place(a Addr, size uint64, lane int) (off uint32, ok bool) {
	v := a + s.Add
	if v >= s.Size || s.Size-v < size {
		return 0, false
	}
	return s.Base + uint32(v) + uint32(lane)*s.Stride, true
}

// Segment is an allocation as a segment.
func (m *Memory) Segment(al *Allocation) Segment {
	return Segment{Base: al.Off, Add: -m.Addr(al.Off), Size: uint64(al.Size)}
}
