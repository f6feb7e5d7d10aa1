package emu

import (
	"warpscope/emu/count"
	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/emu/schedule"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Names of package gpu that are valid here too.
type (
	Addr         = gpu.Addr
	Allocation   = gpu.Allocation
	BarrierEvent = gpu.BarrierEvent
	Checks       = gpu.Checks
	Config       = gpu.Config
	Dim3         = gpu.Dim3
	Engine       = gpu.Engine
	EntryKind    = gpu.EntryKind
	Fault        = gpu.Fault
	FaultKind    = gpu.FaultKind
	Finding      = gpu.Finding
	Mask         = gpu.Mask
	MbarrierView = gpu.MbarrierView
	MemWrite     = gpu.MemWrite
	PopReason    = gpu.PopReason
	RegUse       = gpu.RegUse
	RegView      = gpu.RegView
	RegWrite     = gpu.RegWrite
	SharedVar    = gpu.SharedVar
	StackChange  = gpu.StackChange
	StackEntry   = gpu.StackEntry
	Stats        = gpu.Stats
	Step         = gpu.Step
	TensorWrite  = gpu.TensorWrite
	UndefinedUse = gpu.UndefinedUse
	WaitKind     = gpu.WaitKind
	WarpState    = gpu.WarpState
	WarpTable    = gpu.Warps
)

// Those of packages machine and count.
type (
	Account    = count.Account
	Live       = count.Live
	Device     = machine.Device
	Divergence = machine.Divergence
	Grid       = machine.Grid
	Model      = machine.Model
	Options    = machine.Options
	Snapshot   = machine.Snapshot
	WarpView   = machine.WarpView
	Seed       = schedule.Seed
)

// Values of package gpu.
const (
	AlwaysOn           = gpu.AlwaysOn
	AssertFail         = gpu.AssertFail
	BarrierDeadlock    = gpu.BarrierDeadlock
	DivergenceDeadlock = gpu.DivergenceDeadlock
	DivergentUniform   = gpu.DivergentUniform
	EndlessLoop        = gpu.EndlessLoop
	Exited             = gpu.Exited
	FullMask           = gpu.FullMask
	IllegalAddress     = gpu.IllegalAddress
	IllegalInstruction = gpu.IllegalInstruction
	Initcheck          = gpu.Initcheck
	KindBase           = gpu.KindBase
	KindBranch         = gpu.KindBranch
	KindCall           = gpu.KindCall
	KindReconv         = gpu.KindReconv
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
	ToGeneric          = gpu.ToGeneric
	ToShared           = gpu.ToShared
	Trap               = gpu.Trap
	UseAddress         = gpu.UseAddress
	UseGuard           = gpu.UseGuard
	UseStore           = gpu.UseStore
	UseTarget          = gpu.UseTarget
	UseValue           = gpu.UseValue
	WaitBarrier        = gpu.WaitBarrier
	WaitConverge       = gpu.WaitConverge
	WaitMembers        = gpu.WaitMembers
	WaitNone           = gpu.WaitNone
	WaitTurn           = gpu.WaitTurn
)

// Values of package machine: the divergence models, the engines, and what a warp waits for beside numbered barriers.
const (
	AtCluster   = machine.AtCluster
	AtGroup     = machine.AtGroup
	AtMbarrier  = machine.AtMbarrier
	AtTensor    = machine.AtTensor
	Auto        = machine.Auto
	Compiled    = gpu.EngineCompiled
	EngineAuto  = gpu.EngineAuto
	Independent = machine.Independent
	Interpreter = gpu.Interpreter
	Stack       = machine.Stack
	Frontier    = machine.Frontier
)

// ErrBreak is returned by RunFor before an instruction with a breakpoint, ErrMaxSteps when Config.MaxSteps is reached.
var (
	ErrBreak    = machine.ErrBreak
	ErrMaxSteps = gpu.ErrMaxSteps
)

// Models are the divergence models by their Divergence. Auto is the choice of one.
var Models = machine.Models

// Warps tells of all warps of a grid, at little cost.
func Warps(g *Grid) WarpTable { return machine.Warps(g) }

// StartOrder returns the place of a CTA in the order in which CTAs start.
func StartOrder(grid, cluster Dim3, index int) int { return gpu.StartOrder(grid, cluster, index) }

// ByTarget is the model of hardware with this compute capability, such as 70 for sm_70 (3.2).
func ByTarget(sm int) Divergence { return machine.ByTarget(sm) }

// Divergences are the models that a program can choose from, in the order of Models.
func Divergences() []Divergence { return machine.Divergences() }

// ModelNames are their names.
func ModelNames() []string { return machine.ModelNames() }

// ModelNamed finds the model of a name.
func ModelNamed(name string) (Divergence, bool) { return machine.ModelNamed(name) }

// EngineNames are the names of the engines by their Engine.
func EngineNames() []string { return gpu.EngineNames() }

// EngineNamed finds the engine of a name.
func EngineNamed(name string) (Engine, bool) { return gpu.EngineNamed(name) }

// Recorded says whether every recorded result of a form is ours bit for bit.
func Recorded(form string) bool { return num.Recorded(form) }

// Bound is the error that the manual allows an opcode, in words; "" where it leaves one answer.
func Bound(b *isa.Bound) string { return num.Bound(b) }

// LastAlive returns the tick of the last instruction of a CTA that has ended since the first call of LastAlive, where
// that is known.
func LastAlive(g *Grid, cta int) (tick int64, ok bool) { return machine.LastAlive(g, cta) }

// Observe has a grid call do before a warp executes one of these instructions, while RunFor and Step run; more than
// once for one tick if they begin there. do must not change the grid. The interpreter makes the whole run.
func Observe(g *Grid, insts map[*ptx.Inst]bool, do func(cta, warp int)) {
	machine.Observe(g, insts, do)
}

// BreakWhereWritten lets stops of Grid.SetBreaks pass that write none of size bytes at a generic address.
func BreakWhereWritten(g *Grid, at Addr, size int) { machine.BreakWhereWritten(g, at, size) }

// WarpHead is Grid.Warp without registers and undefined values, at little cost.
func WarpHead(g *Grid, cta, warp int) WarpView { return machine.WarpHead(g, cta, warp) }

// WarpAfter is Grid.Warp. It shares the values of registers that are as in an earlier view, if there is one.
func WarpAfter(g *Grid, cta, warp int, last *WarpView) WarpView {
	return machine.WarpAfter(g, cta, warp, last)
}

// Register returns the values of a register, of 128 bits the low half, in the function that Grid.Warp shows; nil when
// the CTA is not resident or the function does not use it.
func Register(g *Grid, cta, warp int, reg *ptx.Reg, elem int) *[32]uint64 {
	return machine.Register(g, cta, warp, reg, elem)
}

// LocalVar is the generic address of a .local or .param variable in the function that Grid.Warp shows; ok is false
// where that has no such variable.
func LocalVar(g *Grid, cta, warp int, v *ptx.Var) (at Addr, ok bool) {
	return machine.LocalVar(g, cta, warp, v)
}

// FirstPC is the pc of a function's first instruction; ok is false where the program has none.
func FirstPC(g *Grid, f *ptx.Func) (pc int, ok bool) {
	fn := g.Prog.ByFunc[f]
	if fn == nil || !f.Defined {
		return 0, false
	}
	return int(fn.Start), true
}

// Nops lists the instructions that lowering has turned into nothing, because an emulator has nothing to do for them.
func Nops(d *Device) (list []*ptx.Inst) {
	for i := range d.Prog.Code {
		if in := &d.Prog.Code[i]; in.Src != nil && in.Op == machine.OpNop {
			list = append(list, in.Src)
		}
	}
	return list
}
