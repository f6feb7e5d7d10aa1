package debug

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/emu/count"
	"warpscope/gpu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Instruction is one instruction of a warp, with what it reads and writes in each lane.
type Instruction struct {
	Inst     *ptx.Inst
	Line     int
	Text     string
	At       emu.Mask // lanes that are at it, or were
	Exec     emu.Mask // those of them whose guard is true
	Branch   bool     // lanes whose guard is false fall through
	Sentence string
	Rows     []OperandRow
}

// OperandRole is what an instruction does with an operand.
type OperandRole uint8

// The roles, in the order of the rows.
const (
	RoleGuard OperandRole = iota
	RoleSource
	RoleAddress // where it accesses memory
	RoleMemory  // what is there
	RoleResult
	RoleNext // the lines at which lanes go on
)

// OperandRow is one operand in all lanes. For an instruction that has run, sources are as it read them.
type OperandRow struct {
	Role    OperandRole
	Name    string
	Reg     *ptx.Reg // or nil
	Type    isa.Type
	Known   emu.Mask // lanes whose value is known
	Values  [32]uint64
	Hi      *[32]uint64 // upper halves of 128-bit registers
	Changed emu.Mask    // lanes in which the instruction wrote it
	Had     emu.Mask    // of these, those that have had a value before
	Old     [32]uint64  // in those, what it was
}

// instructions are what the followed warp has just executed, if the last step was its, and what it executes next.
func (s *Session) instructions(v *View) (ran, next *Instruction) {
	w, places := v.State, v.Places()
	if rec := s.last; rec != nil && rec.CTAIndex == w.CTAIndex && rec.Warp == w.Index && rec.Inst != nil {
		ran = s.instruction(rec.Inst, rec.Active, rec.Exec, before(w, rec))
		ran.results(rec, v.Groups)
	}
	if w.PC != nil && w.Resident && !w.Ended {
		next = s.instruction(w.PC, w.Active, w.Active&Guard(w, w.PC.Guard), w)
		next.foresee(s, v)
	}
	for _, i := range []*Instruction{ran, next} {
		if i != nil {
			i.Sentence = s.words(i, places)
		}
	}
	return ran, next
}

// Guard returns the lanes in which a guard is true (9.3).
func Guard(w *emu.WarpView, guard *ptx.Guard) (mask emu.Mask) {
	if guard == nil {
		return emu.FullMask
	}
	if r := findReg(w, guard.Reg, int(guard.Elem)); r != nil {
		for lane, v := range r.Lo {
			mask |= emu.Mask(v&1) << lane
		}
	}
	if guard.Neg {
		return ^mask
	}
	return mask
}

// before is a view with only the registers that a step's instruction names, as they were before that step.
func before(after *emu.WarpView, rec *emu.Step) *emu.WarpView {
	w := *after
	w.Regs = nil
	list := named(rec.Inst)
	for i := range after.Regs {
		if slices.Contains(list, after.Regs[i].Reg) {
			w.Regs = append(w.Regs, after.Regs[i])
		}
	}
	for i := range rec.Regs {
		wrote := &rec.Regs[i]
		r := findReg(&w, wrote.Reg, wrote.Elem)
		if wrote.Reg == nil || r == nil {
			continue
		}
		old := *r.Lo
		for lane := range old {
			if wrote.Lanes.Has(lane) {
				old[lane] = wrote.Old[lane]
			}
		}
		r.Lo = &old
	}
	return &w
}

// named lists the registers that an instruction names.
func named(in *ptx.Inst) (regs []*ptx.Reg) {
	if in.Guard != nil {
		regs = append(regs, in.Guard.Reg)
	}
	var add func(ops []ptx.Operand)
	add = func(ops []ptx.Operand) {
		for i := range ops {
			regs = append(regs, ops[i].Reg)
			if second := ops[i].Second(); second != nil {
				regs = append(regs, second.Reg)
			}
			add(ops[i].List())
		}
	}
	add(in.Operands)
	if in.Call != nil {
		add(in.Call.Args)
		add(in.Call.Returns)
	}
	return regs
}

// instruction has the rows of what an instruction reads.
func (s *Session) instruction(in *ptx.Inst, at, exec emu.Mask, w *emu.WarpView) *Instruction {
	i := &Instruction{Inst: in, Line: s.line(in), Text: s.code(in), At: at, Exec: exec}
	i.Branch = in.Match != nil && in.Match.Form.Mnemonic == "bra"
	seen := map[OperandRow]bool{}
	for _, o := range s.Operands(in, w) {
		row := OperandRow{Role: RoleSource, Name: o.Text, Reg: o.Reg, Type: o.Type, Known: o.Known, Values: o.Values}
		switch {
		case o.Guard:
			row.Role, row.Name = RoleGuard, gpu.ComponentName(o.Reg, o.Elem)
		case o.Memory:
			row.Role, row.Type = RoleAddress, isa.U64
		case !o.Read || o.Reg == nil && o.Known == 0 || o.Type == isa.NoType && o.Reg == nil:
			continue
		case o.Reg == nil && !special(o): // a constant says itself
			continue
		case o.Reg != nil:
			row.Name = gpu.ComponentName(o.Reg, o.Elem)
			if o.Reg.Type.Bits() > 64 {
				hi := o.Hi
				row.Hi = &hi
			}
		}
		key := OperandRow{Role: row.Role, Name: row.Name}
		if !seen[key] {
			seen[key] = true
			i.Rows = append(i.Rows, row)
		}
	}
	i.Rows = withoutBases(i.Rows)
	return i
}

// special says whether an operand is a special register, whose name begins as a register's does.
func special(o Operand) bool { return len(o.Text) > 0 && o.Text[0] == '%' }

// withoutBases drops the registers that addresses are computed from: the addresses show them.
func withoutBases(rows []OperandRow) (list []OperandRow) {
	for k, row := range rows {
		if row.Role != RoleSource || k+1 == len(rows) || rows[k+1].Role != RoleAddress || row.Reg == nil {
			list = append(list, row)
		}
	}
	return list
}

// results adds what a step has written, and where its lanes go on.
func (i *Instruction) results(rec *emu.Step, groups []Group) {
	i.memory(rec)
	for k := range rec.Regs {
		w := &rec.Regs[k]
		if w.Reg != nil && w.Lanes != 0 {
			i.Rows = append(i.Rows, OperandRow{Role: RoleResult, Name: gpu.ComponentName(w.Reg, w.Elem), Reg: w.Reg,
				Type: w.Reg.Type, Known: w.Lanes, Values: w.New, Hi: w.NewHi, Changed: w.Lanes, Had: w.Known, Old: w.Old})
		}
	}
	if i.Branch {
		row := OperandRow{Role: RoleNext, Name: "next", Type: isa.U32}
		for _, g := range groups {
			for lane := range 32 {
				if (g.Mask & i.At).Has(lane) {
					row.Values[lane] = uint64(g.Line)
				}
			}
			row.Known |= g.Mask & i.At
		}
		row.Changed = row.Known
		i.Rows = append(i.Rows, row)
	}
}

// Address is where a register points that the instruction has as an address, without the offset, in a lane; ok is false
// where it has not, or writes it.
func (i *Instruction) Address(reg string, lane int) (a emu.Addr, ok bool) {
	if i == nil || slices.ContainsFunc(i.Rows, func(r OperandRow) bool { return r.Role == RoleResult && r.Name == reg }) {
		return 0, false
	}
	for k := range i.Inst.Operands {
		o := &i.Inst.Operands[k]
		if o.Kind != ptx.OpAddr || o.Reg == nil || gpu.ComponentName(o.Reg, int(o.Elem)) != reg {
			continue
		}
		for _, row := range i.Rows {
			if row.Role == RoleAddress && row.Known.Has(lane) && strings.HasPrefix(row.Name, "["+reg) {
				return row.Values[lane] - emu.Addr(o.Off()), true
			}
		}
	}
	return 0, false
}

// element is the type of the numbers that an access moves, NoType if that is not told by its opcode.
func element(in *ptx.Inst) isa.Type {
	if in != nil && in.Match != nil && len(in.Match.Types) > 0 {
		return in.Match.Types[len(in.Match.Types)-1]
	}
	return isa.NoType
}

// memory adds what a step wrote to memory, a row for each element of a vector.
func (i *Instruction) memory(rec *emu.Step) {
	t := element(rec.Inst)
	size := t.Bytes()
	if size == 0 || size > 8 {
		return
	}
	var rows [8]OperandRow
	for k := range rec.Mem {
		w := &rec.Mem[k]
		for n := 0; n < len(rows) && (n+1)*size <= len(w.New); n++ {
			r := &rows[n]
			r.Known |= 1 << w.Lane
			r.Values[w.Lane], r.Old[w.Lane] = number(w.New[n*size:], size), number(w.Old[n*size:], size)
		}
	}
	for n, r := range rows {
		if r.Known == 0 {
			break
		}
		r.Role, r.Name, r.Type, r.Changed, r.Had = RoleMemory, "memory", t, r.Known, r.Known
		if n > 0 {
			r.Name = fmt.Sprintf("memory+%d", n*size)
		}
		i.Rows = append(i.Rows, r)
	}
}

// number is the little-endian number at the start of some bytes.
func number(b []byte, size int) uint64 {
	var wide [8]byte
	copy(wide[:], b[:min(size, len(b))])
	return binary.LittleEndian.Uint64(wide[:])
}

// foresee adds what is in memory at the addresses, and what the results will replace.
func (i *Instruction) foresee(s *Session, v *View) {
	t := element(i.Inst)
	size := t.Bytes()
	for _, row := range i.Rows {
		if row.Role != RoleAddress || size == 0 || size > 8 {
			continue
		}
		now := OperandRow{Role: RoleMemory, Name: "memory", Type: t}
		for lane := range 32 {
			if b := v.bytesAt(row.Values[lane], size); b != nil && (i.Exec & row.Known).Has(lane) {
				now.Values[lane] = number(b, size)
				now.Known |= 1 << lane
			}
		}
		if now.Known != 0 {
			i.Rows = append(i.Rows, now)
		}
		break
	}
	for _, o := range s.Operands(i.Inst, v.State) {
		if o.Write && o.Reg != nil {
			row := OperandRow{Role: RoleResult, Name: gpu.ComponentName(o.Reg, o.Elem), Reg: o.Reg, Type: o.Type,
				Known: o.Known, Values: o.Values}
			if o.Type.Bits() > 64 {
				row.Hi = &o.Hi
			}
			i.Rows = append(i.Rows, row)
		}
	}
}

// bytesAt are bytes of memory that the view has; nil if it does not have them.
func (v *View) bytesAt(a emu.Addr, size int) []byte {
	for k := range v.Memory {
		r := &v.Memory[k]
		at := a - r.Addr
		if r.Name != TensorMemory && r.Space != ptx.LocalSpace && a >= r.Addr && at+emu.Addr(size) <= emu.Addr(len(r.Bytes)) {
			return r.Bytes[at:]
		}
	}
	return nil
}

// words is one sentence on what the lanes do.
func (s *Session) words(i *Instruction, places Places) string {
	n, all := i.Exec.Count(), i.At.Count()
	switch {
	case i.Branch && i.Inst.Guard != nil:
		return fmt.Sprintf("%s here: %d jump, %d fall through", ptx.Plural(all, "lane"), n, all-n)
	case n < all:
		return fmt.Sprintf("%d of %s: the guard is false in %d", n, ptx.Plural(all, "lane"), all-n)
	}
	for _, row := range i.Rows {
		if row.Role == RoleAddress {
			if size := accessSize(i.Inst); size > 0 {
				return fmt.Sprintf("%s: %s", s.amount(i, &row, size), i.places(places, &row))
			}
		}
	}
	if i.Inst.Match == nil {
		return ""
	}
	return i.Inst.Match.Form.Summary
}

// amount says how many bytes the lanes access: a place that several of them share counts once. Local memory and
// parameters are each lane's own.
func (s *Session) amount(i *Instruction, row *OperandRow, size int) string {
	lanes, common := i.Exec&row.Known, emu.Mask(0)
	for lane := range 32 {
		c := Cell{CTA: s.cta, Warp: s.warp, Lane: lane, Addr: row.Values[lane], Size: size, Space: accessSpace(i.Inst)}
		if space := s.spaceOf(c); space != ptx.LocalSpace && space != ptx.ParamSpace {
			common |= 1 << lane
		}
	}
	repeats := count.Repeats(&row.Values, 0, uint32(lanes&common))
	if repeats == 0 {
		return ptx.Plural(i.Exec.Count()*size, "byte")
	}
	return fmt.Sprintf("%s for %s", ptx.Plural((lanes.Count()-repeats)*size, "byte"), ptx.Plural(lanes.Count(), "lane"))
}

// places is the range of the addresses of lanes that access memory.
func (i *Instruction) places(known Places, row *OperandRow) string {
	return span(i.Exec&row.Known, func(lane int) string {
		if name := known.name(row.Values[lane]); name != "" {
			return name
		}
		return launch.FormatHex(isa.B64, row.Values[lane], 0)
	})
}
