package emu

import (
	"slices"
	"strings"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// readsOf lists what an instruction reads: its guard, its addresses and its other operands. Arguments of calls count as
// copies, and so do accumulators of products that may start from zero.
func readsOf(l *lowerer, in *ptx.Inst, slot func(*ptx.Reg, int8) *machine.RegSlot) (list []machine.RegRead) {
	add := func(reg *ptx.Reg, elem int8, use RegUse, when *row.Operand) {
		if s := slot(reg, elem); s != nil {
			list = append(list, machine.RegRead{Slot: s, Use: use, When: when})
		}
	}
	if in.Guard != nil {
		add(in.Guard.Reg, in.Guard.Elem, UseGuard, nil)
	}
	if c := in.Call; c != nil {
		if c.Target.Reg != nil {
			add(c.Target.Reg, c.Target.Elem, UseTarget, nil)
		}
		return list
	}
	m := in.Match
	use := UseValue
	switch m.Form.Mnemonic {
	case "st", "atom", "red", "multimem":
		if !m.Has(".param") && !m.Has(".param::func") {
			use = UseStore
		}
	case "brx":
		use = UseTarget
	}
	var operand func(op *ptx.Operand, role isa.Role, use RegUse, n int)
	operand = func(op *ptx.Operand, role isa.Role, use RegUse, n int) {
		if op.Kind == ptx.OpAddr || op.Kind == ptx.OpVar {
			role, use = isa.Read, UseAddress
		}
		if op.Reg != nil && role == isa.Read {
			add(op.Reg, op.Elem, use, selectedSource(l, in, n))
		}
		for i := range op.List() {
			operand(&op.List()[i], role, use, n)
		}
		if op.Second() != nil {
			operand(op.Second(), role, use, n)
		}
	}
	for i := range in.Operands {
		role := isa.Read
		if i < len(m.Operands) {
			role = m.Operands[i].Role
		}
		operand(&in.Operands[i], role, use, i)
	}
	return list
}

// selectedSource is the predicate under which selp reads operand n, nil for other instructions.
func selectedSource(l *lowerer, in *ptx.Inst, n int) *row.Operand {
	if in.Match.Form.Mnemonic != "selp" || n != 1 && n != 2 || in.Operands[3].Reg == nil {
		return nil
	}
	c := in.Operands[3]
	o := l.reg(c.Reg, c.Elem)
	o.Neg = c.Neg != (n == 2)
	return &o
}

// cuts are instructions whose result may be defined although an operand is not.
var cuts = strings.Fields("and or xor not cnot lop3 shf bfe bfi bfind prmt popc clz brev fns bmsk szext copysign " +
	"testp " +
	"mma wmma wgmma tcgen05 dp2a dp4a setmaxnreg")

// flows says whether the result of an instruction is undefined where one of its operands is.
func flows(in *ptx.Inst) bool {
	if in.Call != nil {
		return false
	}
	form := in.Match.Form
	if form.Effect&(isa.ReadsMemory|isa.CrossLane|isa.Barrier) != 0 || slices.Contains(cuts, form.Mnemonic) {
		return false
	}
	return !slices.ContainsFunc(in.Operands, func(o ptx.Operand) bool { return o.Kind == ptx.OpVec || o.Sel() != "" })
}

// doubts are the registers of a function that may be read before they are written, and what depends on them.
type doubts struct {
	l     *lowerer
	reads [][]machine.RegRead // by instruction
	dsts  [][]*machine.RegSlot
	flows []bool
	found bool // some reads are early

	// By the numbers of registers: the guard under which each was written last, and how often it was.
	under  []guard
	writes []int32
}

// trackUndefined marks the instructions that may read a register which no instruction has written.
func trackUndefined(l *lowerer) {
	f, fn := l.fn.Src, l.fn
	l.prog.Tracked = append(l.prog.Tracked, make([]*machine.Tracked, len(l.prog.Code)-len(l.prog.Tracked))...)
	slots := map[machine.SlotKey]*machine.RegSlot{}
	for i := range fn.Regs {
		s := &fn.Regs[i]
		s.Number = int32(i)
		slots[machine.SlotKey{Reg: s.Reg, Elem: int8(s.Elem)}] = s
	}
	slot := func(r *ptx.Reg, elem int8) *machine.RegSlot {
		if r.Vec <= 1 {
			elem = -1
		}
		return slots[machine.SlotKey{Reg: r, Elem: elem}]
	}
	d := doubts{l: l, under: make([]guard, len(fn.Regs)), writes: make([]int32, len(fn.Regs))}
	for i, in := range f.Insts {
		d.reads, d.flows = append(d.reads, readsOf(l, in, slot)), append(d.flows, flows(in))
		var dsts []*machine.RegSlot
		for _, w := range l.prog.Writes[l.pc(i)] {
			if s := slot(w.Reg, int8(w.Elem)); s != nil {
				dsts = append(dsts, s)
			}
		}
		d.dsts = append(d.dsts, dsts)
	}
	d.find()
	if d.found {
		d.mark()
	}
	if l.dev.Shadow.On(Initcheck) {
		d.followAll()
	}
}

// followAll makes it possible to follow undefined values from unwritten memory through all instructions, once a load
// has brought one.
func (d *doubts) followAll() {
	l, fn := d.l, d.l.fn
	for i := range fn.Regs {
		if s := &fn.Regs[i]; s.Doubt == 0 {
			s.Doubt, fn.Frame = fn.Frame, fn.Frame+8
		}
	}
	for i, reads := range d.reads {
		t := &machine.Tracked{Reads: reads, Flows: d.flows[i]}
		for _, s := range d.dsts[i] {
			t.Dsts = append(t.Dsts, s.Doubt)
		}
		l.prog.Tracked[l.pc(i)] = t
	}
}

// find finds the early reads. It solves for the registers that a block reads before it writes them, 64 at a time.
func (d *doubts) find() {
	f := d.l.fn.Src
	var exposed []*machine.RegSlot
	seen := make([]bool, len(d.l.fn.Regs))
	written := make([]int32, len(d.l.fn.Regs)) // block that has written it last, plus 1
	for b, block := range f.Blocks {
		for i := block.Start; i < block.End; i++ {
			for _, r := range d.reads[i] {
				if n := r.Slot.Number; written[n] != int32(b)+1 && !seen[n] {
					seen[n] = true
					exposed = append(exposed, r.Slot)
				}
			}
			if f.Insts[i].Guard == nil {
				for _, s := range d.dsts[i] {
					written[s.Number] = int32(b) + 1
				}
			}
		}
	}
	for len(exposed) > 0 {
		n := min(len(exposed), 64)
		d.solve(exposed[:n])
		exposed = exposed[n:]
	}
}

// solve finds which of up to 64 registers are written on every way to each of their reads.
func (d *doubts) solve(regs []*machine.RegSlot) {
	f := d.l.fn.Src
	bit := make([]uint64, len(d.l.fn.Regs))
	start := uint64(0)
	for i, s := range regs {
		bit[s.Number] = 1 << i
		if s.Param {
			start |= 1 << i
		}
	}
	writes := make([]uint64, f.Nodes()) // by each block
	in := make([]uint64, f.Nodes())     // written on every way to it
	for b := range in {
		if in[b] = ^uint64(0); b == 0 {
			in[b] = start
		}
		if b < len(f.Blocks) {
			for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
				if f.Insts[i].Guard == nil {
					for _, s := range d.dsts[i] {
						writes[b] |= bit[s.Number]
					}
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for b := range in {
			for _, next := range f.Next(b) {
				if v := in[next] & (in[b] | writes[b]); v != in[next] {
					in[next], changed = v, true
				}
			}
		}
	}
	for b := range f.Blocks {
		d.markReads(b, in[b], bit)
	}
}

// guard is a guard in one block, between two writes of its predicate; block counts from 1.
type guard struct {
	slot         *machine.RegSlot
	neg          bool
	write, block int32
}

// markReads marks the early reads of a block. The registers of have are written before the block begins. A register
// that is written under a guard counts as written for later instructions of the block under the same guard.
func (d *doubts) markReads(b int, have uint64, bit []uint64) {
	block := d.l.fn.Src.Blocks[b]
	for i := block.Start; i < block.End; i++ {
		in := d.l.fn.Src.Insts[i]
		now := guard{}
		if g := in.Guard; g != nil {
			s := d.reads[i][0].Slot
			now = guard{s, g.Neg, d.writes[s.Number], int32(b) + 1}
		}
		for k := range d.reads[i] {
			r := &d.reads[i][k]
			same := in.Guard != nil && r.Use != UseGuard && d.under[r.Slot.Number] == now
			if bit[r.Slot.Number]&^have != 0 && !same {
				r.Early, d.found = true, true
			}
		}
		for _, s := range d.dsts[i] {
			if in.Guard == nil {
				have |= bit[s.Number]
			} else {
				d.under[s.Number] = now
			}
			d.writes[s.Number]++
		}
	}
}

// mark marks the instructions on the ways from an early read to a use that decides something.
func (d *doubts) mark() {
	l, fn := d.l, d.l.fn
	reached, matters := make([]bool, len(fn.Regs)), make([]bool, len(fn.Regs))
	doubtful := func(r machine.RegRead) bool { return r.Early || reached[r.Slot.Number] }
	for changed := true; changed; {
		changed = false
		for i := range d.flows {
			if !d.flows[i] || !slices.ContainsFunc(d.reads[i], doubtful) {
				continue
			}
			for _, s := range d.dsts[i] {
				changed = changed || !reached[s.Number]
				reached[s.Number] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range d.flows {
			onward := d.flows[i] && slices.ContainsFunc(d.dsts[i], func(s *machine.RegSlot) bool { return matters[s.Number] })
			for _, r := range d.reads[i] {
				if (r.Use != UseValue || onward) && !matters[r.Slot.Number] {
					matters[r.Slot.Number], changed = true, true
				}
			}
		}
	}
	for i := range d.flows {
		t := &machine.Tracked{Flows: d.flows[i]}
		for _, r := range d.reads[i] {
			if doubtful(r) {
				t.Reads = append(t.Reads, r)
			}
		}
		decides := slices.ContainsFunc(t.Reads, func(r machine.RegRead) bool { return r.Use != UseValue })
		for _, s := range d.dsts[i] {
			if reached[s.Number] && matters[s.Number] {
				if s.Doubt == 0 {
					s.Doubt, fn.Frame = fn.Frame, fn.Frame+8
				}
				t.Dsts = append(t.Dsts, s.Doubt)
			}
		}
		if decides || len(t.Dsts) > 0 {
			pc := l.pc(i)
			l.prog.Code[pc].Held = true
			l.prog.Tracked[pc] = t
		}
	}
}
