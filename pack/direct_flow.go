package main

import (
	"container/heap"
	"slices"
	"sort"
)

// flow is which point leads to which in a function, and an order of the points.
type flow struct {
	next    [][]int // of each point, those that it leads to; not where a way leads through the table
	last    [][]int // of each point, those that lead to it
	entered []bool  // of each point: the table leads there
	group   []int   // of each point: the last group that it was put in
	groups  int
}

// item is a point, or a loop that begins with a point.
type item struct {
	point int
	loop  []item
}

// each visits the points of an item in their order.
func (i item) each(visit func(p int)) {
	if i.loop == nil {
		visit(i.point)
	}
	for _, inner := range i.loop {
		inner.each(visit)
	}
}

func newFlow(f *points) *flow {
	n := len(f.code)
	g := &flow{next: make([][]int, n), last: make([][]int, n), entered: slices.Clone(f.entered), group: make([]int, n)}
	for p, code := range f.code {
		for _, o := range code {
			if o.to == toPoint {
				g.next[p] = append(g.next[p], o.label)
			}
		}
		if f.exit[p] >= 0 {
			g.next[p] = append(g.next[p], f.exit[p])
		}
		for _, q := range g.next[p] {
			g.last[q] = append(g.last[q], p)
		}
	}
	return g
}

// arrange puts all points in an order in which they lead forward, but for loops and ways through the table. Where
// points that the table leads to would change places, ways back to them lead through the table instead: numbers that
// rise from block to block are fewer bytes (readTable).
func (g *flow) arrange() []item {
	all := make([]int, len(g.next))
	for p := range all {
		all[p] = p
	}
	items := g.order(all, -1)
	if g.rise(items) {
		return items
	}
	g.cutBack(items)
	return g.order(all, -1)
}

// rise says whether the table leads to items in the order of the text.
func (g *flow) rise(items []item) bool {
	last := -1
	for _, i := range items {
		if g.entered[i.point] && i.point < last {
			return false
		}
		if g.entered[i.point] {
			last = i.point
		}
	}
	return true
}

// cutBack makes ways from an item back to another one, as the points are in the text, ways through the table.
func (g *flow) cutBack(items []item) {
	for at, i := range items {
		i.each(func(p int) { g.group[p] = at })
	}
	for p := range g.next {
		for _, q := range slices.Clone(g.next[p]) {
			if q < p && g.group[p] != g.group[q] {
				g.entered[q] = true
				g.cutWay(p, q)
			}
		}
	}
}

func (g *flow) cutWay(from, to int) {
	g.next[from] = slices.DeleteFunc(g.next[from], func(q int) bool { return q == to })
	g.last[to] = slices.DeleteFunc(g.last[to], func(p int) bool { return p == from })
}

// order orders some points. Ways to the point head lead back to where a loop of all of them begins. Where there is no
// head, ways back can lead through the table; where there is one, nil says that they would have to.
func (g *flow) order(some []int, head int) []item {
	var items []item
	for _, group := range g.parts(some, head) {
		first := group[0]
		if len(group) == 1 && (first == head || !slices.Contains(g.next[first], first)) {
			items = append(items, item{point: first})
			continue
		}
		if begin := g.begin(group); begin >= 0 {
			if loop := g.order(group, begin); loop != nil {
				items = append(items, item{point: begin, loop: loop})
				continue
			}
		}
		if head >= 0 {
			return nil
		}
		g.cut(group)
		items = append(items, g.order(group, -1)...)
	}
	return items
}

// begin is the only point of a group at which it is entered, or -1.
func (g *flow) begin(group []int) int {
	g.mark(group)
	begin := -1
	for _, p := range group {
		outside := g.entered[p]
		for _, q := range g.last[p] {
			outside = outside || g.group[q] != g.groups
		}
		if outside && begin >= 0 {
			return -1
		}
		if outside {
			begin = p
		}
	}
	return begin
}

func (g *flow) mark(group []int) {
	g.groups++
	for _, p := range group {
		g.group[p] = g.groups
	}
}

// cut makes all ways of a group to the first point to which one leads back ways through the table.
func (g *flow) cut(group []int) {
	g.mark(group)
	for _, p := range group {
		back := func(q int) bool { return q >= p && g.group[q] == g.groups }
		if !slices.ContainsFunc(g.last[p], back) {
			continue
		}
		g.entered[p] = true
		for _, q := range slices.Clone(g.last[p]) {
			if g.group[q] == g.groups {
				g.cutWay(q, p)
			}
		}
		return
	}
}

// parts parts some points, which are in order, into groups whose points lead to each other. The groups are in an order
// in which they lead forward, as near to that of their first points as that allows.
func (g *flow) parts(some []int, head int) [][]int {
	c := &components{flow: g, head: head, number: make(map[int]int, len(some)), low: make(map[int]int, len(some)),
		of: make(map[int]int, len(some))}
	for _, p := range some {
		c.number[p] = 0
	}
	for _, p := range some {
		if c.number[p] == 0 {
			c.visit(p)
		}
	}
	return c.ordered()
}

// components finds strongly connected components, as Tarjan does.
type components struct {
	*flow
	head   int
	number map[int]int // of each point that matters: when it was seen, from 1
	low    map[int]int
	of     map[int]int // of each point: its component
	seen   int
	open   []int
	lists  [][]int
}

func (c *components) leads(p int, visit func(q int)) {
	for _, q := range c.next[p] {
		if _, matters := c.number[q]; matters && q != c.head {
			visit(q)
		}
	}
}

func (c *components) visit(p int) {
	c.seen++
	c.number[p], c.low[p] = c.seen, c.seen
	c.open = append(c.open, p)
	c.leads(p, func(q int) {
		if c.number[q] == 0 {
			c.visit(q)
			c.low[p] = min(c.low[p], c.low[q])
		} else if _, closed := c.of[q]; !closed {
			c.low[p] = min(c.low[p], c.number[q])
		}
	})
	if c.low[p] < c.number[p] {
		return
	}
	at := slices.Index(c.open, p)
	list := slices.Clone(c.open[at:])
	c.open = c.open[:at]
	for _, q := range list {
		c.of[q] = len(c.lists)
	}
	slices.Sort(list)
	c.lists = append(c.lists, list)
}

// ordered are the components, each after those that lead to it; of those that could be next, the one with the first
// point is.
func (c *components) ordered() [][]int {
	before := make([]int, len(c.lists)) // how many ways into each are not there yet
	ways := func(list []int, visit func(to int)) {
		for _, p := range list {
			c.leads(p, func(q int) {
				if c.of[q] != c.of[p] {
					visit(c.of[q])
				}
			})
		}
	}
	for _, list := range c.lists {
		ways(list, func(to int) { before[to]++ })
	}
	ready := &firstPoints{lists: c.lists}
	for i, n := range before {
		if n == 0 {
			heap.Push(ready, i)
		}
	}
	var out [][]int
	for ready.Len() > 0 {
		list := c.lists[heap.Pop(ready).(int)]
		out = append(out, list)
		ways(list, func(to int) {
			if before[to]--; before[to] == 0 {
				heap.Push(ready, to)
			}
		})
	}
	return out
}

// firstPoints is a heap of components by their first points.
type firstPoints struct {
	lists [][]int
	sort.IntSlice
}

func (f *firstPoints) Less(i, j int) bool {
	return f.lists[f.IntSlice[i]][0] < f.lists[f.IntSlice[j]][0]
}

func (f *firstPoints) Push(x any) { f.IntSlice = append(f.IntSlice, x.(int)) }

func (f *firstPoints) Pop() any {
	n := f.Len() - 1
	x := f.IntSlice[n]
	f.IntSlice = f.IntSlice[:n]
	return x
}
