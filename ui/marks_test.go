package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// 100 steps on 600 pixels: 6 pixels a step. Marks of one step merge, those of neighbours do not. A group of 10 needs
// 12 + 2*7 + 5 = 31 pixels, so it takes in what is up to 5 steps away.
func TestMarksMerge(t *testing.T) {
	at := func(kind debug.MarkKind, ticks ...int64) (list []debug.Mark) {
		for _, tick := range ticks {
			list = append(list, debug.Mark{Tick: tick, Kind: kind})
		}
		return list
	}
	groups := markGroups(at(debug.MarkSplit, 10, 11, 13), 100, 600)
	require.Len(t, groups, 3)
	require.Equal(t, markGroup{Mark: debug.Mark{Tick: 11}, Count: 1, Part: .11, Words: "divergence, step 11"}, groups[1])

	marks := append(at(debug.MarkSplit, 50, 50, 50, 50, 50, 50, 50, 50, 50), at(debug.MarkBarrier, 50, 55)...)
	marks = append(marks, at(debug.MarkFault, 100)...)
	groups = markGroups(marks, 100, 600)
	require.Len(t, groups, 2)
	require.Equal(t, 11, groups[0].Count)
	require.Equal(t, debug.MarkBarrier, groups[0].Mark.Kind, "the most remarkable is drawn")
	require.Equal(t, "9 divergences, 2 barriers, up to step 55", groups[0].Words)
	require.Equal(t, "fault, step 100", groups[1].Words)
	require.Equal(t, 1.0, groups[1].Part)
	require.Empty(t, markGroups(nil, 100, 600))
	require.Empty(t, markGroups(marks, 0, 600))

	require.Equal(t, []debug.MarkKind{debug.MarkSplit, debug.MarkBarrier, debug.MarkFault}, kindsOf(marks))
	next, ok := nextMark(marks, debug.MarkBarrier, 50)
	require.True(t, ok)
	require.Equal(t, int64(55), next.Tick)
	_, ok = nextMark(marks, debug.MarkSplit, 50)
	require.False(t, ok)
}

// Marks are found after the user has done nothing for a while, and never during a run.
func TestSurveyWhenIdle(t *testing.T) {
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	s.setText(small("//@ block 64\n"))
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	require.Equal(t, []debug.MarkKind{debug.MarkEnd}, []debug.MarkKind{s.Model().Marks[0].Kind})
	p.wait(surveyDelay)
	require.Equal(t, debug.MarkBarrier, s.Model().Marks[0].Kind)
	require.True(t, s.Model().AllMarks)
	s.Do(Visit{s.Model().Marks[0]})
	require.Equal(t, s.Model().Marks[0].Tick, s.Model().View.Tick)
	require.NotNil(t, s.Model().View.Last)
	s.setText(small("//@ block 32\n"))
	require.Empty(t, s.Model().Marks)
}

func debugSession() *debug.Session { return debug.New(emu.Options{}) }
