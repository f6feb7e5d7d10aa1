package emu

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// cp.async (9.7.9.25.3) starts a copy from global to shared memory, which may be made at any time until the thread has
// waited for it. Here it is made as late as possible, when the thread waits, so that a program that forgets to wait
// sees the old data every time. Copies of threads that end without waiting are never made.

// asyncCopy is a copy that has been started.
type asyncCopy struct {
	lane     int
	age      int    // groups that the thread has committed since: 0 for copies in no group yet
	to, from uint32 // arena offsets
	size     uint32 // 4, 8 or 16
	given    uint32 // bytes that are copied; the others become zero
	mbarrier uint32 // nothing is copied, but an arrival made here once the copies before are
	in       *inst
}

// asyncCopies are the copies of a warp, in the order in which they were started.
type asyncCopies []asyncCopy

func (c asyncCopies) clone() asyncCopies { return slices.Clone(c) }

// maxCopies bounds the copies of a warp that no wait has covered; beyond it the older half is made.
const maxCopies = 1 << 14

// copyAsync is what cp.async needs to know.
type copyAsync struct {
	from    access
	size    uint32
	given   row.Operand // src-size, or the predicate ignore-src
	limited bool
	ignore  bool
}

// lowerCopyAsync lowers cp.async, cp.async.commit_group, cp.async.wait_group and cp.async.wait_all.
func lowerCopyAsync(l *lowerer) bool {
	ops := l.in.Operands
	var run func(*warp, *inst, unsafe.Pointer, Mask) bool
	switch l.in.Match.Form.ID {
	case "cp.async":
		return lowerStartCopy(l)
	case "cp.async.bulk.prefetch":
		return l.aligned(16) // 9.7.9.25.4.3
	case "cp.async.bulk.prefetch.tensor":
		return l.plain(opNop) // 9.7.9.27.1.4: a hint
	case "cp.async.bulk", "cp.reduce.async.bulk":
		return lowerCopyBulk(l)
	case "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor":
		return lowerCopyTensor(l)
	case "cp.async.bulk.commit_group", "cp.async.bulk.wait_group":
		return lowerBulkGroups(l)
	case "cp.async.mbarrier.arrive":
		return lowerArriveAfterCopies(l)
	case "cp.async.commit_group":
		run = func(w *warp, _ *inst, _ unsafe.Pointer, exec Mask) bool {
			w.commitCopies(exec)
			return true
		}
	case "cp.async.wait":
		pending := 0 // N groups: those of age 1 to N
		if l.has(".wait_all") {
			pending = -1
		} else {
			pending = int(min(ops[0].Imm, maxCopies))
		}
		run = func(w *warp, _ *inst, _ unsafe.Pointer, exec Mask) bool {
			w.makeCopies(func(_ int, c *asyncCopy) bool { return exec.Has(c.lane) && c.age > pending })
			return true
		}
	default:
		return false
	}
	l.i.op, l.i.x = opRun, &extra{run: run}
	return true
}

func lowerStartCopy(l *lowerer) bool {
	ops := l.in.Operands
	if ops[0].Kind != ptx.OpAddr || ops[1].Kind != ptx.OpAddr || ops[2].Kind != ptx.OpImm {
		return false
	}
	n := ops[2].Imm
	if n > 16 {
		return false // ptx has refused it
	}
	t := bitsType(8 * int(n))
	v := &copyAsync{from: *l.access(ops[1], t, false), size: uint32(n)}
	to := l.access(ops[0], t, true)
	v.from.space, to.space = ptx.GlobalSpace, ptx.SharedSpace
	for i, op := range l.in.Match.Operands {
		if i >= len(ops) || ops[i].Kind == ptx.OpMissing {
			continue
		}
		switch op.Name {
		case "src-size":
			v.given, v.limited = l.src(ops[i], isa.U32), true
		case "ignore-src":
			v.given, v.ignore = l.src(ops[i], isa.Pred), true
		}
	}
	l.i.op, l.i.x = opRun, &extra{mem: to, run: v.start}
	return true
}

// bytes is what a lane copies; the rest of the destination becomes zero.
func (v *copyAsync) bytes(f unsafe.Pointer, lane int) uint64 {
	switch {
	case v.limited:
		return v.given.Get(f, lane)
	case v.ignore && v.given.Get(f, lane) != 0:
		return 0
	}
	return uint64(v.size)
}

// start checks both addresses and notes the copies. A source of which nothing is copied may lie anywhere.
func (v *copyAsync) start(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	var tooLong Mask
	eachLane(exec, func(lane int) {
		if v.bytes(f, lane) > uint64(v.size) {
			tooLong |= 1 << lane
		}
	})
	if tooLong != 0 {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: tooLong, Detail: fmt.Sprintf(": src-size %d of `%s` is larger "+
			"than cp-size %d", v.bytes(f, firstLane(tooLong)), in.src.Opcode, v.size)})
		return false
	}
	all := func(int) uint64 { return uint64(v.size) }
	to, ok := w.spans(in, in.x.mem, f, exec, uint64(v.size), all)
	if !ok {
		return false
	}
	from, ok := w.spans(in, &v.from, f, exec, uint64(v.size), func(lane int) uint64 { return v.bytes(f, lane) })
	if !ok {
		return false
	}
	eachLane(exec, func(lane int) {
		if w.cta.grid.flying != 0 {
			w.lsu.checkRange(in, lane, to[lane], v.size, true)
		}
		w.copies = append(w.copies, asyncCopy{lane: lane, to: to[lane], from: from[lane], size: v.size,
			given: uint32(v.bytes(f, lane)), in: in})
	})
	w.cta.grid.underWay(exec.Count())
	if len(w.copies) > maxCopies {
		oldest := maxCopies / 2
		w.makeCopies(func(i int, _ *asyncCopy) bool { return i < oldest })
	}
	return true
}

// commitCopies closes the current groups of some lanes.
func (w *warp) commitCopies(exec Mask) {
	for i := range w.copies {
		if c := &w.copies[i]; exec.Has(c.lane) {
			c.age++
		}
	}
}

// makeCopies makes the copies that are due, in the order in which they were started, and the arrivals at mbarriers that
// waited only for them. Copies are told by their place in the list.
func (w *warp) makeCopies(due func(i int, c *asyncCopy) bool) {
	g := w.cta.grid
	was, i := len(w.copies), -1
	var left Mask // lanes with a copy before this place that is not due
	w.copies = slices.DeleteFunc(w.copies, func(c asyncCopy) bool {
		i++
		switch {
		case c.mbarrier != 0 && left.Has(c.lane):
			return false
		case c.mbarrier != 0:
			if why := changeMbarrier(g, c.mbarrier, mbarrierChange{arrive: 1}); why != "" {
				g.note(c.in, causeMbarrier, w.cta.index, fmt.Sprintf("`%s`: %s", c.in.src.Opcode, why))
			}
			return true
		case !due(i, &c):
			left |= 1 << c.lane
			return false
		}
		w.lsu.storesGeneric(c.in, c.to, c.size)
		g.record.memory(g, c.to, c.size, c.lane, func() {
			to := g.mem.Bytes(c.to, c.size)
			clear(to[copy(to, g.mem.Bytes(c.from, c.given)):])
		})
		return true
	})
	g.underWay(len(w.copies) - was)
}

// lowerArriveAfterCopies is cp.async.mbarrier.arrive (9.7.13.15.15).
func lowerArriveAfterCopies(l *lowerer) bool {
	add := int64(1)
	if l.has(".noinc") {
		add = 0
	}
	mem := l.access(l.in.Operands[0], isa.B64, true)
	l.i.op, l.i.x = opRun, &extra{mem: mem, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.mbarriers(in, mem, f, exec)
		eachLane(exec, func(lane int) {
			if !ok {
				return
			}
			if why := changeMbarrier(w.cta.grid, at[lane], mbarrierChange{arrive: -add}); why != "" {
				ok = w.mbarrierFault(in, f, lane, why)
				return
			}
			w.copies = append(w.copies, asyncCopy{lane: lane, mbarrier: at[lane], in: in})
			w.cta.grid.underWay(1)
		})
		return ok
	}}
	return true
}

// copiesTo makes the copies that an mbarrier tracks, and what was started before them by the same lanes.
func copiesTo(g *Grid, at uint32) {
	c := ownerOfShared(g, at)
	if c == nil {
		return
	}
	for _, w := range c.warps {
		var tracked [32]int // places in the list up to which the lane's copies are due
		any := false
		for i := range w.copies {
			if a := &w.copies[i]; a.mbarrier == at {
				tracked[a.lane], any = i, true
			}
		}
		if any {
			w.makeCopies(func(i int, a *asyncCopy) bool { return i < tracked[a.lane] })
		}
	}
}
