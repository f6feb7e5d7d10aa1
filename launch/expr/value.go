package expr

import (
	"fmt"
	"math"
	"strconv"

	"warpscope/emu/num"
)

// Kind is what the 64 bits of a value mean.
type Kind uint8

// The kinds.
const (
	Bool     Kind = iota // 0 or 1
	Unsigned             // 64 bits
	Signed               // 64 bits, two's complement
	Float                // a float64
)

// Lanes is how many values a Row has.
const Lanes = 32

// Row is the values of an expression in the 32 lanes of a warp.
type Row struct {
	Kind  Kind
	Same  bool   // one value for the whole warp; all lanes have it
	None  uint32 // lanes without a value; bit i is lane i
	Lanes [Lanes]uint64
}

// Uniform is a row with one value for the whole warp.
func Uniform(k Kind, bits uint64) Row {
	r := Row{Kind: k, Same: true}
	for i := range r.Lanes {
		r.Lanes[i] = bits
	}
	return r
}

// True is the lanes in which the value is true, which for numbers is: not zero.
func (r *Row) True() (mask uint32) {
	for i, bits := range r.Lanes {
		if bits != 0 && (r.Kind != Float || math.Float64frombits(bits) != 0) {
			mask |= 1 << i
		}
	}
	return mask &^ r.None
}

// Text writes the value of a lane.
func (r *Row) Text(lane int) string {
	bits := r.Lanes[lane]
	switch {
	case r.None>>lane&1 != 0:
		return "·"
	case r.Kind == Bool:
		return strconv.FormatBool(bits != 0)
	case r.Kind == Signed:
		return strconv.FormatInt(int64(bits), 10)
	case r.Kind == Float:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	}
	return strconv.FormatUint(bits, 10)
}

// As reads the low bits of a register as a type of PTX, named without its dot: "u8" to "s64", "b8" to "b64", "f16",
// "f32", "f64" or "pred". ok is false for another type.
func As(name string, bits uint64) (k Kind, value uint64, ok bool) {
	if name == "pred" {
		return Bool, bits & 1, true
	}
	if name == "" {
		return 0, 0, false
	}
	size, err := strconv.Atoi(name[1:])
	if err != nil || size != 8 && size != 16 && size != 32 && size != 64 {
		return 0, 0, false
	}
	shift := 64 - size
	switch letter := name[0]; {
	case letter == 'u' || letter == 'b':
		return Unsigned, bits << shift >> shift, true
	case letter == 's':
		return Signed, uint64(int64(bits<<shift) >> shift), true
	case name == "f64":
		return Float, bits, true
	case name == "f32":
		return Float, math.Float64bits(float64(math.Float32frombits(uint32(bits)))), true
	case name == "f16":
		return Float, math.Float64bits(num.FromF16(uint16(bits))), true
	}
	return 0, 0, false
}

// Error is what is wrong with an expression, and where: Start and End are byte offsets in its text.
type Error struct {
	Start, End int
	Message    string
}

func (e *Error) Error() string { return e.Message }

func errorAt(start, end int, format string, args ...any) *Error {
	return &Error{start, end, fmt.Sprintf(format, args...)}
}
