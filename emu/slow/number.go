package slow

import (
	"cmp"
	"math/big"
	"math/bits"

	"warpscope/ptx/isa"
)

// format is a binary floating-point format by its widths. Encodings from infinity up are not finite; those above it
// are NaN. A format without infinity has one past its last number there.
type format struct {
	exponent, mantissa uint
	infinity           uint64
	hasInfinity        bool
	nan                uint64 // the canonical NaN
}

// The formats (5.2.2, 5.2.3), with the canonical NaNs of hardware.
var (
	f16  = &format{5, 10, 0x7c00, true, 0x7fff}
	bf16 = &format{8, 7, 0x7f80, true, 0x7fff}
	tf32 = &format{8, 10, 0x3fc00, true, 0x3ffff}
	f32  = &format{8, 23, 0x7f800000, true, 0x7fffffff}
	f64  = &format{11, 52, 0x7ff0000000000000, true, 0x7fffffffffffffff}
	e5m2 = &format{5, 2, 0x7c, true, 0x7f}
	e4m3 = &format{4, 3, 0x7f, false, 0x7f}
	e3m2 = &format{3, 2, 0x20, false, 0x1f} // the last three have no NaN: the largest number stands for it
	e2m3 = &format{2, 3, 0x20, false, 0x1f}
	e2m1 = &format{2, 1, 0x8, false, 0x7}

	ue5m3 = &format{5, 3, 0xff, false, 0xff} // no number has the bit of the sign, which is the ninth
)

// formatOf is the format of a type, or of the elements of a packed type, and how many there are.
func formatOf(t isa.Type) (f *format, lanes uint) {
	switch t {
	case isa.F16:
		return f16, 1
	case isa.F16x2:
		return f16, 2
	case isa.BF16:
		return bf16, 1
	case isa.BF16x2:
		return bf16, 2
	case isa.TF32:
		return tf32, 1
	case isa.F32:
		return f32, 1
	case isa.F32x2:
		return f32, 2
	case isa.F64:
		return f64, 1
	case isa.E5M2x2:
		return e5m2, 2
	case isa.E5M2x4:
		return e5m2, 4
	case isa.E4M3x2:
		return e4m3, 2
	case isa.E4M3x4:
		return e4m3, 4
	case isa.E3M2x2:
		return e3m2, 2
	case isa.E3M2x4:
		return e3m2, 4
	case isa.E2M3x2:
		return e2m3, 2
	case isa.E2M3x4:
		return e2m3, 4
	case isa.E2M1x2:
		return e2m1, 2
	case isa.E2M1x4:
		return e2m1, 4
	case isa.UE5M3x2:
		return ue5m3, 2
	}
	return nil, 0
}

func (f *format) width() uint  { return 1 + f.exponent + f.mantissa }
func (f *format) sign() uint64 { return 1 << (f.exponent + f.mantissa) }

// least is the exponent of the last bit of the smallest numbers.
func (f *format) least() int { return 2 - 1<<(f.exponent-1) - int(f.mantissa) }

func (f *format) isNaN(a uint64) bool {
	a &= f.sign() - 1
	return a > f.infinity || a == f.infinity && !f.hasInfinity
}

func (f *format) isInfinite(a uint64) bool { return f.hasInfinity && a&(f.sign()-1) == f.infinity }

func (f *format) isSubnormal(a uint64) bool {
	a &= f.sign() - 1
	return a != 0 && a < 1<<f.mantissa
}

func (f *format) flush(a uint64) uint64 {
	if f.isSubnormal(a) {
		return a & f.sign()
	}
	return a
}

// number is ±m·2^e, an infinity or a NaN. A zero has a sign and m = 0.
type number struct {
	nan, inf, neg bool
	m             *big.Int
	e             int
}

func (f *format) decode(a uint64) number {
	n := number{neg: a&f.sign() != 0, m: new(big.Int)}
	a &= f.sign() - 1
	switch {
	case f.isNaN(a):
		n.nan = true
	case f.isInfinite(a):
		n.inf = true
	default:
		e, m := a>>f.mantissa, a&(1<<f.mantissa-1)
		if e > 0 {
			m |= 1 << f.mantissa
		}
		n.m.SetUint64(m)
		n.e = f.least() + int(max(e, 1)) - 1
	}
	return n
}

func (n number) zero() bool { return !n.nan && !n.inf && n.m.Sign() == 0 }

// negated is -n; the sign of a NaN means nothing.
func (n number) negated() number {
	n.neg = !n.neg
	return n
}

// signed is the significand with its sign.
func (n number) signed() *big.Int {
	if n.neg {
		return new(big.Int).Neg(n.m)
	}
	return n.m
}

// scaled are the significands of two numbers, signed, at the smaller of their exponents.
func scaled(a, b number) (x, y *big.Int, e int) {
	x, y, e = a.signed(), b.signed(), min(a.e, b.e)
	if a.e > e {
		x = new(big.Int).Lsh(x, uint(a.e-e))
	}
	if b.e > e {
		y = new(big.Int).Lsh(y, uint(b.e-e))
	}
	return x, y, e
}

// add is a + b; the rounding mode decides about the sign of an exact zero (IEEE 754, 6.3).
func add(a, b number, mode string) number {
	switch {
	case a.nan || b.nan || a.inf && b.inf && a.neg != b.neg:
		return number{nan: true}
	case a.inf:
		return a
	case b.inf:
		return b
	case a.zero() && b.zero() && a.neg == b.neg:
		return a
	}
	x, y, e := scaled(a, b)
	s := new(big.Int).Add(x, y)
	if s.Sign() == 0 {
		return number{neg: mode == "rm", m: s}
	}
	return number{neg: s.Sign() < 0, m: s.Abs(s), e: e}
}

func mul(a, b number) number {
	neg := a.neg != b.neg
	switch {
	case a.nan || b.nan || a.inf && b.zero() || a.zero() && b.inf:
		return number{nan: true}
	case a.inf || b.inf:
		return number{inf: true, neg: neg}
	}
	return number{neg: neg, m: new(big.Int).Mul(a.m, b.m), e: a.e + b.e}
}

// enough is more bits than any format has, so that a result with so many, and one more bit that says whether anything
// follows, rounds like the exact one.
const enough = 64

// div is a / b, exact or with a last bit for what follows.
func div(a, b number) number {
	neg := a.neg != b.neg
	switch {
	case a.nan || b.nan || a.inf && b.inf || a.zero() && b.zero():
		return number{nan: true}
	case a.inf || b.zero():
		return number{inf: true, neg: neg}
	case b.inf || a.zero():
		return number{neg: neg, m: new(big.Int)}
	}
	shift := enough + b.m.BitLen()
	q, r := new(big.Int).QuoRem(new(big.Int).Lsh(a.m, uint(shift)), b.m, new(big.Int))
	return number{neg: neg, m: sticky(q, r), e: a.e - b.e - shift - 1}
}

func sqrt(a number) number {
	switch {
	case a.nan || a.neg && !a.zero():
		return number{nan: true}
	case a.inf || a.zero():
		return a
	}
	shift := 2*enough + (a.e & 1)
	x := new(big.Int).Lsh(a.m, uint(shift))
	q := new(big.Int).Sqrt(x)
	return number{m: sticky(q, x.Sub(x, new(big.Int).Mul(q, q))), e: (a.e-shift)/2 - 1}
}

// sticky appends to q a bit that says whether there is a remainder.
func sticky(q, r *big.Int) *big.Int {
	q.Lsh(q, 1)
	if r.Sign() != 0 {
		q.SetBit(q, 0, 1)
	}
	return q
}

// compare orders numbers that are not NaN; zeros are equal.
func compare(a, b number) int {
	rank := func(n number) int {
		switch {
		case n.inf && n.neg:
			return -1
		case n.inf:
			return 1
		}
		return 0
	}
	if p, q := rank(a), rank(b); p != 0 || q != 0 {
		return cmp.Compare(p, q)
	}
	x, y, _ := scaled(a, b)
	return x.Cmp(y)
}

// divided is m / 2^shift, rounded to an integer in a mode: rn to even, rna away from zero, rz, rm, rp.
func divided(m *big.Int, neg bool, shift int, mode string) *big.Int {
	if shift <= 0 {
		return new(big.Int).Lsh(m, uint(-shift))
	}
	q := new(big.Int).Rsh(m, uint(shift))
	trailing := m.TrailingZeroBits()
	if m.Sign() == 0 || trailing >= uint(shift) {
		return q
	}
	half := m.Bit(shift-1) == 1
	tie := half && trailing == uint(shift-1)
	var up bool
	switch mode {
	case "rn":
		up = half && (!tie || q.Bit(0) == 1)
	case "rna":
		up = half
	case "rm":
		up = neg
	case "rp":
		up = !neg
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// round gives the encoding of a number: of the format's canonical NaN, of an infinity or the largest number where it
// overflows.
func (f *format) round(n number, mode string) uint64 {
	if n.nan {
		return f.nan
	}
	sign := uint64(0)
	if n.neg {
		sign = f.sign()
	}
	largest := f.infinity - 1
	if n.inf {
		if !f.hasInfinity {
			return sign | largest
		}
		return sign | f.infinity
	}
	if n.zero() {
		return sign
	}
	// The last bit kept is worth 2^last.
	last := max(n.m.BitLen()-1+n.e-int(f.mantissa), f.least())
	m := divided(n.m, n.neg, last-n.e, mode)
	if steps := last - f.least(); steps >= 1<<f.exponent {
		m = nil // far beyond the largest
	} else if m = m.Add(m, new(big.Int).Lsh(big.NewInt(int64(steps)), f.mantissa)); m.IsUint64() && m.Uint64() <= largest {
		return sign | m.Uint64()
	}
	toward := mode == "rz" || mode == "rm" && !n.neg || mode == "rp" && n.neg
	if toward || !f.hasInfinity {
		return sign | largest
	}
	return sign | f.infinity
}

// beyond says whether a number rounds, to nearest even, to more than the largest: it is past the middle between that
// and what would follow.
func (f *format) beyond(n number) bool {
	if n.nan || n.inf {
		return n.inf
	}
	n.neg = false
	largest := f.decode(f.infinity - 1)
	half := number{m: intOf(1, 2, false), e: largest.e - 1}
	order := compare(n, add(largest, half, "rn"))
	return order > 0 || order == 0 && f.infinity&1 == 0
}

// ones is a mask of n bits.
func ones(n uint) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// wrap is x modulo 2^n.
func wrap(x *big.Int, n uint) uint64 {
	return new(big.Int).And(x, new(big.Int).SetUint64(ones(n))).Uint64()
}

// intOf is a's low n bits as an integer.
func intOf(a uint64, n uint, signed bool) *big.Int {
	a &= ones(n)
	if signed && a>>(n-1) == 1 {
		return big.NewInt(int64(a | ^ones(n)))
	}
	return new(big.Int).SetUint64(a)
}

// clamp limits x to the integers of n bits.
func clamp(x *big.Int, n uint, signed bool) *big.Int {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), n)
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	switch {
	case x.Cmp(low) < 0:
		return low
	case x.Cmp(high) > 0:
		return high
	}
	return x
}

// topBit is the position of the highest one, or -1.
func topBit(a uint64) int { return bits.Len64(a) - 1 }
