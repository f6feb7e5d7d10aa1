package launch

import (
	"math/bits"
	"strconv"

	"warpscope/ptx/isa"
)

// Elem is the type of a buffer's elements: a scalar, or a vector of two or four.
type Elem struct {
	Type  isa.Type
	Lanes int // components: 1, 2 or 4
}

var elemTypes = []isa.Type{
	isa.U8, isa.S8, isa.B8, isa.U16, isa.S16, isa.B16, isa.F16, isa.BF16,
	isa.U32, isa.S32, isa.B32, isa.F32, isa.U64, isa.S64, isa.B64, isa.F64,
}

func elemNames() []string {
	names := make([]string, len(elemTypes))
	for i, t := range elemTypes {
		names[i] = t.String()[1:]
	}
	return names
}

// ParseElem reads a type as headers write it: "f32", "u8x4".
func ParseElem(s string) (Elem, bool) {
	lanes := 1
	if n := len(s); n > 2 && s[n-2] == 'x' && (s[n-1] == '2' || s[n-1] == '4') {
		s, lanes = s[:n-2], int(s[n-1]-'0')
	}
	for _, t := range elemTypes {
		if t.String()[1:] == s {
			return Elem{t, lanes}, true
		}
	}
	return Elem{}, false
}

func (e Elem) String() string {
	if e.Lanes == 1 {
		return e.Type.String()[1:]
	}
	return e.Type.String()[1:] + "x" + strconv.Itoa(e.Lanes)
}

// Size is the size in bytes.
func (e Elem) Size() int { return e.Type.Bytes() * e.Lanes }

// Elem is the parsed element type.
func (a *Arg) Elem() Elem {
	e, ok := ParseElem(a.Type)
	if !ok {
		return Elem{isa.B8, 1}
	}
	return e
}

// Len is the number of elements: 1 for scalars.
func (a *Arg) Len() int {
	n := 1
	for _, d := range a.Dims {
		n *= d
	}
	return n
}

// Size is the size in bytes.
func (a *Arg) Size() int { return a.Len() * a.Elem().Size() }

// maxBytes bounds sizes so that sums of them do not overflow; no machine has so much memory.
const maxBytes = 1 << 46

// size is Size, and whether the argument could be in any memory at all.
func (a *Arg) size() (bytes int64, fits bool) {
	n := uint64(a.Elem().Size())
	for _, d := range a.Dims {
		hi, lo := bits.Mul64(n, uint64(d))
		if d < 1 || hi != 0 || lo > maxBytes {
			return 0, false
		}
		n = lo
	}
	return int64(n), true
}

// strides are the elements from one index to the next in each dimension: x first, as in grids and blocks.
func (a *Arg) strides() []int {
	strides, n := make([]int, len(a.Dims)), 1
	for i, d := range a.Dims {
		strides[i] = n
		n *= d
	}
	return strides
}
