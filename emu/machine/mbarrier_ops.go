package machine

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/gpu"
	"warpscope/ptx"
)

// NoMbarrier is the message for an operation where there is no object.
const NoMbarrier = "there is no mbarrier object: it needs mbarrier.init"

// ValidMbarrier returns what is wrong with the object at an arena offset, or "". It is wrong when it does not exist
// (ref is nil), and when anything but mbarrier operations has written to it (9.7.15.16).
func ValidMbarrier(g *Grid, ref *MbarrierRef, at uint32) string {
	switch {
	case ref == nil:
		return NoMbarrier
	case *MbarrierAt(g, at) != ref.Is:
		return "its memory was written to, and that by no mbarrier operation: mbarrier.inval must come first"
	}
	return ""
}

// SetMbarrier writes the object at an arena offset, for a lane, and records the change.
func SetMbarrier(g *Grid, ref *MbarrierRef, at uint32, lane int, b gpu.Mbarrier) {
	ref.Is = b
	g.Record.Memory(g, at, 8, lane, func() { *MbarrierAt(g, at) = b })
}

// Mbarriers lists the objects in a CTA's shared memory, by address. It returns nil for a CTA that is not resident.
func (g *Grid) Mbarriers(cta int) []gpu.MbarrierView {
	c := g.cta(cta)
	if c == nil {
		return nil
	}
	var views []gpu.MbarrierView
	for i := range c.Mbarriers {
		views = append(views, c.MbarrierView(&c.Mbarriers[i]))
	}
	return views
}

// MbarrierView returns the state of an object as people see it.
func (c *CTA) MbarrierView(r *MbarrierRef) gpu.MbarrierView {
	b := *MbarrierAt(c.Grid, c.SharedOff+r.Off)
	v := gpu.MbarrierView{CTA: c.Index, Addr: c.Mem.Win.Shared + Addr(r.Off), Phase: r.Phase,
		Pending: int(b.Pending()), Expected: int(b.Expected()), Tx: int(b.Tx())}
	if r.V1 {
		v.V1, v.Conditional, v.Reported = true, r.Conditional, r.Reported
	}
	return v
}

// MbarrierAt returns the object at an arena offset. The pointer is valid until memory grows.
func MbarrierAt(g *Grid, at uint32) *gpu.Mbarrier { return (*gpu.Mbarrier)(g.Mem.At(at)) }

// FindMbarrier returns the CTA whose shared memory has an arena offset, and its object there. Each is nil when there is
// none.
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

// ByOffset compares an object with an offset in shared memory, for a binary search.
func ByOffset(r MbarrierRef, off uint32) int { return int(r.Off) - int(off) }

// MbarrierChange says how an object changes: by how many bytes, by how many arrivals, and by how many arrivals that
// later phases no longer expect.
type MbarrierChange struct {
	Tx, Arrive, Drop int64
	Incomplete       bool // .noComplete: the change must not complete the phase
	Report           bool // report-on (9.7.15.16.10)
}

// ChangeMbarrier applies a change to the object at an arena offset (9.7.15.16.8, 9.7.15.16.9). It returns what is wrong
// with the object or the change, or "".
func ChangeMbarrier(g *Grid, at uint32, ch MbarrierChange) string {
	c, ref := FindMbarrier(g, at)
	if why := ValidMbarrier(g, ref, at); why != "" {
		return why
	}
	b := ref.Is
	phase, pending, expected, tx := b.Phase(), b.Pending()-ch.Arrive, b.Expected()-ch.Drop, b.Tx()+ch.Tx
	switch {
	case tx > gpu.MaxArrivals || tx < -gpu.MaxArrivals:
		return fmt.Sprintf("its tx-count would be %d, beyond the limit of %d", tx, gpu.MaxArrivals)
	case pending < 0:
		return fmt.Sprintf("%s, but its %s", ptx.Plural(ch.Arrive, "arrival"), c.MbarrierView(ref))
	case expected < 0 || pending > ref.MaxArrivals():
		return fmt.Sprintf("a change by %s, but its %s", ptx.Plural(max(ch.Drop, -ch.Arrive), "arrival"), c.MbarrierView(ref))
	case ch.Drop > 0 && expected == 0: // "If the decrement causes the expected arrivals count to be zero" (9.7.15.16.17)
		return fmt.Sprintf("the drop leaves 0 of %s: at least 1 must be left", ptx.Plural(b.Expected(), "expected arrival"))
	}
	ref.Reported = ref.Reported || ch.Report
	// "the count of the pending arrivals has reached zero [and] the tx-count has reached zero": only an arrival or the
	// completion of a transaction can complete a phase.
	if pending == 0 && tx == 0 && (ch.Arrive > 0 || ch.Tx < 0) {
		if ch.Incomplete {
			return "the arrival completes the phase, in spite of .noComplete"
		}
		phase, pending = phase+1, expected
		ref.complete()
	}
	SetMbarrier(g, ref, at, 0, gpu.NewMbarrier(phase, pending, expected, tx))
	g.Record.Mbarrier(c.MbarrierView(ref))
	return ""
}

// Mbarriers returns the arena offsets of the objects that lanes name: 8 bytes of shared memory each, of the CTA itself
// unless the space allows others. ok is false after a fault.
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
		w.Fail(in, &Fault{Kind: gpu.IllegalAddress, Lanes: outside, Space: spaceName(ac.Space), Size: 8,
			Addr: LaneAddr(ac, f, FirstLane(outside)), Detail: "; mbarrier objects are in shared memory"})
		return at, false
	}
	return at, true
}
