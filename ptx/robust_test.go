package ptx

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile parses hostile input, of up to ten megabytes. Work that grows with the square of the text would outlast the
// limit of the whole test; BenchmarkParse says how fast it is.
func hostile(t *testing.T, src []byte) *Module {
	t.Helper()
	m, _ := Parse("hostile.ptx", src)
	require.LessOrEqual(t, len(m.Diagnostics), 3*maxDiagnostics+1)
	return m
}

func TestRandomBytes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	src := make([]byte, 1<<20)
	r.Read(src)
	m := hostile(t, src)
	require.NotEmpty(t, m.Diagnostics)
}

func TestNestedBraces(t *testing.T) {
	for _, src := range []string{
		head + ".entry k() " + strings.Repeat("{", 100000),
		head + ".entry k() " + strings.Repeat("{", 100000) + strings.Repeat("}", 100000),
		head + ".global .u32 x[1] = " + strings.Repeat("{", 100000),
		kernel(".reg .u32 a; mov.u32 a, " + strings.Repeat("(", 100000)),
		kernel(".reg .u32 a; mov.u32 a, " + strings.Repeat("-", 100000) + "1;"),
		kernel(".reg .u32 a; mov.u32 a, " + strings.Repeat("{", 100000)),
		kernel(".reg .u32 a; mov.u32 a, " + strings.Repeat("[", 100000)),
		kernel(".reg .u32 a; mov.u32 a, " + strings.Repeat("1?", 100000)),
		head + strings.Repeat("{", 100000),
		head + ".section .debug_info " + strings.Repeat("{", 100000),
	} {
		m := hostile(t, []byte(src))
		require.NotEmpty(t, m.Diagnostics)
		require.LessOrEqual(t, len(m.Diagnostics.Errors()), 2, "%v", m.Diagnostics)
	}
}

func TestMillionRegisters(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + ".entry k() {\n.reg .b32 %s<1000000>;\n")
	for i := range 100000 {
		fmt.Fprintf(&b, ".reg .b32 %%r%d, %%q%d; mov.b32 %%r%d, %%s%d;\n", i, i, i, i)
	}
	b.WriteString("ret;\n}\n")
	m := hostile(t, []byte(b.String()))
	require.Empty(t, m.Diagnostics)
	require.Len(t, m.Funcs[0].Regs, 200000)
}

func TestTenMegabytes(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + ".entry k() {\n.reg .pred %p<2>;\n.reg .b32 %r<100>;\n")
	for i := 0; b.Len() < 10<<20; i++ {
		fmt.Fprintf(&b, "L%d:\n\tadd.s32 \t%%r%d, %%r%d, 1;\n\tsetp.lt.s32 %%p1, %%r%d, 5;\n\t@%%p1 bra L%d;\n", i, i%100,
			(i+1)%100, i%99, i/2)
	}
	b.WriteString("ret;\n}\n")
	m := hostile(t, []byte(b.String()))
	require.Empty(t, m.Diagnostics)
	hostile(t, bytes.Repeat([]byte("garbage { } "), 1<<20))
	hostile(t, bytes.Repeat([]byte("a"), 10<<20))
	hostile(t, append([]byte(kernel("")), bytes.Repeat([]byte("\n.reg"), 2<<20)...))
}

func TestTooManyErrors(t *testing.T) {
	m := hostile(t, []byte(head+".entry k() {\n"+strings.Repeat("add.u32;\n", 100000)+"}"))
	errors := m.Diagnostics.Errors()
	require.Len(t, errors, maxDiagnostics+1)
	require.Equal(t, "too-many-errors", errors[maxDiagnostics].Code)
}

// seeds are the sources that the fuzzer and the mutation test start from.
func seeds(t testing.TB) [][]byte {
	var out [][]byte
	for _, pattern := range []string{"../bench/*.ptx", "testdata/errors/*.ptx", "testdata/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, f := range files {
			src, err := os.ReadFile(f)
			require.NoError(t, err)
			out = append(out, src)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		if src := codes[code].exampleModule(); len(src) < 4000 {
			out = append(out, []byte(src))
		}
	}
	return out
}

// TestMutations parses damaged sources: nothing panics, and spans stay inside the source.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	all := seeds(t)
	for _, src := range all {
		for range 20 {
			checkWhole(t, mutate(r, src, all))
		}
	}
}

func mutate(r *rand.Rand, src []byte, all [][]byte) []byte {
	out := bytes.Clone(src)
	for range 1 + r.Intn(4) {
		if len(out) < 2 {
			return out
		}
		i := r.Intn(len(out) - 1)
		j := min(len(out), i+1+r.Intn(20))
		switch r.Intn(5) {
		case 0:
			out = append(out[:i:i], out[j:]...)
		case 1:
			out[i] = byte(r.Intn(256))
		case 2:
			out = append(append(bytes.Clone(out[:j]), out[i:j]...), out[j:]...)
		case 3:
			other := all[r.Intn(len(all))]
			k := r.Intn(len(other))
			out = append(append(bytes.Clone(out[:i]), other[k:min(len(other), k+40)]...), out[i:]...)
		case 4:
			out = out[:i]
		}
	}
	return out
}

// checkWhole parses a module and checks what is true of every module, however broken.
func checkWhole(t testing.TB, src []byte) {
	m, err := Parse("x", src)
	require.NotNil(t, m)
	require.Equal(t, err != nil, len(m.Diagnostics.Errors()) > 0)
	for _, d := range m.Diagnostics {
		require.True(t, 0 <= d.Span.Start && d.Span.Start <= d.Span.End && int(d.Span.End) <= len(src), "%v %v", d, d.Span)
		require.Contains(t, codes, d.Code)
	}
	for _, f := range m.Funcs {
		for i, r := range f.Regs {
			require.Equal(t, i, r.Index)
		}
		for i, in := range f.Insts {
			require.Equal(t, i, in.Index)
			require.True(t, in.Match != nil || err != nil, "%s", in.Opcode)
			for _, target := range in.Targets() {
				require.True(t, 0 <= target && target <= len(f.Insts))
			}
		}
	}
	for offset := 0; offset < len(src); offset += 1 + len(src)/40 {
		m.Hover(offset)
		m.Complete(offset)
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range seeds(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkWhole(t, src) })
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("../bench/matmul.ptx")
	require.NoError(b, err)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Parse("matmul.ptx", src); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManySets: a name is found among the sets of its scope by its prefix, not by a search through all of them.
func TestManySets(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + ".entry k() {\n")
	for i := range 30000 {
		fmt.Fprintf(&b, ".reg .b32 %%x%d_<3>;\n", i)
	}
	for i := range 30000 {
		fmt.Fprintf(&b, "mov.b32 %%x%d_1, %%x%d_2;\n", i, i)
	}
	b.WriteString("ret;\n}\n")
	m := hostile(t, []byte(b.String()))
	require.Empty(t, m.Diagnostics)
	require.Len(t, m.Funcs[0].Regs, 60000)
}

// TestManyGuesses: the search for similar names is limited.
func TestManyGuesses(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	for i := range 50000 {
		fmt.Fprintf(&b, ".global .u32 some_longish_name_%d;\n", i)
	}
	b.WriteString(".entry k() {\n.reg .b32 %r<4>;\n")
	for i := range 150 {
		fmt.Fprintf(&b, "ld.global.u32 %%r1, [some_longish_nam_%d];\n", i)
	}
	b.WriteString("ret;\n}\n")
	m := hostile(t, []byte(b.String()))
	require.Len(t, m.Diagnostics.Errors(), 150)
	require.Contains(t, m.Diagnostics[0].Message, "did you mean some_longish_name_0?")
}

// Options of .target have any length.
func TestShortTargetOptions(t *testing.T) {
	m, _ := Parse("k.ptx", []byte(".version 2.3\n.target sm_20, debug, texmode_unified\n.address_size 64\n"))
	require.Empty(t, m.Diagnostics)
	require.Equal(t, []string{"debug", "texmode_unified"}, m.TargetOpts)
}

// A list of targets cannot name itself, because its name is not a label.
func TestListThatNamesItself(t *testing.T) {
	m, _ := Parse("k.ptx", []byte(kernel(".reg .u32 i; ts: .branchtargets L, ts; brx.idx i, ts; L:")))
	require.Len(t, m.Diagnostics.Errors(), 1)
	require.Equal(t, "undefined-label", m.Diagnostics[0].Code)
}

// 5.1.7: a CTA has 48 KiB for .shared variables, that is 12,288 words; on architecture-specific targets 228 KiB, that
// is 58,368 words, and on those of the family sm_12x 100 KiB, that is 25,600.
func TestSharedMemoryOfACTA(t *testing.T) {
	for _, c := range []struct {
		targets string
		words   int
	}{
		{"sm_52 sm_80 sm_90 sm_100 sm_100f sm_107f sm_110f sm_120 sm_121f", 12288},
		{"sm_90a sm_100a sm_101a sm_103a sm_107a sm_110a", 58368},
		{"sm_120a sm_121a", 25600},
	} {
		for _, target := range strings.Fields(c.targets) {
			for more := range 2 {
				m, _ := Parse("k.ptx", []byte(fmt.Sprintf(".version 9.4\n.target %s\n.address_size 64\n"+
					".entry k() { .shared .b32 s[%d]; ret; }", target, c.words+more)))
				require.Len(t, m.Diagnostics, more, target)
				if more == 1 {
					require.Contains(t, m.Diagnostics[0].Message,
						fmt.Sprintf("take %d bytes; a CTA of %s gets %d", 4*c.words+4, target, 4*c.words))
				}
			}
		}
	}
}

// 9.7.14.1: the labels of an instruction block cannot be reached from outside.
func TestLabelOfInnerBlock(t *testing.T) {
	m, _ := Parse("k.ptx", []byte(kernel("{ L: } bra L;")))
	require.Len(t, m.Diagnostics.Errors(), 1)
	require.Contains(t, m.Diagnostics[0].Notes[0].Message, "inside an instruction block { }")
}
