package launch_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/launch"
	"warpscope/ptx"
)

// twoKernels has a copy kernel and one with other parameters.
func twoKernels(t testing.TB) string { return txtar.Text(t, "spec/twoKernels") }

func parse(t *testing.T, src string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	return m
}

func spec(t *testing.T, src string) *launch.Spec {
	t.Helper()
	s, err := launch.FromSource(parse(t, src))
	require.NoError(t, err)
	return s
}

// refusal is the error of FromSource or Run for a source.
func refusal(t *testing.T, src string) ptx.Diagnostics {
	t.Helper()
	m := parse(t, src)
	s, err := launch.FromSource(m)
	if err == nil {
		_, err = launch.Run(context.Background(), m, s, emu.Options{})
	}
	var found ptx.Diagnostics
	require.True(t, errors.As(err, &found), "%v", err)
	return found
}

const copyHeader = `//@ title    Copy
//@ grid     1
//@ block    16,2
//@ arg y    f32[32]
//@ arg x    f32[32] = iota
//@ arg n    u32 = 10
//@ expect   y[0..9] == 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
`

func TestHeaderIsRead(t *testing.T) {
	before := "// a comment\n/* and\n//@ not a header */\n\r\n"
	behind := "//@ shared 1024\n//@ model stack\n//@ sanitize memcheck\n"
	s := spec(t, before+copyHeader+behind+twoKernels(t))
	require.Equal(t, "Copy", s.Title)
	require.Equal(t, "copy", s.Entry)
	require.Equal(t, emu.Dim3{X: 1, Y: 1, Z: 1}, s.Grid)
	require.Equal(t, emu.Dim3{X: 16, Y: 2, Z: 1}, s.Block)
	require.Equal(t, 1024, s.Shared)
	require.Equal(t, emu.Stack, s.Model)
	require.Equal(t, emu.Memcheck, s.Sanitize)
	require.False(t, s.Defaulted)
	require.Len(t, s.Args, 3)
	// in the parameters' order, not the header's
	require.Equal(t, "x", s.Args[0].Name)
	require.Equal(t, "iota", s.Args[0].Init)
	require.True(t, s.Args[0].Buffer)
	require.Equal(t, []int{32}, s.Args[0].Dims)
	require.Equal(t, "y", s.Args[1].Name)
	require.Equal(t, "n", s.Args[2].Name)
	require.False(t, s.Args[2].Buffer)
	require.Equal(t, []byte{10, 0, 0, 0}, s.Args[2].Data)
	require.Equal(t, "y[0..9] == 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", s.Expects[0].Text)
}

func TestRunGivesAVerdict(t *testing.T) {
	m := parse(t, copyHeader+"//@ expect y[10] == 10\n"+twoKernels(t))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	r, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.False(t, r.OK()) // thread 10 does nothing
	require.True(t, r.Expectations[0].Pass)
	require.Equal(t, launch.Expectation{Text: "y[10] == 10", Got: "y[10] is 0, expected 10", Line: 8}, r.Expectations[1])
	require.Len(t, r.Buffers["y"], 128)
	require.Equal(t, int64(32), r.Stats.Threads)
	require.Nil(t, r.Fault)
}

func faulting(t testing.TB) string { return txtar.Text(t, "spec/faulting") }

func TestFaultsMustBeNamed(t *testing.T) {
	for header, ok := range map[string]bool{
		"//@ arg out u32[4]\n":                                                                 false,
		"//@ arg out u32[4]\n//@ expect out[0] == 7\n":                                         false,
		"//@ arg out u32[4]\n//@ expect out[0] == 7\n//@ expect fault Misaligned\n":            true,
		"//@ arg out u32[4]\n//@ expect fault Misaligned at line 11\n":                         true,  // two header lines
		"//@ arg out u32[4]\n//@ expect fault Misaligned at line 10\n":                         false, // the store before
		"//@ arg out u32[4]\n//@ expect fault Trap\n":                                          false,
		"//@ arg out u32[4]\n//@ expect out[0] == 8\n//@ expect fault Misaligned at line 12\n": false,
	} {
		m := parse(t, header+faulting(t))
		s, err := launch.FromSource(m)
		require.NoError(t, err)
		r, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err)
		require.Equal(t, ok, r.OK(), header)
		require.Equal(t, emu.Misaligned, r.Fault.Kind)
		require.Contains(t, r.Fault.Error(), "out+2")
		if !ok && len(r.Expectations) > 0 && !strings.Contains(header, "== 8") {
			require.False(t, r.Expectations[0].Pass, header)
		}
	}
}

func TestFaultThatDoesNotComeFails(t *testing.T) {
	m := parse(t, copyHeader+"//@ expect fault Trap\n"+twoKernels(t))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	r, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.False(t, r.OK())
	require.True(t, r.Expectations[0].Pass)
	require.Equal(t, "no fault", r.Expectations[1].Got)
}

const endless = ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry e()\n{\n.reg .b64 %n;\n" +
	"again: add.u64 %n, %n, 1; bra again;\n}\n"

func TestCancelledRuns(t *testing.T) {
	m := parse(t, endless)
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = launch.Run(ctx, m, s, emu.Options{})
	require.ErrorIs(t, err, context.Canceled) // nothing has run

	s.Expects = []launch.Expect{{Text: `output "x"`}}
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	r, err := launch.Run(ctx, m, s, emu.Options{})
	require.NoError(t, err)
	require.ErrorIs(t, r.Stopped, context.DeadlineExceeded)
	require.Positive(t, r.Stats.WarpInstructions)
	require.False(t, r.OK())
	require.Equal(t, "the run was stopped before its end: context deadline exceeded", r.Expectations[0].Got)
}

func TestDefaultsByTypeAndUse(t *testing.T) {
	s := spec(t, twoKernels(t))
	require.True(t, s.Defaulted)
	require.Equal(t, emu.Dim3{X: 32, Y: 1, Z: 1}, s.Block)
	require.Equal(t, emu.Dim3{X: 1, Y: 1, Z: 1}, s.Grid)
	x, y, n := s.Args[0], s.Args[1], s.Args[2]
	require.True(t, x.Buffer)
	require.Equal(t, "f32", x.Type)
	require.Equal(t, "iota", x.Init) // read
	require.True(t, y.Buffer)
	require.Empty(t, y.Init) // only written
	require.False(t, n.Buffer)
	require.Equal(t, "u32", n.Type)
	require.Equal(t, []byte{32, 0, 0, 0}, n.Data)

	m := parse(t, twoKernels(t))
	r, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.True(t, r.OK())
	require.Equal(t, byte(0x41), r.Buffers["y"][31*4+3]) // 31.0f = 0x41f80000
	require.Equal(t, byte(0), r.Buffers["y"][32*4+3])
}

func TestDefaultsOfStructuresAndFloats(t *testing.T) {
	m := parse(t, twoKernels(t))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	o := s.WithEntry(m, "other")
	require.Equal(t, "other", o.Entry)
	require.True(t, o.Args[0].Buffer) // kept from copy's y, although other does not use it
	require.Equal(t, []byte{0, 0, 0x80, 0x3f}, o.Args[1].Data)
	require.Equal(t, make([]byte, 12), o.Args[2].Data)
	require.Nil(t, s.WithEntry(m, "nothing"))
	r, err := launch.Run(context.Background(), m, o, emu.Options{})
	require.NoError(t, err)
	require.True(t, r.OK())
}

// Unoptimised code keeps its parameters in local memory, and device functions get them as parameters.
func TestDefaultsFollowPointersThroughStackAndCalls(t *testing.T) {
	s := spec(t, txtar.Text(t, "spec/stackAndCalls"))
	p, count, q := s.Args[0], s.Args[1], s.Args[2]
	require.True(t, p.Buffer)
	require.Equal(t, "u8", p.Type)
	require.Equal(t, "iota", p.Init)
	require.False(t, count.Buffer)
	require.True(t, q.Buffer)
	require.Equal(t, "u16", q.Type)
	require.Empty(t, q.Init)
}

func TestDefaultBlockObeysDirectives(t *testing.T) {
	head := ".version 6.4\n.target sm_70\n.entry k "
	require.Equal(t, emu.Dim3{X: 16, Y: 4, Z: 1}, spec(t, head+".reqntid 16, 4 { ret; }").Block)
	require.Equal(t, emu.Dim3{X: 8, Y: 1, Z: 1}, spec(t, head+".maxntid 8 { ret; }").Block)
	require.Equal(t, emu.Dim3{X: 256, Y: 1, Z: 1}, spec(t, head+".maxntid 256 { ret; }").Block)
	require.Equal(t, emu.Dim3{X: 16, Y: 8, Z: 2}, spec(t, head+".maxntid 16, 8, 2 { ret; }").Block)
	// with a header it stays a warp
	require.Equal(t, emu.Dim3{X: 32, Y: 1, Z: 1}, spec(t, "//@ grid 1\n"+head+".maxntid 256 { ret; }").Block)
	// the product counts (11.4.2), and no CTA has more than 1,024 threads, or 64 in z
	for _, most := range []string{"4096", "64, 64", "2147483647, 2147483647, 2147483647", "1, 1, 128"} {
		s := spec(t, head+".maxntid "+most+" { ret; }")
		require.Equal(t, emu.Dim3{X: map[bool]int{true: 128, false: 1024}[most == "1, 1, 128"], Y: 1, Z: 1}, s.Block, most)
	}
	// a kernel of two axes: a square where it fits
	two := "{ .reg .b32 %r; mov.u32 %r, %tid.y; ret; }"
	require.Equal(t, emu.Dim3{X: 16, Y: 16, Z: 1}, spec(t, head+two).Block)
	require.Equal(t, emu.Dim3{X: 16, Y: 16, Z: 1}, spec(t, head+".maxntid 256 "+two).Block)
	require.Equal(t, emu.Dim3{X: 128, Y: 1, Z: 1}, spec(t, head+".maxntid 128 "+two).Block)
	require.Equal(t, emu.Dim3{X: 32, Y: 2, Z: 1}, spec(t, head+".maxntid 32, 2 "+two).Block)
}

func TestStructureByValue(t *testing.T) {
	src := "//@ entry other\n//@ arg y b8[8]\n//@ arg a f32 = 1\n//@ arg s u32[3] = 1, 2, 3\n" + twoKernels(t)
	s := spec(t, src)
	require.False(t, s.Args[2].Buffer)
	require.Equal(t, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, s.Args[2].Data)
}

func TestThirtyTwoBitAddresses(t *testing.T) {
	src := txtar.Text(t, "spec/narrow")
	m := parse(t, src)
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	r, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.True(t, r.OK(), "%+v", r.Expectations)
}

func TestHeaderMistakes(t *testing.T) {
	good := "//@ arg x f32[4]\n//@ arg y f32[4]\n//@ arg n u32 = 4\n"
	for _, want := range []struct{ header, code, message, at string }{
		{"//@ titel X\n" + good, "header-key",
			`unknown key "titel": did you mean "title"?`, "titel"},
		{"//@ quux 1\n" + good, "header-key",
			`unknown key "quux": there are title, entry, grid, block, cluster, shared, model, engine, sanitize, arg, buffer, ` +
				`tensormap, texture, surface, sampler, symbol, expect`, "quux"},
		{"//@ block 8\n//@ block 9\n" + good, "header-duplicate",
			`"block" is in the header twice: keep one of the lines`, "//@ block 9"},
		{good + "//@ arg n u32 = 5\n", "header-duplicate",
			`"arg n" is in the header twice: keep one of the lines`, "//@ arg n u32 = 5"},
		{"//@ block 1025\n" + good, "header-shape",
			"block 1025 is too large: the dimensions are at most 1024, 1024 and 64", "1025"},
		{"//@ block 64,32\n" + good, "header-shape",
			"block 64,32 has 2,048 threads: a CTA has at most 1,024", "64,32"},
		{"//@ block 1,1,65\n" + good, "header-shape",
			"block 1,1,65 is too large: the dimensions are at most 1024, 1024 and 64", "1,1,65"},
		{"//@ grid 2147483648\n" + good, "header-shape",
			"grid 2147483648 is too large: the dimensions are at most 2147483647, 65535 and 65535", "2147483648"},
		{"//@ grid 65536,32768\n" + good, "header-shape",
			"grid 65536,32768 is too large: at most 2147483647 CTAs in all", "65536,32768"},
		{"//@ grid 99999999999999999999\n" + good, "header-shape",
			"grid 9223372036854775807 is too large: the dimensions are at most 2147483647, 65535 and 65535",
			"99999999999999999999"},
		{"//@ grid 1,2,3,4\n" + good, "header-shape",
			"grid has more than three dimensions", "1,2,3,"},
		{"//@ grid 0\n" + good, "header-shape",
			`expected a number of at least 1, as in "64" or "8,8", found "0"`, "0"},
		{"//@ grid 4 4\n" + good, "header-shape",
			`unexpected "4" after the grid; separate dimensions by commas`, "4"},
		{"//@ shared 300000\n" + good, "header-shape",
			"300000 bytes of shared memory are too many: a CTA has at most 232,448", "300000"},
		{"//@ shared lots\n" + good, "header-shape",
			`expected the bytes of dynamic shared memory, such as 1024, found "lots"`, "lots"},
		{"//@ model warp\n" + good, "header-word",
			`expected "` + strings.Join(emu.ModelNames(), `" or "`) + `", found "warp"`, "warp"},
		{"//@ engine fast\n" + good, "header-word",
			`expected "auto" or "interpreter" or "compiled", found "fast"`, "fast"},
		{"//@ engine compiled now\n" + good, "header-word", `unexpected "now" after the engine`, "now"},
		{"//@ sanitize memchek\n" + good, "header-word",
			`expected "all" or some of memcheck, racecheck, initcheck, synccheck, found "memchek"`, "memchek"},
		{"//@ entry coppy\n" + good, "header-entry",
			`no kernel is named "coppy": did you mean "copy"?`, "//@ entry coppy"},
		{"//@ entry z\n" + good, "header-entry",
			`no kernel is named "z": there are copy, other`, "//@ entry z"},
		{"//@ arg x f32[4]\n//@ arg y f32[4]\n", "header-argument",
			`kernel copy needs an argument for its parameter n (.u32): add a line "//@ arg n u32 = 32"`, "copy"},
		{good + "//@ arg m u32 = 4\n", "header-argument",
			`kernel copy has no parameter "m": there are x, y, n`, "//@ arg m u32 = 4"},
		{"//@ arg x f32[4]\n//@ arg y f32[4]\n//@ arg n u64 = 4\n", "header-argument",
			"n has 4 bytes (.u32), u64 has 8 bytes", "//@ arg n u64 = 4"},
		{"//@ arg x f32\n//@ arg y f32[4]\n//@ arg n u32 = 4\n", "header-argument",
			"x has 8 bytes (.u64), f32 has 4 bytes; for a buffer write its length, as in f32[32]", "//@ arg x f32"},
		{"//@ arg x f32[4]\n//@ arg y f32[4]\n//@ arg n u32[4]\n", "header-argument",
			"n is a buffer, but its parameter (.u32) cannot hold an address: drop the [4]", "//@ arg n u32[4]"},
		{"//@ entry other\n//@ arg y b8[8]\n//@ arg a f32\n//@ arg s u32[4]\n", "header-argument",
			"s is passed by value and has 12 bytes (.b8[12]), u32[4] has 16 bytes", "//@ arg s u32[4]"},
		{good + "//@ expect z[0] == 1\n", "header-expect",
			`no buffer is named "z": there are fault, output, finding, x, y, and the counters of docs/counters.md`, "z"},
		{good + "//@ expect y[4] == 1\n", "header-expect",
			"y ends at index 3", "4"},
		{"//@ arg x f32[1000000000]\n//@ arg y f32[4]\n//@ arg n u32 = 4\n", "header-memory",
			"x of f32[1000000000] makes 4,000,000,000 bytes of buffers, but the device has 1,073,741,824: make it smaller",
			"//@ arg x f32[1000000000]"},
		{"//@ arg\n" + good, "header-syntax",
			"expected the name of a kernel parameter, found the end of the line", ""},
	} {
		src := want.header + twoKernels(t)
		found := refusal(t, src)
		require.Len(t, found, 1, want.header)
		require.Equal(t, want.code, found[0].Code, want.header)
		require.Equal(t, want.message, found[0].Message, want.header)
		require.Equal(t, want.at, src[found[0].Span.Start:found[0].Span.End], want.header)
	}
}

func TestSeveralMistakesAreReportedInOrder(t *testing.T) {
	found := refusal(t, "//@ grdi 1\n//@ block x\n//@ arg x f32[4] = y\n"+twoKernels(t))
	var codes []string
	for _, d := range found {
		codes = append(codes, d.Code)
	}
	// the kernel lacks y and n; x is there, but wrong
	require.Equal(t, []string{"header-key", "header-shape", "header-value", "header-argument", "header-argument"}, codes)
	require.Contains(t, found.Error(), "test.ptx:1:5: error: unknown key")
}

func TestMissingArgumentHasAFix(t *testing.T) {
	src := "//@ arg x f32[4]\n//@ arg n u32 = 4\n" + twoKernels(t)
	fix := refusal(t, src)[0].Fix
	require.NotNil(t, fix)
	fixed := src[:fix.Span.Start] + fix.Text + src[fix.Span.End:]
	require.Equal(t, "//@ arg x f32[4]\n//@ arg n u32 = 4\n//@ arg      y f32[1024]\n"+twoKernels(t), fixed)
	spec(t, fixed)
}

func TestMemoryLimitOfTheOptions(t *testing.T) {
	m := parse(t, "//@ arg x f32[1000]\n//@ arg y f32[4]\n//@ arg n u32 = 4\n"+twoKernels(t))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	_, err = launch.Run(context.Background(), m, s, emu.Options{MemoryLimit: 3999})
	require.ErrorContains(t, err, "x of f32[1000] makes 4,000 bytes of buffers, but the device has 3,999")
}

func TestNoKernelAtAll(t *testing.T) {
	_, err := launch.FromSource(parse(t, ".version 6.4\n.target sm_70\n.global .u32 x;\n"))
	require.ErrorContains(t, err, "the module has no kernel to run: it needs an .entry")
}

func TestEveryCodeHasAnExample(t *testing.T) {
	for _, c := range launch.Codes {
		m := parse(t, c.Example)
		var found ptx.Diagnostics
		s, err := launch.FromSource(m)
		if err == nil {
			found = s.Warnings
			_, err = launch.Run(context.Background(), m, s, emu.Options{})
		}
		var errs ptx.Diagnostics
		errors.As(err, &errs)
		found = append(found, errs...)
		require.NotEmpty(t, found, c.Name)
		require.Equal(t, c.Name, found[0].Code, c.Name)
		require.NotEmpty(t, found[0].Message)
		require.NotEmpty(t, c.Summary)
	}
}

// Hostile headers of several megabytes get a short answer. Work that grows with the square of a header would outlast
// the test's own limit of time.
func TestHugeHeaders(t *testing.T) {
	for name, header := range map[string]string{
		"unknown keys":  strings.Repeat("//@ x\n", 1<<20),
		"one long word": "//@ " + strings.Repeat("titel", 1<<20) + "\n",
		"a long list":   "//@ arg x u32[4] = " + strings.Repeat("1, ", 1<<20) + "1\n",
		"unknown args":  strings.Repeat("//@ arg", 1) + strings.Repeat(" y\n//@ arg z u32", 1<<18) + "\n",
		"a long text":   "//@ arg x u8[4] = text \"" + strings.Repeat("é", 1<<20) + "\"\n",
		"long numbers":  "//@ grid " + strings.Repeat("9", 1<<20) + "\n",
	} {
		found := refusal(t, header+twoKernels(t))
		require.NotEmpty(t, found, name)
		require.LessOrEqual(t, len(found), 110, name)
		require.Less(t, len(found[0].Message), 500, name)
	}
}

func FuzzHeader(f *testing.F) {
	f.Add(copyHeader)
	f.Add("//@ arg x u8x4[2,2] as image = text \"\\n\"\n//@ expect x[0..1,1] ~= 0x1, nan +- 2ulp")
	f.Add("//@ entry other\n//@ arg y u64 = address(z, 4)\n//@ arg a f32 = 1\n" +
		"//@ arg s b8[12] = u32 1, at 8 e4m3 448\n//@ buffer z e2m1[8] = 1, -6\n//@ symbol v ue8m0[2]")
	f.Fuzz(func(t *testing.T, header string) {
		m, err := ptx.Parse("fuzz.ptx", []byte(header+"\n"+twoKernels(t)))
		if err != nil {
			return
		}
		s, err := launch.FromSource(m)
		if err != nil || s.Defaulted {
			return
		}
		again := launch.ApplyHeader(string(m.Src), s)
		require.Equal(t, string(m.Src), again)
	})
}
