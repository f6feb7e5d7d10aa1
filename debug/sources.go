package debug

import (
	"fmt"
	"slices"

	"warpscope/emu"
	"warpscope/gpu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Origin is where a value comes from: the step that wrote it, and where that step's sources come from.
type Origin struct {
	Cell    Cell
	Name    string   // %r4, or the address as buffer and offset
	Type    isa.Type // by which to write the value
	Value   uint64
	Text    string  // the values of several lanes, in place of Value
	Note    string  // what a guard asks for
	Write   *Change // nil: nothing wrote it; it is from the launch, or it was never written
	Sources []Origin
	More    bool // its sources were not followed further
}

// Fixed says whether nothing writes a value: constants, special registers and values of several lanes have no history.
func (o *Origin) Fixed() bool { return o.Cell.Reg == nil && o.Cell.Size == 0 && !o.Cell.Carry }

// originDepth and originNodes bound the tree that Origin returns.
const (
	originDepth = 6
	originNodes = 40
)

// Origin follows a value back from now through the chain of its writers: a tree of instructions with their values.
func (s *Session) Origin(c Cell) Origin {
	s.Prepare()
	if s.phase == Invalid {
		return Origin{Cell: c}
	}
	left := originNodes
	now := s.Tick()
	c = s.settled(c)
	o := Origin{Cell: c, Name: s.cellName(c)}
	if c.Size > 0 {
		o.Value = s.peek(c)
	}
	s.follow(&o, now, originDepth, &left)
	s.history.seek(now)
	return o
}

// follow finds the writer of a value and its sources. A step that only passes a value on does not count as deep.
func (s *Session) follow(o *Origin, t int64, depth int, left *int) {
	*left--
	written := isa.NoType
	if w, ok := s.writerBefore(o.Cell, t); o.Write == nil && ok {
		written = element(w.Inst)
		if o.Write = &w; !o.Cell.Carry {
			o.Value = w.New
		}
	}
	o.Type = s.typeOf(o.Cell, o.Type, written)
	if o.Write == nil {
		return
	}
	sources, passed := s.sources(o.Cell, o.Write)
	if depth == 0 || *left < len(sources) {
		o.More = slices.ContainsFunc(sources, func(source Origin) bool { return !source.Fixed() })
		return
	}
	if !passed {
		depth--
	}
	for _, source := range sources {
		if slices.ContainsFunc(o.Sources, func(other Origin) bool { return other.Name == source.Name && !other.Fixed() }) {
			continue // an instruction can name a register twice
		}
		if !source.Fixed() {
			s.follow(&source, o.Write.Tick, depth, left)
		}
		o.Sources = append(o.Sources, source)
	}
}

// typeOf is the type by which to write a cell: that of its register, or of the instruction that reads the bytes. Where
// that says only how many bits there are, it is the declared type of the memory, or that of the instruction that wrote.
func (s *Session) typeOf(c Cell, read, written isa.Type) isa.Type {
	if c.Reg != nil {
		return c.Reg.Type
	}
	for _, t := range []isa.Type{read, s.declared(c), written} {
		if t.Bytes() == c.Size && t.Class() != isa.Bits && t != isa.NoType {
			return t
		}
	}
	switch c.Size {
	case 1:
		return isa.U8
	case 2:
		return isa.U16
	case 8:
		return isa.U64
	}
	return isa.U32
}

// declared is the type of the elements of the buffer or variable that a cell is an element of, else NoType.
func (s *Session) declared(c Cell) isa.Type {
	name, _ := s.extents(c.CTA, c.Warp, c.Lane).Find(c.Addr)
	if vars := s.history.grid.SharedVars(); name == "shared" && len(vars) == 1 {
		name = vars[0].Var.Name
	}
	if first, text, _, ok := s.Elements(name, c.CTA); ok && first.Size == c.Size {
		t, _ := isa.ParseType("." + text)
		return t
	}
	return isa.NoType
}

// inquiry asks for the sources of one write.
type inquiry struct {
	*Session
	cell     Cell // that was written
	w        *Change
	view     emu.WarpView // of the warp before the step
	operands []Operand
	list     []Origin // the answer
}

// sources lists what a step made a cell's value of: registers, memory and constants. passed says that the step took the
// value as it is from another place.
func (s *Session) sources(c Cell, w *Change) (list []Origin, passed bool) {
	s.history.seek(w.Tick)
	q := inquiry{Session: s, cell: c, w: w, view: s.look(w.CTA, w.Warp)}
	if w.Inst == nil { // the end of a body, where lanes return
		q.passed()
		return q.list, true
	}
	q.operands = s.Operands(w.Inst, &q.view)
	for i := range q.operands {
		if o := &q.operands[i]; o.Guard {
			q.register(o.Reg, o.Elem, w.Lane).Note = "which the guard " + o.Text + " asks for"
		}
	}
	if q.passed() {
		return q.list, true
	}
	if c.Reg != nil && lateWriter(w.Inst) && !mentions(w.Inst, c.Reg) {
		q.underWay()
		return q.list, true
	}
	q.read()
	if usesCarry(w.Inst) {
		o := q.add("the carry CC.CF", isa.U32, uint64(q.view.Carry>>w.Lane&1))
		o.Cell.Carry = true
		q.at(&o.Cell, w.Lane)
	}
	return q.list, false
}

// add adds a source. Its caller completes it.
func (q *inquiry) add(name string, t isa.Type, v uint64) *Origin {
	q.list = append(q.list, Origin{Name: name, Type: t, Value: v})
	return &q.list[len(q.list)-1]
}

// at places a cell in a lane of the warp that wrote.
func (q *inquiry) at(c *Cell, lane int) {
	c.CTA, c.Warp, c.Lane = q.w.CTA, q.w.Warp, lane
	c.Space = q.spaceOf(*c)
}

// register adds a register of the writing warp's function, in a lane.
func (q *inquiry) register(reg *ptx.Reg, elem, lane int) *Origin {
	o := q.add(gpu.ComponentName(reg, elem), reg.Type, 0)
	o.Cell.Reg, o.Cell.Elem, o.Cell.Depth = reg, elem, q.view.Depth
	q.at(&o.Cell, lane)
	if r := findReg(&q.view, reg, elem); r != nil {
		o.Value = r.Lo[lane]
	}
	return o
}

// memory adds a part of memory, as the step finds it.
func (q *inquiry) memory(a emu.Addr, size int, space ptx.Space, t isa.Type) *Origin {
	o := q.add("", t, 0)
	o.Cell.Addr, o.Cell.Size, o.Cell.Space = a, size, space
	q.at(&o.Cell, q.w.Lane)
	o.Name, o.Value = q.cellName(o.Cell), q.peek(o.Cell)
	return o
}

// passed adds the places from which a call, a return or an asynchronous copy has taken the value. known is false for
// other steps.
func (q *inquiry) passed() (known bool) {
	places, offset := q.places()
	for _, p := range places {
		switch {
		case p.Reg != nil:
			q.register(p.Reg, p.Elem, q.w.Lane)
		case p.Addr == 0:
			t := q.typeOf(q.cell, isa.NoType, isa.NoType)
			q.add(launch.FormatValue(t, q.w.New, q.w.NewHi), t, q.w.New)
		case offset < p.Size: // a copy fills the rest with zeros
			size := min(p.Size-offset, q.cell.Size)
			if q.cell.Reg != nil {
				size = p.Size
			}
			o := q.memory(p.Addr+emu.Addr(offset), size, ptx.Generic, isa.NoType)
			if p.Var != nil {
				o.Name = offsetName(p.Var.Name, offset)
			}
		}
	}
	return places != nil
}

// places are where the value was before, and the offset of the cell in what was passed.
func (q *inquiry) places() (from []gpu.Place, offset int) {
	rec := q.w.rec
	for i := range rec.Regs {
		if q.cell.Reg != nil && writesReg(q.cell, &rec.Regs[i]) {
			from = rec.Regs[i].From
		}
	}
	for i := range rec.Mem {
		if m := &rec.Mem[i]; q.cell.Size > 0 && writesBytes(q.history.grid, q.cell, rec, m) && m.Lane == q.w.Lane {
			_, start := q.history.grid.SharedOwner(rec.CTAIndex, m.Addr)
			from, offset = m.From, max(int(q.cell.Addr)-int(start), 0)
		}
	}
	return from, offset
}

// read adds what the instruction's operands give.
func (q *inquiry) read() {
	if q.spread() {
		return
	}
	exchanged := exchanges(q.w.Inst)
	skipped := q.otherElements()
	for i := range q.operands {
		o := &q.operands[i]
		switch {
		case o.Guard || !o.Read || skipped[i]:
		case o.Memory:
			if q.w.Inst.Match.Form.Effect&isa.ReadsMemory != 0 && o.Size > 0 {
				q.loaded(o.Values[q.w.Lane], o.Size, o.Space)
			}
		case o.Reg == nil && !o.Known.Has(q.w.Lane):
		case exchanged:
			q.given(o)
			exchanged = false
		case o.Reg != nil:
			q.register(o.Reg, o.Elem, q.w.Lane)
		default:
			q.add(o.Text, o.Type, o.Values[q.w.Lane])
		}
	}
	q.parameters()
	if q.w.Inst.Match.Form.Mnemonic == "activemask" {
		q.add("the lanes that execute it", isa.NoType, 0).Text = q.w.rec.Exec.Lanes()
	}
}

// given adds the operand that lanes give to others: that of the one lane that it comes from, or of all lanes together
// that make the result.
func (q *inquiry) given(o *Operand) {
	from, _ := givers(q.w.Inst, q.w.rec.Exec, arguments(q.operands))
	if o.Reg == nil || q.w.Inst.Match.Form.Mnemonic == "shfl" && q.cell.Reg != nil && q.cell.Reg.Type == isa.Pred {
		return // whether the lane number is in range depends on no value
	}
	q.lent(o.Reg, o.Elem, from[q.w.Lane], "")
}

// lent adds a register that several lanes give: that of the writing lane, or of the first one, which is followed, and
// that of the others together.
func (q *inquiry) lent(reg *ptx.Reg, elem int, lanes emu.Mask, note string) {
	lead := emu.Mask(1) << q.w.Lane
	if lanes&lead == 0 {
		lead = lanes & -lanes
	}
	others := lanes &^ lead
	for lane := range 32 {
		if one := emu.Mask(1) << lane; lanes&one != 0 && (one == lead || others.Count() == 1) {
			o := q.register(reg, elem, lane)
			o.Name, o.Note = o.Name+" in "+one.Lanes(), note
		}
	}
	if r := findReg(&q.view, reg, elem); r != nil && others.Count() > 1 {
		o := q.add(gpu.ComponentName(reg, elem)+" in "+others.Lanes(), isa.NoType, 0)
		o.Note = note
		o.Text = span(others, func(lane int) string { return launch.FormatValue(reg.Type, r.Lo[lane], 0) })
	}
}

// otherElements are the operands, by place, that a store of a vector puts at other addresses than the cell's.
func (q *inquiry) otherElements() map[int]bool {
	skipped := map[int]bool{}
	vector, size := vectorOf(q.w.Inst)
	if q.cell.Size == 0 || size == 0 || q.w.Inst.Match.Form.Mnemonic != "st" {
		return skipped
	}
	first, base := 0, emu.Addr(0)
	for i := range q.operands {
		if o := &q.operands[i]; o.Memory {
			first, base = i+1, o.Values[q.w.Lane]
		} else if o.Guard {
			first = i + 1
		}
	}
	if to := &q.w.Inst.Operands[0]; to.Var != nil && base == 0 { // a parameter
		base, _ = emu.LocalVar(q.history.grid, q.w.CTA, q.w.Warp, to.Var)
		base += emu.Addr(to.Off())
	}
	for k := range vector {
		at := base + emu.Addr(k*size)
		meets := at < q.cell.Addr+emu.Addr(q.cell.Size) && q.cell.Addr < at+emu.Addr(size)
		skipped[first+k] = base != 0 && !meets
	}
	return skipped
}

// loaded adds the memory that a load or an atomic reads: of a vector the element that the cell gets.
func (q *inquiry) loaded(at emu.Addr, bytes int, space ptx.Space) *Origin {
	vector, size := vectorOf(q.w.Inst)
	for k := 0; k < len(vector) && size > 0 && q.cell.Reg != nil; k++ {
		if e := &vector[k]; e.Reg == q.cell.Reg && max(int(e.Elem), 0) == max(q.cell.Elem, 0) {
			at, bytes = at+emu.Addr(k*size), size
		}
	}
	return q.memory(at, bytes, space, element(q.w.Inst))
}

// vectorOf are the elements of the vector that an access moves, and the bytes of one; none where it moves no vector.
func vectorOf(in *ptx.Inst) (elements []ptx.Operand, size int) {
	for i := range in.Operands {
		if op := &in.Operands[i]; op.Kind == ptx.OpVec {
			return op.List(), element(in).Bytes()
		}
	}
	return nil, 0
}

// parameters adds the .param variables of functions that a load, or a call of a provided function, reads.
func (q *inquiry) parameters() {
	in := q.w.Inst
	ops := in.Operands
	if in.Call != nil {
		ops = in.Call.Args
	} else if in.Match.Form.Effect&isa.ReadsMemory == 0 {
		return
	}
	for i := range ops {
		op := &ops[i]
		if op.Var == nil || op.Var.Space != ptx.ParamSpace || op.Reg != nil {
			continue
		}
		at, ok := emu.LocalVar(q.history.grid, q.w.CTA, q.w.Warp, op.Var)
		if !ok {
			continue // a parameter of the kernel
		}
		size := int(op.Var.Size)
		if in.Call == nil {
			size = accessSize(in)
		}
		o := q.loaded(at+emu.Addr(op.Off()), size, ptx.LocalSpace)
		o.Name = offsetName(op.Var.Name, int(o.Cell.Addr-at))
	}
}

// offsetName is "x" or "x+4".
func offsetName(name string, offset int) string {
	if offset == 0 {
		return name
	}
	return fmt.Sprintf("%s+%d", name, offset)
}
