package machine

import (
	"cmp"
	"slices"

	"warpscope/gpu"
)

// Racecheck follows which accesses come before which in causality order (8.9.5). An access is stamped with the time, a
// count of the instructions that have ordered something so far, and each warp has facts: up to which time it comes after
// the accesses of other warps. A barrier gives facts to the warps that wait at it. A release, or a fence and a strong
// write after it, leaves a message at the location that it writes; an acquire, or a strong read and a fence after it,
// takes the messages of the location that it reads (8.8), where the scopes of both reach the other thread.
//
// Warps count as threads where others are concerned, which is generous: what one lane has released or acquired, its
// warp has. Lanes of one warp order each other by bar.warp.sync alone.

// fact is: up to a time, all accesses of a warp, or of a CTA.
type fact struct {
	of   party
	time uint32
}

// party is a warp of the grid, or a CTA.
type party uint64

func (t thread) warp() party { return party(t>>5) << 1 }
func (t thread) cta() party  { return party(t>>10)<<1 | 1 }

// facts are sorted by party. Nothing changes them once they are made.
type facts []fact

// has says whether the access of a thread at a time is among the facts.
func (k facts) has(t thread, time uint32) bool {
	return len(k) > 0 && (k.up(t.warp()) >= time || k.up(t.cta()) >= time)
}

// up returns up to which time there is a fact about a party: 0 for none.
func (k facts) up(of party) uint32 {
	if i, ok := slices.BinarySearchFunc(k, of, func(f fact, of party) int { return cmp.Compare(f.of, of) }); ok {
		return k[i].time
	}
	return 0
}

// and returns what both lists say.
func (k facts) and(o facts) facts {
	if len(k) == 0 || len(o) == 0 {
		return slices.Concat(k, o)
	}
	both := make(facts, 0, len(k)+len(o))
	for len(k) > 0 && len(o) > 0 {
		switch {
		case k[0].of < o[0].of:
			both, k = append(both, k[0]), k[1:]
		case k[0].of > o[0].of:
			both, o = append(both, o[0]), o[1:]
		default:
			both = append(both, fact{k[0].of, max(k[0].time, o[0].time)})
			k, o = k[1:], o[1:]
		}
	}
	return append(append(both, k...), o...)
}

// message is what a thread has left at a location for those that acquire it.
type message struct {
	by    party
	cta   int // of the thread: linear index
	time  uint32
	reach Reach
	facts facts
}

// heard are messages that a strong read has seen, for a fence to acquire.
type heard struct {
	list  []message
	reach Reach
}

// settle takes an access for ordered before what a lane of the warp does next: it has been reported as a race, and what
// follows from the same missing order is no second finding.
func (w *Warp) settle(lane int, old thread) {
	s := w.CTA.Grid.Dev.Shadow
	if old.warp() != w.party() {
		w.learn(facts{{old.warp(), s.tick()}})
		return
	}
	if w.order.lanes == nil {
		w.order.lanes = new([32][32]uint32)
	}
	w.order.lanes[lane][old&31] = s.tick()
}

// warpOrder is what comes before the next access of a warp, and what the warp can give to others.
type warpOrder struct {
	met    uint32          // accesses of its own live lanes up to this time
	lanes  *[32][32]uint32 // by lane: accesses of each other lane, where bar.warp.sync had not all lanes
	facts  facts
	fences [reachGrid + 1]uint32 // by reach: the time of the last fence
	heard  []heard
}

// ctaOrder is the same for all warps of a CTA.
type ctaOrder struct {
	met   uint32 // accesses of its own threads up to this time
	facts facts
}

// Bounds, for programs with very many messages: more of anything, and all accesses so far count as ordered.
const (
	mostFacts = 2048
	mostHeard = 256
)

// tick begins a new time, and returns the last.
func (s *shadow) tick() uint32 {
	s.time++
	return s.time - 1
}

// orderAll takes all accesses so far for ordered before those that follow.
func (s *shadow) orderAll() { s.floor = s.tick() }

// launched begins a grid: all accesses before it are ordered before it.
func (s *shadow) launched() {
	if s != nil {
		s.orderAll()
		s.launch, s.flags = s.floor, map[uint32][]message{}
	}
}

// knows says whether an access comes before what the warp does next, by what all its lanes know.
func (w *Warp) knows(old *touched) bool {
	c := w.CTA
	return int(old.thread>>10) == c.Index && old.time <= c.order.met ||
		w.order.facts.has(old.thread, old.time) || c.order.facts.has(old.thread, old.time)
}

// learn adds facts to those of a warp.
func (w *Warp) learn(f facts) {
	if w.order.facts = w.order.facts.and(f); len(w.order.facts) > mostFacts {
		w.order.facts = nil
		w.CTA.Grid.Dev.Shadow.orderAll()
	}
}

// party returns the warp's own.
func (w *Warp) party() party { return thread(w.CTA.Index<<10 | w.Index<<5).warp() }

// tells returns all that the warp knows, and its own accesses up to a time.
func (w *Warp) tells(time uint32) facts {
	c := w.CTA
	own := facts{{w.party(), time}}
	if c.order.met != 0 {
		own = facts{{thread(c.Index << 10).cta(), c.order.met}}.and(own)
	}
	return w.order.facts.and(c.order.facts).and(own)
}

// meetLanes orders the accesses of lanes that have executed bar.warp.sync together (9.7.15.2).
func (s *shadow) meetLanes(w *Warp, lanes Mask) {
	if !s.On(gpu.Racecheck) {
		return
	}
	now := s.tick()
	o := &w.order
	if lanes == w.Present {
		o.met, o.lanes = now, nil
		return
	}
	if o.lanes == nil {
		o.lanes = new([32][32]uint32)
	}
	var all [32]uint32
	EachLane(lanes, func(lane int) {
		for i, t := range o.lanes[lane] {
			all[i] = max(all[i], t)
		}
		all[lane] = now
	})
	EachLane(lanes, func(lane int) { o.lanes[lane] = all })
}

// meetWarps orders the accesses of warps at a barrier of the CTA that is complete (9.7.15.1): those of all that have
// arrived before what those that wait do next.
func (s *shadow) meetWarps(c *CTA, b *barrier, at int) {
	if !s.On(gpu.Racecheck) {
		return
	}
	now, all := s.tick(), true
	waits := func(w *Warp) bool {
		return slices.ContainsFunc(w.waits.list, func(o Waiting) bool { return o.At == at })
	}
	for _, w := range c.Warps {
		all = all && (b.expected == 0 || w.Ended || waits(w))
	}
	told := b.told
	for _, w := range c.Warps {
		if all {
			told, w.order.facts = told.and(w.order.facts), nil
		} else if waits(w) {
			told = told.and(w.tells(now))
		}
	}
	if all {
		c.order.met, c.order.facts = now, c.order.facts.and(told)
		return
	}
	for _, w := range c.Warps {
		if waits(w) {
			w.learn(told)
			if b.lanes[w.Index] == w.Live {
				w.order.met = now
			}
		}
	}
}

// arrive notes what a warp that does not wait gives to those that do.
func (s *shadow) arrive(w *Warp, b *barrier) {
	if s.On(gpu.Racecheck) {
		b.told = b.told.and(w.tells(s.tick()))
	}
}

// ArriveCluster notes what a warp that arrives at the cluster's barrier gives to those that wait (9.7.15.3).
func (s *shadow) ArriveCluster(w *Warp) {
	if s.On(gpu.Racecheck) {
		w.Cluster.told = w.Cluster.told.and(w.tells(s.tick()))
	}
}

// meetCluster orders accesses at the cluster's barrier.
func (s *shadow) meetCluster(peers []*CTA) {
	if !s.On(gpu.Racecheck) {
		return
	}
	var told facts
	for _, p := range peers {
		for _, w := range p.Warps {
			told = told.and(w.Cluster.told)
			w.Cluster.told = nil
		}
	}
	for _, p := range peers {
		p.order.facts = p.order.facts.and(told)
	}
}

// Fence orders accesses as a fence of a scope does (9.7.15.4).
func (w *Warp) Fence(r Reach) {
	s := w.CTA.Grid.Dev.Shadow
	if !s.On(gpu.Racecheck) {
		return
	}
	if w.CTA.Grid.Prog.Strange {
		s.orderAll()
		return
	}
	o := &w.order
	o.heard = slices.DeleteFunc(o.heard, func(h heard) bool {
		w.take(h.list, min(h.reach, r))
		return h.reach <= r
	})
	o.fences[r] = s.tick()
}

// leave leaves messages at a location that a lane writes with a strong operation of a scope. A write that adds to what
// is there keeps the messages of the others: it continues their release sequences.
func (w *Warp) leave(off uint32, r Reach, releases, adds bool) {
	s := w.CTA.Grid.Dev.Shadow
	by, at := w.party(), uint32(0)
	list := s.flags[off]
	if !adds && len(list) > 0 { // only its own earlier release goes on (8.8)
		list = slices.DeleteFunc(slices.Clone(list), func(m message) bool { return m.by != by })
	}
	send := func(r Reach, time uint32) {
		if time <= at {
			return
		}
		at = time
		m := message{by, w.CTA.Index, time, r, w.tells(time)}
		if i := slices.IndexFunc(list, func(o message) bool { return o.by == by && o.reach == r }); i >= 0 {
			list = slices.Clone(list)
			list[i] = m
		} else {
			list = append(slices.Clip(list), m)
		}
	}
	if releases {
		send(r, s.tick())
	} else {
		for of := reachGrid; of > weak; of-- {
			send(min(of, r), w.order.fences[of])
		}
	}
	switch {
	case len(list) > mostFacts:
		s.orderAll()
		fallthrough
	case len(list) == 0:
		delete(s.flags, off)
	default:
		s.flags[off] = list
	}
}

// hear takes the messages of a location that a lane reads with a strong operation of a scope, or keeps them for a fence.
func (w *Warp) hear(off uint32, r Reach, acquires bool) {
	list := w.CTA.Grid.Dev.Shadow.flags[off]
	o := &w.order
	switch {
	case len(list) == 0:
	case acquires || len(o.heard) >= mostHeard:
		w.take(list, r)
	case !slices.ContainsFunc(o.heard, func(h heard) bool {
		return &h.list[0] == &list[0] && len(h.list) == len(list) && h.reach == r
	}):
		o.heard = append(o.heard, heard{list, r})
	}
}

// take learns from the messages whose scope, and that of the read, include both threads.
func (w *Warp) take(list []message, r Reach) {
	for i := range list {
		m := &list[i]
		if w.order.facts.up(m.by) < m.time && includes(w.CTA.Grid, w.CTA.Index, m.cta, min(m.reach, r)) {
			w.learn(m.facts)
		}
	}
}

// includes says whether a scope includes the threads of both CTAs (8.5).
func includes(g *Grid, a, b int, r Reach) bool {
	switch {
	case a == b, r == reachGrid:
		return true
	case r == reachCluster:
		one, _ := g.inCluster(g.Grid.Index(a))
		other, _ := g.inCluster(g.Grid.Index(b))
		return one == other
	}
	return false
}

// Synchronizes notes a strong operation on a location that orders accesses: it acquires, releases, or does so together
// with a fence.
func (w *Warp) Synchronizes(off uint32, r Reach, reads, writes, acquires, releases bool) {
	s := w.CTA.Grid.Dev.Shadow
	switch {
	case !s.On(gpu.Racecheck):
	case w.CTA.Grid.Prog.Strange:
		if acquires || releases {
			s.orderAll()
		}
	default:
		if reads {
			w.hear(off, r, acquires)
		}
		if writes && (releases || len(s.flags) > 0 || w.order.fences != [reachGrid + 1]uint32{}) {
			w.leave(off, r, releases, reads)
		}
	}
}
