package machine

import (
	"unsafe"
)

// SnapshotBytes returns the most that a snapshot would take now, in bytes.
func (g *Grid) SnapshotBytes() int64 {
	g.touch()
	return g.cost() + g.Mem.SnapshotBytes()
}

// cost returns the bytes that a snapshot would hold now and the one before it does not, memory aside.
func (g *Grid) cost() int64 {
	s := saved{running: g.running, shadow: g.Dev.Shadow}
	return s.cost() + 8*int64(len(g.Counts)) + g.Dev.Shadow.cost()
}

// BytesBeside returns the bytes that the snapshot takes when another snapshot of the same grid is kept, too: all that
// they do not share.
func (s *Snapshot) BytesBeside(other *Snapshot) int64 {
	a, b := s.state.(*saved), other.state.(*saved)
	cost := a.cost() + a.mem.BytesBeside(b.mem)
	if unsafe.SliceData(a.Printed) != unsafe.SliceData(b.Printed) {
		cost += sliceBytes(a.Printed)
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

// cost returns the bytes of the state without memory, output and the shadow's pages. Frames count for each copy,
// although copies share them.
func (s *saved) cost() int64 {
	n := sizeOf(s) + s.running.cost() + sliceBytes(s.counts)
	if s.shadow != nil {
		n += mapEntry * int64(len(s.shadow.pages)+len(s.shadow.ctas)+len(s.shadow.warps))
	}
	return n
}

const (
	frameBytes = int64(unsafe.Sizeof(Frame{}))
	mapEntry   = 64 // bytes of an entry of a map, roughly, with its share of empty places
)

func sizeOf[T any](*T) int64 {
	var v T
	return int64(unsafe.Sizeof(v))
}

// sliceBytes returns the memory that the elements of a slice take.
func sliceBytes[T any](s []T) int64 {
	var v T
	return int64(len(s)) * int64(unsafe.Sizeof(v))
}
