package emu

import (
	"math/bits"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerMov is mov in all its forms (9.7.10.3, 9.7.10.4).
func lowerMov(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	switch {
	case l.in.Match.Value("vec") != "":
		return lowerMovVector(l, t)
	case t == isa.Pred:
		return lowerPredicateLogic(l, func(a, _ uint32) uint32 { return a })
	case ops[0].Kind == ptx.OpVec || ops[1].Kind == ptx.OpVec:
		return lowerPackOrUnpack(l, t)
	case ops[1].Kind == ptx.OpSReg && clockShift(ops[1].SReg().Name) >= 0:
		return lowerClock(l, l.dst(ops[0]), clockShift(ops[1].SReg().Name))
	}
	s, d := l.src(ops[1], t), l.dst(ops[0])
	switch {
	case s.Sink:
		return false
	case d.Sink:
		return l.plain(machine.OpNop)
	case d.Bits == 128:
		return l.pure(func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
			row.Blend64(f, d.Off, s.Off, uint32(exec))
			row.Blend64(f, d.Hi().Off, s.Hi().Off, uint32(exec))
			return true
		})
	case d.Bits == 32 && !s.Wide() && s.Mask == 1<<32-1:
		return l.operation(row.NMov32, d.Off, []row.Operand{s})
	case d.Bits == 64 && s.Bits == 64 && s.Mask == ^uint64(0):
		return l.operation(row.NMov64, d.Off, []row.Operand{s})
	}
	return moves(l, []row.Operand{d}, []row.Operand{s})
}

// lowerClock reads a clock register: a part of the tick counter.
func lowerClock(l *lowerer, d row.Operand, shift int) bool {
	l.runs(func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		t := uint64(w.CTA.Grid.State.Tick + w.Ran)
		machine.EachLane(exec, func(lane int) { d.Set(f, lane, t>>shift) })
		return true
	})
	l.i.X.Clock = true
	return true
}

// clockShift is the right shift that makes a clock register of the tick counter, or -1 for other registers.
func clockShift(name string) int {
	switch name {
	case "%clock", "%clock64", "%globaltimer", "%globaltimer_lo":
		return 0
	case "%clock_hi", "%globaltimer_hi":
		return 32
	}
	return -1
}

// lowerPackOrUnpack is mov between a scalar and a tuple, or between tuples.
func lowerPackOrUnpack(l *lowerer, t isa.Type) bool {
	ops := l.in.Operands
	to, from := elements(ops[0]), elements(ops[1])
	elem := func(n int) isa.Type { return bitsType(t.Bits() / n) }
	var s, d []row.Operand
	for _, e := range from {
		s = append(s, l.src(e, elem(len(from))))
	}
	for _, e := range to {
		o := l.dst(e)
		o.Mask = ^uint64(0) >> max(64-elem(len(to)).Bits(), 0)
		d = append(d, o)
	}
	return moves(l, d, s)
}

// moves makes the instruction a mov.
func moves(l *lowerer, d, s []row.Operand) bool { return computes(l, "mov", d, s, tuples(d, s)) }

// tuples is mov between a scalar and a tuple (9.7.10.4): the first element is the least significant.
func tuples(d, s []row.Operand) machine.Runner {
	return func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) {
			var v row.Pair
			at := 0
			for i := range s {
				part := s[i].GetPair(f, lane)
				v[at/64] |= part[0] << (at % 64)
				if s[i].Bits == 128 {
					v[1] = part[1]
				}
				at += bits.OnesCount64(s[i].Mask)
			}
			at = 0
			for i := range d {
				d[i].SetPair(f, lane, row.Pair{v[at/64] >> (at % 64) & d[i].Mask, v[1]})
				at += bits.OnesCount64(d[i].Mask)
			}
		})
		return true
	}
}

// lowerMovVector is mov.v2 and mov.v4, which copy element by element (6.4.3). All elements are read before the first is
// written.
func lowerMovVector(l *lowerer, t isa.Type) bool {
	var s, d []row.Operand
	for _, e := range elements(l.in.Operands[1]) {
		s = append(s, l.src(e, t))
	}
	for _, e := range elements(l.in.Operands[0]) {
		d = append(d, l.dst(e))
	}
	l.pure(func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) {
			var v [4]uint64
			for i := range s {
				v[i] = s[i].Get(f, lane)
			}
			for i := range d {
				d[i].Set(f, lane, v[i])
			}
		})
		return true
	})
	return len(s) == len(d)
}

func bitsType(bits int) isa.Type {
	switch bits {
	case 8:
		return isa.B8
	case 16:
		return isa.B16
	case 32:
		return isa.B32
	case 64:
		return isa.B64
	}
	return isa.B128
}
