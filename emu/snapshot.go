package emu

import (
	"bytes"
	"maps"
	"slices"
	"sort"
)

// saved is everything that changes while a grid runs. Pages of memory that were not written since the last snapshot
// are shared with it.
type saved struct {
	state    gridState
	stats    Stats
	counts   []int64 // executions of each instruction
	output   []byte
	findings []Finding
	shadow   *shadow
	fault    *Fault
	frames   map[*function][]uint32
	allocs   []allocation
	used     uint32
	free     []span
	pages    [][]byte
}

// Snapshot copies the grid's whole state.
func (g *Grid) Snapshot() *Snapshot {
	g.touch()
	a := g.dev.arena
	s := g.present()
	cost := s.bytes() + s.shadow.cost()
	s.findings, s.shadow, s.frames = slices.Clone(s.findings), s.shadow.clone(), cloneFrames(s.frames)
	s.allocs, s.free = slices.Clone(s.allocs), slices.Clone(s.free)
	s.state = s.state.clone()
	for i := range s.pages {
		if !a.changed(i) {
			s.pages[i] = a.saved[i]
			continue
		}
		page := a.bytes[i*pageSize : (i+1)*pageSize]
		a.dirty[i] = 0
		if bytes.Equal(page, zeroPage) {
			s.pages[i] = zeroPage
			continue
		}
		s.pages[i] = slices.Clone(page)
		cost += pageSize
	}
	a.saved = s.pages
	return &Snapshot{Tick: g.state.tick, Bytes: cost, state: s}
}

// zeroPage is every page of zeros in a snapshot.
var zeroPage = make([]byte, pageSize)

// present is the state that a snapshot copies: it shares everything with the grid. Its pages are still to be filled.
func (g *Grid) present() *saved {
	a := g.dev.arena
	s := &saved{state: g.state, stats: g.stats, output: g.output[:len(g.output):len(g.output)],
		findings: g.findings, shadow: g.dev.shadow, fault: g.fault, frames: g.frames,
		allocs: g.dev.allocs, used: a.used, free: a.free}
	s.counts = g.counted()
	s.pages = make([][]byte, (int(a.used)+pageSize-1)/pageSize)
	return s
}

// changed says whether a page was written since the last snapshot.
func (a *arena) changed(page int) bool {
	return a.dirty[page] != 0 || page >= len(a.saved) || a.saved[page] == nil
}

// Restore puts the grid back to a snapshot of it.
func (g *Grid) Restore(snap *Snapshot) {
	s := snap.state.(*saved)
	g.touch()
	a := g.dev.arena
	for i := range a.dirty {
		switch {
		case i >= len(s.pages):
			if a.dirty[i] != 0 || i < len(a.saved) {
				clear(a.bytes[i*pageSize : (i+1)*pageSize])
				a.dirty[i] = 0
			}
		case a.dirty[i] != 0 || i >= len(a.saved) || &a.saved[i][0] != &s.pages[i][0]:
			copy(a.bytes[i*pageSize:], s.pages[i])
			a.dirty[i] = 0
		}
	}
	a.saved = s.pages
	a.used, a.free = s.used, slices.Clone(s.free)
	g.dev.allocs, g.dev.last = slices.Clone(s.allocs), 0
	g.stats, g.output, g.fault, g.frames = s.stats, s.output, s.fault, cloneFrames(s.frames)
	g.findings, g.dev.shadow = slices.Clone(s.findings), s.shadow.clone()
	for pc, n := range s.counts {
		g.counts[pc] = count{each: n}
	}
	g.state = s.state.clone()
	g.flying = len(g.state.async)
	for _, c := range g.state.ctas {
		for _, w := range c.warps {
			g.flying += len(w.copies)
			for _, l := range w.late {
				g.flying += int(b2u(l.reads != nil))
			}
		}
	}
}

func cloneFrames(m map[*function][]uint32) map[*function][]uint32 {
	out := make(map[*function][]uint32, len(m))
	for fn, free := range m {
		out[fn] = slices.Clone(free)
	}
	return out
}

func (s gridState) clone() gridState {
	ctas := make([]*cta, len(s.ctas))
	for i, c := range s.ctas {
		ctas[i] = c.clone()
	}
	s.ctas = ctas
	s.async, s.maps = slices.Clone(s.async), slices.Clone(s.maps)
	if s.last != nil {
		s.last = s.last.clone()
	}
	return s
}

func (c *cta) clone() *cta {
	n := *c
	n.mbarriers, n.flight, n.unfenced = slices.Clone(c.mbarriers), nil, slices.Clone(c.unfenced)
	n.groupReads = slices.Clone(c.groupReads)
	n.warps = make([]*warp, len(c.warps))
	for i, w := range c.warps {
		nw := *w
		nw.cta, nw.Host = &n, &nw
		nw.policy = w.policy.Clone()
		nw.copies, nw.waits = slices.Clone(w.copies), slices.Clone(w.waits)
		nw.late, nw.users = slices.Clone(w.late), slices.Clone(w.users)
		n.warps[i] = &nw
	}
	n.tensor.issued = slices.Clone(c.tensor.issued)
	for i := range n.barriers {
		n.barriers[i].lanes = slices.Clone(n.barriers[i].lanes)
	}
	return &n
}

func (g *Grid) touch() {
	for _, c := range g.state.ctas {
		c.touch()
	}
	if g.state.last != nil {
		g.state.last.touch()
	}
}

// touch marks the memory that a resident CTA writes without saying so: shared and local memory and frames.
func (c *cta) touch() {
	a := c.grid.dev.arena
	if c.sharedSize > 0 {
		a.touch(c.sharedOff, uint32(c.sharedSize))
	}
	for _, w := range c.warps {
		if w.localSize > 0 {
			a.touch(w.localOff, uint32(w.localSize*32))
		}
		a.touch(w.base.off, w.base.fn.frame)
		w.policy.Frames(&w.lanes, func(fr *frame) { a.touch(fr.off, fr.fn.frame) })
	}
}

// Hash is a hash of the whole state: memory, registers, stacks and schedule. Equal states have equal hashes.
func (g *Grid) Hash() uint64 {
	h := hasher(14695981039346656037)
	for _, word := range g.dev.arena.words[:(g.dev.arena.used+7)/8] {
		h.add(word)
	}
	s := &g.state
	h.add(uint64(s.tick), uint64(s.next), uint64(s.cur), uint64(s.left), uint64(s.ctaLeft), uint64(len(g.output)))
	for _, b := range g.output {
		h.add(uint64(b))
	}
	for _, c := range s.ctas {
		h.add(uint64(c.index), uint64(c.cur), uint64(c.live))
		for i := range c.barriers {
			h.add(uint64(c.barriers[i].arrived))
		}
		for _, w := range c.warps {
			h.add(uint64(w.exited()), uint64(w.carry), uint64(b2u(w.Blocked)), uint64(w.arrived), uint64(w.awaiting))
			for _, o := range w.waits {
				h.add(uint64(o.at), uint64(o.lanes))
			}
			for _, c := range w.copies {
				h.add(uint64(c.lane), uint64(c.age), uint64(c.to), uint64(c.from), uint64(c.size), uint64(c.given))
			}
			for _, l := range w.late {
				h.add(uint64(l.kind), uint64(l.age), uint64(l.frame.off))
			}
			for _, e := range w.policy.Entries(&w.lanes) {
				h.add(uint64(e.PC), uint64(e.RPC), uint64(e.Mask), uint64(e.Kind), uint64(e.Frame.off), uint64(e.Missing))
			}
		}
	}
	for i := range s.async {
		o := &s.async[i]
		h.add(uint64(o.cta), uint64(o.warp), uint64(o.lane), uint64(o.group), uint64(o.mbarrier), uint64(o.to.start), uint64(len(o.data)))
	}
	functions := slices.Collect(maps.Keys(g.frames))
	sort.Slice(functions, func(i, j int) bool { return functions[i].start < functions[j].start })
	for _, fn := range functions {
		h.add(uint64(len(g.frames[fn])))
	}
	h.add(uint64(g.stats.WarpInstructions), uint64(g.stats.LaneInstructions))
	return uint64(h)
}

// hasher is FNV-1a over 64-bit words.
type hasher uint64

func (h *hasher) add(words ...uint64) {
	for _, w := range words {
		*h = (*h ^ hasher(w)) * 1099511628211
	}
}
