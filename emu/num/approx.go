package num

import (
	"math"

	"warpscope/ptx/isa"
)

// The approximate functions compute in float64, to about 2^-29 or better, and round once. They are deterministic on
// every host: only additions, multiplications, divisions and square roots, no library function that a host may
// replace, and no product that a compiler could fuse into a sum.

// bound is the error that the manual allows an approximate instruction, relative, or absolute with a ±; "" for others.
// The gross approximations of .f64 keep 20 bits of the mantissa.
func (o *opcode) bound(approximate bool) string {
	if !approximate {
		return ""
	}
	t := o.only()
	switch o.mnemonic {
	case "div", "ex2":
		switch t {
		case isa.F16, isa.F16x2:
			return "2^-9.9"
		case isa.BF16, isa.BF16x2:
			return "2^-7"
		}
		return "2 ulp"
	case "rcp":
		if t == isa.F32 {
			return "1 ulp"
		}
		return "20 bits"
	case "sqrt":
		return "2^-23"
	case "rsqrt":
		if t == isa.F32 {
			return "2^-22.9"
		}
		return "no bound given"
	case "sin":
		return "±2^-20.5 to ±2π, ±2^-14.7 to ±100π"
	case "cos":
		return "±2^-20.4 to ±2π, ±2^-14.7 to ±100π"
	case "lg2":
		return "2^-22, ±2^-22 in (0.5, 2)"
	}
	switch t { // tanh
	case isa.F16, isa.F16x2:
		return "±2^-10.987"
	case isa.BF16, isa.BF16x2:
		return "±2^-8"
	}
	return "2^-11"
}

// divApprox: 9.7.3.8. Within 2 ulp for |b| in [2^-126, 2^126]; above, an infinite a gives NaN and others a zero with
// the sign of the quotient.
func divApprox(o *opcode) *Kernel {
	m := f32{ftz: o.take("ftz")}
	const two126, two128 = 0x7e800000, inf32
	return &Kernel{Bound: o.bound(true), F2: func(a, b uint64) uint64 {
		x, y := m.in(a), m.in(b)
		if mag := uint32(b) &^ sign32; mag > two126 && mag < two128 && x == x {
			if x-x != 0 {
				return nan32
			}
			return (a ^ b) & sign32
		}
		return m.out(x / y)
	}}
}

// buildRsqrt: 9.7.3.16, 9.7.3.17.
func buildRsqrt(o *opcode) *Kernel {
	if !o.take("approx") {
		return nil
	}
	rsqrt := func(x float64) float64 { return 1 / math.Sqrt(x) }
	switch o.only() {
	case isa.F32:
		return approxF32(o, rsqrt)
	case isa.F64:
		if len(o.mods) > 0 {
			return f64Gross(o, rsqrt)
		}
		return &Kernel{Bound: o.bound(true), F1: func(a uint64) uint64 {
			x := rsqrt(math.Float64frombits(a))
			if x != x {
				return nan64(a)
			}
			return math.Float64bits(x)
		}}
	}
	return nil
}

// buildTranscendental: sin, cos, lg2, ex2, tanh (9.7.3.18 to 9.7.3.22, 9.7.4.9, 9.7.4.10).
func buildTranscendental(o *opcode) *Kernel {
	if !o.take("approx") {
		return nil
	}
	t := o.only()
	switch o.mnemonic {
	case "tanh":
		if t == isa.F32 {
			return &Kernel{Bound: o.bound(true), F1: approx(f32{}, tanh)}
		}
		return approxHalf(o, t, tanh)
	case "ex2":
		if t == isa.F32 {
			return approxF32(o, exp2)
		}
		return approxHalf(o, t, exp2)
	}
	switch {
	case t != isa.F32:
		return nil
	case o.mnemonic == "sin":
		return approxF32(o, sin)
	case o.mnemonic == "cos":
		return approxF32(o, cos)
	}
	return approxF32(o, log2)
}

func approxF32(o *opcode, f func(float64) float64) *Kernel {
	return &Kernel{Bound: o.bound(true), F1: approx(f32{ftz: o.take("ftz")}, f)}
}

func approx(m f32, f func(float64) float64) func(uint64) uint64 {
	return func(a uint64) uint64 { return m.out(float32(f(float64(m.in(a))))) }
}

// approxHalf: ex2 of bf16 must flush, ex2 of f16 and tanh never do.
func approxHalf(o *opcode, t isa.Type, f func(float64) float64) *Kernel {
	if t == isa.F32 || t == isa.F64 {
		return nil
	}
	return eachLane(t, func(h *format) *Kernel {
		m := half{f: h}
		if o.mnemonic == "ex2" && h == &fmtBF16 {
			if m.ftz = o.take("ftz"); !m.ftz {
				return nil
			}
		}
		return &Kernel{Bound: o.bound(true), F1: func(a uint64) uint64 { return m.out(f(m.in(a))) }}
	})
}

// horner is one step of a polynomial; the conversion keeps product and sum apart.
func horner(p, x, c float64) float64 { return float64(p*x) + c }

// exp2 is 2^x: 2^n · e^(f·ln 2) with |f| ≤ 1/2, by the Taylor series of e^y, |y| ≤ 0.347; the first term left out
// is below 0.347^9/9! < 2^-31. Integers are exact.
func exp2(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 200:
		return math.Inf(1)
	case x < -200: // below half of the smallest subnormal float32
		return 0
	}
	n := math.RoundToEven(x)
	y := (x - n) * math.Ln2
	p := horner(1.0/40320, y, 1.0/5040)
	p = horner(horner(p, y, 1.0/720), y, 1.0/120)
	p = horner(horner(p, y, 1.0/24), y, 1.0/6)
	p = horner(horner(horner(p, y, 1.0/2), y, 1), y, 1)
	return p * math.Float64frombits(uint64(int64(n)+1023)<<52)
}

// log2 is e + log2(m) with m in [√½, √2]: 2/ln 2 · artanh(t), t = (m-1)/(m+1), |t| ≤ 0.1716; the first term left
// out is below 0.1716^13/13·2.9 < 2^-35. Powers of two are exact.
func log2(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	bits := math.Float64bits(x) // every float32 is normal in float64
	e := int64(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, e = m/2, e+1
	}
	t := (m - 1) / (m + 1)
	t2 := t * t
	p := horner(horner(1.0/11, t2, 1.0/9), t2, 1.0/7)
	p = horner(horner(horner(p, t2, 1.0/5), t2, 1.0/3), t2, 1)
	return float64(e) + float64(float64(t*p)*(2/math.Ln2))
}

// quadrant reduces x by multiples of π/2: x = k·π/2 + y, |y| ≤ π/4. The two parts of π/2 make the product with k
// exact to |k| < 2^20; beyond |x| = 2^20, where the manual promises nothing, Go's reduction is used.
func quadrant(x float64) (k int64, y float64) {
	const hi, lo = 1.5707963267341256, 6.077100506506192e-11 // 33 bits of π/2, and the rest
	n := math.RoundToEven(x * (2 / math.Pi))
	if n == 0 {
		return 0, x
	}
	return int64(n), x - float64(n*hi) - float64(n*lo)
}

// sinPoly and cosPoly are Taylor series on [-π/4, π/4]; the first terms left out are below 2^-29 and 2^-33.
func sinPoly(y float64) float64 {
	y2 := y * y
	p := horner(horner(1.0/362880, y2, -1.0/5040), y2, 1.0/120)
	return horner(horner(p, y2, -1.0/6), y2, 1) * y
}

func cosPoly(y float64) float64 {
	y2 := y * y
	p := horner(horner(-1.0/3628800, y2, 1.0/40320), y2, -1.0/720)
	return horner(horner(horner(p, y2, 1.0/24), y2, -1.0/2), y2, 1)
}

func sin(x float64) float64 { return sinShifted(x, 0) }
func cos(x float64) float64 { return sinShifted(x, 1) }

// sinShifted is sin(x + q·π/2). The sign of a zero angle is kept.
func sinShifted(x float64, q int64) float64 {
	const reach = 1 << 20
	switch {
	case x-x != 0: // infinite or NaN
		return math.NaN()
	case x > reach || x < -reach:
		if q == 1 {
			return math.Cos(x)
		}
		return math.Sin(x)
	}
	k, y := quadrant(x)
	switch (k + q) & 3 {
	case 0:
		return sinPoly(y)
	case 1:
		return cosPoly(y)
	case 2:
		return -sinPoly(y)
	}
	return -cosPoly(y)
}

// tanh is 1 - 2/(e^2x + 1), by its Taylor series near zero (first term left out below 2^-24 of the value). Subnormal
// inputs pass through.
func tanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case a < 0.3:
		x2 := x * x
		p := horner(horner(62.0/2835, x2, -17.0/315), x2, 2.0/15)
		return horner(horner(p, x2, -1.0/3), x2, 1) * x
	case a > 20:
		return math.Copysign(1, x)
	}
	return math.Copysign(1-2/(exp2(2*math.Log2E*a)+1), x)
}
