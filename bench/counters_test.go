package bench_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// BenchmarkCounters is how many times longer a launch takes with counters than the plain interpreter without: CPU time,
// the best of several, both in turn.
func BenchmarkCounters(b *testing.B) {
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				for i, counters := range []bool{false, true} {
					d, c, _ := loadWith(b, w, emu.Options{Engine: emu.Interpreter, Counters: counters})
					g, err := d.Launch(c)
					require.NoError(b, err)
					best[i] = min(best[i], timed(func() { err = g.Run(b.Context()) }))
					require.NoError(b, err)
				}
			}
			b.ReportMetric(best[0].Seconds()*1000, "plain-ms")
			b.ReportMetric(best[1].Seconds()*1000, "counted-ms")
			b.ReportMetric(float64(best[1])/float64(best[0]), "counted/plain")
			b.ReportMetric(0, "ns/op")
		})
	}
}
