package workspace

import "slices"

// Side is where a panel goes, seen from another one.
type Side string

const (
	Center Side = "center" // becomes a tab of it
	Left   Side = "left"
	Right  Side = "right"
	Above  Side = "above"
	Below  Side = "below"
	Before Side = "before" // becomes a tab of it, in front of its tab
	After  Side = "after"
)

// tab says whether the panel becomes a tab of the other one.
func (s Side) tab() bool { return s == Center || s == Before || s == After }

// Move takes a panel out of its leaf and puts it at another panel's side. Beside itself means: out of its leaf.
func (l Layout) Move(panel, target string, side Side) Layout {
	from, to := l.find(panel), l.find(target)
	if from == nil || to == nil || from == to && (side == Center || len(from.Tabs) == 1) ||
		l.Drawn(target) && !side.tab() || panel == target && side.tab() {
		return l
	}
	if panel == target { // the leaf is known by another of its panels
		i := slices.Index(to.Tabs, panel)
		target = to.Tabs[(i+1)%len(to.Tabs)]
	}
	l = l.clone()
	l.Max = ""
	from = l.find(panel)
	from.Tabs = slices.DeleteFunc(from.Tabs, func(tab string) bool { return tab == panel })
	from.front()
	to = l.find(target)
	if side.tab() {
		at := len(to.Tabs)
		if side != Center {
			at = slices.Index(to.Tabs, target)
		}
		if side == After {
			at++
		}
		to.Tabs, to.Front, to.Folded = slices.Insert(to.Tabs, at, panel), panel, false
		l.Open = l.Open || l.Drawn(panel)
	} else {
		l.Root.split(target, panel, side)
	}
	l.tidy()
	return l
}

// split puts a new leaf beside the one that holds the target. Both get half of its room.
func (n *Node) split(target, panel string, side Side) bool {
	if n.leaf() {
		if !slices.Contains(n.Tabs, target) {
			return false
		}
		kid := *n
		kid.Size, kid.Folded = Size{}, false
		*n = Split(n.Size, side.way(), side.order(kid, Leaf(Size{}, panel))...)
		return true
	}
	for i := range n.Kids {
		if n.Kids[i].leaf() && n.Way == side.way() && slices.Contains(n.Kids[i].Tabs, target) {
			n.Kids[i].Size = n.Kids[i].Size.half()
			n.Kids = slices.Replace(n.Kids, i, i+1, side.order(n.Kids[i], Leaf(n.Kids[i].Size, panel))...)
			return true
		}
		if n.Kids[i].split(target, panel, side) {
			return true
		}
	}
	return false
}

func (s Side) way() Way {
	if s == Left || s == Right {
		return Row
	}
	return Column
}

// order is the old leaf and the new one, the one that comes first in front.
func (s Side) order(old, new Node) []Node {
	if s == Left || s == Above {
		return []Node{new, old}
	}
	return []Node{old, new}
}

func (s Size) half() Size { return Size{s.Share / 2, s.Least / 2, s.Most / 2} }
