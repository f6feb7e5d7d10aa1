package causal

import (
	"slices"
	"unsafe"
)

// Clock is the time of a grid, and the messages at its locations.
type Clock struct {
	Time   uint32  // of accesses from now on
	Launch uint32  // the time up to which accesses belong to former launches
	Floor  uint32  // the time up to which all accesses are ordered before those to come
	Coarse bool    // each release, acquire and fence is one of all threads
	pages  []*page // by location
}

// Message is what a thread has left at a location for those that acquire it.
type Message struct {
	by    Place
	time  uint32
	reach Reach
	facts Facts
}

// chain is the messages at a location. Nothing changes it once it is made, and locations may share one.
type chain []Message

// page holds the chains of the words of a part of memory. nil: none.
type page [1 << (pageShift - 2)]*chain

const pageShift = 12

// heard are messages that a strong read has seen, for a fence to acquire.
type heard struct {
	*chain
	reach Reach
}

// WarpOrder is what comes before the next access of a warp, and what the warp can give to others.
type WarpOrder struct {
	met    uint32          // accesses of its own lanes up to this time
	lanes  *[32][32]uint32 // by lane: accesses of each other lane, where not all lanes have met
	facts  Facts
	fences [Grid + 1]uint32 // by reach: the time of the last fence
	heard  []heard
}

// CTAOrder is the same for all warps of a CTA.
type CTAOrder struct {
	Met   uint32 // accesses of its own threads up to this time
	facts Facts
}

// Place is where a warp is in the grid: itself as the thread of lane 0, and its cluster.
type Place struct {
	Thread
	Cluster int
}

// Warp is a warp with all that its order depends on.
type Warp struct {
	Place
	*Clock
	Own *WarpOrder
	Of  *CTAOrder
}

// Bounds, for programs with very many messages: more of anything, and all accesses so far count as ordered.
const (
	mostFacts = 2048
	mostHeard = 256
)

// Clone returns a copy for a snapshot.
func (c Clock) Clone() Clock {
	c.pages = slices.Clone(c.pages)
	for i, p := range c.pages {
		if p != nil {
			p := *p
			c.pages[i] = &p
		}
	}
	return c
}

// Clone returns a copy for a snapshot.
func (o WarpOrder) Clone() WarpOrder {
	if o.lanes != nil {
		lanes := *o.lanes
		o.lanes = &lanes
	}
	o.heard = slices.Clone(o.heard)
	return o
}

// Tick begins a new time, and returns the last.
func (c *Clock) Tick() uint32 {
	c.Time++
	return c.Time - 1
}

// OrderAll takes all accesses so far for ordered before those that follow.
func (c *Clock) OrderAll() { c.Floor = c.Tick() }

// Begin begins a grid: all accesses before it are ordered before it.
func (c *Clock) Begin() {
	c.OrderAll()
	c.Launch, c.pages = c.Floor, nil
}

// at returns the chain of a location, for reading and, where make says so, for writing; nil where there is no page.
func (c *Clock) at(location uint32, make bool) **chain {
	n := int(location >> pageShift)
	if n >= len(c.pages) || c.pages[n] == nil {
		if !make {
			return nil
		}
		c.pages = slices.Grow(c.pages, max(0, n+1-len(c.pages)))
		c.pages = c.pages[:max(len(c.pages), n+1)]
		c.pages[n] = new(page)
	}
	return &c.pages[n][location>>2&(1<<(pageShift-2)-1)]
}

// Knows says whether the access of a thread at a time comes before what a lane does next.
func (w *Warp) Knows(lane int, old Thread, time uint32) bool {
	if old.CTA() == w.CTA() && time <= w.Of.Met || w.Own.facts.has(old, time) || w.Of.facts.has(old, time) {
		return true
	}
	if old.party() != w.party() {
		return false
	}
	return time <= w.Own.met || w.Own.lanes != nil && time <= w.Own.lanes[lane][old.Lane()]
}

// learn adds facts to those of a warp.
func (w *Warp) learn(f Facts) {
	if w.Own.facts = w.Own.facts.And(f); len(w.Own.facts) > mostFacts {
		w.Own.facts = nil
		w.OrderAll()
	}
}

// Tells returns all that the warp knows, and its own accesses up to a time.
func (w *Warp) Tells(time uint32) Facts {
	own := Facts{{w.party(), time}}
	if w.Of.Met != 0 {
		own = Facts{{w.cta(), w.Of.Met}}.And(own)
	}
	return w.Own.facts.And(w.Of.facts).And(own)
}

// Settle takes the accesses of a thread for ordered before what a lane does next: a race between the two is known, and
// what follows from the same missing order is no other one.
func (w *Warp) Settle(lane int, old Thread) {
	if old.party() != w.party() {
		w.learn(Facts{{old.party(), w.Tick()}})
		return
	}
	w.between()[lane][old.Lane()] = w.Tick()
}

// between returns the table of what lanes know of each other.
func (w *Warp) between() *[32][32]uint32 {
	if w.Own.lanes == nil {
		w.Own.lanes = new([32][32]uint32)
	}
	return w.Own.lanes
}

// MeetLanes orders the accesses of lanes that have executed bar.warp.sync together (9.7.15.2). all says that these are
// all lanes of the warp.
func (w *Warp) MeetLanes(lanes uint32, all bool) {
	now := w.Tick()
	if all {
		w.Own.met, w.Own.lanes = now, nil
		return
	}
	table := w.between()
	var sum [32]uint32
	for lane := range 32 {
		if lanes>>lane&1 != 0 {
			for i, t := range table[lane] {
				sum[i] = max(sum[i], t)
			}
			sum[lane] = now
		}
	}
	for lane := range 32 {
		if lanes>>lane&1 != 0 {
			table[lane] = sum
		}
	}
}

// Meet orders the accesses of warps at a barrier that is complete (9.7.15.1): told, and those of all that wait, before
// what these do next. whole says that no warp of the CTA is missing, and lanes, by warp, that no lane of it is.
func Meet(warps []Warp, lanes []bool, told Facts, whole bool) {
	now := warps[0].Tick()
	for i := range warps {
		if w := &warps[i]; whole {
			told, w.Own.facts = told.And(w.Own.facts), nil
		} else {
			told = told.And(w.Tells(now))
		}
	}
	if whole {
		of := warps[0].Of
		of.Met, of.facts = now, of.facts.And(told)
		return
	}
	for i := range warps {
		warps[i].learn(told)
		if lanes[i] {
			warps[i].Own.met = now
		}
	}
}

// Learn adds facts to those of all warps of a CTA.
func (o *CTAOrder) Learn(f Facts) { o.facts = o.facts.And(f) }

// Fence orders accesses as a fence of a scope does (9.7.15.4).
func (w *Warp) Fence(r Reach) {
	if w.Coarse {
		w.OrderAll()
		return
	}
	o := w.Own
	o.heard = slices.DeleteFunc(o.heard, func(h heard) bool {
		w.take(h.chain, min(h.reach, r))
		return h.reach <= r
	})
	o.fences[r] = w.Tick()
}

// Operation is a strong operation of a warp on the locations of some lanes.
type Operation struct {
	Locations          []uint32
	Reach              Reach
	Reads, Writes      bool
	Acquires, Releases bool
}

// Fenced returns what the warp can give after a fence of at least a scope, with a relaxed operation.
func (w *Warp) Fenced(r Reach) Facts {
	last := uint32(0)
	for ; r <= Grid; r++ {
		last = max(last, w.Own.fences[r])
	}
	if last == 0 {
		return nil
	}
	return w.Tells(last)
}

// Synchronizes notes a strong operation, which may acquire, release, or do so together with a fence.
func (w *Warp) Synchronizes(o *Operation) {
	if w.Coarse {
		if o.Acquires || o.Releases {
			w.OrderAll()
		}
		return
	}
	if o.Reads {
		var last *chain
		for _, location := range o.Locations {
			if at := w.at(location, false); at != nil && *at != nil && *at != last {
				last = *at
				w.hear(last, o)
			}
		}
	}
	if !o.Writes {
		return
	}
	var was, is *chain // of the last location: those of the next ones are often the same
	sent, first := w.sends(o), true
	for _, location := range o.Locations {
		at := w.at(location, len(sent) > 0)
		if at == nil || *at == nil && len(sent) == 0 {
			continue
		}
		if first || *at != was {
			was, is, first = *at, w.after(*at, sent, o), false
		}
		*at = is
	}
}

// sends returns the messages that a write leaves: of its release, or of the fences before it.
func (w *Warp) sends(o *Operation) (list chain) {
	if o.Releases {
		time := w.Tick()
		return chain{{w.Place, time, o.Reach, w.Tells(time)}}
	}
	last := uint32(0)
	for r := Grid; r > Weak; r-- {
		if time := w.Own.fences[r]; time > last {
			list, last = append(list, Message{w.Place, time, min(r, o.Reach), w.Tells(time)}), time
		}
	}
	return list
}

// after returns the chain of a location after a write. A write that adds to what is there keeps the messages of the
// others, for it continues their release sequences; after any other only the warp's own earlier release goes on (8.8).
func (w *Warp) after(was *chain, sent chain, o *Operation) *chain {
	list := slices.Clone(sent)
	if was != nil {
		for _, m := range *was {
			again := func(n Message) bool { return n.by == m.by && n.reach == m.reach }
			if (o.Reads || m.by == w.Place) && !slices.ContainsFunc(sent, again) {
				list = append(list, m)
			}
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case len(list) > mostFacts:
		w.OrderAll()
		return nil
	}
	return &list
}

// hear takes messages, or keeps them for a fence.
func (w *Warp) hear(list *chain, o *Operation) {
	own := w.Own
	switch {
	case o.Acquires || len(own.heard) >= mostHeard:
		w.take(list, o.Reach)
	case !slices.Contains(own.heard, heard{list, o.Reach}):
		own.heard = append(own.heard, heard{list, o.Reach})
	}
}

// take learns from the messages whose scope, and that of the read, include both threads.
func (w *Warp) take(list *chain, r Reach) {
	for i := range *list {
		m := &(*list)[i]
		if w.Own.facts.up(m.by.party()) < m.time && w.Includes(m.by, min(m.reach, r)) {
			w.learn(m.facts)
		}
	}
}

// Includes says whether a scope includes the threads of both places (8.5).
func (p Place) Includes(o Place, r Reach) bool {
	return r == Grid || p.CTA() == o.CTA() || r == Cluster && p.Cluster == o.Cluster
}

// Bytes returns the memory that a clone holds besides the order itself.
func (o *WarpOrder) Bytes() int64 {
	n := factBytes * int64(len(o.facts)+2*len(o.heard))
	if o.lanes != nil {
		n += int64(unsafe.Sizeof(*o.lanes))
	}
	return n
}

// Bytes returns the memory that a clone holds besides the order itself.
func (o *CTAOrder) Bytes() int64 { return factBytes * int64(len(o.facts)) }

// Bytes returns the memory that a clone holds besides the clock itself.
func (c *Clock) Bytes() (n int64) {
	for _, p := range c.pages {
		if p == nil {
			continue
		}
		n += int64(unsafe.Sizeof(*p))
		var last *chain
		for _, list := range p {
			if list != nil && list != last {
				n += factBytes * int64(len(*list)) * 4
				last = list
			}
		}
	}
	return n
}

const factBytes = int64(unsafe.Sizeof(Fact{}))
