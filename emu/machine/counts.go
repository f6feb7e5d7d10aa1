package machine

// Count is how often a grid has executed an instruction of its program.
type Count struct {
	each  int64 // executions, but for those that lines counts
	lines int64 // executions of the whole straight line that begins here
}

// Counted is the executions of each instruction.
func (g *Grid) Counted() []int64 {
	list := make([]int64, len(g.Counts))
	whole := int64(0)
	for pc, n := range g.Counts {
		whole += n.lines
		list[pc] = n.each + whole
		if g.Prog.Code[pc].Line <= 1 {
			whole = 0
		}
	}
	return list
}

func countEach(counts []Count) {
	for i := range counts {
		counts[i].each++
	}
}
