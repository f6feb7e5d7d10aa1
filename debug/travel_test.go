package debug

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
)

// arrive makes a whole journey.
func arrive(s *Session, j Journey) {
	for s.Go(j) {
	}
}

// where is the line of the followed warp's next instruction, and the tick.
func where(s *Session) (line int, tick int64) {
	v := s.View()
	return v.Line, v.Tick
}

// TestJourneys goes through split: the branch of line 13 is step 2; it splits the warp, lanes 5 to 31 run lines 14 and
// 15, lanes 0 to 4 line 17, and they meet at line 19.
func TestJourneys(t *testing.T) {
	s := open(t, split(t))
	arrive(s, Journey{Goal: ToDivergence})
	line, tick := where(s)
	require.Equal(t, 14, line)
	require.EqualValues(t, 3, tick)
	require.Contains(t, s.View().Status, "line 13, `@%p1 bra LOW`: 5 of 32 lanes branch")

	arrive(s, Journey{Goal: ToReconvergence})
	first := s.Tick()
	require.EqualValues(t, 5, first, "line 15 takes its lanes to line 19")
	arrive(s, Journey{Goal: ToReconvergence})
	line, tick = where(s)
	require.Equal(t, 19, line)
	require.EqualValues(t, 6, tick, "so does line 17")
	arrive(s, Journey{Goal: ToReconvergence, Back: true})
	require.Equal(t, first, s.Tick())
	arrive(s, Journey{Goal: ToDivergence, Back: true})
	require.EqualValues(t, 3, s.Tick())
	arrive(s, Journey{Goal: ToDivergence, Back: true})
	require.EqualValues(t, 3, s.Tick())
	require.Equal(t, "There is no earlier divergence.", s.View().Status)

	arrive(s, Journey{Goal: ToLine, Line: 20})
	line, _ = where(s)
	require.Equal(t, 20, line)
	arrive(s, Journey{Goal: ToLine, Line: 17, Back: true})
	line, tick = where(s)
	require.Equal(t, 17, line)
	require.EqualValues(t, 5, tick)
}

// TestSearchesThatFindNothing: a search that finds nothing stays where it began. The branch of split is step 2; its
// lanes have met after step 5, on line 19; lines 14 to 17 do not run again.
func TestSearchesThatFindNothing(t *testing.T) {
	s := open(t, split(t))
	for _, c := range []struct {
		from int64
		j    Journey
		says string
	}{
		{2, Journey{Goal: ToDivergence, Back: true}, "There is no earlier divergence."},
		{2, Journey{Goal: ToReconvergence, Back: true}, "There is no earlier reconvergence."},
		{2, Journey{Goal: ToFinding, Back: true}, "There is no earlier finding."},
		{2, Journey{Goal: ToLine, Line: 17, Back: true}, "Line 17 has not run before."},
		{6, Journey{Goal: ToDivergence}, "There is no further divergence."},
		{6, Journey{Goal: ToReconvergence}, "There is no further reconvergence."},
		{6, Journey{Goal: ToFinding}, "There is no further finding."},
		{6, Journey{Goal: ToLine, Line: 14}, "Line 14 does not run again."},
		{0, Journey{Goal: ToWarp, Back: true}, "There is no earlier instruction of any warp."},
	} {
		finish(s)
		s.SeekTo(c.from)
		before := s.View()
		arrive(s, c.j)
		v := s.View()
		require.Equal(t, c.from, v.Tick, c.says)
		require.Equal(t, c.says, v.Status)
		require.Equal(t, before.Last, v.Last, "%s: what led there is still shown", c.says)
	}
	finish(s)
	end := s.View()
	arrive(s, Journey{Goal: ToFinding, Back: true})
	require.Equal(t, "There is no earlier finding. "+end.Status, s.View().Status)
	require.Equal(t, end.Tick, s.Tick())
}

// TestSearchKeepsTheWarp: warp 1 of pair has not begun at step 1. A search that finds nothing follows it still.
func TestSearchKeepsTheWarp(t *testing.T) {
	s := open(t, pair(t))
	finish(s)
	s.SeekTo(1)
	s.Follow(1, 1)
	arrive(s, Journey{Goal: ToBarrier, Back: true})
	v := s.View()
	require.Equal(t, []int64{1, 1, 1}, []int64{v.Tick, int64(v.CTA), int64(v.Warp)})
	require.Equal(t, "There is no earlier barrier.", v.Status)
}

// outside stores to 32 elements of out, which has 24.
const outside = "//@ arg out u32[24]\n.version 6.4\n.target sm_70\n.address_size 64\n" +
	".visible .entry k(.param .u64 out)\n{\n\t.reg .u32 %i;\n\t.reg .u64 %a, %o;\n\tld.param.u64 %a, [out];\n" +
	"\tmov.u32 %i, %tid.x; mul.wide.u32 %o, %i, 4; add.s64 %a, %a, %o;\n\tst.global.u32 [%a], %i;\n\tret;\n}\n"

// TestSearchMeetsAFault: lanes 24 to 31 store after the end of out. A search that goes there shows the fault, even one
// from before it.
func TestSearchMeetsAFault(t *testing.T) {
	s := open(t, outside)
	arrive(s, Journey{Goal: ToFinding})
	end := s.View()
	require.Equal(t, Faulted, end.Phase)
	arrive(s, Journey{Goal: ToFinding, Back: true})
	require.Equal(t, "There is no earlier finding. "+end.Status, s.View().Status)
	require.Equal(t, end.Tick, s.Tick())
}

func TestBackToABreakpoint(t *testing.T) {
	s := open(t, pair(t))
	line := strings.Count(pair(t)[:strings.Index(pair(t), "bar.sync")], "\n") + 1
	s.SetBreakpoints([]int{line})
	var stops []int64
	for s.RunFor(1000) || s.View().Phase == Paused {
		if s.View().Phase == Paused {
			stops = append(stops, s.Tick())
		}
	}
	require.Len(t, stops, 4, "two CTAs of two warps")
	for i := len(stops) - 1; i >= 0; i-- {
		arrive(s, Journey{Goal: ToBreakpoint, Back: true})
		require.Equal(t, stops[i], s.Tick())
		require.Equal(t, line, s.View().Line)
	}
	arrive(s, Journey{Goal: ToBreakpoint, Back: true})
	require.Equal(t, stops[0], s.Tick(), "there is no earlier one")
	arrive(s, Journey{Goal: ToBarrier})
	require.Equal(t, stops[0]+1, s.Tick())
}

// loop runs 100 rounds of lines 10 to 16; %r2 counts them, and lane 7 adds it to out[7].
func loop(t testing.TB) string { return txtar.Text(t, "origin/loop") }

func TestConditions(t *testing.T) {
	s := open(t, loop(t))
	s.SetStops([]Stop{{Line: 12, Condition: "%r2 == 40 && lane == 3"}})
	require.False(t, s.RunFor(1_000_000))
	require.Equal(t, Paused, s.View().Phase)
	require.Equal(t, 12, s.View().Line)
	require.EqualValues(t, 40, s.Watches([]string{"%r2"})[0].value(t, 3))
	require.False(t, s.RunFor(1_000_000))
	require.Equal(t, Finished, s.View().Phase)
	finish(s)

	s.Reset()
	s.SetStops([]Stop{{Line: 12, Condition: "hits == 40"}})
	require.False(t, s.RunFor(1_000_000))
	require.EqualValues(t, 40, s.Watches([]string{"%r2"})[0].value(t, 3), "%r2 counts from 1")

	s.Reset()
	s.SetStops([]Stop{{Line: 12, Condition: "%r2 == 40", Off: true}, {Line: 13, Condition: "%r99 > 1"}})
	require.False(t, s.RunFor(1_000_000))
	require.Equal(t, 13, s.View().Line, "a condition that cannot be computed stops")
	require.Equal(t, "there is no register %r99 here", s.Stops()[1].Error)
	s.SetStops([]Stop{{Line: 12, Condition: "%r2 = 4"}})
	require.Equal(t, `unexpected "= 4" after the expression`, s.Stops()[0].Error)
	s.Reset()
	finish(s)
	require.Equal(t, Finished, s.View().Phase)
}

// TestHits: line 12 comes once in each round. To stand before it is to have come to it, and its condition counts alike.
func TestHits(t *testing.T) {
	s := open(t, loop(t))
	s.SetStops([]Stop{{Line: 12}, {Line: 13, Condition: "lane == 99"}})
	hits := func() map[int]int64 { return s.View().Hits }
	require.Equal(t, map[int]int64{12: 0, 13: 0}, hits())
	for round := range int64(3) {
		require.False(t, s.RunFor(1_000_000))
		require.Equal(t, map[int]int64{12: round + 1, 13: round}, hits())
	}
	s.Step()
	require.Equal(t, map[int]int64{12: 3, 13: 3}, hits(), "it stands before line 13 now")
	s.StepBack()
	s.StepBack()
	require.Equal(t, map[int]int64{12: 2, 13: 2}, hits())
	s.SetStops([]Stop{{Line: 12, Condition: "hits == 40"}})
	require.False(t, s.RunFor(1_000_000))
	require.Equal(t, map[int]int64{12: 40}, hits())
}

// TestHitsOfALine: the line of three instructions comes once. That of the fault has come, though it has not run. Warps
// that wait for ever stand before lines 13 and 15, and do not come there.
func TestHitsOfALine(t *testing.T) {
	s := open(t, outside)
	s.SetBreakpoints([]int{10, 11})
	require.Equal(t, map[int]int64{10: 0, 11: 0}, s.View().Hits)
	finish(s)
	require.Equal(t, map[int]int64{10: 1, 11: 0}, s.View().Hits)
	finish(s)
	require.Equal(t, map[int]int64{10: 1, 11: 1}, s.View().Hits)
	finish(s)
	require.Equal(t, Faulted, s.View().Phase)
	require.Equal(t, map[int]int64{10: 1, 11: 1}, s.View().Hits)

	s = open(t, "//@ block 64\n.version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"+
		"\t.reg .u32 %i;\n\t.reg .pred %p;\n\tmov.u32 %i, %tid.x;\n\tsetp.lt.u32 %p, %i, 32;\n\t@%p bra A;\n"+
		"\tbar.sync 1;\n\tret;\nA:\tbar.sync 0;\n\tret;\n}\n")
	s.SetBreakpoints([]int{13, 15})
	finish(s)
	require.Equal(t, "BarrierDeadlock", string(s.View().Fault.Kind))
	require.Equal(t, map[int]int64{13: 0, 15: 0}, s.View().Hits)
}

func (w Watch) value(t *testing.T, lane int) int {
	require.Empty(t, w.Error)
	n := 0
	for _, c := range w.Values[lane] {
		n = 10*n + int(c-'0')
	}
	return n
}

// TestWatchpoints: the loop's first store of out[7] is by lane 7 in round 1.
func TestWatchpoints(t *testing.T) {
	s := open(t, loop(t))
	for _, test := range []struct {
		stop Stop
		line int // of the step, or of the next instruction for a read
		r2   int // rounds
	}{
		{Stop{Kind: StopWrite, What: "out[7]"}, 14, 1},
		{Stop{Kind: StopWrite, What: "out[7]", Condition: "%r2 > 10"}, 14, 11},
		{Stop{Kind: StopChange, What: "out[7..9]"}, 14, 1}, // to 1
		{Stop{Kind: StopRead, What: "out[7]"}, 12, 1},
		{Stop{Kind: StopWrite, What: "%r2", Condition: "%r2 == 5"}, 10, 5},
	} {
		s.Reset()
		s.SetStops([]Stop{test.stop})
		require.Empty(t, s.Stops()[0].Error)
		require.False(t, s.RunFor(1_000_000))
		v := s.View()
		require.Equal(t, Paused, v.Phase, "%+v", test.stop)
		if test.stop.Kind == StopRead {
			require.Equal(t, test.line, v.Line)
			require.Contains(t, v.Status, "Stopped before a read of out[7]: warp 0 of CTA 0 executes ")
		} else {
			require.Equal(t, test.line, s.line(v.Last.Inst), "%+v", test.stop)
		}
		require.Equal(t, test.r2, s.Watches([]string{"%r2"})[0].value(t, 7), "%+v", test.stop)
	}
	s.SetStops([]Stop{{Kind: StopWrite, What: "out[99]"}, {Kind: StopRead, What: "in"}})
	require.Equal(t, "out has the elements 0 to 31", s.Stops()[0].Error)
	require.Equal(t, `there is no register, buffer or variable named "in"`, s.Stops()[1].Error)
}

// TestWhichStop: the sentence names the stop that has stopped the run, not another one of its line or elsewhere. Line
// 12 reads out[7] in each round, and line 13 comes after it.
func TestWhichStop(t *testing.T) {
	for _, c := range []struct {
		list []Stop
		says string
	}{
		{[]Stop{{Line: 13}, {Line: 12, Off: true}, {Kind: StopRead, What: "out[7]"}}, "before a read of out[7]"},
		{[]Stop{{Line: 12, Condition: "%r2 == 40"}, {Kind: StopRead, What: "out"}}, "before a read of out"},
		{[]Stop{{Line: 13}, {Kind: StopRead, What: "out[7]", Condition: "%r99 > 1"}}, "before a read of out[7]"},
		{[]Stop{{Line: 12}, {Kind: StopRead, What: "out[7]"}}, "at the breakpoint of line 12"},
	} {
		s := open(t, loop(t))
		s.SetStops(c.list)
		require.False(t, s.RunFor(1_000_000))
		require.Equal(t, 12, s.View().Line)
		require.Contains(t, s.View().Status, "Stopped "+c.says+": warp 0 of CTA 0 executes ")
	}
}

func TestWatches(t *testing.T) {
	s := open(t, chain(t))
	s.Step()
	s.Step()
	w := s.Watches([]string{"%r2 - 7", "popc(active)", "out[%r1]", "%r2 <", "s32(%r1) - 1", "%tid.x * 2", "%r4"})
	require.Equal(t, "12", w[0].Values[3])
	require.True(t, w[1].Same)
	require.Equal(t, "32", w[1].Values[0])
	require.Equal(t, "103", w[2].Values[3])
	require.NotEmpty(t, w[3].Error)
	require.Equal(t, "-1", w[4].Values[0])
	require.Equal(t, "62", w[5].Values[31])
	require.Equal(t, "·", w[6].Values[0], "no lane has written it")
}

// A warp that has not started is in no function: its registers have no values, but its place in the grid is known.
func TestWatchesOfAWarpToCome(t *testing.T) {
	s := open(t, "//@ grid 2048\n//@ block 32\n.version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"+
		"\t.reg .u32 %r;\n\tmov.u32 %r, 1;\n\tret;\n}\n")
	s.Step()
	s.Follow(2047, 0)
	require.Nil(t, s.View().State.Func)
	w := s.Watches([]string{"%r", "%ctaid.x"})
	require.Equal(t, "·", w[0].Values[0])
	require.Equal(t, "2047", w[1].Values[0])
}

// TestStopAtFindings stops after the first store of a race: both warps of a CTA write sh[0] without a barrier between.
func TestStopAtFindings(t *testing.T) {
	s := open(t, txtar.Text(t, "session/race"))
	s.SetStops([]Stop{{Kind: StopFinding}})
	for s.RunFor(1000) {
	}
	v := s.View()
	require.Equal(t, Paused, v.Phase)
	require.Len(t, v.Findings, 1)
	require.Equal(t, "st.shared.u32", strings.Fields(v.Last.Inst.Opcode)[0])
	s.SeekTo(v.Tick - 1)
	require.Empty(t, s.View().Findings)
}

// TestBreakpointsMove keeps conditions when the text moves lines, and when another line is added or taken away.
func TestBreakpointsMove(t *testing.T) {
	s := open(t, split(t))
	s.SetStops([]Stop{{Kind: StopBarrier}, {Line: 17, Condition: "lane == 3"}, {Line: 14, Off: true}})
	s.SetBreakpoints([]int{15, 18})
	require.Equal(t, []Stop{{Line: 15, Off: true}, {Line: 18, Condition: "lane == 3"}, {Kind: StopBarrier}}, s.Stops())
	s.SetBreakpoints([]int{18, 13, 15})
	require.Equal(t, []Stop{{Line: 13}, {Line: 15, Off: true}, {Line: 18, Condition: "lane == 3"}, {Kind: StopBarrier}},
		s.Stops())
	s.SetBreakpoints([]int{18})
	require.Equal(t, []Stop{{Line: 18, Condition: "lane == 3"}, {Kind: StopBarrier}}, s.Stops())
	s.SetBreakpoints(nil)
	require.Equal(t, []Stop{{Kind: StopBarrier}}, s.Stops())
}

// A jump says what the step did that leads there, and whose it was if another warp is followed. Each warp executes its
// three instructions in one turn.
func TestJumpsTellWhatHappened(t *testing.T) {
	s := open(t, "//@ block 64\n.version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"+
		"\t.reg .u32 %r;\n\tmov.u32 %r, 1;\n\tmov.u32 %r, 2;\n\tret;\n}\n")
	for s.RunFor(100) {
	}
	s.Follow(0, 0)
	s.SeekTo(2)
	require.Equal(t, "line 9, `mov.u32 %r, 2`: %r = 2 in all 32 lanes.", s.View().Status)
	s.SeekTo(5)
	require.Equal(t, "Warp 1 of CTA 0: line 9, `mov.u32 %r, 2`: %r = 2 in all 32 lanes.", s.View().Status)
}
