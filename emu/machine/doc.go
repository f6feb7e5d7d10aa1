// Package machine executes lowered programs. It has a grid with its CTAs and warps, the run loop, loads and stores, the
// state that instruction families keep between instructions, and the sanitizers.
//
// The state of the machine is declared in one file (state.go), and what a lowered program is in another (program.go).
// All other files work on these: their calls run from the schedule and the run loop down to memory.
//
// Launch makes a Grid (launch.go). Its CTAs run one after the other or in turns, on a fixed schedule (schedule.go,
// cta.go).
// A warp executes the instructions of its current group of lanes (run.go). Handlers of package row compute 32 lanes at
// once; all other instructions are functions that package emu has put into the program. Where lanes branch apart, a
// policy decides which of them run (package simt). Only policies edit pcs and masks.
//
// Memory is one arena (package mem). A warp's load/store unit checks every access against the allocation or window that
// the address is in (memory.go, access.go). An error of the guest program is a Fault, a value, and never a panic. Step
// records the effects of one instruction (step.go). Snapshot and Restore copy a grid's whole state (snapshot.go,
// clone.go).
//
// Exported names are for package emu. Programs outside of emu use the methods of Device and Grid, and no fields.
package machine
