package gpu

import (
	"fmt"
	"strings"

	"warpscope/ptx"
)

// FaultKind classifies a fault at run time.
type FaultKind string

// The fault kinds; launch headers name them by these words.
const (
	OutOfBounds        FaultKind = "OutOfBounds"        // outside every allocation
	Misaligned         FaultKind = "Misaligned"         // address is not a multiple of the access size
	IllegalAddress     FaultKind = "IllegalAddress"     // in no window, or a window that the access may not use
	Trap               FaultKind = "Trap"               // trap
	AssertFail         FaultKind = "AssertFail"         // __assertfail
	BarrierDeadlock    FaultKind = "BarrierDeadlock"    // a barrier that can never complete
	DivergenceDeadlock FaultKind = "DivergenceDeadlock" // lanes of one warp wait for each other
	SpinDeadlock       FaultKind = "SpinDeadlock"       // lanes spin forever on memory that no remaining thread can change
	EndlessLoop        FaultKind = "EndlessLoop"        // a loop without an end: it looks at nothing that could change
	StackOverflow      FaultKind = "StackOverflow"      // calls too deep, or no local memory for them
	IllegalInstruction FaultKind = "IllegalInstruction" // undefined use: brx.idx out of range, a call that does not fit
	DivergentUniform   FaultKind = "DivergentUniform"   // .uni branch or call whose lanes disagree
)

// Fault is a guest fault. It implements error: one line that says what, where and who.
type Fault struct {
	Kind   FaultKind
	Pos    ptx.Position
	CTA    Dim3
	Warp   int
	Lanes  Mask
	Space  string // ".global", ".shared", … or "" when no address is involved
	Addr   Addr
	Size   int
	Detail string // what more is known: nearest allocation, who waits for whom
	Inst   *ptx.Inst
}

// Error says what, where and who in one line.
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

// NearNull says whether the fault's address is that of a null pointer, or of something in what it would point to.
func (f *Fault) NearNull() bool {
	const farthest = 4096 // bytes: larger than most structures, smaller than any window's address
	return f.Kind == IllegalAddress && f.Size > 0 && f.Addr < farthest
}

// Finding is something that a program should not do, but that does not stop it. As Synccheck: masks of warp
// operations that name lanes which cannot come, aligned barriers in divergence, registers of lanes that take no part,
// and accesses that an asynchronous copy is still to make; as Memcheck: division by zero, and addresses converted to a
// space that they are not of; as Racecheck: conflicting accesses that nothing orders; as Initcheck: reads of memory
// that nothing has written, and of registers that the lane has not written, where they decide something.
type Finding struct {
	Check   Checks
	Message string
	Pos     ptx.Position
	Other   ptx.Position // of the other witness, if there is one: the copy, or the store
	Section string       // of the manual
	CTA     Dim3
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
