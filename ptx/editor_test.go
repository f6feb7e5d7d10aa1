package ptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
)

func editorSource(t testing.TB) string { return txtar.Text(t, "editor/editorSource") }

// at is the offset just after the n-th occurrence of a text.
func at(t *testing.T, src, text string, n int) int {
	t.Helper()
	i := 0
	for range n {
		j := strings.Index(src[i:], text)
		require.GreaterOrEqual(t, j, 0, text)
		i += j + len(text)
	}
	return i
}

func TestHover(t *testing.T) {
	m := parseOK(t, editorSource(t))
	for _, c := range []struct {
		text, title string
		n           int
	}{
		{"setp.l", "setp.lt.s32", 1}, {"%p", ".reg .pred %p1", 2}, {"@%p", "@%p1", 1}, {"%ti", "%tid", 1},
		{"tabl", ".global .align 4 .b32 table[4]", 2}, {"DON", "DONE:", 1}, {".ent", ".entry", 1}, {".b3", ".b32", 1},
		{"ou", ".param .align 8 .u64 out", 1}, {" k", ".entry k(.param .u64 out)", 1}, {".vers", ".version", 1},
	} {
		h, ok := m.Hover(at(t, editorSource(t), c.text, c.n))
		require.True(t, ok, c.text)
		require.Equal(t, c.title, h.Title, c.text)
	}
	_, ok := m.Hover(at(t, editorSource(t), "{\n", 1))
	require.False(t, ok)
}

// complete parses a source with a cursor mark and returns the proposals there.
func complete(src string) []string {
	i := strings.Index(src, "^")
	m, _ := Parse("c.ptx", []byte(src[:i]+src[i+1:]))
	var labels []string
	for _, c := range m.Complete(i) {
		labels = append(labels, c.Label)
	}
	return labels
}

func TestComplete(t *testing.T) {
	with := func(line string) string { return strings.Replace(editorSource(t), "DONE:\n", "DONE:\n"+line+"\n", 1) }
	require.Subset(t, complete(with("\tse^")), []string{"set", "setp", "selp"})
	require.Equal(t, []string{"DONE"}, complete(with("\tbra D^;")))
	require.Equal(t, []string{"%r0", "%r1", "%r2", "%r3"}, complete(with("\tadd.s32 %r^")))
	require.Equal(t, []string{"%p0", "%p1"}, complete(with("\t@^")))
	require.NotContains(t, complete(with("\tadd.s32 ^")), "inner")
	require.Contains(t, complete(with("\tld.global.b32 %r1, [ta^")), "table")
	require.Contains(t, complete(with("\tmov.u32 %r1, %t^")), "%tid")
	require.Contains(t, complete(with("\tadd.s^")), ".s32")
	require.NotContains(t, complete(with("\tadd.^")), ".sync")
	require.Equal(t, []string{".reg"}, complete(with("\t.re^")))
	require.Contains(t, complete(with("\t.reg .f^")), ".f32")
	require.Contains(t, complete(".version 8.0\n.target sm_80\n.ent^"), ".entry")
}

func TestFixes(t *testing.T) {
	// applying every fix of a broken module makes it right
	src := kernel(".reg .b32 %r<4>; .reg .f32 %f<2>; .reg .b16 %h; .reg .b64 %rd;\n" +
		"and.u32 %r1, %r2, %r3;\nadd.s32 %r1, %r2, 1\nld.global.f16 %h, [%rd];\ncvt.f16.f32 %h, %f1;\n" +
		"ld.global.u32 %r1, %rd;\nmov.b32 %r1, %r33;\nadd.s32 %r1, %r2 1;\nshl.s32 %r1, %r2, 1;\nrett;")
	for range 20 {
		m, err := Parse("f.ptx", []byte(src))
		if err == nil {
			return
		}
		d := m.Diagnostics.Errors()[0]
		require.NotNil(t, d.Fix, d)
		src = src[:d.Fix.Span.Start] + d.Fix.Text + src[d.Fix.Span.End:]
	}
	t.Fatal("the fixes lead nowhere:\n" + src)
}
