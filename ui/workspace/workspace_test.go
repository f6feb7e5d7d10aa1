package workspace

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func needs(string) (w, h int) { return 100, 60 }

// A workspace of 1001 × 801: an editor of 40 % beside two leaves, over lanes of 200 pixels.
func sample() Layout {
	return Layout{
		Root: Split(Size{}, Column,
			Split(Size{}, Row,
				Leaf(Size{Share: .4}, "editor"),
				Split(Size{}, Column, Leaf(Size{}, "stack", "registers"), Leaf(Size{}, "memory"))),
			Leaf(Size{Share: .25, Least: 200, Most: 200}, "lanes")),
		Drawer: Leaf(Size{}, "problems", "output"),
	}
}

func place(t *testing.T, s Screen, panel string) Place {
	t.Helper()
	for _, p := range s.Places {
		if p.Panel == panel {
			return p
		}
	}
	require.Failf(t, "no place", "for %s", panel)
	return Place{}
}

func TestSolve(t *testing.T) {
	s := sample().Solve(1001, 801, needs)
	// 1 pixel for each line: 800 = 600 + 200 high, 1000 = 400 + 600 wide, 600 = 300 + 1 + 299.
	require.Equal(t, Rect{0, 0, 400, 600}, place(t, s, "editor").Rect)
	require.Equal(t, Rect{401, 0, 600, 299}, place(t, s, "stack").Rect)
	require.Equal(t, Rect{401, 300, 600, 300}, place(t, s, "memory").Rect)
	require.Equal(t, Rect{0, 601, 1001, 200}, place(t, s, "lanes").Rect)
	require.Equal(t, place(t, s, "stack").Rect, place(t, s, "registers").Rect)
	require.True(t, place(t, s, "stack").Front)
	require.False(t, place(t, s, "registers").Front)
	require.False(t, place(t, s, "problems").Front, "the drawer is closed")
	require.Equal(t, []string{"editor", "stack", "memory", "lanes"}, sample().Shown())

	require.Len(t, s.Lines, 3)
	for _, line := range s.Lines {
		switch line.Before {
		case "editor":
			if line.After == "stack" { // beside each other; the same panel is over the lanes
				require.Equal(t, Line{[]int{0, 0}, Row, Rect{400, 0, 1, 600}, 400, 100, 900, "editor", "stack"}, line)
			} else {
				require.Equal(t, Line{[]int{0}, Column, Rect{0, 600, 1001, 1}, 600, 121, 740, "editor", "lanes"}, line)
			}
		}
	}
}

// Where the panels need more than there is, the screen grows and nothing overlaps.
func TestSolveSmall(t *testing.T) {
	s := sample().Solve(150, 90, needs)
	require.Equal(t, 201, s.W) // two of 100 and a line
	require.Equal(t, 182, s.H) // three of 60 and two lines
	require.Equal(t, Rect{0, 122, 201, 60}, place(t, s, "lanes").Rect)
}

func TestResize(t *testing.T) {
	l := sample().Resize([]int{0, 0}, 650, 1001, 801, needs)
	s := l.Solve(1001, 801, needs)
	require.Equal(t, 650, place(t, s, "editor").W)
	require.Equal(t, 350, place(t, s, "memory").W)
	require.Equal(t, 200, place(t, s, "lanes").H)
	require.Equal(t, 1300, place(t, l.Solve(2001, 801, needs), "editor").W, "a share of a wider window")

	l = sample().Resize([]int{0}, 5, 1001, 801, needs) // no further than what the upper panels need
	s = l.Solve(1001, 801, needs)
	require.Equal(t, 121, place(t, s, "editor").H)
	require.Equal(t, 679, place(t, s, "lanes").H)
	l = sample().Resize([]int{0, 1, 0}, 100, 1001, 801, needs)
	require.Equal(t, 100, place(t, l.Solve(1001, 801, needs), "stack").H)
	require.Equal(t, sample(), sample().Resize([]int{7}, 5, 1001, 801, needs), "no such line")
}

func TestShowFoldMaximise(t *testing.T) {
	l := sample().Show("registers")
	require.Equal(t, []string{"editor", "registers", "memory", "lanes"}, l.Shown())
	require.True(t, sample().Shows("stack"), "the first layout is as it was")

	l = sample().Show("output")
	require.Equal(t, []string{"editor", "stack", "memory", "lanes", "output"}, l.Shown())
	require.Equal(t, sample().Shown(), l.Fold("output").Shown())

	l = sample().Fold("stack")
	s := l.Solve(1001, 801, needs)
	require.Equal(t, Rect{401, 0, 600, Head}, place(t, s, "stack").Rect)
	require.Equal(t, 569, place(t, s, "memory").H) // 600 − 30 − 1
	require.Len(t, s.Lines, 2, "a folded leaf has no length to change")
	require.Equal(t, []string{"editor", "memory", "lanes"}, l.Shown())
	require.Equal(t, sample(), l.Fold("stack"))

	s = sample().Fold("editor").Solve(1001, 801, needs)
	require.Equal(t, Rect{0, 0, Head, 600}, place(t, s, "editor").Rect)
	require.True(t, place(t, s, "editor").Narrow)

	l = sample().Maximise("stack")
	require.Equal(t, []string{"stack"}, l.Shown())
	require.Equal(t, Rect{0, 0, 1001, 801}, place(t, l.Solve(1001, 801, needs), "stack").Rect)
	require.Equal(t, []string{"registers"}, l.Show("registers").Shown(), "a tab of the same leaf takes its place")
	require.Equal(t, []string{"stack", "output"}, l.Show("output").Shown(), "the drawer is below it")
	require.Equal(t, sample().Shown(), l.Show("memory").Shown())
	require.Equal(t, sample().Shown(), l.Maximise("stack").Shown())
}

// An open drawer takes its room from the others: 26 % of the 800 pixels that a line leaves of 801.
func TestDrawerTakesItsRoom(t *testing.T) {
	l := sample().Show("output")
	s := l.Solve(1001, 801, needs)
	require.Equal(t, Rect{0, 593, 1001, 208}, place(t, s, "output").Rect)
	require.Equal(t, Rect{0, 392, 1001, 200}, place(t, s, "lanes").Rect)
	require.Equal(t, Rect{0, 0, 400, 391}, place(t, s, "editor").Rect)
	require.Len(t, s.Lines, 4, "one of them above the drawer")
	require.Len(t, s.Places, 7, "one for each panel")

	resized := l.Resize([]int{0}, 500, 1001, 801, needs)
	require.Equal(t, 300, place(t, resized.Solve(1001, 801, needs), "output").H)
	closed := resized.CloseDrawer()
	require.Equal(t, sample().Solve(1001, 801, needs).Lines, closed.Solve(1001, 801, needs).Lines)
	require.Equal(t, 300, place(t, closed.Show("problems").Solve(1001, 801, needs), "problems").H)
	inner := l.Resize([]int{0, 0, 0}, 650, 1001, 801, needs)
	require.Equal(t, 650, place(t, inner.Solve(1001, 801, needs), "editor").W)

	full := l.Maximise("stack").Show("output").Solve(1001, 801, needs)
	require.Equal(t, Rect{0, 0, 1001, 592}, place(t, full, "stack").Rect)
	require.Equal(t, Rect{0, 593, 1001, 208}, place(t, full, "output").Rect)
	full = l.Maximise("lanes").Show("output").Solve(1001, 801, needs)
	require.Equal(t, Rect{0, 0, 1001, 592}, place(t, full, "lanes").Rect, "not the 200 pixels of its place")
	low := l.Solve(1001, 303, needs) // the others need three times 60 and two lines
	require.Equal(t, 120, place(t, low, "output").H)
	require.Equal(t, 303, low.H)
}

func TestMove(t *testing.T) {
	l := sample().Move("memory", "stack", Center)
	require.Equal(t, []string{"stack", "registers", "memory"}, l.Peers("stack"))
	require.Equal(t, []string{"editor", "memory", "lanes"}, l.Shown())
	require.Equal(t, Rect{401, 0, 600, 600}, place(t, l.Solve(1001, 801, needs), "memory").Rect)

	l = sample().Move("registers", "registers", Right) // out of its leaf
	s := l.Solve(1001, 801, needs)
	require.Equal(t, Rect{401, 0, 299, 299}, place(t, s, "stack").Rect) // 600 = 299 + 1 + 300
	require.Equal(t, Rect{701, 0, 300, 299}, place(t, s, "registers").Rect)

	l = sample().Move("registers", "memory", Below) // the split goes that way already
	require.Equal(t, []string{"editor", "stack", "memory", "registers", "lanes"}, l.Shown())
	require.Len(t, l.Root.Kids[0].Kids[1].Kids, 3)

	l = sample().Move("problems", "editor", Left)
	require.Equal(t, "problems", l.Shown()[0])
	require.Equal(t, []string{"output"}, l.Peers("output"))
	l = sample().Move("lanes", "problems", Center)
	require.True(t, l.Drawn("lanes"))
	require.Equal(t, Row, l.Root.Way, "the split of one child is gone")

	l = sample().Move("memory", "registers", Before)
	require.Equal(t, []string{"stack", "memory", "registers"}, l.Peers("stack"))
	l = l.Move("stack", "registers", After) // within its row
	require.Equal(t, []string{"memory", "registers", "stack"}, l.Peers("stack"))
	require.Equal(t, []string{"editor", "stack", "lanes"}, l.Shown(), "what is moved is in front")

	for _, nothing := range []Layout{sample().Move("editor", "editor", Left), sample().Move("stack", "stack", Center),
		sample().Move("stack", "stack", Before),
		sample().Move("nobody", "stack", Left), sample().Move("editor", "problems", Left)} {
		require.Equal(t, sample(), nothing)
	}
}

func TestDropAt(t *testing.T) {
	s := sample().Show("output").Solve(1001, 801, needs)
	for _, c := range []struct {
		x, y int
		want Drop
	}{
		{500, 10, Drop{"stack", Center, Rect{401, 0, 600, 195}}},    // on its head
		{700, 100, Drop{"stack", Center, Rect{401, 0, 600, 195}}},   // in its middle
		{410, 100, Drop{"stack", Left, Rect{401, 0, 300, 195}}},     // in the left quarter
		{990, 100, Drop{"stack", Right, Rect{701, 0, 300, 195}}},    // 401 + 300
		{700, 40, Drop{"stack", Above, Rect{401, 0, 600, 97}}},      // below the head
		{200, 350, Drop{"editor", Below, Rect{0, 196, 400, 195}}},   // under the editor's third quarter
		{500, 700, Drop{"output", Center, Rect{0, 593, 1001, 208}}}, // the drawer is not split
	} {
		got, ok := s.DropAt(c.x, c.y)
		require.True(t, ok)
		require.Equal(t, c.want, got, "at %d, %d", c.x, c.y)
	}
	_, ok := s.DropAt(2000, 10)
	require.False(t, ok)
}

// A stored layout of another version: a panel that is gone, one twice, one that is new, a front that is none.
func TestComplete(t *testing.T) {
	var l Layout
	require.NoError(t, json.Unmarshal([]byte(`{"root":{"way":"row","kids":[{"tabs":["editor","gone"],"front":"gone"},
		{"way":"row","kids":[{"tabs":["editor"],"front":"editor"},{"tabs":["stack"],"front":"stack"}]}]},
		"max":"gone","open":true}`), &l))
	l = l.Complete([]string{"editor", "stack", "registers", "output"}, sample())
	require.Equal(t, []string{"editor", "stack", "registers", "output"}, l.Panels())
	require.Equal(t, []string{"stack", "registers"}, l.Peers("registers"))
	require.True(t, l.Drawn("output"))
	require.Equal(t, []string{"editor", "stack"}, append(l.Shown()[:1:1], l.Peers("stack")[0]))
	require.Len(t, l.Root.Kids, 2)

	text, err := json.Marshal(l)
	require.NoError(t, err)
	var again Layout
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, l.Solve(900, 700, needs), again.Solve(900, 700, needs), "%s", text)
}
