// Package bugs_test runs programs with one planted bug each, and their repaired twins, under all sanitizers. See
// README.md.
package bugs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// planted is what the line "// bug: …" of a program says: a check and the lines of the two instructions, in any order,
// since it depends on the schedule which comes first; or a fault and its line.
type planted struct {
	kind        string
	fault       bool
	line, other int
}

// cure is how a finding ends: it says what to do.
var cure = regexp.MustCompile(`[:;] [a-z][^:;]+$`)

var bugLine = regexp.MustCompile(`(?m)^// bug: (fault )?(\w+), line (\d+)(?: and line (\d+))?$`)

func plantedIn(t *testing.T, src []byte) planted {
	t.Helper()
	m := bugLine.FindSubmatch(src)
	require.NotNil(t, m, "no line // bug: …")
	p := planted{kind: string(m[2]), fault: len(m[1]) > 0}
	p.line, _ = strconv.Atoi(string(m[3]))
	p.other, _ = strconv.Atoi(string(m[4]))
	return p
}

// run runs a program with all checks.
func run(t *testing.T, path string) (*launch.Report, []byte) {
	t.Helper()
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	m, err := ptx.Parse(path, src)
	require.NoError(t, err)
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	p, err := launch.Prepare(m, spec, emu.Options{Sanitize: all})
	require.NoError(t, err)
	p.Err = p.Grid.Run(context.Background())
	return p.Report(), src
}

const all = emu.Memcheck | emu.Racecheck | emu.Initcheck | emu.Synccheck

// found lists the findings of a run.
func found(r *launch.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s, line %d and line %d: %s", launch.ChecksText(f.Check), f.Pos.Line, f.Other.Line, f.Message)
	}
	if r.Fault != nil {
		fmt.Fprintf(&b, "\nfault %s: %v", r.Fault.Kind, r.Fault)
	}
	return b.String()
}

func TestPlantedBugsAreFound(t *testing.T) {
	files, err := filepath.Glob("*.ptx")
	require.NoError(t, err)
	bugs := 0
	for _, path := range files {
		if strings.HasSuffix(path, ".fixed.ptx") {
			require.FileExists(t, strings.TrimSuffix(path, ".fixed.ptx")+".ptx")
			continue
		}
		bugs++
		report, src := run(t, path)
		want := plantedIn(t, src)
		assert.True(t, meets(want, report), "%s: %+v%s", path, want, found(report))
		for _, e := range report.Expectations {
			assert.True(t, e.Pass, "%s: %s: %s", path, e.Text, e.Got)
		}
		twin, _ := run(t, strings.TrimSuffix(path, ".ptx")+".fixed.ptx")
		assert.Empty(t, found(twin), "the twin of %s", path)
	}
	require.GreaterOrEqual(t, bugs, 60)
}

// meets says whether a run has the planted bug's finding and no other.
func meets(want planted, r *launch.Report) bool {
	if want.fault {
		return r.Fault != nil && string(r.Fault.Kind) == want.kind && r.Fault.Pos.Line == want.line && len(r.Findings) == 0
	}
	if r.Fault != nil || len(r.Findings) != 1 {
		return false
	}
	f := r.Findings[0]
	if !cure.MatchString(f.Message) || f.At.Inst == nil {
		return false
	}
	if (f.With.Inst == nil) != (f.Other.Line == 0) && f.Section != "5.1.1" { // a register's declaration is no instruction
		return false
	}
	return strings.EqualFold(launch.ChecksText(f.Check), want.kind) &&
		(f.Pos.Line == want.line && f.Other.Line == want.other || f.Pos.Line == want.other && f.Other.Line == want.line)
}
