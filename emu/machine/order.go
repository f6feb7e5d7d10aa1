package machine

import (
	"slices"

	"warpscope/emu/causal"
	"warpscope/gpu"
)

// What racecheck knows of the order of accesses is in package causal. These functions tell it what happens.

// placeOf returns a warp's place, for package causal.
func placeOf(g *Grid, cta, warp int) causal.Place {
	cluster, _ := g.inCluster(g.Grid.Index(cta))
	return causal.Place{Thread: causal.ThreadOf(cta, warp, 0), Cluster: g.clusters().Linear(cluster)}
}

// orderOf returns the warp as package causal knows it; ok is false without racecheck.
func orderOf(w *Warp) (o causal.Warp, ok bool) {
	g := w.CTA.Grid
	if !g.Dev.Shadow.On(gpu.Racecheck) {
		return o, false
	}
	at := placeOf(g, w.CTA.Index, w.Index)
	return causal.Warp{Place: at, Clock: &g.Dev.Shadow.Clock, Own: &w.order, Of: &w.CTA.order}, true
}

// meetWarps orders the accesses of warps at a barrier of the CTA that is complete: those of all that have arrived come
// before what those that wait do next.
func meetWarps(c *CTA, b *barrier, at int) {
	if !c.Grid.Dev.Shadow.On(gpu.Racecheck) {
		return
	}
	var warps []causal.Warp
	var lanes []bool
	whole := true
	for _, w := range c.Warps {
		waits := slices.ContainsFunc(w.waits.list, func(o Waiting) bool { return o.At == at })
		if here := waits || w.Ended || b.expected == 0; !here {
			whole = false
			continue
		}
		if w.Ended && b.expected != 0 {
			continue
		}
		o, _ := orderOf(w)
		warps, lanes = append(warps, o), append(lanes, b.lanes[w.Index] == w.Live)
	}
	if len(warps) > 0 {
		causal.Meet(warps, lanes, b.told, whole)
	}
}

// Arrived adds to what is told what a warp gives to those that wait at a barrier: it does not wait itself. An arrival
// that does not release gives what the last fence has released.
func Arrived(w *Warp, told *causal.Facts, releases bool) {
	if o, ok := orderOf(w); ok && releases {
		*told = told.And(o.Tells(o.Tick()))
	} else if ok {
		*told = told.And(o.Fenced(causal.Cluster))
	}
}

// Synchronizes notes a strong operation of a warp on one location.
func Synchronizes(w *Warp, location uint32, op causal.Operation) {
	if o, ok := orderOf(w); ok {
		op.Locations = []uint32{location}
		o.Synchronizes(&op)
	}
}

// meetLanes orders the accesses of lanes that have executed bar.warp.sync together.
func meetLanes(w *Warp, lanes Mask) {
	if o, ok := orderOf(w); ok {
		o.MeetLanes(uint32(lanes), lanes == w.Present)
	}
}
