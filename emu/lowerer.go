package emu

import (
	"math"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerer turns a checked module into a program. It decides all about an instruction that can be decided before lanes
// run: which op, which rows, which function.
type lowerer struct {
	dev   *Device
	prog  *machine.Program
	gen   map[string]uint16
	diags ptx.Diagnostics

	bodies map[string]*ptx.Func // functions that have bodies, by name
	places map[*ptx.Func]uint64 // from the base of the window of code

	fn      *machine.Function // being lowered
	next    uint32            // first free byte of its frame
	slots   map[machine.SlotKey]row.Operand
	consts  map[machine.ConstRow]uint32
	tables  map[*int][]int32 // by the first target of a list that branches share
	opcodes map[string]int   // numbers of the opcodes of warp operations
	in      *ptx.Inst
	i       *machine.Inst
	indexed []machine.Indexed // of the instruction
}

// plain makes the instruction an op whose operands do not matter.
func (l *lowerer) plain(o machine.Op) bool {
	l.i.Op = o
	return true
}

// pure makes the instruction one that can be in the middle of a straight line; see machine.OpPure. Like runs and
// reaches it is not inlined, which saves transfer.
//
//go:noinline
func (l *lowerer) pure(run machine.Runner) bool {
	l.i.Op, l.i.X = machine.OpPure, &machine.Extra{Run: run}
	return true
}

// computes is pure, and tells a compiler what the instruction computes.
//
//go:noinline
func computes(l *lowerer, key string, d, s []row.Operand, run machine.Runner) bool {
	l.i.Op, l.i.X = machine.OpPure, &machine.Extra{Run: run, Key: key, D: d, S: s}
	return true
}

// runs makes the instruction one that may fail, or make lanes wait.
//
//go:noinline
func (l *lowerer) runs(run machine.Runner) bool {
	l.i.Op, l.i.X = machine.OpRun, &machine.Extra{Run: run}
	return true
}

// reaches is runs for an instruction that accesses memory.
//
//go:noinline
func (l *lowerer) reaches(mem *machine.Access, run machine.Runner) bool {
	l.runs(run)
	l.i.X.Mem = mem
	return true
}

// bound makes a runner of a function whose first argument is known at lowering.
func bound[T any](run func(T, *machine.Warp, *machine.Inst, unsafe.Pointer, Mask) bool, of T) machine.Runner {
	return func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		return run(of, w, in, f, exec)
	}
}

// has says whether the opcode has one of these modifiers. Inlined, this function and similar ones would add 8 KB to the
// engine's transfer.
//
//go:noinline
func (l *lowerer) has(mods ...string) bool {
	for _, m := range mods {
		if l.in.Match.Has(m) {
			return true
		}
	}
	return false
}

// first is the first of these modifiers that the opcode has, or "".
//
//go:noinline
func (l *lowerer) first(mods ...string) string {
	for _, m := range mods {
		if l.in.Match.Has(m) {
			return m
		}
	}
	return ""
}

// named is the operand with that name in the instruction's syntax.
//
//go:noinline
func (l *lowerer) named(name string) (ptx.Operand, bool) {
	for i, o := range l.in.Match.Operands {
		if o.Name == name && i < len(l.in.Operands) && l.in.Operands[i].Kind != ptx.OpMissing {
			return l.in.Operands[i], true
		}
	}
	return ptx.Operand{}, false
}

// pc is the program counter of an instruction index of the current function.
func (l *lowerer) pc(index int) int32 { return l.fn.Start + int32(index) }

// typeOf is the type of operand n in the matched syntax.
func (l *lowerer) typeOf(n int) isa.Type {
	if ops := l.in.Match.Operands; n < len(ops) {
		return ops[n].Type
	}
	return isa.NoType
}

// src is a source operand, read as type t; with NoType, as the operand's own type.
func (l *lowerer) src(op ptx.Operand, t isa.Type) row.Operand {
	switch op.Kind {
	case ptx.OpReg:
		o := l.reg(op.Reg, op.Elem)
		o.Neg = op.Neg
		if b := t.Bits(); b > 0 && b < 64 {
			o.Mask &= 1<<b - 1
		}
		return o
	case ptx.OpImm:
		return l.immediate(op, t)
	case ptx.OpVar:
		return l.address(op, t, false)
	case ptx.OpFunc:
		fn := l.prog.ByFunc[op.Func()]
		l.fn.Indirect = true
		l.fn.Callees = append(l.fn.Callees, fn)
		return l.bitsRow(l.funcAddr(op.Func()), t)
	case ptx.OpSReg:
		return l.sreg(op, t)
	}
	return row.Operand{Sink: true}
}

// address is the address of an operand that names a variable.
func (l *lowerer) address(op ptx.Operand, t isa.Type, generic bool) row.Operand {
	scale := int64(1)
	if op.Var.Type.Class() == isa.Opaque {
		scale = texture.EncodedSize / int64(op.Var.Type.Bytes())
	}
	at := l.varAddr(op.Var, op.Off()*scale, t, generic)
	if op.Reg == nil {
		return at
	}
	x := machine.Indexed{Array: at, Number: l.reg(op.Reg, op.Elem), Sum: at, Stride: uint64(op.Var.Stride() * scale),
		Type: op.Reg.Type}
	x.Sum.Off = l.reserve(row.Row64)
	l.indexed = append(l.indexed, x)
	return x.Sum
}

// dst is a destination operand. It records the write.
func (l *lowerer) dst(op ptx.Operand) row.Operand {
	if op.Kind != ptx.OpReg {
		return row.Operand{Sink: true}
	}
	o := l.reg(op.Reg, op.Elem)
	l.writesTo(op, o)
	return o
}

// writesTo records that the instruction writes a register.
func (l *lowerer) writesTo(op ptx.Operand, o row.Operand) {
	if op.Kind == ptx.OpReg && !o.Sink {
		n := len(l.prog.Writes) - 1
		l.prog.Writes[n] = append(l.prog.Writes[n], machine.DstReg{Reg: op.Reg, Elem: int(op.Elem), Op: o})
	}
}

// reg is the place of a register, or of one component of a vector register.
func (l *lowerer) reg(r *ptx.Reg, elem int8) row.Operand {
	if r.Vec <= 1 {
		elem = -1
	}
	k := machine.SlotKey{Reg: r, Elem: elem}
	if o, ok := l.slots[k]; ok {
		return o
	}
	bits := r.Type.Bits()
	o := row.Operand{Bits: uint8(bits), Mask: ^uint64(0) >> max(64-bits, 0)}
	switch {
	case bits == 1:
		o.Off = l.reserve(8)
	case bits <= 32:
		o.Off = l.reserve(row.Row32)
	case bits == 64:
		o.Off = l.reserve(row.Row64)
	default:
		o.Off = l.reserve(2 * row.Row64)
	}
	l.slots[k] = o
	return o
}

// reserve takes size bytes of the frame.
func (l *lowerer) reserve(size uint32) uint32 {
	off := l.next
	l.next += size
	return off
}

// constant is the row of a constant.
func (l *lowerer) constant(c machine.ConstRow) uint32 {
	if off, ok := l.consts[c]; ok {
		return off
	}
	key := c
	if c.Wide {
		c.Off = l.reserve(row.Row64)
	} else {
		c.Off = l.reserve(row.Row32)
	}
	l.consts[key] = c.Off
	l.fn.Consts = append(l.fn.Consts, c)
	return c.Off
}

// wideConstant is a 128-bit constant whose upper half is zero.
func (l *lowerer) wideConstant(v uint64) uint32 {
	off := l.reserve(2 * row.Row64)
	l.fn.Consts = append(l.fn.Consts, machine.ConstRow{Off: off, Kind: machine.ConstBits, Value: v, Wide: true})
	return off
}

// bitsRow is a constant of type t.
func (l *lowerer) bitsRow(v uint64, t isa.Type) row.Operand {
	b := t.Bits()
	if b == 0 {
		b = 64
	}
	if b == 1 {
		off := uint32(row.FalsePred)
		if v != 0 {
			off = row.TruePred
		}
		return row.Operand{Off: off, Bits: 1, Mask: 1}
	}
	mask := ^uint64(0) >> max(64-b, 0)
	v &= mask
	if b > 64 {
		return row.Operand{Off: l.wideConstant(v), Bits: 128, Mask: mask}
	}
	c := machine.ConstRow{Kind: machine.ConstBits, Value: v, Wide: b > 32}
	o := row.Operand{Off: l.constant(c), Bits: 32, Mask: mask}
	if c.Wide {
		o.Bits = 64
	}
	return o
}

func (l *lowerer) immediate(op ptx.Operand, t isa.Type) row.Operand {
	if t == isa.NoType {
		t = op.ImmType
	}
	o := l.bitsRow(immediateBits(op.Imm, op.ImmType, t), t)
	o.Neg = op.Neg
	return o
}

// immediateBits are the bits of a constant as a value of type t (4.5): integers are cut to the type's width, floating
// constants are rounded to the type; an integer given for a floating type is its value.
func immediateBits(bits uint64, have, t isa.Type) uint64 {
	if have == isa.F32 && t.Bits() == 32 && t != isa.F32x2 {
		return bits
	}
	value := 0.0
	switch have {
	case isa.F64:
		value = math.Float64frombits(bits)
	case isa.F32:
		value = float64(math.Float32frombits(uint32(bits)))
	case isa.U64:
		value = float64(bits)
	default:
		value = float64(int64(bits))
	}
	switch t {
	case isa.F32:
		return uint64(math.Float32bits(float32(value)))
	case isa.F64:
		return math.Float64bits(value)
	}
	if (have == isa.F64 || have == isa.F32) && (t == isa.F16 || t == isa.BF16) {
		k, _ := num.Lookup("cvt.rn" + t.String() + ".f64")
		if k == nil {
			k, _ = num.Lookup("cvt.rn" + t.String() + ".f32")
			return k.F1(uint64(math.Float32bits(float32(value))))
		}
		return k.F1(math.Float64bits(value))
	}
	return bits
}

// varAddr is the address of a variable in its own state space, or generic.
func (l *lowerer) varAddr(v *ptx.Var, off int64, t isa.Type, generic bool) row.Operand {
	c := machine.ConstRow{Value: uint64(off), Gen: generic, V: v}
	wide := t.Bits() == 64 || t == isa.NoType && l.prog.Mod.AddressSize == 64
	c.Wide = wide
	switch {
	case v.Space == ptx.SharedSpace:
		c.Kind = machine.ConstShared
		l.fn.UsesSlots = append(l.fn.UsesSlots, v)
	case v.Space == ptx.ParamSpace && v.Func != nil && v.Func.Entry && isParam(v):
		c.Kind = machine.ConstParam
	case v.Space == ptx.LocalSpace || v.Space == ptx.ParamSpace:
		c.Kind, c.V = machine.ConstLocal, nil
		c.Value += uint64(l.fn.LocalOff[v])
	default:
		c.Kind, c.V, c.Gen = machine.ConstBits, nil, false
		c.Value += l.prog.Vars[v]
	}
	o := row.Operand{Off: l.constant(c), Bits: 32, Mask: math.MaxUint32}
	if wide {
		o.Bits, o.Mask = 64, ^uint64(0)
	}
	return o
}

func isParam(v *ptx.Var) bool {
	params := v.Func.Params
	return v.Index < len(params) && params[v.Index] == v
}

// sreg is the row of a special register that does not change while a warp runs.
func (l *lowerer) sreg(op ptx.Operand, t isa.Type) row.Operand {
	name := op.SReg().Name
	if op.SReg().Vec == 4 {
		name += [...]string{".x", ".y", ".z", ".w"}[max(op.Elem, 0)]
	}
	wide, kind := op.SReg().Type.Bits() == 64, machine.SRegKind(name)
	o := row.Operand{Off: l.constant(machine.ConstRow{Kind: kind, SReg: name, Wide: wide}), Bits: 32, Mask: math.MaxUint32}
	if wide {
		o.Bits, o.Mask = 64, ^uint64(0)
	}
	if b := t.Bits(); b > 1 && b < 64 {
		o.Mask &= 1<<b - 1
	}
	return o
}

func (l *lowerer) symbol(r ptx.Reloc) (uint64, bool) {
	if r.Func != nil {
		return l.funcAddr(r.Func) + uint64(r.Addend), true
	}
	a, ok := l.prog.Vars[r.Var]
	return a + uint64(r.Addend), ok
}

func (l *lowerer) funcAddr(f *ptx.Func) Addr {
	if at, ok := l.places[l.bodyOf(f)]; ok {
		return l.dev.Mem.Win.Code + at
	}
	return 0
}
