package debug

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
)

// edgesText is the edges with what has gone along them: "33–35 > upper 48–49: 16".
func edgesText(g *Flow) string {
	var b strings.Builder
	for i, e := range g.Edges {
		fmt.Fprintf(&b, "%s > %s: %d\n", g.Blocks[e.From].Title(), g.Blocks[e.To].Title(), g.Taken[i])
	}
	return b.String()
}

func nested(t *testing.T) *Session {
	t.Helper()
	text, err := os.ReadFile("../public/examples/05-nested-divergence.ptx")
	require.NoError(t, err)
	return open(t, string(text))
}

func flowOf(s *Session) *Flow {
	for s.Count(1 << 10) {
	}
	return s.Flow()
}

// After 16 steps lanes 0 to 15 wait where all meet, 16 to 23 where the lanes of the second half meet, 24 to 27 run and
// 28 to 31 are next. Each test halves the lanes: 32, 16, 8 and 4.
func TestFlowOfNestedBranches(t *testing.T) {
	s := nested(t)
	g := s.Flow()
	require.False(t, g.Counted, "nothing is counted before somebody asks")
	require.Equal(t, "Block 33–35, 32 run, not counted yet.", g.Words(0))
	for range 16 {
		s.Step()
	}
	g = flowOf(s)
	require.True(t, g.Counted)
	require.Equal(t, "nested", g.Func)
	require.Equal(t, `33–35 > upper 48–49: 16
33–35 > 37–38: 16
37–38 > two 42: 8
37–38 > 39–40: 8
39–40 > j1 44–45: 8
two 42 > j1 44–45: 8
j1 44–45 > j0 64–69: 16
upper 48–49 > last 53–54: 8
upper 48–49 > 50–51: 8
50–51 > j2 62: 8
last 53–54 > five 58: 4
last 53–54 > 55–56: 4
55–56 > j3 60: 0
five 58 > j3 60: 0
j3 60 > j2 62: 0
j2 62 > j0 64–69: 0
`, edgesText(g))
	words := map[string]string{}
	for i := range g.Blocks {
		for _, o := range g.Groups {
			if o.Block == i {
				words[g.Blocks[i].Name] += o.Words()
			}
		}
	}
	require.Equal(t, map[string]string{"": "4 run", "five": "4 wait", "j2": "8 wait", "j0": "16 wait"}, words)
	joins := ""
	for i := range g.Blocks {
		if g.Blocks[i].Joins {
			joins += g.Blocks[i].Name + " "
		}
	}
	require.Equal(t, "j1 j3 j2 j0 ", joins)
	s.SeekTo(3)
	require.EqualValues(t, 16, flowOf(s).Taken[0], "counts are those of the step that is shown")
	s.SeekTo(2)
	require.EqualValues(t, 0, flowOf(s).Taken[0])
}

// Two warps: of each, lanes 0 to 29 go to three targets, 10 to each, and two lanes jump past them. Lanes of L0 fall
// into L1. Lane l of L2 is 29 for l = 29 only, whose copy 28 is not above 28: no lane goes round.
func TestFlowOfATable(t *testing.T) {
	s := open(t, txtar.Text(t, "flow/switch"))
	finish(s)
	g := flowOf(s)
	text := edgesText(g)
	for _, want := range []string{"> L0 14: 20\n", "L0 14 > L1 15–16: 20\n", "> L2 17–19: 20\n",
		"L2 17–19 > L2 17–19: 0\n", "L1 15–16 > E 20: 40\n", "L2 17–19 > E 20: 20\n", "> 13: 4\n", "13 > E 20: 4\n"} {
		require.Contains(t, text, want)
	}
	require.Equal(t, "Block E 20, executed 2 times, 64 lanes, lanes meet here.", g.Words(len(g.Blocks)-1))
}

// What goes into a block is what comes out of it, once a run has ended, in all programs that have ended normally.
func TestFlowIsConserved(t *testing.T) {
	for _, name := range []string{"04-if-else", "05-nested-divergence", "06-loop", "07-switch", "15-mandelbrot",
		"18-matrix-product"} {
		text, err := os.ReadFile("../public/examples/" + name + ".ptx")
		require.NoError(t, err)
		s := open(t, string(text))
		finish(s)
		g := flowOf(s)
		for b := 1; b < len(g.Blocks); b++ {
			in := int64(0)
			for i, e := range g.Edges {
				require.GreaterOrEqual(t, g.Taken[i], int64(0), name)
				if e.To == b {
					in += g.Taken[i]
				}
			}
			require.Equal(t, g.Lanes[b], in, "%s: %s", name, g.Words(b))
		}
	}
}

// A session that is not asked keeps no counters.
func TestFlowCostsNothingUntilAsked(t *testing.T) {
	s := nested(t)
	finish(s)
	require.NotNil(t, s.Flow())
	require.Nil(t, s.counting)
	require.Nil(t, s.prepared.Report().Account)
}
