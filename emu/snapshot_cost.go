package emu

import "unsafe"

// SnapshotBytes is the most that a snapshot would cost now.
func (g *Grid) SnapshotBytes() int64 {
	g.touch()
	s := g.present()
	return s.bytes() + s.shadow.cost() + g.mem.SnapshotBytes()
}

// BytesBeside is what the snapshot costs when another one of the same grid is kept too: all that they do not share.
func (s *Snapshot) BytesBeside(other *Snapshot) int64 {
	a, b := s.state.(*saved), other.state.(*saved)
	cost := a.bytes() + a.mem.BytesBeside(b.mem)
	if unsafe.SliceData(a.output) != unsafe.SliceData(b.output) {
		cost += sliceBytes(a.output)
	}
	if a.shadow != nil {
		for at, p := range a.shadow.pages {
			if b.shadow.pages[at] != p {
				cost += p.bytes()
			}
		}
	}
	return cost
}

// bytes is what a copy of the state holds beside memory and output. Frames, which copies share, count for each.
func (s *saved) bytes() int64 {
	n := sizeOf(s) + sliceBytes(s.counts) + sliceBytes(s.findings) + sliceBytes(s.state.ctas) + sliceBytes(s.state.maps)
	for _, free := range s.frames {
		n += mapEntry + sliceBytes(free)
	}
	for _, c := range s.state.ctas {
		n += c.bytes()
	}
	if s.state.last != nil {
		n += s.state.last.bytes()
	}
	for i := range s.state.async {
		o := &s.state.async[i]
		n += sizeOf(o) + sliceBytes(o.moves) + sliceBytes(o.data) + sliceBytes(o.tensor)
	}
	if s.shadow != nil {
		n += mapEntry * int64(len(s.shadow.pages)+len(s.shadow.ctas)+len(s.shadow.warps))
	}
	return n
}

func (c *cta) bytes() int64 {
	n := sizeOf(c) + sliceBytes(c.warps) + sliceBytes(c.mbarriers) + sliceBytes(c.unfenced) + sliceBytes(c.tensor.issued)
	for i := range c.groupReads {
		r := &c.groupReads[i]
		n += sizeOf(r) + sliceBytes(r.a) + sliceBytes(r.b)
	}
	for i := range c.barriers {
		n += sliceBytes(c.barriers[i].lanes)
	}
	for _, w := range c.warps {
		n += sizeOf(w) + w.policy.Bytes(frameBytes) + sliceBytes(w.waits) + sliceBytes(w.users) + sliceBytes(w.copies) +
			sliceBytes(w.late)
	}
	return n
}

const (
	frameBytes = int64(unsafe.Sizeof(frame{}))
	mapEntry   = 64 // of a map, more or less, with its share of empty places
)

func sizeOf[T any](*T) int64 {
	var v T
	return int64(unsafe.Sizeof(v))
}

// sliceBytes is the memory of the elements of a slice.
func sliceBytes[T any](s []T) int64 {
	var v T
	return int64(len(s)) * int64(unsafe.Sizeof(v))
}
