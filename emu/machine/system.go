package machine

import (
	"errors"
	"strings"

	"warpscope/emu/mem"
)

// The system gives a kernel more than its arguments. Programs reach it through special registers. What they find is an
// agreement between CUDA's driver and its cooperative groups: a word in global memory at which the CTAs of a grid meet,
// and shared memory for groups that are larger than a warp.

// SystemShared is the size in bytes of the shared memory that is reserved for system software (10.29). It is after the
// CTA's own shared memory; a kernel that does not ask for it has none.
const SystemShared = 1024

// workspaceSize is the size in bytes of the grid's workspace, whose address is in %envreg1 (upper half) and %envreg2
// (10.27). The workspace holds its own size, and the word of the barrier.
const workspaceSize = 8

// asksFor says whether the kernel, or a function that it can call, names a special register that begins with prefix.
func asksFor(g *Grid, prefix string) bool {
	for _, fn := range reachable(g) {
		for i := range fn.Consts {
			if c := &fn.Consts[i]; c.Kind == ConstSReg && strings.HasPrefix(c.SReg, prefix) {
				return true
			}
		}
	}
	return false
}

// placeWorkspace reserves the grid's workspace for a kernel that asks for it.
func placeWorkspace(g *Grid) (err error) {
	if !asksFor(g, "%envreg1") || !asksFor(g, "%envreg2") {
		return nil
	}
	if g.workspace, err = g.Dev.Reserve(workspaceSize, "the grid's workspace", mem.Global); err == nil {
		off := g.Mem.Off(g.workspace)
		ByteOrder.PutUint32(g.Mem.Bytes(off, workspaceSize), workspaceSize)
		g.Dev.Shadow.Wrote(off, workspaceSize)
	}
	return err
}

// sliceUnit divides the size of a CTA's slice of global memory, in bytes (10.35).
const sliceUnit = 1024

// placeSlices reserves global memory for a kernel with .minperctamemory: a slice for each CTA (11.4.10), in the order
// of the CTAs.
func (g *Grid) placeSlices() (err error) {
	least := g.Entry.Src.MinPerCTAMemory
	if least == 0 {
		return nil
	}
	const what = "the memory that CTAs have of their own"
	g.sliceSize = AlignUp(least, sliceUnit)
	if g.Counters.CTAs > g.Mem.Limit()/g.sliceSize {
		return errors.New(g.NoMemory(what))
	}
	g.slices, err = g.Dev.Reserve(g.sliceSize*g.Counters.CTAs, what, mem.Global)
	return err
}

// sharedUnit returns the unit in which shared memory is given out, in bytes (10.30).
func sharedUnit(g *Grid) int64 {
	if sm := g.Prog.Mod.SM; sm >= 30 && sm < 80 {
		return 256
	}
	return 128
}

// reservedShared returns the offset at which the reserved shared memory begins.
func reservedShared(g *Grid) int64 { return AlignUp(g.userShared, sharedUnit(g)) }

// systemSReg returns the value of a special register that describes the system.
func (g *Grid) systemSReg(name string) uint64 {
	switch name {
	case "%envreg1":
		return g.workspace >> 32
	case "%envreg2":
		return g.workspace & 0xffffffff
	case "%perctamemorysize":
		return uint64(g.sliceSize)
	case "%reserved_smem_offset_begin", "%reserved_smem_offset_0":
		return uint64(reservedShared(g))
	case "%reserved_smem_offset_1":
		return uint64(reservedShared(g) + SystemShared/2)
	case "%reserved_smem_offset_end":
		return uint64(reservedShared(g) + SystemShared)
	case "%reserved_smem_offset_cap":
		return SystemShared
	}
	return 0 // %smid, %tid.w and its like, other %envreg, %current_graph_exec
}
