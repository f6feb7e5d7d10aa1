package ptx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWholeFiles parses every program of the repository that must be right.
func TestWholeFiles(t *testing.T) {
	for _, pattern := range []string{"testdata/ok/*.ptx", "../testdata/*/*.ptx", "../testdata/real/ptx/*.ptx",
		"../public/examples/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			m, err := Parse(file, src)
			require.NoError(t, err)
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
}
