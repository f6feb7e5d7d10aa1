package emu

// count is how often a grid has executed an instruction of its program.
type count struct {
	each  int64 // executions, but for those that lines counts
	lines int64 // executions of the whole straight line that begins here
}

// counted is the executions of each instruction.
func (g *Grid) counted() []int64 {
	list := make([]int64, len(g.counts))
	whole := int64(0)
	for pc, n := range g.counts {
		whole += n.lines
		list[pc] = n.each + whole
		if g.prog.code[pc].line <= 1 {
			whole = 0
		}
	}
	return list
}

func countEach(counts []count) {
	for i := range counts {
		counts[i].each++
	}
}
