package ui

import (
	"warpscope/debug"
	"warpscope/launch"
	"warpscope/ptx"
)

// Session is what the store needs of a debug session; *debug.Session is one.
type Session interface {
	SetSource(name, text string)           // parses, checks and prepares a launch; the machine starts over
	Try(name, text string) ptx.Diagnostics // the errors that SetSource would find; nothing changes
	Reset()
	Step()
	StepBack()
	RunFor(budget int64) (more bool) // at most so many warp instructions
	Pause()
	SeekTo(tick int64)
	SetBreakpoints(lines []int)
	Follow(cta, warp int)
	FollowLane(lane int) // whose local memory the view shows
	View() debug.View
	Module() *ptx.Module // of the current text; may hold errors
	Spec() *launch.Spec  // how it is launched; nil when the header or the text has errors
}
