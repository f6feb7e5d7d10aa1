package ui

// keyAction is what a key of the page does; nil for other keys.
func keyAction(key string, shift, ctrl bool) Action {
	switch {
	case key == "F5" && !shift && !ctrl, key == "Enter" && ctrl && !shift:
		return Run{}
	case key == "F9" && !shift && !ctrl:
		return ToggleBreak{}
	case key == "F10" && !ctrl && shift:
		return StepBack{}
	case key == "F10" && !ctrl:
		return StepOnce{}
	}
	return nil
}

// isStep says whether a key that is held down repeats.
func isStep(action Action) bool {
	switch action.(type) {
	case StepOnce, StepBack:
		return true
	}
	return false
}
