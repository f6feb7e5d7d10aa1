package machine

import (
	"slices"

	"warpscope/emu/live"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// A register is live at a pc if a lane that is there can still read the value that it has now. A compiler of lowered
// code need not keep other values, in the lanes that are at that pc. Lanes of the warp that are elsewhere in the
// function keep theirs: the compiler writes rows under the execution mask.
//
// A write ends the life of the value before it only if all lanes that come to the instruction write, so not under a
// guard. Some registers are live everywhere in a function. Registers that a warp operation reads are, because it can
// read them in lanes that are elsewhere or have exited (9.7.10.5, 9.7.10.6); registers of instructions that read or
// write them some time after their turn are, too.

// Liveness returns the liveness of a function that has a body. It is worked out on the first call.
func (p *Program) Liveness(fn *Function) *liveness {
	if fn.live == nil {
		fn.live = p.NewLiveness(fn, false)
	}
	return fn.live
}

// NewLiveness works out the liveness of a function. With own, registers are live only where the lane itself can still
// read them.
func (p *Program) NewLiveness(fn *Function, own bool) *liveness {
	l := &liveness{Flow: live.Flow{Code: fn, Nodes: fn.Src, Start: fn.Start, Always: fn.NewRegSet()},
		fn: fn, number: map[SlotKey]int32{}, own: own}
	for i := range fn.Regs {
		l.number[SlotKey{fn.Regs[i].Reg, int8(fn.Regs[i].Elem)}] = int32(i)
	}
	l.look(p)
	l.Solve()
	return l
}

// look notes what each instruction reads and what it writes in all lanes.
func (l *liveness) look(p *Program) {
	fn := l.fn
	l.Reads, l.Kills = make([][]int32, fn.End-fn.Start+1), make([][]int32, fn.End-fn.Start+1)
	for i := range l.Reads {
		pc := fn.Start + int32(i)
		in := &p.Code[pc]
		if in.Op == OpRet {
			for _, r := range fn.Src.ReturnRegs {
				if r != nil {
					l.Reads[i] = l.append(l.Reads[i], r, -1)
				}
			}
		}
		if in.Src == nil {
			continue
		}
		in.Src.EachRead(func(op *ptx.Operand) { l.Reads[i] = l.append(l.Reads[i], op.Reg, op.Elem) })
		var writes []int32
		for _, w := range p.Writes[pc] {
			writes = l.append(writes, w.Reg, int8(w.Elem))
		}
		if in.writesLate() {
			l.everywhere(l.Reads[i])
			l.everywhere(writes)
		} else if in.X != nil && in.X.Across != nil {
			l.everywhere(l.Reads[i])
		}
		if in.Guard == row.TruePred {
			l.Kills[i] = writes
		}
	}
	for i := range l.Kills {
		l.Kills[i] = slices.DeleteFunc(l.Kills[i], l.Always.Has)
	}
}

// everywhere makes registers live everywhere.
func (l *liveness) everywhere(regs []int32) {
	if l.own {
		return
	}
	for _, n := range regs {
		l.Always.Add(n)
	}
}

// append appends the number of a register or of one component, or of all components where elem is -1.
func (l *liveness) append(list []int32, r *ptx.Reg, elem int8) []int32 {
	if r.Vec <= 1 {
		elem = -1
	}
	for e := int8(-1); int(e) < r.Vec; e++ {
		if n, ok := l.number[SlotKey{r, e}]; ok && (elem < 0 || e == elem) {
			list = append(list, n)
		}
	}
	return list
}
