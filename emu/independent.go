package emu

import (
	"math"
	"slices"
	"sort"
)

// independent is the divergence model of hardware from Volta on (3.2): lanes that have branched apart are groups of
// their own, and every group that can run gets its turn. Lanes that branch apart still meet again: a convergence
// barrier at the reconvergence point holds those that come first. It has no time limit. But the meeting is a matter of
// speed, not of meaning: where the others may depend on the lanes that wait, because they are at a barrier of the CTA or
// because a loop on their way looks at memory, those go on alone after some turns. They also do when nothing else can
// run.
//
// Who runs is deterministic. A group runs until it waits or the warp's turn ends, then the first of the queue that can
// run. Sides of a branch go to the front of the queue, as on the SIMT stack; a group whose turn has ended or that
// waits for other lanes goes to its end. So no group waits for ever while others run.
//
// Invariants between instructions: the groups and the lanes that have arrived at convergence barriers are disjoint and
// together the live lanes; lanes of a group take part in its convergence barrier and in all barriers outside of it.
type independent struct {
	meets  []convergence
	in     int32       // innermost convergence barrier of the running lanes, or none
	queue  []laneGroup // the other groups
	parked bool        // all groups wait: the running one is a copy of the queue's first
	turns  int64
}

// laneGroup is a group that does not run now. Its wait says why.
type laneGroup struct {
	group
	in      int32 // innermost convergence barrier
	members Mask  // WaitMembers: lanes that come together
}

// convergence is a place where lanes meet: the reconvergence point of a branch, or the instruction behind a call.
type convergence struct {
	group         // what the lanes are when they have met; an empty mask marks a free slot
	in      int32 // the convergence barrier outside of this one
	arrived Mask
	callee  *frame // calls: the frame that the lanes return from
	inside  Mask   // lanes in it
	since   int64  // turn in which the first arrived, or in which the others were last seen to be able to come
	spins   spinning
}

const none = int32(-1)

// patience is for how many turns of the warp lanes wait for those that may depend on them.
var patience = [...]int64{noSpin: 128, spinAhead: 128, spinAround: 1}

func (p *independent) clone() policy {
	c := *p
	c.meets, c.queue = slices.Clone(p.meets), slices.Clone(p.queue)
	return &c
}

// open makes a convergence barrier.
func (p *independent) open(c convergence) int32 {
	c.in, c.since = p.in, p.turns
	for i := range p.meets {
		if p.meets[i].mask == 0 {
			p.meets[i] = c
			return int32(i)
		}
	}
	p.meets = append(p.meets, c)
	return int32(len(p.meets) - 1)
}

// rpc is the reconvergence point of lanes in a frame whose innermost convergence barrier is in.
func (p *independent) rpc(in int32, fr *frame) int32 {
	if in == none || p.meets[in].frame != fr {
		return noPC
	}
	return p.meets[in].pc
}

func (p *independent) branch(w *warp, in *inst, taken Mask) {
	p.split(w, in, []side{{w.cur.pc + 1, w.cur.mask &^ taken}, {in.target, taken}})
}

// split makes the first side run first, then the second, and so on.
func (p *independent) split(w *warp, in *inst, sides []side) {
	if len(sides) == 1 {
		w.cur.pc = sides[0].pc
		p.next(w)
		return
	}
	from, at := w.cur, p.in
	if in.reconv != noPC && in.reconv != from.rpc {
		g := from
		if g.pc = in.reconv; g.kind == KindBranch {
			g.kind = KindReconv
		}
		at = p.open(convergence{group: g, spins: in.spins})
	}
	w.cur.mask = 0
	rpc := p.rpc(at, from.frame)
	for i := len(sides) - 1; i >= 0; i-- {
		s := sides[i]
		if s.pc == rpc {
			p.arrive(at, s.mask)
			continue
		}
		g := group{pc: s.pc, rpc: rpc, mask: s.mask, frame: from.frame, kind: KindBranch, cause: from.pc}
		w.recordStack(true, g)
		p.queue = slices.Insert(p.queue, 0, laneGroup{group: g, in: at})
	}
	if at != none {
		p.settle(at)
	}
	p.next(w)
}

// arrive notes lanes that have come to a convergence barrier.
func (p *independent) arrive(at int32, lanes Mask) {
	c := &p.meets[at]
	if c.arrived == 0 {
		c.since = p.turns
	}
	c.arrived |= lanes
}

// settle lets lanes go on when all have come.
func (p *independent) settle(at int32) {
	if c := &p.meets[at]; c.mask != 0 && c.arrived == c.mask {
		p.letGo(at)
	}
}

// letGo lets those that have arrived go on without the others.
func (p *independent) letGo(at int32) {
	c := &p.meets[at]
	g := laneGroup{group: c.group, in: c.in}
	g.mask, c.mask, c.arrived = c.arrived, c.mask&^c.arrived, 0
	p.queue = slices.Insert(p.queue, 0, g)
}

// drop takes lanes out of a convergence barrier that they will not come to.
func (p *independent) drop(w *warp, at int32, lanes Mask) {
	c := &p.meets[at]
	c.mask &^= lanes
	p.comeOut(w, at, lanes)
	p.settle(at)
}

// comeOut takes lanes out of a callee. Its frame is free when it was the last of them.
func (p *independent) comeOut(w *warp, at int32, lanes Mask) {
	c := &p.meets[at]
	if c.inside&lanes == 0 {
		return
	}
	if c.inside &^= lanes; c.inside == 0 {
		w.recordStack(false, group{pc: noPC, rpc: noPC, frame: c.callee, kind: KindCall, cause: c.pc - 1})
		w.cta.grid.giveFrame(c.callee)
		c.callee = nil
	}
}

// next makes sure that the running group has lanes and is not at its reconvergence point.
func (p *independent) next(w *warp) {
	for !w.ended && !p.parked && (w.cur.mask == 0 || w.cur.pc == w.cur.rpc) {
		if w.cur.mask != 0 {
			w.recordStack(false, w.cur)
			p.arrive(p.in, w.cur.mask)
			w.cur.mask = 0
			p.settle(p.in)
		}
		p.take(w)
	}
}

// take makes the first group of the queue run that can.
func (p *independent) take(w *warp) {
	for i := range p.queue {
		if g := p.queue[i]; g.wait == WaitNone {
			p.queue = slices.Delete(p.queue, i, i+1)
			w.cur, p.in = g.group, g.in
			w.cur.rpc = p.rpc(p.in, w.cur.frame)
			return
		}
	}
	if len(p.queue) == 0 {
		w.recordStack(false, w.cur)
		w.ended = true
		return
	}
	if p.wantsMembers() {
		if at := p.oldest(); at != none { // nobody but its lanes can help
			p.letGo(at)
			return
		}
	}
	w.cur, p.in = p.queue[0].group, p.queue[0].in
	p.parked, w.blocked = true, true
}

// unpark lets a warp run again some of whose groups need not wait any more.
func (p *independent) unpark(w *warp) {
	if p.parked {
		p.parked, w.blocked, w.cur.mask = false, false, 0
		p.next(w)
	}
}

func (p *independent) reconverge(w *warp) { p.next(w) }

func (p *independent) call(w *warp, exec Mask, callee *frame) {
	c := convergence{group: w.cur, callee: callee, inside: exec, arrived: w.cur.mask &^ exec}
	c.pc++
	if callee.fn.spins {
		c.spins = spinAround
	}
	p.in = p.open(c)
	w.cur = group{pc: callee.fn.start, rpc: noPC, mask: exec, frame: callee, kind: KindCall, cause: w.cur.pc}
	w.recordStack(true, w.cur)
}

func (p *independent) leave(w *warp, lanes Mask) {
	w.cur.mask &^= lanes
	at := p.in
	for p.meets[at].callee != w.cur.frame {
		out := p.meets[at].in
		p.drop(w, at, lanes)
		at = out
	}
	p.arrive(at, lanes)
	p.comeOut(w, at, lanes)
	p.settle(at)
	p.advance(w)
}

func (p *independent) exit(w *warp, lanes Mask) {
	w.cur.mask &^= lanes
	for at := range p.meets {
		if p.meets[at].mask&lanes != 0 {
			p.drop(w, int32(at), lanes)
		}
	}
	for i := range p.queue {
		if g := &p.queue[i]; g.wait == WaitMembers && p.missing(w, g) == 0 {
			g.wait = WaitNone // executes the instruction again, with all who have come
		}
	}
	p.advance(w)
}

// advance steps over an instruction at which lanes have been taken out of the running group.
func (p *independent) advance(w *warp) {
	if w.cur.mask != 0 {
		w.cur.pc++
	}
	p.next(w)
}

func (p *independent) block(w *warp, exec Mask) {
	g := laneGroup{group: w.cur, in: p.in}
	g.pc++
	p.wait(w, g, exec, WaitBarrier)
	p.advance(w)
}

// wait puts lanes of the running group at the end of the queue.
func (p *independent) wait(w *warp, g laneGroup, exec Mask, why WaitKind) {
	g.mask, g.wait = exec, why
	p.queue = append(p.queue, g)
	w.cur.mask &^= exec
}

func (p *independent) wake(w *warp, lanes Mask) {
	for i := range p.queue {
		if g := &p.queue[i]; g.wait == WaitBarrier && g.mask&lanes != 0 {
			g.wait = WaitNone
		}
	}
	for i := 0; i < len(p.queue); i++ {
		p.join(w, &p.queue[i], i+1)
	}
	p.unpark(w)
}

// join merges into a group those of the queue, from an index on, that can run and are at the same place.
func (p *independent) join(w *warp, g *laneGroup, from int) {
	for i := from; i < len(p.queue); i++ {
		o := p.queue[i]
		if g.wait != WaitNone || o.wait != WaitNone || o.pc != g.pc || o.frame != g.frame {
			continue
		}
		p.queue = slices.Delete(p.queue, i, i+1)
		p.merge(w, g, o)
		i = from - 1 // merge may have let others go
	}
}

// merge makes two groups one. What is left of their convergence barriers is what they have in common.
func (p *independent) merge(w *warp, g *laneGroup, o laneGroup) {
	shared := g.in
	for !p.within(o.in, shared) {
		shared = p.meets[shared].in
	}
	for _, s := range []*laneGroup{g, &o} {
		for at := s.in; at != shared; {
			out := p.meets[at].in
			p.drop(w, at, s.mask)
			at = out
		}
	}
	g.mask |= o.mask
	g.in, g.rpc = shared, p.rpc(shared, g.frame)
}

// within says whether a convergence barrier is out, or inside of it.
func (p *independent) within(at, out int32) bool {
	for ; at != out; at = p.meets[at].in {
		if at == none {
			return false
		}
	}
	return true
}

// turn lets the group run that has waited longest, with all that have come to the same place.
func (p *independent) turn(w *warp) {
	p.turns++
	p.losePatience(w)
	if p.parked || len(p.queue) == 0 {
		return
	}
	p.queue = append(p.queue, laneGroup{group: w.cur, in: p.in})
	w.cur.mask = 0
	p.next(w)
	g := laneGroup{group: w.cur, in: p.in}
	p.join(w, &g, 0)
	w.cur, p.in = g.group, g.in
	p.next(w)
}

// losePatience lets lanes go on that have waited too long for others that may depend on them.
func (p *independent) losePatience(w *warp) {
	let := false
	for at := range p.meets {
		c := &p.meets[at]
		switch {
		case c.arrived == 0 || p.turns-c.since <= patience[c.spins]:
		case c.mayDepend(w):
			p.letGo(int32(at))
			let = true
		default:
			c.since = p.turns
		}
	}
	if let {
		p.unpark(w)
	}
}

// mayDepend says whether lanes that are away from a convergence barrier may depend on those that have arrived: some of
// them are at a barrier of the CTA, or run and may come to a loop that spins. Lanes that are blocked otherwise wait for
// copies of memory or for other CTAs; they depend on lanes of this warp only where nothing else can run.
func (c *convergence) mayDepend(w *warp) bool {
	running, stuck := c.mask&^c.arrived, Mask(0)
	for _, o := range w.waits {
		running &^= o.lanes
		if o.at < AtMbarrier {
			stuck |= o.lanes & c.mask
		}
	}
	if c.spins == noSpin {
		return running == 0 && stuck != 0
	}
	return running|stuck != 0
}

func (p *independent) release(w *warp) bool {
	at := p.oldest()
	if at == none {
		return false
	}
	p.letGo(at)
	p.unpark(w)
	return true
}

// oldest is the convergence barrier where lanes have waited longest, or none.
func (p *independent) oldest() int32 {
	oldest := none
	for at := range p.meets {
		c := &p.meets[at]
		if c.arrived != 0 && (oldest == none || c.since < p.meets[oldest].since) {
			oldest = int32(at)
		}
	}
	return oldest
}

// wantsMembers says whether lanes wait for others of this warp at a warp operation.
func (p *independent) wantsMembers() bool {
	return slices.ContainsFunc(p.queue, func(g laneGroup) bool { return g.wait == WaitMembers })
}

// excused is nobody: the lanes that are elsewhere will come or exit.
func (p *independent) excused(*warp) Mask { return 0 }

func (p *independent) frames(w *warp, f func(fr *frame)) {
	if !w.ended && !p.parked {
		f(w.cur.frame)
	}
	for i := range p.queue {
		f(p.queue[i].frame)
	}
	for i := range p.meets {
		if p.meets[i].mask != 0 {
			f(p.meets[i].frame)
		}
	}
}

// entries lists the groups and, under those that will meet there, the convergence barriers; innermost first.
func (p *independent) entries(w *warp) []group {
	type row struct {
		group
		depth int32
	}
	var rows []row
	depths := p.depths()
	depth := func(at int32) int32 { return depths[at+1] }
	add := func(g group, depth int32) { rows = append(rows, row{g, depth}) }
	if !w.ended && !p.parked {
		add(w.cur, math.MaxInt32)
	}
	for _, g := range p.queue {
		g.missing = p.missing(w, &g)
		g.rpc = p.rpc(g.in, g.frame)
		add(g.group, 2*depth(g.in))
	}
	for _, c := range p.meets {
		if c.mask != 0 {
			g := c.group
			g.wait, g.missing, g.rpc = WaitConverge, c.mask&^c.arrived, p.rpc(c.in, c.frame)
			add(g, 2*depth(c.in)+1)
		}
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].depth > rows[j].depth })
	out := make([]group, len(rows))
	for i := range rows {
		out[i] = rows[i].group
	}
	return out
}

// depths is how many convergence barriers are around the lanes of each, itself among them: that of convergence barrier
// at is depths[at+1], and depths[0], of none, is 0.
func (p *independent) depths() []int32 {
	depths := make([]int32, len(p.meets)+1)
	var way []int32
	for i := range p.meets {
		at := int32(i)
		for ; at != none && depths[at+1] == 0 && p.meets[i].mask != 0; at = p.meets[at].in {
			way = append(way, at)
		}
		n := depths[at+1]
		for ; len(way) > 0; way = way[:len(way)-1] {
			n++
			depths[way[len(way)-1]+1] = n
		}
	}
	return depths
}
