package emu

import (
	"slices"
	"strings"
)

// Loops that may wait for what other lanes do. A compiler for hardware would not let the lanes that have left such a
// loop wait for those that are still in it; so independent scheduling loses patience with them soon.

// markSpins marks branches and functions that may spin. order is calleesFirst.
func (p *program) markSpins(order []*function) {
	for changed := true; changed; {
		changed = false
		for _, fn := range order {
			if !fn.spins && p.watches(fn, fn.start, fn.end) {
				fn.spins = p.markLoops(fn)
				changed = changed || fn.spins
			}
		}
	}
}

// watches says whether instructions read what other lanes may write in the meantime.
func (p *program) watches(fn *function, start, end int32) bool {
	for pc := start; pc < end; pc++ {
		in := &p.code[pc]
		switch {
		case in.op == opAtom && len(in.x.d) > 0 && !in.x.d[0].sink:
			return true
		case in.op == opCall && in.x.call.target != nil && in.x.call.target.spins:
			return true
		case in.op == opLoad && (strings.Contains(in.src.Opcode, ".volatile") ||
			strings.Contains(in.src.Opcode, ".relaxed") || strings.Contains(in.src.Opcode, ".acquire")):
			return true
		}
	}
	return false
}

// markLoops marks the branches out of loops that watch, and says whether there are some.
func (p *program) markLoops(fn *function) bool {
	loops := loops(fn)
	watch := map[int]bool{}
	for b, loop := range loops {
		blk := &fn.src.Blocks[b]
		if loop != 0 && p.watches(fn, fn.start+int32(blk.Start), fn.start+int32(blk.End)) {
			watch[loop] = true
		}
	}
	loopAt := map[int32]int{} // by pc of the block's start
	for b, loop := range loops {
		loopAt[fn.start+int32(fn.src.Blocks[b].Start)] = loop
	}
	for b, loop := range loops {
		last := &p.code[fn.start+int32(fn.src.Blocks[b].End)-1]
		if watch[loop] && (last.op == opBra || last.op == opBrx) && loopAt[last.reconv] != loop {
			last.spins = true
		}
	}
	return len(watch) > 0
}

// loops numbers the strongly connected components of a function's blocks that are loops; 0: in no loop. It is Tarjan's
// algorithm with a stack of its own.
func loops(fn *function) []int {
	f := fn.src
	n := f.Nodes()
	order, low, loop := make([]int, n), make([]int, n), make([]int, n)
	next := make([]int, n) // successor to look at
	var path, open []int
	count, seen := 0, 0
	for root := range n {
		if order[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			b := path[len(path)-1]
			if order[b] == 0 {
				seen++
				order[b], low[b] = seen, seen
				open = append(open, b)
				loop[b] = -1
			}
			if succs := f.Next(b); next[b] < len(succs) {
				s := succs[next[b]]
				next[b]++
				switch {
				case order[s] == 0:
					path = append(path, s)
				case loop[s] == -1:
					low[b] = min(low[b], order[s])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[b])
			}
			if low[b] != order[b] {
				continue
			}
			count++
			at := len(open)
			for at--; open[at] != b; at-- {
			}
			id := count
			if at == len(open)-1 && !slices.Contains(f.Next(b), b) {
				id = 0
			}
			for _, o := range open[at:] {
				loop[o] = id
			}
			open = open[:at]
		}
	}
	return loop[:len(f.Blocks)]
}
