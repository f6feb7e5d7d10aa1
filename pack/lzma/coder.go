package lzma

import (
	"io"
	"math"
)

// A bit is coded with an 11-bit probability that it is 0, which adapts by 1/32 of its distance to what was seen.
const (
	probBits = 11
	probInit = 1 << probBits / 2
	moveBits = 5
)

type prob uint16

func (p *prob) update(bit uint32) {
	if bit == 0 {
		*p += (1<<probBits - *p) >> moveBits
	} else {
		*p -= *p >> moveBits
	}
}

// bitPrice is the price of a bit that a model does not make cheaper.
const bitPrice = 16

// price is what coding the bit costs.
func (p prob) price(bit uint32) uint32 {
	if bit != 0 {
		p = 1<<probBits - p
	}
	return prices[p>>4]
}

var prices = func() (table [1 << (probBits - 4)]uint32) {
	for i := range table {
		p := (float64(i) + 0.5) / float64(len(table))
		table[i] = uint32(-math.Log2(p)*bitPrice + 0.5)
	}
	return
}()

func fresh(probs []prob) {
	for i := range probs {
		probs[i] = probInit
	}
}

// rangeCoder turns bits and their probabilities into bytes. A carry may still run through the last byte and the 0xff
// bytes after it, so those are held back.
type rangeCoder struct {
	out   io.ByteWriter
	low   uint64
	width uint32
	cache byte
	held  int // bytes held back, the cache among them
}

func newRangeCoder(out io.ByteWriter) *rangeCoder {
	return &rangeCoder{out: out, width: math.MaxUint32, held: 1}
}

func (c *rangeCoder) bit(p *prob, bit uint32) {
	bound := c.width >> probBits * uint32(*p)
	if bit == 0 {
		c.width = bound
	} else {
		c.low += uint64(bound)
		c.width -= bound
	}
	p.update(bit)
	c.normalize()
}

// direct codes the low bits of a value without a model, the highest first.
func (c *rangeCoder) direct(value uint32, bits int) {
	for i := bits - 1; i >= 0; i-- {
		c.width >>= 1
		c.low += uint64(c.width & -(value >> i & 1))
		c.normalize()
	}
}

func (c *rangeCoder) normalize() {
	for c.width < 1<<24 {
		c.width <<= 8
		c.shift()
	}
}

func (c *rangeCoder) shift() {
	if c.low < 0xff000000 || c.low > math.MaxUint32 {
		carry := byte(c.low >> 32)
		for ; c.held > 0; c.held-- {
			c.out.WriteByte(c.cache + carry) // errors stay in the buffered writer until its Flush
			c.cache = 0xff
		}
		c.cache = byte(c.low >> 24)
	}
	c.held++
	c.low = c.low << 8 & math.MaxUint32
}

func (c *rangeCoder) flush() {
	for range 5 {
		c.shift()
	}
}

// tree codes bits-wide symbols, the highest bit first; probs[1] is the root.
func (c *rangeCoder) tree(probs []prob, symbol uint32, bits int) {
	at := uint32(1)
	for i := bits - 1; i >= 0; i-- {
		bit := symbol >> i & 1
		c.bit(&probs[at], bit)
		at = at<<1 | bit
	}
}

// reverse codes the lowest bit first.
func (c *rangeCoder) reverse(probs []prob, symbol uint32, bits int) {
	at := uint32(1)
	for range bits {
		bit := symbol & 1
		c.bit(&probs[at], bit)
		at = at<<1 | bit
		symbol >>= 1
	}
}

func treePrice(probs []prob, symbol uint32, bits int) (sum uint32) {
	at := uint32(1)
	for i := bits - 1; i >= 0; i-- {
		bit := symbol >> i & 1
		sum += probs[at].price(bit)
		at = at<<1 | bit
	}
	return sum
}

func reversePrice(probs []prob, symbol uint32, bits int) (sum uint32) {
	at := uint32(1)
	for range bits {
		bit := symbol & 1
		sum += probs[at].price(bit)
		at = at<<1 | bit
		symbol >>= 1
	}
	return sum
}
