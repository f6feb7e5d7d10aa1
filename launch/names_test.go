package launch_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/launch"
	"warpscope/ptx"
)

// A kernel as nvcc names it: out[i] = in[i] + n, by way of dynamic shared memory.
func mangled(t testing.TB) string { return txtar.Text(t, "names/mangled") }

func TestNamesWithoutTheKernel(t *testing.T) {
	for _, header := range []string{
		"//@ shared 128\n//@ arg param_0 f32[32]\n//@ arg param_1 f32[32] = iota\n//@ arg param_2 f32 = 2\n" +
			"//@ expect param_0[0..2] == 2, 3, 4\n",
		"//@ shared 128\n//@ arg _Z3addPfS_f_param_0 f32[32]\n//@ arg _Z3addPfS_f_param_1 f32[32] = iota\n" +
			"//@ arg param_2 f32 = 2\n//@ expect param_0[0..2] == 2, 3, 4\n//@ expect _Z3addPfS_f_param_0[31] == 33\n",
	} {
		m := parse(t, header+mangled(t))
		s, err := launch.FromSource(m)
		require.NoError(t, err)
		require.Empty(t, s.Warnings)
		report, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err)
		require.True(t, report.OK(), "%+v", report.Expectations)
		require.Equal(t, "param_0", s.Args[0].Label())
	}
	_, err := launch.FromSource(parse(t, "//@ arg param_0 f32[32]\n//@ arg param_1 f32[32]\n"+mangled(t)))
	require.ErrorContains(t, err, `"//@ arg param_2 f32 = 1"`)
	_, err = launch.FromSource(parse(t, "//@ arg param_0 f32[32]\n//@ arg _Z3addPfS_f_param_0 f32[32]\n"+
		"//@ arg param_1 f32[32]\n"+
		"//@ arg param_2 f32 = 2\n"+mangled(t)))
	require.ErrorContains(t, err, `no parameter "param_0"`, "it has an argument already")
}

// The written header has the short names, and means the same.
func TestMadeUpNames(t *testing.T) {
	m := parse(t, mangled(t))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	require.True(t, s.Defaulted)
	require.Equal(t, "_Z3addPfS_f_param_0", s.Args[0].Name, "reports and programs know it by its name")
	text := launch.ApplyHeader(mangled(t), s)
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

// The memory of an unsized array is guessed, too; a header must say it.
func TestDynamicShared(t *testing.T) {
	m := parse(t, mangled(t))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	report, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.Nil(t, report.Fault)

	// The rest is still guessed if there are settings.
	s, err = launch.FromSettings(m, launch.Settings{Lines: []string{"grid 2"}})
	require.NoError(t, err)
	require.Len(t, s.Warnings, 1)
	require.Equal(t, ptx.Info, s.Warnings[0].Severity)
	require.Contains(t, s.Warnings[0].Message, "98,304 bytes, all that a CTA can have with sm_70")
	require.Equal(t, 96<<10, s.Shared) // compute capability 7.0
	s, err = launch.FromSettings(m, launch.Settings{Lines: []string{"shared 128"}})
	require.NoError(t, err)
	require.Empty(t, s.Warnings)
	require.Equal(t, 128, s.Shared)

	const header = "//@ arg param_0 f32[32]\n//@ arg param_1 f32[32]\n//@ arg param_2 f32 = 2\n"
	s, err = launch.FromSource(parse(t, header+mangled(t)))
	require.NoError(t, err)
	require.Len(t, s.Warnings, 1)
	require.Equal(t, "header-shared", s.Warnings[0].Code)
	at := s.Warnings[0].Fix.Span
	mended := (header + mangled(t))[:at.Start] + s.Warnings[0].Fix.Text + (header + mangled(t))[at.End:]
	s, err = launch.FromSource(parse(t, mended))
	require.NoError(t, err)
	require.Empty(t, s.Warnings)
	require.Equal(t, 96<<10, s.Shared)
}

// The limits are those of the table of compute capabilities; arrays with a size take their part, with their alignment.
func TestSharedMemoryOfTargets(t *testing.T) {
	const kernel = `.version 8.7
.target %s
.extern .shared .align 1024 .b8 tile[];
.shared .align 8 .b8 fixed[1000];
.shared .b8 unused[4000];
.func f() { .reg .b32 %%r; ld.shared.b32 %%r, [fixed]; ret; }
.entry k() { .reg .b32 %%r; ld.shared.b32 %%r, [tile]; %s ret; }
.entry other() { .reg .b32 %%r; ld.shared.b32 %%r, [unused]; ret; }
`
	for target, want := range map[string]int{"sm_52": 48, "sm_61": 48, "sm_70": 96, "sm_75": 64, "sm_80": 163, "sm_86": 99,
		"sm_87": 163, "sm_89": 99, "sm_90a": 227, "sm_100": 227, "sm_120": 99} {
		s := spec(t, fmt.Sprintf(kernel, target, ""))
		require.Equal(t, want<<10, s.Shared, target)
		// an array that is only declared, at the beginning of shared memory
		unnamed := strings.Replace(fmt.Sprintf(kernel, target, ""), "[tile]", "[0]", 1)
		require.Equal(t, want<<10, spec(t, unnamed).Shared, target)
		require.Empty(t, spec(t, "//@ block 32\n"+unnamed).Warnings)
		m := parse(t, fmt.Sprintf(kernel, target, "call f;"))
		s, err := launch.FromSource(m)
		require.NoError(t, err)
		require.LessOrEqual(t, s.Shared, want<<10-1024, target)
		require.Greater(t, s.Shared, want<<10-3*1024, target)
		_, err = launch.Prepare(m, s, emu.Options{})
		require.NoError(t, err, target)
	}
	src := strings.Replace(fmt.Sprintf(kernel, "sm_80", ""), ".extern", "//", 1) // nothing is unsized
	require.Zero(t, spec(t, strings.ReplaceAll(src, "[tile]", "[0]")).Shared)
	// no shared memory in use
	src = strings.Replace(fmt.Sprintf(kernel, "sm_80", ""), "ld.shared.b32 %r, [unused];", "", 1)
	require.Zero(t, spec(t, src).WithEntry(parse(t, src), "other").Shared)
}

// A fault beyond the shared memory of an unsized array says what to increase, and how.
func TestFaultBeyondSharedMemory(t *testing.T) {
	const kernel = `.version 6.4
.target sm_70
.extern .shared .b8 tile[];
.shared .b8 fixed[64];
.entry k() .maxntid 128 { .reg .b32 %r; mov.u32 %r, %tid.x; shl.b32 %r, %r, 2; st.shared.b32 [%r+1000], %r; ` +
		`mov.u32 %r, tile; mov.u32 %r, fixed; ret; }
`
	const said = `(256 bytes of it for the unsized array tile: Launch → Shared, or "//@ shared BYTES", gives more)`
	for _, header := range []string{"//@ shared 256\n", "//@ title T\n//@ shared 256\n//@ block 32\n"} {
		m := parse(t, header+kernel)
		s, err := launch.FromSource(m)
		require.NoError(t, err)
		r, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err)
		require.Contains(t, r.Fault.Error(), said)
		require.NotNil(t, r.Fix)
		fixed := (header + kernel)[:r.Fix.Span.Start] + r.Fix.Text + (header + kernel)[r.Fix.Span.End:]
		m = parse(t, fixed)
		s, err = launch.FromSource(m)
		require.NoError(t, err)
		require.Equal(t, fixed, launch.ApplyHeader(fixed, s))
		require.Contains(t, r.Fix.Message, fmt.Sprintf("//@ shared %d", s.Shared))
		r, err = launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err)
		require.Nil(t, r.Fault)
		require.Nil(t, r.Fix)
	}
	// not where the array has a size, or the fault is expected, or there is no more
	for _, src := range []string{
		"//@ expect fault OutOfBounds\n//@ shared 256\n" + kernel,
		"//@ shared 256\n" + strings.ReplaceAll(strings.ReplaceAll(kernel, "tile[]", "tile[4]"), ".extern", ""),
		"//@ block 1024\n//@ shared 98240\n" + strings.NewReplacer("+1000", "+98300", "128", "1024").Replace(kernel),
	} {
		m := parse(t, src)
		s, err := launch.FromSource(m)
		require.NoError(t, err)
		r, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err)
		require.NotNil(t, r.Fault, src)
		require.Nil(t, r.Fix, src)
		require.NotContains(t, r.Fault.Error(), "unsized", src)
	}
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

// A guessed grid is one cluster of the shape that the kernel requires (11.7.1). If the launch must name a shape
// (11.7.2), clusters have one CTA. Settings can name another.
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

// Triton's kernels say by .reqntid or .maxntid how many threads they need, and get all of their shared memory from the
// launch.
func TestTritonKernelsRunWithoutAHeader(t *testing.T) {
	src, err := os.ReadFile("../ptx/testdata/dialects/triton-3-sm90.ptx")
	require.NoError(t, err)
	m := parse(t, string(src))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	require.Equal(t, emu.Dim3{X: 128, Y: 1, Z: 1}, s.Block)
	require.Equal(t, 227<<10, s.Shared)
	r, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.Nil(t, r.Fault)
	require.True(t, r.Unchecked)
}

// The guess fills a structure with zeros, so a pointer in it is null. The fault says which structure that is, and how a
// header gives its fields. A structure from a header is not guessed, and an address far from 0 has another cause.
func TestNullInAGuessedStructure(t *testing.T) {
	kernel := txtar.Text(t, "names/guessed")
	fault := func(src string) *emu.Fault {
		m := parse(t, src)
		r, err := launch.Run(context.Background(), m, spec(t, src), emu.Options{})
		require.NoError(t, err)
		return r.Fault
	}
	const said = `illegal address 0x4 (4 bytes, .global); the launch is guessed, and s is all zeros: a header gives its ` +
		`fields, for example "//@ buffer x u32[1024]" and "//@ arg s u8[24] = u64 address(x), …"; CTA 0,0,0`
	require.ErrorContains(t, fault(kernel), said)
	require.NotContains(t, fault(strings.Replace(kernel, "+4", "+0x100000", 1)).Error(), "guessed") // 2^20
	require.NotContains(t, fault("//@ arg s u8[24]\n"+kernel).Error(), "guessed")
	require.Nil(t, fault("//@ buffer x u32[1024]\n//@ arg s u8[24] = u64 0, u64 address(x)\n"+kernel))
	require.Nil(t, fault("//@ buffer x u32[1024]\n//@ arg s u8[24] = u64 address(x)\n"+
		strings.Replace(kernel, "s+8", "s", 1)))
}
