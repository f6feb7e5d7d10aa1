package debug

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// long is a program of at least so many lines: copies of a compiler's kernel.
func long(t testing.TB, lines int) string {
	src, err := os.ReadFile("../testdata/real/ptx/matrix_inverse.clang19-O3.ptx")
	require.NoError(t, err)
	body := string(src[strings.Index(string(src), ".visible .entry"):])
	var text strings.Builder
	text.WriteString(".version 6.4\n.target sm_70\n.address_size 64\n")
	for n := 0; n*strings.Count(body, "\n") < lines; n++ {
		text.WriteString(strings.ReplaceAll(body, "matrix_inverse", fmt.Sprintf("inverse_%d", n)))
	}
	return text.String()
}

// BenchmarkSetSource is what a keystroke costs: in the middle of the text, and the preparation that follows a pause.
func BenchmarkSetSource(b *testing.B) {
	for _, lines := range []int{2_000, 20_000} {
		text := long(b, lines)
		middle := strings.Index(text[len(text)/2:], "\tadd.") + len(text)/2
		texts := []string{text, text[:middle] + "\n" + text[middle:]}
		b.Run(fmt.Sprintf("%d", lines), func(b *testing.B) {
			s := New(emu.Options{})
			for i := 0; b.Loop(); i++ {
				s.SetSource("long.ptx", texts[i%2])
			}
		})
		b.Run(fmt.Sprintf("%d/prepare", lines), func(b *testing.B) {
			s := New(emu.Options{})
			for i := 0; b.Loop(); i++ {
				s.SetSource("long.ptx", texts[i%2])
				s.Prepare()
			}
		})
	}
}

// manyRegisters is a session at the first instruction of a loop over 2,000 registers.
func manyRegisters() *Session {
	var text strings.Builder
	text.WriteString("//@ block 32\n.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" +
		".reg .u32 %r<2001>;\n.reg .pred %p;\nmov.u32 %r0, %tid.x;\nloop:\n")
	for i := 1; i < 2000; i++ {
		fmt.Fprintf(&text, "mad.lo.u32 %%r%d, %%r%d, 3, %%r%d;\n", i, i-1, i)
	}
	text.WriteString("add.u32 %r2000, %r2000, 1;\nsetp.lt.u32 %p, %r2000, 1000;\n@%p bra loop;\nret;\n}\n")
	s := New(emu.Options{})
	s.SetSource("k.ptx", text.String())
	s.Step()
	return s
}

// BenchmarkStepping is a step and its view, and a step back and its view.
func BenchmarkStepping(b *testing.B) {
	s := manyRegisters()
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			s.Step()
			s.View()
		}
	})
	b.Run("back", func(b *testing.B) {
		for b.Loop() {
			if s.StepBack(); s.Tick() == 0 {
				s.SeekTo(1 << 30)
			}
			s.View()
		}
	})
}

// A view holds 2,000 registers of 32 lanes in 64 bits, 512,000 bytes, once.
func TestStepCopiesRegistersOnce(t *testing.T) {
	s := manyRegisters()
	for name, move := range map[string]func(){"step": s.Step, "back": s.StepBack} {
		s.SeekTo(200)
		const moves = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range moves {
			move()
			s.View()
		}
		runtime.ReadMemStats(&after)
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)/moves, uint64(2*512_000), name)
	}
}

// A chart of a run of 10^7 steps is found by executing the run once more.
func BenchmarkChart(b *testing.B) {
	s := New(emu.Options{})
	s.SetSource("test.ptx", counting(b))
	for s.RunFor(1 << 20) {
	}
	for b.Loop() {
		s.NoChart()
		s.AskChart(ChartAsk{})
		for len(s.lacks()) > 0 {
			s.Survey(1 << 20)
		}
	}
	b.ReportMetric(float64(s.history.end), "steps")
}
