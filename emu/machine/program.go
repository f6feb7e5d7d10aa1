package machine

import (
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/count"
	"warpscope/emu/live"
	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Inst is a decoded instruction.
//
// A block boundary is before the first instruction of a basic block of its function, before the instruction after a
// call, and before the return at the function's end. Lanes that branch, call, return or meet come to one. A straight
// line has none inside it, and every loop and every recursion passes one. A turn that ends before the warp waits or
// yields ends at one, so that an engine which executes whole blocks can follow the same schedule.
type Inst struct {
	row.Inst   // for OpHandler; the fast paths of loads and stores use its operands
	Op         Op
	Leader     bool      // there is a block boundary before it
	Uniform    bool      // a branch, call or return with .uni
	Held       bool      // its registers are checked before it runs: see matrix_hazard.go and undefined.go
	Private    int32     // at a block boundary: instructions of a block that is private; see MarkPrivate
	Line       int32     // instructions in the straight line that begins here; see MarkLines
	Seen       uint32    // frame offset of the word where lanes note that they have executed it; see MarkLines
	Guard, Neg uint32    // frame offset of the guard predicate, and the mask that negates it
	Target     int32     // pc that a branch jumps to
	Fork       simt.Fork // for instructions at which lanes can branch apart
	X          *Extra    // what only rare operations need, or nil
	Src        *ptx.Inst // nil for the return at a function's end
}

// InstSize is the distance between instructions in Program.Code, in bytes.
const InstSize = unsafe.Sizeof(Inst{})

// NoPC is the pc after a function's end.
const NoPC = simt.NoPC

// Extra is the part of an instruction that most instructions do not have.
type Extra struct {
	Run        Runner        // OpPure, OpRun, OpNop; nil for an OpNop that does nothing
	Mem        *Access       // the memory that it reaches, or nil
	D, S       []row.Operand // elements that it loads and stores; operands of what Key names
	Key        string        // what an OpPure or a setp computes, as emu/num names it, or "mov"; "": only Run knows
	Predicates *Predicates   // of a setp with a handler that has more than p as result
	Across     *WarpOp
	Barrier    *BarrierOp
	Call       *CallInfo
	Branches   *BranchTable
	Wait       *MbarrierWait
	Tensor     *TensorAlloc
	Group      *GroupProduct
	Indexing   *Indexing // OpIndexed
	Reduces    bool      // an asynchronous reduction
	Late       bool      // its registers are written some time after it, see Late; so are those of Group
	Together
	Clock  bool // it reads the tick counter
	Fences bool // it orders accesses, if it is OpRun or OpNop
}

// Together says which lanes and warps execute an instruction together.
type Together struct {
	Aligned bool // OpRun: all lanes of the warp
	Strict  bool // a barrier that all lanes should execute together; CheckAligned notes where they do not
	Cluster bool // barrier.cluster
}

// meets says whether lanes come together for the instruction.
func (x *Extra) meets() bool { return x.Aligned || x.Across != nil && x.Across.Sync }

// Predicates is where setp and its like put their results (9.7.7.2): p = t BoolOp c and q = u BoolOp c. u is !t, except
// for packed halves.
type Predicates struct {
	P, Q    row.Operand
	Combine func(t, c uint32) uint32 // the BoolOp, or nil
	C       row.Operand
}

// Store writes the results of the lanes of exec. Bit i of t and u is lane i.
func (r *Predicates) Store(f unsafe.Pointer, exec Mask, t, u uint32) {
	if r.Combine != nil {
		c := r.C.Lanes(f)
		t, u = r.Combine(t, c), r.Combine(u, c)
	}
	r.P.SetLanes(f, exec, t)
	r.Q.SetLanes(f, exec, u)
}

// Runner executes an instruction in the lanes of exec. It returns false after Warp.Fail.
type Runner func(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool

// DstReg names a register that an instruction writes.
type DstReg struct {
	Reg  *ptx.Reg
	Elem int
	Op   row.Operand
}

// Access is a load, store or atomic.
type Access struct {
	Space          ptx.Space
	Size           uint32 // bytes of one element
	Signed         bool   // sign-extend into a wider register
	Write          bool
	Locks          bool // an atomic with which lanes take locks: a compare-and-swap or an exchange
	Wide           bool // Addr has 64 bits
	Addr           row.Operand
	Off            uint64
	near           int                           // index of the allocation that the last access was in
	Rmw, RmwShared func(old, b, c uint64) uint64 // what an atomic computes, on global and on shared memory
}

// Function is a lowered function.
type Function struct {
	Number                int // index in Program.Funcs
	Src                   *ptx.Func
	Start                 int32  // pc of its first instruction
	End                   int32  // pc of the return after its body
	Frame                 uint32 // bytes
	Consts                []ConstRow
	Regs                  []RegSlot
	Local                 int64              // bytes of local memory for its .local and .param variables
	LocalUsed             int64              // the same without the padding after the last variable
	LocalOff              map[*ptx.Var]int64 // their offsets from the frame's local base
	FormalParams, Returns []Passed           // by position
	UsesSlots             []*ptx.Var         // shared variables that it names
	Callees               []*Function
	Indirect              bool     // it has an indirect call, or takes the address of a function
	Entered               uint32   // frame offset of the word where lanes note that they have entered
	Spins                 bool     // it can wait for what other lanes do
	Builtin               *Builtin // vprintf, malloc, …, which the emulator provides; else nil
	live                  *liveness
}

// RegSlot is the place of a register in a function's frame.
type RegSlot struct {
	Reg    *ptx.Reg
	Off    uint32
	Bits   uint8
	Elem   int
	Defs   []int32 // pcs that write it
	Doubt  uint32  // frame offset of a regDoubt, or 0
	Number int32   // its place among the function's registers
	Param  bool    // a parameter of the function
}

// SlotKey names a register, or one component of a vector register: Elem is its number, or -1.
type SlotKey struct {
	Reg  *ptx.Reg
	Elem int8
}

// ConstKind says where the value of a constant row comes from.
type ConstKind uint8

// The kinds of constant rows.
const (
	ConstBits     ConstKind = iota // Value
	ConstLocal                     // the frame's part of local memory, plus Value
	ConstShared                    // address of the shared variable V, plus Value
	ConstParam                     // address of the kernel parameter V, plus Value
	ConstSReg                      // special register SReg, the same in all warps of a grid
	ConstCTASReg                   // special register SReg, which differs between CTAs
	ConstWarpSReg                  // special register SReg, which differs between the warps of a CTA
	ConstArgument                  // the bytes of the kernel parameter V from Value on
)

// ConstRow is a row of a frame that instructions only read.
type ConstRow struct {
	Off   uint32 // in the frame
	Wide  bool   // 64 bits a lane, else 32
	Kind  ConstKind
	Value uint64
	V     *ptx.Var
	SReg  string
	Gen   bool // generic: the base of the space's window is added
}

// Program is a lowered module. Launches share it, and no launch changes its code.
type Program struct {
	Mod     *ptx.Module
	Code    []Inst
	Writes  [][]DstReg // by pc: registers that the instruction writes
	Marks   []uint32   // by pc: frame offset of the word where lanes note that they have executed it, or its line; 0: none
	Proxies bool       // some instruction reads shared memory through the async proxy
	Barrier []bool     // by pc: lanes can reach a barrier from there
	Spins   bool       // Spins of some function
	Strong  bool       // asynchronous operations are strong; see causal.Clock
	Funcs   []*Function
	ByFunc  map[*ptx.Func]*Function
	ByAddr  map[uint64]*Function // from the base of the window of code
	Vars    map[*ptx.Var]Addr    // .global and .const variables
	Held    HeldRegs
	Tracked []*Tracked        // by pc; see undefined.go
	Bounds  map[string]string // by opcode; see boundOf
	Indexed []*Indexing

	AccessPlans
}

// AccessPlans is what counters know of a program; see counting.go. It is empty where nothing is counted.
type AccessPlans struct {
	Accesses []AccessPlan // in the order of pc; the last one is no access
	Parts    []int32      // by pc: the end of the part of a straight line that it is in
	Next     []int32      // by pc: the next access, from there on
}

// AccessPlan says how an instruction's access is measured. No state depends on what it took the last time.
type AccessPlan struct {
	PC   int32
	Like int32 // the access of the same part of a line that takes as much, or -1
	Op   count.Op
	Mem  *Access
	Size uint32 // bytes of a lane
	count.Shape
}

// CallInfo is a lowered call.
type CallInfo struct {
	Target *Function   // nil for an indirect call
	fits   *Function   // the function that was called last, which fits the call
	Via    row.Operand // the address, for an indirect call
	Args   []Passed
	Rets   []Passed
}

// Passed is one argument, parameter or return value: a .param variable, or registers and constants. There is one of
// these for each element of a vector, of at most 128 bits together (5.4.2).
type Passed struct {
	V    *ptx.Var
	Regs []row.Operand
	Bits int // of an element
}

// BarrierOp is a lowered bar or barrier (9.7.15.1).
type BarrierOp struct {
	ID, Count row.Operand // Count is a sink where all threads of the CTA take part
	Vary      bool        // lanes can name different barriers
	Arrives   bool        // lanes do not wait
	Red       *BarrierReduction
}

// BarrierReduction is the operands of bar.red: the predicate that lanes give, and the result that they get.
type BarrierReduction struct {
	P, D      row.Operand
	Popc, And bool // neither: .or
}

// WarpOp is an operation in which lanes of a warp read values of other lanes. For the forms with .sync, lanes come
// together first; see assemble.go, which also runs it on copies of sources and results.
type WarpOp struct {
	D, P    row.Operand   // results; sinks where there are none
	S       []row.Operand // sources
	Sync    bool
	Opcode  int         // the program's number for the opcode: lanes with the same one execute the operation together
	Members row.Operand // the membermask, with .sync
	Strict  bool        // the mask must not name lanes that have exited
	Do      func(w *Warp, o *WarpOp, in *Inst, f unsafe.Pointer, exec, common Mask)
}

// MbarrierWait is mbarrier.test_wait and mbarrier.try_wait (9.7.15.16.19).
type MbarrierWait struct {
	Complete    *Predicates // p: whether the phase is complete; q: whether any operation of it has reported
	Value       row.Operand // what it has reported
	Phase       row.Operand // the state before an arrival, or a parity
	Parity      bool        // Phase is a parity
	Conditional bool        // it looks at the conditional phase (9.7.15.16.5.2)
	Suspend     bool        // try_wait
	Acquires    bool
	Scope       causal.Reach
}

// TensorAlloc is tcgen05.alloc, .dealloc or .relinquish_alloc_permit (9.7.18.7.1). An allocation waits for free
// columns, and an exclusive one is alone: it waits until there is no other, and others wait until it is freed. With
// .cta_group::2 each of them "could block" until a warp of the other CTA does the same (9.7.18.5). Here
// it always does, so that a program that relies on the opposite (Table 57) stops every time.
type TensorAlloc struct {
	Does      TensorRequest
	Exclusive bool
	Pair      bool
	Columns   row.Operand
	Addr      row.Operand // of .dealloc
}

// TensorRequest is what an instruction asks of the allocations of tensor memory.
type TensorRequest uint8

// GroupProduct is wgmma.mma_async: the part of one warp.
type GroupProduct struct {
	Product
	DescA, DescB   row.Operand
	InMemory       bool // A is in shared memory, else in registers
	TransA, TransB bool
	NegA, NegB     bool
	ScaleD         row.Operand
	HoldsD, HoldsA []int32 // registers, see HeldRegs
}

// BranchTable holds the targets of a brx.idx, and the register that chooses among them.
type BranchTable struct {
	Index   row.Operand
	Targets []int32
}

// Builtin is a function that the CUDA driver provides to every kernel; a module declares it .extern. A pointer or a
// size among its parameters has the type B64 here; with 32-bit addresses it has 32 bits.
type Builtin struct {
	Run             func(w *Warp, args []uint64, lane int) (uint64, *Fault)
	Returns, Params []isa.Type
}

// Indexing is an instruction that names elements of arrays by registers (6.4.2), with what computes their addresses.
type Indexing struct {
	PC       int       // of the instruction
	Elements []Indexed // addresses that are computed first
	Inner    Inst      // what is executed then
}

// Indexed is the address of an array's element whose number is in a register. The manual does not say how a short
// number is extended: here with its sign when the register's type is signed, else with zeros.
type Indexed struct {
	Array, Number, Sum row.Operand
	Stride             uint64   // bytes from element to element
	Type               isa.Type // of the number
}

// HeldRegs are the registers of a program's products, by number, and the instructions that use them without being
// products.
type HeldRegs struct {
	Names []string
	Users map[int32][]int32 // by pc: the registers that the instruction uses
}

// Tracked is what such an instruction does with registers.
type Tracked struct {
	Reads []RegRead
	Flows bool     // its result depends on the values that it reads
	Dsts  []uint32 // frame offsets of the regDoubts of the registers that it writes
}

// RegRead is a register that an instruction reads.
type RegRead struct {
	Slot  *RegSlot
	Use   gpu.RegUse
	When  *row.Operand // predicate of the lanes that read it, for the sources of selp; nil: all
	Early bool         // it can come before the register is written
}

// liveness says where in a function its registers are live.
type liveness struct {
	live.Flow
	fn     *Function
	number map[SlotKey]int32
	own    bool // Always is empty
}

// RegSet is a set of a function's registers, by their places in Function.Regs.
type RegSet = live.Set

// NewRegSet returns an empty set of the function's registers.
func (fn *Function) NewRegSet() RegSet { return live.NewSet(len(fn.Regs)) }

// guarded returns the active lanes that an instruction's guard lets through.
func (in *Inst) guarded(f unsafe.Pointer, active Mask) Mask {
	return active & Mask(*row.Pred(f, in.Guard)^in.Neg)
}

// pcOf returns the pc of an instruction of the program, or -1 for one that is not in Code.
func (p *Program) pcOf(in *Inst) int32 {
	at := uintptr(unsafe.Pointer(in)) - uintptr(unsafe.Pointer(&p.Code[0]))
	if at/InstSize < uintptr(len(p.Code)) {
		return int32(at / InstSize)
	}
	return -1
}
