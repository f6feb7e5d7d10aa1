package ui

// tab is one panel of the phone layout.
type tab struct{ key, label string }

var tabs = []tab{
	{"lanes", "Lanes"}, {"registers", "Registers"}, {"stack", "Stack"}, {"memory", "Memory"},
	{"launch", "Launch"}, {"problems", "Problems"}, {"output", "Output"}, {"statistics", "Statistics"},
}

func tabNames() []string {
	names := make([]string, len(tabs))
	for i, t := range tabs {
		names[i] = t.key
	}
	return names
}
