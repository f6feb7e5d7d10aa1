package debug

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Holding says which lanes and registers hold what an instruction moves between lanes: the elements of its matrices,
// or the values that lanes exchange.
type Holding struct {
	*Instruction
	Upcoming bool // it runs next: what it writes is not known yet
	Matrices []Matrix
	Exchange *Exchange // of shfl, vote, match and redux; nil for others

	Elsewhere string // sentences about matrices that are not in registers, or not yet
}

// Matrix is a matrix in registers or in memory, with its elements' values.
type Matrix struct {
	emu.Layout
	Registers []string // names, by Holder.Register
	Known     bool     // all lanes have written its registers, or it is in memory
	Values    []uint64 // of the elements, as bits; row after row
	Shared    emu.Addr // the generic address at which the CTA's shared memory begins

	regions Places
}

// Exchange is what each lane gets from which others.
type Exchange struct {
	Lanes   emu.Mask     // that take part
	From    [32]emu.Mask // the lanes whose values make a lane's result
	InRange emu.Mask     // shfl: lanes that get another lane's value, or their own by number
	Gives   *OperandRow  // the values that lanes give; nil if they are not known
	Gets    *OperandRow  // and those that they get; nil before the instruction has run
}

// Holding is that of the instruction that the followed warp has just executed or executes next: if both are one,
// upcoming says which. nil says that neither is one.
func (s *Session) Holding(upcoming bool) *Holding {
	v := s.View()
	if s.phase == Invalid || v.State == nil {
		return nil
	}
	ran, next := s.holding(v.Ran, false), s.holding(v.Next, true)
	if ran == nil || upcoming && next != nil {
		return next
	}
	return ran
}

func (s *Session) holding(i *Instruction, upcoming bool) *Holding {
	if i == nil || i.Inst.Match == nil {
		return nil
	}
	h := &Holding{Instruction: i, Upcoming: upcoming}
	after := s.view.State
	now := after
	if !upcoming {
		now = before(after, s.last)
	}
	layouts := emu.Layouts(i.Inst)
	for _, l := range layouts {
		if i.Inst.Match.Form.Mnemonic == "wgmma" {
			l.FirstRow = s.view.State.Index % 4 * 16 // 9.7.17.5.1.1
		}
		at := now
		if l.Write && !upcoming {
			at = after
		}
		m := s.matrix(i.Inst, l, at, l.Write && (upcoming || l.Late))
		if l.Late && i.Inst.Match.Form.Mnemonic == "tcgen05" {
			s.fromTensorMemory(&m, i.Inst, now, len(h.Matrices))
		}
		h.Matrices = append(h.Matrices, m)
	}
	stored := s.inMemory(i, now)
	h.Matrices = append(h.Matrices, stored.matrices...)
	h.Elsewhere = stored.words(s.elsewhere(i.Inst, layouts, stored.matrices))
	if exchanges(i.Inst) {
		h.Exchange = s.exchange(i, now)
	}
	if h.Matrices == nil && h.Exchange == nil && h.Elsewhere == "" {
		return nil
	}
	return h
}

// elsewhere says which matrices are in shared memory or in tensor memory, and which registers are written later. stored
// are the matrices whose places are known.
func (s *Session) elsewhere(in *ptx.Inst, layouts []emu.Layout, stored []Matrix) []string {
	var list []string
	for i, o := range in.Match.Operands {
		if i >= len(in.Operands) || in.Operands[i].Kind == ptx.OpMissing {
			continue
		}
		text, what := s.module.Text(in.Operands[i].Span), strings.ToUpper(o.Name[:1])
		switch o.Name {
		case "a-desc", "b-desc", "s-desc":
			list = append(list, fmt.Sprintf("%s is in shared memory, where the descriptor %s says%s.", what, text,
				extentOf(stored, i)))
		case "a-tmem", "d-tmem":
			list = append(list, fmt.Sprintf("%s is in tensor memory, from %s on%s.", what, text, extentOf(stored, i)))
		case "sp-meta-tmem":
			list = append(list, fmt.Sprintf("The metadata of A is in tensor memory, from %s on.", text))
		case "scale-A-tmem", "scale-B-tmem":
			list = append(list, fmt.Sprintf("The scale factors of %s are in tensor memory, from %s on.", o.Name[6:7], text))
		case "taddr":
			if len(layouts) > 0 {
				list = append(list, fmt.Sprintf("T is tensor memory from %s on: a row is a lane there.", text))
			} else if in.Match.Form.ID == "tcgen05.cp" {
				list = append(list, fmt.Sprintf("T is in tensor memory, from %s on%s.", text, extentOf(stored, i)))
			}
		case "immHalfSplitoff":
			list = append(list, fmt.Sprintf("For lanes 16–31 it begins %s further.", text))
		}
	}
	if slices.ContainsFunc(layouts, func(l emu.Layout) bool { return l.Late }) {
		wait := map[string]string{"wgmma": "wgmma.wait_group", "tcgen05": "tcgen05.wait::ld"}[in.Match.Form.Mnemonic]
		list = append(list, fmt.Sprintf("The values are in the registers after %s.", wait))
	}
	return list
}

// matrix reads the elements of a matrix from the registers of a view. future: they are yet to be written.
func (s *Session) matrix(in *ptx.Inst, l emu.Layout, at *emu.WarpView, future bool) Matrix {
	m := Matrix{Layout: l, Known: !future, Values: make([]uint64, len(l.Holders))}
	list := in.Operands[l.Operand].List()
	if len(list) == 0 {
		list = in.Operands[l.Operand : l.Operand+1]
	}
	rows := make([][32]uint64, len(list))
	for i := range list {
		op := &list[i]
		m.Registers = append(m.Registers, s.module.Text(op.Span))
		if op.Reg == nil {
			rows[i] = every(op.Imm)
		} else if r := findReg(at, op.Reg, int(op.Elem)); r != nil {
			rows[i] = *r.Lo
			m.Known = m.Known && r.Written&at.Present == at.Present
		} else {
			m.Known = false
		}
	}
	for i, held := range l.Holders {
		if held.Register < len(rows) {
			m.Values[i] = rows[held.Register][held.Lane] >> (held.Part * l.Bits) & (^uint64(0) >> (64 - l.Bits))
		}
	}
	return m
}

// fromTensorMemory gives the matrix of a tcgen05.ld the values that tensor memory has now. half is 1 for that of lanes
// 16 to 31 of .16x32bx2.
func (s *Session) fromTensorMemory(m *Matrix, in *ptx.Inst, at *emu.WarpView, half int) {
	memory, first := s.memory(), uint64(0)
	for i, o := range in.Match.Operands {
		if i >= len(in.Operands) || o.Name != "taddr" && (o.Name != "immHalfSplitoff" || half == 0) {
			continue
		}
		v, known := operandValue(&in.Operands[i], at, 0)
		if !known {
			return
		}
		first += v
	}
	lane, col := int(first>>16&0xffff), int(first&0xffff)
	for i := range m.Values {
		word, ok := memory.Word(lane+i/m.Cols, col+i%m.Cols)
		if !ok {
			return
		}
		m.Values[i] = uint64(word) & (^uint64(0) >> (64 - m.Bits))
	}
	m.Known = true
	if r := s.region(TensorMemory); r != nil && r.Type == "f32" && m.Bits == 32 {
		m.Type = isa.F32
	}
}

// exchange works out which lanes' values make the result of each lane.
func (s *Session) exchange(i *Instruction, at *emu.WarpView) *Exchange {
	e := &Exchange{Lanes: i.Exec}
	in := i.Inst
	args := arguments(s.Operands(in, at))
	if len(args) == 0 {
		return nil
	}
	e.Gives = &OperandRow{Role: RoleSource, Name: args[0].Text, Reg: args[0].Reg, Type: args[0].Type,
		Known: args[0].Known, Values: args[0].Values}
	for k := range i.Rows {
		if row := &i.Rows[k]; row.Role == RoleResult && row.Changed != 0 && e.Gets == nil {
			e.Gets = row
		}
	}
	e.From, e.InRange = givers(in, i.Exec, args)
	return e
}

// arguments are the operands after the results, as they were read.
func arguments(list []Operand) (args []Operand) {
	for _, o := range list {
		if o.Read && !o.Guard {
			args = append(args, o)
		}
	}
	return args
}

// exchanges says whether an instruction makes results from what several lanes give.
func exchanges(in *ptx.Inst) bool {
	return slices.Contains([]string{"shfl", "vote", "match", "redux"}, in.Match.Form.Mnemonic)
}

// givers are the lanes whose values make the result of each lane of exec, for an instruction that exchanges. args are
// its operands after the results. inRange are the lanes to which shfl gives another lane's value, or their own by
// number.
func givers(in *ptx.Inst, exec emu.Mask, args []Operand) (from [32]emu.Mask, inRange emu.Mask) {
	members := &args[len(args)-1] // of .sync
	for lane := range 32 {
		if !exec.Has(lane) {
			continue
		}
		mask := exec
		if in.Match.Has(".sync") {
			mask &= emu.Mask(members.Values[lane])
		}
		switch in.Match.Form.Mnemonic {
		case "shfl":
			source, ok := emu.ShuffleSource(in, lane, args[1].Values[lane], args[2].Values[lane])
			from[lane] = 1 << source
			if ok {
				inRange |= 1 << lane
			}
		case "match":
			from[lane] = mask & sameAs(&args[0], lane)
		default:
			from[lane] = mask
		}
	}
	return from, inRange
}

// sameAs are the lanes that have a lane's value.
func sameAs(o *Operand, lane int) (mask emu.Mask) {
	for other, v := range o.Values {
		if v == o.Values[lane] {
			mask |= 1 << other
		}
	}
	return mask
}

// HolderName says where an element is: "lane 5, %a2, upper half".
func (m *Matrix) HolderName(h emu.Holder) string {
	name := ""
	if h.Register < len(m.Registers) {
		name = m.Registers[h.Register]
	}
	return fmt.Sprintf("lane %d, %s%s", h.Lane, name, partName(h.Part, m.Bits))
}

// partName says which part of a register of 32 bits an element is.
func partName(part, bits int) string {
	switch {
	case bits >= 32:
		return ""
	case bits == 16:
		return [...]string{", lower half", ", upper half"}[part]
	case bits == 8:
		return [...]string{", byte 0", ", byte 1", ", byte 2", ", byte 3"}[part]
	}
	return fmt.Sprintf(", bits %d to %d", part*bits, part*bits+bits-1)
}
