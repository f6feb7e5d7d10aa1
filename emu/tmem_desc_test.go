package emu

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What descriptors may not say (9.7.18.3.1.2, 9.7.18.4, Tables 48, 51 to 53, 62, 65). The smallest good product of each
// kind, with one thing changed.
func TestTensorDescriptorFaults(t *testing.T) {
	const matrix = 128>>4<<16 | 1024>>4<<32 | 1<<46 // no swizzling
	const swizzled, half, absolute = uint64(matrix | 2<<61), uint64(matrix | 4<<61), uint64(1 << 52)
	const atoms = uint64(matrix | 1<<61)
	const f16, tf32, i8 = 1<<4 | 1<<17 | 8<<24, 1<<4 | 2<<7 | 2<<10 | 1<<17 | 8<<24, 2<<4 | 1<<17 | 8<<24
	const mxf4 = 1<<7 | 1<<10 | 1<<17 | 1<<23 | 1<<27
	const k96 = mxf4 | 1<<31
	const scaled = "mxf4.block_scale"
	at := func(desc uint64, start, lbo uint64) uint64 { return desc&^(0x3fff<<16) | start>>4 | lbo>>4<<16 }
	for _, c := range []struct {
		kind   string
		idesc  uint32
		a      uint64
		sm103a bool
		want   string // "" is good
	}{
		{"f16", f16, matrix, false, ""}, {"tf32", tf32, matrix, false, ""}, {"i8", i8, matrix, false, ""},
		{scaled, mxf4, matrix, false, ""}, {scaled, k96, swizzled, true, ""}, {"tf32", tf32 | 1<<15, atoms, false, ""},
		{scaled, k96, swizzled, false, "K 96 is for .target sm_103a and sm_107a only"},
		{scaled + ".scale_vec::2X", k96, swizzled, true, "K 96 has .block16 or .block32 scale factors, not .scale_vec::2X"},
		{scaled, k96 | 3<<29 | 1<<4, swizzled, true, ""}, {scaled, mxf4 | 1<<29, matrix, false, "multiples of 2"},
		{"mxf4nvf4.block_scale.block16", k96 | 2<<29, matrix, true, ""},
		{"mxf4nvf4.block_scale.block16", k96 | 1<<4, matrix, true, "6 scale factors begin at bytes that are multiples of 2"},
		{"mxf4nvf4.block_scale.block16", mxf4 | 2<<4, matrix, false,
			"4 scale factors begin at bytes that are multiples of 4"},
		{"mxf4nvf4.block_scale.block32", k96 &^ (1 << 23), matrix, true, "have the type .ue8m0"},
		{scaled, k96, at(swizzled, 80, 0), true, ""},
		{scaled, k96, at(swizzled, 96, 0), true, "a row of 48 bytes at 0x60 goes beyond 128 bytes, which are swizzled"},
		{scaled, k96, at(half, 32, 0), true, "goes beyond 64 bytes"}, {scaled, k96, matrix | 6<<61, true, "beyond 32 bytes"},
		{scaled, k96, at(swizzled|absolute, 96, 2048), true, ""}, {scaled, k96, at(swizzled|absolute, 96, 112), true, ""},
		{scaled, k96, at(swizzled|absolute, 112, 2048+112), true,
			"the second part of its rows, at 0x870, goes beyond 128 bytes"},
		{scaled, k96, at(half|absolute, 0, 2048), true, "is an absolute address for K-major rows of 48 bytes"},
		{scaled, k96, matrix | absolute, true, "for K-major rows"},
		{scaled, mxf4, swizzled | absolute, true, "for K-major rows"},
		{scaled, k96, swizzled | absolute | 1<<49, true, "base offset 0"},
		{scaled, mxf4, swizzled | absolute, false, "the leading dimension as an absolute address is for .target sm_103a " +
			"only"},
		{"f16", f16, matrix | 1<<53, false, "bits 53 to 60 must be 0"},
		{"f16", f16, matrix &^ (1 << 46), false, "bits 46 to 48"},
		{"f16", f16, matrix | 3<<61, false, "the swizzling mode 3 is none"},
		{"f16", f16, atoms, false, "swizzling of 32-byte atoms is for matrices that are M- or N-major"},
		{"f16", f16 | 1<<15, atoms, false, "M- and N-major matrices of .kind::tf32, and only they"},
		{"tf32", tf32 | 1<<15, swizzled, false, "M- and N-major matrices of .kind::tf32, and only they"},
		{"f16", f16 | 1<<6, matrix, false, "the bits 0x40 are reserved"},
		{"f16", f16 | 1<<3, matrix, false, "the bits 0x8 are"},
		{"i8", i8 | 1<<3, matrix, false, ""}, {"i8", i8 | 1<<29, matrix, false, "the bits 0x20000000 are reserved"},
		{"i8", i8 | 1<<13, matrix, false, "integers of 8 bits cannot be negated"},
		{scaled, mxf4 | 1<<25, matrix, false, "the bits 0x2000000"},
		{"mxf8f6f4.block_scale", k96 | 1<<23, matrix, true, "the bits 0x80000000 are reserved"},
	} {
		body := ".shared .align 1024 .b8 space[49152]; .shared .b32 slot; .reg .b32 %i; .reg .b64 %a, %b; .reg .pred %p;\n" +
			"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 64; setp.ne.u32 %p, %l, %l; mov.u32 %i, space;\n"
		if c.sm103a {
			body = "// sm_103a\n" + body
		}
		operands := ""
		if len(c.kind) > 5 {
			operands = "[16], [32], "
		}
		body += fmt.Sprintf("mov.b64 %%a, %#x; mov.b64 %%b, %#x; mov.b32 %%i, %#x;\n"+
			"tcgen05.mma.cta_group::1.kind::%s [0], %%a, %%b, %%i, %s%%p;\n", c.a, uint64(matrix), c.idesc, c.kind, operands)
		err := runMatrix(t, "", body)
		if c.want == "" {
			require.NoError(t, err, "%s %#x %#x", c.kind, c.idesc, c.a)
			continue
		}
		require.ErrorContains(t, err, c.want, "%s %#x %#x", c.kind, c.idesc, c.a)
	}
}

// K 96 is in Table 48 with M 128 too, in one CTA.
func TestTensorK96InOneCTA(t *testing.T) {
	d, err := matrixModule(t, "", `// sm_103a
		.shared .align 1024 .b8 space[49152]; .shared .b32 slot; .reg .b64 %a; .reg .pred %p; .reg .b32 %i, %x;
		tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 64;
		mov.b64 %a, 0x404000080000; mov.u32 %i, space; mov.b32 %i, 0x88820480; setp.ne.u32 %p, %l, %l;
		tcgen05.mma.cta_group::1.kind::mxf4.block_scale [0], %a, %a, %i, [16], [32], %p;
		ld.shared.b32 %x, [slot]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %x, 64;`)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	for _, f := range g.Findings() {
		require.NotContains(t, f.Message, "K 96")
	}
}

// What an operation reads of shared memory stays as it is until its mbarrier has been waited for (9.7.18.10). A copy of
// 128 rows of 16 bytes reads the first 128 of each 256, up to 3968.
func TestTensorMatrixOverwritten(t *testing.T) {
	const commit = "@%p tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%q];\n"
	const wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %ok, [bar], 0; @!%ok bra WAIT;\n"
	const stillReads = "`tcgen05.mma.cta_group::1.kind::f16` of line"
	const early = "// sm_107a\n@%p " + commitReadA + "[read];\n"
	const waitA = "WAITA: mbarrier.try_wait.parity.shared.b64 %ok, [read], 0; @!%ok bra WAITA;\n"
	const copied = "@%p tcgen05.cp.cta_group::1.128x128b [0], %a;\n"
	// N 8: 256 bytes of B
	const product = "mov.b32 %x, 0x8020010; @%p tcgen05.mma.cta_group::1.kind::f16 [0], %a, %b, %x, %p;\n"
	for _, c := range [][2]string{
		{copied + commit + wait + "st.shared.b32 [space], 0;", ""},
		{copied + commit + "st.shared.b32 [space+3968], 0;" + wait, ""},
		{copied + commit + "st.shared.b32 [space+3964], 0;" + wait, "`tcgen05.cp.cta_group::1.128x128b` of line"},
		{product + commit + "st.shared.b32 [space+8448], 0;" + wait, ""},
		{product + commit + "st.shared.b32 [space+8444], 0;" + wait, "`tcgen05.mma.cta_group::1.kind::f16` of line"},
		{product + commit + "ld.shared.b32 %x, [space+8192];" + wait, ""},
		{product + commit + wait + "st.shared.b32 [space+4092], 0;", ""},
		{product + commit + "fence.proxy.async; st.shared.b32 [space+4092], 0;" + wait,
			"(lane 0 of warp 0) is still to read: it was not waited for"},
		// A is from 0 to 4096, B from 8192 to 8448.
		{product + early + "st.shared.b32 [space+4092], 0;" + waitA + commit + wait, stillReads},
		{product + early + waitA + commit + "st.shared.b32 [space+4092], 0;" + wait, ""},
		{product + early + commit + waitA + "st.shared.b32 [space+4092], 0;" + wait, ""},
		{product + early + waitA + commit + "st.shared.b32 [space+8192], 0;" + wait, stillReads},
		{product + early + commit + wait + "st.shared.b32 [space+4092], 0;", ""},
		{product + early + waitA, "no tcgen05.commit has tracked `tcgen05.mma.cta_group::1.kind::f16` of lane 0"},
	} {
		body, want := c[0], c[1]
		d, err := matrixModule(t, "", `.shared .align 1024 .b8 space[16384]; .shared .align 8 .b64 bar, read;
			.shared .b32 slot;
			.reg .b64 %a, %b, %q; .reg .pred %p, %ok; .reg .b32 %x; setp.eq.u32 %p, %l, 0; cvta.shared.u64 %q, bar;
			@%p mbarrier.init.shared.b64 [bar], 1; @%p mbarrier.init.shared.b64 [read], 1;
			tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
			mov.u32 %x, space; shr.u32 %x, %x, 4; cvt.u64.u32 %a, %x; or.b64 %a, %a, 0x401000080000; add.u64 %b, %a, 512;
			`+body+"tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 32;")
		require.NoError(t, err, body)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()), body)
		if want == "" {
			require.Empty(t, g.Findings(), body)
			continue
		}
		require.Len(t, g.Findings(), 1, body)
		require.Contains(t, g.Findings()[0].Message, want)
	}
}
