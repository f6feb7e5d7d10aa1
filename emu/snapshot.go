package emu

import (
	"maps"
	"slices"
	"sort"

	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// saved is a grid and its memory at a tick. Each part knows itself how it is cloned, or saved and put back.
type saved struct {
	running
	counts []int64 // executions of each instruction
	shadow *shadow
	mem    *mem.Snapshot
}

// Snapshot copies the grid's whole state.
func (g *Grid) Snapshot() *Snapshot {
	g.touch()
	cost := g.cost()
	s := &saved{running: g.running.clone(), counts: g.counted(), shadow: g.dev.shadow.clone()}
	pages, n := g.mem.Snapshot()
	s.mem = pages
	return &Snapshot{Tick: g.state.tick, Bytes: cost + n, state: s}
}

// Restore puts the grid back to a snapshot of it.
func (g *Grid) Restore(snap *Snapshot) {
	s := snap.state.(*saved)
	g.touch()
	g.running, g.dev.shadow = s.running.clone(), s.shadow.clone()
	g.mem.Restore(s.mem)
	for pc, n := range s.counts {
		g.counts[pc] = count{each: n}
	}
}

// touch marks the memory that is written at full speed, where nothing marks it.
func (g *Grid) touch() {
	for _, c := range g.state.ctas {
		c.touch()
	}
	if g.state.last != nil {
		g.state.last.touch()
	}
}

// Hash is a hash of the whole state: memory, registers, stacks and schedule. Equal states have equal hashes.
func (g *Grid) Hash() uint64 {
	h := hasher(14695981039346656037)
	for _, word := range g.mem.Words() {
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
			h.add(uint64(w.exited()), uint64(w.carry), uint64(row.Bit(w.Blocked)), uint64(w.cluster.arrived), uint64(w.cluster.awaiting))
			for _, o := range w.waits.list {
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
	for i := range g.async {
		o := &g.async[i]
		h.add(uint64(o.cta), uint64(o.warp), uint64(o.lane), uint64(o.group), uint64(o.mbarrier), uint64(o.to.start), uint64(len(o.data)))
	}
	functions := slices.Collect(maps.Keys(g.frames.free))
	sort.Slice(functions, func(i, j int) bool { return functions[i].start < functions[j].start })
	for _, fn := range functions {
		h.add(uint64(len(g.frames.free[fn])))
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
