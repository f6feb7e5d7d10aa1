package emu

import (
	"unsafe"

	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/ptx"
)

// inst is a decoded instruction.
//
// A block boundary is before the first instruction of a basic block of its function, before the instruction after a
// call, and before the return at the function's end. Lanes that branch, call, return or meet come to one. A straight
// line has none within, and every loop and every recursion passes one. A turn that ends before the warp waits or yields
// ends at one, so that an engine which executes whole blocks can follow the same schedule.
type inst struct {
	row.Inst   // opHandler; loads and stores have operands
	op         op
	leader     bool      // a block boundary is before it
	uniform    bool      // branches, calls and returns: .uni
	held       bool      // something looks at its registers before it runs: see matrix_hazard.go and undefined.go
	line       int32     // instructions of the straight line that begins here; see markLines
	seen       uint32    // offset of the word where lanes note that they have executed it, and its line; see markWrites
	guard, neg uint32    // guard predicate's offset and the mask that negates it
	target     int32     // branches: pc
	fork       simt.Fork // where lanes may come apart
	x          *extra    // what only rare ops and the debugger need
	src        *ptx.Inst
}

// instSize is the distance between instructions.
const instSize = unsafe.Sizeof(inst{})

// noPC stands for "past the function's end".
const noPC = simt.NoPC

// extra is the cold part of an instruction.
type extra struct {
	run        runner        // opPure, opRun, opNop
	mem        *access       // what it reaches, if that is memory
	d, s       []row.Operand // elements that it loads and stores
	predicates *predicates   // setp with a handler, where p alone is not its result
	across     *warpOp
	barrier    *barrierOp
	call       *callInfo
	branches   *branchTable
	wait       *mbarrierWait
	tensor     *tensorAlloc
	group      *groupProduct
	indexing   *indexing // opIndexed
	reduces    bool      // an asynchronous reduction
	aligned    bool      // opRun: all lanes of the warp execute it together
	strict     bool      // barriers: the same, but it is not enforced
	cluster    bool      // barrier.cluster
	clock      bool      // it reads the tick counter
}

// meets says whether lanes come together for the instruction.
func (x *extra) meets() bool { return x.aligned || x.across != nil && x.across.sync }

// runner executes an instruction in the lanes of exec. It says whether it could; if not, w.fail knows why.
type runner func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool

// dstReg names a register that an instruction writes.
type dstReg struct {
	reg  *ptx.Reg
	elem int
	op   row.Operand
}

// access is a load, store or atomic.
type access struct {
	space          ptx.Space
	size           uint32 // bytes of one element
	signed         bool   // sign-extend into a wider register
	write          bool
	wide           bool // addr has 64 bits
	addr           row.Operand
	off            uint64
	near           int                           // the allocation that the last one was in: where find looks first
	rmw, rmwShared func(old, b, c uint64) uint64 // atomics, on global and on shared memory
}

// function is a lowered function.
type function struct {
	number                int // its place among the program's functions, which gives its address
	src                   *ptx.Func
	start                 int32 // pc of its first instruction
	end                   int32
	frame                 uint32 // bytes
	consts                []constRow
	regs                  []regSlot
	local                 int64              // bytes of local memory: its .local and .param variables
	localUsed             int64              // without the padding after the last variable
	localOff              map[*ptx.Var]int64 // their offsets from the frame's local base
	formalParams, returns []passed           // by position
	usesSlots             []*ptx.Var         // shared variables it names
	callees               []*function
	indirect              bool
	entered               uint32   // offset of the word where lanes note that they have come in
	spins                 bool     // it may wait for what other lanes do
	builtin               *builtin // vprintf, malloc, …: provided by the emulator
	live                  *liveness
}

// regSlot is where a register lives.
type regSlot struct {
	reg    *ptx.Reg
	off    uint32
	bits   uint8
	elem   int
	defs   []int32 // pcs that write it
	doubt  uint32  // offset of a regDoubt, or 0
	number int32   // its place among the function's registers
	param  bool    // a parameter of the function
}

// constKind says how a constant row gets its value.
type constKind uint8

const (
	constBits     constKind = iota // value
	constLocal                     // local base of the frame + value
	constShared                    // address of a shared variable + value
	constParam                     // address of a kernel parameter + value
	constSReg                      // special register, by name, that all warps of a grid have in common
	constWarpSReg                  // special register that differs between warps
)

// constRow is a row of a frame that instructions only read.
type constRow struct {
	off   uint32
	wide  bool
	kind  constKind
	value uint64
	v     *ptx.Var
	sreg  string
	gen   bool // add the space's generic window
}

// program is a lowered module. Launches share it, and none changes its code.
type program struct {
	mod     *ptx.Module
	code    []inst
	writes  [][]dstReg // registers that each instruction writes, for records
	marks   []uint32   // where lanes note that they have executed an instruction, or the line that it is in; 0: nowhere
	proxies bool       // something reads shared memory through the async proxy
	barrier []bool     // from this pc a barrier can be reached
	spins   bool       // some function may
	funcs   []*function
	byFunc  map[*ptx.Func]*function
	byAddr  map[uint64]*function
	vars    map[*ptx.Var]Addr // .global and .const variables
	held    heldRegs
	tracked map[int32]*tracked // by pc, see undefined.go
	bounds  map[string]string  // errors allowed to opcodes, see boundOf
	indexed []*indexing
}

// callInfo is a lowered call.
type callInfo struct {
	target *function // nil when indirect
	fits   *function // the one that was called last: it fits
	via    row.Operand
	args   []passed
	rets   []passed
}

// passed is one argument, parameter or return value: a .param variable, or registers and constants, one for each
// element of a vector, of at most 128 bits together (5.4.2).
type passed struct {
	v    *ptx.Var
	regs []row.Operand
	bits int // of an element
}
