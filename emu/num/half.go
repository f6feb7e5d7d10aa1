package num

import "math"

// half holds the modifiers of an instruction on f16 or bf16, rounded to nearest even. Operands are exact in float64,
// products too; sums are made odd before they are rounded.
type half struct {
	f              *format
	ftz, sat, relu bool
}

func (m half) in(a uint64) float64 {
	a &= 0xffff
	if m.ftz {
		a = m.f.flush(a)
	}
	return m.f.decode(a)
}

// out rounds; .sat clamps to [+0, 1] with NaN to +0, .relu clamps negative numbers and -0 to +0 and keeps NaN.
func (m half) out(x float64) uint64 {
	a := m.f.encode(x, rn)
	if m.ftz {
		a = m.f.flush(a)
	}
	if m.sat {
		return saturate(a, m.f.signBit(), m.f.one(), m.f.inf)
	}
	if m.relu && a&m.f.signBit() != 0 {
		return 0
	}
	return a
}

// halfArith: 9.7.4.1 to 9.7.4.4. fma.oob needs the OOB NaN encoding, which the manual does not give.
func halfArith(o *opcode, f *format) *Kernel {
	m := half{f: f}
	o.take("rn")
	if f == &fmtF16 {
		m.ftz, m.sat = o.take("ftz"), o.take("sat")
	}
	switch o.mnemonic {
	case "add":
		return &Kernel{F2: func(a, b uint64) uint64 { return m.out(oddSum(m.in(a), m.in(b))) }}
	case "sub":
		return &Kernel{F2: func(a, b uint64) uint64 { return m.out(oddSum(m.in(a), -m.in(b))) }}
	case "mul":
		return &Kernel{F2: func(a, b uint64) uint64 { return m.out(m.in(a) * m.in(b)) }}
	case "fma":
		m.relu = !m.sat && o.take("relu")
		return &Kernel{F3: func(a, b, c uint64) uint64 {
			p := m.in(a) * m.in(b)
			return m.out(oddSum(p, m.in(c)))
		}}
	}
	return nil
}

// AddHalf2 and AddBFloat2 are the additions of atom.add.noftz.f16x2 and .bf16x2 (9.7.13.5).
func AddHalf2(a, b uint32) uint32 { return addPair(&fmtF16, a, b) }

// AddBFloat2 is described at AddHalf2.
func AddBFloat2(a, b uint32) uint32 { return addPair(&fmtBF16, a, b) }

func addPair(f *format, a, b uint32) uint32 {
	m := half{f: f}
	lo := m.out(oddSum(m.in(uint64(a)), m.in(uint64(b))))
	hi := m.out(oddSum(m.in(uint64(a>>16)), m.in(uint64(b>>16))))
	return uint32(hi<<16 | lo)
}

// ToF16 rounds to the nearest f16, ties to even; ToBF16 to bf16.
func ToF16(x float64) uint16 { return uint16(fmtF16.encode(x, rn)) }

// ToBF16 is described at ToF16.
func ToBF16(x float64) uint16 { return uint16(fmtBF16.encode(x, rn)) }

// F16 is the value of an f16.
func F16(a uint16) float32 { return float32(fmtF16.decode(uint64(a))) }

// BF16 is the value of a bf16.
func BF16(a uint16) float32 { return math.Float32frombits(uint32(a) << 16) }

// E4M3 is the value of an e4m3.
func E4M3(a uint8) float32 { return float32(fmtE4M3.decode(uint64(a))) }

// E5M2 is the value of an e5m2.
func E5M2(a uint8) float32 { return float32(fmtE5M2.decode(uint64(a))) }
