package emu

import (
	"fmt"
	"math"
	"strings"

	"warpscope/emu/matrix"
	"warpscope/emu/num"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// TensorMap describes a tensor in global memory and what a tensor copy moves of it (5.5), in the terms of the driver's
// cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide. Dimension 0 is the innermost.
type TensorMap struct {
	Type       TensorType
	Address    Addr
	Dims       []uint64 // elements, 1 to 2^32
	Strides    []uint64 // bytes, of dimensions 1 and up
	Box        []uint32 // elements of the box; im2col: channels per pixel and pixels per column
	Steps      []uint32 // traversal strides; nil: 1
	Interleave Interleave
	Swizzle    Swizzle
	Atomicity  Atomicity
	FillNaN    bool // outside of the tensor are NaNs, not zeros

	Mode         TensorMode
	Lower, Upper []int16 // im2col: corners of the bounding box, W first; im2col::w has only W
}

// TensorMode is the mode in which a tensor is accessed (5.5.2).
type TensorMode uint8

// The access modes. Those of im2col::w walk along W only.
const (
	Tiled TensorMode = iota
	Im2col
	Im2colW
	Im2colW128
)

func (m TensorMode) String() string {
	return [...]string{"tiled", "im2col", "im2col::w", "im2col::w::128"}[m&3]
}

// wide says whether a mode is im2col::w or im2col::w::128.
func (m TensorMode) wide() bool { return m >= Im2colW }

// TensorType is the type of a tensor's elements. Its values, and those of Interleave, Swizzle and Atomicity, are those
// of tensormap.replace (9.7.9.28, Table 33), which are not those of the driver.
type TensorType uint8

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

// tensorElem is a unit of a tensor: an element, or 16 of those below a byte.
type tensorElem struct {
	name           string
	per            int64  // elements of a unit
	global, shared uint32 // its bytes
	fold           isa.Type
	nan            uint64 // canonical, or the one that fma.oob knows
}

var tensorElems = [...]tensorElem{
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

// TensorTypeNamed finds an element type by the name that the manual gives it, without the dot.
func TensorTypeNamed(name string) (TensorType, bool) {
	for i := range tensorElems {
		if tensorElems[i].name == name {
			return TensorType(i), true
		}
	}
	return 0, false
}

// TensorMapSize is the size of a tensor map in bytes; it lies at a multiple of 64.
const TensorMapSize = 128

// A tensor map is opaque to programs (5.5.8). Here its bytes are, little-endian:
//
//	0    address, 64 bits                    92   traversal strides, 5 of 32 bits
//	8    rank - 1                            112  lower corner, 3 of 16 bits
//	9    element type                        118  upper corner, 3 of 16 bits
//	10   swizzling mode                      124  which fields are set, a bit for each of mapFields
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
func (m *TensorMap) Encode() ([]byte, error) {
	b := make([]byte, TensorMapSize)
	if n := len(m.Dims); n < 1 || n > 5 || len(m.Strides) != n-1 {
		return nil, fmt.Errorf("a tensor of %s with %s: there are 1 to 5, and a stride for each but the first",
			ptx.Plural(n, "dimension"), ptx.Plural(len(m.Strides), "stride"))
	}
	if len(m.Box) > 5 || len(m.Steps) > 5 || len(m.Lower) > 3 || len(m.Lower) != len(m.Upper) {
		return nil, fmt.Errorf("the box, the traversal strides or the corners have too many dimensions")
	}
	le.PutUint64(b, m.Address)
	b[mapRank], b[mapType], b[mapSwizzle], b[mapAtomicity] = byte(len(m.Dims)-1), byte(m.Type), byte(m.Swizzle), byte(m.Atomicity)
	b[mapFill], b[mapMode], b[mapInterleave] = byte(b2u(m.FillNaN)), byte(m.Mode), byte(m.Interleave)
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
	_, why := decodeTensorMap(b)
	if why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	return b, nil
}

// tensorMap is a decoded tensor map.
type tensorMap struct {
	tensorElem
	addr         Addr
	rank         int
	dims, steps  [5]int64
	box          [5]int64
	strides      [5]uint64 // bytes; of dimension 0 those from grain to grain
	grain        int64     // elements along dimension 0 that lie together: a unit, or a slice of channels
	width        int64     // elements of a row in shared memory: those of the box, or a slice
	interleave   Interleave
	swizzle      Swizzle
	atomicity    Atomicity
	nan          bool
	mode         TensorMode
	lower, upper [3]int64
	sixteenths   bool // its strides were divided by 16
}

// decodeTensorMap reads a tensor map and says what is wrong with it: what the driver would refuse.
func decodeTensorMap(b []byte) (m tensorMap, why string) {
	set := le.Uint32(b[mapSet:])
	if b[mapMark] != 'T' || set&^(allFields|oldStrides) != 0 {
		return m, "there is no tensor map"
	}
	if b[mapRank] > 4 || int(b[mapType]) >= len(tensorElems) || b[mapSwizzle] > 4 || b[mapAtomicity] > 3 || b[mapFill] > 1 ||
		b[mapInterleave] > 2 || b[mapMode] > 3 {
		return m, "a field of the tensor map has a value beyond Table 33"
	}
	if names := unset(set, int(b[mapRank])+1); len(names) > 0 {
		return m, "tensormap.replace has never set " + strings.Join(names, ", ")
	}
	m.tensorElem, m.addr, m.rank = tensorElems[b[mapType]], le.Uint64(b), int(b[mapRank])+1
	m.interleave, m.swizzle, m.atomicity = Interleave(b[mapInterleave]), Swizzle(b[mapSwizzle]), Atomicity(b[mapAtomicity])
	m.nan, m.mode = b[mapFill] == 1, TensorMode(b[mapMode])
	for i := range m.rank {
		m.dims[i] = int64(le.Uint32(b[mapDims+4*i:])) + 1
		m.box[i] = int64(le.Uint32(b[mapBox+4*i:]))
		m.steps[i] = int64(le.Uint32(b[mapSteps+4*i:]))
		if i > 0 {
			m.strides[i] = le.Uint64(b[mapStrides+8*(i-1):])
		}
	}
	for i := range 3 {
		m.lower[i] = int64(int16(le.Uint16(b[mapLower+2*i:])))
		m.upper[i] = int64(int16(le.Uint16(b[mapUpper+2*i:])))
	}
	if set&oldStrides != 0 {
		m.undivide()
	}
	m.strides[0], m.grain, m.width = uint64(m.global), m.per, m.box[0]
	if m.interleave != NoInterleave {
		if m.rank < 3 {
			return m, "interleave layouts need a tensor of 3 to 5 dimensions"
		}
		// Slices follow each other as the images of a tensor without channels would (5.5.6).
		m.strides[0] = m.strides[m.rank-2] * uint64(m.dims[m.rank-2])
		m.grain = m.per * int64(m.interleave.bytes()) / int64(m.global)
		m.width = m.grain
	}
	for _, rules := range []func(*tensorMap) string{(*tensorMap).checkSizes, (*tensorMap).checkRow, (*tensorMap).checkInterleave,
		(*tensorMap).checkIm2col, (*tensorMap).checkPadded} {
		if why = rules(&m); why != "" {
			break
		}
	}
	return m, why
}

// padded says whether units are longer in shared memory than in global memory (5.5.1.1.1).
func (m *tensorMap) padded() bool { return m.global != m.shared }

// The rules of 5.5.3.1, 9.7.9.27.1.1 and of the driver follow.

func (m *tensorMap) checkSizes() string {
	align := uint64(16)
	if m.padded() && m.box[0] != 64 || m.interleave == Interleave32B {
		align = 32
	}
	for i := range m.rank {
		most := int64(256)
		if m.mode != Tiled && i == 1 {
			most = 1024
		}
		used := m.mode == Tiled || i == 0 || i == 1 && m.mode != Im2colW128
		switch {
		case used && (m.box[i] < 1 || m.box[i] > most):
			return fmt.Sprintf("the box has %s in dimension %d: there are 1 to %d", ptx.Plural(m.box[i], "element"), i, most)
		case m.steps[i] < 1 || m.steps[i] > 8:
			return fmt.Sprintf("the traversal stride of dimension %d is %d: there are 1 to 8", i, m.steps[i])
		case i > 0 && (m.strides[i]%align != 0 || m.strides[i] >= 1<<40):
			return fmt.Sprintf("the stride of dimension %d is %s: it is a multiple of %d below 2^40", i,
				ptx.Plural(int64(m.strides[i]), "byte"), align)
		}
	}
	if m.addr%align != 0 {
		return fmt.Sprintf("the tensor begins at %#x, no multiple of %d", m.addr, align)
	}
	return ""
}

func (m *tensorMap) checkRow() string {
	inner, span := m.rowBytes(), [...]uint32{math.MaxUint32, 32, 64, 128, 96}[m.swizzle]
	switch {
	case m.steps[0] != 1 && (m.interleave == NoInterleave || m.mode != Tiled):
		return "the traversal stride of dimension 0 is 1"
	case m.per > 1 && (m.dims[0]%m.per != 0 || m.box[0]%m.per != 0):
		return fmt.Sprintf("elements of type %s come in groups of %d", m.name, m.per)
	case inner%16 != 0:
		return fmt.Sprintf("a row of the box has %s: it is a multiple of 16", ptx.Plural(int64(inner), "byte"))
	case inner > span:
		return fmt.Sprintf("a row of the box has %d bytes: %d-byte swizzling allows at most %d", inner, span, span)
	case m.atomicity != Atom16B && m.swizzle != Swizzle128B:
		return "only 128-byte swizzling has other atomicities than 16 bytes (5.5.7, Table 14)"
	case m.nan && tensorElems[0].nan == m.tensorElem.nan:
		return "only floating-point elements can be filled with NaN"
	}
	return ""
}

func (m *tensorMap) checkInterleave() string {
	switch {
	case m.interleave == NoInterleave:
	case m.mode.wide():
		return fmt.Sprintf("%s does not take interleave layouts (5.5.6)", m.mode)
	case m.padded():
		return fmt.Sprintf("elements of type %s cannot be interleaved", m.name)
	case m.interleave == Interleave32B && m.swizzle != Swizzle32B:
		return "32-byte interleaving goes with 32-byte swizzling only"
	case m.swizzle == Swizzle96B:
		return "96-byte swizzling does not go with interleaving (9.7.9.27.1.1)"
	case m.box[0]%m.grain != 0:
		return fmt.Sprintf("the box has %s: slices have %d", ptx.Plural(m.box[0], "channel"), m.grain)
	case m.strides[1] < m.interleave.bytes():
		return fmt.Sprintf("the stride of dimension 1 is %s, and a slice has %d", ptx.Plural(int64(m.strides[1]), "byte"),
			m.interleave.bytes())
	}
	return ""
}

func (m *tensorMap) checkIm2col() string {
	switch {
	case m.mode == Tiled:
		return ""
	case m.rank < 3:
		return "im2col needs a tensor of 3 to 5 dimensions"
	case m.mode == Im2colW128 && m.swizzle == Swizzle96B:
		return "96-byte swizzling does not go with im2col::w::128 (9.7.9.27.1.1)"
	}
	limit := int64(1) << (m.cornerBits() - 1)
	for i := range m.walked() {
		switch low, high := m.lower[i], m.upper[i]; {
		case min(low, high) < -limit || max(low, high) >= limit:
			return fmt.Sprintf("the corners %d and %d are not from %d to %d (5.5.4.1)", low, high, -limit, limit-1)
		case low > m.dims[i+1]-1+high:
			return fmt.Sprintf("the bounding box is empty: from %d to %d", low, m.dims[i+1]-1+high)
		}
	}
	return ""
}

// walked is how many dimensions im2col walks through: all that are neither channels nor images, or W.
func (m *tensorMap) walked() int {
	if m.mode.wide() {
		return 1
	}
	return m.rank - 2
}

// cornerBits is the size of corners and of im2col offsets (5.5.4.1).
func (m *tensorMap) cornerBits() int {
	if m.mode.wide() {
		return 16
	}
	return [...]int{16, 8, 5}[m.rank-3]
}

// checkPadded has the rules for types below a byte that are padded in shared memory (9.7.9.27.1.1). Rows of 64 elements
// are those of sm_103a.
func (m *tensorMap) checkPadded() string {
	short := m.global == 12 && m.box[0] == 64
	switch {
	case !m.padded():
	case m.box[0] != 128 && !short:
		return fmt.Sprintf("the box has %s of type %s in dimension 0: there are 128", ptx.Plural(m.box[0], "element"), m.name)
	case m.dims[0]%m.box[0] != 0:
		return fmt.Sprintf("the tensor has %s of type %s in dimension 0: it is a multiple of %d",
			ptx.Plural(m.dims[0], "element"), m.name, m.box[0])
	case m.swizzle != NoSwizzle && m.swizzle != Swizzle128B && !(short && m.swizzle == Swizzle64B), m.atomicity == Atom32BFlip8B:
		return fmt.Sprintf("elements of type %s take 128-byte swizzling without the flip, or none", m.name)
	}
	return ""
}

// rowBytes is the size of a row of the box in shared memory.
func (m *tensorMap) rowBytes() uint32 { return uint32(m.width/m.per) * m.shared }

// swizzled is where a byte of shared memory really is (5.5.7): bits of its address that number a chunk within a line of
// the pattern are exclusive-ored with bits that number the line, of 128 bytes.
func (m *tensorMap) swizzled(a uint32) uint32 {
	switch m.swizzle {
	case Swizzle32B, Swizzle96B:
		return matrix.Swizzle(a, 0, 1, 4)
	case Swizzle64B:
		return matrix.Swizzle(a, 0, 3, 4)
	case Swizzle128B:
		switch m.atomicity {
		case Atom32B:
			return matrix.Swizzle(a, 0, 3, 5)
		case Atom32BFlip8B:
			return matrix.Swizzle(a, 0, 3, 5) ^ a>>7&1<<3
		case Atom64B:
			return matrix.Swizzle(a, 0, 1, 6)
		}
		return matrix.Swizzle(a, 0, 7, 4)
	}
	return a
}

// chunk is what swizzling keeps together, in bytes.
func (m *tensorMap) chunk() uint32 {
	switch {
	case m.swizzle == NoSwizzle:
		return math.MaxUint32
	case m.atomicity == Atom32BFlip8B:
		return 8
	}
	return 16
}

// readMap is the tensor map at a generic address.
func (w *warp) readMap(a Addr) (m tensorMap, why string) {
	if a%64 != 0 {
		return m, "it must be a multiple of 64"
	}
	if kind := w.segment(ptx.Generic, a, TensorMapSize, false); kind != "" || w.seg.stride != 0 {
		return m, "a tensor map is in global, constant or parameter memory"
	}
	at := a + w.seg.add
	if at >= w.seg.size || w.seg.size-at < TensorMapSize {
		return m, "it has 128 bytes"
	}
	return decodeTensorMap(w.cta.grid.dev.arena.bytes[uint64(w.seg.base)+at:][:TensorMapSize])
}

// channels is the size of dimension 0 in global memory: whole slices, or a row.
func (m *TensorMap) channels() (row, slices uint64) {
	e := &tensorElems[m.Type]
	row, slices = m.Dims[0]/uint64(e.per)*uint64(e.global), 1
	if b := m.Interleave.bytes(); b > 0 {
		row, slices = b, (row+b-1)/b
	}
	return row, slices
}

// Packed are the strides of a tensor without padding.
func (m *TensorMap) Packed() (strides []uint64) {
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

// Extent is the distance from the tensor's first byte to behind its last.
func (m *TensorMap) Extent() uint64 {
	n, slices := m.channels()
	for i, s := range m.Strides {
		n += (m.Dims[i+1] - 1) * s
	}
	if outer := len(m.Dims) - 2; slices > 1 && outer > 0 {
		n += (slices - 1) * m.Strides[outer-1] * m.Dims[outer]
	}
	return n
}
