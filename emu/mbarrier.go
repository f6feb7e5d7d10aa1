package emu

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// mbarrier is an mbarrier object (9.7.13.15.2): 64 bits of shared memory, whose layout the manual leaves open. Here it
// is, from the lowest bit:
//
//	0-19   arrivals that the current phase waits for
//	20-39  arrivals that each phase expects
//	40-60  tx-count of the current phase, in two's complement
//	61-62  current phase, modulo 4
//	63     set
//
// The state that mbarrier.arrive returns is the object as it was before.
type mbarrier uint64

// maxArrivals bounds both counts of arrivals and the size of the tx-count (9.7.13.15.2).
const maxArrivals = 1<<20 - 1

func newMbarrier(phase uint64, pending, expected, tx int64) mbarrier {
	return mbarrier(pending | expected<<20 | tx&(1<<21-1)<<40 | int64(phase&3)<<61 | -1<<63)
}

func (b mbarrier) pending() int64  { return int64(b & maxArrivals) }
func (b mbarrier) expected() int64 { return int64(b >> 20 & maxArrivals) }
func (b mbarrier) tx() int64       { return int64(b<<3) >> 43 }
func (b mbarrier) phase() uint64   { return uint64(b >> 61 & 3) }
func (b mbarrier) set() bool       { return b>>63 != 0 }

// mbarrierRef is an object in a CTA's shared memory.
type mbarrierRef struct {
	off   uint32 // from the start of shared memory
	phase int64  // its number, for people: the object itself holds it modulo 4
	is    mbarrier
	seen  bool // somebody has seen that the last phase is complete
}

const noMbarrier = "there is no mbarrier object: it needs mbarrier.init"

// validMbarrier says what is wrong with an object, if it is not there, or if anything but mbarrier operations has written to it
// (9.7.13.15).
func validMbarrier(g *Grid, ref *mbarrierRef, at uint32) string {
	switch {
	case ref == nil:
		return noMbarrier
	case *mbarrierAt(g, at) != ref.is:
		return "its memory was written to, and that by no mbarrier operation: mbarrier.inval must come first"
	}
	return ""
}

// setMbarrier writes an object, and notes what it is.
func setMbarrier(g *Grid, ref *mbarrierRef, at uint32, lane int, b mbarrier) {
	ref.is = b
	g.record.memory(g, at, 8, lane, func() { *mbarrierAt(g, at) = b })
}

// Mbarriers are the objects in a CTA's shared memory, in the order of their addresses.
func (g *Grid) Mbarriers(cta int) []MbarrierView {
	c := g.cta(cta)
	if c == nil {
		return nil
	}
	var views []MbarrierView
	for i := range c.mbarriers {
		views = append(views, c.mbarrierView(&c.mbarriers[i]))
	}
	return views
}

func (c *cta) mbarrierView(r *mbarrierRef) MbarrierView {
	b := *mbarrierAt(c.grid, c.sharedOff+r.off)
	return MbarrierView{CTA: c.index, Addr: c.mem.Win.Shared + Addr(r.off), Phase: r.phase,
		Pending: int(b.pending()), Expected: int(b.expected()), Tx: int(b.tx())}
}

func mbarrierAt(g *Grid, at uint32) *mbarrier { return (*mbarrier)(g.mem.At(at)) }

// findMbarrier is the object at an arena offset with the CTA that owns it, or nil.
func findMbarrier(g *Grid, at uint32) (*cta, *mbarrierRef) {
	c := ownerOfShared(g, at)
	if c == nil {
		return nil, nil
	}
	i, ok := slices.BinarySearchFunc(c.mbarriers, at-c.sharedOff, byOffset)
	if !ok {
		return c, nil
	}
	return c, &c.mbarriers[i]
}

func byOffset(r mbarrierRef, off uint32) int { return int(r.off) - int(off) }

// ownerOfShared is the resident CTA whose shared memory holds an arena offset, or nil.
func ownerOfShared(g *Grid, at uint32) *cta {
	for _, c := range g.state.ctas {
		if at-c.sharedOff < uint32(c.sharedSize) {
			return c
		}
	}
	return nil
}

// mbarrierChange says how an object changes: by how many arrivals, how many of them for good, and how many bytes.
type mbarrierChange struct {
	tx, arrive, drop int64
	incomplete       bool // .noComplete
}

// changeMbarrier applies a change to the object at an arena offset (9.7.13.15.6, 9.7.13.15.7), and says what is wrong with it.
func changeMbarrier(g *Grid, at uint32, ch mbarrierChange) string {
	c, ref := findMbarrier(g, at)
	if why := validMbarrier(g, ref, at); why != "" {
		return why
	}
	b := ref.is
	phase, pending, expected, tx := b.phase(), b.pending()-ch.arrive, b.expected()-ch.drop, b.tx()+ch.tx
	switch {
	case tx > maxArrivals || tx < -maxArrivals:
		return fmt.Sprintf("its tx-count would be %d, beyond the limit of %d", tx, maxArrivals)
	case pending < 0:
		return fmt.Sprintf("%s, but its %s", ptx.Plural(ch.arrive, "arrival"), c.mbarrierView(ref))
	case expected < 0 || pending > maxArrivals:
		return fmt.Sprintf("a change by %s, but its %s", ptx.Plural(max(ch.drop, -ch.arrive), "arrival"), c.mbarrierView(ref))
	}
	// "the count of the pending arrivals has reached zero [and] the tx-count has reached zero": only an arrival and the
	// completion of a transaction can complete a phase.
	if pending == 0 && tx == 0 && (ch.arrive > 0 || ch.tx < 0) {
		if ch.incomplete {
			return "the arrival completes the phase, in spite of .noComplete"
		}
		phase, pending = phase+1, expected
		ref.phase++
		ref.seen = false
	}
	setMbarrier(g, ref, at, 0, newMbarrier(phase, pending, expected, tx))
	g.record.mbarrier(c.mbarrierView(ref))
	return ""
}

// mbarrierOp is what the operations on mbarrier objects have in common.
type mbarrierOp struct {
	do     func(w *warp, v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string
	change mbarrierChange
	count  row.Operand // arrivals
	tx     row.Operand // bytes
	sign   int64       // of tx
	drop   bool
	state  row.Operand // the result of an arrival
}

// lowerMbarrier lowers the mbarrier operations.
func lowerMbarrier(l *lowerer) bool {
	switch l.in.Match.Form.ID {
	case "mbarrier.pending_count":
		return lowerPendingCount(l)
	case "mbarrier.test_wait", "mbarrier.try_wait":
		return lowerMbarrierWait(l)
	}
	v := &mbarrierOp{count: row.Operand{Sink: true}, tx: row.Operand{Sink: true}, state: row.Operand{Sink: true}}
	x := &extra{run: v.run}
	for i, op := range l.in.Match.Operands {
		if i >= len(l.in.Operands) || l.in.Operands[i].Kind == ptx.OpMissing {
			continue
		}
		switch arg := l.in.Operands[i]; op.Name {
		case "addr":
			x.mem = l.access(arg, isa.B64, true)
		case "count":
			v.count = l.src(arg, isa.U32)
		case "txCount":
			v.tx = l.src(arg, isa.U32)
		case "state":
			v.state = l.dst(arg)
		}
	}
	switch l.in.Match.Form.ID {
	case "mbarrier.init":
		v.do = (*warp).mbarrierInit
	case "mbarrier.inval":
		v.do = (*warp).mbarrierInval
	case "mbarrier.expect_tx":
		v.do, v.sign = (*warp).mbarrierChange, 1
	case "mbarrier.complete_tx":
		v.do, v.sign = (*warp).mbarrierChange, -1
	case "mbarrier.arrive", "mbarrier.arrive_drop":
		v.do, v.sign, v.change.arrive = (*warp).mbarrierArrive, 1, 1
		v.drop, v.change.incomplete = l.has(".arrive_drop"), l.has(".noComplete")
	}
	l.i.op, l.i.x = opRun, x
	return true
}

// run works lane by lane, in ascending order.
func (v *mbarrierOp) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	at, ok := w.mbarriers(in, in.x.mem, f, exec)
	if !ok {
		return false
	}
	w.cta.grid.state.progress = true
	good := true
	eachLane(exec, func(lane int) {
		if !good {
			return
		}
		if why := v.do(w, v, f, lane, at[lane]); why != "" {
			good = w.mbarrierFault(in, f, lane, why)
		}
	})
	return good
}

// mbarrierFault stops at a use of an object that the manual leaves undefined.
func (w *warp) mbarrierFault(in *inst, f unsafe.Pointer, lane int, why string) bool {
	w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
		Detail: fmt.Sprintf(": mbarrier at %#x: %s", laneAddr(in.x.mem, f, lane), why)})
	return false
}

// at is the instruction in progress.
func (w *warp) at() *inst { return &w.cta.grid.prog.code[w.Cur.PC] }

// mbarriers finds the objects that lanes name: 8 bytes of shared memory, of the own CTA unless the space says otherwise.
func (w *warp) mbarriers(in *inst, ac *access, f unsafe.Pointer, exec Mask) (at [32]uint32, ok bool) {
	if at, ok = w.spans(in, ac, f, exec, 8, func(int) uint64 { return 8 }); !ok {
		return at, false
	}
	g := w.cta.grid
	var outside Mask
	eachLane(exec, func(lane int) {
		if ownerOfShared(g, at[lane]) == nil {
			outside |= 1 << lane
		}
	})
	if outside != 0 {
		w.fail(in, &Fault{Kind: IllegalAddress, Lanes: outside, Space: spaceName(ac.space), Size: 8,
			Addr: laneAddr(ac, f, firstLane(outside)), Detail: "; mbarrier objects are in shared memory"})
		return at, false
	}
	return at, true
}

const notOwn = "only the threads of its own CTA may do this"

// mbarrierInit is mbarrier.init (9.7.13.15.9).
func (w *warp) mbarrierInit(v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	count := int64(v.count.Get(f, lane))
	if count < 1 || count > maxArrivals {
		return fmt.Sprintf("it cannot expect %s: the count is from 1 to %s", ptx.Plural(count, "arrival"), ptx.Thousands(maxArrivals))
	}
	g := w.cta.grid
	c, ref := findMbarrier(g, at)
	if c != w.cta {
		return notOwn
	}
	if ref != nil {
		w.note(w.at(), causeInit,
			fmt.Sprintf("the mbarrier at shared+%d is initialised again without mbarrier.inval", ref.off))
	}
	if ref == nil {
		i, _ := slices.BinarySearchFunc(c.mbarriers, at-c.sharedOff, byOffset)
		c.mbarriers = slices.Insert(c.mbarriers, i, mbarrierRef{off: at - c.sharedOff})
		ref = &c.mbarriers[i]
	}
	ref.phase = 0
	setMbarrier(g, ref, at, lane, newMbarrier(0, count, count, 0))
	g.record.mbarrier(c.mbarrierView(ref))
	return ""
}

// mbarrierInval is mbarrier.inval (9.7.13.15.10).
func (w *warp) mbarrierInval(v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	g := w.cta.grid
	c, ref := findMbarrier(g, at)
	switch {
	case c != w.cta:
		return notOwn
	case ref == nil:
		return "there is no mbarrier object to invalidate"
	}
	off := ref.off
	c.mbarriers = slices.DeleteFunc(c.mbarriers, func(r mbarrierRef) bool { return r.off == off })
	g.record.memory(g, at, 8, lane, func() { *mbarrierAt(g, at) = 0 })
	return ""
}

// mbarrierChange is mbarrier.expect_tx and mbarrier.complete_tx (9.7.13.15.11, 9.7.13.15.12).
func (w *warp) mbarrierChange(v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	return changeMbarrier(w.cta.grid, at, mbarrierChange{tx: v.sign * int64(v.tx.Get(f, lane))})
}

// mbarrierArrive is mbarrier.arrive and mbarrier.arrive_drop (9.7.13.15.13, 9.7.13.15.14).
func (w *warp) mbarrierArrive(v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	ch := v.change
	if !v.count.Sink {
		ch.arrive = int64(v.count.Get(f, lane))
		if ch.arrive < 1 || ch.arrive > maxArrivals {
			return fmt.Sprintf("a count of %d: it is from 1 to %d", ch.arrive, maxArrivals)
		}
	}
	if !v.tx.Sink {
		ch.tx = int64(v.tx.Get(f, lane))
	}
	if v.drop {
		ch.drop = ch.arrive
	}
	g := w.cta.grid
	before := *mbarrierAt(g, at)
	c, ref := findMbarrier(g, at)
	if c != w.cta && !v.state.Sink {
		return "the mbarrier of another CTA returns no state: the destination is _ (9.7.13.15.8)"
	}
	if ref != nil && ref.phase > 0 && !ref.seen {
		w.note(w.at(), causeUnseen,
			fmt.Sprintf("the mbarrier at shared+%d is in phase %d, and no thread has waited for the one before: "+
				"a wait for each phase must succeed before an arrival in the next", ref.off, ref.phase))
	}
	if why := changeMbarrier(g, at, ch); why != "" {
		return why
	}
	v.state.Set(f, lane, uint64(before))
	return ""
}

// lowerPendingCount is mbarrier.pending_count (9.7.13.15.17).
func lowerPendingCount(l *lowerer) bool {
	d, s := l.dst(l.in.Operands[0]), l.src(l.in.Operands[1], isa.B64)
	l.i.op, l.i.x = opRun, &extra{run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		ok := true
		eachLane(exec, func(lane int) {
			b := mbarrier(s.Get(f, lane))
			if ok = ok && b.set(); !ok {
				illegal(w, in, 1<<lane, ": %#x is no state that mbarrier.arrive.noComplete has returned", uint64(b))
				return
			}
			d.Set(f, lane, uint64(b.pending()))
		})
		return ok
	}}
	return true
}
