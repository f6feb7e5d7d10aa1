package main

import (
	"bytes"
	"slices"
)

// symbol is an instruction by its opcode, one of the group opMore from firstMore on, or what a grammar has found.
type symbol int

const (
	firstMore symbol = 256
	firstOwn  symbol = firstMore + 16
	maxSymbol symbol = 1024
)

// hole is the place of an operand in a template.
const hole = -1

// grammar is symbols that are more than an instruction: two symbols that often follow each other, or a symbol one of
// whose operands is often the same. What a symbol means is its template: opcodes, and operands or holes. A symbol's
// code is followed by the operands that belong in its holes.
type grammar struct {
	templates [][]int // from firstOwn on
	used      []int   // how often each occurs
	free      []byte  // codes of templates: no instruction has them as its opcode
	code      []byte  // of each template that is used
	arity     []int
}

// template is the template of any symbol.
func (g *grammar) template(s symbol) []int {
	if s >= firstOwn {
		return g.templates[s-firstOwn]
	}
	t, count := []int{int(s)}, operandCount(byte(s))
	if s >= firstMore {
		t, count = []int{opMore, int(s - firstMore)}, moreOperands(byte(s-firstMore))
	}
	for range count {
		t = append(t, hole)
	}
	return t
}

// arities is how many operands follow each symbol.
func (g *grammar) arities() []int {
	list := make([]int, firstOwn+symbol(len(g.templates)))
	for s := range list {
		for _, v := range g.template(symbol(s)) {
			if v == hole {
				list[s]++
			}
		}
	}
	return list
}

// A template is found where it saves so many bytes. Operands after the first few, or of more than a byte, stay.
const (
	leastSaving = 32
	maxHoles    = 8
)

// find replaces what saves the most bytes by a new symbol, again and again, until there are as many as there are codes.
func (g *grammar) find(bodies []*body) {
	g.free = freeCodes(bodies)
	for firstOwn+symbol(len(g.templates)) < maxSymbol {
		c := g.count(bodies)
		g.used = c.used[firstOwn:]
		own := 0
		for _, n := range g.used {
			own += min(n, 1)
		}
		if own == len(g.free) {
			return
		}
		pair, pairs := c.bestPair()
		fixed, same := c.bestFixed()
		if max(pairs, same) < leastSaving {
			return
		}
		next := firstOwn + symbol(len(g.templates))
		if pairs > same {
			g.join(bodies, pair, next)
		} else {
			g.fix(bodies, fixed, next)
		}
	}
}

func freeCodes(bodies []*body) (free []byte) {
	var used [256]bool
	for _, b := range bodies {
		for _, s := range b.symbols {
			used[min(s, opMore)] = true
		}
	}
	for code, taken := range used {
		if !taken && code != opMore {
			free = append(free, byte(code))
		}
	}
	return free
}

// counts is how often symbols, pairs of symbols and operands occur.
type counts struct {
	used  []int
	pairs [][]int // by both symbols
	fixed [][]int // by symbol; by hole and operand
}

func (g *grammar) count(bodies []*body) *counts {
	size := firstOwn + symbol(len(g.templates))
	c := &counts{used: make([]int, size), pairs: make([][]int, size), fixed: make([][]int, size)}
	arity := g.arities()
	for s := range size {
		c.pairs[s] = make([]int, size)
		c.fixed[s] = make([]int, 128*min(arity[s], maxHoles))
	}
	for _, b := range bodies {
		before, paired := symbol(-1), false
		operands := b.operands
		for _, s := range b.symbols {
			c.used[s]++
			paired = before == s && !paired // of three alike the last two are no second pair
			if before >= 0 && (before != s || paired) {
				c.pairs[before][s]++
			}
			before = s
			for i, o := range operands[:min(arity[s], maxHoles)] {
				if len(o) == 1 {
					c.fixed[s][128*i+int(o[0])]++
				}
			}
			operands = operands[arity[s]:]
		}
	}
	return c
}

func (c *counts) bestPair() (pair [2]symbol, saves int) {
	for a, row := range c.pairs {
		for b, n := range row {
			if n > saves {
				pair, saves = [2]symbol{symbol(a), symbol(b)}, n
			}
		}
	}
	return pair, saves
}

// fixedOperand is a symbol's operand with a value.
type fixedOperand struct {
	symbol symbol
	hole   int
	value  byte
}

func (c *counts) bestFixed() (fixed fixedOperand, saves int) {
	for s, row := range c.fixed {
		for i, n := range row {
			if n > saves {
				fixed, saves = fixedOperand{symbol(s), i / 128, byte(i % 128)}, n
			}
		}
	}
	return fixed, saves
}

// join puts a symbol in the place of two.
func (g *grammar) join(bodies []*body, pair [2]symbol, next symbol) {
	g.templates = append(g.templates, append(slices.Clone(g.template(pair[0])), g.template(pair[1])...))
	for _, b := range bodies {
		kept := b.symbols[:0]
		for i := 0; i < len(b.symbols); i++ {
			s := b.symbols[i]
			if s == pair[0] && i+1 < len(b.symbols) && b.symbols[i+1] == pair[1] {
				s = next
				i++
			}
			kept = append(kept, s)
		}
		b.symbols = kept
	}
}

// fix puts a symbol in the place of another one where that has the operand.
func (g *grammar) fix(bodies []*body, fixed fixedOperand, next symbol) {
	arity := g.arities()
	g.templates = append(g.templates, filled(g.template(fixed.symbol), fixed.hole, int(fixed.value)))
	for _, b := range bodies {
		operands := b.operands
		kept := b.operands[:0]
		for i, s := range b.symbols {
			own := operands[:arity[s]]
			operands = operands[arity[s]:]
			if s == fixed.symbol && bytes.Equal(own[fixed.hole], []byte{fixed.value}) {
				b.symbols[i] = next
				kept = append(append(kept, own[:fixed.hole]...), own[fixed.hole+1:]...)
			} else {
				kept = append(kept, own...)
			}
		}
		b.operands = kept
	}
}

// filled is a template with a value in one of its holes.
func filled(template []int, which, value int) []int {
	out := slices.Clone(template)
	for i, v := range out {
		if v != hole {
			continue
		}
		if which == 0 {
			out[i] = value
			break
		}
		which--
	}
	return out
}

// holeByte is a hole in a template's bytes; an operand that is there is less.
const holeByte = 0x80

// codes gives codes to the symbols that occur; of each the bytes of its template.
func (g *grammar) codes() map[byte][]byte {
	templates := map[byte][]byte{}
	g.code = make([]byte, len(g.templates))
	g.arity = g.arities()
	for i, n := range g.used {
		if n == 0 {
			continue
		}
		g.code[i] = g.free[len(templates)]
		var t []byte
		for _, v := range g.templates[i] {
			if v == hole {
				v = holeByte
			}
			t = append(t, byte(v))
		}
		templates[g.code[i]] = t
	}
	return templates
}

// append appends a function.
func (g *grammar) append(out []byte, b *body) []byte {
	out = append(out, b.locals...)
	operands := b.operands
	for _, s := range b.symbols {
		switch {
		case s >= firstOwn:
			out = append(out, g.code[s-firstOwn])
		case s >= firstMore:
			out = append(out, opMore, byte(s-firstMore))
		default:
			out = append(out, byte(s))
		}
		n := g.arity[s]
		for _, o := range operands[:n] {
			out = append(out, o...)
		}
		operands = operands[n:]
	}
	return out
}
