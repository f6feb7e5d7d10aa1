package simt

import (
	"math"
	"slices"
	"sort"
	"unsafe"

	"warpscope/gpu"
)

// independent is the divergence model of hardware from Volta on (3.2). Lanes that have branched apart are groups of
// their own, and every group that can run gets its turn. Lanes that have branched apart still meet again: a convergence
// barrier at the reconvergence point holds those that come first. It has no time limit. But the meeting changes the
// speed only, not the meaning. So the lanes that wait go on alone after some turns where the others can depend on them:
// because the others are at a barrier of the CTA, or because a loop on their way reads memory. They also go on alone
// when nothing else can run.
//
// The schedule is deterministic. A group runs until it waits or the warp's turn ends; then the first group in the queue
// runs that can. Sides of a branch go to the front of the queue, as on the SIMT stack. A group whose turn has ended, or
// that waits for other lanes, goes to the end of the queue. So no group waits forever while others run.
//
// Invariants between instructions: the groups and the lanes that have arrived at convergence barriers are disjoint, and
// together they are the live lanes; the lanes of a group take part in its convergence barrier and in all barriers
// outside of it.
type independent[F comparable] struct {
	meets  []convergence[F]
	in     int32          // innermost convergence barrier of the running lanes, or none
	queue  []laneGroup[F] // the other groups
	parked bool           // all groups wait: Lanes.Cur is a copy of the queue's first group
	turns  int64          // turns of the warp so far
	full   int            // no slot of meets below this one is free, so that deep calls need not search there
}

// laneGroup is a group that does not run now. Its Wait says why.
type laneGroup[F comparable] struct {
	Group[F]
	in      int32    // innermost convergence barrier
	members gpu.Mask // WaitMembers: the lanes that come together
	barrier bool     // WaitBarrier: at a barrier of the CTA
}

// convergence is a convergence barrier, a place where lanes meet: the reconvergence point of a branch, or the
// instruction after a call.
type convergence[F comparable] struct {
	Group[F]          // the group that the lanes become when they have met; an empty mask marks a free slot
	in       int32    // the convergence barrier outside of this one
	arrived  gpu.Mask // lanes that have arrived
	callee   F        // for a call: the frame that the lanes return from
	inside   gpu.Mask // lanes in that frame
	since    int64    // turn in which the first lane arrived, or in which losePatience last gave the others more time
	spins    Spinning
}

// none is the index of no convergence barrier.
const none = int32(-1)

// patience is for how many turns of the warp lanes wait for others that could depend on them.
var patience = [...]int64{NoSpin: 128, SpinAhead: 128, SpinAround: 1}

// NewIndependent returns the policy of a warp whose lanes are scheduled independently.
func NewIndependent[F comparable]() Policy[F] { return &independent[F]{in: none} }

// Reset implements Policy.
func (p *independent[F]) Reset() {
	*p = independent[F]{in: none, meets: p.meets[:0], queue: p.queue[:0]}
}

// Clone implements Policy.
func (p *independent[F]) Clone() Policy[F] {
	c := *p
	c.meets, c.queue = slices.Clone(p.meets), slices.Clone(p.queue)
	return &c
}

// open makes a convergence barrier inside the current one, and returns its index.
func (p *independent[F]) open(c convergence[F]) int32 {
	c.in, c.since = p.in, p.turns
	at := p.full
	for at < len(p.meets) && p.meets[at].Mask != 0 {
		at++
	}
	if at == len(p.meets) {
		p.meets = append(p.meets, convergence[F]{})
	}
	p.meets[at], p.full = c, at+1
	return int32(at)
}

// shrink takes lanes out of a convergence barrier. Without lanes it is a free slot.
func (p *independent[F]) shrink(at int32, lanes gpu.Mask) {
	if p.meets[at].Mask &^= lanes; p.meets[at].Mask == 0 {
		p.full = min(p.full, int(at))
	}
}

// rpc returns the reconvergence point of lanes in the frame fr whose innermost convergence barrier is in.
func (p *independent[F]) rpc(in int32, fr F) int32 {
	if in == none || p.meets[in].Frame != fr {
		return NoPC
	}
	return p.meets[in].PC
}

// Split implements Policy.
func (p *independent[F]) Split(l *Lanes[F], at Fork, sides []Side) {
	if len(sides) == 1 {
		l.Cur.PC = sides[0].PC
		p.next(l)
		return
	}
	from, meet := l.Cur, p.in
	if at.Reconv != NoPC && at.Reconv != from.RPC {
		g := from
		if g.PC = at.Reconv; g.Kind == gpu.KindBranch {
			g.Kind = gpu.KindReconv
		}
		meet = p.open(convergence[F]{Group: g, spins: at.Spins})
	}
	l.Cur.Mask = 0
	rpc := p.rpc(meet, from.Frame)
	for i := len(sides) - 1; i >= 0; i-- {
		s := sides[i]
		if s.PC == rpc {
			p.arrive(meet, s.Mask)
			continue
		}
		g := Group[F]{PC: s.PC, RPC: rpc, Mask: s.Mask, Frame: from.Frame, Kind: gpu.KindBranch, Cause: from.PC}
		l.Host.RecordStack(true, g)
		p.queue = slices.Insert(p.queue, 0, laneGroup[F]{Group: g, in: meet})
	}
	if meet != none {
		p.settle(meet)
	}
	p.next(l)
}

// arrive notes lanes that have come to a convergence barrier.
func (p *independent[F]) arrive(at int32, exec gpu.Mask) {
	c := &p.meets[at]
	if c.arrived == 0 {
		c.since = p.turns
	}
	c.arrived |= exec
}

// settle lets the lanes of a convergence barrier go on when all of them have arrived.
func (p *independent[F]) settle(at int32) {
	if c := &p.meets[at]; c.Mask != 0 && c.arrived == c.Mask {
		p.letGo(at)
	}
}

// letGo lets the lanes that have arrived go on without the others.
func (p *independent[F]) letGo(at int32) {
	c := &p.meets[at]
	g := laneGroup[F]{Group: c.Group, in: c.in}
	g.Mask, c.arrived = c.arrived, 0
	p.shrink(at, g.Mask)
	p.queue = slices.Insert(p.queue, 0, g)
}

// drop takes lanes out of a convergence barrier to which they will not come.
func (p *independent[F]) drop(l *Lanes[F], at int32, exec gpu.Mask) {
	p.shrink(at, exec)
	p.comeOut(l, at, exec)
	p.settle(at)
}

// comeOut takes lanes out of a callee. When they were the last, its frame is free.
func (p *independent[F]) comeOut(l *Lanes[F], at int32, exec gpu.Mask) {
	c := &p.meets[at]
	if c.inside&exec == 0 {
		return
	}
	if c.inside &^= exec; c.inside == 0 {
		l.Host.RecordStack(false, Group[F]{PC: NoPC, RPC: NoPC, Frame: c.callee, Kind: gpu.KindCall, Cause: c.PC - 1})
		l.Host.GiveFrame(c.callee)
		var none F
		c.callee = none
	}
}

// next makes sure that the running group has lanes and is not at its reconvergence point.
func (p *independent[F]) next(l *Lanes[F]) {
	for !l.Ended && !p.parked && (l.Cur.Mask == 0 || l.Cur.PC == l.Cur.RPC) {
		if l.Cur.Mask != 0 {
			l.Host.RecordStack(false, l.Cur)
			p.arrive(p.in, l.Cur.Mask)
			l.Cur.Mask = 0
			p.settle(p.in)
		}
		p.take(l)
	}
}

// take makes the first group in the queue run that can.
func (p *independent[F]) take(l *Lanes[F]) {
	for i := range p.queue {
		if g := p.queue[i]; g.Wait == gpu.WaitNone {
			p.queue = slices.Delete(p.queue, i, i+1)
			l.Cur, p.in = g.Group, g.in
			l.Cur.RPC = p.rpc(p.in, l.Cur.Frame)
			return
		}
	}
	if len(p.queue) == 0 {
		l.Host.RecordStack(false, l.Cur)
		l.Ended = true
		return
	}
	if p.wantsMembers() {
		if at := p.oldest(); at != none { // only the lanes there can help
			p.letGo(at)
			return
		}
	}
	l.Cur, p.in = p.queue[0].Group, p.queue[0].in
	p.parked, l.Blocked = true, true
}

// unpark lets a warp run again when some of its groups need not wait any more.
func (p *independent[F]) unpark(l *Lanes[F]) {
	if p.parked {
		p.parked, l.Blocked, l.Cur.Mask = false, false, 0
		p.next(l)
	}
}

// Reconverge implements Policy.
func (p *independent[F]) Reconverge(l *Lanes[F]) { p.next(l) }

// Call implements Policy.
func (p *independent[F]) Call(l *Lanes[F], exec gpu.Mask, callee F, start int32, spins Spinning) {
	c := convergence[F]{Group: l.Cur, callee: callee, inside: exec, arrived: l.Cur.Mask &^ exec, spins: spins}
	c.PC++
	p.in = p.open(c)
	l.Cur = Group[F]{PC: start, RPC: NoPC, Mask: exec, Frame: callee, Kind: gpu.KindCall, Cause: l.Cur.PC}
	l.Host.RecordStack(true, l.Cur)
}

// Leave implements Policy.
func (p *independent[F]) Leave(l *Lanes[F], exec gpu.Mask) {
	l.Cur.Mask &^= exec
	at := p.in
	for p.meets[at].callee != l.Cur.Frame {
		out := p.meets[at].in
		p.drop(l, at, exec)
		at = out
	}
	p.arrive(at, exec)
	p.comeOut(l, at, exec)
	p.settle(at)
	p.advance(l)
}

// Exit implements Policy.
func (p *independent[F]) Exit(l *Lanes[F], exec gpu.Mask) {
	l.Cur.Mask &^= exec
	for at := range p.meets {
		if p.meets[at].Mask&exec != 0 {
			p.drop(l, int32(at), exec)
		}
	}
	for i := range p.queue {
		if g := &p.queue[i]; g.Wait == gpu.WaitMembers && p.missing(l, g) == 0 {
			g.Wait, g.members = gpu.WaitNone, 0 // the group executes the instruction again, with all lanes that have come
		}
	}
	p.advance(l)
}

// advance steps over an instruction at which lanes have been taken out of the running group.
func (p *independent[F]) advance(l *Lanes[F]) {
	if l.Cur.Mask != 0 {
		l.Cur.PC++
	}
	p.next(l)
}

// Block implements Policy.
func (p *independent[F]) Block(l *Lanes[F], exec gpu.Mask, barrier bool) {
	g := laneGroup[F]{Group: l.Cur, in: p.in, barrier: barrier}
	g.PC++
	p.wait(l, g, exec, gpu.WaitBarrier)
	p.advance(l)
}

// wait puts lanes of the running group at the end of the queue.
func (p *independent[F]) wait(l *Lanes[F], g laneGroup[F], exec gpu.Mask, why gpu.WaitKind) {
	g.Mask, g.Wait = exec, why
	p.queue = append(p.queue, g)
	l.Cur.Mask &^= exec
}

// Wake implements Policy.
func (p *independent[F]) Wake(l *Lanes[F], exec gpu.Mask) {
	for i := range p.queue {
		if g := &p.queue[i]; g.Wait == gpu.WaitBarrier && g.Mask&exec != 0 {
			g.Wait = gpu.WaitNone
		}
	}
	for i := 0; i < len(p.queue); i++ {
		p.join(l, &p.queue[i], i+1)
	}
	p.unpark(l)
}

// join merges into a group those groups of the queue, from an index on, that can run and are at the same place.
func (p *independent[F]) join(l *Lanes[F], g *laneGroup[F], from int) {
	for i := from; i < len(p.queue); i++ {
		o := p.queue[i]
		if g.Wait != gpu.WaitNone || o.Wait != gpu.WaitNone || o.PC != g.PC || o.Frame != g.Frame {
			continue
		}
		p.queue = slices.Delete(p.queue, i, i+1)
		p.merge(l, g, o)
		i = from - 1 // merge can have let other groups go
	}
}

// merge makes two groups one. It stays in the convergence barriers that both were in.
func (p *independent[F]) merge(l *Lanes[F], g *laneGroup[F], o laneGroup[F]) {
	shared := g.in
	for !p.within(o.in, shared) {
		shared = p.meets[shared].in
	}
	for _, s := range []*laneGroup[F]{g, &o} {
		for at := s.in; at != shared; {
			out := p.meets[at].in
			p.drop(l, at, s.Mask)
			at = out
		}
	}
	g.Mask |= o.Mask
	g.in, g.RPC = shared, p.rpc(shared, g.Frame)
}

// within says whether the convergence barrier at is the barrier out, or is inside of it.
func (p *independent[F]) within(at, out int32) bool {
	for ; at != out; at = p.meets[at].in {
		if at == none {
			return false
		}
	}
	return true
}

// Turn lets the group run that has waited longest, with all groups that have come to the same place.
func (p *independent[F]) Turn(l *Lanes[F]) {
	p.turns++
	p.losePatience(l)
	if p.parked || len(p.queue) == 0 {
		return
	}
	p.queue = append(p.queue, laneGroup[F]{Group: l.Cur, in: p.in})
	l.Cur.Mask = 0
	p.next(l)
	g := laneGroup[F]{Group: l.Cur, in: p.in}
	p.join(l, &g, 0)
	l.Cur, p.in = g.Group, g.in
	p.next(l)
}

// losePatience lets lanes go on that have waited too long for others that could depend on them.
func (p *independent[F]) losePatience(l *Lanes[F]) {
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

// mayDepend says whether lanes that are away from a convergence barrier could depend on those that have arrived: some
// are at a barrier of the CTA, or run and can come to a loop that spins. Lanes that are blocked in other ways wait for
// copies of memory or for other CTAs. They depend on lanes of this warp only where nothing else can run.
func (p *independent[F]) mayDepend(c *convergence[F]) bool {
	running, stuck := c.Mask&^c.arrived, gpu.Mask(0)
	for i := range p.queue {
		g := &p.queue[i]
		if g.Wait != gpu.WaitBarrier {
			continue
		}
		if running &^= g.Mask; g.barrier {
			stuck |= g.Mask & c.Mask
		}
	}
	if c.spins == NoSpin {
		return running == 0 && stuck != 0
	}
	return running|stuck != 0
}

// Release implements Policy.
func (p *independent[F]) Release(l *Lanes[F]) bool {
	at := p.oldest()
	if at == none {
		return false
	}
	p.letGo(at)
	p.unpark(l)
	return true
}

// oldest returns the convergence barrier where lanes have waited longest, or none.
func (p *independent[F]) oldest() int32 {
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
func (p *independent[F]) wantsMembers() bool {
	return slices.ContainsFunc(p.queue, func(g laneGroup[F]) bool { return g.Wait == gpu.WaitMembers })
}

// Meet implements Policy.
func (p *independent[F]) Meet(l *Lanes[F], members, exec gpu.Mask) (gpu.Mask, []Group[F], bool) {
	g := laneGroup[F]{Group: l.Cur, in: p.in, members: members}
	g.Mask = exec
	if p.missing(l, &g) != 0 {
		p.wait(l, g, exec, gpu.WaitMembers)
		p.advance(l)
		return 0, nil, false
	}
	var away []Group[F]
	here := laneGroup[F]{Group: l.Cur, in: p.in}
	for i := 0; i < len(p.queue); i++ {
		o := p.queue[i]
		if !p.together(l, &g, &o) {
			continue
		}
		if o.PC == here.PC && o.Frame == here.Frame {
			p.queue = append(p.queue[:i:i], p.queue[i+1:]...)
			exec |= o.Mask
			p.merge(l, &here, o)
			i = -1
			continue
		}
		away = append(away, o.Group)
		p.queue[i].Wait, p.queue[i].members = gpu.WaitNone, 0
		p.queue[i].PC++
	}
	l.Cur, p.in = here.Group, here.in
	return exec, away, true
}

// missing returns the lanes that a group at a warp operation still waits for.
func (p *independent[F]) missing(l *Lanes[F], g *laneGroup[F]) gpu.Mask {
	if g.members == 0 {
		return 0
	}
	lanes := g.members & l.Live &^ g.Mask
	for i := range p.queue {
		if o := &p.queue[i]; p.together(l, g, o) {
			lanes &^= o.Mask
		}
	}
	return lanes
}

// together says whether a waiting group has executed the same operation with the same mask.
func (p *independent[F]) together(l *Lanes[F], g, o *laneGroup[F]) bool {
	return o.Wait == gpu.WaitMembers && o.members == g.members && g.Mask&o.Mask == 0 &&
		l.Host.SameOperation(&g.Group, &o.Group)
}

// Frames implements Policy.
func (p *independent[F]) Frames(l *Lanes[F], f func(fr F)) {
	if !l.Ended && !p.parked {
		f(l.Cur.Frame)
	}
	for i := range p.queue {
		f(p.queue[i].Frame)
	}
	for i := range p.meets {
		if p.meets[i].Mask != 0 {
			f(p.meets[i].Frame)
		}
	}
}

// Entries lists the groups and, below the groups that will meet there, the convergence barriers; the innermost come
// first.
func (p *independent[F]) Entries(l *Lanes[F]) []Group[F] {
	type row struct {
		Group[F]
		depth int32
	}
	var rows []row
	depths := p.depths()
	depth := func(at int32) int32 { return depths[at+1] }
	add := func(g Group[F], depth int32) { rows = append(rows, row{g, depth}) }
	if !l.Ended && !p.parked {
		add(l.Cur, math.MaxInt32)
	}
	for _, g := range p.queue {
		g.Missing = p.missing(l, &g)
		g.RPC = p.rpc(g.in, g.Frame)
		add(g.Group, 2*depth(g.in))
	}
	for _, c := range p.meets {
		if c.Mask != 0 {
			g := c.Group
			g.Wait, g.Missing, g.RPC = gpu.WaitConverge, c.Mask&^c.arrived, p.rpc(c.in, c.Frame)
			add(g, 2*depth(c.in)+1)
		}
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].depth > rows[j].depth })
	out := make([]Group[F], len(rows))
	for i := range rows {
		out[i] = rows[i].Group
	}
	return out
}

// depths returns, for each convergence barrier, how many there are around its lanes, itself included. That of barrier
// at is depths[at+1]; depths[0], of none, is 0.
func (p *independent[F]) depths() []int32 {
	depths := make([]int32, len(p.meets)+1)
	var way []int32
	for i := range p.meets {
		at := int32(i)
		for ; at != none && depths[at+1] == 0 && p.meets[i].Mask != 0; at = p.meets[at].in {
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

// Bytes implements Policy.
func (p *independent[F]) Bytes(frame int64) int64 {
	meets, groups := int64(len(p.meets)), int64(len(p.queue))
	return int64(unsafe.Sizeof(*p)) + meets*int64(unsafe.Sizeof(convergence[F]{})) +
		groups*int64(unsafe.Sizeof(laneGroup[F]{})) + frame*(meets+groups+1)
}
