package debug

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// sentences steps the followed warp to the grid's end and gives every status.
func sentences(t *testing.T, src string) []string {
	t.Helper()
	s := open(t, src)
	var out []string
	for s.View().Phase == Ready || s.View().Phase == Paused {
		s.Step()
		out = append(out, s.View().Status)
		require.Less(t, len(out), 500)
	}
	return out
}

// body wraps statements into a kernel of one warp with eight threads; the first statement is in line 8.
func body(lines ...string) string {
	return "//@ block 8\n//@ arg x u32[8] = iota(10, 1)\n.version 6.4\n.target sm_70\n.address_size 64\n" +
		".visible .entry k(.param .u64 x) {\n" +
		".reg .pred %p, %q; .reg .b32 %i, %v; .reg .f32 %f; .reg .b64 %a, %o; .shared .align 4 .b8 tile[64];\n" +
		strings.Join(lines, "\n") + "\nret;\n}\n"
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		lines []string // of the kernel
		want  string   // about the last of them
	}{
		{[]string{"mov.u32 %i, %laneid;", "setp.gt.u32 %p, %i, 8;", "@%p mov.u32 %v, 1;"},
			"line 10, `@%p mov.u32 %v, 1`: no lane executes it: %p is false in all 8 lanes."},
		{[]string{"mov.u32 %i, %laneid;", "setp.lt.u32 %p, %i, 9;", "@!%p mov.u32 %v, 1;"},
			"line 10, `@!%p mov.u32 %v, 1`: no lane executes it: %p is true in all 8 lanes."},
		{[]string{"mov.u32 %i, %laneid;", "setp.eq.u32 %p, %i, 3;", "@%p mov.u32 %v, 5;"},
			"line 10, `@%p mov.u32 %v, 5`: %v = 5 in 1 of 8 lanes."},
		{[]string{"mov.f32 %f,\n\t0f3F000000;"}, "line 8, `mov.f32 %f, 0f3F000000`: %f = 0.5 in all 8 lanes."},
		{[]string{"mov.u32 %i, %laneid;", "min.u32 %v, %i, 1;"},
			"line 9, `min.u32 %v, %i, 1`: %v = 0 (1 lane), 1 (7 lanes)."},
		{[]string{"mov.b32 %v, 255;"}, "line 8, `mov.b32 %v, 255`: %v = 0xff in all 8 lanes."},
		// lanes 0 to 7 give 0 1 0 1 0 1 0 1; 1 - (i & 1) gives 1 0 1 0 …: first and last differ
		{[]string{"mov.u32 %i, %laneid;", "rem.u32 %v, %i, 7;"},
			"line 9, `rem.u32 %v, %i, 7`: %v = 0, 1, 2, 3, … in all 8 lanes."},
		{[]string{"ld.param.u64 %a, [x];", "ld.global.u32 %v, [%a+8];"},
			"line 9, `ld.global.u32 %v, [%a+8]`: all 8 lanes load from x+8, %v = 12 in all 8 lanes."},
		{[]string{"ld.param.u64 %a, [x];", "ld.global.u64 %a, [%a];"}, // 11·2^32 + 10
			"line 9, `ld.global.u64 %a, [%a]`: all 8 lanes load from x, %a = 47244640266 in all 8 lanes."},
		// the last lane's store is what remains
		{[]string{"ld.param.u64 %a, [x];", "mov.u32 %i, %laneid;", "st.global.u32 [%a], %i;"},
			"line 10, `st.global.u32 [%a], %i`: all 8 lanes store to x, which then holds 7."},
		{[]string{"ld.param.u64 %a, [x];", "st.global.u32 [%a], 7;"},
			"line 9, `st.global.u32 [%a], 7`: all 8 lanes store 7 to x."},
		{[]string{".local .align 4 .b8 mine[8]; mov.u32 %i, %laneid;", "st.local.u32 [mine+4], %i;"},
			"line 9, `st.local.u32 [mine+4], %i`: all 8 lanes store 0 … 7 to local+4."},
		{[]string{"mov.u32 %v, tile;", "mov.u32 %i, %laneid;", "mad.lo.u32 %i, %i, 4, %v;", "st.shared.u32 [%i], 7;",
			"ld.shared.u32 %v, [%i];"},
			"line 12, `ld.shared.u32 %v, [%i]`: all 8 lanes load from shared … shared+28, %v = 7 in all 8 lanes."},
		{[]string{"mov.u32 %i, %laneid;", "st.shared.u8 tile[%i], 7;", "ld.shared.u8 %v, tile[%i];"},
			"line 10, `ld.shared.u8 %v, tile[%i]`: all 8 lanes load from tile[0] … tile[7], %v = 0x7 in all 8 lanes."},
		{[]string{"mov.u32 %v, tile;", "mov.u32 %i, %laneid;", "mad.lo.u32 %i, %i, 4, %v;", "st.shared.u32 [%i+4], %i;"},
			"line 11, `st.shared.u32 [%i+4], %i`: all 8 lanes store 0 … 28 to shared+4 … shared+32."},
		{[]string{"st.shared.u32 [tile], 0;", "atom.shared.add.u32 %v, [tile], 2;"},
			"line 9, `atom.shared.add.u32 %v, [tile], 2`: all 8 lanes update shared, %v = 0 … 14 in all 8 lanes."},
		{[]string{"bar.sync 0;"}, "line 8, `bar.sync 0`: all 8 threads have arrived, barrier 0 lets them go on."},
		{[]string{"mov.u32 %i, %laneid;", "setp.lt.u32 %p, %i, 3;", "@%p exit;"},
			"line 10, `@%p exit`: 3 of 8 lanes exit; 5 lanes remain."},
		{[]string{"mov.u32 %i, %laneid;", "setp.lt.u32 %p|%q, %i, 3;"},
			"line 9, `setp.lt.u32 %p|%q, %i, 3`: %p is true in 3 of 8 lanes, %q is true in 5 of 8 lanes."},
		{[]string{"nanosleep.u32 100;"}, "line 8, `nanosleep.u32 100`: all 8 lanes execute it."},
		// a loop that lane 0 leaves: the others go on, lane 0 waits at line 12
		{[]string{"mov.u32 %i, %laneid;", "L: setp.eq.u32 %p, %i, 0;", "sub.u32 %i, %i, 1;", "@!%p bra L;"},
			"line 11, `@!%p bra L`: 7 of 8 lanes branch; new group 000000fe, to meet at line 12."},
	} {
		got := sentences(t, body(c.lines...))
		require.Equal(t, c.want, got[len(c.lines)-1])
	}
}

// calls has a function that two thirds of the lanes call again, through a pointer.
func calls(t testing.TB) string { return txtar.Text(t, "sentence/calls") }

func TestSentencesOfCalls(t *testing.T) {
	got := sentences(t, calls(t))
	require.Equal(t, "line 18, `st.param.b32 [a], 21`: all 4 lanes store 0x15 to a.", got[0])
	require.Equal(t, "line 19, `call (r), twice, (a)`: all 4 lanes call twice.", got[1])
	require.Equal(t, "line 8, `ld.param.b32 %v, [a]`: all 4 lanes load from a, %v = 0x15 in all 4 lanes.", got[2])
	require.Equal(t, "line 11, `ret`: all 4 lanes return; group 0000000f runs next at line 20.", got[5])
	require.Equal(t, "line 20, `ld.param.b32 %v, [r]`: all 4 lanes load from r, %v = 0x2a in all 4 lanes.", got[6])
	i := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "line 23, ") })
	require.Equal(t, "line 23, `call (r), %f, (a), proto`: all 4 lanes call what %f holds.", got[i])
	require.Equal(t, "line 25, `exit`: all 4 lanes exit; warp 0 has ended. Finished: 4 threads, 14 warp instructions.",
		got[len(got)-1])
}

func TestSentenceOfABarrierThatWaits(t *testing.T) {
	s := open(t, pair(t))
	for s.View().Line != 22 {
		s.Step()
	}
	require.NotNil(t, s.View().Last)
	s.Step()
	require.Equal(t, "line 22, `bar.sync 0`: 32 of 64 threads have arrived at barrier 0.", s.View().Status)
}

func TestSentenceOfPrinting(t *testing.T) {
	src, err := os.ReadFile("../public/examples/17-printf.ptx")
	require.NoError(t, err)
	s := open(t, string(src))
	for s.View().Phase != Finished && !strings.Contains(s.View().Status, "lanes print") {
		s.Step()
	}
	require.Contains(t, s.View().Status, "all 8 lanes print \"lane 0 squared is 0, its root is 0.000000\\nlane 1")
	require.Contains(t, s.View().Output, "lane 7 squared is 49")
}

func TestStepSaysWhyItWaits(t *testing.T) {
	// Warp 0 waits at the barrier for warp 1, which spins forever.
	s := open(t, txtar.Text(t, "sentence/waits"))
	for range 5 {
		s.Step()
	}
	v := s.View()
	require.Equal(t, Paused, v.Phase)
	require.Equal(t, "Warp 0 of CTA 0 still waits at barrier 0: other warps ran 131,072 instructions.", v.Status)
	require.Equal(t, 12, v.Line)
	s.StepBack() // before the barrier, far back
	require.Equal(t, 11, s.View().Line)
	require.Equal(t, 10, s.line(s.View().Last.Inst))
}

func TestDiagnosticsOfABadText(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("test.ptx", strings.Replace(split(t), "bra DONE", "bra DOEN", 1))
	v := s.View()
	require.Equal(t, Invalid, v.Phase)
	require.Nil(t, v.State)
	require.Nil(t, s.Spec())
	require.NotNil(t, s.Module())
	require.NotEmpty(t, v.Diagnostics.Errors())
	require.True(t, strings.HasPrefix(v.Status, "Cannot run: line 15: "), v.Status)
	require.True(t, strings.HasSuffix(v.Status, "did you mean DONE?"), v.Status)

	s.SetSource("test.ptx", "//@ blok 3\n"+split(t))
	require.Equal(t, "header-key", s.View().Diagnostics.Errors()[0].Code)
	require.True(t, strings.HasPrefix(s.View().Status, "Cannot launch: line 1: "), s.View().Status)
	s.SetSource("test.ptx", split(t)+"//@ late\n")
	require.Equal(t, Ready, s.View().Phase)
	require.Equal(t, "header-late", s.View().Diagnostics[0].Code)
	s.SetSource("test.ptx", strings.ReplaceAll(split(t), "//@", "//"))
	require.Equal(t, "Ready: kernel k, 32 threads in 1 CTA. "+
		"No launch header: grid, block and arguments were guessed.", s.View().Status)
	require.Equal(t, 0, int(s.View().End))
	finish(s)
	require.Equal(t, "Finished: 32 threads, 11 warp instructions. The launch is guessed, and nothing is checked.",
		s.View().Status)
}

func TestUnmetExpectationsAreCounted(t *testing.T) {
	s := open(t, "//@ expect out[0] == 8\n"+split(t))
	finish(s)
	require.Equal(t, "Finished: 32 threads, 11 warp instructions. 1 of 3 expectations not met.", s.View().Status)
	require.Equal(t, "out[0] is 7, expected 8", s.View().Expect[0].Got)
}

func TestExpectedFault(t *testing.T) {
	s := open(t, "//@ expect fault Misaligned\n"+faulty(t))
	finish(s)
	require.True(t, strings.HasSuffix(s.View().Status, ", as expected."), s.View().Status)
}

func TestRegions(t *testing.T) {
	s := open(t, txtar.Text(t, "sentence/regions"))
	byName := map[string]Region{}
	var names []string
	for _, r := range s.View().Memory {
		byName[r.Name] = r
		names = append(names, r.Name)
	}
	require.Equal(t, []string{"p", "table", "quad", "shared", "local"}, names)
	require.True(t, byName["p"].Image)
	require.Equal(t, []int{2, 3}, byName["p"].Dims)
	require.Equal(t, ptx.ConstSpace, byName["table"].Space)
	require.Equal(t, []int{2, 3}, byName["table"].Dims) // x first
	require.Equal(t, "f32", byName["table"].Type)
	require.Equal(t, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, byName["table"].Bytes[:8])
	require.Equal(t, "u32x4", byName["quad"].Type)
	require.Equal(t, "f32", byName["shared"].Type)
	require.Len(t, byName["shared"].Bytes, 32)

	s.FollowLane(5)
	s.Step()
	s.Step()
	v := s.View()
	local := v.Memory[len(v.Memory)-1]
	require.Equal(t, 5, local.Lane)
	require.Equal(t, byte(5), local.Bytes[4])
	require.Equal(t, []Range{{4, 8}}, local.Changed)
	require.Equal(t, "local+4", v.Name(local.Addr+4))
	s.Step()
	v = s.View()
	shared := v.Memory[len(v.Memory)-2]
	require.Equal(t, []Range{{4, 8}}, shared.Changed)
	require.Empty(t, v.Memory[len(v.Memory)-1].Changed)
}

// The first and the last value are shown for all only if the others lie between them.
func TestEllipsis(t *testing.T) {
	for want, values := range map[string][]string{
		"7":                       {"7", "7", "7", "7", "7"},
		"0 … 4":                   {"0", "1", "2", "3", "4"},
		"0x10 … 0x2":              {"0x10", "0x9", "0x9", "0x4", "0x2"},
		"-1.5 … 2":                {"-1.5", "0", "1e-3", "1", "2"},
		"out … out+16":            {"out", "out+4", "out+8", "out+12", "out+16"},
		"0, 1, 2, 0, …":           {"0", "1", "2", "0", "1"},
		"tile[0] … tile[7]":       {"tile[0]", "tile[3]", "tile[7]"},
		"0 (1 lane), 1 (5 lanes)": {"0", "1", "1", "1", "1", "1"},
		"0, 1, 0, 1, …":           {"0", "1", "0", "1", "0", "1"},
		// Addresses in two memories say nothing about those between.
		"shared, x+4, shared+8, x+12, …":  {"shared", "x+4", "shared+8", "x+12", "shared+16", "x+20"},
		"out+16, out+4, out+8, out+12, …": {"out+16", "out+4", "out+8", "out+12", "out+20"},
		"0x1, 0x3, 0x2, 7":                {"0x1", "0x3", "0x2", "7"},
	} {
		require.Equal(t, want, ellipsis(values))
	}
}

// A step names the values that a lane never wrote, if an address, a branch or a store depends on them. The body begins
// in line 8.
func TestSentencesOfUndefinedValues(t *testing.T) {
	for want, lines := range map[string][]string{
		"line 8, `@%p bra L`: no lane branches; lanes 0-7 ask the guard %p, which they have never written.": {
			"@%p bra L;", "L:"},
		"; lanes 1-7 store %v, which they have never written.": {
			"mov.u32 %i, %laneid;", "setp.eq.u32 %p, %i, 0;", "@%p mov.u32 %v, 1;", "st.shared.u32 [tile], %v;"},
		"; lane 7 stores %i, which comes from line 11, where it had never written %v.": {
			"mov.u32 %i, %laneid;", "setp.lt.u32 %p, %i, 7;", "@%p mov.u32 %v, 0;", "add.u32 %i, %v, 5;",
			"st.shared.u32 [tile], %i;"},
	} {
		list := sentences(t, body(lines...))
		found := ""
		for _, s := range list {
			if strings.Contains(s, "never written") {
				found = s
			}
		}
		require.Contains(t, found, want)
	}
}

// Tensor memory is a region: columns and lanes. A step shows what it wrote there.
func TestTensorMemory(t *testing.T) {
	src := txtar.Text(t, "sentence/tensorMemory")
	s := open(t, src)
	require.Len(t, s.View().Memory, 2) // out, shared
	for range 5 {
		s.Step()
	}
	v := s.View()
	r := v.Memory[len(v.Memory)-1]
	require.Equal(t, TensorMemory, r.Name)
	require.Equal(t, []int{32, 128}, r.Dims)
	require.Equal(t, byte(9), r.Bytes[4*(9*32+3)])
	require.Equal(t, Range{4 * 3, 4 * 4}, r.Changed[0])
	require.Len(t, r.Changed, 32)
	require.Empty(t, v.Name(64)) // it has no addresses
	require.Contains(t, v.Status, "tensor memory: lanes 0 to 31, columns 3 to 3")
}

// A CTA that allocates for its pair waits for the other one, which then does it for both.
func TestTensorPairSentences(t *testing.T) {
	s := open(t, txtar.Text(t, "sentence/tensorPair"))
	s.Step()
	require.Contains(t, s.View().Status, "all 32 lanes wait for the other CTA of the pair")
	for !strings.Contains(s.View().Status, "tensor memory of CTA ") {
		s.Step()
		require.NotEqual(t, Finished, s.phase, s.View().Status)
	}
	require.Regexp(t, `tensor memory: lanes 0 to 127, columns 0 to 7; tensor memory of CTA .*: lanes 0 to 127|`+
		`tensor memory of CTA .*: lanes 0 to 127, columns 0 to 7; tensor memory: lanes 0 to 127`, s.View().Status)
	for !strings.Contains(s.View().Status, "%t = 0x0") {
		s.Step()
		require.NotEqual(t, Faulted, s.phase, s.View().Status)
	}
}

// Sentences describe barriers that are objects, and what arrives while a warp waits.
func TestMbarrierSentences(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("t.ptx", txtar.Text(t, "sentence/mbarrier"))
	for _, want := range []string{
		"line 7, `mbarrier.init.shared.b64 [bar], 2`: 1 lane initialises; mbarrier shared: phase 0, 2 of 2 arrivals pending.",
		"1 lane arrives, %s = 0x8000000000200002 in 1 lane; mbarrier shared: " +
			"phase 0, 1 of 2 arrivals pending, 512 bytes expected.",
		// its time is up at once
		"1 lane looks, %p is true in no lane; mbarrier shared: phase 0, 1 of 2 arrivals pending, 512 bytes expected.",
		"1 lane updates; mbarrier shared: phase 0, 1 of 2 arrivals pending.",
		"1 lane arrives, %s = 0x8000000000200001 in 1 lane; mbarrier shared: phase 1, 2 of 2 arrivals pending.",
	} {
		s.Step()
		require.Contains(t, s.View().Status, want)
	}
}

// Several shared variables are regions of their own, under readable names; an array of bytes has the type of the first
// access; variables that C++ headers declare and the kernel does not name are not listed.
func TestSharedVariables(t *testing.T) {
	s := open(t, txtar.Text(t, "sentence/sharedVariables"))
	for range 5 {
		s.Step()
	}
	v := s.View()
	var names []string
	for _, r := range v.Memory {
		names = append(names, r.Name)
	}
	require.Equal(t, []string{"unused", "As", "Bs", "shared"}, names)
	as, bs := v.Memory[1], v.Memory[2]
	require.Equal(t, 64, len(as.Bytes))
	require.Equal(t, "f32", bs.Type)
	require.Empty(t, bs.Dims, "32 would be the number of bytes")
	require.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 0x40}, bs.Bytes[:8])
	require.Equal(t, "Bs", v.Name(bs.Addr))
	require.Equal(t, "Bs+4", v.Name(bs.Addr+4))
	require.Contains(t, v.Status, "%rd1 = Bs")
}

// CTA 5 is in the cluster of CTAs 4 to 7, whose sum is in the shared memory of the first.
func TestSharedMemoryOfAnotherCTAHasAName(t *testing.T) {
	text, err := os.ReadFile("../public/examples/33-cluster-sum.ptx")
	require.NoError(t, err)
	s := open(t, string(text))
	for cta, place := range map[int]string{4: "shared", 5: "shared of CTA 4"} {
		s.Reset()
		s.Follow(cta, 0)
		for !strings.Contains(s.View().Status, "red.shared") {
			require.NotEqual(t, Finished, s.View().Phase)
			s.Step()
		}
		require.Contains(t, s.View().Status, "1 of 32 lanes updates "+place+".")
	}
}

// Compilers name parameters after the whole type of a kernel. The sentence keeps both ends, and says the value.
func TestSentencesKeepLongNamesShort(t *testing.T) {
	text, err := os.ReadFile("../testdata/control/cutlass-gemm.ptx")
	require.NoError(t, err)
	s := open(t, string(text))
	s.Step()
	s.Step()
	require.True(t, strings.HasSuffix(s.View().Status,
		": all 32 lanes load from _ZN7cutlass6Kern…6ParamsE_param_0+4, %r2 = 104 in all 32 lanes."), s.View().Status)
}
