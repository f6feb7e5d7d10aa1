// Command warpscope runs and checks PTX files without a browser. See usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

const usage = `usage: warpscope run [-timeout 1m] FILE
       warpscope check FILE...

run    launches FILE as its launch header says, and prints what the kernel printed, how each expectation fared, and
       whether the results are exact or only within the manual's bounds.
check  reads each FILE, its launch header, and whether everything in it is emulated; nothing runs.
A FILE of - is the standard input.

exit status:
  0  everything is as it should be
  1  the run faulted unexpectedly, was stopped by the time limit, or missed an expectation
  2  wrong usage, or a file that cannot be read
  3  not PTX, or a launch header that does not fit it
  4  PTX that is not emulated yet
`

// The exit statuses, in the order of their gravity where several files are checked.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitNotPTX
	exitNotEmulated
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// tool is one invocation.
type tool struct {
	in       io.Reader
	out, err io.Writer
}

func run(args []string, in io.Reader, out, errs io.Writer) int {
	t := &tool{in, out, errs}
	if len(args) > 0 {
		switch args[0] {
		case "run":
			return t.run(args[1:])
		case "check":
			return t.check(args[1:])
		case "help", "-h", "-help", "--help":
			fmt.Fprint(out, usage)
			return exitOK
		}
	}
	fmt.Fprint(errs, usage)
	return exitUsage
}

func (t *tool) run(args []string) int {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(t.err)
	flags.Usage = func() { fmt.Fprint(t.err, usage) }
	timeout := flags.Duration("timeout", time.Minute, "stop the run after this time")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if flags.NArg() != 1 {
		fmt.Fprint(t.err, usage)
		return exitUsage
	}
	m, spec, code := t.read(flags.Arg(0))
	if code != exitOK {
		return code
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	report, err := launch.Run(ctx, m, spec, emu.Options{})
	if err != nil {
		return t.refuse(m, err)
	}
	t.print(spec, report)
	if !report.OK() {
		return exitFailed
	}
	return exitOK
}

func (t *tool) check(files []string) int {
	if len(files) == 0 {
		fmt.Fprint(t.err, usage)
		return exitUsage
	}
	worst := exitOK
	for _, file := range files {
		m, _, code := t.read(file)
		if code == exitOK {
			if _, err := emu.Load(m, emu.Options{}); err != nil {
				code = t.refuse(m, err)
			}
		}
		if code == exitOK {
			fmt.Fprintf(t.out, "%s: ok\n", file)
		}
		worst = max(worst, code)
	}
	return worst
}

// read parses a file and its launch header and prints what there is to say about them.
func (t *tool) read(file string) (*ptx.Module, *launch.Spec, int) {
	src, err := t.source(file)
	if err != nil {
		fmt.Fprintln(t.err, err)
		return nil, nil, exitUsage
	}
	m, err := ptx.Parse(file, src)
	if err != nil {
		return nil, nil, t.refuse(m, err)
	}
	t.diagnose(m.Diagnostics)
	spec, err := launch.FromSource(m)
	if err != nil {
		return nil, nil, t.refuse(m, err)
	}
	t.diagnose(spec.Warnings)
	return m, spec, exitOK
}

func (t *tool) source(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(t.in)
	}
	return os.ReadFile(file)
}

// refuse prints why nothing can run and chooses the exit status.
func (t *tool) refuse(m *ptx.Module, err error) int {
	var list ptx.Diagnostics
	if !errors.As(err, &list) {
		fmt.Fprintf(t.err, "%s: %v\n", m.Name, err)
		return exitFailed
	}
	t.diagnose(m.Located(list))
	if slices.ContainsFunc(list.Errors(), func(d ptx.Diagnostic) bool { return d.Code != "not-emulated" }) {
		return exitNotPTX
	}
	return exitNotEmulated
}

func (t *tool) diagnose(list ptx.Diagnostics) {
	for _, d := range list {
		fmt.Fprintln(t.err, d)
		for _, n := range d.Notes {
			fmt.Fprintf(t.err, "    note: %s\n", n.Message)
		}
		if d.Fix != nil && d.Fix.Message != "" {
			fmt.Fprintf(t.err, "    fix: %s\n", d.Fix.Message)
		}
	}
}

// print writes a report: what ran, what it printed, each expectation, and the verdict.
func (t *tool) print(s *launch.Spec, r *launch.Report) {
	if s.Defaulted {
		fmt.Fprintln(t.out, "no launch header: grid, block and arguments are made up")
	}
	fmt.Fprintf(t.out, "%s: %s CTAs, %s threads, %s warp instructions\n", s.Entry, launch.Thousands(r.Stats.CTAs),
		launch.Thousands(r.Stats.Threads), launch.Thousands(r.Stats.WarpInstructions))
	if len(r.Output) > 0 {
		fmt.Fprintf(t.out, "%s\n", strings.TrimSuffix(string(r.Output), "\n"))
	}
	if r.Fault != nil {
		fmt.Fprintf(t.out, "fault: %v\n", r.Fault)
	}
	if r.Stopped != nil {
		fmt.Fprintf(t.out, "stopped: %v\n", r.Stopped)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(t.out, "finding: line %d: %s\n", f.Pos.Line, f.Message)
	}
	for _, e := range r.Expectations {
		if e.Pass {
			fmt.Fprintf(t.out, "ok    line %d: %s\n", e.Line, e.Text)
		} else {
			fmt.Fprintf(t.out, "FAIL  line %d: %s: %s\n", e.Line, e.Text, e.Got)
		}
	}
	fmt.Fprintf(t.out, "results: %s\n", r.Fidelity())
	verdict := "PASS"
	if !r.OK() {
		verdict = "FAIL"
	}
	fmt.Fprintln(t.out, verdict)
}
