package gpu

import "warpscope/ptx"

// StackEntry is one entry of the SIMT stack, as people see it. Under independent scheduling it is a group of lanes, or
// a convergence barrier at which lanes wait. PC and RPC are nil past a function's end.
type StackEntry struct {
	Kind  EntryKind
	Func  *ptx.Func
	PC    *ptx.Inst // next instruction of these lanes
	RPC   *ptx.Inst // reconvergence point; nil: none before the function's end
	Mask  Mask
	Cause *ptx.Inst // the instruction that pushed it; nil for the base
	Wait  WaitKind
	For   Mask // the lanes that it waits for
}

// StackChange is one push or pop. A step lists them in order.
type StackChange struct {
	Push  bool
	Why   PopReason // for a pop
	Entry StackEntry
}

// PopReason says why an entry left the stack.
type PopReason uint8

// The reasons to pop.
const (
	Reached  PopReason = iota // its lanes have come to the reconvergence point
	Replaced                  // its lanes have branched apart, and the entries of the sides take its place
	Returned                  // its last lanes have returned from the function
	Exited                    // its last lanes have exited
)

func (r PopReason) String() string {
	return [...]string{"reached", "replaced", "returned", "exited"}[r]
}

// RegWrite is a change of one register, or of one component of a vector register, in some lanes.
type RegWrite struct {
	Reg          *ptx.Reg
	Elem         int
	Depth        int  // of the function's activation: 1 for the kernel's, 2 for one that the kernel has called
	Lanes        Mask // lanes written, whether or not the value changed
	Known        Mask // of these, the lanes that have written it before; in others Old means nothing
	Old, New     [32]uint64
	OldHi, NewHi *[32]uint64 // upper halves of 128-bit registers, else nil
	From         []Place     // where a call or a ret has taken the value; nil: the instruction's operands make it
}

// Place is where a value is that a step passes on: a register, or memory. A constant has neither.
type Place struct {
	Reg  *ptx.Reg
	Elem int
	Addr Addr     // generic; 0: no memory
	Size int      // bytes of memory
	Var  *ptx.Var // the .param variable that begins there, or nil
}

// RegUse is what an instruction does with a register.
type RegUse uint8

// The uses. Each but UseValue decides something.
const (
	UseValue   RegUse = iota // an operand like others
	UseAddress               // part of an address
	UseGuard                 // a guard predicate
	UseTarget                // of brx.idx or an indirect call
	UseStore                 // a value that is stored
)

// Does says in words what lanes do with an undefined value.
func (u RegUse) Does(lanes Mask) string {
	switch u {
	case UseAddress:
		return Verb(lanes, "takes", "take") + " an address from"
	case UseGuard:
		return Verb(lanes, "asks", "ask") + " the guard"
	case UseTarget:
		return Verb(lanes, "branches", "branch") + " by"
	case UseStore:
		return Verb(lanes, "stores", "store")
	}
	return Verb(lanes, "reads", "read")
}

// UndefinedUse is an undefined value that decides something. It comes from a register that the lanes have never
// written.
type UndefinedUse struct {
	Reg      *ptx.Reg
	Elem     int // component of a vector register, or -1
	Use      RegUse
	Lanes    Mask
	From     *ptx.Reg // the register that was never written, and the instruction that read it
	FromElem int
	Origin   *ptx.Inst
}

// MemWrite is a change of memory by one lane.
type MemWrite struct {
	Space    ptx.Space
	Addr     Addr // generic
	Lane     int
	Old, New []byte
	From     []Place // where a call, a ret or an asynchronous copy has taken the bytes; nil: the operands make them
}

// BarrierEvent is what a barrier instruction did.
type BarrierEvent struct {
	ID       int
	Arrived  int  // threads that have arrived, this warp included
	Expected int  // threads that complete it
	Done     bool // this arrival completed it
}

// Paths are lanes that do not go on with the next instruction.
type Paths struct {
	Taken  Mask // branches: lanes that jumped
	Exited Mask // lanes that ended
	Waits  Mask // lanes that came to a warp operation and wait there for others
}

// Step is the record of one warp instruction's effects.
type Step struct {
	Tick     int64 // warp instructions executed before this one
	CTA      Dim3
	CTAIndex int // linear, x fastest
	Warp     int // in the CTA
	Func     *ptx.Func
	Inst     *ptx.Inst
	Active   Mask // lanes at this pc
	Exec     Mask // active lanes whose guard is true: those that have executed it
	Regs     []RegWrite
	Mem      []MemWrite
	Stack    []StackChange
	Paths
	Barrier   *BarrierEvent
	Mbarriers []MbarrierView // objects that it has looked at or changed, as they are now
	Tensor    []TensorWrite  // changes of tensor memory
	Undefined []UndefinedUse // values that lanes have used and that come from registers they have never written
	Output    string         // what it has printed
	Fault     *Fault
	Done      bool // the grid has ended
}

// ComponentName returns the name of a register, or of its component number elem. elem is -1 for the whole register.
func ComponentName(reg *ptx.Reg, elem int) string {
	if elem < 0 || reg.Vec <= 1 {
		return reg.Name
	}
	return reg.Name + "." + "xyzw"[elem:elem+1]
}

// Verb returns the form of a verb that fits the number of lanes.
func Verb(lanes Mask, one, many string) string {
	if lanes.Count() == 1 {
		return one
	}
	return many
}
