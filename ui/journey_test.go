package ui

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
)

// The menu has the names that other programs look for, and the palette has each of its items under the same name.
func TestGoToMenu(t *testing.T) {
	p := goToMenu(&Model{Stride: StrideAny})
	var labels []string
	for _, item := range p.Items {
		labels = append(labels, item.Label)
		if item.Choice {
			require.Equal(t, item.Label == "Instruction of any warp", item.Chosen)
			continue
		}
		store, _ := searched(t, item.Label)
		require.Contains(t, names(store.Model().Palette, kindCommand), item.Label)
	}
	require.Subset(t, labels, []string{"Previous breakpoint", "Next divergence", "Next reconvergence", "Next barrier",
		"Next output", "Next finding", "Line of the cursor", "Step over", "Step out", "Last write"})
	require.Equal(t, "F11", keysOf(goTo("", debug.OverCall, false).Action))
}

// Step executes what was chosen, also on the next visit.
func TestStride(t *testing.T) {
	store, session, platform := newFakeStore()
	session.calls = nil
	for _, s := range strides {
		store.Do(SetStride{s.Stride})
		store.Do(StepOnce{})
		platform.frame()
		store.Do(StepBack{})
		platform.frame()
	}
	require.Equal(t, []string{"step", "back", "go instruction of any warp", "go back instruction of any warp",
		"go source line", "go back source line"}, slices.Compact(session.calls))
	next, _, _ := visit(platform)
	require.Equal(t, StrideSource, next.Model().Stride)
}

// At step 27 of example 05 line 62 wrote %v of lane 26 last, at step 21.
func TestGoToLastWriteAndCursor(t *testing.T) {
	s := nested(t, 27)
	s.Do(SelectLane{26})
	s.update(func(m *Model) { m.AtHand = "%v" })
	s.Do(ToLastWrite{})
	require.Equal(t, int64(21), s.Model().View.Tick)
	require.Contains(t, s.Model().Notice, "%v in lane 26 was written by step 21, line 62")

	s.Do(Reset{})
	s.Do(PointText{53})
	s.Do(ToCursor{})
	for s.Model().Running {
		s.platform.(*fakePlatform).frame()
	}
	require.Equal(t, 53, s.Model().View.Line)
}

// A journey that cannot leave the end of a run says so. What the end was stays in sight.
func TestJourneyFromTheEnd(t *testing.T) {
	s := nested(t, 1000)
	end := s.Model().View
	require.Equal(t, debug.Finished, end.Phase)
	for goal, want := range map[debug.Goal]string{debug.ToDivergence: "There is no further divergence. Finished: ",
		debug.OverCall: "There is no further step. Finished: ", debug.ToLine: "Line 53 does not run again. Finished: "} {
		s.Do(Travel{debug.Journey{Goal: goal, Line: 53}})
		require.Contains(t, s.Model().status(), want)
		require.Equal(t, end.Tick, s.Model().View.Tick)
		require.False(t, s.Model().Running)
	}
	s.Do(Travel{debug.Journey{Goal: debug.ToDivergence, Back: true}})
	require.Less(t, s.Model().View.Tick, end.Tick)
	require.Empty(t, s.Model().Notice)
}
