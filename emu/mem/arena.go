// Package mem is the memory of a device: one block of bytes, the allocations and windows in it, and its snapshots. It
// knows nothing of grids, CTAs and warps.
package mem

import (
	"sort"
	"unsafe"
)

// Arena is the one block of memory of a device. Global memory, shared and local memory, parameters and register frames
// are ranges of it, so an offset of 32 bits names any byte, natively and in WebAssembly. It at least doubles when it
// grows. No code keeps a pointer into it across an Alloc.
type Arena struct {
	words   []uint64
	bytes   []byte // the same memory, without the marks that follow
	used    uint32
	limit   int64
	changes int
	free    []span  // sorted by offset, never adjacent
	dirty   []byte  // by page: 1 if it was written since the last snapshot; compiled code reaches it after bytes
	saved   []*page // pages of the last snapshot taken or restored
}

// span is a range of the arena.
type span struct{ off, size uint32 }

// hostPage is the unit of the memory of WebAssembly code. The block is a multiple of it.
const hostPage = 1 << 16

// align is the alignment of allocations in bytes.
const align = 256

// Alloc returns the offset of size zeroed bytes, aligned to 256 bytes. ok is false when the limit is reached.
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

// MakeRoom makes the block large enough for size more bytes, and for what comes with them. Code that knows what it will
// allocate spares the block to grow, and to be copied, step by step. Where the limit has no room it does nothing.
func (a *Arena) MakeRoom(size int64) {
	if end := int64(a.used) + size; end <= a.limit {
		a.grow(min(end+size/8+1<<17, a.limit))
	}
}

// Spare returns the offset of size bytes after all that Alloc has returned. They are zero, and code that uses them
// makes them zero again before the next Alloc. ok is false where the limit has no room for them.
func (a *Arena) Spare(size uint32) (off uint32, ok bool) {
	if int64(a.used)+int64(size) > int64(len(a.bytes)) {
		a.MakeRoom(int64(size))
	}
	return a.used, int64(a.used)+int64(size) <= int64(len(a.bytes))
}

// rounded returns the size of the range that an allocation of size bytes takes.
func rounded(size int64) int64 { return max((size+align-1)&^(align-1), align) }

// grow makes the block hold end bytes.
func (a *Arena) grow(end int64) {
	if end <= int64(len(a.bytes)) {
		return
	}
	capacity := max(int64(len(a.bytes))*2, (end+hostPage-1)&^(hostPage-1))
	marks := (capacity>>PageShift + hostPage - 1) &^ (hostPage - 1)
	words := make([]uint64, (capacity+marks)/8)
	copy(words, a.words[:len(a.bytes)/8])
	a.words = words
	all := a.All()
	copy(all[capacity:], a.dirty)
	a.bytes, a.dirty = all[:capacity:capacity], all[capacity:][:capacity>>PageShift]
	a.changes++
}

// Release gives back what Alloc has returned for size bytes.
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

// Used returns the offset after the highest range that Alloc has ever returned.
func (a *Arena) Used() int64 { return int64(a.used) }

// Limit returns the most bytes that the arena can hold.
func (a *Arena) Limit() int64 { return a.limit }

// At returns a pointer to a byte of the arena. The pointer is valid until the next Alloc.
func (a *Arena) At(off uint32) unsafe.Pointer { return unsafe.Pointer(&a.bytes[off]) }

// Bytes returns n bytes of the arena themselves, not a copy. They are valid until the next Alloc. Code that changes
// them calls Touch, too.
func (a *Arena) Bytes(off, n uint32) []byte { return a.bytes[off:][:n] }

// Words returns the used part of the arena as words of 8 bytes.
func (a *Arena) Words() []uint64 { return a.words[:(a.used+7)/8] }

// Touch marks size bytes at an offset as written. size is at least 1.
func (a *Arena) Touch(off, size uint32) {
	for p := off >> PageShift; p <= (off+size-1)>>PageShift; p++ {
		a.dirty[p] = 1
	}
}

// Mark marks the page of an offset as written.
func (a *Arena) Mark(off uint32) { a.dirty[off>>PageShift] = 1 }

// Marks returns the mark of an offset's page, followed by those of the pages after it: one byte each, 1 if written.
func (a *Arena) Marks(off uint32) unsafe.Pointer { return unsafe.Pointer(&a.dirty[off>>PageShift]) }

// All returns all bytes of the arena's block: what is allocated, what is free, and the marks of pages. It is what a
// Host runs code on.
func (a *Arena) All() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a.words))), 8*len(a.words))
}

// MarksAt returns the offset in All of the marks of pages.
func (a *Arena) MarksAt() uint32 { return uint32(len(a.bytes)) }

// Changes returns a number that changes whenever an allocation comes or goes, or the block moves.
func (a *Arena) Changes() int { return a.changes }
