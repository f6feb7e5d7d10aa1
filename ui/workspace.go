package ui

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ui/workspace"
)

// The presets of the workspace.
const (
	Learn  = "learn"
	Kernel = "kernel"
	Write  = "write"
)

// presetNames are in the order of the chooser.
var presetNames = []tab{{Learn, "Learn"}, {Kernel, "Kernel"}, {Write, "Write"}}

// editorPanel is the panel that is not a tab of the phone layout and of embeds.
const editorPanel = "editor"

// panelKeys are all panels of the workspace.
func panelKeys() []string {
	keys := append([]string{editorPanel}, tabNames()...)
	for _, t := range pagePanels {
		keys = append(keys, t.key)
	}
	return keys
}

// panelTitle is what a panel's tab says.
func (m *Model) panelTitle(key string) string {
	switch key {
	case editorPanel:
		return "Editor"
	case stackPanel:
		return m.model().Title
	}
	for _, list := range [][]tab{tabs, pagePanels} {
		for _, t := range list {
			if t.key == key {
				return t.label
			}
		}
	}
	return key
}

// needs is the least size at which a panel can be used.
func needs(panel string) (w, h int) {
	switch panel {
	case editorPanel:
		return 400, 150
	case "lanes":
		return 480, 160
	}
	return 220, 90
}

// From this width on registers are beside the lanes, which have all the room that they can use.
const wideScreen = 1920

// toolsWidth is the room that a panel's tools need beside the tabs, in pixels; 0 if they can give way. It is the same
// at each step, so that a panel does not move while a program runs.
func toolsWidth(m *Model, panel string) int {
	switch panel {
	case "warps":
		return 270
	case "registers":
		return 230
	case flowPanel:
		return 185
	case sourcePanel:
		if m.Sources != nil {
			return 230
		}
	case chartPanel:
		width := 150
		if m.warps() > 1 {
			width += 82 // "All warps"
		}
		if m.Sources != nil {
			width += 60 // "Blocks"
		}
		return width
	case "memory":
		if r := m.shownRegion(); r != nil && r.Image {
			return 275
		}
		return 170
	}
	return 0
}

// crowded reports that the tabs of a place leave too little room for the tools of the panel: these have a row of their
// own. The sums are those of a wide system font.
func crowded(m *Model, p *workspace.Place) bool {
	const char, tab, buttons = 6.4, 14, 68
	tools := toolsWidth(m, p.Panel)
	width := float64(buttons + tools)
	for _, key := range p.Tabs {
		width += tab + char*float64(len(m.panelTitle(key)))
	}
	return tools > 0 && !p.Narrow && width > float64(p.W)
}

// lanesWidth is that of 32 columns of 56 pixels and the names.
const lanesWidth = 32*56 + 122

// preset is the arrangement to begin with on a screen of this width. It may name panels that do not exist.
func preset(name string, width int) workspace.Layout {
	const row, column = workspace.Row, workspace.Column
	none, leaf, split := workspace.Size{}, workspace.Leaf, workspace.Split
	l := workspace.Layout{Drawer: leaf(none, "problems", "output")}
	side := []string{"registers", watchPanel, stopsPanel, "launch", sourcePanel}
	lanes := func(size workspace.Size) workspace.Node {
		if width < wideScreen {
			return leaf(size, "lanes")
		}
		side = slices.DeleteFunc(side, func(panel string) bool { return panel == "registers" })
		return split(size, row, leaf(workspace.Size{Share: .8, Most: lanesWidth}, "lanes"), leaf(none, "registers"))
	}
	switch name {
	case Kernel:
		below := lanes(workspace.Size{Share: .385, Least: 250})
		l.Root = split(none, column,
			split(none, row,
				leaf(workspace.Size{Share: .4, Least: 420, Most: 850}, editorPanel),
				split(none, column,
					leaf(workspace.Size{Share: .37}, append([]string{"warps", stackPanel}, side...)...),
					split(none, row,
						leaf(workspace.Size{Share: .52}, "memory", countersPanel, "statistics"),
						leaf(none, "access", "divergence", "flow", holdsPanel)))),
			below)
	case Write:
		l.Drawer = workspace.Node{}
		l.Root = split(none, row,
			leaf(workspace.Size{Share: .6}, editorPanel),
			split(none, column,
				leaf(workspace.Size{Share: .45}, "problems", "output"),
				leaf(none, "launch", sourcePanel, "lanes", stackPanel, "registers", "memory", "statistics", "warps",
					watchPanel, stopsPanel, "divergence", "flow", "access", countersPanel, holdsPanel)))
	default:
		below := lanes(workspace.Size{Share: .3464, Least: 240})
		l.Root = split(none, column,
			split(none, row,
				leaf(workspace.Size{Share: .442, Least: 524, Most: 850}, editorPanel),
				split(none, column,
					leaf(workspace.Size{Share: .5, Least: 150, Most: 260}, append([]string{stackPanel}, side...)...),
					leaf(none, "divergence", "memory", "flow", "statistics", "warps", "access", countersPanel, holdsPanel))),
			below)
	}
	l = l.Complete(panelKeys(), l)
	if name == Learn && width >= wideScreen { // memory need not share its place with the pictures
		l = l.Move("memory", stackPanel, workspace.Right)
	}
	return l
}

// Room is the size of the workspace in pixels.
type Room struct{ W, H int }

// solved is an arrangement of the panels, and where that puts them. A step asks for it a dozen times.
type solved struct {
	preset  string
	room    Room
	drawing bool                        // see draws
	changed map[string]workspace.Layout // Layouts, which is another map after each change
	layout  workspace.Layout
	screen  workspace.Screen
}

func (m *Model) solved() *solved {
	drawing := draws(m.Spec)
	if s := m.places; s == nil || s.preset != m.Preset || s.room != m.Room || s.drawing != drawing ||
		reflect.ValueOf(s.changed).Pointer() != reflect.ValueOf(m.Layouts).Pointer() {
		l, changed := m.Layouts[m.Preset]
		if !changed {
			l = preset(m.Preset, m.Room.W)
			if drawing && m.Preset == Learn {
				l = l.Show("memory")
			}
		}
		m.places = &solved{m.Preset, m.Room, drawing, m.Layouts, l, l.Solve(m.Room.W, m.Room.H, needs)}
	}
	return m.places
}

// draws says whether a program's result is a picture: Memory shows it, and a reader wants to see it grow.
func draws(spec *launch.Spec) bool {
	return spec != nil && slices.ContainsFunc(spec.Args, func(a launch.Arg) bool { return a.Image })
}

// layout is the arrangement of the panels.
func (m *Model) layout() workspace.Layout { return m.solved().layout }

func (m *Model) screen() workspace.Screen { return m.solved().screen }

// lineAt is where a separator is.
func (m *Model) lineAt(path []int) int {
	for _, line := range m.screen().Lines {
		if slices.Equal(line.Path, path) {
			return line.At
		}
	}
	return 0
}

// arrange applies an action on the workspace.
func (s *Store) arrange(action Action) bool {
	switch action.(type) {
	case OpenMenu, SetPreset, ShowPanel, TogglePanel, Maximise, FoldPanel, MovePanel:
		s.parseNow() // the preset of a text that has just come does not undo what the user arranges
	}
	m := s.model
	switch a := action.(type) {
	case SetRoom:
		if a.Room != m.Room {
			s.update(func(m *Model) { m.Room = a.Room })
		}
		return true
	case Dragging:
		s.update(func(m *Model) { m.Drop = a.Drop })
		return true
	case OpenMenu:
		s.update(func(m *Model) { m.Menu = a.Panel })
		return true
	case SetPreset:
		s.update(func(m *Model) {
			m.Preset, m.PresetChosen, m.Menu = a.Name, true, ""
			m.Arranged = arranged(m, action)
		})
		s.saveSettings()
		return true
	case ResetLayout:
		s.update(func(m *Model) {
			m.Layouts, m.Menu = maps.Clone(m.Layouts), ""
			delete(m.Layouts, m.Preset)
			m.Arranged = arranged(m, action)
		})
		s.saveSettings()
		return true
	}
	l, ok := m.rearranged(action)
	if !ok {
		return false
	}
	s.update(func(m *Model) {
		m.Layouts = maps.Clone(m.Layouts)
		if m.Layouts == nil {
			m.Layouts = map[string]workspace.Layout{}
		}
		m.Layouts[m.Preset] = l
		m.Menu, m.Drop, m.Arranged = "", nil, arranged(m, action)
		if show, ok := action.(ShowPanel); ok && show.Panel != editorPanel {
			m.Tab, m.TabChosen = show.Panel, true
		}
	})
	s.saveSettings()
	return true
}

// rearranged is the layout after an action that changes it; ok says whether the action is one.
func (m *Model) rearranged(action Action) (l workspace.Layout, ok bool) {
	l = m.layout()
	switch a := action.(type) {
	case ShowPanel:
		l = l.Show(a.Panel)
	case TogglePanel:
		if l.Drawn(a.Panel) && l.Shows(a.Panel) {
			l = l.CloseDrawer()
		} else {
			l = l.Show(a.Panel)
		}
	case CloseDrawer:
		l = l.CloseDrawer()
	case Maximise:
		l = l.Maximise(a.Panel)
	case FoldPanel:
		l = l.Fold(a.Panel)
	case MovePanel:
		l = l.Move(a.Panel, a.Target, a.Side)
	case MoveLine:
		if a.By != 0 {
			a.To = m.lineAt(a.Path) + a.By
		}
		l = l.Resize(a.Path, a.To, m.Room.W, m.Room.H, needs)
	default:
		return l, false
	}
	return l, true
}

// arranged says in words what an action has done to the places of panels; "" where what has the focus says it.
func arranged(m *Model, action Action) string {
	l := m.layout()
	switch a := action.(type) {
	case SetPreset:
		i := slices.IndexFunc(presetNames, func(p tab) bool { return p.key == a.Name })
		return "The layout is " + presetNames[max(i, 0)].label + "."
	case ResetLayout:
		return "All panels are in their first places."
	case Maximise:
		if l.Max == a.Panel {
			return m.panelTitle(a.Panel) + " fills the workspace."
		}
		return m.panelTitle(a.Panel) + " is back in its place."
	case FoldPanel:
		if l.Folded(a.Panel) {
			return m.panelTitle(a.Panel) + " is folded."
		}
		return m.panelTitle(a.Panel) + " is unfolded."
	case MovePanel:
		if a.Panel == a.Target {
			return m.panelTitle(a.Panel) + " has a place of its own, at the " + sideWords[a.Side] + "."
		}
		return m.panelTitle(a.Panel) + " is now: " + strings.ToLower(sidePlaces[a.Side]) + " " + m.panelTitle(a.Target) + "."
	}
	return ""
}

// loadLayouts takes what the last visit left. Panels may have come and gone since.
func (s *Store) loadLayouts(set settings) {
	m := s.model
	m.Preset, m.PresetChosen = oneOf(set.Preset, Learn, Kernel, Write), set.PresetChosen
	m.Layouts = map[string]workspace.Layout{}
	for name, l := range set.Layouts {
		m.Layouts[name] = l.Complete(panelKeys(), preset(name, 0))
	}
}

// choosePreset takes the preset for what was opened, unless the reader has chosen one.
func (s *Store) choosePreset() {
	if s.model.PresetChosen {
		return
	}
	if name := presetFor(s.model); name != s.model.Preset {
		s.update(func(m *Model) { m.Preset = name })
	}
}

// mostlyNew says whether an edit has put another text in the place of most of the old one, as pasting a program does.
func mostlyNew(old, text string) bool {
	n, front, back := min(len(old), len(text)), 0, 0
	for front < n && old[front] == text[front] {
		front++
	}
	for back < n-front && old[len(old)-1-back] == text[len(text)-1-back] {
		back++
	}
	const shortest = 64 // bytes of a program
	return len(text)-front-back > max(len(text)/2, shortest)
}

// longProgram is the number of lines from which a text is a real kernel.
const longProgram = 300

// presetFor is Write for a text that cannot run or has no kernel yet. It is Kernel for a long text, for one that has no
// launch header, as compilers write it, and where warps share memory; else Learn.
func presetFor(m *Model) string {
	switch {
	case len(m.Lines) == 0:
		return Learn
	case m.Spec == nil && (m.errors() > 0 && !launch.OnlyTheLaunch(m.View.Diagnostics.Errors())):
		return Write
	case m.Module == nil || strings.TrimSpace(m.Text) == "":
		return Write
	case len(m.Lines) >= longProgram, m.Spec != nil && m.Spec.Defaulted, m.Spec != nil && sharesMemory(m):
		return Kernel
	}
	return Learn
}

// sharesMemory says whether several warps of a CTA can meet in shared memory.
func sharesMemory(m *Model) bool {
	block := m.Spec.Block
	if max(block.X, 1)*max(block.Y, 1)*max(block.Z, 1) <= 32 {
		return false
	}
	shared := func(v *ptx.Var) bool { return v.Space == ptx.SharedSpace }
	if m.Spec.Shared > 0 || slices.ContainsFunc(m.Module.Vars, shared) {
		return true
	}
	return slices.ContainsFunc(m.Module.Entries(), func(f *ptx.Func) bool {
		return f.Name == m.Spec.Entry && slices.ContainsFunc(f.Vars, shared)
	})
}

// menuItem is one entry of a panel's menu.
type menuItem struct {
	Label  string
	Action Action
}

// panelMenu is what can be done with a panel.
func panelMenu(m *Model, panel string) []menuItem {
	l := m.layout()
	var items []menuItem
	add := func(label string, action Action) { items = append(items, menuItem{label, action}) }
	if l.Drawn(panel) {
		add("Close", CloseDrawer{})
	} else {
		add(map[bool]string{false: "Maximise", true: "Restore"}[l.Max == panel], Maximise{panel})
		add(map[bool]string{false: "Fold", true: "Unfold"}[l.Folded(panel)], FoldPanel{panel})
	}
	peers := l.Peers(panel)
	if len(peers) > 1 && !l.Drawn(panel) {
		for _, side := range []workspace.Side{workspace.Left, workspace.Right, workspace.Above, workspace.Below} {
			add("Split: to the "+sideWords[side], MovePanel{panel, panel, side})
		}
	}
	if at := slices.Index(peers, panel); at > 0 {
		add("Tab to the left", MovePanel{panel, peers[at-1], workspace.Before})
	}
	if at := slices.Index(peers, panel); at+1 < len(peers) {
		add("Tab to the right", MovePanel{panel, peers[at+1], workspace.After})
	}
	var others []menuItem
	for _, target := range l.Shown() {
		if slices.Contains(peers, target) {
			continue
		}
		title := m.panelTitle(target)
		others = append(others, menuItem{sidePlaces[workspace.Center] + " " + title,
			MovePanel{panel, target, workspace.Center}})
		if len(peers) == 1 && !l.Drawn(target) {
			for _, side := range []workspace.Side{workspace.Left, workspace.Right, workspace.Above, workspace.Below} {
				others = append(others, menuItem{sidePlaces[side] + " " + title, MovePanel{panel, target, side}})
			}
		}
	}
	return append(append(items, others...), menuItem{"Reset this layout", ResetLayout{}})
}

var (
	sideWords = map[workspace.Side]string{workspace.Left: "left", workspace.Right: "right", workspace.Above: "top",
		workspace.Below: "bottom"}
	sidePlaces = map[workspace.Side]string{workspace.Center: "Tab beside", workspace.Left: "Left of",
		workspace.Right: "Right of", workspace.Above: "Above", workspace.Below: "Below", workspace.Before: "Tab before",
		workspace.After: "Tab after"}
)
