package emu

import (
	"slices"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
)

// maxFlight bounds the operations under way. When there are more, the older half takes effect.
const maxFlight = 1 << 12

// startAsync starts an asynchronous operation.
func startAsync(w *machine.Warp, in *machine.Inst, lane int, o machine.AsyncOp) {
	o.In, o.CTA, o.Warp, o.Lane = in, w.CTA.Index, w.Index, lane
	for _, m := range o.Moves {
		o.To.Add(m.To, m.Size)
		if m.From != 0 && !o.Read {
			o.From.Add(m.From, o.Reads(m))
		}
	}
	g := w.CTA.Grid
	moves := o.Moves
	if repeats(&g.Flights, &o) {
		moves = nil // they have been checked already
	}
	for _, m := range moves {
		w.LSU.CheckRange(in, lane, m.To, m.Size, true)
		if m.From != 0 && !w.LSU.CheckRange(in, lane, m.From, o.Reads(m), false) {
			checkFenced(w, in, lane, m.From, o.Reads(m))
		}
	}
	g.Async = append(g.Async, o)
	g.AddFlying(1)
	if len(g.Async) > maxFlight {
		oldest := maxFlight / 2
		machine.DeliverDue(g, func(*machine.AsyncOp) bool { oldest--; return oldest >= 0 })
	}
}

// repeats says whether an operation is the same copy, by the same instruction of the same warp, as one that is under
// way. In some programs all lanes of a warp store the tile that one lane could store. They write the same bytes.
func repeats(s *machine.Flights, o *machine.AsyncOp) bool {
	for i := len(s.Async) - 1; i >= 0; i-- {
		p := &s.Async[i]
		if p.In != o.In || p.CTA != o.CTA || p.Warp != o.Warp {
			return false
		}
		if p.Lane != o.Lane && o.Mbarrier == 0 && o.Fold == nil && !p.Read && !o.Read && slices.Equal(p.Moves, o.Moves) {
			return true
		}
	}
	return false
}

// commitBulk closes the current bulk async-groups of some lanes (9.7.10.28.6.1).
func commitBulk(w *machine.Warp, exec Mask) {
	for i := range w.CTA.Grid.Async {
		if o := &w.CTA.Grid.Async[i]; of(o, w) && exec.Has(o.Lane) && o.Group >= 0 {
			o.Group++
		}
	}
}

func of(o *machine.AsyncOp, w *machine.Warp) bool { return o.CTA == w.CTA.Index && o.Warp == w.Index }

// waitBulk waits until at most n bulk async-groups of some lanes are pending; with read, until at most n have not yet
// read their sources (9.7.10.28.6.2).
func waitBulk(w *machine.Warp, exec Mask, n int, read bool) {
	g := w.CTA.Grid
	due := func(o *machine.AsyncOp) bool { return of(o, w) && exec.Has(o.Lane) && o.Group > n }
	if !read {
		machine.DeliverDue(g, due)
		return
	}
	for i := range g.Async {
		if o := &g.Async[i]; due(o) && !o.Read {
			machine.ReadSource(g, o)
			o.From = mem.Extent{}
			g.AddFlying(0)
		}
	}
}
