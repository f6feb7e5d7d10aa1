// Package workspace arranges panels: a tree of splits whose leaves hold panels as tabs. It knows panels by their keys,
// and nothing of the page. Layouts are values: an operation returns a changed copy.
package workspace

import "slices"

// Way is how the children of a split are arranged.
type Way string

const (
	Row    Way = "row"    // side by side
	Column Way = "column" // one below the other
)

// Size is a rule for the length of a child within its split: a share of the whole, within bounds in pixels. A share of
// 0 means what the others leave, a bound of 0 means none.
type Size struct {
	Share float64 `json:"share,omitempty"`
	Least int     `json:"least,omitempty"`
	Most  int     `json:"most,omitempty"`
}

// Node is a split with children, or a leaf with panels as tabs.
type Node struct {
	Size   Size     `json:"size,omitzero"`
	Way    Way      `json:"way,omitempty"`
	Kids   []Node   `json:"kids,omitempty"`
	Tabs   []string `json:"tabs,omitempty"`
	Front  string   `json:"front,omitempty"` // the tab that shows
	Folded bool     `json:"folded,omitempty"`
}

// Layout is a whole workspace. The drawer is a leaf that has the lower part of the workspace while it is open.
type Layout struct {
	Root   Node   `json:"root"`
	Drawer Node   `json:"drawer,omitzero"`
	Open   bool   `json:"open,omitempty"`
	Max    string `json:"max,omitempty"` // the panel that fills the workspace; "" for none
}

// Leaf makes a leaf; its first panel is in front.
func Leaf(size Size, tabs ...string) Node { return Node{Size: size, Tabs: tabs, Front: tabs[0]} }

// Split makes a split.
func Split(size Size, way Way, kids ...Node) Node { return Node{Size: size, Way: way, Kids: kids} }

func (n *Node) leaf() bool { return n.Way == "" }

// clone copies a tree.
func (n *Node) clone() Node {
	c := *n
	c.Tabs = slices.Clone(n.Tabs)
	c.Kids = slices.Clone(n.Kids)
	for i := range c.Kids {
		c.Kids[i] = c.Kids[i].clone()
	}
	return c
}

func (l Layout) clone() Layout {
	l.Root, l.Drawer = l.Root.clone(), l.Drawer.clone()
	return l
}

// each calls f for each leaf in reading order.
func (n *Node) each(f func(leaf *Node)) {
	if n.leaf() {
		f(n)
		return
	}
	for i := range n.Kids {
		n.Kids[i].each(f)
	}
}

// find is the leaf that holds a panel; nil if none does.
func (l *Layout) find(panel string) *Node {
	var found *Node
	look := func(leaf *Node) {
		if slices.Contains(leaf.Tabs, panel) {
			found = leaf
		}
	}
	l.Root.each(look)
	look(&l.Drawer)
	return found
}

// Panels lists all panels in reading order, those of the drawer last.
func (l Layout) Panels() (panels []string) {
	l.Root.each(func(leaf *Node) { panels = append(panels, leaf.Tabs...) })
	return append(panels, l.Drawer.Tabs...)
}

// Shown lists the panels that are in front, in reading order.
func (l Layout) Shown() (panels []string) {
	add := func(leaf *Node) {
		if leaf.Front != "" && !leaf.Folded && (l.Max == "" || l.Max == leaf.Front) {
			panels = append(panels, leaf.Front)
		}
	}
	l.Root.each(add)
	if l.Open {
		l.Max = ""
		add(&l.Drawer)
	}
	return panels
}

// Shows says whether a panel is in front.
func (l Layout) Shows(panel string) bool { return slices.Contains(l.Shown(), panel) }

// Peers lists the panels that share a panel's place.
func (l Layout) Peers(panel string) []string {
	if leaf := l.find(panel); leaf != nil {
		return leaf.Tabs
	}
	return nil
}

// Drawn says whether a panel is one of the drawer's.
func (l Layout) Drawn(panel string) bool { return slices.Contains(l.Drawer.Tabs, panel) }

// Show brings a panel to the front, wherever it is.
func (l Layout) Show(panel string) Layout {
	l = l.clone()
	leaf := l.find(panel)
	if leaf == nil {
		return l
	}
	leaf.Front, leaf.Folded = panel, false
	l.Open = l.Open || leaf == &l.Drawer
	if l.Max != "" && leaf != &l.Drawer {
		if l.find(l.Max) == leaf { // its tab fills the workspace in the other's place
			l.Max = panel
		} else if l.Max != panel {
			l.Max = ""
		}
	}
	return l
}

// CloseDrawer gives the others the room of the drawer.
func (l Layout) CloseDrawer() Layout {
	l.Open = false
	return l
}

// Maximise lets a panel fill the workspace, or gives the others their places back.
func (l Layout) Maximise(panel string) Layout {
	if l.Max == panel {
		l.Max = ""
		return l
	}
	l = l.Show(panel)
	if !l.Drawn(panel) {
		l.Max, l.Open = panel, false
	}
	return l
}

// Fold leaves only the heads of a panel's leaf, or opens it again. In the drawer it closes it.
func (l Layout) Fold(panel string) Layout {
	if l.Drawn(panel) {
		return l.CloseDrawer()
	}
	l = l.clone()
	if leaf := l.find(panel); leaf != nil {
		leaf.Folded, l.Max = !leaf.Folded, ""
	}
	return l
}

// Folded says whether a panel's leaf is folded.
func (l Layout) Folded(panel string) bool {
	leaf := l.find(panel)
	return leaf != nil && leaf.Folded
}

// Complete drops panels that do not exist, and gives those that are missing the place that they have in the other
// layout. It also repairs what a stored layout may have wrong.
func (l Layout) Complete(known []string, other Layout) Layout {
	l = l.clone()
	seen := map[string]bool{}
	keep := func(leaf *Node) {
		leaf.Tabs = slices.DeleteFunc(leaf.Tabs, func(panel string) bool {
			drop := seen[panel] || !slices.Contains(known, panel)
			seen[panel] = true
			return drop
		})
	}
	l.Root.each(keep)
	keep(&l.Drawer)
	for _, panel := range known {
		if l.find(panel) == nil {
			l.place(panel, other)
		}
	}
	l.tidy()
	if l.Max != "" && l.find(l.Max) == nil {
		l.Max = ""
	}
	return l
}

// place puts a panel beside one with which it shares a leaf in the other layout, or into the drawer.
func (l *Layout) place(panel string, other Layout) {
	if !other.Drawn(panel) {
		for _, peer := range other.Peers(panel) {
			if leaf := l.find(peer); leaf != nil && leaf != &l.Drawer {
				leaf.Tabs = append(leaf.Tabs, panel)
				return
			}
		}
	}
	l.Drawer.Tabs = append(l.Drawer.Tabs, panel)
}

// tidy removes empty leaves and splits of one child, and makes each front one of its tabs.
func (l *Layout) tidy() {
	l.Root.tidy()
	l.Drawer.front()
	l.Open = l.Open && len(l.Drawer.Tabs) > 0
}

func (n *Node) front() {
	switch {
	case len(n.Tabs) == 0:
		n.Front = ""
	case !slices.Contains(n.Tabs, n.Front):
		n.Front = n.Tabs[0]
	}
}

func (n *Node) tidy() {
	if n.leaf() {
		n.front()
		return
	}
	var kids []Node
	for i := range n.Kids {
		kid := n.Kids[i]
		kid.tidy()
		switch {
		case kid.leaf() && len(kid.Tabs) == 0, !kid.leaf() && len(kid.Kids) == 0:
		case kid.Way == n.Way:
			kids = append(kids, kid.Kids...)
		default:
			kids = append(kids, kid)
		}
	}
	n.Kids = kids
	if len(kids) == 1 {
		size := n.Size
		*n = kids[0]
		n.Size = size
	}
}
