package layers

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// random is a graph as programs have it: each box falls through to the next or not, and branches anywhere.
func random(r *rand.Rand, n int) Graph {
	g := Graph{}
	for i := range n {
		g.Boxes = append(g.Boxes, Size{40 + 80*r.Float64(), 22 + 14*float64(r.IntN(2))})
		if i+1 < n && r.IntN(8) > 0 {
			g.Edges = append(g.Edges, Edge{i, i + 1})
		}
		if r.IntN(2) == 0 {
			g.Edges = append(g.Edges, Edge{i, r.IntN(n)})
		}
	}
	return g
}

func TestBoxesDoNotOverlapAndEdgesGoDown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		g := random(r, 1+r.IntN(40))
		l := Lay(g)
		require.Equal(t, l, Lay(g), "the same graph has the same layout")
		box := func(i int) (x, y, toX, toY float64) {
			p, s := l.Boxes[i], g.Boxes[i]
			return p.X, p.Y, p.X + s.W, p.Y + s.H
		}
		const least = narrow - 1e-6
		for i := range g.Boxes {
			x, y, toX, toY := box(i)
			require.True(t, x >= -1e-6 && y >= 0 && toX <= l.W+1e-6 && toY <= l.H+1e-6, "a box is outside")
			for k := range i {
				ox, oy, otherX, otherY := box(k)
				require.True(t, toX+least <= ox || otherX+least <= x || toY+least <= oy || otherY+least <= y,
					"boxes %d and %d overlap", k, i)
			}
		}
		for i, e := range g.Edges {
			route := l.Routes[i]
			x, _, toX, toY := box(e.From)
			ox, oy, otherX, _ := box(e.To)
			first, last := route.Points[0], route.Points[len(route.Points)-1]
			require.InDelta(t, (x+toX)/2, first.X, 1e-6)
			require.InDelta(t, toY, first.Y, 1e-6)
			require.InDelta(t, (ox+otherX)/2, last.X, 1e-6)
			require.InDelta(t, oy, last.Y, 1e-6)
			if route.Back {
				require.LessOrEqual(t, l.Layers[e.To], l.Layers[e.From])
				continue
			}
			require.Less(t, l.Layers[e.From], l.Layers[e.To])
			for k := 1; k < len(route.Points); k++ {
				require.GreaterOrEqual(t, route.Points[k].Y, route.Points[k-1].Y, "an edge goes up")
			}
			for k := range g.Boxes { // the straight parts pass beside the boxes
				bx, by, bX, bY := box(k)
				for p := 1; p+1 < len(route.Points); p += 2 {
					at := route.Points[p]
					require.False(t, at.X > bx && at.X < bX && at.Y < bY && route.Points[p+1].Y > by,
						"an edge goes through box %d", k)
				}
			}
		}
	}
}

// A loop of three boxes with a way out: the edge that closes it is at the right of all that it passes.
func TestLoopsGoBackAtTheSide(t *testing.T) {
	size := Size{60, 20}
	l := Lay(Graph{Boxes: []Size{size, size, size, size}, Edges: []Edge{{0, 1}, {1, 2}, {2, 0}, {2, 3}}})
	require.Equal(t, []int{0, 1, 2, 3}, l.Layers)
	back := l.Routes[2]
	require.True(t, back.Back)
	low := float64(2*(20+below) + 20)
	require.Equal(t, []Point{{30, low}, {60 + aside, low}, {60 + aside, 0}, {30, 0}}, back.Points)
	require.Equal(t, []Point{{0, 0}, {0, 20 + below}, {0, 2 * (20 + below)}, {0, 3 * (20 + below)}}, l.Boxes)
}

// The sides of a branch are beside each other, and where they meet is in the middle.
func TestDiamond(t *testing.T) {
	size := Size{60, 20}
	l := Lay(Graph{Boxes: []Size{size, size, size, size}, Edges: []Edge{{0, 2}, {0, 1}, {1, 3}, {2, 3}}})
	require.Equal(t, l.Boxes[1].Y, l.Boxes[2].Y)
	require.InDelta(t, 60+beside, l.Boxes[2].X-l.Boxes[1].X, 1e-6)
	require.InDelta(t, (60+beside)/2, l.Boxes[0].X, 1e-6)
	require.InDelta(t, l.Boxes[0].X, l.Boxes[3].X, 1e-6)
}

func TestNoBoxes(t *testing.T) {
	require.Empty(t, Lay(Graph{}).Boxes)
}

// 500 blocks; the goal is 50 ms on an idle machine.
func BenchmarkLargeGraph(b *testing.B) {
	g := random(rand.New(rand.NewPCG(3, 4)), 500)
	for b.Loop() {
		Lay(g)
	}
}
