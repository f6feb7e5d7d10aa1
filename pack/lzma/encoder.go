// Package lzma writes the .lzma format, in the one form that public/unpack.js reads.
package lzma

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
)

// Compress writes data in the .lzma format: properties, dictionary size, size, and the coded symbols.
func Compress(out io.ByteWriter, data []byte) {
	var header [13]byte
	header[0] = literalContext // (pb*5 + lp)*9 + lc
	binary.LittleEndian.PutUint32(header[1:], 1<<max(12, bits.Len(uint(len(data)))))
	binary.LittleEndian.PutUint64(header[5:], uint64(len(data)))
	for _, b := range header {
		out.WriteByte(b)
	}
	e := &encoder{data: data, model: newModel(), coder: newRangeCoder(out), finder: newFinder(data)}
	for e.at < len(data) {
		e.block()
	}
	e.coder.flush()
}

// encoder codes block after block. Within a block it finds the cheapest sequence of symbols, by the probabilities as
// they are at its start, and codes that. A block ends where all ways meet, so that probabilities stay fresh.
type encoder struct {
	data   []byte
	model  *model
	coder  *rangeCoder
	finder *finder
	at     int
	state  state
	reps   [4]uint32 // the last distances, the latest first

	nodes    [maxBlock + maxMatch + 1]node
	farthest int // the last node that a way leads to

	lengthPrices, repPrices [maxMatch + 1]uint32
	priced                  int // where the prices of lengths are from
}

// Sizes of blocks, and how many bytes prices of lengths serve.
const (
	minBlock    = 32
	maxBlock    = 4096
	pricesServe = 1024
)

// symbolKind is the kind of a symbol.
type symbolKind uint8

// The kinds. rep0 to rep0+3 are matches at one of the last four distances.
const (
	literalSymbol symbolKind = iota
	matchSymbol
	shortRepSymbol
	repSymbol
)

// node is the cheapest way to a place: the last symbol on it, and what the coder remembers there.
type node struct {
	price    uint32
	length   int32 // of the last symbol
	distance uint32
	kind     symbolKind
	state    state
	reps     [4]uint32
}

// block codes up to maxBlock bytes, and a match that sticks out.
func (e *encoder) block() {
	size := min(maxBlock, len(e.data)-e.at)
	if e.at == 0 || e.at-e.priced >= pricesServe {
		e.priceLengths()
	}
	e.nodes[0] = node{state: e.state, reps: e.reps}
	e.farthest = 0
	end := 0
	for ; end < size && !(end >= minBlock && end == e.farthest); end++ {
		// A long match is taken as it is; the block ends with it.
		if far := e.relax(end, len(e.data)-e.at); far > 0 {
			end = far
			break
		}
	}
	e.emit(end)
}

func (e *encoder) priceLengths() {
	e.priced = e.at
	for n := minMatch; n <= maxMatch; n++ {
		e.lengthPrices[n], e.repPrices[n] = e.model.length.price(n), e.model.repLength.price(n)
	}
}

// relax tries every symbol from a place of the block on; rest is what there is from the block's start. It returns where a match ends that is long enough to be
// taken without looking further, else 0.
func (e *encoder) relax(i, rest int) int {
	n, at := e.nodes[i], e.at+i
	e.relaxLiteral(i, &n)
	best, which := 0, 0
	for r, distance := range n.reps {
		length := e.commonAt(at, distance, rest-i)
		if length > best {
			best, which = length, r
		}
		e.relaxRep(i, &n, r, length)
	}
	matches := e.finder.next(at)
	if best >= enough {
		e.skip(at, best)
		e.forceTo(i, best, &n, repSymbol+symbolKind(which), n.reps[which])
		return i + best
	}
	e.relaxMatches(i, &n, matches, rest-i)
	if len(matches) > 0 {
		if m := matches[len(matches)-1]; m.length >= enough && m.length <= rest-i {
			e.skip(at, m.length)
			e.forceTo(i, m.length, &n, matchSymbol, m.distance)
			return i + m.length
		}
	}
	return 0
}

// skip enters the places within a match that was taken.
func (e *encoder) skip(at, length int) {
	for i := 1; i < length; i++ {
		e.finder.next(at + i)
	}
}

// forceTo makes a symbol the way to its end.
func (e *encoder) forceTo(i, length int, n *node, kind symbolKind, distance uint32) {
	if i+length <= e.farthest {
		e.nodes[i+length].price = math.MaxUint32
	}
	e.reachTo(i+length, n, n.price, length, kind, distance)
}

func (e *encoder) commonAt(at int, distance uint32, limit int) int {
	if int(distance) >= at {
		return 0
	}
	return common(e.data, at-int(distance)-1, at, min(limit, maxMatch))
}

func (e *encoder) relaxLiteral(i int, n *node) {
	at, m := e.at+i, e.model
	price := n.price + m.isMatch[n.state].price(0)
	m.literal(e.before(at), e.data[at], e.byteAt(at, n.reps[0]), n.state >= 7, func(p *prob, bit uint32) {
		price += p.price(bit)
	})
	e.reachTo(i+1, n, price, 1, literalSymbol, 0)
}

// before is the byte before a place.
func (e *encoder) before(at int) byte {
	if at == 0 {
		return 0
	}
	return e.data[at-1]
}

// byteAt is the byte at a distance before a place.
func (e *encoder) byteAt(at int, distance uint32) byte {
	if int(distance) >= at {
		return 0
	}
	return e.data[at-int(distance)-1]
}

func (e *encoder) relaxRep(i int, n *node, r, length int) {
	m := e.model
	if length == 0 {
		return
	}
	price := n.price + m.isMatch[n.state].price(1) + m.isRep[n.state].price(1)
	if r == 0 {
		price += m.isRep0[n.state].price(0)
		e.reachTo(i+1, n, price+m.isRep0Long[n.state].price(0), 1, shortRepSymbol, n.reps[0])
		price += m.isRep0Long[n.state].price(1)
	} else {
		price += m.isRep0[n.state].price(1) + m.isRep1[n.state].price(min(uint32(r)-1, 1))
		if r > 1 {
			price += m.isRep2[n.state].price(uint32(r) - 2)
		}
	}
	for l := minMatch; l <= length; l++ {
		e.reachTo(i+l, n, price+e.repPrices[l], l, repSymbol+symbolKind(r), n.reps[r])
	}
}

func (e *encoder) relaxMatches(i int, n *node, matches []match, limit int) {
	m := e.model
	base := n.price + m.isMatch[n.state].price(1) + m.isRep[n.state].price(0)
	length := minMatch
	for _, found := range matches {
		var distancePrice uint32
		for class := -1; length <= min(found.length, limit); length++ {
			if c := lengthClass(length); c != class {
				class, distancePrice = c, m.distancePrice(found.distance, length)
			}
			e.reachTo(i+length, n, base+distancePrice+e.lengthPrices[length], length, matchSymbol, found.distance)
		}
	}
}

// reachTo notes a way to a place when it is the cheapest so far.
func (e *encoder) reachTo(to int, from *node, price uint32, length int, kind symbolKind, distance uint32) {
	for e.farthest < to {
		e.farthest++
		e.nodes[e.farthest].price = math.MaxUint32
	}
	target := &e.nodes[to]
	if price >= target.price {
		return
	}
	*target = node{price: price, length: int32(length), distance: distance, kind: kind}
	target.state, target.reps = after(kind, from.state, from.reps, distance)
}

// after is what the coder remembers after a symbol.
func after(kind symbolKind, s state, reps [4]uint32, distance uint32) (state, [4]uint32) {
	switch kind {
	case literalSymbol:
		return s.literal(), reps
	case shortRepSymbol:
		return s.shortRep(), reps
	case matchSymbol:
		return s.match(), [4]uint32{distance, reps[0], reps[1], reps[2]}
	}
	which := kind - repSymbol
	copy(reps[1:which+1], reps[:which])
	reps[0] = distance
	return s.rep(), reps
}

// emit codes the cheapest way to the end of the block.
func (e *encoder) emit(end int) {
	var path []node
	for i := end; i > 0; i -= int(e.nodes[i].length) {
		path = append(path, e.nodes[i])
	}
	for i := len(path) - 1; i >= 0; i-- {
		e.symbol(&path[i])
	}
}

func (e *encoder) symbol(n *node) {
	c, m, s := e.coder, e.model, e.state
	if n.kind == literalSymbol {
		c.bit(&m.isMatch[s], 0)
		m.literal(e.before(e.at), e.data[e.at], e.byteAt(e.at, e.reps[0]), s >= 7, c.bit)
	} else {
		c.bit(&m.isMatch[s], 1)
		e.copied(n)
	}
	e.state, e.reps = after(n.kind, s, e.reps, n.distance)
	e.at += int(n.length)
}

// copied codes a symbol that repeats earlier bytes.
func (e *encoder) copied(n *node) {
	c, m, s := e.coder, e.model, e.state
	if n.kind == matchSymbol {
		c.bit(&m.isRep[s], 0)
		m.length.encode(c, int(n.length))
		m.encodeDistance(c, n.distance, int(n.length))
		return
	}
	c.bit(&m.isRep[s], 1)
	switch n.kind {
	case shortRepSymbol:
		c.bit(&m.isRep0[s], 0)
		c.bit(&m.isRep0Long[s], 0)
		return
	case repSymbol:
		c.bit(&m.isRep0[s], 0)
		c.bit(&m.isRep0Long[s], 1)
	default:
		which := uint32(n.kind - repSymbol)
		c.bit(&m.isRep0[s], 1)
		c.bit(&m.isRep1[s], min(which-1, 1))
		if which > 1 {
			c.bit(&m.isRep2[s], which-2)
		}
	}
	m.repLength.encode(c, int(n.length))
}
