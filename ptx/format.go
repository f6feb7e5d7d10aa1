package ptx

import (
	"bytes"
	"strings"
)

// The columns of formatted text, in characters: a level of braces, operands after a statement's indent, and comments
// after code.
const (
	indentWidth   = 4
	operandColumn = 16
	commentColumn = 48
	typeWidth     = len(".pred") // of .reg declarations
)

// Format lays PTX out: braces indent, operands and trailing comments are in columns, labels and guards in the margin.
// Lines stay lines, and several blank lines become one. Only white space between tokens changes, so comments, literals
// and bytes that are not PTX at all come out as they were; a text whose tokens would not come out the same is returned
// unchanged. Formatting twice is formatting once.
func Format(src []byte) []byte {
	if len(src) > maxSource {
		return src
	}
	f := &formatter{lineBreak: "\n"}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		f.lineBreak = "\r\n"
	}
	f.mark = string(src[:len(src)-len(bytes.TrimPrefix(src, []byte("\ufeff")))])
	f.write(pieces(src))
	if out := []byte(f.out.String()); sameTokens(src, out) {
		return out
	}
	return src
}

// Kinds of pieces that are not tokens.
const (
	pieceLine   kind = -1 - iota // a // comment
	pieceHash                    // a preprocessor line
	pieceInline                  // a /* comment */
)

// piece is a token or a comment, with what is before it.
type piece struct {
	kind  kind
	text  string
	lines int  // line breaks before it
	space bool // white space before it
	at    int  // the column of a // comment
}

// pieces cuts a text.
func pieces(src []byte) []piece {
	var list []piece
	s := scanner{src: src, report: func(string, Span, string, ...any) *Diagnostic { return &Diagnostic{} }}
	at := int32(len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff"))))
	s.pos = at
	for {
		t := s.next()
		list = between(list, src, at, t.start)
		if t.kind == tokEOF {
			return list
		}
		p := gap(src, at, t.start, len(list) > 0)
		p.kind, p.text = t.kind, string(src[t.start:t.end])
		list = append(list, p)
		at = t.end
	}
}

// gap is a piece with the line breaks and the white space directly before an offset.
func gap(src []byte, from, at int32, follows bool) (p piece) {
	i := at
	for i > from && class[src[i-1]]&isSpace != 0 {
		i--
	}
	p.space = i < at
	if follows {
		p.lines = bytes.Count(src[i:at], []byte("\n"))
	}
	return p
}

// column is the column of an offset in its line; a byte order mark takes none.
func column(src []byte, at int32) int {
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	line := string(src[start:at])
	if start == 0 {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	return advance(0, line)
}

// advance is the column after a text that begins in a column. It counts characters, not bytes: a continuation byte of
// UTF-8 takes no column of its own, even if it continues nothing. Tabs are as wide as in terminals.
func advance(column int, text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n':
			column = 0
		case c == '\t':
			column += 8 - column%8
		case c&0xc0 != 0x80:
			column++
		}
	}
	return column
}

// between appends the comments and preprocessor lines of a range that holds no tokens.
func between(list []piece, src []byte, from, to int32) []piece {
	for at := from; at < to; {
		if class[src[at]]&isSpace != 0 {
			at++
			continue
		}
		p := gap(src, from, at, len(list) > 0)
		end := at
		switch {
		case src[at] == '/' && src[at+1] == '*':
			p.kind = pieceInline
			if n := bytes.Index(src[at+2:to], []byte("*/")); n >= 0 {
				end = at + 2 + int32(n) + 2
			} else {
				end = to
			}
		default:
			p.kind, p.at = pieceLine, column(src, at)
			if src[at] == '#' {
				p.kind = pieceHash
			}
			if n := bytes.IndexByte(src[at:to], '\n'); n >= 0 {
				end = at + int32(n)
			} else {
				end = to
			}
		}
		p.text = string(src[at:end])
		if p.kind != pieceInline {
			p.text = strings.TrimRight(p.text, " \t\r")
		}
		list = append(list, p)
		at, from = end, end
	}
	return list
}

// sameTokens says whether two texts are the same to the parser: the same tokens, beginning lines where they did.
func sameTokens(a, b []byte) bool {
	ignore := func(string, Span, string, ...any) *Diagnostic { return &Diagnostic{} }
	x, y := scanner{src: a, report: ignore}, scanner{src: b, report: ignore}
	for {
		s, t := x.next(), y.next()
		if s.kind != t.kind || s.first != t.first && s.kind != tokEOF ||
			!bytes.Equal(a[s.start:s.end], b[t.start:t.end]) {
			return false
		}
		if s.kind == tokEOF {
			return true
		}
	}
}

// formatter writes pieces. It follows the text only as far as it must to know what a line begins with.
type formatter struct {
	out       strings.Builder
	mark      string
	lineBreak string
	column    int // characters of the current line

	open      []byte // open brackets; 'b' is a block of statements
	statement kind   // what the current statement began with: tokDot, tokIdent, '@'; 0 between statements
	assigned  bool   // its declaration has come to an =
	opcode    bool   // within the mnemonic and modifiers of an instruction
	types     int    // directives of a .reg declaration so far, -1 elsewhere
	last      piece
	comment   bool // the last line ended in a comment after code, or goes on with such a comment
}

func (f *formatter) write(list []piece) {
	f.out.WriteString(f.mark)
	f.types = -1
	for i := range list {
		p := &list[i]
		if i == 0 || p.lines > 0 {
			f.begin(p, i == 0, following(list[i:]))
		} else {
			f.separate(p)
		}
		f.put(p.text)
		if p.kind >= 0 {
			f.follow(p, following(list[i:]))
			f.last = *p
		} else {
			f.last.kind = p.kind
		}
	}
	if len(list) > 0 && !strings.HasSuffix(f.out.String(), "\n") { // it may end within a comment that nothing closes
		f.out.WriteString(f.lineBreak)
	}
}

// following is the kind of the token after the first piece of a list, 0 at the end.
func following(list []piece) kind {
	for _, p := range list[1:] {
		if p.kind >= 0 {
			return p.kind
		}
	}
	return 0
}

func (f *formatter) put(text string) {
	f.out.WriteString(text)
	f.column = advance(f.column, text)
}

// commentAt is the column of a comment after code. A comment keeps its column if that is allowed, so an author's
// alignment stays; else it gets the next column that is free after the code.
func commentAt(stood, code int) int {
	if stood >= commentColumn && stood > code && stood <= 2*commentColumn {
		return stood
	}
	return max(commentColumn, (code/indentWidth+1)*indentWidth)
}

func (f *formatter) pad(to, atLeast int) {
	n := max(to-f.column, atLeast)
	f.out.WriteString(strings.Repeat(" ", n))
	f.column += n
}

// begin starts a line with its blank lines and its indent.
func (f *formatter) begin(p *piece, first bool, next kind) {
	if !first {
		f.out.WriteString(f.lineBreak)
		if p.lines > 1 {
			f.out.WriteString(f.lineBreak)
		}
	}
	f.column = 0
	f.comment = f.comment && p.kind == pieceLine && p.lines == 1 && p.at >= commentColumn-indentWidth
	if f.comment {
		f.pad(max(p.at, commentColumn), 0)
		return
	}
	if p.kind >= 0 && f.lineStarts(p) {
		f.statement = 0
	}
	f.pad(f.indent(p, next), 0)
}

// lineStarts says whether a token at the beginning of a line begins a statement although the one before it, such as
// .version, .loc or .section, has no semicolon.
func (f *formatter) lineStarts(p *piece) bool {
	return f.statement == tokDot && p.kind != '{' && p.kind != '(' && !f.assigned && !f.inBrackets()
}

// inBrackets says whether the innermost bracket holds no statements.
func (f *formatter) inBrackets() bool { return len(f.open) > 0 && f.open[len(f.open)-1] != 'b' }

// indent is where a line begins.
func (f *formatter) indent(p *piece, next kind) int {
	depth := len(f.open) * indentWidth
	closes := p.kind == '}' || p.kind == ')' || p.kind == ']'
	switch {
	case p.kind == pieceHash:
		return 0
	case f.statement == tokIdent || f.statement == '@': // an instruction goes on
		return f.blocks()*indentWidth + operandColumn
	case closes, f.statement == 0 && (p.kind == '@' || p.kind == tokIdent && next == ':'):
		return max(depth-indentWidth, 0)
	case f.statement == tokDot && f.assigned && !f.inBrackets():
		return depth + indentWidth
	}
	return depth
}

// blocks counts the open brackets that hold statements.
func (f *formatter) blocks() int { return bytes.Count(f.open, []byte{'b'}) }

// separate writes what is between two pieces of a line.
func (f *formatter) separate(p *piece) {
	last := f.last.kind
	switch {
	case p.kind == pieceLine:
		f.comment = true
		if f.column <= indentWidth*len(f.open) { // a brace alone
			f.pad(0, 1)
			return
		}
		f.pad(commentAt(p.at, f.column), 0)
	case last < 0 || p.kind < 0:
		if p.space {
			f.pad(0, 1)
		}
	case p.kind == ',' || p.kind == ';':
	case last == ',':
		f.pad(0, 1)
	case last == '(' || last == '[' || p.kind == ')' || p.kind == ']':
	case !p.space:
	case f.opcode && p.kind != tokDot:
		f.pad(f.blocks()*indentWidth+operandColumn, 1)
	case f.types == 1 && p.kind != tokDot:
		f.pad(f.column+typeWidth-len(f.last.text)+1, 1)
	default:
		f.pad(0, 1)
	}
}

// follow notes what a token says about those after it.
func (f *formatter) follow(p *piece, next kind) {
	f.opcode = f.opcode && p.kind == tokDot
	switch p.kind {
	case ';':
		f.end()
		return
	case '{', '(', '[':
		f.push(p)
		return
	case '}', ')', ']':
		f.pop()
		return
	case '=':
		f.assigned = f.assigned || f.statement == tokDot
	case ':':
		if f.statement == tokIdent && f.last.kind == tokIdent {
			f.end()
		}
		return
	}
	if f.statement == 0 {
		f.statement = p.kind
		f.opcode = p.kind == tokIdent && next != ':'
		f.types = -1
		if p.kind == tokDot && p.text == ".reg" {
			f.types = 0
		}
		return
	}
	if f.statement == '@' && (f.last.kind == tokIdent) && p.kind == tokIdent {
		f.statement, f.opcode = tokIdent, true // after the guard
	}
	if f.types >= 0 {
		if p.kind == tokDot {
			f.types++
		} else {
			f.types = -1
		}
	}
}

// end is the end of a statement.
func (f *formatter) end() { f.statement, f.assigned, f.opcode, f.types = 0, false, false, -1 }

func (f *formatter) push(p *piece) {
	c := byte(p.kind)
	inParens := f.inBrackets()
	if c == '{' && !inParens && !f.assigned && f.statement != tokIdent {
		c = 'b'
		f.end()
	}
	f.open = append(f.open, c)
	f.opcode, f.types = false, -1
}

func (f *formatter) pop() {
	if len(f.open) == 0 {
		return
	}
	block := f.open[len(f.open)-1] == 'b'
	f.open = f.open[:len(f.open)-1]
	if block {
		f.end()
	}
}
