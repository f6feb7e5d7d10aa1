package ui

// tab is one panel of the phone layout.
type tab struct{ key, label string }

// stackPanel is the panel of the SIMT stack.
const stackPanel = "stack"

var tabs = []tab{
	{"lanes", "Lanes"}, {"registers", "Registers"}, {stackPanel, "Stack"}, {"memory", "Memory"},
	{"launch", "Launch"}, {"problems", "Problems"}, {"output", "Output"}, {"statistics", "Statistics"},
	{"warps", "Warps"}, {chartPanel, "Divergence"}, {watchPanel, "Watch"}, {flowPanel, "Control flow"},
	{accessPanel, "Access"}, {countersPanel, "Counters"}, {holdsPanel, "Who holds what"}, {stopsPanel, "Breakpoints"},
}

// pagePanels are those that embeds do not have.
var pagePanels = []tab{{sourcePanel, "Source"}}

// labelled is the tab with the label for the current program, because not every model of divergence has a stack.
func (m *Model) labelled(t tab) tab {
	if t.key == stackPanel {
		t.label = m.model().Tab
	}
	return t
}

// pageTabs are the tabs of the page.
func pageTabs(m *Model) []tab {
	list := make([]tab, len(tabs))
	for i, t := range tabs {
		list[i] = m.labelled(t)
	}
	for _, t := range pagePanels {
		if t.key != sourcePanel || m.Sources != nil {
			list = append(list, t)
		}
	}
	return list
}

func tabNames() []string {
	names := make([]string, len(tabs))
	for i, t := range tabs {
		names[i] = t.key
	}
	return names
}
