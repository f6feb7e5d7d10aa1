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

	marks := append(at(debug.MarkSplit, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50), at(debug.MarkBarrier, 50, 55)...)
	marks = append(marks, at(debug.MarkFault, 100)...)
	groups = markGroups(marks, 100, 600)
	require.Len(t, groups, 2)
	require.Equal(t, 2, groups[0].Count, "of the barriers, which are drawn")
	require.Equal(t, debug.MarkBarrier, groups[0].Mark.Kind, "the most remarkable is drawn")
	require.Equal(t, "10 divergences, 2 barriers, up to step 55", groups[0].Words)
	require.Equal(t, "fault, step 100", groups[1].Words)
	require.Equal(t, 1.0, groups[1].Part)
	groups = markGroups(append(at(debug.MarkJoin, 50), at(debug.MarkStop, 50)...), 100, 600)
	require.Equal(t, 1, groups[0].Count, "one breakpoint was hit")
	require.Equal(t, "1 reconvergence, 1 breakpoint, up to step 50", groups[0].Words)
	require.Empty(t, markGroups(nil, 100, 600))
	require.Empty(t, markGroups(marks, 0, 600))

	require.Equal(t, []debug.MarkKind{debug.MarkSplit, debug.MarkBarrier, debug.MarkFault}, kindsOf(marks))
	next, ok := nextMark(marks, debug.MarkBarrier, 50)
	require.True(t, ok)
	require.Equal(t, int64(55), next.Tick)
	_, ok = nextMark(marks, debug.MarkSplit, 50)
	require.False(t, ok)
}

// 27 steps on 900 pixels: one each 90 pixels would be each 2.7 steps, and the next round number is 5. What would be too
// near the end, as 26 here is to 27 and 25 is not, gives way to the end.
func TestStepsBelowTheRail(t *testing.T) {
	texts := func(end int64, width int) (list []string) {
		for _, l := range railLabels(&Model{View: debug.View{End: end, CTAs: 1}}, width) {
			list = append(list, l.Text)
		}
		return list
	}
	require.Equal(t, []string{"0", "5", "10", "15", "20", "27"}, texts(27, 900))
	require.Equal(t, []string{"0", "5", "10", "15", "20", "25", "28"}, texts(28, 900))
	require.Equal(t, []string{"0", "5,000", "10,000"}, texts(10_000, 200))
	require.Equal(t, []string{"0", "1"}, texts(1, 900))
	require.Empty(t, texts(0, 900))
}

// Four CTAs of 100 steps on 400 pixels have room for their names of 5 letters, 35 + 8 pixels; on 160 pixels two have,
// with 7 letters, 49 + 8 pixels. The last ones share a name with those before them only if these need the room.
func TestCTAsBelowTheRail(t *testing.T) {
	m := &Model{View: debug.View{End: 400, CTAs: 4}, AllMarks: true, Surveyed: 400,
		Turns: []debug.Turn{{Tick: 0, CTA: 0}, {Tick: 100, CTA: 1}, {Tick: 200, CTA: 2}, {Tick: 300, CTA: 3}}}
	require.Equal(t, []railLabel{{"CTA 0", 0, 100}, {"CTA 1", 100, 200}, {"CTA 2", 200, 300}, {"CTA 3", 300, 400}},
		railLabels(m, 400))
	require.Equal(t, []railLabel{{"CTA 0-1", 0, 200}, {"CTA 2-3", 200, 400}}, railLabels(m, 160))
	require.Equal(t, []railLabel{{"CTA 0-2", 0, 300}, {"", 300, 400}}, railLabels(m, 100))
	require.Contains(t, railHTML(m, 400), `x="37.50%" y="9">CTA 1</text><line x1="25.00%" x2="25.00%"`, "at any width")
	m.Turns[3].CTA = 1000
	require.Equal(t, railLabel{"CTA 1,000", 300, 400}, railLabels(m, 4000)[3])
	m.Surveyed = 100
	require.Empty(t, railLabels(m, 400), "most of the run is not looked at yet")
	m.AllMarks = false
	require.Equal(t, railLabel{"400", 400, 400}, railLabels(m, 400)[4], "of a long run it is not known")
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
