package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx/isa"
)

// Bits says how values of the untyped .b types are shown.
type Bits string

// The ways to show bits.
const (
	AsHex      Bits = "hex"
	AsUnsigned Bits = "unsigned"
	AsSigned   Bits = "signed"
	AsFloat    Bits = "float"
)

// formatValue writes a register's value as its type says: integers in decimal, floats as the shortest decimal that
// reads back to the same bits, predicates as 1 or 0, bits in hex or as asked.
func formatValue(t isa.Type, lo uint64, hi *uint64, as Bits) string {
	switch t.Class() {
	case isa.Predicate:
		return strconv.FormatUint(lo&1, 10)
	case isa.Bits:
		if hi == nil {
			return formatBits(t.Bits(), lo, as)
		}
	case isa.Unsigned, isa.Signed:
		return formatInteger(t, lo)
	case isa.Float:
		if s, ok := formatFloatType(t, lo); ok {
			return s
		}
	}
	return shortHex(lo, hi)
}

func formatBits(bits int, v uint64, as Bits) string {
	switch {
	case as == AsUnsigned:
		return strconv.FormatUint(v, 10)
	case as == AsSigned:
		return strconv.FormatInt(signExtend(v, bits), 10)
	case as == AsFloat && bits == 32:
		return formatFloat(float64(math.Float32frombits(uint32(v))), 32)
	case as == AsFloat && bits == 64:
		return formatFloat(math.Float64frombits(v), 64)
	case as == AsFloat && bits == 16:
		return formatFloat(halfToFloat(uint16(v)), 32)
	}
	return shortHex(v, nil)
}

func formatInteger(t isa.Type, v uint64) string {
	if t == isa.U16x2 || t == isa.S16x2 {
		part := map[isa.Type]isa.Type{isa.U16x2: isa.U16, isa.S16x2: isa.S16}[t]
		return formatInteger(part, v&0xffff) + ", " + formatInteger(part, v>>16&0xffff)
	}
	if t.Class() == isa.Signed {
		return strconv.FormatInt(signExtend(v, t.Bits()), 10)
	}
	return strconv.FormatUint(v, 10)
}

// formatFloatType covers the floating-point types that have a decimal form here; packed ones list their parts, lower
// bits first. The narrow formats are shown as bits.
func formatFloatType(t isa.Type, v uint64) (string, bool) {
	switch t {
	case isa.F16:
		return formatFloat(halfToFloat(uint16(v)), 32), true
	case isa.BF16:
		return formatFloat(float64(math.Float32frombits(uint32(v&0xffff)<<16)), 32), true
	case isa.F32, isa.TF32:
		return formatFloat(float64(math.Float32frombits(uint32(v))), 32), true
	case isa.F64:
		return formatFloat(math.Float64frombits(v), 64), true
	case isa.F16x2, isa.BF16x2, isa.F32x2:
		part, width := map[isa.Type]isa.Type{isa.F16x2: isa.F16, isa.BF16x2: isa.BF16, isa.F32x2: isa.F32}[t], t.Bits()/2
		low, _ := formatFloatType(part, v&(1<<width-1))
		high, _ := formatFloatType(part, v>>width)
		return low + ", " + high, true
	}
	return "", false
}

// formatFloat is the shortest decimal that reads back to the same value of that many bits: plain for everyday
// magnitudes, with an exponent for the rest.
func formatFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e9) {
		s := strconv.FormatFloat(f, 'e', -1, bits)
		return strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(s)
	}
	return strconv.FormatFloat(f, 'f', -1, bits)
}

// halfToFloat widens an IEEE binary16; exact.
func halfToFloat(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 != 0 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

func signExtend(v uint64, bits int) int64 {
	if bits <= 0 || bits >= 64 {
		return int64(v)
	}
	return int64(v<<(64-bits)) >> (64 - bits)
}

// shortHex is the value without leading zeros.
func shortHex(lo uint64, hi *uint64) string {
	if hi != nil && *hi != 0 {
		return fmt.Sprintf("0x%x%016x", *hi, lo)
	}
	return fmt.Sprintf("0x%x", lo)
}

// fullHex is the value with all digits of the type.
func fullHex(t isa.Type, lo uint64, hi *uint64) string {
	switch {
	case t.Class() == isa.Predicate:
		return strconv.FormatUint(lo&1, 10)
	case hi != nil:
		return fmt.Sprintf("0x%016x%016x", *hi, lo)
	}
	return fmt.Sprintf("0x%0*x", max(1, t.Bits()/4), lo)
}

// maskHex is a mask as eight hex digits.
func maskHex(m emu.Mask) string { return fmt.Sprintf("%08x", uint32(m)) }

// count writes a number with thousands separators.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is "1 thread", "2 threads".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// rate writes events per second in the unit that keeps it short.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 1e9:
		return fmt.Sprintf("%.1f G/s", perSecond/1e9)
	case perSecond >= 1e6:
		return fmt.Sprintf("%.1f M/s", perSecond/1e6)
	case perSecond >= 1e3:
		return fmt.Sprintf("%.1f k/s", perSecond/1e3)
	}
	return fmt.Sprintf("%.0f /s", perSecond)
}

// dims writes a shape as the launch header does: "4", "8,8", "2,2,2".
func dims(d emu.Dim3) string {
	x, y, z := max(d.X, 1), max(d.Y, 1), max(d.Z, 1)
	switch {
	case z > 1:
		return fmt.Sprintf("%d,%d,%d", x, y, z)
	case y > 1:
		return fmt.Sprintf("%d,%d", x, y)
	}
	return strconv.Itoa(x)
}
