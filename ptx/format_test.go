package ptx

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// corpus is every PTX file of the repository, even those that are wrong on purpose.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range []string{"testdata/*/*.ptx", "../testdata/*/*.ptx", "../testdata/real/ptx/*.ptx",
		"../public/examples/*.ptx", "../bench/*.ptx"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			files[name] = src
		}
	}
	require.Greater(t, len(files), 100)
	return files
}

var (
	comments = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)`)
	blanks   = regexp.MustCompile(`\s+`)
)

// stream is a program without its layout: each instruction's resolved form and its text.
func stream(src []byte) (list []string) {
	m, _ := Parse("stream.ptx", src)
	for _, f := range m.Funcs {
		list = append(list, "func "+f.Name)
		for _, in := range f.Insts {
			text := blanks.ReplaceAllString(comments.ReplaceAllString(m.Text(in.Span), ""), "")
			form := "?"
			if in.Match != nil && in.Match.Form != nil {
				form = in.Match.Form.ID
			}
			list = append(list, form+" "+in.Opcode+" "+text)
		}
	}
	for _, v := range m.Vars {
		list = append(list, "var "+v.Name+" "+v.Type.String())
	}
	for _, d := range m.Diagnostics {
		list = append(list, "diagnostic "+d.Code)
	}
	return list
}

func headerLines(src []byte) (lines []string) {
	for _, line := range strings.Split(string(src), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "//@") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestFormatKeepsMeaning(t *testing.T) {
	changed := 0
	for name, src := range corpus(t) {
		out := Format(src)
		require.Equal(t, string(out), string(Format(out)), "%s: formatting twice", name)
		require.Equal(t, stream(src), stream(out), name)
		require.Equal(t, headerLines(src), headerLines(out), name)
		require.Equal(t, blanks.ReplaceAllString(string(src), ""), blanks.ReplaceAllString(string(out), ""), name)
		if !bytes.Equal(src, out) {
			changed++
		}
	}
	require.Greater(t, changed, 100, "a formatter that gives up changes nothing")
}

func TestFormatLayout(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"   \n\n", ""},
		{".version   6.4\n.target sm_70 ,  sm_75\n\n\n\n.address_size 64",
			".version 6.4\n.target sm_70, sm_75\n\n.address_size 64\n"},
		{".visible .entry k( .param .u64 a ,\n.param .u32 n )\n.maxntid 32\n{\nret ;\n}\n",
			".visible .entry k(.param .u64 a,\n    .param .u32 n)\n.maxntid 32\n{\n    ret;\n}\n"},
		{".entry k(\n.param .u64 a\n)\n{\nret;\n}\n", ".entry k(\n    .param .u64 a\n)\n{\n    ret;\n}\n"},
		{".entry k() {\n\tmov.u32 \t%r1, %tid.x; // who\nL:\n\t@!%p bra L;\n {\n .reg .b32 t;\n }\n}\n",
			".entry k() {\n    mov.u32         %r1, %tid.x;                // who\nL:\n@!%p bra            L;\n" +
				"    {\n        .reg .b32  t;\n    }\n}\n"},
		{".entry k(){\nmad.lo.s32 %a,\n%b,%c,\n%d;\nret;}",
			".entry k(){\n    mad.lo.s32      %a,\n                    %b, %c,\n                    %d;\n    ret;}\n"},
		{".global .u32 t[4] = {1,2,\n3 , 4};\n.global .u32 u =\n 5;\n",
			".global .u32 t[4] = {1, 2,\n    3, 4};\n.global .u32 u =\n    5;\n"},
		{".entry k(){\ncvta.to.global.u64   %rd1,%rd2; /* a */ ret;\n}",
			".entry k(){\n    cvta.to.global.u64 %rd1, %rd2; /* a */ ret;\n}\n"},
		// a comment continues below itself, and a comment alone on its line is aligned with the code
		{".entry k(){\nret;    // one\n" + strings.Repeat(" ", 46) + "// two\n// three\n}",
			".entry k(){\n    ret;                                        // one\n" + strings.Repeat(" ", 48) +
				"// two\n    // three\n}\n"},
		{"\ufeff.version 6.4\r\n\t.target sm_70\r\n", "\ufeff.version 6.4\r\n.target sm_70\r\n"},
		{"  # 1 \"a.cu\"\n.version 6.4\n/* a\n   b */ .target sm_70",
			"# 1 \"a.cu\"\n.version 6.4\n/* a\n   b */ .target sm_70\n"},
	} {
		require.Equal(t, c[1], string(Format([]byte(c[0]))), "%q", c[0])
		require.Equal(t, c[1], string(Format([]byte(c[1]))), "again: %q", c[0])
	}
}

// Texts cut and shuffled at random, and bytes of any kind.
func TestFormatOfAnything(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	src, err := os.ReadFile("testdata/ok/modern.ptx")
	require.NoError(t, err)
	check := func(text []byte) {
		out := Format(text)
		require.True(t, sameTokens(text, out), "%q", text)
		require.Equal(t, string(out), string(Format(out)), "%q", text)
	}
	signs := []byte("{}()[];:,.@=/*\"#\\ \n\t\r%a1\x00\xff")
	for range 3000 {
		i := random.Intn(len(src))
		text := bytes.Clone(src[i:min(len(src), i+random.Intn(400))])
		for range random.Intn(10) {
			if len(text) > 0 {
				text[random.Intn(len(text))] = signs[random.Intn(len(signs))]
			}
		}
		check(text)
		noise := make([]byte, random.Intn(40))
		for i := range noise {
			noise[i] = signs[random.Intn(len(signs))]
		}
		check(noise)
	}
}

// Formatting twice is formatting once, with any bytes before a comment: there is one way to count its column.
func TestFormatTwice(t *testing.T) {
	twice := func(text string) {
		t.Helper()
		out := Format([]byte(text))
		require.Equal(t, string(out), string(Format(out)), "%q", text)
	}
	for _, c := range []string{
		"mov.u32 \u00e9\u00e9\u00e9, 1; // two bytes a letter",
		"mov.u32 \u20ac\u20ac\u20ac\u20ac, 1; // three",
		"mov.u32 \U0001f600, 1; // four",
		"mov.u32 \xff\xfe\xfd, 1; // no UTF-8",
		"mov.u32 \x80\x80\x80, 1; // continuations of nothing",
		".pragma \"a\tb\"; // a tab in a string",
		"/* a\tb */ ret; // a tab in a comment",
		"\ufeff.version 6.4 // a mark",
		"ret;\n\ufeffret; // a mark in the wrong place",
	} {
		twice(c)
		twice(c + strings.Repeat(" ", 40) + "\n" + strings.Repeat(" ", 46) + "// and goes on")
		code, comment, _ := strings.Cut(c, "//")
		for stood := 40; stood < 60; stood++ {
			twice(code + strings.Repeat(" ", stood-len(code)) + "//" + comment)
		}
	}
	random := rand.New(rand.NewSource(3))
	for range 3000 {
		noise := make([]byte, random.Intn(30))
		random.Read(noise)
		twice("\tadd.u32 %r, " + string(noise) + strings.Repeat(" ", random.Intn(60)) + "// end")
	}
}
