package bench_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
)

// long is a program of at least so many lines: copies of a compiler's kernel, under names of their own or one name.
func long(tb testing.TB, lines int, name string) string {
	src, err := os.ReadFile("../testdata/real/ptx/matrix_inverse.clang19-O3.ptx")
	require.NoError(tb, err)
	body := string(src[strings.Index(string(src), ".visible .entry"):])
	var text strings.Builder
	text.WriteString(".version 6.4\n.target sm_70\n.address_size 64\n")
	for n := 0; n*strings.Count(body, "\n") < lines; n++ {
		text.WriteString(strings.ReplaceAll(body, "matrix_inverse", strings.ReplaceAll(name, "#", fmt.Sprint(n))))
	}
	return text.String()
}

// BenchmarkKeystroke is what a letter in the middle of a long text costs: the parse that follows a short pause, and the
// launch that follows a longer one, for the panels. CPU time, the best of several.
func BenchmarkKeystroke(b *testing.B) {
	for _, lines := range []int{2_000, 20_000} {
		for _, names := range []struct{ is, of string }{{"unique", "inverse_#"}, {"twice", "inverse"}} {
			b.Run(fmt.Sprintf("%d/%s", lines, names.is), func(b *testing.B) {
				text := long(b, lines, names.of)
				middle := strings.Index(text[len(text)/2:], "\tadd.") + len(text)/2
				texts := []string{text, text[:middle] + "\n" + text[middle:]}
				s := debug.New(options(b))
				best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
				for i := 0; b.Loop(); i++ {
					best[0] = min(best[0], timed(func() { s.SetSource("long.ptx", texts[i%2]) }))
					best[1] = min(best[1], timed(func() { s.View() }))
				}
				b.ReportMetric(best[0].Seconds()*1000, "typed-ms")
				b.ReportMetric(best[1].Seconds()*1000, "prepared-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
