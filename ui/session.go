package ui

import (
	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Session is what the store needs of a debug session; *debug.Session is one.
type Session interface {
	SetSource(name, text string)           // parses and checks; the machine starts over
	Try(name, text string) ptx.Diagnostics // the errors that a text has, those of its launch included; nothing changes
	Reset()
	Step()
	StepBack()
	RunFor(budget int64) (more bool) // at most so many warp instructions
	Go(j debug.Journey) (more bool)  // on a journey, a part of the way
	GoToFinding(index int, other bool)
	Pause()
	SeekTo(tick int64)
	SeekPast(tick int64) (v debug.View, ok bool) // … in the run of the last good text, while there are errors
	Past() *debug.Session                        // of that text; nil where it is not kept
	SetBreakpoints(lines []int)
	BreakLine(line int) int     // at which a breakpoint of a line stops; 0 for none
	SetStops(list []debug.Stop) // breakpoints, watchpoints and events
	Stops() []debug.Stop        // as they were set, with what is wrong with them
	Watches(texts []string) []debug.Watch
	Origin(c debug.Cell) debug.Origin          // where its value comes from
	Edit(c debug.Cell, value, hi uint64) error // a step of its own, after which nothing is known of the future
	Future() bool                              // steps are known that an edit would drop
	Edits() []debug.Edit
	Replay(list []debug.Edit) error
	Survey(ticks int64) (more bool) // looks for marks; for times in which nothing else is to be done
	Marks() ([]debug.Mark, bool)    // those found, and whether they are all
	Turns() []debug.Turn            // of CTAs, as far as marks were looked for
	Visit(mark debug.Mark)
	AskChart(ask debug.ChartAsk) // of a span of the run; Survey finds it
	NoChart()
	Chart() *debug.Chart                          // as far as it is known; nil for none
	Writer(c debug.Cell) (debug.Change, bool)     // the last step before now that wrote it
	NextChange(c debug.Cell) (debug.Change, bool) // the next one that is known
	Flow() *debug.Flow                            // the graph of the followed warp's function; nil for none
	Access(line int, upcoming bool) *debug.Access // of memory: in a line, or of the step; nil for none
	Holding(upcoming bool) *debug.Holding         // who holds what of the step's instruction; nil for none
	Count(ticks int64) (more bool)                // runs counters up to the present, a part of the way
	Account() (*emu.Account, error)               // what is counted up to the present, or nil
	Live() emu.Live                               // where most registers of the kernel are
	StopCounting()
	Follow(cta, warp int)
	FollowLane(lane int) // whose local memory the view shows
	Draft() debug.View   // the view without the machine, as long as nothing has asked for that
	View() debug.View    // prepares the launch
	Module() *ptx.Module // of the current text; may hold errors
	Spec() *launch.Spec  // how it is launched; nil when the header or the text has errors
}
