package causal

import (
	"maps"
	"slices"
	"unsafe"
)

// Clock is the time of a grid, and the messages at its locations.
type Clock struct {
	Time    uint32               // of accesses from now on
	Launch  uint32               // the time up to which accesses belong to former launches
	Floor   uint32               // the time up to which all accesses are ordered before those to come
	Coarse  bool                 // each release, acquire and fence is one of all threads
	message map[uint32][]Message // by location
}

// Message is what a thread has left at a location for those that acquire it.
type Message struct {
	by    Place
	time  uint32
	reach Reach
	facts Facts
}

// heard are messages that a strong read has seen, for a fence to acquire.
type heard struct {
	list  []Message
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
	c.message = maps.Clone(c.message)
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
	c.Launch, c.message = c.Floor, map[uint32][]Message{}
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
		w.take(h.list, min(h.reach, r))
		return h.reach <= r
	})
	o.fences[r] = w.Tick()
}

// Operation is a strong operation on a location.
type Operation struct {
	Location           uint32
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
		w.hear(o)
	}
	if o.Writes && (o.Releases || len(w.message) > 0 || w.Own.fences != [Grid + 1]uint32{}) {
		w.leave(o)
	}
}

// leave leaves messages at a location. A write that adds to what is there keeps the messages of the others, for it
// continues their release sequences.
func (w *Warp) leave(o *Operation) {
	list := w.message[o.Location]
	if !o.Reads && len(list) > 0 { // only its own earlier release goes on (8.8)
		list = slices.DeleteFunc(slices.Clone(list), func(m Message) bool { return m.by != w.Place })
	}
	sent := uint32(0)
	send := func(r Reach, time uint32) {
		if time <= sent {
			return
		}
		sent = time
		m := Message{w.Place, time, r, w.Tells(time)}
		same := func(old Message) bool { return old.by == w.Place && old.reach == r }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list = slices.Clone(list)
			list[i] = m
		} else {
			list = append(slices.Clip(list), m)
		}
	}
	if o.Releases {
		send(o.Reach, w.Tick())
	} else {
		for r := Grid; r > Weak; r-- {
			send(min(r, o.Reach), w.Own.fences[r])
		}
	}
	switch {
	case len(list) > mostFacts:
		w.OrderAll()
		fallthrough
	case len(list) == 0:
		delete(w.message, o.Location)
	default:
		w.message[o.Location] = list
	}
}

// hear takes the messages of a location, or keeps them for a fence.
func (w *Warp) hear(o *Operation) {
	list, own := w.message[o.Location], w.Own
	switch {
	case len(list) == 0:
	case o.Acquires || len(own.heard) >= mostHeard:
		w.take(list, o.Reach)
	case !slices.ContainsFunc(own.heard, func(h heard) bool {
		return &h.list[0] == &list[0] && len(h.list) == len(list) && h.reach == o.Reach
	}):
		own.heard = append(own.heard, heard{list, o.Reach})
	}
}

// take learns from the messages whose scope, and that of the read, include both threads.
func (w *Warp) take(list []Message, r Reach) {
	for i := range list {
		m := &list[i]
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
	for _, list := range c.message {
		for i := range list {
			n += int64(unsafe.Sizeof(list[i])) + factBytes*int64(len(list[i].facts))
		}
	}
	return n
}

const factBytes = int64(unsafe.Sizeof(Fact{}))
