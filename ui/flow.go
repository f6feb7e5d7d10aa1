package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"warpscope/debug"
	"warpscope/ui/layers"
)

// flowPanel is the panel of the control-flow graph.
const flowPanel = "flow"

// flowNote says why there is no graph to show.
func flowNote(m *Model) string { return cmp.Or(absence(m), m.unasked()) }

// flowPlan is where the parts of a graph are. It stays the same from step to step.
type flowPlan struct {
	shape  *debug.Shape
	code   bool // blocks show their instructions
	layout layers.Layout
	sizes  []layers.Size
}

// The looks of blocks, in units of the drawing.
const (
	flowChar    = 6.75 // a character
	flowTitle   = 22   // height of a block
	flowState   = 13   // and of the line of the lanes in it
	flowLine    = 14   // and of an instruction
	flowFoot    = 6    // below the instructions
	flowMost    = 10   // instructions that a block shows
	flowWide    = 44   // characters that a block shows of an instruction
	flowNarrow  = 78   // least width: room for "16 wait"
	flowMargin  = 24   // around the graph, for edges that go back
	flowThick   = 6.5  // the edge that most lanes have taken
	flowName    = 22   // characters that a block shows of its name
	arrowHandle = 20
)

// planFlow lays a graph out.
func planFlow(shape *debug.Shape, code bool) *flowPlan {
	p := &flowPlan{shape: shape, code: code}
	for i := range shape.Blocks {
		b := &shape.Blocks[i]
		size := layers.Size{W: max(flowNarrow, flowChar*float64(utf8.RuneCountInString(flowHead(b)))+20),
			H: flowTitle + flowState}
		if code {
			size.H += flowFoot
			for _, line := range flowCode(b) {
				size.W = max(size.W, flowChar*float64(utf8.RuneCountInString(line))+26)
				size.H += flowLine
			}
		}
		p.sizes = append(p.sizes, size)
	}
	g := layers.Graph{Boxes: p.sizes}
	for _, e := range shape.Edges {
		g.Edges = append(g.Edges, layers.Edge{From: e.From, To: e.To})
	}
	p.layout = layers.Lay(g)
	return p
}

// flowHead is what a block says first. The mark of joins says that lanes meet there.
func flowHead(b *debug.FlowBlock) string {
	short := *b
	if r := []rune(b.Name); len(r) > flowName {
		short.Name = string(r[:flowName-1]) + "…"
	}
	if b.Joins {
		return "≻ " + short.Title()
	}
	return short.Title()
}

// flowCode is the instructions that a block shows.
func flowCode(b *debug.FlowBlock) (list []string) {
	for i, in := range b.Code {
		if i == flowMost && len(b.Code) > flowMost+1 {
			return append(list, fmt.Sprintf("… %d more", len(b.Code)-i))
		}
		text := in.Text
		if r := []rune(text); len(r) > flowWide {
			text = string(r[:flowWide-1]) + "…"
		}
		list = append(list, text)
	}
	return list
}

// flowBox is a block as drawn. What is drawn of it changes with its fields only.
type flowBox struct {
	shape      *debug.Shape
	block      int
	X, Y, W, H float64
	Head       string
	State      string // what lanes do in it
	Look       string // "run", "wait", "cold" for one that no lane has come to, or ""
	Words      string
	Line       int // to go to
	code       bool
}

// flowBoxes are the blocks of a graph.
func flowBoxes(g *debug.Flow, p *flowPlan) []flowBox {
	boxes := make([]flowBox, len(g.Blocks))
	for i := range g.Blocks {
		var states []string
		b, at, size := &g.Blocks[i], p.layout.Boxes[i], p.sizes[i]
		box := flowBox{shape: g.Shape, block: i, X: at.X, Y: at.Y, W: size.W, H: size.H, Head: flowHead(b),
			Words: g.Words(i), Line: b.First, code: p.code}
		if g.Counted && g.Runs[i] == 0 {
			box.Look = "cold"
		}
		for _, o := range g.Groups {
			if o.Block != i {
				continue
			}
			mark := "○"
			switch {
			case o.Runs:
				mark, box.Look, box.Line = "■", "run", o.Line
			case o.Bar:
				mark = "‖"
			}
			if box.Look != "run" {
				box.Look = "wait"
			}
			states = append(states, mark+" "+strings.TrimSuffix(o.Words(), " at a barrier"))
		}
		box.State = fitGroups(states, size.W)
		if box.State == "" {
			box.H -= flowState
		}
		boxes[i] = box
	}
	return boxes
}

// fitGroups says what the groups in a block do. Several groups may need more room than the block has: then each is its
// shape and its number of lanes, "■ 4  ○ 2".
func fitGroups(groups []string, width float64) string {
	words := strings.Join(groups, "  ")
	if len(groups) < 2 || flowChar*float64(utf8.RuneCountInString(words))+10 <= width {
		return words
	}
	for i, g := range groups {
		groups[i] = g[:strings.LastIndex(g, " ")]
	}
	return strings.Join(groups, "  ")
}

// flowArrow is an edge as drawn.
type flowArrow struct {
	D      string // the path
	Head   string // the arrow's head, where the edge goes up
	Width  float64
	Cold   bool // not yet taken
	Label  string
	LX, LY float64
}

// flowArrows are the edges of a graph. The wider one is, the more lanes have taken it.
func flowArrows(g *debug.Flow, p *flowPlan) []flowArrow {
	most := int64(1)
	if len(g.Taken) > 0 {
		most = max(most, slices.Max(g.Taken))
	}
	arrows := make([]flowArrow, len(g.Edges))
	for i := range g.Edges {
		r, n := p.layout.Routes[i], g.Taken[i]
		a := flowArrow{D: flowPath(r), Width: 1.2, Cold: g.Counted && n == 0}
		if n > 0 {
			a.Width = max(1.2, flowThick*float64(n)/float64(most))
			a.Label = count(n)
		}
		if r.Back {
			end := r.Points[3]
			a.Head = fmt.Sprintf("M%.1f %.1fl3.5 6.5 3.5-6.5z", end.X-3.5, end.Y-6.5)
		}
		arrows[i] = a
	}
	placeLabels(arrows, p)
	return arrows
}

// placeLabels puts each label on its edge: in the middle of the first bend, or of the straight piece of an edge that
// goes back. If it would cover a block or another label there, it is further up or down on that piece.
func placeLabels(arrows []flowArrow, p *flowPlan) {
	var taken []flowLabel
	for i, at := range p.layout.Boxes {
		taken = append(taken, flowLabel{at.X, at.Y, at.X + p.sizes[i].W, at.Y + p.sizes[i].H})
	}
	put := func(i, first int, shares ...float64) {
		from, to, half := p.layout.Routes[i].Points[first], p.layout.Routes[i].Points[first+1],
			flowChar*float64(len(arrows[i].Label))/2+1
		at := func(share float64) (x, y float64, room flowLabel) {
			x, y = from.X+(to.X-from.X)*share, from.Y+(to.Y-from.Y)*share
			return x, y, flowLabel{x - half, y - 6, x + half, y + 6}
		}
		x, y, room := at(shares[0])
		for _, share := range shares {
			if atX, atY, free := at(share); !slices.ContainsFunc(taken, free.meets) {
				x, y, room = atX, atY, free
				break
			}
		}
		taken = append(taken, room)
		arrows[i].LX, arrows[i].LY = x, y+4 // of the letters' foot
	}
	for _, back := range []bool{false, true} {
		for i := range arrows {
			switch r := p.layout.Routes[i]; {
			case arrows[i].Label == "" || r.Back != back:
			case back:
				put(i, 1, .5, .35, .65, .2, .8, 0, 1)
			default:
				put(i, 0, .5)
			}
		}
	}
}

// flowLabel is the room of a label or a block.
type flowLabel struct{ left, top, right, bottom float64 }

func (l flowLabel) meets(o flowLabel) bool {
	return l.left < o.right && o.left < l.right && l.top < o.bottom && o.top < l.bottom
}

// flowPath is the path of an edge.
func flowPath(r layers.Route) string {
	var b strings.Builder
	curve := func(from, to layers.Point, handle float64) {
		fmt.Fprintf(&b, "C%.1f %.1f %.1f %.1f %.1f %.1f", from.X, from.Y+handle, to.X, to.Y-handle, to.X, to.Y)
	}
	p := r.Points
	fmt.Fprintf(&b, "M%.1f %.1fv%d", p[0].X, p[0].Y-flowState, flowState) // a block without lanes is lower
	if r.Back {
		fmt.Fprintf(&b, "C%.1f %.1f %.1f %.1f %.1f %.1fL%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f",
			p[0].X, p[0].Y+arrowHandle, p[1].X, p[1].Y+arrowHandle, p[1].X, p[1].Y, p[2].X, p[2].Y,
			p[2].X, p[2].Y-arrowHandle, p[3].X, p[3].Y-arrowHandle, p[3].X, p[3].Y)
		return b.String()
	}
	for i := 1; i < len(p); i++ {
		if i%2 == 1 {
			curve(p[i-1], p[i], max(6, (p[i].Y-p[i-1].Y)/2))
		} else {
			fmt.Fprintf(&b, "L%.1f %.1f", p[i].X, p[i].Y)
		}
	}
	return b.String()
}

// flowMove is the block that an arrow key leads to: along the edge that most lanes have taken, down to what follows or
// up to where lanes come from; to the left and to the right within a layer.
func flowMove(g *debug.Flow, p *flowPlan, at int, key string) int {
	best, to := int64(-2), at
	nearest := 0.0
	for i, e := range g.Edges {
		switch {
		case key == "ArrowDown" && e.From == at && e.To != at && g.Taken[i] > best && !p.layout.Routes[i].Back:
			best, to = g.Taken[i], e.To
		case key == "ArrowUp" && e.To == at && e.From != at && g.Taken[i] > best && !p.layout.Routes[i].Back:
			best, to = g.Taken[i], e.From
		}
	}
	side := map[string]float64{"ArrowLeft": -1, "ArrowRight": 1}[key]
	for i := range g.Blocks {
		by := side * (p.layout.Boxes[i].X - p.layout.Boxes[at].X)
		if p.layout.Layers[i] == p.layout.Layers[at] && by > 0 && (nearest == 0 || by < nearest) {
			nearest, to = by, i
		}
	}
	switch key {
	case "Home":
		return 0
	case "End":
		return len(g.Blocks) - 1
	}
	return to
}

// flowRunning is the block in which lanes run, or the first one in which they wait, or -1.
func flowRunning(g *debug.Flow) int {
	for _, o := range g.Groups {
		if o.Runs {
			return o.Block
		}
	}
	if len(g.Groups) > 0 {
		return g.Groups[0].Block
	}
	return -1
}
