package ui

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The lock between lanes of one warp: stepped to the first difference, and then to the end.
func TestModelsSideBySide(t *testing.T) {
	text, err := os.ReadFile("../public/examples/30-lock-between-lanes.ptx")
	require.NoError(t, err)
	s, platform := sourceStore(t, string(text))
	tick := s.Model().View.Tick
	s.Do(ShowModels{true})
	p := s.Model().Models
	require.Len(t, p.Sides, 3)
	require.Equal(t, []string{"SIMT stack", "independent", "thread frontiers"},
		[]string{p.Sides[0].Label, p.Sides[1].Label, p.Sides[2].Label})
	require.Equal(t, []sideGroup{{Line: "29", Text: p.Sides[0].Groups[0].Text, Mask: 0xffffffff, Runs: true}},
		p.Sides[0].Groups)
	s.Do(StepModels{})
	require.Equal(t, "1", s.Model().Models.Sides[1].Warps)
	require.Equal(t, "32", s.Model().Models.Sides[2].Lanes)
	finish := func() {
		for s.Model().Models.Running {
			platform.now++
			platform.frame()
		}
	}
	s.Do(PartModels{})
	finish()
	p = s.Model().Models
	require.True(t, p.Parted && !p.Done)
	require.Contains(t, p.Words, "independent executes line 42 in lane 0")
	require.True(t, p.Sides[0].Parts && p.Sides[1].Parts)
	s.Do(RunModels{})
	finish()
	p = s.Model().Models
	require.True(t, p.Done)
	require.Contains(t, p.Sides[0].Outcome, "a lane that holds a lock must not be waiting on the stack")
	require.Equal(t, []bool{true, false, true}, []bool{p.Sides[0].Bad, p.Sides[1].Bad, p.Sides[2].Bad})
	require.Equal(t, "finished, 3 of 3 expectations met", p.Sides[1].Outcome)
	require.Equal(t, tick, s.Model().View.Tick, "the page's machine stays where it is")
	s.Do(ResetModels{})
	require.False(t, s.Model().Models.Started)
	s.Do(ShowModels{})
	require.Nil(t, s.Model().Models)
}

func TestModelsOfATextThatCannotRun(t *testing.T) {
	s, _ := sourceStore(t, ".version 7.0\n.target sm_70\n.entry k() { mov; }")
	s.Do(ShowModels{true})
	require.NotEmpty(t, s.Model().Models.Problem)
}
