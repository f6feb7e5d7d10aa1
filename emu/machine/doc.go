// Package machine executes lowered programs. It has a grid with its CTAs and warps, the run loop, loads and stores,
// what instruction families keep between instructions, and the sanitizers.
//
// Launch makes a Grid; its CTAs run one after the other or in turns on a fixed schedule (grid.go, cta.go). A warp
// executes the instructions of its current group of lanes (run.go): handlers of package row compute 32 lanes at once,
// and all other instructions are functions that package emu has put into the program. Where lanes branch apart a policy
// decides who runs (package simt); nothing else edits pcs and masks.
//
// Memory is one arena (package mem). A warp's load/store unit checks every access against the allocation or window it
// falls in (memory.go). What goes wrong is a Fault, a value, never a panic. Step records the effects of one
// instruction; Snapshot and Restore copy a grid's whole state (step.go, snapshot.go).
//
// Exported names are for package emu. Programs outside of emu use the methods of Device and Grid, and no fields.
package machine
