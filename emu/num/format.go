package num

import (
	"math"
	"math/bits"

	"warpscope/ptx/isa"
)

// format is a binary floating-point format: sign, exp exponent bits with bias 2^(exp-1)-1, man mantissa bits.
type format struct {
	exp, man uint
	inf      uint64 // encoding of +infinity; 0 when there is none
	max      uint64 // encoding of the largest finite value
	nan      uint64 // what an operation returns for NaN; 0 when there is none
	nanFrom  uint64 // magnitudes from here up are NaN
}

// The formats of 5.2.2 and 5.2.3.
var (
	fmtF16  = format{exp: 5, man: 10, inf: 0x7c00, max: 0x7bff, nan: 0x7fff, nanFrom: 0x7c01}
	fmtBF16 = format{exp: 8, man: 7, inf: 0x7f80, max: 0x7f7f, nan: 0x7fff, nanFrom: 0x7f81}
	fmtTF32 = format{exp: 8, man: 10, inf: 0x3fc00, max: 0x3fbff, nan: 0x3ffff, nanFrom: 0x3fc01}
	fmtF32  = format{
		exp: 8, man: 23, inf: 0x7f800000, max: 0x7f7fffff, nan: 0x7fffffff, nanFrom: 0x7f800001,
	}
	fmtF64 = format{
		exp: 11, man: 52, inf: 0x7ff0000000000000, max: 0x7fefffffffffffff, nan: invalid64, nanFrom: 0x7ff0000000000001,
	}
	fmtE5M2 = format{exp: 5, man: 2, inf: 0x7c, max: 0x7b, nan: 0x7f, nanFrom: 0x7d}
	fmtE4M3 = format{exp: 4, man: 3, max: 0x7e, nan: 0x7f, nanFrom: 0x7f}
	// The unsigned ue5m3 has all eight bits for its magnitude; the sign bit is one that no value has.
	fmtUE5M3 = format{exp: 5, man: 3, max: 0xfe, nan: 0xff, nanFrom: 0xff}
	fmtE3M2  = format{exp: 3, man: 2, max: 0x1f, nanFrom: 0x20}
	fmtE2M3  = format{exp: 2, man: 3, max: 0x1f, nanFrom: 0x20}
	fmtE2M1  = format{exp: 2, man: 1, max: 0x7, nanFrom: 0x8}
)

// formatOf is the format of a scalar floating-point type, nil for others.
func formatOf(t isa.Type) *format {
	switch t {
	case isa.F16:
		return &fmtF16
	case isa.BF16:
		return &fmtBF16
	case isa.F32:
		return &fmtF32
	case isa.F64:
		return &fmtF64
	}
	return nil
}

// laneOf is the format of the lanes of a packed type, nil for others.
func laneOf(t isa.Type) *format {
	switch t {
	case isa.F16x2:
		return &fmtF16
	case isa.BF16x2:
		return &fmtBF16
	case isa.E4M3x2, isa.E4M3x4:
		return &fmtE4M3
	case isa.E5M2x2, isa.E5M2x4:
		return &fmtE5M2
	case isa.E2M3x2, isa.E2M3x4:
		return &fmtE2M3
	case isa.E3M2x2, isa.E3M2x4:
		return &fmtE3M2
	case isa.E2M1x2, isa.E2M1x4:
		return &fmtE2M1
	}
	return nil
}

// open is a format that has infinity, or NaN in its place, for what is too large.
func (f format) open() *format {
	if f.inf == 0 {
		f.inf = f.nan
	}
	return &f
}

func (f *format) signBit() uint64 { return 1 << (f.exp + f.man) }
func (f *format) bias() int       { return 1<<(f.exp-1) - 1 }
func (f *format) one() uint64     { return uint64(f.bias()) << f.man }
func (f *format) mask() uint64    { return f.signBit()<<1 - 1 }

func (f *format) isNaN(a uint64) bool { return a&(f.signBit()-1) >= f.nanFrom }

// isSubnormal holds for zero too.
func (f *format) isSubnormal(a uint64) bool { return a&(f.signBit()-1) < 1<<f.man }

// flush is .ftz: subnormal numbers become zero and keep their sign.
func (f *format) flush(a uint64) uint64 {
	if f.isSubnormal(a) {
		return a & f.signBit()
	}
	return a
}

// unpack is the value of a finite or infinite number; NaN must have been dealt with.
func (f *format) unpack(a uint64) exact {
	sign := f.signBit()
	x := exact{neg: a&sign != 0}
	a &= sign - 1
	if f.inf != 0 && a >= f.inf {
		x.inf = true
		return x
	}
	e := int(a >> f.man)
	x.hi = a & (1<<f.man - 1)
	if e == 0 {
		e = 1
	} else {
		x.hi |= 1 << f.man
	}
	x.exp = e - f.bias() - int(f.man) - 64
	return x
}

// rounding is a rounding modifier.
type rounding uint8

// The modifiers of 6.5.1 and cvt: nearest even, toward zero, toward -infinity, toward +infinity, nearest away.
const (
	rn rounding = iota
	rz
	rm
	rp
	rna
)

// rounding takes the rounding modifier off an opcode; there may be none.
func (o *opcode) rounding() (r rounding, explicit bool) {
	switch o.oneOf("rn", "rz", "rm", "rp") {
	case "rn":
		return rn, true
	case "rz":
		return rz, true
	case "rm":
		return rm, true
	case "rp":
		return rp, true
	}
	return rn, false
}

// up says whether a magnitude with these discarded bits is rounded away from zero.
func (r rounding) up(neg, odd, half, sticky bool) bool {
	switch r {
	case rn:
		return half && (sticky || odd)
	case rna:
		return half
	case rm:
		return neg && (half || sticky)
	case rp:
		return !neg && (half || sticky)
	}
	return false
}

// round encodes an exact number. Overflow gives infinity or the largest finite number as the mode says, always the
// latter where the format has no infinity.
func (f *format) round(x exact, r rounding) uint64 {
	var sign uint64
	if x.neg {
		sign = f.signBit()
	}
	switch {
	case x.inf && f.inf == 0:
		return sign | f.max
	case x.inf:
		return sign | f.inf
	case x.hi|x.lo == 0:
		return sign
	}
	x = x.normalized()
	e := x.exp + 127 // the value is 1.xxx·2^e
	keep := int(f.man) + 1
	biased := e + f.bias() - 1 // one less: the implicit bit of q adds it back
	if biased < 0 {            // subnormal: fewer bits are kept
		keep = max(keep+biased, -1)
		biased = 0
	}
	var q uint64
	half, sticky := false, true
	if keep >= 0 {
		rest := x.hi << keep
		q, half, sticky = x.hi>>(64-keep), rest>>63 != 0, rest<<1 != 0 || x.lo != 0
	}
	if r.up(x.neg, q&1 != 0, half, sticky) {
		q++
	}
	if biased > int(f.max>>f.man) {
		return sign | f.overflow(x.neg, r)
	}
	a := uint64(biased)<<f.man + q
	if a > f.max {
		a = f.overflow(x.neg, r)
	}
	return sign | a
}

// overflow is the magnitude of a result beyond the largest finite number.
func (f *format) overflow(neg bool, r rounding) uint64 {
	if f.inf == 0 || r == rz || r == rm && !neg || r == rp && neg {
		return f.max
	}
	return f.inf
}

// decode is the value as a float64, exactly. NaN keeps its payload, quieted.
func (f *format) decode(a uint64) float64 {
	if f.man == 52 {
		return math.Float64frombits(a)
	}
	sign := f.signBit()
	mag := a & (sign - 1)
	var out uint64
	switch shift := 52 - f.man; {
	case mag >= f.nanFrom:
		out = 0x7ff8000000000000 | mag<<shift&(1<<52-1)
	case f.inf != 0 && mag == f.inf:
		out = 0x7ff0000000000000
	case mag>>f.man != 0:
		out = mag<<shift + uint64(1023-f.bias())<<52
	case mag != 0: // subnormal here, normal in float64
		lead := 63 - bits.LeadingZeros64(mag)
		out = uint64(lead-int(f.man)-f.bias()+1+1023)<<52 | mag<<(52-lead)&(1<<52-1)
	}
	if a&sign != 0 {
		out |= 1 << 63
	}
	return math.Float64frombits(out)
}

// encode rounds a float64 to a narrower format. NaN becomes the format's NaN. What round does with any number is done
// here on the bits of a float64, except for subnormal results of the directed modes.
func (f *format) encode(v float64, r rounding) uint64 {
	bits := math.Float64bits(v)
	sign := bits >> 63 << (f.exp + f.man)
	bits &^= sign64
	shift := 52 - f.man
	switch rebias := uint64(1023-f.bias()) << 52; {
	case v != v:
		return f.nan
	case bits >= rebias+1<<52: // normal or too large
		bits -= rebias
		rest := bits & (1<<shift - 1)
		half := uint64(1) << (shift - 1)
		a := bits >> shift
		if r.up(sign != 0, a&1 != 0, rest&half != 0, rest&(half-1) != 0) {
			a++
		}
		if a > f.max {
			if v-v != 0 && f.inf != 0 {
				return sign | f.inf
			}
			a = f.overflow(sign != 0, r)
		}
		return sign | a
	case r == rn: // adding 2^52 units in the last place lets the hardware round
		unit := uint64(1-f.bias()-int(f.man)+52+1023) << 52
		return sign | (math.Float64bits(math.Float64frombits(bits)+math.Float64frombits(unit)) - unit)
	}
	return f.round(fmtF64.unpack(math.Float64bits(v)), r)
}
