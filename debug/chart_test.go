package debug

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx/isa"
)

// charted asks for a chart and finds all of it, in small parts.
func charted(s *Session, ask ChartAsk, ticks int64) *Chart {
	s.AskChart(ask)
	for len(s.lacks()) > 0 {
		s.Survey(ticks)
	}
	s.comeHome()
	return s.Chart()
}

// placesOf writes a moment: "LOW 0-4 runs" is lanes 0 to 4 in the block LOW.
func placesOf(c *Chart, m *Moment) string {
	var words []string
	for _, p := range m.Places {
		verb := map[bool]string{true: "runs", false: "waits"}[p.Runs]
		words = append(words, fmt.Sprintf("%s %08x %s", c.Code.Blocks[c.Code.Block(p.At)].Name, uint32(p.Mask), verb))
	}
	return strings.Join(words, ", ")
}

// The branch is the third instruction of split. Lanes 5 to 31 go on with lines 14 and 15, the others with line 17, and
// all with the five instructions from line 19 on.
func TestChartOfASplit(t *testing.T) {
	s := open(t, split(t))
	s.AskChart(ChartAsk{})
	require.Empty(t, s.Chart().Moments, "nothing has run")
	finish(s)
	c := charted(s, ChartAsk{}, 2)
	require.Equal(t, int64(11), s.View().Tick, "the session stays where it is")
	require.True(t, c.Complete)
	require.Equal(t, []int64{0, 11, 1}, []int64{c.From, c.To, c.Stride})
	want := []string{"entry ffffffff runs", "entry ffffffff runs", "entry ffffffff runs",
		"14 ffffffe0 runs, LOW 0000001f waits", "14 ffffffe0 runs, LOW 0000001f waits",
		"LOW 0000001f runs, DONE ffffffe0 waits"}
	for range 5 {
		want = append(want, "DONE ffffffff runs")
	}
	require.Len(t, c.Moments, len(want))
	for i := range want {
		m := &c.Moments[i]
		require.Equal(t, int64(i), m.Tick)
		require.Equal(t, want[i], placesOf(c, m), "step %d", i)
		require.True(t, m.Turn)
	}
	require.Equal(t, 5, c.Moments[5].Active())
	require.Equal(t, 13, c.Code.Line(c.Moments[2].Places[0].At))
	require.Equal(t, []int{17, 17}, []int{c.Code.Blocks[2].First, c.Code.Blocks[2].Last})

	c = charted(s, ChartAsk{From: 4, To: 6}, 100)
	require.Equal(t, []int64{4, 6, 2}, []int64{c.From, c.To, int64(len(c.Moments))})
	s.SetSource("test.ptx", strings.Replace(split(t), "mov.u32 %r2, 9;", "", 1))
	finish(s)
	require.Len(t, charted(s, ChartAsk{}, 100).Moments, 10, "another program")
}

// A step is drawn without a survey: each view looks at the machine where it is.
func TestChartFollowsSteps(t *testing.T) {
	s := open(t, split(t))
	s.AskChart(ChartAsk{})
	for n := range 4 {
		require.Len(t, s.Chart().Moments, n)
		s.Step()
	}
}

// At each tick an exact chart says of the warp whose turn it is what the record of the step says.
func TestChartAgreesWithTheSteps(t *testing.T) {
	for _, name := range []string{"03-predication", "05-nested-divergence", "07-switch", "09-recursion",
		"10-shared-memory", "30-lock-between-lanes"} {
		text, err := os.ReadFile(filepath.Join("../public/examples", name+".ptx"))
		require.NoError(t, err)
		s := open(t, string(text))
		for s.RunFor(1 << 10) {
			if s.history.tick() > 1<<11 {
				s.Pause()
				break
			}
		}
		c := charted(s, ChartAsk{To: 1 << 11}, 1<<9)
		require.True(t, c.Complete)
		require.Equal(t, int64(1), c.Stride)
		s.SeekTo(0)
		h, turns := s.history, 0
		for i := range c.Moments {
			m := &c.Moments[i]
			cta, warp, _ := h.grid.Next()
			rec, err := h.step()
			require.NoError(t, err)
			require.Equal(t, cta == c.CTA && warp == c.Warp, m.Turn, "%s, step %d", name, i)
			if !m.Turn {
				continue
			}
			turns++
			at := m.Places[0]
			off := rec.Active &^ rec.Exec
			if rec.Inst != nil && rec.Inst.Match.Form.Effect&isa.Branches != 0 {
				off = 0
			}
			require.Equal(t, Place{c.Code.at(rec.Func, rec.Inst), rec.Active, true, off}, at, "%s, step %d", name, i)
			for _, p := range m.Places[1:] {
				require.False(t, p.Runs)
				require.Zero(t, p.Mask&at.Mask)
			}
		}
		require.Positive(t, turns, name)
	}
}

// A long run has a moment for every 2^k ticks, anywhere in them; a span of it is exact again.
func TestChartOfALongRun(t *testing.T) {
	s := open(t, strings.Replace(counting(t), "2600000", "20000", 1))
	finish(s)
	end := s.history.end
	c := charted(s, ChartAsk{}, 1<<12)
	require.True(t, c.Complete)
	require.Greater(t, end, int64(10*mostMoments))
	require.InDelta(t, 1.5*mostMoments/2, len(c.Moments), mostMoments/2+1)
	for i := range c.Moments {
		m := &c.Moments[i]
		require.Equal(t, int64(i)*c.Stride, m.First)
		require.True(t, m.Tick >= m.First && m.Tick < m.First+c.Stride)
	}
	for _, i := range []int{0, 1, len(c.Moments) / 3, len(c.Moments) - 1} {
		s.SeekTo(c.Moments[i].Tick)
		v := s.View()
		require.Equal(t, v.Line, c.Code.Line(c.Moments[i].Places[0].At))
		require.Equal(t, v.State.Active, c.Moments[i].Places[0].Mask)
	}
	half := charted(s, ChartAsk{From: 0, To: c.Stride * mostMoments / 2}, 1<<13)
	require.Equal(t, c.Stride/2, half.Stride)
	known := map[int64]bool{}
	for _, m := range half.Moments {
		known[m.Tick] = true
	}
	for _, m := range c.Moments[:len(half.Moments)/2-1] {
		require.True(t, known[m.Tick], "moments of the whole run are used again in a part of it")
	}
	near := charted(s, ChartAsk{From: end / 2, To: end/2 + 100}, 7)
	require.Equal(t, int64(1), near.Stride)
	require.Len(t, near.Moments, 100)
	require.Same(t, near, s.Chart(), "nothing is new")
	require.LessOrEqual(t, len(s.chart.kept), keptMoments)
}

// pair is two CTAs of two warps: the first warp of a CTA waits at the barrier until the second has come.
func TestChartOfAllWarps(t *testing.T) {
	s := open(t, pair(t))
	finish(s)
	c := charted(s, ChartAsk{All: true}, 10)
	require.True(t, c.Complete)
	require.Equal(t, 1, c.Each)
	first, waits := &c.Moments[0], 0
	require.Equal(t, []Doing{DoesRun, DoesReady, DoesCome, DoesCome},
		[]Doing{first.Rows[0].Doing, first.Rows[1].Doing, first.Rows[2].Doing, first.Rows[3].Doing})
	require.Equal(t, uint8(32), first.Rows[0].Lanes)
	require.Equal(t, []Count{{DoesRun, -1, 1}, {DoesReady, -1, 1}, {DoesCome, -1, 2}}, first.Warps)
	for i := range c.Moments {
		if r := c.Moments[i].Rows[0]; r.Doing == DoesWait {
			waits++
			require.Equal(t, "19", c.Code.Blocks[c.Code.Block(r.At)].Name, "the block with the barrier")
		}
	}
	require.Positive(t, waits)
	last := c.Moments[len(c.Moments)-1]
	require.Equal(t, DoesEnded, last.Rows[0].Doing)
}

// What is not asked for is not looked for.
func TestNoChart(t *testing.T) {
	s := open(t, split(t))
	finish(s)
	require.Nil(t, s.Chart())
	require.Empty(t, s.lacks())
	s.AskChart(ChartAsk{})
	require.Len(t, s.lacks(), 11)
	s.NoChart()
	require.Empty(t, s.lacks())
	require.Nil(t, s.Chart())
}

// A fault has a tick of its own; the chart ends before the instruction that faulted.
func TestChartOfAFault(t *testing.T) {
	s := open(t, faulty(t))
	finish(s)
	require.Equal(t, Faulted, s.phase)
	c := charted(s, ChartAsk{All: true}, 3)
	require.True(t, c.Complete)
	require.Len(t, c.Moments, int(s.history.faultTick))
	require.Equal(t, DoesRun, c.Moments[len(c.Moments)-1].Rows[1].Doing)
	require.True(t, s.history.faulted)
	require.NotEqual(t, emu.Mask(0), s.View().State.Present)
}
