package emu

import (
	"fmt"

	"warpscope/emu/mem"
	"warpscope/ptx"
)

// maxLocal is the local memory of a thread in bytes, as on hardware of compute capability 5.0 and later.
const maxLocal = 512 << 10

// localMemory is the local memory of a warp: size bytes for each lane, one after the other.
type localMemory struct {
	off  uint32
	size int64
}

// all is the bytes of all lanes.
func (l *localMemory) all() int64 { return 32 * l.size }

// holds says whether an arena offset is in it.
func (l *localMemory) holds(off uint32) bool { return off-l.off < uint32(l.all()) }

// release gives it back.
func (l *localMemory) release(m *mem.Memory) {
	if l.size > 0 {
		l.touch(m)
		m.Release(l.off, l.all())
	}
}

// touch marks it as written.
func (l *localMemory) touch(m *mem.Memory) {
	if l.size > 0 {
		m.Touch(l.off, uint32(l.all()))
	}
}

// growLocal makes room for need bytes of local memory per lane, and says why there is none.
func (w *warp) growLocal(need int64) (why string) {
	if need > maxLocal {
		return fmt.Sprintf("%s of local memory are needed, and a thread has at most %s (512 KiB)", ptx.Plural(need, "byte"),
			ptx.Plural(maxLocal, "byte"))
	}
	if need <= w.local.size {
		return ""
	}
	size := min(max(w.local.size*2, alignUp(need, 16), 64), maxLocal)
	off, ok := w.mem.Alloc(size * 32)
	if !ok {
		return w.cta.grid.noMemory("the local memory of a warp")
	}
	for lane := range 32 {
		copy(w.mem.Bytes(off+uint32(lane)*uint32(size), uint32(size)), w.localOf(lane))
	}
	w.local.release(w.mem)
	w.local = localMemory{off, size}
	return ""
}

// localOf is a lane's local memory.
func (w *warp) localOf(lane int) []byte {
	size := uint32(w.local.size)
	return w.mem.Bytes(w.local.off+uint32(lane)*size, size)
}
