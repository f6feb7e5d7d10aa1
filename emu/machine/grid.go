package machine

import (
	"warpscope/gpu"
)

// Done says whether the grid has ended.
func (g *Grid) Done() bool { return g.State.finished }

// Tick returns the number of warp instructions executed so far.
func (g *Grid) Tick() int64 { return g.State.Tick }

// Stats returns the counters so far.
func (g *Grid) Stats() gpu.Stats {
	s := g.Counters
	for pc, n := range g.Counted() {
		if g.Prog.Code[pc].Op.Branches() {
			s.Branches += n
		}
	}
	return s
}

// Counted returns how often each instruction has been executed, by pc.
func (g *Grid) Counted() []int64 {
	flush(g)
	list := make([]int64, len(g.Counts))
	whole := int64(0)
	for pc, n := range g.Counts {
		whole += n.Lines
		list[pc] = n.Each + whole
		if g.Prog.Code[pc].Line <= 1 {
			whole = 0
		}
	}
	return list
}

// cta returns a CTA that is resident, or the last CTA of an ended grid; nil for all others.
func (g *Grid) cta(index int) *CTA {
	for _, c := range g.State.CTAs {
		if c.Index == index {
			return c
		}
	}
	if c := g.State.last; c != nil && c.Index == index {
		return c
	}
	return nil
}

// Output returns what the kernel has printed so far.
func (g *Grid) Output() []byte { return g.Printed }

// Findings lists the findings so far, one for each instruction and cause.
func (g *Grid) Findings() (list []gpu.Finding) {
	for _, f := range g.findings {
		list = append(list, f.Finding)
	}
	return list
}

// Next returns the warp that executes the next warp instruction: its CTA's linear index and its index in the CTA. ok is
// false when there is none.
func (g *Grid) Next() (cta, warp int, ok bool) {
	if g.State.finished || g.Fault != nil && len(g.State.CTAs) == 0 {
		return 0, 0, false
	}
	c := g.State.CTAs[g.State.Cur]
	return c.Index, c.Cur, true
}

// Turns returns the ticks at which a warp was about to execute the last two of its instructions; -1 stands for none. ok
// is false when its CTA is not resident.
func (g *Grid) Turns(cta, warp int) (prev, last int64, ok bool) {
	c := g.cta(cta)
	if c == nil || warp >= len(c.Warps) {
		return -1, -1, false
	}
	return c.Warps[warp].prev - 1, c.Warps[warp].last - 1, true
}

// LineCounts returns how many warp instructions were executed so far in each line of the text, up to the last one that
// has an instruction. Lines count from 1.
func (g *Grid) LineCounts() []int64 {
	counts := make([]int64, 1, 1+g.line(len(g.Prog.Code)-1))
	for pc, n := range g.Counted() {
		counts = append(counts, make([]int64, max(0, g.line(pc)+1-len(counts)))...)
		counts[g.line(pc)] += n
	}
	counts[0] = 0 // of what is in no line
	return counts
}

// line returns the line of the text that the instruction at a pc is in; 0 stands for none.
func (g *Grid) line(pc int) int {
	for i := len(g.lines); i <= pc; i++ { // each is looked up once
		if g.lines = append(g.lines, 0); g.Prog.Code[i].Src != nil {
			g.lines[i] = int32(g.Position(g.Prog.Code[i].Src).Line)
		}
	}
	return int(g.lines[pc])
}

// countEach counts one execution of each instruction of a part of a straight line.
func countEach(counts []Count) {
	for i := range counts {
		counts[i].Each++
	}
}

// reachable lists the entry and all functions that it can call, in a fixed order.
func reachable(g *Grid) []*Function {
	seen := map[*Function]bool{}
	var list []*Function
	all := false // whether the functions that an indirect call can reach are in the list
	var visit func(f *Function)
	visit = func(f *Function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		list = append(list, f)
		for _, c := range f.Callees {
			visit(c)
		}
		if f.Indirect && !all {
			all = true
			for _, c := range g.Prog.Funcs {
				if !c.Src.Entry {
					visit(c)
				}
			}
		}
	}
	visit(g.Entry)
	return list
}

// OwnerOfShared returns the resident CTA whose shared memory has an arena offset, or nil.
func OwnerOfShared(g *Grid, at uint32) *CTA {
	for _, c := range g.State.CTAs {
		if at-c.SharedOff < uint32(c.SharedSize) {
			return c
		}
	}
	return nil
}
