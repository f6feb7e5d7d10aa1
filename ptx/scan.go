package ptx

import "bytes"

// kind is the kind of a token. Single characters are their own kind.
type kind int32

const (
	tokEOF kind = iota + 256
	tokIdent
	tokDot    // .word, with any ::word after it
	tokNumber // integer or floating-point literal, not yet evaluated
	tokString
	tokBad   // bytes that begin no token
	tokDwarf // a @@DWARF line (11.5.1)
	tokShl
	tokShr
	tokLe
	tokGe
	tokEq
	tokNe
	tokAnd
	tokOr
)

// token is a lexical token; first says that it is the first one on its line.
type token struct {
	kind       kind
	start, end int32
	first      bool
}

func (t token) span() Span { return Span{t.start, t.end} }

// Character classes of identifiers and numbers (4.4, 4.5.1).
const (
	isLetter = 1 << iota
	isDigit
	isHex
	isFollow // may follow in an identifier
	isSpace
)

var class = func() (c [256]uint8) {
	for b := byte('a'); b <= 'z'; b++ {
		c[b] |= isLetter | isFollow
		c[b-'a'+'A'] |= isLetter | isFollow
	}
	for b := byte('0'); b <= '9'; b++ {
		c[b] |= isDigit | isHex | isFollow
	}
	for b := byte('a'); b <= 'f'; b++ {
		c[b] |= isHex
		c[b-'a'+'A'] |= isHex
	}
	c['_'] |= isFollow
	c['$'] |= isFollow
	for _, b := range " \t\r\n\v\f" {
		c[b] |= isSpace
	}
	return c
}()

// scanner turns source bytes into tokens on demand; moving pos back scans again.
type scanner struct {
	src    []byte
	pos    int32
	report func(code string, span Span, format string, args ...any) *Diagnostic
	said   int32 // errors before this offset have been reported already
	hidden bool  // the rest of the file is in a comment without an end
}

func (s *scanner) at(i int32) byte {
	if int(i) < len(s.src) {
		return s.src[i]
	}
	return 0
}

// next scans one token.
func (s *scanner) next() token {
	first := s.skipBlank()
	start := s.pos
	if int(start) >= len(s.src) {
		return token{tokEOF, start, start, true}
	}
	c := s.src[start]
	switch {
	case class[c]&isLetter != 0,
		(c == '_' || c == '$' || c == '%') && class[s.at(start+1)]&isFollow != 0:
		s.pos++
		s.follow()
		return token{tokIdent, start, s.pos, first}
	case class[c]&isDigit != 0:
		return s.number(first)
	case c == '.':
		return s.dot(first)
	case c == '"':
		return s.str(first)
	case c == '@' && s.at(start+1) == '@' && s.dwarf():
		s.line()
		return token{tokDwarf, start, s.pos, first}
	}
	return s.punct(first)
}

func (s *scanner) follow() {
	for class[s.at(s.pos)]&isFollow != 0 {
		s.pos++
	}
}

// dwarf says whether a line of DWARF data begins here: @@DWARF, or @@dwarf as in the title of the manual's section
// (11.5.1).
func (s *scanner) dwarf() bool {
	const mark = "@@DWARF"
	rest := s.src[s.pos:]
	return len(rest) >= len(mark) && bytes.EqualFold(rest[:len(mark)], []byte(mark)) &&
		class[s.at(s.pos+int32(len(mark)))]&isFollow == 0
}

func (s *scanner) line() {
	for int(s.pos) < len(s.src) && s.src[s.pos] != '\n' {
		s.pos++
	}
}

// skipBlank skips white space, comments (4.2) and preprocessor lines (4.1), and says whether a line began.
func (s *scanner) skipBlank() (first bool) {
	first = s.pos == 0
	for int(s.pos) < len(s.src) {
		c := s.src[s.pos]
		switch {
		case class[c]&isSpace != 0:
			first = first || c == '\n'
			s.pos++
		case c == '/' && s.at(s.pos+1) == '/':
			s.line()
		case c == '/' && s.at(s.pos+1) == '*':
			first = s.comment() || first
		case c == '#' && first:
			s.preprocessor()
		case c == 0xef && s.pos == 0 && s.at(1) == 0xbb && s.at(2) == 0xbf:
			s.pos = 3 // byte order mark
		default:
			return first
		}
	}
	return first
}

func (s *scanner) comment() (lines bool) {
	start := s.pos
	for s.pos += 2; int(s.pos) < len(s.src); s.pos++ {
		if s.src[s.pos] == '*' && s.at(s.pos+1) == '/' {
			s.pos += 2
			return lines
		}
		lines = lines || s.src[s.pos] == '\n'
	}
	s.hidden = true
	s.error("unterminated-comment", Span{start, start + 2}, "this comment has no closing */")
	return lines
}

// preprocessor skips a line that cpp left; directives that cpp would have to execute are errors.
func (s *scanner) preprocessor() {
	start := s.pos
	s.pos++
	for s.at(s.pos) == ' ' || s.at(s.pos) == '\t' {
		s.pos++
	}
	word := s.pos
	s.follow()
	switch name := string(s.src[word:s.pos]); name {
	case "include", "define", "undef", "if", "ifdef", "ifndef", "else", "elif", "endif":
		s.error("preprocessor", Span{start, s.pos}, "#%s needs the C preprocessor: run cpp on the file first", name)
	}
	s.line()
}

// dot scans a directive, type or modifier. A dot and a digit begin a number unless they continue a word, as in
// tex.2d or tcgen05.ld.16x64b.
func (s *scanner) dot(first bool) token {
	start := s.pos
	next := class[s.at(start+1)]
	if next&isDigit != 0 && (start == 0 || class[s.src[start-1]]&isFollow == 0) {
		return s.number(first)
	}
	if next&isFollow == 0 {
		s.pos++
		return token{'.', start, s.pos, first}
	}
	s.pos++
	s.follow()
	for s.at(s.pos) == ':' && s.at(s.pos+1) == ':' && class[s.at(s.pos+2)]&isFollow != 0 {
		s.pos += 2
		s.follow()
	}
	if s.ratio(start) {
		s.pos++
		s.follow()
	}
	return token{tokDot, start, s.pos, first}
}

// ratio says whether the word from start to here is the first part of a ratio, as that of .sp::2:4 (9.7.10.30).
func (s *scanner) ratio(start int32) bool {
	return s.at(s.pos) == ':' && class[s.at(s.pos-1)]&isDigit != 0 && class[s.at(s.pos+1)]&isDigit != 0 &&
		bytes.HasPrefix(s.src[start:], []byte(".sp::"))
}

// number scans the literals of 4.5.1 and 4.5.2; evaluation and its errors are in expr.go.
func (s *scanner) number(first bool) token {
	start := s.pos
	if s.at(start) == '0' && class[s.at(start+1)]&isLetter != 0 && s.at(start+1)|0x20 != 'e' {
		s.pos += 2
		s.follow()
		return token{tokNumber, start, s.pos, first}
	}
	s.digits()
	if s.at(s.pos) == '.' && (class[s.at(s.pos+1)]&isLetter == 0 || s.exponentAt(s.pos+1)) {
		s.pos++
		s.digits()
	}
	if s.exponentAt(s.pos) {
		s.pos += 2
		s.digits()
	}
	s.follow() // U, or letters that do not belong here
	return token{tokNumber, start, s.pos, first}
}

func (s *scanner) digits() {
	for class[s.at(s.pos)]&isDigit != 0 {
		s.pos++
	}
}

func (s *scanner) exponentAt(i int32) bool {
	if s.at(i)|0x20 != 'e' {
		return false
	}
	next := s.at(i + 1)
	return class[next]&isDigit != 0 || (next == '+' || next == '-') && class[s.at(i+2)]&isDigit != 0
}

func (s *scanner) str(first bool) token {
	start := s.pos
	for s.pos++; int(s.pos) < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '"':
			s.pos++
			return token{tokString, start, s.pos, first}
		case '\\':
			s.pos++
		case '\n':
			s.error("unterminated-string", Span{start, s.pos}, "this string has no closing quote on its line")
			return token{tokString, start, s.pos, first}
		}
	}
	s.pos = min(s.pos, int32(len(s.src)))
	s.error("unterminated-string", Span{start, start + 1}, "this string has no closing quote")
	return token{tokString, start, s.pos, first}
}

var pairs = map[[2]byte]kind{
	{'<', '<'}: tokShl, {'>', '>'}: tokShr, {'<', '='}: tokLe, {'>', '='}: tokGe,
	{'=', '='}: tokEq, {'!', '='}: tokNe, {'&', '&'}: tokAnd, {'|', '|'}: tokOr,
}

func (s *scanner) punct(first bool) token {
	start := s.pos
	c := s.src[start]
	switch c {
	case '<', '>', '=', '!', '&', '|':
		if k, ok := pairs[[2]byte{c, s.at(start + 1)}]; ok {
			s.pos += 2
			return token{k, start, s.pos, first}
		}
		fallthrough
	case '(', ')', '[', ']', '{', '}', ',', ';', ':', '@', '+', '-', '*', '/', '%', '^', '~', '?', '_':
		s.pos++
		return token{kind(c), start, s.pos, first}
	}
	return s.bad(first)
}

// bad takes a run of bytes that begin no token as one token, so that one mistake gives one message.
func (s *scanner) bad(first bool) token {
	start := s.pos
	for s.pos++; int(s.pos) < len(s.src); s.pos++ {
		c := s.src[s.pos]
		if c < 0x80 && c >= ' ' || class[c]&isSpace != 0 {
			break
		}
	}
	s.badCharacter(Span{start, s.pos})
	return token{tokBad, start, s.pos, first}
}

// error reports once per place, however often the place is scanned; later it returns nil.
func (s *scanner) error(code string, span Span, format string, args ...any) *Diagnostic {
	if span.Start < s.said {
		return nil
	}
	s.said = span.Start + 1
	return s.report(code, span, format, args...)
}
