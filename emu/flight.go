package emu

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"warpscope/ptx"
)

// Asynchronous operations other than cp.async are under way from their instruction until somebody waits for them. Like
// cp.async they happen as late as they may: when a wait needs them (of the thread for its bulk group, of anybody for
// the mbarrier that they signal), or when a CTA that they belong to or write to ends. So a program that forgets to
// wait sees old data every time, and the access that came too early is noted as a finding.

// asyncOp is an operation under way. What its slices hold never changes.
type asyncOp struct {
	in       *inst
	cta      int // that started it, linear
	warp     int
	lane     int
	moves    []move
	data     []byte // what it writes, once it has read its source
	read     bool
	fill     [8]byte // what it writes where its source is outside of a tensor
	tx       uint32  // bytes that it completes at the mbarrier
	mbarrier uint32  // arena offset; 0: none
	group    int     // bulk groups that its thread has committed since; -1: it is in none
	fold     func(old, b, c uint64) uint64
	size     uint32     // of the elements that fold works on, bytes
	packs    bool       // 16 bytes of b6p2x16 that it reads are 12 that it writes
	from, to extent     // around all that it reads and writes
	tensor   []tensorOp // what it does in the CTA's tensor memory; not nil for tcgen05.commit
	arrive   int64      // arrivals at the mbarrier
	pair     bool       // tensor works on both CTAs of the pair
}

// flights are the asynchronous operations of a grid.
type flights struct {
	async   []asyncOp // under way, in the order in which they were started
	flying  int       // how many are under way, with those of warps: cp.async, and products that are still to read
	changes int       // of what is under way
}

func (s flights) clone() flights {
	s.async = slices.Clone(s.async)
	return s
}

func (s *flights) cost() (n int64) {
	for i := range s.async {
		o := &s.async[i]
		n += sizeOf(o) + sliceBytes(o.moves) + sliceBytes(o.data) + sliceBytes(o.tensor)
	}
	return n
}

// move is a piece of an operation. Arena offsets; nothing is read from offset 0, where the source is outside of a
// tensor: the operation's fill goes there instead.
type move struct {
	to, from, size uint32
	mask           uint16 // bytes of each 16 that are left out
}

// extent is a range of the arena.
type extent struct{ start, end uint32 }

func (e *extent) add(off, size uint32) {
	if e.end == 0 {
		*e = extent{off, off + size}
		return
	}
	e.start, e.end = min(e.start, off), max(e.end, off+size)
}

func (e extent) meets(off, size uint32) bool { return off < e.end && off+size > e.start }

// maxFlight bounds the operations under way; beyond it the older half happens.
const maxFlight = 1 << 12

// startAsync puts an operation under way.
func startAsync(w *warp, in *inst, lane int, o asyncOp) {
	o.in, o.cta, o.warp, o.lane = in, w.cta.index, w.index, lane
	for _, m := range o.moves {
		o.to.add(m.to, m.size)
		if m.from != 0 && !o.read {
			o.from.add(m.from, o.reads(m))
		}
	}
	g := w.cta.grid
	moves := o.moves
	if g.repeats(&o) {
		moves = nil // looked at already
	}
	for _, m := range moves {
		w.lsu.checkRange(in, lane, m.to, m.size, true)
		if m.from != 0 && !w.lsu.checkRange(in, lane, m.from, o.reads(m), false) {
			w.checkFenced(in, lane, m.from, o.reads(m))
		}
	}
	g.async = append(g.async, o)
	g.underWay(1)
	if len(g.async) > maxFlight {
		oldest := maxFlight / 2
		deliverDue(g, func(*asyncOp) bool { oldest--; return oldest >= 0 })
	}
}

// repeats says whether an operation is the same copy, by the same instruction of the same warp, as one that is under
// way: a whole warp stores a tile that one lane could store, and writes the same bytes.
func (s *flights) repeats(o *asyncOp) bool {
	for i := len(s.async) - 1; i >= 0; i-- {
		p := &s.async[i]
		if p.in != o.in || p.cta != o.cta || p.warp != o.warp {
			return false
		}
		if p.lane != o.lane && o.mbarrier == 0 && o.fold == nil && !p.read && !o.read && slices.Equal(p.moves, o.moves) {
			return true
		}
	}
	return false
}

// underWay counts operations, cp.async included: loads and stores look closer while there are some.
func (s *flights) underWay(n int) {
	s.flying += n
	s.changes++
}

// deliverDue lets operations happen, in the order in which they were started.
func deliverDue(g *Grid, due func(o *asyncOp) bool) {
	var now []asyncOp
	g.async = slices.DeleteFunc(g.async, func(o asyncOp) bool {
		if !due(&o) {
			return false
		}
		now = append(now, o)
		return true
	})
	if len(now) == 0 {
		return
	}
	g.underWay(-len(now))
	for i := range now {
		makeTransfer(g, &now[i])
	}
}

// deliverTo lets everything happen that signals the mbarrier at an arena offset.
func deliverTo(g *Grid, at uint32) {
	// Operations on tensor memory happen in the order of their instructions.
	last, i := -1, -1
	var of asyncOp
	for k, o := range g.async {
		if o.mbarrier == at && o.tensor != nil {
			last, of = k, o
		}
	}
	deliverDue(g, func(o *asyncOp) bool {
		i++
		return o.mbarrier == at || i < last && o.tensor != nil && g.sameTensor(o, &of)
	})
	copiesTo(g, at)
}

// readSource reads what an operation is going to write.
func readSource(g *Grid, o *asyncOp) {
	if o.read {
		return
	}
	for _, m := range o.moves {
		if m.from == 0 {
			for i := range m.size {
				o.data = append(o.data, o.fill[i&7])
			}
			continue
		}
		from := g.mem.Bytes(m.from, o.reads(m))
		if o.packs {
			from = packSixes(from)
		}
		o.data = append(o.data, from...)
	}
	o.read = true
}

// reads is the size of a move's source.
func (o *asyncOp) reads(m move) uint32 {
	if o.packs {
		return 16
	}
	return m.size
}

// packSixes leaves out the upper two bits of bytes (5.5.1.1.1).
func packSixes(from []byte) []byte {
	to := make([]byte, len(from)*6/8)
	for i, b := range from {
		bits := uint16(b&63) << (6 * i % 8)
		to[6*i/8] |= byte(bits)
		if bits > 255 {
			to[6*i/8+1] |= byte(bits >> 8)
		}
	}
	return to
}

// makeTransfer does what an operation is for.
func makeTransfer(g *Grid, o *asyncOp) {
	readSource(g, o)
	at := 0
	for _, m := range o.moves {
		data := o.data[at:][:m.size]
		at += int(m.size)
		overwrittenMaps(g, m.to, m.size)
		g.record.memory(g, m.to, m.size, o.lane, func() {
			to := g.mem.Bytes(m.to, m.size)
			switch {
			case o.fold != nil:
				foldBytes(o.fold, int(o.size), to, data)
			case m.mask != 0:
				for i := range to {
					if m.mask>>(i&15)&1 == 0 {
						to[i] = data[i]
					}
				}
			default:
				copy(to, data)
			}
		})
	}
	for _, op := range o.tensor {
		op.do(g.cta(o.cta))
	}
	if o.mbarrier == 0 {
		return
	}
	if why := changeMbarrier(g, o.mbarrier, mbarrierChange{tx: -int64(o.tx), arrive: o.arrive}); why != "" {
		g.note(o.in, causeMbarrier, o.cta, fmt.Sprintf("%s has written, but at its mbarrier: %s", describeTransfer(g, o), why))
	}
}

// foldBytes reduces elements into memory one by one.
func foldBytes(fold func(old, b, c uint64) uint64, size int, to, from []byte) {
	for i := 0; i+size <= len(to); i += size {
		v := fold(littleEndian(to[i:], size), littleEndian(from[i:], size), 0)
		for k := range size {
			to[i+k] = byte(v >> (8 * k))
		}
	}
}

func littleEndian(b []byte, size int) uint64 {
	var v [8]byte
	copy(v[:], b[:size])
	return binary.LittleEndian.Uint64(v[:])
}

// commitBulk closes the bulk groups of some lanes (9.7.9.27.2.1).
func commitBulk(w *warp, exec Mask) {
	for i := range w.cta.grid.async {
		if o := &w.cta.grid.async[i]; o.of(w) && exec.Has(o.lane) && o.group >= 0 {
			o.group++
		}
	}
}

func (o *asyncOp) of(w *warp) bool { return o.cta == w.cta.index && o.warp == w.index }

// waitBulk waits until at most n bulk groups of some lanes are pending, or have not read their source
// (9.7.9.27.2.2).
func waitBulk(w *warp, exec Mask, n int, read bool) {
	g := w.cta.grid
	due := func(o *asyncOp) bool { return o.of(w) && exec.Has(o.lane) && o.group > n }
	if !read {
		deliverDue(g, due)
		return
	}
	for i := range g.async {
		if o := &g.async[i]; due(o) && !o.read {
			readSource(g, o)
			o.from = extent{}
			g.underWay(0)
		}
	}
}

// landTransfers lets everything happen that an ending CTA has started or that goes to its shared memory.
func landTransfers(g *Grid, c *cta) {
	c.leftColumns()
	if len(g.async) == 0 {
		return
	}
	own := extent{c.sharedOff, c.sharedOff + uint32(c.sharedSize)}
	mine := func(e extent) bool { return e.end > own.start && e.start < own.end }
	deliverDue(g, func(o *asyncOp) bool {
		reads, writes := mine(o.from), mine(o.to)
		if o.pair && len(o.tensor) > 0 && o.cta != c.index && g.cta(o.cta).partner() == c {
			g.note(o.in, causeEnd, o.cta,
				fmt.Sprintf("CTA %d,%d,%d ended, but %s was still to work on its tensor memory: "+
					"no thread waited", c.id.X, c.id.Y, c.id.Z, describeTransfer(g, o)))
			return true
		}
		if reads || writes {
			what := map[bool]string{true: "was still to read from", false: "was still to write to"}[reads]
			g.note(o.in, causeEnd, o.cta, fmt.Sprintf("CTA %d,%d,%d ended, but %s %s its shared memory: no thread waited",
				c.id.X, c.id.Y, c.id.Z, describeTransfer(g, o), what))
		}
		return reads || writes || o.cta == c.index || mine(extent{o.mbarrier, o.mbarrier + 8})
	})
}

// flight says of each 16 bytes of a CTA's shared memory whether something under way writes or reads it.
type flight []uint8

const (
	flyTo   = 1
	flyFrom = 2
)

// underWay is what a CTA remembers of the operations under way. A clone works it out again.
type underWay struct {
	flight   flight
	sources  extent // around what pending cp.async read
	flightAt int    // changes of the grid's flights when it was worked out
}

func (v flight) mark(c *cta, off, size uint32, what uint8) {
	if at := off - c.sharedOff; at < uint32(c.sharedSize) {
		for i := at >> 4; i <= (at+size-1)>>4 && int(i) < len(v); i++ {
			v[i] |= what
		}
	}
}

// inFlight works out a CTA's flight.
func (c *cta) inFlight() flight {
	if c.flight != nil && c.flightAt == c.grid.changes {
		return c.flight
	}
	c.underWay = underWay{make(flight, c.sharedSize>>4+1), extent{}, c.grid.changes}
	for i := range c.grid.async {
		o := &c.grid.async[i]
		for _, m := range o.moves {
			c.flight.mark(c, m.to, m.size, flyTo)
			if m.from != 0 && !o.read {
				c.flight.mark(c, m.from, o.reads(m), flyFrom)
			}
		}
		o.readsFrom(c, func(_ *tensorOp, at uint32) { c.flight.mark(c, at, 16, flyFrom) })
	}
	for _, w := range c.warps {
		for i := range w.copies {
			a := &w.copies[i]
			if c.flight.mark(c, a.to, a.size, flyTo); a.given > 0 {
				c.sources.add(a.from, a.given)
			}
		}
	}
	return c.flight
}

// checkFlight notes accesses of lanes that come too early: reads of what is still to be written, and writes to that or
// to what is still to be read. w.seg and w.offs hold the places. It is called only while something is under way.
func (w *lsu) checkFlight(in *inst, exec Mask, size uint32, write bool) {
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if w.checkRange(in, lane, w.seg.Base+w.offs[lane], size, write) {
			return
		}
	}
}

// checkRange is checkFlight for one range.
func (w *lsu) checkRange(in *inst, lane int, off, size uint32, write bool) bool {
	g := w.cta.grid
	if g.flying == 0 || size == 0 {
		return false
	}
	a := laneAccess{in, lane, off, size, write}
	c := w.cta
	if off-c.sharedOff >= uint32(c.sharedSize) {
		if write && w.overSource(&a) {
			return true
		}
		if len(g.async) == 0 {
			return false
		}
		c = ownerOfShared(g, off)
	} else if write && w.overProduct(&a) {
		return true
	}
	if c != nil {
		mask := uint8(flyTo)
		if write {
			mask |= flyFrom
		}
		v, found := c.inFlight(), uint8(0)
		for i := (off - c.sharedOff) >> 4; i <= (off-c.sharedOff+size-1)>>4; i++ {
			found |= v[i]
		}
		if found&mask == 0 {
			return false
		}
	}
	return w.meets(&a, c)
}

// laneAccess is an access of one lane to a range of the arena.
type laneAccess struct {
	in        *inst
	lane      int
	off, size uint32
	write     bool
}

// meets looks for the operation that an access meets, and notes it. c is the CTA whose shared memory the access is to.
func (w *lsu) meets(a *laneAccess, c *cta) bool {
	g, off, size := w.cta.grid, a.off, a.size
	for i := range g.async {
		o := &g.async[i]
		if !o.to.meets(off, size) && !(a.write && o.from.meets(off, size)) {
			continue
		}
		for _, m := range o.moves {
			reads := a.write && !o.read && m.from != 0 && (extent{m.from, m.from + o.reads(m)}).meets(off, size)
			writes := (extent{m.to, m.to + m.size}).meets(off, size) && !(o.fold != nil && a.write && a.in.atomic())
			switch {
			case reads:
				w.tooEarly(a, stillReads, describeTransfer(g, o), o.in)
			case writes:
				w.tooEarly(a, stillWrites, describeTransfer(g, o), o.in)
			default:
				continue
			}
			return true
		}
	}
	if c == nil {
		return false
	}
	if by, o := readerOf(g, c, off, size); a.write && by != nil {
		w.tooEarly(a, stillReads, startedAt(g, by.in, o.cta, by.by.warp, by.by.lane), by.in)
		return true
	}
	for _, other := range c.warps {
		for i := range other.copies {
			if o := &other.copies[i]; (extent{o.to, o.to + o.size}).meets(off, size) {
				w.tooEarly(a, stillWrites, startedAt(g, o.in, c.index, other.index, o.lane), o.in)
				return true
			}
		}
	}
	return false
}

// readerOf is an operation on tensor memory that is still to read a range of a CTA's shared memory, and its commit.
func readerOf(g *Grid, c *cta, off, size uint32) (by *tensorOp, of *asyncOp) {
	for i := range g.async {
		o := &g.async[i]
		o.readsFrom(c, func(op *tensorOp, at uint32) {
			if (extent{at, at + 16}).meets(off, size) {
				by, of = op, o
			}
		})
	}
	return by, of
}

// overSource looks for a cp.async of the CTA that is still to read what an access overwrites, and notes it.
func (w *lsu) overSource(a *laneAccess) bool {
	c := w.cta
	if c.inFlight(); !c.sources.meets(a.off, a.size) {
		return false
	}
	for _, other := range c.warps {
		for i := range other.copies {
			if o := &other.copies[i]; o.given > 0 && (extent{o.from, o.from + o.given}).meets(a.off, a.size) {
				w.tooEarly(a, stillReads, startedAt(w.cta.grid, o.in, c.index, other.index, o.lane), o.in)
				return true
			}
		}
	}
	return false
}

// atomic says whether an instruction is a reduction, which does not mind other reductions.
func (in *inst) atomic() bool { return in.op == opAtom || in.op == opAtomWide || in.x.reduces }

// What an operation under way is still to do with what an access reaches.
const (
	stillReads  = "is still to read"
	stillWrites = "is still to write"
)

// tooEarly notes an access to what an operation is still to read or write. who tells of the operation and other is its
// instruction.
func (w *lsu) tooEarly(a *laneAccess, still, who string, other *inst) {
	verb := "reads"
	if a.write {
		verb = "writes to"
	}
	w.noteWith(a.in, causeFlight, other,
		fmt.Sprintf("`%s` in lane %d of warp %d %s %s (%s), which %s %s: it was not waited for",
			a.in.src.Opcode, a.lane, w.index, verb, whereInShared(w.cta.grid, w.cta.index, a.off), ptx.Plural(int(a.size), "byte"),
			who, still))
}

// describeTransfer names an operation and who started it.
func describeTransfer(g *Grid, o *asyncOp) string { return startedAt(g, o.in, o.cta, o.warp, o.lane) }

// startedAt names an instruction and who executed it; lane -1: the whole warp.
func startedAt(g *Grid, in *inst, cta, warp, lane int) string {
	s := fmt.Sprintf("`%s` of line %d (", in.src.Opcode, g.prog.mod.Position(int(in.src.OpSpan.Start)).Line)
	if lane >= 0 {
		s += fmt.Sprintf("lane %d of ", lane)
	}
	s += fmt.Sprintf("warp %d", warp)
	if g.stats.CTAs > 1 {
		s += fmt.Sprintf(", CTA %d", cta)
	}
	return s + ")"
}
