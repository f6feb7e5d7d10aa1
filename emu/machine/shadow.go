package machine

import (
	"maps"
	"slices"

	"warpscope/emu/mem"
	"warpscope/gpu"
)

// newShadow makes a shadow, or returns nil when no check needs one.
func newShadow(checks gpu.Checks) *shadow {
	if checks&^gpu.AlwaysOn == 0 {
		return nil
	}
	return &shadow{checks: checks, pages: map[uint32]*shadowPage{}, ctas: map[int]uint32{}, warps: map[[2]int]uint32{}}
}

// On says whether a check is on.
func (s *shadow) On(check gpu.Checks) bool { return s != nil && s.checks&check != 0 }

// cost returns the bytes that a snapshot holds and the snapshot before it does not.
func (s *shadow) cost() (n int64) {
	if s == nil {
		return 0
	}
	for _, p := range s.pages {
		if p.age == s.age {
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
	c.pages, c.ctas, c.warps = maps.Clone(s.pages), maps.Clone(s.ctas), maps.Clone(s.warps)
	return &c
}

// Page returns the page of an arena offset, for writing.
func (s *shadow) Page(off uint32) *shadowPage {
	p := s.pages[off>>mem.PageShift]
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
	s.pages[off>>mem.PageShift] = p
	return p
}

// forget treats a range of the arena as new memory, which no thread has written.
func (s *shadow) forget(off uint32, size int64) {
	if s == nil {
		return
	}
	for at := off; int64(at-off) < size; at++ {
		if s.pages[at>>mem.PageShift] == nil {
			at |= mem.PageSize - 1
			continue
		}
		p := s.Page(at)
		p.Written[at&(mem.PageSize-1)>>6] &^= 1 << (at & 63)
		if p.last != nil {
			p.last[at&(mem.PageSize-1)] = lastAccess{}
		}
	}
}

// Wrote notes that size bytes at an arena offset have contents now.
func (s *shadow) Wrote(off, size uint32) {
	if s == nil {
		return
	}
	for at := off; at < off+size; at++ {
		s.Page(at).Written[at&(mem.PageSize-1)>>6] |= 1 << (at & 63)
	}
}

// launched begins a grid: all accesses before it are ordered before it.
func (s *shadow) launched() {
	if s != nil {
		s.grid++
		s.start = s.grid
	}
}

func (s *shadow) syncGrid() {
	if s != nil {
		s.grid++
	}
}

func (s *shadow) syncCTA(c *CTA) {
	if s != nil {
		s.ctas[c.Index]++
	}
}

func (s *shadow) syncWarp(w *Warp) {
	if s != nil {
		s.warps[[2]int{w.CTA.Index, w.Index}]++
	}
}
