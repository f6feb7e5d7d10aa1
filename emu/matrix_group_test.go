package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
)

// layout is a canonical layout of 9.7.17.5.1.2.1.3: where element (line, k) of A or of the transposed B is.
type layout struct {
	mnMajor    bool
	width      int // swizzle in bytes: 0, 32, 64, 128
	start      int // address of the matrix
	pattern    int // address where the swizzling pattern begins
	lbo, sbo   int
	elementBit int
	wide       bool // 128 bytes in atoms of 32 (9.7.18.10.6): four lines of the pattern, Swizzle<2, 5, 2>
	next       int  // where a row goes on that would leave 128 bytes (9.7.18.3.1.2); 0: nowhere
}

// address evaluates the table's CuTe layouts: coordinates are cut into digits, each with a stride. Strides are in
// elements, T is 16 bytes of them.
func (l *layout) address(line, k int) (byteAt, bit int) {
	T := 128 / l.elementBit
	lbo, sbo := l.lbo*8/l.elementBit, l.sbo*8/l.elementBit
	w := l.width / 16
	var e int
	switch {
	case l.wide: // ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO))
		at := l.start + (line%T+line/T%8*T+line/T/8*lbo+k%4*8*T+k/4*sbo)*l.elementBit/8
		return at ^ (at >> 7 & 3 << 5), 0
	case l.next > 0: // two chunks of each row, in rows of 128 bytes
		at := l.start + k/T*16
		if at/128 > l.start/128 {
			at += l.next - (l.start/128*128 + 128)
		}
		at += line%8*128 + line/8*l.sbo
		return at ^ (at>>7&7)<<4 + k%T*l.elementBit/8, k % T * l.elementBit % 8
	case l.mnMajor && w == 0: // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
		e = line%T + line/T*sbo + k%8*T + k/8*lbo
	case l.mnMajor: // ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO))
		e = line%T + line/T%w*T + line/T/w*lbo + k%8*w*T + k/8*sbo
	case w == 0: // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
		e = line%8*T + line/8*sbo + k%T + k/T*lbo
	default: // ((8,m),(T,2k)):((wT,SBO),(1,T))
		e = line%8*w*T + line/8*sbo + k%T + k/T*T
	}
	at := l.start + e*l.elementBit/8
	if w > 0 { // Swizzle<log2(w), 4, 3>, counted from where the pattern begins
		rel := at - l.pattern
		rel ^= (rel >> 7 & (w - 1)) << 4
		at = l.pattern + rel
	}
	return at, e * l.elementBit % 8
}

func (l *layout) descriptor() uint64 {
	mode := map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[l.width]
	d := uint64(l.start&0x3ffff>>4) | uint64(l.lbo>>4)<<16 | uint64(l.sbo>>4)<<32 | mode<<62
	if l.width > 0 {
		d |= uint64(l.pattern>>7&7) << 49
	}
	return d
}

// fill writes a matrix of lines into an image of shared memory.
func (l *layout) fill(t *testing.T, image []byte, lines integers, k kind) {
	used := map[[2]int]bool{}
	for line := range lines {
		for i, v := range lines[line] {
			at, bit := l.address(line, i)
			require.False(t, used[[2]int{at, bit}])
			used[[2]int{at, bit}] = true
			for b, x := 0, k.encode(v); b < max(k.bits/8, 1); b++ {
				image[at+b] |= byte(x >> (8 * b) << bit)
			}
		}
	}
}

// layoutOf is a layout for lines of k elements from address start on. Rows of a swizzling pattern that are wider than
// the matrix begin a step to the right, as when a kernel goes through k.
func layoutOf(mnMajor bool, width, start, lines, k, bits int) layout {
	l := layout{mnMajor: mnMajor, width: width, start: start, pattern: start, elementBit: bits}
	kBytes, lineBytes := k*bits/8, lines*bits/8
	switch {
	case mnMajor && width == 0:
		l.sbo, l.lbo = 128, 128*max(lineBytes/16, 1)
	case mnMajor:
		l.sbo, l.lbo = 8*width, 8*width*k/8
	case width == 0:
		l.lbo, l.sbo = 128, 128*kBytes/16
	default:
		l.sbo, l.lbo = 8*width, 16
		l.start += width - min(kBytes, width)
	}
	return l
}

// groupCase is one wgmma.
type groupCase struct {
	shape, types, rest string // rest are the operands after scale-d
	transA, transB     bool
	width              int
	inRegisters        bool
	sparse             int // elements of a chunk that are stored
}

// d64 is the accumulator of a warpgroup: eight columns for four elements, 16 rows for a warp.
func d64(warp int) place {
	return func(l, i int) (int, int) {
		row, col := c16(l, i%4)
		return 16*warp + row, i/4*8 + col
	}
}

func (gc *groupCase) run(t *testing.T, rng *rand.Rand) {
	var n, k int
	_, err := fmt.Sscanf(gc.shape, "m64n%dk%d", &n, &k)
	require.NoError(t, err)
	types := strings.Fields(gc.types)
	dk, ak, bk := kinds[types[0]], kinds[types[1]], kinds[types[2]]
	dk.lo, dk.hi = -40, 40
	b, c := randomMatrix(rng, k, n, bk), randomMatrix(rng, 64, n, dk)
	var a, lines integers // lines is what is stored of A
	var fa, meta []byte
	for warp := range 4 {
		m, f := randomMatrix(rng, 16, k, ak), []byte(nil)
		if gc.sparse == 0 {
			per := max(32/ak.bits, 1)
			f, lines = fragments([]integers{m}, fourBlocks(per), ak), append(lines, m...)
		} else {
			sp := sparseCase{k: k, n: [4]int{4, 4}, a: blocks(max(32/ak.bits, 1), k/8), stored: gc.sparse, meta: pairColumns(0)}
			if ak.bits == 8 {
				sp.meta = all
			}
			dense, words, elements := sp.sparseMatrix(rng, ak, warp%2 == 0)
			m, f, meta = dense, sp.fragment(dense, elements, ak), append(meta, words[:128]...)
			for i, e := range elements {
				if i%(k/2) == 0 {
					lines = append(lines, nil)
				}
				last := len(lines) - 1
				lines[last] = append(lines[last], dense[e[0]][e[1]])
			}
		}
		a, fa = append(a, m...), append(fa, f...)
	}
	op := func(x, y int) int { return x * y }
	sign := 1
	switch {
	case ak.bits == 1:
		op = func(x, y int) int { return x & y }
	case strings.HasPrefix(gc.rest, ", -1"):
		sign = -1
	}
	sum := multiply(a, b, c, func(x, y int) int { return sign * op(x, y) })
	var fc, want []byte
	for warp := range 4 {
		fc = append(fc, groupFragment(c, n, d64(warp), dk)...)
		want = append(want, groupFragment(sum, n, d64(warp), dk)...)
	}
	image := make([]byte, 49152)
	// A's pattern begins off its natural boundary, which the base offset of the descriptor tells.
	la := layoutOf(gc.transA, gc.width, 1024+384, 64, len(lines[0]), ak.bits)
	lb := layoutOf(gc.transB, gc.width, 16384, n, k, bk.bits)
	la.fill(t, image, lines, ak)
	lb.fill(t, image, transposed(b), bk)
	desc := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, la.descriptor()), lb.descriptor())
	opcode := "wgmma.mma_async.sync.aligned." + gc.shape + "." + strings.ReplaceAll(gc.types, " ", ".")
	if gc.sparse > 0 {
		opcode = strings.Replace(opcode, "async.", "async.sp.", 1)
	}
	if ak.bits == 1 {
		opcode += ".and.popc"
	}
	require.NoError(t, runBlock(t, 128, "a d s desc meta", gc.kernel(t, opcode, len(fc)/512), fa, fc, image, desc,
		append(meta, make([]byte, 512)...)))
	for i := range want {
		require.Equal(t, want[i], fc[i], "byte %d", i)
	}
}

func transposed(m integers) integers {
	out := make(integers, len(m[0]))
	for _, row := range m {
		for j, v := range row {
			out[j] = append(out[j], v)
		}
	}
	return out
}

// groupFragment is a warp's part of D: n/2 elements in each lane.
func groupFragment(m integers, n int, at place, k kind) []byte {
	per := 32 / k.bits
	out := make([]byte, n/2/per*128)
	for lane := range 32 {
		for i := range n / 2 {
			row, col := at(lane, i)
			word := out[4*(i/per*32+lane):]
			v := uint32(k.encode(m[row][col])) << (i % per * k.bits)
			binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|v)
		}
	}
	return out
}

// kernel copies s to shared memory, loads fragments, multiplies and stores D.
func (gc *groupCase) kernel(t *testing.T, opcode string, nd int) string {
	var b strings.Builder
	b.WriteString(txtar.Text(t, "matrix_group/begin"))
	move := func(op, name string, n int) string {
		fmt.Fprintf(&b, "ld.param.u64 %%q, [%s]; mul.lo.u32 %%x, %%w, %d; cvt.u64.u32 %%r, %%x; add.s64 %%q, %%q, %%r;"+
			"add.s64 %%q, %%q, %%o;\n", name, 128*n)
		for i := range n {
			reg := fmt.Sprintf("%%%s%d", name, i)
			if op == "ld" {
				fmt.Fprintf(&b, "ld.global.b32 %s, [%%q+%d];\n", reg, 128*i)
			} else {
				fmt.Fprintf(&b, "st.global.b32 [%%q+%d], %s;\n", 128*i, reg)
			}
		}
		return tuple(name, n)
	}
	a := "%da"
	if gc.inRegisters {
		a = move("ld", "a", 4)
	}
	d := move("ld", "d", nd)
	sp := ""
	if gc.sparse > 0 {
		sp = " %m, 0,"
	}
	fmt.Fprintf(&b, "wgmma.fence.sync.aligned;\n%s %s, %s, %%db,%s %%true%s;\nwgmma.commit_group.sync.aligned;\n"+
		"wgmma.wait_group.sync.aligned 0;\n", opcode, d, a, sp, gc.rest)
	move("st", "d", nd)
	return b.String()
}

// everyWidth are products of every N, whose types take turns, dense and sparse.
func everyWidth() (cases []groupCase) {
	types := strings.Split("f16 f16 f16|f32 f16 f16|f32 bf16 bf16|f32 tf32 tf32|f32 e4m3 e4m3|f16 e4m3 e4m3|"+
		"f32 e4m3 e5m2|f16 e5m2 e4m3|f32 e5m2 e5m2|f16 e5m2 e5m2|s32 s8 s8|s32 s8 u8|s32 u8 s8|s32 u8 u8|s32 b1 b1", "|")
	step := 8
	if runtime.GOOS == "js" { // the same arithmetic, at a tenth of the speed
		step = 56
	}
	for n := 8; n <= 256; n += step {
		for turn := range 2 - n/8%2 {
			gc := groupCase{types: types[(n/8+turn*7)%len(types)], width: []int{128, 64, 32, 0}[n/8%4],
				inRegisters: n/16%2 == turn}
			integer := strings.HasPrefix(gc.types, "s32")
			if integer && n%16 != 0 && n != 24 && n != 8 { // 9.7.17.5.2: these shapes do not exist
				gc.types, integer = "f32 bf16 bf16", false
			}
			element := kinds[strings.Fields(gc.types)[1]].bits
			k := 256 / element
			if turn == 1 && element > 1 {
				gc.sparse, k, gc.width = 2, 2*k, max(gc.width, 64) // rows of B have 64 bytes
				if element == 32 {
					gc.sparse = 1
				}
			}
			gc.shape = fmt.Sprintf("m64n%dk%d", n, k)
			switch {
			case integer:
			case element == 16 && gc.inRegisters:
				gc.rest = ", 1, 1, 0"
			case element == 16:
				gc.rest = ", 1, 1, 0, 0"
			default:
				gc.rest = ", 1, 1"
			}
			cases = append(cases, gc)
		}
	}
	return cases
}

// Every type and layout of wgmma against the product by its definition.
//
// families = `wgmma.mma_async wgmma.mma_async.sp`
func TestWgmma(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var cases []groupCase
	for _, width := range []int{0, 32, 64, 128} {
		for trans := range 4 { // 16-bit types can be transposed
			ta, tb := trans&1, trans>>1
			cases = append(cases, groupCase{shape: "m64n64k16", types: "f32 f16 f16",
				rest:   fmt.Sprintf(", 1, 1, %d, %d", ta, tb),
				transA: ta == 1, transB: tb == 1, width: width})
		}
		for _, types := range []string{"f16 e4m3 e5m2", "f32 e5m2 e4m3", "s32 s8 u8", "s32 b1 b1", "f32 tf32 tf32"} {
			gc := groupCase{shape: "m64n24k32", types: types, width: width}
			switch types[:4] {
			case "f16 ":
				gc.rest = ", -1, 1"
			case "f32 ":
				gc.rest = ", 1, 1"
			}
			switch {
			case strings.Contains(types, "tf32"):
				gc.shape = "m64n40k8"
			case strings.Contains(types, "b1"):
				gc.shape = "m64n32k256"
			}
			cases = append(cases, gc)
			gc.inRegisters = true
			cases = append(cases, gc)
		}
	}
	cases = append(cases,
		groupCase{shape: "m64n256k16", types: "f32 bf16 bf16", rest: ", -1, 1, 1", transB: true, width: 128,
			inRegisters: true},
		groupCase{shape: "m64n8k16", types: "f16 f16 f16", rest: ", 1, -1, 0", inRegisters: true, width: 64},
		groupCase{shape: "m64n16k32", types: "f32 f16 f16", rest: ", 1, 1, 0, 1", transB: true, width: 64, sparse: 2},
		groupCase{shape: "m64n16k32", types: "f32 bf16 bf16", rest: ", 1, 1, 0", width: 128, sparse: 2, inRegisters: true},
		groupCase{shape: "m64n16k16", types: "f32 tf32 tf32", rest: ", 1, 1", width: 64, sparse: 1},
		groupCase{shape: "m64n16k16", types: "f32 tf32 tf32", rest: ", 1, 1", width: 0, sparse: 1, inRegisters: true},
		groupCase{shape: "m64n32k64", types: "s32 u8 s8", width: 128, sparse: 2},
		groupCase{shape: "m64n32k64", types: "f32 e4m3 e4m3", rest: ", 1, 1", width: 64, sparse: 2, inRegisters: true})
	cases = append(cases, everyWidth()...)
	for n, gc := range cases {
		if testing.Short() && n%3 != 0 {
			continue
		}
		if gc.rest == ", 1, -1, 0" {
			gc.rest = ", -1, 1, 0" // the model's sign is that of A
		}
		t.Run(fmt.Sprint(gc.shape, " ", gc.types, gc.rest, " swizzle ", gc.width, gc.inRegisters, gc.sparse),
			func(t *testing.T) {
				gc.run(t, rng)
			})
	}
}

// A product is computed when its group has been waited for, not before; groups complete in order. It multiplies the
// matrices as they are at that time.
func TestWgmmaIsAsynchronous(t *testing.T) {
	out := make([]byte, 4*5)
	const mma = "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%d0,%d1,%d2,%d3}, {%a,%a,%a,%a}, %b, %p, "
	body := strings.ReplaceAll(txtar.Text(t, "matrix_group/late"),
		"MMA", strings.TrimSuffix(mma, ", ")+";")
	require.NoError(t, runBlock(t, 128, "out", body, out))
	for i, want := range []uint32{100, 132, 164, 196, 32} { // 32 products of 1 and 1 at a time
		require.Equal(t, want, binary.LittleEndian.Uint32(out[4*i:]), i)
	}
	require.ErrorContains(t, runBlock(t, 96, "out", body, out), "needs four warps")
	require.ErrorContains(t, runBlock(t, 128, "out", strings.ReplaceAll(body, "0x80000080000", "0x80010000000"), out),
		"the CTA has 256 bytes of shared memory")
}

// The record of wgmma.wait_group has the registers of D, that of wgmma.mma_async has none.
func TestWgmmaSteps(t *testing.T) {
	d, err := matrixModule(t, "", `.shared .align 128 .b8 s[1024]; .reg .b32 %d<4>, %a; .reg .b64 %b;
		mov.u32 %a, s; mov.b32 %a, 0x01010101; mov.b32 %d0, 7; mov.b64 %b, 0x80000080000;
		wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%d0,%d1,%d2,%d3}, {%a,%a,%a,%a}, %b, 1;
		wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;`)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 128}})
	require.NoError(t, err)
	waits := 0
	for {
		s, err := g.Step()
		require.NoError(t, err)
		if s.Done {
			break
		}
		switch s.Inst.Match.Form.ID {
		case "wgmma.mma_async":
			require.Empty(t, s.Regs)
		case "wgmma.wait_group": // shared memory is zero
			require.Len(t, s.Regs, 4)
			require.Equal(t, uint64(7), s.Regs[0].Old[9])
			require.Equal(t, uint64(7), s.Regs[0].New[9])
			waits++
		}
	}
	require.Equal(t, 4, waits)
}

// It is a finding when a warp overwrites a matrix before it has waited for the product (9.7.17.7). B has 8 columns of
// 32 bytes. After it comes A with 64 rows of 32 bytes, of which warp 0 multiplies the first 16: 16 bytes of 8 rows are
// 128 together.
func TestWgmmaMatrixOverwritten(t *testing.T) {
	const issue = `wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%d0,%d1,%d2,%d3}, %m, %b, 1; ` +
		`wgmma.commit_group.sync.aligned;
		`
	const wait = "\nwgmma.wait_group.sync.aligned 0;\n"
	for _, c := range [][2]string{
		{issue + "@%z st.shared.b32 [s+252], %a;" + wait, "shared+252 (4 bytes)"},
		{issue + "@%z st.shared.b32 [s+256], %a;" + wait, "shared+256 (4 bytes)"}, // A, row 0
		{issue + "@%z st.shared.b32 [s+764], %a;" + wait, "shared+764 (4 bytes)"}, // A, row 15
		{issue + "@%z st.shared.b32 [s+768], %a;" + wait, ""},                     // A, row 16: warp 1
		{issue + wait + "@%z st.shared.b32 [s], %a;", ""},
		{issue + "@%z ld.shared.b32 %a, [s];" + wait, ""},
		{issue + issue + "wgmma.wait_group.sync.aligned 1; @%z st.shared.b32 [s], %a;" + wait, "shared+0 (4 bytes)"},
	} {
		body, want := c[0], c[1]
		d, err := matrixModule(t, "", `.shared .align 128 .b8 s[4096]; .reg .b32 %d<4>, %a; .reg .b64 %b, %m; .reg .pred %z;
			mov.u32 %a, %tid.x; setp.eq.u32 %z, %a, 0;
			mov.b64 %b, 0x1000080000; mov.b64 %m, 0x1000080010; // LBO 128, SBO 256; A from byte 256 on
			wgmma.fence.sync.aligned; `+body)
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 128}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		if want == "" {
			require.Empty(t, g.Findings(), body)
			require.Zero(t, g.Flying)
			continue
		}
		require.Len(t, g.Findings(), 1, body)
		require.Contains(t, g.Findings()[0].Message, "`st.shared.b32` in lane 0 of warp 0 writes to "+want+
			", which `wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8` of line")
		require.Contains(t, g.Findings()[0].Message, "(warp 0) is still to read: it was not waited for")
	}
}

// Fences (9.7.17.7.1, 9.7.17.4): wgmma.fence before the first product, fence.proxy.async after stores into its
// matrices. scale-d may be negated: where A and B are zeros, D = 7 stays 7 or becomes zero.
func TestWgmmaFences(t *testing.T) {
	const product = "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%d0,%d1,%d2,%d3}, %b, %b, !%z; " +
		"wgmma.commit_group.sync.aligned;" +
		"wgmma.wait_group.sync.aligned 0;\n"
	const store = "st.shared.b32 [s+8], 0;\n"
	for body, want := range map[string]string{
		"wgmma.fence.sync.aligned;" + product:                            "",
		store + "fence.proxy.async; wgmma.fence.sync.aligned;" + product: "",
		product: "wgmma.fence must come before the first product",
		store + "wgmma.fence.sync.aligned;" + product:                            "fence.proxy.async is missing between them",
		store + "fence.proxy.async; wgmma.fence.sync.aligned;" + store + product: "where `st.shared.b32` of line",
	} {
		for scale, d := range []uint32{0, 7} {
			dev, err := matrixModule(t, "out", fmt.Sprintf(`.shared .align 128 .b8 s[4096]; .reg .b32 %%d<4>; .reg .b64 %%b, %%o;
				.reg .pred %%z; mov.b64 %%b, 0x1000080000; setp.eq.u32 %%z, %%l, %%l; mov.b32 %%d0, 7; ld.param.u64 %%o, [out];
				@!%%z st.shared.b32 [s], 0; setp.ne.u32 %%z, 1, %d;
				%s st.global.u32 [%%o], %%d0;`, scale, body))
			require.NoError(t, err)
			out, err := dev.Alloc(4)
			require.NoError(t, err)
			g, err := dev.Launch(Config{Entry: "k", Block: Dim3{X: 128}, Args: [][]byte{Ptr(out)}})
			require.NoError(t, err)
			require.NoError(t, g.Run(context.Background()))
			got := make([]byte, 4)
			require.NoError(t, dev.Read(out, got))
			require.Equal(t, d, binary.LittleEndian.Uint32(got))
			if want == "" {
				require.Empty(t, g.Findings(), body)
				continue
			}
			require.Len(t, g.Findings(), 1, body)
			require.Contains(t, g.Findings()[0].Message, want)
		}
	}
}

// A product is one operation of four warps (9.7.17.7.3): when one of them has waited for it, it is complete for all,
// and its matrices may be overwritten. Warp 0 does that long before the others come; they still multiply the old
// matrices.
func TestWgmmaIsOneOperation(t *testing.T) {
	for _, inRegisters := range []bool{true, false} {
		a := map[bool]string{true: "{%a,%a,%a,%a}", false: "%m"}[inRegisters]
		mma := "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%d0,%d1,%d2,%d3}, " + a +
			", %b, 1; wgmma.commit_group.sync.aligned;\n"
		body := `.shared .align 128 .b8 s[4096]; .reg .b32 %d<4>, %a, %i, %t, %x; .reg .b64 %b, %m, %o; .reg .pred %z, %p;
			mov.u32 %t, %tid.x; setp.ge.u32 %p, %t, 32; mov.b64 %b, 0x1000080000; mov.b64 %m, 0x1000080010;
			mov.u32 %x, s; shl.b32 %i, %t, 2; add.u32 %x, %x, %i; mov.b32 %a, 0x01010101; mov.b32 %i, 0;
			fill: st.shared.b32 [%x], %a; add.u32 %x, %x, 512; add.u32 %i, %i, 1; setp.lt.u32 %z, %i, 8; @%z bra fill;
			fence.proxy.async; bar.sync 0; mov.b32 %d0, 0; mov.b32 %i, 0; @!%p bra now;
			slow: add.u32 %i, %i, 1; setp.lt.u32 %z, %i, 2000; @%z bra slow;
			now: wgmma.fence.sync.aligned; ` + mma + mma + `wgmma.wait_group.sync.aligned 1; wgmma.wait_group.sync.aligned 0;
			@%p bra done; mov.u32 %x, s; mad.lo.u32 %x, %t, 4, %x; mov.b32 %i, 0;
			clear: st.shared.b32 [%x], 0; add.u32 %x, %x, 128; add.u32 %i, %i, 1; setp.lt.u32 %z, %i, 32; @%z bra clear;
			done: ld.param.u64 %o, [out]; mul.wide.u32 %b, %t, 4; add.s64 %o, %o, %b; st.global.u32 [%o], %d0;`
		d, err := matrixModule(t, "out", body)
		require.NoError(t, err)
		out, err := d.Alloc(512)
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 128}, Args: [][]byte{Ptr(out)}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		require.Empty(t, g.Findings())
		got := make([]byte, 512)
		require.NoError(t, d.Read(out, got))
		for thread := range 128 { // 32 products of 1 and 1, twice
			require.Equal(t, uint32(64), binary.LittleEndian.Uint32(got[4*thread:]), thread)
		}
	}
}

// The warps of a warpgroup meet in wgmma.fence; they do not wait for one that has ended.
func TestWgmmaFenceMeets(t *testing.T) {
	for _, c := range [][2]string{
		{"@%p bra END; wgmma.fence.sync.aligned; END:", ""},
		{"@%p bra END; wgmma.fence.sync.aligned; END: bar.sync 0;",
			"warp 0 waits in `wgmma.fence.sync.aligned` for the other warps of its warpgroup"},
		{"wgmma.fence.sync.aligned; bar.sync 0;", ""},
	} {
		body, want := c[0], c[1]
		err := runBlock(t, 128, "", ".reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x; setp.ge.u32 %p, %t, 96;"+body)
		if want == "" {
			require.NoError(t, err, body)
			continue
		}
		require.ErrorContains(t, err, want)
	}
}
