package shadow

import (
	"cmp"
	"slices"
	"unsafe"
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

// InOrder says whether lanes access words that lie in their order.
func InOrder(offs *[32]uint32) bool {
	apart := offs[31] - offs[0] - 4*31
	for i := uint32(1); i < 31 && apart == 0; i++ {
		apart |= offs[i] - offs[0] - 4*i
	}
	return apart == 0
}

// forget forgets the reads if they are ordered before all that follows.
func (a *aside) forget(met, floor uint32) {
	if met != a.met || floor != a.floor {
		a.met, a.floor, a.reads = met, floor, a.reads[:0]
	}
}

// row says whether all lanes read words that lie in their order, and are a unit of a page of rows. from is that of the
// memory.
func (r *read) row(from uint32) bool {
	return r.size == 1<<WordUnit && r.lanes == ^uint32(0) && (from+r.offs[0])%(1<<WarpUnit) == 0 && InOrder(&r.offs)
}

// asides are sorted by offset.
type asides struct {
	list []*aside
	last int // the index of the one in use last
}

// at returns the aside of the memory at an offset; nil where there is none.
func (l *asides) at(from uint32) *aside {
	if l.last < len(l.list) && l.list[l.last].from == from {
		return l.list[l.last]
	}
	i, ok := slices.BinarySearchFunc(l.list, from, func(a *aside, from uint32) int { return cmp.Compare(a.from, from) })
	if !ok {
		return nil
	}
	l.last = i
	return l.list[i]
}

// add adds an aside.
func (l *asides) add(a *aside) *aside {
	i, _ := slices.BinarySearchFunc(l.list, a.from, func(a *aside, from uint32) int { return cmp.Compare(a.from, from) })
	l.list, l.last = slices.Insert(l.list, i, a), i
	return a
}

// drop forgets the memory that is partly in a range, after apply has had its reads.
func (l *asides) drop(off uint32, size int64, apply func(*aside)) {
	i, _ := slices.BinarySearchFunc(l.list, off, func(a *aside, off uint32) int {
		return cmp.Compare(int64(a.from)+int64(a.size), int64(off)+1)
	})
	for i < len(l.list) && int64(l.list[i].from) < int64(off)+size {
		apply(l.list[i])
		l.list = slices.Delete(l.list, i, i+1)
	}
}

// clone returns a copy for a snapshot.
func (l *asides) clone() asides {
	c := asides{slices.Clone(l.list), l.last}
	for i, a := range c.list {
		copied := *a
		copied.reads = slices.Clone(a.reads)
		c.list[i] = &copied
	}
	return c
}

func (l *asides) bytes() (n int64) {
	for _, a := range l.list {
		n += int64(unsafe.Sizeof(*a)) + int64(len(a.reads))*int64(unsafe.Sizeof(read{}))
	}
	return n
}
