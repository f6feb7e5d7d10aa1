package machine

import (
	"unsafe"

	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/ptx"
)

// Inst is a decoded instruction.
//
// A block boundary is before the first instruction of a basic block of its function, before the instruction after a
// call, and before the return at the function's end. Lanes that branch, call, return or meet come to one. A straight
// line has none within, and every loop and every recursion passes one. A turn that ends before the warp waits or yields
// ends at one, so that an engine which executes whole blocks can follow the same schedule.
type Inst struct {
	row.Inst   // OpHandler; loads and stores have operands
	Op         Op
	Leader     bool      // a block boundary is before it
	Uniform    bool      // branches, calls and returns: .uni
	Held       bool      // something looks at its registers before it runs: see matrix_hazard.go and undefined.go
	Line       int32     // instructions of the straight line that begins here; see MarkLines
	Seen       uint32    // offset of the word where lanes note that they have executed it, and its line; see markWrites
	Guard, Neg uint32    // guard predicate's offset and the mask that negates it
	Target     int32     // branches: pc
	Fork       simt.Fork // where lanes may come apart
	X          *Extra    // what only rare ops and the debugger need
	Src        *ptx.Inst
}

// InstSize is the distance between instructions.
const InstSize = unsafe.Sizeof(Inst{})

// NoPC stands for "past the function's end".
const NoPC = simt.NoPC

// Extra is the cold part of an instruction.
type Extra struct {
	Run        Runner        // OpPure, OpRun, OpNop
	Mem        *Access       // what it reaches, if that is memory
	D, S       []row.Operand // elements that it loads and stores
	Predicates *Predicates   // setp with a handler, where p alone is not its result
	Across     *WarpOp
	Barrier    *BarrierOp
	Call       *CallInfo
	Branches   *BranchTable
	Wait       *MbarrierWait
	Tensor     *TensorAlloc
	Group      *GroupProduct
	Indexing   *Indexing // OpIndexed
	Reduces    bool      // an asynchronous reduction
	Aligned    bool      // OpRun: all lanes of the warp execute it together
	Strict     bool      // barriers: the same, but it is not enforced
	Cluster    bool      // barrier.cluster
	Clock      bool      // it reads the tick counter
}

// meets says whether lanes come together for the instruction.
func (x *Extra) meets() bool { return x.Aligned || x.Across != nil && x.Across.Sync }

// Predicates is where setp and its like put what they have found (9.7.7.2): p = t BoolOp c and q = u BoolOp c, where u
// is !t but for packed halves.
type Predicates struct {
	P, Q    row.Operand
	Combine func(t, c uint32) uint32 // nil: there is no BoolOp
	C       row.Operand
}

func (r *Predicates) Store(f unsafe.Pointer, exec Mask, t, u uint32) {
	if r.Combine != nil {
		c := r.C.Lanes(f)
		t, u = r.Combine(t, c), r.Combine(u, c)
	}
	r.P.SetLanes(f, exec, t)
	r.Q.SetLanes(f, exec, u)
}

// Runner executes an instruction in the lanes of exec. It says whether it could; if not, w.fail knows why.
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
	Wide           bool // addr has 64 bits
	Addr           row.Operand
	Off            uint64
	near           int                           // the allocation that the last one was in: where find looks first
	Rmw, RmwShared func(old, b, c uint64) uint64 // atomics, on global and on shared memory
}

// Function is a lowered function.
type Function struct {
	Number                int // its place among the program's functions, which gives its address
	Src                   *ptx.Func
	Start                 int32 // pc of its first instruction
	End                   int32
	Frame                 uint32 // bytes
	Consts                []ConstRow
	Regs                  []RegSlot
	Local                 int64              // bytes of local memory: its .local and .param variables
	LocalUsed             int64              // without the padding after the last variable
	LocalOff              map[*ptx.Var]int64 // their offsets from the frame's local base
	FormalParams, Returns []Passed           // by position
	UsesSlots             []*ptx.Var         // shared variables it names
	Callees               []*Function
	Indirect              bool
	Entered               uint32   // offset of the word where lanes note that they have come in
	Spins                 bool     // it may wait for what other lanes do
	Builtin               *Builtin // vprintf, malloc, …: provided by the emulator
	live                  *liveness
}

// RegSlot is where a register lives.
type RegSlot struct {
	Reg    *ptx.Reg
	Off    uint32
	Bits   uint8
	Elem   int
	Defs   []int32 // pcs that write it
	Doubt  uint32  // offset of a regDoubt, or 0
	Number int32   // its place among the function's registers
	Param  bool    // a parameter of the function
}

type SlotKey struct {
	Reg  *ptx.Reg
	Elem int8
}

// ConstKind says how a constant row gets its value.
type ConstKind uint8

const (
	ConstBits     ConstKind = iota // value
	ConstLocal                     // local base of the frame + value
	ConstShared                    // address of a shared variable + value
	ConstParam                     // address of a kernel parameter + value
	ConstSReg                      // special register, by name, that all warps of a grid have in common
	ConstWarpSReg                  // special register that differs between warps
)

// ConstRow is a row of a frame that instructions only read.
type ConstRow struct {
	Off   uint32
	Wide  bool
	Kind  ConstKind
	Value uint64
	V     *ptx.Var
	SReg  string
	Gen   bool // add the space's generic window
}

// Program is a lowered module. Launches share it, and none changes its code.
type Program struct {
	Mod     *ptx.Module
	Code    []Inst
	Writes  [][]DstReg // registers that each instruction writes, for records
	Marks   []uint32   // where lanes note that they have executed an instruction, or the line that it is in; 0: nowhere
	Proxies bool       // something reads shared memory through the async proxy
	Barrier []bool     // from this pc a barrier can be reached
	Spins   bool       // some function may
	Funcs   []*Function
	ByFunc  map[*ptx.Func]*Function
	ByAddr  map[uint64]*Function
	Vars    map[*ptx.Var]Addr // .global and .const variables
	Held    HeldRegs
	Tracked map[int32]*Tracked // by pc, see undefined.go
	Bounds  map[string]string  // errors allowed to opcodes, see boundOf
	Indexed []*Indexing
}

// CallInfo is a lowered call.
type CallInfo struct {
	Target *Function // nil when indirect
	fits   *Function // the one that was called last: it fits
	Via    row.Operand
	Args   []Passed
	Rets   []Passed
}

// Passed is one argument, parameter or return value: a .param variable, or registers and constants, one for each
// element of a vector, of at most 128 bits together (5.4.2).
type Passed struct {
	V    *ptx.Var
	Regs []row.Operand
	Bits int // of an element
}
