// Package mem is the memory of a device: one block of bytes, the allocations and windows in it, and its snapshots. It
// knows nothing of grids, CTAs and warps.
package mem

import (
	"sort"
	"unsafe"
)

// Arena is the one block of memory of a device: global memory, shared and local memory, parameters and register frames
// are ranges of it, so that an offset of 32 bits names any byte, natively and in WebAssembly. It grows by doubling; no
// pointer into it is kept across an Alloc.
type Arena struct {
	words []uint64
	bytes []byte // the same memory
	used  uint32
	limit int64
	free  []span   // sorted by offset, never adjacent
	dirty []byte   // per page: written since the last snapshot
	saved [][]byte // pages of the last snapshot taken or restored
}

// span is a range of the arena.
type span struct{ off, size uint32 }

// Pages are what snapshots share and what is marked when memory is written.
const (
	PageShift = 12
	PageSize  = 1 << PageShift
)

const align = 256

// Alloc returns the offset of size zeroed bytes, aligned to 256; ok is false when the limit is reached.
func (a *Arena) Alloc(size int64) (off uint32, ok bool) {
	size = rounded(size)
	for i, s := range a.free {
		if int64(s.size) >= size {
			if int64(s.size) == size {
				a.free = append(a.free[:i], a.free[i+1:]...)
			} else {
				a.free[i] = span{s.off + uint32(size), s.size - uint32(size)}
			}
			clear(a.bytes[s.off : s.off+uint32(size)])
			a.Touch(s.off, uint32(size))
			return s.off, true
		}
	}
	end := int64(a.used) + size
	if end > a.limit || end >= 1<<32 {
		return 0, false
	}
	a.grow(end)
	off, a.used = a.used, uint32(end)
	a.Touch(off, uint32(size))
	return off, true
}

// rounded is the size of the range that an allocation takes.
func rounded(size int64) int64 { return max((size+align-1)&^(align-1), align) }

func (a *Arena) grow(end int64) {
	if end <= int64(len(a.bytes)) {
		return
	}
	capacity := max(int64(len(a.bytes))*2, 1<<16)
	for capacity < end {
		capacity *= 2
	}
	words := make([]uint64, capacity/8)
	copy(words, a.words)
	a.words = words
	a.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), capacity)
	dirty := make([]byte, capacity>>PageShift)
	copy(dirty, a.dirty)
	a.dirty = dirty
}

// Release gives a range back.
func (a *Arena) Release(off uint32, size int64) {
	i := sort.Search(len(a.free), func(i int) bool { return a.free[i].off > off })
	a.free = append(a.free, span{})
	copy(a.free[i+1:], a.free[i:])
	a.free[i] = span{off, uint32(rounded(size))}
	if i+1 < len(a.free) && a.free[i].off+a.free[i].size == a.free[i+1].off {
		a.free[i].size += a.free[i+1].size
		a.free = append(a.free[:i+1], a.free[i+2:]...)
	}
	if i > 0 && a.free[i-1].off+a.free[i-1].size == a.free[i].off {
		a.free[i-1].size += a.free[i].size
		a.free = append(a.free[:i], a.free[i+1:]...)
	}
}

// Used is where the ranges that were ever given end.
func (a *Arena) Used() int64 { return int64(a.used) }

// Limit is the most that Used can become.
func (a *Arena) Limit() int64 { return a.limit }

// At is a pointer to a byte of the arena; it is good until the next Alloc.
func (a *Arena) At(off uint32) unsafe.Pointer { return unsafe.Pointer(&a.bytes[off]) }

// Bytes is n bytes of the arena. They are good until the next Alloc; one who changes them calls Touch, too.
func (a *Arena) Bytes(off, n uint32) []byte { return a.bytes[off:][:n] }

// Words is the arena as words of 8 bytes, up to where it is used.
func (a *Arena) Words() []uint64 { return a.words[:(a.used+7)/8] }

// Touch marks a range as written.
func (a *Arena) Touch(off, size uint32) {
	for p := off >> PageShift; p <= (off+size-1)>>PageShift; p++ {
		a.dirty[p] = 1
	}
}

// Mark marks the page of an offset as written.
func (a *Arena) Mark(off uint32) { a.dirty[off>>PageShift] = 1 }

// Marks is the mark of the page of an offset, with those of the pages after it: a byte for each, 1 if it was written.
func (a *Arena) Marks(off uint32) unsafe.Pointer { return unsafe.Pointer(&a.dirty[off>>PageShift]) }
