package mem

// Segment is a range of the arena that lanes of one access can share: offsets from its start are address + Add.
type Segment struct {
	Base   uint32
	Add    uint64
	Size   uint64
	Stride uint32 // distance between the ranges of neighbouring lanes, for local memory
}

// Segment is an allocation as a segment.
func (m *Memory) Segment(al *Allocation) Segment {
	return Segment{Base: al.Off, Add: -m.Addr(al.Off), Size: uint64(al.Size)}
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
