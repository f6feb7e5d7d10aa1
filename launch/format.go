package launch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// FormatValue writes a value as its type: integers in decimal, bit types in hexadecimal, predicates as 0 or 1,
// floating point as the shortest decimal that reads back to the same bits (or inf, nan), packed types as "(low, high)",
// or four values. hi is the upper half of 128-bit values.
func FormatValue(t isa.Type, lo, hi uint64) string {
	n := t.Bits()
	if part, ok := packed[t]; ok {
		var parts []string
		for at := 0; at < n; at += part.Bits() {
			parts = append(parts, FormatValue(part, lo>>at&(1<<part.Bits()-1), 0))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	switch {
	case t == isa.F32 || t == isa.F64 || narrow[t].decode != nil:
		return formatFloat(t, lo)
	case t == isa.TF32:
		return formatFloat(isa.F32, lo)
	case n == 0 || n > 64 || t.Class() == isa.Bits || t.Class() == isa.Float:
		return FormatHex(t, lo, hi)
	case t.Class() == isa.Signed:
		return strconv.FormatInt(int64(t.Extend(lo)), 10)
	}
	return strconv.FormatUint(t.Extend(lo), 10)
}

// packed are the types that hold two or four values of another.
var packed = map[isa.Type]isa.Type{
	isa.F16x2: isa.F16, isa.BF16x2: isa.BF16, isa.U16x2: isa.U16, isa.S16x2: isa.S16, isa.F32x2: isa.F32,
	isa.U8x4: isa.U8, isa.S8x4: isa.S8,
}

// FormatHex writes the bits with as many hexadecimal digits as the type has.
func FormatHex(t isa.Type, lo, hi uint64) string {
	switch n := t.Bits(); {
	case t == isa.Pred:
		return strconv.FormatUint(lo&1, 10)
	case n > 64:
		return fmt.Sprintf("0x%016x%016x", hi, lo)
	case n == 0 || n == 64:
		return fmt.Sprintf("0x%016x", lo)
	default:
		return fmt.Sprintf("0x%0*x", (n+3)/4, lo&(1<<n-1))
	}
}

// FormatElement writes the element at the start of b, vectors as "(1, 2, 3, 4)". b holds at least e.Size() bytes.
func FormatElement(e Elem, b []byte) string { return FormatNth(e, b, 0) }

// FormatNth writes element n of those in b.
func FormatNth(e Elem, b []byte, n int) string {
	if e.Lanes == 1 {
		return FormatValue(e.Type, component(b, e.Type, n), 0)
	}
	parts := make([]string, e.Lanes)
	for i := range parts {
		parts[i] = FormatValue(e.Type, component(b, e.Type, n*e.Lanes+i), 0)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Widened gives the numbers of a floating-point type below 32 bits as f32, which holds them exactly, and others as they
// are. numbers counts the components of vectors.
func Widened(t isa.Type, data []byte, numbers int) (isa.Type, []byte) {
	f, ok := narrow[t]
	if !ok {
		return t, data
	}
	out := make([]byte, 4*numbers)
	for i := range numbers {
		putBits(out[4*i:], 4, fromFloat(isa.F32, f.decode(component(data, t, i))))
	}
	return isa.F32, out
}

// formatFloat writes the shortest decimal that reads back as the same bits, or the exact value of a type of at most 8
// bits. From 1e-4 to below 1e9 (1e15 for f64) it has no exponent. Integers in that range are written in full: 65504 and
// not 65500 for the largest f16.
func formatFloat(t isa.Type, bits uint64) string {
	v := toFloat(t, bits)
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	case v == 0:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	large := 9 // the decimal exponent from which numbers are written with one
	if t == isa.F64 {
		large = 15
	}
	if v == math.Trunc(v) && math.Abs(v) < math.Pow10(large) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	precision, width := -1, max(t.Bits(), 32)
	switch {
	case t.Bits() <= 8: // few values: 1.25 and not 1.2
		width = 64
	case t.Bits() == 16:
		precision, width = shortest(t, bits, v), 64
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', precision, width), "e")
	exp, _ := strconv.Atoi(exponent)
	if exp < -4 || exp >= large {
		return mantissa + "e" + strconv.Itoa(exp)
	}
	return plain(mantissa, exp)
}

// shortest is the number of decimals in e notation that a 16-bit format needs.
func shortest(t isa.Type, bits uint64, v float64) int {
	for p := 0; ; p++ {
		back, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', p, 64), 64)
		if p == 17 || fromFloat(t, back) == bits {
			return p
		}
	}
}

// plain writes the digits of e notation without an exponent.
func plain(mantissa string, exp int) string {
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	switch point := exp + 1; {
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		return sign + digits + strings.Repeat("0", point-len(digits))
	default:
		return sign + digits[:point] + "." + digits[point:]
	}
}

// toFloat is the value of a floating-point type's bits, which a float64 holds exactly.
func toFloat(t isa.Type, bits uint64) float64 {
	switch t {
	case isa.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case isa.F64:
		return math.Float64frombits(bits)
	}
	return narrow[t].decode(bits)
}

// fromFloat rounds to the nearest value of the type, ties to even.
func fromFloat(t isa.Type, v float64) uint64 {
	switch t {
	case isa.F32:
		return uint64(math.Float32bits(float32(v)))
	case isa.F64:
		return math.Float64bits(v)
	}
	return narrow[t].encode(v)
}

// narrow are the conversions of the floating-point types of at most 16 bits.
var narrow = func() map[isa.Type]codec {
	m := map[isa.Type]codec{}
	for _, t := range elemTypes {
		if decode := num.Decoder(t); decode != nil && t != isa.F32 {
			m[t] = codec{decode, num.Encoder(t)}
		}
	}
	return m
}()

type codec struct {
	decode func(uint64) float64
	encode func(float64) uint64
}
