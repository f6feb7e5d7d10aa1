package ui

import (
	"slices"
	"strings"

	"warpscope/debug"
)

// EmbedOptions are the options in the address of a frame; docs/embedding.md describes it.
type EmbedOptions struct {
	Panels   []string
	ReadOnly bool
	Fold     bool   // the program's head is folded
	Host     string // origin of the page around the frame; "" if they exchange no messages
	Link     string // fragment
}

// embedOptions reads an address; query gives its parameters.
func embedOptions(query func(name string) (value string, ok bool), fragment string) EmbedOptions {
	o := EmbedOptions{Link: strings.TrimPrefix(fragment, "#")}
	if panels, ok := query("panels"); ok {
		o.Panels = knownPanels(strings.FieldsFunc(panels, func(r rune) bool { return r == ' ' || r == ',' || r == '+' }))
	}
	_, o.ReadOnly = query("readonly")
	header, _ := query("header")
	o.Fold = header != "open"
	o.Host, _ = query("host")
	return o
}

// knownPanels are the panels with these names, each once; or the lane grid if there are none.
func knownPanels(names []string) []string {
	var known []string
	for _, name := range names {
		if slices.Contains(tabNames(), name) && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	if known == nil {
		known = []string{tabs[0].key}
	}
	return known
}

// embedTabs are the tabs of the chosen panels, and of those that have something to report.
func embedTabs(m *Model) []tab {
	var list []tab
	for _, t := range tabs {
		if slices.Contains(m.Panels, t.key) || t.key == "problems" && speaks(m) || t.key == "output" && printed(m) {
			list = append(list, m.labelled(t))
		}
	}
	return list
}

// speaks says whether there are problems to show, although the embed did not ask for the panel.
func speaks(m *Model) bool { return problemCount(m) > 0 }

// printed says whether there is output to show.
func printed(m *Model) bool { return m.View.Output != "" }

// embedCommand is the action that the page around the frame asks for by this name. "state" has no action: it only asks
// for an answer when the machine has paused.
func embedCommand(name, link string) (action Action, known bool) {
	switch name {
	case "run":
		return Run{}, true
	case "step":
		return StepOnce{}, true
	case "stepBack":
		return StepBack{}, true
	case "open":
		return OpenLink{link}, true
	case "light", "dark":
		return SetTheme{name == "dark"}, true
	}
	return nil, name == "state"
}

// embedState is the message to the page around the frame when the machine has moved. Its keys are those of the events
// of the element.
func embedState(m *Model) map[string]any {
	v := m.View
	state := map[string]any{"phase": phaseWord(m), "step": v.Tick, "status": m.status(), "line": v.Line}
	if v.Phase == debug.Faulted && v.Fault != nil {
		state["fault"] = map[string]any{"kind": string(v.Fault.Kind), "message": v.Fault.Error(), "line": v.Fault.Pos.Line,
			"column": v.Fault.Pos.Column}
	}
	list := make([]any, len(v.Expect))
	for i, e := range v.Expect {
		list[i] = map[string]any{"text": e.Text, "pass": e.Pass, "got": e.Got}
	}
	state["expectations"] = list
	return state
}
