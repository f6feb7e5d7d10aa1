package emu

import (
	"fmt"
	"math"
	"unsafe"

	"warpscope/emu/num"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// tcgen05.mma, .cp and .shift are asynchronous: they happen when somebody waits for the mbarrier of a tcgen05.commit that
// tracks them (see flight.go), those of one thread in the order in which it issued them. What nothing tracks never
// happens. Each lane that executes the instruction issues an operation of its own (9.7.16.5).

// issueTensor lowers an instruction for which begin, lane by lane, checks the operands and gives what is to be done.
func (l *lowerer) issueTensor(begin func(w *warp, in *inst, f unsafe.Pointer, lane int) func(c *cta)) bool {
	l.i.op, l.i.x = opRun, &extra{run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		ok := true
		eachLane(exec, func(lane int) {
			if !ok {
				return
			}
			do := begin(w, in, f, lane)
			if ok = do != nil; ok {
				w.cta.tensor.issued = append(w.cta.tensor.issued, tensorOp{w.index, lane, do})
			}
		})
		return ok
	}}
	return true
}

// tensorCommit is tcgen05.commit (9.7.16.12.1).
func (l *lowerer) tensorCommit() bool {
	mbar, _ := l.named("mbar")
	mem := l.access(mbar, isa.B64, true)
	if mem.space == ptx.SharedSpace {
		mem.space = clusterSpace
	}
	mask, several := l.named("ctaMask")
	ctas := l.src(mask, isa.U16)
	l.i.op, l.i.x = opRun, &extra{mem: mem, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.mbarriers(in, mem, f, exec)
		eachLane(exec, func(lane int) {
			if !ok {
				return
			}
			o := asyncOp{mbarrier: at[lane], arrive: 1, group: -1, tensor: w.cta.tensor.commit(w.index, lane)}
			if !several {
				w.start(in, lane, o)
				return
			}
			own := w.cta.grid.sharedOwner(at[lane])
			for rank, m := 0, ctas.get(f, lane); m != 0; rank, m = rank+1, m>>1 {
				if p := w.cta.peer(rank); m&1 != 0 && p == nil {
					ok = w.illegal(in, 1<<lane, ": the cluster has no CTA of rank %d", rank)
					return
				} else if m&1 != 0 {
					o.mbarrier = p.sharedOff + at[lane] - own.sharedOff
					w.start(in, lane, o)
					o.tensor = []func(c *cta){} // they happen once
				}
			}
		})
		return ok
	}}
	return true
}

// commit takes the operations of a thread out of the list.
func (t *tensorMemory) commit(warp, lane int) []func(c *cta) {
	ops, left := []func(c *cta){}, []tensorOp(nil)
	for _, o := range t.issued {
		if o.warp == warp && o.lane == lane {
			ops = append(ops, o.do)
		} else {
			left = append(left, o)
		}
	}
	t.issued = left
	return ops
}

// tensorDescriptor reads a shared memory descriptor (9.7.16.4.1); bits is the width of elements.
func tensorDescriptor(d uint64, bits int, linesFirst bool) (m smemMatrix, why string) {
	m = smemMatrix{start: descriptorField(d, 0), lbo: descriptorField(d, 16), sbo: descriptorField(d, 32),
		base: uint32(d>>49) & 7, linesFirst: linesFirst, bits: bits}
	m.width = [...]uint32{16, 128, 128, 0, 64, 0, 32, 0}[d>>61]
	m.wideAtoms = d>>61 == 1
	switch {
	case m.width == 0:
		return m, fmt.Sprintf("the swizzling mode %d is none", d>>61)
	case d>>46&7 != 1:
		return m, "bits 46 to 48 must be 0b001"
	case d>>52&1 != 0:
		return m, "the leading dimension as an absolute address is for sm_103a only, and not emulated"
	case m.wideAtoms && !linesFirst:
		return m, "swizzling of 32-byte atoms is for matrices that are M- or N-major"
	}
	return m, ""
}

// tensorCopy is tcgen05.cp (9.7.16.9.2). Row r of the source goes to lane r, or to several, from the column of taddr on.
func (l *lowerer) tensorCopy() bool {
	taddr := l.tensorAddress("taddr")
	desc, _ := l.named("s-desc")
	source := l.src(desc, isa.B64)
	var rows, size int
	fmt.Sscanf(l.in.Match.Value("shape"), ".%dx%db", &rows, &size)
	width := 8 // bits of a source element when it is spread over a byte
	switch {
	case l.has(".b6x16_p32"):
		width = 6
	case l.has(".b4x16_p64"):
		width = 4
	}
	lanes := copyLanes(rows, l.first(".warpx2::02_13", ".warpx2::01_23"))
	return taddr != nil && l.issueTensor(func(w *warp, in *inst, f unsafe.Pointer, lane int) func(c *cta) {
		addr := taddr(f, lane)
		col := int(addr & 0xffff)
		if !w.hasColumns(in, 1<<lane, col, size/32) {
			return nil
		}
		m, why := tensorDescriptor(source.get(f, lane), 8, false)
		if why == "" && addr>>16 != 0 {
			why = "the destination begins in lane 0"
		}
		if !w.goodMatrix(in, lane, &m, why, rows, size/8) {
			return nil
		}
		return func(c *cta) {
			bytes := make([]uint64, rows*size/8)
			m.read(c, 0, rows, size/8, bytes)
			unpackBytes(bytes, width)
			for i := range bytes {
				row, at := i/(size/8), i%(size/8)
				for _, to := range lanes(row) {
					p := c.word(to, col+at/4)
					*p = *p&^(0xff<<(at%4*8)) | uint32(bytes[i])<<(at%4*8)
				}
			}
			c.touchTensor(0, tensorLanes, col, size/32)
		}
	})
}

// copyLanes are the lanes that a row goes to. A pair of warps receives 64 rows, each warp of it one half; 4 rows are the
// first of each warp's lanes.
func copyLanes(rows int, pairs string) func(row int) []int {
	switch {
	case rows == 4:
		return func(row int) []int { return []int{32 * row} }
	case rows == 32:
		return func(row int) []int { return []int{row, row + 32, row + 64, row + 96} }
	case pairs == ".warpx2::02_13":
		return func(row int) []int { return []int{row%32 + row/32*64, row%32 + row/32*64 + 32} }
	case pairs == ".warpx2::01_23":
		return func(row int) []int { return []int{row, row + 64} }
	}
	return func(row int) []int { return []int{row} }
}

// unpackBytes spreads 16 elements of 6 or 4 bits, at the start of every 16 bytes, over these bytes (9.7.16.9.1): 6 bits
// in the lower bits, 4 in the middle, as products of bytes want them.
func unpackBytes(bytes []uint64, width int) {
	if width == 8 {
		return
	}
	for at := 0; at < len(bytes); at += 16 {
		chunk := bytes[at:][:16]
		var elements [16]uint64
		for i := range elements {
			bit := i * width
			v := chunk[bit/8] >> (bit % 8)
			if bit%8+width > 8 {
				v |= chunk[bit/8+1] << (8 - bit%8)
			}
			if elements[i] = v & (1<<width - 1); width == 4 {
				elements[i] <<= 2
			}
		}
		copy(chunk, elements[:])
	}
}

// tensorShift is tcgen05.shift (9.7.16.9.3): 32 bytes of the lanes of a warp move to the next lane; what the last one
// had is lost, and the first one keeps what it has.
func (l *lowerer) tensorShift() bool {
	taddr := l.tensorAddress("taddr")
	return taddr != nil && l.issueTensor(func(w *warp, in *inst, f unsafe.Pointer, lane int) func(c *cta) {
		addr := taddr(f, lane)
		first, col := int(addr>>16), int(addr&0xffff)
		if first%32 != 0 || first >= tensorLanes {
			w.illegal(in, 1<<lane, ": the address begins in lane %d, which must be a multiple of 32 below 128", first)
			return nil
		}
		if !w.hasColumns(in, 1<<lane, col, 8) {
			return nil
		}
		return func(c *cta) {
			for i := first + 31; i > first; i-- {
				for k := range 8 {
					*c.word(i, col+k) = *c.word(i-1, col+k)
				}
			}
			c.touchTensor(first, 32, col, 8)
		}
	})
}

// goodMatrix says whether a matrix in shared memory is well described and inside it.
func (w *warp) goodMatrix(in *inst, lane int, m *smemMatrix, why string, lines, k int) bool {
	if why != "" {
		return w.illegal(in, 1<<lane, ": a matrix descriptor of `%s`: %s", in.src.Opcode, why)
	}
	if at, bad := m.outside(w.cta, 0, lines, k); bad {
		w.memoryFault(in, &access{space: ptx.SharedSpace}, OutOfBounds, Addr(at), 16, 1<<lane)
		return false
	}
	return true
}

// tensorKind is a .kind of tcgen05.mma: the depth and the types that the instruction descriptor names (9.7.16.4.2).
type tensorKind struct {
	k      int
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

// tensorProduct is tcgen05.mma and tcgen05.mma.ws as they stand in the program.
type tensorProduct struct {
	tensorKind
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
	if l.has(".sp") {
		return false
	}
	p := &tensorProduct{d: l.tensorAddress("d-tmem"), a: l.tensorAddress("a-tmem"), stationary: l.has(".ws"),
		scaleA: l.tensorAddress("scale-A-tmem"), scaleB: l.tensorAddress("scale-B-tmem"), integer: l.has(".kind::i8"),
		ashift: l.has(".ashift")}
	p.tensorKind = tensorKinds[l.in.Match.Value("kind")]
	if p.k == 0 || p.d == nil {
		return false
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
		list := elements(mask)
		if len(list) != 4 {
			return l.refuse(mask, "disable-output-lane of %s is a tuple of length 4, not %d", l.in.Opcode, len(list))
		}
		for _, e := range list {
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

// scaleFactors is how many of them a row has (9.7.16.10.7.1).
func (l *lowerer) scaleFactors() int {
	switch {
	case l.has(".scale_vec::4X", ".block16"):
		return 4
	case l.has(".kind::mxf8f6f4"):
		return 1
	}
	return 2
}

// tensorJob is a product with the operands that were read when it was issued.
type tensorJob struct {
	*tensorProduct
	desc       uint32
	m, n       int
	ta, tb, td isa.Type
	d, tmemA   uint32
	sfA, sfB   uint32
	a, b       smemMatrix
	fresh      bool      // D = A B
	skip       [4]uint32 // lanes of D that stay
	mask       uint64    // zero-column mask descriptor
}

// begin reads operands and checks them.
func (p *tensorProduct) begin(w *warp, in *inst, f unsafe.Pointer, lane int) func(c *cta) {
	j := &tensorJob{tensorProduct: p, desc: uint32(p.idesc.get(f, lane)), d: p.d(f, lane)}
	j.fresh = (p.accumulate.get(f, lane) != 0) == p.accumulate.neg
	for i, o := range p.disabled {
		j.skip[i] = uint32(o.get(f, lane))
	}
	if p.hasZeros {
		j.mask = p.zeros.get(f, lane)
	}
	if why := j.decode(); why != "" {
		w.illegal(in, 1<<lane, ": the instruction descriptor %#x of `%s`: %s", j.desc, in.src.Opcode, why)
		return nil
	}
	var why string
	j.b, why = tensorDescriptor(p.descB.get(f, lane), p.bits, j.desc>>16&1 != 0)
	if !w.goodMatrix(in, lane, &j.b, why, j.n+j.shift(), p.k) {
		return nil
	}
	if p.a == nil {
		j.a, why = tensorDescriptor(p.descA.get(f, lane), p.bits, j.desc>>15&1 != 0)
		if !w.goodMatrix(in, lane, &j.a, why, j.m, p.k) {
			return nil
		}
	} else if j.tmemA = p.a(f, lane); !w.hasColumns(in, 1<<lane, int(j.tmemA&0xffff), p.k*p.bits/32) {
		return nil
	}
	if p.scaled {
		j.sfA, j.sfB = p.scaleA(f, lane), p.scaleB(f, lane)
		if !w.hasColumns(in, 1<<lane, int(j.sfA&0xffff), 4) || !w.hasColumns(in, 1<<lane, int(j.sfB&0xffff), (j.n+31)/32) {
			return nil
		}
	}
	_, last := j.place(j.m-1, j.n-1)
	if !w.hasColumns(in, 1<<lane, int(j.d&0xffff), last-int(j.d&0xffff)+1) {
		return nil
	}
	return j.make
}

// field is a field of the instruction descriptor.
func (j *tensorJob) field(bit, size int) int { return int(j.desc >> bit & (1<<size - 1)) }

// decode reads the instruction descriptor (9.7.16.4.2) and says what is wrong with it.
func (j *tensorJob) decode() string {
	var okA, okB bool
	j.ta, okA = j.inputs[j.field(7, 3)]
	j.tb, okB = j.inputs[j.field(10, 3)]
	j.n, j.m, j.td = j.field(17, 6)*8, j.field(24, 5)*16, j.output[j.field(4, 2)]
	step := 8
	switch {
	case j.scaled:
		j.m, j.td = j.field(27, 2)*128, isa.F32
	case j.integer && j.n > 32:
		step = 16
	}
	narrow := j.bits == 8 && (j.ta.Bits() < 8 || j.ta == isa.E2M3 || j.ta == isa.E3M2 || j.tb.Bits() < 8 || j.tb == isa.E2M3 ||
		j.tb == isa.E3M2)
	switch {
	case j.field(2, 1) != 0:
		return "bit 2 says that A is sparse"
	case !okA || !okB:
		return fmt.Sprintf("the types %d of A and %d of B are not of this kind", j.field(7, 3), j.field(10, 3))
	case j.td == isa.NoType || j.td == isa.F16 && (j.ta == isa.BF16 || j.tb == isa.BF16):
		return fmt.Sprintf("the type %d of D is not of this kind", j.field(4, 2))
	case j.bits == 16 && j.ta != j.tb && j.td == isa.F16:
		return "A and B have different types"
	case j.stationary && (j.m != 32 && j.m != 64 && j.m != 128 || j.n != 64 && j.n != 128 && j.n != 256),
		!j.stationary && (j.m != 128 && (j.m != 64 || j.scaled) || j.n == 0 || j.n > 256 || j.n%step != 0):
		return fmt.Sprintf("there is no shape with M %d and N %d", j.m, j.n)
	case (j.bits == 4 || narrow) && j.field(15, 2) != 0:
		return "elements of 4 and 6 bits cannot be transposed"
	case j.integer && j.field(13, 2) != 0:
		return "integers cannot be negated"
	case j.scaled && j.bits == 4 && j.field(31, 1) != 0:
		return "K 96 is for sm_103a only, and not emulated"
	case j.scaled && (j.field(4, 2)%j.factors != 0 || j.field(29, 2)%j.factors != 0):
		return fmt.Sprintf("%d scale factors begin at bytes that are multiples of %d", j.factors, j.factors)
	case j.scaled && j.field(23, 1) == 0 && j.factors != 4:
		return "scale factors of this kind have the type .ue8m0"
	case j.ashift && j.m != 128:
		return "rows of A are shifted with M 128 only"
	case j.d>>16 != 0 && (j.m != 64 || j.stationary || j.d>>16 != 16):
		return fmt.Sprintf("D begins in lane %d", j.d>>16)
	}
	return ""
}

// place is the lane and the column of an element of D (9.7.16.10.5). With M 64, a warp has 16 rows in half of its lanes
// (layout F); .ws uses all lanes and cuts N into two (layout E) or four parts (G).
func (j *tensorJob) place(row, col int) (lane, at int) {
	at = int(j.d & 0xffff)
	if parts := tensorLanes / j.m; parts > 1 && j.stationary {
		return row + col/(j.n/parts)*j.m, at + col%(j.n/parts)
	}
	return j.lane(row), at + col
}

// lane is the lane of a row of A or D.
func (j *tensorJob) lane(row int) int {
	if j.m == 64 {
		return row/16*32 + row%16 + int(j.d>>16)
	}
	return row
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
	k := j.k
	parts := 1
	if j.stationary && j.tensorProduct.a != nil { // each part of N has an A in its own lanes
		parts = tensorLanes / j.m
	}
	a, b := make([]uint64, parts*j.m*k), make([]uint64, j.n*k)
	if j.tensorProduct.a == nil {
		j.a.read(c, 0, j.m, k, a)
		unpackBytes(a, j.packed(j.ta))
	} else {
		j.readTensor(c, a)
	}
	j.b.read(c, j.shift(), j.n, k, b)
	unpackBytes(b, j.packed(j.tb))
	j.values(a, j.ta, j.field(13, 1) != 0)
	j.values(b, j.tb, j.field(14, 1) != 0)
	for n := range j.n {
		if j.masked(n) {
			clear(b[n*k:][:k])
		}
	}
	if j.scaled {
		j.scale(c, a, 0, j.m, j.sfA, j.field(29, 2))
	}
	dot := j.dot()
	scaled := make([]uint64, len(b))
	for row := range j.m {
		if row%32 == 0 {
			if copy(scaled, b); j.scaled {
				j.scale(c, scaled, row, j.n, j.sfB, j.field(4, 2))
			}
		}
		for n := range j.n {
			lane, col := j.place(row, n)
			if j.skip[lane/32]>>(lane%32)&1 != 0 {
				continue
			}
			p, old := c.word(lane, col), uint64(0)
			if !j.fresh {
				old = uint64(*p) & (1<<j.td.Bits() - 1)
			}
			rowA := row + n*parts/j.n*j.m
			*p = uint32(dot(a[rowA*k:][:k], scaled[n*k:][:k], old))
		}
	}
	_, last := j.place(0, j.n-1)
	c.touchTensor(0, tensorLanes, int(j.d&0xffff), last+1-int(j.d&0xffff))
	c.tensor.floats = j.td == isa.F32
}

// readTensor reads A from tensor memory: a row in each lane, the lane of that row of D, elements packed into columns.
// .ashift moves rows down by one; the first one keeps its place, as with tcgen05.shift.
func (j *tensorJob) readTensor(c *cta, a []uint64) {
	per, first := 32/j.bits, int(j.tmemA&0xffff)
	for row := range len(a) / j.k {
		lane := j.lane(row)
		if j.stationary {
			lane = row
		} else if j.ashift {
			lane = max(row-1, 0)
		}
		for i := range j.k {
			word := *c.word(lane, first+i/per)
			a[row*j.k+i] = uint64(word) >> (i % per * j.bits) & (1<<j.bits - 1)
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

// scale multiplies lines by their scale factors (9.7.16.10.7.2): line n has them in lane n%32, column n/32, from a byte
// on. Each warp's lanes hold them all; those are used that belong to the rows of D.
func (j *tensorJob) scale(c *cta, m []uint64, row, lines int, addr uint32, first int) {
	t := isa.UE8M0
	if j.field(23, 1) == 0 {
		t = isa.UE4M3
	}
	value := num.Decoder(t)
	for n := range lines {
		lane := row/32*32 + n%32
		if lines == j.m && row == 0 {
			lane = n
		}
		word := *c.word(lane, int(addr&0xffff)+n/32) >> (8 * first)
		for i := range j.k {
			factor := value(uint64(word >> (8 * (i * j.factors / j.k))))
			v := &m[n*j.k+i]
			*v = math.Float64bits(math.Float64frombits(*v) * factor)
		}
	}
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
