package emu

import (
	"math"
	"strings"

	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// space is the state space that an opcode names; Generic when it names none.
func (l *lowerer) space() ptx.Space {
	switch l.first(".global", ".const", ".local", ".param", ".param::entry", ".param::func",
		".shared", ".shared::cta", ".shared::cluster") {
	case "":
		if l.in.Match.Form.Mnemonic == "multimem" || strings.HasSuffix(l.in.Match.Form.ID, ".async.global") {
			return ptx.GlobalSpace // generic addresses, of global memory only (9.7.9.12, 9.7.9.14, 9.7.13.7)
		}
		return ptx.Generic
	case ".global":
		return ptx.GlobalSpace
	case ".const":
		return ptx.ConstSpace
	case ".local":
		return ptx.LocalSpace
	case ".param", ".param::entry", ".param::func":
		return ptx.ParamSpace
	case ".shared::cluster":
		return clusterSpace
	}
	return ptx.SharedSpace
}

// access lowers an address operand (6.4.1).
func (l *lowerer) access(op ptx.Operand, t isa.Type, write bool) *access {
	ac := &access{space: l.space(), size: uint32(t.Bytes()), signed: t.Class() == isa.Signed, write: write}
	pointer := isa.U64
	if l.prog.mod.AddressSize == 32 {
		pointer = isa.U32
	}
	switch {
	case op.Var != nil:
		ac.addr = l.address(op, pointer, ac.space == ptx.Generic)
		if ac.space == ptx.ParamSpace && (op.Var.Func == nil || !op.Var.Func.Entry || !isParam(op.Var)) {
			ac.space = ptx.LocalSpace
		}
	case op.Reg != nil:
		ac.addr, ac.off = l.reg(op.Reg, op.Elem), uint64(op.Off())
	default:
		ac.addr = l.bitsRow(uint64(op.Off()), pointer)
	}
	ac.wide = ac.addr.Wide()
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

// lowerLoad is ld and ldu (9.7.9.8 to 9.7.9.10).
func lowerLoad(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	if t.Bytes() == 0 || ops[1].Kind != ptx.OpAddr {
		return false
	}
	x := &extra{mem: l.access(ops[1], t, false)}
	for _, e := range elements(ops[0]) {
		x.d = append(x.d, l.dst(e))
	}
	l.i.op, l.i.x = opLoad, x
	l.row(x.mem, x.d)
	return true
}

// row prepares an access to one element of a row's width for the fast path that all lanes take together: a is the row
// of addresses, c what is added to them, d the data.
func (l *lowerer) row(ac *access, elements []row.Operand) {
	e := elements[0]
	if len(elements) != 1 || e.Sink || uint32(e.Bits) != 8*ac.size || e.Bits != 32 && e.Bits != 64 {
		return
	}
	l.i.A, l.i.D, l.i.Width = ac.addr.Off, e.Off, e.Bits/32
	if l.i.op == opLoad && ac.space == ptx.SharedSpace && int64(ac.off) == int64(int32(ac.off)) {
		l.i.How, l.i.C = row.ByLoad32at32+2*(l.i.Width-1), uint32(ac.off)
		if ac.wide {
			l.i.How++
		}
	}
}

// lowerStore is st (9.7.9.11).
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
	x := &extra{mem: l.access(ops[0], t, true)}
	for _, e := range elements(ops[1]) {
		x.s = append(x.s, l.src(e, t))
	}
	l.i.op, l.i.x = opStore, x
	l.row(x.mem, x.s)
	return true
}

// lowerAtom is atom and red on one element (9.7.13.5, 9.7.13.6).
func lowerAtom(l *lowerer) bool {
	ops := l.in.Operands
	if l.has(".async") && len(ops) > 2 {
		return lowerStoreAsync(l)
	}
	t := l.in.Match.Types[0]
	if t == isa.B128 || l.in.Match.Value("vec") != "" {
		return lowerAtomWide(l, t)
	}
	x := &extra{}
	n := 0
	if l.in.Match.Form.Mnemonic == "atom" {
		if ops[0].Kind == ptx.OpVec {
			return false
		}
		x.d, n = []row.Operand{l.dst(ops[0])}, 1
	}
	if ops[n].Kind != ptx.OpAddr {
		return false
	}
	x.mem = l.access(ops[n], t, true)
	operands := 1
	if l.has(".cas") {
		operands = 2
	}
	for _, op := range ops[n+1:] {
		if len(x.s) < operands {
			x.s = append(x.s, l.src(op, t))
		}
	}
	op := l.first(".add", ".inc", ".dec", ".min", ".max", ".and", ".or", ".xor", ".exch", ".cas")
	x.mem.rmw, x.mem.rmwShared = atomOp(op, t, l.has(".noftz")), atomOp(op, t, true)
	l.i.op, l.i.x = opAtom, x
	return x.mem.rmw != nil
}

// lowerAtomWide is atom and red on 128 bits and on vectors.
func lowerAtomWide(l *lowerer, t isa.Type) bool {
	ops := l.in.Operands
	x, op := &extra{}, l.first(".add", ".min", ".max", ".exch", ".cas")
	if l.in.Match.Form.Mnemonic == "atom" {
		for _, e := range elements(ops[0]) {
			x.d = append(x.d, l.dst(e))
		}
		ops = ops[1:]
	}
	x.mem = l.access(ops[0], t, true)
	for _, e := range elements(ops[1]) {
		x.s = append(x.s, l.src(e, t))
	}
	if op == ".cas" {
		x.s = append(x.s, l.src(ops[2], t))
	}
	x.mem.rmw = atomOp(op, t, l.has(".noftz"))
	l.i.op, l.i.x = opAtomWide, x
	return x.mem.rmw != nil
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
