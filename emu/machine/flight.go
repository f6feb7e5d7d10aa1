package machine

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"warpscope/ptx"
)

// Asynchronous operations other than cp.async are under way from their instruction until a thread waits for them. Like
// cp.async they happen as late as the manual allows: when a wait needs them, or when the CTA that started them or whose
// memory they write ends. A wait is that of a thread for its bulk group, or that of any thread for the mbarrier that
// they signal. So a program that forgets to wait sees old data every time, and the access that comes too early is noted
// as a finding.

// AsyncOp is an operation under way. The contents of its slices never change.
type AsyncOp struct {
	In       *Inst
	CTA      int // that started it: linear index
	Warp     int
	Lane     int
	Moves    []Move
	Data     []byte // what it writes, once it has read its source
	Read     bool
	Report   Report  // to the mbarrier
	Fill     [8]byte // what it writes for a source outside of the tensor
	Tx       uint32  // bytes that it completes at the mbarrier
	Mbarrier uint32  // arena offset; 0: none
	Group    int     // bulk groups that its thread has committed since; -1: it is in no group
	Fold     func(old, b, c uint64) uint64
	Size     uint32     // bytes of an element that Fold works on
	Packs    bool       // it reads 16 bytes of b6p2x16 and writes 12
	From, To Extent     // hold all that it reads and writes
	Tensor   []TensorOp // operations on the CTA's tensor memory; nil but for tcgen05.commit
	Arrive   int64      // arrivals at the mbarrier
	Pair     bool       // Tensor works on both CTAs of the pair
}

// Report is what an operation reports of the data that it reads (9.7.10.28.1.3).
type Report struct {
	Finds func(at uint32, b []byte) bool // whether there is anything to report; nil: it does not look
	found bool
}

func (r *Report) look(at uint32, b []byte) { r.found = r.found || r.Finds != nil && r.Finds(at, b) }

// Move copies one piece of an operation. To and From are arena offsets. A From of 0 means that the source is outside of
// the tensor: the operation's Fill goes there instead.
type Move struct {
	To, From, Size uint32
	Mask           uint16 // bit i: byte i of every 16 stays as it is
}

// Reads returns the size of a move's source in bytes.
func (o *AsyncOp) Reads(m Move) uint32 {
	if o.Packs {
		return 16
	}
	return m.Size
}

// Extent is a range of the arena.
type Extent struct{ start, end uint32 }

// Add makes the range hold size bytes at an arena offset, too.
func (e *Extent) Add(off, size uint32) {
	if e.end == 0 {
		*e = Extent{off, off + size}
		return
	}
	e.start, e.end = min(e.start, off), max(e.end, off+size)
}

// meets says whether the range overlaps size bytes at an arena offset.
func (e Extent) meets(off, size uint32) bool { return off < e.end && off+size > e.start }

// Flights holds the asynchronous operations of a grid.
type Flights struct {
	Async   []AsyncOp // under way, in the order in which they were started
	Flying  int       // operations under way, those of warps included: cp.async, and products that still have to read
	changes int       // how often the set of operations under way has changed
}

func (s Flights) clone() Flights {
	s.Async = slices.Clone(s.Async)
	return s
}

func (s *Flights) cost() (n int64) {
	for i := range s.Async {
		o := &s.Async[i]
		n += sizeOf(o) + sliceBytes(o.Moves) + sliceBytes(o.Data) + sliceBytes(o.Tensor)
	}
	return n
}

// AddFlying adds n to the operations under way, cp.async included. While there are some, loads and stores look more
// closely.
func (s *Flights) AddFlying(n int) {
	s.Flying += n
	s.changes++
}

// DeliverDue makes the operations happen that are due, in the order in which they were started.
func DeliverDue(g *Grid, due func(o *AsyncOp) bool) {
	var now []AsyncOp
	g.Async = slices.DeleteFunc(g.Async, func(o AsyncOp) bool {
		if !due(&o) {
			return false
		}
		now = append(now, o)
		return true
	})
	if len(now) == 0 {
		return
	}
	g.AddFlying(-len(now))
	for i := range now {
		makeTransfer(g, &now[i])
	}
}

// DeliverTo makes all operations happen that signal the mbarrier at an arena offset.
func DeliverTo(g *Grid, at uint32) {
	// Operations on tensor memory happen in the order of their instructions.
	last, i := -1, -1
	var of AsyncOp
	for k, o := range g.Async {
		if o.Mbarrier == at && o.Tensor != nil {
			last, of = k, o
		}
	}
	DeliverDue(g, func(o *AsyncOp) bool {
		i++
		return o.Mbarrier == at || i < last && o.Tensor != nil && g.SameTensor(o, &of)
	})
	copiesTo(g, at)
}

// ReadSource reads what an operation is going to write, unless it has done so.
func ReadSource(g *Grid, o *AsyncOp) {
	if o.Read {
		return
	}
	for _, m := range o.Moves {
		if m.From == 0 {
			for i := range m.Size {
				o.Data = append(o.Data, o.Fill[i&7])
			}
			continue
		}
		from := g.Mem.Bytes(m.From, o.Reads(m))
		o.Report.look(m.From, from)
		if o.Packs {
			from = packSixes(from)
		}
		o.Data = append(o.Data, from...)
	}
	o.Read = true
}

// packSixes packs the lower six bits of each byte (5.5.1.1.1).
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

// makeTransfer makes an operation happen: it writes the data and signals the mbarrier.
func makeTransfer(g *Grid, o *AsyncOp) {
	ReadSource(g, o)
	at := 0
	for _, m := range o.Moves {
		data := o.Data[at:][:m.Size]
		at += int(m.Size)
		overwrittenMaps(g, m.To, m.Size)
		g.Record.Memory(g, m.To, m.Size, o.Lane, func() {
			to := g.Mem.Bytes(m.To, m.Size)
			switch {
			case o.Fold != nil:
				foldBytes(o.Fold, int(o.Size), to, data)
			case m.Mask != 0:
				for i := range to {
					if m.Mask>>(i&15)&1 == 0 {
						to[i] = data[i]
					}
				}
			default:
				copy(to, data)
			}
		})
	}
	for _, op := range o.Tensor {
		op.Do(g.cta(o.CTA))
	}
	if o.Mbarrier == 0 {
		return
	}
	change := MbarrierChange{Tx: -int64(o.Tx), Arrive: o.Arrive, Report: o.Report.found}
	if why := ChangeMbarrier(g, o.Mbarrier, change); why != "" {
		g.note(o.In, CauseMbarrier, o.CTA, fmt.Sprintf("%s has written, but at its mbarrier: %s", DescribeTransfer(g, o),
			why))
	}
}

// foldBytes reduces elements of size bytes into memory, one by one.
func foldBytes(fold func(old, b, c uint64) uint64, size int, to, from []byte) {
	for i := 0; i+size <= len(to); i += size {
		v := fold(ReadUint(to[i:], size), ReadUint(from[i:], size), 0)
		for k := range size {
			to[i+k] = byte(v >> (8 * k))
		}
	}
}

// ReadUint returns the first size bytes of b, little-endian. size is at most 8.
func ReadUint(b []byte, size int) uint64 {
	var v [8]byte
	copy(v[:], b[:size])
	return binary.LittleEndian.Uint64(v[:])
}

// landTransfers makes all operations happen that an ending CTA has started, or that read or write its shared memory.
func landTransfers(g *Grid, c *CTA) {
	c.leftColumns()
	if len(g.Async) == 0 {
		return
	}
	own := Extent{c.SharedOff, c.SharedOff + uint32(c.SharedSize)}
	mine := func(e Extent) bool { return e.end > own.start && e.start < own.end }
	DeliverDue(g, func(o *AsyncOp) bool {
		reads, writes := mine(o.From), mine(o.To)
		if o.Pair && len(o.Tensor) > 0 && o.CTA != c.Index && g.cta(o.CTA).Partner() == c {
			g.note(o.In, CauseEnd, o.CTA,
				fmt.Sprintf("CTA %d,%d,%d ended, but %s was still to work on its tensor memory: "+
					"no thread waited", c.id.X, c.id.Y, c.id.Z, DescribeTransfer(g, o)))
			return true
		}
		if reads || writes {
			what := map[bool]string{true: "was still to read from", false: "was still to write to"}[reads]
			g.note(o.In, CauseEnd, o.CTA, fmt.Sprintf("CTA %d,%d,%d ended, but %s %s its shared memory: no thread waited",
				c.id.X, c.id.Y, c.id.Z, DescribeTransfer(g, o), what))
		}
		return reads || writes || o.CTA == c.Index || mine(Extent{o.Mbarrier, o.Mbarrier + 8})
	})
}

// flight tells, for each 16 bytes of a CTA's shared memory, whether an operation under way writes them, reads them, or
// both.
type flight []uint8

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

// underWay is what a CTA knows of the operations under way. It follows from them: a clone works it out again.
type underWay struct {
	flight   flight
	sources  Extent // holds all that pending cp.async read
	flightAt int    // value of Flights.changes when it was worked out
}

// inFlight returns the CTA's flight, which it works out when operations under way have changed.
func (c *CTA) inFlight() flight {
	if c.flight != nil && c.flightAt == c.Grid.changes {
		return c.flight
	}
	c.underWay = underWay{make(flight, c.SharedSize>>4+1), Extent{}, c.Grid.changes}
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
		if !o.To.meets(off, size) && !(a.write && o.From.meets(off, size)) {
			continue
		}
		for _, m := range o.Moves {
			reads := a.write && !o.Read && m.From != 0 && (Extent{m.From, m.From + o.Reads(m)}).meets(off, size)
			writes := (Extent{m.To, m.To + m.Size}).meets(off, size) && !(o.Fold != nil && a.write && a.in.atomic())
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
			if o := &other.Copies[i]; (Extent{o.To, o.To + o.Size}).meets(off, size) {
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
			if (Extent{at, at + 16}).meets(off, size) {
				by, of = op, o
			}
		})
	}
	return by, of
}

// overSource looks for a cp.async of the CTA that still has to read what an access overwrites, and notes the access.
func (w *LSU) overSource(a *laneAccess) bool {
	c := w.CTA
	if c.inFlight(); !c.sources.meets(a.off, a.size) {
		return false
	}
	for _, other := range c.Warps {
		for i := range other.Copies {
			if o := &other.Copies[i]; o.Given > 0 && (Extent{o.From, o.From + o.Given}).meets(a.off, a.size) {
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
	w.NoteWith(a.in, CauseFlight, other,
		fmt.Sprintf("`%s` in lane %d of warp %d %s %s (%s), which %s %s: it was not waited for",
			a.in.Src.Opcode, a.lane, w.Index, verb, whereInShared(w.CTA.Grid, w.CTA.Index, a.off),
			ptx.Plural(int(a.size), "byte"),
			who, still))
}

// DescribeTransfer names an operation and the lane that started it, for a message.
func DescribeTransfer(g *Grid, o *AsyncOp) string { return startedAt(g, o.In, o.CTA, o.Warp, o.Lane) }

// startedAt names an instruction and the lane that executed it. lane -1 stands for the whole warp.
func startedAt(g *Grid, in *Inst, cta, warp, lane int) string {
	s := fmt.Sprintf("`%s` of line %d (", in.Src.Opcode, g.Prog.Mod.Position(int(in.Src.OpSpan.Start)).Line)
	if lane >= 0 {
		s += fmt.Sprintf("lane %d of ", lane)
	}
	s += fmt.Sprintf("warp %d", warp)
	if g.Counters.CTAs > 1 {
		s += fmt.Sprintf(", CTA %d", cta)
	}
	return s + ")"
}
