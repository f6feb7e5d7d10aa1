package machine

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/ptx"
)

// Mbarrier is an mbarrier object (9.7.15.16.3): 64 bits of shared memory, whose layout the manual leaves open. Here it
// is, from the lowest bit:
//
//	0-19   arrivals that the current phase waits for
//	20-39  arrivals that each phase expects
//	40-60  tx-count of the current phase, in two's complement
//	61-62  current phase, modulo 4
//	63     set
//
// The state that mbarrier.arrive returns is the object as it was before.
type Mbarrier uint64

// MaxArrivals bounds both counts of arrivals and the size of the tx-count (9.7.15.16.3).
const MaxArrivals = 1<<20 - 1

func (b Mbarrier) Pending() int64 { return int64(b & MaxArrivals) }

func (b Mbarrier) expected() int64 { return int64(b >> 20 & MaxArrivals) }

func (b Mbarrier) tx() int64 { return int64(b<<3) >> 43 }

func (b Mbarrier) Phase() uint64 { return uint64(b >> 61 & 3) }

func NewMbarrier(phase uint64, pending, expected, tx int64) Mbarrier {
	return Mbarrier(pending | expected<<20 | tx&(1<<21-1)<<40 | int64(phase&3)<<61 | -1<<63)
}

// MbarrierRef is an object in a CTA's shared memory.
type MbarrierRef struct {
	Off   uint32 // from the start of shared memory
	Phase int64  // its number, for people: the object itself holds it modulo 4
	Is    Mbarrier
	Seen  bool // somebody has seen that the last phase is complete
}

const NoMbarrier = "there is no mbarrier object: it needs mbarrier.init"

// ValidMbarrier says what is wrong with an object, if it is not there, or if anything but mbarrier operations has
// written to it (9.7.15.16).
func ValidMbarrier(g *Grid, ref *MbarrierRef, at uint32) string {
	switch {
	case ref == nil:
		return NoMbarrier
	case *MbarrierAt(g, at) != ref.Is:
		return "its memory was written to, and that by no mbarrier operation: mbarrier.inval must come first"
	}
	return ""
}

// SetMbarrier writes an object, and notes what it is.
func SetMbarrier(g *Grid, ref *MbarrierRef, at uint32, lane int, b Mbarrier) {
	ref.Is = b
	g.Record.Memory(g, at, 8, lane, func() { *MbarrierAt(g, at) = b })
}

// Mbarriers are the objects in a CTA's shared memory, in the order of their addresses.
func (g *Grid) Mbarriers(cta int) []MbarrierView {
	c := g.cta(cta)
	if c == nil {
		return nil
	}
	var views []MbarrierView
	for i := range c.Mbarriers {
		views = append(views, c.MbarrierView(&c.Mbarriers[i]))
	}
	return views
}

func (c *CTA) MbarrierView(r *MbarrierRef) MbarrierView {
	b := *MbarrierAt(c.Grid, c.SharedOff+r.Off)
	return MbarrierView{CTA: c.Index, Addr: c.Mem.Win.Shared + Addr(r.Off), Phase: r.Phase,
		Pending: int(b.Pending()), Expected: int(b.expected()), Tx: int(b.tx())}
}

func MbarrierAt(g *Grid, at uint32) *Mbarrier { return (*Mbarrier)(g.Mem.At(at)) }

// FindMbarrier is the object at an arena offset with the CTA that owns it, or nil.
func FindMbarrier(g *Grid, at uint32) (*CTA, *MbarrierRef) {
	c := OwnerOfShared(g, at)
	if c == nil {
		return nil, nil
	}
	i, ok := slices.BinarySearchFunc(c.Mbarriers, at-c.SharedOff, ByOffset)
	if !ok {
		return c, nil
	}
	return c, &c.Mbarriers[i]
}

func ByOffset(r MbarrierRef, off uint32) int { return int(r.Off) - int(off) }

// OwnerOfShared is the resident CTA whose shared memory holds an arena offset, or nil.
func OwnerOfShared(g *Grid, at uint32) *CTA {
	for _, c := range g.State.CTAs {
		if at-c.SharedOff < uint32(c.SharedSize) {
			return c
		}
	}
	return nil
}

// MbarrierChange says how an object changes: by how many arrivals, how many of them for good, and how many bytes.
type MbarrierChange struct {
	Tx, Arrive, Drop int64
	Incomplete       bool // .noComplete
}

// ChangeMbarrier applies a change to the object at an arena offset (9.7.15.16.8, 9.7.15.16.9), and says what is wrong
// with it.
func ChangeMbarrier(g *Grid, at uint32, ch MbarrierChange) string {
	c, ref := FindMbarrier(g, at)
	if why := ValidMbarrier(g, ref, at); why != "" {
		return why
	}
	b := ref.Is
	phase, pending, expected, tx := b.Phase(), b.Pending()-ch.Arrive, b.expected()-ch.Drop, b.tx()+ch.Tx
	switch {
	case tx > MaxArrivals || tx < -MaxArrivals:
		return fmt.Sprintf("its tx-count would be %d, beyond the limit of %d", tx, MaxArrivals)
	case pending < 0:
		return fmt.Sprintf("%s, but its %s", ptx.Plural(ch.Arrive, "arrival"), c.MbarrierView(ref))
	case expected < 0 || pending > MaxArrivals:
		return fmt.Sprintf("a change by %s, but its %s", ptx.Plural(max(ch.Drop, -ch.Arrive), "arrival"), c.MbarrierView(ref))
	}
	// "the count of the pending arrivals has reached zero [and] the tx-count has reached zero": only an arrival and the
	// completion of a transaction can complete a phase.
	if pending == 0 && tx == 0 && (ch.Arrive > 0 || ch.Tx < 0) {
		if ch.Incomplete {
			return "the arrival completes the phase, in spite of .noComplete"
		}
		phase, pending = phase+1, expected
		ref.Phase++
		ref.Seen = false
	}
	SetMbarrier(g, ref, at, 0, NewMbarrier(phase, pending, expected, tx))
	g.Record.Mbarrier(c.MbarrierView(ref))
	return ""
}

// Mbarriers finds the objects that lanes name: 8 bytes of shared memory, of the own CTA unless the space says
// otherwise.
func (w *Warp) Mbarriers(in *Inst, ac *Access, f unsafe.Pointer, exec Mask) (at [32]uint32, ok bool) {
	if at, ok = w.Spans(in, ac, f, exec, 8, func(int) uint64 { return 8 }); !ok {
		return at, false
	}
	g := w.CTA.Grid
	var outside Mask
	EachLane(exec, func(lane int) {
		if OwnerOfShared(g, at[lane]) == nil {
			outside |= 1 << lane
		}
	})
	if outside != 0 {
		w.Fail(in, &Fault{Kind: IllegalAddress, Lanes: outside, Space: spaceName(ac.Space), Size: 8,
			Addr: LaneAddr(ac, f, FirstLane(outside)), Detail: "; mbarrier objects are in shared memory"})
		return at, false
	}
	return at, true
}
