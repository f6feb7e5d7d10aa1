package num

import (
	"math"

	"warpscope/ptx/isa"
)

// cvtPack: 9.7.9.22. a and b are saturated; b goes to the low bits, a above it, c above both.
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
	case st == isa.S2F6x2:
		return cvtFromS2F6(o, dt)
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
	r, explicit := o.rounding()
	w := floatWriter{f: df, r: r, relu: o.take("relu")}
	w.satfinite = o.take("satfinite")
	switch {
	case !explicit || r > rz || !half && (r != rn || !w.satfinite):
		return nil
	case st == isa.F32:
		return packFromF32(dt, w)
	case half && df == &fmtF16 && sf != nil && st.Bits() <= 16 && !w.satfinite:
		return repack(w, sf, 16, elementBits(st))
	case !half && (st == isa.F16x2 || st == isa.BF16x2):
		return repack(w, sf, elementBits(dt), 16)
	}
	return nil
}

// elementBits is the distance of the two elements of an x2 type.
func elementBits(t isa.Type) uint { return uint(t.Bits()) / 2 }

func packFromF32(dt isa.Type, w floatWriter) *Kernel {
	n := elementBits(dt)
	read := f32{}
	return &Kernel{F2: func(a, b uint64) uint64 {
		return w.write(float64(read.in(a)))<<n | w.write(float64(read.in(b)))
	}}
}

// repack converts both elements of one operand.
func repack(w floatWriter, sf *format, dn, sn uint) *Kernel {
	mask := sf.mask()
	return &Kernel{F1: func(a uint64) uint64 {
		return w.write(sf.decode(a>>sn&mask))<<dn | w.write(sf.decode(a&mask))
	}}
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

const scaled = "scaled::n2::ue8m0"

// noScale is the scale-factor when none is given: 1 and 1.
const noScale = 0x7f7f

// cvtToS2F6: signed fixed point with six fractional bits, of the source divided by its scale factor. NaN becomes the
// largest value.
func cvtToS2F6(o *opcode, st isa.Type) *Kernel {
	if !o.take("rn") || !o.take("satfinite") {
		return nil
	}
	relu, scale := o.take("relu"), o.take(scaled)
	one := func(x float64, s uint64) uint64 {
		x = math.RoundToEven(x / scaleUE8M0(s) * 64)
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

// cvtFromS2F6: the value times its scale factor.
func cvtFromS2F6(o *opcode, dt isa.Type) *Kernel {
	if dt != isa.BF16x2 || !o.take("rn") {
		return nil
	}
	w := floatWriter{f: &fmtBF16, satfinite: o.take("satfinite"), relu: o.take("relu")}
	one := func(a, s uint64) uint64 { return w.write(float64(int8(a)) / 64 * scaleUE8M0(s)) }
	if o.take(scaled) {
		return &Kernel{F2: func(a, s uint64) uint64 { return one(a>>8, s>>8)<<16 | one(a, s) }}
	}
	return &Kernel{F1: func(a uint64) uint64 { return one(a>>8, 0x7f)<<16 | one(a, 0x7f) }}
}
