package machine

import (
	"fmt"
	"slices"

	"warpscope/emu/causal"
	"warpscope/emu/causes"
)

// cp.async (9.7.10.28.3) starts a copy from global to shared memory. The copy can happen at any time until the thread
// has waited for it. Here it happens as late as possible, when the thread waits, so that a program that forgets to wait
// sees the old data every time. A copy whose thread ends without waiting never happens.

// MakeCopies makes the copies that are due, in the order in which they were started, and the arrivals at mbarriers that
// waited only for these. due gets a copy and its place in the list.
func (w *Warp) MakeCopies(due func(i int, c *AsyncCopy) bool) {
	g := w.CTA.Grid
	was, i := len(w.Copies), -1
	var left Mask // lanes that have an earlier copy that is not due
	w.Copies = slices.DeleteFunc(w.Copies, func(c AsyncCopy) bool {
		i++
		switch {
		case c.Mbarrier != 0 && left.Has(c.Lane):
			return false
		case c.Mbarrier != 0:
			Synchronizes(w, c.Mbarrier, causal.Operation{Reach: causal.CTA, Reads: true, Writes: true,
				Releases: true})
			if why := ChangeMbarrier(g, c.Mbarrier, MbarrierChange{Arrive: 1}); why != "" {
				g.note(c.In, causes.Mbarrier, w.CTA.Index, fmt.Sprintf("`%s`: %s", c.In.Src.Opcode, why))
			}
			return true
		case !due(i, &c):
			left |= 1 << c.Lane
			return false
		}
		w.LSU.NoteUnfenced(c.In, c.To, c.Size)
		g.Record.Memory(g, c.To, c.Size, c.Lane, func() {
			to := g.Mem.Bytes(c.To, c.Size)
			clear(to[copy(to, g.Mem.Bytes(c.From, c.Given)):])
		})
		g.Record.from(g, c.From, c.Given)
		w.LSU.CheckStore(c.In, c.Lane, c.To, c.Size)
		return true
	})
	g.AddFlying(len(w.Copies) - was)
}

// copiesTo makes the copies that an mbarrier tracks, and the copies that the same lanes started before them.
func copiesTo(g *Grid, at uint32) {
	c := OwnerOfShared(g, at)
	if c == nil {
		return
	}
	for _, w := range c.Warps {
		var tracked [32]int // places in the list up to which the lane's copies are due
		any := false
		for i := range w.Copies {
			if a := &w.Copies[i]; a.Mbarrier == at {
				tracked[a.Lane], any = i, true
			}
		}
		if any {
			w.MakeCopies(func(i int, a *AsyncCopy) bool { return i < tracked[a.Lane] })
		}
	}
}
