package ui

import (
	"warpscope/debug"
	"warpscope/launch"
	"warpscope/ptx"
)

// phaseWord is the phase in the style sheet's words.
func phaseWord(m *Model) string {
	if m.Running {
		return "running"
	}
	switch m.View.Phase {
	case debug.Ready:
		return "ready"
	case debug.Running, debug.Paused:
		return "paused"
	case debug.Finished:
		if passed, total := expectations(m.View); passed < total {
			return "failed"
		}
		return "finished"
	case debug.Faulted:
		return "faulted"
	}
	return "invalid"
}

// maxExpectations bounds the expectations that are drawn; the others are only counted.
const maxExpectations = 100

// drawnExpectations are the expectations that are drawn. If there are more, those that fail come first, and a sentence
// says so.
func drawnExpectations(v debug.View) (list []launch.Expectation, note string) {
	if len(v.Expect) <= maxExpectations {
		return v.Expect, ""
	}
	passed, total := expectations(v)
	for _, pass := range []bool{false, true} {
		for _, e := range v.Expect {
			if e.Pass == pass && len(list) < maxExpectations {
				list = append(list, e)
			}
		}
	}
	if failed := total - passed; failed > maxExpectations {
		more := ptx.Plural(failed-maxExpectations, "expectation")
		return list, "Another " + more + " failed."
	}
	return list, ptx.Plural(total-maxExpectations, "expectation") + " that passed are not shown."
}

// expectations counts those that hold.
func expectations(v debug.View) (passed, total int) {
	for _, e := range v.Expect {
		if e.Pass {
			passed++
		}
	}
	return passed, len(v.Expect)
}
