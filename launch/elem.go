package launch

import (
	"encoding/binary"
	"math/bits"
	"slices"
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
	isa.E4M3, isa.E5M2, isa.E3M2, isa.E2M3, isa.E2M1, isa.UE8M0, isa.UE4M3,
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

// bits is the distance from one element to the next. Two e2m1 share a byte.
func (e Elem) bits() int { return e.Type.Bits() * e.Lanes }

// Size is the size in bytes; that of a single e2m1 is 1.
func (e Elem) Size() int { return (e.bits() + 7) / 8 }

// component is number i of a row of numbers. A number can be half a byte, the lower half first. Missing bytes are
// zeros.
func component(b []byte, t isa.Type, i int) uint64 {
	n := t.Bits()
	at := i * n
	var word [8]byte
	copy(word[:(n+7)/8], b[min(at/8, len(b)):])
	return binary.LittleEndian.Uint64(word[:]) >> (at % 8) & (^uint64(0) >> (64 - n))
}

// setComponent is the reverse of component, of a row that is zeros.
func setComponent(b []byte, t isa.Type, i int, v uint64) {
	n := t.Bits()
	if n < 8 {
		b[i*n/8] |= byte(v << (i * n % 8))
		return
	}
	putBits(b[i*n/8:], n/8, v)
}

// Cells are the element type and the dimensions of a buffer in elements of whole bytes: pairs of e2m1.
func (a *Arg) Cells() (typ string, dims []int) {
	e := a.Elem()
	if e.bits()%8 == 0 {
		return a.Type, a.Dims
	}
	e.Lanes = 2
	if len(a.Dims) == 0 || a.Dims[0]%2 != 0 {
		return e.String(), []int{a.Size()}
	}
	dims = slices.Clone(a.Dims)
	dims[0] /= 2
	return e.String(), dims
}

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
func (a *Arg) Size() int { return (a.Len()*a.Elem().bits() + 7) / 8 }

// maxBytes bounds sizes so that their sums do not overflow; no machine has so much memory.
const maxBytes = 1 << 46

// size is Size, and says whether any memory could hold the argument.
func (a *Arg) size() (bytes int64, fits bool) {
	n := uint64(a.Elem().bits())
	for _, d := range a.Dims {
		hi, lo := bits.Mul64(n, uint64(d))
		if d < 1 || hi != 0 || lo > 8*maxBytes {
			return 0, false
		}
		n = lo
	}
	return int64(n+7) / 8, true
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
