package emu

import (
	"slices"

	"warpscope/emu/simt"
	"warpscope/ptx/isa"
)

// Loops that may wait for what other lanes do. A compiler for hardware would not let the lanes that have left such a
// loop wait for those that are still in it; so independent scheduling loses patience with them soon.

// markSpins marks branches and functions that may spin. order is calleesFirst.
func (p *program) markSpins(order []*function) {
	for _, fn := range order {
		fn.spins = p.loopWatches(fn)
		p.spins = p.spins || fn.spins
	}
	for changed := p.spins; changed; {
		changed = false
		for _, fn := range order {
			if !fn.spins && slices.ContainsFunc(p.code[fn.start:fn.end], p.callSpins) {
				fn.spins, changed = true, true
			}
		}
	}
	for _, fn := range order {
		if fn.spins {
			p.markBranches(fn)
		}
	}
}

// loopWatches says whether a function has a loop that watches.
func (p *program) loopWatches(fn *function) bool {
	if !slices.ContainsFunc(p.code[fn.start:fn.end], inst.watches) {
		return false
	}
	for b, loop := range loops(fn) {
		if loop != 0 && p.watchesIn(fn, b) {
			return true
		}
	}
	return false
}

// callSpins says whether an instruction calls a function that may spin. An indirect call may lead to any.
func (p *program) callSpins(in inst) bool {
	if in.op != opCall {
		return false
	}
	if callee := in.x.call.target; callee != nil {
		return callee.spins
	}
	return p.spins
}

// watchesIn says whether a block reads what other lanes may write in the meantime.
func (p *program) watchesIn(fn *function, block int) bool {
	start, end := fn.bounds(block)
	return slices.ContainsFunc(p.code[start:end], inst.watches)
}

// watches says whether an instruction reads what other lanes may write in the meantime (8.2, 9.7.13.15): an atomic
// whose result is used, a strong or volatile load, a test of an mbarrier.
func (in inst) watches() bool {
	if in.op == opAtom || in.op == opAtomWide {
		return len(in.x.d) > 0 && !in.x.d[0].Sink
	}
	if in.src == nil || in.src.Match == nil {
		return false
	}
	m := in.src.Match
	return m.Form.Effect&isa.ReadsMemory != 0 &&
		(in.op == opLoad && hasAny(m, ".volatile", ".relaxed", ".acquire", ".mmio") || hasAny(m, ".test_wait", ".try_wait"))
}

// markBranches marks the branches of a function that may spin.
func (p *program) markBranches(fn *function) {
	f := fn.src
	loop := loops(fn)
	watching := map[int]bool{} // by loop
	watches, calls := make([]bool, f.Nodes()), make([]bool, f.Nodes())
	blockAt := map[int32]int{noPC: -1} // by pc of the block's start
	for b := range f.Blocks {
		start, end := fn.bounds(b)
		blockAt[start] = b
		calls[b] = slices.ContainsFunc(p.code[start:end], p.callSpins)
		watches[b] = calls[b] || p.watchesIn(fn, b)
		watching[loop[b]] = watching[loop[b]] || watches[b]
	}
	watching[0] = false // in no loop
	way := newLoopFinder(fn)
	for b := range f.Blocks {
		_, end := fn.bounds(b)
		last := &p.code[end-1]
		if last.op != opBra && last.op != opBrx {
			continue
		}
		meet := blockAt[last.fork.Reconv]
		switch {
		case watching[loop[b]] && (meet < 0 || loop[meet] != loop[b]):
			last.fork.Spins = simt.SpinAround
		case way.leadsTo(b, meet, watches, calls):
			last.fork.Spins = simt.SpinAhead
		}
	}
}

// leadsTo says whether between a branch and the block where its lanes meet is a loop with one of the marked blocks, or a
// call that spins. In a very large function it gives up and says yes.
func (l *loopFinder) leadsTo(branch, meet int, watches, calls []bool) bool {
	const most = 1 << 22 // nodes looked at, of all branches
	if l.looked > most {
		return true
	}
	defer l.forget()
	for _, s := range l.fn.src.Next(branch) {
		l.find(s, meet)
	}
	return slices.ContainsFunc(l.seen, func(n int) bool { return calls[n] || l.loop[n] != 0 && watches[n] })
}

// loops gives the number of the loop that each block of a function is in; 0: in none.
func loops(fn *function) []int {
	l := newLoopFinder(fn)
	for n := range fn.src.Nodes() {
		l.find(n, -1)
	}
	return l.loop[:len(fn.src.Blocks)]
}

// loopFinder numbers the strongly connected components of a function's nodes that are loops; 0: in no loop. It is
// Tarjan's algorithm with a stack of its own.
type loopFinder struct {
	fn               *function
	order, low, loop []int
	next             []int // successor to look at
	path, open, seen []int
	count, looked    int
}

func newLoopFinder(fn *function) *loopFinder {
	n := fn.src.Nodes()
	return &loopFinder{fn: fn, order: make([]int, n), low: make([]int, n), loop: make([]int, n), next: make([]int, n)}
}

// forget makes the finder ready for another part of the function.
func (l *loopFinder) forget() {
	for _, n := range l.seen {
		l.order[n], l.low[n], l.loop[n], l.next[n] = 0, 0, 0, 0
	}
	l.seen, l.count = l.seen[:0], 0
}

// find looks at what can be reached from a node without passing through another one, unless that has been done.
func (l *loopFinder) find(root, without int) {
	f := l.fn.src
	if root == without || l.order[root] != 0 {
		return
	}
	path := append(l.path[:0], root)
	for len(path) > 0 {
		b := path[len(path)-1]
		if l.order[b] == 0 {
			l.seen = append(l.seen, b)
			l.looked++
			l.order[b], l.low[b] = len(l.seen), len(l.seen)
			l.open = append(l.open, b)
			l.loop[b] = -1
		}
		if succs := f.Next(b); l.next[b] < len(succs) {
			s := succs[l.next[b]]
			l.next[b]++
			switch {
			case s == without:
			case l.order[s] == 0:
				path = append(path, s)
			case l.loop[s] == -1:
				l.low[b] = min(l.low[b], l.order[s])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1]
			l.low[up] = min(l.low[up], l.low[b])
		}
		if l.low[b] == l.order[b] {
			l.close(b)
		}
	}
	l.path = path
}

// close numbers the component whose first node is b.
func (l *loopFinder) close(b int) {
	at := slices.Index(l.open, b)
	id := 0
	if at < len(l.open)-1 || slices.Contains(l.fn.src.Next(b), b) {
		l.count++
		id = l.count
	}
	for _, o := range l.open[at:] {
		l.loop[o] = id
	}
	l.open = l.open[:at]
}
