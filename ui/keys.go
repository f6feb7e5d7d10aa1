package ui

import (
	"slices"
	"strings"

	"warpscope/debug"
)

// keyAction is what a key of the page does, by the table of keys; nil for other keys.
func keyAction(key string, shift, ctrl bool) Action {
	pressed := key
	if key == "Escape" {
		pressed = "Esc"
	} else if len(key) == 1 {
		pressed = strings.ToUpper(key)
	}
	if shift && pressed != "?" { // which needs Shift on most keyboards
		pressed = "Shift+" + pressed
	}
	if ctrl {
		pressed = "Ctrl+" + pressed
	}
	for _, group := range Keys {
		for _, k := range group.Keys {
			if k.Action != nil && slices.Contains(strings.Split(k.Keys, ", "), pressed) {
				return k.Action
			}
		}
	}
	return nil
}

// shortcuts are the keys of an action, as aria-keyshortcuts writes them.
func shortcuts(action Action) string {
	for _, group := range Keys {
		for _, k := range group.Keys {
			if k.Action == action {
				return strings.NewReplacer(", ", " ", "Ctrl", "Control", "Esc", "Escape").Replace(k.Keys)
			}
		}
	}
	return ""
}

// types says whether the action's key is a letter, which is text where text is typed.
func types(action Action) bool { _, ok := action.(ShowHelp); return ok }

// forPlayground says whether embeds do not have this action.
func forPlayground(action Action) bool {
	switch action.(type) {
	case SaveFile, PickFiles, ShowHelp, NextPanel, ShowPalette:
		return true
	}
	return false
}

// Key is a list of keys with one meaning: combinations separated by commas, as in "F5, Ctrl+Enter". Action is what the
// page does then; nil where the part that has the focus does it.
type Key struct {
	Keys, Does string
	Action     Action
}

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

// Keys are all keys, for the page, its dialog, the palette and the page about the site. KeysNote is below them.
var Keys = []KeyGroup{
	{"Running", []Key{
		{"F5, Ctrl+Enter", "Run to the end, or to the next breakpoint", Run{}},
		{"Esc", "Pause", Pause{}},
		{"F10", "Step: one warp instruction", StepOnce{}},
		{"Shift+F10", "Step back", StepBack{}},
		{"F11", "Step over", Travel{debug.Journey{Goal: debug.OverCall}}},
		{"Shift+F11", "Step out", Travel{debug.Journey{Goal: debug.OutOfCall}}},
		{"F7", "Next source line", Travel{debug.Journey{Goal: debug.ToSourceLine}}},
		{"Shift+F7", "Previous source line", Travel{debug.Journey{Goal: debug.ToSourceLine, Back: true}}},
		{"Shift+F5", "Previous breakpoint", Travel{debug.Journey{Goal: debug.ToBreakpoint, Back: true}}},
		{"Ctrl+F10", "Line of the cursor", ToCursor{}},
		{"Ctrl+Shift+F5", "Reset: to the start of the launch", Reset{}},
		{"F9", "Breakpoint at the cursor's line", ToggleBreak{}},
	}},
	{"Editor", []Key{
		{"Ctrl+Space", "Show completions", nil},
		{"Ctrl+I", "Values and help for the word at the cursor; Esc closes them", nil},
		{"F8, Shift+F8", "Next or previous problem", nil},
		{"Ctrl+.", "Fix the problem of the cursor's line, where a fix is known", nil},
		{"Ctrl+F", "Find and replace", nil},
		{"Ctrl+/", "Comment lines in or out", nil},
		{"Ctrl+Z, Ctrl+Y", "Undo or redo", nil},
		{"Tab", "Out of the editor, to the next panel", nil},
	}},
	{"Programs", []Key{
		{"Ctrl+O", "Open files", PickFiles{}},
		{"Ctrl+S", "Save the program as a file", SaveFile{}},
		{"←, →", "On a tab: previous or next program", nil},
		{"F2", "On a tab: rename", nil},
		{"Delete", "On a tab: close; it can be reopened", nil},
	}},
	{"Divergence", []Key{
		{"←, →", "The cursor: a step back or on; with Shift it selects", nil},
		{"Home, End", "The cursor: to either end of the picture", nil},
		{"Enter", "Travel to the step of the cursor", nil},
		{"Plus, Minus", "Zoom in, to what is selected; zoom out", nil},
		{"0", "The whole run", nil},
		{"Esc", "The cursor is where the machine is; nothing is selected", nil},
	}},
	{"Page", []Key{
		{"Ctrl+K", "Palette: find a command, an example, an instruction, a section", ShowPalette{true}},
		{"F6", "Next panel", NextPanel{}},
		{"Shift+F6", "Previous panel", NextPanel{Back: true}},
		{"Tab", "From control to control", nil},
		{"←, →", "On a panel's tab: previous or next panel of its place; between panels: make room", nil},
		{"←, →, ↑, ↓", "In the lane grid: from cell to cell", nil},
		{"Enter, F2", "In the lane grid, registers and memory: edit the value", nil},
		{"W", "In the lane grid, registers and memory: who wrote the value?", nil},
		{"P", "In the lane grid: pin the register, or no longer", nil},
		{"↑, ↓", "In a list: from one control to the next", nil},
		{"Home, End", "In the lane grid: to the first or last lane; on the timeline: to either end of the run", nil},
		{"?", "Keyboard help", ShowHelp{true}},
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
