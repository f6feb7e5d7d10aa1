// Package causal follows which accesses of a grid come before which in causality order (8.9.5). It knows threads,
// locations and scopes, and not what an instruction is.
//
// An access has a time, a count of the operations that have ordered something so far, and each warp has facts: up to
// which time it comes after the accesses of other warps. A barrier gives facts to the warps that wait at it. A release,
// or a fence and a strong write after it, leaves a message at the location that it writes. An acquire, or a strong read
// and a fence after it, takes the messages of the location that it reads (8.8), where the scopes of both include both
// threads.
//
// Warps count as threads where others are concerned, which is generous: what one lane has released or acquired, its
// warp has. Lanes of one warp order each other by bar.warp.sync alone.
package causal

import (
	"cmp"
	"slices"
)

// Thread names a thread of a grid: its CTA, its warp in five bits and its lane in five.
type Thread uint64

// ThreadOf returns the name of a thread.
func ThreadOf(cta, warp, lane int) Thread { return Thread(cta)<<10 | Thread(warp)<<5 | Thread(lane) }

// CTA returns the linear index of the thread's CTA.
func (t Thread) CTA() int { return int(t >> 10) }

// Warp returns the index of the thread's warp in its CTA.
func (t Thread) Warp() int { return int(t >> 5 & 31) }

// Lane returns the thread's lane.
func (t Thread) Lane() int { return int(t & 31) }

// Reach is the scope of a strong operation (8.5). All other operations are weak.
type Reach uint8

// The scopes, from the narrowest.
const (
	Weak Reach = iota
	CTA
	Cluster
	Grid
)

// String returns the scope as PTX writes it.
func (r Reach) String() string { return [...]string{"weak", ".cta", ".cluster", ".gpu"}[r] }

// Fact is: up to a time, all accesses of a warp, or of a CTA.
type Fact struct {
	of   party
	time uint32
}

// party is a warp of the grid, or a CTA.
type party uint64

func (t Thread) party() party { return party(t>>5) << 1 }
func (t Thread) cta() party   { return party(t>>10)<<1 | 1 }

// Facts are sorted by party. Nothing changes them once they are made.
type Facts []Fact

// has says whether the access of a thread at a time is among the facts.
func (k Facts) has(t Thread, time uint32) bool {
	return len(k) > 0 && (k.up(t.party()) >= time || k.up(t.cta()) >= time)
}

// up returns up to which time there is a fact about a party: 0 for none.
func (k Facts) up(of party) uint32 {
	if i, ok := slices.BinarySearchFunc(k, of, func(f Fact, of party) int { return cmp.Compare(f.of, of) }); ok {
		return k[i].time
	}
	return 0
}

// And returns what both lists say.
func (k Facts) And(o Facts) Facts {
	if len(k) == 0 || len(o) == 0 {
		return slices.Concat(k, o)
	}
	both := make(Facts, 0, len(k)+len(o))
	for len(k) > 0 && len(o) > 0 {
		switch {
		case k[0].of < o[0].of:
			both, k = append(both, k[0]), k[1:]
		case k[0].of > o[0].of:
			both, o = append(both, o[0]), o[1:]
		default:
			both = append(both, Fact{k[0].of, max(k[0].time, o[0].time)})
			k, o = k[1:], o[1:]
		}
	}
	return append(append(both, k...), o...)
}
