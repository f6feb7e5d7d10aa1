package emu

import (
	"slices"
	"sort"
)

// Basic blocks of lowered code are those of ptx.Func, by the same numbers, and one more: the last block is the return
// at function.end, to which control comes that runs over the end of the body.

// blocks is the number of a function's basic blocks. A function starts with block 0.
func (fn *function) blocks() int { return len(fn.src.Blocks) + 1 }

// block is the number of the basic block that an instruction is in.
func (fn *function) block(pc int32) int {
	blocks, at := fn.src.Blocks, int(pc-fn.start)
	return sort.Search(len(blocks), func(b int) bool { return at < blocks[b].End })
}

// bounds are the pcs of a block's first instruction and of the one after its last.
func (fn *function) bounds(block int) (start, end int32) {
	if block == len(fn.src.Blocks) {
		return fn.end, fn.end + 1
	}
	b := &fn.src.Blocks[block]
	return fn.start + int32(b.Start), fn.start + int32(b.End)
}

// succs are the blocks that can follow a block, without repetitions: none where lanes leave the function.
func (fn *function) succs(block int) (list []int) {
	last := len(fn.src.Blocks)
	if block == last {
		return nil
	}
	for _, node := range fn.src.Next(block) {
		switch {
		case node >= last: // the table of a brx.idx
			list = append(list, fn.src.Next(node)...)
		case !slices.Contains(list, node): // the table may name the next block too
			list = append(list, node)
		}
	}
	if fn.src.Blocks[block].RunsOut {
		list = append(list, last)
	}
	return list
}
