package emu

import (
	"slices"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// tensorProduct is tcgen05.mma, .mma.sp, .mma.ws and .mma.ws.sp as the program has them.
type tensorProduct struct {
	matrix.MMA
	meta           func(f unsafe.Pointer, lane int) uint32
	d, a           func(f unsafe.Pointer, lane int) uint32 // a is nil when A is in shared memory
	scaleA, scaleB func(f unsafe.Pointer, lane int) uint32
	descA, descB   row.Operand
	idesc          row.Operand
	accumulate     row.Operand
	disabled       []row.Operand // lanes of D that stay
	zeros          row.Operand
	hasZeros       bool
}

func lowerTensorProduct(l *lowerer) bool {
	p := &tensorProduct{d: l.tensorAddress("d-tmem"), a: l.tensorAddress("a-tmem"),
		scaleA: l.tensorAddress("scale-A-tmem"), scaleB: l.tensorAddress("scale-B-tmem"),
		MMA: mmaOf(l.in.Match, l.prog.Mod)}
	if !p.Known() || p.d == nil {
		return false
	}
	if p.Sparse {
		p.meta = l.tensorAddress("sp-meta-tmem")
	}
	get := func(name string, t isa.Type) (o row.Operand, ok bool) {
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
		if p.Shrink = int(s.Imm); s.Imm > 15 || !l.has(".kind::f16", ".kind::tf32") {
			return l.refuse(s, "scale-input-d is 0 to 15, and for .kind::f16 and .kind::tf32 only")
		}
	}
	return lowerIssueTensor(l, p.begin)
}

// mmaOf is a tcgen05.mma by its modifiers.
func mmaOf(b *isa.Bound, m *ptx.Module) matrix.MMA {
	return matrix.MMA{Kind: b.Value("kind"), Blocks: b.Value("scale_vectorsize"), Pair: b.Has(pairGroup),
		Sparse: b.Has(".sp"), Stationary: b.Has(".ws"), ShiftA: b.Has(".ashift"), SM: m.SM, Arch: m.Arch}
}

// maxStored is the most columns of a sparse A that are stored.
const maxStored = 64

// tensorJob is a product with the operands that were read when it was issued.
type tensorJob struct {
	*tensorProduct
	matrix.Plan
	d, tmemA uint32
	meta     uint32
	sfA, sfB uint32
	a, b     machine.SmemRead // lines of a CTA; a only when A is in shared memory
	fresh    bool             // D = A B
	skip     [8]uint32        // lanes of D that stay, of both CTAs of a pair
	in       *machine.Inst
	warp     int // that issued it, and the lane
	issuer   int
}

// begin reads operands and checks them.
func (p *tensorProduct) begin(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, lane int) machine.TensorOp {
	j := &tensorJob{tensorProduct: p, d: p.d(f, lane), in: in, warp: w.Index, issuer: lane}
	j.fresh = p.accumulate.Get(f, lane) == 0
	for i, o := range p.disabled {
		j.skip[i] = uint32(o.Get(f, lane))
	}
	none := machine.TensorOp{}
	bad := func(what string, bits uint64, err error) machine.TensorOp {
		machine.Illegal(w, in, 1<<lane, ": the %s descriptor %#x of `%s`: %v", what, bits, in.Src.Opcode, err)
		return none
	}
	var err error
	desc := uint32(p.idesc.Get(f, lane))
	if j.Plan, err = p.Decode(desc, j.d); err != nil {
		return bad("instruction", uint64(desc), err)
	}
	if p.hasZeros {
		mask := p.zeros.Get(f, lane)
		if err = j.Mask(mask); err != nil {
			return bad("zero-column mask", mask, err)
		}
	}
	j.b = machine.SmemRead{Lines: j.N/j.CTAs() + j.Shift(), K: j.K}
	j.b.Descriptor, err = j.DescriptorB(p.descB.Get(f, lane))
	if !goodMatrix(w, in, lane, j.b, err) {
		return none
	}
	op := machine.TensorOp{Do: j.make, Reads: []machine.SmemRead{j.b}}
	if p.a == nil {
		j.a = machine.SmemRead{Lines: j.Rows(), K: j.Stored}
		j.a.Descriptor, err = j.DescriptorA(p.descA.Get(f, lane))
		if !goodMatrix(w, in, lane, j.a, err) {
			return none
		}
		op.Reads, op.ReadA = append(op.Reads, j.a), j.early
	} else {
		j.tmemA = p.a(f, lane)
	}
	if p.Sparse {
		j.meta = p.meta(f, lane)
	}
	if p.Scaled() {
		j.sfA, j.sfB = p.scaleA(f, lane), p.scaleB(f, lane)
	}
	for _, r := range j.regions() {
		if r.aligned && r.addr>>16 != j.d>>16 {
			machine.Illegal(w, in, 1<<lane, ": %s of `%s` begins in lane %d, and D in lane %d", r.what, in.Src.Opcode,
				r.addr>>16,
				j.d>>16)
			return none
		}
		if !hasColumns(w, in, 1<<lane, p.Pair, int(r.addr&0xffff), r.columns) {
			return none
		}
	}
	return op
}

// tensorRegion is what a product uses of tensor memory.
type tensorRegion struct {
	what    string
	addr    uint32
	columns int
	aligned bool // it begins in the lane of D
}

func (j *tensorJob) regions() []tensorRegion {
	list := []tensorRegion{{"D", j.d, j.N / j.Parts(), true}}
	if j.tensorProduct.a != nil {
		list = append(list, tensorRegion{"A", j.tmemA, j.Stored * j.BitsOfA() / 32, true})
	}
	if j.Sparse {
		first, columns := j.MetadataColumns()
		list = append(list, tensorRegion{"the metadata", j.meta + uint32(first), columns, true})
	}
	if j.Scaled() {
		list = append(list, tensorRegion{"scale-A", j.sfA, j.FactorColumnsA(), false},
			tensorRegion{"scale-B", j.sfB, j.FactorColumnsB(), false})
	}
	return list
}

// wordsOf reads a CTA's tensor memory, by columns after those of an address.
func wordsOf(c *machine.CTA, addr uint32) matrix.Words {
	first := int(addr & 0xffff)
	return func(lane, column int) uint32 { return *c.Word(lane, first+column) }
}

// make computes the product.
func (j *tensorJob) make(c *machine.CTA) { j.early(c)(c) }

// early reads A of each CTA, and gives the rest of the product.
func (j *tensorJob) early(c *machine.CTA) func(c *machine.CTA) {
	var a [][]uint64
	for _, p := range groupOf(c, j.Pair) {
		a = append(a, j.readA(p))
	}
	return func(c *machine.CTA) { j.finish(c, a) }
}

// finish computes the product with an A that has been read. A restored snapshot may do it again, so A stays as it is.
func (j *tensorJob) finish(c *machine.CTA, a [][]uint64) {
	ctas := groupOf(c, j.Pair)
	b := make([]uint64, j.N*j.K)
	for i, p := range ctas {
		own := j.N / len(ctas)
		j.b.Read(p.SharedBytes(), j.Shift(), own, j.K, b[i*own*j.K:])
	}
	j.B.Values(b)
	for n := range j.N {
		if j.Masked(n) {
			clear(b[n*j.K:][:j.K])
		}
	}
	for i, p := range ctas {
		var columns []uint8
		if j.Sparse {
			var bad *matrix.MetadataError
			if columns, bad = j.Columns(wordsOf(p, j.meta)); bad != nil {
				machine.Illegal(c.Warps[j.warp], j.in, 1<<j.issuer,
					": the metadata of `%s` has %04b for chunk %d of row %d, in lane %d, "+
						"column %d of tensor memory: these are no places", j.in.Src.Opcode, bad.Bits, bad.Chunk, bad.Row, bad.Lane,
					int(j.meta&0xffff)+bad.Column)
				return
			}
		}
		j.multiply(p, a[i], b, columns, j.skip[4*i:])
	}
}

// multiply computes what a CTA has of D. columns are those of the stored elements of a sparse A.
func (j *tensorJob) multiply(c *machine.CTA, a, b []uint64, columns []uint8, skip []uint32) {
	k, stored, rows, width := j.K, j.Stored, j.Rows(), j.N/j.Parts()
	if j.Scaled() {
		a = slices.Clone(a)
		j.ScaleA(a, wordsOf(c, j.sfA))
	}
	dot := j.Dot()
	scaled := make([]uint64, len(b))
	var chosen [maxStored]uint64 // elements of a column of B that meet a stored one
	for row := range rows {
		if row%32 == 0 {
			if copy(scaled, b); j.Scaled() {
				j.ScaleB(scaled, row, wordsOf(c, j.sfB))
			}
		}
		for n := range j.N {
			lane, col := j.Place(row, n)
			if skip[lane/32]>>(lane%32)&1 != 0 {
				continue
			}
			p, old := c.Word(lane, col), uint64(0)
			if !j.fresh {
				old = uint64(*p) & (1<<j.D.Bits() - 1)
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
	touchTensor(c, 0, machine.TensorLanes, int(j.d&0xffff), width)
	c.Tensor.Floats = j.D == isa.F32
}

// readA gathers a CTA's rows of A, once for each part of D: all parts have the same A when it is in shared memory.
func (j *tensorJob) readA(c *machine.CTA) []uint64 {
	own := j.Rows() * j.Stored
	a := make([]uint64, j.Parts()*own)
	if j.tensorProduct.a != nil {
		j.readTensor(c, a)
	} else {
		j.a.Read(c.SharedBytes(), 0, j.Rows(), j.Stored, a)
		for part := own; part < len(a); part += own {
			copy(a[part:], a[:own])
		}
	}
	j.A.Values(a)
	return a
}

// readTensor reads A from tensor memory: a row in each lane, the lane of that row of D.
func (j *tensorJob) readTensor(c *machine.CTA, a []uint64) {
	word := wordsOf(c, j.tmemA)
	for i := range a {
		a[i] = tensorElement(&j.Plan, word, i/j.Stored, i%j.Stored)
	}
}

// tensorElement is an element of A in tensor memory.
func tensorElement(p *matrix.Plan, word matrix.Words, line, k int) uint64 {
	lane, col, bit := p.PlaceOfA(line, k)
	size, v := p.BitsOfA(), uint64(word(lane, col))>>bit
	if bit+size > 32 {
		v |= uint64(word(lane, col+1)) << (32 - bit)
	}
	return v & (1<<size - 1)
}
