package examples_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// No program that is right has findings, under all sanitizers: examples, acceptance tests, what compilers made of C,
// and all programs of the lessons.
func TestCorrectProgramsHaveNoFindings(t *testing.T) {
	sources := map[string][]byte{}
	for _, dir := range []string{"public/examples", "testdata/control", "testdata/values", "testdata/real/ptx"} {
		for _, file := range programs(t, dir) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			sources[filepath.Base(file)] = src
		}
	}
	fence := regexp.MustCompile("(?ms)^```ptx([^\n]*)\n(.*?)^```")
	lessons, err := filepath.Glob(root + "public/lessons/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, lessons)
	for _, file := range lessons {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, match := range fence.FindAllSubmatch(text, -1) {
			if !strings.Contains(string(match[1]), "broken=") {
				sources[fmt.Sprintf("%s %d", filepath.Base(file), i)] = match[2]
			}
		}
	}
	require.Greater(t, len(sources), 300)
	for n, name := range slices.Sorted(maps.Keys(sources)) {
		src, models := sources[name], emu.Divergences()
		if strings.Contains(name, ".clang") { // what compilers made has many versions: one model each
			models = models[n%len(models):][:1]
		}
		for _, model := range models {
			for _, f := range found(t, src, model) {
				t.Errorf("%s, %v, line %d: %s", name, model, f.Pos.Line, f.Message)
			}
		}
	}
}

// found runs a program under all sanitizers and gives the findings that its header does not expect. Long runs are cut
// off: what is wrong shows soon.
func found(t *testing.T, src []byte, model emu.Divergence) []emu.Finding {
	m, err := ptx.Parse("test.ptx", src)
	if err != nil {
		return nil // some lessons have to be repaired
	}
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r, err := launch.Run(ctx, m, spec, emu.Options{Divergence: model, Engine: emu.Interpreter,
		Sanitize: emu.Racecheck | emu.Initcheck})
	require.NoError(t, err)
	own := spec.Model
	if own == emu.Auto {
		own = emu.ByTarget(m.SM)
	}
	return slices.DeleteFunc(r.Findings, func(f emu.Finding) bool {
		// The other model has other rules for barriers and masks.
		return f.Check == emu.Synccheck && model != own || slices.ContainsFunc(spec.Expects, func(e launch.Expect) bool {
			return strings.EqualFold(e.Text, "finding "+launch.ChecksText(f.Check))
		})
	})
}
