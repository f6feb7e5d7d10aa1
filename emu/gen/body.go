package main

import (
	"fmt"
	"strings"
)

// Bodies of handlers, unrolled over the 32 lanes.
//
// Two habits of Go's WebAssembly shape them. A computed pointer lives in a local, while an argument is loaded from the
// stack again for every lane: so handlers compute their row pointers. And a load or store of a float does not fold a
// constant offset into the instruction, so that 32 of them spill 32 addresses; constant addresses are cheap, though: so
// for WebAssembly rows of floats are copied as integers to and from static arrays ("staged"), and computed there. The
// engine there has one thread. There is no branch per lane either way: taken jumps are dear, too.

// HasFloat says whether the handler works on floats: then its body differs between WebAssembly and other machines.
func (h handler) HasFloat() bool { return strings.ContainsAny(h.Sig, "fd") }

// stage is the static array of a float operand.
func stage(letter, name byte) string {
	if letter == 'd' {
		return "double" + strings.ToUpper(string(name))
	}
	return "float" + strings.ToUpper(string(name))
}

// words copies a row, 64 bits at a time.
func words(letter byte) int {
	if letter == 'd' {
		return 32
	}
	return 16
}

// Plain is the body for integers, and for floats on other machines.
func (h handler) Plain() string {
	var b strings.Builder
	if !h.IsPred() {
		fmt.Fprintf(&b, "\td := (*[32]%s)(unsafe.Add(f, to))\n", elem[h.Sig[0]])
	}
	names := map[byte]string{}
	for i := range h.params() {
		n := "abc"[i]
		names[n] = string(n)
		fmt.Fprintf(&b, "\t%c := (*[32]%s)(unsafe.Add(f, in.%c))\n", n, elem[h.params()[i]], n)
	}
	switch {
	case h.Name == "FmaF32":
		b.WriteString("\tr := (*[32]float32)(unsafe.Add(f, tempRow))\n" + fmaLanes("r", names))
		b.WriteString("\tif odd>>63 != 0 {\n\t\tfmaAgain(r, a, b, c)\n\t}\n")
		b.WriteString("\tvar nan uint32\n")
		for lane := range 32 {
			fmt.Fprintf(&b, "\td[%d] = r[%d]\n\tnan |= b2u(r[%d] != r[%d])\n", lane, lane, lane, lane)
		}
		b.WriteString("\tif nan != 0 {\n\t\tcanonRow(d)\n\t}\n")
	case h.Sig[0] == 'f':
		b.WriteString("\tvar r float32\n\tvar nan uint32\n")
		for lane := range 32 {
			fmt.Fprintf(&b, "\tr = %s\n\td[%d] = r\n\tnan |= b2u(r != r)\n", subst(h.Expr, lane, names), lane)
		}
		b.WriteString("\tif nan != 0 {\n\t\tcanonRow(d)\n\t}\n")
	default:
		h.lanes(&b, "d", names)
	}
	return b.String()
}

// lanes computes every lane into array d, or into a mask.
func (h handler) lanes(b *strings.Builder, d string, names map[byte]string) {
	if h.IsPred() {
		b.WriteString("\tr := uint32(0)\n")
	}
	for lane := range 32 {
		e := subst(h.Expr, lane, names)
		if h.IsPred() {
			fmt.Fprintf(b, "\tr |= b2u(%s) << %d\n", e, lane)
		} else {
			fmt.Fprintf(b, "\t%s[%d] = %s\n", d, lane, e)
		}
	}
	if h.IsPred() {
		b.WriteString("\tif in.x != nil {\n\t\tin.x.setp(f, Mask(*predAt(f, execMask)), r)\n\t\treturn\n\t}\n")
		b.WriteString("\tp, exec := predAt(f, in.d), *predAt(f, execMask)\n\t*p = *p&^exec | r&exec\n")
	}
}

// Staged is the body for WebAssembly.
func (h handler) Staged() string {
	var b strings.Builder
	names := map[byte]string{}
	for i := range h.params() {
		n, letter := "abc"[i], h.params()[i]
		if letter != 'f' && letter != 'd' {
			names[n] = string(n)
			fmt.Fprintf(&b, "\t%c := (*[32]%s)(unsafe.Add(f, in.%c))\n", n, elem[letter], n)
			continue
		}
		names[n] = stage(letter, n)
		fmt.Fprintf(&b, "\t%c := (*[%d]uint64)(unsafe.Add(f, in.%c))\n", n, words(letter), n)
		fmt.Fprintf(&b, "\tto%c := (*[%d]uint64)(unsafe.Pointer(&%s))\n", n, words(letter), names[n])
		for i := range words(letter) {
			fmt.Fprintf(&b, "\tto%c[%d] = %c[%d]\n", n, i, n, i)
		}
	}
	if h.Name == "FmaF32" {
		b.WriteString(fmaLanes("floatR", names))
		b.WriteString("\tif odd>>63 != 0 {\n\t\tfmaAgain(&floatR, &floatA, &floatB, &floatC)\n\t}\n")
	} else {
		h.lanes(&b, "floatR", names)
	}
	if h.IsPred() {
		return b.String()
	}
	// Copy the result out; adding carries into the sign bit of a half that holds a NaN.
	b.WriteString("\td := (*[16]uint64)(unsafe.Add(f, to))\n\tr := (*[16]uint64)(unsafe.Pointer(&floatR))\n\tvar v, nan uint64\n")
	for i := range 16 {
		fmt.Fprintf(&b, "\tv = r[%d]\n\td[%d] = v\n\tnan |= v&0x7fffffff7fffffff + 0x007fffff007fffff\n", i, i)
	}
	b.WriteString("\tif nan&0x8000000080000000 != 0 {\n\t\tcanonRow((*[32]float32)(unsafe.Add(f, to)))\n\t}\n")
	return b.String()
}

// fmaLanes is exact fma.rn.f32 (9.7.3.6): the product of two floats is exact in float64; the sum rounds once to 53
// bits, and rounding that to 24 bits is right unless it fell on a halfway point or the result is subnormal. The sign of
// odd is set when that may have happened in some lane (or a result is zero); then fmaAgain looks closer. Results go to
// an array of their own, because the destination may be one of the operands.
func fmaLanes(r string, names map[byte]string) string {
	var b strings.Builder
	b.WriteString("\tvar s float64\n\tvar u, odd uint64\n")
	for lane := range 32 {
		fmt.Fprintf(&b, "\ts = %s\n", subst("float64(a)*float64(b) + float64(c)", lane, names))
		fmt.Fprintf(&b, "\tu = math.Float64bits(s)\n\t%s[%d] = float32(s)\n", r, lane)
		b.WriteString("\todd |= ((u^0x10000000)&0x1fffffff - 1) | (u&0x7fffffffffffffff - 897<<52)\n")
	}
	return b.String()
}

// subst replaces the identifiers a, b, c by their lane's elements of the arrays in names.
func subst(e string, lane int, names map[byte]string) string {
	var b strings.Builder
	isIdent := func(i int) bool {
		if i < 0 || i >= len(e) {
			return false
		}
		c := e[i]
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.'
	}
	for i := range len(e) {
		if name, ok := names[e[i]]; ok && !isIdent(i-1) && !isIdent(i+1) {
			fmt.Fprintf(&b, "%s[%d]", name, lane)
		} else {
			b.WriteByte(e[i])
		}
	}
	return b.String()
}
