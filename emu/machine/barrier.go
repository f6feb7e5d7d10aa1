package machine

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/row"
	"warpscope/gpu"
)

// begin makes a barrier ready for its next phase.
func (b *barrier) begin(warps int) {
	b.lanes = slices.Grow(b.lanes[:0], warps)[:warps]
	clear(b.lanes)
	b.and, b.or, b.popc, b.told, b.from = true, false, 0, nil, nil
}

// arrive counts lanes of a warp. With a count of threads a whole warp counts 32, however few lanes it has left
// (9.7.15.1), even when its lanes arrive one after the other.
func (b *barrier) arrive(w *Warp, lanes Mask) {
	before := b.lanes[w.Index]
	b.lanes[w.Index] |= lanes
	switch {
	case b.expected == 0 || b.lanes[w.Index] != w.Live:
		b.arrived += lanes.Count()
	case lanes == w.Live:
		b.arrived += 32
	default:
		b.arrived += 32 - before.Count()
	}
}

// deliver writes the result of a reduction into lanes that wait for it.
func (b *barrier) deliver(f unsafe.Pointer, o *Waiting) {
	red := o.In.X.Barrier.Red
	if red == nil {
		return
	}
	*row.Pred(f, o.In.Seen) |= uint32(o.lanes)
	switch {
	case red.Popc:
		EachLane(o.lanes, func(lane int) { red.D.Set(f, lane, uint64(b.popc)) })
	case red.And:
		red.D.SetLanes(f, o.lanes, -row.Bit(b.and))
	default:
		red.D.SetLanes(f, o.lanes, -row.Bit(b.or))
	}
}

// same returns the lanes of exec that name this barrier with this count.
func (o *BarrierOp) same(f unsafe.Pointer, exec Mask, id, count int) (same Mask) {
	if !o.Vary {
		return exec
	}
	EachLane(exec, func(lane int) {
		at, n := o.at(f, lane)
		same |= Mask(row.Bit(at == id && n == count)) << lane
	})
	return same
}

// at returns the barrier and the count that a lane names; the count is 0 where the instruction has none.
func (o *BarrierOp) at(f unsafe.Pointer, lane int) (id, count int) {
	if !o.Count.Sink {
		count = int(o.Count.Get(f, lane))
	}
	return int(o.ID.Get(f, lane)), count
}

// barrier executes bar and barrier: sync, arrive and red (9.7.15.1).
func (w *Warp) barrier(in *Inst, f unsafe.Pointer, exec Mask) action {
	op := in.X.Barrier
	id, count := op.at(f, FirstLane(exec))
	if same := op.same(f, exec, id, count); same != exec {
		w.apart(in, exec, same)
		return actJumped
	}
	if id > 15 || count%32 != 0 || op.Arrives && count == 0 {
		what := fmt.Sprintf(": barrier %d with a count of %d; barriers are 0 to 15, counts multiples of the warp size", id,
			count)
		if op.Count.Sink {
			what = fmt.Sprintf(": there is no barrier %d; barriers are 0 to 15", id)
		}
		w.Fail(in, &Fault{Kind: gpu.IllegalInstruction, Lanes: exec, Detail: what})
		return actFault
	}
	w.CheckAligned(in, exec)
	c := w.CTA
	b := &c.barriers[id]
	if b.arrived == 0 {
		b.begin(len(c.Warps))
		c.open |= 1 << id
	}
	if b.from == nil {
		b.from = in
	}
	if agree(w, in, id, count) {
		b.expected = count
	}
	arrivals := exec
	if !groups(w) && c.Grid.Prog.Mod.SM < 70 {
		arrivals = w.Live // before sm_70 a barrier counts whole warps, and lanes of a warp are never apart
	}
	b.arrive(w, arrivals)
	if op.Red != nil {
		p := Mask(op.Red.P.Lanes(f)) & exec
		b.popc += p.Count()
		b.and = b.and && p == exec
		b.or = b.or || p != 0
	}
	CountArrival(w)
	arrived := b.arrived
	if op.Arrives {
		Arrived(w, &b.told, true)
	} else {
		w.WaitAt(id, in, exec)
		w.waited = false
	}
	done := c.settle(id)
	if s := &c.Grid.State; done && s.Tick+w.Ran+1-s.spin.since >= AgainAtBarrier {
		s.spin = spinWatch{since: s.Tick + w.Ran + 1}
	}
	if w.Rec != nil {
		w.Rec.Barrier = &gpu.BarrierEvent{ID: id, Arrived: arrived, Expected: count, Done: done}
		if count == 0 {
			w.Rec.Barrier.Expected = c.live
		}
	}
	if op.Arrives {
		return actNext
	}
	return actJumped
}

// agree says whether a barrier instruction gives the count that those before it have given. It notes where it does not,
// and where it reduces and they do not, or the other way: warps may use different forms only with the same count, and
// reductions only with reductions (9.7.15.1).
func agree(w *Warp, in *Inst, id, count int) bool {
	b := &w.CTA.barriers[id]
	was := b.from
	mixed := (in.X.Barrier.Red == nil) != (was.X.Barrier.Red == nil)
	if b.arrived == 0 || count == b.expected && !mixed {
		return true
	}
	line := w.CTA.Grid.Position(was.Src).Line
	here := fmt.Sprintf("`%s` in warp %d comes to barrier %d", in.Src.Opcode, w.Index, id)
	if mixed {
		w.NoteWith(in, causes.Mixed, was, fmt.Sprintf("%s, where threads have arrived with `%s` of line %d: a reduction "+
			"must not be mixed with other uses of its barrier; take another barrier for it", here, was.Src.Opcode, line))
	}
	if count == b.expected {
		return true
	}
	words := func(n int) string {
		if n == 0 {
			return "no count"
		}
		return fmt.Sprintf("a count of %d", n)
	}
	w.NoteWith(in, causes.Count, was, fmt.Sprintf("%s with %s, and `%s` of line %d with %s: all that take part must give "+
		"the same count", here, words(count), was.Src.Opcode, line, words(b.expected)))
	return false
}

// settleBarriers releases the barriers of the CTA that are complete now, its warpgroups and its cluster.
func (c *CTA) settleBarriers() {
	for open := c.open; open != 0; open &= open - 1 {
		c.settle(bits.TrailingZeros16(open))
	}
	c.SettleGroups()
	if c.Grid.ClusterSize() > 1 {
		c.SettleCluster()
	}
}

// settle releases a barrier's warps when it is complete. A barrier with a count is complete when that many threads have
// arrived. A barrier without one is complete when every other thread has exited (9.7.14.7), or will exit without coming
// to a barrier. It returns whether it has released the barrier.
func (c *CTA) settle(at int) bool {
	b := &c.barriers[at]
	if b.arrived == 0 {
		return false
	}
	if b.expected != 0 {
		if b.arrived < b.expected {
			return false
		}
	} else {
		for i := range c.Warps { // from the warp that was missing last: mostly it still is
			w := c.Warps[(b.missing+i)%len(c.Warps)]
			missing := w.Live &^ b.lanes[w.Index]
			if !w.Ended && missing != 0 && missing&^excused(w) != 0 {
				b.missing = w.Index
				return false
			}
		}
	}
	c.Grid.State.Progress = true
	meetWarps(c, b, at)
	for _, w := range c.Warps {
		for i := range w.waits.list {
			if o := &w.waits.list[i]; o.At == at && o.In.X.Barrier.Red != nil {
				b.deliver(c.Mem.At(o.frame.Off), o)
			}
		}
		w.EndWaits(func(o *Waiting) bool { return o.At == at })
	}
	b.arrived = 0
	c.open &^= 1 << at
	return true
}

// warpEnded settles the barriers that waited only for the threads of an ended warp.
func (c *CTA) warpEnded(*Warp) { c.settleBarriers() }
