package machine

import (
	"fmt"

	"warpscope/emu/mem"
	"warpscope/gpu"
	"warpscope/ptx"
)

// MaxLocal is the local memory of a thread in bytes, as on hardware of compute capability 5.0 and later.
const MaxLocal = 512 << 10

// all returns the bytes of all lanes together.
func (l *localMemory) all() int64 { return 32 * l.Size }

// Holds says whether an arena offset is in the warp's local memory.
func (l *localMemory) Holds(off uint32) bool { return off-l.off < uint32(l.all()) }

// release gives the memory back.
func (l *localMemory) release(m *mem.Memory) {
	if l.Size > 0 {
		l.touch(m)
		m.Release(l.off, l.all())
	}
}

// touch marks the memory as written.
func (l *localMemory) touch(m *mem.Memory) {
	if l.Size > 0 {
		m.Touch(l.off, uint32(l.all()))
	}
}

// GrowLocal makes room for need bytes of local memory per lane. It returns why there is none, or "".
func (w *Warp) GrowLocal(need int64) (why string) {
	if need > MaxLocal {
		return fmt.Sprintf("%s of local memory are needed, and a thread has at most %s (512 KiB)", ptx.Plural(need, "byte"),
			ptx.Plural(MaxLocal, "byte"))
	}
	if need <= w.Local.Size {
		return ""
	}
	size := min(max(w.Local.Size*2, AlignUp(need, 16), 64), MaxLocal)
	off, ok := w.Mem.Alloc(size * 32)
	if !ok {
		return w.CTA.Grid.NoMemory("the local memory of a warp")
	}
	for lane := range 32 {
		copy(w.Mem.Bytes(off+uint32(lane)*uint32(size), uint32(size)), w.localOf(lane))
	}
	w.CTA.Grid.Dev.Shadow.MoveLanes(off, uint32(size), w.Local.off, uint32(w.Local.Size))
	w.Local.release(w.Mem)
	w.Local = localMemory{off, size}
	return ""
}

// enterLocal makes the variables of an activation new in some lanes. Parameters have contents.
func enterLocal(w *Warp, fr *Frame, lanes Mask) {
	s := w.CTA.Grid.Dev.Shadow
	if !s.On(gpu.Initcheck) || fr.Fn.Local == 0 {
		return
	}
	EachLane(lanes, func(lane int) {
		base := w.Local.off + uint32(lane)*uint32(w.Local.Size) + uint32(fr.Local)
		s.Fill(base, uint32(fr.Fn.Local))
		for _, v := range fr.Fn.Src.Vars {
			if off, ok := fr.Fn.LocalOff[v]; ok && v.Space == ptx.LocalSpace {
				s.Forget(base+uint32(off), v.Size)
			}
		}
	})
}

// localOf returns a lane's local memory.
func (w *Warp) localOf(lane int) []byte {
	size := uint32(w.Local.Size)
	return w.Mem.Bytes(w.Local.off+uint32(lane)*size, size)
}
