package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlacesOfAFinding presses both buttons of the finding of a race: in the program, lines 32 and 34 conflict.
func TestPlacesOfAFinding(t *testing.T) {
	s := ranStore(t, "../testdata/bugs/race-shared-no-barrier.ptx")
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
