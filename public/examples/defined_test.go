package examples_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// No program that is right is told that it uses registers which its lanes have never written: examples, acceptance
// tests, what compilers made of C, and all programs of the lessons.
func TestNoRegisterIsReadTooEarly(t *testing.T) {
	sources := map[string][]byte{}
	for _, dir := range []string{"public/examples", "testdata/control", "testdata/values", "testdata/real/ptx"} {
		for _, file := range programs(t, dir) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			sources[filepath.Base(file)] = src
		}
	}
	fence := regexp.MustCompile("(?ms)^```ptx.*?\n(.*?)^```")
	lessons, err := filepath.Glob(root + "public/lessons/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, lessons)
	for _, file := range lessons {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, match := range fence.FindAllSubmatch(text, -1) {
			sources[fmt.Sprintf("%s %d", filepath.Base(file), i)] = match[1]
		}
	}
	require.Greater(t, len(sources), 300)
	for name, src := range sources {
		for _, model := range emu.Divergences() {
			if found := early(t, src, model); len(found) > 0 {
				t.Errorf("%s, %v: %s", name, model, found[0].Message)
			}
		}
	}
}

// early runs a program and gives the findings about registers that are read before they are written. Long runs are cut
// off: what a lane reads too early, it reads soon.
func early(t *testing.T, src []byte, model emu.Divergence) (found []emu.Finding) {
	m, err := ptx.Parse("test.ptx", src)
	if err != nil {
		return nil // some lessons have to be repaired
	}
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	report, err := launch.Run(ctx, m, spec, emu.Options{Divergence: model, Sanitize: emu.Initcheck})
	if err != nil {
		return nil
	}
	for _, f := range report.Findings {
		if f.Check == emu.Initcheck && f.Section == "5.1.1" {
			found = append(found, f)
		}
	}
	return found
}
