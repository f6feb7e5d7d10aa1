package emu

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

func set(b gpu.Mbarrier) bool { return b>>63 != 0 }

// mbarrierOp is what the operations on mbarrier objects have in common.
type mbarrierOp struct {
	do       func(w *machine.Warp, v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string
	change   machine.MbarrierChange
	count    row.Operand // arrivals
	tx       row.Operand // bytes
	sign     int64       // of tx
	drop     bool
	scope    causal.Reach
	releases bool
	v1       bool        // layout v1
	state    row.Operand // the result of an arrival
	ranks    row.Operand // the CTAs of a multicast; a sink: the one that the address names
}

// lowerMbarrier lowers the mbarrier operations.
func lowerMbarrier(l *lowerer) bool {
	switch l.in.Match.Form.ID {
	case "mbarrier.pending_count":
		return lowerPendingCount(l)
	case "mbarrier.test_wait", "mbarrier.try_wait", "mbarrier.test_wait.report", "mbarrier.try_wait.report":
		return lowerMbarrierWait(l)
	case "mbarrier.check_layout":
		return lowerCheckLayout(l)
	}
	none := row.Operand{Sink: true}
	v := &mbarrierOp{count: none, tx: none, state: none, ranks: none}
	var mem *machine.Access
	for i, op := range l.in.Match.Operands {
		if i >= len(l.in.Operands) || l.in.Operands[i].Kind == ptx.OpMissing {
			continue
		}
		switch arg := l.in.Operands[i]; op.Name {
		case "addr":
			mem = l.access(arg, isa.B64, true)
		case "count":
			v.count = l.src(arg, isa.U32)
		case "txCount":
			v.tx = l.src(arg, isa.U32)
		case "state":
			v.state = l.dst(arg)
		case "ctaMask":
			v.ranks = l.src(arg, isa.U32)
		}
	}
	switch l.in.Match.Form.ID {
	case "mbarrier.init":
		v.do = mbarrierInit
	case "mbarrier.init.v1":
		v.do, v.v1 = mbarrierInit, true
	case "mbarrier.inval":
		v.do = mbarrierInval
	case "mbarrier.expect_tx":
		v.do, v.sign = changeMbarriers, 1
	case "mbarrier.complete_tx":
		v.do, v.sign = changeMbarriers, -1
	case "mbarrier.arrive", "mbarrier.arrive_drop":
		v.do, v.sign, v.change.Arrive = mbarrierArrive, 1, 1
		v.releases, v.scope = !l.has(".relaxed"), machine.ScopeOf(l.in.Match)
		v.drop, v.change.Incomplete = l.has(".arrive_drop"), l.has(".noComplete")
	}
	return l.reaches(mem, v.run)
}

// run works lane by lane, in ascending order.
func (v *mbarrierOp) run(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	at, ok := w.Mbarriers(in, in.X.Mem, f, exec)
	if !ok {
		return false
	}
	w.CTA.Grid.State.Progress = true
	good := true
	machine.EachLane(exec, func(lane int) {
		if !good {
			return
		}
		why := ""
		if v.ranks.Sink {
			why = v.do(w, v, f, lane, at[lane])
		} else {
			why = v.multicast(w, f, lane, at[lane])
		}
		if why != "" {
			good = mbarrierFault(w, in, f, lane, why)
		}
	})
	return good
}

// multicast works on the objects at the same place of several CTAs of the cluster (9.7.15.16.14 to 9.7.15.16.17).
func (v *mbarrierOp) multicast(w *machine.Warp, f unsafe.Pointer, lane int, at uint32) string {
	at -= machine.OwnerOfShared(w.CTA.Grid, at).SharedOff
	for m := uint32(v.ranks.Get(f, lane)); m != 0; m &= m - 1 {
		rank := bits.TrailingZeros32(m)
		c := w.CTA.Peer(rank)
		if c == nil {
			return fmt.Sprintf(noSuchRank, rank)
		}
		if why := v.do(w, v, f, lane, c.SharedOff+at); why != "" {
			return fmt.Sprintf("in the CTA of rank %d: %s", rank, why)
		}
	}
	return ""
}

// noSuchRank is what is wrong with a mask of CTAs.
const noSuchRank = "the multicast goes to rank %d, and the cluster has no such CTA, or it has ended"

// mbarrierFault stops at a use of an object that the manual leaves undefined.
func mbarrierFault(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, lane int, why string) bool {
	w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
		Detail: fmt.Sprintf(": mbarrier at %#x: %s", machine.LaneAddr(in.X.Mem, f, lane), why)})
	return false
}

// instAt is the instruction in progress.
func instAt(w *machine.Warp) *machine.Inst { return &w.CTA.Grid.Prog.Code[w.Cur.PC] }

const notOwn = "only the threads of its own CTA may do this"

// mbarrierInit is mbarrier.init (9.7.15.16.12).
func mbarrierInit(w *machine.Warp, v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	count := int64(v.count.Get(f, lane))
	is := machine.MbarrierRef{Off: at, V1: v.v1, Init: instAt(w)}
	if most := is.MaxArrivals(); count < 1 || count > most {
		return fmt.Sprintf("it cannot expect %s: the count is from 1 to %s", ptx.Plural(count, "arrival"),
			ptx.Thousands(most))
	}
	g := w.CTA.Grid
	c, ref := machine.FindMbarrier(g, at)
	if c != w.CTA {
		return notOwn
	}
	if ref != nil {
		w.NoteWith(instAt(w), causes.Init, ref.Init, fmt.Sprintf("the mbarrier at shared+%d is initialised again "+
			"without mbarrier.inval", ref.Off))
	}
	is.Off -= c.SharedOff
	if ref == nil {
		i, _ := slices.BinarySearchFunc(c.Mbarriers, is.Off, machine.ByOffset)
		c.Mbarriers = slices.Insert(c.Mbarriers, i, is)
		ref = &c.Mbarriers[i]
	}
	*ref = is
	machine.SetMbarrier(g, ref, at, lane, gpu.NewMbarrier(0, count, count, 0))
	g.Record.Mbarrier(c.MbarrierView(ref))
	return ""
}

// mbarrierInval is mbarrier.inval (9.7.15.16.13).
func mbarrierInval(w *machine.Warp, v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	g := w.CTA.Grid
	c, ref := machine.FindMbarrier(g, at)
	switch {
	case c != w.CTA:
		return notOwn
	case ref == nil:
		return "there is no mbarrier object to invalidate"
	}
	off := ref.Off
	c.Mbarriers = slices.DeleteFunc(c.Mbarriers, func(r machine.MbarrierRef) bool { return r.Off == off })
	g.Record.Memory(g, at, 8, lane, func() { *machine.MbarrierAt(g, at) = 0 })
	return ""
}

// MbarrierChange is mbarrier.expect_tx and mbarrier.complete_tx (9.7.15.16.14, 9.7.15.16.15).
func changeMbarriers(w *machine.Warp, v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	return machine.ChangeMbarrier(w.CTA.Grid, at, machine.MbarrierChange{Tx: v.sign * int64(v.tx.Get(f, lane))})
}

// mbarrierArrive is mbarrier.arrive and mbarrier.arrive_drop (9.7.15.16.16, 9.7.15.16.17).
func mbarrierArrive(w *machine.Warp, v *mbarrierOp, f unsafe.Pointer, lane int, at uint32) string {
	ch := v.change
	if !v.count.Sink {
		ch.Arrive = int64(v.count.Get(f, lane))
		if ch.Arrive < 1 || ch.Arrive > gpu.MaxArrivals {
			return fmt.Sprintf("a count of %d: it is from 1 to %d", ch.Arrive, gpu.MaxArrivals)
		}
	}
	if !v.tx.Sink {
		ch.Tx = int64(v.tx.Get(f, lane))
	}
	if v.drop {
		ch.Drop = ch.Arrive
	}
	g := w.CTA.Grid
	before := *machine.MbarrierAt(g, at)
	c, ref := machine.FindMbarrier(g, at)
	if c != w.CTA && !v.state.Sink {
		return "the mbarrier of another CTA returns no state: the destination is _ (9.7.15.16.11)"
	}
	if ref != nil && ref.Phase > 0 && !ref.Seen {
		last := ref.Last
		if last == nil {
			last = ref.Init
		}
		w.NoteWith(instAt(w), causes.Unseen, last,
			fmt.Sprintf("the mbarrier at shared+%d is in phase %d, and no thread has waited for the one before: "+
				"a wait for each phase must succeed before an arrival in the next", ref.Off, ref.Phase))
	}
	if why := machine.ChangeMbarrier(g, at, ch); why != "" {
		return why
	}
	if _, ref = machine.FindMbarrier(g, at); ref != nil {
		ref.Last = instAt(w)
	}
	machine.Synchronizes(w, at, causal.Operation{Reach: v.scope, Reads: true, Writes: true,
		Releases: v.releases})
	v.state.Set(f, lane, uint64(before))
	return ""
}

// lowerPendingCount is mbarrier.pending_count (9.7.15.16.20).
func lowerPendingCount(l *lowerer) bool {
	d, s := l.dst(l.in.Operands[0]), l.src(l.in.Operands[1], isa.B64)
	return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		ok := true
		machine.EachLane(exec, func(lane int) {
			b := gpu.Mbarrier(s.Get(f, lane))
			if ok = ok && set(b); !ok {
				machine.Illegal(w, in, 1<<lane, ": %#x is no state that mbarrier.arrive.noComplete has returned", uint64(b))
				return
			}
			d.Set(f, lane, uint64(b.Pending()))
		})
		return ok
	})
}

// lowerCheckLayout is mbarrier.check_layout (9.7.15.16.21).
func lowerCheckLayout(l *lowerer) bool {
	d, mem, v1 := l.dst(l.in.Operands[0]), l.access(l.in.Operands[1], isa.B64, false), l.has(".layout::v1")
	return l.reaches(mem, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.Mbarriers(in, mem, f, exec)
		machine.EachLane(exec, func(lane int) {
			if !ok {
				return
			}
			c, ref := machine.FindMbarrier(w.CTA.Grid, at[lane])
			why := machine.ValidMbarrier(w.CTA.Grid, ref, at[lane])
			if c != w.CTA {
				why = notOwn
			}
			if why != "" {
				ok = mbarrierFault(w, in, f, lane, why)
				return
			}
			d.Set(f, lane, uint64(row.Bit(ref.V1 == v1)))
		})
		return ok
	})
}
