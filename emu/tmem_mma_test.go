package emu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/row"
)

// tensorCase is one tcgen05.mma.
type tensorCase struct {
	kind           string // and what follows
	types          string // D, A, B
	m, n, k        int
	idesc          uint32 // without shape, sparsity and majorness
	transA, transB bool
	width          int
	inTensor       bool // A
	lane           int  // layouts C and F in the upper halves
	scale          string
	factors        int
	sfa, sfb       int // bytes at which the scale factors begin
	chunkA, chunkB int // of K 96: where the rows go on, from the start of the matrix
	ws             bool
	wide           bool // swizzling of 32-byte atoms
	pair           bool
	issuer         int // the CTA that starts it
	sparse         bool
	selector       int
	spoilsA        bool // A is overwritten after tcgen05.commit.sync_restrict, before the product is complete
	deep           bool // the K of sm_107f
}

// tight says whether elements of a type follow each other without padding: 6 bits in K 64 of .kind::mxf8f6f4 (Table 66,
// 9.7.18.10.4.4).
func (tc *tensorCase) tight(name string) bool {
	return tc.deep && tc.factors > 0 && (name == "e3m2" || name == "e2m3")
}

func (tc *tensorCase) name() string { return fmt.Sprintf("%s %s m%d", tc.kind, tc.types, tc.m) }

// place is the CTA, the lane and the column of an element of D (9.7.18.10.5).
func (tc *tensorCase) place(row, col int) (cta, lane, at int) {
	quarters := func(r int) int { return r/16*32 + r%16 + tc.lane } // 16 rows in each warp
	switch {
	case tc.pair && tc.m == 256: // layout A
		return row / 128, row % 128, col
	case tc.pair && tc.sparse: // C
		return row / 64, quarters(row % 64), col
	case tc.pair: // B
		return row / 64, row%64 + col/(tc.n/2)*64, col % (tc.n / 2)
	case tc.m == 128: // D
		return 0, row, col
	case !tc.ws: // F
		return 0, quarters(row), col
	case tc.m == 64: // E
		return 0, row + col/(tc.n/2)*64, col % (tc.n / 2)
	}
	return 0, row + col/(tc.n/4)*32, col % (tc.n / 4) // G
}

// copies calls do for each lane that has a copy of what belongs to a row of A: one for each part of the columns of D.
func (tc *tensorCase) copies(row int, do func(cta, lane int)) {
	for col := 0; col < tc.n; col += tc.n / 4 {
		cta, lane, _ := tc.place(row, col)
		do(cta, lane)
	}
}

// setBits sets some bits of a word.
func (m *tensorImage) setBits(lane, col, shift, width int, v uint64) {
	mask := uint32(1<<width-1) << shift
	m.set(lane, col, m.get(lane, col)&^mask|uint32(v)<<shift)
}

// The columns of Tensor memory where the matrices begin.
const tensorD, tensorA, tensorSA, tensorSB, tensorMeta, tensorWidth = 0, 256, 280, 288, 296, 304

// productRun is a tensorCase with its matrices.
type productRun struct {
	*tensorCase
	ctas   int
	a, b   integers // a with the zeros of a sparse one
	stored integers // of a
	mem    []*tensorImage
	image  [][]byte
}

// sparsify zeroes half of A and writes the metadata (9.7.18.10.9): of four units two are kept, and their places are
// four bits, the first one's in the lower two. A unit is an element, two of 4 bits, or half a .tf32.
func (r *productRun) sparsify(rng *rand.Rand, bits int) {
	size := map[int]int{4: 8, 8: 4, 16: 4, 32: 2}[bits]                          // elements of a chunk
	patterns := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {2, 1}} // all that have a meaning
	for row := range r.a {
		var kept []int
		for chunk := range r.k / size {
			p, dense := patterns[rng.IntN(7)], r.a[row][chunk*size:][:size]
			if bits == 32 {
				p = patterns[5*rng.IntN(2)]
			}
			for _, unit := range p {
				for i, v := range dense {
					if i*4/size == unit {
						kept = append(kept, v)
					}
				}
			}
			for i := range dense {
				if unit := i * 4 / size; unit != p[0] && unit != p[1] {
					dense[i] = 0
				}
			}
			r.setMeta(row, chunk, bits, uint64(p[0]|p[1]<<2))
		}
		r.stored = append(r.stored, kept)
	}
}

// setMeta writes the metadata of a chunk. Elements of 16 and 32 bits: of rows g and g+8 in each 16, lane g has chunks 0
// to 3, those of row g+8 in the upper half, and lane g+8 chunks 4 to 7; the selector is the column. Others: chunks 0 to
// 7 and 8 to 15 in two columns.
func (r *productRun) setMeta(row, chunk, bits int, v uint64) {
	if bits < 16 {
		r.copies(row, func(cta, lane int) {
			r.mem[cta].setBits(lane, tensorMeta+chunk/8, chunk%8*4, 4, v)
		})
		return
	}
	holder := row/16*16 + row%8 + either(chunk < 4, 0, 8)
	r.copies(holder, func(cta, lane int) {
		r.mem[cta].setBits(lane, tensorMeta+r.selector, either(row%16 < 8, 0, 16)+chunk%4*4, 4, v)
	})
}

// scales writes scale factors of lines of A or B: in lane n%32 of the warps that have them, column n/32, from byte
// first on, n being the line's number in each of the CTAs that need it. What does not fit there follows in column n/32
// of the next block, which begins after the lines of this one: in four columns for 128 lines, in eight for 256.
func (r *productRun) scales(rng *rand.Rand, lines, block, col, first int,
	holders func(line int) (n int, warps []int, ctas []*tensorImage)) [][8]float64 {
	out := make([][8]float64, lines)
	for line := range lines {
		for chunk := range r.factors {
			e := rng.IntN(4)
			bits, v := byte(127+e), math.Ldexp(1, e)
			switch r.scale {
			case "ue4m3":
				bits, v = byte((e+7)<<3|4), 1.5*v
			case "ue5m3":
				bits, v = byte((e+15)<<3|4), 1.5*v
			}
			n, warps, ctas := holders(line)
			for _, m := range ctas {
				for _, warp := range warps {
					at := first + chunk
					m.word(32*warp+n%32, col+n/32+at/4*block)[at%4] = bits
				}
			}
			out[line][chunk] = v
		}
	}
	return out
}

func (tc *tensorCase) run(t *testing.T, rng *rand.Rand) {
	types := strings.Fields(tc.types)
	dk, ak, bk := kinds[types[0]], kinds[types[1]], kinds[types[2]]
	dk.lo, dk.hi = -40, 40
	r := &productRun{tensorCase: tc, ctas: 1 << row.Bit(tc.pair), a: randomMatrix(rng, tc.m, tc.k, ak),
		b: randomMatrix(rng, tc.k, tc.n, bk)}
	for range r.ctas {
		r.mem, r.image = append(r.mem, newTensorImage(tensorWidth).random(rng)), append(r.image, make([]byte, 49152))
	}
	r.stored = r.a
	if tc.sparse {
		r.stored = nil
		r.sparsify(rng, ak.bits)
	}
	rows, columns := tc.m/r.ctas, tc.n/r.ctas
	all := []int{0, 1, 2, 3}
	sa := r.scales(rng, tc.m, 4, tensorSA, tc.sfa, func(line int) (int, []int, []*tensorImage) {
		return line % rows, all, r.mem[line/rows:][:1]
	})
	sb := r.scales(rng, tc.n, either(tc.n > 128, 8, 4), tensorSB, tc.sfb, func(line int) (int, []int, []*tensorImage) {
		if tc.pair && rows == 64 { // layout B: two warps have half of the columns of D, and the factors of these
			return line % columns, all[line/columns*2:][:2], r.mem
		}
		return line, all, r.mem
	})
	in := func(start int, trans bool, lines, k int, name string, bits int) layout {
		if tc.tight(name) {
			return layoutOf(trans, tc.width, start, lines, k*6/8, 8)
		}
		return layoutOf(trans, tc.width, start, lines, k, bits)
	}
	la := in(1024, tc.transA, rows, len(r.stored[0]), types[1], ak.bits)
	lb := in(24576, tc.transB, columns, tc.k, types[2], bk.bits)
	if tc.wide {
		la.wide, la.lbo, la.sbo = true, 512*tc.k/4, 512
		lb.wide, lb.lbo, lb.sbo = true, 512*tc.k/4, 512
	}
	if tc.chunkA > 0 {
		la.start, la.next = 1024+tc.chunkA%128, 1024+tc.chunkA/128*128
		lb.start, lb.next = 24576+tc.chunkB%128, 24576+tc.chunkB/128*128
	}
	for cta := range r.ctas {
		la.fillPacked(t, r.image[cta], r.stored[cta*rows:][:rows], types[1], tc.tight(types[1]))
		lb.fillPacked(t, r.image[cta], transposed(r.b)[cta*columns:][:columns], types[2], tc.tight(types[2]))
	}
	for row := range r.stored {
		for i, v := range r.stored[row] {
			bits := ak.bits
			if tc.tight(types[1]) {
				bits = 6
			}
			r.copies(row, func(cta, lane int) {
				for b := range either(tc.inTensor, bits, 0) {
					bit := i*bits + b
					r.mem[cta].setBits(lane, tensorA+bit/32, bit%32, 1, ak.encode(v)>>b&1)
				}
			})
		}
	}
	want := r.product(rng, dk, types[0] == "f32", sa, sb)
	act := r.instruction()
	descs := words(la.tensorDesc(), lb.tensorDesc(), uint64(r.descriptor()))
	if tc.pair {
		runPair(t, tc.issuer, tensorWidth, act, "", r.image, r.mem, descs)
	} else {
		require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, tensorWidth, act, ""), r.image[0], r.mem[0].bytes,
			descs))
	}
	for cta := range r.ctas {
		if bytes.Equal(want[cta].bytes, r.mem[cta].bytes) {
			continue
		}
		for lane := range 128 {
			for col := range tensorWidth {
				require.Equal(t, want[cta].get(lane, col), r.mem[cta].get(lane, col), "CTA %d lane %d column %d", cta, lane, col)
			}
		}
	}
}

// product writes a random D to tensor memory, and gives what it must be afterwards.
func (r *productRun) product(rng *rand.Rand, dk kind, single bool, sa, sb [][8]float64) (want []*tensorImage) {
	c := randomMatrix(rng, r.m, r.n, dk)
	for row := range c {
		for col, v := range c[row] {
			cta, lane, at := r.place(row, col)
			r.mem[cta].set(lane, tensorD+at, uint32(dk.encode(v)))
		}
	}
	for _, m := range r.mem {
		want = append(want, &tensorImage{tensorWidth, append([]byte(nil), m.bytes...)})
	}
	for row := range c {
		for col, v := range c[row] {
			sum := float64(v)
			for k := range r.k {
				p := float64(r.a[row][k]) * float64(r.b[k][col])
				if r.factors > 0 {
					chunk := k * r.factors / r.k
					p *= sa[row][chunk] * sb[col][chunk]
				}
				sum += p
			}
			cta, lane, at := r.place(row, col)
			bits := uint32(dk.encode(int(sum)))
			if single {
				bits = math.Float32bits(float32(sum))
			}
			want[cta].set(lane, tensorD+at, bits)
		}
	}
	return want
}

// descriptor is the instruction descriptor (Tables 51 to 53).
func (tc *tensorCase) descriptor() uint32 {
	d := tc.idesc | uint32(tc.sfa)<<29 | uint32(tc.sfb)<<4 | uint32(tc.n/8)<<17 | row.Bit(tc.transA)<<15 |
		row.Bit(tc.transB)<<16 | row.Bit(tc.sparse)<<2 | uint32(tc.selector)
	if tc.factors > 0 {
		return d | uint32(tc.m/128)<<27
	}
	return d | uint32(tc.m/16)<<24
}

func (tc *tensorCase) instruction() string {
	opcode, operandA, meta, scales := "tcgen05.mma", "%v0", "", ""
	if tc.ws {
		opcode += ".ws"
	}
	if tc.sparse {
		opcode, meta = opcode+".sp", fmt.Sprintf("[%%x+%d], ", tensorMeta)
	}
	if tc.inTensor {
		operandA = fmt.Sprintf("[%%x+%d]", tensorA)
	}
	if tc.factors > 0 {
		scales = fmt.Sprintf("[%%base+%d], [%%base+%d], ", tensorSA, tensorSB)
	}
	target := ""
	switch {
	case tc.deep && !strings.Contains(tc.kind, ".scale_vec"):
		target = "// sm_107f\n"
	case tc.deep || tc.scale == "ue5m3" || tc.spoilsA:
		target = "// sm_107a\n"
	case tc.k == 96:
		target = "// sm_103a\n"
	}
	spoil := ""
	if tc.spoilsA { // which lies from byte 1024 to 24576
		spoil = `.shared .align 8 .b64 read; mbarrier.init.shared.b64 [read], 1;
			` + commitReadA + `[read];
			reading: mbarrier.try_wait.parity.shared.b64 %p, [read], 0; @!%p bra reading;
			mov.u32 %m, s0; add.u32 %i, %m, 24576; add.u32 %m, %m, 1024;
			spoiling: st.shared.v4.b32 [%m], {%t, %t, %t, %t}; add.u32 %m, %m, 16;
			setp.lt.u32 %p, %m, %i; @%p bra spoiling;
			`
	}
	return target + fmt.Sprintf("cvt.u32.u64 %%c, %%v2; add.u32 %%x, %%base, %d;\n"+
		"%s.cta_group::1.kind::%s [%%x], %s, %%v1, %s%%c, %s%%true;\n",
		tc.lane<<16, opcode, tc.kind, operandA, meta, scales) + spoil
}

// fillPacked is fill, but for 6- and 4-bit elements in bytes: 16 neighbours are packed at the start of 16 bytes, or,
// where the layout is one of bytes, all of a line follow each other.
func (l *layout) fillPacked(t *testing.T, image []byte, lines integers, name string, tight bool) {
	k := kinds[name]
	width := map[string]int{"e3m2": 6, "e2m3": 6, "e2m1": 4}[name]
	if width == 0 {
		l.fill(t, image, lines, k)
		return
	}
	for line := range lines {
		for i, v := range lines[line] {
			x := k.encode(v)
			if width == 4 {
				x >>= 2
			}
			first, _ := l.address(line, i/16*16)
			place := i % 16
			if l.mnMajor {
				first, _ = l.address(line/16*16, i)
				place = line % 16
			}
			for b := range width {
				bit := place*width + b
				at := first + bit/8
				if tight {
					bit = i*width + b
					at, _ = l.address(line, bit/8)
				}
				image[at] |= byte(x>>b&1) << (bit % 8)
			}
		}
	}
}

// Every kind of tcgen05.mma against the product by its definition.
//
// families = `tcgen05.mma tcgen05.mma.ws`
func TestTensorProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for _, tc := range []tensorCase{
		{kind: "f16", types: "f32 f16 f16", m: 128, n: 64, k: 16, idesc: 1 << 4, width: 128},
		{kind: "f16", types: "f32 bf16 bf16", m: 128, n: 24, k: 16, idesc: 1<<4 | 1<<7 | 1<<10, width: 64, transB: true},
		{kind: "f16.collector::a::fill", types: "f16 f16 f16", m: 64, n: 40, k: 16, width: 32, transA: true},
		{kind: "f16", types: "f32 f16 f16", m: 64, n: 16, k: 16, idesc: 1 << 4, lane: 16, inTensor: true},
		{kind: "f16", types: "f32 f16 f16", m: 128, n: 256, k: 16, idesc: 1 << 4, transA: true, transB: true, width: 128},
		{kind: "tf32", types: "f32 tf32 tf32", m: 128, n: 8, k: 8, idesc: 1<<4 | 2<<7 | 2<<10, width: 128},
		{kind: "tf32", types: "f32 tf32 tf32", m: 128, n: 32, k: 8, idesc: 1<<4 | 2<<7 | 2<<10, inTensor: true},
		{kind: "tf32", types: "f32 tf32 tf32", m: 128, n: 64, k: 8, idesc: 1<<4 | 2<<7 | 2<<10, transA: true, transB: true,
			width: 128, wide: true},
		{kind: "f8f6f4", types: "f32 e4m3 e5m2", m: 128, n: 16, k: 32, idesc: 1<<4 | 1<<10, width: 128},
		{kind: "f8f6f4", types: "f16 e5m2 e4m3", m: 64, n: 16, k: 32, idesc: 1 << 7, transB: true},
		{kind: "f8f6f4", types: "f32 e3m2 e2m1", m: 128, n: 16, k: 32, idesc: 1<<4 | 4<<7 | 5<<10, width: 64},
		{kind: "f8f6f4", types: "f32 e2m1 e2m3", m: 128, n: 16, k: 32, idesc: 1<<4 | 5<<7 | 3<<10, inTensor: true},
		{kind: "f8f6f4", types: "f32 e2m3 e2m1", m: 128, n: 48, k: 32, idesc: 1<<4 | 3<<7 | 5<<10, transA: true, transB: true,
			width: 64},
		{kind: "f8f6f4", types: "f32 e4m3 e3m2", m: 64, n: 16, k: 32, idesc: 1<<4 | 4<<10, transB: true},
		{kind: "i8", types: "s32 s8 u8", m: 128, n: 48, k: 32, idesc: 2<<4 | 1<<7, width: 32},
		{kind: "i8", types: "s32 u8 s8", m: 64, n: 8, k: 32, idesc: 2<<4 | 1<<10, inTensor: true},
		{kind: "mxf8f6f4.block_scale", types: "f32 e4m3 e2m3", m: 128, n: 40, k: 32, idesc: 1<<23 | 3<<10, width: 128,
			scale: "ue8m0", factors: 1},
		{kind: "mxf4.block_scale.block32", types: "f32 mx mx", m: 128, n: 64, k: 64, idesc: 1<<23 | 1<<7 | 1<<10, width: 32,
			scale: "ue8m0", factors: 2},
		{kind: "mxf4nvf4.block_scale.scale_vec::4X", types: "f32 mx mx", m: 128, n: 16, k: 64, idesc: 1<<7 | 1<<10,
			scale: "ue4m3", factors: 4, inTensor: true},
		{kind: "f16", types: "f32 f16 f16", m: 64, n: 64, k: 16, idesc: 1 << 4, width: 128, ws: true},
		{kind: "i8", types: "s32 u8 u8", m: 32, n: 128, k: 32, idesc: 2 << 4, width: 64, ws: true},
		{kind: "f8f6f4", types: "f32 e4m3 e4m3", m: 32, n: 64, k: 32, idesc: 1 << 4, ws: true, inTensor: true},
		{kind: "f16", types: "f32 f16 f16", m: 64, n: 128, k: 16, idesc: 1 << 4, ws: true, inTensor: true},
	} {
		t.Run(tc.name(), func(t *testing.T) { tc.run(t, rng) })
	}
}

// Pairs of CTAs: each has half of the rows of A and of the columns of B, and half of the rows of D.
func TestTensorPairProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	for _, tc := range []tensorCase{
		{kind: "f16", types: "f32 f16 f16", m: 256, n: 64, k: 16, idesc: 1 << 4, width: 128},
		{kind: "f16", types: "f32 f16 f16", m: 128, n: 48, k: 16, idesc: 1 << 4, width: 32, issuer: 1},
		{kind: "f16", types: "f16 f16 f16", m: 256, n: 256, k: 16, transA: true, transB: true, width: 64},
		{kind: "f16", types: "f32 bf16 bf16", m: 128, n: 16, k: 16, idesc: 1<<4 | 1<<7 | 1<<10, inTensor: true},
		{kind: "tf32", types: "f32 tf32 tf32", m: 256, n: 32, k: 8, idesc: 1<<4 | 2<<7 | 2<<10, inTensor: true, issuer: 1},
		{kind: "f8f6f4", types: "f32 e4m3 e2m1", m: 128, n: 96, k: 32, idesc: 1<<4 | 5<<10, width: 64},
		{kind: "i8", types: "s32 s8 u8", m: 256, n: 32, k: 32, idesc: 2<<4 | 1<<7},
		{kind: "mxf8f6f4.block_scale", types: "f32 e4m3 e5m2", m: 256, n: 80, k: 32, idesc: 1<<23 | 1<<10, width: 128,
			scale: "ue8m0", factors: 1},
		{kind: "mxf4.block_scale", types: "f32 mx mx", m: 128, n: 160, k: 64, idesc: 1<<23 | 1<<7 | 1<<10, scale: "ue8m0",
			factors: 2, inTensor: true},
	} {
		tc.pair = true
		t.Run(tc.name(), func(t *testing.T) { tc.run(t, rng) })
	}
}

// K 96: three or six scale factors, at every byte where they may begin, and rows in two chunks.
func TestTensorProductsK96(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	const idesc = 1<<31 | 1<<7 | 1<<10
	for _, tc := range []tensorCase{
		{kind: "mxf4.block_scale", n: 32, idesc: idesc | 1<<23, scale: "ue8m0", factors: 3, sfb: 1},
		{kind: "mxf4.block_scale.block32", n: 160, idesc: idesc | 1<<23, scale: "ue8m0", factors: 3, sfa: 1, sfb: 2,
			inTensor: true},
		{kind: "mxf4nvf4.block_scale.block32", n: 128, idesc: idesc | 1<<23, scale: "ue8m0", factors: 3, sfa: 3, sfb: 3,
			width: 64},
		{kind: "mxf4nvf4.block_scale.block16", n: 256, idesc: idesc, scale: "ue4m3", factors: 6, sfa: 2, width: 128},
		{kind: "mxf4nvf4.block_scale.block16", n: 80, idesc: idesc | 1<<23, scale: "ue8m0", factors: 6, sfb: 2, issuer: 1},
		{kind: "mxf4.block_scale", n: 64, idesc: idesc | 1<<23, scale: "ue8m0", factors: 3, sfa: 2, width: 128,
			chunkA: 96, chunkB: 112 + 4096},
		{kind: "mxf4.block_scale", n: 128, idesc: idesc | 1<<23, scale: "ue8m0", factors: 3, width: 128,
			chunkA: 112, chunkB: 48 + 8192},
		{kind: "mxf4nvf4.block_scale.block16", m: 128, n: 256, idesc: idesc, scale: "ue4m3", factors: 6, sfa: 2, sfb: 2},
	} {
		tc.types, tc.k = "f32 mx mx", 96
		if tc.pair = tc.m == 0; tc.pair {
			tc.m = 256
		}
		t.Run(fmt.Sprintf("%s n%d", tc.kind, tc.n), func(t *testing.T) { tc.run(t, rng) })
	}
}

// A sparse A against the dense product of what it stands for.
//
// families = `tcgen05.mma.sp tcgen05.mma.ws.sp`
func TestTensorSparseProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, tc := range []tensorCase{
		{kind: "f16", types: "f32 f16 f16", m: 128, n: 64, k: 32, idesc: 1 << 4, width: 128},
		{kind: "f16", types: "f32 bf16 bf16", m: 64, n: 24, k: 32, idesc: 1<<4 | 1<<7 | 1<<10, selector: 1, lane: 16},
		{kind: "f16", types: "f16 f16 f16", m: 64, n: 8, k: 32, selector: 2, inTensor: true},
		{kind: "tf32", types: "f32 tf32 tf32", m: 128, n: 16, k: 16, idesc: 1<<4 | 2<<7 | 2<<10, width: 64, selector: 3},
		{kind: "tf32", types: "f32 tf32 tf32", m: 64, n: 16, k: 16, idesc: 1<<4 | 2<<7 | 2<<10, inTensor: true},
		{kind: "f8f6f4", types: "f32 e2m1 e4m3", m: 128, n: 32, k: 64, idesc: 1<<4 | 5<<7, width: 64},
		{kind: "f8f6f4", types: "f16 e5m2 e4m3", m: 64, n: 16, k: 64, idesc: 1 << 7, transA: true, transB: true, lane: 16},
		{kind: "i8", types: "s32 s8 s8", m: 128, n: 48, k: 64, idesc: 2<<4 | 1<<7 | 1<<10, inTensor: true},
		{kind: "mxf8f6f4.block_scale", types: "f32 e3m2 e4m3", m: 128, n: 40, k: 64, idesc: 1<<23 | 4<<7, width: 128,
			scale: "ue8m0", factors: 1},
		{kind: "mxf4nvf4.block_scale.block16", types: "f32 mx mx", m: 128, n: 16, k: 128, idesc: 1<<7 | 1<<10,
			scale: "ue4m3", factors: 4},
		{kind: "f16", types: "f32 f16 f16", m: 64, n: 64, k: 32, idesc: 1 << 4, width: 128, ws: true, selector: 1},
		{kind: "i8", types: "s32 u8 u8", m: 32, n: 128, k: 64, idesc: 2 << 4, ws: true, inTensor: true},
		{kind: "tf32", types: "f32 tf32 tf32", m: 128, n: 64, k: 16, idesc: 1<<4 | 2<<7 | 2<<10, ws: true},
		{kind: "f16", types: "f32 f16 f16", m: 128, n: 32, k: 32, idesc: 1 << 4, width: 64, pair: true, lane: 16,
			selector: 1},
		{kind: "f8f6f4", types: "f32 e4m3 e4m3", m: 128, n: 16, k: 64, idesc: 1 << 4, pair: true, inTensor: true},
		{kind: "tf32", types: "f32 tf32 tf32", m: 256, n: 48, k: 16, idesc: 1<<4 | 2<<7 | 2<<10, pair: true, issuer: 1},
		{kind: "mxf4.block_scale", types: "f32 mx mx", m: 256, n: 32, k: 128, idesc: 1<<23 | 1<<7 | 1<<10, scale: "ue8m0",
			factors: 2, pair: true},
	} {
		tc.sparse = true
		t.Run(tc.name(), func(t *testing.T) { tc.run(t, rng) })
	}
}

// What tcgen05.mma writes and how: lanes that stay, D scaled down, D not read, negated factors.
func TestTensorProductOptions(t *testing.T) {
	ones := make([]byte, 49152) // A and B of 1
	for i := 0; i < len(ones); i += 2 {
		binary.LittleEndian.PutUint16(ones[i:], 0x3c00)
	}
	l := layoutOf(false, 0, 0, 128, 16, 16)
	base := uint64(1<<4 | 8/8<<17 | 128/16<<24)
	f := func(v float32) uint32 { return math.Float32bits(v) }
	for _, c := range []struct {
		operands string
		idesc    uint64
		lane     int
		want     uint32 // D was 8
	}{
		{"%true", base, 3, f(24)}, {"%p", base, 3, f(16)}, {"%true, 3", base, 3, f(17)},
		{"%true", base | 1<<13, 3, f(-8)}, {"%true", base | 1<<13 | 1<<14, 3, f(24)},
		{"{%i, %c, %c, %c}, %true", base, 5, f(8)}, {"{%i, %c, %c, %c}, %true", base, 4, f(24)},
		{"{%c, %c, %c, %i}, %true, 1", base, 101, f(8)}, {"{%c, %c, %c, %i}, %true, 1", base, 37, f(20)},
	} {
		m := newTensorImage(16)
		for lane := range 128 {
			m.set(lane, 7, f(8))
		}
		act := "mov.b32 %c, 0; mov.b32 %i, 32; setp.ne.u32 %p, %t, %t; cvt.u32.u64 %x, %v1;\n" +
			"tcgen05.mma.cta_group::1.kind::f16 [%base], %v0, %v0, %x, " + c.operands + ";\n"
		require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 16, act, ""), ones, m.bytes,
			words(l.tensorDesc(), c.idesc)))
		require.Equal(t, c.want, m.get(c.lane, 7), c.operands)
	}
}

// .ashift: row r of A is what lies in lane r+1, except for the last row of each warp. With B the unit matrix, D is A.
func TestTensorShiftedA(t *testing.T) {
	unit := make(integers, 16)
	for i := range unit {
		unit[i] = make([]int, 16)
		unit[i][i] = 1
	}
	image, m := make([]byte, 49152), newTensorImage(32)
	l := layoutOf(false, 0, 0, 16, 16, 16)
	l.fill(t, image, unit, kinds["f16"])
	for lane := range 128 { // A[lane][0] = lane, in column 24
		m.set(lane, 24, uint32(float16(lane)))
	}
	act := "cvt.u32.u64 %x, %v1; tcgen05.mma.cta_group::1.kind::f16.ashift [%base], [%base+24], %v0, %x, 0;\n"
	idesc := uint64(1<<4 | 16/8<<17 | 128/16<<24)
	require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 32, act, ""), image, m.bytes,
		words(l.tensorDesc(), idesc)))
	for lane := range 128 {
		require.Equal(t, math.Float32bits(float32(min(lane+1, lane|31))), m.get(lane, 0), lane)
	}
}

// An operation of one thread comes before those of another when both fence (9.7.18.6.4.3), though only the second one
// commits: A, copied by thread 32, times the unit matrix.
func TestTensorPipelineOfThreads(t *testing.T) {
	for fences, copied := range map[[2]string]bool{
		{"@%p tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;"}: true,
		{"", "tcgen05.fence::after_thread_sync;"}:                                       false,
		{"@%p tcgen05.fence::before_thread_sync;", ""}:                                  false,
	} {
		unit, a := make(integers, 16), randomMatrix(rand.New(rand.NewPCG(2, 2)), 128, 16, kinds["f16"])
		for i := range unit {
			unit[i] = make([]int, 16)
			unit[i][i] = 1
		}
		image, m := make([]byte, 49152), newTensorImage(32)
		la, lb := layoutOf(false, 0, 8192, 128, 16, 16), layoutOf(false, 0, 0, 16, 16, 16)
		la.fill(t, image, a, kinds["f16"])
		lb.fill(t, image, unit, kinds["f16"])
		act := "cvt.u32.u64 %x, %v2; tcgen05.mma.cta_group::1.kind::f16 [%base], [%base+16], %v1, %x, 0;\n"
		kernel := strings.Replace(tensorKernel(t, 32, act, ""), "bar.sync 0; @!%first bra issued;",
			"setp.eq.u32 %p, %t, 32;\n"+
				"add.u32 %x, %base, 16; and.b32 %x, %x, 0xffff; @%p tcgen05.cp.cta_group::1.128x256b [%x], %v0;\n"+
				fences[0]+" bar.sync 0; @!%first bra issued; "+fences[1], 1)
		idesc := uint64(1<<4 | 16/8<<17 | 128/16<<24)
		require.NoError(t, runBlock(t, 128, "s t v", kernel, image, m.bytes, words(la.tensorDesc(), lb.tensorDesc(), idesc)))
		for lane := range 128 {
			for col := range 16 {
				want := math.Float32bits(float32(a[lane][col]))
				if !copied {
					want = 0
				}
				require.Equal(t, want, m.get(lane, col), "%v lane %d column %d", fences, lane, col)
			}
		}
	}
}
