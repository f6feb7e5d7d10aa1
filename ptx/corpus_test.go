package ptx

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWholeFiles parses every program of the repository that must be right.
func TestWholeFiles(t *testing.T) {
	total, size, slowest, where := time.Duration(0), 0, time.Duration(0), ""
	for _, pattern := range []string{"testdata/ok/*.ptx", "../testdata/*/*.ptx", "../testdata/real/ptx/*.ptx",
		"../public/examples/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			start := time.Now()
			m, err := Parse(file, src)
			took := time.Since(start)
			require.NoError(t, err)
			total, size = total+took, size+len(src)
			if perMB := took * 1e6 / time.Duration(len(src)); len(src) > 20_000 && perMB > slowest {
				slowest, where = perMB, file
			}
			for _, d := range m.Diagnostics {
				require.NotEqual(t, Error, d.Severity)
			}
			for _, f := range m.Funcs {
				for _, in := range f.Insts {
					require.NotNil(t, in.Match, "%s: %s", file, in.Opcode)
				}
			}
		}
	}
	t.Logf("%.1f MB parsed and checked at %.1f MB/s; the slowest file, %s, takes %v for a megabyte", float64(size)/1e6,
		float64(size)/1e6/total.Seconds(), where, slowest.Round(time.Millisecond))
}
