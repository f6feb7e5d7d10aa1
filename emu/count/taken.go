package count

import (
	"math/bits"
	"unsafe"
)

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

// Shape is what an access took the last time, and the row of its addresses. With a row whose addresses differ from
// these by a distance that is the same in all lanes, and a multiple of Step, it takes as much.
type Shape struct {
	Taken
	Step  uint32     // of the space; 0: it takes as much only with the same addresses
	Space uint32     // what it takes in its space: bytes after Taken and after Counts.Global
	Lanes uint32     // that took part; 0: nothing is known
	Row   [32]uint64 // or in its first half 32 bits of each lane
}

// The shapes of accesses of which nothing is known.
var (
	InGlobal = Shape{Step: sectorSize, Space: uint32(unsafe.Offsetof(Taken{}.global))}
	InLocal  = Shape{Step: sectorSize, Space: uint32(unsafe.Offsetof(Taken{}.local))}
	InShared = Shape{Step: wordSize, Space: uint32(unsafe.Offsetof(Taken{}.shared))}
)

// Remembers says whether Measure keeps rows, which is worth while only where vectors compare them.
var Remembers = false

// remember keeps the row of an access that has been measured.
func remember[A address](s *Shape, lanes uint32, at *[32]A) {
	if s.Lanes = 0; Remembers && s.Step != 0 {
		s.Lanes = lanes
		*(*[32]A)(unsafe.Pointer(&s.Row)) = *at
	}
}

// Spaces returns where lanes go; nothing where that is not the same for all addresses.
func (s *Shape) Spaces(lanes uint32) (in Spaces) {
	switch {
	case s.Step == 0:
	case s.Space == InGlobal.Space:
		in.Global = lanes
	case s.Space == InLocal.Space:
		in.Local = lanes
	default:
		in.Shared = lanes
	}
	return in
}

// Spaces says which lanes of an access go to which memory.
type Spaces struct{ Global, Local, Shared uint32 }

// Measure works out what an access takes. size is the bytes of a lane.
func Measure[A address](to *Shape, in Spaces, op Op, size uint32, at *[32]A, off A) {
	to.Taken = Taken{}
	remember(to, in.Global|in.Local|in.Shared, at)
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
