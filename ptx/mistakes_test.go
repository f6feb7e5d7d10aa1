package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneMistake: what a slip of the pen breaks is one error, whose words name the slip.
func TestOneMistake(t *testing.T) {
	for _, c := range []struct{ wrong, says, right string }{
		{"reg .f64 %x;", "there is no instruction reg; did you mean .reg?", ".reg .f64 %x;"},
		{"shared .b32 s[4];", "there is no instruction shared; did you mean .shared?", ".shared .b32 s[4];"},
		{"bra done;\ndone\nret;", "the label done lacks its colon", "bra done;\ndone:\nret;"},
		{"done mov.u32 %r1, 1;\nbra done;", "the label done lacks its colon", "done: mov.u32 %r1, 1;\nbra done;"},
		{"lds.v2.u32 {%r1, %r2}, [%rd1];", "there is no instruction lds", "ld.v2.u32 {%r1, %r2}, [%rd1];"},
		{".reg .b32 %q<99999999>; mov.u32 %q1, %q2;", "the number of names must be between 0 and 16777216", ""},
		{".reg .b32 %q<-1>; mov.u32 %q1, %q2;", "the number of names must be between 0 and 16777216", ""},
		{"add.u32 %r1, %r2 %r3;", "expected ',' or ';' after '%r2', found '%r3'",
			"add.u32 %r1, %r2, %r3;"},
		{"add.u32 %r1,, %r3;", "expected an operand, found ','", ""},
		{"add.u32 %r1, %r2, ;", "expected an operand, found ';'", ""},
		{"add.u32 %r1, %r2, 1+;", "expected a constant, found ';'", ""},
	} {
		src := kernel(fixRegisters + c.wrong)
		m, _ := Parse("a.ptx", []byte(src))
		require.Len(t, m.Diagnostics, 1, c.wrong)
		d := m.Diagnostics[0]
		require.Contains(t, d.Message, c.says)
		if c.right == "" {
			require.Nil(t, d.Fix, c.wrong)
			continue
		}
		require.NotNil(t, d.Fix, c.wrong)
		text := applied(src, d.Fix)
		require.Equal(t, strings.Replace(src, c.wrong, c.right, 1), text)
		require.Empty(t, parseOK(t, text).Diagnostics, c.right)
	}
}

// TestStrayStatements: a brace too many or too few is one error or two, not one for each statement after it. What
// follows the function is parsed again.
func TestStrayStatements(t *testing.T) {
	const after = "\n.entry last() { .reg .b32 %r<2>; add.u33 %r1, 1, 2; ret; }\n"
	const body = ".reg .b32 %r<4>;\nmov.u32 %r1, 1;\n@%p bra L;\nL:\nadd.u32 %r1, %r1, 1;\n" +
		".loc 1 2 3\nst.global.u32 [%r1], %r2;\nret;\n"
	for text, want := range map[string][]string{
		".entry k() {\nret;\n}\n" + body + "}":               {"6:1 bad-declaration"},
		".entry k() {\nret;\n}\nmov.u32 %r1, 1;\n" + body:    {"6:1 outside-function"},
		".entry k() {\nret;\n}\n}\n":                         {"6:1 syntax"},
		".entry k() {\nret;\n}\n{\n" + body + "}\n":          {"6:1 syntax"},
		".entry k()\n" + body + "}\n":                        {"4:1 syntax"},
		".func f()\n" + body + "}\n":                         {"3:9 missing-semicolon", "4:1 bad-declaration"},
		".func f(,)\n{\n" + body + "}\n":                     {"3:9 syntax"},
		".entry k() {\nret;\n}\nL: mov.u32 %r1, 1;\n" + body: {"6:1 syntax"},
	} {
		m, _ := Parse("a.ptx", []byte(".version 8.0\n.target sm_80\n"+text+after))
		var got []string
		for _, d := range m.Diagnostics {
			at := m.Position(int(d.Span.Start))
			got = append(got, fmt.Sprintf("%d:%d %s", at.Line, at.Column, d.Code))
		}
		require.NotEmpty(t, got, text)
		require.Equal(t, "modifier-not-allowed", m.Diagnostics[len(got)-1].Code, "%s\n%v", text, got)
		require.Equal(t, want, got[:len(got)-1], text)
	}
}

// TestUndeclaredOnce: a name that nothing declares is one error in a function, and so are all names of a set. The fix
// declares as many as the function uses.
func TestUndeclaredOnce(t *testing.T) {
	const uses = "mov.u32 %x, 1;\nadd.u32 %r3, %x, 1;\nadd.u32 %r7, %r3, %r12;\n@%p1 mov.u32 %r2, %x;\n@%p1 ret;\n"
	for _, c := range []struct{ declared, wants string }{
		{"", "%x %r3 %p1"},
		{".reg .b32 %r<4>;\n", "%x %r7 %p1"},
		{".reg .b32 %r<13>, %x;\n", "%p1"},
	} {
		body := "() {\n" + c.declared + uses + "}\n"
		src := ".version 8.0\n.target sm_80\n.entry a" + body + ".entry b" + body
		m, _ := Parse("a.ptx", []byte(src))
		var got []string
		for _, d := range m.Diagnostics {
			require.Equal(t, "undeclared", d.Code)
			got = append(got, m.Text(d.Span))
		}
		require.Equal(t, c.wants+" "+c.wants, strings.Join(got, " "), c.declared)
		for i := len(m.Diagnostics) - 1; i >= 0; i-- { // from the last one on, so that the places stay right
			require.NotNil(t, m.Diagnostics[i].Fix)
			if strings.HasPrefix(got[i], "%r") {
				require.Contains(t, m.Diagnostics[i].Fix.Message, "%r<13>")
			}
		}
		for range len(got) {
			m, _ = Parse("a.ptx", []byte(src))
			src = applied(src, m.Diagnostics[0].Fix)
		}
		require.Empty(t, parseOK(t, src).Diagnostics, src)
	}
}

// A comment without its end hides the rest of the file: that a brace and a label are missing is no error of its own.
func TestUnterminatedComment(t *testing.T) {
	m, _ := Parse("a.ptx", []byte(head+".entry k() {\nbra end; /* never\nend: ret;\n}\n"))
	require.Len(t, m.Diagnostics, 1)
	require.Equal(t, "unterminated-comment", m.Diagnostics[0].Code)
}

// TestFarGuesses: a word that shares one letter of three with another is none of its misspellings; one slip is.
func TestFarGuesses(t *testing.T) {
	for text, want := range map[string]string{
		".foo bar;":                              "there is no directive '.foo'",
		".rge .b32 %x;":                          "there is no directive '.rge'; did you mean .reg?",
		"here.u32 %r1, 1;":                       "there is no instruction here",
		"mul24l.lo.u32 %r1, %r2, %r3;":           "there is no instruction mul24l; did you mean mul24?",
		".reg .b32 %d3; mov.b32 %r1, %a0;":       "%a0 is not declared: no such register, variable or function",
		".reg .b32 %value; mov.u32 %valeu, %r1;": "; did you mean %value?",
	} {
		m, _ := Parse("a.ptx", []byte(kernel(fixRegisters+text)))
		require.Len(t, m.Diagnostics, 1, text)
		require.True(t, strings.HasSuffix(m.Diagnostics[0].Message, want), m.Diagnostics[0].Message)
	}
}
