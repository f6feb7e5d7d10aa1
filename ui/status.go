package ui

import "warpscope/debug"

// phaseWord is the phase as the style sheet knows it.
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

// expectations counts those that hold.
func expectations(v debug.View) (passed, total int) {
	for _, e := range v.Expect {
		if e.Pass {
			passed++
		}
	}
	return passed, len(v.Expect)
}
