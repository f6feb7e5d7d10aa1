package slow

import (
	"math/big"

	"warpscope/ptx/isa"
)

// convert is 9.7.10.24 and 9.7.10.25.
func (i inst) convert() Result {
	if i.is("cvt.pack") {
		return exactly(i.pack())
	}
	to, from := i.Types[0], i.Types[1]
	if to == isa.UE8M0x2 || from == isa.UE8M0x2 {
		return i.scales(to, from)
	}
	if to == isa.S2F6x2 || from == isa.S2F6x2 {
		return i.fixedPoint(to, from)
	}
	f, lanes := formatOf(to)
	g, _ := formatOf(from)
	switch {
	case i.Has(".scaled::n1::ue8m0") || i.Has(".scaled::n2::ue8m0") || f == ue5m3 || g == ue5m3:
		return i.elements(f, g, from)
	case i.Has(".rs"):
		return i.stochastic(f)
	case f == nil && g == nil:
		return i.between(to, from)
	case f == nil:
		return i.toInteger(to, g, from)
	case g == nil:
		x := intOf(i.in[0], uint(from.Bits()), from.Class() == isa.Signed)
		n := number{neg: x.Sign() < 0, m: new(big.Int).Abs(x)}
		return i.finish(f, n, i.mode(), i.Has(".ftz"))
	case lanes == 1:
		return i.toFloat(f, g, i.in[0]&ones(g.width()))
	case from == isa.F32: // two operands, the first goes to the upper half
		return i.pair(f, i.toFloat(f, f32, i.in[0]), i.toFloat(f, f32, i.in[1]))
	}
	_, w := field(g)
	return i.pair(f, i.toFloat(f, g, i.in[0]>>w&ones(g.width())), i.toFloat(f, g, i.in[0]&ones(g.width())))
}

// elements converts the two elements of an operand, or two operands, the first being the upper one, each divided or
// multiplied by its scale factor: .n1 has one of both, .n2 one of each.
func (i inst) elements(f, g *format, from isa.Type) Result {
	_, w := field(g)
	down := i.Has(".scaled::n1::ue8m0")
	var out [2]Result
	for k := range out {
		upper := k == 1
		a := i.in[0]
		switch {
		case from == isa.F32 && !upper:
			a = i.in[1]
		case from != isa.F32 && upper:
			a >>= w
		}
		a &= ones(min(w, g.width()))
		flushed := down && g.isSubnormal(a)
		if flushed { // "flushed to zero before conversion"; with which sign is open
			a = g.flush(a)
		}
		x := g.decode(a)
		scale := i.in[len(i.in)-1] & 0xff
		if i.Has(".scaled::n2::ue8m0") && upper {
			scale = i.in[len(i.in)-1] >> 8 & 0xff
		}
		switch {
		case !down && !i.Has(".scaled::n2::ue8m0"):
		case scale == 0xff:
			x.nan = true
		case down:
			x.e -= int(scale) - 127
		default:
			x.e += int(scale) - 127
		}
		out[k] = i.fit(f, x)
		if flushed && f != ue5m3 && out[k].Bits&(f.sign()-1) == 0 {
			out[k].loose = append(out[k].loose, loose{0, f.width(), anyZero, f})
		}
	}
	_, w = field(f)
	return packed(w, out[0], out[1])
}

// unsigned is a conversion to ue5m3. What negative numbers become is open, but for too large ones: the largest number,
// or without .satfinite NaN, where they are too large after rounding.
func (i inst) unsigned(x number) Result {
	over := x.inf
	switch size := (number{m: x.m, e: x.e}); {
	case x.nan || x.inf || i.mode() == "rz":
	case i.mode() == "rn":
		over = ue5m3.beyond(x)
	default:
		over = compare(size, ue5m3.decode(0xfe)) > 0
	}
	switch {
	case x.nan, over && !i.Has(".satfinite"):
		return exactly(0xff)
	case over:
		return exactly(0xfe)
	case x.neg && !x.zero():
		return Result{loose: []loose{{0, 8, anyBits, nil}}}
	}
	return exactly(ue5m3.round(x, i.mode()) & 0xff)
}

// field is how many bits an element of a packed type takes: six bits take eight.
func field(f *format) (used, taken uint) {
	if f.width() == 6 || f == ue5m3 {
		return f.width(), 8
	}
	return f.width(), f.width()
}

func (i inst) pair(f *format, upper, lower Result) Result {
	_, w := field(f)
	return packed(w, lower, upper)
}

// between converts integers.
func (i inst) between(to, from isa.Type) Result {
	signed := to.Class() == isa.Signed
	x := intOf(i.in[0], uint(from.Bits()), from.Class() == isa.Signed)
	if i.Has(".sat") {
		x = clamp(x, uint(to.Bits()), signed)
	}
	return extended(x, uint(to.Bits()), signed)
}

// extended are the low n bits of x, extended by their sign to 64 bits when signed.
func extended(x *big.Int, n uint, signed bool) Result {
	return exactly(wrap(intOf(wrap(x, n), n, signed), 64))
}

// integral rounds to an integer in the opcode's integer rounding mode.
func (i inst) integral(n number) *big.Int {
	mode := map[string]string{".rni": "rn", ".rzi": "rz", ".rmi": "rm", ".rpi": "rp"}[i.Value("irnd")]
	return divided(n.m, n.neg, -n.e, mode)
}

func (i inst) toInteger(to isa.Type, g *format, from isa.Type) Result {
	n, signed := uint(to.Bits()), to.Class() == isa.Signed
	a := i.in[0] & ones(g.width())
	if i.Has(".ftz") {
		a = g.flush(a)
	}
	x := g.decode(a)
	switch {
	case x.nan && (from == isa.F64 || n == 64):
		return extended(new(big.Int).Lsh(big.NewInt(1), n-1), n, signed)
	case x.nan:
		return exactly(0)
	case x.inf:
		x.m, x.e = big.NewInt(1), 100
	}
	v := i.integral(x)
	if x.neg {
		v.Neg(v)
	}
	return extended(clamp(v, n, signed), n, signed)
}

// toFloat converts between formats, with .ftz for .f32 on either side.
func (i inst) toFloat(f, g *format, a uint64) Result {
	if i.Has(".ftz") && g == f32 {
		a = g.flush(a)
	}
	x := g.decode(a)
	if i.Value("irnd") != "" && !x.nan && !x.inf {
		x.m, x.e = i.integral(x), 0
	}
	return i.fit(f, x)
}

// fit rounds a number to a format as the opcode says.
func (i inst) fit(f *format, x number) Result {
	if f == ue5m3 {
		return i.unsigned(x)
	}
	bits := f.round(x, i.mode())
	largest := f.infinity - 1
	switch {
	case i.Has(".satfinite") && x.nan && (f == e3m2 || f == e2m3 || f == e2m1):
		return exactly(largest) // also under .relu: it is positive
	case i.Has(".satfinite") && f.isInfinite(bits):
		bits = bits&f.sign() | largest
	case x.nan && !i.Has(".sat"):
		r := someNaN(f)
		if i.Has(".relu") && f != e4m3 && f != e5m2 && f != tf32 {
			r = exactly(f.nan)
		}
		return aligned(f, r)
	case i.Has(".ftz") && f == f32:
		bits = f.flush(bits)
	case i.Has(".pzo") && bits == f.sign():
		bits = 0
	}
	return aligned(f, i.limit(f, bits))
}

// aligned puts a tf32 number in its place in 32 bits: at the top. What is below is not part of it.
func aligned(f *format, r Result) Result {
	if f != tf32 {
		return r
	}
	const below = 13
	for k := range r.loose {
		r.loose[k].shift += below
	}
	return Result{r.Bits << below, append(r.loose, loose{0, below, anyBits, nil})}
}

// randomBits says which of rbits each element of a .rs conversion gets, in the order of the text: their lowest ones, by
// the layouts of 9.7.10.24. For .f16x2 it is 13 bits of each half, for .bf16x2 16.
func (i inst) randomBits(f *format) (each uint, parts []uint64) {
	r := i.in[len(i.in)-1]
	upper, lower := r>>16&0xffff, r&0xffff
	switch {
	case f == f16:
		return 13, []uint64{upper & 0x1fff, lower & 0x1fff}
	case f == bf16:
		return 16, []uint64{upper, lower}
	case f == e2m1: // a, b: the upper bytes of both halves; e, f: the lower bytes
		high, low := upper&0xff00|lower>>8, upper&0xff<<8|lower&0xff
		return 16, []uint64{high, high, low, low}
	}
	return 16, []uint64{upper, upper, lower, lower}
}

// stochastic is .rs: random bits are added to the highest ones that do not fit, and what still does not fit is dropped.
func (i inst) stochastic(f *format) Result {
	n, random := i.randomBits(f)
	_, width := field(f)
	if f == e2m1 {
		width = 4
	}
	var parts []Result
	for k := len(random) - 1; k >= 0; k-- { // the last one lowest
		x := f32.decode(i.in[k] & 0xffffffff)
		if !x.nan && !x.inf && !x.zero() {
			last := max(x.m.BitLen()-1+x.e-int(f.mantissa), f.least())
			carry := number{neg: x.neg, m: new(big.Int).SetUint64(random[k]), e: last - int(n)}
			x = add(x, carry, "rz")
		}
		parts = append(parts, i.fit(f, x))
	}
	return packed(width, parts...)
}

// fixedPoint converts to and from .s2f6: an integer of 8 bits times 2^-6 (5.2.4). Scale factors are powers of two, with
// 255 for NaN.
func (i inst) fixedPoint(to, from isa.Type) Result {
	scale := uint64(0x7f7f)
	if i.Has(".scaled::n2::ue8m0") {
		scale = i.in[len(i.in)-1]
	}
	powers := []uint64{scale >> 8 & 0xff, scale & 0xff}
	values := []number{f32.decode(i.in[0] & 0xffffffff), {}} // the upper one first
	switch from {
	case isa.F32:
		values[1] = f32.decode(i.in[1] & 0xffffffff)
	case isa.BF16x2:
		values = []number{bf16.decode(i.in[0] >> 16 & 0xffff), bf16.decode(i.in[0] & 0xffff)}
	default:
		for k := range values {
			x := intOf(i.in[0]>>(8-8*k), 8, true)
			values[k] = number{neg: x.Sign() < 0, m: x.Abs(x), e: -6}
		}
	}
	var parts [2]Result
	for k, x := range values {
		x.nan = x.nan || powers[k] == 0xff
		if from == isa.S2F6x2 {
			x.e += int(powers[k]) - 127
			parts[k] = i.fit(bf16, x)
			continue
		}
		x.e -= int(powers[k]) - 127
		parts[k] = exactly(i.toFixed(x))
	}
	return packed(uint(to.Bits())/2, parts[1], parts[0])
}

// toFixed gives the nearest integer to 64 times a number, within -128 to 127; NaN becomes the largest.
func (i inst) toFixed(x number) uint64 {
	if x.nan {
		return 0x7f
	}
	if x.inf {
		x.m, x.e = big.NewInt(1), 100
	}
	v := divided(x.m, x.neg, -(x.e + 6), i.mode())
	if x.neg {
		v.Neg(v)
	}
	if i.Has(".relu") && v.Sign() < 0 {
		return 0
	}
	return wrap(clamp(v, 8, true), 8)
}

// pack is 9.7.10.25.
func (i inst) pack() uint64 {
	to := i.Types[0]
	n, signed := uint(to.Bits()), to.Class() == isa.Signed
	limited := func(k int) uint64 { return wrap(clamp(intOf(i.in[k], 32, true), n, signed), n) }
	d := limited(0)<<n | limited(1)
	if len(i.in) == 3 {
		d |= i.in[2] << (2 * n) & 0xffffffff
	}
	return d
}

// scales converts pairs to and from powers of two: 2^(e-127), where 255 is NaN. What a negative number and overflow
// without .satfinite give is open.
func (i inst) scales(to, from isa.Type) Result {
	if from == isa.UE8M0x2 {
		number := func(e uint64) Result {
			if e == 0xff {
				return someNaN(bf16)
			}
			return exactly(bf16.round(number{m: intOf(1, 2, false), e: int(e) - 127}, "rn"))
		}
		return packed(16, number(i.in[0]&0xff), number(i.in[0]>>8&0xff))
	}
	power := func(f *format, a uint64) Result {
		n := f.decode(a & ones(f.width()))
		e := n.e + n.boundedLog()
		if i.Has(".rp") && !n.nan && !n.inf && !n.zero() && int(n.m.TrailingZeroBits()) != n.m.BitLen()-1 {
			e++
		}
		switch {
		case n.nan:
			return exactly(0xff)
		case n.neg && !n.zero() || (n.inf || e > 127) && !i.Has(".satfinite"):
			return Result{loose: []loose{{0, 8, anyBits, nil}}}
		case n.inf || e > 127:
			return exactly(0xfe)
		case n.zero() || e < -127:
			return exactly(0)
		}
		return exactly(uint64(e + 127))
	}
	if from == isa.F32 {
		return packed(8, power(f32, i.in[1]), power(f32, i.in[0]))
	}
	return packed(8, power(bf16, i.in[0]), power(bf16, i.in[0]>>16))
}

// boundedLog is the position of the significand's first bit.
func (n number) boundedLog() int {
	if n.nan || n.inf {
		return 0
	}
	return n.m.BitLen() - 1
}
