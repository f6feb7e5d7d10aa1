package ptx

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// applied is a text after a fix.
func applied(src string, f *Fix) string { return src[:f.Span.Start] + f.Text + src[f.Span.End:] }

// fixable finds the first error of a text, which the message must name, and applies its fix.
func fixable(t *testing.T, src, says string) (text string, f *Fix) {
	t.Helper()
	m, err := Parse("f.ptx", []byte(src))
	require.Error(t, err, src)
	d := m.Diagnostics.Errors()[0]
	require.Contains(t, d.Message, says)
	require.NotNil(t, d.Fix, d)
	return applied(src, d.Fix), d.Fix
}

const fixRegisters = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<4>; " +
	".reg .f64 %fd<4>;\n"

// TestStatementFixes: mistakes in one statement, most of them in examples of the manual, which are older than the rule.
func TestStatementFixes(t *testing.T) {
	for _, c := range []struct{ wrong, says, right string }{
		// 9.7.3.8: "For PTX ISA version 1.4 and later, one of .approx, .full, or .rnd is required"; before, div.f32 was
		// div.approx.ftz.f32
		{"div.f32 %f1, %f2, %f3;", "write div.approx.f32, div.full.f32 or div.rn.f32",
			"div.approx.ftz.f32 %f1, %f2, %f3;"},
		{"@!%p1 div.f64 %fd1, %fd2, %fd3;", "write div.rn.f64", "@!%p1 div.rn.f64 %fd1, %fd2, %fd3;"},
		{"rcp.f64 %fd1, %fd2;", "write rcp.rn.f64", "rcp.rn.f64 %fd1, %fd2;"}, // 9.7.3.13
		{"sin.f32 %f1, %f2;", "write sin.approx.f32", "sin.approx.ftz.f32 %f1, %f2;"},
		{"mad.sat.f32 %f1, %f2, %f3, %f1;", "write mad.rn.sat.f32", "mad.rn.sat.f32 %f1, %f2, %f3, %f1;"}, // 9.7.3.7
		// 9.7.15.9, 9.7.10.5: not from PTX ISA 6.4 on for sm_70 and higher
		{"vote.all.pred %p1, !%p2;", "write vote.sync.all.pred with a member mask",
			"vote.sync.all.pred %p1, !%p2, 0xffffffff;"},
		{"@%p1 vote.ballot.b32 %r1, %p2;", "write vote.sync.ballot.b32",
			"@%p1 vote.sync.ballot.b32 %r1, %p2, 0xffffffff;"},
		{"shfl.up.b32 %r1|%p1, %r2, 0x1, 0x0;", "write shfl.sync.up.b32 with a member mask",
			"shfl.sync.up.b32 %r1|%p1, %r2, 0x1, 0x0, 0xffffffff;"},
		// 9.7.16.4.3: "required from PTX ISA version 6.3 onwards"
		{"wmma.load.a.sync.row.m16n16k16.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];",
			"write wmma.load.a.sync.aligned.row.m16n16k16.f16",
			"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];"},
		// 9.3.2: no conversion between predicates and integers, no loads and stores of predicates, but setp and selp
		{"cvt.u32.pred %r1, %p1;", "a predicate is not a number", "selp.u32 %r1, 1, 0, %p1;"},
		{"cvt.rn.f32.pred %f1, %p1;", "selp", "selp.f32 %f1, 1.0, 0.0, %p1;"},
		{"@%p2 cvt.pred.s32 %p1, %r1;", "setp", "@%p2 setp.ne.s32 %p1, %r1, 0;"},
		{"cvt.pred.f32 %p1, %f1;", "setp", "setp.neu.f32 %p1, %f1, 0.0;"},
		{"st.global.pred [%rd1+4], %p1;", "selp",
			"{ .reg .u32 %t; selp.u32 %t, 1, 0, %p1; st.global.u32 [%rd1+4], %t; }"},
		{"@!%p2 ld.volatile.global.pred %p1, [%rd1];", "setp",
			"{ .reg .u32 %t; @!%p2 ld.volatile.global.u32 %t, [%rd1]; @!%p2 setp.ne.u32 %p1, %t, 0; }"},
		// 10.1, 10.6, 10.12: these are vectors of four .u32; 10.1: the lower 16 bits can be read too; 9.7.10.24: cvt widens
		{"mov.u32 %r1, %tid;", "%tid has components: write %tid.x", "mov.u32 %r1, %tid.x;"},
		{"@%p1 mov.u16 %h1, %nctaid;", "%nctaid has components: write %nctaid.x", "@%p1 mov.u16 %h1, %nctaid.x;"},
		{"cvt.u64.u32 %rd1, %ntid;", "%ntid has components: write %ntid.x", "cvt.u64.u32 %rd1, %ntid.x;"},
		{"mov.b64 %rd1 , %ctaid;", "%ctaid has components: write %ctaid.x, with cvt.u64.u32, because it has 32 bits",
			"cvt.u64.u32 %rd1 , %ctaid.x;"},
	} {
		src := kernel(fixRegisters + c.wrong)
		text, _ := fixable(t, src, c.says)
		require.Equal(t, strings.Replace(src, c.wrong, c.right, 1), text)
		m := parseOK(t, text)
		require.Empty(t, m.Diagnostics, c.right)
	}
}

// TestOpcodeFixes: a modifier that is missing, and addresses in another state space than the access.
func TestOpcodeFixes(t *testing.T) {
	for _, c := range []struct{ wrong, says, right string }{
		{"bar.warp 0xffffffff;", "lacks a modifier", "bar.warp.sync 0xffffffff;"},
		{"barrier 0;", "lacks a modifier", "barrier.sync 0;"}, // barrier.arrive has two operands (9.7.15.1)
		{"bar 0, 64;", "lacks a modifier", ""},                // both have two
		{"@%p1 redux.add.s32 %r1, %r2, 0xf;", "lacks a modifier", "@%p1 redux.sync.add.s32 %r1, %r2, 0xf;"},
		{"redux.add.s32 %r1, %r2;", "lacks a modifier", "redux.sync.add.s32 %r1, %r2, 0xffffffff;"},
		{"match.all.b32 %r1|%p1, %r2;", "lacks a modifier", "match.all.sync.b32 %r1|%p1, %r2, 0xffffffff;"},
		{"ldmatrix.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "lacks a modifier",
			"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];"},
		{"shfl.idx.b32 %r1, %r2, 1, 31, 0xffffffff;", "did you mean shfl.sync.idx.b32",
			"shfl.sync.idx.b32 %r1, %r2, 1, 31, 0xffffffff;"},
		{"vote.ballot.b32 %r1, %p2, %r3;", "did you mean vote.sync.ballot.b32", "vote.sync.ballot.b32 %r1, %p2, %r3;"},
		// 5.1: the access is in the space of the variable
		{"ld.global.u32 %r1, [s+4];", "s is in .shared space", "ld.shared.u32 %r1, [s+4];"},
		{"@%p1 atom.global.add.u32 %r1, [s], 1;", "s is in .shared space", "@%p1 atom.shared.add.u32 %r1, [s], 1;"},
		{"st.shared.u32 [g], %r1;", "g is in .global space", "st.global.u32 [g], %r1;"},
		{"ld.u32 %r1, [c];", "takes a generic address", "ld.const.u32 %r1, [c];"},
		// 9.7.10.23: cvta names the variable's own space; the name of a variable is its address there (6.6)
		{"cvta.shared.u64 %rd1, g;", "g is in .global space", "cvta.global.u64 %rd1, g;"},
		{"cvta.u64 %rd1, s;", "lacks a modifier", "cvta.shared.u64 %rd1, s;"},
		{"cvta.to.global.u64 %rd1, g;", "works on registers", "mov.u64 %rd1, g;"},
		{"cvta.to.shared.u64 %rd1, g;", "works on registers", ""},
		// prefetch has no .shared (9.7.10.15)
		{"ld.u32 %r1, [s+4];", "reads a generic address", "ld.shared.u32 %r1, [s+4];"},
		{"@%p1 prefetch.L1 [s+4];", "reads a generic address",
			"{ .reg .b64 %g; cvta.shared.u64 %g, s; @%p1 prefetch.L1 [%g+4]; }"},
	} {
		const vars = ".shared .b32 s[4];\n"
		src := kernel(vars + fixRegisters + c.wrong)
		src = strings.Replace(src, ".visible", ".global .b32 g[4];\n.const .b32 c;\n.visible", 1)
		m, _ := Parse("f.ptx", []byte(src))
		require.NotEmpty(t, m.Diagnostics, c.wrong)
		d := m.Diagnostics[0]
		require.Contains(t, d.Message, c.says)
		if c.right == "" {
			require.Nil(t, d.Fix, c.wrong)
			continue
		}
		require.NotNil(t, d.Fix, c.wrong)
		require.Equal(t, strings.Replace(src, c.wrong, c.right, 1), applied(src, d.Fix))
		m = parseOK(t, applied(src, d.Fix))
		require.Empty(t, m.Diagnostics, c.right)
	}
}

// TestModuleFixes: edits of the module's head, and of text in the wrong place.
func TestModuleFixes(t *testing.T) {
	module := func(head, body string) string {
		return head + "\n.address_size 64\n.visible .entry k() {\n" + fixRegisters + body + "\nret;\n}\n"
	}
	inserted := func(body, typ, name string) string {
		return strings.Replace(module(head[:27], body), "k() {", "k() {\n\t.reg "+typ+" "+name+";", 1)
	}
	for _, c := range []struct{ name, wrong, says, right, message string }{
		// 9.7.15.13: redux.sync from PTX ISA 7.0 on for sm_80, which is as old
		{"target", module(".version 7.0\n.target sm_70", "redux.sync.add.s32 %r1, %r2, -1;"), "needs sm_80",
			module(".version 7.0\n.target sm_80", "redux.sync.add.s32 %r1, %r2, -1;"), "write .target sm_80"},
		{"both", module(".version 6.3 // old\n.target compute_70, debug", "redux.sync.add.s32 %r1, %r2, -1;") +
			".section .debug_line { .b8 0 }\n", "needs PTX ISA 7.0",
			module(".version 7.0 // old\n.target compute_80, debug", "redux.sync.add.s32 %r1, %r2, -1;") +
				".section .debug_line { .b8 0 }\n", "write .version 7.0 and .target compute_80"},
		// 9.7.15.14 (activemask, PTX ISA 6.2 and sm_30)
		{"version", module(".version 6.0\n.target sm_30", "activemask.b32 %r1;"), "needs PTX ISA 6.2",
			module(".version 6.2\n.target sm_30", "activemask.b32 %r1;"), "write .version 6.2"},
		{"special register", module(".version 7.0\n.target sm_80", "mov.u32 %r1, %clusterid.x;"), "needs PTX ISA 7.8",
			module(".version 7.8\n.target sm_90", "mov.u32 %r1, %clusterid.x;"), "write .version 7.8 and .target sm_90"},
		// wgmma is for sm_90a alone (9.7.17); 11.1.2: sm_90a came with PTX ISA 8.0
		{"architecture", module(".version 7.8\n.target sm_90", "wgmma.fence.sync.aligned;"), "needs PTX ISA 8.0",
			module(".version 8.0\n.target sm_90a", "wgmma.fence.sync.aligned;"), "write .version 8.0 and .target sm_90a"},
		// 9.7.10.29: swizzle mode 4 needs sm_103a; the suffix stays, because another instruction may need it
		{"suffix", module(".version 8.8\n.target sm_100a",
			"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd1], 4;"), "needs sm_103",
			module(".version 8.8\n.target sm_103a",
				"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd1], 4;"), "write .target sm_103a"},
		// 11.1.2: sm_90 came with PTX ISA 7.8
		{"target's version", module(".version 7.0\n.target sm_90", "ret;"), "sm_90 needs PTX ISA 7.8",
			module(".version 7.8\n.target sm_90", "ret;"), "write .version 7.8"},
		// 5.4.6: %r<2> declares %r0 and %r1
		{"register", module(head[:27], "add.s32 %r11, %r1, %r2;"), "%r<9> ends before it",
			strings.Replace(module(head[:27], "add.s32 %r11, %r1, %r2;"), "%r<9>", "%r<12>", 1), "declare %r<12>"},
		{"first register", head + ".entry k() {\n  mov.b64 %rd3, 1;\n}\n", "%rd3 is not declared",
			head + ".entry k() {\n  .reg .b64 %rd<4>;\n  mov.b64 %rd3, 1;\n}\n", "insert .reg .b64 %rd<4>;"},
		// A guard is a predicate (9.3); 9.4, Table 26: operands have the type of the instruction; 9.7.1.3: mul.wide is twice
		// as wide; 6.4.1: an address is as wide as addresses are.
		{"guard", module(head[:27], "@%done ret;"), "%done is not declared", inserted("@%done ret;", ".pred", "%done"),
			"insert .reg .pred %done;"},
		{"source", module(head[:27], "add.f32 %f1, %sum, %f2;"), "%sum is not declared",
			inserted("add.f32 %f1, %sum, %f2;", ".f32", "%sum"), "insert .reg .f32 %sum;"},
		// %r1 and %p1 are declared; %ntid is a special register (10.2)
		{"sign left out of a register", module(head[:27], "add.s32 %r2, r1, %r2;"), "did you mean %r1?",
			module(head[:27], "add.s32 %r2, %r1, %r2;"), "write %r1"},
		{"sign left out of a move", module(head[:27], "mov.u32 %r2, r1;"), "did you mean %r1?",
			module(head[:27], "mov.u32 %r2, %r1;"), "write %r1"},
		{"sign left out of a guard", module(head[:27], "@!p1 ret;"), "did you mean %p1?",
			module(head[:27], "@!%p1 ret;"), "write %p1"},
		{"sign left out of an address", module(head[:27], "ld.global.f32 %f1, [rd1+4];"), "did you mean %rd1?",
			module(head[:27], "ld.global.f32 %f1, [%rd1+4];"), "write %rd1"},
		{"sign left out of a special register", module(head[:27], "mov.u32 %r2, ntid.x;"), "did you mean %ntid?",
			module(head[:27], "mov.u32 %r2, %ntid.x;"), "write %ntid"},
		{"sign left out, other type", module(head[:27], "@r1 ret;"), "r1 is not declared",
			inserted("@r1 ret;", ".pred", "r1"), "insert .reg .pred r1;"},
		{"name without a sign", module(head[:27], "add.s32 total, %r1, %r2;"), "total is not declared",
			inserted("add.s32 total, %r1, %r2;", ".b32", "total"), "insert .reg .b32 total;"},
		{"wide", module(head[:27], "mul.wide.u32 %offset, %r1, 4;"), "%offset is not declared",
			inserted("mul.wide.u32 %offset, %r1, 4;", ".b64", "%offset"), "insert .reg .b64 %offset;"},
		{"compared", module(head[:27], "setp.lt.u32 %less, %r1, %r2;"), "%less is not declared",
			inserted("setp.lt.u32 %less, %r1, %r2;", ".pred", "%less"), "insert .reg .pred %less;"},
		{"second of a pair", module(head[:27], "setp.lt.u32 %p1|%more, %r1, %r2;"), "%more is not declared",
			inserted("setp.lt.u32 %p1|%more, %r1, %r2;", ".pred", "%more"), "insert .reg .pred %more;"},
		{"address", module(head[:27], "ld.global.f32 %f1, [%where+4];"), "%where is not declared",
			inserted("ld.global.f32 %f1, [%where+4];", ".b64", "%where"), "insert .reg .b64 %where;"},
		{"element", module(head[:27], "st.global.v2.f32 [%rd1], {%f1, %height};"), "%height is not declared",
			inserted("st.global.v2.f32 [%rd1], {%f1, %height};", ".f32", "%height"), "insert .reg .f32 %height;"},
		// Names of other types are not meant, nor names that have little in common.
		{"other types", module(head[:27], ".reg .b64 %sun; add.f32 %f1, %sum, %f2;"), "%sum is not declared",
			inserted(".reg .b64 %sun; add.f32 %f1, %sum, %f2;", ".f32", "%sum"), "insert .reg .f32 %sum;"},
		{"one letter", module(head[:27], ".reg .pred %a; @%q ret;"), "%q is not declared",
			inserted(".reg .pred %a; @%q ret;", ".pred", "%q"), "insert .reg .pred %q;"},
		{"mistyped", module(head[:27], ".reg .b32 %sums; add.f32 %f1, %sum, %f2;"), "did you mean %sums?",
			module(head[:27], ".reg .b32 %sums; add.f32 %f1, %sums, %f2;"), "write %sums"},
		{"function", module(head[:27], "ret;") + ".function foo () {\nret;\n}\n", "did you mean .func?",
			module(head[:27], "ret;") + ".func foo () {\nret;\n}\n", "write .func"},
		// 11.5.3: "allowed only in the outermost scope"
		{"file", module(head[:27], "\t.file 1 \"a.cu\"\n.loc 1 2 3"), "outermost scope",
			head[:27] + "\n.address_size 64\n.file 1 \"a.cu\"\n.visible .entry k() {\n" + fixRegisters + ".loc 1 2 3\nret;\n}\n",
			"move it in front of the function"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, fix := fixable(t, c.wrong, c.says)
			require.Equal(t, c.right, text)
			require.Equal(t, c.message, fix.Message)
			parseOK(t, text)
		})
	}
}

// TestFloatFixes: integers and C's literals where a float is wanted. 4.5.2: 0f and 8 hexadecimal digits, or 0d and 16,
// are the bits of an IEEE 754 number; 0x3f800000 are the bits of the float 1.0, 0x3ff0000000000000 those of the double.
func TestFloatFixes(t *testing.T) {
	for _, c := range []struct{ wrong, right string }{
		{"add.f32 %f1, %f2, 0x3f800000;", "add.f32 %f1, %f2, 0f3F800000;"},
		{"add.f32 %f1, %f2, 0X1;", "add.f32 %f1, %f2, 0f00000001;"},
		{"fma.rn.f64 %fd1, %fd2, 0x3FF0000000000000, %fd3;", "fma.rn.f64 %fd1, %fd2, 0d3FF0000000000000, %fd3;"},
		{"add.f32 %f1, %f2, 1.0f;", "add.f32 %f1, %f2, 1.0;"}, // 4.5.2: "no suffix letter"
		{"add.f32 %f1, %f2, -.5F;", "add.f32 %f1, %f2, -.5;"},
		{"add.f32 %f1, %f2, 1e-3f;", "add.f32 %f1, %f2, 1e-3;"},
		{".global .f32 c[2] = {0x3f800000, 1.0};", ".global .f32 c[2] = {0f3F800000, 1.0};"},
		// what is not the bits of a number is a number: 3; 0x180000000 has 33 bits and is 6442450944; -0x10 is -16
		{"add.f32 %f1, %f2, 3;", "add.f32 %f1, %f2, 3.0;"},
		{"add.f32 %f1, %f2, 0x180000000;", "add.f32 %f1, %f2, 6.442450944e+09;"},
		{"add.f32 %f1, %f2, -0x10;", "add.f32 %f1, %f2, -16.0;"},
	} {
		src := kernel(fixRegisters + c.wrong)
		m, _ := Parse("f.ptx", []byte(src))
		require.Len(t, m.Diagnostics, 1, c.wrong)
		require.NotNil(t, m.Diagnostics[0].Fix, c.wrong)
		text := applied(src, m.Diagnostics[0].Fix)
		require.Equal(t, strings.Replace(src, c.wrong, c.right, 1), text)
		require.Empty(t, parseOK(t, text).Diagnostics, c.right)
	}
}

// TestNoFix: no edit is offered if none is known to be right.
func TestNoFix(t *testing.T) {
	for _, c := range []struct{ src, says string }{
		// the targets after sm_90a do not have wgmma, and another instruction may need this target
		{strings.Replace(kernel("wgmma.fence.sync.aligned;"), "sm_80", "sm_120", 1), "needs"},
		{strings.Replace(kernel("tcgen05.wait::ld.sync.aligned;"), "sm_80", "sm_90a", 1), "needs sm_10"},
		// there are no constants of two halves (9.7.1.1, 4.5.2), and it is not known which two the 1 means
		{kernel(fixRegisters + "add.u16x2 %r1, %r1, 1;"), "add.u16x2 takes no constant for operand 3 (b)"},
		{kernel(fixRegisters + "add.f16 %h1, %h1, 1.0;"), "add.f16 takes no constant for operand 3 (b)"},
		{kernel(fixRegisters + "cvt.u8.pred %r1, %p1;"), "a predicate is not a number"},
		// it may be a variable, or a function
		{kernel(fixRegisters + "ld.global.b32 %r1, [table];"), "table is not declared"},
		{kernel(fixRegisters + "mov.b64 %rd1, table;"), "table is not declared"},
		{kernel(fixRegisters + "mov.v2.u32 {%r1, %r2}, %tid;"), "a tuple of 2 elements, not of 4"}, // 10.1: four
		{kernel(fixRegisters + "st.global.v2.pred [%rd1], {%p1, %p2};"), "a predicate is not a number"},
	} {
		src := strings.Replace(c.src, ".version 8.0", ".version 9.0", 1)
		m, err := Parse("n.ptx", []byte(src))
		require.Error(t, err, src)
		d := m.Diagnostics.Errors()[0]
		require.Contains(t, d.Message, c.says)
		require.Nil(t, d.Fix, d)
	}
}

// TestEveryFix applies each fix of many broken texts: afterwards its mistake is gone.
func TestEveryFix(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	all := seeds(t)
	texts := append([][]byte(nil), all...)
	for _, src := range all {
		for range 20 {
			texts = append(texts, mutate(r, src, all))
		}
	}
	tried := 0
	for _, src := range texts {
		m, _ := Parse("e.ptx", src)
		for _, d := range m.Diagnostics {
			f := d.Fix
			if f == nil || len(src) > 20_000 {
				continue
			}
			tried++
			require.True(t, 0 <= f.Span.Start && f.Span.Start <= f.Span.End && int(f.Span.End) <= len(src), "%v", d)
			require.NotEmpty(t, f.Message)
			at := d.Span.Start // the place of the same mistake after the fix
			if f.Span.End <= at {
				at += int32(len(f.Text)) - (f.Span.End - f.Span.Start)
			}
			after, _ := Parse("e.ptx", []byte(applied(string(src), f)))
			for _, o := range after.Diagnostics {
				require.False(t, o.Span.Start == at && o.Code == d.Code && o.Message == d.Message, "%s\n%+v\n%s", d, f, src)
			}
		}
	}
	require.Greater(t, tried, 500)
}

// TestFixesOfExamples: the example of each code with a fix has only that mistake, so the fix makes it valid.
func TestFixesOfExamples(t *testing.T) {
	tried := 0
	for code, c := range codes {
		src := c.exampleModule()
		m, _ := Parse(code, []byte(src))
		for _, d := range m.Diagnostics {
			if d.Code != code || d.Fix == nil {
				continue
			}
			tried++
			after, err := Parse(code, []byte(applied(src, d.Fix)))
			require.NoError(t, err, "%s: %+v", code, d.Fix)
			require.Less(t, len(after.Diagnostics), len(m.Diagnostics), "%s: %+v", code, d.Fix)
		}
	}
	require.Greater(t, tried, 10)
}
