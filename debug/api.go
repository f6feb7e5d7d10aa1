package debug

import (
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Phase is where a session is.
type Phase uint8

// The phases.
const (
	Invalid  Phase = iota // the text has errors, or nothing can be launched
	Ready                 // loaded, nothing has run
	Running               // between RunFor slices
	Paused                // stopped by Step, Pause or a breakpoint, or travelled into the past
	Finished              // the grid ran to its end
	Faulted               // stopped at a fault
)

// View has everything that a screen needs for one frame: immutable values, never pointers into the machine.
type View struct {
	Version     uint64 // grows with each change; equal versions are equal views
	Phase       Phase
	Status      string // one sentence: what happened last
	Tick, End   int64  // where we are, and the furthest tick known
	Edits       int    // that the user has made in the run as far as it is known
	Entry       string
	Grid, Block emu.Dim3
	CTA         int // of the followed warp, linear
	CTAs        int
	Warp        int // of the followed warp
	WarpsPerCTA int
	State       *emu.WarpView // followed warp; nil when Invalid. One that has ended keeps its last registers
	Warps       Warps         // all warps of the grid
	Last        *emu.Step     // the step that led here; nil after Reset or a run
	Ran, Next   *Instruction  // of the followed warp: what Last executed, and what is next; or nil
	Line        int           // of the followed warp's next instruction, 0 none
	Groups      []Group       // where lanes of the followed warp are, for editor markers
	Heat        []int64       // executions of each line of the text, from 1 to the last that has an instruction
	Hits        map[int]int64 // how often the run has come to each line with a breakpoint, this time included
	Stats       emu.Stats
	Inexact     []emu.Inexact // opcodes executed so far whose results the manual only bounds
	Output      string
	Memory      []Region
	Diagnostics ptx.Diagnostics
	Findings    []emu.Finding // what the program should not have done so far
	Later       []emu.Finding // what it does later, as far as the run is known
	Fault       *emu.Fault
	Past        bool                 // the text has errors, and SeekPast travels in the run of the last good one
	Fix         *ptx.Fix             // a change of the text that may prevent the fault; or nil
	Expect      []launch.Expectation // when Finished or Faulted
	Breakpoints []int                // lines, sorted
}

// Group is the lanes of a warp that are at one line.
type Group struct {
	Line int
	Mask emu.Mask
	Top  bool // they run next
	Bar  bool // they wait at a barrier
}

// Region is a piece of memory worth showing: a launch buffer, a module variable, shared or local memory.
type Region struct {
	Name    string
	Space   ptx.Space
	Addr    emu.Addr // generic
	Type    string   // element type as in the launch header: "f32", "u8x4"
	Dims    []int
	Image   bool    // shown as a picture
	Size    int     // in bytes
	Bytes   []byte  // only the first ones if there are very many
	Changed []Range // byte ranges written by Last
	Lane    int     // whose local memory it is
	Holds   string  // the variable that it is, where that is not its name

	Mbarriers []emu.MbarrierView // the objects in shared memory
}

// Range is a half-open range of bytes.
type Range struct{ Start, End int }
