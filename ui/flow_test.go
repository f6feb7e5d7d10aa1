package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// nestedFlow is the graph of example 05 after so many steps.
func nestedFlow(t *testing.T, steps int) *debug.Flow {
	t.Helper()
	text, err := os.ReadFile("../public/examples/05-nested-divergence.ptx")
	require.NoError(t, err)
	s := debug.New(emu.Options{})
	s.SetSource("nested.ptx", string(text))
	for range steps {
		s.Step()
	}
	for s.Count(1 << 10) {
	}
	return s.Flow()
}

func boxNamed(t *testing.T, boxes []flowBox, head string) flowBox {
	t.Helper()
	for _, b := range boxes {
		if strings.HasPrefix(b.Head, head) {
			return b
		}
	}
	require.Fail(t, "no block "+head)
	return flowBox{}
}

// After 16 steps of 27: what runs and what waits has a shape and words, what most lanes have taken is widest, and what
// none has taken is dotted and has no number.
func TestFlowPicture(t *testing.T) {
	g := nestedFlow(t, 16)
	plan := planFlow(g.Shape, false)
	boxes, arrows := flowBoxes(g, plan), flowArrows(g, plan)
	run, five, j3, j0 := boxNamed(t, boxes, "55–56"), boxNamed(t, boxes, "five"), boxNamed(t, boxes, "≻ j3"),
		boxNamed(t, boxes, "≻ j0")
	require.Equal(t, []string{"■ 4 run", "run"}, []string{run.State, run.Look})
	require.Equal(t, []string{"○ 4 wait", "wait"}, []string{five.State, five.Look})
	require.Equal(t, []string{"", "cold"}, []string{j3.State, j3.Look})
	require.Equal(t, "○ 16 wait", j0.State)
	require.Equal(t, 55, run.Line, "the line that runs")
	require.Equal(t, "Block j3 60, never executed, lanes meet here.", j3.Words)
	require.Equal(t, []string{"16", "8", "4", ""}, []string{arrows[0].Label, arrows[2].Label, arrows[10].Label,
		arrows[12].Label})
	require.InDelta(t, flowThick, arrows[0].Width, 1e-9)
	require.InDelta(t, flowThick/2, arrows[2].Width, 1e-9)
	require.True(t, arrows[12].Cold)
	require.False(t, arrows[10].Cold)
	require.Less(t, boxNamed(t, boxes, "33–35").Y, boxNamed(t, boxes, "37–38").Y)
	require.Less(t, boxNamed(t, boxes, "37–38").X, boxNamed(t, boxes, "upper").X)
	require.Greater(t, j0.Y, run.Y)
}

// A loop in a loop: numbers of lanes cover neither blocks nor each other. In the product of matrices of example 18 each
// of 1,024 threads goes back 15 times in each of 2 rounds, and once to the second round.
func TestFlowLabelsAreApart(t *testing.T) {
	text, err := os.ReadFile("../public/examples/18-matrix-product.ptx")
	require.NoError(t, err)
	s := debug.New(emu.Options{})
	s.SetSource("product.ptx", string(text))
	for s.RunFor(1 << 20) {
	}
	for s.Count(1 << 20) {
	}
	g := s.Flow()
	plan := planFlow(g.Shape, false)
	var rooms []flowLabel
	for _, b := range flowBoxes(g, plan) {
		rooms = append(rooms, flowLabel{b.X, b.Y, b.X + b.W, b.Y + b.H})
	}
	labels := ""
	for _, a := range flowArrows(g, plan) {
		half := flowChar * float64(len(a.Label)) / 2
		room := flowLabel{a.LX - half, a.LY - 10, a.LX + half, a.LY + 2}
		for _, other := range rooms {
			require.False(t, a.Label != "" && room.meets(other), "%s at %v covers %v", a.Label, room, other)
		}
		rooms = append(rooms, room)
		labels += a.Label + " "
	}
	require.Contains(t, labels, "30,720 ")
}

// A step changes what blocks say, and moves nothing.
func TestFlowStaysInPlace(t *testing.T) {
	before, after := nestedFlow(t, 3), nestedFlow(t, 16)
	require.Equal(t, planFlow(before.Shape, false).layout, planFlow(after.Shape, false).layout)
	code := planFlow(after.Shape, true)
	require.Equal(t, []string{"mov.u32 %lane, %tid.x", "setp.ge.u32 %p, %lane, 16", "@%p bra upper"},
		flowCode(&after.Blocks[0]))
	require.InDelta(t, flowTitle+flowState+3*flowLine+flowFoot, code.sizes[0].H, 1e-9)
}

// Arrow keys go along the edge that most lanes have taken, and to the side within a layer.
func TestFlowKeys(t *testing.T) {
	g := nestedFlow(t, 27)
	plan := planFlow(g.Shape, false)
	way := ""
	at := 0
	for _, key := range []string{"ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp", "End",
		"Home"} {
		at = flowMove(g, plan, at, key)
		way += g.Blocks[at].Title() + "; "
	}
	require.Equal(t, "upper 48–49; upper 48–49; last 53–54; 50–51; upper 48–49; 33–35; j0 64–69; 33–35; ", way)
}

// The graph is made while its panel is in sight, and at no other time.
func TestFlowIsMadeInSight(t *testing.T) {
	text, err := os.ReadFile("../public/examples/05-nested-divergence.ptx")
	require.NoError(t, err)
	p := newFakePlatform()
	s := NewStore(debug.New(emu.Options{}), p)
	s.Do(SetRoom{Room{1440, 800}})
	s.Do(ShowPanel{"memory"})
	s.setText(string(text))
	s.parseNow()
	require.Nil(t, s.Model().Flow)
	s.Do(ShowPanel{flowPanel})
	require.NotNil(t, s.Model().Flow)
	s.Do(StepOnce{})
	require.EqualValues(t, 1, s.Model().Flow.Runs[0])
	s.Do(ShowPanel{"memory"})
	require.Nil(t, s.Model().Flow)
}

// A block has room for what one group does; two are told by their shapes and numbers where the words do not fit. The
// words "■ 4 run  ○ 2 wait" have 17 characters of 6.75 px: they fit into 125 px, not into 78 px.
func TestFlowGroupsFitTheirBlock(t *testing.T) {
	groups := func() []string { return []string{"■ 4 run", "○ 2 wait"} }
	require.Equal(t, "■ 4  ○ 2", fitGroups(groups(), flowNarrow))
	require.Equal(t, "■ 4 run  ○ 2 wait", fitGroups(groups(), 125))
	require.Equal(t, "○ 16 wait", fitGroups([]string{"○ 16 wait"}, flowNarrow))
	require.Empty(t, fitGroups(nil, flowNarrow))
}
