package emu

import (
	"math/bits"
	"strings"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// predicates are the destinations p|q.
func (l *lowerer) predicates(op ptx.Operand) *machine.Predicates {
	r := &machine.Predicates{P: l.dst(op), Q: row.Operand{Sink: true}}
	if op.Second() != nil {
		r.Q = l.dst(*op.Second())
	}
	return r
}

// boolOp is the opcode's operator that combines a result with a predicate, or nil.
func (l *lowerer) boolOp() func(t, c uint32) uint32 {
	switch l.first(".and", ".or", ".xor") {
	case ".and":
		return func(t, c uint32) uint32 { return t & c }
	case ".or":
		return func(t, c uint32) uint32 { return t | c }
	case ".xor":
		return func(t, c uint32) uint32 { return t ^ c }
	}
	return nil
}

// opcodeWithoutBoolOp is the opcode's key without the operator that combines a comparison with a predicate.
func opcodeWithoutBoolOp(l *lowerer) string {
	var words []string
	for _, w := range strings.Split(l.in.Match.Key(), ".") {
		if w != "and" && w != "or" && w != "xor" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ".")
}

// lowerSetp is setp in all its forms (9.7.7.2, 9.7.8.2).
func lowerSetp(l *lowerer) bool {
	ops := l.in.Operands
	s := []row.Operand{l.src(ops[1], l.typeOf(1)), l.src(ops[2], l.typeOf(2))}
	r := l.predicates(ops[0])
	if len(ops) > 3 && ops[3].Kind != ptx.OpMissing {
		r.Combine, r.C = l.boolOp(), l.src(ops[3], isa.Pred)
	}
	key := opcodeWithoutBoolOp(l)
	if n := l.gen[key]; fits(&row.Operations[n], s) {
		l.operation(n, r.P.Off, s)
		if r.Combine != nil || !r.Q.Sink || r.P.Sink {
			l.i.X, l.i.How = &machine.Extra{Predicates: r, Key: l.in.Match.Key(), S: s}, 0
		}
		return true
	}
	k, ok := num.Lookup(key)
	switch {
	case !ok:
		return false
	case k.P2 != nil:
		return testInto(l, r, s, func(f unsafe.Pointer, lane int) bool { return k.P2(s[0].Get(f, lane), s[1].Get(f, lane)) })
	case k.P2x2 != nil:
		return lowerSetpHalves(l, r, k, s)
	}
	return false
}

// lowerSetpHalves is setp on packed halves (9.7.8.2): p belongs to the low half, q to the high one.
func lowerSetpHalves(l *lowerer, r *machine.Predicates, k *num.Kernel, s []row.Operand) bool {
	return l.pure(func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		var tp, tq uint32
		machine.EachLane(exec, func(lane int) {
			p, q := k.P2x2(s[0].Get(f, lane), s[1].Get(f, lane))
			tp |= row.Bit(p) << lane
			tq |= row.Bit(q) << lane
		})
		r.Store(f, exec, tp, tq)
		return true
	})
}

// lowerTestp is testp (9.7.3.1).
func lowerTestp(l *lowerer) bool {
	ops := l.in.Operands
	k, ok := num.Lookup(l.in.Match.Key())
	if !ok || k.P1 == nil {
		return false
	}
	a := l.src(ops[1], l.typeOf(1))
	return testInto(l, l.predicates(ops[0]), []row.Operand{a},
		func(f unsafe.Pointer, lane int) bool { return k.P1(a.Get(f, lane)) })
}

// testInto asks each lane for a predicate of the sources.
func testInto(l *lowerer, r *machine.Predicates, s []row.Operand, ask func(f unsafe.Pointer, lane int) bool) bool {
	computes(l, l.in.Match.Key(), nil, s, func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		t := uint32(0)
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			t |= row.Bit(ask(f, lane)) << lane
		}
		r.Store(f, exec, t, ^t)
		return true
	})
	l.i.X.Predicates = r
	return true
}

// lowerSelp is selp (9.7.7.3).
func lowerSelp(l *lowerer) bool {
	ops := l.in.Operands
	t := l.typeOf(1)
	d, s := l.dst(ops[0]), []row.Operand{l.src(ops[1], t), l.src(ops[2], t)}
	p := l.src(ops[3], isa.Pred)
	if d.Sink {
		return l.plain(machine.OpNop)
	}
	if p.Neg { // d = !p ? a : b is d = p ? b : a
		s[0], s[1] = s[1], s[0]
	}
	n := row.NSelp32
	if d.Wide() {
		n = row.NSelp64
	}
	return l.operation(n, d.Off, append(s, p))
}

// lowerLogic is and, or, xor and not, on bits or on predicates (9.7.9.1 to 9.7.9.4).
func lowerLogic(l *lowerer) bool {
	if l.in.Match.Types[0] != isa.Pred {
		return lowerArithmetic(l)
	}
	switch l.in.Match.Form.Mnemonic {
	case "and":
		return lowerPredicateLogic(l, func(a, b uint32) uint32 { return a & b })
	case "or":
		return lowerPredicateLogic(l, func(a, b uint32) uint32 { return a | b })
	case "xor":
		return lowerPredicateLogic(l, func(a, b uint32) uint32 { return a ^ b })
	}
	return lowerPredicateLogic(l, func(a, _ uint32) uint32 { return ^a })
}

// lowerPredicateLogic computes a predicate from one or two others.
func lowerPredicateLogic(l *lowerer, do func(a, b uint32) uint32) bool {
	ops := l.in.Operands
	a := l.src(ops[1], isa.Pred)
	b := a
	if len(ops) > 2 {
		b = l.src(ops[2], isa.Pred)
	}
	d := l.dst(ops[0])
	return computes(l, l.in.Match.Key(), []row.Operand{d}, []row.Operand{a, b}, func(_ *machine.Warp,
		_ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		d.SetLanes(f, exec, do(a.Lanes(f), b.Lanes(f)))
		return true
	})
}
