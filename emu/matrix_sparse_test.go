package emu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sparseCase is a shape of mma.sp. places are the formulas of 9.7.16.6.2: the row of a lane's element a_i, and the
// columns firstcol to lastcol of the dense A, in which the elements with the same firstcol lie in order.
type sparseCase struct {
	shape    string
	k        int
	types    []string
	n        [4]int // registers of D, A, B, C
	a        func(l, i int) (row, first, last int)
	b        place
	stored   int // elements of a chunk that are stored
	selector int
	// meta is the lane of a group of four, and the bit, where the metadata of a chunk begin; upper is for rows 8 to 15.
	meta func(chunk int, upper bool) (thread, bit int)
}

// blocks are the formulas of A with per elements in a register, from `over` columns, and two or four registers.
func blocks(per, over int) func(l, i int) (row, first, last int) {
	return func(l, i int) (int, int, int) {
		row := either(i/per%2 == 0, groupID(l), groupID(l)+8)
		first := threadID(l)*over + either(i < 2*per, 0, 4*over)
		return row, first, first + over - 1
	}
}

// fourPacked is B in four registers of n elements, each for the next 4n rows (Figures 121, 124, 132 to 135, 142 to
// 145).
func fourPacked(n int) place {
	return func(l, i int) (int, int) { return i/n*4*n + threadID(l)*n + i%n, groupID(l) }
}

// The metadata of 9.7.16.6.2: oneThread and pairColumns for elements of 16 and 32 bits, pairRows and all for smaller.
func oneThread(selector int) func(chunk int, upper bool) (int, int) {
	return func(chunk int, upper bool) (int, int) {
		if upper {
			return selector, 16 + 4*chunk
		}
		return selector, 4 * chunk
	}
}

func pairColumns(selector int) func(chunk int, upper bool) (int, int) {
	return func(chunk int, upper bool) (int, int) {
		thread := 2 * selector // T0 or T2: the first four chunks
		if chunk >= 4 {
			thread, chunk = thread+1, chunk-4
		}
		if upper {
			return thread, 16 + 4*chunk
		}
		return thread, 4 * chunk
	}
}

func pairRows(selector int) func(chunk int, upper bool) (int, int) {
	return func(chunk int, upper bool) (int, int) { return 2*selector + either(upper, 1, 0), 4 * chunk }
}

func all(chunk int, upper bool) (int, int) {
	return either(upper, 1, 0) + either(chunk < 8, 0, 2), 4 * (chunk % 8)
}

func sparseCases() []sparseCase {
	half := []string{"f16 f16 f16 f16", "f32 f16 f16 f32", "f32 bf16 bf16 f32"}
	i8 := []string{"s32 s8 s8 s32", "s32 u8 s8 s32"}
	i4 := []string{"s32 s4 u4 s32", "s32 u4 u4 s32"}
	f8 := []string{"f32 e4m3 e5m2 f32", "f16 e5m2 e4m3 f16"}
	var list []sparseCase
	for s := range 4 {
		list = append(list,
			sparseCase{"m16n8k16", 16, half, [4]int{4, 2, 2, 4}, blocks(2, 4), twoPacked(2), 2, s, oneThread(s)},
			sparseCase{"m16n8k8", 8, []string{"f32 tf32 tf32 f32"}, [4]int{4, 2, 2, 4}, blocks(1, 2), twoPacked(1), 1, s,
				oneThread(s)})
	}
	for s := range 2 {
		list = append(list,
			sparseCase{"m16n8k32", 32, half, [4]int{4, 4, 4, 4}, blocks(2, 4), fourPacked(2), 2, s, pairColumns(s)},
			sparseCase{"m16n8k16", 16, []string{"f32 tf32 tf32 f32"}, [4]int{4, 4, 4, 4}, blocks(1, 2), fourPacked(1), 1, s,
				pairColumns(s)},
			sparseCase{"m16n8k32", 32, append(f8, i8...), [4]int{4, 2, 2, 4}, blocks(4, 8), twoPacked(4), 2, s, pairRows(s)},
			sparseCase{"m16n8k64", 64, i4, [4]int{4, 2, 2, 4}, blocks(8, 16), twoPacked(8), 4, s, pairRows(s)})
	}
	return append(list,
		sparseCase{"m16n8k64", 64, append(f8, i8...), [4]int{4, 4, 4, 4}, blocks(4, 8), fourPacked(4), 2, 0, all},
		sparseCase{"m16n8k64.kind::f8f6f4", 64, []string{"f32 e3m2 e2m1 f32", "f16 e2m1 e2m3 f16"}, [4]int{4, 4, 4, 4},
			blocks(4, 8), fourPacked(4), 2, 0, all},
		sparseCase{"m16n8k128", 128, i4, [4]int{4, 4, 4, 4}, blocks(8, 16), fourPacked(8), 4, 0, all})
}

// sparseMatrix chooses places in each chunk: the dense matrix, what is stored, and the metadata as 32 words.
func (sc *sparseCase) sparseMatrix(rng *rand.Rand, k kind, ordered bool) (
	dense integers, metadata []byte, elements [][2]int) {
	dense = make(integers, 16)
	metadata = make([]byte, 384)
	for r := range dense {
		dense[r] = make([]int, sc.k)
		chunkSize := 2 * sc.stored
		for chunk := range sc.k / chunkSize {
			lo, hi := rng.IntN(4), rng.IntN(3)
			if hi >= lo {
				hi++
			}
			if ordered && lo > hi {
				lo, hi = hi, lo
			}
			if sc.stored == 1 { // .tf32: 0b0100 or 0b1110
				lo = 2 * rng.IntN(2)
				hi = lo + 1
			}
			thread, bit := sc.meta(chunk, r >= 8)
			word := metadata[4*(4*(r%8)+thread):]
			binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|uint32(lo|hi<<2)<<bit)
			for _, unit := range []int{lo, hi} {
				switch sc.stored {
				case 1:
					if unit%2 == 0 {
						elements = append(elements, [2]int{r, 2*chunk + unit/2})
					}
				case 2:
					elements = append(elements, [2]int{r, 4*chunk + unit})
				case 4:
					elements = append(elements, [2]int{r, 8*chunk + 2*unit}, [2]int{r, 8*chunk + 2*unit + 1})
				}
			}
		}
	}
	for _, e := range elements {
		dense[e[0]][e[1]] = k.lo + rng.IntN(k.hi-k.lo+1)
	}
	return dense, metadata, elements
}

// fragment lays what is stored of A out in registers.
func (sc *sparseCase) fragment(dense integers, elements [][2]int, k kind) []byte {
	per := max(32/k.bits, 1)
	out := make([]byte, sc.n[1]*128)
	for lane := range 32 {
		seen := map[[2]int]int{}
		for i := range sc.n[1] * per {
			row, first, last := sc.a(lane, i)
			skip := seen[[2]int{row, first}] // the stored elements of these columns, in the order of their indices
			seen[[2]int{row, first}]++
			for _, e := range elements {
				if e[0] != row || e[1] < first || e[1] > last {
					continue
				}
				if skip--; skip < 0 {
					word := out[(i/per*32+lane)*4:]
					v := uint32(k.encode(dense[row][e[1]]) << (i % per * k.bits))
					binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|v)
					break
				}
			}
		}
	}
	return out
}

// Every shape and type of mma.sp against the product of the dense matrix.
//
// families = `mma.sp mma.sp.ordered`
func TestSparseMma(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, sc := range sparseCases() {
		for _, types := range sc.types {
			for _, variant := range []string{"sp", "sp::ordered_metadata"} {
				if variant == "sp" && strings.Contains(sc.shape, "kind") {
					continue
				}
				shape, kindMod, _ := strings.Cut(sc.shape, ".")
				if kindMod != "" {
					kindMod = "." + kindMod
				}
				opcode := "mma." + variant + ".sync.aligned." + shape + ".row.col" + kindMod + "." +
					strings.ReplaceAll(types, " ", ".")
				t.Run(fmt.Sprint(opcode, sc.selector), func(t *testing.T) {
					sc.check(t, rng, opcode, strings.Fields(types))
				})
			}
		}
	}
}

func (sc *sparseCase) check(t *testing.T, rng *rand.Rand, opcode string, types []string) {
	d, ak, bk, ck := kinds[types[0]], kinds[types[1]], kinds[types[2]], kinds[types[3]]
	ck.lo, ck.hi = -40, 40
	a, metadata, elements := sc.sparseMatrix(rng, ak, strings.Contains(opcode, "ordered"))
	b, c := randomMatrix(rng, sc.k, 8, bk), randomMatrix(rng, 16, 8, ck)
	want := fragments([]integers{multiply(a, b, c, func(x, y int) int { return x * y })}, c16, d)
	got := make([]byte, len(want))
	n := sc.n
	n[0], n[3] = len(want)/128, len(want)/128
	body := withOperands(mmaKernel(opcode, n, false), opcode, fmt.Sprintf("%%m, %d", sc.selector))
	require.NoError(t, runMatrix(t, "a b c d m", body, sc.fragment(a, elements, ak),
		fragments([]integers{b}, sc.b, bk), fragments([]integers{c}, c16, ck), got, metadata))
	require.Equal(t, want, got)
}

// withOperands adds operands to the multiplication of mmaKernel; %m, %sa and %sb are words of the buffer m.
func withOperands(body, opcode, operands string) string {
	head, tail, _ := strings.Cut(body, opcode)
	list, rest, _ := strings.Cut(tail, ";")
	return head + `.reg .b32 %m, %sa, %sb; .reg .b64 %q;
		ld.param.u64 %q, [m]; add.s64 %q, %q, %o;
		ld.global.b32 %m, [%q]; ld.global.b32 %sa, [%q+128]; ld.global.b32 %sb, [%q+256];
		` + opcode + list + ", " + operands + ";" + rest
}

// Metadata and selectors that the manual calls undefined are faults.
func TestSparseFaults(t *testing.T) {
	run := func(opcode, regs string, meta uint32) error {
		return runMatrix(t, "", fmt.Sprintf(".reg .b32 %%a, %%m; mov.b32 %%a, 0; mov.b32 %%m, %#x; ", meta)+
			opcode+" "+regs+";")
	}
	f16 := "mma.sp%s.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
	regs := "{%a,%a,%a,%a}, {%a,%a}, {%a,%a}, {%a,%a,%a,%a}, %m, "
	require.NoError(t, run(fmt.Sprintf(f16, ""), regs+"3", 0x44441111))
	require.ErrorContains(t, run(fmt.Sprintf(f16, ""), regs+"3", 0x44445144), "has 0101 for chunk 3 of row 0")
	require.ErrorContains(t, run(fmt.Sprintf(f16, "::ordered_metadata"), regs+"1", 0x44444144),
		"has 0001 for chunk 2 of row 0, which is no pair of places")
	tf32 := "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
	require.NoError(t, run(tf32, regs+"1", 0xe4e4e4e4))
	require.ErrorContains(t, run(tf32, regs+"1", 0xe4e8e4e4), "has 1000 for chunk 0 of row 8")
	_, err := matrixModule(t, "", ".reg .b32 %a, %m; mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "+
		"{%a,%a,%a,%a}, {%a,%a,%a,%a}, {%a,%a,%a,%a}, {%a,%a,%a,%a}, %m, 2;")
	require.ErrorContains(t, err, "operand 6 (f) of mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 is 0 or 1, not 2")
}

// scaledCase is mma with scale factors: n in each row of A and column of B.
type scaledCase struct {
	opcode, a, b, scale string
	k, n                int
	sparse              bool
	selectors           [4]int // byte-id-a, thread-id-a, byte-id-b, thread-id-b
}

// Block scaling: D = (A * scale_A) * (B * scale_B) + C, where chunk c of a row is multiplied with the row's factor c
// (9.7.16.3). The threads that give no factors hold noise.
//
// families = `mma.blockscale mma.sp.ordered`
func TestBlockScaling(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const (
		mx8 = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale"
		mx4 = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale"
		nv4 = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale"
		sp  = "mma.sp::ordered_metadata.sync.aligned."
	)
	for _, sc := range []scaledCase{
		{mx8 + ".f32.e4m3.e2m1.f32.ue8m0",
			"e4m3", "e2m1", "ue8m0", 32, 1, false, [4]int{2, 1, 3, 2}},
		{mx8 + ".scale_vec::1X.f32.e3m2.e2m3.f32.ue8m0",
			"e3m2", "e2m3", "ue8m0", 32, 1, false, [4]int{0, 0, 1, 3}},
		{mx4 + ".f32.e2m1.e2m1.f32.ue8m0",
			"mx", "mx", "ue8m0", 64, 2, false, [4]int{2, 1, 0, 3}},
		{nv4 + ".scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
			"mx", "mx", "ue8m0", 64, 2, false, [4]int{0, 0, 2, 0}},
		{nv4 + ".scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
			"mx", "mx", "ue4m3", 64, 4, false, [4]int{0, 1, 0, 1}},
		{sp + "m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
			"mx", "mx", "ue4m3", 128, 4, true, [4]int{0, 0, 0, 2}},
		{sp + "m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
			"mx", "mx", "ue8m0", 128, 2, true, [4]int{2, 0, 2, 1}},
		{sp + "m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e5m2.e3m2.f32.ue8m0",
			"e5m2", "e3m2", "ue8m0", 64, 1, true, [4]int{3, 1, 0, 0}},
	} {
		t.Run(sc.opcode, func(t *testing.T) { sc.check(t, rng) })
	}
}

func (sc *scaledCase) check(t *testing.T, rng *rand.Rand) {
	ak, bk, ck := kinds[sc.a], kinds[sc.b], kinds["f32"]
	per := 32 / ak.bits
	a, b, c := randomMatrix(rng, 16, sc.k, ak), randomMatrix(rng, sc.k, 8, bk), randomMatrix(rng, 16, 8, ck)
	words := make([]byte, 384)
	for i := range 96 {
		binary.LittleEndian.PutUint32(words[4*i:], rng.Uint32())
	}
	n, fa, layoutB, operands := [4]int{4, 4, 2, 4}, []byte(nil), twoPacked(per), ""
	if sc.sparse {
		sp := sparseCase{k: sc.k, n: [4]int{4, 4, 4, 4}, a: blocks(per, 2*per), stored: 16 / ak.bits, meta: all}
		dense, metadata, elements := sp.sparseMatrix(rng, ak, true)
		a, fa = dense, sp.fragment(dense, elements, ak)
		copy(words, metadata)
		n[2], layoutB, operands = 4, fourPacked(per), "%m, 0, "
	} else {
		fa = fragments([]integers{a}, fourBlocks(per), ak)
	}
	// factor c of row i of A: thread-pair thread-id-a of group i%8, its first thread for rows 0 to 7; of column j of B:
	// thread thread-id-b of group j.
	factor := func(base, lane, first, chunk int) float64 {
		e := rng.IntN(4)
		bits, v := byte(127+e), math.Ldexp(1, e)
		if sc.scale == "ue4m3" { // 1.5 times 2^e: exponent e+7, fraction .100
			bits, v = byte((e+7)<<3|4), 1.5*v
		}
		words[base+4*lane+first+chunk] = bits
		return v
	}
	var sa, sb [16][4]float64
	for i := range 16 {
		for chunk := range sc.n {
			sa[i][chunk] = factor(128, 4*(i%8)+2*sc.selectors[1]+i/8, sc.selectors[0], chunk)
			if i < 8 {
				sb[i][chunk] = factor(256, 4*i+sc.selectors[3], sc.selectors[2], chunk)
			}
		}
	}
	want := make([]byte, 512)
	for lane := range 32 {
		for i := range 4 {
			row, col := c16(lane, i)
			sum := float64(c[row][col])
			for k := range sc.k {
				chunk := k / (sc.k / sc.n)
				sum += float64(a[row][k]) * sa[row][chunk] * float64(b[k][col]) * sb[col][chunk]
			}
			binary.LittleEndian.PutUint32(want[4*(32*i+lane):], math.Float32bits(float32(sum)))
		}
	}
	s := sc.selectors
	operands += fmt.Sprintf("%%sa, {%d, %d}, %%sb, {%d, %d}", s[0], s[1], s[2], s[3])
	got := make([]byte, 512)
	require.NoError(t, runMatrix(t, "a b c d m", withOperands(mmaKernel(sc.opcode, n, false), sc.opcode, operands),
		fa, fragments([]integers{b}, layoutB, bk), fragments([]integers{c}, c16, ck), got, words))
	require.Equal(t, want, got)
}
