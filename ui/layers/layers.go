// Package layers lays a graph out in layers, as Sugiyama, Tagawa and Toda do (1981): each box is below all that lead to
// it, boxes of one layer are in the order that crosses few edges, and edges go around boxes. Edges that go back are at
// the side. Nothing in it is random, and nothing depends on the order of a map.
package layers

import (
	"cmp"
	"slices"
)

// Graph is boxes and the edges between them. Box 0 is the first one.
type Graph struct {
	Boxes []Size
	Edges []Edge
}

// Size is the size of a box.
type Size struct{ W, H float64 }

// Edge leads from one box to another, or back to the same.
type Edge struct{ From, To int }

// Point is a place; y grows downwards.
type Point struct{ X, Y float64 }

// Layout is where everything is.
type Layout struct {
	W, H   float64
	Boxes  []Point // their upper left corners
	Layers []int   // by box: its layer, from 0
	Routes []Route // by edge
}

// Route is the way of an edge: from the middle of the lower side of its box to the middle of the other box's upper
// side. It goes straight down between a point with an even index and the one before, and bends between the others.
type Route struct {
	Points []Point
	Back   bool // it goes up at the side
}

// Distances between what is drawn.
const (
	beside = 18 // between boxes of a layer
	narrow = 10 // between an edge and a box or an edge
	below  = 34 // between layers
	aside  = 26 // between edges that go back: room for a number on each
)

// node is a box, or a place where an edge passes a layer.
type node struct {
	box      int // -1 for a place
	size     Size
	layer    int
	up, down []int // neighbours in the layers beside
	x        float64
	weight   float64
	order    float64
}

type work struct {
	g      Graph
	back   []bool  // by edge
	nodes  []node  // the boxes come first
	chains [][]int // by edge: the places that it passes
	layers [][]int // nodes from left to right
}

// Lay lays a graph out.
func Lay(g Graph) Layout {
	w := &work{g: g, back: backEdges(g)}
	w.rank()
	w.connect()
	w.arrange()
	w.settle()
	return w.layout()
}

// backEdges marks the edges that lead to a box from which the search has come; without them there is no cycle.
func backEdges(g Graph) []bool {
	out := make([][]int, len(g.Boxes))
	for i, e := range g.Edges {
		out[e.From] = append(out[e.From], i)
	}
	back := make([]bool, len(g.Edges))
	const fresh, open, done = 0, 1, 2
	state, next := make([]int, len(g.Boxes)), make([]int, len(g.Boxes))
	for root := range g.Boxes {
		if state[root] != fresh {
			continue
		}
		path := []int{root}
		state[root] = open
		for len(path) > 0 {
			at := path[len(path)-1]
			if next[at] == len(out[at]) {
				state[at] = done
				path = path[:len(path)-1]
				continue
			}
			i := out[at][next[at]]
			next[at]++
			switch to := g.Edges[i].To; state[to] {
			case open:
				back[i] = true
			case fresh:
				state[to] = open
				path = append(path, to)
			}
		}
	}
	return back
}

// rank gives each box the layer after the last one of those that lead to it.
func (w *work) rank() {
	waits := make([]int, len(w.g.Boxes))
	out := make([][]int, len(w.g.Boxes))
	for i, e := range w.g.Edges {
		if !w.back[i] {
			waits[e.To]++
			out[e.From] = append(out[e.From], e.To)
		}
	}
	w.nodes = make([]node, len(w.g.Boxes))
	var ready []int
	for i := range w.nodes {
		w.nodes[i] = node{box: i, size: w.g.Boxes[i], weight: 1}
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for n := 0; n < len(ready); n++ {
		from := ready[n]
		for _, to := range out[from] {
			w.nodes[to].layer = max(w.nodes[to].layer, w.nodes[from].layer+1)
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	deepest := 0
	for i := range w.nodes {
		deepest = max(deepest, w.nodes[i].layer)
	}
	w.layers = make([][]int, deepest+1)
}

// connect makes the places where edges pass layers. Edges to the same box share them: they join on the way.
func (w *work) connect() {
	shared := map[Edge]int{} // by a box and a layer: the place of the edges to that box
	joined := map[Edge]bool{}
	link := func(from, to int) {
		if e := (Edge{from, to}); !joined[e] {
			joined[e] = true
			w.nodes[from].down = append(w.nodes[from].down, to)
			w.nodes[to].up = append(w.nodes[to].up, from)
		}
	}
	w.chains = make([][]int, len(w.g.Edges))
	for i, e := range w.g.Edges {
		if w.back[i] {
			continue
		}
		at := e.From
		for layer := w.nodes[e.From].layer + 1; layer < w.nodes[e.To].layer; layer++ {
			place, ok := shared[Edge{e.To, layer}]
			if !ok {
				place = len(w.nodes)
				w.nodes = append(w.nodes, node{box: -1, layer: layer, weight: 4})
				shared[Edge{e.To, layer}] = place
			}
			w.chains[i] = append(w.chains[i], place)
			link(at, place)
			at = place
		}
		link(at, e.To)
	}
	for i := range w.nodes {
		l := w.nodes[i].layer
		w.layers[l] = append(w.layers[l], i)
	}
}

// sweeps is how often the order and the places of the layers are improved, down and up.
const sweeps = 6

// arrange orders the nodes of each layer by the middle of their neighbours in the layer beside.
func (w *work) arrange() {
	for range sweeps {
		for _, layer := range w.layers {
			w.sort(layer, func(n *node) []int { return n.up })
		}
		for i := len(w.layers) - 1; i >= 0; i-- {
			w.sort(w.layers[i], func(n *node) []int { return n.down })
		}
	}
	for _, layer := range w.layers {
		w.sort(layer, func(n *node) []int { return n.up })
	}
}

func (w *work) sort(layer []int, neighbours func(n *node) []int) {
	for i, at := range layer {
		n := &w.nodes[at]
		list := neighbours(n)
		if n.order = float64(i) / float64(len(layer)); len(list) == 0 {
			continue
		}
		n.order = 0
		for _, o := range list {
			n.order += w.nodes[o].x
		}
		n.order /= float64(len(list))
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(w.nodes[a].order, w.nodes[b].order) })
	for i, at := range layer {
		w.nodes[at].x = (float64(i) + .5) / float64(len(layer))
	}
}

// settle finds the centres: each node as near to the middle of its neighbours as the others of its layer let it.
func (w *work) settle() {
	for _, layer := range w.layers {
		x := 0.0
		for i, at := range layer {
			if i > 0 {
				x += w.apart(layer[i-1], at)
			}
			w.nodes[at].x = x
		}
		for _, at := range layer {
			w.nodes[at].x -= x / 2
		}
	}
	for range sweeps {
		for _, layer := range w.layers {
			w.place(layer, func(n *node) []int { return n.up })
		}
		for i := len(w.layers) - 1; i >= 0; i-- {
			w.place(w.layers[i], func(n *node) []int { return n.down })
		}
	}
	for _, layer := range w.layers {
		w.place(layer, func(n *node) []int { return append(n.up[:len(n.up):len(n.up)], n.down...) })
	}
}

// apart is the least distance between the centres of two neighbours in a layer.
func (w *work) apart(a, b int) float64 {
	gap := float64(beside)
	if w.nodes[a].box < 0 || w.nodes[b].box < 0 {
		gap = narrow
	}
	return w.nodes[a].size.W/2 + gap + w.nodes[b].size.W/2
}

// place moves the nodes of a layer to where they want to be, but no nearer to each other than allowed: the sum of the
// squares of what they miss is the least. Runs of nodes that touch move together (isotonic regression).
func (w *work) place(layer []int, neighbours func(n *node) []int) {
	type run struct {
		at, weight float64
		n          int
	}
	var runs []run
	offset := 0.0 // of a node from the first one, if all touch
	offsets := make([]float64, len(layer))
	for i, at := range layer {
		if i > 0 {
			offset += w.apart(layer[i-1], at)
		}
		offsets[i] = offset
		n := &w.nodes[at]
		want, list := n.x, neighbours(n)
		if len(list) > 0 {
			want = 0
			for _, o := range list {
				want += w.nodes[o].x
			}
			want /= float64(len(list))
		}
		next := run{want - offset, n.weight, 1}
		for len(runs) > 0 && runs[len(runs)-1].at > next.at {
			last := runs[len(runs)-1]
			runs = runs[:len(runs)-1]
			sum := last.weight + next.weight
			next = run{(last.at*last.weight + next.at*next.weight) / sum, sum, last.n + next.n}
		}
		runs = append(runs, next)
	}
	i := 0
	for _, r := range runs {
		for range r.n {
			w.nodes[layer[i]].x = r.at + offsets[i]
			i++
		}
	}
}

// layout gives everything its place: the layers below each other, and edges that go back at the right of all that they
// pass.
func (w *work) layout() Layout {
	l := Layout{Boxes: make([]Point, len(w.g.Boxes)), Layers: make([]int, len(w.g.Boxes)),
		Routes: make([]Route, len(w.g.Edges))}
	left := 0.0
	tops, heights := make([]float64, len(w.layers)), make([]float64, len(w.layers))
	right := make([]float64, len(w.layers)) // how far layers reach
	for i, layer := range w.layers {
		for _, at := range layer {
			n := &w.nodes[at]
			heights[i] = max(heights[i], n.size.H)
			left = min(left, n.x-n.size.W/2)
		}
	}
	y := 0.0
	for i := range w.layers {
		tops[i] = y
		y += heights[i] + below
	}
	for i, layer := range w.layers {
		for _, at := range layer {
			n := &w.nodes[at]
			n.x -= left
			right[i] = max(right[i], n.x+n.size.W/2)
			if n.box >= 0 {
				l.Boxes[n.box], l.Layers[n.box] = Point{n.x - n.size.W/2, tops[i]}, i
			}
		}
	}
	for i := range w.g.Edges {
		if !w.back[i] {
			l.Routes[i].Points = w.forward(i, tops, heights)
		}
	}
	w.goBack(&l, tops, right)
	l.H = y - below
	for _, r := range right {
		l.W = max(l.W, r)
	}
	if slices.Contains(w.back, true) {
		l.H += below / 2 // a box of the last layer can lead back
	}
	return l
}

func (w *work) forward(i int, tops, heights []float64) []Point {
	from, to := &w.nodes[w.g.Edges[i].From], &w.nodes[w.g.Edges[i].To]
	points := []Point{{from.x, tops[from.layer] + from.size.H}}
	for _, at := range w.chains[i] {
		n := &w.nodes[at]
		points = append(points, Point{n.x, tops[n.layer]}, Point{n.x, tops[n.layer] + heights[n.layer]})
	}
	return append(points, Point{to.x, tops[to.layer]})
}

// goBack routes the edges that go back, the shortest ones innermost.
func (w *work) goBack(l *Layout, tops, right []float64) {
	var list []int
	for i := range w.g.Edges {
		if w.back[i] {
			list = append(list, i)
		}
	}
	span := func(i int) (top, bottom int) {
		return w.nodes[w.g.Edges[i].To].layer, w.nodes[w.g.Edges[i].From].layer
	}
	slices.SortStableFunc(list, func(a, b int) int {
		ta, ba := span(a)
		tb, bb := span(b)
		return cmp.Compare(ba-ta, bb-tb)
	})
	for _, i := range list {
		from, to := &w.nodes[w.g.Edges[i].From], &w.nodes[w.g.Edges[i].To]
		top, bottom := span(i)
		side := slices.Max(right[top:bottom+1]) + aside
		for k := top; k <= bottom; k++ {
			right[k] = side
		}
		low, high := tops[from.layer]+from.size.H, tops[to.layer]
		l.Routes[i] = Route{Back: true, Points: []Point{{from.x, low}, {side, low}, {side, high}, {to.x, high}}}
	}
}
