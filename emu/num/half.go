package num

import (
	"math"

	"warpscope/ptx/isa"
)

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

// OOBNaN is the NaN that fills what a tensor copy reads outside its tensor, in f16 and bf16 (5.5.3.3). The manual does
// not give its bits; here it is the one next to the NaN that arithmetic returns, so that no result looks like it.
const OOBNaN = 0x7ffe

// halfArith: 9.7.4.1 to 9.7.4.4.
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
		oob := !m.sat && !m.ftz && o.take("oob")
		return &Kernel{F3: func(a, b, c uint64) uint64 {
			if oob && (a&0xffff == OOBNaN || b&0xffff == OOBNaN || c&0xffff == OOBNaN) {
				return 0
			}
			p := m.in(a) * m.in(b)
			return m.out(oddSum(p, m.in(c)))
		}}
	}
	return nil
}

// AddHalf2 and AddBFloat2 are the additions of atom.add.noftz.f16x2 and .bf16x2 (9.7.15.5).
func AddHalf2(a, b uint32) uint32 { return addPair(&fmtF16, a, b) }

// AddBFloat2 is described at AddHalf2.
func AddBFloat2(a, b uint32) uint32 { return addPair(&fmtBF16, a, b) }

func addPair(f *format, a, b uint32) uint32 {
	m := half{f: f}
	lo := m.out(oddSum(m.in(uint64(a)), m.in(uint64(b))))
	hi := m.out(oddSum(m.in(uint64(a>>16)), m.in(uint64(b>>16))))
	return uint32(hi<<16 | lo)
}

// ToF16 rounds to the nearest f16, ties to even.
func ToF16(x float64) uint16 { return uint16(fmtF16.encode(x, rn)) }

// FromF16 is the value of an f16.
func FromF16(bits uint16) float64 { return fmtF16.decode(uint64(bits)) }

// narrowOf is the format of a floating-point type of at most 16 bits that has a sign (5.2.2, 5.2.3), nil for others.
func narrowOf(t isa.Type) *format {
	switch t {
	case isa.F16, isa.BF16:
		return formatOf(t)
	case isa.E4M3:
		return &fmtE4M3
	case isa.E5M2:
		return &fmtE5M2
	case isa.E3M2:
		return &fmtE3M2
	case isa.E2M3:
		return &fmtE2M3
	case isa.E2M1:
		return &fmtE2M1
	}
	return nil
}

// Decoder gives the values of a floating-point type of at most 32 bits, exactly: f32, f16, bf16, the narrow formats,
// and the scale factors ue8m0, ue4m3 and ue5m3 (5.2.3), nil for others. Bits above the type are ignored.
func Decoder(t isa.Type) func(uint64) float64 {
	switch t {
	case isa.F32:
		return func(a uint64) float64 { return float64(math.Float32frombits(uint32(a))) }
	case isa.UE8M0:
		return scaleUE8M0
	case isa.UE4M3:
		return func(a uint64) float64 { return fmtE4M3.decode(a & 0x7f) }
	case isa.UE5M3:
		return func(a uint64) float64 { return fmtUE5M3.decode(a & 0xff) }
	}
	f := narrowOf(t)
	if f == nil {
		return nil
	}
	mask := f.mask()
	return func(a uint64) float64 { return f.decode(a & mask) }
}

// Encoder rounds numbers to a type that Decoder knows, to the nearest value, ties to even. What is too large becomes
// infinity, or the largest number where the type has no infinity; NaN becomes the type's NaN, or 0 where there is none.
// In ue4m3, ue5m3 and ue8m0, which have no sign, a negative number becomes the least one. A number between two powers
// of two becomes the upper one of ue8m0 from the middle on.
func Encoder(t isa.Type) func(float64) uint64 {
	switch t {
	case isa.UE8M0:
		return encodeUE8M0
	case isa.UE4M3:
		return func(v float64) uint64 { return fmtE4M3.encode(max(v, 0), rn) }
	case isa.UE5M3:
		return func(v float64) uint64 { return fmtUE5M3.encode(max(v, 0), rn) }
	}
	f := narrowOf(t)
	if f == nil {
		return nil
	}
	return func(v float64) uint64 { return f.encode(v, rn) }
}

func encodeUE8M0(v float64) uint64 {
	if v != v {
		return 0xff
	}
	fraction, exponent := math.Frexp(v) // v = fraction * 2^exponent, 0.5 <= fraction < 1
	switch {
	case v <= 0:
		return 0
	case math.IsInf(v, 0):
		return 0xfe
	case fraction >= 0.75:
		exponent++
	}
	return uint64(min(max(exponent-1+127, 0), 0xfe))
}
