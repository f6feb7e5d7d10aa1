package emu

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// cta is a resident CTA: its warps, shared memory and barriers.
type cta struct {
	grid       *Grid
	mem        *mem.Memory // of the device
	index      int         // linear, x fastest
	id         Dim3
	warps      []*warp
	cur        int // warp whose turn it is
	sharedOff  uint32
	sharedSize int64
	barriers   barriers
	live       int           // threads that have not exited
	mbarriers  []mbarrierRef // in its shared memory, by offset
	groupReads []groupReads  // products of warpgroups that some of their warps are still to make
	unfenced   unfenced
	tensor     tensorMemory
	refused    bool // it has seen that clusterlaunchcontrol.try_cancel has failed

	underWay
}

// clone is a copy of the CTA and its warps.
func (c *cta) clone() *cta {
	n := *c
	n.underWay = underWay{}
	n.warps = make([]*warp, len(c.warps))
	for i, w := range c.warps {
		n.warps[i] = w.clone(&n)
	}
	n.barriers, n.tensor = c.barriers.clone(), c.tensor.clone()
	n.mbarriers, n.groupReads, n.unfenced = slices.Clone(c.mbarriers), slices.Clone(c.groupReads), slices.Clone(c.unfenced)
	return &n
}

// cost is what a clone takes.
func (c *cta) cost() int64 {
	n := sizeOf(c) + sliceBytes(c.warps) + c.barriers.cost() + c.tensor.cost() + sliceBytes(c.mbarriers) +
		sliceBytes(c.unfenced)
	for i := range c.groupReads {
		n += c.groupReads[i].cost()
	}
	for _, w := range c.warps {
		n += w.cost()
	}
	return n
}

// touch marks the memory that a resident CTA writes without saying so: shared and local memory and frames.
func (c *cta) touch() {
	if c.sharedSize > 0 {
		c.mem.Touch(c.sharedOff, uint32(c.sharedSize))
	}
	for _, w := range c.warps {
		w.local.touch(c.mem)
		c.mem.Touch(w.base.off, w.base.fn.frame)
		w.policy.Frames(&w.lanes, func(fr *frame) { c.mem.Touch(fr.off, fr.fn.frame) })
	}
}

func (g *Grid) newCTA(index int) (*cta, error) {
	c := &cta{grid: g, mem: g.mem, index: index, sharedSize: g.sharedSize, cur: -1}
	c.id = g.grid.Index(index)
	off, ok := g.mem.Alloc(g.sharedSize)
	if !ok {
		return nil, c.outOfMemory(nil, g.noMemory("the shared memory of a CTA"))
	}
	c.sharedOff = off
	g.dev.shadow.forget(off, g.sharedSize)
	g.dev.shadow.wrote(off+uint32(g.userShared), uint32(g.sharedSize-g.userShared)) // what the system reserves is zero
	threads := g.block.X * g.block.Y * g.block.Z
	c.live = threads
	for i := 0; i*32 < threads; i++ {
		w := &warp{cta: c, mem: g.mem, index: i, policy: g.dev.model().policy(), present: FullMask}
		w.lsu.warp = w
		w.Host = w
		if rest := threads - i*32; rest < 32 {
			w.present = 1<<rest - 1
		}
		w.Live = w.present
		c.warps = append(c.warps, w)
		fr, why := w.newFrame(g.entry, nil, noPC)
		if why != "" {
			return nil, c.outOfMemory(nil, why)
		}
		w.base = fr
		w.Cur = group{PC: g.entry.start, RPC: noPC, Mask: w.present, Frame: fr, Kind: KindBase, Cause: noPC}
	}
	return c, nil
}

// sharedBytes is the CTA's shared memory.
func (c *cta) sharedBytes() []byte { return c.mem.Bytes(c.sharedOff, uint32(c.sharedSize)) }

// outOfMemory stops the grid for want of memory: at an instruction, or at the kernel's name when the CTA starts.
func (c *cta) outOfMemory(in *ptx.Inst, why string) error {
	g := c.grid
	at := g.entry.src.Span
	if in != nil {
		at = in.OpSpan
	}
	g.fault = &Fault{Kind: StackOverflow, CTA: c.id, Inst: in, Pos: g.prog.mod.Position(int(at.Start)), Detail: ": " + why}
	return g.fault
}

// release gives the CTA's memory back.
func (c *cta) release() {
	g := c.grid
	c.touch()
	g.mem.Release(c.sharedOff, c.sharedSize)
	c.releaseTensor()
	for _, w := range c.warps {
		g.giveFrame(w.base)
		w.local.release(g.mem)
	}
}

func (c *cta) done() bool {
	for _, w := range c.warps {
		if !w.Ended {
			return false
		}
	}
	return true
}

// ready says whether some warp can run.
func (c *cta) ready() bool {
	for _, w := range c.warps {
		if w.runnable() {
			return true
		}
	}
	return false
}

// nextWarp moves on to the next warp that can run.
func (c *cta) nextWarp() bool {
	for i := 1; i <= len(c.warps); i++ {
		n := (c.cur + i + len(c.warps)) % len(c.warps)
		w := c.warps[n]
		if w.Ended {
			continue
		}
		ready := w.runnable()
		if w.policy.Turn(&w.lanes); ready || w.runnable() {
			c.cur = n
			return true
		}
	}
	return false
}

// releaseLanes lets lanes go on alone that wait only to run together with others.
func (c *cta) releaseLanes() bool {
	any := false
	for _, w := range c.warps {
		any = w.policy.Release(&w.lanes) || any
	}
	return any
}

// warpEnded settles barriers that waited only for the threads of an ended warp.
func (c *cta) warpEnded(*warp) { c.settleBarriers() }

// barrier is one of the 16 barriers of a CTA (9.7.13.1).
type barrier struct {
	arrived  int    // threads, whole warps counting 32 when a count is given
	expected int    // threads that complete it; 0: all threads of the CTA
	lanes    []Mask // per warp: lanes that have arrived, when expected is 0
	and, or  bool
	popc     int
}

// barriers are those of a CTA.
type barriers [16]barrier

func (b barriers) clone() barriers {
	for i := range b {
		b[i].lanes = slices.Clone(b[i].lanes)
	}
	return b
}

func (b *barriers) cost() (n int64) {
	for i := range b {
		n += sliceBytes(b[i].lanes)
	}
	return n
}

// begin makes a barrier ready for its next phase.
func (b *barrier) begin(warps int) {
	if b.lanes == nil {
		b.lanes = make([]Mask, warps)
	}
	clear(b.lanes)
	b.and, b.or, b.popc = true, false, 0
}

// barrierOp is a lowered bar or barrier (9.7.13.1).
type barrierOp struct {
	id, count row.Operand // count: sink for all threads of the CTA
	vary      bool        // lanes may name different barriers
	arrives   bool        // lanes do not wait
	red       *barrierReduction
}

// barrierReduction is what lanes give to bar.red and what it gives to them.
type barrierReduction struct {
	p, d      row.Operand
	popc, and bool // else .or
}

// barrier is bar and barrier: sync, arrive and red (9.7.13.1).
func (w *warp) barrier(in *inst, f unsafe.Pointer, exec Mask) action {
	op := in.x.barrier
	id, count := op.at(f, firstLane(exec))
	if same := op.same(f, exec, id, count); same != exec {
		w.apart(in, exec, same)
		return actJumped
	}
	if id > 15 || count%32 != 0 || op.arrives && count == 0 {
		what := fmt.Sprintf(": barrier %d with a count of %d; barriers are 0 to 15, counts multiples of the warp size", id, count)
		if op.count.Sink {
			what = fmt.Sprintf(": there is no barrier %d; barriers are 0 to 15", id)
		}
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: exec, Detail: what})
		return actFault
	}
	w.checkAligned(in, exec)
	c := w.cta
	b := &c.barriers[id]
	if b.arrived == 0 {
		b.begin(len(c.warps))
	}
	b.expected = count
	arrivals := exec
	if !w.progress() && c.grid.prog.mod.SM < 70 {
		arrivals = w.Live // before sm_70 a barrier counts whole warps, whose lanes are not apart
	}
	b.arrive(w, arrivals)
	if op.red != nil {
		p := Mask(op.red.p.Lanes(f)) & exec
		b.popc += p.Count()
		b.and = b.and && p == exec
		b.or = b.or || p != 0
	}
	c.grid.stats.Barriers++
	arrived := b.arrived
	if !op.arrives {
		w.waitAt(id, in, exec)
		w.waited = false
	}
	done := c.settle(id)
	if w.rec != nil {
		w.rec.Barrier = &BarrierEvent{ID: id, Arrived: arrived, Expected: count, Done: done}
		if count == 0 {
			w.rec.Barrier.Expected = c.live
		}
	}
	if op.arrives {
		return actNext
	}
	return actJumped
}

// same is the lanes that name this barrier with this count.
func (o *barrierOp) same(f unsafe.Pointer, exec Mask, id, count int) (same Mask) {
	if !o.vary {
		return exec
	}
	eachLane(exec, func(lane int) {
		at, n := o.at(f, lane)
		same |= Mask(row.Bit(at == id && n == count)) << lane
	})
	return same
}

// at is the barrier and the count that a lane names; without a count 0.
func (o *barrierOp) at(f unsafe.Pointer, lane int) (id, count int) {
	if !o.count.Sink {
		count = int(o.count.Get(f, lane))
	}
	return int(o.id.Get(f, lane)), count
}

// arrive counts lanes of a warp. With a count of threads a whole warp counts 32, however few lanes it has left
// (9.7.13.1), also when its lanes come one after the other.
func (b *barrier) arrive(w *warp, lanes Mask) {
	before := b.lanes[w.index]
	b.lanes[w.index] |= lanes
	switch {
	case b.expected == 0 || b.lanes[w.index] != w.Live:
		b.arrived += lanes.Count()
	case lanes == w.Live:
		b.arrived += 32
	default:
		b.arrived += 32 - before.Count()
	}
}

// settleBarriers releases the barriers that are complete now.
func (c *cta) settleBarriers() {
	for i := range c.barriers {
		if c.barriers[i].arrived != 0 {
			c.settle(i)
		}
	}
	c.settleGroups()
	if c.grid.clusterSize() > 1 {
		c.settleCluster()
	}
}

// settle releases a barrier's warps when it is complete: with a count, when that many threads have arrived; without,
// when every thread has that has not exited (9.7.12.7) and is not about to without meeting a barrier.
func (c *cta) settle(at int) bool {
	b := &c.barriers[at]
	if b.arrived == 0 {
		return false
	}
	if b.expected != 0 {
		if b.arrived < b.expected {
			return false
		}
	} else {
		for _, w := range c.warps {
			missing := w.Live &^ b.lanes[w.index]
			if !w.Ended && missing != 0 && missing&^excused(w) != 0 {
				return false
			}
		}
	}
	c.grid.state.progress = true
	c.grid.dev.shadow.syncCTA(c)
	for _, w := range c.warps {
		for i := range w.waits.list {
			if o := &w.waits.list[i]; o.at == at {
				b.deliver(c.mem.At(o.frame.off), o)
			}
		}
	}
	for _, w := range c.warps {
		w.endWaits(func(o *waiting) bool { return o.at == at })
	}
	b.arrived = 0
	return true
}

// deliver writes the result of a reduction into waiting lanes.
func (b *barrier) deliver(f unsafe.Pointer, o *waiting) {
	red := o.in.x.barrier.red
	if red == nil {
		return
	}
	*row.Pred(f, o.in.seen) |= uint32(o.lanes)
	switch {
	case red.popc:
		eachLane(o.lanes, func(lane int) { red.d.Set(f, lane, uint64(b.popc)) })
	case red.and:
		red.d.SetLanes(f, o.lanes, -row.Bit(b.and))
	default:
		red.d.SetLanes(f, o.lanes, -row.Bit(b.or))
	}
}

// deadlock explains why no warp of the CTA can go on.
func (c *cta) deadlock() *Fault {
	var who []string
	f := &Fault{Kind: BarrierDeadlock, CTA: c.id}
	for i := range c.barriers {
		b := &c.barriers[i]
		if b.arrived == 0 {
			continue
		}
		want := "all threads"
		if b.expected != 0 {
			want = fmt.Sprintf("%d threads", b.expected)
		}
		who = append(who, fmt.Sprintf("barrier %d has %d of %s", i, b.arrived, want))
	}
	if n := c.clusterArrivals(); n > 0 {
		who = append(who, fmt.Sprintf("the cluster's barrier has %d of %s", n, ptx.Plural(c.clusterLive(), "thread")))
	}
	for _, w := range c.warps {
		if w.Ended {
			continue
		}
		who = append(who, awaitedPhases(w)...)
		if waits := lanesWaiting(w); waits != "" {
			who = append(who, fmt.Sprintf("in warp %d %s", w.index, waits))
		}
		if f.Inst == nil && len(w.waits.list) > 0 {
			o := w.waits.list[0]
			f.Warp, f.Lanes, f.Inst = w.index, o.lanes, o.in.src
		}
		for _, e := range w.policy.Entries(&w.lanes) {
			if e.Wait == WaitMembers {
				f.Kind = DivergenceDeadlock
				f.Warp, f.Lanes, f.Inst = w.index, e.Mask, c.grid.prog.code[e.PC].src
			}
		}
	}
	for _, p := range c.peers() {
		for _, w := range p.warps {
			for _, what := range awaitedPhases(w) {
				if p != c {
					who = append(who, fmt.Sprintf("%s in CTA %d,%d,%d", what, p.id.X, p.id.Y, p.id.Z))
				}
			}
		}
	}
	if f.Inst != nil {
		f.Pos = c.grid.prog.mod.Position(int(f.Inst.OpSpan.Start))
	}
	f.Detail = ": no warp can go on; " + strings.Join(who, "; ")
	return f
}
