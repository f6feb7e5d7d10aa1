package num

import (
	"math"

	"warpscope/ptx/isa"
)

// buildCvt: 9.7.10.24, 9.7.10.25.
func buildCvt(o *opcode) *Kernel {
	if o.take("pack") {
		return cvtPack(o)
	}
	if len(o.types) != 2 {
		return nil
	}
	dt, st := o.types[0], o.types[1]
	di, si := cvtInt(dt), cvtInt(st)
	df, sf := formatOf(dt), formatOf(st)
	switch {
	case di.bits > 0 && si.bits > 0:
		return cvtIntInt(o, di, si)
	case di.bits > 0 && sf != nil:
		return cvtFloatInt(o, di, sf)
	case df != nil && si.bits > 0:
		return cvtIntFloat(o, df, si)
	case df != nil && sf != nil:
		return cvtFloatFloat(o, df, sf)
	case dt == isa.TF32 && st == isa.F32:
		return cvtTF32(o)
	}
	return cvtPacked(o, dt, st)
}

// cvtInt is integer with the 8-bit types, which cvt may use.
func cvtInt(t isa.Type) intType {
	switch t {
	case isa.U8:
		return intType{8, false}
	case isa.S8:
		return intType{8, true}
	}
	return integer(t, false)
}

// cvtIntInt chops or extends; the result has the sign extension of the destination type.
func cvtIntInt(o *opcode, dt, st intType) *Kernel {
	if !o.take("sat") {
		return &Kernel{F1: func(a uint64) uint64 { return dt.extend(st.extend(a)) }}
	}
	least, greatest := dt.limits()
	return &Kernel{F1: func(a uint64) uint64 {
		a = st.extend(a)
		switch {
		case st.signed && int64(a) < least:
			return uint64(least)
		case st.signed && int64(a) < 0:
			return a
		}
		return min(a, uint64(greatest))
	}}
}

// toIntegral rounds to an integer by .rni, .rzi, .rmi or .rpi. Zero keeps its sign.
func toIntegral(x float64, mode rounding) float64 {
	switch mode {
	case rn:
		return math.RoundToEven(x)
	case rz:
		return math.Trunc(x)
	case rm:
		return math.Floor(x)
	}
	return math.Ceil(x)
}

// integerRounding takes .rni, .rzi, .rmi or .rpi.
func (o *opcode) integerRounding() (mode rounding, explicit bool) {
	switch o.oneOf("rni", "rzi", "rmi", "rpi") {
	case "rni":
		return rn, true
	case "rzi":
		return rz, true
	case "rmi":
		return rm, true
	case "rpi":
		return rp, true
	}
	return rn, false
}

// cvtFloatInt clamps by default. NaN is 0 unless the source is .f64 or the destination has 64 bits, then 1<<(bits-1).
func cvtFloatInt(o *opcode, dt intType, sf *format) *Kernel {
	mode, explicit := o.integerRounding()
	if !explicit {
		return nil
	}
	ftz := sf == &fmtF32 && o.take("ftz")
	o.take("sat") // redundant here
	var nan uint64
	if sf == &fmtF64 || dt.bits == 64 {
		nan = dt.extend(1 << (dt.bits - 1))
	}
	read := reader(sf, ftz)
	if sf == &fmtF32 && mode == rz && dt == (intType{32, true}) && !ftz {
		return &Kernel{F1: truncS32}
	}
	if dt.bits == 64 {
		return &Kernel{F1: func(a uint64) uint64 {
			if x := read(a); x == x {
				return toInt64(toIntegral(x, mode), dt.signed)
			}
			return nan
		}}
	}
	l, g := dt.limits()
	least, greatest := float64(l), float64(g)
	return &Kernel{F1: func(a uint64) uint64 {
		x := read(a)
		if x != x {
			return nan
		}
		switch x = toIntegral(x, mode); {
		case x < least:
			return uint64(l)
		case x > greatest:
			return uint64(g)
		}
		return uint64(int64(x))
	}}
}

// truncS32 is cvt.rzi.s32.f32, what compilers make of a cast.
func truncS32(a uint64) uint64 {
	switch x := math.Float32frombits(uint32(a)); {
	case x >= 1<<31:
		return math.MaxInt32
	case x >= -1<<31:
		return uint64(int64(x))
	case x != x:
		return 0
	}
	return 0xffffffff80000000
}

// toInt64 converts an integral value and clamps it.
func toInt64(x float64, signed bool) uint64 {
	const two63 = 1 << 63
	switch {
	case signed && x >= two63:
		return math.MaxInt64
	case signed && x < -two63:
		return 1 << 63
	case !signed && x <= 0:
		return 0
	case !signed && x >= 2*two63:
		return math.MaxUint64
	case x >= two63:
		return uint64(int64(x-two63)) | 1<<63
	}
	return uint64(int64(x))
}

// reader decodes an operand to float64, which holds every value of every format.
func reader(f *format, ftz bool) func(a uint64) float64 {
	switch {
	case f == &fmtF64:
		return math.Float64frombits
	case f == &fmtF32:
		m := f32{ftz: ftz}
		return func(a uint64) float64 { return float64(m.in(a)) }
	}
	return func(a uint64) float64 { return f.decode(a & 0xffff) }
}

// cvtIntFloat rounds once, also 64-bit integers.
func cvtIntFloat(o *opcode, df *format, st intType) *Kernel {
	r, explicit := o.rounding()
	if !explicit {
		return nil
	}
	w := floatWriter{f: df, r: r, sat: df != &fmtBF16 && o.take("sat")}
	if df == &fmtF32 {
		o.take("ftz") // no integer is subnormal
	}
	if st.bits == 64 {
		return &Kernel{F1: func(a uint64) uint64 { return w.finish(df.round(fromInt(a, st.signed), r)) }}
	}
	if df == &fmtF32 && r == rn && !w.sat && st == (intType{32, true}) {
		return &Kernel{F1: func(a uint64) uint64 { return uint64(math.Float32bits(float32(int32(a)))) }}
	}
	write := w.writer()
	if st.signed {
		return &Kernel{F1: func(a uint64) uint64 { return write(float64(int64(st.extend(a)))) }}
	}
	return &Kernel{F1: func(a uint64) uint64 { return write(float64(st.extend(a))) }}
}

// floatWriter rounds values to a format and applies the modifiers of the result.
type floatWriter struct {
	f                         *format
	r                         rounding
	ftz, sat, relu, satfinite bool
	pzo                       bool // a zero is +0
}

// writer is the function that converts a float64; single precision has a fast one.
func (w floatWriter) writer() func(x float64) uint64 {
	switch {
	case w.f == &fmtF32:
		m := f32{w.r, w.ftz, w.sat}
		return func(x float64) uint64 { return m.out(m.fit(x)) }
	case w.f == &fmtF64 && !w.sat:
		return func(x float64) uint64 {
			if x != x {
				return math.Float64bits(x) | quiet64
			}
			return math.Float64bits(x)
		}
	case w.f == &fmtF64:
		return func(x float64) uint64 { return saturate(math.Float64bits(x), sign64, w.f.one(), uint64(inf64)) }
	}
	return w.write
}

// write encodes a value. A NaN becomes the format's NaN, or its largest number when it has none (.satfinite). Formats
// below 16 bits always saturate.
func (w floatWriter) write(x float64) uint64 {
	if x != x && w.f.nan == 0 {
		return w.f.max
	}
	a := w.f.encode(x, w.r)
	if w.satfinite && a&(w.f.signBit()-1) == w.f.inf && w.f.inf != 0 {
		a--
	}
	return w.finish(a)
}

// finish applies .sat, or .relu, which clamps negative numbers and -0 to +0, or .pzo.
func (w floatWriter) finish(a uint64) uint64 {
	switch {
	case w.sat:
		return saturate(a, w.f.signBit(), w.f.one(), w.f.inf)
	case w.relu && a&w.f.signBit() != 0, w.pzo && a == w.f.signBit():
		return 0
	}
	return a
}

// cvtFloatFloat: between scalar formats, or to an integral value in the same format. .ftz applies to .f32 inputs and
// results only. NaN payloads reach .f64 only.
func cvtFloatFloat(o *opcode, df, sf *format) *Kernel {
	mode, integral := o.integerRounding()
	r, explicit := o.rounding()
	if integral && (explicit || df != sf) {
		return nil
	}
	ftz := (df == &fmtF32 || sf == &fmtF32) && o.take("ftz")
	w := floatWriter{f: df, r: r, ftz: ftz, sat: df != &fmtBF16 && o.take("sat")}
	if (df == &fmtF16 || df == &fmtBF16) && sf == &fmtF32 {
		w.relu, w.satfinite, w.pzo = o.take("relu"), o.take("satfinite"), r <= rz && o.take("pzo")
	}
	read, write := reader(sf, ftz), w.writer()
	if sf == &fmtF32 && df == &fmtF64 {
		read = widen32(read)
	}
	if integral {
		return &Kernel{F1: func(a uint64) uint64 {
			x := read(a)
			if x == x {
				x = toIntegral(x, mode)
			}
			return write(x)
		}}
	}
	return &Kernel{F1: func(a uint64) uint64 { return write(read(a)) }}
}

// widen32 keeps the payload of a NaN on every host.
func widen32(read func(uint64) float64) func(uint64) float64 {
	return func(a uint64) float64 {
		if fmtF32.isNaN(a) {
			return fmtF32.decode(a & 0xffffffff)
		}
		return read(a)
	}
}

// cvtTF32 keeps 10 bits of mantissa; the layout is that of .f32 with 13 zeros below (5.2.3 leaves it open).
func cvtTF32(o *opcode) *Kernel {
	r, explicit := o.rounding()
	if !explicit {
		if !o.take("rna") {
			return nil
		}
		r = rna
	}
	w := floatWriter{f: &fmtTF32, r: r, relu: o.take("relu"), satfinite: o.take("satfinite")}
	w.pzo = explicit && o.take("pzo")
	return &Kernel{F1: func(a uint64) uint64 {
		if fmtF32.isNaN(a & 0xffffffff) {
			return nan32
		}
		return w.write(float64(math.Float32frombits(uint32(a)))) << 13
	}}
}
