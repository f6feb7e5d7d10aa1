package shadow

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/gpu"
)

// aside is the reads of a CTA's shared memory that are not in its pages yet. A barrier of the whole CTA orders them
// before all that follows, and then they are forgotten: no access conflicts with them any more. A write before that, or
// a look at the pages, puts them there first.
//
// A read is put aside only if it conflicts with no write and reads nothing unwritten. So it has nothing to tell.
type aside struct {
	from, size uint32
	cta        int
	wrote      uint32 // the time of the last write there that can be
	met, floor uint32 // of the CTA and the clock when the reads were made
	full       bool   // all of the memory has contents
	looked     uint32 // wrote when full was found out
	reads      []read
}

// read is a weak read of lanes.
type read struct {
	now   Access // of lane 0
	size  uint32 // bytes of a lane
	lanes uint32
	offs  [32]uint32 // from the start of the memory
}

// mostReads is how many reads an aside has at most.
const mostReads = 4096

// Read checks and remembers a weak read of lanes at offsets in a segment.
func (c *Checker) Read(seg *mem.Segment, offs *[32]uint32, lanes uint32) {
	row := lanes == ^uint32(0) && InOrder(offs)
	if !c.putAside(seg, offs, lanes, row) {
		c.read(seg.Base, offs, lanes, row)
	}
}

// read is Read for reads that are not put aside. row says that all lanes read words that lie in their order.
func (c *Checker) read(base uint32, offs *[32]uint32, lanes uint32, row bool) {
	if !(row && c.Row(base+offs[0])) && !c.Words(base, offs, lanes) {
		c.Lanes(base, offs, lanes, 0)
	}
}

// InOrder says whether lanes access words that lie in their order.
func InOrder(offs *[32]uint32) bool {
	apart := offs[31] - offs[0] - 4*31
	for i := uint32(1); i < 31 && apart == 0; i++ {
		apart |= offs[i] - offs[0] - 4*i
	}
	return apart == 0
}

// putAside remembers a read for later. It returns false, and has remembered nothing, where it has to be looked at now.
// A row alone is looked at faster than it is put aside.
func (c *Checker) putAside(seg *mem.Segment, offs *[32]uint32, lanes uint32, row bool) bool {
	a := c.s.asideAt(seg.Base)
	if a == nil {
		return false
	}
	if c.bits == 0 || seg.Size != uint64(a.size) || seg.Stride != 0 || c.Now.Thread.CTA() != a.cta || c.Now.How.NC() ||
		a.wrote > max(c.Met, c.s.Clock.Floor) {
		return false
	}
	if a.forget(c.Met, c.s.Clock.Floor); row && len(a.reads) == 0 || !c.s.filled(a, c.Size, offs, lanes) {
		return false
	}
	if len(a.reads) == mostReads {
		c.s.apply(a)
		a.wrote = c.Now.Time
		return false
	}
	n := len(a.reads)
	a.reads = slices.Grow(a.reads, 1)[:n+1]
	r := &a.reads[n]
	r.now, r.size, r.lanes, r.offs = c.Now, c.Size, lanes, *offs
	return true
}

// forget forgets the reads if they are ordered before all that follows.
func (a *aside) forget(met, floor uint32) {
	if met != a.met || floor != a.floor {
		a.met, a.floor, a.reads = met, floor, a.reads[:0]
	}
}

// filled says whether memory that lanes read has contents.
func (s *Shadow) filled(a *aside, size uint32, offs *[32]uint32, lanes uint32) bool {
	if !s.On(gpu.Initcheck) {
		return true
	}
	if a.looked != a.wrote {
		a.looked, a.full = a.wrote, s.Written(a.from, a.size)
	}
	before := ^uint32(0)
	for ; lanes != 0 && !a.full; lanes &= lanes - 1 {
		off := offs[bits.TrailingZeros32(lanes)]
		if off != before && !s.Written(a.from+off, size) {
			return false
		}
		before = off
	}
	return true
}

// apply makes the pages of the memory that a checker has entered ready for its access: they have all reads before it
// that matter. It notes that the checker writes.
func (c *Checker) apply() {
	s, a := c.s, c.s.asideAt(c.in.From)
	if a == nil {
		if !c.Writes {
			return
		}
		a = &aside{from: c.in.From, size: c.in.Size, cta: c.Now.Thread.CTA()}
		s.last, _ = s.find(a.from)
		s.asides = slices.Insert(s.asides, s.last, a)
	}
	if a.forget(c.Met, s.Clock.Floor); len(a.reads) > 0 {
		s.apply(a)
	}
	if c.Writes {
		a.wrote = c.Now.Time
	}
}

// apply puts reads into their pages.
func (s *Shadow) apply(a *aside) {
	reads := a.reads
	a.reads = a.reads[:0]
	if a.floor != s.Clock.Floor {
		return
	}
	for i := range reads {
		r := &reads[i]
		c := Checker{Operation: Operation{Size: r.size, Reads: true, Now: r.now, Met: a.met}}
		c.Begin(nil, s)
		c.in = Range{From: a.from, Size: a.size}
		c.read(a.from, &r.offs, r.lanes, r.lanes == ^uint32(0) && InOrder(&r.offs))
	}
}

// drop forgets the memory that is partly in a range, after its reads are in their pages.
func (s *Shadow) drop(off uint32, size int64) {
	i, _ := slices.BinarySearchFunc(s.asides, off, func(a *aside, off uint32) int {
		return cmp.Compare(int64(a.from)+int64(a.size), int64(off)+1)
	})
	for i < len(s.asides) && int64(s.asides[i].from) < int64(off)+size {
		s.apply(s.asides[i])
		s.asides = slices.Delete(s.asides, i, i+1)
	}
}

// find returns where the aside of the memory at an offset is in the list, or would be.
func (s *Shadow) find(from uint32) (int, bool) {
	return slices.BinarySearchFunc(s.asides, from, func(a *aside, from uint32) int { return cmp.Compare(a.from, from) })
}

// asideAt returns the aside of the memory at an offset; nil where there is none.
func (s *Shadow) asideAt(from uint32) *aside {
	if s.last < len(s.asides) && s.asides[s.last].from == from {
		return s.asides[s.last]
	}
	i, ok := s.find(from)
	if !ok {
		return nil
	}
	s.last = i
	return s.asides[i]
}

// clone returns a copy for a snapshot.
func (a *aside) clone() *aside {
	c := *a
	c.reads = slices.Clone(a.reads)
	return &c
}

func (a *aside) bytes() int64 {
	return int64(unsafe.Sizeof(*a)) + int64(len(a.reads))*int64(unsafe.Sizeof(read{}))
}
