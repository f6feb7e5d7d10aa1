package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// Under independent scheduling the rows are groups, and say whom they wait for.
func TestGroupsOfIndependentLanes(t *testing.T) {
	m := stackModel()
	s := m.View.State
	s.Model = emu.Independent
	s.Stack[1].Wait, s.Stack[1].For = emu.WaitMembers, 0xf
	s.Stack[2].Wait, s.Stack[2].For = emu.WaitConverge, 0xfffffffe
	var words []string
	for _, r := range stackRows(m) {
		words = append(words, r.Kind+": "+r.Waits)
	}
	require.Equal(t, []string{"branch: ", "at a warp operation: waits for lanes 0-3", "meet: waits for lanes 1-31"}, words)
	require.Equal(t, "new group: branch 0000000f: 4 lanes go on at line 3", stackNews(m)[3].Text)
}
