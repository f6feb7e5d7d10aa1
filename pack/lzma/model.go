package lzma

import "math/bits"

// Lengths of matches.
const (
	minMatch = 2
	maxMatch = 273
)

// literalContext is how many high bits of the byte before choose the probabilities of a literal.
const literalContext = 3

// state remembers the kinds of the last symbols.
type state uint8

// The state after each kind of symbol. States from 7 on follow a match.
func (s state) literal() state {
	switch {
	case s < 4:
		return 0
	case s < 10:
		return s - 3
	}
	return s - 6
}

func (s state) afterLiteral() bool { return s < 7 }

func (s state) after(afterLiteral, afterMatch state) state {
	if s.afterLiteral() {
		return afterLiteral
	}
	return afterMatch
}

func (s state) match() state    { return s.after(7, 10) }
func (s state) rep() state      { return s.after(8, 11) }
func (s state) shortRep() state { return s.after(9, 11) }

// model is all probabilities, in the layout that LZMA has for lc=3, lp=0, pb=0.
type model struct {
	literals   [1 << literalContext][0x300]prob
	isMatch    [12]prob
	isRep      [12]prob
	isRep0     [12]prob // 0: the last distance again
	isRep1     [12]prob
	isRep2     [12]prob
	isRep0Long [12]prob // 0: one byte only
	slots      [4][64]prob
	special    [115]prob // low bits of distances in slots 4 to 13
	align      [16]prob  // the lowest four bits of longer distances
	length     lengths
	repLength  lengths
}

// lengths codes a length of 2 to 273: eight short ones, eight more, and the rest.
type lengths struct {
	choice [2]prob
	low    [8]prob
	mid    [8]prob
	high   [256]prob
}

func newModel() *model {
	m := &model{}
	for i := range m.literals {
		fresh(m.literals[i][:])
	}
	for _, probs := range [][]prob{m.isMatch[:], m.isRep[:], m.isRep0[:], m.isRep1[:], m.isRep2[:], m.isRep0Long[:],
		m.special[:], m.align[:]} {
		fresh(probs)
	}
	for i := range m.slots {
		fresh(m.slots[i][:])
	}
	for _, l := range []*lengths{&m.length, &m.repLength} {
		for _, probs := range [][]prob{l.choice[:], l.low[:], l.mid[:], l.high[:]} {
			fresh(probs)
		}
	}
	return m
}

func (l *lengths) encode(c *rangeCoder, length int) {
	n := uint32(length - minMatch)
	switch {
	case n < 8:
		c.bit(&l.choice[0], 0)
		c.tree(l.low[:], n, 3)
	case n < 16:
		c.bit(&l.choice[0], 1)
		c.bit(&l.choice[1], 0)
		c.tree(l.mid[:], n-8, 3)
	default:
		c.bit(&l.choice[0], 1)
		c.bit(&l.choice[1], 1)
		c.tree(l.high[:], n-16, 8)
	}
}

func (l *lengths) price(length int) uint32 {
	n := uint32(length - minMatch)
	switch {
	case n < 8:
		return l.choice[0].price(0) + treePrice(l.low[:], n, 3)
	case n < 16:
		return l.choice[0].price(1) + l.choice[1].price(0) + treePrice(l.mid[:], n-8, 3)
	}
	return l.choice[0].price(1) + l.choice[1].price(1) + treePrice(l.high[:], n-16, 8)
}

// slotOf is the slot of a distance (from 0): its two highest bits and their place.
func slotOf(distance uint32) uint32 {
	if distance < 4 {
		return distance
	}
	high := uint32(bits.Len32(distance) - 1)
	return high<<1 | distance>>(high-1)&1
}

// lengthClass chooses the probabilities of a distance's slot.
func lengthClass(length int) int { return min(length-minMatch, 3) }

func (m *model) encodeDistance(c *rangeCoder, distance uint32, length int) {
	slot := slotOf(distance)
	c.tree(m.slots[lengthClass(length)][:], slot, 6)
	if slot < 4 {
		return
	}
	low := int(slot>>1) - 1
	base := (2 | slot&1) << low
	rest := distance - base
	if slot < 14 {
		c.reverse(m.special[base-slot:], rest, low)
		return
	}
	c.direct(rest>>4, low-4)
	c.reverse(m.align[:], rest&15, 4)
}

func (m *model) distancePrice(distance uint32, length int) uint32 {
	slot := slotOf(distance)
	sum := treePrice(m.slots[lengthClass(length)][:], slot, 6)
	if slot < 4 {
		return sum
	}
	low := int(slot>>1) - 1
	base := (2 | slot&1) << low
	if slot < 14 {
		return sum + reversePrice(m.special[base-slot:], distance-base, low)
	}
	return sum + uint32(low-4)*bitPrice + reversePrice(m.align[:], distance&15, 4)
}

// literal visits the bits of a literal with their probabilities. After a match the byte at the last distance, which
// the literal is not, tells the probabilities apart until their bits differ.
func (m *model) literal(before, symbol, matched byte, afterMatch bool, visit func(p *prob, bit uint32)) {
	probs := &m.literals[before>>(8-literalContext)]
	at := uint32(1)
	for i := 7; i >= 0; i-- {
		bit := uint32(symbol) >> i & 1
		index := at
		if afterMatch {
			expected := uint32(matched) >> i & 1
			index += (1 + expected) << 8
			afterMatch = expected == bit
		}
		visit(&probs[index], bit)
		at = at<<1 | bit
	}
}
