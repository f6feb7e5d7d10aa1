package count

import "math/bits"

// Taken is what one access of a warp takes.
type Taken struct {
	global, local, shared Traffic
	lanes, repeats        int64 // of an atomic
}

// AddTo adds it to the counts of an instruction and of a warp.
func (a *Taken) AddTo(c, w *Counts) {
	if a.global.Requests != 0 {
		c.Global.Add(a.global)
		w.Global.Add(a.global)
	}
	if a.shared.Requests != 0 {
		c.Shared.Add(a.shared)
		w.Shared.Add(a.shared)
	}
	if a.local.Requests != 0 {
		c.Local.Add(a.local)
		w.Local.Add(a.local)
	}
	if a.lanes != 0 {
		c.Atomics += a.lanes
		c.Repeats += a.repeats
		w.Atomics += a.lanes
		w.Repeats += a.repeats
	}
}

// Spaces says which lanes of an access go to which memory.
type Spaces struct{ Global, Local, Shared uint32 }

// Measure works out what an access takes. size is the bytes of a lane.
func Measure[A address](to *Taken, in Spaces, op Op, size uint32, at *[32]A, off A) {
	*to = Taken{}
	different := 0 // addresses, if it is known
	if in.Global != 0 {
		to.global = Traffic{1, int64(Sectors(at, off, in.Global)), int64(IdealSectors(size, in.Global))}
	}
	if in.Local != 0 {
		n, ideal := LocalSectors(at, off, size, in.Local)
		to.local = Traffic{1, int64(n), int64(ideal)}
	}
	lanes := in.Global | in.Local | in.Shared
	if in.Shared != 0 {
		n, ideal, words := Wavefronts(at, off, size, in.Shared)
		to.shared = Traffic{1, int64(n), int64(ideal)}
		if in.Shared == lanes && size == wordSize {
			different = words
		}
	}
	if op >= Atomic {
		to.lanes = int64(bits.OnesCount32(lanes))
		if to.repeats = to.lanes - int64(different); different == 0 {
			to.repeats = int64(Repeats(at, off, lanes))
		}
	}
}
