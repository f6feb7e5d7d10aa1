package ui

import (
	"strings"

	"warpscope/debug"
	"warpscope/emu"
)

// The grid marks the cells of values that lanes have never written, if such a value decides something, and a note names
// them.

// ownStep is the last step if the followed warp made it, else nil.
func ownStep(v *debug.View) *emu.Step {
	if v.Last == nil || v.State == nil || v.Last.CTAIndex != v.State.CTAIndex || v.Last.Warp != v.State.Index {
		return nil
	}
	return v.Last
}

// undefinedLanes says in which lanes of which registers the last step used such a value, or the next one will.
func undefinedLanes(v debug.View) map[string]emu.Mask {
	lanes := map[string]emu.Mask{}
	note := func(uses []emu.UndefinedUse) {
		for _, u := range uses {
			lanes[regName(emu.RegView{Reg: u.Reg, Elem: u.Elem})] |= u.Lanes
		}
	}
	if last := ownStep(&v); last != nil {
		note(last.Undefined)
	}
	if v.State != nil {
		note(v.State.Undefined)
	}
	return lanes
}

// undefinedWords says what the next instruction will do with such values; the status line is about the last one.
func undefinedWords(m *Model) string {
	w := m.View.State
	if w == nil || len(w.Undefined) == 0 {
		return ""
	}
	var list []string
	for _, u := range w.Undefined {
		list = append(list, debug.Undefined(u, w.PC, m.lineOf(u.Origin)))
	}
	return "Next line: " + strings.Join(list, "; ") + ": the value is undefined."
}
