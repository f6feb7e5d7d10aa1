package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// maxCopies bounds the copies of a warp that are under way. When there are more, the older half is made.
const maxCopies = 1 << 14

// copyAsync is a lowered cp.async (9.7.10.28.3.1).
type copyAsync struct {
	from    machine.Access
	size    uint32
	given   row.Operand // src-size, or the predicate ignore-src
	limited bool
	ignore  bool
}

// lowerCopyAsync lowers cp.async, cp.async.commit_group, cp.async.wait_group and cp.async.wait_all.
func lowerCopyAsync(l *lowerer) bool {
	ops := l.in.Operands
	switch l.in.Match.Form.ID {
	case "cp.async":
		return lowerStartCopy(l)
	case "cp.async.bulk.prefetch":
		return l.aligned(16) // 9.7.10.28.4.3
	case "cp.async.bulk.prefetch.tensor":
		return l.plain(machine.OpNop) // 9.7.10.28.5.5: a hint
	case "cp.async.bulk", "cp.reduce.async.bulk":
		return lowerCopyBulk(l)
	case "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor":
		return lowerCopyTensor(l)
	case "cp.async.bulk.commit_group", "cp.async.bulk.wait_group":
		return lowerBulkGroups(l)
	case "cp.async.mbarrier.arrive":
		return lowerArriveAfterCopies(l)
	case "cp.async.commit_group":
		return l.runs(func(w *machine.Warp, _ *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
			commitCopies(w, exec)
			return true
		})
	case "cp.async.wait":
		pending := 0 // N groups: those of age 1 to N
		if l.has(".wait_all") {
			pending = -1
		} else {
			pending = int(min(ops[0].Imm, maxCopies))
		}
		return l.runs(func(w *machine.Warp, _ *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
			w.MakeCopies(func(_ int, c *machine.AsyncCopy) bool { return exec.Has(c.Lane) && c.Age > pending })
			return true
		})
	}
	return false
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
	v.from.Space, to.Space = ptx.GlobalSpace, ptx.SharedSpace
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
	return l.reaches(to, v.start)
}

// bytes is how many bytes a lane copies; the rest of the destination becomes zero.
func (v *copyAsync) bytes(f unsafe.Pointer, lane int) uint64 {
	switch {
	case v.limited:
		return v.given.Get(f, lane)
	case v.ignore && v.given.Get(f, lane) != 0:
		return 0
	}
	return uint64(v.size)
}

// start checks both addresses and adds the copies to those under way. The source of a copy of zero bytes can be
// anywhere.
func (v *copyAsync) start(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	var tooLong Mask
	machine.EachLane(exec, func(lane int) {
		if v.bytes(f, lane) > uint64(v.size) {
			tooLong |= 1 << lane
		}
	})
	if tooLong != 0 {
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: tooLong, Detail: fmt.Sprintf(": src-size %d of `%s` is larger "+
			"than cp-size %d", v.bytes(f, machine.FirstLane(tooLong)), in.Src.Opcode, v.size)})
		return false
	}
	all := func(int) uint64 { return uint64(v.size) }
	to, ok := w.Spans(in, in.X.Mem, f, exec, uint64(v.size), all)
	if !ok {
		return false
	}
	from, ok := w.Spans(in, &v.from, f, exec, uint64(v.size), func(lane int) uint64 { return v.bytes(f, lane) })
	if !ok {
		return false
	}
	machine.EachLane(exec, func(lane int) {
		if w.CTA.Grid.Flying != 0 {
			w.LSU.CheckRange(in, lane, to[lane], v.size, true)
		}
		w.Copies = append(w.Copies, machine.AsyncCopy{Lane: lane, To: to[lane], From: from[lane], Size: v.size,
			Given: uint32(v.bytes(f, lane)), In: in})
	})
	w.CTA.Grid.AddFlying(exec.Count())
	if len(w.Copies) > maxCopies {
		oldest := maxCopies / 2
		w.MakeCopies(func(i int, _ *machine.AsyncCopy) bool { return i < oldest })
	}
	return true
}

// commitCopies closes the current groups of some lanes.
func commitCopies(w *machine.Warp, exec Mask) {
	for i := range w.Copies {
		if c := &w.Copies[i]; exec.Has(c.Lane) {
			c.Age++
		}
	}
}

// lowerArriveAfterCopies is cp.async.mbarrier.arrive (9.7.15.16.18).
func lowerArriveAfterCopies(l *lowerer) bool {
	add := int64(1)
	if l.has(".noinc") {
		add = 0
	}
	mem := l.access(l.in.Operands[0], isa.B64, true)
	return l.reaches(mem, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.Mbarriers(in, mem, f, exec)
		machine.EachLane(exec, func(lane int) {
			if !ok {
				return
			}
			if why := machine.ChangeMbarrier(w.CTA.Grid, at[lane], machine.MbarrierChange{Arrive: -add}); why != "" {
				ok = mbarrierFault(w, in, f, lane, why)
				return
			}
			w.Copies = append(w.Copies, machine.AsyncCopy{Lane: lane, Mbarrier: at[lane], In: in})
			w.CTA.Grid.AddFlying(1)
		})
		return ok
	})
}
