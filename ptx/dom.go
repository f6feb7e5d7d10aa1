package ptx

// postDominators finds the immediate post-dominator of every block, or -1 if only the function's end post-dominates it,
// and the nodes that reach one of the blocks that leave the function. It is Lengauer and Tarjan's algorithm with path
// compression on the reversed graph, whose root is a virtual exit: O(m log n) for n blocks and m edges, whatever the
// graph looks like.
//
// A block from which control cannot leave (an infinite loop) is not reached from the exit and says nothing about those
// that are. The last of such blocks in source order gets an edge to the exit, until none is left; then the algorithm
// runs once more.
func postDominators(f *Func, leaves func(block int) bool) (points []int, reach []bool) {
	exit := f.Nodes()
	d := newDominators(f, leaves)
	d.visit(int32(exit), int32(exit))
	d.search(exit)
	d.solve()
	all := d.idom
	reach = make([]bool, exit)
	for _, i := range d.order[1:] {
		reach[i] = true
	}
	if len(d.order) <= exit {
		loops := newDominators(f, leaves)
		loops.order, loops.number, loops.parent = d.order, d.number, d.parent
		for i := len(f.Blocks) - 1; i >= 0; i-- {
			if loops.number[i] < 0 {
				loops.edge(exit, i)
				loops.visit(int32(i), int32(exit))
				loops.search(i)
			}
		}
		first := len(d.order)
		loops.solve()
		for _, i := range loops.order[first:] {
			all[i] = loops.idom[i]
		}
	}
	points = make([]int, len(f.Blocks))
	for i := range points {
		at := int(all[i])
		for at >= len(f.Blocks) && at < exit { // a table is only on the way
			at = int(all[at])
		}
		if points[i] = at; at == exit {
			points[i] = -1
		}
	}
	return points, reach
}

func newDominators(f *Func, leaves func(block int) bool) *dominators {
	n := f.Nodes()
	d := &dominators{
		preds: make([][]int32, n+1), number: make([]int32, n+1), parent: make([]int32, n+1), semi: make([]int32, n+1),
		ancestor: make([]int32, n+1), label: make([]int32, n+1), idom: make([]int32, n+1), next: make([][]int32, n+1),
	}
	for i := range n {
		d.number[i] = -1
		for _, s := range f.Next(i) {
			d.edge(s, i)
		}
		if i < len(f.Blocks) && leaves(i) {
			d.edge(n, i)
		}
	}
	return d
}

// dominators is the state of the algorithm. Nodes are blocks and tables; edges are reversed, from a block to its
// predecessors.
type dominators struct {
	next, preds     [][]int32 // next: forward edges of the reversed graph
	order           []int32   // nodes in depth-first order
	number          []int32   // place in order, -1 when not visited yet
	parent          []int32   // in the depth-first tree
	semi            []int32   // semidominator, as a place in order
	ancestor, label []int32   // the forest of linked nodes; ancestor -1: a root
	idom            []int32
}

func (d *dominators) edge(from, to int) {
	d.next[from] = append(d.next[from], int32(to))
	d.preds[to] = append(d.preds[to], int32(from))
}

func (d *dominators) visit(node, parent int32) {
	d.number[node] = int32(len(d.order))
	d.order = append(d.order, node)
	d.parent[node] = parent
}

// search visits depth first what can be reached from a visited node, without recursion.
func (d *dominators) search(root int) {
	type frame struct {
		node int32
		edge int
	}
	stack := []frame{{int32(root), 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.edge == len(d.next[top.node]) {
			stack = stack[:len(stack)-1]
			continue
		}
		to := d.next[top.node][top.edge]
		top.edge++
		if d.number[to] < 0 {
			d.visit(to, top.node)
			stack = append(stack, frame{to, 0})
		}
	}
}

func (d *dominators) solve() {
	for i := range d.semi {
		d.semi[i], d.ancestor[i], d.label[i] = d.number[i], -1, int32(i)
	}
	buckets := make([][]int32, len(d.semi))
	for i := len(d.order) - 1; i > 0; i-- {
		w := d.order[i]
		for _, v := range d.preds[w] {
			if d.number[v] < 0 {
				continue // inside an infinite loop
			}
			d.semi[w] = min(d.semi[w], d.semi[d.eval(v)])
		}
		s := d.order[d.semi[w]]
		buckets[s] = append(buckets[s], w)
		p := d.parent[w]
		d.ancestor[w] = p
		for _, v := range buckets[p] {
			u := d.eval(v)
			d.idom[v] = p
			if d.semi[u] < d.semi[v] {
				d.idom[v] = u
			}
		}
		buckets[p] = nil
	}
	for _, w := range d.order[1:] {
		if d.idom[w] != d.order[d.semi[w]] {
			d.idom[w] = d.idom[d.idom[w]]
		}
	}
}

// eval is the node of least semidominator on the path from v up to the root of its tree in the forest, exclusive.
// It compresses the path, without recursion.
func (d *dominators) eval(v int32) int32 {
	if d.ancestor[v] < 0 {
		return v
	}
	var path []int32
	for u := v; d.ancestor[d.ancestor[u]] >= 0; u = d.ancestor[u] {
		path = append(path, u)
	}
	for i := len(path) - 1; i >= 0; i-- {
		u := path[i]
		a := d.ancestor[u]
		if d.semi[d.label[a]] < d.semi[d.label[u]] {
			d.label[u] = d.label[a]
		}
		d.ancestor[u] = d.ancestor[a]
	}
	return d.label[v]
}
