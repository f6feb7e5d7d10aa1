package matrix

import (
	"errors"
	"fmt"
	"slices"

	"warpscope/ptx/isa"
)

// MMA is a tcgen05.mma as its modifiers give it (9.7.18.10.10).
type MMA struct {
	Kind       string // ".kind::f16", …
	Blocks     string // .scale_vectorsize, or ""
	Pair       bool   // .cta_group::2: a pair of CTAs
	Sparse     bool   // .sp
	Stationary bool   // .ws
	ShiftA     bool   // .ashift
	SM         int    // .target, as 103 and "a"
	Arch       string
	Shrink     int // D is divided by 2^Shrink (scale-input-d)
}

// kind is a .kind of tcgen05.mma: the depth and the types that the instruction descriptor names (9.7.18.4.2).
type kind struct {
	k      int              // of a dense A; a sparse one has twice as many columns, and sm_103a more of 4 bits
	bits   int              // of an element in memory
	inputs map[int]isa.Type // of A and B
	output map[int]isa.Type // of D
	scaled bool             // scale factors
}

var narrowInputs = map[int]isa.Type{0: isa.E4M3, 1: isa.E5M2, 3: isa.E2M3, 4: isa.E3M2, 5: isa.E2M1}

var kinds = map[string]kind{
	".kind::f16": {16, 16, map[int]isa.Type{0: isa.F16, 1: isa.BF16}, map[int]isa.Type{0: isa.F16, 1: isa.F32},
		false},
	".kind::tf32":     {8, 32, map[int]isa.Type{2: isa.TF32}, map[int]isa.Type{1: isa.F32}, false},
	".kind::f8f6f4":   {32, 8, narrowInputs, map[int]isa.Type{0: isa.F16, 1: isa.F32}, false},
	".kind::ti16":     {16, 16, map[int]isa.Type{3: isa.S16}, map[int]isa.Type{2: isa.S32}, false},
	".kind::i8":       {32, 8, map[int]isa.Type{0: isa.U8, 1: isa.S8}, map[int]isa.Type{2: isa.S32}, false},
	".kind::mxf8f6f4": {32, 8, narrowInputs, nil, true},
	".kind::mxf4":     {64, 4, map[int]isa.Type{1: isa.E2M1}, nil, true},
	".kind::mxf4nvf4": {64, 4, map[int]isa.Type{1: isa.E2M1}, nil, true},
}

// Known says whether there is such a kind.
func (m *MMA) Known() bool { return kinds[m.Kind].k != 0 }

// Scaled says whether A and B have scale factors.
func (m *MMA) Scaled() bool { return kinds[m.Kind].scaled }

// integer says whether D is a sum of integers.
func (m *MMA) integer() bool { return kinds[m.Kind].output[2] == isa.S32 }

// bytes says whether these are .s8 and .u8.
func (m *MMA) bytes() bool { return m.Kind == ".kind::i8" }

// on says whether the target is an architecture-specific one of these.
func (m *MMA) on(sm ...int) bool { return m.Arch == "a" && slices.Contains(sm, m.SM) }

// sm107 says whether the target has what came with sm_107f.
func (m *MMA) sm107() bool { return m.Arch != "" && m.SM >= 107 && m.SM/10 == 10 }

// CTAs is the number of CTAs that the product is for.
func (m *MMA) CTAs() int {
	if m.Pair {
		return 2
	}
	return 1
}

// Plan is a product whose instruction descriptor has been read: its shape, its types, and which lanes and columns of
// tensor memory have what.
type Plan struct {
	M, N, K int
	Stored  int // columns of A that are stored
	Bits    int // of an element of A and B in memory
	A, B    TensorOperand
	D       isa.Type

	mma     *MMA
	desc    uint32
	d       uint32 // the address of D
	factors int    // scale factors of a row
	mask    uint64 // zero-column mask descriptor
}

// TensorOperand is A or B.
type TensorOperand struct {
	t       isa.Type
	width   int  // of an element that is packed in shared memory and kept in a byte: 6 or 4, else 8
	tight   bool // elements of 6 bits follow each other, in tensor memory too (Table 66)
	element Element
	mnMajor bool
	negate  bool
	factor  int // the byte where the scale factors of a line begin
}

// TensorLanes is the number of lanes of tensor memory.
const TensorLanes = 128

// field is a field of the instruction descriptor.
func (p *Plan) field(bit, size int) int { return int(p.desc >> bit & (1<<size - 1)) }

// Decode reads the instruction descriptor (9.7.18.4.2) of a product whose D is at an address of tensor memory. The
// error says what is wrong with it. The kind is known.
func (m *MMA) Decode(desc, d uint32) (Plan, error) {
	k := kinds[m.Kind]
	p := Plan{mma: m, desc: desc, d: d, K: k.k, Stored: k.k, Bits: k.bits, factors: m.factors()}
	if m.Sparse {
		p.K *= 2
	}
	p.A = p.operand(k.inputs[p.field(7, 3)], 15, 13, 29)
	p.B = p.operand(k.inputs[p.field(10, p.typeBits())], 16, 14, 4)
	p.N, p.M, p.D = p.field(17, 6)*8, p.field(24, 5)*16, k.output[p.field(4, 2)]
	if k.scaled {
		p.M, p.D = p.field(27, 2)*128, isa.F32
	}
	for _, check := range []func() error{p.checkNewer, p.deepen, p.checkBits, p.checkTypes, p.checkFactors, p.checkRows} {
		if err := check(); err != nil {
			return p, err
		}
	}
	return p, nil
}

// operand is A or B, by the bits of the instruction descriptor that say how it lies, whether it is negated, and where
// its scale factors begin.
func (p *Plan) operand(t isa.Type, major, negate, factor int) TensorOperand {
	o := TensorOperand{t: t, width: 8, element: ElementOf(t, p.Bits == 8), mnMajor: p.field(major, 1) != 0,
		negate: p.field(negate, 1) != 0, factor: p.field(factor, 2)}
	switch {
	case p.Bits != 8:
	case t == isa.E2M1:
		o.width = 4
	case t == isa.E2M3 || t == isa.E3M2:
		o.width = 6
	}
	return o
}

// checkBits looks at the bits of the instruction descriptor that are fixed (Tables 51 to 53).
func (p *Plan) checkBits() error {
	switch {
	case p.desc&p.reserved() != 0:
		return fmt.Errorf("the bits %#x are reserved, and must be 0", p.desc&p.reserved())
	case (p.field(2, 1) != 0) != p.mma.Sparse:
		return fmt.Errorf("bit 2 says whether A is sparse, and is %d", p.field(2, 1))
	case p.mma.Sparse && p.Bits == 8 && !p.mma.Scaled() && p.field(0, 2) != 0:
		return errors.New("the sparsity selector of this kind is 0")
	}
	return nil
}

// typeBits is the size of the type of B in the instruction descriptor: bit 12 is another's for elements of 4 bits.
func (p *Plan) typeBits() int {
	if p.Bits == 4 {
		return 2
	}
	return 3
}

// checkNewer looks at what the descriptor says to sm_107f and later members of its family alone (9.7.18.4.2.1): scale
// factors of A in 128 lanes, and the version of sparse metadata. These bits are reserved elsewhere.
func (p *Plan) checkNewer() error {
	m := p.mma
	version := p.Bits == 4 && p.field(12, 1) != 0
	switch {
	case version && !m.on(107):
		return errors.New("the sparsity version v1 is for .target sm_107a only")
	case m.Sparse && p.Bits == 4 && m.on(107) && !version:
		return errors.New("the sparsity version of .target sm_107a is v1")
	case m.sm107() && m.Scaled() && p.field(26, 1) != 0:
		return errors.New("scale factors in 128 lanes are not emulated yet")
	}
	return nil
}

// reserved are the bits of the instruction descriptor that must be 0.
func (p *Plan) reserved() uint32 {
	bits, newer := uint32(1<<3|1<<6|1<<23|1<<29), uint32(0) // newer ones mean something since sm_107f
	switch m := p.mma; {
	case m.Scaled() && p.Bits == 8:
		bits, newer = 1<<3|1<<6|7<<24|1<<31, 1<<26|1<<31
	case m.Scaled():
		bits, newer = 1<<3|1<<6|3<<25, 1<<3|1<<26
	case m.bytes():
		bits = 1<<6 | 1<<23 | 1<<29
	case p.Bits == 8:
		newer = 1 << 29
	}
	if p.mma.sm107() {
		bits &^= newer
	}
	return bits
}

func (p *Plan) checkTypes() error {
	switch {
	case p.A.t == isa.NoType || p.B.t == isa.NoType:
		return fmt.Errorf("the types %d of A and %d of B are not of this kind", p.field(7, 3), p.field(10, p.typeBits()))
	case p.D == isa.NoType || p.D == isa.F16 && (p.A.t == isa.BF16 || p.B.t == isa.BF16):
		return fmt.Errorf("the type %d of D is not of this kind", p.field(4, 2))
	case p.Bits == 16 && p.A.t != p.B.t && p.D == isa.F16:
		return errors.New("A and B have different types")
	case !p.shaped():
		return fmt.Errorf("there is no shape with M %d and N %d", p.M, p.N)
	case p.Bits == 4 && p.field(15, 2) != 0:
		return errors.New("two elements in a byte cannot be transposed")
	case p.mma.bytes() && p.field(13, 2) != 0:
		return errors.New("integers of 8 bits cannot be negated")
	}
	return nil
}

func (p *Plan) checkRows() error {
	switch {
	case p.mma.ShiftA && p.M < 128:
		return errors.New("rows of A are shifted with M 128 and 256 only")
	case p.d>>16 != 0 && (!p.half() || p.d>>16 != 16):
		return fmt.Errorf("D begins in lane %d", p.d>>16)
	}
	return nil
}

// shaped says whether there are products with this M and N (Tables 48 and 63).
func (p *Plan) shaped() bool {
	m := p.mma
	if m.Stationary {
		return (p.M == 32 || p.M == 64 || p.M == 128) && (p.N == 64 || p.N == 128 || p.N == 256 && !m.Sparse)
	}
	step := 8
	switch {
	case m.Kind == ".kind::ti16" && (p.M == 128 || m.Pair), m.bytes() && (p.N > 32 || m.Pair), p.Bits == 8 && p.B.mnMajor:
		step = 16
	}
	rows := p.Rows() == 128 || p.Rows() == 64 && (!m.Scaled() || m.Pair && !m.Sparse)
	return rows && p.N > 0 && p.N <= 256 && p.N%(step*m.CTAs()) == 0
}

// A pair of CTAs shares the rows of A and D and the columns of B evenly: the even CTA has the first half of each.

// Rows is how many rows of A and D a CTA has.
func (p *Plan) Rows() int { return p.M / p.mma.CTAs() }

// Parts is the number of ranges of columns into which D is cut. They lie side by side over the lanes, and each has an A
// in its lanes: layouts B, E and G (9.7.18.10.5).
func (p *Plan) Parts() int {
	if p.mma.Stationary || p.mma.Pair && !p.mma.Sparse {
		return TensorLanes / p.Rows()
	}
	return 1
}

// half says whether a warp has 16 rows in half of its lanes: layouts C and F.
func (p *Plan) half() bool { return p.Rows()*p.Parts() == 64 }

// Place is the lane and the column of an element of D, row counted in its CTA.
func (p *Plan) Place(row, col int) (lane, at int) {
	width := p.N / p.Parts()
	return p.lane(row, col/width), int(p.d&0xffff) + col%width
}

// lane is the lane of a row of A or D, for a range of columns.
func (p *Plan) lane(row, part int) int {
	if p.half() {
		return row/16*32 + row%16 + int(p.d>>16)
	}
	return row + part*p.Rows()
}

// source is the row, and the part, that is line of A. .ashift moves the rows of each warp by one; the last one keeps
// its place, as with tcgen05.shift.
func (p *Plan) source(line int) (row, part int) {
	row, part = line%p.Rows(), line/p.Rows()
	warp := 32
	if p.half() {
		warp = 16
	}
	if p.mma.ShiftA && (row+1)%warp != 0 {
		row++
	}
	return row, part
}

// LaneOf is the lane of line i of A in tensor memory, which has the rows of a CTA once for each part.
func (p *Plan) LaneOf(i int) int { return p.lane(p.source(i)) }

// PlaceOfA is where element k of line i of A begins in tensor memory: the lane, the column from that of A on, and the
// bit there. Elements are packed into columns.
func (p *Plan) PlaceOfA(i, k int) (lane, col, bit int) {
	bit = k * p.BitsOfA()
	return p.LaneOf(i), bit / 32, bit % 32
}

// Mask sets the zero-column mask descriptor (9.7.18.4.3).
func (p *Plan) Mask(mask uint64) error {
	p.mask = mask
	most := 32
	if p.M == 32 {
		most = 16
	}
	if p.Shift() > most {
		return fmt.Errorf("columns are shifted by %d, and with M %d by at most %d", p.Shift(), p.M, most)
	}
	return nil
}

// Shift is how far the columns of B are moved, and Masked whether a column counts as zero (9.7.18.4.3, whose examples
// say that bits of the mask are 0 for use span + 1 columns and 1 for skip span + 1).
func (p *Plan) Shift() int { return int(p.mask >> 56 & 63) }

// Masked says whether a column of B counts as zero; see Shift.
func (p *Plan) Masked(col int) bool {
	if p.mask>>39&1 == 0 {
		return false
	}
	part := p.N * p.M / TensorLanes
	sub, at := col/part, col%part
	use, skip := int(p.mask>>48&255)+1, int(p.mask>>40&255)+1
	at = (at + int(p.mask>>(8*sub)&255)) % (use + skip)
	if p.mask>>(32+sub)&1 != 0 {
		return at < skip
	}
	return at >= use
}

// DescriptorA reads the shared memory descriptor of A.
func (p *Plan) DescriptorA(d uint64) (Descriptor, error) { return p.descriptor(d, &p.A, p.Stored) }

// DescriptorB reads the shared memory descriptor of B.
func (p *Plan) DescriptorB(d uint64) (Descriptor, error) { return p.descriptor(d, &p.B, p.K) }

func (p *Plan) descriptor(d uint64, o *TensorOperand, k int) (Descriptor, error) {
	m, err := Tcgen05(d, p.bitsOf(o), o.mnMajor)
	if !o.tight {
		m.Pack(o.width)
	}
	if err == nil {
		err = m.checkProduct(k, p.mma.on(103))
	}
	return m, err
}

// bitsOf is the size of an element in memory.
func (p *Plan) bitsOf(o *TensorOperand) int {
	if o.tight {
		return o.width
	}
	return p.Bits
}

// BitsOfA is the size of an element of A in tensor memory.
func (p *Plan) BitsOfA() int { return p.bitsOf(&p.A) }

// Values replaces the bits of elements by what products are made of.
func (o *TensorOperand) Values(elements []uint64) {
	for i, v := range elements {
		elements[i] = o.element.Value(v)
	}
	switch {
	case !o.negate:
	case o.t.Class() == isa.Float:
		Negate(elements)
	default:
		for i, v := range elements {
			elements[i] = -v
		}
	}
}

// Type is the type of the elements.
func (o *TensorOperand) Type() isa.Type { return o.t }

// Inset is the first bit of an element in those that it has in tensor memory: .e2m1 is in the middle of a byte.
func (o *TensorOperand) Inset() int {
	if o.width == 4 {
		return 2
	}
	return 0
}

// Number is an element, as it is read, in the bits of its type; of integers the numbers that they stand for.
func (o *TensorOperand) Number(v uint64) uint64 {
	switch {
	case o.t.Class() != isa.Float:
		return o.element.Value(v) & (1<<o.t.Bits() - 1)
	case o.width < 8:
		return v >> o.Inset() & (1<<o.width - 1)
	}
	return v
}

// Dot is the element of D from a row, a column and what D was.
func (p *Plan) Dot() Dot {
	if p.mma.integer() {
		return IntegerDot(p.mma.bytes() && p.field(3, 1) != 0)
	}
	return FloatDot(Accumulators{C: p.D, D: p.D, Shrink: p.mma.Shrink})
}
