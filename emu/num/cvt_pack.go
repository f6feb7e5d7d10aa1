package num

import (
	"math"
	"slices"

	"warpscope/ptx/isa"
)

// cvtPack: 9.7.10.25. a and b are saturated; b goes to the low bits, a above it, c above both.
func cvtPack(o *opcode) *Kernel {
	if len(o.types) < 2 || o.types[1] != isa.S32 || !o.take("sat") {
		return nil
	}
	t, three := o.types[0], len(o.types) == 3 && o.types[2] == isa.B32
	n := intType{uint(t.Bits()), t.Class() == isa.Signed}
	switch t {
	case isa.U16, isa.S16:
		if three {
			return nil
		}
	case isa.U2, isa.S2, isa.U4, isa.S4, isa.U8, isa.S8:
		if !three {
			return nil
		}
	default:
		return nil
	}
	least, greatest := n.limits()
	clamp := func(a uint64) uint64 { return uint64(min(max(int64(int32(a)), least), greatest)) & n.mask() }
	if !three {
		return &Kernel{F2: func(a, b uint64) uint64 { return clamp(a)<<16 | clamp(b) }}
	}
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		return uint64(uint32(c<<(2*n.bits) | clamp(a)<<n.bits | clamp(b)))
	}}
}

// cvtPacked: conversions to and from the x2 types. Of two sources the first goes to the upper element.
func cvtPacked(o *opcode, dt, st isa.Type) *Kernel {
	switch {
	case dt == isa.UE8M0x2:
		return cvtToUE8M0(o, st)
	case st == isa.UE8M0x2:
		return cvtFromUE8M0(o, dt)
	case dt == isa.S2F6x2:
		return cvtToS2F6(o, st)
	case st == isa.S2F6x2 && dt == isa.BF16x2:
		return cvtToHalf(o, dt, func(a uint64) float64 { return float64(int8(a)) / 64 }, 8)
	case dt == isa.UE5M3x2:
		return cvtToUE5M3(o, st)
	case st == isa.UE5M3x2:
		return cvtToHalf(o, dt, func(a uint64) float64 { return fmtUE5M3.decode(a & 0xff) }, 8)
	}
	df, sf := laneOf(dt), laneOf(st)
	if df == nil {
		return nil
	}
	half := df == &fmtF16 || df == &fmtBF16
	switch dt {
	case isa.E4M3x4, isa.E5M2x4, isa.E2M3x4, isa.E3M2x4, isa.E2M1x4:
		if st != isa.F32 {
			return nil
		}
		return cvtStochastic4(o, df, dt)
	}
	if half && st == isa.F32 && o.take("rs") {
		return cvtStochastic(o, df)
	}
	if half && sf != nil && st.Bits() <= 16 {
		return cvtToHalf(o, dt, func(a uint64) float64 { return sf.decode(a & sf.mask()) }, elementBits(st))
	}
	r, explicit := o.rounding()
	w := floatWriter{f: df, r: r, relu: o.take("relu"), satfinite: o.take("satfinite"), pzo: o.take("pzo")}
	if !explicit || r > rz || !half && !w.satfinite {
		return nil
	}
	return narrow(o, w.write, elementBits(dt), st, !half)
}

// elementBits is the distance of the two elements of an x2 type.
func elementBits(t isa.Type) uint { return uint(t.Bits()) / 2 }

// narrow converts two operands of .f32, or the elements of an .f16x2 or .bf16x2, to elements of n bits. A scale factor,
// where there may be one, divides both; subnormal numbers are flushed before.
func narrow(o *opcode, write func(float64) uint64, n uint, st isa.Type, scalable bool) *Kernel {
	pair := st == isa.F16x2 || st == isa.BF16x2
	f := &fmtF32
	switch {
	case pair && scalable:
		f = laneOf(st)
	case st != isa.F32:
		return nil
	}
	mask := f.mask()
	plain := func(a uint64) uint64 { return write(f.decode(a & mask)) }
	scaled := func(a, s uint64) uint64 { return write(f.decode(f.flush(a&mask)) / scaleUE8M0(s)) }
	switch scales := scalable && o.take(oneScale); {
	case pair && scales:
		return &Kernel{F2: func(a, s uint64) uint64 { return scaled(a>>16, s)<<n | scaled(a, s) }}
	case pair:
		return &Kernel{F1: func(a uint64) uint64 { return plain(a>>16)<<n | plain(a) }}
	case scales:
		return &Kernel{F3: func(a, b, s uint64) uint64 { return scaled(a, s)<<n | scaled(b, s) }}
	}
	return &Kernel{F2: func(a, b uint64) uint64 { return plain(a)<<n | plain(b) }}
}

// cvtToHalf converts both elements of one operand, n bits apart, to .f16x2, or to .bf16x2 times a scale factor for
// each.
func cvtToHalf(o *opcode, dt isa.Type, read func(uint64) float64, n uint) *Kernel {
	w := floatWriter{f: laneOf(dt)}
	if !o.take("rn") {
		return nil
	}
	signed := o.types[1] != isa.UE5M3x2
	w.relu = signed && o.take("relu")
	switch {
	case dt == isa.BF16x2:
		w.satfinite = o.take("satfinite")
		if o.take(twoScales) {
			one := func(a, s uint64) uint64 { return w.write(read(a) * scaleUE8M0(s)) }
			return &Kernel{F2: func(a, s uint64) uint64 { return one(a>>n, s>>8)<<16 | one(a, s) }}
		}
	case dt != isa.F16x2:
		return nil
	}
	return &Kernel{F1: func(a uint64) uint64 { return w.write(read(a>>n))<<16 | w.write(read(a)) }}
}

// cvtToUE5M3 converts the magnitude, as the format has no sign. Without .satfinite, what rounds to more than the
// largest number becomes NaN, for there is no infinity.
func cvtToUE5M3(o *opcode, st isa.Type) *Kernel {
	r, explicit := o.rounding()
	f := &fmtUE5M3
	if !o.take("satfinite") {
		f = f.open()
	}
	scaled := slices.Contains(o.mods, oneScale)
	if !explicit || r == rm || scaled && r == rp {
		return nil
	}
	return narrow(o, func(x float64) uint64 { return f.encode(math.Abs(x), r) }, 8, st, true)
}

// cvtStochastic: cvt.rs to f16x2 and bf16x2, with random bits from the upper half of rbits for a and the lower half for
// b: 13 for f16, 16 for bf16.
func cvtStochastic(o *opcode, f *format) *Kernel {
	w := floatWriter{f: f, r: rz, relu: o.take("relu"), satfinite: o.take("satfinite")}
	n := 23 - f.man
	return &Kernel{F3: func(a, b, rbits uint64) uint64 {
		return w.stochastic(a, rbits>>16, n)<<16 | w.stochastic(b, rbits, n)
	}}
}

// cvtStochastic4: cvt.rs of {a, b, e, f} to four elements, a in the highest bits. a and b share 16 random bits, e and f
// the others: the halves of rbits, or for .e2m1x4 the upper bytes of both halves and the lower ones.
func cvtStochastic4(o *opcode, f *format, dt isa.Type) *Kernel {
	w := floatWriter{f: f, r: rz, relu: o.take("relu"), satfinite: o.take("satfinite")}
	if !o.take("rs") || !w.satfinite {
		return nil
	}
	width := uint(dt.Bits() / 4)
	return &Kernel{V4: func(a [4]uint64, rbits uint64) (d uint64) {
		if width == 4 { // swap the bytes in the middle
			rbits = rbits&0xff0000ff | rbits>>8&0xff00 | rbits<<8&0xff0000
		}
		for i, v := range a {
			d = d<<width | w.stochastic(v, rbits>>(16-i/2*16), 16)
		}
		return d
	}}
}

// stochastic rounds "toward zero or away from zero based on the carry out of the integer addition of the random bits to
// the truncated off bits". The n random bits meet the n highest bits that are truncated off.
func (w floatWriter) stochastic(a, random uint64, n uint) uint64 {
	f := w.f
	x := math.Float32frombits(uint32(a))
	if x-x != 0 {
		return w.write(float64(x))
	}
	down := f.encode(float64(x), rz)
	mag := down & (f.signBit() - 1)
	if mag == f.max && w.satfinite {
		return w.finish(down)
	}
	// The discarded part as a fraction of the last place, in n bits. Scaling by powers of two is exact.
	ulp := math.Abs(f.decode(mag+1) - f.decode(mag))
	if mag == f.max {
		ulp = math.Abs(f.decode(mag) - f.decode(mag-1))
	}
	lost := min((math.Abs(float64(x))-math.Abs(f.decode(mag)))/ulp, 1)
	if uint64(lost*float64(uint64(1)<<n))+random&(1<<n-1) >= 1<<n {
		down++
	}
	return w.finish(down)
}

// cvtToUE8M0: a power of two, 2^(x-127); 0xff is NaN. The sign of the source is ignored, as the format has none. What
// lies below the least power, zero included, becomes it. Overflow without .satfinite gives NaN, for there is no
// infinity.
func cvtToUE8M0(o *opcode, st isa.Type) *Kernel {
	r, explicit := o.rounding()
	if !explicit || r != rz && r != rp {
		return nil
	}
	top := uint64(0xff)
	if o.take("satfinite") {
		top = 0xfe
	}
	one := func(a uint64) uint64 { // a is an f32
		e, m := a>>23&0xff, a&0x7fffff
		switch {
		case e == 0xff && m != 0:
			return 0xff
		case e == 0xff:
			return top
		case r == rz:
			return e
		case e == 0: // 2^-127 is 0x400000 here
			return boolBit(m > 0x400000)
		}
		if e += boolBit(m != 0); e == 0xff {
			return top
		}
		return e
	}
	switch st {
	case isa.F32:
		return &Kernel{F2: func(a, b uint64) uint64 { return one(a)<<8 | one(b) }}
	case isa.BF16x2:
		return &Kernel{F1: func(a uint64) uint64 { return one(a>>16<<16)<<8 | one(a<<16&0xffffffff) }}
	}
	return nil
}

func cvtFromUE8M0(o *opcode, dt isa.Type) *Kernel {
	if dt != isa.BF16x2 || !o.take("rn") {
		return nil
	}
	one := func(a uint64) uint64 { return fmtBF16.encode(scaleUE8M0(a), rn) }
	return &Kernel{F1: func(a uint64) uint64 { return one(a>>8)<<16 | one(a) }}
}

// scaleUE8M0 is the value of a ue8m0.
func scaleUE8M0(a uint64) float64 {
	if a &= 0xff; a == 0xff {
		return math.NaN()
	}
	return math.Float64frombits((a + 1023 - 127) << 52)
}

// The qualifiers for a scale factor of both elements, and for one of each.
const (
	oneScale  = "scaled::n1::ue8m0"
	twoScales = "scaled::n2::ue8m0"
)

// noScale is the scale-factor when none is given: 1 and 1.
const noScale = 0x7f7f

// cvtToS2F6: signed fixed point with six fractional bits, of the source divided by its scale factor. NaN becomes the
// largest value.
func cvtToS2F6(o *opcode, st isa.Type) *Kernel {
	r, explicit := o.rounding()
	if !explicit || r > rz || !o.take("satfinite") {
		return nil
	}
	relu, scale := o.take("relu"), o.take(twoScales)
	one := func(x float64, s uint64) uint64 {
		x = toIntegral(x/scaleUE8M0(s)*64, r)
		switch {
		case x != x || x > 127:
			return 0x7f
		case relu && x < 0:
			return 0
		case x < -128:
			return 0x80
		}
		return uint64(int64(x)) & 0xff
	}
	two := func(a, b float64, s uint64) uint64 { return one(a, s>>8)<<8 | one(b, s) }
	wide := func(a uint64) float64 { return float64(math.Float32frombits(uint32(a))) }
	switch {
	case st == isa.F32 && scale:
		return &Kernel{F3: func(a, b, s uint64) uint64 { return two(wide(a), wide(b), s) }}
	case st == isa.F32:
		return &Kernel{F2: func(a, b uint64) uint64 { return two(wide(a), wide(b), noScale) }}
	case st == isa.BF16x2 && scale:
		return &Kernel{F2: func(a, s uint64) uint64 { return two(wide(a>>16<<16), wide(a<<16), s) }}
	case st == isa.BF16x2:
		return &Kernel{F1: func(a uint64) uint64 { return two(wide(a>>16<<16), wide(a<<16), noScale) }}
	}
	return nil
}
