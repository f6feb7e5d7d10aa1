package emu

import (
	"sort"
	"unsafe"
)

// arena is the one block of memory behind a device: global memory, shared and local memory, parameters and register
// frames are ranges of it, so that an offset of 32 bits names any byte, natively and in WebAssembly. It grows by
// doubling; no pointer into it is kept across an alloc.
type arena struct {
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

const (
	arenaAlign = 256
	pageShift  = 12
	pageSize   = 1 << pageShift
)

func newArena(limit int64) *arena { return &arena{limit: limit} }

// alloc returns the offset of size zeroed bytes, aligned to 256; ok is false when the limit is reached.
func (a *arena) alloc(size int64) (off uint32, ok bool) {
	size = (size + arenaAlign - 1) &^ (arenaAlign - 1)
	if size == 0 {
		size = arenaAlign
	}
	for i, s := range a.free {
		if int64(s.size) >= size {
			if int64(s.size) == size {
				a.free = append(a.free[:i], a.free[i+1:]...)
			} else {
				a.free[i] = span{s.off + uint32(size), s.size - uint32(size)}
			}
			clear(a.bytes[s.off : s.off+uint32(size)])
			a.touch(s.off, uint32(size))
			return s.off, true
		}
	}
	end := int64(a.used) + size
	if end > a.limit || end >= 1<<32 {
		return 0, false
	}
	a.grow(end)
	off, a.used = a.used, uint32(end)
	a.touch(off, uint32(size))
	return off, true
}

func (a *arena) grow(end int64) {
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
	dirty := make([]byte, capacity>>pageShift)
	copy(dirty, a.dirty)
	a.dirty = dirty
}

// release gives a range back.
func (a *arena) release(off uint32, size int64) {
	size = max((size+arenaAlign-1)&^(arenaAlign-1), arenaAlign)
	i := sort.Search(len(a.free), func(i int) bool { return a.free[i].off > off })
	a.free = append(a.free, span{})
	copy(a.free[i+1:], a.free[i:])
	a.free[i] = span{off, uint32(size)}
	if i+1 < len(a.free) && a.free[i].off+a.free[i].size == a.free[i+1].off {
		a.free[i].size += a.free[i+1].size
		a.free = append(a.free[:i+1], a.free[i+2:]...)
	}
	if i > 0 && a.free[i-1].off+a.free[i-1].size == a.free[i].off {
		a.free[i-1].size += a.free[i].size
		a.free = append(a.free[:i], a.free[i+1:]...)
	}
}

// at is a pointer to a byte of the arena; it is good until the next alloc.
func (a *arena) at(off uint32) unsafe.Pointer { return unsafe.Pointer(&a.bytes[off]) }

// touch marks a range as written.
func (a *arena) touch(off, size uint32) {
	for p := off >> pageShift; p <= (off+size-1)>>pageShift; p++ {
		a.dirty[p] = 1
	}
}
