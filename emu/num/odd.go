package num

import "math"

// Rounding twice, first to float64 and then to a narrower format, goes wrong when the first result lies exactly
// between two numbers of the narrow format and the true value does not. Rounding to odd prevents it: an inexact float64
// result gets its last bit set, so it is never such a midpoint and lies on the right side of every one. That holds
// for formats of at most 50 bits and every rounding mode.

// oddSum is a + b rounded to odd. The operands must not be so large that the sum overflows float64. An exact zero of
// operands with different signs is +0.
func oddSum(a, b float64) float64 {
	s := a + b
	if s-s != 0 { // infinite or NaN
		return s
	}
	// Two-sum: s + err is a + b exactly.
	t := s - a
	err := (a - (s - t)) + (b - t)
	if err == 0 {
		return s
	}
	bits := math.Float64bits(s)
	if bits&1 == 0 {
		if (err < 0) == (s < 0) {
			bits++
		} else {
			bits--
		}
	}
	return math.Float64frombits(bits)
}

// zeroSign gives an exact zero sum of a and b the sign of its rounding mode: -0 when the operands had different signs
// and the mode is rm (IEEE 754, 6.3).
func zeroSign(s, a, b float64, r rounding) float64 {
	if s == 0 && r == rm && math.Signbit(a) != math.Signbit(b) {
		return math.Copysign(0, -1)
	}
	return s
}

// FmaF32 is a·b + c rounded once to nearest even. The product of two float32 is exact in float64. Rounding the sum to
// float64 first is harmless unless it lands on the midpoint of two float32 (the lower 29 bits are 1 and 28 zeros) or
// in the subnormal range, where midpoints are elsewhere.
func FmaF32(a, b, c float32) float32 {
	p, z := float64(a)*float64(b), float64(c)
	if s := p + z; FmaIsSafe(math.Float64bits(s)) {
		return float32(s)
	}
	return FmaOdd(p, z)
}

// FmaIsSafe says that the float64 sum with these bits, of a product of two float32 and a float32, rounds to float32
// like the exact sum. It is small enough to be inlined where FmaF32 is not; when it is false, FmaOdd gives the result.
func FmaIsSafe(sum uint64) bool {
	return sum&0x1fffffff != 0x10000000 && sum<<1 >= (1023-126)<<53
}

// FmaOdd is p + c rounded once to float32.
//
//go:noinline
func FmaOdd(p, c float64) float32 { return float32(oddSum(p, c)) }

// FmaF64 is a·b + c rounded once to nearest even.
func FmaF64(a, b, c float64) float64 { return math.FMA(a, b, c) }
