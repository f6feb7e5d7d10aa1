package ptx

import "strings"

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
	exit := len(f.Blocks)
	blockOf[len(f.Insts)] = int32(exit)
	seen := make([]int32, exit)
	for i := range f.Blocks {
		f.Blocks[i].Succs = successors(f, i, blockOf, seen)
	}
	points := meetingPoints(f)
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
func meetingPoints(f *Func) []int {
	var departures []int
	for i := range f.Blocks {
		if leaves(f, &f.Blocks[i]) {
			departures = append(departures, i)
		}
	}
	points := postDominators(f, func(i int) bool { return leaves(f, &f.Blocks[i]) })
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
	preds := make([][]int, len(f.Blocks))
	for i := range f.Blocks {
		for _, s := range f.Blocks[i].Succs {
			preds[s] = append(preds[s], i)
		}
	}
	best, reach := -1, 0
	for _, d := range departures {
		seen := make([]bool, len(f.Blocks))
		seen[d] = true
		work := []int{d}
		n := 0
		for ; n < len(work); n++ {
			for _, p := range preds[work[n]] {
				if !seen[p] {
					seen[p] = true
					work = append(work, p)
				}
			}
		}
		if n >= reach {
			best, reach = d, n
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
	for i, in := range f.Insts {
		for _, t := range in.Targets {
			lead[t] = true
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

// successors are the blocks that can follow block i, without repetitions; falling off the end leaves the function.
// seen tells of each block which one named it last, counted from 1.
func successors(f *Func, i int, blockOf, seen []int32) []int {
	b := &f.Blocks[i]
	last := f.Insts[b.End-1]
	var succs []int
	add := func(target int) {
		if n := blockOf[target]; int(n) < len(f.Blocks) && seen[n] != int32(i)+1 {
			seen[n] = int32(i) + 1
			succs = append(succs, int(n))
		}
	}
	kind := flow(last)
	if kind == jumps {
		succs = make([]int, 0, len(last.Targets)+1)
		for _, t := range last.Targets {
			add(t)
		}
	}
	if kind == falls || last.Guard != nil {
		add(b.End)
	}
	return succs
}

// leaves says whether control can leave the function from the end of a block.
func leaves(f *Func, b *Block) bool {
	last := f.Insts[b.End-1]
	kind := flow(last)
	if kind == departs || b.End == len(f.Insts) && (kind == falls || last.Guard != nil) {
		return true
	}
	for _, t := range last.Targets {
		if t == len(f.Insts) {
			return true
		}
	}
	return false
}
