package jit

import (
	"encoding/binary"
	"slices"

	"warpscope/emu/jit/call"
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

// show writes a window into the context.
func (s *site) show(ctx []byte, base uint32) {
	binary.LittleEndian.PutUint32(ctx[s.window+call.WinSeg:], base+s.seg)
	binary.LittleEndian.PutUint64(ctx[s.window+call.WinLimit:], uint64(s.limit))
	binary.LittleEndian.PutUint64(ctx[s.window+call.WinAdd:], s.add)
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

// elements are the registers that a load writes or a store reads.
func elements(in *machine.Inst) []row.Operand {
	if in.Op == machine.OpStore {
		return in.X.S
	}
	return in.X.D
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

// put writes a word of the context, and get reads one.
func put(ctx []byte, at int, v uint32)     { binary.LittleEndian.PutUint32(ctx[at:], v) }
func get(ctx []byte, at int) (word uint32) { return binary.LittleEndian.Uint32(ctx[at:]) }
