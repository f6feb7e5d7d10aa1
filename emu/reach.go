package emu

import (
	"slices"

	"warpscope/emu/machine"
)

// Which instructions can still lead to a barrier? A barrier waits for the threads that have not exited (9.7.14.7).
// Lanes that wait on the SIMT stack for their turn may have no barrier left on their way to the end. The barrier must
// not wait for these, or a kernel whose threads return early would never get past it.

// calleesFirst orders functions so that each comes after those that it calls by name. Then one pass knows all about the
// callees of a function, unless it is recursive.
func calleesFirst(funcs []*machine.Function) []*machine.Function {
	var order, path []*machine.Function
	next := make(map[*machine.Function]int, len(funcs)) // callee to look at
	for _, root := range funcs {
		if _, seen := next[root]; !seen {
			path = append(path, root)
		}
		for len(path) > 0 {
			fn := path[len(path)-1]
			at := next[fn]
			next[fn] = at + 1
			if at == len(fn.Callees) {
				order, path = append(order, fn), path[:len(path)-1]
			} else if callee := fn.Callees[at]; callee != nil { // nil: it has no body
				if _, seen := next[callee]; !seen {
					path = append(path, callee)
				}
			}
		}
	}
	return order
}

// markBarriers fills Program.Barrier. order is what calleesFirst returns.
func markBarriers(p *machine.Program, order []*machine.Function) {
	p.Barrier = make([]bool, len(p.Code))
	has := map[*machine.Function]bool{}
	for changed := true; changed; { // functions that may run a barrier, themselves or through those they call
		changed = false
		for _, fn := range order {
			if !has[fn] && runsBarrier(p, fn.Start, fn.End, has) {
				has[fn], changed = true, true
			}
		}
	}
	for _, fn := range p.Funcs {
		if has[fn] {
			markFunction(p, fn, has)
		}
	}
}

func runsBarrier(p *machine.Program, start, end int32, has map[*machine.Function]bool) bool {
	for pc := start; pc < end; pc++ {
		if isBarrier(p, pc, has) {
			return true
		}
	}
	return false
}

func isBarrier(p *machine.Program, pc int32, has map[*machine.Function]bool) bool {
	in := &p.Code[pc]
	switch {
	case in.Op == machine.OpBar || in.X != nil && in.X.Cluster:
		return true
	case in.Op != machine.OpCall:
		return false
	case in.X.Call.Target != nil:
		return has[in.X.Call.Target]
	}
	return len(has) > 0
}

// markFunction walks backwards from the blocks with a barrier.
func markFunction(p *machine.Program, fn *machine.Function, has map[*machine.Function]bool) {
	f := fn.Src
	leads := make([]bool, f.Nodes()) // a barrier can be reached from the block's start
	preds := make([][]int, f.Nodes())
	var work []int
	for n := range leads {
		for _, s := range f.Next(n) {
			preds[s] = append(preds[s], n)
		}
		if n < len(f.Blocks) {
			start, end := fn.Bounds(n)
			leads[n] = runsBarrier(p, start, end, has)
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
		start, end := fn.Bounds(b)
		for pc := end - 1; pc >= start; pc-- {
			ahead = ahead || isBarrier(p, pc, has)
			p.Barrier[pc] = ahead
		}
	}
}
