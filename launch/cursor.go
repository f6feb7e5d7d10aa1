package launch

import (
	"fmt"
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// cursor reads one header line, or a piece of one. pos and the spans it gives are offsets into the source.
type cursor struct {
	src  string // from the start of the source to the end of the piece
	pos  int
	errs *ptx.Diagnostics

	places    *places // nil: names of buffers are not looked up
	addressed bool    // an address was read
	repeats   int     // the list that was read has so many values, over and over
}

// fail reports an error at a span and gives false, so that parse functions can return it.
func (c *cursor) fail(code string, at ptx.Span, format string, args ...any) bool {
	*c.errs = append(*c.errs, ptx.Diagnostic{Code: code, Message: fmt.Sprintf(format, args...), Span: at})
	return false
}

// failHere reports what was found where something else is needed.
func (c *cursor) failHere(code, want string) bool {
	c.skip()
	rest := c.rest()
	if rest == "" {
		return c.fail(code, c.from(c.pos), "expected %s, found the end of the line", want)
	}
	at := c.pos
	found := c.token()
	if found == "" {
		found = string([]rune(rest)[:1])
		c.pos = at + len(found)
	}
	return c.fail(code, c.from(at), "expected %s, found %q", want, short(found))
}

func (c *cursor) rest() string { return c.src[c.pos:] }

// from is the span from an offset to here.
func (c *cursor) from(start int) ptx.Span { return span(start, c.pos) }

func span(start, end int) ptx.Span { return ptx.Span{Start: int32(start), End: int32(end)} }

func (c *cursor) skip() {
	for c.pos < len(c.src) && (c.src[c.pos] == ' ' || c.src[c.pos] == '\t') {
		c.pos++
	}
}

func (c *cursor) done() bool {
	c.skip()
	return c.pos == len(c.src)
}

// accept takes a piece of punctuation if it comes next.
func (c *cursor) accept(s string) bool {
	c.skip()
	if !strings.HasPrefix(c.rest(), s) {
		return false
	}
	c.pos += len(s)
	return true
}

// acceptWord takes a word if it comes next.
func (c *cursor) acceptWord(s string) bool {
	at := c.pos
	if c.word() == s {
		return true
	}
	c.pos = at
	return false
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("_$%", b) >= 0
}

// word takes the longest run of identifier characters (4.4), which may be empty.
func (c *cursor) word() string {
	c.skip()
	start := c.pos
	for c.pos < len(c.src) && isWordByte(c.src[c.pos]) {
		c.pos++
	}
	return c.src[start:c.pos]
}

// token takes what can be a number: a sign, digits, letters, points that are not "..", a sign after an exponent's e.
func (c *cursor) token() string {
	c.skip()
	start := c.pos
	if c.pos < len(c.src) && (c.src[c.pos] == '-' || c.src[c.pos] == '+') {
		c.pos++
	}
	digits := c.pos
	for c.pos < len(c.src) {
		switch b := c.src[c.pos]; {
		case b == '.' && !strings.HasPrefix(c.rest(), ".."):
		case isWordByte(b) && b != '%':
		case (b == '-' || b == '+') && isExponent(c.src[digits:c.pos]):
		default:
			return c.src[start:c.pos]
		}
		c.pos++
	}
	return c.src[start:c.pos]
}

// isExponent says whether this is a decimal number up to its e.
func isExponent(s string) bool {
	n := len(s)
	return n > 1 && (s[n-1] == 'e' || s[n-1] == 'E') && strings.Trim(s[:n-1], "0123456789.") == ""
}

// quoted takes a string in double quotes; the escapes are \n \t \r \0 \" \\.
func (c *cursor) quoted(code string) (string, bool) {
	c.skip()
	start := c.pos
	if !c.accept(`"`) {
		return "", c.failHere(code, `a text in double quotes`)
	}
	var out strings.Builder
	for ; c.pos < len(c.src); c.pos++ {
		b := c.src[c.pos]
		switch b {
		case '"':
			c.pos++
			return out.String(), true
		case '\\':
			i := -1
			if c.pos++; c.pos < len(c.src) {
				i = strings.IndexByte(`ntr0"\`, c.src[c.pos])
			}
			if i < 0 {
				end := min(c.pos+1, len(c.src))
				return "", c.fail(code, span(c.pos-1, end), `unknown escape: there are \n \t \r \0 \" and \\`)
			}
			b = "\n\t\r\x00\"\\"[i]
		}
		out.WriteByte(b)
	}
	return "", c.fail(code, c.from(start), "the text has no closing double quote")
}

// end reports text that is left on the line.
func (c *cursor) end(code, after string) bool {
	if c.done() {
		return true
	}
	return c.fail(code, span(c.pos, len(c.src)), "unexpected %q after %s", short(strings.TrimSpace(c.rest())), after)
}

// short cuts a piece of the source to what a message can hold.
func short(s string) string {
	const most = 40
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// closest is the word of a list that the author probably meant, or "": at most a third of its letters differ.
func closest(word string, list []string) string {
	if len(word) > 64 {
		return ""
	}
	return isa.Closest(word, len(word)/3+1, func(yield func(string)) {
		for _, w := range list {
			yield(w)
		}
	})
}
