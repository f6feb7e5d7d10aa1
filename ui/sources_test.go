package ui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
)

// The text of nvcc -lineinfo -src-in-ptx in short: add.cu has a kernel whose line 5 calls a function of line 2.
const fromCUDA = `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<4>;
	.loc 1 4 3
//add.cu:4   int i = threadIdx.x;
	mov.u32 %r1, %tid.x;
	.loc 2 12 7, function_name $L__info0, inlined_at 1 5 9
//add.cu:5   out[i] = twice(i);
	add.s32 %r2, %r1, %r1;
	.loc 1 5 3
	mov.u32 %r3, %r2;
	ret;
}
	.file	1 "/home/u/add.cu"
	.file	2 "/usr/include/twice.h", 0, 12
.section .debug_str { $L__info0: .b8 116,0 }
`

func sourcesOf(t *testing.T, text string) *sources {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	return newSources(m, indexLines(text))
}

func TestSourcesOfLines(t *testing.T) {
	s := sourcesOf(t, fromCUDA)
	require.Equal(t, []int{1, 2}, s.files)
	require.Equal(t, map[int][]int{4: {9}, 5: {12, 14, 15}}, s.from[1])
	require.Equal(t, map[int][]int{12: {12}}, s.from[2])
	require.Equal(t, "add.cu:4", s.place(9))
	require.Equal(t, "twice.h:12 in add.cu:5", s.place(12))
	require.Empty(t, s.place(4))
	require.Equal(t, map[int][]string{1: {"", "", "", "  int i = threadIdx.x;", "  out[i] = twice(i);"}}, s.texts)

	require.Nil(t, sourcesOf(t, ".version 8.0\n.target sm_70\n.entry k() { ret; }\n"))
	var none *sources
	require.Empty(t, none.place(1))
}

// Triton names its files at the end, and writes "// softmax.py:19:40" after a .loc, which quotes nothing.
func TestSourcesOfTriton(t *testing.T) {
	text, err := os.ReadFile("../testdata/control/triton-softmax.ptx")
	require.NoError(t, err)
	s := sourcesOf(t, string(text))
	require.Equal(t, []string{"/tmp/softmax.py", "/tmp/standard.py"}, []string{s.names[s.files[0]], s.names[s.files[1]]})
	line := 1 + strings.Count(string(text[:strings.Index(string(text), "inlined_at 1 19 40")]), "\n")
	require.Contains(t, s.place(line+2)+s.place(line+3), "standard.py:131 in softmax.py:19")
	require.Empty(t, s.texts)
}

// What a compiler made in between is within the text (11.5.6).
func TestIntermediateSource(t *testing.T) {
	texts := map[int][]string{}
	keepBlocks(".nv_intermediate_source_section { .code_block { .ir_name : \"TileIR\" .sourceFileName : 3\n"+
		".source_begin\nentry @k {\n  return\n}\n.source_end } }", texts)
	require.Equal(t, map[int][]string{3: {"entry @k {", "  return", "}"}}, texts)
	at := &ptx.Loc{File: 1, Line: 7, Intermediate: &ptx.Loc{File: 3, Line: 2}}
	require.Equal(t, 2, lineOf(at, 3))
	require.Equal(t, 7, lineOf(at, 1))
	require.Zero(t, lineOf(at, 2))
}

func sourceStore(t *testing.T, text string) (*Store, *fakePlatform) {
	t.Helper()
	platform := newFakePlatform()
	store := NewStore(debug.New(emu.Options{}), platform)
	store.Open()
	store.Do(OpenFile{"k.ptx", text})
	return store, platform
}

func TestSourcePanel(t *testing.T) {
	store, _ := sourceStore(t, fromCUDA)
	v := store.Model().sourceView()
	require.Equal(t, sourceView{File: 1, Name: "/home/u/add.cu", Found: true, Now: 4, Used: []int{4, 5},
		Text: "\n\n\n  int i = threadIdx.x;\n  out[i] = twice(i);"}, v)

	programs := len(store.Model().Files.Open)
	store.Do(OpenFile{"add.cu", "// the file\n"})
	require.Len(t, store.Model().Files.Open, programs, "it is no program")
	require.Equal(t, "// the file\n", store.Model().sourceView().Text)
	require.True(t, store.Model().layout().Shows(sourcePanel))
	require.Empty(t, store.Model().Notice)
	store.Do(OpenFile{"other.cu", "// the file\n"})
	require.Equal(t, "other.cu is kept: it opens beside a text whose .file names it. This one names add.cu, twice.h.",
		store.Model().Notice)

	store.Do(StepOnce{})
	require.Equal(t, 5, store.Model().sourceView().Now)
	store.Do(ShowSource{2})
	v = store.Model().sourceView()
	require.Equal(t, 12, v.Now)
	require.False(t, v.Found)
	store.Do(ShowSource{1})
	store.Do(PointSource{5})
	require.Equal(t, 5, store.Model().sourceView().Lit)
	store.Do(PointText{9})
	require.Equal(t, 4, store.Model().sourceView().Lit)
	source, lines := store.Model().stripes()
	require.Equal(t, map[int]int{4: 0, 5: 1}, source)
	require.Equal(t, map[int]int{9: 0, 12: 1, 14: 1, 15: 1}, lines)
}

// A kernel in a.cu calls a function of b.cu: the panel shows the file of the next instruction. Lines 15 and 16 are of
// a.cu, 8 and 9 of b.cu, 18 of b.cu within a.cu: there the shown file stays.
func TestSourceFollowsTheStep(t *testing.T) {
	store, platform := sourceStore(t, `.version 8.0
.target sm_70
.address_size 64
.func f()
{
	.reg .b32 %r<4>;
	.loc 2 3 1
	mov.u32 %r1, %tid.x;
	ret;
}
.visible .entry k()
{
	.reg .b32 %r<4>;
	.loc 1 4 3
	mov.u32 %r1, 5;
	call f;
	.loc 2 7 1, function_name $L__info0, inlined_at 1 5 9
	mov.u32 %r2, 6;
	ret;
}
	.file	1 "a.cu"
	.file	2 "b.cu"
.section .debug_str { $L__info0: .b8 102,0 }
`)
	shown := func() string { return store.Model().sourceView().Name }
	var seen []string
	for range 5 {
		seen = append(seen, fmt.Sprint(store.Model().View.Line, " ", shown()))
		store.Do(StepOnce{})
		platform.frame()
	}
	require.Equal(t, []string{"15 a.cu", "16 a.cu", "8 b.cu", "9 b.cu", "18 b.cu"}, seen)
	store.Do(ShowSource{1})
	require.Equal(t, "a.cu", shown(), "the reader's choice")
	store.Do(StepBack{})
	platform.frame()
	require.Equal(t, "a.cu", shown(), "it has a part in the inlined line")
}

// Stepping by source line: from line 4 to what was inlined, and on to line 5 itself.
func TestStepBySourceLine(t *testing.T) {
	store, platform := sourceStore(t, fromCUDA)
	var lines []int
	for range 3 {
		store.Do(keyAction("F7", false, false))
		platform.frame()
		lines = append(lines, store.Model().View.Line)
	}
	require.Equal(t, []int{12, 14, 0}, lines)
	for _, line := range []int{14, 12, 9} { // lines 14 and 15 are both of line 5
		store.Do(keyAction("F7", true, false))
		platform.frame()
		require.Equal(t, line, store.Model().View.Line)
	}
}
