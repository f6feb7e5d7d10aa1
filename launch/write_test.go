package launch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
)

const written = "// Copy, by hand.\n" +
	"//@ title    Copy\n" +
	"//@ block    8\n" +
	"//\n" +
	"//@ arg  x   f32[ 32 ]   =   iota\n" +
	"//@ arg y    f32[32]\n" +
	"//@ arg n    u32 = 10\n" +
	"//@ expect   y[0] == 0\n" +
	"//@ expect   y[1] == 1\n\n"

func TestApplyHeaderChangesOnlyWhatIsDifferent(t *testing.T) {
	src := written + twoKernels(t)
	for name, c := range map[string]struct {
		change func(s *launch.Spec)
		old    string
		new    string
	}{
		"nothing": {func(s *launch.Spec) {}, "", ""},
		"block":   {func(s *launch.Spec) { s.Block = emu.Dim3{X: 16, Y: 2} }, "//@ block    8\n", "//@ block    16,2\n"},
		"a grid that was not there": {func(s *launch.Spec) { s.Grid.X = 4 },
			"//@ title    Copy\n", "//@ title    Copy\n//@ grid     4\n"},
		"the title goes": {func(s *launch.Spec) { s.Title = "" }, "//@ title    Copy\n", ""},
		"an initial value": {func(s *launch.Spec) { s.Args[0].Init = "1.5" },
			"//@ arg  x   f32[ 32 ]   =   iota\n", "//@ arg  x f32[32] = 1.5\n"},
		"a scalar": {func(s *launch.Spec) { s.Args[2].Init = "3" },
			"//@ arg n    u32 = 10\n", "//@ arg n u32 = 3\n"},
		"an expectation goes":        {func(s *launch.Spec) { s.Expects = s.Expects[:1] }, "//@ expect   y[1] == 1\n", ""},
		"the first expectation goes": {func(s *launch.Spec) { s.Expects = s.Expects[1:] }, "//@ expect   y[0] == 0\n", ""},
		"shared memory": {func(s *launch.Spec) { s.Shared = 64 },
			"//@ block    8\n", "//@ block    8\n//@ shared   64\n"},
		"a model": {func(s *launch.Spec) { s.Model = emu.Stack },
			"//@ block    8\n", "//@ block    8\n//@ model    stack\n"},
	} {
		s := spec(t, src)
		c.change(s)
		want := src
		if c.old != "" {
			require.Equal(t, 1, strings.Count(src, c.old), name)
			want = strings.Replace(src, c.old, c.new, 1)
		}
		require.Equal(t, want, launch.ApplyHeader(src, s), name)
	}
}

// The model by .target has no line.
func TestApplyHeaderDropsTheModel(t *testing.T) {
	src := written + twoKernels(t)
	modelled := "//@ model stack\n" + src
	s := spec(t, modelled)
	s.Model = emu.Auto
	require.Equal(t, src, launch.ApplyHeader(modelled, s))
}

func TestApplyHeaderKeepsLineBreaks(t *testing.T) {
	src := strings.ReplaceAll(written+twoKernels(t), "\n", "\r\n")
	s := spec(t, src)
	s.Block.X, s.Grid.X = 64, 2
	want := strings.Replace(src, "block    8\r\n", "block    64\r\n", 1)
	want = strings.Replace(want, "Copy\r\n", "Copy\r\n//@ grid     2\r\n", 1)
	require.Equal(t, want, launch.ApplyHeader(src, s))
}

func TestApplyHeaderWritesAWholeHeader(t *testing.T) {
	s := spec(t, twoKernels(t))
	s.Block.X = 64
	require.Equal(t, `//@ grid     1
//@ block    64
//@ arg      x f32[1024] = iota
//@ arg      y f32[1024]
//@ arg      n u32 = 32
`+twoKernels(t), launch.ApplyHeader(twoKernels(t), s))
}

func TestByteOrderMarkStaysFirst(t *testing.T) {
	src := launch.ApplyHeader("\ufeff"+twoKernels(t), spec(t, "\ufeff"+twoKernels(t)))
	require.True(t, strings.HasPrefix(src, "\ufeff//@ grid"))
	require.False(t, spec(t, src).Defaulted)
}

func TestApplyHeaderForAnotherKernel(t *testing.T) {
	src := written + twoKernels(t)
	m := parse(t, src)
	s := spec(t, src).WithEntry(m, "other")
	next := launch.ApplyHeader(src, s)
	require.True(t, strings.HasSuffix(next, twoKernels(t)))
	o := spec(t, next)
	require.Equal(t, "other", o.Entry)
	require.Equal(t, []string{"y", "a", "s"}, []string{o.Args[0].Name, o.Args[1].Name, o.Args[2].Name})
	require.Len(t, o.Expects, 2) // they are about y, which stays
	require.NotContains(t, next, "arg  x")
	require.NotContains(t, next, "arg n")
}

func TestHeaderReadsBack(t *testing.T) {
	src := "//@ title T\n//@ grid 2,3\n//@ block 1,1,8\n//@ shared 16\n//@ model stack\n//@ engine compiled\n" +
		"//@ arg y u8[2] = text \"a\\n\" \n" +
		"//@ arg x f32x2[2,2] = 1, 2\n//@ arg n u32 = 0xff\n//@ expect y ≈ 3 ± 1\n" + twoKernels(t)
	s := spec(t, src)
	again := spec(t, s.Header()+twoKernels(t))
	require.Equal(t, s.Header(), again.Header())
	require.Equal(t, `//@ title    T
//@ grid     2,3
//@ block    1,1,8
//@ shared   16
//@ model    stack
//@ engine   compiled
//@ arg      x f32x2[2,2] = 1, 2
//@ arg      y u8[2] = text "a\n"
//@ arg      n u32 = 0xff
//@ expect   y ≈ 3 ± 1
`, s.Header())
}

func TestRetyped(t *testing.T) {
	src := "//@ arg y f32[4,4] as image\n//@ arg a f32 = 1\n//@ arg s b8[12] = u32 1\n//@ entry other\n" +
		"//@ buffer z u32[8] = 1, 2\n" + twoKernels(t)
	m, s := parse(t, src), spec(t, src)
	for _, c := range []struct{ name, typ, elements, line, why string }{
		{name: "y", typ: "u8x4", elements: "2,3", line: "//@ arg y u8x4[2,3] as image\n"},
		{name: "y", typ: "f16", elements: "16", line: "//@ arg y f16[16]\n"},
		{name: "y", typ: "u64", line: "//@ arg y u64\n"},
		{name: "y", typ: "f32", why: "y has 8 bytes (.u64), f32 has 4 bytes; for a buffer write its length, as in f32[32]"},
		{name: "y", typ: "f33", elements: "16", why: `unknown type "f33": did you mean "f32"?`},
		{name: "y", typ: "f32", elements: "none", why: `expected a number of elements from 1 up, found "none"`},
		{name: "y", typ: "f32", elements: "0", why: `expected a number of elements from 1 up, found "0"`},
		{name: "y", typ: "f32[64]", elements: "8", line: "//@ arg y f32[64]\n"},
		{name: "a", typ: "b32", line: "//@ arg a b32 = 1\n"},
		{name: "a", typ: "f32", elements: "4",
			why: "a is a buffer, but its parameter (.f32) cannot hold an address: drop the [4]"},
		{name: "s", typ: "u32", elements: "3", line: "//@ arg s u32[3] = u32 1\n"},
		{name: "s", typ: "u32", elements: "4", why: "s is passed by value and has 12 bytes (.b8[12]), u32[4] has 16 bytes"},
		{name: "z", typ: "f64", elements: "2", line: "//@ buffer z f64[2] = 1, 2\n"},
		{name: "z", typ: "u32", elements: "1", why: "2 values for 1 element of z"},
		{name: "z", typ: "u32", why: "2 values for 1 element of z"},
		{name: "w", typ: "u32", why: "there is no argument w with a type"},
	} {
		next, why := s.Retyped(m, c.name, c.typ, c.elements)
		require.Equal(t, c.why, why, c)
		if c.why != "" {
			require.Nil(t, next)
			continue
		}
		text := launch.ApplyHeader(src, next)
		require.Contains(t, text, c.line)
		spec(t, text)
	}
	require.Equal(t, src, launch.ApplyHeader(src, s)) // the Spec itself has not changed
}
