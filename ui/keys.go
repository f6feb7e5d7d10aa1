package ui

import "strings"

// keyAction is what a key of the page does; nil for other keys.
func keyAction(key string, shift, ctrl bool) Action {
	switch {
	case key == "F5" && !shift && !ctrl, key == "Enter" && ctrl && !shift:
		return Run{}
	case key == "F6" && !ctrl:
		return NextPanel{Back: shift}
	case key == "F9" && !shift && !ctrl:
		return ToggleBreak{}
	case key == "F10" && !ctrl && shift:
		return StepBack{}
	case key == "F10" && !ctrl:
		return StepOnce{}
	case (key == "s" || key == "S") && ctrl && !shift:
		return SaveFile{}
	case (key == "o" || key == "O") && ctrl && !shift:
		return PickFiles{}
	case key == "?" && !ctrl:
		return ShowHelp{true}
	}
	return nil
}

// types says whether the action's key is a letter, which is text where text is typed.
func types(action Action) bool { _, ok := action.(ShowHelp); return ok }

// forPlayground says whether embeds do not have this action.
func forPlayground(action Action) bool {
	switch action.(type) {
	case SaveFile, PickFiles, ShowHelp, NextPanel:
		return true
	}
	return false
}

// Key is a list of keys with one meaning: combinations separated by commas, as in "F5, Ctrl+Enter".
type Key struct{ Keys, Does string }

// Combinations splits the keys: {{"F5"}, {"Ctrl", "Enter"}}.
func (k Key) Combinations() [][]string {
	var list [][]string
	for _, one := range strings.Split(k.Keys, ", ") {
		list = append(list, strings.Split(one, "+"))
	}
	return list
}

// KeyGroup has the keys for one purpose.
type KeyGroup struct {
	Name string
	Keys []Key
}

// Keys are all keys, for the dialog and for the page about the site. KeysNote is below them.
var Keys = []KeyGroup{
	{"Running", []Key{
		{"F5, Ctrl+Enter", "Run to the end, or to the next breakpoint"},
		{"F10", "Step: one warp instruction"},
		{"Shift+F10", "Step back"},
		{"F9", "Breakpoint at the cursor's line"},
	}},
	{"Editor", []Key{
		{"Ctrl+Space", "Show completions"},
		{"F8, Shift+F8", "Next or previous problem"},
		{"Ctrl+F", "Find and replace"},
		{"Ctrl+/", "Comment lines in or out"},
		{"Ctrl+Z, Ctrl+Y", "Undo, redo"},
		{"Tab", "Out of the editor, to the next panel"},
	}},
	{"Programs", []Key{
		{"Ctrl+O", "Open .ptx files"},
		{"Ctrl+S", "Save the program as a file"},
		{"←, →", "On a tab: previous or next program"},
		{"F2", "On a tab: rename"},
		{"Delete", "On a tab: close; it can be reopened"},
	}},
	{"Page", []Key{
		{"F6, Shift+F6", "Next or previous panel"},
		{"Tab", "From control to control"},
		{"←, →", "On a panel's tab: previous or next panel of its place; between panels: make room"},
		{"←, →, ↑, ↓", "In the lane grid: from cell to cell"},
		{"Home, End", "In the lane grid: to the first or last lane; on the timeline: to either end of the run"},
		{"?", "Keyboard help"},
	}},
}

// KeysNote is about all of them.
const KeysNote = "On a Mac, Cmd serves as Ctrl. Held down, the step keys repeat."

// isStep says whether a key that is held down repeats.
func isStep(action Action) bool {
	switch action.(type) {
	case StepOnce, StepBack:
		return true
	}
	return false
}
