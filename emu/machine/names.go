package machine

import (
	"warpscope/gpu"
)

// These names of package gpu are valid here, too.

type (
	Addr         = gpu.Addr
	Allocation   = gpu.Allocation
	BarrierEvent = gpu.BarrierEvent
	Checks       = gpu.Checks
	Config       = gpu.Config
	Dim3         = gpu.Dim3
	Fault        = gpu.Fault
	FaultKind    = gpu.FaultKind
	Finding      = gpu.Finding
	Mask         = gpu.Mask
	MbarrierView = gpu.MbarrierView
	MemWrite     = gpu.MemWrite
	RegUse       = gpu.RegUse
	RegView      = gpu.RegView
	RegWrite     = gpu.RegWrite
	SharedVar    = gpu.SharedVar
	StackChange  = gpu.StackChange
	StackEntry   = gpu.StackEntry
	Stats        = gpu.Stats
	Step         = gpu.Step
	UndefinedUse = gpu.UndefinedUse
)

// FullMask is all 32 lanes.
const FullMask = gpu.FullMask

// Why an entry is on the SIMT stack, and why lanes do not run now.
const (
	KindBase   = gpu.KindBase
	KindReconv = gpu.KindReconv
	KindBranch = gpu.KindBranch
	KindCall   = gpu.KindCall

	WaitNone     = gpu.WaitNone
	WaitTurn     = gpu.WaitTurn
	WaitConverge = gpu.WaitConverge
	WaitMembers  = gpu.WaitMembers
	WaitBarrier  = gpu.WaitBarrier
)

// The checks, the kinds of faults, the reasons to pop an entry of the SIMT stack, and the uses of a register.
const (
	AlwaysOn           = gpu.AlwaysOn
	AssertFail         = gpu.AssertFail
	BarrierDeadlock    = gpu.BarrierDeadlock
	DivergenceDeadlock = gpu.DivergenceDeadlock
	DivergentUniform   = gpu.DivergentUniform
	EndlessLoop        = gpu.EndlessLoop
	Exited             = gpu.Exited
	IllegalAddress     = gpu.IllegalAddress
	IllegalInstruction = gpu.IllegalInstruction
	Initcheck          = gpu.Initcheck
	Memcheck           = gpu.Memcheck
	Misaligned         = gpu.Misaligned
	OutOfBounds        = gpu.OutOfBounds
	Racecheck          = gpu.Racecheck
	Reached            = gpu.Reached
	Replaced           = gpu.Replaced
	Returned           = gpu.Returned
	SpinDeadlock       = gpu.SpinDeadlock
	StackOverflow      = gpu.StackOverflow
	Synccheck          = gpu.Synccheck
	Trap               = gpu.Trap
	UseAddress         = gpu.UseAddress
	UseGuard           = gpu.UseGuard
	UseStore           = gpu.UseStore
	UseTarget          = gpu.UseTarget
	UseValue           = gpu.UseValue
)

// ErrMaxSteps is what Run returns when Config.MaxSteps is reached.
var ErrMaxSteps = gpu.ErrMaxSteps
