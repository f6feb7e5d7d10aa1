package ui

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// TestPlacesOfAFinding presses both buttons of the finding of a race: in the program, lines 32 and 34 conflict.
func TestPlacesOfAFinding(t *testing.T) {
	text, err := os.ReadFile("../testdata/bugs/race-shared-no-barrier.ptx")
	require.NoError(t, err)
	p := newFakePlatform()
	s := NewStore(debug.New(emu.Options{}), p)
	s.Open()
	s.setText(string(text))
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	finding := func() problem {
		list, total := problemList(s.Model())
		require.Equal(t, total, len(list))
		for _, p := range list {
			if len(p.Steps) == 2 {
				return p
			}
		}
		require.Fail(t, "there is no finding", "%v", list)
		return problem{}
	}
	lines := make([]int, 2)
	for i, later := range []bool{true, false} {
		s.Do(finding().Steps[i].Action)
		require.Equal(t, later, finding().Later)
		lines[i] = s.Model().Lines.position(s.Model().View.Last.Inst.Span.Start).Line
	}
	require.ElementsMatch(t, []int{32, 34}, lines)
}
