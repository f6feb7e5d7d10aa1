package bench_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	plan "warpscope/launch"
	"warpscope/ptx"
)

// BenchmarkLaunch is what a user gets from pressing Run: parse and header, memory and first CTAs, run, report. CPU
// time, the best of several; with -benchtime 1x, of the first in the process.
func BenchmarkLaunch(b *testing.B) {
	for _, w := range []workload{hash(), mandel(), saxpy(), matmul()} {
		b.Run(w.name, func(b *testing.B) {
			text := source(b, w.name)
			names := []string{"parse-ms", "prepare-ms", "run-ms", "report-ms"}
			best := make([]time.Duration, len(names))
			total := time.Duration(math.MaxInt64)
			for i := range best {
				best[i] = total
			}
			awaitQuiet()
			for b.Loop() {
				var m *ptx.Module
				var spec *plan.Spec
				var p *plan.Prepared
				var err error
				var sum time.Duration
				for i, part := range []func(){
					func() {
						m, err = ptx.Parse(w.name, []byte(text))
						require.NoError(b, err)
						spec, err = plan.FromSource(m)
					},
					func() { p, err = plan.Prepare(m, spec, options(b)) },
					func() { err = p.Grid.Run(context.Background()) },
					func() { require.True(b, p.Report().OK()) },
				} {
					start := cpuTime()
					part()
					took := cpuTime() - start
					require.NoError(b, err)
					best[i], sum = min(best[i], took), sum+took
				}
				total = min(total, sum)
			}
			for i, name := range names {
				b.ReportMetric(best[i].Seconds()*1000, name)
			}
			b.ReportMetric(float64(w.laneInstructions)/total.Seconds(), "lane-instr/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// awaitQuiet waits until the process has started: V8 goes on in other threads for a while, and compiles functions that
// were hot then. That is not what Run costs.
func awaitQuiet() {
	const while, idle = 250 * time.Millisecond, 2 * time.Millisecond
	for range 40 {
		before := cpuTime()
		time.Sleep(while)
		if cpuTime()-before < idle {
			return
		}
	}
}

// CTAs that follow others need no memory of their own: a launch of many allocates as often as one of few.
func TestCTAsAllocateNothing(t *testing.T) {
	for _, w := range []workload{saxpy(), mandel()} {
		d, c, _ := load(t, w)
		var allocs [2]float64
		for i, n := range []int{32, 256} {
			c.Grid.X = n
			allocs[i] = testing.AllocsPerRun(2, func() { launch(t, d, c) })
		}
		require.Less(t, allocs[1], allocs[0]+32, w.name)
	}
	// Barriers allocate nothing either: matmul's warps come to 8,192 of them.
	d, c, _ := load(t, matmul())
	require.Less(t, testing.AllocsPerRun(2, func() { launch(t, d, c) }), 200.0)
}
