package emu

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Registers that a lane has never written hold nothing that a program may rely on. Such a value does no harm where it is
// only copied, and compilers do copy some; so it is followed through moves, selections, arithmetic and comparisons, and
// told of where it decides something: an address, a branch or another guard, what is stored.
//
// It is not followed through bitwise operations and vectors, which compilers use to cut undefined parts off; through
// memory and calls; to other lanes. What comes out of these counts as defined: some uses are not found, none is found
// that is not there.
//
// Which instructions can see such a value is found out when a function is lowered: those where a register is not written
// on every way from the function's start, and what depends on them. In most functions there is none. Only these
// instructions look (inst.held).

// tracked is what such an instruction does with registers.
type tracked struct {
	reads []regRead
	flows bool     // the result depends on what it reads
	dsts  []uint32 // offsets of the words about the registers that it writes; see regSlot.doubt
}

// regRead is a register that an instruction reads.
type regRead struct {
	slot  *regSlot
	use   RegUse
	when  *row.Operand // read only by lanes for which this predicate is true: the sources of selp
	early bool         // it may come before the register is written
}

// readsOf lists what an instruction reads: its guard, its addresses and its other operands. Arguments of calls count as
// copies, and so do accumulators of products that may start from zero.
func readsOf(l *lowerer, in *ptx.Inst, slot func(*ptx.Reg, int8) *regSlot) (list []regRead) {
	add := func(reg *ptx.Reg, elem int8, use RegUse, when *row.Operand) {
		if s := slot(reg, elem); s != nil {
			list = append(list, regRead{slot: s, use: use, when: when})
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

// cuts are instructions whose result may be defined though what they read is not.
var cuts = strings.Fields("and or xor not cnot lop3 shf bfe bfi bfind prmt popc clz brev fns bmsk szext copysign testp " +
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
	reads [][]regRead // by instruction
	dsts  [][]*regSlot
	flows []bool
	found bool // some reads are early

	// By the numbers of registers: the guard under which each was written last, and how often it was.
	under  []guard
	writes []int32
}

// trackUndefined marks the instructions that may see what no instruction has written.
func trackUndefined(l *lowerer) {
	f, fn := l.fn.src, l.fn
	slots := map[slotKey]*regSlot{}
	for i := range fn.regs {
		s := &fn.regs[i]
		s.number = int32(i)
		slots[slotKey{s.reg, int8(s.elem)}] = s
	}
	slot := func(r *ptx.Reg, elem int8) *regSlot {
		if r.Vec <= 1 {
			elem = -1
		}
		return slots[slotKey{r, elem}]
	}
	d := doubts{l: l, under: make([]guard, len(fn.regs)), writes: make([]int32, len(fn.regs))}
	for i, in := range f.Insts {
		d.reads, d.flows = append(d.reads, readsOf(l, in, slot)), append(d.flows, flows(in))
		var dsts []*regSlot
		for _, w := range l.prog.writes[l.pc(i)] {
			if s := slot(w.reg, int8(w.elem)); s != nil {
				dsts = append(dsts, s)
			}
		}
		d.dsts = append(d.dsts, dsts)
	}
	d.find()
	if d.found {
		d.mark()
	}
}

// find finds the early reads. Registers that blocks read before they write them are looked at, 64 at a time.
func (d *doubts) find() {
	f := d.l.fn.src
	var exposed []*regSlot
	seen := make([]bool, len(d.l.fn.regs))
	written := make([]int32, len(d.l.fn.regs)) // block that has written it last, plus 1
	for b, block := range f.Blocks {
		for i := block.Start; i < block.End; i++ {
			for _, r := range d.reads[i] {
				if n := r.slot.number; written[n] != int32(b)+1 && !seen[n] {
					seen[n] = true
					exposed = append(exposed, r.slot)
				}
			}
			if f.Insts[i].Guard == nil {
				for _, s := range d.dsts[i] {
					written[s.number] = int32(b) + 1
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
func (d *doubts) solve(regs []*regSlot) {
	f := d.l.fn.src
	bit := make([]uint64, len(d.l.fn.regs))
	start := uint64(0)
	for i, s := range regs {
		bit[s.number] = 1 << i
		if s.param {
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
						writes[b] |= bit[s.number]
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
		d.note(b, in[b], bit)
	}
}

// guard is a guard in one block, between two writes of its predicate; block counts from 1.
type guard struct {
	slot         *regSlot
	neg          bool
	write, block int32
}

// note finds the early reads of a block, in front of which the registers of have are written. A register that is written under a
// guard is there for later instructions of the block under the same guard.
func (d *doubts) note(b int, have uint64, bit []uint64) {
	block := d.l.fn.src.Blocks[b]
	for i := block.Start; i < block.End; i++ {
		in := d.l.fn.src.Insts[i]
		now := guard{}
		if g := in.Guard; g != nil {
			s := d.reads[i][0].slot
			now = guard{s, g.Neg, d.writes[s.number], int32(b) + 1}
		}
		for k := range d.reads[i] {
			r := &d.reads[i][k]
			same := in.Guard != nil && r.use != UseGuard && d.under[r.slot.number] == now
			if bit[r.slot.number]&^have != 0 && !same {
				r.early, d.found = true, true
			}
		}
		for _, s := range d.dsts[i] {
			if in.Guard == nil {
				have |= bit[s.number]
			} else {
				d.under[s.number] = now
			}
			d.writes[s.number]++
		}
	}
}

// mark marks the instructions on the ways from an early read to a use that decides something.
func (d *doubts) mark() {
	l, fn := d.l, d.l.fn
	reached, matters := make([]bool, len(fn.regs)), make([]bool, len(fn.regs))
	doubtful := func(r regRead) bool { return r.early || reached[r.slot.number] }
	for changed := true; changed; {
		changed = false
		for i := range d.flows {
			if !d.flows[i] || !slices.ContainsFunc(d.reads[i], doubtful) {
				continue
			}
			for _, s := range d.dsts[i] {
				changed = changed || !reached[s.number]
				reached[s.number] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range d.flows {
			onward := d.flows[i] && slices.ContainsFunc(d.dsts[i], func(s *regSlot) bool { return matters[s.number] })
			for _, r := range d.reads[i] {
				if (r.use != UseValue || onward) && !matters[r.slot.number] {
					matters[r.slot.number], changed = true, true
				}
			}
		}
	}
	for i := range d.flows {
		t := &tracked{flows: d.flows[i]}
		for _, r := range d.reads[i] {
			if doubtful(r) {
				t.reads = append(t.reads, r)
			}
		}
		decides := slices.ContainsFunc(t.reads, func(r regRead) bool { return r.use != UseValue })
		for _, s := range d.dsts[i] {
			if reached[s.number] && matters[s.number] {
				if s.doubt == 0 {
					s.doubt, fn.frame = fn.frame, fn.frame+8
				}
				t.dsts = append(t.dsts, s.doubt)
			}
		}
		if decides || len(t.dsts) > 0 {
			pc := l.pc(i)
			l.prog.code[pc].held = true
			l.prog.tracked[pc] = t
		}
	}
}

// regDoubt is a word of a frame: the lanes in which a register's value comes from one that was never written, and the
// read of it: the instruction's pc and the number of its read.
type regDoubt struct {
	lanes  uint32
	origin uint32
}

const originBits = 6

func doubtAt(f unsafe.Pointer, off uint32) *regDoubt { return (*regDoubt)(unsafe.Add(f, off)) }

// undefinedLanes are the lanes of those that read a register whose value is undefined, and where it was read first.
func undefinedLanes(w *warp, f unsafe.Pointer, r *regRead, lanes Mask, here uint32) (bad Mask, origin uint32) {
	if r.when != nil {
		lanes &= Mask(r.when.Lanes(f))
	}
	if bad = lanes &^ writtenLanes(w, w.Cur.Frame, r.slot, nil); bad != 0 {
		origin = here
	}
	if r.slot.doubt != 0 {
		if v := doubtAt(f, r.slot.doubt); v.lanes&uint32(lanes) != 0 {
			if bad |= Mask(v.lanes) & lanes; origin == 0 {
				origin = v.origin
			}
		}
	}
	return bad, origin
}

// trackUndefinedUses looks at what an instruction is about to read, and notes what becomes of undefined values.
func trackUndefinedUses(w *warp, in *inst, pc int32, f unsafe.Pointer, active, exec Mask) {
	t := w.cta.grid.prog.tracked[pc]
	if t == nil {
		return
	}
	var all Mask
	from := uint32(0)
	for i := range t.reads {
		r := &t.reads[i]
		lanes := exec
		if r.use == UseGuard {
			lanes = active
		}
		bad, origin := undefinedLanes(w, f, r, lanes, uint32(pc)<<originBits|uint32(i))
		if bad == 0 {
			continue
		}
		if r.use != UseValue {
			noteUndefinedUse(w, in, r, bad, origin)
		}
		all, from = all|bad&exec, origin
	}
	for _, off := range t.dsts {
		v := doubtAt(f, off)
		if v.lanes &^= uint32(exec); t.flows && all != 0 {
			v.lanes, v.origin = v.lanes|uint32(all), from
		}
	}
}

// noteUndefinedUse tells of an undefined value that decides something.
func noteUndefinedUse(w *warp, in *inst, r *regRead, bad Mask, origin uint32) {
	g := w.cta.grid
	if w.rec != nil {
		w.rec.Undefined = append(w.rec.Undefined, g.regUse(r, bad, origin))
	}
	if !g.dev.shadow.on(Initcheck) {
		return
	}
	at := &g.prog.code[origin>>originBits]
	read := &g.prog.tracked[int32(origin>>originBits)].reads[origin&(1<<originBits-1)]
	if g.noted(at, causeUnset) {
		return
	}
	reads := gpu.Verb(bad, "reads", "read")
	if at == in {
		reads = r.use.Does(bad)
	}
	text := fmt.Sprintf("`%s`: %s of warp %d %s %s", at.src.Opcode, bad.Lanes(), w.index, reads, read.slot.name())
	text += ", which " + gpu.Verb(bad, "it has", "they have") + " never written"
	if at != in {
		text += fmt.Sprintf(", and what `%s` of line %d %s comes of it", in.src.Opcode, g.position(in.src).Line, what(r.use))
	}
	other, why := g.prog.mod.Position(int(read.slot.reg.Span.Start)), "no instruction writes it"
	if len(read.slot.defs) > 0 {
		other = g.position(g.prog.code[read.slot.defs[0]].src)
		why = fmt.Sprintf("the way that %s took leads past line %d, which writes it", gpu.Verb(bad, "it", "they"), other.Line)
	}
	if w.note(at, causeUnset, text+": "+why) {
		g.findings[len(g.findings)-1].Other = other
	}
}

// regUse is one use for people.
func (g *Grid) regUse(r *regRead, bad Mask, origin uint32) UndefinedUse {
	from := g.prog.tracked[int32(origin>>originBits)].reads[origin&(1<<originBits-1)].slot
	return UndefinedUse{Reg: r.slot.reg, Elem: r.slot.elem, Use: r.use, Lanes: bad,
		From: from.reg, FromElem: from.elem, Origin: g.prog.code[origin>>originBits].src}
}

// undefinedAhead are the undefined values that decide something in the instruction that the warp executes next.
func undefinedAhead(w *warp) (list []UndefinedUse) {
	g := w.cta.grid
	pc := w.Cur.PC
	if t := g.prog.tracked[pc]; !w.Ended && t != nil {
		f := w.framePtr()
		in := &g.prog.code[pc]
		exec := in.guarded(f, w.Cur.Mask)
		for i := range t.reads {
			r := &t.reads[i]
			lanes := exec
			if r.use == UseGuard {
				lanes = w.Cur.Mask
			}
			bad, origin := undefinedLanes(w, f, r, lanes, uint32(pc)<<originBits|uint32(i))
			if bad != 0 && r.use != UseValue {
				list = append(list, g.regUse(r, bad, origin))
			}
		}
	}
	return list
}

func (s *regSlot) name() string { return gpu.ComponentName(s.reg, s.elem) }

// what is what an instruction does with an undefined value: "what `st` of line 3 stores".
func what(u RegUse) string {
	return [...]string{"reads", "takes for an address", "has for a guard", "branches by", "stores"}[u]
}
