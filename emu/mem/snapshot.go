package mem

import (
	"bytes"
	"slices"
	"unsafe"
)

// Snapshot is all that a Memory holds. It shares the pages that were not written since the last snapshot with that one.
type Snapshot struct {
	allocs []Allocation
	used   uint32
	free   []span
	pages  [][]byte
}

// zeroPage is the page that snapshots have for every page of zeros.
var zeroPage = make([]byte, PageSize)

// pages returns how many pages are in use.
func (a *Arena) pages() int { return (int(a.used) + PageSize - 1) / PageSize }

// changed says whether a page was written since the last snapshot.
func (a *Arena) changed(page int) bool {
	return a.dirty[page] != 0 || page >= len(a.saved) || a.saved[page] == nil
}

// Snapshot copies the memory. cost is the bytes that the copy holds and the last snapshot does not.
func (m *Memory) Snapshot() (s *Snapshot, cost int64) {
	s = &Snapshot{slices.Clone(m.allocs), m.used, slices.Clone(m.free), make([][]byte, m.pages())}
	cost = s.Bytes()
	for i := range s.pages {
		if !m.changed(i) {
			s.pages[i] = m.saved[i]
			continue
		}
		page := m.bytes[i*PageSize : (i+1)*PageSize]
		m.dirty[i] = 0
		if bytes.Equal(page, zeroPage) {
			s.pages[i] = zeroPage
			continue
		}
		s.pages[i] = slices.Clone(page)
		cost += PageSize
	}
	m.saved = s.pages
	return s, cost
}

// SnapshotBytes returns the most that a snapshot would cost now, in bytes.
func (m *Memory) SnapshotBytes() int64 {
	s := Snapshot{m.allocs, m.used, m.free, make([][]byte, m.pages())}
	cost := s.Bytes()
	for i := range s.pages {
		if m.changed(i) {
			cost += PageSize
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
		case m.dirty[i] != 0 || i >= len(m.saved) || &m.saved[i][0] != &s.pages[i][0]:
			copy(m.bytes[i*PageSize:], s.pages[i])
			m.dirty[i] = 0
		}
	}
	m.saved = s.pages
	m.used, m.free = s.used, slices.Clone(s.free)
	m.allocs, m.last = slices.Clone(s.allocs), 0
	m.changes++
}

// Bytes returns the size of the snapshot without the contents of its pages.
func (s *Snapshot) Bytes() int64 {
	const slice = int64(unsafe.Sizeof([]byte{}))
	return int64(unsafe.Sizeof(*s)) + int64(len(s.allocs))*int64(unsafe.Sizeof(Allocation{})) +
		int64(len(s.free))*int64(unsafe.Sizeof(span{})) + int64(len(s.pages))*slice
}

// BytesBeside returns the bytes that the snapshot takes when another snapshot of the same memory is kept, too: all that
// they do not share.
func (s *Snapshot) BytesBeside(other *Snapshot) int64 {
	cost := s.Bytes()
	for i, page := range s.pages {
		if &page[0] != &zeroPage[0] && (i >= len(other.pages) || &page[0] != &other.pages[i][0]) {
			cost += PageSize
		}
	}
	return cost
}
