package machine

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// CTA is a resident CTA: its warps, shared memory and barriers.
type CTA struct {
	Grid       *Grid
	Mem        *mem.Memory // of the device
	Index      int         // linear, x fastest
	id         Dim3
	Warps      []*Warp
	Cur        int // warp whose turn it is
	SharedOff  uint32
	SharedSize int64
	barriers   barriers
	live       int           // threads that have not exited
	Mbarriers  []MbarrierRef // in its shared memory, by offset
	GroupReads []GroupReads  // products of warpgroups that some of their warps are still to make
	Unfenced   unfenced
	Tensor     TensorMemory
	Refused    bool // it has seen that clusterlaunchcontrol.try_cancel has failed

	underWay
}

// clone is a copy of the CTA and its warps.
func (c *CTA) clone() *CTA {
	n := *c
	n.underWay = underWay{}
	n.Warps = make([]*Warp, len(c.Warps))
	for i, w := range c.Warps {
		n.Warps[i] = w.clone(&n)
	}
	n.barriers, n.Tensor = c.barriers.clone(), c.Tensor.clone()
	n.Mbarriers, n.GroupReads, n.Unfenced = slices.Clone(c.Mbarriers), slices.Clone(c.GroupReads), slices.Clone(c.Unfenced)
	return &n
}

// cost is what a clone takes.
func (c *CTA) cost() int64 {
	n := sizeOf(c) + sliceBytes(c.Warps) + c.barriers.cost() + c.Tensor.cost() + sliceBytes(c.Mbarriers) +
		sliceBytes(c.Unfenced)
	for i := range c.GroupReads {
		n += c.GroupReads[i].cost()
	}
	for _, w := range c.Warps {
		n += w.cost()
	}
	return n
}

// touch marks the memory that a resident CTA writes without saying so: shared and local memory and frames.
func (c *CTA) touch() {
	if c.SharedSize > 0 {
		c.Mem.Touch(c.SharedOff, uint32(c.SharedSize))
	}
	for _, w := range c.Warps {
		w.Local.touch(c.Mem)
		c.Mem.Touch(w.Base.Off, w.Base.Fn.Frame)
		w.Policy.Frames(&w.lanes, func(fr *Frame) { c.Mem.Touch(fr.Off, fr.Fn.Frame) })
	}
}

func (g *Grid) newCTA(index int) (*CTA, error) {
	c := &CTA{Grid: g, Mem: g.Mem, Index: index, SharedSize: g.sharedSize, Cur: -1}
	c.id = g.Grid.Index(index)
	off, ok := g.Mem.Alloc(g.sharedSize)
	if !ok {
		return nil, c.OutOfMemory(nil, g.NoMemory("the shared memory of a CTA"))
	}
	c.SharedOff = off
	g.Dev.Shadow.forget(off, g.sharedSize)
	g.Dev.Shadow.Wrote(off+uint32(g.userShared), uint32(g.sharedSize-g.userShared)) // what the system reserves is zero
	threads := g.block.X * g.block.Y * g.block.Z
	c.live = threads
	for i := 0; i*32 < threads; i++ {
		w := &Warp{CTA: c, Mem: g.Mem, Index: i, Policy: g.Dev.model().policy(), Present: FullMask}
		w.LSU.Warp = w
		w.Host = w
		if rest := threads - i*32; rest < 32 {
			w.Present = 1<<rest - 1
		}
		w.Live = w.Present
		c.Warps = append(c.Warps, w)
		fr, why := w.newFrame(g.Entry, nil, NoPC)
		if why != "" {
			return nil, c.OutOfMemory(nil, why)
		}
		w.Base = fr
		w.Cur = Group{PC: g.Entry.Start, RPC: NoPC, Mask: w.Present, Frame: fr, Kind: KindBase, Cause: NoPC}
	}
	return c, nil
}

// SharedBytes is the CTA's shared memory.
func (c *CTA) SharedBytes() []byte { return c.Mem.Bytes(c.SharedOff, uint32(c.SharedSize)) }

// OutOfMemory stops the grid for want of memory: at an instruction, or at the kernel's name when the CTA starts.
func (c *CTA) OutOfMemory(in *ptx.Inst, why string) error {
	g := c.Grid
	at := g.Entry.Src.Span
	if in != nil {
		at = in.OpSpan
	}
	g.Fault = &Fault{Kind: StackOverflow, CTA: c.id, Inst: in, Pos: g.Prog.Mod.Position(int(at.Start)), Detail: ": " + why}
	return g.Fault
}

// release gives the CTA's memory back.
func (c *CTA) release() {
	g := c.Grid
	c.touch()
	g.Mem.Release(c.SharedOff, c.SharedSize)
	c.releaseTensor()
	for _, w := range c.Warps {
		g.giveFrame(w.Base)
		w.Local.release(g.Mem)
	}
}

func (c *CTA) done() bool {
	for _, w := range c.Warps {
		if !w.Ended {
			return false
		}
	}
	return true
}

// ready says whether some warp can run.
func (c *CTA) ready() bool {
	for _, w := range c.Warps {
		if w.runnable() {
			return true
		}
	}
	return false
}

// nextWarp moves on to the next warp that can run.
func (c *CTA) nextWarp() bool {
	for i := 1; i <= len(c.Warps); i++ {
		n := (c.Cur + i + len(c.Warps)) % len(c.Warps)
		w := c.Warps[n]
		if w.Ended {
			continue
		}
		ready := w.runnable()
		if w.Policy.Turn(&w.lanes); ready || w.runnable() {
			c.Cur = n
			return true
		}
	}
	return false
}

// releaseLanes lets lanes go on alone that wait only to run together with others.
func (c *CTA) releaseLanes() bool {
	any := false
	for _, w := range c.Warps {
		any = w.Policy.Release(&w.lanes) || any
	}
	return any
}

// warpEnded settles barriers that waited only for the threads of an ended warp.
func (c *CTA) warpEnded(*Warp) { c.settleBarriers() }

// barrier is one of the 16 barriers of a CTA (9.7.15.1).
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

// BarrierOp is a lowered bar or barrier (9.7.15.1).
type BarrierOp struct {
	ID, Count row.Operand // count: sink for all threads of the CTA
	Vary      bool        // lanes may name different barriers
	Arrives   bool        // lanes do not wait
	Red       *BarrierReduction
}

// BarrierReduction is what lanes give to bar.red and what it gives to them.
type BarrierReduction struct {
	P, D      row.Operand
	Popc, And bool // else .or
}

// barrier is bar and barrier: sync, arrive and red (9.7.15.1).
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
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: exec, Detail: what})
		return actFault
	}
	w.CheckAligned(in, exec)
	c := w.CTA
	b := &c.barriers[id]
	if b.arrived == 0 {
		b.begin(len(c.Warps))
	}
	b.expected = count
	arrivals := exec
	if !w.progress() && c.Grid.Prog.Mod.SM < 70 {
		arrivals = w.Live // before sm_70 a barrier counts whole warps, whose lanes are not apart
	}
	b.arrive(w, arrivals)
	if op.Red != nil {
		p := Mask(op.Red.P.Lanes(f)) & exec
		b.popc += p.Count()
		b.and = b.and && p == exec
		b.or = b.or || p != 0
	}
	c.Grid.Counters.Barriers++
	arrived := b.arrived
	if !op.Arrives {
		w.WaitAt(id, in, exec)
		w.waited = false
	}
	done := c.settle(id)
	if w.Rec != nil {
		w.Rec.Barrier = &BarrierEvent{ID: id, Arrived: arrived, Expected: count, Done: done}
		if count == 0 {
			w.Rec.Barrier.Expected = c.live
		}
	}
	if op.Arrives {
		return actNext
	}
	return actJumped
}

// same is the lanes that name this barrier with this count.
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

// at is the barrier and the count that a lane names; without a count 0.
func (o *BarrierOp) at(f unsafe.Pointer, lane int) (id, count int) {
	if !o.Count.Sink {
		count = int(o.Count.Get(f, lane))
	}
	return int(o.ID.Get(f, lane)), count
}

// arrive counts lanes of a warp. With a count of threads a whole warp counts 32, however few lanes it has left
// (9.7.15.1), also when its lanes come one after the other.
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

// settleBarriers releases the barriers that are complete now.
func (c *CTA) settleBarriers() {
	for i := range c.barriers {
		if c.barriers[i].arrived != 0 {
			c.settle(i)
		}
	}
	c.SettleGroups()
	if c.Grid.ClusterSize() > 1 {
		c.SettleCluster()
	}
}

// settle releases a barrier's warps when it is complete: with a count, when that many threads have arrived; without,
// when every thread has that has not exited (9.7.14.7) and is not about to without meeting a barrier.
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
		for _, w := range c.Warps {
			missing := w.Live &^ b.lanes[w.Index]
			if !w.Ended && missing != 0 && missing&^excused(w) != 0 {
				return false
			}
		}
	}
	c.Grid.State.Progress = true
	c.Grid.Dev.Shadow.syncCTA(c)
	for _, w := range c.Warps {
		for i := range w.waits.list {
			if o := &w.waits.list[i]; o.At == at {
				b.deliver(c.Mem.At(o.frame.Off), o)
			}
		}
	}
	for _, w := range c.Warps {
		w.EndWaits(func(o *Waiting) bool { return o.At == at })
	}
	b.arrived = 0
	return true
}

// deliver writes the result of a reduction into waiting lanes.
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

// deadlock explains why no warp of the CTA can go on.
func (c *CTA) deadlock() *Fault {
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
	if n := c.ClusterArrivals(); n > 0 {
		who = append(who, fmt.Sprintf("the cluster's barrier has %d of %s", n, ptx.Plural(c.ClusterLive(), "thread")))
	}
	for _, w := range c.Warps {
		if w.Ended {
			continue
		}
		who = append(who, awaitedPhases(w)...)
		if waits := lanesWaiting(w); waits != "" {
			who = append(who, fmt.Sprintf("in warp %d %s", w.Index, waits))
		}
		if f.Inst == nil && len(w.waits.list) > 0 {
			o := w.waits.list[0]
			f.Warp, f.Lanes, f.Inst = w.Index, o.lanes, o.In.Src
		}
		for _, e := range w.Policy.Entries(&w.lanes) {
			if e.Wait == WaitMembers {
				f.Kind = DivergenceDeadlock
				f.Warp, f.Lanes, f.Inst = w.Index, e.Mask, c.Grid.Prog.Code[e.PC].Src
			}
		}
	}
	for _, p := range c.peers() {
		for _, w := range p.Warps {
			for _, what := range awaitedPhases(w) {
				if p != c {
					who = append(who, fmt.Sprintf("%s in CTA %d,%d,%d", what, p.id.X, p.id.Y, p.id.Z))
				}
			}
		}
	}
	if f.Inst != nil {
		f.Pos = c.Grid.Prog.Mod.Position(int(f.Inst.OpSpan.Start))
	}
	f.Detail = ": no warp can go on; " + strings.Join(who, "; ")
	return f
}
