package bench_test

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/internal/txtar"
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

// BenchmarkHistory is what a history of ten million steps holds, and how long it takes to go to other ticks and to find
// who wrote what in the last million. The bounds are 64 MiB, 300 ms for a seek and for an answer, and 16 ms for a step
// back. Where the warp has executed nothing for 100,000 ticks, a step back goes that far: it is as long as a seek.
func BenchmarkHistory(b *testing.B) {
	loop := strings.Replace(source(b, "hash"), "//@ grid   16", "//@ grid   26", 1)
	loop = strings.Replace(loop, "u32[4096]", "u32[6656]", 1)
	for _, p := range append(txtar.Parts(b, "history"), txtar.Part{Name: "loop", Text: loop}) {
		b.Run(p.Name, func(b *testing.B) {
			for b.Loop() {
				s := debug.New(options(b))
				s.SetSource(p.Name, p.Text)
				s.Prepare()
				before := heap()
				for s.RunFor(1 << 16) {
				}
				b.ReportMetric(float64(heap()-before)/(1<<20), "MiB-held")
				end := s.View().End
				require.Greater(b, end, int64(10_000_000))
				var seek, back, far time.Duration
				for _, part := range []int64{99, 50, 1, 75, 30, 98} {
					seek = max(seek, timed(func() { s.SeekTo(end * part / 100) }))
					for range 30 { // as many as a held key makes in a second
						from := s.Tick()
						took := timed(s.StepBack)
						if from-s.Tick() > 100_000 {
							far = max(far, took)
						} else {
							back = max(back, took)
						}
					}
				}
				register, memory := slowestAnswer(b, s, end/2)
				b.ReportMetric(seek.Seconds()*1000, "worst-seek-ms")
				b.ReportMetric(back.Seconds()*1000, "worst-stepback-ms")
				b.ReportMetric(far.Seconds()*1000, "worst-far-stepback-ms")
				b.ReportMetric(register.Seconds()*1000, "writer-of-register-ms")
				b.ReportMetric(memory.Seconds()*1000, "writer-of-memory-ms")
				b.ReportMetric(0, "ns/op")
				runtime.KeepAlive(s)
			}
		})
	}
}

// slowestAnswer asks of each register of a lane who wrote it, and of memory that was written nearly a million steps
// ago, and returns the longest times that answers from the last million steps took.
func slowestAnswer(b *testing.B, s *debug.Session, tick int64) (register, memory time.Duration) {
	answers := 0
	ask := func(c debug.Cell, longest *time.Duration) {
		var w debug.Change
		ok := false
		if took := timed(func() { w, ok = s.Writer(c) }); ok && w.Tick >= s.Tick()-1_000_000 {
			*longest = max(*longest, took)
			answers++
		}
	}
	s.SeekTo(tick)
	for range 40 { // a warp that has ended is left for the next one
		s.Step()
	}
	v := s.View()
	for _, r := range v.State.Regs {
		ask(debug.Cell{CTA: v.CTA, Warp: v.Warp, Lane: 5, Reg: r.Reg, Elem: -1}, &register)
	}
	for range 1000 {
		s.Step()
		if last := s.View().Last; last != nil && len(last.Mem) == 32 {
			s.SeekTo(last.Tick + 900_000)
			ask(debug.Cell{CTA: last.CTAIndex, Addr: last.Mem[5].Addr, Size: 4, Space: last.Mem[5].Space}, &memory)
			break
		}
	}
	require.Positive(b, answers)
	return register, memory
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
