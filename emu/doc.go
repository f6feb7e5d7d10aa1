// Package emu executes checked PTX modules, warp by warp, the same way every time.
//
// Load lowers a module to a program: flat decoded instructions whose operands are offsets of rows, 32 lanes wide, in a
// register frame (lower.go). What an instruction does is a function that lowering chooses; the files here are families
// of instructions, and each function takes the warp that executes it. Package machine executes the program: its grid,
// its CTAs and its warps know nothing of families. A family that keeps something in the machine has a file of the same
// name there.
//
// There are no goroutines, clocks, map orders or random numbers here: module, launch and schedule fix every state at
// every tick.
package emu
