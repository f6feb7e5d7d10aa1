package matrix

import (
	"math"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// Element is a type of matrix elements.
type Element struct {
	Bits   int                 // in registers and memory
	packed int                 // matrix elements in one: 32 for .b1, whose words are the elements here
	Value  func(uint64) uint64 // of its bits; see elements
}

// elements are the types of A and B. Value turns an element's bits into what products are made of: the bits of a
// float64, a 64-bit integer, or a word of bits. Subnormal numbers count ("unspecified", 9.7.16.5.14). The low 13 bits
// of a tf32 register are ignored.
var elements = map[isa.Type]Element{
	isa.F16:  {16, 1, number(isa.F16, 0)},
	isa.BF16: {16, 1, number(isa.BF16, 0)},
	isa.E4M3: {8, 1, number(isa.E4M3, 0)},
	isa.E5M2: {8, 1, number(isa.E5M2, 0)},
	isa.E3M2: {8, 1, number(isa.E3M2, 0)},
	isa.E2M3: {8, 1, number(isa.E2M3, 0)},
	isa.E2M1: {4, 1, number(isa.E2M1, 0)},
	isa.TF32: {32, 1, func(v uint64) uint64 {
		return math.Float64bits(float64(math.Float32frombits(uint32(v) &^ 0x1fff)))
	}},
	isa.F64: {64, 1, func(v uint64) uint64 { return v }},
	isa.S8:  {8, 1, func(v uint64) uint64 { return uint64(int8(v)) }},
	isa.U8:  {8, 1, func(v uint64) uint64 { return v }},
	isa.S4:  {4, 1, func(v uint64) uint64 { return uint64(int64(v<<60) >> 60) }},
	isa.U4:  {4, 1, func(v uint64) uint64 { return v }},
	isa.B1:  {32, 32, func(v uint64) uint64 { return v }},
	// .s1z4m11 of .kind::ti16, the only integers of 16 bits (9.7.18.4.2): a sign, four bits without meaning, and 11 bits
	// of magnitude.
	isa.S16: {16, 1, func(v uint64) uint64 {
		if m := v & 0x7ff; v>>15&1 == 0 {
			return m
		} else {
			return -m
		}
	}},
}

// padded is an .e2m1 in the middle of eight bits, as .kind::f8f6f4 and .kind::mxf8f6f4 have it.
var padded = Element{8, 1, number(isa.E2M1, 2)}

// ElementOf is how elements of a type of A or B are kept. bytes: elements narrower than a byte have one each, as those
// of .kind::f8f6f4 and .kind::mxf8f6f4. There is no such element when Bits is 0.
func ElementOf(t isa.Type, bytes bool) Element {
	if t == isa.E2M1 && bytes {
		return padded
	}
	return elements[t]
}

// PerByte is how many elements of the matrix a byte of memory has: 1 where elements are longer.
func (e *Element) PerByte() int { return max(8*e.packed/e.Bits, 1) }

// Bytes is the size of n elements of the matrix.
func (e *Element) Bytes(n uint64) uint64 { return n * uint64(e.Bits) / uint64(8*e.packed) }

// number decodes a floating-point type that begins at a bit of its container.
func number(t isa.Type, shift int) func(uint64) uint64 {
	decode := num.Decoder(t)
	return func(v uint64) uint64 { return math.Float64bits(decode(v >> shift)) }
}

// Negate changes the signs of floating-point values.
func Negate(values []uint64) {
	for i := range values {
		values[i] ^= 1 << 63
	}
}
