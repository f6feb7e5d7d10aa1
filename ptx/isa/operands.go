package isa

import (
	"strconv"
	"strings"
)

// A Form's Operands says what follows the operand names of its Syntax: items "names=type" with flags, separated
// by spaces. Names are joined by commas: "d=type! a,b=type". The type is
//
//	type        the type that fills the slot .type
//	1           the first type of the opcode, 2 the second, …
//	.u32        a fixed type
//	pred        .pred
//	wide(type)  the type of twice the width (mul.wide)
//	bits(type)  the bit-size type of the same width (.f16x2 lives in .b32 registers)
//	mask(slot)  the type of a mask as wide as the slot says: .u32 for ::32b, otherwise .u16
//	matrix      what the registers of a matrix hold
//	any         not constrained by the opcode
//	label func  the name of a label (or list of labels), of a function
//
// and alternatives "wide(wtype)|type" mean the first one whose slot the opcode fills. The flags, in any order, are
//
//	!    written; without it the operand is read
//	!!   read and written
//	^    a wider register is allowed (9.4.1)
//	#    a constant only
//	<0..15>  a constant is in this range; <32..512/32> and a multiple of 32; <128> is that number
//	~    the sink _ is allowed in its place
//	*    a vector of as many elements as .vec says; *4 always of four; *0 of a number that the opcode's shape decides
//	+x   x is accepted too: +sreg a special register, +sym the address of a variable, +vec a tuple; -imm: no constant
//
// Names that mean the same everywhere need no item: see commonOperands.

// spec is the meaning of one operand name.
type spec struct {
	types  []typeExpr
	role   Role
	kinds  Kind // 0: by type
	add    Kind
	drop   Kind
	vec    string // "" scalar, "vec", or digits
	wider  bool
	matrix bool
	limit  *Range
}

// typeExpr is one alternative of an operand's type.
type typeExpr struct {
	fn   string // "", wide, bits, mask
	name string // slot name, or fixed type with its dot
}

// commonOperands are the operands that mean the same in every form that has them.
var commonOperands = parseSpecs("cache-policy=.u64 membermask=.u32 ctaMask=mask(multicast) mbar=any " +
	"size=.u32<0..4294967280/16> count=.u32<1..1048575>")

// comesWith are the optional operands that are there exactly when the opcode has a modifier or fills a slot.
var comesWith = map[string]string{"cache-policy": "level::cache_hint", "ctaMask": "multicast", "byteMask": ".cp_mask",
	"gAddrToOverride": ".override::global_address"}

func parseSpecs(text string) map[string]spec {
	out := map[string]spec{}
	for _, item := range strings.Fields(text) {
		names, body, _ := strings.Cut(item, "=")
		s := parseSpec(body)
		for _, name := range strings.Split(names, ",") {
			out[name] = s
		}
	}
	return out
}

func parseSpec(body string) spec {
	end := strings.IndexAny(body, "!^#~*+-<")
	if end < 0 {
		end = len(body)
	}
	s := spec{role: Read}
	for _, alt := range strings.Split(body[:end], "|") {
		switch {
		case alt == "label":
			s.kinds = KLabel
		case alt == "func":
			s.kinds = KFunc
		case alt == "any":
		case alt == "matrix":
			s.matrix = true
		case alt == "pred":
			s.types = append(s.types, typeExpr{name: ".pred"})
		case strings.HasSuffix(alt, ")"):
			fn, arg, _ := strings.Cut(strings.TrimSuffix(alt, ")"), "(")
			s.types = append(s.types, typeExpr{fn, arg})
		default:
			s.types = append(s.types, typeExpr{name: alt})
		}
	}
	flags := body[end:]
	for len(flags) > 0 {
		flags = s.flag(flags)
	}
	return s
}

// flag reads one flag and returns the rest.
func (s *spec) flag(flags string) string {
	rest := flags[1:]
	switch flags[0] {
	case '!':
		if s.role == Write {
			s.role = Read | Write
		} else {
			s.role = Write
		}
	case '^':
		s.wider = true
	case '#':
		s.kinds = KImm
	case '<':
		text, after, _ := strings.Cut(rest, ">")
		s.limit, rest = parseRange(text), after
	case '~':
		s.add |= KSink
	case '*':
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if s.vec = rest[:n]; n == 0 {
			s.vec = "vec"
		}
		rest = rest[n:]
	case '+', '-':
		n := 0
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		kind := map[string]Kind{"sreg": KSReg, "sym": KSym, "vec": KVec, "imm": KImm, "reg": KReg, "func": KFunc}[rest[:n]]
		if flags[0] == '+' {
			s.add |= kind
		} else {
			s.drop |= kind
		}
		rest = rest[n:]
	}
	return rest
}

// parseRange reads "0..15", "32..512/32" or "128".
func parseRange(text string) *Range {
	text, step, _ := strings.Cut(text, "/")
	low, high, ok := strings.Cut(text, "..")
	if !ok {
		high = low
	}
	number := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }
	return &Range{number(low), number(high), max(1, number(step))}
}

// opPattern is one operand as written in a syntax line.
type opPattern struct {
	name     string
	open     byte // 0, or the bracket around it: [ { (
	inner    []opPattern
	neg      bool // ! before a predicate, - before a number
	optional bool
	pair     *opPattern
	suffix   []string
}

// opParser reads the operands of a syntax line.
type opParser struct {
	text string
	pos  int
}

func (p *opParser) space() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t') {
		p.pos++
	}
}

// take skips spaces and consumes s if it comes next.
func (p *opParser) take(s string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

// items reads operands up to a closing bracket or the end; "{, x}" marks optional ones.
func (p *opParser) items() []opPattern {
	var out []opPattern
	for {
		p.space()
		if p.pos == len(p.text) || strings.IndexByte("])}", p.text[p.pos]) >= 0 {
			return out
		}
		switch {
		case p.take(","):
		case p.optionalAhead():
			p.take("{")
			for _, o := range p.items() {
				o.optional = true
				out = append(out, o)
			}
			p.take("}")
		default:
			out = append(out, p.item())
		}
	}
}

// optionalAhead says whether an optional operand "{, x}" or "{x, }" comes next.
func (p *opParser) optionalAhead() bool {
	rest := strings.TrimLeft(p.text[p.pos:], " ")
	if !strings.HasPrefix(rest, "{") {
		return false
	}
	end := strings.IndexByte(rest, '}')
	return strings.HasPrefix(strings.TrimLeft(rest[1:], " "), ",") || end > 0 && strings.HasSuffix(rest[:end], ", ")
}

func (p *opParser) item() opPattern {
	var o opPattern
	o.neg = p.take("{!}") || p.take("{-}")
	p.space()
	if p.pos == len(p.text) {
		return o
	}
	switch c := p.text[p.pos]; c {
	case '[', '{', '(':
		p.pos++
		o.open = c
		o.inner = p.items()
		p.pos = min(p.pos+1, len(p.text))
		if len(o.inner) > 0 {
			o.name = o.inner[0].name
		}
	default:
		o.name = p.name()
	}
	switch {
	case p.take("[|"):
		o.pair = &opPattern{name: p.name(), optional: true}
		p.take("]")
	case p.take("|"):
		o.pair = &opPattern{name: p.name()}
	}
	for p.take("{.") || p.take(".") {
		o.suffix = append(o.suffix, "."+p.name())
		p.take("}")
	}
	return o
}

// name reads an operand name; an unknown character is skipped as one so that reading always ends.
func (p *opParser) name() string {
	p.space()
	start := p.pos
	for p.pos < len(p.text) && (isWord(p.text[p.pos]) || strings.IndexByte("-+:", p.text[p.pos]) >= 0) {
		p.pos++
	}
	if p.pos == start && p.pos < len(p.text) {
		p.pos++
	}
	return p.text[start:p.pos]
}

// binder turns the operand patterns of a line into what a bound opcode allows.
type binder struct {
	b     *Bound
	specs map[string]spec
}

func (n *binder) operands(patterns []opPattern) []Operand {
	var out []Operand
	for _, p := range patterns {
		if gate, ok := comesWith[p.name]; ok && p.optional {
			if !n.b.carries(gate) {
				continue
			}
			p.optional = false
		}
		out = append(out, n.operand(p))
	}
	return out
}

func (n *binder) operand(p opPattern) Operand {
	o := Operand{Name: p.name, Role: Read, Optional: p.optional, Neg: p.neg, Vec: 1, Suffix: p.suffix}
	s, ok := n.specs[p.name]
	if !ok {
		s, ok = commonOperands[p.name]
	}
	switch {
	case p.name == "_":
		o.Kinds, o.Role = KSink, Write
	case p.open == '[':
		o.Kinds = KAddr
		if len(p.inner) > 1 {
			o.Kinds = KTex
			o.Inner = n.operands(p.inner)
		}
		o.Type = n.resolve(s.types)
	default:
		o.Type, o.Role, o.Wider, o.Range = n.resolve(s.types), s.role, s.wider && !n.exact(), s.limit
		if s.matrix {
			o.Type = n.b.packed(p.name)
		} else if n.b.Sparse() && (p.name == "f" || p.name == "sp-sel") {
			o.Range = &Range{0, n.b.selectors() - 1, 1}
		}
		if !ok {
			o.Role = Read
		}
		o.Vec = n.vecOf(s.vec)
		o.Kinds = s.kindsFor(o.Type, o.Vec)
		if p.open == '{' {
			o.Kinds, o.Vec = KVec, len(p.inner)
		}
	}
	if p.pair != nil {
		q := n.operand(*p.pair)
		o.Pair = &q
	}
	return o
}

// kindsFor says which operands can have this type: predicates in predicate registers, vectors in tuples.
func (s *spec) kindsFor(t Type, vec int) Kind {
	kinds := s.kinds
	if kinds == 0 {
		switch {
		case vec != 1:
			kinds = KVec
		case t == Pred:
			kinds = KPred
		default:
			kinds = KReg
		}
		if s.role&Write == 0 && vec == 1 {
			kinds |= KImm
		}
	}
	return (kinds | s.add) &^ s.drop
}

// resolve finds the type of the first alternative whose slot is filled.
func (n *binder) resolve(alts []typeExpr) Type {
	for _, a := range alts {
		if a.fn == "mask" {
			if strings.HasSuffix(n.b.Value(a.name), "::32b") {
				return U32
			}
			return U16
		}
		t := n.typeNamed(a.name)
		switch {
		case t == NoType:
			continue
		case a.fn == "wide":
			t = t.Widened()
		case a.fn == "bits":
			t = BitsType(t.Bits())
		}
		return t
	}
	return NoType
}

// exact says whether one of the opcode's types is one whose conversions never take wider registers (9.7.10.24).
func (n *binder) exact() bool {
	for _, t := range n.b.Types {
		switch t {
		case BF16, BF16x2, TF32:
			return true
		}
	}
	return false
}

// typeNamed finds a fixed type, the n-th type of the opcode, or the type in a slot.
func (n *binder) typeNamed(name string) Type {
	switch {
	case name[0] == '.':
		t, _ := ParseType(name)
		return t
	case name[0] >= '1' && name[0] <= '9':
		if i := int(name[0] - '1'); i < len(n.b.Types) {
			return n.b.Types[i]
		}
		return NoType
	}
	return n.b.Type(name)
}

// vecOf is the number of elements: of the .vec modifier, or a fixed one; 0 for any.
func (n *binder) vecOf(vec string) int {
	switch vec {
	case "":
		return 1
	case "vec":
		if v, err := strconv.Atoi(strings.TrimPrefix(n.b.Value("vec"), ".v")); err == nil {
			return v
		}
		return 1
	}
	v, _ := strconv.Atoi(vec)
	return v
}
