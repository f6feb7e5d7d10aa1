package ptx

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/ptx/isa"
)

// value is a constant: S64, U64, F64, or F32 for a 0f literal, which operators do not accept (4.5.2).
type value struct {
	typ  isa.Type
	bits uint64
}

func signed(n int64) value    { return value{isa.S64, uint64(n)} }
func unsigned(n uint64) value { return value{isa.U64, n} }
func double(f float64) value  { return value{isa.F64, math.Float64bits(f)} }
func truth(b bool) value {
	if b {
		return signed(1)
	}
	return signed(0)
}

func (v value) float() bool   { return v.typ == isa.F64 || v.typ == isa.F32 }
func (v value) f64() float64  { return math.Float64frombits(v.bits) }
func (v value) nonzero() bool { return v.bits != 0 }

// precedence has the operators in the order of Table 4, loosest first.
var precedence = map[kind]int{
	tokOr: 1, tokAnd: 2, '|': 3, '^': 4, '&': 5, tokEq: 6, tokNe: 6, '<': 7, '>': 7, tokLe: 7, tokGe: 7,
	tokShl: 8, tokShr: 8, '+': 9, '-': 9, '*': 10, '/': 10, '%': 10,
}

// expression parses and evaluates a constant expression (4.5.4). It reports its own errors; ok is false after one.
func (p *parser) expression() (value, bool) {
	start := p.tok
	v, ok := p.binary(1)
	if !ok || p.tok.kind != '?' {
		return v, ok
	}
	if !p.enter() {
		return v, false
	}
	defer p.leave()
	p.next()
	if v.float() {
		p.report("bad-expression", start.span(), "the condition before ? must be an integer").section("4.5.5")
		return v, false
	}
	a, ok := p.expression()
	if !ok || !p.expect(':', " in the conditional expression") {
		return v, false
	}
	b, ok := p.expression()
	if !ok {
		return v, false
	}
	if a.float() != b.float() || a.typ == isa.F32 || b.typ == isa.F32 {
		p.report("bad-expression", start.span(), "both sides of ':' must be integers or both .f64").section("4.5.5")
		return v, false
	}
	if !a.float() && (a.typ == isa.U64 || b.typ == isa.U64) {
		a.typ, b.typ = isa.U64, isa.U64
	}
	if v.nonzero() {
		return a, true
	}
	return b, true
}

func (p *parser) binary(level int) (value, bool) {
	left, ok := p.unary()
	for ok {
		op := p.tok
		prec := precedence[op.kind]
		if prec < level {
			return left, true
		}
		p.next()
		var right value
		if right, ok = p.binary(prec + 1); !ok {
			break
		}
		left, ok = p.apply(op, left, right)
	}
	return left, false
}

func (p *parser) unary() (value, bool) {
	op := p.tok
	switch op.kind {
	case '+', '-', '!', '~':
		if !p.enter() {
			return value{}, false
		}
		defer p.leave()
		p.next()
		v, ok := p.unary()
		if !ok {
			return v, false
		}
		return p.applyUnary(op, v)
	case '(':
		return p.parenthesis()
	case tokNumber:
		p.next()
		return p.literal(op)
	case tokIdent:
		if p.is("WARP_SZ") {
			p.next()
			return signed(32), true
		}
		p.report("bad-expression", op.span(), "%s is not a constant", p.describe(op))
		return value{}, false
	}
	p.unexpected("a constant", "")
	return value{}, false
}

// parenthesis parses "(expression)" or a cast "(.s64) operand".
func (p *parser) parenthesis() (value, bool) {
	if !p.enter() {
		return value{}, false
	}
	defer p.leave()
	p.next()
	if t := p.tok; t.kind == tokDot {
		typ, _ := isa.ParseType(p.text(t))
		p.next()
		if typ != isa.S64 && typ != isa.U64 {
			p.report("bad-expression", t.span(), "constants can be cast to (.s64) and (.u64) only").section("4.5.5")
			return value{}, false
		}
		if !p.expect(')', " after the cast") {
			return value{}, false
		}
		v, ok := p.unary()
		if ok && v.float() {
			p.report("bad-expression", t.span(), "there is no cast between floating point and integer").section("4.5.4")
			return v, false
		}
		v.typ = typ
		return v, ok
	}
	v, ok := p.expression()
	return v, ok && p.expect(')', " in the expression")
}

func (p *parser) applyUnary(op token, v value) (value, bool) {
	switch {
	case v.typ == isa.F32:
		return p.singleInExpression(op)
	case op.kind == '+':
		return v, true
	case op.kind == '-' && v.float():
		return double(-v.f64()), true
	case op.kind == '-':
		v.bits = -v.bits
		return v, true
	case v.float():
		p.report("bad-expression", op.span(), "%s needs an integer", p.describe(op)).section("4.5.4")
		return v, false
	case op.kind == '!':
		return truth(!v.nonzero()), true
	}
	return unsigned(^v.bits), true
}

func (p *parser) singleInExpression(op token) (value, bool) {
	p.report("bad-expression", op.span(), "a 0f literal is an exact .f32 and cannot take part in an expression; "+
		"use a decimal or 0d literal").section("4.5.2")
	return value{}, false
}

func (p *parser) apply(op token, a, b value) (value, bool) {
	switch {
	case a.typ == isa.F32 || b.typ == isa.F32:
		return p.singleInExpression(op)
	case a.float() != b.float():
		p.report("bad-expression", op.span(), "%s has an integer and a floating-point operand; there is no conversion",
			p.describe(op)).section("4.5.4")
		return a, false
	case a.float():
		if v, ok := applyFloat(op.kind, a.f64(), b.f64()); ok {
			return v, true
		}
		p.report("bad-expression", op.span(), "%s needs integers", p.describe(op)).section("4.5.4")
		return a, false
	case (op.kind == '/' || op.kind == '%') && b.bits == 0:
		p.report("bad-expression", op.span(), "division by zero").section("4.5.5")
		return a, false
	}
	return applyInteger(op.kind, a, b), true
}

func applyFloat(op kind, a, b float64) (value, bool) {
	switch op {
	case '+':
		return double(a + b), true
	case '-':
		return double(a - b), true
	case '*':
		return double(a * b), true
	case '/':
		return double(a / b), true
	case '<':
		return truth(a < b), true
	case '>':
		return truth(a > b), true
	case tokLe:
		return truth(a <= b), true
	case tokGe:
		return truth(a >= b), true
	case tokEq:
		return truth(a == b), true
	case tokNe:
		return truth(a != b), true
	}
	return value{}, false
}

// applyInteger follows 4.5.5: everything is 64 bits wide; one unsigned operand makes + - * / & | ^ and the comparisons
// unsigned; % is always unsigned; shifts depend only on the left operand.
func applyInteger(op kind, a, b value) value {
	typ := isa.S64
	if a.typ == isa.U64 || b.typ == isa.U64 {
		typ = isa.U64
	}
	less := int64(a.bits) < int64(b.bits)
	if typ == isa.U64 {
		less = a.bits < b.bits
	}
	same := a.bits == b.bits
	switch op {
	case '+':
		return value{typ, a.bits + b.bits}
	case '-':
		return value{typ, a.bits - b.bits}
	case '*':
		return value{typ, a.bits * b.bits}
	case '/':
		if typ == isa.S64 {
			return signed(divide(int64(a.bits), int64(b.bits)))
		}
		return unsigned(a.bits / b.bits)
	case '%':
		return signed(int64(a.bits % b.bits)) // the text of 4.5.5 reads the operands as unsigned; Table 5 types the result
	case '&':
		return value{typ, a.bits & b.bits}
	case '|':
		return value{typ, a.bits | b.bits}
	case '^':
		return value{typ, a.bits ^ b.bits}
	case tokShl:
		return value{a.typ, a.bits << b.bits}
	case tokShr:
		if a.typ == isa.S64 {
			return signed(int64(a.bits) >> b.bits)
		}
		return unsigned(a.bits >> b.bits)
	case '<':
		return truth(less)
	case '>':
		return truth(!less && !same)
	case tokLe:
		return truth(less || same)
	case tokGe:
		return truth(!less)
	case tokEq:
		return truth(same)
	case tokNe:
		return truth(!same)
	case tokAnd:
		return truth(a.nonzero() && b.nonzero())
	}
	return truth(a.nonzero() || b.nonzero())
}

// divide is a/b. The one overflow, -2^63 / -1, wraps as in two's complement.
func divide(a, b int64) int64 {
	if b == -1 {
		return -a
	}
	return a / b
}

// literal evaluates a number token (4.5.1, 4.5.2).
func (p *parser) literal(t token) (value, bool) {
	text := p.text(t)
	if len(text) > 1 && text[0] == '0' {
		switch text[1] {
		case 'f', 'F':
			return p.exact(t, text[2:], 8, isa.F32)
		case 'd', 'D':
			return p.exact(t, text[2:], 16, isa.F64)
		}
	}
	if v, ok := integerLiteral(text); ok {
		return v, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if decimalFloat(text) && err == nil {
		return double(f), true
	}
	d := p.report("bad-number", t.span(), "%s is not a number", p.describe(t))
	if _, e := strconv.ParseUint(text, 0, 64); errorIsRange(e) || decimalFloat(text) && errorIsRange(err) {
		d.Message = p.describe(t) + " does not fit in 64 bits"
	}
	if plain := strings.TrimRight(text, "fF"); len(plain) == len(text)-1 && decimalFloat(plain) { // as in C
		d.fix(t.span(), plain, "write %s", plain)
	}
	return value{}, false
}

func errorIsRange(err error) bool {
	ne, ok := err.(*strconv.NumError)
	return ok && ne.Err == strconv.ErrRange
}

func (p *parser) exact(t token, digits string, n int, typ isa.Type) (value, bool) {
	bits, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) != n {
		p.report("bad-number", t.span(), "%s needs exactly %d hexadecimal digits after %s", p.describe(t), n,
			p.text(t)[:2]).section("4.5.2")
		return value{}, false
	}
	return value{typ, bits}, true
}

// offerExact offers the float literal (4.5.2) with the bits of a hexadecimal integer literal. False for other texts.
func (p *parser) offerExact(d *Diagnostic, at Span, typ isa.Type) bool {
	form, text := map[isa.Type]string{isa.F32: "0f%08X", isa.F64: "0d%016X"}[typ], p.m.Text(at)
	if len(text) < 3 || text[0] != '0' || text[1]|0x20 != 'x' || form == "" {
		return false
	}
	bits, err := strconv.ParseUint(text[2:], 16, typ.Bits())
	if err != nil {
		return false
	}
	exact := fmt.Sprintf(form, bits)
	d.Message += "; the float with these bits is " + exact
	d.fix(at, exact, "write %s", exact)
	return true
}

func integerLiteral(text string) (value, bool) {
	suffix := false
	if n := len(text) - 1; n > 0 && text[n] == 'U' {
		text, suffix = text[:n], true
	}
	base := 10
	if len(text) > 1 && text[0] == '0' {
		switch text[1] {
		case 'x', 'X':
			text, base = text[2:], 16
		case 'b', 'B':
			text, base = text[2:], 2
		default:
			text, base = text[1:], 8
		}
	}
	n, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		return value{}, false
	}
	if suffix || n > math.MaxInt64 {
		return unsigned(n), true
	}
	return signed(int64(n)), true
}

// decimalFloat excludes the other spellings that strconv accepts (infinities, hexadecimal, underscores).
func decimalFloat(text string) bool {
	float := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if class[c]&isDigit == 0 && c != '.' && c|0x20 != 'e' && c != '+' && c != '-' {
			return false
		}
		float = float || class[c]&isDigit == 0
	}
	return float
}
