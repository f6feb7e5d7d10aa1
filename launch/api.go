package launch

import (
	"warpscope/emu"
	"warpscope/ptx"
)

// Spec says how to run a module: the launch header, completed with defaults.
type Spec struct {
	Title       string
	Entry       string
	Grid, Block emu.Dim3
	Cluster     emu.Dim3 // zero: none is named
	Shared      int      // dynamic shared bytes per CTA
	Model       emu.Divergence
	Engine      emu.Engine
	Sanitize    emu.Checks
	Args        []Arg
	Expects     []Expect
	Defaulted   bool // no header: arguments were guessed from the parameters' types
	Warnings    ptx.Diagnostics

	spans      map[string]ptx.Span // of header lines by key; of arguments by "arg " and name
	settings   map[string]string   // what messages call the settings that are in place of lines, by key
	entrySpan  ptx.Span            // of the kernel's name
	firstEntry string              // the kernel that runs when the header names none

	defaultBlock emu.Dim3 // the block when the header has none

	unsized    *ptx.Var // an unsized shared array that the kernel uses, or nil
	mostShared int      // the dynamic shared bytes that the target can give it
}

// Arg is the argument of one kernel parameter, in the parameters' order.
type Arg struct {
	Key    string // "": an argument; "buffer": other memory; "symbol": a variable; else a described object
	Name   string
	Type   string // element type: "f32", "u8x4"
	Buffer bool   // a device buffer whose address is passed; else a value
	Dims   []int  // buffer shape; nil for scalars
	Init   string // as written: "iota", "2.5", "1, 2, 3"; "" is zeros
	Data   []byte // initial contents or value; nil in a buffer: Init says them, see Contents
	Image  bool
	Span   ptx.Span // of the header line

	label  string // a shorter name, see Label
	madeUp bool   // no header line and no setting has it

	bound  bool  // to a variable of the module: a symbol, or an object such as a texture
	initAt int32 // where Init is in the text
}

// Expect is one parsed expectation.
type Expect struct {
	Text string
	Span ptx.Span
}

// Expectation is an expectation with its outcome.
type Expectation struct {
	Text string
	Pass bool
	Got  string // what was found, for people
	Line int
}

// Report is the outcome of a run.
type Report struct {
	Fault        *emu.Fault
	Buffers      map[string][]byte
	Output       []byte
	Expectations []Expectation
	Findings     []emu.Finding
	Stats        emu.Stats
	Account      *emu.Account  // nil: no expectation and no option asks for counters
	Fix          *ptx.Fix      // a change of the text that may prevent the fault; or nil
	Inexact      []emu.Inexact // executed opcodes whose results the manual only bounds; none: all is exact
	Stopped      error         // the run was cut short: emu.ErrMaxSteps or the context's error; else nil
	Unchecked    bool          // the launch is guessed, and nothing is expected: a run without a fault says little

	faultExpected bool
}
