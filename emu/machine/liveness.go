package machine

import (
	"slices"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// A register is live at a pc if a lane that is there can still read the value that it has now. A compiler of lowered
// code need not keep other values, in the lanes that are at that pc. Lanes of the warp that are elsewhere in the
// function keep theirs: the compiler writes rows under the execution mask.
//
// A write ends the life of the value before it only if all lanes that come to the instruction write, so not under a
// guard. Some registers are live everywhere in a function. Registers that a warp operation reads are, because it can
// read them in lanes that are elsewhere or have exited (9.7.10.5, 9.7.10.6); registers of instructions that read or
// write them some time after their turn are, too.

// Has says whether register number n is in the set.
func (s RegSet) Has(n int32) bool { return s[n/64]>>(n%64)&1 != 0 }

func (s RegSet) add(n int32) { s[n/64] |= 1 << (n % 64) }

func (s RegSet) remove(n int32) { s[n/64] &^= 1 << (n % 64) }

// join adds the registers of another set, and says whether some of them are new.
func (s RegSet) join(other RegSet) (grown bool) {
	for i, v := range other {
		grown = grown || v&^s[i] != 0
		s[i] |= v
	}
	return grown
}

// Liveness returns the liveness of a function that has a body. It is worked out on the first call.
func (p *Program) Liveness(fn *Function) *liveness {
	if fn.live == nil {
		fn.live = p.newLiveness(fn, false)
	}
	return fn.live
}

// newLiveness works out the liveness of a function. With own, registers are live only where the lane itself can still
// read them.
func (p *Program) newLiveness(fn *Function, own bool) *liveness {
	l := &liveness{fn: fn, number: map[SlotKey]int32{}, always: make(RegSet, (len(fn.Regs)+63)/64), own: own}
	for i := range fn.Regs {
		l.number[SlotKey{fn.Regs[i].Reg, int8(fn.Regs[i].Elem)}] = int32(i)
	}
	l.look(p)
	l.solve()
	return l
}

// At returns the registers that are live before the instruction at a pc.
func (l *liveness) At(pc int32) RegSet {
	block := l.fn.Block(pc)
	_, end := l.fn.Bounds(block)
	return l.back(l.after(block), end, pc)
}

// after returns the registers that are live at the end of a block.
func (l *liveness) after(block int) RegSet {
	live, src := slices.Clone(l.always), l.fn.Src
	if block == len(src.Blocks) {
		return live
	}
	for _, node := range src.Next(block) {
		live.join(l.starts[node])
	}
	if src.Blocks[block].RunsOut {
		live.join(l.end)
	}
	return live
}

// back turns the registers that are live before pc from into those that are live before pc to, which is earlier in the
// same block.
func (l *liveness) back(live RegSet, from, to int32) RegSet {
	for i := from - l.fn.Start - 1; i >= to-l.fn.Start; i-- {
		for _, n := range l.kills[i] {
			live.remove(n)
		}
		for _, n := range l.reads[i] {
			live.add(n)
		}
	}
	return live
}

// solve finds what is live at the start of every node.
func (l *liveness) solve() {
	src := l.fn.Src
	l.end = l.At(l.fn.End)
	l.starts = make([]RegSet, src.Nodes())
	for node := range l.starts {
		l.starts[node] = slices.Clone(l.always)
	}
	for changed := true; changed; {
		changed = false
		for node := len(l.starts) - 1; node >= 0; node-- {
			if node < len(src.Blocks) {
				start, end := l.fn.Bounds(node)
				changed = l.starts[node].join(l.back(l.after(node), end, start)) || changed
				continue
			}
			for _, b := range src.Next(node) { // of a table
				changed = l.starts[node].join(l.starts[b]) || changed
			}
		}
	}
}

// look notes what each instruction reads and what it writes in all lanes.
func (l *liveness) look(p *Program) {
	fn := l.fn
	l.reads, l.kills = make([][]int32, fn.End-fn.Start+1), make([][]int32, fn.End-fn.Start+1)
	for i := range l.reads {
		pc := fn.Start + int32(i)
		in := &p.Code[pc]
		if in.Op == OpRet {
			for _, r := range fn.Src.ReturnRegs {
				if r != nil {
					l.reads[i] = l.append(l.reads[i], r, -1)
				}
			}
		}
		if in.Src == nil {
			continue
		}
		eachRead(in.Src, func(op *ptx.Operand) { l.reads[i] = l.append(l.reads[i], op.Reg, op.Elem) })
		var writes []int32
		for _, w := range p.Writes[pc] {
			writes = l.append(writes, w.Reg, int8(w.Elem))
		}
		if in.writesLate() {
			l.everywhere(l.reads[i])
			l.everywhere(writes)
		} else if in.X != nil && in.X.Across != nil {
			l.everywhere(l.reads[i])
		}
		if in.Guard == row.TruePred {
			l.kills[i] = writes
		}
	}
	for i := range l.kills {
		l.kills[i] = slices.DeleteFunc(l.kills[i], l.always.Has)
	}
}

// everywhere makes registers live everywhere.
func (l *liveness) everywhere(regs []int32) {
	if l.own {
		return
	}
	for _, n := range regs {
		l.always.add(n)
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

// eachRead visits the registers that an instruction reads: its guard, its addresses and its other operands,
// accumulators included.
func eachRead(in *ptx.Inst, do func(op *ptx.Operand)) {
	if g := in.Guard; g != nil {
		do(&ptx.Operand{Kind: ptx.OpReg, Reg: g.Reg, Elem: g.Elem})
	}
	if c := in.Call; c != nil {
		EachRegister([]ptx.Operand{c.Target}, do)
		EachRegister(c.Args, do)
	}
	slots := in.Match.Operands
	for i := range in.Operands {
		if i >= len(slots) || slots[i].Role != isa.Write {
			EachRegister(in.Operands[i:i+1], do)
		}
	}
}
