package jit_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/mem"
	"warpscope/gpu"
	"warpscope/ptx"
)

// batchKernel has the number of its thread in %id, and addresses of words in two buffers that belong to it.
const batchKernel = `.version 7.8
.target sm_80
.address_size 64
.entry k(.param .u64 x, .param .u64 y) {
	.reg .b64 %%x, %%y, %%a, %%b, %%c, %%v<3>; .reg .b32 %%t<4>, %%id, %%w<4>; .reg .f32 %%f<4>; .reg .pred %%p, %%q;
	ld.param.u64 %%x, [x]; ld.param.u64 %%y, [y];
	mov.u32 %%t0, %%ctaid.y; mov.u32 %%t1, %%nctaid.x; mov.u32 %%t2, %%ctaid.x; mad.lo.u32 %%t0, %%t0, %%t1, %%t2;
	mov.u32 %%t1, %%ntid.y; mov.u32 %%t2, %%tid.y; mad.lo.u32 %%t0, %%t0, %%t1, %%t2;
	mov.u32 %%t1, %%ntid.x; mov.u32 %%t2, %%tid.x; mad.lo.u32 %%id, %%t0, %%t1, %%t2;
	mad.wide.u32 %%a, %%id, 4, %%x; mad.wide.u32 %%b, %%id, 4, %%y;
	%s
OUT:
	ret;
}`

// inPlace leaves other values when a thread does it twice.
const inPlace = "ld.global.u32 %w0, [%b]; mad.lo.u32 %w0, %w0, 3, %id; st.global.u32 [%b], %w0;\n"

// What a warp does must not depend on whether others of its CTA have to be executed again. The buffers have so many
// words; threads are 40 * 64. batched says whether CTAs are executed together at all.
var batchCases = []struct {
	name    string
	words   int
	body    string
	batched bool
}{
	{"in place", 2560, inPlace, true},
	{"a guard that agrees in warps", 2560, "setp.ge.u32 %p, %id, 2016; @%p bra OUT;" + inPlace, true},
	{"a guard that parts a warp", 2560, "setp.ge.u32 %p, %id, 2020; @%p bra OUT;" + inPlace, true},
	{"a guarded return", 2560, inPlace + "setp.ge.u32 %p, %id, 1999; @%p ret;" + inPlace, true},
	{"one warp parts after a store", 2560, inPlace + "setp.eq.u32 %p, %id, 1000; @%p bra OUT;" + inPlace, true},
	{"a load past the end, 1 lane in", 1249, inPlace + "ld.global.u32 %w1, [%a];" + inPlace, true},
	{"a load past the end, 2 lanes in", 1250, inPlace + "ld.global.u32 %w1, [%a];" + inPlace, true},
	{"a load past the end, at a group", 1252, inPlace + "ld.global.u32 %w1, [%a];" + inPlace, true},
	{"a load past the end, last lane of a CTA", 1279, inPlace + "ld.global.u32 %w1, [%a];" + inPlace, true},
	{"a store past the end, last lane of a CTA", 1279, inPlace + "st.global.u32 [%a], %id;", true},
	{"a store past the end", 1251, inPlace + "st.global.u32 [%a], %id;", true},
	{"misaligned from a thread on", 2560, inPlace + `setp.ge.u32 %p, %id, 1003; selp.u64 %c, 2, 0, %p;
		add.u64 %a, %a, %c; ld.global.u32 %w1, [%a]; st.global.u32 [%b], %w1;`, true},
	{"to the next element", 2561, "ld.global.u32 %w0, [%b]; st.global.u32 [%b+4], %w0;", true},
	{"to the element before, loaded after", 2561,
		"st.global.u32 [%b+4], %id; ld.global.u32 %w0, [%b]; st.global.u32 [%a], %w0;", true},
	{"two lanes, one element", 2560, `shr.u32 %t0, %id, 1; mad.wide.u32 %a, %t0, 4, %x; ld.global.u32 %w0, [%a];
		add.u32 %w0, %w0, %id; st.global.u32 [%a], %w0;`, true},
	{"backwards", 2560, `xor.b32 %t0, %id, 3; mad.wide.u32 %a, %t0, 4, %x; ld.global.u32 %w0, [%a];
		add.u32 %w0, %w0, %id; st.global.u32 [%b], %w0;`, true},
	{"half in order", 2560, `shr.u32 %t0, %id, 1; and.b32 %t0, %t0, 1; xor.b32 %t0, %t0, %id;
		mad.wide.u32 %a, %t0, 4, %x; ld.global.u32 %w0, [%a]; st.global.u32 [%b], %w0;`, true},
	{"more shapes than are known at a time", 2561, inPlace + `.reg .b64 %k<9>; add.u64 %k8, %a, 4;
		mov.b64 %k0, %a; add.u64 %k1, %a, 0; add.u64 %k2, %a, 0; add.u64 %k3, %a, 0; add.u64 %k4, %a, 0;
		add.u64 %k5, %a, 0; add.u64 %k6, %a, 0; add.u64 %k7, %a, 0; ld.global.u32 %w0, [%k0]; ld.global.u32 %w0, [%k1];
		ld.global.u32 %w0, [%k2]; ld.global.u32 %w0, [%k3]; ld.global.u32 %w0, [%k4]; ld.global.u32 %w0, [%k5];
		ld.global.u32 %w0, [%k6]; ld.global.u32 %w0, [%k7]; add.u64 %k3, %k3, 0; ld.global.u32 %w1, [%k8];
		ld.global.u32 %w2, [%k0]; xor.b32 %w2, %w2, %w1; st.global.u32 [%b], %w2;`, true},
	{"one for all", 2560, `mov.u32 %t0, %ctaid.x; mad.wide.u32 %a, %t0, 4, %x; ld.global.u32 %w0, [%a];
		mad.lo.u32 %w0, %w0, 5, %t0; st.global.u32 [%b], %w0;`, true},
	{"under guards", 2560, inPlace + `and.b32 %t0, %id, 5; setp.eq.u32 %p, %t0, 4; mov.b32 %w1, 7;
		@%p ld.global.u32 %w1, [%a]; setp.gt.u32 %q, %w1, 1500; @!%q st.global.u32 [%b], %w1; @%q st.global.u32 [%a], %id;`,
		true},
	{"a guard before the end", 1251, inPlace + `setp.lt.u32 %p, %id, 1251; @%p ld.global.u32 %w1, [%a];
		@%p st.global.u32 [%a], %id;`, true},
	{"doubles", 5120, `mad.wide.u32 %a, %id, 8, %x; mad.wide.u32 %b, %id, 8, %y; ld.global.u64 %v0, [%a];
		ld.global.u64 %v1, [%b]; mad.lo.u64 %v2, %v0, 3, %v1; st.global.u64 [%b], %v2;`, true},
	{"vectors", 10240, `mad.wide.u32 %a, %id, 16, %x; mad.wide.u32 %b, %id, 16, %y;
		ld.global.v4.u32 {%w0, %w1, %w2, %w3}, [%a]; add.u32 %w0, %w0, %w3; st.global.v4.u32 [%b], {%w0, %w1, %w3, %w2};
		ld.global.v2.u64 {%v0, %v1}, [%b]; st.global.v2.u64 [%a], {%v1, %v0};`, true},
	{"bytes", 2560, `cvt.u64.u32 %v0, %id; add.u64 %a, %x, %v0; ld.global.s8 %w0, [%a]; add.u32 %w0, %w0, 9;
		st.global.u8 [%a], %w0; st.global.u16 [%b+2], %w0;`, true},
	{"a register in all of its branches", 2560, `mov.u32 %t0, %ctaid.x; setp.lt.u32 %p, %t0, 20; mov.b32 %w1, 3;
		@%p bra LESS; add.u32 %w1, %id, %t0; bra BOTH; LESS: shl.b32 %w1, %id, 1; BOTH: st.global.u32 [%b], %w1;`, true},
	{"to a group before, loaded before", 2564, "ld.global.u32 %w0, [%b]; st.global.u32 [%b+16], %w0;", true},
	{"to a group before, loaded after", 2564, `st.global.u32 [%b+16], %id; ld.global.u32 %w0, [%b];
		add.u32 %w0, %w0, 3; st.global.u32 [%a], %w0;`, true},
	{"to a warp before", 2592, "ld.global.u32 %w0, [%b]; st.global.u32 [%b+128], %w0;", true},
	{"two stores to the same elements", 2560, `st.global.u32 [%b], %id; ld.global.u32 %w0, [%a]; ld.global.u32 %w1, [%b];
		xor.b32 %w0, %w0, %w1; st.global.u32 [%b], %w0; st.global.u32 [%b], %w0; st.global.u32 [%a], %w1;`, true},
	{"an element is half of another", 5120, `mad.wide.u32 %a, %id, 8, %x; mad.wide.u32 %b, %id, 4, %x;
		ld.global.u64 %v0, [%a]; st.global.u32 [%b], %id; ld.global.u32 %w0, [%b+4]; add.u64 %v0, %v0, 1;
		add.u64 %a, %a, 10240; st.global.u64 [%a], %v0;`, true},
	{"a number that wraps around", 2560, `sub.u32 %t0, %id, 1000; mad.wide.u32 %a, %t0, 4, %x; add.u64 %a, %a, 4000;
		setp.ge.u32 %p, %id, 1000; @!%p bra OUT; ld.global.u32 %w0, [%a]; st.global.u32 [%b], %w0;`, true},
	{"a number that wraps around in a warp", 2560, `add.u32 %t0, %id, 0xfffffff0; shr.u32 %t0, %t0, 22;
		st.global.u32 [%b], %t0;`, true},
	{"a product that wraps around", 2560, `mul.lo.u32 %t0, %id, 0x600000; mul.wide.u32 %v0, %t0, 3;
		add.u64 %v0, %v0, %v0; cvt.u32.u64 %w0, %v0; st.global.u32 [%b], %w0; add.u32 %t0, %t0, 1;
		st.global.u32 [%a], %t0;`, true},
	{"an address that wraps around in a warp", 2560, `add.u32 %t0, %id, 0xfffffc15; mad.wide.u32 %c, %t0, 4, %x;
		add.u64 %c, %c, -17179865172; ld.global.u32 %w0, [%c]; st.global.u32 [%b], %w0;`, true},
	{"a comparison that wraps around in a warp", 2560, `add.u32 %t0, %id, 0xfffffc15; setp.lt.u32 %p, %t0, 100;
		mov.b32 %w0, 5; @%p bra SKIP; add.u32 %w0, %w0, %id; SKIP: st.global.u32 [%b], %w0;`, true},
	{"compared with a negative number", 2560, `mov.b32 %w0, 5; setp.gt.s32 %p, %id, -1; @%p bra SKIP;
		add.u32 %w0, %w0, 1; SKIP: st.global.u32 [%b], %w0;`, true},
	{"a negative number, compared", 2560, `mov.b32 %w0, 5; mov.b32 %t0, -1; setp.lt.s32 %p, %t0, %id;
		@%p bra SKIP; add.u32 %w0, %w0, 1; SKIP: st.global.u32 [%b], %w0;`, true},
	{"below zero", 2560, `sub.s32 %t0, %id, 1111; setp.lt.s32 %p, %t0, 0; @%p bra OUT; mad.wide.s32 %c, %t0, 4, %x;
		ld.global.u32 %w0, [%c]; st.global.u32 [%b], %w0;`, true},
	{"signed, and above zero", 2560, `mul.wide.s32 %v0, %id, 4; add.s64 %c, %v0, %y; setp.gt.s32 %p, %id, 2200;
		@%p bra OUT; ld.global.u32 %w0, [%c]; sub.u32 %w0, %w0, %t2; st.global.u32 [%c], %w0;`, true},
	{"a shifted number", 2560, `shl.b32 %t0, %id, 2; cvt.u64.u32 %v0, %t0; add.u64 %c, %v0, %x; cvt.s64.s32 %v1, %id;
		shl.b64 %v1, %v1, 2; add.u64 %v2, %v1, %y; ld.global.u32 %w0, [%c]; add.u32 %w0, %w0, %t0;
		st.global.u32 [%v2], %w0;`, true},
	{"numbers of threads as data", 2560, `ld.global.u32 %w0, [%a]; add.u32 %w1, %w0, %id; mov.u32 %t3, %ctaid.x;
		add.u32 %w1, %w1, %t3; mov.u32 %t3, %tid.x; mad.lo.u32 %w1, %w1, %t3, %t1; mov.u32 %t3, 77; add.u32 %t3, %t3, %w1;
		mov.u32 %w1, %t3; add.u32 %id, %id, %w0; xor.b32 %w1, %w1, %id; mov.u32 %id, %t2; sub.u32 %w1, %w1, %id;
		st.global.u32 [%b], %w1;`, true},
	{"doubles in place", 5120, `mad.wide.u32 %a, %id, 8, %x; ld.global.u64 %v0, [%a]; mul.lo.u64 %v0, %v0, %v0;
		st.global.u64 [%a], %v0;`, true},
	{"another way for some CTAs", 2560, `mov.u32 %t0, %ctaid.x; setp.gt.u32 %p, %t0, 7; @%p bra MORE; bra OUT;
		MORE: ld.global.u32 %w0, [%a]; st.global.u32 [%b], %w0;`, true},
	{"a value that nothing has written", 2560, "st.global.u32 [%b], %w3;", false},
	{"a barrier", 2560, inPlace + "bar.sync 0;" + inPlace, false},
	{"a loop", 2560, "mov.b32 %t0, 0; L:" + inPlace + "add.u32 %t0, %t0, 1; setp.lt.u32 %p, %t0, 3; @%p bra L;", false},
	{"a loop that computes", 2560, "and.b32 %t3, %id, 63; L: mad.lo.u32 %w1, %w1, 3, %t3; sub.u32 %t3, %t3, 1;" +
		"setp.gt.s32 %p, %t3, 0; @%p bra L; st.global.u32 [%b], %t3;", false},
	{"a loop of different rounds", 2560, "mov.b32 %w1, 0; and.b32 %t3, %id, 63; L: mad.lo.u32 %w1, %w1, 3, %t3;" +
		"sub.u32 %t3, %t3, 1; setp.gt.s32 %p, %t3, 0; @%p bra L; st.global.u32 [%b], %w1;", true},
	{"a loop with two ways out", 2560, outOfLoop("200"), true},
	{"a loop that some CTAs are in for too long", 2560, "mov.u32 %t3, %ctaid.x;" +
		"shl.b32 %t3, %t3, 5;" + outOfLoop("%t3"), true},
	{"a loop that all CTAs are in for too long", 2560, `mov.b32 %w1, 0; L: add.u32 %w1, %w1, 1;
		setp.lt.u32 %p, %w1, 2000; @%p bra L; st.global.u32 [%b], %w1;`, false},
	{"a second loop", 2560, outOfLoop("9") + `and.b32 %w2, %id, 7; cvt.u64.u32 %v0, %id;
		M: mul.lo.u64 %v0, %v0, 0x9e3779b97f4a7c15; sub.u32 %w2, %w2, 1; setp.ne.u32 %p, %w2, -1; @%p bra M;
		cvt.u32.u64 %w2, %v0; st.global.u32 [%a], %w2;`, true},
	{"the order of turns", 2560, `mov.u32 %w0, %ctaid.x; mad.wide.u32 %a, %w0, 4, %x; mov.u32 %w0, %tid.x;
		and.b32 %w0, %w0, 32; shl.b32 %w0, %w0, 2; sub.u32 %w0, 130, %w0; mov.b32 %w1, 0; L: add.u32 %w1, %w1, 1;
		setp.lt.u32 %p, %w1, %w0; @%p bra L; ld.global.u32 %w2, [%a]; add.u32 %w2, %w2, %id; st.global.u32 [%a], %w2;
		st.global.u32 [%b], %w2;`, true},
	{"the order of turns without a loop's branch at its end", 2560, `mov.u32 %w0, %ctaid.x; mad.wide.u32 %a, %w0, 4, %x;
		mov.u32 %w0, %tid.x; and.b32 %w0, %w0, 32; shl.b32 %w0, %w0, 2; sub.u32 %w0, 130, %w0; mov.b32 %w1, 0;
		L: add.u32 %w1, %w1, 1; setp.ge.u32 %p, %w1, %w0; @%p bra D; bra L; D: st.global.u32 [%a], %id;`, true},
	{"a loop of numbers with a point", 2560, `cvt.rn.f32.u32 %f0, %id; mov.f32 %f1, 0f3f800000; mov.b32 %w1, 0;
		L: fma.rn.f32 %f1, %f1, 0f3f8147ae, %f0; mul.rn.f32 %f2, %f1, %f1; add.u32 %w1, %w1, 1;
		setp.lt.f32 %p, %f2, 0f42c80000; @%p bra L; mov.b32 %w2, %f2;
		st.global.u32 [%b], %w2; st.global.u32 [%a], %w1;`, true},
	{"a loop with no end in the last CTA", 2560, `mov.u32 %w0, %ctaid.x; mov.u32 %w1, %ctaid.y;
		mad.lo.u32 %w0, %w1, 10, %w0; setp.eq.u32 %p, %w0, 39; selp.b32 %w2, 1, 0, %p; mov.b32 %w1, 1;
		L: xor.b32 %w1, %w1, 1; or.b32 %w0, %w1, %w2;
		setp.ne.u32 %p, %w0, 0; @%p bra L; st.global.u32 [%b], %w2;`, true},
	{"a branch into a loop", 2560, `mov.b32 %w1, 0; setp.lt.u32 %p, %id, 64; @%p bra M; L: add.u32 %w1, %w1, 2;
		M: add.u32 %w1, %w1, 1; setp.lt.u32 %p, %w1, 40; @%p bra L; st.global.u32 [%b], %w1;`, false},
	{"a loop with a way out into another loop", 2560, `mov.b32 %w1, 0; and.b32 %t3, %id, 7; A: add.u32 %w1, %w1, 1;
		setp.ge.u32 %p, %w1, %t3; @%p bra M; bra A; L: add.u32 %w1, %w1, 2; M: add.u32 %w1, %w1, 1;
		setp.lt.u32 %p, %w1, 40; @%p bra L; st.global.u32 [%b], %w1;`, false},
	{"an atomic", 2560, inPlace + "atom.global.add.u32 %w0, [%a], 3;", false},
}

// outOfLoop goes round until a generator of random numbers gives a small one, or some number of rounds is over.
func outOfLoop(rounds string) string {
	return `mov.b32 %t0, 0; mov.b32 %w0, %id; L: mad.lo.u32 %w0, %w0, 1664525, 1013904223; add.u32 %t0, %t0, 1;
		shr.u32 %w1, %w0, 24; setp.lt.u32 %p, %w1, 9; @%p bra D; setp.lt.u32 %q, %t0, ` + rounds + `; @%q bra L;
		D: st.global.u32 [%b], %t0;`
}

// countedHost counts the CTAs that calls without a frame have executed.
type countedHost struct {
	mem.Host
	ctas *int
}

func (h countedHost) Call(f mem.Func, frame, ctx, mask, budget uint32) uint32 {
	v := h.Host.Call(f, frame, ctx, mask, budget)
	if frame == 0 {
		*h.ctas += int(v)
	}
	return v
}

// countCTAs returns how many CTAs batches have executed, as long as the test goes on.
func countCTAs(t *testing.T) *int {
	ctas := new(int)
	open := mem.RegisterHost(nil)
	mem.RegisterHost(func(a *mem.Arena) (mem.Host, error) {
		h, err := open(a)
		return countedHost{h, ctas}, err
	})
	t.Cleanup(func() { mem.RegisterHost(open) })
	return ctas
}

// TestBatches runs kernels of many CTAs in pieces. Both engines are in the same state after each.
func TestBatches(t *testing.T) {
	ctas := countCTAs(t)
	shapes := []struct{ grid, block emu.Dim3 }{{emu.Dim3{X: 40}, emu.Dim3{X: 64}},
		{emu.Dim3{X: 10, Y: 4}, emu.Dim3{X: 16, Y: 4}}, {emu.Dim3{X: 20}, emu.Dim3{X: 128}},
		{emu.Dim3{X: 40}, emu.Dim3{X: 48}}}
	for _, c := range batchCases {
		m, err := ptx.Parse("batch.ptx", fmt.Appendf(nil, batchKernel, c.body))
		require.NoError(t, err)
		require.Empty(t, m.Diagnostics.Errors(), "%s: %v", c.name, m.Diagnostics)
		*ctas = 0
		for i, s := range shapes {
			before := *ctas
			runBoth(t, c.name, m, s.grid, s.block, c.words)
			if full := s.block.X%32 == 0 || s.block.Y > 0; !full {
				require.Equal(t, before, *ctas, "shape %d: its last warp is not full", i)
			}
		}
		if c.batched {
			require.Greater(t, *ctas, 20, "%s: of the 100 CTAs", c.name)
		} else {
			require.Zero(t, *ctas, c.name)
		}
	}
}

func runBoth(t *testing.T, name string, m *ptx.Module, grid, block emu.Dim3, words int) {
	runWith(t, name, m, emu.Options{}, grid, block, words, 4000)
}

// runWith runs a kernel under both engines, up to most instructions at a time, or 64 times as many, and compares them.
func runWith(t *testing.T, name string, m *ptx.Module, o emu.Options, grid, block emu.Dim3, words int, most int64) {
	var grids [2]*emu.Grid
	for i, engine := range engines {
		o.Engine = engine
		d, err := emu.Load(m, o)
		require.NoError(t, err)
		var args [][]byte
		for range 2 {
			a, err := d.Alloc(4 * words)
			require.NoError(t, err)
			b := make([]byte, 0, 4*words)
			for n := range words {
				b = binary.LittleEndian.AppendUint32(b, uint32(n)*0x9e3779b1>>7)
			}
			require.NoError(t, d.Write(a, b))
			args = append(args, emu.Ptr(a))
		}
		grids[i], err = d.Launch(emu.Config{Entry: "k", Grid: grid, Block: block, Args: args})
		require.NoError(t, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for !grids[0].Done() {
		n := 1 + r.Int64N(most<<(6*r.IntN(2)))
		var errs [2]error
		for i, g := range grids {
			_, errs[i] = g.RunFor(n)
		}
		require.Equal(t, grids[0].Tick(), grids[1].Tick(), name)
		require.Equal(t, grids[0].Stats(), grids[1].Stats(), name)
		require.Equal(t, grids[0].Counted(), grids[1].Counted(), name)
		require.Equal(t, grids[0].Hash(), grids[1].Hash(), "%s, tick %d", name, grids[0].Tick())
		if errs[0] != nil {
			var a, b *emu.Fault
			require.True(t, errors.As(errs[0], &a) && errors.As(errs[1], &b), "%s: %v, %v", name, errs[0], errs[1])
			require.Equal(t, a, b, name)
			break
		}
		require.NoError(t, errs[1], name)
	}
	require.Equal(t, emu.AccountOf(grids[0]), emu.AccountOf(grids[1]), name)
}

// A CTA of 90,000 instructions takes more than its slice: others come in between.
func TestBatchesKeepToSlices(t *testing.T) {
	m, err := ptx.Parse("batch.ptx", fmt.Appendf(nil, batchKernel, `mov.b32 %w0, 0; L: add.u32 %w0, %w0, 1;
		xor.b32 %w1, %w0, %id; shl.b32 %w1, %w1, 3; add.u32 %w1, %w1, 1; setp.lt.u32 %p, %w0, 460; @%p bra L;
		st.global.u32 [%x], %id; ld.global.u32 %w0, [%x+4]; st.global.u32 [%b], %w1; st.global.u32 [%x+4], %id;`))
	require.NoError(t, err)
	require.Empty(t, m.Diagnostics.Errors())
	runWith(t, "slices", m, emu.Options{}, emu.Dim3{X: 5}, emu.Dim3{X: 1024}, 5120, 1<<19)
}

// Launches that count, and those of other schedules, are the interpreter's.
func TestBatchesLeaveCountersAndSchedules(t *testing.T) {
	for _, o := range []emu.Options{{Counters: true}, {Schedule: 5}} {
		m, err := ptx.Parse("batch.ptx", fmt.Appendf(nil, batchKernel, "st.global.u32 [%y], %id;"))
		require.NoError(t, err)
		runWith(t, fmt.Sprintf("%+v", o), m, o, emu.Dim3{X: 40}, emu.Dim3{X: 64}, 2560, 4000)
	}
}

// TestRandomBatches runs kernels of loops, loads and stores, to elements of a thread and of a CTA, whose order shows.
func TestRandomBatches(t *testing.T) {
	r, ctas := rand.New(rand.NewPCG(20261123, 1)), countCTAs(t)
	for n := range 150 {
		body := "mov.u32 %w3, %ctaid.x; mad.wide.u32 %a, %w3, 4, %x; mov.b32 %w0, %id; mov.b32 %w1, 7;"
		for i := range 1 + r.IntN(5) {
			switch r.IntN(6) {
			case 0:
				body += "st.global.u32 [%a], %w0;"
			case 1:
				body += "ld.global.u32 %w2, [%a]; add.u32 %w0, %w0, %w2;"
			case 2:
				body += "ld.global.u32 %w2, [%b]; xor.b32 %w1, %w1, %w2; st.global.u32 [%b], %w0;"
			default:
				body += randomLoop(r, i)
			}
		}
		body += "st.global.u32 [%b], %w0; st.global.u32 [%y+8], %w1;"
		m, err := ptx.Parse("batch.ptx", fmt.Appendf(nil, batchKernel, body))
		require.NoError(t, err)
		require.Empty(t, m.Diagnostics.Errors(), "%s: %v", body, m.Diagnostics)
		for _, d := range []emu.Divergence{emu.Stack, emu.Independent} {
			runWith(t, fmt.Sprint(n, d, body), m, emu.Options{Divergence: d}, emu.Dim3{X: 40}, emu.Dim3{X: 64}, 2560, 4000)
		}
	}
	require.Greater(t, *ctas, 4000, "of 12,000 CTAs")
}

// randomLoop returns a loop with one way out or two, after a number of rounds that depends on the lane, the warp, or
// the CTA. Some go on beyond a turn.
func randomLoop(r *rand.Rand, n int) string {
	var code strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&code, format+"; ", args...) }
	line("mov.b32 %%t0, 0")
	line("shr.u32 %%t3, %%id, %d", []int{0, 0, 2, 5, 6}[r.IntN(5)])
	line("and.b32 %%t3, %%t3, %d", []int{1, 3, 15, 63, 255}[r.IntN(5)])
	line("mul.lo.u32 %%t3, %%t3, %d", []int{1, 1, 2, 9}[r.IntN(4)])
	fmt.Fprintf(&code, "L%d: ", n)
	for range r.IntN(4) {
		line([]string{"mad.lo.u32 %%w0, %%w0, 5, %%t0", "shf.l.wrap.b32 %%w1, %%w1, %%w0, 7", "xor.b32 %%w0, %%w0, %%w1",
			"add.u32 %%w1, %%w1, %%id", "mul.hi.u32 %%w2, %%w0, %%w1"}[r.IntN(5)])
	}
	line("add.u32 %%t0, %%t0, 1")
	if r.IntN(2) == 0 {
		line("mul.lo.u32 %%t1, %%t0, 0x9e3779b1; shr.u32 %%t1, %%t1, %d; setp.eq.u32 %%q, %%t1, %%t2", 24+r.IntN(6))
		line("@%%q bra D%d", n)
	}
	if r.IntN(4) == 0 {
		line("setp.ge.u32 %%p, %%t0, %%t3; @%%p bra D%d; bra L%[1]d", n)
	} else {
		line("setp.lt.u32 %%p, %%t0, %%t3; @%%p bra L%d", n)
	}
	fmt.Fprintf(&code, "D%d: ", n)
	return code.String()
}

// What a user has changed in a CTA before its first instruction is there when it stops.
func TestBatchesKeepEdits(t *testing.T) {
	m, err := ptx.Parse("batch.ptx", fmt.Appendf(nil, batchKernel, inPlace))
	require.NoError(t, err)
	var hashes [2]uint64
	for i, engine := range engines {
		d, err := emu.Load(m, emu.Options{Engine: engine})
		require.NoError(t, err)
		a, err := d.Alloc(4 * 40) // thread 40 is in the second warp
		require.NoError(t, err)
		g, err := d.Launch(emu.Config{Entry: "k", Grid: emu.Dim3{X: 9}, Block: emu.Dim3{X: 64},
			Args: [][]byte{emu.Ptr(a), emu.Ptr(a)}})
		require.NoError(t, err)
		w0 := func() gpu.RegView {
			regs := g.Warp(0, 1).Regs
			return regs[slices.IndexFunc(regs, func(r gpu.RegView) bool { return r.Reg.Name == "%w0" })]
		}
		require.NoError(t, g.Edit(gpu.Edit{Warp: 1, Lane: 7, Reg: w0().Reg, Value: 77}))
		_, err = g.RunFor(1 << 12)
		var fault *emu.Fault
		require.ErrorAs(t, err, &fault)
		hashes[i] = g.Hash()
		require.EqualValues(t, 77, w0().Lo[7], engine)
	}
	require.Equal(t, hashes[0], hashes[1])
}
