package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/share"
)

// At step 21 of example 05 lanes 0-7 hold 11 in %v, and eight lanes are active (see TestCardOfARegister).
func TestWatch(t *testing.T) {
	s := nested(t, 21)
	s.Do(SetWatch{0, " %v + 1 "})
	s.Do(SetWatch{1, "popc(present)"})
	s.Do(SetWatch{2, "%w * 2"})
	m := s.Model()
	require.Equal(t, []string{"%v + 1", "popc(present)", "%w * 2"}, m.Watches)
	require.Equal(t, hoverRun{0, 7, "12"}, watchRuns(m, &m.Watched[0])[0])
	require.Equal(t, []hoverRun{{0, 31, "32"}}, watchRuns(m, &m.Watched[1]), "one cell for the warp")
	require.Contains(t, m.Watched[2].Error, "%w")
	require.Empty(t, watchRuns(m, &m.Watched[2]))

	s.Do(Seek{0})
	require.Equal(t, []hoverRun{{0, 31, "·"}}, watchRuns(s.Model(), &s.Model().Watched[0]), "follows the step")
	s.Do(SetWatch{2, "%v"})
	require.Empty(t, s.Model().Watched[2].Error)
	s.Do(SetWatch{0, ""})
	require.Equal(t, []string{"popc(present)", "%v"}, s.Model().Watches)

	next := NewStore(debug.New(emu.Options{}), s.platform)
	next.Open()
	require.Equal(t, []string{"popc(present)", "%v"}, next.Model().Watches, "stays with the program")
	next.Do(NewFile{})
	require.Empty(t, next.Model().Watches)
}

// A breakpoint on a line without an instruction moves to where it stops: the header's line 3 and the blank line 32 to
// line 33, the first instruction of example 05. Its last line, 70, is the closing brace.
func TestBreakpointsMoveToInstructions(t *testing.T) {
	s := nested(t, 0)
	lines := func() []int { return s.Model().View.Breakpoints }
	s.Do(AddStop{debug.StopLine, "3"})
	require.Equal(t, []int{33}, lines())
	require.Equal(t, "line 33", stopRows(s.Model())[0].Name)
	s.Do(AddStop{debug.StopLine, "70"})
	require.Equal(t, "There is no instruction in line 70 or after it.", s.Model().NoStop)
	require.Equal(t, []int{33}, lines())

	s.Do(SetStop{0, debug.Stop{Line: 33, Condition: "lane == 1"}})
	s.Do(Breakpoints{[]int{32, 33}}) // a click beside line 32
	require.Equal(t, []int{33}, lines())
	require.Equal(t, "lane == 1", s.Model().Stops[0].Condition)
	s.Do(Breakpoints{[]int{33, 41}}) // label "two"
	require.Equal(t, []int{33, 42}, lines())
	s.Do(Breakpoints{[]int{34, 43}}) // a line typed in front moves both, wherever they come
	require.Equal(t, []int{34, 43}, lines())
}

func TestStops(t *testing.T) {
	s := nested(t, 0)
	names := func() (list []string) {
		for _, r := range stopRows(s.Model()) {
			list = append(list, r.Name+" "+r.Hits)
		}
		return list
	}
	off := []string{"divergence off", "arrival at a barrier off", "finding off"}
	require.Equal(t, off, names())
	s.Do(Breakpoints{[]int{62}}) // the gutter
	s.Do(AddStop{debug.StopChange, "out[5]"})
	require.Equal(t, append([]string{"line 62 0 hits", "out[5] changes "}, off...), names())
	s.Do(SetStop{0, debug.Stop{Line: 62, Condition: "lane == 26 && %v > 1"}})
	s.Do(AddStop{debug.StopRead, "nothing[1]"})
	s.Do(AddStop{debug.StopLine, "1000"})
	require.Equal(t, "The text has the lines 1 to "+count(int64(len(s.Model().Lines)))+".", s.Model().NoStop)
	require.Contains(t, stopRows(s.Model())[2].Stop.Error, "nothing", "the error is in its row")
	s.Do(RemoveStop{2})

	run := func() int64 {
		s.Do(Run{})
		for s.Model().Running {
			s.platform.(*fakePlatform).frame()
		}
		return s.Model().View.Tick
	}
	require.Equal(t, int64(20), run(), "before step 21, which executes line 62 for lanes 16-31")
	require.Contains(t, s.Model().View.Status, "Stopped at the breakpoint of line 62")
	require.Equal(t, "line 62 reached 1×", names()[0], "it has a condition")
	run()
	require.Contains(t, s.Model().View.Status, "Stopped after", "the store changes out[5]")
	require.Equal(t, "line 62 reached 1×", names()[0])
	s.Do(SetStop{0, debug.Stop{Line: 62}})
	require.Equal(t, "line 62 1 hit", names()[0])
	s.Do(Seek{20})
	require.Equal(t, "line 62 1 hit", names()[0], "before its line runs")
	s.Do(Seek{19})
	require.Equal(t, "line 62 0 hits", names()[0])

	s.Do(Reset{})
	s.Do(SetStop{0, debug.Stop{Line: 62, Off: true}})
	s.Do(SetStop{2, debug.Stop{Kind: debug.StopDivergence}})
	run()
	require.Equal(t, "line 62 off", names()[0])
	require.Contains(t, s.Model().View.Status, "lanes branch")
	require.Equal(t, []int{62}, s.Model().View.Breakpoints, "the gutter shows it")
	next := NewStore(debug.New(emu.Options{}), s.platform)
	next.Open()
	require.Equal(t, s.Model().Stops, next.Model().Stops)

	s.Do(SetWatch{0, "%v + 20"})
	state := s.State()
	opened := NewStore(debug.New(emu.Options{}), newFakePlatform())
	opened.Open()
	opened.Do(OpenLink{"#" + share.Encode(state)})
	require.Equal(t, s.Model().Stops, opened.Model().Stops, "a link carries them")
	require.Equal(t, []string{"%v + 20"}, opened.Model().Watches)
	s.changeStops([]debug.Stop{{Line: 62}})
	require.Nil(t, s.State().Stops, "a line is a breakpoint of the link")
}
