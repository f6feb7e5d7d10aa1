package ptx

import (
	"math"

	"warpscope/ptx/isa"
)

// Span is a half-open range of byte offsets into the source.
type Span struct{ Start, End int32 }

// Position is a place in the source: line and column, both from 1, the column in bytes.
type Position struct{ Line, Column int }

// Module is a parsed and checked PTX module (chapter 11). After a failed Parse it holds everything that could be
// understood.
type Module struct {
	Name        string
	Src         []byte
	Version     int    // .version times ten: 64 is 6.4
	Target      string // first .target, "sm_70"
	SM          int    // highest target number, 70
	Arch        string // "a" or "f" suffix of that target, or ""
	TargetOpts  []string
	AddressSize int    // 32 or 64 (11.1.3: 32 when absent)
	Vars        []*Var // module scope, source order
	Funcs       []*Func
	Files       map[int]string // .file
	Sections    []Span         // debug sections, kept verbatim
	Diagnostics Diagnostics    // everything found, sorted by position

	lines []int32 // offset of each line's first byte
	kept  *kept   // for Edited
}

// Space is a state space (5.1).
type Space uint8

// The state spaces.
const (
	Generic Space = iota
	RegSpace
	SRegSpace
	ConstSpace
	GlobalSpace
	LocalSpace
	ParamSpace
	SharedSpace
	TexSpace
)

// Linkage is a linking directive (11.6).
type Linkage uint8

// The linkages.
const (
	Internal Linkage = iota
	Extern
	Visible
	Weak
	Common
)

// Var is a variable or parameter in an addressable state space (5.4).
type Var struct {
	Name    string
	Space   Space
	Linkage Linkage
	Type    isa.Type
	Vec     int     // 1, 2 or 4 elements
	Dims    []int64 // array dimensions, outermost first; nil for scalars; the first is 0 when unsized
	Size    int64   // bytes; 0 when unsized
	Align   int64   // bytes, always a power of two
	Init    []byte  // initial bytes, at most Size long, zeros follow; nil when there is no initialiser
	Relocs  []Reloc // addresses to be added into Init at load
	Ptr     *Ptr    // .ptr attribute of a kernel parameter
	Func    *Func   // the function it belongs to; nil at module scope
	Index   int     // position among Func.Params/Returns/Vars or Module.Vars
	Managed bool
	Unified bool
	Fields  []Field // initial properties of a texture, sampler or surface (5.3.2)
	Span    Span    // the name in the declaration
}

// after is where the variable ends when it is placed after n bytes.
func (v *Var) after(n int64) int64 { return (n+v.Align-1)/v.Align*v.Align + v.Size }

// Stride is the distance in bytes between elements v[0] and v[1] of an array (6.4.2).
func (v *Var) Stride() int64 {
	size := int64(v.Type.Bytes() * max(1, v.Vec))
	for _, d := range v.Dims[min(1, len(v.Dims)):] {
		size *= d
	}
	return size
}

// Field is one property of an opaque variable: "filter_mode = nearest".
type Field struct{ Name, Value string }

// Reloc is a symbol's address inside an initialiser (5.4.4).
type Reloc struct {
	Offset  int64 // into Init
	Size    int   // bytes written
	Var     *Var  // one of Var and Func is set
	Func    *Func
	Addend  int64
	Generic bool   // generic(sym)
	Mask    uint64 // mask() operator: bits kept; 0 when absent
	Shift   uint   // right shift after masking
}

// Ptr is the .ptr attribute of a kernel parameter (5.1.6.3).
type Ptr struct {
	Space Space // Generic when not named
	Align int64
}

// Param is a kernel or function parameter.
type Param = Var

// Reg is a register variable (5.1.1). Registers are made when they are first used, so %r<1000000> costs nothing.
type Reg struct {
	Name  string
	Type  isa.Type
	Vec   int // 1, 2 or 4
	Index int // dense, from 0, in order of first use in the function
	Span  Span
	Param bool // declared in a .func's parameter or return list
}

// Func is an entry or device function (11.2).
type Func struct {
	Name                  string
	Entry                 bool
	Linkage               Linkage
	Params                []*Var // nil where a parameter of a .func is a register: see ParamRegs at the same index
	Returns               []*Var
	ParamRegs, ReturnRegs []*Reg
	Defined               bool // has a body
	NoReturn              bool
	Variadic              bool // last parameter is an unsized .b8 array
	AliasOf               *Func
	MaxNTID, ReqNTID      [3]int // zero when absent
	MaxNReg, MinNCTAPerSM int
	ReqNCTAPerCluster     [3]int
	ExplicitCluster       bool
	MaxClusterRank        int // zero when absent
	BlocksAreClusters     bool
	MinPerCTAMemory       int64 // zero when absent, at least 1 otherwise: slices are multiples of 1024 bytes anyway

	Regs   []*Reg // every register that an instruction names
	Vars   []*Var // .local, .shared, .param, .global and .const variables declared in the body
	Labels []*Label
	Insts  []*Inst // the body, flat, in source order
	Blocks []Block // basic blocks, in source order
	Tables [][]int // the blocks that each .branchtargets list leads to; its branches share it
	Span   Span    // the name
	Body   Span    // the braces

	decls     []*decl // for the editor: what is declared in the body
	header    int32   // where the header begins
	endsLanes bool    // no lane returns from the body
	found     [2]int  // the diagnostics of the body in kept.found
}

// MaxThreads is how many threads .maxntid allows in a CTA (11.4.2), at most 2^31 - 1; 0 where it is absent.
func (f *Func) MaxThreads() int {
	if f.MaxNTID == [3]int{} {
		return 0
	}
	n := 1
	for _, d := range f.MaxNTID {
		n = min(n*max(d, 1), math.MaxInt32) // an extent is less than 2^31
	}
	return n
}

// Label is a statement label; Target is an index into Func.Insts and may equal len(Insts).
type Label struct {
	Name   string
	Target int
	Span   Span
}

// Block is a basic block: Insts[Start:End].
type Block struct {
	Start, End int
	IPDom      int // immediate post-dominator block, or -1: only the function's end
	succs      [2]int
	ways       uint8 // how many of succs there are
	RunsOut    bool  // control can go from here to the end of the body, which returns
}

// Succs are indexes of blocks and, from len(Blocks) on, of Tables; a block that leaves the function has none. A block
// has two at most: the target of its branch, or its table of targets, and the next block.
func (b *Block) Succs() []int { return b.succs[:b.ways] }

// Inst is one checked instruction.
type Inst struct {
	Span     Span // from guard to semicolon
	OpSpan   Span // the opcode
	Opcode   string
	Guard    *Guard
	Match    *isa.Bound // nil only in modules with errors
	Operands []Operand  // in syntax order; see Operand.Second for d|p
	Call     *Call      // call only
	Loc      *Loc       // .loc in force
	Index    int        // in Func.Insts
	jump     *jump      // branches only
}

// jump has the properties of branches.
type jump struct {
	targets  []int
	reconv   int32
	implicit bool
}

// Targets are instruction indexes: one for bra, the table for brx.idx.
func (in *Inst) Targets() []int {
	if in.jump == nil {
		return nil
	}
	return in.jump.targets
}

// Reconv is the index of a branch's reconvergence point (see meetingPoints): len(Func.Insts) for the function's end, 0
// for instructions that are not branches.
func (in *Inst) Reconv() int {
	if in.jump == nil {
		return 0
	}
	return int(in.jump.reconv)
}

// Implicit says whether the parser made the instruction: it is the branch around a guarded block.
func (in *Inst) Implicit() bool { return in.jump != nil && in.jump.implicit }

// Guard is a guard predicate @p or @!p (9.3).
type Guard struct {
	Reg  *Reg
	Elem int8 // component of a vector register, or -1
	Neg  bool
	Span Span
}

// Loc is a source location from .loc (11.5.4).
type Loc struct {
	File, Line, Column int
	Intermediate       *Loc // in the language that a compiler made in between (11.5.5); nil when it says nothing
	InlinedAt          *Loc // where the function that holds this place was inlined; nil when it was not
}

// Call holds the operands of a call (9.7.14.5).
type Call struct {
	Returns, Args []Operand
	Target        Operand // OpFunc or OpReg
	Proto         *Func   // .callprototype or the function itself
	Targets       []*Func // .calltargets or the call table's functions; nil when unknown
	Uniform       bool
}

// OperandKind says what an operand is.
type OperandKind uint8

// The operand kinds.
const (
	OpNone    OperandKind = iota
	OpReg                 // Reg, Elem
	OpImm                 // Imm with ImmType
	OpVec                 // List: tuple {a, b, _}; a whole vector register is expanded to its components
	OpAddr                // [Reg+Off], [Var+Off], [Off]; List holds further coordinates for tex and cp.async.bulk.tensor
	OpVar                 // address of Var + Off
	OpFunc                // address of Func
	OpSReg                // SReg, Elem for %tid.x
	OpSink                // _
	OpLabel               // a label or branch target list; see Inst.Targets
	OpMissing             // optional operand that is absent in the middle
)

// Operand is one operand of an instruction (chapter 6). A large module has a million operands, so properties that few
// of them have are kept apart.
type Operand struct {
	Span    Span
	Kind    OperandKind
	ImmType isa.Type // S64 or U64 for integers (4.5.1), F64 for decimal and 0d literals, F32 for 0f literals, Pred
	Neg     bool     // !p
	Elem    int8     // component of a vector register or special register (0 = x), -1 for none
	element bool     // OpVar: an array element a[n], which is allowed where an address in brackets is expected
	Reg     *Reg     // OpReg, the base of OpAddr, and the index after an array's name (6.4.2): then Var is set too
	Var     *Var     // OpVar, and the base of OpAddr
	Imm     uint64   // OpImm: bits of the constant as ImmType; OpAddr and OpVar keep Off here
	rare    *rarePart
}

// Off is the constant that OpAddr and OpVar add to their base, in bytes.
func (op *Operand) Off() int64 {
	if op.Kind == OpImm {
		return 0
	}
	return int64(op.Imm)
}

// rarePart has the properties of few operands. Operands can share one, so it does not change once an operand has been
// read.
type rarePart struct {
	list   []Operand
	fn     *Func
	sreg   *isa.SReg
	sel    string
	second *Operand
}

// List is the elements of OpVec, and further coordinates of OpAddr.
func (op *Operand) List() []Operand {
	if op.rare == nil {
		return nil
	}
	return op.rare.list
}

// Func is the function of OpFunc.
func (op *Operand) Func() *Func {
	if op.rare == nil {
		return nil
	}
	return op.rare.fn
}

// SReg is the special register of OpSReg.
func (op *Operand) SReg() *isa.SReg {
	if op.rare == nil {
		return nil
	}
	return op.rare.sreg
}

// Sel is the part of a register that a video instruction reads or writes, ".b0", ".h1" (9.7.20.1); or ".unified".
func (op *Operand) Sel() string {
	if op.rare == nil {
		return ""
	}
	return op.rare.sel
}

// Second is the q of p|q.
func (op *Operand) Second() *Operand {
	if op.rare == nil {
		return nil
	}
	return op.rare.second
}

// Entries are the kernels in source order.
func (m *Module) Entries() []*Func {
	var entries []*Func
	for _, f := range m.Funcs {
		if f.Entry {
			entries = append(entries, f)
		}
	}
	return entries
}
