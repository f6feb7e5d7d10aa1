package machine

import (
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/emu/shadow"
)

// saved is a grid and its memory at a tick. Each part has its own way to clone itself, or to save and restore itself.
type saved struct {
	running
	counts []int64 // executions of each instruction
	shadow *shadow.Shadow
	mem    *mem.Snapshot
}

// Snapshot copies the grid's whole state. The grid goes on unchanged.
func (g *Grid) Snapshot() *Snapshot {
	g.touch()
	cost := g.cost()
	s := &saved{running: g.running.clone(), counts: g.Counted(), shadow: g.Dev.Shadow.Clone()}
	pages, n := g.Mem.Snapshot()
	s.mem = pages
	g.State.pair(false)
	return &Snapshot{Tick: g.State.Tick, Bytes: cost + n, state: s}
}

// Restore puts the grid back to one of its snapshots.
func (g *Grid) Restore(snap *Snapshot) {
	s := snap.state.(*saved)
	g.touch()
	before := g.State
	before.pair(true)
	g.running, g.Dev.Shadow = s.running.clone(), s.shadow.Clone()
	before.pair(false)
	g.State.pair(false)
	g.Mem.Restore(s.mem)
	clear(g.frames.templates) // an edit can have changed the arguments in between
	for pc, n := range s.counts {
		g.Counts[pc] = Count{Each: n}
	}
}

// pair tells the copies of CTAs in snapshots, while a snapshot is restored, what they are copies of.
func (s *GridState) pair(on bool) {
	for _, c := range s.CTAs {
		if copied := c.twin; copied != nil && on {
			copied.twin = c
		} else if copied != nil {
			copied.twin = nil
		}
	}
}

// touch finds the CTAs that can have changed since they were copied, and marks what they have written without marks at
// full speed. Only turns of its own change a CTA, unless there are clusters, operations under way or sanitizers.
func (g *Grid) touch() {
	s, alone := &g.State, g.ClusterSize() == 1 && g.changes == 0 && g.Dev.Shadow == nil
	for i, c := range s.CTAs {
		if i == s.Cur || !alone {
			c.twin = nil
		}
	}
	eachCTA(g, func(c *CTA) {
		if c.twin == nil {
			c.touch()
		}
	})
}

// eachCTA visits the CTAs that have memory.
func eachCTA(g *Grid, do func(c *CTA)) {
	for _, c := range g.State.CTAs {
		do(c)
	}
	if g.State.last != nil {
		do(g.State.last)
	}
}

// Hash returns a hash of the whole state: memory, registers, stacks and schedule. Equal states have equal hashes.
func (g *Grid) Hash() uint64 {
	eachCTA(g, func(c *CTA) {
		c.touch()
		c.eachFrame(func(fr *Frame) { fr.tidy(g.Mem) })
	})
	h := hasher(14695981039346656037)
	for _, word := range g.Mem.Words() {
		h.add(word)
	}
	s := &g.State
	h.add(uint64(s.Tick), uint64(s.Next), uint64(s.Cur), uint64(s.left), uint64(s.ctaLeft), uint64(len(g.Printed)))
	for _, b := range g.Printed {
		h.add(uint64(b))
	}
	for _, c := range s.CTAs {
		h.add(uint64(c.Index), uint64(c.Cur), uint64(c.live))
		for i := range c.barriers {
			h.add(uint64(c.barriers[i].arrived))
		}
		for _, w := range c.Warps {
			h.add(uint64(w.exited()), uint64(w.Carry), uint64(row.Bit(w.Blocked)), uint64(w.Cluster.Arrived),
				uint64(w.Cluster.Awaiting))
			for _, o := range w.waits.list {
				h.add(uint64(o.At), uint64(o.lanes))
			}
			for _, c := range w.Copies {
				h.add(uint64(c.Lane), uint64(c.Age), uint64(c.To), uint64(c.From), uint64(c.Size), uint64(c.Given))
			}
			for _, l := range w.Late {
				h.add(uint64(l.Kind), uint64(l.Age), uint64(l.frame.Off))
			}
			for _, e := range w.Policy.Entries(&w.lanes) {
				h.add(uint64(e.PC), uint64(e.RPC), uint64(e.Mask), uint64(e.Kind), uint64(e.Frame.Off), uint64(e.Missing))
			}
		}
	}
	for i := range g.Async {
		o := &g.Async[i]
		h.add(uint64(o.CTA), uint64(o.Warp), uint64(o.Lane), uint64(o.Group), uint64(o.Mbarrier), uint64(o.To.Start),
			uint64(len(o.Data)))
	}
	for _, free := range g.frames.free {
		h.add(uint64(len(free)))
	}
	h.add(uint64(g.Counters.WarpInstructions), uint64(g.Counters.LaneInstructions))
	return uint64(h)
}

// hasher is FNV-1a over 64-bit words.
type hasher uint64

func (h *hasher) add(words ...uint64) {
	for _, w := range words {
		*h = (*h ^ hasher(w)) * 1099511628211
	}
}

// SnapshotBytes returns the most that a snapshot would take now, in bytes.
func (g *Grid) SnapshotBytes() int64 {
	g.touch()
	return g.cost() + g.Mem.SnapshotBytes()
}

// cost returns the bytes that a snapshot would hold now and the one before it does not, memory aside.
func (g *Grid) cost() int64 {
	s := saved{running: g.running, shadow: g.Dev.Shadow}
	return s.cost() + 8*int64(len(g.Counts)) + g.Dev.Shadow.Cost()
}

// BytesBeside returns the bytes that the snapshot takes when another snapshot of the same grid is kept, too: all that
// they do not share.
func (s *Snapshot) BytesBeside(other *Snapshot) int64 {
	a, b := s.state.(*saved), other.state.(*saved)
	for _, c := range b.State.CTAs {
		c.twin = c // it costs nothing
	}
	cost := a.cost() + a.mem.BytesBeside(b.mem) + a.shadow.BytesBeside(b.shadow)
	b.State.pair(false)
	if unsafe.SliceData(a.Printed) != unsafe.SliceData(b.Printed) {
		cost += mem.SliceBytes(a.Printed)
	}
	return cost
}

// cost returns the bytes of the state without memory, output and the shadow's pages. Frames count for each copy,
// although copies share them.
func (s *saved) cost() int64 {
	return mem.SizeOf(s) + s.running.cost() + mem.SliceBytes(s.counts) + s.shadow.PagesBytes()
}
