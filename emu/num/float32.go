package num

import (
	"math"

	"warpscope/ptx/isa"
)

const (
	nan32    = 0x7fffffff
	sign32   = 0x80000000
	inf32    = 0x7f800000
	normal32 = 0x00800000 // the smallest normal number
	one32    = 0x3f800000
)

// f32 holds the modifiers of a single-precision instruction.
type f32 struct {
	r        rounding
	ftz, sat bool
}

// in reads an operand.
func (m f32) in(a uint64) float32 {
	bits := uint32(a)
	if m.ftz && bits&inf32 == 0 {
		bits &= sign32
	}
	return math.Float32frombits(bits)
}

// out writes a result: flushing, then saturation to [+0, 1] with NaN to +0, and one NaN.
func (m f32) out(x float32) uint64 {
	bits := math.Float32bits(x)
	if m.ftz && bits&inf32 == 0 {
		bits &= sign32
	}
	if m.sat {
		return uint64(saturate(bits, sign32, one32, inf32))
	}
	if x != x {
		return nan32
	}
	return uint64(bits)
}

// saturate clamps the number of a format, given by its sign bit and its encodings of 1 and infinity, to [+0, 1]. NaN
// and everything with a sign become +0.
func saturate[T uint16 | uint32 | uint64](a, sign, one, inf T) T {
	switch {
	case a&sign != 0 || a > inf:
		return 0
	case a > one:
		return one
	}
	return a
}

// fit rounds a float64 that is exact or odd.
func (m f32) fit(x float64) float32 {
	y := float32(x)
	if m.r == rn || x-x != 0 {
		return y
	}
	switch back := float64(y); {
	case back > x && (m.r == rm || m.r == rz && x > 0):
		return nextDown(y)
	case back < x && (m.r == rp || m.r == rz && x < 0):
		return -nextDown(-y)
	}
	return y
}

// nextDown is the next number toward -infinity of a number that was rounded up: zero is -0 then.
func nextDown(x float32) float32 {
	if x > 0 {
		return math.Float32frombits(math.Float32bits(x) - 1)
	}
	return math.Float32frombits(math.Float32bits(x) + 1)
}

func (m f32) add(a, b float32) float32 {
	if m.r == rn {
		return a + b
	}
	x, y := float64(a), float64(b)
	return m.fit(zeroSign(oddSum(x, y), x, y, m.r))
}

func (m f32) mul(a, b float32) float32 {
	if m.r == rn {
		return a * b
	}
	return m.fit(float64(a) * float64(b))
}

func (m f32) fma(a, b, c float32) float32 {
	if m.r == rn {
		return FmaF32(a, b, c)
	}
	p, z := float64(a)*float64(b), float64(c)
	return m.fit(zeroSign(oddSum(p, z), p, z, m.r))
}

// viaExact is a unary or binary operation of the exact core.
func (m f32) viaExact(op func(a, b exact) (exact, bool), a, b float32) float32 {
	if a != a || b != b {
		return float32(math.NaN())
	}
	x, ok := op(fmtF32.unpack(uint64(math.Float32bits(a))), fmtF32.unpack(uint64(math.Float32bits(b))))
	if !ok {
		return float32(math.NaN())
	}
	return math.Float32frombits(uint32(fmtF32.round(x, m.r)))
}

func (m f32) div(a, b float32) float32 {
	if m.r == rn {
		return a / b
	}
	return m.viaExact(quotient, a, b)
}

func (m f32) sqrt(a float32) float32 {
	if m.r == rn {
		return float32(math.Sqrt(float64(a))) // one instruction, correctly rounded
	}
	return m.viaExact(func(a, _ exact) (exact, bool) { return root(a) }, a, a)
}

// buildFloatArith: add, sub, mul, fma and mad of every floating-point type (9.7.3.3 to 9.7.3.7, 9.7.4.1 to 9.7.4.4,
// 9.7.5).
func buildFloatArith(o *opcode) *Kernel {
	switch {
	case len(o.types) > 0 && (o.types[0] == isa.E4M3x4 || o.types[0] == isa.E5M2x4):
		return buildFours(o)
	case len(o.types) == 2:
		return buildMixed(o)
	case len(o.types) > 2:
		return buildMixedPair(o)
	}
	switch t := o.only(); t {
	case isa.F32:
		return f32Arith(o)
	case isa.F32x2:
		if o.mnemonic == "mad" || o.take("sat") {
			return nil
		}
		return lanes(f32Arith(o), 32)
	case isa.F64:
		return f64Arith(o)
	case isa.F16, isa.BF16:
		return halfArith(o, formatOf(t))
	case isa.F16x2, isa.BF16x2:
		return lanes(halfArith(o, laneOf(t)), 16)
	}
	return nil
}

func f32Arith(o *opcode) *Kernel {
	r, explicit := o.rounding()
	m := f32{r, o.take("ftz"), o.take("sat")}
	plain := m == f32{}
	switch {
	case o.mnemonic == "fma" && !explicit:
		return nil
	case o.mnemonic == "fma" || o.mnemonic == "mad":
		return f32Fma(m)
	case o.mnemonic == "add" && plain:
		return &Kernel{F2: func(a, b uint64) uint64 {
			return canonical32(math.Float32frombits(uint32(a)) + math.Float32frombits(uint32(b)))
		}}
	case o.mnemonic == "sub" && plain:
		return &Kernel{F2: func(a, b uint64) uint64 {
			return canonical32(math.Float32frombits(uint32(a)) - math.Float32frombits(uint32(b)))
		}}
	case o.mnemonic == "mul" && plain:
		return &Kernel{F2: func(a, b uint64) uint64 {
			return canonical32(math.Float32frombits(uint32(a)) * math.Float32frombits(uint32(b)))
		}}
	case o.mnemonic == "add":
		return &Kernel{F2: func(a, b uint64) uint64 { return m.out(m.add(m.in(a), m.in(b))) }}
	case o.mnemonic == "sub":
		return &Kernel{F2: func(a, b uint64) uint64 { return m.out(m.add(m.in(a), -m.in(b))) }}
	}
	return &Kernel{F2: func(a, b uint64) uint64 { return m.out(m.mul(m.in(a), m.in(b))) }}
}

// f32Fma: 9.7.3.6, 9.7.3.7. mad.f32 without a rounding modifier is for sm_1x, whose code later devices run as
// fma.rn; the table of instruction forms decides whether it is legal.
func f32Fma(m f32) *Kernel {
	if m == (f32{}) {
		return &Kernel{F3: func(a, b, c uint64) uint64 {
			return canonical32(FmaF32(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)),
				math.Float32frombits(uint32(c))))
		}}
	}
	return &Kernel{F3: func(a, b, c uint64) uint64 { return m.out(m.fma(m.in(a), m.in(b), m.in(c))) }}
}

func canonical32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}

// AddF32Ftz is the addition of atom.add.f32 and red.add.f32 on global memory, which flush subnormal inputs and results
// (9.7.15.5); on shared memory they do not.
func AddF32Ftz(a, b uint32) uint32 {
	m := f32{ftz: true}
	return uint32(m.out(m.in(uint64(a)) + m.in(uint64(b))))
}

// buildMixed: 9.7.5. The half-precision operands are converted to .f32, which is exact; one rounding follows.
func buildMixed(o *opcode) *Kernel {
	dt, st := o.pair()
	h := formatOf(st)
	r, explicit := o.rounding()
	if dt != isa.F32 || st != isa.F16 && st != isa.BF16 {
		return nil
	}
	m := f32{r: r, sat: o.take("sat")}
	wide := func(a uint64) float32 { return float32(h.decode(a & h.mask())) }
	switch {
	case o.mnemonic == "add":
		return &Kernel{F2: func(a, c uint64) uint64 { return m.out(m.add(wide(a), m.in(c))) }}
	case o.mnemonic == "sub":
		return &Kernel{F2: func(a, c uint64) uint64 { return m.out(m.add(wide(a), -m.in(c))) }}
	case o.mnemonic == "fma" && explicit:
		return &Kernel{F3: func(a, b, c uint64) uint64 { return m.out(m.fma(wide(a), wide(b), m.in(c))) }}
	}
	return nil
}

// buildDiv: 9.7.3.8. div.full has an error bound of 2 ulp, which the correctly rounded quotient meets.
func buildDiv(o *opcode) *Kernel {
	t := o.only()
	if t == isa.F64 {
		return f64Div(o)
	}
	if t != isa.F32 {
		return nil
	}
	if o.take("approx") {
		return divApprox(o)
	}
	full := o.take("full")
	r, explicit := o.rounding()
	m := f32{r: r, ftz: o.take("ftz")}
	if full == explicit {
		return nil
	}
	return &Kernel{
		Bound: o.bound(full),
		F2:    func(a, b uint64) uint64 { return m.out(m.div(m.in(a), m.in(b))) },
	}
}

// buildRcp: 9.7.3.13, 9.7.3.14. rcp.approx.f32 is within 1 ulp: the correctly rounded reciprocal is.
func buildRcp(o *opcode) *Kernel {
	approx := o.take("approx")
	r, explicit := o.rounding()
	if approx == explicit {
		return nil
	}
	switch o.only() {
	case isa.F64:
		if approx {
			return f64Gross(o, func(x float64) float64 { return 1 / x })
		}
		m := f64{r}
		return &Kernel{F1: func(a uint64) uint64 { return m.div(0x3ff0000000000000, a) }}
	case isa.F32:
		m := f32{r: r, ftz: o.take("ftz")}
		return &Kernel{
			Bound: o.bound(approx),
			F1:    func(a uint64) uint64 { return m.out(m.div(1, m.in(a))) },
		}
	}
	return nil
}

// buildSqrt: 9.7.3.15. sqrt.approx.f32 has a relative error of at most 2^-23: the correctly rounded root has.
func buildSqrt(o *opcode) *Kernel {
	approx := o.take("approx")
	r, explicit := o.rounding()
	t := o.only()
	if approx == explicit || approx && t != isa.F32 {
		return nil
	}
	switch t {
	case isa.F64:
		m := f64{r}
		return &Kernel{F1: m.sqrt}
	case isa.F32:
		m := f32{r: r, ftz: o.take("ftz")}
		return &Kernel{Bound: o.bound(approx), F1: func(a uint64) uint64 { return m.out(m.sqrt(m.in(a))) }}
	}
	return nil
}
