package texture

import (
	"encoding/binary"
	"math"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// Format is the type of a channel: an OpenCL channel data type (Table 12).
type Format uint8

// The formats. Normalized ones are read as floats from 0 or -1 to 1.
const (
	SNorm8 Format = iota
	SNorm16
	UNorm8
	UNorm16
	S8
	S16
	S32
	U8
	U16
	U32
	F16
	F32
)

// formats are the size of a channel in bytes and its number in Table 12.
var formats = [...]struct {
	size uint32
	enum uint64
}{{1, 0x10d0}, {2, 0x10d1}, {1, 0x10d2}, {2, 0x10d3}, {1, 0x10d7}, {2, 0x10d8}, {4, 0x10d9}, {1, 0x10da}, {2, 0x10db},
	{4, 0x10dc}, {2, 0x10dd}, {4, 0x10de}}

// Size is the size of a channel in bytes.
func (f Format) Size() uint32 { return formats[f].size }

// Integer says whether elements are read as integers.
func (f Format) Integer() bool { return f >= S8 && f <= U32 }

// Signed says whether the format is of signed numbers, integers or normalized ones.
func (f Format) Signed() bool { return f <= SNorm16 || f >= S8 && f <= S32 }

var decodeF16 = num.Decoder(isa.F16)

// Texel is the channels of an element. Integers are exact.
type Texel [4]float64

// read decodes an element. Channels that the image does not have read as 0, the fourth as 1, as in OpenCL.
func (t *Description) read(b []byte) Texel {
	v := Texel{3: 1}
	for c := range t.Channels {
		v[c] = t.Format.decode(b[uint32(c)*t.Format.Size():])
	}
	return v
}

// decode is a channel's value.
func (f Format) decode(b []byte) float64 {
	bits, width := f.bits(b), 8*f.Size()
	switch {
	case f == F16:
		return decodeF16(bits)
	case f == F32:
		return float64(math.Float32frombits(uint32(bits)))
	case !f.Signed() && f.Integer():
		return float64(bits)
	case !f.Signed():
		return float64(bits) / float64(uint64(1)<<width-1)
	}
	v := float64(int64(bits<<(64-width)) >> (64 - width))
	if f.Integer() {
		return v
	}
	return max(v/float64(uint64(1)<<(width-1)-1), -1)
}

// bits are the bytes of a channel as a number.
func (f Format) bits(b []byte) uint64 {
	switch f.Size() {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	}
	return uint64(binary.LittleEndian.Uint32(b))
}

// Encode converts a value of sust.p to the format: a float for normalized and floating formats, else an integer
// (9.7.13.2). Out of range it is clamped.
func (f Format) Encode(bits uint32) uint64 {
	width := 8 * f.Size()
	v := float64(math.Float32frombits(bits))
	switch {
	case f == F32:
		return uint64(bits)
	case f == F16:
		return uint64(num.ToF16(v))
	case f.Integer() && f.Signed():
		lo, hi := -int64(1)<<(width-1), int64(1)<<(width-1)-1
		return uint64(min(max(int64(int32(bits)), lo), hi))
	case f.Integer():
		return min(uint64(bits), 1<<width-1)
	case v != v:
		return 0
	case f.Signed():
		return uint64(int64(math.RoundToEven(min(max(v, -1), 1) * float64(uint64(1)<<(width-1)-1))))
	}
	return uint64(math.RoundToEven(min(max(v, 0), 1) * float64(uint64(1)<<width-1)))
}
