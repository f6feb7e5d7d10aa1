package machine

import (
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/causes"
	"warpscope/emu/count"
	"warpscope/emu/matrix"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/emu/shadow"
	"warpscope/emu/simt"
	"warpscope/gpu"
	"warpscope/ptx"
)

// The state of the machine, from the device down to the lanes of a warp, and what the features keep between
// instructions. All of it is declared here, because its parts hold each other. The code that works on a part is in the
// file of its feature.

// Device is a loaded module with its memory. It is not safe for concurrent use.
type Device struct {
	Mod    *ptx.Module
	opts   Options
	Mem    *mem.Memory
	Prog   *Program
	Shadow *shadow.Shadow
	engine Compiled // nil: the interpreter alone
	ended  *Grid    // the grid that ended last, whose last CTA people can still look at
	reach  row.Reach
}

// Grid is one launch of a kernel.
//
// Its schedule is deterministic. Warps of the current CTA take turns. A turn ends when the warp waits, yields or ends,
// or at the first block boundary (see Inst) at or after TurnLength instructions. There it goes on, up to PrivateTurn
// instructions, while the next block is private: no other warp can change what it reads, so it would do the same in the
// warp's next turn. When a turn ends and the CTA has run ctaSlice instructions or more, the next CTA runs, so that CTAs
// can wait for each other. A CTA becomes resident when its first turn comes, as far as there is memory for it.
type Grid struct {
	Dev      *Device
	Mem      *mem.Memory // of the device
	Prog     *Program
	Counts   []Count // by pc
	breaks   breakpoints
	observer observer
	Entry    *Function
	max      int64 // Config.MaxSteps
	shape
	launchMemory
	sharedLayout
	passBreak bool
	Record    recorder
	spare     []*CTA  // that have ended, for new ones
	batch     Batch   // the last one
	phases    Phases  // the last ones
	ends      []int64 // tick by CTA, 0 if it is not known; nil: not asked for
	lines     []int32 // of the first instructions by pc, as far as they were asked for
	running
}

// running is what changes while a grid runs, except for its memory, its counts of executions and the sanitizers'
// shadow.
type running struct {
	State GridState
	Flights
	frames    framePool
	Counters  gpu.Stats
	counting  *counting // nil: Options ask for no counters
	Printed   []byte    // it only grows
	findings  []noted
	unwritten []unwrittenRead // initcheck: by loads, each once
	Fault     *Fault
}

// GridState is the schedule of a grid.
type GridState struct {
	CTAs     []*CTA // resident, in order of their start
	last     *CTA   // of a grid that has ended
	most     int    // CTAs that can be resident at a time
	Next     int    // place in startOrder of the CTA that starts next
	Cur      int    // index into CTAs
	left     int64  // instructions of TurnLength that the current turn has left; below 0 on the way to a boundary
	ctaLeft  int64  // instructions left of the current CTA's turn
	Tick     int64  // warp instructions executed
	finished bool
	spin     spinWatch
	Progress bool  // something has changed or ended since spin.since
	Refused  bool  // malloc has found no memory for a call
	Polled   int64 // tick of the last mbarrier.test_wait that found an incomplete phase
	Maps     []ChangedMap
	timeUps  spinWatch // for suspended warps that wake because nothing else can run; looked counts them
}

// shape is the shape of a grid, of its CTAs and of its clusters.
type shape struct {
	Grid, block Dim3
	cluster     Dim3 // in CTAs
	clustered   bool // the launch or the kernel names a cluster shape
}

// launchMemory is the memory that a launch reserves.
type launchMemory struct {
	params    Addr               // of the arguments
	pOff      map[*ptx.Var]int64 // offset of each parameter
	workspace Addr               // where the kernel asks for one; see system.go
	slices    Addr               // global memory, one slice for each CTA; see system.go
	sliceSize int64
}

// sharedLayout says where everything is in the shared memory of a CTA. Offsets and sizes are in bytes.
type sharedLayout struct {
	sharedOff  map[*ptx.Var]int64
	sharedVars []gpu.SharedVar // the same in the order of offsets
	dyn        int             // size of the dynamic part
	userShared int64           // size of the variables and the dynamic part
	sharedSize int64           // size of all, with what the system reserves
}

// Count is how often a grid has executed an instruction of its program.
type Count struct {
	Each  int64 // executions that Lines does not count
	Lines int64 // executions of the whole straight line that begins here
}

// counting is what a grid counts with Options.Counters, but for the executions in Counts; see counting.go.
type counting struct {
	insts   []InstCounts // by pc
	ended   []count.Warp // warps of CTAs that have ended; it only grows
	leftOut int64        // warps that it has no place for
}

// InstCounts is what the executions of an instruction count.
type InstCounts struct {
	Lines int64 // lanes of executions of the whole straight line that begins here
	count.Counts
}

// WarpCounts is what a warp has counted.
type WarpCounts struct {
	waits int32 // pc of the instruction at which all lanes wait, plus 1; 0: they do not
	count.Counts
}

// framePool holds the frames that a grid can use again.
type framePool struct {
	templates []*template // by Function.Number
	free      [][]uint32  // arena offsets, by Function.Number
}

// template is the initial contents of a function's frame, and the rows that it leaves to the activation.
type template struct {
	bytes  []byte         // with the constants that are the same for all warps
	local  []*ConstRow    // addresses in local memory
	ofCTA  []*ConstRow    // special registers that differ between CTAs only
	ofWarp []*ConstRow    // special registers that differ between the warps of a CTA only, all of 32 bits
	warps  [][][32]uint32 // by warp: the contents of these rows, made when they are first needed
}

// Frame is one activation of a function: its registers, and its part of each lane's local memory.
type Frame struct {
	Fn     *Function
	Off    uint32 // arena offset of the rows
	Local  int64  // where its variables begin in each lane's local memory
	caller *Frame
	call   int32 // pc of the call, or NoPC for the entry
	depth  int
}

// recorder records what a step does besides the accesses of its own lanes: the registers that change, the memory that
// asynchronous operations write, and the mbarrier objects that change. Without a step to record it records nothing.
type recorder struct {
	Step *gpu.Step
	regs []writing // in the order of Step.Regs
}

// writing is a register of an activation that a step writes.
type writing struct {
	fr *Frame
	op row.Operand
}

// noted is a finding with its instruction and cause, which tell it from other findings.
type noted struct {
	gpu.Finding
	inst  *ptx.Inst
	cause causes.Kind
}

// unwrittenRead is the first read of unwritten memory by a load, for its finding.
type unwrittenRead struct {
	pc    int32
	lane  int
	warp  int
	where string
}

// spinWatch finds warps that spin forever. The machine is deterministic: when nothing has been written for a long time,
// and registers, stacks and schedule are the same as before, they will be the same again and again. Brent's method
// compares states: it remembers one, and replaces it after 1, 2, 4, … looks.
type spinWatch struct {
	since  int64  // tick at which progress was last noticed: a change of memory, an exit, a barrier
	seen   uint64 // hash of the state that is remembered
	looks  int64  // since seen was replaced
	period int64  // looks after which seen is replaced
	reads  int64  // reads of memory up to the state seen
	clocks int64  // reads of a clock up to the state seen

	looked    int64 // tick of the last look
	cta, warp int   // that had the turn before
}

// Flights holds the asynchronous operations of a grid.
type Flights struct {
	Async   []AsyncOp // under way, in the order in which they were started
	Flying  int       // operations under way, those of warps included: cp.async, and products that still have to read
	changes int       // how often the set of operations under way has changed
}

// AsyncOp is an operation under way. The contents of its slices never change.
type AsyncOp struct {
	In       *Inst
	CTA      int // that started it: linear index
	Warp     int
	Lane     int
	Moves    []Move
	Data     []byte // what it writes, once it has read its source
	Read     bool
	Report   Report  // to the mbarrier
	Fill     [8]byte // what it writes for a source outside of the tensor
	Tx       uint32  // bytes that it completes at the mbarrier
	Mbarrier uint32  // arena offset; 0: none
	Group    int     // bulk groups that its thread has committed since; -1: it is in no group
	Fold     func(old, b, c uint64) uint64
	Size     uint32     // bytes of an element that Fold works on
	Packs    bool       // it reads 16 bytes of b6p2x16 and writes 12
	From, To mem.Extent // hold all that it reads and writes
	Tensor   []TensorOp // operations on the CTA's tensor memory; nil but for tcgen05.commit
	Arrive   int64      // arrivals at the mbarrier
	Pair     bool       // Tensor works on both CTAs of the pair
}

// Report is what an operation reports of the data that it reads (9.7.10.28.1.3).
type Report struct {
	Finds func(at uint32, b []byte) bool // whether there is anything to report; nil: it does not look
	found bool
}

func (r *Report) look(at uint32, b []byte) { r.found = r.found || r.Finds != nil && r.Finds(at, b) }

// Move copies one piece of an operation. To and From are arena offsets. A From of 0 means that the source is outside of
// the tensor: the operation's Fill goes there instead.
type Move struct {
	To, From, Size uint32
	Mask           uint16 // bit i: byte i of every 16 stays as it is
}

// Reads returns the size of a move's source in bytes.
func (o *AsyncOp) Reads(m Move) uint32 {
	if o.Packs {
		return 16
	}
	return m.Size
}

// AddFlying adds n to the operations under way, cp.async included. While there are some, loads and stores look more
// closely.
func (s *Flights) AddFlying(n int) {
	s.Flying += n
	s.changes++
}

// ChangedMap is a tensor map in global memory that a kernel has changed. It is read through the tensormap proxy, so a
// fence.proxy.tensormap::generic.acquire that names it must come first (9.7.15.4). A fence of any thread counts.
type ChangedMap struct {
	At Addr
	In *Inst // the instruction that has changed it
}

// CTA is a resident CTA: its warps, shared memory and barriers.
type CTA struct {
	Grid       *Grid
	Mem        *mem.Memory // of the device
	Index      int         // linear, x fastest
	id         Dim3
	Warps      []*Warp
	Cur        int // index of the warp whose turn it is
	SharedOff  uint32
	SharedSize int64
	barriers   barriers
	order      causal.CTAOrder // racecheck
	open       uint16          // barriers at which threads have arrived, by number
	live       int             // threads that have not exited
	Mbarriers  []MbarrierRef   // in its shared memory, by offset
	GroupReads []GroupReads    // operands of products that some warps of their warpgroup have not computed yet
	Unfenced   unfenced
	Tensor     TensorMemory
	Refused    bool         // it has seen a clusterlaunchcontrol.try_cancel fail
	counted    []WarpCounts // by warp; nil where nothing is counted
	edited     bool         // a user has changed something in it

	underWay
}

// barrier is one of the 16 barriers of a CTA (9.7.15.1).
type barrier struct {
	arrived  int          // threads; a whole warp counts 32 when a count is given
	expected int          // threads that complete it, or 0 for all threads of the CTA
	lanes    []Mask       // by warp: lanes that have arrived
	missing  int          // index of a warp that was still to come when settle looked last
	from     *Inst        // the instruction that has arrived first
	told     causal.Facts // what warps that do not wait have given to those that do
	and, or  bool
	popc     int
}

// barriers are the barriers of a CTA, by number.
type barriers [16]barrier

// GroupReads is what a product has read from shared memory. The first warp of a warpgroup that waits for the product
// reads for all four: the product is one operation, and it is then complete for all of them (9.7.17.7.3).
type GroupReads struct {
	First int // index of the warpgroup's first warp
	Of    IssuedProduct
	A, B  []uint64
	Left  uint8 // warps that still have to take it
}

// unfenced gives, for each 16 bytes of a CTA's shared memory, the instruction that has stored there since the last
// fence. It is nil in programs without such instructions.
type unfenced []*Inst

// SmemRead is a part of a matrix in shared memory that a product or a copy reads: lines First to First+Lines-1.
type SmemRead struct {
	matrix.Descriptor
	First, Lines, K int
}

// TensorMemory is the tensor memory of a CTA.
type TensorMemory struct {
	Off          uint32 // arena offset; 0 before the first allocation
	Units        [TensorColumns / TensorUnit]uint8
	From         *Inst // the last tcgen05.alloc
	Exclusive    bool  // the only allocation is one of tcgen05.alloc.exclusive
	Relinquished bool
	Group        uint8      // .cta_group of the last instruction; 0: none yet
	Floats       bool       // the last product was one of floats
	Issued       []TensorOp // tcgen05.mma, .cp and .shift that are not committed yet
	Asked        int        // columns of the last allocation; 0: none yet
}

// Thread names a thread of a CTA.
type Thread struct{ Warp, Lane int }

// TensorOp is an asynchronous operation on tensor memory that no tcgen05.commit tracks yet.
type TensorOp struct {
	In     *Inst
	By     Thread
	Pair   bool     // .cta_group::2
	Fenced bool     // its thread has executed tcgen05.fence::before_thread_sync since
	After  []Thread // that have executed tcgen05.fence::after_thread_sync since: their next operations come after it
	Do     func(c *CTA)
	Reads  []SmemRead // of the shared memory of each CTA that it works on; of a product B, and after it A
	// ReadA is of a product with A in shared memory: it reads A, and rest does what is left.
	ReadA func(c *CTA) (rest func(c *CTA))
}

// flight tells, for each 16 bytes of a CTA's shared memory, whether an operation under way writes them, reads them, or
// both.
type flight []uint8

// underWay is what a CTA knows of the operations under way, and its copy. A clone works it out again.
type underWay struct {
	flight   flight
	sources  mem.Extent // holds all that pending cp.async read
	flightAt int        // value of Flights.changes when it was worked out
	twin     *CTA       // the copy of it as it is now that snapshots share; nil: it can have changed since
}

// What package simt schedules; its frames are the activations of functions here.
type (
	lanes  = simt.Lanes[*Frame]
	Group  = simt.Group[*Frame]
	policy = simt.Policy[*Frame]
)

// Warp is 32 lanes and what they share. The state that a feature of the machine keeps for each warp has a type of its
// own below, and where it has slices or maps a clone in clone.go, which a snapshot keeps.
type Warp struct {
	CTA   *CTA
	Mem   *mem.Memory // of the device
	LSU   LSU
	Index int
	lanes
	Policy  policy // decides which lanes run when they have branched apart
	Present Mask   // lanes that are threads
	Carry   Mask   // CC.CF, one bit for each lane (9.7.2)
	Base    *Frame
	Local   localMemory
	Stack   stackTops // for alloca
	waits   waits
	Cluster clusterLanes
	Copies  asyncCopies
	Late    lateWork
	Wgmma   groupUse
	Quota   RegisterQuota
	warpChecks
	turns
	inProgress
}

// warpChecks is what the sanitizers know of a warp.
type warpChecks struct {
	order    causal.WarpOrder // racecheck
	Doubting bool             // initcheck: it has read unwritten memory
}

// observer is told of warps that come to instructions.
type observer struct {
	at map[*ptx.Inst]bool
	do func(cta, warp int)
}

// breakpoints stop all warps, or one.
type breakpoints struct {
	at   map[*ptx.Inst]bool
	to   []int32 // by pc: instructions up to the next pause; nil without breakpoints and without an observer
	one  bool    // only this warp of this CTA, or all of its warps if warp is -1
	cta  int
	warp int
	from Addr // only where a byte from here to end is written, if end is not 0
	end  Addr
}

// of says whether the breakpoints stop a warp.
func (b *breakpoints) of(w *Warp) bool {
	return !b.one || b.cta == w.CTA.Index && (b.warp == w.Index || b.warp < 0)
}

// toBreak returns, by pc, how many instructions it is to where the warp pauses next; nil for a warp that never does.
func (w *Warp) toBreak() []int32 {
	if g := w.CTA.Grid; g.observer.do != nil || g.breaks.of(w) {
		return g.breaks.to
	}
	return nil
}

// LSU is the load/store unit of a warp: it makes the accesses of loads, stores and atomics.
type LSU struct {
	*Warp
	offs [32]uint32  // by lane, of the access in progress: offsets from Seg.Base
	Seg  mem.Segment // where the access in progress goes
}

// turns holds the ticks of the last two instructions that a warp has executed, counted from 1; 0 stands for none.
type turns struct{ last, prev int64 }

// inProgress is the state of a warp within an instruction. It has no meaning between instructions.
type inProgress struct {
	waited bool         // the instruction has made lanes wait
	Ran    int64        // instructions executed in this call of Run, set for Warp.special
	sides  [2]simt.Side // of the branch in progress
	Rec    *gpu.Step    // record of the step; nil at full speed
}

// localMemory is the local memory of a warp: size bytes for each lane, one after the other.
type localMemory struct {
	off  uint32
	Size int64
}

// stackTops are the stack pointers of alloca, by lane: addresses after the memory that it has given. Where it has given
// nothing, they are below the end of the frame.
type stackTops struct {
	Tops [32]int64
	end  int64 // the largest of them
}

// waits holds what the lanes of a warp wait for.
type waits struct {
	list      []Waiting
	suspended bool // some lanes wait at mbarriers
}

// Waiting is lanes of a warp that wait for other warps.
type Waiting struct {
	At    int // 0 to 15, AtMbarrier, AtCluster, AtTensor or AtGroup
	lanes Mask
	In    *Inst
	frame *Frame
}

// clusterLanes holds the lanes of a warp that have arrived at the cluster's barrier: those that have arrived in this
// phase, and those that have not waited since they arrived.
type clusterLanes struct {
	Arrived, Awaiting Mask
	Told              causal.Facts // what the warp has given to those that wait
}

// asyncCopies are the copies of a warp, in the order in which lanes started them.
type asyncCopies []AsyncCopy

// AsyncCopy is a copy that a lane has started.
type AsyncCopy struct {
	Lane     int
	Age      int    // groups that the thread has committed since: 0 for copies in no group yet
	To, From uint32 // arena offsets
	Size     uint32 // 4, 8 or 16
	Given    uint32 // bytes that are copied; the rest become zero
	Mbarrier uint32 // nothing is copied: an arrival at this object, made once the lane's earlier copies are made
	In       *Inst
}

// lateWork is the work that a warp has postponed, in the order in which it was started.
type lateWork []Late

// Late is work that a warp has postponed as long as the manual allows: until the warp waits for it. wgmma and
// tcgen05.ld write their registers then, and tcgen05.st writes tensor memory.
type Late struct {
	Kind   LateKind
	frame  *Frame   // whose registers it uses
	writes []DstReg // the registers that it writes
	seen   uint32   // offset of the word where lanes note that they have written them
	lanes  Mask     // lanes that execute it
	Age    int      // wgmma groups committed since: 0 for products in no group yet
	Do     func(w *Warp, f unsafe.Pointer)
	Reads  *ProductReads // for a product: what it still has to read
}

// LateKind says which instruction has postponed work.
type LateKind uint8

// The kinds of late work: products of wgmma, tcgen05.ld and tcgen05.st.
const (
	LateProduct LateKind = iota
	LateLoad
	LateStore
)

// ProductReads is what a product still has to read from shared memory.
type ProductReads struct {
	In      *Inst
	Product IssuedProduct
	around  mem.Extent // holds all of it, once an access has asked
}

// groupUse is what a warp has done with wgmma.
type groupUse struct {
	Fences   int64   // how many wgmma.fence it has executed
	Products int64   // how many wgmma.mma_async it has executed
	Users    []*Inst // by register of HeldRegs: the last use since the last wgmma.fence
}

// IssuedProduct is a product with the operands that were read when it was issued.
type IssuedProduct struct {
	*GroupProduct
	A, B       matrix.Descriptor
	Accumulate bool
	Columns    []uint8 // of the stored elements of a sparse A
	In         *Inst
	Number     int64 // products that the warp has issued up to this one
}

// RegisterQuota is how many registers setmaxnreg has given to a warp.
type RegisterQuota struct {
	Registers, Changes int   // what the last setmaxnreg has given, and how many the warp has executed
	By                 *Inst // the last setmaxnreg
}

// Compiled executes parts of a program that it has compiled. Only the time that it takes tells it from the interpreter:
// registers, memory, counts and the schedule are the same.
type Compiled interface {
	// Run executes instructions of a warp's current group, and returns the pc of the next one and how many it has
	// executed: 0 where nothing is compiled. It stops before an instruction that it cannot execute, that faults, or where
	// the group's lanes meet others. Within a turn it can execute one side of a branch, then the other; see Gone.
	Run(w *Warp, at Place) (pc int32, ran int64)

	// Phases executes phases of a CTA, as many as it can.
	Phases(c *CTA, p *Phases)

	// Gone returns what the policy must hear of branches in the last call of Run or Phases.
	Gone() *Gone

	// RunCTAs executes whole CTAs of a launch, one after the other, and says whether it has tried. It ends before a CTA
	// that it cannot execute, with all memory as that CTA finds it. Frames are for its use.
	RunCTAs(b *Batch) bool

	// Flush tells how often parts of straight lines have been executed since the last call.
	Flush(executed func(start, end int32, n int64))
}

// Place is where a warp's group is, and how far it can go.
type Place struct {
	PC, RPC int32 // the next instruction, and where the group stops
	Active  Mask
	Frame   uint32 // arena offset
	Left    int64  // the turn ends at the first block boundary at or after so many instructions…
	More    int64  // …or this many later, while the block after the boundary is a private one
	Most    int64  // the most instructions that it can execute
}

// Batch is CTAs of full warps that end before it is another CTA's turn. They are neighbours in a row of the grid.
type Batch struct {
	Entry  *Function
	Frames []uint32 // arena offsets by warp, filled for the first CTA
	X      int      // %ctaid.x of the first CTA
	CTAs   int
	Left   int64 // CTAs that are left in the grid, but the last one
	Most   int64 // the most instructions that they can execute

	Done   int   // CTAs that have been executed
	Ran    int64 // instructions in them
	Lost   int64 // lane instructions less than if all lanes had executed all of them
	Parted int64 // branches at which lanes have parted
}

// Phases are phases of a CTA of which all warps are at one place with all lanes. Warps take turns; the one whose turn
// is the last of a phase begins the next.
type Phases struct {
	Cur   int   // the warp whose turn it is
	Turn  int64 // instructions of a turn
	Left  int64 // what is left of the present turn, before and after
	Most  int64 // the most instructions that all warps together can execute
	Quiet int64 // instructions since the watch of spinning warps has begun

	Barriers []int32   // that all warps have passed, one after the other
	Barrier  int32     // where some wait
	Come     int       // how many do
	Ends     [32]int64 // by warp: instructions of all up to the end of its last turn that came to a barrier; or 0
	Passed   int64     // instructions in such turns
	Since    int64     // so many of them were executed when the watch began anew; 0: it did not
	PC       int32     // where the turn in progress has come to
	Ran      int64     // instructions in it
}

// Gone is what is left of branches at which lanes have parted in a call. Where both sides have met again, nothing is.
type Gone struct {
	Parts    []Departure // in the order of time
	Branches int64       // executions of branches at which lanes have parted
	Missed   int64       // instructions that lanes of the call have not executed, added up over lanes
}

// Departure is a branch at which lanes part. Where lanes have left a group for its reconvergence point at several
// branches, it is all of them at the last.
type Departure struct {
	Branch int32 // pc
	Taken  Mask  // lanes that take it; 0: none part
	Second bool  // the lanes that go first have come to the reconvergence point
	Met    bool  // the group that runs then has parted and met since
}
