package emu

import (
	"fmt"
	"math"
	"unsafe"

	"warpscope/ptx/isa"
)

// tensorKind is a .kind of tcgen05.mma: the depth and the types that the instruction descriptor names (9.7.16.4.2).
type tensorKind struct {
	k      int              // of a dense A; a sparse one has twice as many columns, and sm_103a more of 4 bits
	bits   int              // of an element in memory
	inputs map[int]isa.Type // of A and B
	output map[int]isa.Type // of D
	scaled bool             // scale factors
}

var narrowInputs = map[int]isa.Type{0: isa.E4M3, 1: isa.E5M2, 3: isa.E2M3, 4: isa.E3M2, 5: isa.E2M1}

var tensorKinds = map[string]tensorKind{
	".kind::f16":      {16, 16, map[int]isa.Type{0: isa.F16, 1: isa.BF16}, map[int]isa.Type{0: isa.F16, 1: isa.F32}, false},
	".kind::tf32":     {8, 32, map[int]isa.Type{2: isa.TF32}, map[int]isa.Type{1: isa.F32}, false},
	".kind::f8f6f4":   {32, 8, narrowInputs, map[int]isa.Type{0: isa.F16, 1: isa.F32}, false},
	".kind::i8":       {32, 8, map[int]isa.Type{0: isa.U8, 1: isa.S8}, map[int]isa.Type{2: isa.S32}, false},
	".kind::mxf8f6f4": {32, 8, narrowInputs, nil, true},
	".kind::mxf4":     {64, 4, map[int]isa.Type{1: isa.E2M1}, nil, true},
	".kind::mxf4nvf4": {64, 4, map[int]isa.Type{1: isa.E2M1}, nil, true},
}

// tensorProduct is tcgen05.mma, .mma.sp, .mma.ws and .mma.ws.sp as they stand in the program.
type tensorProduct struct {
	tensorKind
	pair           bool   // of CTAs
	sparse         bool   // A
	stored         int    // columns of A that are stored
	blocks         string // .scale_vectorsize
	sm103a         bool   // .target
	meta           func(f unsafe.Pointer, lane int) uint32
	d, a           func(f unsafe.Pointer, lane int) uint32 // a is nil when A is in shared memory
	scaleA, scaleB func(f unsafe.Pointer, lane int) uint32
	descA, descB   operand
	idesc          operand
	accumulate     operand
	disabled       []operand // lanes of D that stay
	shrink         int       // D is divided by 2^shrink
	factors        int       // scale factors of a row
	integer        bool
	stationary     bool // .ws
	ashift         bool
	zeros          operand
	hasZeros       bool
}

func (l *lowerer) tensorProduct() bool {
	p := &tensorProduct{pair: l.has(pairGroup), d: l.tensorAddress("d-tmem"), a: l.tensorAddress("a-tmem"),
		scaleA: l.tensorAddress("scale-A-tmem"), scaleB: l.tensorAddress("scale-B-tmem"), stationary: l.has(".ws"),
		integer: l.has(".kind::i8"), ashift: l.has(".ashift"), blocks: l.in.Match.Value("scale_vectorsize"),
		sm103a: l.prog.mod.Target == "sm_103a"}
	p.tensorKind = tensorKinds[l.in.Match.Value("kind")]
	if p.k == 0 || p.d == nil {
		return false
	}
	if p.stored = p.k; l.has(".sp") {
		p.k, p.sparse, p.meta = 2*p.k, true, l.tensorAddress("sp-meta-tmem")
	}
	get := func(name string, t isa.Type) (o operand, ok bool) {
		op, ok := l.named(name)
		if ok {
			o = l.src(op, t)
		}
		return o, ok
	}
	p.descA, _ = get("a-desc", isa.B64)
	p.descB, _ = get("b-desc", isa.B64)
	p.idesc, _ = get("idesc", isa.B32)
	p.accumulate, _ = get("enable-input-d", isa.Pred)
	p.zeros, p.hasZeros = get("zero-column-mask-desc", isa.B64)
	if mask, ok := l.named("disable-output-lane"); ok {
		for _, e := range elements(mask) {
			p.disabled = append(p.disabled, l.src(e, isa.B32))
		}
	}
	if s, ok := l.named("scale-input-d"); ok {
		if p.shrink = int(s.Imm); s.Imm > 15 || !l.has(".kind::f16", ".kind::tf32") {
			return l.refuse(s, "scale-input-d is 0 to 15, and for .kind::f16 and .kind::tf32 only")
		}
	}
	p.factors = l.scaleFactors()
	return l.issueTensor(p.begin)
}

// maxStored is the most columns of a sparse A that are stored.
const maxStored = 64

// tensorJob is a product with the operands that were read when it was issued.
type tensorJob struct {
	*tensorProduct
	desc       uint32
	m, n, k    int
	stored     int // columns of A
	factors    int // scale factors of a row
	ta, tb, td isa.Type
	d, tmemA   uint32
	meta       uint32
	sfA, sfB   uint32
	a, b       smemMatrix
	fresh      bool      // D = A B
	skip       [8]uint32 // lanes of D that stay, of both CTAs of a pair
	mask       uint64    // zero-column mask descriptor
	in         *inst
	warp       int // that issued it, and the lane
	issuer     int
}

// begin reads operands and checks them.
func (p *tensorProduct) begin(w *warp, in *inst, f unsafe.Pointer, lane int) (func(c *cta), []smemRead) {
	j := &tensorJob{tensorProduct: p, desc: uint32(p.idesc.get(f, lane)), d: p.d(f, lane), in: in, warp: w.index,
		issuer: lane, k: p.k, stored: p.stored, factors: p.factors}
	j.fresh = p.accumulate.get(f, lane) == 0
	for i, o := range p.disabled {
		j.skip[i] = uint32(o.get(f, lane))
	}
	if p.hasZeros {
		j.mask = p.zeros.get(f, lane)
	}
	if why := j.decode(); why != "" {
		w.illegal(in, 1<<lane, ": the instruction descriptor %#x of `%s`: %s", j.desc, in.src.Opcode, why)
		return nil, nil
	}
	most := 32
	if j.m == 32 {
		most = 16
	}
	if j.shift() > most {
		w.illegal(in, 1<<lane, ": the zero-column mask descriptor %#x of `%s`: columns are shifted by %d, and with M %d by at most %d",
			j.mask, in.src.Opcode, j.shift(), j.m, most)
		return nil, nil
	}
	var why string
	j.b, why = p.descriptor(p.descB.get(f, lane), j.desc>>16&1 != 0, j.k)
	if !w.goodMatrix(in, lane, &j.b, why, j.n/j.ctas()+j.shift(), j.k) {
		return nil, nil
	}
	if p.a == nil {
		j.a, why = p.descriptor(p.descA.get(f, lane), j.desc>>15&1 != 0, j.stored)
		if !w.goodMatrix(in, lane, &j.a, why, j.rows(), j.stored) {
			return nil, nil
		}
	} else {
		j.tmemA = p.a(f, lane)
	}
	if p.sparse {
		j.meta = p.meta(f, lane)
	}
	if p.scaled {
		j.sfA, j.sfB = p.scaleA(f, lane), p.scaleB(f, lane)
	}
	if j.k == 96 && !j.pair {
		w.note(in, causeShape,
			fmt.Sprintf("`%s` has K 96 and M %d: the manual has K 96 in pairs of CTAs, with M 256", in.src.Opcode,
				j.m))
	}
	for _, r := range j.regions() {
		if r.aligned && r.addr>>16 != j.d>>16 {
			w.illegal(in, 1<<lane, ": %s of `%s` begins in lane %d, and D in lane %d", r.what, in.src.Opcode, r.addr>>16,
				j.d>>16)
			return nil, nil
		}
		if !w.hasColumns(in, 1<<lane, p.pair, int(r.addr&0xffff), r.columns) {
			return nil, nil
		}
	}
	reads := []smemRead{{j.b, 0, j.n/j.ctas() + j.shift(), j.k}}
	if p.a == nil {
		reads = append(reads, smemRead{j.a, 0, j.rows(), j.stored})
	}
	return j.make, reads
}

// tensorRegion is what a product uses of tensor memory.
type tensorRegion struct {
	what    string
	addr    uint32
	columns int
	aligned bool // it begins in the lane of D
}

func (j *tensorJob) regions() []tensorRegion {
	list := []tensorRegion{{"D", j.d, j.n / j.parts(), true}}
	if j.tensorProduct.a != nil {
		list = append(list, tensorRegion{"A", j.tmemA, j.stored * j.bits / 32, true})
	}
	if j.sparse {
		columns := 2
		if j.bits >= 16 {
			columns = 1
		}
		list = append(list, tensorRegion{"the metadata", j.meta + uint32(j.selector()), columns, true})
	}
	if j.scaled {
		list = append(list, tensorRegion{"scale-A", j.sfA, j.scaleColumns(j.rows(), j.field(29, 2)), false},
			tensorRegion{"scale-B", j.sfB, j.scaleColumns(j.n, j.field(4, 2)), false})
	}
	return list
}

// field is a field of the instruction descriptor.
func (j *tensorJob) field(bit, size int) int { return int(j.desc >> bit & (1<<size - 1)) }

// decode reads the instruction descriptor (9.7.16.4.2) and says what is wrong with it.
func (j *tensorJob) decode() string {
	var okA, okB bool
	j.ta, okA = j.inputs[j.field(7, 3)]
	j.tb, okB = j.inputs[j.field(10, 3)]
	j.n, j.m, j.td = j.field(17, 6)*8, j.field(24, 5)*16, j.output[j.field(4, 2)]
	if j.scaled {
		j.m, j.td = j.field(27, 2)*128, isa.F32
	}
	if why := j.deepen(); why != "" {
		return why
	}
	narrow := j.packed(j.ta) < 8 || j.packed(j.tb) < 8
	switch {
	case j.desc&j.reserved() != 0:
		return fmt.Sprintf("the bits %#x are reserved, and must be 0", j.desc&j.reserved())
	case j.field(2, 1) != int(b2u(j.sparse)):
		return fmt.Sprintf("bit 2 says whether A is sparse, and is %d", j.field(2, 1))
	case j.sparse && j.bits == 8 && !j.scaled && j.field(0, 2) != 0:
		return "the sparsity selector of this kind is 0"
	case !okA || !okB:
		return fmt.Sprintf("the types %d of A and %d of B are not of this kind", j.field(7, 3), j.field(10, 3))
	case j.td == isa.NoType || j.td == isa.F16 && (j.ta == isa.BF16 || j.tb == isa.BF16):
		return fmt.Sprintf("the type %d of D is not of this kind", j.field(4, 2))
	case j.bits == 16 && j.ta != j.tb && j.td == isa.F16:
		return "A and B have different types"
	case !j.shaped():
		return fmt.Sprintf("there is no shape with M %d and N %d", j.m, j.n)
	case (j.bits == 4 || narrow) && j.field(15, 2) != 0:
		return "elements of 4 and 6 bits cannot be transposed"
	case j.integer && j.field(13, 2) != 0:
		return "integers cannot be negated"
	case j.scaled && (j.field(4, 2)|j.field(29, 2))%j.factorAlign() != 0:
		return fmt.Sprintf("%d scale factors begin at bytes that are multiples of %d", j.factors, j.factorAlign())
	case j.scaled && j.field(23, 1) == 0 && j.factors < 4:
		return "scale factors of this kind have the type .ue8m0"
	case j.ashift && j.m < 128:
		return "rows of A are shifted with M 128 and 256 only"
	case j.d>>16 != 0 && (!j.half() || j.d>>16 != 16):
		return fmt.Sprintf("D begins in lane %d", j.d>>16)
	}
	return ""
}

// reserved are the bits of the instruction descriptor that must be 0 (Tables 42 to 44).
func (j *tensorJob) reserved() uint32 {
	switch {
	case j.scaled && j.bits == 8:
		return 1<<3 | 1<<6 | 7<<24 | 1<<31
	case j.scaled:
		return 1<<3 | 1<<6 | 7<<24
	case j.integer:
		return 1<<6 | 1<<23 | 1<<29
	}
	return 1<<3 | 1<<6 | 1<<23 | 1<<29
}

// shaped says whether there are products with this M and N (Tables 39 and 52).
func (j *tensorJob) shaped() bool {
	if j.stationary {
		return (j.m == 32 || j.m == 64 || j.m == 128) && (j.n == 64 || j.n == 128 || j.n == 256 && !j.sparse)
	}
	step := 8
	if j.integer && (j.n > 32 || j.pair) || j.bits == 8 && j.field(16, 1) != 0 {
		step = 16
	}
	rows := j.rows() == 128 || j.rows() == 64 && (!j.scaled || j.pair && !j.sparse)
	return rows && j.n > 0 && j.n <= 256 && j.n%(step*j.ctas()) == 0
}

// A pair of CTAs shares the rows of A and D and the columns of B evenly: the even CTA has the first half of each.

// ctas is the number of CTAs that the product is for.
func (j *tensorJob) ctas() int { return 1 << b2u(j.pair) }

// rows is how many rows of A and D a CTA has.
func (j *tensorJob) rows() int { return j.m / j.ctas() }

// parts is the number of ranges of columns into which D is cut. They lie side by side over the lanes, and each has an A
// in its lanes: layouts B, E and G (9.7.16.10.5).
func (j *tensorJob) parts() int {
	if j.stationary || j.pair && !j.sparse {
		return tensorLanes / j.rows()
	}
	return 1
}

// half says whether a warp has 16 rows in half of its lanes: layouts C and F.
func (j *tensorJob) half() bool { return j.rows()*j.parts() == 64 }

// place is the lane and the column of an element of D, row counted in its CTA.
func (j *tensorJob) place(row, col int) (lane, at int) {
	width := j.n / j.parts()
	return j.lane(row, col/width), int(j.d&0xffff) + col%width
}

// lane is the lane of a row of A or D, for a range of columns.
func (j *tensorJob) lane(row, part int) int {
	if j.half() {
		return row/16*32 + row%16 + int(j.d>>16)
	}
	return row + part*j.rows()
}

// shift is how far the columns of B are moved, and masked whether a column counts as zero (9.7.16.4.3, whose examples
// say that bits of the mask are 0 for use span + 1 columns and 1 for skip span + 1).
func (j *tensorJob) shift() int { return int(j.mask >> 56 & 63) }

func (j *tensorJob) masked(col int) bool {
	if j.mask>>39&1 == 0 {
		return false
	}
	part := j.n * j.m / tensorLanes
	sub, at := col/part, col%part
	use, skip := int(j.mask>>48&255)+1, int(j.mask>>40&255)+1
	at = (at + int(j.mask>>(8*sub)&255)) % (use + skip)
	if j.mask>>(32+sub)&1 != 0 {
		return at < skip
	}
	return at >= use
}

// make computes the product.
func (j *tensorJob) make(c *cta) {
	ctas := c.group(j.pair)
	b := make([]uint64, j.n*j.k)
	for i, p := range ctas {
		own := j.n / len(ctas)
		j.b.read(p, j.shift(), own, j.k, b[i*own*j.k:])
	}
	unpackBytes(b, j.packed(j.tb))
	j.values(b, j.tb, j.field(14, 1) != 0)
	for n := range j.n {
		if j.masked(n) {
			clear(b[n*j.k:][:j.k])
		}
	}
	for i, p := range ctas {
		var columns []uint8
		if j.sparse {
			var ok bool
			if columns, ok = j.readColumns(c, p); !ok {
				return
			}
		}
		j.multiply(p, b, columns, j.skip[4*i:])
	}
}

// multiply computes what a CTA has of D. columns are those of the stored elements of a sparse A.
func (j *tensorJob) multiply(c *cta, b []uint64, columns []uint8, skip []uint32) {
	k, stored, rows, width := j.k, j.stored, j.rows(), j.n/j.parts()
	a := j.readA(c)
	if j.scaled {
		for line := range len(a) / stored {
			j.scale(c, a[line*stored:][:stored], line, int(j.sfA&0xffff)+line%rows/32, j.field(29, 2), rows)
		}
	}
	dot := j.dot()
	scaled := make([]uint64, len(b))
	var chosen [maxStored]uint64 // elements of a column of B that meet a stored one
	for row := range rows {
		if row%32 == 0 {
			copy(scaled, b)
			for n := 0; j.scaled && n < j.n; n++ {
				j.scale(c, scaled[n*k:][:k], row+n%32, int(j.sfB&0xffff)+n/32, j.field(4, 2), j.n)
			}
		}
		for n := range j.n {
			lane, col := j.place(row, n)
			if skip[lane/32]>>(lane%32)&1 != 0 {
				continue
			}
			p, old := c.word(lane, col), uint64(0)
			if !j.fresh {
				old = uint64(*p) & (1<<j.td.Bits() - 1)
			}
			line, of := row+n/width*rows, scaled[n*k:][:k]
			if columns != nil {
				for i, from := range columns[line*stored:][:stored] {
					chosen[i] = of[from]
				}
				of = chosen[:stored]
			}
			*p = uint32(dot(a[line*stored:][:stored], of, old))
		}
	}
	c.touchTensor(0, tensorLanes, int(j.d&0xffff), width)
	c.tensor.floats = j.td == isa.F32
}

// readA gathers a CTA's rows of A, once for each part of D: all parts have the same A when it is in shared memory.
func (j *tensorJob) readA(c *cta) []uint64 {
	own := j.rows() * j.stored
	a := make([]uint64, j.parts()*own)
	if j.tensorProduct.a != nil {
		j.readTensor(c, a)
	} else {
		j.a.read(c, 0, j.rows(), j.stored, a)
		unpackBytes(a[:own], j.packed(j.ta))
		for part := own; part < len(a); part += own {
			copy(a[part:], a[:own])
		}
	}
	j.values(a, j.ta, j.field(13, 1) != 0)
	return a
}

// source is the row, and the part, that is line of A. .ashift moves rows down by one; the first one keeps its place, as
// with tcgen05.shift.
func (j *tensorJob) source(line int) (row, part int) {
	row, part = line%j.rows(), line/j.rows()
	if j.ashift {
		row = max(row-1, 0)
	}
	return row, part
}

// readTensor reads A from tensor memory: a row in each lane, the lane of that row of D, elements packed into columns.
func (j *tensorJob) readTensor(c *cta, a []uint64) {
	per, first := 32/j.bits, int(j.tmemA&0xffff)
	for line := range len(a) / j.stored {
		lane := j.lane(j.source(line))
		for i := range j.stored {
			word := *c.word(lane, first+i/per)
			a[line*j.stored+i] = uint64(word) >> (i % per * j.bits) & (1<<j.bits - 1)
		}
	}
}

// packed is the width of an element that is packed in shared memory and kept in a byte: 6 or 4, else 8.
func (j *tensorJob) packed(t isa.Type) int {
	switch {
	case j.bits != 8:
		return 8
	case t == isa.E2M1:
		return 4
	case t == isa.E2M3 || t == isa.E3M2:
		return 6
	}
	return 8
}

func (j *tensorJob) values(m []uint64, t isa.Type, negative bool) {
	e := elementTypes[t]
	if t == isa.E2M1 && j.bits == 8 {
		e = paddedE2M1
	}
	for i, v := range m {
		m[i] = e.value(v)
	}
	negate(negative, m)
}

// dot is the element of D from a row, a column and what D was.
func (j *tensorJob) dot() dot {
	if j.integer {
		return integerDot(j.field(3, 1) != 0)
	}
	from := fromFloat(j.td)
	if j.shrink > 0 {
		whole := from
		from = func(v uint64) float64 { return math.Ldexp(whole(v), -j.shrink) }
	}
	return floatDot(from, toFloat(j.td))
}
