package expr

import (
	"math"
	"strconv"
	"strings"
)

// Expr is a parsed expression.
type Expr struct {
	Text string
	root *node
}

// node is an operation, a function, or a leaf.
type node struct {
	op         string // an operator, "call", "element", "register", "name" or "number"
	name       string // of a function, buffer, register or value
	args       []*node
	value      Row // of a number
	start, end int
}

// Parse reads an expression. The error is an *Error.
func Parse(text string) (*Expr, error) {
	p := &parser{text: text}
	root, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.pos < len(text) {
		return nil, errorAt(p.pos, len(text), "unexpected %q after the expression", text[p.pos:])
	}
	return &Expr{text, root}, nil
}

// mostNested bounds the depth of an expression, and so the stack that parsing and evaluation take.
const mostNested = 100

type parser struct {
	text  string
	pos   int
	depth int
}

// levels are the binary operators, those that bind least first. An operator comes before its own beginnings.
var levels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"},
	{"*", "/", "%"},
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// operator accepts an operator of a level.
func (p *parser) operator(level int) string {
	p.space()
	rest := p.text[p.pos:]
	for _, op := range levels[level] {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		after := rest[len(op):]
		switch {
		case (op == "|" || op == "&") && strings.HasPrefix(after, op), // || and &&
			(op == "<" || op == ">") && strings.HasPrefix(after, op): // << and >>
			continue
		case op == "%" && after != "" && letter(after[0]): // a register, where an operator is missing
			continue
		}
		p.pos += len(op)
		return op
	}
	return ""
}

// binary parses operators of a level and of those that bind more.
func (p *parser) binary(level int) (*node, error) {
	if level == len(levels) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	if err != nil {
		return nil, err
	}
	for {
		op := p.operator(level)
		if op == "" {
			return left, nil
		}
		right, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		left = &node{op: op, args: []*node{left, right}, start: left.start, end: right.end}
	}
}

func (p *parser) unary() (*node, error) {
	p.space()
	start := p.pos
	if p.depth++; p.depth > mostNested {
		return nil, errorAt(start, len(p.text), "the expression is nested too deeply")
	}
	defer func() { p.depth-- }()
	if p.pos < len(p.text) && strings.IndexByte("!~-", p.text[p.pos]) >= 0 {
		p.pos++
		arg, err := p.unary()
		if err != nil {
			return nil, err
		}
		return &node{op: "unary " + p.text[start:start+1], args: []*node{arg}, start: start, end: arg.end}, nil
	}
	return p.primary()
}

func (p *parser) primary() (*node, error) {
	start := p.pos
	switch {
	case p.pos == len(p.text):
		return nil, errorAt(start, start, "a value is missing at the end")
	case p.text[p.pos] == '(':
		p.pos++
		inner, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		return inner, p.expect(")", start)
	case digit(p.text[p.pos]):
		return p.number()
	}
	name := p.name()
	if name == "" {
		return nil, errorAt(start, start+1, "expected a register, a name or a number, found %q", p.text[start:start+1])
	}
	n := &node{op: "name", name: name, start: start, end: p.pos}
	if name[0] == '%' {
		n.op = "register"
		return n, nil
	}
	if p.space(); p.pos == len(p.text) || p.text[p.pos] != '(' && p.text[p.pos] != '[' {
		return n, nil
	}
	open := p.pos
	p.pos++
	arg, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	n.args, n.op = []*node{arg}, "call"
	closing := ")"
	if p.text[open] == '[' {
		n.op, closing = "element", "]"
	}
	err = p.expect(closing, open)
	n.end = p.pos
	return n, err
}

// expect accepts a bracket that closes what was opened at an offset.
func (p *parser) expect(closing string, open int) error {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], closing) {
		return errorAt(open, open+1, "%q has no matching %q", p.text[open:open+1], closing)
	}
	p.pos++
	return nil
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// name reads an identifier of PTX (4.4), with the components of a vector register or of a special register: %tid.x.
func (p *parser) name() string {
	start := p.pos
	if p.pos < len(p.text) && p.text[p.pos] == '%' {
		p.pos++
	}
	for first := p.pos; p.pos < len(p.text); p.pos++ {
		c := p.text[p.pos]
		if !letter(c) && (p.pos == first || !digit(c) && !(c == '.' && p.text[start] == '%')) {
			break
		}
	}
	if p.text[start:p.pos] == "%" {
		p.pos = start
	}
	return p.text[start:p.pos]
}

// number reads an integer or a floating-point number in the notations of C, or of PTX for bits of a float (4.5.2).
func (p *parser) number() (*node, error) {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		exponent := (c == '+' || c == '-') && strings.IndexByte("eE", p.text[p.pos-1]) >= 0 && !p.hexadecimal(start)
		if !letter(c) && !digit(c) && c != '.' && !exponent {
			break
		}
		p.pos++
	}
	text := p.text[start:p.pos]
	n := &node{op: "number", start: start, end: p.pos}
	if len(text) == 10 && strings.EqualFold(text[:2], "0f") || len(text) == 18 && strings.EqualFold(text[:2], "0d") {
		if bits, err := strconv.ParseUint(text[2:], 16, 64); err == nil {
			_, value, _ := As(map[int]string{10: "f32", 18: "f64"}[len(text)], bits)
			n.value = Uniform(Float, value)
			return n, nil
		}
	}
	if bits, err := strconv.ParseUint(strings.TrimRight(text, "uU"), 0, 64); err == nil {
		n.value = Uniform(Unsigned, bits)
		return n, nil
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !p.hexadecimal(start) {
		n.value = Uniform(Float, math.Float64bits(f))
		return n, nil
	}
	return nil, errorAt(start, p.pos, "%q is not a number", text)
}

func (p *parser) hexadecimal(start int) bool {
	return strings.HasPrefix(strings.ToLower(p.text[start:]), "0x")
}
