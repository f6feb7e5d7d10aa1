// Package tensor is what tensor maps describe (5.5), without a machine: the 128 bytes of a map, and which bytes a
// tensor copy moves.
//
//   - map.go: Map, in the driver's terms, and its 128 bytes.
//   - layout.go: Layout, a decoded map, and the rules that it obeys.
//   - field.go: the fields that tensormap.replace sets.
//   - box.go, move.go: Box, what one copy moves, as rows and as moves between shared and global memory.
//
// Sizes, strides and addresses are in bytes, dimensions, boxes and coordinates in elements; dimension 0 is the
// innermost. Errors say what is wrong with a map or a copy; the caller puts before them whose they are.
package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"

	"warpscope/emu/num"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Map describes a tensor in global memory and what a tensor copy moves of it (5.5), in the terms of the driver's
// cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide. Dimension 0 is the innermost.
type Map struct {
	Type       Type
	Address    uint64   // generic
	Dims       []uint64 // elements, 1 to 2^32
	Strides    []uint64 // bytes, of dimensions 1 and up
	Box        []uint32 // elements of the box; im2col: channels per pixel and pixels per column
	Steps      []uint32 // traversal strides; nil: 1
	Interleave Interleave
	Swizzle    Swizzle
	Atomicity  Atomicity
	FillNaN    bool // outside of the tensor are NaNs, not zeros

	Mode         Mode
	Lower, Upper []int16 // im2col: corners of the bounding box, W first; im2col::w has only W
}

// Mode is the mode in which a tensor is accessed (5.5.2).
type Mode uint8

// The access modes. Those of im2col::w walk along W only.
const (
	Tiled Mode = iota
	Im2col
	Im2colW
	Im2colW128
)

func (m Mode) String() string {
	return [...]string{"tiled", "im2col", "im2col::w", "im2col::w::128"}[m&3]
}

// wide says whether a mode is im2col::w or im2col::w::128.
func (m Mode) wide() bool { return m >= Im2colW }

// Type is the type of a tensor's elements. Its values, and those of Interleave, Swizzle and Atomicity, are those
// of tensormap.replace (9.7.10.29, Table 36), which are not those of the driver.
type Type uint8

// Interleave is the size of the slices in which channels lie in global memory: NC/8DHWC8 or NC/16DHWC16 (5.5.6).
type Interleave uint8

// The interleave layouts.
const (
	NoInterleave Interleave = iota
	Interleave16B
	Interleave32B
)

// bytes is the size of a slice.
func (i Interleave) bytes() uint64 { return 16 * uint64(i) }

// Swizzle is the width of the pattern in which chunks of data are exchanged in shared memory (5.5.7).
type Swizzle uint8

// The swizzling modes.
const (
	NoSwizzle Swizzle = iota
	Swizzle32B
	Swizzle64B
	Swizzle128B
	Swizzle96B
)

// Atomicity is the size of what swizzling keeps together.
type Atomicity uint8

// The swizzle atomicities.
const (
	Atom16B Atomicity = iota
	Atom32B
	Atom32BFlip8B
	Atom64B
)

// unit is what a tensor consists of: an element, or 16 of those below a byte.
type unit struct {
	name           string // of the type, as the manual writes it
	per            int64  // elements of a unit
	global, shared uint32 // its bytes
	fold           isa.Type
	nan            uint64 // canonical, or the one that fma.oob knows
}

// units are those of the types, by their values.
var units = [...]unit{
	{"u8", 1, 1, 1, isa.NoType, 0},
	{"u16", 1, 2, 2, isa.NoType, 0},
	{"u32", 1, 4, 4, isa.U32, 0},
	{"s32", 1, 4, 4, isa.S32, 0},
	{"u64", 1, 8, 8, isa.U64, 0},
	{"s64", 1, 8, 8, isa.S64, 0},
	{"f16", 1, 2, 2, isa.F16, num.OOBNaN * 0x0001000100010001},
	{"f32", 1, 4, 4, isa.F32, 0x7fffffff7fffffff},
	{"f32.ftz", 1, 4, 4, isa.F32, 0x7fffffff7fffffff},
	{"f64", 1, 8, 8, isa.NoType, 0x7fffffffffffffff},
	{"bf16", 1, 2, 2, isa.BF16, num.OOBNaN * 0x0001000100010001},
	{"tf32", 1, 4, 4, isa.NoType, 0x7fffffff7fffffff},
	{"tf32.ftz", 1, 4, 4, isa.NoType, 0x7fffffff7fffffff},
	{"b4x16", 16, 8, 8, isa.NoType, 0},
	{"b4x16_p64", 16, 8, 16, isa.NoType, 0},
	{"b6x16_p32", 16, 12, 16, isa.NoType, 0},
}

// TypeNamed finds an element type by the name that the manual gives it, without the dot.
func TypeNamed(name string) (Type, bool) {
	for i := range units {
		if units[i].name == name {
			return Type(i), true
		}
	}
	return 0, false
}

// String is the name that the manual gives the type, without the dot.
func (t Type) String() string {
	if int(t) < len(units) {
		return units[t].name
	}
	return "unknown"
}

// le is the order of bytes.
var le = binary.LittleEndian

// MapSize is the size of a tensor map in bytes; it lies at a multiple of 64.
const MapSize = 128

// A tensor map is opaque to programs (5.5.8). Here its bytes are, little-endian:
//
//	0    address, 64 bits                    92   traversal strides, 5 of 32 bits
//	8    rank - 1                            112  lower corner, 3 of 16 bits
//	9    element type                        118  upper corner, 3 of 16 bits
//	10   swizzling mode                      124  which fields are set, a bit for each of Fields
//	11   swizzle atomicity
//	12   fill mode
//	13   access mode
//	14   interleave layout
//	15   the letter "T"
//	16   dimensions - 1, 5 of 32 bits
//	36   box, 5 of 32 bits
//	56   strides in bytes, 4 of 64 bits
const (
	mapRank, mapType, mapSwizzle, mapAtomicity, mapFill, mapMode, mapInterleave, mapMark = 8, 9, 10, 11, 12, 13, 14, 15

	mapDims, mapBox, mapStrides, mapSteps, mapLower, mapUpper, mapSet = 16, 36, 56, 92, 112, 118, 124
)

// Encode gives the 128 bytes of a tensor map, or says what is wrong with it.
func (m *Map) Encode() ([]byte, error) {
	b := make([]byte, MapSize)
	if n := len(m.Dims); n < 1 || n > 5 || len(m.Strides) != n-1 {
		return nil, fmt.Errorf("a tensor of %s with %s: there are 1 to 5, and a stride for each but the first",
			ptx.Plural(n, "dimension"), ptx.Plural(len(m.Strides), "stride"))
	}
	if len(m.Box) > 5 || len(m.Steps) > 5 || len(m.Lower) > 3 || len(m.Lower) != len(m.Upper) {
		return nil, errors.New("the box, the traversal strides or the corners have too many dimensions")
	}
	le.PutUint64(b, m.Address)
	b[mapRank], b[mapType], b[mapSwizzle], b[mapAtomicity] = byte(len(m.Dims)-1), byte(m.Type), byte(m.Swizzle),
		byte(m.Atomicity)
	b[mapMode], b[mapInterleave] = byte(m.Mode), byte(m.Interleave)
	if m.FillNaN {
		b[mapFill] = 1
	}
	for i := range 5 {
		le.PutUint32(b[mapSteps+4*i:], 1)
	}
	for i, d := range m.Dims {
		le.PutUint32(b[mapDims+4*i:], uint32(d-1))
	}
	for i, s := range m.Strides {
		le.PutUint64(b[mapStrides+8*i:], s)
	}
	for i, n := range m.Box {
		le.PutUint32(b[mapBox+4*i:], n)
	}
	for i, n := range m.Steps {
		le.PutUint32(b[mapSteps+4*i:], n)
	}
	for i := range m.Lower {
		le.PutUint16(b[mapLower+2*i:], uint16(m.Lower[i]))
		le.PutUint16(b[mapUpper+2*i:], uint16(m.Upper[i]))
	}
	b[mapMark] = 'T'
	le.PutUint32(b[mapSet:], allFields)
	if _, err := Decode(b); err != nil {
		return nil, err
	}
	return b, nil
}

// channels is the size of dimension 0 in global memory: whole slices, or a row.
func (m *Map) channels() (row, slices uint64) {
	e := &units[m.Type]
	row, slices = m.Dims[0]/uint64(e.per)*uint64(e.global), 1
	if b := m.Interleave.bytes(); b > 0 {
		row, slices = b, (row+b-1)/b
	}
	return row, slices
}

// Packed are the strides of a tensor without padding.
func (m *Map) Packed() (strides []uint64) {
	stride, slices := m.channels()
	for i, d := range m.Dims[1:] {
		if i == len(m.Dims)-2 {
			stride *= slices // the images
		}
		strides = append(strides, stride)
		stride *= d
	}
	return strides
}

// Extent is the distance from the tensor's first byte to the one after its last.
func (m *Map) Extent() uint64 {
	n, slices := m.channels()
	for i, s := range m.Strides {
		n += (m.Dims[i+1] - 1) * s
	}
	if outer := len(m.Dims) - 2; slices > 1 && outer > 0 {
		n += (slices - 1) * m.Strides[outer-1] * m.Dims[outer]
	}
	return n
}
