// Package count has the counters of a run: their names, what each means, and the arithmetic of memory accesses.
//
// All of them are counts. The emulator has no clock and no caches, so nothing here is a time, and nothing says how fast
// a GPU would be.
package count

import "slices"

// Counts are the counters of an instruction, a warp or a whole grid.
type Counts struct {
	Instructions int64 // warp instructions
	Lanes        int64 // warp instructions times active lanes
	Off          int64 // of these, lanes whose guard was false
	Branches     int64 // executions of bra and brx.idx
	Divergent    int64 // of these, executions after which lanes went different ways

	Global Traffic // in sectors
	Local  Traffic // in sectors
	Shared Traffic // in wavefronts

	Atomics int64 // lanes that executed an atomic operation
	Repeats int64 // of these, lanes whose address a lower lane of the request had, too

	Arrivals int64 // of warps at barriers
	Waits    int64 // instructions that other warps executed while all lanes of a warp waited
}

// Traffic is what requests to a memory took. A request is a load, store or atomic of one warp.
type Traffic struct {
	Requests int64
	Parts    int64 // sectors or wavefronts
	Ideal    int64 // the fewest parts that the same lanes could need
}

// Add adds other counts.
func (c *Counts) Add(o *Counts) {
	for _, p := range []struct {
		to   *int64
		from int64
	}{
		{&c.Instructions, o.Instructions}, {&c.Lanes, o.Lanes}, {&c.Off, o.Off}, {&c.Branches, o.Branches},
		{&c.Divergent, o.Divergent}, {&c.Atomics, o.Atomics}, {&c.Repeats, o.Repeats}, {&c.Arrivals, o.Arrivals},
		{&c.Waits, o.Waits},
	} {
		*p.to += p.from
	}
	c.Global.Add(o.Global)
	c.Local.Add(o.Local)
	c.Shared.Add(o.Shared)
}

// Add adds other traffic.
func (t *Traffic) Add(o Traffic) {
	t.Requests += o.Requests
	t.Parts += o.Parts
	t.Ideal += o.Ideal
}

// Op says what an instruction does with memory.
type Op uint8

// The operations.
const (
	None Op = iota
	Load
	Store
	Atomic    // it returns what was there
	Reduction // it returns nothing
)

// OpOf is what an instruction does whose accesses are counted; None for any other.
func OpOf(mnemonic string) Op {
	switch mnemonic {
	case "ld", "ldu":
		return Load
	case "st":
		return Store
	case "atom":
		return Atomic
	case "red":
		return Reduction
	}
	return None
}

// Inst is an instruction of a program with its counts.
type Inst struct {
	Line int // of the text; 0: it is in no line
	PC   int // its place in the program
	Op   Op
	Counts
}

// Warp is a warp of a grid with its counts.
type Warp struct {
	CTA, Index int // the CTA's linear index, and the warp's index in the CTA
	Counts
}

// Account is all that a grid has counted.
type Account struct {
	Insts   []Inst // that were executed, in the order of the program
	Warps   []Warp // those that have ended, in the order of their end, and those that run
	LeftOut int64  // warps that have ended and are not in the list, because it was full
	Live    Live   // of the kernel
	Block   Block  // of the launch
}

// Block is what a block of a launch takes of a multiprocessor, beside registers.
type Block struct {
	Threads int
	Shared  int // bytes
	Target  int // 90 for sm_90
}

// Live says where most registers of a function are live.
type Live struct {
	Registers  int // of 32 bits; one of 64 bits is two
	Predicates int // live at the same place
	Line       int
}

// At returns the instructions of a line; those of all lines for line 0.
func (a *Account) At(line int) (list []Inst) {
	for _, in := range a.Insts {
		if line == 0 || in.Line == line {
			list = append(list, in)
		}
	}
	return list
}

// Lines returns the lines that have instructions, in ascending order.
func (a *Account) Lines() (list []int) {
	seen := map[int]bool{0: true}
	for _, in := range a.Insts {
		if !seen[in.Line] {
			seen[in.Line] = true
			list = append(list, in.Line)
		}
	}
	slices.Sort(list)
	return list
}
