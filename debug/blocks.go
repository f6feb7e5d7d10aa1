package debug

import (
	"sort"
	"strconv"

	"warpscope/ptx"
)

// CodeBlock is a basic block of a function.
type CodeBlock struct {
	Name        string // its label, "entry" where a kernel begins, or the number of its first line
	First, Last int    // lines
	Colour      int    // its number among colours, of which there can be fewer
	start, end  int32  // its instructions, in Code's numbering
}

// Code numbers the instructions of a module, function by function, and knows which basic block each is in.
type Code struct {
	Blocks []CodeBlock
	Lines  []int // of the instructions
	number map[*ptx.Inst]int32
}

// NewCode numbers the instructions of a module.
func NewCode(m *ptx.Module) *Code {
	c := &Code{number: map[*ptx.Inst]int32{}}
	for place, f := range m.Funcs {
		base := int32(len(c.Lines))
		for i, in := range f.Insts {
			c.number[in] = base + int32(i)
			c.Lines = append(c.Lines, m.Position(int(in.Span.Start)).Line)
		}
		for i := range f.Blocks {
			b := &f.Blocks[i]
			at := CodeBlock{First: c.Lines[int(base)+b.Start], Last: c.Lines[int(base)+b.End-1],
				start: base + int32(b.Start), end: base + int32(b.End)}
			at.Name, at.Colour = blockName(f, i, at.First), FirstColour(f, place)+i
			c.Blocks = append(c.Blocks, at)
		}
	}
	return c
}

// FirstColour is the number of the colour of a function's first block; those of the others follow. A kernel's is 0. The
// place of another function in its module gives another one, so that calls are seen.
func FirstColour(f *ptx.Func, place int) int {
	if f.Entry {
		return 0
	}
	return 3 * (place + 1)
}

func blockName(f *ptx.Func, i, line int) string {
	for _, l := range f.Labels {
		if l.Target == f.Blocks[i].Start {
			return l.Name
		}
	}
	switch {
	case i > 0:
		return strconv.Itoa(line)
	case f.Entry:
		return "entry"
	}
	return ptx.DisplayName(f.Name)
}

// Block is the number of the block that an instruction is in; -1 for none.
func (c *Code) Block(at int32) int {
	i := sort.Search(len(c.Blocks), func(i int) bool { return at < c.Blocks[i].end })
	if at < 0 || i == len(c.Blocks) {
		return -1
	}
	return i
}

// Line is the line of an instruction, 0 for none.
func (c *Code) Line(at int32) int {
	if at < 0 || int(at) >= len(c.Lines) {
		return 0
	}
	return c.Lines[at]
}

// at is the number of an instruction of a function. The return at a function's end, which the text does not have,
// counts as the last one of its text.
func (c *Code) at(f *ptx.Func, in *ptx.Inst) int32 {
	if in == nil && f != nil && len(f.Insts) > 0 {
		in = f.Insts[len(f.Insts)-1]
	}
	if n, ok := c.number[in]; ok {
		return n
	}
	return -1
}
