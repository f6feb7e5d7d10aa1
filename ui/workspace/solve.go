package workspace

import "slices"

// Rect is a place in pixels, from the upper left corner of the workspace.
type Rect struct{ X, Y, W, H int }

func (r Rect) holds(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Place is where a panel is.
type Place struct {
	Panel string
	Rect
	Front  bool // the others of its leaf are covered
	Tabs   []string
	Folded bool
	Narrow bool // folded to a strip that is high and narrow
}

// Line is the separator between two neighbours, 1 pixel wide. It can be moved from Min to Max, counted from where the
// first of them begins.
type Line struct {
	Path          []int // of the split, then the number of the child before the line
	Way           Way   // of the split
	Rect          Rect
	At, Min, Max  int
	Before, After string // a panel on either side
}

// Screen is a layout in pixels. It is larger than the workspace where panels would be too small to use.
type Screen struct {
	W, H   int
	Places []Place
	Lines  []Line
	Drawer Rect // empty while it is closed
}

// Head is the height of a leaf's head, and what is left of a leaf that is folded.
const Head = 30

// Needs gives the least size at which a panel can be used.
type Needs func(panel string) (w, h int)

// solver puts the parts of a layout in their places.
type solver struct {
	needs  Needs
	screen Screen
	max    string
}

// Solve gives each panel a place in a workspace of the given size.
func (l Layout) Solve(w, h int, needs Needs) Screen {
	s := solver{needs: needs, max: l.Max}
	whole := l.whole()
	s.solve(&whole, w, h)
	if l.maxed() != nil {
		full := s.screen.Places[0].Rect
		l.Root.each(func(n *Node) {
			if !slices.Contains(n.Tabs, l.Max) {
				s.leaf(n, full, false)
			}
		})
	}
	if !l.opened() {
		s.leaf(&l.Drawer, Rect{0, h - h/4, w, h / 4}, false)
		return s.screen
	}
	for _, p := range s.screen.Places {
		if l.Drawn(p.Panel) {
			s.screen.Drawer = p.Rect
		}
	}
	return s.screen
}

// solve puts the tree that is shown in its places.
func (s *solver) solve(whole *Node, w, h int) {
	s.screen.W, s.screen.H = max(w, s.need(whole, Row)), max(h, s.need(whole, Column))
	s.node(whole, Rect{0, 0, s.screen.W, s.screen.H}, nil)
}

// maxed is the leaf that fills the workspace; nil for none.
func (l *Layout) maxed() *Node {
	if l.Max == "" || l.Drawn(l.Max) {
		return nil
	}
	return l.find(l.Max)
}

func (l *Layout) opened() bool { return l.Open && len(l.Drawer.Tabs) > 0 }

// whole is the tree that is shown: all panels, or the one that fills the workspace, and the drawer below while it is
// open.
func (l *Layout) whole() Node {
	root := l.Root
	if leaf := l.maxed(); leaf != nil {
		root = *leaf
		root.Folded = false
	}
	if !l.opened() {
		return root
	}
	drawer := l.Drawer
	if drawer.Size == (Size{}) {
		drawer.Size = Size{Share: .26, Least: 150}
	}
	root.Size = Size{}
	return Split(Size{}, Column, root, drawer)
}

// need is the least length of a node along an axis.
func (s *solver) need(n *Node, axis Way) int {
	if n.leaf() {
		if len(n.Tabs) == 0 {
			return 0
		}
		w, h := s.needs(n.Front)
		if axis == Row {
			return w
		}
		if n.Folded {
			return Head
		}
		return h
	}
	length := 0
	for i := range n.Kids {
		kid := s.need(&n.Kids[i], axis)
		if n.Way == axis && n.Kids[i].leaf() && n.Kids[i].Folded {
			kid = Head
		}
		if n.Way == axis {
			length += kid
		} else {
			length = max(length, kid)
		}
	}
	if n.Way == axis {
		length += len(n.Kids) - 1
	}
	return length
}

func (s *solver) leaf(n *Node, r Rect, shown bool) {
	for _, panel := range n.Tabs {
		s.screen.Places = append(s.screen.Places, Place{Panel: panel, Rect: r, Front: shown && panel == n.Front,
			Tabs: n.Tabs, Folded: n.Folded && s.max == "", Narrow: n.Folded && s.max == "" && r.W <= Head})
	}
}

// node places a tree in a rectangle.
func (s *solver) node(n *Node, r Rect, path []int) {
	if n.leaf() {
		s.leaf(n, r, true)
		return
	}
	whole, across := r.W, r.H
	if n.Way == Column {
		whole, across = r.H, r.W
	}
	lengths, least := s.lengths(n, whole)
	at := 0
	for i := range n.Kids {
		kid := Rect{r.X + at, r.Y, lengths[i], across}
		line := Rect{r.X + at + lengths[i], r.Y, 1, across}
		if n.Way == Column {
			kid = Rect{r.X, r.Y + at, across, lengths[i]}
			line = Rect{r.X, r.Y + at + lengths[i], across, 1}
		}
		s.node(&n.Kids[i], kid, append(slices.Clone(path), i))
		if i+1 < len(n.Kids) && !n.Kids[i].Folded && !n.Kids[i+1].Folded {
			s.screen.Lines = append(s.screen.Lines, Line{Path: append(slices.Clone(path), i), Way: n.Way, Rect: line,
				At: lengths[i], Min: least[i], Max: lengths[i] + lengths[i+1] - least[i+1],
				Before: n.Kids[i].first(), After: n.Kids[i+1].first()})
		}
		at += lengths[i] + 1
	}
}

// first is the panel that shows in the first leaf of a tree.
func (n *Node) first() (panel string) {
	n.each(func(leaf *Node) {
		if panel == "" {
			panel = leaf.Front
		}
	})
	return panel
}

// lengths divides the length of a split among its children: each gets what its rule says, those without a rule what is
// left, and none less than it needs.
func (s *solver) lengths(n *Node, whole int) (lengths, least []int) {
	whole -= len(n.Kids) - 1
	lengths, least = make([]int, len(n.Kids)), make([]int, len(n.Kids))
	rest, loose := whole, 0
	for i := range n.Kids {
		kid := &n.Kids[i]
		least[i] = s.need(kid, n.Way)
		switch size := kid.Size; {
		case kid.Folded:
			least[i], lengths[i] = Head, Head
		case size.Share > 0:
			lengths[i] = max(int(size.Share*float64(whole)+.5), size.Least)
			if size.Most > 0 {
				lengths[i] = min(lengths[i], size.Most)
			}
		default:
			loose++
			continue
		}
		rest -= lengths[i]
	}
	s.spread(n, lengths, rest, loose)
	balance(lengths, least, whole)
	return lengths, least
}

// spread gives what is left to the children without a rule, or to all that are not folded.
func (s *solver) spread(n *Node, lengths []int, rest, loose int) {
	takes := func(kid *Node) bool { return !kid.Folded && (loose == 0 || kid.Size.Share == 0) }
	takers, total := 0, 0
	for i := range n.Kids {
		if takes(&n.Kids[i]) {
			takers, total = takers+1, total+lengths[i]
		}
	}
	if rest <= 0 || takers == 0 {
		if takers == 0 && rest > 0 { // all are folded
			lengths[len(lengths)-1] += rest
		}
		return
	}
	for i := range n.Kids {
		if !takes(&n.Kids[i]) {
			continue
		}
		part := rest / takers
		if total > 0 {
			part = rest * lengths[i] / total
		}
		lengths[i] += part
		rest, takers, total = rest-part, takers-1, total-(lengths[i]-part)
	}
}

// balance raises lengths that are too small, and takes the difference from those that have more than they need.
func balance(lengths, least []int, whole int) {
	sum, slack := 0, 0
	for i := range lengths {
		lengths[i] = max(lengths[i], least[i])
		sum, slack = sum+lengths[i], slack+lengths[i]-least[i]
	}
	over := sum - whole
	for i := range lengths {
		if has := lengths[i] - least[i]; over > 0 && has > 0 {
			less := min(has, (over*has+slack-1)/slack)
			lengths[i] -= less
			over, slack = over-less, slack-has
		}
	}
}

// Resize moves a separator so that the child before it has a length. A rule of the others stays; what was left to a
// child without a rule still is.
func (l Layout) Resize(path []int, to, w, h int, needs Needs) Layout {
	l = l.clone()
	line := l.line(path, w, h, needs)
	if line == nil {
		return l
	}
	top := l.whole()
	n := &top
	for _, i := range path[:len(path)-1] {
		n = &n.Kids[i]
	}
	whole := line.whole - (len(n.Kids) - 1)
	to = min(max(to, line.Min), line.Max)
	i := path[len(path)-1]
	share := func(length int) Size { return Size{Share: float64(length) / float64(max(whole, 1))} }
	before, after := &n.Kids[i], &n.Kids[i+1]
	if before.Size.Share > 0 || after.Size.Share > 0 == (before.Size.Share > 0) {
		before.Size = share(to)
	}
	if after.Size.Share > 0 {
		after.Size = share(line.both - to)
	}
	if l.opened() && n == &top {
		l.Drawer.Size = after.Size
	}
	return l
}

type movable struct {
	Line
	whole, both int // of the split, and of the two neighbours
}

func (l *Layout) line(path []int, w, h int, needs Needs) *movable {
	s := solver{needs: needs}
	top := l.whole()
	s.solve(&top, w, h)
	for _, line := range s.screen.Lines {
		if !slices.Equal(line.Path, path) {
			continue
		}
		n := &top
		whole := Rect{0, 0, s.screen.W, s.screen.H}
		for _, i := range path[:len(path)-1] {
			whole = s.inner(n, whole, i)
			n = &n.Kids[i]
		}
		lengths, _ := s.lengths(n, whole.along(n.Way))
		i := path[len(path)-1]
		return &movable{line, whole.along(n.Way), lengths[i] + lengths[i+1]}
	}
	return nil
}

func (r Rect) along(way Way) int {
	if way == Row {
		return r.W
	}
	return r.H
}

// inner is the rectangle of a child.
func (s *solver) inner(n *Node, r Rect, child int) Rect {
	lengths, _ := s.lengths(n, r.along(n.Way))
	at := child
	for _, length := range lengths[:child] {
		at += length
	}
	if n.Way == Row {
		return Rect{r.X + at, r.Y, lengths[child], r.H}
	}
	return Rect{r.X, r.Y + at, r.W, lengths[child]}
}

// Drop is where a panel that is dragged would go.
type Drop struct {
	Target string
	Side   Side
	Rect   Rect // what it would cover
}

// DropAt says where a panel that is let go at a point would go: near an edge of a leaf it splits it, else it becomes
// one of its tabs.
func (s Screen) DropAt(x, y int) (Drop, bool) {
	for _, p := range s.Places {
		if !p.Front || !p.holds(x, y) {
			continue
		}
		d := Drop{p.Panel, Center, p.Rect}
		dx, dy := x-p.X, y-p.Y
		switch {
		case dy < Head || p.Rect == s.Drawer:
		case dx < p.W/4:
			d.Side, d.Rect.W = Left, p.W/2
		case dx > p.W-p.W/4:
			d.Side, d.Rect.W, d.Rect.X = Right, p.W/2, p.X+p.W-p.W/2
		case dy < p.H/4+Head/2:
			d.Side, d.Rect.H = Above, p.H/2
		case dy > p.H-p.H/4:
			d.Side, d.Rect.H, d.Rect.Y = Below, p.H/2, p.Y+p.H-p.H/2
		}
		return d, true
	}
	return Drop{}, false
}
