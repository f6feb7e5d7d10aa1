package machine

import (
	"warpscope/ptx"
)

// Engine chooses how instructions are executed.
type Engine uint8

// The engines. There is one so far.
const (
	EngineAuto Engine = iota
	Interpreter
)

// Options of a device.
type Options struct {
	Divergence  Divergence
	Sanitize    Checks
	Engine      Engine
	MemoryLimit int64 // bytes of device memory, 0 = 1 GiB
}

// WarpView is a copy of one warp's state; it stays valid when the machine moves on.
type WarpView struct {
	CTA       Dim3
	CTAIndex  int
	Index     int
	Resident  bool // false: its CTA has not started or has ended, and only the identity is meaningful
	Ended     bool
	Model     Divergence // not Auto
	Present   Mask       // lanes that are threads: partial warps have fewer than 32
	Active    Mask       // lanes at the pc of the next instruction
	Exited    Mask
	AtBarrier Mask
	BarrierID int          // 0 to 15, AtMbarrier, AtCluster, AtTensor or AtGroup
	Func      *ptx.Func    // of the next instruction
	PC        *ptx.Inst    // next instruction, nil when ended
	Stack     []StackEntry // top first
	// what the next instruction is to use that comes from registers which lanes have never written
	Undefined []UndefinedUse
	Regs      []RegView // of the function of the top entry, in order of first use
}

// Snapshot is a grid's whole state at a tick. It shares unchanged pages with the grid and other snapshots.
type Snapshot struct {
	Tick  int64
	Bytes int64 // what it costs
	state any
}
