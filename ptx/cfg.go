package ptx

import (
	"slices"
	"strings"
)

// buildCFG splits a function into basic blocks, finds their immediate post-dominators and gives each branch its
// reconvergence point. A call does not end a block: control comes back to the next instruction.
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
	e.leaves = make([]bool, len(f.Blocks))
	for i := range f.Blocks {
		f.Blocks[i].Succs = e.successors(i)
	}
	points := meetingPoints(f, e.leaves)
	for i := range f.Blocks {
		last := f.Insts[f.Blocks[i].End-1]
		if flow(last) == falls {
			continue
		}
		last.Reconv = len(f.Insts)
		if d := points[i]; d >= 0 {
			last.Reconv = f.Blocks[d].Start
		}
	}
}

// meetingPoints notes the immediate post-dominators and returns where lanes meet: there, but with early departures
// overlooked where they would leave a block without a meeting point. Lanes that return or exit early never come to one,
// so they are no reason for the others not to meet: `if (c) { if (d) exit; } …` meets behind the outer if.
func meetingPoints(f *Func, leaves []bool) []int {
	var departures []int
	for i, leaving := range leaves {
		if leaving {
			departures = append(departures, i)
		}
	}
	points := postDominators(f, func(i int) bool { return leaves[i] })
	for i, d := range points {
		f.Blocks[i].IPDom = d
	}
	if len(departures) < 2 {
		return points
	}
	last := mainDeparture(f, departures)
	for i, d := range postDominators(f, func(i int) bool { return i == last }) {
		if points[i] < 0 {
			points[i] = d
		}
	}
	return points
}

// mainDeparture is the departure that the most blocks can reach, the last of several. Of very many departures only the
// last few are looked at.
func mainDeparture(f *Func, departures []int) int {
	const most = 32
	if len(departures) > most {
		departures = departures[len(departures)-most:]
	}
	preds := make([][]int, f.Nodes())
	for i := range preds {
		for _, s := range f.Next(i) {
			preds[s] = append(preds[s], i)
		}
	}
	best, reach := -1, 0
	for _, d := range departures {
		seen := make([]bool, len(preds))
		seen[d] = true
		work := []int{d}
		blocks := 0
		for n := 0; n < len(work); n++ {
			if work[n] < len(f.Blocks) {
				blocks++
			}
			for _, p := range preds[work[n]] {
				if !seen[p] {
					seen[p] = true
					work = append(work, p)
				}
			}
		}
		if blocks >= reach {
			best, reach = d, blocks
		}
	}
	return best
}

// flowKind says how control leaves an instruction.
type flowKind uint8

const (
	falls   flowKind = iota // to the next instruction
	jumps                   // to its targets
	departs                 // out of the function
	stops                   // the grid: nobody waits for lanes that trap, so these are no way out of the function
)

func flow(in *Inst) flowKind {
	switch mnemonic, _, _ := strings.Cut(in.Opcode, "."); mnemonic {
	case "bra", "brx":
		return jumps
	case "ret", "exit":
		return departs
	case "trap":
		return stops
	}
	return falls
}

// leaders are the indexes at which blocks begin, ascending. Every target and everything behind a jump is one.
func leaders(f *Func) []int {
	lead := make([]bool, len(f.Insts)+1)
	lead[0] = true
	lists := map[*int]bool{} // branches share them
	for i, in := range f.Insts {
		if n := len(in.Targets); n > 0 && !(n > 1 && lists[&in.Targets[0]]) {
			for _, t := range in.Targets {
				lead[t] = true
			}
			if n > 1 {
				lists[&in.Targets[0]] = true
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
	leaves  []bool       // by block: control can leave the function from its end
}

// blocks are the blocks at some targets, without repetitions; the function's end is none.
func (e *edges) blocks(source int, list []int, targets []int) []int {
	for _, t := range targets {
		if n := e.blockOf[t]; int(n) < len(e.f.Blocks) && e.seen[n] != int32(source)+1 {
			e.seen[n] = int32(source) + 1
			list = append(list, int(n))
		}
	}
	return list
}

// table is the number of a list of targets that branches share, and whether the function's end is among them.
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

// successors are the blocks and tables that can follow block i; falling off the end leaves the function.
func (e *edges) successors(i int) []int {
	f := e.f
	b := &f.Blocks[i]
	last := f.Insts[b.End-1]
	kind := flow(last)
	var succs []int
	leaves := kind == departs
	switch n := len(last.Targets); {
	case n > 1:
		number, ends := e.table(last.Targets)
		succs, leaves = []int{len(f.Blocks) + number}, ends
	case n == 1:
		succs, leaves = e.blocks(i, make([]int, 0, 2), last.Targets), last.Targets[0] == len(f.Insts)
	}
	if kind == falls || last.Guard != nil {
		succs = e.blocks(i, succs, []int{b.End})
		leaves = leaves || b.End == len(f.Insts)
	}
	e.leaves[i] = leaves
	return succs
}

// Nodes is the number of nodes of the control flow graph: blocks, then tables.
func (f *Func) Nodes() int { return len(f.Blocks) + len(f.Tables) }

// Next are the nodes that can follow a node.
func (f *Func) Next(node int) []int {
	if node < len(f.Blocks) {
		return f.Blocks[node].Succs
	}
	return f.Tables[node-len(f.Blocks)]
}
