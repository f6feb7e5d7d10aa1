package emu

import (
	"errors"
	"strings"

	"warpscope/ptx"
)

// What the system gives a kernel besides its arguments. Programs get at it through special registers, and what they find
// there is between CUDA's driver and its cooperative groups: a word in global memory at which the CTAs of a grid meet,
// and shared memory for the groups of more than a warp.

// systemShared is the size of the shared memory that is reserved for system software (10.29). It is after the CTA's
// own; kernels that do not ask for it have none.
const systemShared = 1024

// workspaceSize is that of the grid's workspace, whose address is in %envreg1 (upper half) and %envreg2 (10.27): its own
// size, and the word of the barrier.
const workspaceSize = 8

// asks says whether the kernel, or a function that it may call, names a special register that begins like this.
func (g *Grid) asks(prefix string) bool {
	for _, fn := range g.reachable() {
		for i := range fn.consts {
			if c := &fn.consts[i]; c.kind == constSReg && strings.HasPrefix(c.sreg, prefix) {
				return true
			}
		}
	}
	return false
}

// placeWorkspace makes the grid's workspace for a kernel that asks for it.
func (g *Grid) placeWorkspace() (err error) {
	if !g.asks("%envreg1") || !g.asks("%envreg2") {
		return nil
	}
	if g.workspace, err = g.dev.reserve(workspaceSize, "the grid's workspace", ptx.GlobalSpace); err == nil {
		off := g.workspace - g.dev.win.global
		le.PutUint32(g.dev.arena.bytes[off:], workspaceSize)
		g.dev.shadow.wrote(uint32(off), workspaceSize)
	}
	return err
}

// sliceUnit is what the size of a CTA's slice of global memory is a multiple of (10.35).
const sliceUnit = 1024

// placeSlices makes the global memory of which each CTA of a kernel with .minperctamemory has a slice (11.4.10). The
// slices are in the order of the CTAs.
func (g *Grid) placeSlices() (err error) {
	least := g.entry.src.MinPerCTAMemory
	if least == 0 {
		return nil
	}
	const what = "the memory that CTAs have of their own"
	g.sliceSize = alignUp(least, sliceUnit)
	if g.stats.CTAs > g.dev.arena.limit/g.sliceSize {
		return errors.New(g.noMemory(what))
	}
	g.slices, err = g.dev.reserve(g.sliceSize*g.stats.CTAs, what, ptx.GlobalSpace)
	return err
}

// sharedUnit is the unit in which shared memory is given out, in bytes (10.30).
func (g *Grid) sharedUnit() int64 {
	if sm := g.prog.mod.SM; sm >= 30 && sm < 80 {
		return 256
	}
	return 128
}

// reservedShared is where the reserved shared memory begins.
func (g *Grid) reservedShared() int64 { return alignUp(g.userShared, g.sharedUnit()) }

// systemSReg is the value of a special register that tells of the system.
func (g *Grid) systemSReg(name string) uint64 {
	switch name {
	case "%envreg1":
		return g.workspace >> 32
	case "%envreg2":
		return g.workspace & 0xffffffff
	case "%perctamemorysize":
		return uint64(g.sliceSize)
	case "%reserved_smem_offset_begin", "%reserved_smem_offset_0":
		return uint64(g.reservedShared())
	case "%reserved_smem_offset_1":
		return uint64(g.reservedShared() + systemShared/2)
	case "%reserved_smem_offset_end":
		return uint64(g.reservedShared() + systemShared)
	case "%reserved_smem_offset_cap":
		return systemShared
	}
	return 0 // %smid, %tid.w and its like, other %envreg, %current_graph_exec
}
