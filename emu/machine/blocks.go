package machine

import (
	"slices"
	"sort"
)

// The basic blocks of lowered code are those of ptx.Func, with the same numbers. One is added: the last block is the
// return at Function.End, where lanes come that run past the end of the body.

// Blocks returns how many basic blocks a function has. A function starts with block 0.
func (fn *Function) Blocks() int { return len(fn.Src.Blocks) + 1 }

// Block returns the number of the basic block that an instruction is in.
func (fn *Function) Block(pc int32) int {
	blocks, at := fn.Src.Blocks, int(pc-fn.Start)
	return sort.Search(len(blocks), func(b int) bool { return at < blocks[b].End })
}

// Bounds returns the pc of a block's first instruction, and the pc after its last.
func (fn *Function) Bounds(block int) (start, end int32) {
	if block == len(fn.Src.Blocks) {
		return fn.End, fn.End + 1
	}
	b := &fn.Src.Blocks[block]
	return fn.Start + int32(b.Start), fn.Start + int32(b.End)
}

// Succs lists the blocks that can follow a block, each once. A block where lanes leave the function has none.
func (fn *Function) Succs(block int) (list []int) {
	last := len(fn.Src.Blocks)
	if block == last {
		return nil
	}
	for _, node := range fn.Src.Next(block) {
		switch {
		case node >= last: // the table of a brx.idx
			list = append(list, fn.Src.Next(node)...)
		case !slices.Contains(list, node): // the table can name the next block, too
			list = append(list, node)
		}
	}
	if fn.Src.Blocks[block].RunsOut {
		list = append(list, last)
	}
	return list
}
