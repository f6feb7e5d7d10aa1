package debug

import (
	"fmt"
	"os"
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
