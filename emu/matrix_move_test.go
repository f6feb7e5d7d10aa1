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

// numbered is a matrix of 16-bit elements whose values say where they are: 16 r + c in row r, column c.
func numbered(rows int) []byte {
	b := make([]byte, 16*rows)
	for r := range rows {
		for c := range 8 {
			binary.LittleEndian.PutUint16(b[16*r+2*c:], uint16(16*r+c))
		}
	}
	return b
}

// copyToShared puts 512 bytes of in into shared memory: 16 bytes for each lane, the row of matrix lane/8 that ldmatrix
// takes from it.
const copyToShared = `.shared .align 16 .b8 s[512]; .reg .b64 %p, %o; .reg .b32 %v<4>, %a, %r<4>;
	ld.param.u64 %p, [in]; mul.wide.u32 %o, %l, 16; add.s64 %p, %p, %o;
	ld.global.v4.b32 {%v0,%v1,%v2,%v3}, [%p];
	mov.u32 %a, s; mad.lo.u32 %a, %l, 16, %a;
	st.shared.v4.b32 [%a], {%v0,%v1,%v2,%v3};
	`

// storeRegisters writes %r0 … of all lanes to out: register r of a lane is word 32 r + lane.
func storeRegisters(n int) string {
	s := "ld.param.u64 %p, [out]; mul.wide.u32 %o, %l, 4; add.s64 %p, %p, %o;\n"
	for r := range n {
		s += fmt.Sprintf("st.global.b32 [%%p+%d], %%r%d;\n", 128*r, r)
	}
	return s
}

func halves(lo, hi int) uint32 { return uint32(lo) | uint32(hi)<<16 }

// Rows of matrix n come from the addresses of lanes 8n to 8n+7; a lane receives row lane/4 in columns 2(lane%4) and the
// next one (9.7.16.5.15, Figure 107). With .trans that is an element of column lane/4 in these rows.
func TestLdmatrix(t *testing.T) {
	for n, name := range map[int]string{1: "x1", 2: "x2", 4: "x4"} {
		for _, trans := range []string{"", ".trans"} {
			out := make([]byte, 128*n)
			body := copyToShared + "ldmatrix.sync.aligned.m8n8." + name + trans + ".shared.b16 " + tuple("r", n) + ", [%a];\n" +
				storeRegisters(n)
			require.NoError(t, runMatrix(t, "in out", body, numbered(32), out))
			for r := range n {
				for lane := range 32 {
					row, col := lane/4, 2*(lane%4)
					want := halves(128*r+16*row+col, 128*r+16*row+col+1)
					if trans != "" {
						want = halves(128*r+16*col+row, 128*r+16*(col+1)+row)
					}
					got := binary.LittleEndian.Uint32(out[128*r+4*lane:])
					require.Equal(t, want, got, "%s%s register %d lane %d", name, trans, r, lane)
				}
			}
		}
	}
	// Lane 13 of .x1: elements 16·3+2 and 16·3+3.
	out := make([]byte, 128)
	body := copyToShared + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];" + storeRegisters(1)
	require.NoError(t, runMatrix(t, "in out", body, numbered(32), out))
	require.Equal(t, halves(50, 51), binary.LittleEndian.Uint32(out[4*13:]))
}

// stmatrix stores what ldmatrix has loaded (9.7.16.5.16): with .trans on both sides nothing changes; with .trans on one
// side, and in movmatrix (9.7.16.5.17), every matrix is transposed.
func TestStmatrixAndMovmatrix(t *testing.T) {
	move := func(r int) string { return fmt.Sprintf("movmatrix.sync.aligned.m8n8.trans.b16 %%r%d, %%r%d;\n", r, r) }
	for _, c := range []struct {
		load, between, store string
		transposed           bool
	}{
		{"", "", "", false}, {".trans", "", ".trans", false}, {".trans", "", "", true}, {"", "", ".trans", true},
		{"", move(0) + move(1) + move(2) + move(3), "", true},
	} {
		in, out := numbered(32), make([]byte, 512)
		body := copyToShared + ".shared .align 16 .b8 u[512]; .reg .b32 %b; mov.u32 %b, u; mad.lo.u32 %b, %l, 16, %b;\n" +
			"ldmatrix.sync.aligned.m8n8.x4" + c.load + ".shared.b16 {%r0,%r1,%r2,%r3}, [%a];\n" + c.between +
			"stmatrix.sync.aligned.m8n8.x4" + c.store + ".shared.b16 [%b], {%r0,%r1,%r2,%r3};\n" +
			`ld.shared.v4.b32 {%v0,%v1,%v2,%v3}, [%b];
			ld.param.u64 %p, [out]; add.s64 %p, %p, %o; st.global.v4.b32 [%p], {%v0,%v1,%v2,%v3};`
		require.NoError(t, runMatrix(t, "in out", body, in, out))
		for r := range 32 {
			for col := range 8 {
				want := 16*r + col
				if c.transposed {
					want = 16*(r&^7+col) + r&7
				}
				got := binary.LittleEndian.Uint16(out[16*r+2*col:])
				require.Equal(t, uint16(want), got, "%+v row %d column %d", c, r, col)
			}
		}
	}
}

// wmmaCase is one shape of wmma; types are those of A and B, C, D.
type wmmaCase struct {
	m, n, k   int
	types     []string
	registers [2]int // registers of A and B (9.7.16.4.1)
	anyLayout bool
}

var wmmaCases = []wmmaCase{
	{16, 16, 16, []string{"f16 f16 f16", "f16 f32 f32", "f16 f16 f32", "f16 f32 f16"}, [2]int{8, 8}, true},
	{8, 32, 16, []string{"f16 f16 f16", "f16 f32 f32"}, [2]int{8, 8}, true},
	{32, 8, 16, []string{"f16 f16 f16", "f16 f32 f32"}, [2]int{8, 8}, true},
	{16, 16, 16, []string{"bf16 f32 f32"}, [2]int{4, 4}, true},
	{8, 32, 16, []string{"bf16 f32 f32"}, [2]int{2, 8}, true},
	{32, 8, 16, []string{"bf16 f32 f32"}, [2]int{8, 2}, true},
	{16, 16, 8, []string{"tf32 f32 f32"}, [2]int{4, 4}, true},
	{8, 8, 4, []string{"f64 f64 f64"}, [2]int{1, 1}, true},
	{16, 16, 16, []string{"s8 s32 s32", "u8 s32 s32"}, [2]int{2, 2}, true},
	{8, 32, 16, []string{"s8 s32 s32", "u8 s32 s32"}, [2]int{1, 4}, true},
	{32, 8, 16, []string{"s8 s32 s32", "u8 s32 s32"}, [2]int{4, 1}, true},
	{8, 8, 32, []string{"s4 s32 s32", "u4 s32 s32"}, [2]int{1, 1}, false},
	{8, 8, 128, []string{"b1 s32 s32"}, [2]int{1, 1}, false},
}

// InMemory lays a matrix out by rows or columns, stride elements apart.
func inMemory(m integers, k kind, byRow bool, stride int) []byte {
	lines := len(m)
	if !byRow {
		lines = len(m[0])
	}
	out := make([]byte, (lines*stride*k.bits+7)/8)
	for r := range m {
		for c := range m[r] {
			at := (r*stride + c) * k.bits
			if !byRow {
				at = (c*stride + r) * k.bits
			}
			v := k.encode(m[r][c])
			for b := range max(k.bits/8, 1) {
				out[at/8+b] |= byte(v >> (8 * b) << (at % 8))
			}
		}
	}
	return out
}

// Load, multiply, store: whatever the fragments' layout, the product in memory is that of the definition, for every
// shape, type and layout, with the default stride and with a larger one.
//
// families = `wmma.load wmma.store wmma.mma`
func TestWmma(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, wc := range wmmaCases {
		for _, types := range wc.types {
			for _, layout := range []string{"row col", "col row", "row row", "col col"} {
				if !wc.anyLayout && layout != "row col" {
					continue
				}
				for _, wider := range []bool{false, true} {
					name := fmt.Sprintf("m%dn%dk%d %s %s wider %v", wc.m, wc.n, wc.k, types, layout, wider)
					t.Run(name, func(t *testing.T) {
						wc.check(t, rng, strings.Fields(types), strings.Fields(layout), wider)
					})
				}
			}
		}
	}
}

func (wc *wmmaCase) check(t *testing.T, rng *rand.Rand, types, layout []string, wider bool) {
	ab, ck, dk := kinds[types[0]], kinds[types[1]], kinds[types[2]]
	ck.lo, ck.hi = -40, 40
	a, b, c := randomMatrix(rng, wc.m, wc.k, ab), randomMatrix(rng, wc.k, wc.n, ab), randomMatrix(rng, wc.m, wc.n, ck)
	op, mods := func(x, y int) int { return x * y }, ""
	if types[0] == "b1" {
		op, mods = func(x, y int) int { return x & y }, ".and.popc"
	}
	// Larger strides keep lines at multiples of 32 bytes.
	stride := func(byRow bool, rows, cols, bits int) (n int, operand string) {
		if n = rows; byRow {
			n = cols
		}
		if wider {
			n += 256/bits - n%(256/bits)
			operand = fmt.Sprintf(", %d", n)
		}
		return n, operand
	}
	aRow, bRow, cRow := layout[0] == "row", layout[1] == "row", layout[0] == layout[1]
	sa, oa := stride(aRow, wc.m, wc.k, ab.bits)
	sb, ob := stride(bRow, wc.k, wc.n, ab.bits)
	sc, oc := stride(cRow, wc.m, wc.n, ck.bits)
	sd, od := stride(!cRow, wc.m, wc.n, dk.bits)
	word := map[bool]string{true: "row", false: "col"}
	reg := "b32"
	if types[0] == "f64" {
		reg = "f64"
	}
	shape := fmt.Sprintf("m%dn%dk%d", wc.m, wc.n, wc.k)
	all := fmt.Sprintf("%s.%s.%s.%s", types[2], types[0], types[0], types[1])
	if types[0] == "f16" {
		all = types[2] + "." + types[1]
	}
	elements := wc.m * wc.n / 32
	na, nb := wc.registers[0], wc.registers[1]
	nc, nd := elements*min(ck.bits, 32)/32, elements*min(dk.bits, 32)/32
	body := fmt.Sprintf(`.reg .b64 %%p; .reg .%s %%a<8>, %%b<8>, %%c<8>, %%d<8>;
		ld.param.u64 %%p, [a]; wmma.load.a.sync.aligned.%s.%s.%s %s, [%%p]%s;
		ld.param.u64 %%p, [b]; wmma.load.b.sync.aligned.%s.%s.global.%s %s, [%%p]%s;
		ld.param.u64 %%p, [c]; wmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%p]%s;
		wmma.mma%s.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;
		ld.param.u64 %%p, [d]; wmma.store.d.sync.aligned.%s.%s.global.%s [%%p], %s%s;`, reg,
		layout[0], shape, types[0], tuple("a", na), oa,
		layout[1], shape, types[0], tuple("b", nb), ob,
		word[cRow], shape, types[1], tuple("c", nc), oc,
		mods, layout[0], layout[1], shape, all,
		tuple("d", nd), tuple("a", na), tuple("b", nb), tuple("c", nc),
		word[!cRow], shape, types[2], tuple("d", nd), od)
	want := inMemory(multiply(a, b, c, op), dk, !cRow, sd)
	got := make([]byte, len(want))
	require.NoError(t, runMatrix(t, "a b c d", body, inMemory(a, ab, aRow, sa), inMemory(b, ab, bRow, sb),
		inMemory(c, ck, cRow, sc), got))
	require.Equal(t, want, got)
}

// A matrix instruction that not all lanes execute is a fault, and so are cases that the manual leaves undefined.
func TestMatrixFaults(t *testing.T) {
	const some = ".reg .pred %q; setp.lt.u32 %q, %l, 16;\n"
	const regs = ".reg .b32 %r<8>, %a; .reg .f32 %c<8>; .reg .b64 %p; .shared .align 16 .b8 s[1024]; mov.u32 %a, s;\n"
	for _, c := range [][2]string{
		{some + regs + "@%q mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, {%r0,%r1}, {%r2}, " +
			"{%c0,%c1,%c2,%c3};",
			"IllegalInstruction all 32 lanes of a warp execute `mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32` " +
				"together, but only lanes 0-15 came"},
		{some + regs + "@%q movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
			"IllegalInstruction but only lanes 0-15 came"},
		{some + regs + "@%q ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];",
			"IllegalInstruction but only lanes 0-15 came"},
		{some + regs + "@!%q wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r0,%r1}, [%a];",
			"IllegalInstruction but only lanes 16-31 came"},
		{regs + "mad.lo.u32 %a, %l, 8, %a; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];",
			"Misaligned must be a multiple of 16"},
		{regs + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a+1024];",
			"OutOfBounds the CTA has 1,024 bytes of shared memory"},
		{regs + "ld.param.u64 %p, [in]; ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%p];",
			"IllegalAddress takes rows of shared memory only"},
		{regs + "ld.param.u64 %p, [in]; wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r0,%r1}, [%p], 20;",
			"Misaligned must be a multiple of 8"},
		{regs + "ld.param.u64 %p, [in]; wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r0,%r1}, [%p], 64;",
			"OutOfBounds"},
		{regs + "mad.lo.u32 %a, %l, 16, %a; wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r0,%r1}, [%a];",
			"IllegalInstruction takes the same address and stride in all lanes"},
		{regs + "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r0,%r1}, [%a], %l;",
			"IllegalInstruction takes the same address and stride in all lanes"},
		{".local .align 16 .b8 y[1024]; .reg .b64 %p; .reg .b32 %r<2>; cvta.local.u64 %p, y; " +
			"wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r0,%r1}, [%p];",
			"IllegalAddress"},
	} {
		body, want := c[0], c[1]
		err := runMatrix(t, "in", body, make([]byte, 256))
		var fault *Fault
		require.ErrorAs(t, err, &fault, body)
		kind, text, _ := strings.Cut(want, " ")
		require.Equal(t, FaultKind(kind), fault.Kind, "%s: %v", body, err)
		require.ErrorContains(t, err, text)
	}
}

// Tuples of the wrong length and registers of the wrong width are reported before anything runs.
func TestMatrixOperands(t *testing.T) {
	const regs = ".reg .b32 %r<8>; .reg .b64 %p; .reg .f64 %x;\n"
	for _, c := range [][2]string{
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r0,%r1,%r2}, {%r0,%r1}, {%r2}, {%r0,%r1,%r2,%r3};",
			"D of mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 is a tuple of length 4, not 3"},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, {%r0,%x}, {%r2}, {%r0,%r1,%r2,%r3};",
			"64 bits where 32 are wanted"},
		{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r1];",
			"a tuple of length 2, not 1"},
		{"wmma.load.a.sync.aligned.row.m8n32k16.s8 {%r0,%r1}, [%p];",
			"a tuple of length 1, not 2"},
		{"cp.async.cg.shared.global [%r0], [%p], 8;",
			"cp.async.cg copies 16 bytes, not 8"},
		{"cp.async.ca.shared.global [%r0], [%p], 12;",
			"cp.async copies 4, 8 or 16 bytes, not 12"},
	} {
		body, want := c[0], c[1]
		_, err := matrixModule(t, "", regs+body)
		require.ErrorContains(t, err, want)
	}
}

// A step's record shows the registers and the memory that a matrix instruction changes.
func TestMatrixSteps(t *testing.T) {
	d, err := matrixModule(t, "", `.shared .align 32 .b8 s[512]; .reg .b32 %d<2>; .reg .b32 %r0, %v; .reg .b32 %a;
		mov.b32 %r0, 0x01010101; mov.b32 %v, 5; mov.u32 %a, s;
		mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%d0,%d1}, {%r0}, {%r0}, {%v,%v};
		wmma.store.d.sync.aligned.row.m8n8k32.shared.s32 [%a], {%d0,%d1};
		stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%r0};`)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	found := 0
	for {
		s, err := g.Step()
		require.NoError(t, err)
		if s.Done {
			break
		}
		switch s.Inst.Match.Form.Mnemonic {
		case "mma": // 16 products of 1 and 1, and 5
			require.Len(t, s.Regs, 2)
			require.Equal(t, uint64(0), s.Regs[1].Old[9])
			require.Equal(t, uint64(21), s.Regs[1].New[9])
			found++
		case "wmma":
			require.Len(t, s.Mem, 64)
			require.Equal(t, U32(21), s.Mem[10].New)
			require.Equal(t, U32(0), s.Mem[10].Old)
			require.Equal(t, 5, s.Mem[10].Lane)
			require.Equal(t, s.Mem[0].Addr+4*10, s.Mem[10].Addr)
			found++
		case "stmatrix": // every row is written to the same 16 bytes
			require.Len(t, s.Mem, 64)
			require.Equal(t, []byte{1, 1}, s.Mem[0].New)
			require.Equal(t, []byte{21, 0}, s.Mem[0].Old)
			found++
		}
	}
	require.Equal(t, 3, found)
}

// Accumulation and rounding as documented at dot. k is 8; only the first products matter.
func TestMmaPrecision(t *testing.T) {
	one := func(d, c string, a0, b0, a1, b1, cv uint64) uint64 {
		n := 4
		if d == "f16" {
			n = 2
		}
		// Lane 0 holds row 0, columns 0 and 1 of A; rows 0 and 1, column 0 of B; element 0 of C and D.
		a, b, cs := make([]byte, 256), make([]byte, 128), make([]byte, 128*n)
		binary.LittleEndian.PutUint32(a, uint32(a0|a1<<16))
		binary.LittleEndian.PutUint32(b, uint32(b0|b1<<16))
		binary.LittleEndian.PutUint32(cs, uint32(cv))
		out := make([]byte, 128*n)
		opcode := "mma.sync.aligned.m16n8k8.row.col." + d + ".f16.f16." + c
		require.NoError(t, runMatrix(t, "a b c d", mmaKernel(opcode, [4]int{n, 2, 1, n}, false), a, b, cs, out))
		v := binary.LittleEndian.Uint32(out)
		if d == "f16" {
			return uint64(v & 0xffff)
		}
		return uint64(v)
	}
	f32 := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	const f1, fNeg1, big, tiny, inf, nan = 0x3c00, 0xbc00, 0x7bff, 0x0001, 0x7c00, 0x7e01
	// 2^24 + 1 + 1 = 2^24 + 2, though 2^24 + 1 is no f32.
	require.Equal(t, f32(1<<24+2), one("f32", "f32", f1, f1, f1, f1, f32(1<<24)))
	// 65504^2 is exact: 65504 = 2047·2^5, so its square is 4190209·2^10, 22 bits.
	require.Equal(t, f32(65504*65504), one("f32", "f32", big, big, 0, 0, 0))
	// Subnormal inputs count: 2^-24 squared is 2^-48.
	require.Equal(t, f32(0x1p-48), one("f32", "f32", tiny, tiny, 0, 0, 0))
	// f16: 65504 + 1 rounds to 65504, 65504 + 65504 is infinite, and nothing is lost on the way: 65504·2 - 65504.
	require.EqualValues(t, big, one("f16", "f16", f1, f1, 0, 0, big))
	require.EqualValues(t, inf, one("f16", "f16", big, f1, 0, 0, big))
	require.EqualValues(t, big, one("f16", "f16", big, f1, big, fNeg1, big))
	// inf - inf and NaN give the canonical NaN.
	require.EqualValues(t, 0x7fffffff, one("f32", "f32", inf, f1, inf, fNeg1, 0))
	require.EqualValues(t, 0x7fff, one("f16", "f16", nan, f1, 0, 0, 0))
	require.Equal(t, f32(float32(math.Inf(-1))), one("f32", "f32", inf, fNeg1, f1, f1, 0))
}

// .satfinite clamps the exact sum; without it the sum wraps (9.7.16.5.14).
func TestMmaOverflow(t *testing.T) {
	for c, want := range map[[2]uint32][2]uint32{ // C and A: to satfinite and wrapped; B is 127, k 16
		{0x7fffffff, 0x7f7f7f7f}: {0x7fffffff, 0x7fffffff + 16*127*127},
		{0x80000000, 0x81818181}: {0x80000000, 0x80000000 - 16*127*127},
	} {
		for i, sat := range []string{".satfinite", ""} {
			out := make([]byte, 256)
			body := fmt.Sprintf(`.reg .b32 %%r<2>, %%a, %%b, %%c; .reg .b64 %%p, %%o;
				mov.b32 %%a, %#x; mov.b32 %%b, 0x7f7f7f7f; mov.b32 %%c, %#x;
				mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%r0,%%r1}, {%%a}, {%%b}, {%%c,%%c};`,
				c[1], c[0], sat) + storeRegisters(2)
			require.NoError(t, runMatrix(t, "out", body, out))
			require.Equal(t, want[i], binary.LittleEndian.Uint32(out))
		}
	}
}

// mma of .f64 is a chain of fma, rounded as the opcode says: 1 + 2^-60 is 1, or the next number above with .rp.
func TestMmaDouble(t *testing.T) {
	for rnd, want := range map[string]float64{"": 1, ".rn": 1, ".rz": 1, ".rm": 1, ".rp": 1 + 0x1p-52} {
		a, b, c := make([]byte, 256), make([]byte, 256), make([]byte, 512)
		binary.LittleEndian.PutUint64(a, math.Float64bits(0x1p-30))
		binary.LittleEndian.PutUint64(b, math.Float64bits(0x1p-30))
		binary.LittleEndian.PutUint64(c, math.Float64bits(1))
		out := make([]byte, 512)
		require.NoError(t, runMatrix(t, "a b c d",
			mmaKernel("mma.sync.aligned.m8n8k4.row.col"+rnd+".f64.f64.f64.f64", [4]int{2, 1, 1, 2}, true), a, b, c, out))
		require.Equal(t, want, math.Float64frombits(binary.LittleEndian.Uint64(out)), rnd)
	}
}

// wmma fragments may be worked on element by element and used again.
func TestFragmentsAreVectors(t *testing.T) {
	in, out := make([]byte, 1024), make([]byte, 1024)
	for i := range 256 {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(i)))
	}
	body := ".reg .b64 %p; .reg .f32 %c<8>; ld.param.u64 %p, [in];\n" +
		"wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + tuple("c", 8) + ", [%p];\n"
	for i := range 8 {
		body += fmt.Sprintf("mul.f32 %%c%d, %%c%d, 0f40000000;\n", i, i)
	}
	body += "ld.param.u64 %p, [out];\nwmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%p], " + tuple("c", 8) + ";"
	require.NoError(t, runMatrix(t, "in out", body, in, out))
	for i := range 256 {
		require.Equal(t, float32(2*i), math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])))
	}
}

// A and B of .f16 have eight registers in every shape: m16n16k16 fills four, and holds everything twice.
func TestHalfFragmentsRepeat(t *testing.T) {
	out := make([]byte, 1024)
	require.NoError(t, runMatrix(t, "in out", `.reg .b64 %p, %o; .reg .b32 %r<8>; ld.param.u64 %p, [in];
		wmma.load.a.sync.aligned.row.m16n16k16.global.f16 `+tuple("r", 8)+", [%p];\n"+storeRegisters(8), numbered(32), out))
	require.NotEqual(t, make([]byte, 512), out[:512])
	require.Equal(t, out[:512], out[512:])
}

// Bytes of 16x16 and 8x16 matrices: byte c of the row at the address of lane r is 16 r + c. A 16x16 matrix is
// transposed: each lane has columns 4(lane%4) to 4(lane%4)+3 of rows lane/4 and lane/4 + 8 (Figure 108).
func TestLdmatrixBytes(t *testing.T) {
	in := make([]byte, 512)
	for i := range in {
		in[i] = byte(i)
	}
	out := make([]byte, 512)
	require.NoError(t, runMatrix(t, "in out", copyToShared+
		"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r0,%r1,%r2,%r3}, [%a];\n"+storeRegisters(4), in, out))
	for lane := range 32 {
		for reg := range 4 {
			for e := range 4 {
				row, col := lane/4+reg%2*8, lane%4*4+e // of matrix reg/2, whose rows are addressed from lane 16
				require.Equal(t, in[reg/2*256+16*col+row], out[128*reg+4*lane+e], "lane %d register %d byte %d", lane, reg, e)
			}
		}
	}
}

// 6- and 4-bit elements are spread over bytes: 16 of them are at the start of each row (9.7.16.5.15).
func TestLdmatrixUnpacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	in := make([]byte, 512)
	for i := range in {
		in[i] = byte(rng.Uint32())
	}
	element := func(row, bits, i int) byte { // bits i*bits to i*bits+bits-1 of the row's number
		v := 0
		for b := range bits {
			at := i*bits + b
			v |= int(in[16*row+at/8]>>(at%8)&1) << b
		}
		return byte(v)
	}
	for format, bits := range map[string]int{"b6x16_p32": 6, "b4x16_p64": 4} {
		out := make([]byte, 512)
		require.NoError(t, runMatrix(t, "in out", copyToShared+
			"ldmatrix.sync.aligned.m8n16.x4.shared.b8x16."+format+" {%r0,%r1,%r2,%r3}, [%a];\n"+storeRegisters(4), in, out))
		for i := range out {
			reg, lane, e := i/128, i/4%32, i%4
			require.Equal(t, element(8*reg+lane/4, bits, lane%4*4+e), out[i], "%s %d", format, i)
		}
		require.NoError(t, runMatrix(t, "in out", copyToShared+
			"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16."+format+" {%r0,%r1}, [%a];\n"+storeRegisters(2), in, out))
		for i := range out[:256] {
			reg, lane, e := i/128, i/4%32, i%4
			require.Equal(t, element(lane%4*4+e, bits, lane/4+8*reg), out[i], "%s %d transposed", format, i)
		}
	}
}

// Signed elements of 4 bits are extended to bytes: a row is 8 bytes, without padding, and begins at a multiple of 8
// (9.7.16.5.15).
func TestLdmatrixExtends(t *testing.T) {
	in := make([]byte, 512)
	for i := range in {
		in[i] = byte(37*i + 11*(i>>4))
	}
	for n, name := range map[int]string{1: "x1", 2: "x2", 4: "x4"} {
		out := make([]byte, 128*n)
		require.NoError(t, runMatrix(t, "in out", copyToShared+".reg .b32 %b; mov.u32 %b, s; mad.lo.u32 %b, %l, 8, %b;\n"+
			"ldmatrix.sync.aligned.m8n16."+name+".shared::cta.s8.s4 "+tuple("r", n)+", [%b];\n"+storeRegisters(n), in, out))
		for i := range out {
			reg, lane, e := i/128, i/4%32, i%4
			row, col := 8*reg+lane/4, lane%4*4+e
			want := int8(in[8*row+col/2]<<4) >> 4 // the lower half of a byte comes first
			if col%2 == 1 {
				want = int8(in[8*row+col/2]) >> 4
			}
			require.Equal(t, want, int8(out[i]), "%s register %d lane %d byte %d", name, reg, lane, e)
		}
	}
	require.ErrorContains(t, runMatrix(t, "in out", copyToShared+"add.u32 %a, %a, 4;\n"+
		"ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {%r0}, [%a];\n", in, make([]byte, 4)), "misaligned")
}

// stmatrix of a 16x8 matrix of bytes, held as an accumulator is: element (r, c) goes to byte r of row c.
func TestStmatrixBytes(t *testing.T) {
	out := make([]byte, 512)
	require.NoError(t, runMatrix(t, "out", `.shared .align 16 .b8 s[512]; .reg .b32 %r<4>, %a, %t; .reg .b64 %p, %o;
		mul.lo.u32 %r0, %l, 0x04040404; add.u32 %r0, %r0, 0x03020100; // byte e is 4 lane + e
		not.b32 %r1, %r0; mov.u32 %a, s; mad.lo.u32 %a, %l, 16, %a;
		stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%a], {%r0,%r1};
		bar.warp.sync -1; sub.u32 %t, %a, 0;
		ld.shared.v4.b32 {%r0,%r1,%r2,%r3}, [%a];
		ld.param.u64 %p, [out]; mul.wide.u32 %o, %l, 16; add.s64 %p, %p, %o; st.global.v4.b32 [%p], {%r0,%r1,%r2,%r3};`, out))
	for lane := range 32 {
		for e := range 4 {
			row, col := lane/4+e/2*8, lane%4*2+e%2
			require.Equal(t, byte(4*lane+e), out[16*col+row])
			require.Equal(t, ^byte(4*lane+e), out[128+16*col+row])
		}
	}
}
