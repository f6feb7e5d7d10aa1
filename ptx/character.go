package ptx

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// badCharacter reports bytes that begin no token. A single character is named. What is often put in place of a
// character of PTX has a fix.
func (s *scanner) badCharacter(span Span) {
	const code = "bad-character"
	run := s.src[span.Start:span.End]
	r, size := utf8.DecodeRune(run)
	switch {
	case r > ' ' && r < 0x7f:
		s.error(code, span, "the character %q has no meaning in PTX", r)
	case r < 0x80:
		s.error(code, span, "the byte 0x%02x has no meaning in PTX", r)
	case r == utf8.RuneError || len(run) != size*bytes.Count(run, run[:size]):
		s.error(code, span, "%s not in ASCII; PTX is ASCII; other bytes are allowed in comments only",
			Plural(len(run), "byte"))
	default:
		text, words := inASCII(r)
		kind := "'" + string(r) + "'"
		if text == " " {
			kind = "(a space)"
		} else if !strconv.IsPrint(r) {
			kind = "(invisible)"
		}
		d := s.error(code, span, "U+%04X %s is not in ASCII; other characters are allowed in comments only", r, kind)
		if words != "" && d != nil {
			d.fix(span, string(bytes.Repeat([]byte(text), len(run)/size)), "%s", words)
		}
	}
}

// inASCII is what a character stands for that word processors and web pages put in place of one of ASCII, and says
// what to do.
func inASCII(r rune) (text, words string) {
	switch {
	case 0x200b <= r && r <= 0x200f, r == 0x2060, r == 0xfeff:
		return "", "delete it"
	case r == 0xa0, 0x2000 <= r && r <= 0x200a, r == 0x202f, r == 0x205f, r == 0x3000:
		return " ", "write a space"
	case 0x2010 <= r && r <= 0x2015, r == '−':
		return "-", "write -"
	case r == '“' || r == '”' || r == '„':
		return `"`, `write "`
	}
	return "", ""
}

// mended is the token for what has just been reported, where it is clear what was meant.
func (p *parser) mended(bad token) token {
	r, _ := utf8.DecodeRune(p.src[bad.start:bad.end])
	switch text, words := inASCII(r); {
	case text == "-":
		bad.kind = '-'
	case words != "" && text != `"` || r == 0:
		first := bad.first
		bad = p.scanner.next()
		bad.first = bad.first || first
	}
	return bad
}
