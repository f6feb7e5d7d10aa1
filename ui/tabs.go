package ui

// tab is one panel of the phone layout.
type tab struct{ key, label string }

var tabs = []tab{
	{"lanes", "Lanes"}, {"registers", "Registers"}, {"stack", "Stack"}, {"memory", "Memory"},
	{"launch", "Launch"}, {"problems", "Problems"}, {"output", "Output"}, {"statistics", "Statistics"},
}

// labelled is the tab with the label for the current program, because not every model of divergence has a stack.
func (m *Model) labelled(t tab) tab {
	if t.key == "stack" {
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
	return list
}

func tabNames() []string {
	names := make([]string, len(tabs))
	for i, t := range tabs {
		names[i] = t.key
	}
	return names
}
