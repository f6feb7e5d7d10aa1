package ui

import (
	"strings"

	"warpscope/debug"
	"warpscope/launch"
	"warpscope/ptx"
)

// phaseWord is the phase in the style sheet's words.
func phaseWord(m *Model) string {
	switch {
	case m.Running:
		return "running"
	case m.Stale || m.errors() > 0: // the machine may still be that of a text without them
		return "invalid"
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

// pagePhase is phaseWord, or "blank" where there is no program.
func pagePhase(m *Model) string {
	if m.blank() {
		return "blank"
	}
	return phaseWord(m)
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

// report is what a panel has to say, counted.
type report struct {
	Panel, Name, Count string
	Good, Bad, Warn    bool
}

// reports are those of the status line.
func reports(m *Model) []report {
	problems := problemCount(m)
	warnings := len(m.View.Findings) + len(m.View.Later) + len(m.View.Diagnostics) - m.errors()
	passed, total := expectations(m.View)
	expected := ""
	switch {
	case total > 0:
		expected = count(int64(passed)) + " of " + count(int64(total))
	case m.Spec != nil && len(m.Spec.Expects) > 0:
		expected = "0 of " + count(int64(len(m.Spec.Expects)))
	}
	list := []report{
		{Panel: "problems", Name: "Problems", Count: count(int64(problems)),
			Bad: problems > warnings, Warn: problems > 0 && problems == warnings},
		{Panel: "output", Name: "Output", Count: count(int64(strings.Count(m.View.Output, "\n")))},
	}
	if expected != "" {
		list = append(list, report{Panel: "output", Name: "Expectations", Count: expected,
			Good: total > 0 && passed == total, Bad: passed < total})
	}
	return list
}
