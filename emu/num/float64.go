package num

import "math"

// invalid64 is what an invalid double-precision operation returns: the NaN of hardware and of CUDA's headers.
const invalid64 = 0xfff8000000000000

const (
	sign64  = 0x8000000000000000
	inf64   = 0x7ff0000000000000
	quiet64 = 0x0008000000000000
)

// nan64 is the NaN result of an operation on these operands. "NaN payloads are supported for double-precision
// instructions" (9.7.3), but the text does not say which operand's payload, nor what an invalid operation returns.
// Decided: the first NaN operand, made quiet; else invalid64.
func nan64(operands ...uint64) uint64 {
	for _, a := range operands {
		if a&^sign64 > inf64 {
			return a | quiet64
		}
	}
	return invalid64
}

// f64 holds the modifiers of a double-precision instruction.
type f64 struct{ r rounding }

func (m f64) add(a, b uint64) uint64 {
	s := math.Float64frombits(a) + math.Float64frombits(b)
	switch {
	case s != s:
		return nan64(a, b)
	case m.r == rn:
		return math.Float64bits(s)
	}
	x, _ := sum(fmtF64.unpack(a), fmtF64.unpack(b), m.r)
	return fmtF64.round(x, m.r)
}

// sub is not add of -b: a NaN keeps its sign.
func (m f64) sub(a, b uint64) uint64 {
	if b&^sign64 > inf64 {
		return nan64(a, b)
	}
	return m.add(a, b^sign64)
}

func (m f64) mul(a, b uint64) uint64 {
	p := math.Float64frombits(a) * math.Float64frombits(b)
	switch {
	case p != p:
		return nan64(a, b)
	case m.r == rn:
		return math.Float64bits(p)
	}
	x, _ := times(fmtF64.unpack(a), fmtF64.unpack(b))
	return fmtF64.round(x, m.r)
}

func (m f64) div(a, b uint64) uint64 {
	q := math.Float64frombits(a) / math.Float64frombits(b)
	switch {
	case q != q:
		return nan64(a, b)
	case m.r == rn:
		return math.Float64bits(q)
	}
	x, _ := quotient(fmtF64.unpack(a), fmtF64.unpack(b))
	return fmtF64.round(x, m.r)
}

func (m f64) sqrt(a uint64) uint64 {
	s := math.Sqrt(math.Float64frombits(a))
	switch {
	case s != s:
		return nan64(a)
	case m.r == rn:
		return math.Float64bits(s)
	}
	x, _ := root(fmtF64.unpack(a))
	return fmtF64.round(x, m.r)
}

func (m f64) fma(a, b, c uint64) uint64 {
	d := FmaF64(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c))
	switch {
	case d != d:
		return nan64(a, b, c)
	case m.r == rn:
		return math.Float64bits(d)
	}
	p, _ := times(fmtF64.unpack(a), fmtF64.unpack(b))
	x, _ := sum(p, fmtF64.unpack(c), m.r)
	return fmtF64.round(x, m.r)
}

func f64Arith(o *opcode) *Kernel {
	r, explicit := o.rounding()
	m := f64{r}
	switch o.mnemonic {
	case "add":
		return &Kernel{F2: m.add}
	case "sub":
		return &Kernel{F2: m.sub}
	case "mul":
		return &Kernel{F2: m.mul}
	}
	if !explicit { // fma and mad are the same and have no default
		return nil
	}
	return &Kernel{F3: m.fma}
}

func f64Div(o *opcode) *Kernel {
	r, explicit := o.rounding()
	if !explicit {
		return nil
	}
	return &Kernel{F2: f64{r}.div}
}

// f64Gross: rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 (9.7.3.14, 9.7.3.17). Only the upper words of operand and
// result count; subnormal numbers, by the upper word, are flushed; NaN is 0x7fffffff00000000.
func f64Gross(o *opcode, f func(float64) float64) *Kernel {
	if !o.take("ftz") {
		return nil
	}
	return &Kernel{Bound: o.bound(true), F1: func(a uint64) uint64 {
		a &^= 0xffffffff
		x := f(math.Float64frombits(fmtF64.flush(a)))
		if x != x {
			return 0x7fffffff00000000
		}
		d := math.Float64bits(x)
		if x-x == 0 {
			d += 1 << 31 // to the nearest upper word
		}
		return fmtF64.flush(d &^ 0xffffffff)
	}}
}
