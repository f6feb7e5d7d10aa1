// Package examples_test runs every program that checks itself by its launch header: the examples of the page, and the
// emulator's acceptance tests under testdata/control (control flow, warps, barriers, memory), testdata/faults (what
// must stop a kernel, and what must not) and testdata/values (arithmetic at its edges).
package examples_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

const root = "../../"

// programs are the PTX files of a directory below the repository's root.
func programs(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*.ptx"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no programs in %s", dir)
	return files
}

// parse reads and checks one program; its diagnostics come back as text, with lines.
func parse(t *testing.T, file string) (*ptx.Module, string) {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	m, err := ptx.Parse(filepath.Base(file), src)
	var list strings.Builder
	for _, d := range m.Diagnostics {
		at := m.Position(int(d.Span.Start))
		fmt.Fprintf(&list, "%d:%d: %s: %s: %s\n", at.Line, at.Column, d.Severity, d.Code, d.Message)
	}
	if err != nil {
		require.Fail(t, "not valid PTX", "%s:\n%s", file, list.String())
	}
	return m, list.String()
}

// Examples are laid out as Format lays them out: "fmt -l" lists none of them.
func TestExamplesAreLaidOut(t *testing.T) {
	for _, file := range programs(t, "public/examples") {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(ptx.Format(src)), string(src), file)
	}
}

// run launches a program as its header says and requires that all expectations pass. Unless the header names a model
// it runs under each, and all must leave the same memory.
func run(t *testing.T, m *ptx.Module) *launch.Report {
	t.Helper()
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	require.NotEmpty(t, spec.Expects, "a program that expects nothing checks nothing")
	if spec.Model != emu.Auto {
		return runUnder(t, m, spec, spec.Model)
	}
	report := runUnder(t, m, spec, emu.Stack)
	for _, model := range emu.Divergences() {
		if model == emu.Stack {
			continue
		}
		other := runUnder(t, m, spec, model)
		require.Equal(t, report.Buffers, other.Buffers, "the divergence models differ: %v", model)
		require.Equal(t, string(report.Output), string(other.Output), "the divergence models differ: %v", model)
	}
	return report
}

func runUnder(t *testing.T, m *ptx.Module, spec *launch.Spec, model emu.Divergence) *launch.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	report, err := launch.Run(ctx, m, spec, emu.Options{Divergence: model})
	require.NoError(t, err)
	var failed strings.Builder
	for _, e := range report.Expectations {
		if !e.Pass {
			fmt.Fprintf(&failed, "line %d: expect %s, got %s\n", e.Line, e.Text, e.Got)
		}
	}
	if report.Fault != nil {
		fmt.Fprintf(&failed, "fault: %v\n", report.Fault)
	}
	require.True(t, report.OK(), "%s: %s", model, failed.String())
	return report
}

func TestExamples(t *testing.T) {
	number := 0
	for _, file := range programs(t, "public/examples") {
		name := filepath.Base(file)
		number++
		t.Run(name, func(t *testing.T) {
			require.Regexp(t, fmt.Sprintf(`^%02d-[a-z0-9-]+\.ptx$`, number), name, "examples are numbered without gaps")
			m, diagnostics := parse(t, file)
			require.Empty(t, diagnostics, "examples have no warnings either")
			require.Contains(t, string(m.Src), "//@ title ", "the chooser needs a title")
			report := run(t, m)
			if !bytes.Contains(m.Src, []byte("//@ expect   finding ")) { // some show what the sanitizers find
				require.Empty(t, report.Findings)
			}
		})
	}
	require.GreaterOrEqual(t, number, 14)
}

func TestAcceptance(t *testing.T) {
	for _, dir := range []string{"testdata/control", "testdata/faults", "testdata/values"} {
		for _, file := range programs(t, dir) {
			t.Run(filepath.Base(dir)+"/"+filepath.Base(file), func(t *testing.T) {
				m, _ := parse(t, file)
				run(t, m)
			})
		}
	}
}

// TestFaultKinds requires a program for every kind of fault that gpu/fault.go declares.
func TestFaultKinds(t *testing.T) {
	api, err := os.ReadFile(root + "gpu/fault.go")
	require.NoError(t, err)
	kinds := regexp.MustCompile(`(\w+)\s+FaultKind = "`).FindAllSubmatch(api, -1)
	require.NotEmpty(t, kinds)
	var all strings.Builder
	for _, file := range programs(t, "testdata/faults") {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(src)
	}
	for _, kind := range kinds {
		require.Regexp(t, `//@ expect\s+fault `+string(kind[1])+`\b`, all.String())
	}
}
