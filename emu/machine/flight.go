package machine

import (
	"fmt"
	"math/bits"

	"warpscope/emu/causes"
	"warpscope/emu/mem"
	"warpscope/ptx"
)

// An access that comes too early, while an operation under way has still to read or write the same memory, is noted as
// a finding. For that each CTA has a map of its shared memory; see transfer.go for the operations.

const (
	flyTo   = 1 // an operation writes here
	flyFrom = 2 // an operation reads here
)

// mark sets a flag for size bytes at an arena offset, where they are in the CTA's shared memory.
func (v flight) mark(c *CTA, off, size uint32, what uint8) {
	if at := off - c.SharedOff; at < uint32(c.SharedSize) {
		for i := at >> 4; i <= (at+size-1)>>4 && int(i) < len(v); i++ {
			v[i] |= what
		}
	}
}

// inFlight returns the CTA's flight, which it works out when operations under way have changed.
func (c *CTA) inFlight() flight {
	if c.flight != nil && c.flightAt == c.Grid.changes {
		return c.flight
	}
	c.underWay = underWay{make(flight, c.SharedSize>>4+1), mem.Extent{}, c.Grid.changes, nil}
	for i := range c.Grid.Async {
		o := &c.Grid.Async[i]
		for _, m := range o.Moves {
			c.flight.mark(c, m.To, m.Size, flyTo)
			if m.From != 0 && !o.Read {
				c.flight.mark(c, m.From, o.Reads(m), flyFrom)
			}
		}
		o.readsFrom(c, func(_ *TensorOp, at uint32) { c.flight.mark(c, at, 16, flyFrom) })
	}
	for _, w := range c.Warps {
		for i := range w.Copies {
			a := &w.Copies[i]
			if c.flight.mark(c, a.To, a.Size, flyTo); a.Given > 0 {
				c.sources.Add(a.From, a.Given)
			}
		}
	}
	return c.flight
}

// checkFlight notes accesses of lanes that come too early: reads of memory that an operation still has to write, and
// writes to memory that an operation still has to read or write. w.Seg and w.offs hold the places. The caller makes
// sure that something is under way.
func (w *LSU) checkFlight(in *Inst, exec Mask, size uint32, write bool) {
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if w.CheckRange(in, lane, w.Seg.Base+w.offs[lane], size, write) {
			return
		}
	}
}

// CheckRange does the same for one lane's access to size bytes at an arena offset. It returns true when it has noted
// the access.
func (w *LSU) CheckRange(in *Inst, lane int, off, size uint32, write bool) bool {
	g := w.CTA.Grid
	if g.Flying == 0 || size == 0 {
		return false
	}
	a := laneAccess{in, lane, off, size, write}
	c := w.CTA
	if off-c.SharedOff >= uint32(c.SharedSize) {
		if write && w.overSource(&a) {
			return true
		}
		if len(g.Async) == 0 {
			return false
		}
		c = OwnerOfShared(g, off)
	} else if write && w.overProduct(&a) {
		return true
	}
	if c != nil {
		mask := uint8(flyTo)
		if write {
			mask |= flyFrom
		}
		v, found := c.inFlight(), uint8(0)
		for i := (off - c.SharedOff) >> 4; i <= (off-c.SharedOff+size-1)>>4; i++ {
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
	in        *Inst
	lane      int
	off, size uint32
	write     bool
}

// meets looks for the operation that an access collides with, and notes the access. c is the CTA whose shared memory
// the access reaches, or nil.
func (w *LSU) meets(a *laneAccess, c *CTA) bool {
	g, off, size := w.CTA.Grid, a.off, a.size
	for i := range g.Async {
		o := &g.Async[i]
		if !o.To.Meets(off, size) && !(a.write && o.From.Meets(off, size)) {
			continue
		}
		for _, m := range o.Moves {
			reads := a.write && !o.Read && m.From != 0 && mem.Span(m.From, o.Reads(m)).Meets(off, size)
			writes := mem.Span(m.To, m.Size).Meets(off, size) && !(o.Fold != nil && a.write && a.in.atomic())
			switch {
			case reads:
				w.tooEarly(a, stillReads, DescribeTransfer(g, o), o.In)
			case writes:
				w.tooEarly(a, stillWrites, DescribeTransfer(g, o), o.In)
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
		w.tooEarly(a, stillReads, startedAt(g, by.In, o.CTA, by.By.Warp, by.By.Lane), by.In)
		return true
	}
	for _, other := range c.Warps {
		for i := range other.Copies {
			if o := &other.Copies[i]; mem.Span(o.To, o.Size).Meets(off, size) {
				w.tooEarly(a, stillWrites, startedAt(g, o.In, c.Index, other.Index, o.Lane), o.In)
				return true
			}
		}
	}
	return false
}

// readerOf finds an operation on tensor memory that still has to read a range of a CTA's shared memory, and the commit
// that tracks it.
func readerOf(g *Grid, c *CTA, off, size uint32) (by *TensorOp, of *AsyncOp) {
	for i := range g.Async {
		o := &g.Async[i]
		o.readsFrom(c, func(op *TensorOp, at uint32) {
			if mem.Span(at, 16).Meets(off, size) {
				by, of = op, o
			}
		})
	}
	return by, of
}

// overSource looks for a cp.async of the CTA that still has to read what an access overwrites, and notes the access.
func (w *LSU) overSource(a *laneAccess) bool {
	c := w.CTA
	if c.inFlight(); !c.sources.Meets(a.off, a.size) {
		return false
	}
	for _, other := range c.Warps {
		for i := range other.Copies {
			if o := &other.Copies[i]; o.Given > 0 && mem.Span(o.From, o.Given).Meets(a.off, a.size) {
				w.tooEarly(a, stillReads, startedAt(w.CTA.Grid, o.In, c.Index, other.Index, o.Lane), o.In)
				return true
			}
		}
	}
	return false
}

// atomic says whether an instruction is a reduction. Reductions do not collide with each other.
func (in *Inst) atomic() bool { return in.Op == OpAtom || in.Op == OpAtomWide || in.X.Reduces }

// What an operation under way still has to do with the memory that an access reaches.
const (
	stillReads  = "is still to read"
	stillWrites = "is still to write"
)

// tooEarly notes an access to memory that an operation still has to read or write. who describes the operation, and
// other is its instruction.
func (w *LSU) tooEarly(a *laneAccess, still, who string, other *Inst) {
	verb := "reads"
	if a.write {
		verb = "writes to"
	}
	w.NoteWith(a.in, causes.Flight, other,
		fmt.Sprintf("`%s` in lane %d of warp %d %s %s (%s), which %s %s: it was not waited for",
			a.in.Src.Opcode, a.lane, w.Index, verb, whereInShared(w.CTA.Grid, w.CTA.Index, a.off),
			ptx.Plural(int(a.size), "byte"),
			who, still))
}

// DescribeTransfer names an operation and the lane that started it, for a message.
func DescribeTransfer(g *Grid, o *AsyncOp) string { return startedAt(g, o.In, o.CTA, o.Warp, o.Lane) }

// startedAt names an instruction and the lane that executed it. lane -1 stands for the whole warp.
func startedAt(g *Grid, in *Inst, cta, warp, lane int) string {
	s := fmt.Sprintf("`%s` of line %d (", in.Src.Opcode, g.Position(in.Src).Line)
	if lane >= 0 {
		s += fmt.Sprintf("lane %d of ", lane)
	}
	s += fmt.Sprintf("warp %d", warp)
	if g.Counters.CTAs > 1 {
		s += fmt.Sprintf(", CTA %d", cta)
	}
	return s + ")"
}

// visit calls do for each 16-byte piece.
func (r *ProductReads) visit(w *Warp, do func(at mem.Extent)) {
	piece := func(addr uint32) bool {
		do(mem.Span(w.CTA.SharedOff+addr, 16))
		return true
	}
	for _, part := range r.Product.Parts(w) {
		part.EachPiece(piece)
	}
}

// meets says whether the product still has to read some of size bytes at an arena offset.
func (r *ProductReads) meets(w *Warp, off, size uint32) (found bool) {
	if r.around.End == 0 {
		r.visit(w, func(at mem.Extent) { r.around.Add(at.Start, 16) })
	}
	if r.around.Meets(off, size) {
		r.visit(w, func(at mem.Extent) { found = found || at.Meets(off, size) })
	}
	return found
}

// overProduct looks for a product of the warp that still has to read what an access overwrites, and notes the access.
// Products of other warps do not count: a warp that has waited for its share can take the product of all four warps for
// done.
func (w *Warp) overProduct(a *laneAccess) bool {
	for i := range w.Late {
		if r := w.Late[i].Reads; r != nil && r.meets(w, a.off, a.size) {
			w.LSU.tooEarly(a, stillReads, startedAt(w.CTA.Grid, r.In, w.CTA.Index, w.Index, -1), r.In)
			return true
		}
	}
	return false
}

// willWrite says whether an operation under way still has to write to a range of shared memory. Reads of it come too
// early, which is another finding than that nothing has written it.
func willWrite(g *Grid, off, size uint32) bool {
	c := OwnerOfShared(g, off)
	if c == nil || g.Flying == 0 {
		return false
	}
	found := uint8(0)
	for i := (off - c.SharedOff) >> 4; i <= (off-c.SharedOff+size-1)>>4; i++ {
		found |= c.inFlight()[i]
	}
	return found&flyTo != 0
}
