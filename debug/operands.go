package debug

import (
	"cmp"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Operand is one operand of an instruction, with its values in the lanes of a warp.
type Operand struct {
	Text        string
	Guard       bool
	Read, Write bool
	Reg         *ptx.Reg // nil for what is not a register
	Elem        int      // component of a vector register, or -1
	Type        isa.Type // of the register or special register, NoType for a constant
	Known       emu.Mask // lanes whose value is known
	Values, Hi  [32]uint64
	// For a part of memory, Values are generic addresses of Size bytes in Space; Size is 0 if it is not known.
	Memory bool
	Space  ptx.Space
	Size   int
}

// Operands lists what an instruction reads and writes, with the values that a view of the warp has: the guard first,
// then the operands in the order of the text. Elements of vectors are operands of their own.
func (s *Session) Operands(in *ptx.Inst, v *emu.WarpView) []Operand {
	l := operandLister{Session: s, in: in, warp: v}
	if in.Guard != nil {
		l.register(in.Guard.Reg, int(in.Guard.Elem), in.Guard.Span, isa.Read)
		l.list[0].Guard = true
	}
	for i := range in.Operands {
		role := isa.Read
		if in.Match != nil && i < len(in.Match.Operands) {
			l.name = in.Match.Operands[i].Name
			role = cmp.Or(in.Match.Operands[i].Role, role)
		}
		l.operand(&in.Operands[i], role)
		if second := in.Operands[i].Second(); second != nil {
			l.operand(second, role)
		}
	}
	if in.Call != nil {
		for i := range in.Call.Returns {
			l.operand(&in.Call.Returns[i], isa.Write)
		}
		for i := range in.Call.Args {
			l.operand(&in.Call.Args[i], isa.Read)
		}
	}
	return l.list
}

type operandLister struct {
	*Session
	in   *ptx.Inst
	warp *emu.WarpView
	name string // of the operand in the instruction's syntax
	list []Operand
}

func (l *operandLister) operand(op *ptx.Operand, role isa.Role) {
	switch op.Kind {
	case ptx.OpReg:
		l.register(op.Reg, int(op.Elem), op.Span, role)
	case ptx.OpVec:
		for i := range op.List() {
			l.operand(&op.List()[i], role)
		}
	case ptx.OpImm:
		l.add(Operand{Type: op.ImmType, Known: ^emu.Mask(0), Values: every(op.Imm)}, op.Span, isa.Read)
	case ptx.OpSReg:
		o := Operand{Type: op.SReg().Type, Elem: int(op.Elem)}
		if values, ok := l.spec.Special(l.warp, op.SReg().Name, int(op.Elem)); ok {
			o.Values, o.Known = values, ^emu.Mask(0)
		}
		l.add(o, op.Span, isa.Read)
	case ptx.OpAddr:
		if op.Reg != nil {
			l.register(op.Reg, -1, op.Span, isa.Read)
			l.list[len(l.list)-1].Text = op.Reg.Name
		}
		l.memory(op, role)
	case ptx.OpVar:
		l.add(Operand{}, op.Span, isa.Read)
	}
}

func (l *operandLister) add(o Operand, span ptx.Span, role isa.Role) {
	if o.Text == "" {
		o.Text = l.module.Text(span)
	}
	o.Read, o.Write = role&isa.Read != 0, role&isa.Write != 0
	l.list = append(l.list, o)
}

func (l *operandLister) register(reg *ptx.Reg, elem int, span ptx.Span, role isa.Role) {
	o := Operand{Reg: reg, Elem: elem, Type: reg.Type}
	if r := findReg(l.warp, reg, elem); r != nil {
		o.Values, o.Known = *r.Lo, r.Written
		if r.Hi != nil {
			o.Hi = *r.Hi
		}
	}
	l.add(o, span, role)
}

// findReg returns a register's values in a view: of a component, or of the only one; nil if the view lacks them.
func findReg(v *emu.WarpView, reg *ptx.Reg, elem int) *emu.RegView {
	for i := range v.Regs {
		if r := &v.Regs[i]; r.Reg == reg && (r.Elem == elem || r.Elem <= 0 && elem <= 0) {
			return r
		}
	}
	return nil
}

func every(bits uint64) (row [32]uint64) {
	for i := range row {
		row[i] = bits
	}
	return row
}

// memory adds the part of memory that an address names, as far as its place can be told: parameters have none.
func (l *operandLister) memory(op *ptx.Operand, role isa.Role) {
	space := accessSpace(l.in)
	switch { // copies name the space of the destination, then that of the source
	case strings.HasPrefix(l.name, "src"):
		for _, mod := range l.in.Match.Mods {
			space = cmp.Or(ptx.NamedSpace(mod), space)
		}
	case l.name == "mbar":
		space = ptx.SharedSpace
	}
	if len(op.List()) > 0 || space == ptx.ParamSpace || op.Reg == nil && op.Var == nil {
		return
	}
	o := Operand{Memory: true, Space: space, Size: accessSize(l.in), Elem: -1}
	switch {
	case op.Reg != nil && op.Var != nil: // an array's name with an index
		return
	case op.Reg != nil:
		r := findReg(l.warp, op.Reg, -1)
		if r == nil {
			return
		}
		o.Values, o.Known = *r.Lo, r.Written
	default:
		at, ok := l.variable(op.Var)
		if !ok {
			return
		}
		o.Values, o.Known = every(at), ^emu.Mask(0)
	}
	for lane := range o.Values {
		o.Values[lane] += uint64(op.Off())
		if op.Var == nil {
			o.Values[lane] = l.history.grid.Generic(space, o.Values[lane])
		}
	}
	l.add(o, op.Span, role)
}

// variable is the generic address of a global, constant or shared variable.
func (s *Session) variable(v *ptx.Var) (emu.Addr, bool) {
	base, _ := s.history.grid.Shared(s.cta)
	for _, shared := range s.history.grid.SharedVars() {
		if shared.Var == v {
			return base + emu.Addr(shared.Off), true
		}
	}
	for _, a := range s.prepared.Device.Variables() {
		if a.Name == v.Name {
			return a.Addr, true
		}
	}
	return 0, false
}

// accessSpace is the state space that the opcode of an access names; Generic if it names none.
func accessSpace(in *ptx.Inst) ptx.Space {
	for _, mod := range in.Match.Mods {
		if space := ptx.NamedSpace(mod); space != ptx.Generic {
			return space
		}
	}
	return ptx.Generic
}

// accessSize is how many bytes a lane accesses; 0 if that is not told by the type and the vector of the opcode, as
// where a warp moves matrices and where an operand of a copy says it.
func accessSize(in *ptx.Inst) int {
	if len(in.Match.Types) == 0 || len(emu.Layouts(in)) > 0 || in.Match.Form.Mnemonic == "cp" {
		return 0
	}
	size := in.Match.Types[len(in.Match.Types)-1].Bytes()
	for n, mod := range map[int]string{2: ".v2", 4: ".v4", 8: ".v8"} {
		if in.Match.Has(mod) {
			return n * size
		}
	}
	return size
}
