package simt

import (
	"slices"
	"unsafe"

	"warpscope/gpu"
)

// frontier is the divergence model of thread frontiers (Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO
// 2011). Lanes that are apart are groups, and blocks have priorities: here their order in the text, as in the paper's
// scheme for hardware that compares pcs. The group with the lowest pc runs. A group that comes to the pc of another
// becomes one with it, wherever that is: lanes need not come to a post-dominator to meet. A callee comes before its
// caller, whatever its place in the text.
//
// A group whose lanes are further on waits for those before it, even if these wait for what it does. So there is no
// guarantee of progress. Two kinds of waiting go beyond the paper, because barriers and *.sync instructions count
// lanes. Lanes at a barrier wait there while the others of their warp go on, and lanes at a warp operation wait while
// lanes of its membermask can still come.
//
// Invariants between instructions: the groups are disjoint, and together with the running one they are the live lanes;
// they are sorted by before; two groups that can run are never at the same pc of the same frame, unless one is alone.
type frontier[F comparable] struct {
	groups []front[F]
	calls  []activation[F]
	cur    front[F] // of the running group: all but what is in Lanes.Cur
	parked bool     // all groups wait: Lanes.Cur is a copy of the first one
}

// front is a group. Its Wait says why it does not run.
type front[F comparable] struct {
	Group[F]
	depth int     // of calls
	meets []int32 // the post-dominators at which it meets others at the latest, the next one last
	alone bool    // it executes the instruction at its pc before it meets others
}

// activation is a call under way.
type activation[F comparable] struct {
	callee F
	inside gpu.Mask // lanes that have not left it; they can have called deeper
	after  front[F] // what they become when they leave
}

// NewFrontier returns the policy of a warp whose lanes meet at thread frontiers.
func NewFrontier[F comparable]() Policy[F] { return &frontier[F]{} }

// Reset implements Policy.
func (p *frontier[F]) Reset() {
	*p = frontier[F]{groups: p.groups[:0], calls: p.calls[:0]}
}

// Clone implements Policy.
func (p *frontier[F]) Clone() Policy[F] {
	c := *p
	c.groups, c.calls = slices.Clone(p.groups), slices.Clone(p.calls)
	for i := range c.groups {
		c.groups[i].meets = slices.Clone(c.groups[i].meets)
	}
	for i := range c.calls {
		c.calls[i].after.meets = slices.Clone(c.calls[i].after.meets)
	}
	c.cur.meets = slices.Clone(p.cur.meets)
	return &c
}

// before says whether a group has priority over another one: it is deeper in calls, or earlier in the text.
func (g *front[F]) before(o *front[F]) bool {
	return g.depth > o.depth || g.depth == o.depth && g.PC < o.PC
}

// joins says whether two groups become one.
func (g *front[F]) joins(o *front[F]) bool {
	return g.PC == o.PC && g.Frame == o.Frame && !g.alone && !o.alone && g.Wait != gpu.WaitBarrier &&
		o.Wait != gpu.WaitBarrier
}

// running returns the running group as a front.
func (p *frontier[F]) running(l *Lanes[F]) front[F] {
	g := p.cur
	g.alone = g.alone && g.PC == l.Cur.PC
	g.Group = l.Cur
	return g
}

// add puts a group in its place, or into the one that it meets there. It says whether the group is one of its own.
func (p *frontier[F]) add(l *Lanes[F], g front[F]) bool {
	for len(g.meets) > 0 && g.meets[len(g.meets)-1] == g.PC {
		g.meets = g.meets[:len(g.meets)-1]
	}
	at := 0
	for ; at < len(p.groups) && !g.before(&p.groups[at]); at++ {
		o := &p.groups[at]
		if !o.joins(&g) {
			continue
		}
		o.Mask |= g.Mask
		o.Wait, o.Missing, o.Kind = gpu.WaitNone, 0, gpu.KindReconv
		o.meets = o.meets[:commonPrefix(o.meets, g.meets)]
		p.name(l, o)
		return false
	}
	p.groups = slices.Insert(p.groups, at, g)
	return true
}

// commonPrefix returns for how many elements two lists agree.
func commonPrefix(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// name says of a group that has all lanes of its activation that it is the kernel's or the call's.
func (p *frontier[F]) name(l *Lanes[F], g *front[F]) {
	all, kind, cause := l.Live, gpu.KindBase, NoPC
	for i := range p.calls {
		if c := &p.calls[i]; c.callee == g.Frame {
			all, kind, cause = c.inside, gpu.KindCall, c.after.PC-1
		}
	}
	if g.Mask == all {
		g.Kind, g.Cause = kind, cause
	}
}

// put gives the running group its place among the others.
func (p *frontier[F]) put(l *Lanes[F]) {
	if l.Cur.Mask != 0 && !p.parked {
		g := p.running(l)
		arrived := l.Cur
		if arrived.RPC = arrived.PC; !p.add(l, g) {
			l.Host.RecordStack(false, arrived)
		}
		l.Cur.Mask = 0
	}
}

// next makes the first group run that can.
func (p *frontier[F]) next(l *Lanes[F]) {
	p.put(l)
	if len(p.groups) == 0 {
		l.Host.RecordStack(false, l.Cur)
		l.Ended = true
		return
	}
	at := slices.IndexFunc(p.groups, func(g front[F]) bool {
		return g.Wait == gpu.WaitNone || g.Wait == gpu.WaitMembers && !p.canCome(g.Missing)
	})
	if p.parked = at < 0; p.parked {
		l.Cur, l.Blocked = p.groups[0].Group, true
		return
	}
	p.cur = p.groups[at]
	p.groups = slices.Delete(p.groups, at, at+1)
	p.cur.Wait, p.cur.Missing = gpu.WaitNone, 0
	l.Cur, l.Blocked = p.cur.Group, false
	l.Cur.RPC = p.stop()
}

// stop returns the pc at which the running group, on its way through the text, next meets another one.
func (p *frontier[F]) stop() int32 {
	if p.cur.alone {
		return p.cur.PC + 1
	}
	for i := range p.groups { // in the order of pcs
		if g := &p.groups[i]; g.Frame == p.cur.Frame && g.PC > p.cur.PC && g.Wait != gpu.WaitBarrier {
			return g.PC
		}
	}
	return NoPC
}

// Split implements Policy. Sides that begin at the fork itself execute it one after the other.
func (p *frontier[F]) Split(l *Lanes[F], at Fork, sides []Side) {
	if len(sides) == 1 {
		l.Cur.PC = sides[0].PC
		p.next(l)
		return
	}
	from := p.running(l)
	if at.Reconv != NoPC && (len(from.meets) == 0 || from.meets[len(from.meets)-1] != at.Reconv) {
		from.meets = append(slices.Clone(from.meets), at.Reconv)
	}
	l.Cur.Mask = 0
	for _, s := range sides {
		g := from
		g.Group = Group[F]{PC: s.PC, RPC: at.Reconv, Mask: s.Mask, Frame: from.Frame, Kind: gpu.KindBranch,
			Cause: from.PC}
		g.alone, g.meets = s.PC == from.PC, slices.Clone(from.meets)
		if p.add(l, g) {
			l.Host.RecordStack(true, g.Group)
		}
	}
	p.next(l)
}

// Reconverge implements Policy.
func (p *frontier[F]) Reconverge(l *Lanes[F]) { p.next(l) }

// Call implements Policy.
func (p *frontier[F]) Call(l *Lanes[F], exec gpu.Mask, callee F, start int32, _ Spinning) {
	g := p.running(l)
	call := front[F]{depth: g.depth + 1, Group: Group[F]{PC: start, RPC: NoPC, Mask: exec, Frame: callee,
		Kind: gpu.KindCall, Cause: g.PC}}
	g.PC++
	g.alone = false
	p.calls = append(p.calls, activation[F]{callee, exec, g})
	l.Cur.Mask = 0
	if g.Mask &^= exec; g.Mask != 0 {
		p.add(l, g)
	}
	p.add(l, call)
	l.Host.RecordStack(true, call.Group)
	p.next(l)
}

// comeOut takes lanes out of a call. When they were the last, its frame is free.
func (p *frontier[F]) comeOut(l *Lanes[F], at int, exec gpu.Mask) {
	c := &p.calls[at]
	if c.inside &^= exec; c.inside == 0 {
		l.Host.RecordStack(false, Group[F]{PC: NoPC, RPC: NoPC, Frame: c.callee, Kind: gpu.KindCall,
			Cause: c.after.PC - 1})
		l.Host.GiveFrame(c.callee)
		p.calls = slices.Delete(p.calls, at, at+1)
	}
}

// Leave implements Policy.
func (p *frontier[F]) Leave(l *Lanes[F], exec gpu.Mask) {
	l.Cur.Mask &^= exec
	at := slices.IndexFunc(p.calls, func(c activation[F]) bool { return c.callee == l.Cur.Frame })
	after := p.calls[at].after
	after.Mask, after.meets = exec, slices.Clone(after.meets)
	p.comeOut(l, at, exec)
	p.advance(l)
	p.add(l, after)
	p.next(l)
}

// Exit implements Policy.
func (p *frontier[F]) Exit(l *Lanes[F], exec gpu.Mask) {
	l.Cur.Mask &^= exec
	for at := len(p.calls) - 1; at >= 0; at-- {
		if p.calls[at].inside&exec != 0 {
			p.comeOut(l, at, exec)
		}
	}
	p.advance(l)
	p.next(l)
}

// advance steps over an instruction at which lanes have been taken out of the running group, and puts the rest away.
func (p *frontier[F]) advance(l *Lanes[F]) {
	if l.Cur.Mask != 0 {
		l.Cur.PC++
		p.put(l)
	}
}

// Block implements Policy. The other lanes of the warp go on.
func (p *frontier[F]) Block(l *Lanes[F], exec gpu.Mask, _ bool) {
	g := p.running(l)
	g.PC++
	g.Mask, g.Wait, g.alone = exec, gpu.WaitBarrier, false
	p.add(l, g)
	l.Cur.Mask &^= exec
	p.advance(l)
	p.next(l)
}

// Wake implements Policy.
func (p *frontier[F]) Wake(l *Lanes[F], exec gpu.Mask) {
	old := p.groups
	p.groups = make([]front[F], 0, len(old))
	for _, g := range old {
		if g.Wait == gpu.WaitBarrier && g.Mask&exec != 0 {
			g.Wait = gpu.WaitNone
		}
		p.add(l, g)
	}
	if p.parked {
		l.Cur.Mask, p.parked = 0, false
		p.next(l)
	}
}

// Turn implements Policy.
func (p *frontier[F]) Turn(l *Lanes[F]) {
	if !p.parked && len(p.groups) > 0 {
		p.next(l)
	}
}

// Release implements Policy: no lane waits only to run together with others.
func (p *frontier[F]) Release(*Lanes[F]) bool { return false }

// Meet implements Policy.
func (p *frontier[F]) Meet(l *Lanes[F], members, exec gpu.Mask) (gpu.Mask, []Group[F], bool) {
	absent := members & l.Live &^ exec
	if !p.canCome(absent) {
		return exec, nil, true
	}
	g := p.running(l)
	g.Mask, g.Wait, g.Missing = exec, gpu.WaitMembers, absent
	p.add(l, g)
	l.Cur.Mask &^= exec
	p.advance(l)
	p.next(l)
	return 0, nil, false
}

// canCome says whether some of these lanes can go on.
func (p *frontier[F]) canCome(lanes gpu.Mask) bool {
	return slices.ContainsFunc(p.groups, func(g front[F]) bool { return g.Wait == gpu.WaitNone && g.Mask&lanes != 0 })
}

// Frames implements Policy.
func (p *frontier[F]) Frames(l *Lanes[F], f func(fr F)) {
	if !l.Ended && !p.parked {
		f(l.Cur.Frame)
	}
	for i := range p.groups {
		f(p.groups[i].Frame)
	}
	for i := range p.calls {
		f(p.calls[i].after.Frame)
	}
}

// Entries lists the groups in the order of their priority. A group that could run waits for those before it.
func (p *frontier[F]) Entries(l *Lanes[F]) []Group[F] {
	var out []Group[F]
	var first gpu.Mask
	add := func(g front[F]) {
		if g.RPC = NoPC; len(g.meets) > 0 {
			g.RPC = g.meets[len(g.meets)-1]
		}
		if first != 0 && g.Wait == gpu.WaitNone {
			g.Wait, g.Missing = gpu.WaitConverge, first
		}
		if g.Wait != gpu.WaitBarrier {
			first |= g.Mask
		}
		out = append(out, g.Group)
	}
	if !l.Ended && !p.parked {
		add(p.running(l))
	}
	for _, g := range p.groups {
		add(g)
	}
	return out
}

// Bytes implements Policy.
func (p *frontier[F]) Bytes(frame int64) int64 {
	n, meets := int64(len(p.groups)+len(p.calls)), int64(len(p.cur.meets))
	for i := range p.groups {
		meets += int64(len(p.groups[i].meets))
	}
	for i := range p.calls {
		meets += int64(len(p.calls[i].after.meets))
	}
	return int64(unsafe.Sizeof(*p)) + n*int64(unsafe.Sizeof(activation[F]{})) + 4*meets + frame*(n+1)
}
