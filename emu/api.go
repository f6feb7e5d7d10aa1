package emu

import (
	"errors"

	"warpscope/gpu"
	"warpscope/ptx"
)

// Addr is a generic device address (6.4.1.1).
type Addr = uint64

// What package gpu has of a warp's lanes.
type (
	Mask      = gpu.Mask
	EntryKind = gpu.EntryKind
	WaitKind  = gpu.WaitKind
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

// Dim3 is a shape or an index in up to three dimensions.
type Dim3 struct{ X, Y, Z int }

// Checks is a set of sanitizers. Memcheck and Synccheck are always on; the others cost time and memory (see shadow.go).
type Checks uint8

// The sanitizers.
const (
	Memcheck Checks = 1 << iota
	Racecheck
	Initcheck
	Synccheck

	AlwaysOn = Memcheck | Synccheck
)

// Engine chooses how instructions are executed.
type Engine uint8

// The engines. EngineAuto and Interpreter are the same until a compiled engine is here; JIT is refused by Load.
const (
	EngineAuto Engine = iota
	Interpreter
	JIT
)

// Options of a device.
type Options struct {
	Divergence  Divergence
	Sanitize    Checks
	Engine      Engine
	MemoryLimit int64 // bytes of device memory, 0 = 1 GiB
}

// Config describes one launch of a kernel.
type Config struct {
	Entry       string
	Grid, Block Dim3 // zero components count as 1
	Cluster     Dim3
	SharedBytes int      // dynamic shared memory per CTA
	Args        [][]byte // one per kernel parameter, little-endian, exactly the parameter's size
	MaxSteps    int64    // warp instructions; 0 = no limit
}

// Stats are counters of a grid so far.
type Stats struct {
	WarpInstructions  int64
	LaneInstructions  int64 // warp instructions times active lanes; a lane whose guard is false counts as active
	Branches          int64
	DivergentBranches int64
	Barriers          int64 // warp arrivals
	Threads           int64 // of the whole grid
	CTAs, CTAsDone    int64
}

// ErrMaxSteps is returned by Run when Config.MaxSteps is reached.
var ErrMaxSteps = errors.New("the step limit is reached")

// FaultKind classifies a fault at run time.
type FaultKind string

// The fault kinds; launch headers name them by these words.
const (
	OutOfBounds        FaultKind = "OutOfBounds"        // outside every allocation
	Misaligned         FaultKind = "Misaligned"         // address is not a multiple of the access size
	IllegalAddress     FaultKind = "IllegalAddress"     // in no window, or a window that the access may not use
	Trap               FaultKind = "Trap"               // trap
	AssertFail         FaultKind = "AssertFail"         // __assertfail
	BarrierDeadlock    FaultKind = "BarrierDeadlock"    // a barrier that can never complete
	DivergenceDeadlock FaultKind = "DivergenceDeadlock" // lanes of one warp wait for each other
	SpinDeadlock       FaultKind = "SpinDeadlock"       // lanes spin forever on memory that no remaining thread can change
	EndlessLoop        FaultKind = "EndlessLoop"        // a loop without an end: it looks at nothing that could change
	StackOverflow      FaultKind = "StackOverflow"      // calls too deep, or no local memory for them
	IllegalInstruction FaultKind = "IllegalInstruction" // undefined use: brx.idx out of range, a call that does not fit
	DivergentUniform   FaultKind = "DivergentUniform"   // .uni branch or call whose lanes disagree
)

// Fault is a guest fault. It implements error: one line that says what, where and who.
type Fault struct {
	Kind   FaultKind
	Pos    ptx.Position
	CTA    Dim3
	Warp   int
	Lanes  Mask
	Space  string // ".global", ".shared", … or "" when no address is involved
	Addr   Addr
	Size   int
	Detail string // what more is known: nearest allocation, who waits for whom
	Inst   *ptx.Inst
}

// Finding is something that a program should not do, but that does not stop it. As Synccheck: masks of warp
// operations that name lanes which cannot come, aligned barriers in divergence, registers of lanes that take no part, and
// accesses that an asynchronous copy is still to make; as Memcheck: division by zero, and addresses converted to a space
// that they are not of; as Racecheck: conflicting accesses that nothing orders; as Initcheck: reads of memory that nothing
// has written, and of registers that the lane has not written, where they decide something.
type Finding struct {
	Check   Checks
	Message string
	Pos     ptx.Position
	Other   ptx.Position // of the other witness, if there is one: the copy, or the store
	Section string       // of the manual
	CTA     Dim3
}

// StackEntry is one entry of the SIMT stack, as shown to people. Under independent scheduling it is a group of lanes, or
// a convergence barrier for which lanes wait. PC and RPC are nil past a function's end.
type StackEntry struct {
	Kind  EntryKind
	Func  *ptx.Func
	PC    *ptx.Inst // next instruction of these lanes
	RPC   *ptx.Inst // reconvergence point; nil: none before the function's end
	Mask  Mask
	Cause *ptx.Inst // the instruction that pushed it; nil for the base
	Wait  WaitKind
	For   Mask // lanes that it waits for
}

// StackChange is one push or pop, in order.
type StackChange struct {
	Push  bool
	Why   PopReason // of a pop
	Entry StackEntry
}

// PopReason says why an entry left the stack.
type PopReason uint8

// The reasons to pop.
const (
	Reached  PopReason = iota // its lanes are where it meets others
	Replaced                  // its lanes have branched apart; the entries of the sides take its place
	Returned                  // the last of its lanes have returned from the function
	Exited                    // the last of its lanes have exited
)

func (r PopReason) String() string {
	return [...]string{"reached", "replaced", "returned", "exited"}[r]
}

// RegWrite is a change of one register (or one component of a vector register) in some lanes.
type RegWrite struct {
	Reg          *ptx.Reg
	Elem         int
	Lanes        Mask // lanes written, whether or not the value changed
	Old, New     [32]uint64
	OldHi, NewHi *[32]uint64 // upper halves of 128-bit registers, else nil
}

// RegUse is what an instruction does with a register.
type RegUse uint8

// The uses. All but UseValue decide something.
const (
	UseValue   RegUse = iota // an operand like others
	UseAddress               // part of an address
	UseGuard                 // a guard predicate
	UseTarget                // of brx.idx or an indirect call
	UseStore                 // what is stored
)

// UndefinedUse is an undefined value that decides something: it comes from a register which the lane has never written.
type UndefinedUse struct {
	Reg      *ptx.Reg
	Elem     int // component of a vector register, or -1
	Use      RegUse
	Lanes    Mask
	From     *ptx.Reg // the register that was never written, and the instruction that read it
	FromElem int
	Origin   *ptx.Inst
}

// MemWrite is one store by one lane.
type MemWrite struct {
	Space    ptx.Space
	Addr     Addr // generic
	Lane     int
	Old, New []byte
}

// BarrierEvent is what a barrier instruction did.
type BarrierEvent struct {
	ID       int
	Arrived  int  // threads that have arrived, this warp included
	Expected int  // threads that complete it
	Done     bool // this arrival completed it
}

// Step is the record of one warp instruction's effects.
type Step struct {
	Tick      int64 // warp instructions executed before this one
	CTA       Dim3
	CTAIndex  int // linear, x fastest
	Warp      int // in the CTA
	Func      *ptx.Func
	Inst      *ptx.Inst
	Active    Mask // lanes at this pc
	Exec      Mask // active lanes whose guard is true: the ones that executed it
	Regs      []RegWrite
	Mem       []MemWrite
	Stack     []StackChange
	Taken     Mask // branches: lanes that jumped
	Exited    Mask // lanes that ended
	Waits     Mask // lanes that came to a warp operation and wait there for others
	Barrier   *BarrierEvent
	Mbarriers []MbarrierView // the objects it looked at or changed, as they are now
	Tensor    []TensorWrite  // what changed in tensor memory
	Undefined []UndefinedUse // what lanes used that comes from registers they have never written
	Output    string         // what it printed
	Fault     *Fault
	Done      bool // the grid has ended
}

// RegView is one register of a warp: values of all 32 lanes (lanes that never wrote it read zero).
type RegView struct {
	Reg     *ptx.Reg
	Elem    int  // component of a vector register, or -1
	Written Mask // lanes that have written it
	Lo      [32]uint64
	Hi      *[32]uint64 // upper halves of 128-bit registers
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
	BarrierID int            // 0 to 15, AtMbarrier, AtCluster, AtTensor or AtGroup
	Func      *ptx.Func      // of the next instruction
	PC        *ptx.Inst      // next instruction, nil when ended
	Stack     []StackEntry   // top first
	Undefined []UndefinedUse // what the next instruction is to use that comes from registers which lanes have never written
	Regs      []RegView      // of the function of the top entry, in order of first use
}

// Snapshot is a grid's whole state at a tick. It shares unchanged pages with the grid and other snapshots.
type Snapshot struct {
	Tick  int64
	Bytes int64 // what it costs
	state any
}
