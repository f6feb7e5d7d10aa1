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

	places   [maxBlock + maxMatch + 1]place
	farthest int // the last place that a way leads to

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

// symbol is what the coder codes at once: one byte, or length bytes that occurred distance+1 bytes before. The distance
// of a literal is the last one.
type symbol struct {
	kind     symbolKind
	length   int32
	distance uint32
}

// way is a way to a place: the last symbol on it, and what the coder remembers there.
type way struct {
	symbol
	price uint32
	from  uint8 // which way to the place before the symbol
	state state
	reps  [4]uint32
}

// place has the cheapest ways to a byte of a block, the cheapest first. They differ in their last distance, or in
// whether they end with a literal. A way that is dearer so far often wins: where code repeats with another operand, a
// few literals and a match at the same distance follow.
type place [6]way

const (
	unreached = math.MaxUint32 // the price of a way that does not exist
	slack     = 16 * bitPrice  // a way that is so much dearer than the cheapest is not followed
)

func (p *place) clear() {
	for i := range p {
		p[i].price = unreached
	}
}

// room makes room for a way, in the place of the one that it is like, else of the dearest. It returns nil where a way
// like it, or each of the ways, costs less.
func (p *place) room(price uint32, last symbol) *way {
	if price >= p[len(p)-1].price {
		return nil
	}
	at := 0
	for at < len(p)-1 && p[at].price != unreached && !p[at].like(last) {
		at++
	}
	if p[at].price <= price {
		return nil
	}
	for ; at > 0 && p[at-1].price > price; at-- {
		p[at] = p[at-1]
	}
	return &p[at]
}

// like says whether the way would leave the same last distance with another last symbol.
func (w *way) like(last symbol) bool {
	return w.reps[0] == last.distance && (w.kind == literalSymbol) == (last.kind == literalSymbol)
}

// block codes up to maxBlock bytes. A match of the largest length is taken without looking further, and ends the block.
func (e *encoder) block() {
	size := min(maxBlock, len(e.data)-e.at)
	if e.at == 0 || e.at-e.priced >= pricesServe {
		e.priceLengths()
	}
	e.places[0].clear()
	e.places[0][0] = way{state: e.state, reps: e.reps}
	e.farthest = 0
	end := 0
	for ; end < size && !(end >= minBlock && end == e.farthest); end++ {
		if long := e.relax(end); long.length > 0 {
			e.emit(end)
			for i := 1; i < maxMatch; i++ {
				e.finder.next(e.at + i)
			}
			e.code(&long)
			return
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

// relax tries every symbol from a place of the block on: all of them from the cheapest way, and literals and matches at
// the last distance from the others. It returns a match of the largest length where there is one.
func (e *encoder) relax(i int) (long symbol) {
	at := e.at + i
	matches := e.finder.next(at)
	cheapest := &e.places[i][0]
	for r, distance := range cheapest.reps {
		length := e.commonAt(at, distance)
		if length == maxMatch {
			return symbol{repSymbol + symbolKind(r), maxMatch, distance}
		}
		e.relaxRep(i, 0, r, length)
	}
	if len(matches) > 0 && matches[len(matches)-1].length == maxMatch {
		return symbol{matchSymbol, maxMatch, matches[len(matches)-1].distance}
	}
	e.relaxMatches(i, matches)
	plain := e.literalPrice(at, cheapest, false)
	e.relaxLiteral(i, 0, plain)
	for from := 1; from < len(e.places[i]) && e.places[i][from].price <= cheapest.price+slack; from++ {
		e.relaxLiteral(i, from, plain)
		e.relaxRep(i, from, 0, e.commonAt(at, e.places[i][from].reps[0]))
	}
	return symbol{}
}

func (e *encoder) commonAt(at int, distance uint32) int {
	if int(distance) >= at {
		return 0
	}
	return common(e.data, at-int(distance)-1, at, min(len(e.data)-at, maxMatch))
}

// relaxLiteral continues a way with a literal, of which plain is the price where it is not after a match.
func (e *encoder) relaxLiteral(i, from int, plain uint32) {
	w := &e.places[i][from]
	if !w.state.afterLiteral() {
		plain = e.literalPrice(e.at+i, w, true)
	}
	e.reach(i, from, w.price+e.model.isMatch[w.state].price(0)+plain, symbol{literalSymbol, 1, w.reps[0]})
}

func (e *encoder) literalPrice(at int, w *way, afterMatch bool) (sum uint32) {
	visit := func(p *prob, bit uint32) { sum += p.price(bit) }
	e.model.literal(e.before(at), e.data[at], e.byteAt(at, w.reps[0]), afterMatch, visit)
	return sum
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

func (e *encoder) relaxRep(i, from, r, length int) {
	m, w := e.model, &e.places[i][from]
	if length == 0 {
		return
	}
	price := w.price + m.isMatch[w.state].price(1) + m.isRep[w.state].price(1)
	if r == 0 {
		price += m.isRep0[w.state].price(0)
		e.reach(i, from, price+m.isRep0Long[w.state].price(0), symbol{shortRepSymbol, 1, w.reps[0]})
		price += m.isRep0Long[w.state].price(1)
	} else {
		price += m.isRep0[w.state].price(1) + m.isRep1[w.state].price(min(uint32(r)-1, 1))
		if r > 1 {
			price += m.isRep2[w.state].price(uint32(r) - 2)
		}
	}
	for l := minMatch; l <= length; l++ {
		e.reach(i, from, price+e.repPrices[l], symbol{repSymbol + symbolKind(r), int32(l), w.reps[r]})
	}
}

func (e *encoder) relaxMatches(i int, matches []match) {
	m, w := e.model, &e.places[i][0]
	base := w.price + m.isMatch[w.state].price(1) + m.isRep[w.state].price(0)
	length := minMatch
	for _, found := range matches {
		var distancePrice uint32
		for class := -1; length <= found.length; length++ {
			if c := lengthClass(length); c != class {
				class, distancePrice = c, m.distancePrice(found.distance, length)
			}
			price := base + distancePrice + e.lengthPrices[length]
			e.reach(i, 0, price, symbol{matchSymbol, int32(length), found.distance})
		}
	}
}

// reach notes that a symbol leads from a place to another, when that way is one of the cheapest so far.
func (e *encoder) reach(i, from int, price uint32, s symbol) {
	to := i + int(s.length)
	for e.farthest < to {
		e.farthest++
		e.places[e.farthest].clear()
	}
	if w := e.places[to].room(price, s); w != nil {
		before := &e.places[i][from]
		*w = way{symbol: s, price: price, from: uint8(from)}
		w.state, w.reps = after(s, before.state, before.reps)
	}
}

// after is what the coder remembers after a symbol.
func after(s symbol, before state, reps [4]uint32) (state, [4]uint32) {
	switch s.kind {
	case literalSymbol:
		return before.literal(), reps
	case shortRepSymbol:
		return before.shortRep(), reps
	case matchSymbol:
		return before.match(), [4]uint32{s.distance, reps[0], reps[1], reps[2]}
	}
	which := s.kind - repSymbol
	copy(reps[1:which+1], reps[:which])
	reps[0] = s.distance
	return before.rep(), reps
}

// emit codes the cheapest way to the end of the block.
func (e *encoder) emit(end int) {
	var path []symbol
	for i, from := end, uint8(0); i > 0; {
		w := &e.places[i][from]
		path = append(path, w.symbol)
		i, from = i-int(w.length), w.from
	}
	for i := len(path) - 1; i >= 0; i-- {
		e.code(&path[i])
	}
}

func (e *encoder) code(n *symbol) {
	c, m, s := e.coder, e.model, e.state
	if n.kind == literalSymbol {
		c.bit(&m.isMatch[s], 0)
		m.literal(e.before(e.at), e.data[e.at], e.byteAt(e.at, e.reps[0]), !s.afterLiteral(), c.bit)
	} else {
		c.bit(&m.isMatch[s], 1)
		e.copied(n)
	}
	e.state, e.reps = after(*n, s, e.reps)
	e.at += int(n.length)
}

// copied codes a symbol that repeats earlier bytes.
func (e *encoder) copied(n *symbol) {
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
