// Package shadow is what the sanitizers know of memory: which bytes have contents, and who has accessed each word last.
// It knows threads and times from package causal, and not what an instruction is.
package shadow

import (
	mathbits "math/bits"
	"slices"
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// Shadow is what racecheck and initcheck know about shared memory and buffers: for each byte, whether it has been
// written, and which thread accessed it last. It is nil when neither check is on. The checks then cost nothing, because
// Watch puts them into instructions, not into the interpreter.
//
// What orders two accesses is in package causal.
type Shadow struct {
	checks gpu.Checks
	pages  []*Page      // by page of the arena; nil where nothing is known
	age    int          // how many snapshots were taken: they share pages with an older age
	Clock  causal.Clock // racecheck
	asides asides
}

// New makes a shadow, or returns nil when no check needs one.
func New(checks gpu.Checks) *Shadow {
	if checks&^gpu.AlwaysOn == 0 {
		return nil
	}
	return &Shadow{checks: checks, Clock: causal.Clock{Time: 1}}
}

// On says whether a check is on.
func (s *Shadow) On(check gpu.Checks) bool { return s != nil && s.checks&check != 0 }

// Cost returns the bytes that a snapshot holds and the snapshot before it does not.
func (s *Shadow) Cost() (n int64) {
	if s == nil {
		return 0
	}
	n = s.Clock.Bytes() + s.asides.bytes()
	for _, p := range s.pages {
		if p != nil && p.age == s.age {
			n += p.bytes()
		}
	}
	return n
}

// Clone returns a copy for a snapshot. The two share pages until one of them writes.
func (s *Shadow) Clone() *Shadow {
	if s == nil {
		return nil
	}
	s.age++
	c := *s
	c.pages, c.Clock, c.asides = slices.Clone(s.pages), s.Clock.Clone(), s.asides.clone()
	return &c
}

// At returns the page of a number, for reading; nil when there is none.
func (s *Shadow) At(number uint32) *Page {
	if int(number) < len(s.pages) {
		return s.pages[number]
	}
	return nil
}

// Page returns the page of an arena offset, for writing.
func (s *Shadow) Page(off uint32) *Page {
	number := int(off >> mem.PageShift)
	if number >= len(s.pages) {
		s.pages = slices.Grow(s.pages, number+1-len(s.pages))[:number+1]
	}
	p := s.pages[number]
	switch {
	case p == nil:
		p = &Page{age: s.age}
	case p.age != s.age:
		c := *p
		c.age, c.last = s.age, slices.Clone(p.last)
		p = &c
	default:
		return p
	}
	s.pages[number] = p
	return p
}

// Forget treats a range of the arena as new memory, which no thread has written.
func (s *Shadow) Forget(off uint32, size int64) {
	if s == nil {
		return
	}
	s.asides.drop(off, size, s.apply)
	eachPart(off, size, func(at uint32, bits uint64) {
		if s.At(at>>mem.PageShift) == nil {
			return
		}
		p := s.Page(at)
		*p.WrittenAt(at) &^= bits
		if p.last == nil {
			return
		}
		n := uint32(mathbits.OnesCount64(bits))
		p.Divide(unitFor(at, n))
		for i := uint32(0); i < n; i += 1 << p.unit {
			*p.UnitOf(at + i) = Unit{}
		}
	})
}

// Wrote notes that size bytes at an arena offset have contents now, and that nothing is known of accesses to them.
func (s *Shadow) Wrote(off, size uint32) {
	if s != nil {
		s.Forget(off, int64(size))
		s.Fill(off, size)
	}
}

// Fill notes that size bytes at an arena offset have contents now.
func (s *Shadow) Fill(off, size uint32) {
	eachPart(off, int64(size), func(at uint32, bits uint64) { *s.Page(at).WrittenAt(at) |= bits })
}

// Written says whether all of size bytes at an arena offset have contents.
func (s *Shadow) Written(off, size uint32) bool {
	all := true
	eachPart(off, int64(size), func(at uint32, bits uint64) {
		p := s.At(at >> mem.PageShift)
		all = all && p != nil && *p.WrittenAt(at)&bits == bits
	})
	return all
}

// Launched begins a grid. coarse is causal.Clock.Coarse.
func (s *Shadow) Launched(coarse bool) {
	if s != nil {
		s.Clock.Coarse = coarse
		s.Clock.Begin()
		s.asides = asides{}
	}
}

// PagesBytes returns the bytes of the list of pages.
func (s *Shadow) PagesBytes() int64 {
	if s == nil {
		return 0
	}
	return int64(len(s.pages)) * int64(unsafe.Sizeof(s.pages[0]))
}

// BytesBeside returns the bytes of the pages that two copies do not share.
func (s *Shadow) BytesBeside(other *Shadow) (n int64) {
	if s == nil {
		return 0
	}
	for at, p := range s.pages {
		if p != nil && other.At(uint32(at)) != p {
			n += p.bytes()
		}
	}
	return n
}

// apply puts reads into their pages, or forgets those that are ordered before all that follows.
func (s *Shadow) apply(a *aside) {
	reads, floor := a.reads, s.Clock.Floor
	if a.reads = a.reads[:0]; a.floor != floor {
		return
	}
	for i := range reads {
		r := &reads[i]
		if r.row(a.from) {
			p := s.Page(a.from + r.offs[0])
			if p.Divide(WarpUnit); p.unit == WarpUnit {
				p.UnitOf(a.from+r.offs[0]).read(&r.now, floor, a.met)
				continue
			}
		}
		now := r.now
		for lanes := r.lanes; lanes != 0; lanes &= lanes - 1 {
			lane := mathbits.TrailingZeros32(lanes)
			now.Thread = now.Thread&^31 | causal.Thread(lane)
			off := a.from + r.offs[lane]
			for at := off; at < off+r.size; {
				p := s.Page(at)
				p.Divide(WordUnit)
				p.UnitOf(at).read(&now, floor, a.met)
				at += 1 << p.unit
			}
		}
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
		off := offs[mathbits.TrailingZeros32(lanes)]
		if off != before && !s.Written(a.from+off, size) {
			return false
		}
		before = off
	}
	return true
}

// MoveLanes moves what is known of the local memory of each of 32 lanes to a larger place. The sizes are those of a
// lane.
func (s *Shadow) MoveLanes(to, size, from, old uint32) {
	if !s.On(gpu.Initcheck) {
		return
	}
	s.Forget(to, 32*int64(size))
	for lane := range uint32(32) {
		for at := range old {
			if s.Written(from+lane*old+at, 1) {
				s.Fill(to+lane*size+at, 1)
			}
		}
	}
}
