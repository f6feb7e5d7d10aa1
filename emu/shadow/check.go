package shadow

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"warpscope/emu/causal"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// Machine is what a checker asks about memory and threads, and whom it tells what it finds.
type Machine interface {
	// Around returns the memory that an access of a lane to size bytes at an arena offset is in.
	Around(off, size uint32) Range
	// Order returns the warp that accesses memory, and Place the place of a CTA.
	Order() causal.Warp
	Place(cta int) causal.Place
	// Apart says whether lanes of one warp go on independently between two instructions.
	Apart(a, b How) bool
	// Unwritten is told of a lane that reads bytes of which some have no contents. Now is the lane's access.
	Unwritten(off uint32, o Operation)
	// Race is told of two accesses that conflict and are unordered.
	Race(Pair)
}

// Range is a part of the arena, and what is checked there.
type Range struct {
	From, Size uint32
	Looks      bool // reads are checked for contents
	Local      bool // no other thread reaches it
	Own        bool // only the CTA that accesses it reaches it: its shared memory, without a cluster
	Off        bool // nothing is checked
}

// Operation is what all lanes of an access have in common.
type Operation struct {
	Size          uint32 // bytes of a lane
	Reads, Writes bool
	Now           Access // of lane 0
	Met           uint32 // the time up to which all accesses of the CTA are ordered
}

// Pair is two accesses that conflict.
type Pair struct {
	Old, Now      Access
	At            uint32 // a byte of both
	Wrote, Writes bool   // the old one, this one
	Stale         bool   // one is through the non-coherent cache, and the other is a write
}

// Checker checks the lanes of one access in turn. What it finds out for a lane it keeps for the next ones.
type Checker struct {
	Operation
	m     Machine
	s     *Shadow
	order causal.Warp // once it is asked

	in     Range  // of the last lane
	page   *Page  // of the last lane
	number uint32 // of page
	bits   uint64 // of Written, for an access at offset 0; 0 where accesses are not of whole words
}

// Begin makes a new checker ready, whose operation is set.
func (c *Checker) Begin(m Machine, s *Shadow) {
	c.m, c.s, c.number = m, s, math.MaxUint32
	if s.On(gpu.Racecheck) && c.Size >= 1<<WordUnit && c.Size <= 64 && c.Size&(c.Size-1) == 0 {
		c.bits = 1<<c.Size - 1
	}
}

// enter finds the memory that size bytes are in, and says whether anything is checked there.
func (c *Checker) enter(off, size uint32) bool {
	if at := off - c.in.From; at >= c.in.Size || c.in.Size-at < size {
		if c.in = c.m.Around(off, c.Size); c.in.Local && c.Reads && c.Writes { // an atomic, which faults there
			c.in.Off = true
		}
		if c.in.Looks = c.in.Looks && c.s.On(gpu.Initcheck); c.in.Off {
			c.in.Size = 0
		}
		if c.in.Own {
			c.apply()
		}
	}
	return !c.in.Off
}

// Read checks and remembers a weak read of lanes at offsets in a segment.
func (c *Checker) Read(seg *mem.Segment, offs *[32]uint32, lanes uint32) {
	row := lanes == ^uint32(0) && InOrder(offs)
	if !c.putAside(seg, offs, lanes, row) && !(row && c.Row(seg.Base+offs[0])) && !c.Words(seg.Base, offs, lanes) {
		c.Lanes(seg.Base, offs, lanes, 0)
	}
}

// putAside remembers a read for later. It returns false, and has remembered nothing, where it has to be looked at now.
// A row alone is looked at faster than it is put aside.
func (c *Checker) putAside(seg *mem.Segment, offs *[32]uint32, lanes uint32, row bool) bool {
	a := c.s.asides.at(seg.Base)
	if a == nil {
		return false
	}
	if c.bits == 0 || seg.Size != uint64(a.size) || seg.Stride != 0 || c.Now.Thread.CTA() != a.cta || c.Now.How.NC() ||
		a.wrote > max(c.Met, c.s.Clock.Floor) {
		return false
	}
	if a.forget(c.Met, c.s.Clock.Floor); row && len(a.reads) == 0 || !c.s.filled(a, c.Size, offs, lanes) {
		return false
	}
	if len(a.reads) == mostReads {
		c.s.apply(a)
		a.wrote = c.Now.Time
		return false
	}
	n := len(a.reads)
	a.reads = slices.Grow(a.reads, 1)[:n+1]
	r := &a.reads[n]
	r.now, r.size, r.lanes, r.offs = c.Now, c.Size, lanes, *offs
	return true
}

// apply makes the pages of the memory that a checker has entered ready for its access: they have all reads before it
// that matter. It notes that the checker writes.
func (c *Checker) apply() {
	s, a := c.s, c.s.asides.at(c.in.From)
	if a == nil {
		if !c.Writes {
			return
		}
		a = s.asides.add(&aside{from: c.in.From, size: c.in.Size, cta: c.Now.Thread.CTA()})
	}
	if a.forget(c.Met, s.Clock.Floor); len(a.reads) > 0 {
		s.apply(a)
	}
	if c.Writes {
		a.wrote = c.Now.Time
	}
}

// Row checks and remembers an access of all lanes to words that lie in the order of lanes, the first one at an arena
// offset. It returns false, and has remembered nothing, where the lanes must be looked at one by one.
func (c *Checker) Row(off uint32) bool {
	const size = 1 << WarpUnit
	if c.bits == 0 || c.Size != 1<<WordUnit || off%size != 0 || !c.enter(off, size) || c.in.Local ||
		c.in.Size-(off-c.in.From) < size {
		return false
	}
	p := c.s.Page(off)
	p.Divide(WarpUnit)
	if p.unit == WordUnit && c.Writes {
		return c.rowOfWords(p, off)
	}
	if p.unit != WarpUnit {
		return false
	}
	u, written := p.UnitOf(off), p.Written[off&(mem.PageSize-1)>>6:][:size/64]
	if c.Reads && c.in.Looks && written[0]&written[1] != ^uint64(0) || !c.clear(&u.Write, true) ||
		c.Writes && !(c.clear(&u.Read, false) && c.clear(&u.Other, false)) {
		return false
	}
	if !c.Writes {
		c.reads(u)
		return true
	}
	written[0], written[1] = ^uint64(0), ^uint64(0)
	u.Write = c.Now
	return true
}

// rowOfWords is Row for an access that writes, in a page that has a unit for each word.
func (c *Checker) rowOfWords(p *Page, off uint32) bool {
	units, written := p.words(off, 1<<WarpUnit), p.Written[off&(mem.PageSize-1)>>6:][:2]
	if c.Reads && c.in.Looks && written[0]&written[1] != ^uint64(0) {
		return false
	}
	for lane := range units {
		u := &units[lane]
		c.Now.Thread = c.Now.Thread&^31 | causal.Thread(lane)
		if !c.clear(&u.Write, true) || !c.clear(&u.Read, false) || !c.clear(&u.Other, false) {
			return false
		}
	}
	for lane := range units {
		c.Now.Thread = c.Now.Thread&^31 | causal.Thread(lane)
		units[lane].Write = c.Now
	}
	written[0], written[1] = ^uint64(0), ^uint64(0)
	return true
}

// Lanes checks and remembers the accesses of lanes one by one. same are those that store what is there already.
func (c *Checker) Lanes(base uint32, offs *[32]uint32, lanes, same uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		c.Lane(lane, base+offs[lane], same>>lane&1 != 0)
	}
}

// Lane checks and remembers the access of a lane. same says that it stores the value that is there already, as many
// threads do at once: that is no race with a store. Nearly all accesses are of whole words and aligned: they need no
// loop over bytes and pages.
func (c *Checker) Lane(lane int, off uint32, same bool) {
	if !c.enter(off, c.Size) {
		return
	}
	c.Now.Thread = c.Now.Thread&^31 | causal.Thread(lane)
	number := off >> mem.PageShift
	slow := c.bits == 0 || c.in.Local || off&(c.Size-1) != 0
	if slow || number != c.number && !c.turnTo(number) || c.page.unit != WordUnit {
		c.each(off, same)
		return
	}
	written, mask := c.page.WrittenAt(off), c.bits<<(off&63)
	if c.Reads && c.in.Looks && *written&mask != mask {
		c.unwritten(off)
	}
	if c.Writes {
		*written |= mask
	}
	words := c.page.words(off, c.Size)
	if l := &words[0]; !c.Writes && len(words) == 1 && c.clear(&l.Write, true) {
		c.reads(l)
		return
	}
	for i := range words {
		c.unit(&words[i], off+uint32(i)<<WordUnit, same)
	}
}

// Words checks and remembers reads of one word by each of some lanes, most of which are in one page. It returns false,
// and has remembered nothing, where the lanes must be looked at one by one. It does what Lane does for one lane after
// the other; of lanes that read the same word one after the other, most only take the place of the one before.
func (c *Checker) Words(base uint32, offs *[32]uint32, lanes uint32) bool {
	now, floor, met := c.Now, c.s.Clock.Floor, c.Met
	first := base + offs[bits.TrailingZeros32(lanes)]
	number := first >> mem.PageShift
	if c.Writes || c.Size != 1<<WordUnit || c.bits == 0 || now.How.NC() || now.Time <= max(floor, met) ||
		!c.enter(first, c.Size) || c.in.Local || number != c.number && !c.turnTo(number) || c.page.unit != WordUnit {
		return false
	}
	from := max(c.in.From, number<<mem.PageShift)
	room := min(c.in.From+c.in.Size, (number+1)<<mem.PageShift) - from
	p, units, looks := c.page, c.page.last[:mem.PageSize>>WordUnit], c.in.Looks
	var u *Unit
	before, again := ^uint32(0), false // what the lane before read; the two lanes before read the same word
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		off := base + offs[lane]
		now.Thread = now.Thread&^31 | causal.Thread(lane)
		if off == before && again && u.Other.Thread != now.Thread {
			u.Read.Thread = now.Thread
			continue
		}
		u = &units[off&(mem.PageSize-1)>>WordUnit]
		w := &u.Write
		if at := off - from; at >= room || room-at < 1<<WordUnit || off&(1<<WordUnit-1) != 0 ||
			looks && p.Written[off&(mem.PageSize-1)>>6]>>(off&63)&15 != 15 ||
			w.Time > floor && w.Thread != now.Thread && (w.Time > met || (w.Thread^now.Thread)>>10 != 0) {
			c.Lanes(base, offs, lanes, 0)
			return true
		}
		before, again = off, off == before
		was, o := u.Read.Thread^now.Thread, &u.Other
		if was>>5 != 0 || was != 0 &&
			(o.Time <= floor || o.Thread == now.Thread || o.Time <= met && (o.Thread^now.Thread)>>10 == 0) {
			*o = u.Read
		}
		u.Read = now
	}
	return true
}

// turnTo makes a page the current one, and says whether racecheck has looked at it before.
func (c *Checker) turnTo(number uint32) bool {
	if p := c.s.At(number); p == nil || p.last == nil {
		return false
	}
	c.page, c.number = c.s.Page(number<<mem.PageShift), number
	return true
}

// each does what Lane does for any access.
func (c *Checker) each(off uint32, same bool) {
	if c.Reads && c.in.Looks {
		c.unwritten(off)
	}
	if c.Writes {
		c.s.Fill(off, c.Size)
	}
	if c.in.Local || !c.s.On(gpu.Racecheck) {
		return
	}
	for at := off; at < off+c.Size; {
		p := c.s.Page(at)
		p.Divide(unitFor(at, off+c.Size-at))
		c.unit(p.UnitOf(at), at, same)
		at += 1 << p.unit
	}
}

// unwritten looks whether memory that a lane is about to read was written (5.1.4, 5.1.7).
func (c *Checker) unwritten(off uint32) {
	if !c.s.Written(off, c.Size) {
		c.m.Unwritten(off, c.Operation)
	}
}

// unit checks and remembers the access to one unit of memory.
func (c *Checker) unit(last *Unit, at uint32, same bool) {
	if !same && !c.clear(&last.Write, true) {
		c.conflict(&last.Write, at, true)
	}
	if !c.Writes {
		c.reads(last)
		return
	}
	for _, read := range []*Access{&last.Read, &last.Other} {
		if !c.clear(read, false) {
			c.conflict(read, at, false)
		}
	}
	last.Write = c.Now
}

// reads remembers a read.
func (c *Checker) reads(l *Unit) {
	l.read(&c.Now, c.s.Clock.Floor, c.Met)
}

// clear says, of most old accesses and at a glance, that this one does not conflict with them.
func (c *Checker) clear(old *Access, wrote bool) bool {
	if c.stale(old, wrote) {
		return old.Time <= c.s.Clock.Launch
	}
	return c.ordered(old)
}

// stale says whether one access is through the non-coherent cache, and the other is a write.
func (c *Checker) stale(old *Access, wrote bool) bool {
	return wrote && c.Now.How.NC() || c.Writes && old.How.NC()
}

// ordered says, of most pairs of accesses that are no data race and at a glance, that they are none.
func (c *Checker) ordered(old *Access) bool {
	return old.Time <= c.s.Clock.Floor || old.Thread == c.Now.Thread ||
		old.Time <= c.Met && (old.Thread^c.Now.Thread)>>10 == 0
}

// conflict looks whether two accesses to the byte at an arena offset are unordered (8.7). wrote says that the old one
// was a write.
func (c *Checker) conflict(old *Access, at uint32, wrote bool) {
	if old.Time <= c.s.Clock.Launch {
		return
	}
	stale := c.stale(old, wrote)
	if !stale {
		if !c.races(old) {
			return
		}
		c.order.Settle(c.Now.Thread.Lane(), old.Thread)
	}
	c.m.Race(Pair{*old, c.Now, at, wrote, c.Writes, stale})
}

// races says whether two conflicting accesses are a data race. The lanes of a warp may run in step.
func (c *Checker) races(old *Access) bool {
	if c.ordered(old) {
		return false
	}
	now, o := &c.Now, &c.order
	if o.Clock == nil {
		*o = c.m.Order()
	}
	switch {
	case old.How.Reach() != causal.Weak && now.How.Reach() != causal.Weak:
		return !o.Includes(c.m.Place(old.Thread.CTA()), min(old.How.Reach(), now.How.Reach()))
	case o.Knows(now.Thread.Lane(), old.Thread, old.Time):
		return false
	}
	return (old.Thread^now.Thread)>>5 != 0 || c.m.Apart(old.How, now.How)
}

// Cure says what would order the two accesses.
func (p *Pair) Cure() string {
	const unordered = "the two accesses are unordered: "
	apart, was, is := p.Old.Thread^p.Now.Thread, p.Old.How.Reach(), p.Now.How.Reach()
	switch {
	case p.Stale:
		return "ld.global.nc is for memory that no thread writes while the kernel runs: use ld.global"
	case was != causal.Weak && is != causal.Weak:
		return fmt.Sprintf("%sthe scopes %s and %s do not both include the two threads: widen the narrower one", unordered,
			was, is)
	case apart>>5 == 0:
		return unordered + "lanes of a warp go on independently; put bar.warp.sync between them"
	case apart>>10 == 0:
		return unordered + "put a barrier between them, or use atomics whose scope covers both threads"
	}
	return unordered + "a barrier does not reach the other CTA; release after the first and acquire before the second, " +
		"with a scope that covers both threads, or use atomics"
}
