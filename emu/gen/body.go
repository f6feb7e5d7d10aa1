package main

import (
	"fmt"
	"strings"

	"warpscope/emu/handlers"
)

// Bodies of handlers in Go, unrolled over the 32 lanes: for native builds, and in WebAssembly for those without a
// postfix form. A computed pointer lives in a register or local, while an argument is loaded from the stack again for
// every lane: so handlers compute their row pointers. Floats come in small groups, with a test for NaNs after each.

// Body declares the rows and computes all lanes.
func (h handler) Body() string {
	var b strings.Builder
	if !h.IsPred() {
		fmt.Fprintf(&b, "\td := (*[%d]%s)(unsafe.Add(f, to))\n", h.words(), handlers.Elem[h.Result()])
	}
	for i := range h.Operands() {
		n := 'a' + rune(i)
		fmt.Fprintf(&b, "\t%c := (*[%d]%s)(unsafe.Add(f, in.%c))\n", n, h.words(), handlers.Elem[h.Operands()[i]], n+'A'-'a')
	}
	switch {
	case h.Fallback != "":
		h.fmaLanes(&b)
	case h.Result() == 'f':
		h.floatLanes(&b)
	default:
		h.lanes(&b)
	}
	return b.String()
}

// words is the length of a row: 32 lanes, or 16 pairs of them.
func (h handler) words() int {
	if h.Result() == 'v' {
		return 16
	}
	return 32
}

// floatLanes makes results that are NaN canonical: a sum over a group is a NaN if one of them is.
func (h handler) floatLanes(b *strings.Builder) {
	const group = 4
	b.WriteString("\tvar r0, r1, r2, r3 float32\n")
	for lane := 0; lane < 32; lane += group {
		for i := range group {
			fmt.Fprintf(b, "\tr%d = %s\n", i, subst(h.Expr, lane+i))
		}
		for i := range group {
			fmt.Fprintf(b, "\td[%d] = r%d\n", lane+i, i)
		}
		fmt.Fprintf(b, "\tif r0 += r1 + (r2 + r3); r0 != r0 {\n\t\tcanonLanes(d, %d, %d)\n\t}\n", lane, lane+group)
	}
}

// lanes computes integers and masks.
func (h handler) lanes(b *strings.Builder) {
	if !h.IsPred() {
		for lane := range h.words() {
			fmt.Fprintf(b, "\td[%d] = %s\n", lane, subst(h.Expr, lane))
		}
		return
	}
	b.WriteString("\tr := uint32(0)\n")
	for lane := range 32 {
		fmt.Fprintf(b, "\tr |= Bit(%s) << %d\n", subst(h.Expr, lane), lane)
	}
	b.WriteString("\tp, exec := Pred(f, to), *Pred(f, ExecMask)\n\t*p = *p&^exec | r&exec\n")
}

// fmaLanes is exact fma.rn.f32 (9.7.3.6): the product of two floats is exact in float64; the sum rounds once to 53
// bits, and rounding that to 24 bits is right unless it fell on a halfway point or the result is subnormal. The sign of
// odd is set when one of two lanes is such a case, or a NaN; then fmaExact does both again.
func (h handler) fmaLanes(b *strings.Builder) {
	b.WriteString("\tvar s0, s1 float64\n\tvar u0, u1, odd uint64\n")
	for lane := 0; lane < 32; lane += 2 {
		for i := range 2 {
			fmt.Fprintf(b, "\ts%d = %s\n", i, subst(h.Expr, lane+i))
			fmt.Fprintf(b, "\tu%d = math.Float64bits(s%d)\n", i, i)
		}
		b.WriteString("\todd = ((u0^0x10000000)&0x1fffffff - 1) | ((u1^0x10000000)&0x1fffffff - 1)\n")
		for i := range 2 {
			fmt.Fprintf(b, "\tu%d &= 1<<63 - 1\n\todd |= ((u%d - 897<<52) | (2047<<52 - u%d)) &^ (u%d - 1)\n", i, i, i, i)
		}
		fmt.Fprintf(b, "\tif int64(odd) < 0 {\n\t\tfmaExact(d, a, b, c, %d, %d)\n\t} else {\n", lane, lane+2)
		fmt.Fprintf(b, "\t\td[%d] = float32(s0)\n\t\td[%d] = float32(s1)\n\t}\n", lane, lane+1)
	}
	b.WriteString("\treturn 0\n")
}

// subst replaces the identifiers a, b, c by their lane's elements.
func subst(e string, lane int) string {
	var b strings.Builder
	isIdent := func(i int) bool {
		if i < 0 || i >= len(e) {
			return false
		}
		c := e[i]
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.'
	}
	for i := range len(e) {
		if e[i] >= 'a' && e[i] <= 'c' && !isIdent(i-1) && !isIdent(i+1) {
			fmt.Fprintf(&b, "%c[%d]", e[i], lane)
		} else {
			b.WriteByte(e[i])
		}
	}
	return b.String()
}
