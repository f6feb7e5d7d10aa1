package mem

import (
	"slices"
	"unsafe"
)

// Snapshot is all that a Memory holds. It shares the pages that were not written since the last snapshot with that one,
// and of pages that were, the rows that are as they were.
type Snapshot struct {
	allocs []Allocation
	used   uint32
	free   []span
	pages  []*page
}

// pages returns how many pages are in use.
func (a *Arena) pages() int { return (int(a.used) + PageSize - 1) / PageSize }

// lastSaved is the copy of a page in the last snapshot, or nil.
func (a *Arena) lastSaved(page int) *page {
	if page >= len(a.saved) {
		return nil
	}
	return a.saved[page]
}

// Snapshot copies the memory. cost is the bytes that the copy holds and the last snapshot does not.
func (m *Memory) Snapshot() (s *Snapshot, cost int64) {
	s = &Snapshot{slices.Clone(m.allocs), m.used, slices.Clone(m.free), make([]*page, m.pages())}
	cost = s.Bytes()
	for i := range s.pages {
		last := m.lastSaved(i)
		if s.pages[i] = last; m.dirty[i] == 0 && last != nil {
			continue
		}
		m.dirty[i] = 0
		s.pages[i] = save(m.bytes[i*PageSize:(i+1)*PageSize], last)
		cost += s.pages[i].bytesBeside(last)
	}
	m.saved = s.pages
	return s, cost
}

// SnapshotBytes returns the most that a snapshot would cost now, in bytes.
func (m *Memory) SnapshotBytes() int64 {
	s := Snapshot{m.allocs, m.used, m.free, make([]*page, m.pages())}
	cost := s.Bytes()
	for i := range s.pages {
		if m.dirty[i] != 0 || m.lastSaved(i) == nil {
			cost += PageSize + pageBytes
		}
	}
	return cost
}

// Restore puts the memory back to one of its snapshots.
func (m *Memory) Restore(s *Snapshot) {
	for i := range m.dirty {
		switch {
		case i >= len(s.pages):
			if m.dirty[i] != 0 || i < len(m.saved) {
				clear(m.bytes[i*PageSize : (i+1)*PageSize])
				m.dirty[i] = 0
			}
		case m.dirty[i] != 0 || m.lastSaved(i) != s.pages[i]:
			s.pages[i].restore(m.bytes[i*PageSize:])
			m.dirty[i] = 0
		}
	}
	m.saved = s.pages
	m.used, m.free = s.used, slices.Clone(s.free)
	m.allocs, m.last = slices.Clone(s.allocs), 0
	m.changes++
}

// Bytes returns the size of the snapshot without its pages.
func (s *Snapshot) Bytes() int64 {
	return SizeOf(s) + SliceBytes(s.allocs) + SliceBytes(s.free) + SliceBytes(s.pages)
}

// BytesBeside returns the bytes that the snapshot takes when another snapshot of the same memory is kept, too: all that
// they do not share.
func (s *Snapshot) BytesBeside(other *Snapshot) int64 {
	cost := s.Bytes()
	for i, p := range s.pages {
		var beside *page
		if i < len(other.pages) {
			beside = other.pages[i]
		}
		cost += p.bytesBeside(beside)
	}
	return cost
}

// SizeOf returns the memory that a value takes, without what it points to.
func SizeOf[T any](*T) int64 {
	var v T
	return int64(unsafe.Sizeof(v))
}

// SliceBytes returns the memory that the elements of a slice take.
func SliceBytes[T any](s []T) int64 {
	var v T
	return int64(len(s)) * int64(unsafe.Sizeof(v))
}
