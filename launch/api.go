package launch

import (
	"warpscope/emu"
	"warpscope/ptx"
)

// Spec says how to run a module: what a launch header says, completed with defaults.
type Spec struct {
	Title       string
	Entry       string
	Grid, Block emu.Dim3
	Shared      int
	Model       emu.Divergence
	Sanitize    emu.Checks
	Args        []Arg
	Expects     []Expect
	Defaulted   bool // no header: arguments were made up from the parameters' types
}

// Arg is the argument of one kernel parameter, in the parameters' order.
type Arg struct {
	Name   string
	Type   string // element type: "f32", "u8x4"
	Buffer bool   // a device buffer whose address is passed; else a value
	Dims   []int  // buffer shape; nil for scalars
	Init   string // as written: "iota", "2.5", "1, 2, 3"; "" is zeros
	Data   []byte // initial contents or value
	Image  bool
	Span   ptx.Span // of the header line
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
}
