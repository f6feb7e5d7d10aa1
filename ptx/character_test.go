package ptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A byte or a character that PTX does not have (4.1) is one error, which names it. What word processors and web pages
// put in place of spaces, quotes and minus signs has a fix.
func TestBadCharacters(t *testing.T) {
	for _, c := range []struct{ wrong, says, right string }{
		{"mov.u32\u00a0%r1, 1;", "U+00A0 is not in ASCII", "mov.u32 %r1, 1;"},
		{"mov.u32\u3000\u3000%r1, 1;", "U+3000 is not in ASCII", "mov.u32  %r1, 1;"},
		{"mov.s32 %r1, \u22121;", "U+2212 '−' is not in ASCII", "mov.s32 %r1, -1;"},
		{"mov.u32 %r1,\u200b 1;", "U+200B is not in ASCII", "mov.u32 %r1, 1;"},
		{".pragma \u201cnounroll;", "U+201C '“' is not in ASCII", ".pragma \"nounroll;"},
		{"mov.u32 %r1, 1;\x00\x00", "the character '\\x00' has no meaning in PTX", ""},
		{"mov.u32\x00 %r1, 1;", "the character '\\x00' has no meaning in PTX", ""},
		{"mov.u32\x7f %r1, 1;", "the character '\\x7f' has no meaning in PTX", ""},
		{"mov.u32 \xfcr1, 1;", "1 byte not in ASCII", ""},
		{"mov.u32 \u00fc1, 1;", "U+00FC 'ü' is not in ASCII", ""},
		{"mov.u32 %r1, `1;", "the character '`' has no meaning in PTX", ""},
	} {
		src := kernel(fixRegisters + c.wrong)
		m, _ := Parse("a.ptx", []byte(src))
		require.Len(t, m.Diagnostics, 1, "%q", c.wrong)
		d := m.Diagnostics[0]
		require.Equal(t, "bad-character", d.Code)
		require.Contains(t, d.Message, c.says)
		if c.right == "" {
			require.Nil(t, d.Fix, "%q", c.wrong)
			continue
		}
		require.NotNil(t, d.Fix, "%q", c.wrong)
		require.Equal(t, strings.Replace(src, c.wrong, c.right, 1), applied(src, d.Fix))
	}
}

// Files that are no text of PTX at all say so once: text in UTF-16, as the > of PowerShell 5 writes it, and cubins.
func TestForeignFiles(t *testing.T) {
	for text, code := range map[string]string{
		"\xff\xfe" + utf16(".version 7.0\n.target sm_70\n", 0):       "bad-character",
		"\xfe\xff" + utf16("// k\n.version 7.0\n.target sm_70\n", 1): "bad-character",
		"\x7fELF\x02\x01\x01\x33\x07\x00\x00":                        "machine-code",
	} {
		m, err := Parse("a.ptx", []byte(text))
		require.Error(t, err)
		require.Len(t, m.Diagnostics, 1, "%q", text)
		require.Equal(t, code, m.Diagnostics[0].Code)
	}
	m, _ := Parse("a.ptx", []byte("\xff\xfe"+utf16(".version 7.0\n", 0)))
	require.Contains(t, m.Diagnostics[0].Message, "this is text in UTF-16, not PTX: save it as UTF-8")
}

// utf16 is an ASCII text with zeros after each character, or before it.
func utf16(text string, before int) string {
	var b []byte
	for _, c := range []byte(text) {
		pair := [2]byte{}
		pair[before] = c
		b = append(b, pair[0], pair[1])
	}
	return string(b)
}
