package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/row"
	"warpscope/ptx"
)

// matrixModule is a module whose entry k has this body; %l is the lane.
func matrixModule(t *testing.T, params, body string) (*Device, error) {
	t.Helper()
	target := "sm_120a"
	switch {
	case strings.Contains(body, "wgmma"):
		target = "sm_90a"
	case strings.Contains(body, "// sm_107f"):
		target = "sm_107f"
	case strings.Contains(body, "// sm_107a"), strings.Contains(body, "kind::ti16"):
		target = "sm_107a"
	case strings.Contains(body, ".red.sync"), strings.Contains(body, "// sm_103a"):
		target = "sm_103a"
	case strings.Contains(body, "tcgen05"):
		target = "sm_100a"
	}
	var list []string
	for _, p := range strings.Fields(params) {
		list = append(list, ".param .u64 "+p)
	}
	m, err := ptx.Parse("test.ptx", []byte(".version 9.4\n.target "+target+"\n.address_size 64\n.visible .entry k("+
		strings.Join(list, ", ")+")\n{\n.reg .b32 %l; mov.u32 %l, %laneid;\n"+body+"\nret;\n}\n"))
	if err != nil {
		return nil, err
	}
	return Load(m, Options{})
}

// runMatrix runs a kernel with one warp whose parameters are pointers to these buffers, which it may change.
func runMatrix(t *testing.T, params, body string, buffers ...[]byte) error {
	t.Helper()
	return runBlock(t, 32, params, body, buffers...)
}

// runBlock is runMatrix with a block of some threads.
func runBlock(t *testing.T, threads int, params, body string, buffers ...[]byte) error {
	t.Helper()
	d, err := matrixModule(t, params, body)
	require.NoError(t, err)
	var args [][]byte
	var at []Addr
	for _, b := range buffers {
		a, err := d.Alloc(max(len(b), 1))
		require.NoError(t, err)
		require.NoError(t, d.Write(a, b))
		at = append(at, a)
		args = append(args, Ptr(a))
	}
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: threads}, Args: args})
	require.NoError(t, err)
	err = g.Run(context.Background())
	for i, b := range buffers {
		require.NoError(t, d.Read(at[i], b))
	}
	return err
}

// place says where a lane's element i of a fragment is in its matrix.
type place func(lane, i int) (row, col int)

// The formulas of 9.7.16.5.2 to 9.7.16.5.13, as the manual writes them.
func groupID(lane int) int  { return lane >> 2 }
func threadID(lane int) int { return lane % 4 }

func either(c bool, a, b int) int {
	if c {
		return a
	}
	return b
}

// c8 and c16 are the accumulators of all shapes with 8 and 16 rows.
func c8(l, i int) (int, int)  { return groupID(l), threadID(l)*2 + i&1 }
func c16(l, i int) (int, int) { return either(i < 2, groupID(l), groupID(l)+8), threadID(l)*2 + i&1 }

// oneRegister is A, and onePacked B, where a lane has n elements in one register.
func oneRegister(n int) place {
	return func(l, i int) (int, int) { return groupID(l), threadID(l)*n + i }
}
func onePacked(n int) place {
	return func(l, i int) (int, int) { return threadID(l)*n + i, groupID(l) }
}

// twoPacked is B in two registers of n elements.
func twoPacked(n int) place {
	return func(l, i int) (int, int) {
		return either(i < n, threadID(l)*n+i%n, threadID(l)*n+i%n+4*n), groupID(l)
	}
}

// twoRows is A in two registers of n elements, fourBlocks in four.
func twoRows(n int) place {
	return func(l, i int) (int, int) { return either(i < n, groupID(l), groupID(l)+8), threadID(l)*n + i%n }
}

func fourBlocks(n int) place {
	return func(l, i int) (int, int) {
		return either(0 <= i && i < n || 2*n <= i && i < 3*n, groupID(l), groupID(l)+8),
			either(i < 2*n, threadID(l)*n+i%n, threadID(l)*n+i%n+4*n)
	}
}

func aTF32k8(l, i int) (int, int) {
	return either(i == 0 || i == 2, groupID(l), groupID(l)+8), either(i < 2, threadID(l), threadID(l)+4)
}

func aF64k16(l, i int) (int, int) {
	return either(i%2 == 0, groupID(l), groupID(l)+8), either(i%2 == 0, i*2+threadID(l), i*2-2+threadID(l))
}

func bF64k16(l, i int) (int, int) { return threadID(l) + i*4, groupID(l) }

// The formulas of 9.7.16.5.1.
func quadA(l, i int) (int, int)    { return either(l < 16, l%4, l%4+4), i }
func quadACol(l, i int) (int, int) { return either(l < 16, i%4, i%4+4), l % 4 }
func quadB(l, i int) (int, int)    { return i, either(l < 16, l%4, l%4+4) }
func quadBRow(l, i int) (int, int) { return l % 4, either(l < 16, i, i+4) }
func quadC16(l, i int) (int, int)  { return either(l < 16, l%4, l%4+4), i }
func quadC32(l, i int) (int, int) {
	x := l&1 + i&2
	return either(l < 16, x, x+4), i&4 + l&2 + i&1
}

// kind is a type of elements: its bits in a register and the bits of a small integer.
type kind struct {
	bits   int
	lo, hi int
	encode func(v int) uint64
}

// float16 is the f16 of a small integer: 1.fff times 2^e has exponent e + 15 and the fraction's upper ten bits.
func float16(v int) uint64 {
	f := math.Float32bits(float32(v))
	if v == 0 {
		return 0
	}
	return uint64(f>>31<<15 | (f>>23&255-127+15)<<10 | f>>13&0x3ff)
}

var kinds = map[string]kind{
	"f16":  {16, -3, 3, float16},
	"bf16": {16, -3, 3, func(v int) uint64 { return uint64(math.Float32bits(float32(v)) >> 16) }},
	// The low 13 bits of a tf32 are ignored; here they are noise.
	"tf32": {32, -3, 3, func(v int) uint64 { return uint64(math.Float32bits(float32(v)) | 0x1aaa) }},
	"f32":  {32, -40, 40, func(v int) uint64 { return uint64(math.Float32bits(float32(v))) }},
	"f64":  {64, -40, 40, func(v int) uint64 { return math.Float64bits(float64(v)) }},
	"s32":  {32, -40, 40, func(v int) uint64 { return uint64(uint32(v)) }},
	// .s1z4m11: a sign, four bits that are noise here, and a magnitude of 11 bits.
	"s1z4m11": {16, -2047, 2047, func(v int) uint64 { return uint64(max(v, -v)) | uint64(row.Bit(v < 0))<<15 | 5<<11 }},
	"s8":      {8, -128, 127, func(v int) uint64 { return uint64(uint8(v)) }},
	"u8":      {8, 0, 255, func(v int) uint64 { return uint64(v) }},
	"s4":      {4, -8, 7, func(v int) uint64 { return uint64(v & 15) }},
	"u4":      {4, 0, 15, func(v int) uint64 { return uint64(v) }},
	"b1":      {1, 0, 1, func(v int) uint64 { return uint64(v) }},
	// Sign, exponent with bias 7, three bits of fraction; bias 15 and two bits.
	"e4m3": {8, -3, 3, func(v int) uint64 { return small(v, 7, 3, 0x80) }},
	"e5m2": {8, -3, 3, func(v int) uint64 { return small(v, 15, 2, 0x80) }},
	// In the lower six bits of a byte, or the middle four; the others are noise. "mx" is .e2m1 without a byte of its own.
	"e3m2": {8, -3, 3, func(v int) uint64 { return small(v, 3, 2, 0x20) | 0xc0 }},
	"e2m3": {8, -3, 3, func(v int) uint64 { return small(v, 1, 3, 0x20) | 0x80 }},
	"e2m1": {8, -3, 3, func(v int) uint64 { return small(v, 1, 1, 8)<<2 | 0x81 }},
	"mx":   {4, -3, 3, func(v int) uint64 { return small(v, 1, 1, 8) }},
}

// small encodes -3 to 3: 1 is 2^0, 2 is 2^1, 3 is 2^1 times 1.5.
func small(v, bias, man int, signBit uint64) uint64 {
	sign := uint64(0)
	if v < 0 {
		sign, v = signBit, -v
	}
	return sign | [...]uint64{0, uint64(bias) << man, uint64(bias+1) << man, uint64(bias+1)<<man | 1<<(man-1)}[v]
}

// integers is a matrix: rows of small integers.
type integers [][]int

func randomMatrix(rng *rand.Rand, rows, cols int, k kind) integers {
	m := make(integers, rows)
	for r := range m {
		for range cols {
			m[r] = append(m[r], k.lo+rng.IntN(k.hi-k.lo+1))
		}
	}
	return m
}

// fragments lays matrices out in registers: register r of a lane is word 32 r + lane. quads are the matrices of
// m8n8k4; all other shapes have one.
func fragments(ms []integers, at place, k kind) []byte {
	per := max(32/k.bits, 1)
	elements := len(ms) * len(ms[0]) * len(ms[0][0]) / 32
	size := max(k.bits, 32) / 8
	out := make([]byte, elements/per*32*size)
	for lane := range 32 {
		for i := range elements {
			row, col := at(lane, i)
			v := k.encode(ms[lane/4%len(ms)][row][col]) << (i % per * k.bits)
			word := out[(i/per*32+lane)*size:]
			if size == 8 {
				binary.LittleEndian.PutUint64(word, v)
			} else {
				binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|uint32(v))
			}
		}
	}
	return out
}

// multiply is the product by its definition; bits are combined by op.
func multiply(a, b, c integers, op func(x, y int) int) integers {
	d := make(integers, len(c))
	for i := range c {
		for j := range c[i] {
			sum := c[i][j]
			for k := range b {
				sum += op(a[i][k], b[k][j])
			}
			d[i] = append(d[i], sum)
		}
	}
	return d
}

// tuple is n registers of that name.
func tuple(name string, n int) string {
	var regs []string
	for i := range n {
		regs = append(regs, fmt.Sprintf("%%%s%d", name, i))
	}
	return "{" + strings.Join(regs, ", ") + "}"
}

// vector is a tuple, or the register when there is one.
func vector(name string, n int) string {
	if n == 1 {
		return "%" + name + "0"
	}
	return tuple(name, n)
}

// mmaKernel loads fragments as fragments lays them out, multiplies and stores D.
func mmaKernel(opcode string, n [4]int, wide bool) string {
	var b strings.Builder
	size, typ := 4, "b32"
	if wide {
		size, typ = 8, "b64"
	}
	fmt.Fprintf(&b, ".reg .%s %%d<8>, %%a<8>, %%b<8>, %%c<8>; .reg .b64 %%p, %%o; mul.wide.u32 %%o, %%l, %d;\n", typ, size)
	var tuples []string
	for i, name := range []string{"d", "a", "b", "c"} {
		if i > 0 {
			fmt.Fprintf(&b, "ld.param.u64 %%p, [%s]; add.s64 %%p, %%p, %%o;\n", name)
		}
		for r := range n[i] {
			if i > 0 {
				fmt.Fprintf(&b, "ld.global.%s %%%s%d, [%%p+%d];\n", typ, name, r, 32*size*r)
			}
		}
		tuples = append(tuples, tuple(name, n[i]))
	}
	fmt.Fprintf(&b, "%s %s;\nld.param.u64 %%p, [d]; add.s64 %%p, %%p, %%o;\n", opcode, strings.Join(tuples, ", "))
	for r := range n[0] {
		fmt.Fprintf(&b, "st.global.%s [%%p+%d], %%d%d;\n", typ, 32*size*r, r)
	}
	return b.String()
}

// mmaCase is one shape with its layouts; types are D, A, B, C.
type mmaCase struct {
	opcode  string // %s stands for the types
	m, n, k int
	types   []string
	a, b, c place
}

func mmaCases() []mmaCase {
	i8 := []string{"s32 s8 s8 s32", "s32 u8 s8 s32", "s32 s8 u8 s32", "s32 u8 u8 s32"}
	i4 := []string{"s32 s4 s4 s32", "s32 u4 s4 s32", "s32 s4 u4 s32", "s32 u4 u4 s32"}
	half := []string{"f16 f16 f16 f16", "f32 f16 f16 f32"}
	f8 := []string{"f32 e4m3 e5m2 f32", "f16 e5m2 e4m3 f16", "f32 e5m2 e5m2 f32", "f16 e4m3 e4m3 f16"}
	list := []mmaCase{
		{"m16n8k8.row.col%s", 16, 8, 8, append([]string{"f32 bf16 bf16 f32"}, half...), twoRows(2), onePacked(2), c16},
		{"m16n8k16.row.col%s", 16, 8, 16, append([]string{"f32 bf16 bf16 f32"}, half...), fourBlocks(2), twoPacked(2), c16},
		{"m16n8k4.row.col%s", 16, 8, 4, []string{"f32 tf32 tf32 f32", "f64 f64 f64 f64"}, twoRows(1), onePacked(1), c16},
		{"m16n8k8.row.col%s", 16, 8, 8, []string{"f32 tf32 tf32 f32", "f64 f64 f64 f64"}, aTF32k8, twoPacked(1), c16},
		{"m16n8k16.row.col.rz%s", 16, 8, 16, []string{"f64 f64 f64 f64"}, aF64k16, bF64k16, c16},
		{"m8n8k4.row.col%s", 8, 8, 4, []string{"f64 f64 f64 f64"}, oneRegister(1), onePacked(1), c8},
		{"m8n8k16.row.col%s", 8, 8, 16, i8, oneRegister(4), onePacked(4), c8},
		{"m16n8k16.row.col.satfinite%s", 16, 8, 16, i8, twoRows(4), onePacked(4), c16},
		{"m16n8k32.row.col%s", 16, 8, 32, i8, fourBlocks(4), twoPacked(4), c16},
		{"m8n8k32.row.col%s", 8, 8, 32, i4, oneRegister(8), onePacked(8), c8},
		{"m16n8k32.row.col%s", 16, 8, 32, i4, twoRows(8), onePacked(8), c16},
		{"m16n8k64.row.col%s", 16, 8, 64, i4, fourBlocks(8), twoPacked(8), c16},
		{"m16n8k16.row.col%s", 16, 8, 16, f8, twoRows(4), onePacked(4), c16},
		{"m16n8k32.row.col%s", 16, 8, 32, f8, fourBlocks(4), twoPacked(4), c16},
		{"m16n8k32.row.col.kind::f8f6f4%s", 16, 8, 32,
			[]string{"f32 e4m3 e3m2 f32", "f16 e2m3 e2m1 f16", "f32 e2m1 e5m2 f32"}, fourBlocks(4), twoPacked(4), c16},
		{"m8n8k4.row.col%s", 8, 8, 4, []string{"f32 f16 f16 f32"}, quadA, quadB, quadC32},
		{"m8n8k4.col.row%s", 8, 8, 4, []string{"f32 f16 f16 f32"}, quadACol, quadBRow, quadC32},
		{"m8n8k4.row.row%s", 8, 8, 4, []string{"f16 f16 f16 f16"}, quadA, quadBRow, quadC16},
		{"m8n8k4.col.col%s", 8, 8, 4, []string{"f16 f16 f16 f16"}, quadACol, quadB, quadC16},
	}
	for _, op := range []string{".xor.popc", ".and.popc"} {
		b1 := []string{"s32 b1 b1 s32"}
		list = append(list,
			mmaCase{"m8n8k128.row.col%s" + op, 8, 8, 128, b1, oneRegister(32), onePacked(32), c8},
			mmaCase{"m16n8k128.row.col%s" + op, 16, 8, 128, b1, twoRows(32), onePacked(32), c16},
			// 9.7.16.5.13 writes col = thread*32 + i for i < 64; i & 0x1f is meant, or columns would lie outside.
			mmaCase{"m16n8k256.row.col%s" + op, 16, 8, 256, b1, fourBlocks(32), twoPacked(32), c16})
	}
	return list
}

// Every shape and type of mma.sync against the product by its definition, on integers that every type holds exactly.
//
// families = `mma.f16 mma.bf16tf32 mma.f64 mma.int8 mma.int4 mma.b1 mma.fp8 mma.f8f6f4`
func TestMma(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, mc := range mmaCases() {
		for _, types := range mc.types {
			opcode := "mma.sync.aligned." + fmt.Sprintf(mc.opcode, "."+strings.ReplaceAll(types, " ", "."))
			t.Run(opcode, func(t *testing.T) { mc.check(t, rng, opcode, strings.Fields(types)) })
		}
	}
}

func (mc *mmaCase) check(t *testing.T, rng *rand.Rand, opcode string, types []string) {
	op := func(x, y int) int { return x * y }
	switch {
	case strings.Contains(opcode, ".xor."):
		op = func(x, y int) int { return x ^ y }
	case strings.Contains(opcode, ".and."):
		op = func(x, y int) int { return x & y }
	}
	d, a, b, c := kinds[types[0]], kinds[types[1]], kinds[types[2]], kinds[types[3]]
	batch := 1
	if strings.Contains(opcode, "m8n8k4") && types[1] == "f16" {
		batch = 4
	}
	var as, bs, cs, ds []integers
	for range batch {
		as = append(as, randomMatrix(rng, mc.m, mc.k, a))
		bs = append(bs, randomMatrix(rng, mc.k, mc.n, b))
		c.lo, c.hi = -40, 40
		cs = append(cs, randomMatrix(rng, mc.m, mc.n, c))
		ds = append(ds, multiply(as[len(as)-1], bs[len(bs)-1], cs[len(cs)-1], op))
	}
	fa, fb, fc := fragments(as, mc.a, a), fragments(bs, mc.b, b), fragments(cs, mc.c, c)
	want := fragments(ds, mc.c, d)
	got := make([]byte, len(want))
	wide := types[0] == "f64"
	row := 128 * max(d.bits, 32) / 32
	n := [4]int{len(want) / row, len(fa) / row, len(fb) / row, len(fc) / row}
	require.NoError(t, runMatrix(t, "a b c d", mmaKernel(opcode, n, wide), fa, fb, fc, got))
	require.Equal(t, want, got)
}

// Types of C and D may differ in m8n8k4: f32 accumulators are in other places than f16 ones.
func TestMmaWidensAccumulators(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	f16, f32 := kinds["f16"], kinds["f32"]
	var as, bs, cs, ds []integers
	for q := range 4 {
		as, bs = append(as, randomMatrix(rng, 8, 4, f16)), append(bs, randomMatrix(rng, 4, 8, f16))
		cs = append(cs, randomMatrix(rng, 8, 8, f16))
		ds = append(ds, multiply(as[q], bs[q], cs[q], func(x, y int) int { return x * y }))
	}
	want := fragments(ds, quadC32, f32)
	got := make([]byte, len(want))
	body := mmaKernel("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16", [4]int{8, 2, 2, 4}, false)
	require.NoError(t, runMatrix(t, "a b c d", body,
		fragments(as, quadA, f16), fragments(bs, quadB, f16), fragments(cs, quadC16, f16), got))
	require.Equal(t, want, got)
}
