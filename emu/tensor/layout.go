package tensor

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"warpscope/emu/matrix"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Layout is where the elements of a tensor lie, and those of a box of it in shared memory: a decoded tensor map.
type Layout struct {
	Type Type
	unit
	addr         uint64 // generic, in global memory
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
	mode         Mode
	lower, upper [3]int64

	// Sixteenths: the strides that tensormap.replace wrote cannot be bytes; they are taken in units of 16 bytes.
	Sixteenths bool
}

// Decode reads the bytes of a tensor map. The error says what is wrong with it: what the driver would refuse.
func Decode(b []byte) (Layout, error) {
	m, why := decode(b)
	if why != "" {
		return m, errors.New(why)
	}
	return m, nil
}

func decode(b []byte) (m Layout, why string) {
	set := le.Uint32(b[mapSet:])
	if b[mapMark] != 'T' || set&^(allFields|oldStrides) != 0 {
		return m, "there is no tensor map"
	}
	if b[mapRank] > 4 || int(b[mapType]) >= len(units) || b[mapSwizzle] > 4 || b[mapAtomicity] > 3 || b[mapFill] > 1 ||
		b[mapInterleave] > 2 || b[mapMode] > 3 {
		return m, "a field of the tensor map has a value beyond Table 36"
	}
	if names := unset(set, int(b[mapRank])+1); len(names) > 0 {
		return m, "tensormap.replace has never set " + strings.Join(names, ", ")
	}
	m.Type, m.unit, m.addr, m.rank = Type(b[mapType]), units[b[mapType]], le.Uint64(b), int(b[mapRank])+1
	m.interleave, m.swizzle, m.atomicity = Interleave(b[mapInterleave]), Swizzle(b[mapSwizzle]), Atomicity(b[mapAtomicity])
	m.nan, m.mode = b[mapFill] == 1, Mode(b[mapMode])
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
	for _, rules := range []func() string{m.checkSizes, m.checkRow, m.checkInterleave, m.checkIm2col, m.checkPadded} {
		if why = rules(); why != "" {
			break
		}
	}
	return m, why
}

// Padded says whether units are longer in shared memory than in global memory (5.5.1.1.1).
func (m *Layout) Padded() bool { return m.global != m.shared }

// The rules of 5.5.3.1, 9.7.10.28.5.1 and of the driver follow.

func (m *Layout) checkSizes() string {
	align := uint64(16)
	if m.Padded() && m.box[0] != 64 || m.interleave == Interleave32B {
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

func (m *Layout) checkRow() string {
	inner, span := m.RowBytes(), [...]uint32{math.MaxUint32, 32, 64, 128, 96}[m.swizzle]
	switch {
	case m.steps[0] != 1 && (m.interleave == NoInterleave || m.mode != Tiled):
		return "the traversal stride of dimension 0 is 1"
	case m.per > 1 && (m.dims[0]%m.per != 0 || m.box[0]%m.per != 0):
		return fmt.Sprintf("elements of type %s come in groups of %d", m.Type, m.per)
	case inner%16 != 0:
		return fmt.Sprintf("a row of the box has %s: it is a multiple of 16", ptx.Plural(int64(inner), "byte"))
	case inner > span:
		return fmt.Sprintf("a row of the box has %d bytes: %d-byte swizzling allows at most %d", inner, span, span)
	case m.atomicity != Atom16B && m.swizzle != Swizzle128B:
		return "only 128-byte swizzling has other atomicities than 16 bytes (5.5.7, Table 14)"
	case m.nan && m.unit.nan == 0:
		return "only floating-point elements can be filled with NaN"
	}
	return ""
}

func (m *Layout) checkInterleave() string {
	switch {
	case m.interleave == NoInterleave:
	case m.mode.wide():
		return fmt.Sprintf("%s does not take interleave layouts (5.5.6)", m.mode)
	case m.Padded():
		return fmt.Sprintf("elements of type %s cannot be interleaved", m.Type)
	case m.interleave == Interleave32B && m.swizzle != Swizzle32B:
		return "32-byte interleaving goes with 32-byte swizzling only"
	case m.swizzle == Swizzle96B:
		return "96-byte swizzling does not go with interleaving (9.7.10.28.5.1)"
	case m.box[0]%m.grain != 0:
		return fmt.Sprintf("the box has %s: slices have %d", ptx.Plural(m.box[0], "channel"), m.grain)
	case m.strides[1] < m.interleave.bytes():
		return fmt.Sprintf("the stride of dimension 1 is %s, and a slice has %d", ptx.Plural(int64(m.strides[1]), "byte"),
			m.interleave.bytes())
	}
	return ""
}

func (m *Layout) checkIm2col() string {
	switch {
	case m.mode == Tiled:
		return ""
	case m.rank < 3:
		return "im2col needs a tensor of 3 to 5 dimensions"
	case m.mode == Im2colW128 && m.swizzle == Swizzle96B:
		return "96-byte swizzling does not go with im2col::w::128 (9.7.10.28.5.1)"
	case m.mode.wide() && (m.swizzle == NoSwizzle || m.atomicity == Atom32BFlip8B):
		return fmt.Sprintf("%s needs swizzling, and not that of 32 bytes with an 8-byte flip (5.5.5)", m.mode)
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
func (m *Layout) walked() int {
	if m.mode.wide() {
		return 1
	}
	return m.rank - 2
}

// cornerBits is the size of corners and of im2col offsets (5.5.4.1).
func (m *Layout) cornerBits() int {
	if m.mode.wide() {
		return 16
	}
	return [...]int{16, 8, 5}[m.rank-3]
}

// checkPadded has the rules for types below a byte that are padded in shared memory (9.7.10.28.5.1). Rows of 64
// elements are those of sm_103a.
func (m *Layout) checkPadded() string {
	short := m.global == 12 && m.box[0] == 64
	switch {
	case !m.Padded():
	case m.box[0] != 128 && !short:
		return fmt.Sprintf("the box has %s of type %s in dimension 0: there are 128", ptx.Plural(m.box[0], "element"), m.Type)
	case m.dims[0]%m.box[0] != 0:
		return fmt.Sprintf("the tensor has %s of type %s in dimension 0: it is a multiple of %d",
			ptx.Plural(m.dims[0], "element"), m.Type, m.box[0])
	case m.swizzle != NoSwizzle && m.swizzle != Swizzle128B && !(short && m.swizzle == Swizzle64B),
		m.atomicity == Atom32BFlip8B:
		return fmt.Sprintf("elements of type %s take 128-byte swizzling without the flip, or none", m.Type)
	}
	return ""
}

// RowBytes is the size of a row of the box in shared memory.
func (m *Layout) RowBytes() uint32 { return uint32(m.width/m.per) * m.shared }

// swizzled is where a byte of shared memory really is (5.5.7): bits of its address that number a chunk within a line of
// the pattern are exclusive-ored with bits that number the line, of 128 bytes.
func (m *Layout) swizzled(a uint32) uint32 {
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
func (m *Layout) chunk() uint32 {
	switch {
	case m.swizzle == NoSwizzle:
		return math.MaxUint32
	case m.atomicity == Atom32BFlip8B:
		return 8
	}
	return 16
}

// Unpadded is how many bytes of global memory so many bytes of shared memory are.
func (m *Layout) Unpadded(n uint32) uint32 { return n / m.shared * m.global }

// Fill is what outside of the tensor is read, in every 8 bytes: zero, or NaNs of the type.
func (m *Layout) Fill() uint64 {
	if m.nan {
		return m.unit.nan
	}
	return 0
}

// Reductions returns, by the type of a tensor, the type in which cp.reduce.async.bulk.tensor applies an operation
// (".add", ".min", …) to elements; isa.NoType where there is none (9.7.10.28.5.4).
func Reductions(op string) (types [len(units)]isa.Type) {
	for i, u := range units {
		t := u.fold
		switch {
		case op == ".and" || op == ".or" || op == ".xor":
			if t = isa.BitsType(8 * int(u.global)); u.global < 4 {
				t = isa.NoType
			}
		case (op == ".inc" || op == ".dec") && t != isa.U32, op == ".add" && t == isa.S64,
			(op == ".min" || op == ".max") && t == isa.F32:
			t = isa.NoType
		}
		types[i] = t
	}
	return types
}

// Element returns the bytes of an element in global memory.
func (m *Layout) Element() uint32 { return m.global }
