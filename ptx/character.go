package ptx

import (
	"bytes"
	"unicode/utf8"
)

// badCharacter reports bytes that begin no token. A single character is named. What is often put in place of a
// character of PTX has a fix.
func (s *scanner) badCharacter(span Span) {
	run, says := s.src[span.Start:span.End], "%#U is not in ASCII; other characters are allowed in comments only"
	r, size := utf8.DecodeRune(run)
	if r < 0x80 {
		says = "the character %q has no meaning in PTX"
	} else if r == utf8.RuneError || len(run) != size*bytes.Count(run, run[:size]) {
		s.error("bad-character", span, "%s not in ASCII; PTX is ASCII; other bytes are allowed in comments only",
			Plural(len(run), "byte"))
		return
	}
	d := s.error("bad-character", span, says, r)
	if text, words := inASCII(r); words != "" && d != nil {
		d.fix(span, string(bytes.Repeat([]byte(text), len(run)/size)), "%s", words)
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
	case r == '“', r == '”', r == '„':
		return `"`, `write "`
	}
	return "", ""
}

// blank says whether what has just been reported is left out, so that it is one error.
func (p *parser) blank(bad token) bool {
	r, _ := utf8.DecodeRune(p.src[bad.start:bad.end])
	return r == 0 || r == 0xa0 || r >= 0x2000 && r != '“' && r != '”' && r != utf8.RuneError
}
