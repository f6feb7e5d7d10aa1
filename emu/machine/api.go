package machine

import (
	"warpscope/emu/schedule"
	"warpscope/gpu"
	"warpscope/ptx"
)

// Options are what a device is made with. The zero value is valid.
type Options struct {
	Divergence  Divergence
	Sanitize    gpu.Checks
	Engine      gpu.Engine
	MemoryLimit int64 // bytes of device memory; 0 means 1 GiB
	Counters    bool  // launches count what AccountOf returns, under the interpreter
	// Kernel is the only one that is launched; "": any. The functions that it cannot call are not lowered: of these, Load
	// reports only the instructions that no program can execute here, and calls of functions that do not exist.
	Kernel string
	// Schedule names another legal schedule than the usual one, which is 0. The interpreter executes it.
	Schedule schedule.Seed
}

// WarpView is a copy of one warp's state. It stays valid when the machine goes on.
type WarpView struct {
	CTA       Dim3
	CTAIndex  int
	Index     int
	Resident  bool // false when its CTA has not started or has ended: then only its identity, Ended and Model are set
	Ended     bool
	Model     Divergence // not Auto
	Present   Mask       // lanes that are threads: partial warps have fewer than 32
	Active    Mask       // lanes at the pc of the next instruction
	Exited    Mask
	Carry     Mask // CC.CF
	AtBarrier Mask
	BarrierID int              // 0 to 15, AtMbarrier, AtCluster, AtTensor or AtGroup
	Func      *ptx.Func        // of the next instruction
	Depth     int              // of that function's activation; see gpu.RegWrite
	PC        *ptx.Inst        // next instruction, nil when ended
	Stack     []gpu.StackEntry // top first
	Waits     []Wait           // for other warps
	// Undefined lists the values that the next instruction uses and that come from registers which the lane has never
	// written.
	Undefined []gpu.UndefinedUse
	Regs      []gpu.RegView // of the top entry's function, in order of first use
}

// Wait is lanes that wait for other warps, and the instruction at which they do.
type Wait struct {
	Lanes Mask
	In    *ptx.Inst
}

// Place is the instruction at which lanes are whose next instruction is next: the one at which they all wait for other
// warps, else that.
func (v *WarpView) Place(lanes Mask, next *ptx.Inst) *ptx.Inst {
	for _, w := range v.Waits {
		if lanes != 0 && lanes&^w.Lanes == 0 {
			return w.In
		}
	}
	return next
}

// Snapshot is a grid's whole state at a tick. It shares unchanged pages with the grid and with other snapshots.
type Snapshot struct {
	Tick  int64
	Bytes int64 // the memory that it takes
	state any
}
