// Package docs_test keeps the documentation true: what can be derived from the code is, and what the texts name exists.
package docs_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/fresh"
	"warpscope/launch"
	"warpscope/ptx"
)

var update = flag.Bool("update", false, "write the documents that are made from the code again")

const remedy = "go test ./docs -update"

// diagnostics is the text of diagnostics.md.
func diagnostics(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nMade from the tables in `ptx/codes.go`, `launch/codes.go` and `gpu/fault.go` by\n" +
		"`go test ./docs -update`. Tests run an example of every code in the first two tables.\n\n" +
		"## The program\n\nCodes are stable. Each message says whether it is an error, a warning or a remark, with\n" +
		"the section of the manual that decides. The last column says what NVIDIA's assembler did with recorded\n" +
		"programs that have this diagnostic alone (`ptx/testdata/verdicts.txt`); it is empty where there are none.\n\n" +
		"| code | what it says | ptxas 12.5 |\n| --- | --- | --- |\n")
	codes := ptx.Codes()
	names := make([]string, 0, len(codes))
	for name := range codes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		verdict := strings.TrimPrefix(ptx.Assembler(name), "ptxas 12.5 ")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, codes[name], verdict)
	}
	b.WriteString("| `not-emulated` | Valid PTX that Warpscope does not emulate yet; reported before anything runs. | |\n")
	b.WriteString("\n## The launch header\n\n| code | what it says |\n| --- | --- |\n")
	for _, c := range launch.Codes {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.Summary)
	}
	b.WriteString("\n## Faults at run time\n\nA fault ends the grid. Its message names the line, the CTA, the warp, the " +
		"lanes, and the address with\nthe nearest allocation. A header expects one with `//@ expect fault KIND at line N`." +
		"\n\n| kind | what happened |\n| --- | --- |\n")
	api, err := os.ReadFile("../gpu/fault.go")
	require.NoError(t, err)
	kinds := regexp.MustCompile(`(?m)^\t(\w+)\s+FaultKind = "\w+"\s+// (.*)$`).FindAllStringSubmatch(string(api), -1)
	require.NotEmpty(t, kinds)
	for _, k := range kinds {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k[1], k[2])
	}
	return b.String()
}

func TestDiagnosticsAreFresh(t *testing.T) {
	want := diagnostics(t)
	if *update {
		require.NoError(t, os.WriteFile("diagnostics.md", []byte(want), 0o644))
	}
	have, err := os.ReadFile("diagnostics.md")
	require.NoError(t, err)
	fresh.Require(t, "diagnostics.md", remedy, want, string(have))
}

// texts are the written documents, with the folder that their links start from.
func texts(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.md")
	require.NoError(t, err)
	all := map[string]string{}
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all[file] = string(text)
	}
	return all
}

// TestReadmeCounts: the numbers that the README gives are those of the repository.
func TestReadmeCounts(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	words := strings.Join(strings.Fields(string(readme)), " ")
	files := func(pattern string) []string {
		list, err := filepath.Glob(filepath.Join("..", pattern))
		require.NoError(t, err)
		return list
	}
	exercises := 0
	for _, file := range files("public/lessons/*.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		exercises += len(regexp.MustCompile("(?m)^```ptx (exercise|broken)=").FindAll(text, -1))
	}
	coverage, err := os.ReadFile("coverage.md")
	require.NoError(t, err)
	families := regexp.MustCompile(`\| all \| (\d+) \| (\d+) \|`).FindStringSubmatch(string(coverage))
	opcodes := regexp.MustCompile(`(\d+) of the (\d+) opcodes tried`).FindStringSubmatch(string(coverage))
	percent := func(part, whole string) int { // rounded down; coverage.md has the numbers
		a, err := strconv.Atoi(part)
		require.NoError(t, err)
		b, err := strconv.Atoi(whole)
		require.NoError(t, err)
		return 100 * a / b
	}
	for _, says := range []string{
		fmt.Sprintf("%d [lessons]", len(files("public/lessons/*.md"))),
		fmt.Sprintf("%d exercises", exercises),
		fmt.Sprintf("%d [examples]", len(files("public/examples/*.ptx"))),
		fmt.Sprintf("%d %% of the families", percent(families[2], families[1])),
		fmt.Sprintf("%d %% of the opcodes", percent(opcodes[1], opcodes[2])),
		fmt.Sprintf("%d kernels in C", len(files("testdata/real/expect/*.txt"))),
		fmt.Sprintf("%d builds", len(files("testdata/real/ptx/*.ptx"))),
	} {
		require.True(t, strings.Contains(words, says), "README.md does not say %q", says)
	}
}

// TestReadmeProgram runs the README's program: what it shows first has to be right.
func TestReadmeProgram(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	fence := regexp.MustCompile("(?s)```ptx\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, fence)
	m, err := ptx.Parse("README.ptx", fence[1])
	require.NoError(t, err)
	require.Empty(t, m.Diagnostics)
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	require.NotEmpty(t, spec.Expects)
	report, err := launch.Run(t.Context(), m, spec, emu.Options{})
	require.NoError(t, err)
	require.True(t, report.OK())
}

// built are files that build.sh makes; documents may name them, a fresh clone does not have them.
var built = []string{"public/warpscope.html", "public/warpscope.mjs", "public/warpscope.js", "public/warpscope.wasm",
	"public/precache.js"}

// TestPathsExist requires every relative link and every path in backquotes that has a folder to lead somewhere.
func TestPathsExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^):#]+)\)`)
	path := regexp.MustCompile("`((?:ptx|emu|launch|debug|ui|wasm|cmd|public|docs|testdata|bench|browser|editor)" +
		"/[\\w./-]*)`")
	for file, text := range texts(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(file), m[1]))
			require.NoErrorf(t, err, "%s links to %s", file, m[1])
		}
		for _, m := range path.FindAllStringSubmatch(text, -1) {
			if slices.Contains(built, m[1]) {
				continue
			}
			_, err := os.Stat(filepath.Join("..", m[1]))
			require.NoErrorf(t, err, "%s names %s", file, m[1])
		}
	}
}

// The README's picture moves: it is a PNG with an animation (chunk acTL, PNG 11.3.6.1) of several frames, and small
// enough for a page that is read on the way.
func TestPictureMoves(t *testing.T) {
	file, err := os.ReadFile("screenshot.png")
	require.NoError(t, err)
	require.Less(t, len(file), 500_000)
	_, control, found := bytes.Cut(file, []byte("acTL"))
	require.True(t, found, "docs/screenshot.png does not move")
	require.GreaterOrEqual(t, binary.BigEndian.Uint32(control), uint32(10), "frames")
}
