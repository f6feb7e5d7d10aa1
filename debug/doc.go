// Package debug is a debugger without pixels: a Session steps, runs, and travels through one launch, and its View is
// everything that a screen shows of a moment.
//
// # Time
//
// The machine is deterministic: module, launch and number of executed warp instructions (the tick) fix every state. So
// the past is run again instead of recorded. History keeps snapshots of the grid, which share unchanged pages of
// memory, and reaches any tick by restoring the nearest snapshot before it and running silently from there. Snapshots
// are replayTime of running apart, and further apart if one costs so much that all of them would take more than a part
// in snapshotShare of the time. The clock decides where they are, never what the machine does. After a seek they are
// closer together near the tick. When they take more than memoryBudget, the history first drops those that matter least
// from where the session is, so they thin out with distance.
//
// A fault is a state of its own: the tick of the faulting instruction plus one, even if the machine does not count that
// instruction. Travelling into the past keeps the furthest known tick and the end of the run; only a new text discards
// them.
//
// # The followed warp
//
// A session follows one warp. Step executes its next instruction; other warps run until it is its turn. StepBack goes
// to the last tick at which the warp was about to execute, and says what the instruction before that did.
package debug
