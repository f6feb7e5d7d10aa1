package emu

import (
	"math"
	"strings"

	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// space is the state space that an opcode names; Generic when it names none.
func (l *lowerer) space() ptx.Space {
	name := l.first(".global", ".const", ".local", ".param", ".param::entry", ".param::func", ".shared", ".shared::cta",
		".shared::cluster")
	form := l.in.Match.Form
	switch {
	case name == "" && (form.Mnemonic == "multimem" || strings.HasSuffix(form.ID, ".async.global")):
		return ptx.GlobalSpace // generic addresses, of global memory only (9.7.10.12, 9.7.10.15, 9.7.15.7)
	case name == ".shared::cluster":
		return machine.ClusterSpace
	}
	return ptx.NamedSpace(name)
}

// access lowers an address operand (6.4.1).
func (l *lowerer) access(op ptx.Operand, t isa.Type, write bool) *machine.Access {
	ac := &machine.Access{Space: l.space(), Size: uint32(t.Bytes()), Signed: t.Class() == isa.Signed, Write: write}
	pointer := isa.U64
	if l.prog.Mod.AddressSize == 32 {
		pointer = isa.U32
	}
	switch {
	case op.Var != nil:
		ac.Addr = l.address(op, pointer, ac.Space == ptx.Generic)
		if ac.Space == ptx.ParamSpace && (op.Var.Func == nil || !op.Var.Func.Entry || !isParam(op.Var)) {
			ac.Space = ptx.LocalSpace
		}
	case op.Reg != nil:
		ac.Addr, ac.Off = l.reg(op.Reg, op.Elem), uint64(op.Off())
	default:
		ac.Addr = l.bitsRow(uint64(op.Off()), pointer)
	}
	ac.Wide = ac.Addr.Wide()
	return ac
}

// elements are the registers of a scalar or vector data operand.
//
//go:noinline
func elements(op ptx.Operand) []ptx.Operand {
	if op.Kind == ptx.OpVec {
		return op.List()
	}
	return []ptx.Operand{op}
}

// lowerLoad is ld and ldu (9.7.10.8 to 9.7.10.10).
func lowerLoad(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	if t.Bytes() == 0 || ops[1].Kind != ptx.OpAddr {
		return false
	}
	if l.argument(ops[0], ops[1], t) {
		return true
	}
	x := &machine.Extra{Mem: l.access(ops[1], t, false)}
	for _, e := range elements(ops[0]) {
		x.D = append(x.D, l.dst(e))
	}
	l.i.Op, l.i.X = machine.OpLoad, x
	l.row(x.Mem, x.D)
	return true
}

// argument makes a load of a kernel's parameter a mov from a row that the launch fills: no instruction writes
// parameters (5.1.6.1). It says false, and does nothing, for loads of other memory, other widths or several elements.
func (l *lowerer) argument(d, from ptx.Operand, t isa.Type) bool {
	v, off, size := from.Var, from.Off(), int64(t.Bytes())
	if v == nil || v.Func == nil || v.Func != l.fn.Src || !v.Func.Entry || !isParam(v) || from.Reg != nil ||
		l.space() != ptx.ParamSpace || v.Type.Class() == isa.Opaque || l.has(".volatile") {
		return false
	}
	width := int64(0)
	if d.Kind == ptx.OpReg {
		width = int64(d.Reg.Type.Bits())
	}
	if size != 4 && size != 8 || width != 8*size || off < 0 || off+size > v.Size || (off|v.Align)%size != 0 {
		return false
	}
	c := machine.ConstRow{Kind: machine.ConstArgument, V: v, Value: uint64(off), Wide: size == 8}
	s := row.Operand{Off: l.constant(c), Bits: uint8(width), Mask: ^uint64(0) >> (64 - width)}
	n := uint16(row.NMov32)
	if c.Wide {
		n = row.NMov64
	}
	return l.operation(n, l.dst(d).Off, []row.Operand{s})
}

// row prepares an access to one element of a row's width for the fast path that all lanes take together: A is the row
// of addresses, C is added to them, and D is the row of data.
func (l *lowerer) row(ac *machine.Access, elements []row.Operand) {
	e := elements[0]
	if len(elements) != 1 || e.Sink || uint32(e.Bits) != 8*ac.Size || e.Bits != 32 && e.Bits != 64 {
		return
	}
	l.i.A, l.i.D, l.i.Width = ac.Addr.Off, e.Off, e.Bits/32
	if int64(ac.Off) != int64(int32(ac.Off)) {
		return
	}
	l.i.C = uint32(ac.Off)
	store, global := l.i.Op == machine.OpStore, ac.Space == ptx.GlobalSpace || ac.Space == ptx.Generic
	switch {
	case l.i.Op == machine.OpLoad && ac.Space == ptx.SharedSpace:
		l.i.How = row.ByLoad32at32 + 2*(l.i.Width-1) + uint8(row.Bit(ac.Wide))
	case store && ac.Space == ptx.SharedSpace, (store || l.i.Op == machine.OpLoad) && global && ac.Wide:
		l.i.Number = row.Access(store, global, ac.Wide, l.i.Width)
	}
}

// lowerStore is st (9.7.10.11).
func lowerStore(l *lowerer) bool {
	ops := l.in.Operands
	switch {
	case l.has(".bulk"):
		return lowerStoreBulk(l)
	case l.has(".async") && len(ops) > 2:
		return lowerStoreAsync(l)
	}
	t := l.in.Match.Types[0]
	if t.Bytes() == 0 || ops[0].Kind != ptx.OpAddr {
		return false
	}
	x := &machine.Extra{Mem: l.access(ops[0], t, true)}
	for _, e := range elements(ops[1]) {
		x.S = append(x.S, l.src(e, t))
	}
	l.i.Op, l.i.X = machine.OpStore, x
	l.row(x.Mem, x.S)
	return true
}

// lowerAtom is atom and red on one element (9.7.15.5, 9.7.15.6).
func lowerAtom(l *lowerer) bool {
	ops := l.in.Operands
	if l.has(".async") && len(ops) > 2 {
		return lowerStoreAsync(l)
	}
	t := l.in.Match.Types[0]
	if t == isa.B128 || l.in.Match.Value("vec") != "" {
		return lowerAtomWide(l, t)
	}
	x := &machine.Extra{}
	n := 0
	if l.in.Match.Form.Mnemonic == "atom" {
		if ops[0].Kind == ptx.OpVec {
			return false
		}
		x.D, n = []row.Operand{l.dst(ops[0])}, 1
	}
	if ops[n].Kind != ptx.OpAddr {
		return false
	}
	x.Mem = l.access(ops[n], t, true)
	operands := 1
	if l.has(".cas") {
		operands = 2
	}
	for _, op := range ops[n+1:] {
		if len(x.S) < operands {
			x.S = append(x.S, l.src(op, t))
		}
	}
	op := l.first(".add", ".inc", ".dec", ".min", ".max", ".and", ".or", ".xor", ".exch", ".cas")
	x.Mem.Rmw, x.Mem.RmwShared = atomOp(op, t, l.has(".noftz")), atomOp(op, t, true)
	x.Mem.Locks = l.has(".cas", ".exch")
	l.i.Op, l.i.X = machine.OpAtom, x
	return x.Mem.Rmw != nil
}

// lowerAtomWide is atom and red on 128 bits and on vectors.
func lowerAtomWide(l *lowerer, t isa.Type) bool {
	ops := l.in.Operands
	x, op := &machine.Extra{}, l.first(".add", ".min", ".max", ".exch", ".cas")
	if l.in.Match.Form.Mnemonic == "atom" {
		for _, e := range elements(ops[0]) {
			x.D = append(x.D, l.dst(e))
		}
		ops = ops[1:]
	}
	x.Mem = l.access(ops[0], t, true)
	for _, e := range elements(ops[1]) {
		x.S = append(x.S, l.src(e, t))
	}
	if op == ".cas" {
		x.S = append(x.S, l.src(ops[2], t))
	}
	x.Mem.Rmw = atomOp(op, t, l.has(".noftz"))
	l.i.Op, l.i.X = machine.OpAtomWide, x
	return x.Mem.Rmw != nil
}

// atomOp is what an atomic operation does to memory; nil when there is no such operation. Values are zero-extended.
func atomOp(op string, t isa.Type, subnormals bool) func(old, b, c uint64) uint64 {
	switch op {
	case ".exch":
		return func(_, b, _ uint64) uint64 { return b }
	case ".cas":
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case ".and":
		return func(old, b, _ uint64) uint64 { return old & b }
	case ".or":
		return func(old, b, _ uint64) uint64 { return old | b }
	case ".xor":
		return func(old, b, _ uint64) uint64 { return old ^ b }
	case ".inc":
		return func(old, b, _ uint64) uint64 { return uint64(num.AtomInc(uint32(old), uint32(b))) }
	case ".dec":
		return func(old, b, _ uint64) uint64 { return uint64(num.AtomDec(uint32(old), uint32(b))) }
	case ".add":
		return atomAdd(t, subnormals)
	case ".min", ".max":
		if k, ok := num.Lookup(op[1:] + t.String()); ok && k.F2 != nil {
			return func(old, b, _ uint64) uint64 { return k.F2(old, b) }
		}
	}
	return nil
}

// atomAdd is the addition of an atomic: floating forms round to nearest even; atom.add.f32 flushes subnormals on global
// memory and keeps them on shared memory, and with .noftz (9.7.15.5). Bulk reductions keep them (9.7.10.28.4.2).
func atomAdd(t isa.Type, subnormals bool) func(old, b, c uint64) uint64 {
	switch t {
	case isa.F32:
		if subnormals {
			return func(old, b, _ uint64) uint64 {
				return uint64(math.Float32bits(row.Canon(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(b)))))
			}
		}
		return func(old, b, _ uint64) uint64 { return uint64(num.AddF32Ftz(uint32(old), uint32(b))) }
	case isa.F16x2:
		return func(old, b, _ uint64) uint64 { return uint64(num.AddHalf2(uint32(old), uint32(b))) }
	case isa.BF16x2:
		return func(old, b, _ uint64) uint64 { return uint64(num.AddBFloat2(uint32(old), uint32(b))) }
	case isa.F16:
		return func(old, b, _ uint64) uint64 { return uint64(num.AddHalf2(uint32(old), uint32(b)) & 0xffff) }
	case isa.BF16:
		return func(old, b, _ uint64) uint64 { return uint64(num.AddBFloat2(uint32(old), uint32(b)) & 0xffff) }
	}
	k, ok := num.Lookup("add" + t.String())
	if !ok || k.F2 == nil {
		return nil
	}
	return func(old, b, _ uint64) uint64 { return k.F2(old, b) }
}
