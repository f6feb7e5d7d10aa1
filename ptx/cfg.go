package ptx

import (
	"cmp"
	"slices"
	"strings"
)

// buildCFG splits a function into basic blocks, finds their immediate post-dominators and gives each branch its
// reconvergence point. A call does not end a block, because control comes back to the next instruction. A call of a
// function that does not return ends it.
func buildCFG(f *Func) {
	starts := leaders(f)
	f.Blocks = make([]Block, 0, len(starts))
	blockOf := make([]int32, len(f.Insts)+1)
	for i, start := range starts {
		end := len(f.Insts)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		for j := start; j < end; j++ {
			blockOf[j] = int32(i)
		}
		f.Blocks = append(f.Blocks, Block{Start: start, End: end, IPDom: -1})
	}
	blockOf[len(f.Insts)] = int32(len(f.Blocks))
	e := &edges{f: f, blockOf: blockOf, seen: make([]int32, len(f.Blocks)), tables: map[*int]int{}}
	e.leaves = make([]flowKind, len(f.Blocks))
	for i := range f.Blocks {
		e.link(i)
	}
	f.endsLanes = endsLanes(f, e.leaves)
	points := meetingPoints(f, e.leaves)
	for i := range f.Blocks {
		last := f.Insts[f.Blocks[i].End-1]
		if last.jump == nil {
			continue
		}
		last.jump.reconv = int32(len(f.Insts))
		if d := points[i]; d >= 0 {
			last.jump.reconv = int32(f.Blocks[d].Start)
		}
	}
}

// endsLanes says whether no lane that enters the function can return from it.
func endsLanes(f *Func, leaves []flowKind) bool {
	if len(f.Blocks) == 0 {
		return false
	}
	seen := mark(f.Nodes(), 0, f.Next)
	for i, how := range leaves {
		if how == returns && seen[i] {
			return false
		}
	}
	return true
}

// mark marks the nodes that can be reached from a node.
func mark(nodes, from int, next func(node int) []int) []bool {
	seen := make([]bool, nodes)
	seen[from] = true
	work := []int{from}
	for n := 0; n < len(work); n++ {
		for _, s := range next(work[n]) {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return seen
}

// meetingPoints notes the immediate post-dominators and returns the block where the lanes of each block meet, or -1.
//
// Lanes that leave early never come to a meeting point, but the others can still meet: in `if (c) { if (d) exit; … }
// next`, the lanes that stay meet at next. So departures are overlooked, in this order, until a block has a meeting
// point:
//
//  1. No departure: the block's immediate post-dominator.
//  2. All exits: the lanes that stay are those that return. The place agrees with 1 where 1 has one.
//  3. All departures but one, which a meeting point leads to. Returns come before exits, and departures that more
//     blocks reach come before others. The first one that the block reaches decides. So the regions of two branches
//     nest: lanes that cannot reach the departure of the outer branch cannot reach its meeting point either.
func meetingPoints(f *Func, leaves []flowKind) []int {
	points, _ := postDominators(f, func(i int) bool { return leaves[i] != falls })
	open := make([]bool, len(points)) // branches without a meeting point
	for i, d := range points {
		f.Blocks[i].IPDom = d
		open[i] = d < 0 && flow(f.Insts[f.Blocks[i].End-1]) == jumps
	}
	if !slices.Contains(open, true) {
		return points
	}
	settle := func(from func(block int) bool) {
		found, reach := postDominators(f, from)
		for i := range points {
			if open[i] && reach[i] {
				points[i], open[i] = found[i], found[i] < 0
			}
		}
	}
	settle(func(i int) bool { return leaves[i] == returns })
	for _, way := range mainDepartures(f, leaves) {
		if slices.ContainsFunc(way.blocks, func(i int) bool { return open[i] }) {
			settle(func(i int) bool { return i == way.block })
		}
		for _, i := range way.blocks {
			open[i] = false
		}
	}
	return points
}

// wayOut is a block at whose end lanes leave, the way they leave, and the blocks that can reach it.
type wayOut struct {
	block  int
	how    flowKind
	blocks []int
}

// mainDepartures are the departures in the order of meetingPoints; of equal ones the last comes first. If there are
// very many, it looks only at the last few, returns before exits.
func mainDepartures(f *Func, leaves []flowKind) []wayOut {
	const most = 32
	var ways []wayOut
	for _, how := range []flowKind{returns, ends} {
		for i := len(leaves) - 1; i >= 0 && len(ways) < most; i-- {
			if leaves[i] == how {
				ways = append(ways, wayOut{block: i, how: how})
			}
		}
	}
	preds := make([][]int, f.Nodes())
	for i := range preds {
		for _, s := range f.Next(i) {
			preds[s] = append(preds[s], i)
		}
	}
	for i := range ways {
		w := &ways[i]
		for n, reaches := range mark(len(preds), w.block, func(node int) []int { return preds[node] }) {
			if reaches && n < len(f.Blocks) {
				w.blocks = append(w.blocks, n)
			}
		}
	}
	slices.SortStableFunc(ways, func(a, b wayOut) int {
		return cmp.Or(cmp.Compare(b.how, a.how), cmp.Compare(len(b.blocks), len(a.blocks)))
	})
	return ways
}

// flowKind says how control leaves an instruction, or how lanes leave a block.
type flowKind uint8

const (
	falls   flowKind = iota // to the next instruction
	jumps                   // to its targets
	stops                   // the grid: a trap, which is not a way out of the function
	ends                    // lanes end: exit, or a call of a function from which they do not return
	returns                 // lanes leave the function: ret, or the end of the body
)

func flow(in *Inst) flowKind {
	switch mnemonic, _, _ := strings.Cut(in.Opcode, "."); mnemonic {
	case "bra", "brx":
		return jumps
	case "ret":
		return returns
	case "exit":
		return ends
	case "call":
		if in.Call != nil && in.Call.Proto != nil && (in.Call.Proto.NoReturn || in.Call.Proto.endsLanes) {
			return ends
		}
	case "trap":
		return stops
	}
	return falls
}

// leaders are the indexes at which blocks begin, ascending. Every target and every instruction after a jump is one.
func leaders(f *Func) []int {
	lead := make([]bool, len(f.Insts)+1)
	lead[0] = true
	lists := map[*int]bool{} // branches share them
	for i, in := range f.Insts {
		if n := len(in.Targets()); n > 0 && !(n > 1 && lists[&in.Targets()[0]]) {
			for _, t := range in.Targets() {
				lead[t] = true
			}
			if n > 1 {
				lists[&in.Targets()[0]] = true
			}
		}
		if flow(in) != falls {
			lead[i+1] = true
		}
	}
	var starts []int
	for i := range f.Insts {
		if lead[i] {
			starts = append(starts, i)
		}
	}
	return starts
}

// edges finds what can follow each block.
type edges struct {
	f       *Func
	blockOf []int32      // by instruction
	seen    []int32      // by block: which source named it last, counted from 1; tables come after the blocks
	tables  map[*int]int // by the first target of a list: its number in Func.Tables
	ends    []bool       // by table: a target is the function's end
	leaves  []flowKind   // by block: how lanes can leave the function from its end
}

// blocks are the blocks at some targets, without repetitions; the function's end is not a block.
func (e *edges) blocks(source int, list []int, targets []int) []int {
	for _, t := range targets {
		if n := e.blockOf[t]; int(n) < len(e.f.Blocks) && e.seen[n] != int32(source)+1 {
			e.seen[n] = int32(source) + 1
			list = append(list, int(n))
		}
	}
	return list
}

// table gives the number of a list of targets that branches share, and says whether the function's end is among them.
func (e *edges) table(targets []int) (number int, ends bool) {
	number, ok := e.tables[&targets[0]]
	if !ok {
		number = len(e.f.Tables)
		e.tables[&targets[0]] = number
		e.f.Tables = append(e.f.Tables, e.blocks(len(e.f.Blocks)+number, nil, targets))
		e.ends = append(e.ends, slices.Contains(targets, len(e.f.Insts)))
	}
	return number, e.ends[number]
}

// link notes the blocks and tables that can follow block i; falling off the end leaves the function.
func (e *edges) link(i int) {
	f := e.f
	b := &f.Blocks[i]
	last := f.Insts[b.End-1]
	kind := flow(last)
	targets, succs := last.Targets(), b.succs[:0]
	leaves := false
	switch n := len(targets); {
	case n > 1:
		number, ends := e.table(targets)
		succs, leaves = append(succs, len(f.Blocks)+number), ends
	case n == 1:
		succs, leaves = e.blocks(i, succs, targets), targets[0] == len(f.Insts)
	}
	if kind == falls || last.Guard != nil {
		succs = e.blocks(i, succs, []int{b.End})
		leaves = leaves || b.End == len(f.Insts)
	}
	b.ways, b.RunsOut = uint8(len(succs)), leaves
	switch {
	case leaves || kind == returns:
		e.leaves[i] = returns
	case kind == ends:
		e.leaves[i] = ends
	}
}

// Nodes is the number of nodes of the control flow graph: blocks, then tables.
func (f *Func) Nodes() int { return len(f.Blocks) + len(f.Tables) }

// Next are the nodes that can follow a node.
func (f *Func) Next(node int) []int {
	if node < len(f.Blocks) {
		return f.Blocks[node].Succs()
	}
	return f.Tables[node-len(f.Blocks)]
}
