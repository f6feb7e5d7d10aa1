package ptx

import (
	"slices"
)

// LoopFinder numbers the loops among the strongly connected components of a function's control flow graph. It is
// Tarjan's algorithm with a stack of its own.
type LoopFinder struct {
	Fn               *Func
	Order, Low, Loop []int // by node; Loop is its loop's number, 0 in no loop
	Next             []int // successor to look at
	path, open, Seen []int
	Count, Looked    int
}

// NewLoopFinder starts with no node visited.
func NewLoopFinder(fn *Func) *LoopFinder {
	n := fn.Nodes()
	return &LoopFinder{Fn: fn, Order: make([]int, n), Low: make([]int, n), Loop: make([]int, n), Next: make([]int, n)}
}

// Find visits all nodes that can be reached from root without passing through the node without, unless it has visited
// root before. without is -1 for none.
func (l *LoopFinder) Find(root, without int) {
	f := l.Fn
	if root == without || l.Order[root] != 0 {
		return
	}
	path := append(l.path[:0], root)
	for len(path) > 0 {
		b := path[len(path)-1]
		if l.Order[b] == 0 {
			l.Seen = append(l.Seen, b)
			l.Looked++
			l.Order[b], l.Low[b] = len(l.Seen), len(l.Seen)
			l.open = append(l.open, b)
			l.Loop[b] = -1
		}
		if succs := f.Next(b); l.Next[b] < len(succs) {
			s := succs[l.Next[b]]
			l.Next[b]++
			switch {
			case s == without:
			case l.Order[s] == 0:
				path = append(path, s)
			case l.Loop[s] == -1:
				l.Low[b] = min(l.Low[b], l.Order[s])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1]
			l.Low[up] = min(l.Low[up], l.Low[b])
		}
		if l.Low[b] == l.Order[b] {
			l.close(b)
		}
	}
	l.path = path
}

// close numbers the component whose first node is b.
func (l *LoopFinder) close(b int) {
	at := slices.Index(l.open, b)
	id := 0
	if at < len(l.open)-1 || slices.Contains(l.Fn.Next(b), b) {
		l.Count++
		id = l.Count
	}
	for _, o := range l.open[at:] {
		l.Loop[o] = id
	}
	l.open = l.open[:at]
}

// Loops returns the number of the loop that each block of a function is in, or 0.
func Loops(fn *Func) []int {
	l := NewLoopFinder(fn)
	for n := range fn.Nodes() {
		l.Find(n, -1)
	}
	return l.Loop[:len(fn.Blocks)]
}
