package num

import (
	"math"

	"warpscope/ptx/isa"
)

// eachLane builds a kernel for a scalar or packed floating-point type.
func eachLane(t isa.Type, build func(f *format) *Kernel) *Kernel {
	switch t {
	case isa.F16x2, isa.BF16x2:
		return lanes(build(laneOf(t)), 16)
	}
	if f := formatOf(t); f != nil {
		return build(f)
	}
	return nil
}

// canonicalNaN is the NaN result of operands of which at least one is NaN.
func (f *format) canonicalNaN(a, b uint64) uint64 {
	if f == &fmtF64 {
		return nan64(a, b)
	}
	return f.nan
}

// takeFtz takes .ftz, which f32 and f16 have.
func takeFtz(o *opcode, f *format) bool { return (f == &fmtF32 || f == &fmtF16) && o.take("ftz") }

// buildFloatAbsNeg: 9.7.3.9, 9.7.3.10, 9.7.4.5, 9.7.4.6. NaN gives an unspecified NaN; .f64 keeps its payload
// (9.7.3.9: passed through unchanged by abs).
func buildFloatAbsNeg(o *opcode) *Kernel {
	return eachLane(o.only(), func(f *format) *Kernel {
		ftz, sign, mask := takeFtz(o, f), f.signBit(), f.mask()
		neg, double := o.mnemonic == "neg", f == &fmtF64
		return &Kernel{F1: func(a uint64) uint64 {
			a &= mask
			if f.isNaN(a) {
				switch {
				case !double:
					return f.nan
				case !neg:
					return a
				}
			}
			if ftz {
				a = f.flush(a)
			}
			if neg {
				return a ^ sign
			}
			return a &^ sign
		}}
	})
}

// extremum holds the modifiers of a min or max.
type extremum struct {
	f                      *format
	max, ftz, nan, abs, xs bool
}

// pick is two_inputs_min and two_inputs_max of 9.7.3.11 and 9.7.3.12: -0 < +0.
func (m *extremum) pick(a, b uint64) uint64 {
	switch aNaN, bNaN := m.f.isNaN(a), m.f.isNaN(b); {
	case aNaN && (bNaN || m.nan), bNaN && m.nan:
		return m.f.canonicalNaN(a, b)
	case aNaN:
		return b
	case bNaN:
		return a
	case (m.order(a) < m.order(b)) != m.max:
		return a
	}
	return b
}

// order maps numbers to integers in their order.
func (m *extremum) order(a uint64) int64 {
	sign := m.f.signBit()
	if a&sign != 0 {
		return -1 - int64(a&^sign)
	}
	return int64(a)
}

func (m *extremum) in(a uint64) uint64 {
	a &= m.f.mask()
	if m.ftz {
		a = m.f.flush(a)
	}
	if m.abs {
		a &^= m.f.signBit()
	}
	return a
}

func (m *extremum) two(a, b uint64) uint64 {
	d := m.pick(m.in(a), m.in(b))
	if m.xs && !m.f.isNaN(d) {
		d = d&^m.f.signBit() | (a^b)&m.f.signBit()
	}
	return d
}

// buildFloatMinMax: 9.7.3.11, 9.7.3.12, 9.7.4.7, 9.7.4.8. The pseudo-code of max.f16x2 tests isNaN of an operand
// before it sets the sign where min tests the result; the result is meant.
func buildFloatMinMax(o *opcode) *Kernel {
	return eachLane(o.only(), func(f *format) *Kernel {
		m := newExtremum(o, f)
		k := &Kernel{F2: m.two}
		switch {
		case *m == (extremum{f: &fmtF32}):
			k.F2 = minF32
		case *m == (extremum{f: &fmtF32, max: true}):
			k.F2 = maxF32
		}
		if f == &fmtF32 && !m.xs {
			k.F3 = func(a, b, c uint64) uint64 { return m.pick(m.pick(m.in(a), m.in(b)), m.in(c)) }
		}
		return k
	})
}

// minF32 is min.f32 without modifiers. Equal numbers differ at most in the sign of zero.
func minF32(a, b uint64) uint64 {
	x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
	switch {
	case x < y || x == x && y != y:
		return uint64(uint32(a))
	case y < x || y == y && x != x:
		return uint64(uint32(b))
	case x == y:
		return uint64(uint32(a | b))
	}
	return nan32
}

// maxF32 is max.f32 without modifiers.
func maxF32(a, b uint64) uint64 {
	x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
	switch {
	case x > y || x == x && y != y:
		return uint64(uint32(a))
	case y > x || y == y && x != x:
		return uint64(uint32(b))
	case x == y:
		return uint64(uint32(a & b))
	}
	return nan32
}

func newExtremum(o *opcode, f *format) *extremum {
	m := &extremum{f: f, max: o.mnemonic == "max", ftz: takeFtz(o, f)}
	if f != &fmtF64 {
		m.nan = o.take("NaN")
		m.abs = o.take("abs")
		m.xs = m.abs && o.take("xorsign")
	}
	return m
}

// buildTestp: 9.7.3.1. Zeros count as normal.
func buildTestp(o *opcode) *Kernel {
	t := o.only()
	if t != isa.F32 && t != isa.F64 {
		return nil
	}
	f := formatOf(t)
	magnitude := f.signBit() - 1
	switch o.oneOf("finite", "infinite", "number", "notanumber", "normal", "subnormal") {
	case "finite":
		return &Kernel{P1: func(a uint64) bool { return a&magnitude < f.inf }}
	case "infinite":
		return &Kernel{P1: func(a uint64) bool { return a&magnitude == f.inf }}
	case "number":
		return &Kernel{P1: func(a uint64) bool { return !f.isNaN(a) }}
	case "notanumber":
		return &Kernel{P1: f.isNaN}
	case "normal":
		return &Kernel{P1: func(a uint64) bool {
			a &= magnitude
			return a == 0 || a < f.inf && !f.isSubnormal(a)
		}}
	case "subnormal":
		return &Kernel{P1: func(a uint64) bool { return a&magnitude != 0 && f.isSubnormal(a) }}
	}
	return nil
}

// buildCopysign: 9.7.3.2. The sign of a on the value of b.
func buildCopysign(o *opcode) *Kernel {
	t := o.only()
	if t != isa.F32 && t != isa.F64 {
		return nil
	}
	sign, mask := formatOf(t).signBit(), formatOf(t).mask()
	return &Kernel{F2: func(a, b uint64) uint64 { return a&sign | b&mask&^sign }}
}
