package machine

import (
	mathbits "math/bits"
	"slices"

	"warpscope/emu/causal"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// newShadow makes a shadow, or returns nil when no check needs one.
func newShadow(checks gpu.Checks) *shadow {
	if checks&^gpu.AlwaysOn == 0 {
		return nil
	}
	return &shadow{checks: checks, clock: causal.Clock{Time: 1}}
}

// On says whether a check is on.
func (s *shadow) On(check gpu.Checks) bool { return s != nil && s.checks&check != 0 }

// cost returns the bytes that a snapshot holds and the snapshot before it does not.
func (s *shadow) cost() (n int64) {
	if s == nil {
		return 0
	}
	n = s.clock.Bytes()
	for _, p := range s.pages {
		if p != nil && p.age == s.age {
			n += p.bytes()
		}
	}
	return n
}

// clone returns a copy for a snapshot. The two share pages until one of them writes.
func (s *shadow) clone() *shadow {
	if s == nil {
		return nil
	}
	s.age++
	c := *s
	c.pages, c.clock = slices.Clone(s.pages), s.clock.Clone()
	return &c
}

// page returns the page of a number, for reading; nil when there is none.
func (s *shadow) page(number uint32) *shadowPage {
	if int(number) < len(s.pages) {
		return s.pages[number]
	}
	return nil
}

// Page returns the page of an arena offset, for writing.
func (s *shadow) Page(off uint32) *shadowPage {
	number := int(off >> mem.PageShift)
	if number >= len(s.pages) {
		s.pages = slices.Grow(s.pages, number+1-len(s.pages))[:number+1]
	}
	p := s.pages[number]
	switch {
	case p == nil:
		p = &shadowPage{age: s.age}
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

// unitOf returns what racecheck knows of the unit that an offset in the page is in.
func (p *shadowPage) unitOf(off uint32) *lastAccess { return &p.last[off&(mem.PageSize-1)>>p.unit] }

// Divide makes the units of a page small enough for an access of size bytes at an offset.
func (p *shadowPage) Divide(off, size uint32) {
	switch {
	case p.last == nil:
		p.unit = wordUnit
		p.last = make([]lastAccess, mem.PageSize>>wordUnit)
	case p.unit == 0:
		return
	}
	if (off|size)&(1<<wordUnit-1) != 0 {
		words := p.last
		p.last, p.unit = make([]lastAccess, mem.PageSize), 0
		for i := range p.last {
			p.last[i] = words[i>>wordUnit]
		}
	}
}

// eachPart visits a range of the arena in parts that each have their bits in one word of Written.
func eachPart(off uint32, size int64, do func(at uint32, bits uint64)) {
	for size > 0 {
		n := min(size, int64(64-off&63))
		do(off, ^uint64(0)>>(64-n)<<(off&63))
		off, size = off+uint32(n), size-n
	}
}

// writtenAt returns the word of Written for an offset.
func (p *shadowPage) writtenAt(off uint32) *uint64 { return &p.Written[off&(mem.PageSize-1)>>6] }

// forget treats a range of the arena as new memory, which no thread has written.
func (s *shadow) forget(off uint32, size int64) {
	if s == nil {
		return
	}
	eachPart(off, size, func(at uint32, bits uint64) {
		if s.page(at>>mem.PageShift) == nil {
			return
		}
		p := s.Page(at)
		*p.writtenAt(at) &^= bits
		if p.last == nil {
			return
		}
		n := uint32(mathbits.OnesCount64(bits))
		p.Divide(at, n)
		for i := uint32(0); i < n; i += 1 << p.unit {
			*p.unitOf(at + i) = lastAccess{}
		}
	})
}

// Wrote notes that size bytes at an arena offset have contents now, and that nothing is known of accesses to them.
func (s *shadow) Wrote(off, size uint32) {
	if s != nil {
		s.forget(off, int64(size))
		s.fill(off, size)
	}
}

// fill notes that size bytes at an arena offset have contents now.
func (s *shadow) fill(off, size uint32) {
	eachPart(off, int64(size), func(at uint32, bits uint64) { *s.Page(at).writtenAt(at) |= bits })
}

// written says whether all of size bytes at an arena offset have contents.
func (s *shadow) written(off, size uint32) bool {
	all := true
	eachPart(off, int64(size), func(at uint32, bits uint64) {
		p := s.page(at >> mem.PageShift)
		all = all && p != nil && *p.writtenAt(at)&bits == bits
	})
	return all
}

// launched begins a grid. coarse is causal.Clock.Coarse.
func (s *shadow) launched(coarse bool) {
	if s != nil {
		s.clock.Coarse = coarse
		s.clock.Begin()
	}
}
