package jit

import (
	"encoding/binary"
	"slices"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// layout says where the regions of a program are.
type layout struct {
	prog    *machine.Program
	at      []place // by pc
	meets   []bool  // by pc: reconvergence points
	regions []*region
	relaxed bool              // relaxed multiply-add rounds once
	fixed   map[uint32]uint64 // values of the constant rows of the function in work
}

// place is a piece of a region.
type place struct {
	region *region
	piece  int32
	start  int32 // pc
}

// A piece is a run of instructions of one basic block. Compiled code is entered at the start of a piece only, and
// counts executions of whole pieces. A piece ends with its block, or before an instruction that cannot be compiled.
type piece struct {
	start, end int32
	leader     bool // there is a block boundary before it, where a turn can end
	private    bool // see machine.MarkPrivate
	meets      bool // lanes can have their reconvergence point there
	jumps      bool // its last instruction is a branch
	stops      bool // the instruction after it cannot be compiled
}

// A region is what one function of WebAssembly does: neighbouring pieces of one function of the program.
type region struct {
	pieces   []piece
	sites    []site  // loads and stores with windows, by pc
	barriers []int32 // pcs of barriers that warps pass together; see phaser
	ends     []int32 // pcs where warps end, of an entry
	phases   mem.Func
	reaches  bool  // there are loads or stores
	local    bool  // some access local memory
	crosses  bool  // there are warp operations
	longest  int64 // instructions between two looks at the budget
	heat     int64 // instructions that were executed here before it was compiled
	state    [2]compiled
	pays     []pay   // by piece
	parting  pay     // of calls for all lanes, until lanes part; while it pauses, the code for some lanes does their work
	counts   []int64 // by piece: executions that Flush has not told yet
	counted  bool    // there are some
}

// compiled is a variant of a region: 0 for warps of which all lanes are active, 1 for any.
type compiled struct {
	made bool
	ok   bool // the host has taken it
	f    mem.Func
}

// A site is a load or store of a region, but not of shared or local memory. It reaches what its window shows, which is
// the allocation that it reached last. An access that goes elsewhere ends the compiled code before it, and Engine.look
// moves the window, or leaves the fault to the interpreter.
type site struct {
	pc      int32
	window  uint32 // offset in the context
	seg     uint32 // arena offset of the allocation
	limit   int64  // the highest offset of an access in it; below 0: there is none
	add     uint64 // to addresses, to get offsets
	changes int    // Memory.Changes when the window was found
}

// The parts of a window in the context.
const (
	winSeg   = 0  // i32: address of the range
	winLimit = 8  // i64
	winAdd   = 16 // i64
	winSize  = 24
)

// mostOthers is how many other allocations the context has room for.
const mostOthers = 4

// An entry of the context for one of them: addresses, as i64. Both are 0 where there is none.
const (
	otherStart = 0
	otherEnd   = 8
	otherSize  = 16
)

// show writes a window into the context.
func (s *site) show(ctx []byte, base uint32) {
	binary.LittleEndian.PutUint32(ctx[s.window+winSeg:], base+s.seg)
	binary.LittleEndian.PutUint64(ctx[s.window+winLimit:], uint64(s.limit))
	binary.LittleEndian.PutUint64(ctx[s.window+winAdd:], s.add)
}

// site returns the load or store at a pc.
func (r *region) site(pc int32) *site {
	i, _ := slices.BinarySearchFunc(r.sites, pc, func(s site, pc int32) int { return int(s.pc - pc) })
	return &r.sites[i]
}

// measure finds the longest way between two block boundaries.
func (r *region) measure() {
	n := int64(0)
	for i := range r.pieces {
		p := &r.pieces[i]
		if p.leader {
			n = 0
		}
		n += int64(p.end - p.start)
		r.longest = max(r.longest, n)
	}
}

// function returns the function that a region is of.
func (e *layout) function(r *region) *machine.Function {
	pc := r.pieces[0].start
	i := slices.IndexFunc(e.prog.Funcs, func(fn *machine.Function) bool {
		return pc >= fn.Start && pc <= fn.End && fn.Src.Defined
	})
	return e.prog.Funcs[i]
}

// predicates lists the predicates that an instruction writes.
func predicates(in *machine.Inst) (list []uint32) {
	switch {
	case in.X == nil || in.X.Key == "":
		if row.Operations[in.Number].Rows[0] == 0 {
			return []uint32{in.D}
		}
		return nil
	case in.X.Predicates != nil:
		for _, o := range []row.Operand{in.X.Predicates.P, in.X.Predicates.Q} {
			if !o.Sink {
				list = append(list, o.Off)
			}
		}
	}
	for _, o := range in.X.D {
		if o.Bits == 1 && !o.Sink {
			list = append(list, o.Off)
		}
	}
	return list
}

// writes says whether an instruction writes a row.
func writes(in *machine.Inst, off uint32) bool {
	switch {
	case in.Op == machine.OpStore:
		return false
	case in.X == nil:
		return in.D == off
	case in.X.Across != nil:
		return in.X.Across.D.Off == off && !in.X.Across.D.Sink
	}
	return slices.ContainsFunc(in.X.D, func(o row.Operand) bool { return !o.Sink && o.Off == off })
}

// reaches says whether an operation accesses memory.
func reaches(op machine.Op) bool {
	return op == machine.OpLoad || op == machine.OpStore || op == machine.OpAtom
}

// constants returns the values of the constant rows of a function.
func constants(fn *machine.Function) map[uint32]uint64 {
	m := map[uint32]uint64{}
	for _, c := range fn.Consts {
		if c.Kind == machine.ConstBits {
			m[c.Off] = c.Value
		}
	}
	return m
}

const (
	regionSize = 192 // instructions; a region goes on up to the end of a block
	mostPieces = 96  // that the context has counters for
	mostSites  = 60  // of a region; its last piece can have more

	mostWindows = 30 // of a piece
)

// The context is in the arena's first page, which belongs to no allocation. Between calls of the engine all of it that
// differs between runs is zero, so that hashes and snapshots of the machine do not see it.
const (
	ctxAt         = 64  // its arena offset
	ctxLeft       = 0   // i32, out: what is left of the budget
	ctxFloor      = 4   // i32: where a turn ends that goes on with private blocks
	ctxEntry      = 12  // i32: the piece to begin with
	ctxMasks      = 16  // 8 vectors, of a variant for some lanes: all ones in active lanes
	ctxOffs       = 144 // 8 vectors: offsets of the access in progress
	ctxShared     = 272 // i32: address of the CTA's shared memory
	ctxSharedSize = 276 // i32
	ctxPlain      = 280 // i32, in and out: see progress.go
	ctxMarks      = 284 // i32: address of the mark of the page at address 0
	ctxBranches   = 288 // i32, out: see machine.Gone
	ctxMissed     = 292 // i32, out: what was left of the budget when lanes left, added up over lanes; see apart.go
	ctxActive     = 296 // i32, out: the lanes that are active, if there are branches
	ctxStay       = 300 // i32: the code for some lanes goes on when all are active again
	ctxEventsSize = 304 // i32, out: see loop
	ctxEvents     = 308
	ctxLocal      = 696                              // i32: address of the local memory of the warp's lane 0
	ctxLocalSize  = 700                              // i32
	ctxStride     = 704                              // i32: distance to the next lane's local memory
	ctxOthers     = 712                              // see others.go
	ctxLive       = ctxOthers + mostOthers*otherSize // i32: lanes of the warp that have not exited
	ctxRange      = ctxLive + 4                      // i32: lanes of a shuffle that are in range
	ctxMiss       = ctxLive + 8                      // i32, out: not 0 before an access that is outside of its window
	ctxTop        = ctxLive + 12                     // i32, out: size of the levels; see apart.go
	ctxGroup      = ctxLive + 24                     // the group, as levels have it
	ctxRPC        = ctxGroup + groupRPC              // i32: its reconvergence point
	ctxLevels     = ctxGroup + groupSize             // out
	ctxCounts     = ctxLevels + mostLevels*levelSize // i64 by piece: executions; then the windows of sites
)

// put writes a word of the context, and get reads one.
func put(ctx []byte, at int, v uint32)     { binary.LittleEndian.PutUint32(ctx[at:], v) }
func get(ctx []byte, at int) (word uint32) { return binary.LittleEndian.Uint32(ctx[at:]) }
