package launch_test

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
)

// A kernel as nvcc names it: out[i] = in[i] + n, by way of dynamic shared memory.
const mangled = `.version 6.4
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 tile[];
.visible .entry _Z3addPfS_f(.param .u64 _Z3addPfS_f_param_0, .param .u64 _Z3addPfS_f_param_1, .param .f32 _Z3addPfS_f_param_2)
{
    .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [_Z3addPfS_f_param_0];
    ld.param.u64 %rd2, [_Z3addPfS_f_param_1];
    ld.param.f32 %f1, [_Z3addPfS_f_param_2];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd2];
    mov.u32 %r2, tile;
    mad.lo.u32 %r2, %r1, 4, %r2;
    st.shared.f32 [%r2], %f2;
    ld.shared.f32 %f3, [%r2];
    add.f32 %f3, %f3, %f1;
    st.global.f32 [%rd1], %f3;
    ret;
}
`

func TestNamesWithoutTheKernel(t *testing.T) {
	for _, header := range []string{
		"//@ shared 128\n//@ arg param_0 f32[32]\n//@ arg param_1 f32[32] = iota\n//@ arg param_2 f32 = 2\n" +
			"//@ expect param_0[0..2] == 2, 3, 4\n",
		"//@ shared 128\n//@ arg _Z3addPfS_f_param_0 f32[32]\n//@ arg _Z3addPfS_f_param_1 f32[32] = iota\n" +
			"//@ arg param_2 f32 = 2\n//@ expect param_0[0..2] == 2, 3, 4\n//@ expect _Z3addPfS_f_param_0[31] == 33\n",
	} {
		m := parse(t, header+mangled)
		s, err := launch.FromSource(m)
		require.NoError(t, err)
		require.Empty(t, s.Warnings)
		report, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err)
		require.True(t, report.OK(), "%+v", report.Expectations)
		require.Equal(t, "param_0", s.Args[0].Label())
	}
	_, err := launch.FromSource(parse(t, "//@ arg param_0 f32[32]\n//@ arg param_1 f32[32]\n"+mangled))
	require.ErrorContains(t, err, `"//@ arg param_2"`)
	_, err = launch.FromSource(parse(t, "//@ arg param_0 f32[32]\n//@ arg _Z3addPfS_f_param_0 f32[32]\n//@ arg param_1 f32[32]\n"+
		"//@ arg param_2 f32 = 2\n"+mangled))
	require.ErrorContains(t, err, `no parameter "param_0"`, "it has an argument already")
}

// The written header has the short names, and means the same.
func TestMadeUpNames(t *testing.T) {
	m := parse(t, mangled)
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	require.True(t, s.Defaulted)
	require.Equal(t, "_Z3addPfS_f_param_0", s.Args[0].Name, "reports and programs know it by its name")
	text := launch.ApplyHeader(mangled, s)
	require.Contains(t, text, "//@ arg      param_0 f32[1024]\n")
	require.NotContains(t, text[:strings.Index(text, ".version")], "_Z")
	again, err := launch.FromSource(parse(t, text))
	require.NoError(t, err)
	require.Equal(t, s.Shared, again.Shared)
	require.Equal(t, text, launch.ApplyHeader(text, again))

	set, err := launch.FromSettings(m, launch.Settings{Values: []launch.Value{{Name: "param_2", Text: "5"}}})
	require.NoError(t, err)
	require.Equal(t, emu.F32(5), set.Args[2].Data)
}

// The memory of an unsized array is made up as well; a header has to say it.
func TestDynamicShared(t *testing.T) {
	m := parse(t, mangled)
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	report, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.Nil(t, report.Fault)

	// Settings leave the rest made up.
	s, err = launch.FromSettings(m, launch.Settings{Lines: []string{"grid 2"}})
	require.NoError(t, err)
	require.Empty(t, s.Warnings)
	require.Equal(t, 16<<10, s.Shared)
	s, err = launch.FromSettings(m, launch.Settings{Lines: []string{"shared 128"}})
	require.NoError(t, err)
	require.Equal(t, 128, s.Shared)

	const header = "//@ arg param_0 f32[32]\n//@ arg param_1 f32[32]\n//@ arg param_2 f32 = 2\n"
	s, err = launch.FromSource(parse(t, header+mangled))
	require.NoError(t, err)
	require.Len(t, s.Warnings, 1)
	require.Equal(t, "header-shared", s.Warnings[0].Code)
	at := s.Warnings[0].Fix.Span
	mended := (header + mangled)[:at.Start] + s.Warnings[0].Fix.Text + (header + mangled)[at.End:]
	s, err = launch.FromSource(parse(t, mended))
	require.NoError(t, err)
	require.Empty(t, s.Warnings)
	require.Equal(t, 16<<10, s.Shared)
}

func TestParamLabel(t *testing.T) {
	for text, want := range map[string]string{
		"k_param_0":            "param_0",
		"__cudaparm_k_x":       "x",
		"x":                    "",
		"k_0":                  "", // no name
		"k_output":             "", // a word of expectations
		"k_y, .param .u32 y":   "", // taken
		"k_":                   "",
		"other_kernel_param_0": "",
	} {
		src := ".version 6.4\n.target sm_70\n.entry k(.param .u32 " + text + ") { ret; }\n"
		label := spec(t, src).Args[0].Label()
		require.Equal(t, cmp.Or(want, strings.Fields(strings.ReplaceAll(text, ",", " "))[0]), label, text)
	}
}

// A made-up grid is one cluster of the shape that the kernel wants (11.7.1), and where the launch must name a shape
// (11.7.2), clusters have one CTA. Settings may name another.
func TestMadeUpClusters(t *testing.T) {
	const head, tail = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()", " { ret; }\n"
	for directives, grid := range map[string]emu.Dim3{
		"": {X: 1, Y: 1, Z: 1}, " .reqnctapercluster 2, 3": {X: 2, Y: 3, Z: 1}, " .explicitcluster": {X: 1, Y: 1, Z: 1},
		" .explicitcluster .reqnctapercluster 4": {X: 4, Y: 1, Z: 1}, " .maxclusterrank 4": {X: 1, Y: 1, Z: 1},
		" .reqntid 32 .reqnctapercluster 2 .blocksareclusters": {X: 1, Y: 1, Z: 1},
	} {
		m := parse(t, head+directives+tail)
		s, err := launch.FromSource(m)
		require.NoError(t, err, directives)
		require.Equal(t, grid, s.Grid, directives)
		report, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err, directives)
		require.Nil(t, report.Fault)
	}
	m := parse(t, head+" .reqnctapercluster 2"+tail)
	s, err := launch.FromSettings(m, launch.Settings{Lines: []string{"grid 6"}})
	require.NoError(t, err)
	require.Equal(t, 6, s.Grid.X)
}
