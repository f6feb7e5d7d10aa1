package ui

import (
	"strconv"
	"strings"

	"warpscope/debug"
)

// parseStep reads a step as people write it: "5212", "5,212".
func parseStep(text string) (int64, bool) {
	tick, err := strconv.ParseInt(strings.NewReplacer(",", "", " ", "", "\u202f", "").Replace(text), 10, 64)
	return tick, err == nil && tick >= 0
}

// untouched says whether the program could run and nothing has run yet.
func untouched(m *Model) bool {
	return m.View.Phase == debug.Ready && m.View.End == 0 && !m.Running && !m.Stale
}

// still says whether there is nothing to travel through.
func still(m *Model) bool { return m.Running || m.Stale && !m.View.Past || m.View.End == 0 }

// welcome tells a reader who has not run anything what this is; "" later.
func welcome(m *Model) string {
	if !untouched(m) {
		return ""
	}
	return "32 lanes run this program together."
}
