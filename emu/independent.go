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
	barrier bool  // WaitBarrier: at a barrier of the CTA
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

// split makes the first side run first, then the second, and so on.
func (p *independent) split(l *lanes, fork fork, sides []side) {
	if len(sides) == 1 {
		l.cur.pc = sides[0].pc
		p.next(l)
		return
	}
	from, at := l.cur, p.in
	if fork.reconv != noPC && fork.reconv != from.rpc {
		g := from
		if g.pc = fork.reconv; g.kind == KindBranch {
			g.kind = KindReconv
		}
		at = p.open(convergence{group: g, spins: fork.spins})
	}
	l.cur.mask = 0
	rpc := p.rpc(at, from.frame)
	for i := len(sides) - 1; i >= 0; i-- {
		s := sides[i]
		if s.pc == rpc {
			p.arrive(at, s.mask)
			continue
		}
		g := group{pc: s.pc, rpc: rpc, mask: s.mask, frame: from.frame, kind: KindBranch, cause: from.pc}
		l.host.recordStack(true, g)
		p.queue = slices.Insert(p.queue, 0, laneGroup{group: g, in: at})
	}
	if at != none {
		p.settle(at)
	}
	p.next(l)
}

// arrive notes lanes that have come to a convergence barrier.
func (p *independent) arrive(at int32, exec Mask) {
	c := &p.meets[at]
	if c.arrived == 0 {
		c.since = p.turns
	}
	c.arrived |= exec
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
func (p *independent) drop(l *lanes, at int32, exec Mask) {
	c := &p.meets[at]
	c.mask &^= exec
	p.comeOut(l, at, exec)
	p.settle(at)
}

// comeOut takes lanes out of a callee. Its frame is free when it was the last of them.
func (p *independent) comeOut(l *lanes, at int32, exec Mask) {
	c := &p.meets[at]
	if c.inside&exec == 0 {
		return
	}
	if c.inside &^= exec; c.inside == 0 {
		l.host.recordStack(false, group{pc: noPC, rpc: noPC, frame: c.callee, kind: KindCall, cause: c.pc - 1})
		l.host.giveFrame(c.callee)
		c.callee = nil
	}
}

// next makes sure that the running group has lanes and is not at its reconvergence point.
func (p *independent) next(l *lanes) {
	for !l.ended && !p.parked && (l.cur.mask == 0 || l.cur.pc == l.cur.rpc) {
		if l.cur.mask != 0 {
			l.host.recordStack(false, l.cur)
			p.arrive(p.in, l.cur.mask)
			l.cur.mask = 0
			p.settle(p.in)
		}
		p.take(l)
	}
}

// take makes the first group of the queue run that can.
func (p *independent) take(l *lanes) {
	for i := range p.queue {
		if g := p.queue[i]; g.wait == WaitNone {
			p.queue = slices.Delete(p.queue, i, i+1)
			l.cur, p.in = g.group, g.in
			l.cur.rpc = p.rpc(p.in, l.cur.frame)
			return
		}
	}
	if len(p.queue) == 0 {
		l.host.recordStack(false, l.cur)
		l.ended = true
		return
	}
	if p.wantsMembers() {
		if at := p.oldest(); at != none { // nobody but its lanes can help
			p.letGo(at)
			return
		}
	}
	l.cur, p.in = p.queue[0].group, p.queue[0].in
	p.parked, l.blocked = true, true
}

// unpark lets a warp run again some of whose groups need not wait any more.
func (p *independent) unpark(l *lanes) {
	if p.parked {
		p.parked, l.blocked, l.cur.mask = false, false, 0
		p.next(l)
	}
}

func (p *independent) reconverge(l *lanes) { p.next(l) }

func (p *independent) call(l *lanes, exec Mask, callee *frame, start int32, spins spinning) {
	c := convergence{group: l.cur, callee: callee, inside: exec, arrived: l.cur.mask &^ exec, spins: spins}
	c.pc++
	p.in = p.open(c)
	l.cur = group{pc: start, rpc: noPC, mask: exec, frame: callee, kind: KindCall, cause: l.cur.pc}
	l.host.recordStack(true, l.cur)
}

func (p *independent) leave(l *lanes, exec Mask) {
	l.cur.mask &^= exec
	at := p.in
	for p.meets[at].callee != l.cur.frame {
		out := p.meets[at].in
		p.drop(l, at, exec)
		at = out
	}
	p.arrive(at, exec)
	p.comeOut(l, at, exec)
	p.settle(at)
	p.advance(l)
}

func (p *independent) exit(l *lanes, exec Mask) {
	l.cur.mask &^= exec
	for at := range p.meets {
		if p.meets[at].mask&exec != 0 {
			p.drop(l, int32(at), exec)
		}
	}
	for i := range p.queue {
		if g := &p.queue[i]; g.wait == WaitMembers && p.missing(l, g) == 0 {
			g.wait = WaitNone // executes the instruction again, with all who have come
		}
	}
	p.advance(l)
}

// advance steps over an instruction at which lanes have been taken out of the running group.
func (p *independent) advance(l *lanes) {
	if l.cur.mask != 0 {
		l.cur.pc++
	}
	p.next(l)
}

func (p *independent) block(l *lanes, exec Mask, barrier bool) {
	g := laneGroup{group: l.cur, in: p.in, barrier: barrier}
	g.pc++
	p.wait(l, g, exec, WaitBarrier)
	p.advance(l)
}

// wait puts lanes of the running group at the end of the queue.
func (p *independent) wait(l *lanes, g laneGroup, exec Mask, why WaitKind) {
	g.mask, g.wait = exec, why
	p.queue = append(p.queue, g)
	l.cur.mask &^= exec
}

func (p *independent) wake(l *lanes, exec Mask) {
	for i := range p.queue {
		if g := &p.queue[i]; g.wait == WaitBarrier && g.mask&exec != 0 {
			g.wait = WaitNone
		}
	}
	for i := 0; i < len(p.queue); i++ {
		p.join(l, &p.queue[i], i+1)
	}
	p.unpark(l)
}

// join merges into a group those of the queue, from an index on, that can run and are at the same place.
func (p *independent) join(l *lanes, g *laneGroup, from int) {
	for i := from; i < len(p.queue); i++ {
		o := p.queue[i]
		if g.wait != WaitNone || o.wait != WaitNone || o.pc != g.pc || o.frame != g.frame {
			continue
		}
		p.queue = slices.Delete(p.queue, i, i+1)
		p.merge(l, g, o)
		i = from - 1 // merge may have let others go
	}
}

// merge makes two groups one. What is left of their convergence barriers is what they have in common.
func (p *independent) merge(l *lanes, g *laneGroup, o laneGroup) {
	shared := g.in
	for !p.within(o.in, shared) {
		shared = p.meets[shared].in
	}
	for _, s := range []*laneGroup{g, &o} {
		for at := s.in; at != shared; {
			out := p.meets[at].in
			p.drop(l, at, s.mask)
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
func (p *independent) turn(l *lanes) {
	p.turns++
	p.losePatience(l)
	if p.parked || len(p.queue) == 0 {
		return
	}
	p.queue = append(p.queue, laneGroup{group: l.cur, in: p.in})
	l.cur.mask = 0
	p.next(l)
	g := laneGroup{group: l.cur, in: p.in}
	p.join(l, &g, 0)
	l.cur, p.in = g.group, g.in
	p.next(l)
}

// losePatience lets lanes go on that have waited too long for others that may depend on them.
func (p *independent) losePatience(l *lanes) {
	let := false
	for at := range p.meets {
		c := &p.meets[at]
		switch {
		case c.arrived == 0 || p.turns-c.since <= patience[c.spins]:
		case p.mayDepend(c):
			p.letGo(int32(at))
			let = true
		default:
			c.since = p.turns
		}
	}
	if let {
		p.unpark(l)
	}
}

// mayDepend says whether lanes that are away from a convergence barrier may depend on those that have arrived: some of
// them are at a barrier of the CTA, or run and may come to a loop that spins. Lanes that are blocked otherwise wait for
// copies of memory or for other CTAs; they depend on lanes of this warp only where nothing else can run.
func (p *independent) mayDepend(c *convergence) bool {
	running, stuck := c.mask&^c.arrived, Mask(0)
	for i := range p.queue {
		g := &p.queue[i]
		if g.wait != WaitBarrier {
			continue
		}
		if running &^= g.mask; g.barrier {
			stuck |= g.mask & c.mask
		}
	}
	if c.spins == noSpin {
		return running == 0 && stuck != 0
	}
	return running|stuck != 0
}

func (p *independent) release(l *lanes) bool {
	at := p.oldest()
	if at == none {
		return false
	}
	p.letGo(at)
	p.unpark(l)
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

func (p *independent) meet(l *lanes, members, exec Mask) (Mask, []group, bool) {
	g := laneGroup{group: l.cur, in: p.in, members: members}
	g.mask = exec
	if p.missing(l, &g) != 0 {
		p.wait(l, g, exec, WaitMembers)
		p.advance(l)
		return 0, nil, false
	}
	var away []group
	here := laneGroup{group: l.cur, in: p.in}
	for i := 0; i < len(p.queue); i++ {
		o := p.queue[i]
		if !p.together(l, &g, &o) {
			continue
		}
		if o.pc == here.pc && o.frame == here.frame {
			p.queue = append(p.queue[:i:i], p.queue[i+1:]...)
			exec |= o.mask
			p.merge(l, &here, o)
			i = -1
			continue
		}
		away = append(away, o.group)
		p.queue[i].wait = WaitNone
		p.queue[i].pc++
	}
	l.cur, p.in = here.group, here.in
	return exec, away, true
}

// missing is the lanes that a group at a warp operation still waits for.
func (p *independent) missing(l *lanes, g *laneGroup) Mask {
	if g.members == 0 {
		return 0
	}
	lanes := g.members & l.live &^ g.mask
	for i := range p.queue {
		if o := &p.queue[i]; p.together(l, g, o) {
			lanes &^= o.mask
		}
	}
	return lanes
}

// together says whether a waiting group has executed the same operation with the same mask.
func (p *independent) together(l *lanes, g, o *laneGroup) bool {
	return o.wait == WaitMembers && o.members == g.members && g.mask&o.mask == 0 && l.host.sameOperation(&g.group, &o.group)
}

func (p *independent) frames(l *lanes, f func(fr *frame)) {
	if !l.ended && !p.parked {
		f(l.cur.frame)
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
func (p *independent) entries(l *lanes) []group {
	type row struct {
		group
		depth int32
	}
	var rows []row
	depths := p.depths()
	depth := func(at int32) int32 { return depths[at+1] }
	add := func(g group, depth int32) { rows = append(rows, row{g, depth}) }
	if !l.ended && !p.parked {
		add(l.cur, math.MaxInt32)
	}
	for _, g := range p.queue {
		g.missing = p.missing(l, &g)
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

func (p *independent) bytes(frame int64) int64 {
	return sizeOf(p) + sliceBytes(p.meets) + sliceBytes(p.queue) + frame*int64(len(p.meets)+len(p.queue)+1)
}
