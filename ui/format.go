package ui

import (
	"fmt"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Bits says how values are read. A register is read by its type, unless the user chose a reading for it; types .b are
// read as the user chose for all of them.
type Bits string

// The readings. Those with several numbers begin with the lowest bits.
const (
	ByType     Bits = ""
	AsHex      Bits = "hex"
	AsUnsigned Bits = "unsigned"
	AsSigned   Bits = "signed"
	AsFloat    Bits = "float"
	AsBinary   Bits = "binary"
	AsF16x2    Bits = "f16x2"
	AsBF16x2   Bits = "bf16x2"
	AsE4M3     Bits = "e4m3"
	AsE5M2     Bits = "e5m2"
	AsS8x4     Bits = "s8x4"
	AsB1       Bits = "b1"
)

// readings are all readings that can be chosen, in the order of the choosers.
var readings = []Bits{AsHex, AsUnsigned, AsSigned, AsFloat, AsBinary, AsF16x2, AsBF16x2, AsE4M3, AsE5M2, AsS8x4, AsB1}

// parts are the types of the numbers that a reading finds side by side.
var parts = map[Bits]isa.Type{AsF16x2: isa.F16, AsBF16x2: isa.BF16, AsE4M3: isa.E4M3, AsE5M2: isa.E5M2, AsS8x4: isa.S8}

// formatValue writes a value. By its type: integers in decimal, floats as the shortest decimal that reads back to the
// same bits, predicates as T or F, bits in hex without leading zeros.
func formatValue(t isa.Type, lo uint64, hi *uint64, as Bits) string {
	switch part, n := parts[as], t.Bits(); {
	case t == isa.Pred:
		return "FT"[lo&1 : lo&1+1]
	case as == ByType && t.Class() != isa.Bits || n > 64:
		return launch.FormatValue(t, lo, upper(hi))
	case as == AsBinary:
		return "0b" + strconv.FormatUint(lo, 2)
	case as == AsB1:
		return bits(lo, n)
	case part != isa.NoType && n >= part.Bits():
		return sideBySide(part, lo, n)
	}
	if read := readAs(t, as); read != t || as == ByType && t.Class() != isa.Bits {
		return launch.FormatValue(read, lo, 0)
	}
	return "0x" + strconv.FormatUint(lo, 16)
}

// sideBySide writes the numbers of a type that n bits hold, the lowest bits first.
func sideBySide(part isa.Type, lo uint64, n int) string {
	var list []string
	for at := 0; at < n; at += part.Bits() {
		list = append(list, launch.FormatValue(part, lo>>at&(1<<part.Bits()-1), 0))
	}
	return strings.Join(list, " ")
}

// bits writes n bits, bit 0 first, in groups of eight.
func bits(lo uint64, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 && i%8 == 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('0' + byte(lo>>i&1))
	}
	return b.String()
}

// wholes are the types of whole values by reading and width.
var wholes = map[Bits]map[int]isa.Type{
	AsUnsigned: {8: isa.U8, 16: isa.U16, 32: isa.U32, 64: isa.U64},
	AsSigned:   {8: isa.S8, 16: isa.S16, 32: isa.S32, 64: isa.S64},
	AsFloat:    {16: isa.F16, 32: isa.F32, 64: isa.F64},
}

// readAs is the type of the same width that shows a value as asked, or the type itself if there is none.
func readAs(t isa.Type, as Bits) isa.Type {
	if read, ok := wholes[as][t.Bits()]; ok {
		return read
	}
	return t
}

// reading is how a register's value is read: as the user chose for it, by its type or what it is a fragment of, or as
// the user chose for all bits.
func (m *Model) reading(reg string, t isa.Type) Bits {
	if as := m.Readings[reg]; as != ByType {
		return as
	}
	if t.Class() != isa.Bits {
		return ByType
	}
	if as := m.Fragments[reg]; as != ByType && m.Bits == AsHex && t.Bits() == 32 {
		return as
	}
	return m.Bits
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

func boolWord(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
