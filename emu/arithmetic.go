package emu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerArithmetic lowers an instruction that is a pure function of a lane's operands: to the opcode's generated handler
// if there is one, else to its function in emu/num.
func lowerArithmetic(l *lowerer) bool {
	ops := l.in.Operands
	if len(ops) < 2 {
		return false
	}
	var s []row.Operand
	for n := 1; n < len(ops); n++ {
		if ops[n].Kind == ptx.OpVec || ops[n].Kind == ptx.OpAddr || ops[n].Kind == ptx.OpLabel {
			return false
		}
		s = append(s, l.src(ops[n], l.typeOf(n)))
	}
	if ops[0].Kind != ptx.OpReg && ops[0].Kind != ptx.OpSink {
		return false
	}
	d := l.dst(ops[0])
	key := l.in.Match.Key()
	n := l.gen[key]
	if c := l.gen[key+machine.ConstShift]; c != 0 && ops[2].Kind == ptx.OpImm && ops[2].Imm < 32 {
		n = c
	}
	if g := &row.Operations[n]; fits(g, s) && rowFits(g.Rows[0], &d) {
		return l.operation(n, d.Off, s)
	}
	k, ok := num.Lookup(key)
	if !ok {
		return false
	}
	run := machine.Runner(nil)
	switch {
	case k.F1 != nil && len(s) == 1:
		run = oneSource(k.F1, d, s[0])
	case k.F2 != nil && len(s) == 2:
		if run = twoSources(k.F2, d, s[0], s[1]); l.in.Match.Form.Effect&isa.Divides != 0 {
			run = division(run, s[1])
		}
	case k.F3 != nil && len(s) == 3:
		run = threeSources(k.F3, d, s[0], s[1], s[2])
	case k.F4 != nil && len(s) == 4:
		run = fourSources(k.F4, d, [4]row.Operand(s))
	case k.C != nil && len(s) >= 2:
		return lowerCarry(l, k, d, s)
	default:
		return false
	}
	return computes(l, key, []row.Operand{d}, s, run)
}

// operation makes the instruction one that a handler executes.
func (l *lowerer) operation(n uint16, d uint32, s []row.Operand) bool {
	g := &row.Operations[n]
	l.i.Number, l.i.Handler, l.i.Width, l.i.How, l.i.D = n, g.Run, g.Rows[0], g.How, d
	l.place(s)
	return true
}

// fits says whether the sources are in rows of the widths that a handler works on. Number 0 is not an operation:
// nothing fits it.
func fits(g *row.Operation, s []row.Operand) bool {
	if len(g.Rows) != len(s)+1 {
		return false
	}
	for n := range s {
		if !rowFits(g.Rows[n+1], &s[n]) {
			return false
		}
	}
	return true
}

func rowFits(width uint8, o *row.Operand) bool {
	return !o.Sink && (width == 1 && o.Bits == 32 || width == 2 && o.Bits == 64)
}

// place puts the offsets of the sources where generated handlers find them.
func (l *lowerer) place(s []row.Operand) {
	for n, o := range s {
		switch n {
		case 0:
			l.i.A = o.Off
		case 1:
			l.i.B = o.Off
		case 2:
			l.i.C = o.Off
		}
	}
}

func oneSource(do func(a uint64) uint64, d, a row.Operand) machine.Runner {
	return func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			d.Set(f, lane, do(a.Get(f, lane)))
		}
		return true
	}
}

func twoSources(do func(a, b uint64) uint64, d, a, b row.Operand) machine.Runner {
	return func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			d.Set(f, lane, do(a.Get(f, lane), b.Get(f, lane)))
		}
		return true
	}
}

func threeSources(do func(a, b, c uint64) uint64, d, a, b, c row.Operand) machine.Runner {
	return func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			d.Set(f, lane, do(a.Get(f, lane), b.Get(f, lane), c.Get(f, lane)))
		}
		return true
	}
}

// fourSources is lop3 without a predicate (9.7.9.6) and bfi (9.7.1.21).
func fourSources(do func(a, b, c, d uint64) uint64, d row.Operand, s [4]row.Operand) machine.Runner {
	return func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) {
			d.Set(f, lane, do(s[0].Get(f, lane), s[1].Get(f, lane), s[2].Get(f, lane), s[3].Get(f, lane)))
		})
		return true
	}
}

// division is div and rem on integers, which notes zero divisors (9.7.1.9, 9.7.1.10).
func division(divide machine.Runner, b row.Operand) machine.Runner {
	return func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		checkDivisors(w, in, &b, f, exec)
		return divide(w, in, f, exec)
	}
}

// lowerCarry lowers extended-precision arithmetic through CC.CF (9.7.2).
func lowerCarry(l *lowerer, k *num.Kernel, d row.Operand, s []row.Operand) bool {
	sets := l.has(".cc")
	return l.pure(func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) {
			c := uint64(0)
			if len(s) > 2 {
				c = s[2].Get(f, lane)
			}
			v, carry := k.C(s[0].Get(f, lane), s[1].Get(f, lane), c, w.Carry.Has(lane))
			d.Set(f, lane, v)
			if sets {
				w.Carry = w.Carry&^(1<<lane) | Mask(row.Bit(carry))<<lane
			}
		})
		return true
	})
}

// lowerCvt is cvt (9.7.10.24). Its forms with four sources are lowered here, all others as arithmetic.
func lowerCvt(l *lowerer) bool {
	ops := l.in.Operands
	k, ok := num.Lookup(l.in.Match.Key())
	if !ok || k.V4 == nil {
		return lowerArithmetic(l)
	}
	v := [4]row.Operand{}
	for i, e := range elements(ops[1]) {
		v[i] = l.src(e, isa.F32)
	}
	d, random := l.dst(ops[0]), l.src(ops[2], isa.B32)
	return l.pure(func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) {
			var s [4]uint64
			for i := range s {
				s[i] = v[i].Get(f, lane)
			}
			d.Set(f, lane, k.V4(s, random.Get(f, lane)))
		})
		return true
	})
}

// lowerLop3 is lop3 with and without a predicate result (9.7.9.6).
func lowerLop3(l *lowerer) bool {
	ops := l.in.Operands
	d := l.dst(ops[0])
	var s [4]row.Operand
	for i := range s {
		s[i] = l.src(ops[1+i], isa.B32)
	}
	do := func(a, b, c, lut uint64) uint64 { return uint64(num.Lop3(uint32(a), uint32(b), uint32(c), uint8(lut))) }
	second := ops[0].Second()
	if second == nil {
		return computes(l, l.in.Match.Key(), []row.Operand{d}, s[:], fourSources(do, d, s))
	}
	p, combine, q := l.dst(*second), l.boolOp(), l.src(ops[5], isa.Pred)
	return l.pure(func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		var nonzero uint32
		machine.EachLane(exec, func(lane int) {
			v := do(s[0].Get(f, lane), s[1].Get(f, lane), s[2].Get(f, lane), s[3].Get(f, lane))
			d.Set(f, lane, v)
			nonzero |= row.Bit(v != 0) << lane
		})
		p.SetLanes(f, exec, combine(nonzero, q.Lanes(f)))
		return true
	})
}

// checkDivisors notes lanes that divide by zero: their results are unspecified (9.7.1.9, 9.7.1.10).
func checkDivisors(w *machine.Warp, in *machine.Inst, divisor *row.Operand, f unsafe.Pointer, exec Mask) {
	zero := Mask(0)
	machine.EachLane(exec, func(lane int) { zero |= Mask(row.Bit(divisor.Get(f, lane) == 0)) << lane })
	if zero == 0 || w.CTA.Grid.Noted(in, causes.Divisor) {
		return
	}
	w.Note(in, causes.Divisor,
		fmt.Sprintf("`%s` divides by zero in %s of warp %d: the result is unspecified, each machine "+
			"has its own; test the divisor, and guard the instruction", in.Src.Opcode, zero.Lanes(), w.Index))
}
