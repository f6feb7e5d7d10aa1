package machine

import (
	"slices"
	"sort"
)

// Basic blocks of lowered code are those of ptx.Func, by the same numbers, and one more: the last block is the return
// at function.end, to which control comes that runs over the end of the body.

// Blocks is the number of a function's basic blocks. A function starts with block 0.
func (fn *Function) Blocks() int { return len(fn.Src.Blocks) + 1 }

// Block is the number of the basic block that an instruction is in.
func (fn *Function) Block(pc int32) int {
	blocks, at := fn.Src.Blocks, int(pc-fn.Start)
	return sort.Search(len(blocks), func(b int) bool { return at < blocks[b].End })
}

// Bounds are the pcs of a block's first instruction and of the one after its last.
func (fn *Function) Bounds(block int) (start, end int32) {
	if block == len(fn.Src.Blocks) {
		return fn.End, fn.End + 1
	}
	b := &fn.Src.Blocks[block]
	return fn.Start + int32(b.Start), fn.Start + int32(b.End)
}

// Succs are the blocks that can follow a block, without repetitions: none where lanes leave the function.
func (fn *Function) Succs(block int) (list []int) {
	last := len(fn.Src.Blocks)
	if block == last {
		return nil
	}
	for _, node := range fn.Src.Next(block) {
		switch {
		case node >= last: // the table of a brx.idx
			list = append(list, fn.Src.Next(node)...)
		case !slices.Contains(list, node): // the table may name the next block too
			list = append(list, node)
		}
	}
	if fn.Src.Blocks[block].RunsOut {
		list = append(list, last)
	}
	return list
}
