package ui

import (
	"fmt"
	"strconv"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
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

// formatValue writes a register's value by its type: integers in decimal, floats as the shortest decimal that reads
// back to the same bits, predicates as 1 or 0, bits in hex without leading zeros or as asked.
func formatValue(t isa.Type, lo uint64, hi *uint64, as Bits) string {
	if t.Class() != isa.Bits || t.Bits() > 64 {
		return launch.FormatValue(t, lo, upper(hi))
	}
	if read := readAs(t, as); read != t {
		return launch.FormatValue(read, lo, 0)
	}
	return "0x" + strconv.FormatUint(lo, 16)
}

// readAs is the type of the same width that shows bits as asked, or the type itself if there is none.
func readAs(t isa.Type, as Bits) isa.Type {
	readings := map[Bits]map[int]isa.Type{
		AsUnsigned: {8: isa.U8, 16: isa.U16, 32: isa.U32, 64: isa.U64},
		AsSigned:   {8: isa.S8, 16: isa.S16, 32: isa.S32, 64: isa.S64},
		AsFloat:    {16: isa.F16, 32: isa.F32, 64: isa.F64},
	}
	if read, ok := readings[as][t.Bits()]; ok {
		return read
	}
	return t
}

func upper(hi *uint64) uint64 {
	if hi == nil {
		return 0
	}
	return *hi
}

// fullHex is the value with all digits of the type.
func fullHex(t isa.Type, lo uint64, hi *uint64) string { return launch.FormatHex(t, lo, upper(hi)) }

// maskHex is a mask as eight hex digits.
func maskHex(m emu.Mask) string { return fmt.Sprintf("%08x", uint32(m)) }

// count writes a number with thousands separators.
func count(n int64) string { return ptx.Thousands(n) }

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
