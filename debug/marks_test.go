package debug

import (
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// survey finds all marks, in small parts.
func survey(s *Session, ticks int64) []Mark {
	for s.Survey(ticks) {
	}
	list, _ := s.Marks()
	return list
}

// split runs 11 instructions: the branch is the third, then lanes 5 to 31 come to the meeting point with the fifth, and
// the others with the sixth.
func TestMarksOfASplit(t *testing.T) {
	s := open(t, split(t))
	require.Empty(t, survey(s, 100))
	finish(s)
	want := []Mark{{3, MarkSplit, 0, 0}, {5, MarkJoin, 0, 0}, {6, MarkJoin, 0, 0}, {11, MarkEnd, -1, 0}}
	require.Equal(t, want, survey(s, 2))
	v := s.View()
	require.Equal(t, Finished, v.Phase)
	require.Equal(t, int64(11), v.Tick, "the session stays where it is")
	s.SeekTo(4)
	s.Step()
	require.Equal(t, want, survey(s, 2), "what follows is still known")
	require.Equal(t, int64(5), s.View().Tick)

	s.SetBreakpoints([]int{17}) // LOW: after five instructions
	require.Contains(t, survey(s, 3), Mark{5, MarkStop, 0, 0})
	s.SetBreakpoints(nil)
	require.Equal(t, want, survey(s, 3))
}

// A breakpoint at which a run has just stopped has its mark at once, though nothing after it has run.
func TestMarkOfTheLastStop(t *testing.T) {
	s := open(t, split(t))
	s.SetBreakpoints([]int{17})
	s.RunFor(1000)
	require.Equal(t, int64(5), s.View().Tick)
	stop := Mark{5, MarkStop, 0, 0}
	marks, _ := s.Marks()
	require.Equal(t, []Mark{stop}, marks)
	require.Contains(t, survey(s, 100), stop)
	s.SeekTo(2)
	require.Contains(t, survey(s, 100), stop, "the stop is still known")
	s.SeekTo(5)
	s.Step()
	n := 0
	for _, m := range survey(s, 100) {
		if m == stop {
			n++
		}
	}
	require.Equal(t, 1, n)
	s.Reset()
	s.RunFor(1000)
	s.SetBreakpoints(nil)
	require.NotContains(t, survey(s, 100), stop)
}

// Between two parts of a survey the machine is elsewhere. Whatever the user does then, the session is where it was.
func TestSurveyIsInterrupted(t *testing.T) {
	for name, do := range map[string]func(s *Session){
		"step":   (*Session).Step,
		"back":   (*Session).StepBack,
		"view":   func(s *Session) { s.FollowLane(3) },
		"run":    func(s *Session) { s.RunFor(1) },
		"follow": func(s *Session) { s.Follow(1, 1) },
		"stops":  func(s *Session) { s.SetBreakpoints([]int{12}) },
	} {
		states := [2]View{}
		for i := range states {
			s := open(t, pair(t))
			finish(s)
			s.SeekTo(60)
			if i == 1 {
				require.True(t, s.Survey(10))
				require.NotEqual(t, int64(60), s.history.tick())
			}
			do(s)
			states[i] = s.View()
		}
		require.Equal(t, states[0].Tick, states[1].Tick, name)
		require.Equal(t, states[0].Status, states[1].Status, name)
		require.Equal(t, states[0].State.Regs, states[1].State.Regs, name)
	}
}

// Marks and turns are those that executing the whole run with a record of each step finds.
func TestMarksAreComplete(t *testing.T) {
	files, err := filepath.Glob("../public/examples/*.ptx")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s := open(t, string(text))
		for s.RunFor(1 << 12) {
			if s.View().Tick > 20_000 {
				s.Pause()
				break
			}
		}
		if s.Tick() > 20_000 {
			continue
		}
		found := survey(s, 500)
		marks, turns := recorded(t, string(text))
		require.Equal(t, marks, found, file)
		require.Equal(t, turns, s.Turns(), file)
	}
}

// recorded executes a program with a record of each step.
func recorded(t *testing.T, text string) (list []Mark, turns []Turn) {
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	p, err := launch.Prepare(m, spec, emu.Options{})
	require.NoError(t, err)
	findings := 0
	for !p.Grid.Done() {
		rec, err := p.Grid.Step()
		if n := len(turns); n == 0 || turns[n-1].CTA != rec.CTAIndex {
			turns = append(turns, Turn{rec.Tick, rec.CTAIndex})
		}
		add := func(is bool, kind MarkKind) {
			if is {
				list = append(list, Mark{rec.Tick + 1, kind, rec.CTAIndex, rec.Warp})
			}
		}
		if err != nil {
			add(true, MarkFault)
			break
		}
		add(splits(&rec), MarkSplit)
		add(joins(&rec), MarkJoin)
		add(rec.Barrier != nil && rec.Barrier.Done, MarkBarrier)
		add(rec.Output != "", MarkOutput)
		n := len(p.Grid.Findings())
		add(n > findings, MarkFinding)
		findings = n
	}
	if p.Grid.Done() {
		list = append(list, Mark{Tick: p.Grid.Tick(), Kind: MarkEnd, CTA: -1})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Tick < list[j].Tick })
	return list, turns
}

// 400,000 instructions are sampled: windows at snapshots, and where the session is. A window is 2,048 ticks, so a
// survey executes far less than the run.
func TestLongRunIsSampled(t *testing.T) {
	s := open(t, "//@ block 32\n.version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"+
		"\t.reg .u32 %n;\n\t.reg .pred %p, %q;\n\tmov.u32 %n, 0;\n\tmov.u32 %n, %laneid;\n\tsetp.lt.u32 %q, %n, 7;\n"+
		"\tmov.u32 %n, 0;\nL:\n\tadd.u32 %n, %n, 1;\n\t@%q bra M;\n\tadd.u32 %n, %n, 0;\nM:\n"+
		"\tsetp.lt.u32 %p, %n, 80000;\n\t@%p bra L;\n\tret;\n}\n")
	s.history.interval = 1 << 14
	finish(s)
	calls := 0
	for s.Survey(1 << 10) {
		calls++
	}
	list, all := s.Marks()
	require.False(t, all)
	require.LessOrEqual(t, calls, 2*(mostWindows+2))
	require.Greater(t, len(list), 100)
	require.Less(t, len(list), 100_000)
	require.Greater(t, list[len(list)-2].Tick, s.View().End-1<<16, "marks are of the whole run")
	require.Equal(t, MarkEnd, list[len(list)-1].Kind)
	at := list[len(list)/2]
	s.SeekTo(at.Tick - 1)
	s.Step()
	if v := s.View(); at.Kind == MarkSplit {
		require.True(t, splits(v.Last))
	} else {
		require.True(t, joins(v.Last))
	}
}

// To visit a mark is to see the step that made it.
func TestVisitMarks(t *testing.T) {
	s := open(t, pair(t))
	s.SetBreakpoints([]int{20})
	for range 8 {
		finish(s)
	}
	require.Equal(t, Finished, s.View().Phase)
	kinds := map[MarkKind]int{}
	for _, m := range survey(s, 1000) {
		s.Visit(m)
		v := s.View()
		kinds[m.Kind]++
		require.Equal(t, m.Tick, v.Tick)
		switch m.Kind {
		case MarkSplit:
			require.True(t, splits(v.Last))
		case MarkBarrier:
			require.True(t, v.Last.Barrier.Done)
			require.Equal(t, [2]int{m.CTA, m.Warp}, [2]int{v.CTA, v.Warp})
		case MarkStop:
			require.Contains(t, v.Status, "Stopped at the breakpoint of line 20")
		case MarkEnd:
			require.Equal(t, Finished, v.Phase)
		}
	}
	require.Equal(t, 2, kinds[MarkBarrier], "one for each CTA")
	require.Equal(t, 4, kinds[MarkStop], "each warp stops once")
	require.Equal(t, 1, kinds[MarkEnd])
}

func TestVisitTheFault(t *testing.T) {
	s := open(t, faulty(t))
	finish(s)
	list := survey(s, 1000)
	require.Equal(t, MarkFault, list[len(list)-1].Kind)
	s.Reset()
	s.Visit(list[len(list)-1])
	require.Equal(t, Faulted, s.View().Phase)
}
