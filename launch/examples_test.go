package launch_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

func TestExamplesMeetTheirExpectations(t *testing.T) {
	files, err := filepath.Glob("../public/examples/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			m, err := ptx.Parse(file, src)
			require.NoError(t, err)
			spec, err := launch.FromSource(m)
			require.NoError(t, err)
			require.False(t, spec.Defaulted)
			require.Empty(t, spec.Warnings)
			require.Equal(t, string(src), launch.ApplyHeader(string(src), spec))
			r, err := launch.Run(context.Background(), m, spec, emu.Options{})
			require.NoError(t, err)
			for _, e := range r.Expectations {
				require.True(t, e.Pass, "line %d: %s: %s", e.Line, e.Text, e.Got)
			}
			require.True(t, r.OK(), "%v", r.Fault)
			expected := slices.ContainsFunc(spec.Expects, func(e launch.Expect) bool {
				return strings.HasPrefix(e.Text, "finding ")
			})
			require.Equal(t, expected, len(r.Findings) > 0, "%v", r.Findings)
		})
	}
}
