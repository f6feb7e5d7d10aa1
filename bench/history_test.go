package bench_test

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	plan "warpscope/launch"
	"warpscope/ptx"
)

// timed is the CPU time of f; garbage that was there before costs it nothing.
func timed(f func()) time.Duration {
	runtime.GC()
	start := cpuTime()
	f()
	return cpuTime() - start
}

func source(b *testing.B, name string) string {
	text, err := sources.ReadFile(name + ".ptx")
	require.NoError(b, err)
	return string(text)
}

// BenchmarkSessionRun compares the first run of a debug session, which keeps a history, with that of a bare grid: CPU
// time, the best of several.
func BenchmarkSessionRun(b *testing.B) {
	for _, name := range []string{"hash", "mandel", "matmul", "saxpy"} {
		b.Run(name, func(b *testing.B) {
			text := source(b, name)
			bare, session := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				for range 3 {
					m, err := ptx.Parse(name, []byte(text))
					require.NoError(b, err)
					spec, err := plan.FromSource(m)
					require.NoError(b, err)
					p, err := plan.Prepare(m, spec, options(b))
					require.NoError(b, err)
					bare = min(bare, timed(func() {
						for done := false; !done; done, _ = p.Grid.RunFor(1 << 16) {
						}
					}))
					s := debug.New(options(b))
					s.SetSource(name, text)
					session = min(session, timed(func() {
						for s.RunFor(1 << 16) {
						}
					}))
				}
			}
			b.ReportMetric(bare.Seconds()*1000, "bare-ms")
			b.ReportMetric(session.Seconds()*1000, "session-ms")
			b.ReportMetric(float64(session)/float64(bare), "session/bare")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkHistory is what a history holds after ten million ticks, and how long it takes to go to other ticks.
func BenchmarkHistory(b *testing.B) {
	text := strings.Replace(source(b, "hash"), "//@ grid   16", "//@ grid   26", 1)
	text = strings.Replace(text, "u32[4096]", "u32[6656]", 1)
	for b.Loop() {
		s := debug.New(options(b))
		s.SetSource("hash", text)
		before := heap()
		for s.RunFor(1 << 16) {
		}
		held := heap() - before
		end := s.View().End
		require.Greater(b, end, int64(10_000_000))
		var seek, back time.Duration
		for _, part := range []int64{99, 50, 1, 75, 30, 98} {
			seek = max(seek, timed(func() { s.SeekTo(end * part / 100) }))
			for range 3 {
				back = max(back, timed(s.StepBack))
			}
		}
		b.ReportMetric(float64(held)/(1<<20), "MiB-held")
		b.ReportMetric(seek.Seconds()*1000, "worst-seek-ms")
		b.ReportMetric(back.Seconds()*1000, "worst-stepback-ms")
		b.ReportMetric(0, "ns/op")
		runtime.KeepAlive(s)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
