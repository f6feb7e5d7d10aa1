// Package call has what a call of compiled code and the engine tell each other, and the functions of WebAssembly that
// regions call.
package call

// The context is in the arena's first page, which belongs to no allocation. Between calls of the engine all of it that
// differs between runs is zero, so that hashes and snapshots of the machine do not see it.
const (
	At         = 64  // its arena offset
	Left       = 0   // i32, out: what is left of the budget
	Floor      = 4   // i32: where a turn ends that goes on with private blocks
	Entry      = 12  // i32: the piece to begin with
	Masks      = 16  // 8 vectors, of a variant for some lanes: all ones in active lanes
	Offs       = 144 // 8 vectors: offsets of the access in progress
	Shared     = 272 // i32: address of the CTA's shared memory
	SharedSize = 276 // i32
	Plain      = 280 // i32, in and out: see progress.go
	Marks      = 284 // i32: address of the mark of the page at address 0
	Branches   = 288 // i32, out: see machine.Gone
	Missed     = 292 // i32, out: what was left of the budget when lanes left, added up over lanes; see apart.go
	Active     = 296 // i32, out: the lanes that are active, if there are branches
	Stay       = 300 // i32: the code for some lanes goes on when all are active again
	EventsSize = 304 // i32, out: see loop
	Events     = 308
	Local      = 696                           // i32: address of the local memory of the warp's lane 0
	LocalSize  = 700                           // i32
	Stride     = 704                           // i32: distance to the next lane's local memory
	Others     = 712                           // see others.go
	Live       = Others + MostOthers*OtherSize // i32: lanes of the warp that have not exited
	Range      = Live + 4                      // i32: lanes of a shuffle that are in range
	Miss       = Live + 8                      // i32, out: not 0 before an access that is outside of its window
	Top        = Live + 12                     // i32, out: size of the levels; see apart.go
	Group      = Live + 24                     // the group, as levels have it
	RPC        = Group + GroupRPC              // i32: its reconvergence point
	Levels     = Group + GroupSize             // out
	Counts     = Levels + MostLevels*LevelSize // i64 by piece: executions; then the windows of sites
)

// The parts of a window in the context.
const (
	WinSeg   = 0  // i32: address of the range
	WinLimit = 8  // i64
	WinAdd   = 16 // i64
	WinSize  = 24
)

// MostOthers is how many other allocations the context has room for.
const MostOthers = 4

// An entry of the context for one of them: addresses, as i64. Both are 0 where there is none.
const (
	OtherStart = 0
	OtherEnd   = 8
	OtherSize  = 16
)

// The words of a level. Lanes that go to the reconvergence point at once are no side.
const (
	LevelBranch = 0  // i32: pc
	LevelTaken  = 4  // i32: lanes that take it
	LevelActive = 8  // i32: the group before it, a lane a bit
	LevelSecond = 12 // i32: 1 + the piece with which the second side begins; 0: it has begun, or there is none
	LevelGroup  = 16 // the group before it
	LevelSize   = LevelGroup + GroupSize
	MostLevels  = 8
)

// The words of a group: its reconvergence point, the lanes that have left for it since the level began, at branches of
// which this is the last, and whether lanes of a level above it have met since.
const (
	GroupRPC    = 0  // i32
	GroupGone   = 4  // i32
	GroupBranch = 8  // i32: pc
	GroupMet    = 12 // i32
	GroupSize   = 16
)

// The values of Plain.
const (
	StoresHeld  = 0 // the interpreter does all stores
	StoresPlain = 1
	StoresQuiet = 2 // nothing has changed yet
)
