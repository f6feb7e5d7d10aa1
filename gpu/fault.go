package gpu

import (
	"fmt"
	"strings"

	"warpscope/ptx"
)

// FaultKind classifies a fault at run time.
type FaultKind string

// The kinds of faults. Launch headers use these words for them.
const (
	OutOfBounds        FaultKind = "OutOfBounds"        // an address outside every allocation
	Misaligned         FaultKind = "Misaligned"         // an address that is not a multiple of the access size
	IllegalAddress     FaultKind = "IllegalAddress"     // an address in no window, or in one that the access cannot use
	Trap               FaultKind = "Trap"               // trap
	AssertFail         FaultKind = "AssertFail"         // __assertfail
	BarrierDeadlock    FaultKind = "BarrierDeadlock"    // a barrier that can never complete
	DivergenceDeadlock FaultKind = "DivergenceDeadlock" // lanes of one warp that wait for each other
	SpinDeadlock       FaultKind = "SpinDeadlock"       // lanes spin forever on memory that no remaining thread can change
	EndlessLoop        FaultKind = "EndlessLoop"        // a loop that never ends and reads nothing that could change
	StackOverflow      FaultKind = "StackOverflow"      // too many nested calls, or no local memory for them
	IllegalInstruction FaultKind = "IllegalInstruction" // undefined use: brx.idx out of range, a call that does not fit
	DivergentUniform   FaultKind = "DivergentUniform"   // a .uni branch or call whose lanes disagree
)

// Fault is an error of the guest program that ends its grid. It implements error.
type Fault struct {
	Kind   FaultKind
	Pos    ptx.Position
	CTA    Dim3
	Warp   int
	Lanes  Mask
	Space  string // ".global", ".shared", … or "" when no address is involved
	Addr   Addr
	Size   int
	Detail string // the rest of the message: the nearest allocation, which lanes wait for which
	Inst   *ptx.Inst
}

// Error returns one line that says what happened, where, and in which lanes.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d: %s", f.Pos.Line, faultWords[f.Kind])
	if f.Space != "" {
		fmt.Fprintf(&b, " %#x (%s, %s)", f.Addr, ptx.Plural(f.Size, "byte"), f.Space)
	}
	b.WriteString(f.Detail)
	fmt.Fprintf(&b, "; CTA %d,%d,%d", f.CTA.X, f.CTA.Y, f.CTA.Z)
	if f.Lanes != 0 { // else the CTA could not start
		fmt.Fprintf(&b, " warp %d %s", f.Warp, f.Lanes.Lanes())
	}
	return b.String()
}

// What converts an address that a fault found to be of the other kind (9.7.10.23). Details name it, fixes insert it.
const (
	ToGeneric = "cvta.shared"
	ToShared  = "cvta.to.shared"
)

// NearNull says whether the fault's address is a null pointer, or belongs to something that one would point to.
func (f *Fault) NearNull() bool {
	const farthest = 4096 // bytes: larger than most structures, smaller than any window's address
	return f.Kind == IllegalAddress && f.Size > 0 && f.Addr < farthest
}

// Finding is something undefined or unordered that a program has done and that does not end the grid. Each check has
// its own:
//
//   - Synccheck: membermasks that name lanes which cannot come, aligned barriers in divergence, values from lanes that
//     take no part, accesses that come before an asynchronous copy has happened.
//   - Memcheck: division by zero, addresses converted to a space that they are not in.
//   - Racecheck: conflicting accesses that are unordered.
//   - Initcheck: values from memory that nothing has written, and from registers that the lane has never written, where
//     they decide something.
type Finding struct {
	Check   Checks
	Message string
	Pos     ptx.Position
	Other   ptx.Position // of the other instruction that is involved, if there is one: the copy, or the store
	Section string       // of the manual
	CTA     Dim3
	At      Witness // who was at Pos
	With    Witness // who was at Other, as far as that is known; Inst is nil where there is no other
}

// Witness is an instruction that a finding is about, and the lanes that have executed it.
type Witness struct {
	Inst  *ptx.Inst
	CTA   Dim3
	Warp  int  // -1: not known
	Lanes Mask // 0: not known, or no lanes in particular
}

var faultWords = map[FaultKind]string{
	OutOfBounds:        "out of bounds: address",
	Misaligned:         "misaligned address",
	IllegalAddress:     "illegal address",
	Trap:               "trap",
	AssertFail:         "assertion failed",
	BarrierDeadlock:    "barrier deadlock",
	DivergenceDeadlock: "divergence deadlock",
	SpinDeadlock:       "endless spin",
	EndlessLoop:        "endless loop",
	StackOverflow:      "stack overflow",
	IllegalInstruction: "illegal instruction",
	DivergentUniform:   "divergent .uni",
}
