package emu

import "slices"

// Which instructions can still lead to a barrier. A barrier waits for the threads that have not exited (9.7.12.7);
// lanes that wait on the SIMT stack for their turn, but have no barrier left on their way to the end, are as good as
// exited: it must not wait for them, or a kernel whose threads return early would never get past it.

// calleesFirst orders functions so that those that one calls by name come before it, but for recursion: what is found
// out of callees is then known after one pass.
func calleesFirst(funcs []*function) []*function {
	var order, path []*function
	next := make(map[*function]int, len(funcs)) // callee to look at
	for _, root := range funcs {
		if _, seen := next[root]; !seen {
			path = append(path, root)
		}
		for len(path) > 0 {
			fn := path[len(path)-1]
			at := next[fn]
			next[fn] = at + 1
			if at == len(fn.callees) {
				order, path = append(order, fn), path[:len(path)-1]
			} else if callee := fn.callees[at]; callee != nil { // nil: it has no body
				if _, seen := next[callee]; !seen {
					path = append(path, callee)
				}
			}
		}
	}
	return order
}

// markBarriers fills program.barrier. order is calleesFirst.
func (p *program) markBarriers(order []*function) {
	p.barrier = make([]bool, len(p.code))
	has := map[*function]bool{}
	for changed := true; changed; { // functions that may run a barrier, themselves or through those they call
		changed = false
		for _, fn := range order {
			if !has[fn] && p.runsBarrier(fn.start, fn.end, has) {
				has[fn], changed = true, true
			}
		}
	}
	for _, fn := range p.funcs {
		if has[fn] {
			p.markFunction(fn, has)
		}
	}
}

func (p *program) runsBarrier(start, end int32, has map[*function]bool) bool {
	for pc := start; pc < end; pc++ {
		if p.isBarrier(pc, has) {
			return true
		}
	}
	return false
}

func (p *program) isBarrier(pc int32, has map[*function]bool) bool {
	in := &p.code[pc]
	switch {
	case in.op == opBar || in.x != nil && in.x.cluster:
		return true
	case in.op != opCall:
		return false
	case in.x.call.target != nil:
		return has[in.x.call.target]
	}
	return len(has) > 0
}

// markFunction walks backwards from the blocks with a barrier.
func (p *program) markFunction(fn *function, has map[*function]bool) {
	f := fn.src
	leads := make([]bool, f.Nodes()) // a barrier can be reached from the block's start
	preds := make([][]int, f.Nodes())
	var work []int
	for n := range leads {
		for _, s := range f.Next(n) {
			preds[s] = append(preds[s], n)
		}
		if n < len(f.Blocks) {
			start, end := fn.bounds(n)
			leads[n] = p.runsBarrier(start, end, has)
		}
		if leads[n] {
			work = append(work, n)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range preds[n] {
			if !leads[b] {
				leads[b] = true
				work = append(work, b)
			}
		}
	}
	for b := range f.Blocks {
		ahead := slices.ContainsFunc(f.Next(b), func(s int) bool { return leads[s] })
		start, end := fn.bounds(b)
		for pc := end - 1; pc >= start; pc-- {
			ahead = ahead || p.isBarrier(pc, has)
			p.barrier[pc] = ahead
		}
	}
}

// excused is the lanes that a barrier does not wait for: those that wait on the stack for their turn and have no barrier
// left on their way. They are as good as exited while the others wait at one. Those that wait at a barrier themselves have
// not got there. Where lanes that are apart go on by themselves, they will come or exit.
func excused(w *warp) Mask {
	if w.progress() || len(w.waits.list) == 0 || w.waits.list[0].at == AtMbarrier {
		return 0
	}
	waiting, _ := w.atBarrier()
	return beyondBarriers(w) &^ waiting
}

// beyondBarriers is the lanes of a warp that have no barrier left on their way.
func beyondBarriers(w *warp) Mask {
	return lanesWhere(w, func(e *group) bool { return !barrierAhead(w, e) })
}

// beforeBarriers is the lanes elsewhere than the running ones that have a barrier on their way.
func beforeBarriers(w *warp) Mask {
	return lanesWhere(w, func(e *group) bool { return e.PC != w.Cur.PC && barrierAhead(w, e) })
}

func barrierAhead(w *warp, e *group) bool {
	p := w.cta.grid.prog
	ahead := p.barrier[e.PC]
	for fr := e.Frame; fr.caller != nil && !ahead; fr = fr.caller {
		ahead = p.barrier[fr.call+1]
	}
	return ahead
}

// lanesWhere is the lanes whose entry, the topmost that they are in, is of a kind.
func lanesWhere(w *warp, kind func(*group) bool) (lanes Mask) {
	var seen Mask
	for _, e := range w.policy.Entries(&w.lanes) {
		if own := e.Mask &^ seen; own != 0 && kind(&e) {
			lanes |= own
		}
		seen |= e.Mask
	}
	return lanes
}
