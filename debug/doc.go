// Package debug is a debugger without pixels: a Session steps, runs, and travels through one launch, and its View is
// all that a screen shows of a moment.
//
// # Time
//
// The machine is deterministic: module, launch and number of executed warp instructions (the tick) fix every state. So
// the past is not recorded but run again. History keeps snapshots of the grid, which share unchanged pages of memory,
// and reaches any tick by restoring the nearest snapshot before it and running silently from there. Snapshots lie
// snapshotTicks apart where memory allows; when they cost more than memoryBudget, those are dropped first that matter
// least from where the session stands, so that they thin out with distance.
//
// A fault is a state of its own: the tick of the faulting instruction plus one, also when the machine does not count
// that instruction. Travelling into the past keeps the furthest known tick and how the run ended; only a new text
// forgets them.
//
// # The followed warp
//
// A session follows one warp. Step executes its next instruction; other warps run until it is its turn. StepBack goes
// to the tick at which it was about to execute the last time, and tells what the instruction before that did.
package debug
