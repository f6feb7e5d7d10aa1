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
	asides []*aside     // by offset: of shared memory that only one CTA reaches
	last   int          // the index of the aside that was in use last
}

// Page is what the shadow knows of a page of the arena.
type Page struct {
	age     int
	Written [mem.PageSize / 64]uint64 // a bit for each byte
	last    []Unit                    // racecheck: by unit
	unit    uint8                     // log2 of the bytes in a unit of last
}

// The units of pages. A page has the largest unit that fits all accesses to it so far.
const (
	WordUnit = 2 // whole words of four bytes
	WarpUnit = 7 // 32 words, which the lanes of a warp access together, in their order; a unit names lane 0
)

// Unit is the last write of a unit, its last read, and a read before that of another warp or lane.
type Unit struct{ Write, Read, Other Access }

// Access is one access. There was none where Time is 0. It has no pointers, which the garbage collector would visit.
type Access struct {
	Thread causal.Thread
	Time   uint32
	How    How
}

// How is the instruction of an access, by its pc, with its reach in two bits and one for the non-coherent cache.
type How uint32

// HowOf returns how the instruction at a pc accesses memory. nc says that it uses the non-coherent cache.
func HowOf(pc int32, reach causal.Reach, nc bool) How {
	h := How(pc)<<3 | How(reach)<<1
	if nc {
		h |= 1
	}
	return h
}

// PC returns the pc of the instruction.
func (h How) PC() int32 { return int32(h >> 3) }

// Reach returns the scope of a strong access.
func (h How) Reach() causal.Reach { return causal.Reach(h >> 1 & 3) }

// NC says whether the access uses the non-coherent cache.
func (h How) NC() bool { return h&1 != 0 }

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
	n = s.Clock.Bytes()
	for _, a := range s.asides {
		n += a.bytes()
	}
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
	c.pages, c.Clock, c.asides = slices.Clone(s.pages), s.Clock.Clone(), slices.Clone(s.asides)
	for i, a := range c.asides {
		c.asides[i] = a.clone()
	}
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

// UnitOf returns what racecheck knows of the unit that an offset in the page is in.
func (p *Page) UnitOf(off uint32) *Unit { return &p.last[off&(mem.PageSize-1)>>p.unit] }

// Divide makes the units of a page small enough for an access to a unit.
func (p *Page) Divide(unit uint8) {
	if p.last == nil {
		p.last, p.unit = make([]Unit, mem.PageSize>>unit), unit
	}
	if p.unit == WarpUnit && unit < WarpUnit {
		rows := p.last
		p.last, p.unit = make([]Unit, mem.PageSize>>WordUnit), WordUnit
		for i := range p.last {
			p.last[i] = rows[i>>(WarpUnit-WordUnit)].of(causal.Thread(i & 31))
		}
	}
	if p.unit == WordUnit && unit < WordUnit {
		words := p.last
		p.last, p.unit = make([]Unit, mem.PageSize), 0
		for i := range p.last {
			p.last[i] = words[i>>WordUnit]
		}
	}
}

// of returns what the unit of a warp says of a lane.
func (u Unit) of(lane causal.Thread) Unit {
	for _, a := range []*Access{&u.Write, &u.Read, &u.Other} {
		if a.Time != 0 {
			a.Thread |= lane
		}
	}
	return u
}

// unitFor returns the unit of an access of one lane.
func unitFor(off, size uint32) uint8 {
	if (off|size)&(1<<WordUnit-1) != 0 {
		return 0
	}
	return WordUnit
}

// eachPart visits a range of the arena in parts that each have their bits in one word of Written.
func eachPart(off uint32, size int64, do func(at uint32, bits uint64)) {
	for size > 0 {
		n := min(size, int64(64-off&63))
		do(off, ^uint64(0)>>(64-n)<<(off&63))
		off, size = off+uint32(n), size-n
	}
}

// WrittenAt returns the word of Written for an offset.
func (p *Page) WrittenAt(off uint32) *uint64 { return &p.Written[off&(mem.PageSize-1)>>6] }

// Forget treats a range of the arena as new memory, which no thread has written.
func (s *Shadow) Forget(off uint32, size int64) {
	if s == nil {
		return
	}
	s.drop(off, size)
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
		s.asides = nil
	}
}

// words returns what racecheck knows of the words of size bytes at an offset. The page is one of words.
func (p *Page) words(off, size uint32) []Unit {
	return p.last[off&(mem.PageSize-1)>>WordUnit:][:size>>WordUnit]
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

func (p *Page) bytes() int64 {
	return int64(unsafe.Sizeof(*p)) + int64(len(p.last))*int64(unsafe.Sizeof(Unit{}))
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
