package emu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/emu/simt"
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

	fn      *machine.Function // being lowered
	next    uint32            // first free byte of its frame
	slots   map[machine.SlotKey]row.Operand
	consts  map[machine.ConstRow]uint32
	tables  map[*int][]int32 // by the first target of a list that branches share
	in      *ptx.Inst
	i       *machine.Inst
	indexed []machine.Indexed // of the instruction
}

func lower(d *Device, m *ptx.Module) (*machine.Program, error) {
	l := &lowerer{dev: d, gen: row.Numbers(), tables: map[*int][]int32{}}
	l.prog = &machine.Program{Mod: m, ByFunc: map[*ptx.Func]*machine.Function{}, ByAddr: map[uint64]*machine.Function{},
		Vars:   map[*ptx.Var]Addr{},
		Bounds: map[string]string{}, Held: machine.HeldRegs{Users: map[int32][]int32{}},
		Tracked: map[int32]*machine.Tracked{}}
	if err := l.placeVars(m); err != nil {
		return nil, err
	}
	for i, f := range m.Funcs {
		fn := &machine.Function{Src: f, Number: i, LocalOff: map[*ptx.Var]int64{}}
		l.prog.Funcs = append(l.prog.Funcs, fn)
		l.prog.ByFunc[f] = fn
		l.prog.ByAddr[uint64(i)*functionSize] = fn
	}
	l.aliases()
	if err := l.initVars(m); err != nil {
		return nil, err
	}
	for _, fn := range l.prog.Funcs {
		l.function(fn)
	}
	l.checkCalls()
	if len(l.diags) > 0 {
		return nil, l.diags
	}
	order := calleesFirst(l.prog.Funcs)
	markBarriers(l.prog, order)
	markSpins(l.prog, order)
	if d.Shadow != nil {
		l.prog.Watch()
	}
	indexArrays(l.prog)
	markWrites(l.prog)
	machine.MarkPrivate(l.prog.Code)
	return l.prog, nil
}

// functionSize is the distance between the addresses of functions.
const functionSize = 16

// aliases gives an alias, and a declaration, the function that has the body (11.2.3).
func (l *lowerer) aliases() {
	bodies := map[string]*ptx.Func{}
	for _, fn := range l.prog.Funcs {
		if fn.Src.Defined {
			bodies[fn.Src.Name] = fn.Src
		}
	}
	for _, fn := range l.prog.Funcs {
		f := fn.Src
		if f.AliasOf != nil {
			f = f.AliasOf
		}
		if body := bodies[f.Name]; body != nil {
			f = body
		}
		l.prog.ByFunc[fn.Src] = l.prog.ByFunc[f]
	}
}

// placeVars allocates memory for the .global and .const variables of the module and its functions.
func (l *lowerer) placeVars(m *ptx.Module) error {
	place := func(vars []*ptx.Var) error {
		for _, v := range vars {
			if v.Space != ptx.GlobalSpace && v.Space != ptx.ConstSpace {
				continue
			}
			kind := mem.Global
			if v.Space == ptx.ConstSpace {
				kind = mem.Const
			}
			a, err := l.dev.Reserve(machine.VarSize(v), v.Name, kind)
			if err != nil {
				return err
			}
			l.prog.Vars[v] = a
		}
		return nil
	}
	if err := place(m.Vars); err != nil {
		return err
	}
	for _, f := range m.Funcs {
		if err := place(f.Vars); err != nil {
			return err
		}
	}
	return nil
}

// initVars writes the initial values, addresses of symbols included (5.4.4).
func (l *lowerer) initVars(m *ptx.Module) error {
	vars := append([]*ptx.Var(nil), m.Vars...)
	for _, f := range m.Funcs {
		vars = append(vars, f.Vars...)
	}
	for _, v := range vars {
		a, ok := l.prog.Vars[v]
		opaque := v.Type.Class() == isa.Opaque
		if !ok || v.Init == nil && v.Relocs == nil && !opaque {
			continue
		}
		b := make([]byte, machine.VarSize(v))
		copy(b, v.Init)
		for i := 0; opaque && i < len(b); i += texture.EncodedSize {
			copy(b[i:], l.opaque(v))
		}
		for _, r := range v.Relocs {
			value, ok := l.symbol(r)
			if !ok {
				return fmt.Errorf("the initialiser of %s names %s, whose address is not known before a launch", v.Name, r.Var.Name)
			}
			if r.Mask != 0 {
				value &= r.Mask
			}
			value >>= r.Shift
			for i := 0; i < r.Size && int(r.Offset)+i < len(b); i++ {
				b[int(r.Offset)+i] = byte(value >> (8 * i))
			}
		}
		off, n := l.dev.Mem.Off(a), uint32(len(b))
		copy(l.dev.Mem.Bytes(off, n), b)
		l.dev.Mem.Touch(off, max(n, 1))
	}
	return nil
}

func (l *lowerer) symbol(r ptx.Reloc) (uint64, bool) {
	if r.Func != nil {
		return l.funcAddr(r.Func) + uint64(r.Addend), true
	}
	a, ok := l.prog.Vars[r.Var]
	return a + uint64(r.Addend), ok
}

func (l *lowerer) funcAddr(f *ptx.Func) Addr {
	if fn := l.prog.ByFunc[f]; fn != nil {
		return l.dev.Mem.Win.Code + uint64(fn.Number)*functionSize
	}
	return 0
}

// function lowers one function. If it has no body, the emulator may provide it.
func (l *lowerer) function(fn *machine.Function) {
	f := fn.Src
	if !f.Defined {
		fn.Builtin = builtins[f.Name]
		return
	}
	l.fn, l.next = fn, row.FirstFree
	l.slots, l.consts = map[machine.SlotKey]row.Operand{}, map[machine.ConstRow]uint32{}
	l.layoutLocal(f)
	fn.FormalParams, fn.Returns = l.formals(f.Params, f.ParamRegs), l.formals(f.Returns, f.ReturnRegs)
	fn.Start = int32(len(l.prog.Code))
	fn.End = fn.Start + int32(len(f.Insts))
	for _, in := range f.Insts {
		l.inst(in)
	}
	// A lane that runs past the end of the body returns.
	l.prog.Code = append(l.prog.Code, machine.Inst{Op: machine.OpRet, Guard: row.TruePred})
	l.prog.Writes = append(l.prog.Writes, nil)
	markLeaders(l.prog, fn)
	fn.Frame = l.next
	l.slotsInOrder(f)
	markHeld(l)
	trackUndefined(l)
}

// markLeaders marks the block boundaries of a function.
func markLeaders(p *machine.Program, fn *machine.Function) {
	code := p.Code[fn.Start : fn.End+1]
	for _, b := range fn.Src.Blocks {
		code[b.Start].Leader = true
	}
	for i := range code[:len(code)-1] {
		if code[i].Op == machine.OpCall {
			code[i+1].Leader = true
		}
	}
	code[len(code)-1].Leader = true
}

// formals are the callee's side of parameters or return values: each is a variable or a register.
func (l *lowerer) formals(vars []*ptx.Var, regs []*ptx.Reg) []machine.Passed {
	list := make([]machine.Passed, len(vars))
	for i, v := range vars {
		list[i].V = v
		if v == nil {
			r := regs[i]
			list[i].Bits = r.Type.Bits()
			for elem := range r.Vec {
				list[i].Regs = append(list[i].Regs, l.reg(r, int8(elem)))
			}
		}
	}
	return list
}

// layoutLocal gives offsets to the variables in a thread's local memory: .local variables, and .param variables of
// functions and of calls (7.1).
func (l *lowerer) layoutLocal(f *ptx.Func) {
	fn := l.fn
	place := func(v *ptx.Var) {
		if v == nil {
			return
		}
		fn.Local = machine.AlignUp(fn.Local, max(v.Align, 1))
		fn.LocalOff[v] = fn.Local
		fn.Local += v.Size
		if v.Size == 0 {
			fn.Local += l.largestParam()
		}
	}
	if !f.Entry {
		for _, v := range f.Params {
			place(v)
		}
		for _, v := range f.Returns {
			place(v)
		}
	}
	for _, v := range f.Vars {
		if v.Space == ptx.LocalSpace || v.Space == ptx.ParamSpace {
			place(v)
		}
	}
	fn.LocalUsed = fn.Local
	fn.Local = machine.AlignUp(fn.Local, 16)
}

// largestParam is the size of the largest .param variable of any function: room for an argument to an unsized array.
func (l *lowerer) largestParam() (size int64) {
	for _, f := range l.prog.Mod.Funcs {
		for _, v := range f.Vars {
			if v.Space == ptx.ParamSpace {
				size = max(size, v.Size)
			}
		}
	}
	return size
}

// slotsInOrder lists the registers for display, with the instructions that write each.
func (l *lowerer) slotsInOrder(f *ptx.Func) {
	defs := map[machine.SlotKey][]int32{}
	for pc := l.fn.Start; pc < l.fn.End; pc++ {
		for _, d := range l.prog.Writes[pc] {
			k := machine.SlotKey{Reg: d.Reg, Elem: int8(d.Elem)}
			defs[k] = append(defs[k], pc)
		}
	}
	for _, r := range f.Regs {
		for elem := int8(-1); int(elem) < r.Vec; elem++ {
			k := machine.SlotKey{Reg: r, Elem: elem}
			if o, ok := l.slots[k]; ok {
				param := slices.Contains(f.ParamRegs, r)
				l.fn.Regs = append(l.fn.Regs, machine.RegSlot{Reg: r, Off: o.Off, Bits: o.Bits, Elem: int(elem),
					Defs: defs[k], Param: param})
			}
		}
	}
}

// inst lowers one instruction.
func (l *lowerer) inst(in *ptx.Inst) {
	i := machine.Inst{Guard: row.TruePred, Src: in, Fork: simt.Fork{Reconv: machine.NoPC}}
	l.in, l.i = in, &i
	l.prog.Writes = append(l.prog.Writes, nil)
	if g := in.Guard; g != nil {
		i.Guard = l.reg(g.Reg, g.Elem).Off
		if g.Neg {
			i.Neg = ^uint32(0)
		}
	}
	mnemonic := in.Match.Form.Mnemonic
	lowerOne, ok := lowerers[mnemonic]
	if !ok {
		lowerOne = lowerArithmetic
	}
	if gapOf(in.Match) != nil || !lowerOne(l) {
		l.notEmulated(in)
	}
	if i.Op == machine.OpRun && in.Match.Has(".sync") && in.Match.Has(".aligned") {
		i.X.Aligned = true
	}
	if l.indexed != nil {
		l.prog.Indexed = append(l.prog.Indexed, &machine.Indexing{PC: len(l.prog.Code), Elements: l.indexed})
		l.indexed = nil
	}
	l.prog.Code = append(l.prog.Code, i)
}

// notEmulated reports valid PTX that is in the list of gaps.
func (l *lowerer) notEmulated(in *ptx.Inst) {
	f := in.Match.Form
	message := fmt.Sprintf("`%s` is valid PTX (%s), but it is not emulated yet", in.Opcode, f.Section)
	if g := gapOf(in.Match); g != nil {
		message += ": " + g.reason
	}
	l.diags = append(l.diags, ptx.Diagnostic{Severity: ptx.Error, Code: "not-emulated", Span: in.OpSpan,
		Section: f.Section, Message: message})
}

// writesTo records that the instruction writes a register.
func (l *lowerer) writesTo(op ptx.Operand, o row.Operand) {
	if op.Kind == ptx.OpReg && !o.Sink {
		n := len(l.prog.Writes) - 1
		l.prog.Writes[n] = append(l.prog.Writes[n], machine.DstReg{Reg: op.Reg, Elem: int(op.Elem), Op: o})
	}
}

// reserve takes size bytes of the frame.
func (l *lowerer) reserve(size uint32) uint32 {
	off := l.next
	l.next += size
	return off
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

// wideConstant is a 128-bit constant whose upper half is zero.
func (l *lowerer) wideConstant(v uint64) uint32 {
	off := l.reserve(2 * row.Row64)
	l.fn.Consts = append(l.fn.Consts, machine.ConstRow{Off: off, Kind: machine.ConstBits, Value: v, Wide: true})
	return off
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
	wide, kind := op.SReg().Type.Bits() == 64, machine.ConstSReg
	if machine.OfWarp(name) {
		kind = machine.ConstWarpSReg
	}
	o := row.Operand{Off: l.constant(machine.ConstRow{Kind: kind, SReg: name, Wide: wide}), Bits: 32, Mask: math.MaxUint32}
	if wide {
		o.Bits, o.Mask = 64, ^uint64(0)
	}
	if b := t.Bits(); b > 1 && b < 64 {
		o.Mask &= 1<<b - 1
	}
	return o
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

// typeOf is the type of operand n in the matched syntax.
func (l *lowerer) typeOf(n int) isa.Type {
	if ops := l.in.Match.Operands; n < len(ops) {
		return ops[n].Type
	}
	return isa.NoType
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

// pc is the program counter of an instruction index of the current function.
func (l *lowerer) pc(index int) int32 { return l.fn.Start + int32(index) }

// checkCalls reports calls of functions without a definition, like a linker.
func (l *lowerer) checkCalls() {
	for _, fn := range l.prog.Funcs {
		for _, in := range fn.Src.Insts {
			if in.Call == nil || in.Call.Target.Kind != ptx.OpFunc {
				continue
			}
			callee := l.prog.ByFunc[in.Call.Target.Func()]
			if callee != nil && (callee.Src.Defined || callee.Builtin != nil) {
				continue
			}
			l.diags = append(l.diags, unlinked(in.Call.Target, callee != nil))
		}
	}
}

// unlinked reports a function that this module calls but does not have.
func unlinked(target ptx.Operand, declared bool) ptx.Diagnostic {
	d := ptx.Diagnostic{Severity: ptx.Error, Code: "undefined-function", Span: target.Span, Section: "11.6.1"}
	what := "is not declared, and nothing is linked to this module"
	if declared {
		what = "is declared but has no body, and nothing is linked to this module"
	}
	for _, g := range FunctionGaps {
		if strings.HasPrefix(target.Func().Name, g.Prefix) {
			d.Code, d.Section, what = "not-emulated", "", g.Reason
		}
	}
	d.Message = "function " + target.Func().Name + " " + what
	return d
}
