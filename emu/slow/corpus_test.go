package slow

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/host"
	"warpscope/internal/txtar"
	"warpscope/launch"
	"warpscope/ptx"
)

// source is a program of the repository with its launch header.
type source struct{ name, text string }

// wholeFiles are folders of programs.
var wholeFiles = []string{"testdata/control", "testdata/faults", "testdata/values", "testdata/real/ptx",
	"testdata/hardware", "emu/testdata/state", "public/examples", "bench"}

// corpus are all programs of the repository: files, blocks of lessons, and texts of archives.
func corpus(t *testing.T) (list []source) {
	const root = "../../"
	read := func(pattern string, add func(path, text string)) {
		paths, err := filepath.Glob(root + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			add(strings.TrimPrefix(path, root), string(text))
		}
	}
	for _, folder := range wholeFiles {
		read(folder+"/*.ptx", func(path, text string) { list = append(list, source{path, text}) })
	}
	block := regexp.MustCompile("(?s)\n```ptx[^\n]*\n(.*?)\n```")
	read("public/lessons/*.md", func(path, text string) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			list = append(list, source{path, m[1] + "\n"})
		}
	})
	for _, pattern := range []string{"*/testdata/*.txtar", "*/*/testdata/*.txtar"} {
		read(pattern, func(path, _ string) {
			for _, part := range txtar.File(t, root+path) {
				list = append(list, source{path + ": " + part.Name, part.Text})
			}
		})
	}
	return list
}

// twinOf launches a program as its header says.
func twinOf(m *ptx.Module, model emu.Divergence, w way) (*twin, error) {
	spec, err := launch.FromSource(m)
	if err != nil {
		return nil, err
	}
	const memory = 128 << 20 // bytes, which endless recursion fills
	p, err := launch.Prepare(m, spec, emu.Options{Divergence: model, Engine: w.engine, MemoryLimit: memory})
	if err != nil {
		return nil, err
	}
	t := w.twin(p.Device, p.Grid)
	t.guard()
	return t, nil
}

// brief says whether a launch is over after so few warp instructions that wazero's compiler would take longer.
func brief(m *ptx.Module, model emu.Divergence) bool {
	t, err := twinOf(m, model, reference)
	if err != nil {
		return true
	}
	done, err := t.RunFor(20_000)
	return done || err != nil
}

// TestEnginesAgreeOnThePrograms runs every program of the repository that can be launched in both ways: under one of
// the models that are compiled, and one program of nine under all, and always with wazero's compiler.
func TestEnginesAgreeOnThePrograms(t *testing.T) {
	t.Parallel()
	limit, every := int64(1<<23), 1 // warp instructions of a run; programs of which one runs
	if runtime.GOOS == "js" || testing.Short() {
		limit, every = 1<<12, 9
	}
	s := newSums()
	all := corpus(t)
	for n := 0; n < len(all); n += every {
		program, other := all[n], others[n%len(others)]
		m, err := ptx.Parse(program.name, []byte(program.text))
		if err != nil {
			continue
		}
		models := compiledModels[n/len(others)%len(compiledModels):][:1]
		if n%9 == 0 && every == 1 {
			models = emu.Divergences()
		} else if brief(m, models[0]) {
			other.host = host.Interpreted
		}
		launched := false
		for _, model := range models {
			a, err := twinOf(m, model, reference)
			if err != nil {
				continue
			}
			b, err := twinOf(m, model, other)
			require.NoError(t, err, program.name)
			launched = true
			require.Empty(t, together(a, b, cuts(int64(n), 3, 14, limit)), "%s, %s", program.name, model)
			s.add(a, b)
		}
		if launched {
			s.count(m)
		} else {
			require.NotContains(t, program.name, ".ptx", "a file that cannot be launched")
		}
	}
	t.Logf("of %d texts %s", len(all), s)
	require.Greater(t, s.calls, int64(10*s.runs))
	require.Greater(t, s.kernels, 1000/every)
}
