// Package debug is a debugger without pixels: a Session steps, runs, and travels through one launch, and its View is
// everything that a screen shows of a moment.
//
// # Time
//
// The machine is deterministic: module, launch and number of executed warp instructions (the tick) fix every state. So
// the past is run again instead of recorded. History keeps snapshots of the grid, which share unchanged pages of
// memory, and reaches any tick by restoring the nearest snapshot before it and running silently from there. Snapshots
// lie replayTime of running apart, and further where one costs so much that all of them would take more than a part in
// snapshotShare of the time: the clock decides where they lie, never what the machine does. After a seek they lie
// closer together near the tick. When they cost more than memoryBudget, the history first drops those that matter least
// from where the session is, so that they thin out with distance.
//
// A fault is a state of its own: the tick of the faulting instruction plus one, even when the machine does not count
// that instruction. Travelling into the past keeps the furthest known tick and how the run ended; only a new text
// forgets them.
//
// # The followed warp
//
// A session follows one warp. Step executes its next instruction; other warps run until it is its turn. StepBack goes
// to the tick at which it was about to execute the last time, and says what the instruction before that did.
package debug
