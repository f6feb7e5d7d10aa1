// Package emu executes checked PTX modules, warp by warp, the same way every time.
//
// Load lowers a module to a program: flat decoded instructions whose operands are offsets of rows, 32 lanes wide, in a
// register frame (program.go). Launch makes a Grid; its CTAs run one after the other or in turns on a fixed schedule
// (grid.go, cta.go). A warp executes the instructions of its current group of lanes in a generated loop (zz_run.go,
// from gen/run.tmpl): hot opcodes have generated handlers that compute 32 lanes at once, all others run the pure
// functions of package num lane by lane. Where lanes branch apart a policy decides who runs (simt_stack.go); nothing
// else edits pcs and masks.
//
// Memory is one arena (arena.go). Every access of a kernel is checked against the allocation or window it falls in
// (memory.go); what goes wrong is a Fault, a value, never a panic. Step records the effects of one instruction,
// Snapshot and Restore copy a grid's whole state (step.go, snapshot.go).
//
// There are no goroutines, clocks, map orders or random numbers here: module, launch and schedule fix every state at
// every tick.
package emu
