package num

import "math/bits"

// exact is a real number or an infinity: ±(hi·2^64 + lo)·2^exp. Operations whose result has more than 128 bits keep
// the upper ones and set the lowest bit when anything was lost; at least two bits below any format's last place
// remain, so one rounding of the result is the rounding of the true value.
type exact struct {
	neg, inf bool
	exp      int
	hi, lo   uint64
}

func (x exact) isZero() bool { return !x.inf && x.hi|x.lo == 0 }

// normalized shifts the leading bit to the top. The number must not be zero.
func (x exact) normalized() exact {
	if x.hi == 0 {
		x.hi, x.lo, x.exp = x.lo, 0, x.exp-64
	}
	if n := bits.LeadingZeros64(x.hi); n > 0 {
		x.hi, x.lo, x.exp = x.hi<<n|x.lo>>(64-n), x.lo<<n, x.exp-n
	}
	return x
}

// shiftedRight moves n bits out at the bottom and keeps the fact that some were set.
func (x exact) shiftedRight(n int) exact {
	x.exp += n
	var lost uint64
	switch {
	case n == 0:
		return x
	case n >= 128:
		lost, x.hi, x.lo = x.hi|x.lo, 0, 0
	case n >= 64:
		lost, x.hi, x.lo = x.lo|x.hi<<(128-n), 0, x.hi>>(n-64)
	default:
		lost, x.hi, x.lo = x.lo<<(64-n), x.hi>>n, x.lo>>n|x.hi<<(64-n)
	}
	x.lo |= boolBit(lost != 0)
	return x
}

// fromInt is an integer of 64 bits, by the sign of its type.
func fromInt(a uint64, signed bool) exact {
	if signed && int64(a) < 0 {
		return exact{neg: true, lo: -a}
	}
	return exact{lo: a}
}

// sum is a + b. An exact zero is -0 when both are, or when the mode is rm and the signs differ (IEEE 754). Operands
// have at most 106 significant bits. ok is false for infinities of different sign.
func sum(a, b exact, r rounding) (x exact, ok bool) {
	switch {
	case a.inf && b.inf:
		return a, a.neg == b.neg
	case a.inf:
		return a, true
	case b.inf:
		return b, true
	case a.isZero() && b.isZero():
		a.neg = a.neg && b.neg || a.neg != b.neg && r == rm
		return a, true
	case a.isZero():
		return b, true
	case b.isZero():
		return a, true
	}
	a, b = a.normalized(), b.normalized()
	if a.exp < b.exp {
		a, b = b, a
	}
	a, b = a.shiftedRight(1), b.shiftedRight(a.exp-b.exp+1) // room for a carry at the top
	var carry uint64
	if a.neg == b.neg {
		a.lo, carry = bits.Add64(a.lo, b.lo, 0)
		a.hi, _ = bits.Add64(a.hi, b.hi, carry)
		return a, true
	}
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, borrow := bits.Sub64(a.hi, b.hi, borrow)
	if borrow != 0 {
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
		a.neg = b.neg
	}
	a.hi, a.lo = hi, lo
	if hi|lo == 0 {
		a.neg = r == rm
	}
	return a, true
}

// times is a·b of two unpacked numbers of at most 64 significant bits, held in hi. ok is false for 0·infinity.
func times(a, b exact) (x exact, ok bool) {
	x.neg = a.neg != b.neg
	if a.inf || b.inf {
		x.inf = true
		return x, !a.isZero() && !b.isZero()
	}
	x.hi, x.lo = bits.Mul64(a.hi, b.hi)
	x.exp = a.exp + b.exp + 128
	return x, true
}

// quotient is a/b of two unpacked numbers held in hi. ok is false for 0/0 and infinity/infinity.
func quotient(a, b exact) (x exact, ok bool) {
	x.neg = a.neg != b.neg
	switch {
	case a.inf || b.isZero():
		x.inf = true
		return x, !(a.inf && b.inf) && !(a.isZero() && b.isZero())
	case b.inf || a.isZero():
		return x, true
	}
	a, b = a.normalized(), b.normalized()
	q, rest := bits.Div64(a.hi>>1, a.hi<<63, b.hi) // (a.hi·2^63)/b.hi, at least 2^62
	x.hi, x.lo, x.exp = q, boolBit(rest != 0), a.exp-b.exp-127
	return x, true
}

// root is the square root of an unpacked number held in hi. ok is false below zero; the root of -0 is -0.
func root(a exact) (x exact, ok bool) {
	switch {
	case a.isZero():
		return a, true
	case a.neg:
		return a, false
	case a.inf:
		return a, true
	}
	a = a.normalized()
	if a.exp%2 != 0 {
		a = a.shiftedRight(1)
	}
	var r uint64 // the largest number whose square is at most hi·2^64 + lo
	var isExact bool
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		t := r | bit
		hi, lo := bits.Mul64(t, t)
		if hi < a.hi || hi == a.hi && lo <= a.lo {
			r, isExact = t, hi == a.hi && lo == a.lo
		}
	}
	return exact{hi: r, lo: boolBit(!isExact), exp: a.exp/2 - 64}, true
}
