package bench_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	plan "warpscope/launch"
	"warpscope/ptx"
)

// BenchmarkSanitize is how many times longer a run takes with all checks than without: CPU time, the best of several.
// It must stay under ten.
func BenchmarkSanitize(b *testing.B) {
	programs := txtar.Parts(b, "sanitize")
	for _, name := range []string{"hash", "mandel", "saxpy", "matmul"} {
		programs = append(programs, txtar.Part{Name: name, Text: source(b, name)})
	}
	for _, p := range programs {
		name, text := p.Name, p.Text
		b.Run(name, func(b *testing.B) {
			best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				for i, checks := range []emu.Checks{0, emu.Racecheck | emu.Initcheck} {
					o := options(b)
					o.Sanitize = checks
					m, err := ptx.Parse(name, []byte(text))
					require.NoError(b, err)
					spec, err := plan.FromSource(m)
					require.NoError(b, err)
					p, err := plan.Prepare(m, spec, o)
					require.NoError(b, err)
					best[i] = min(best[i], timed(func() { err = p.Grid.Run(b.Context()) }))
					require.NoError(b, err)
					require.True(b, p.Report().OK())
				}
			}
			b.ReportMetric(best[0].Seconds()*1000, "plain-ms")
			b.ReportMetric(best[1].Seconds()*1000, "checked-ms")
			b.ReportMetric(float64(best[1])/float64(best[0]), "checked/plain")
			b.ReportMetric(0, "ns/op")
		})
	}
}
