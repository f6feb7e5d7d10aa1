package headless

import (
	"errors"
	"slices"
	"strings"
	"time"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Check reads a program, its launch header, and whether everything in it is emulated. Nothing runs. A module without
// kernels and without a header is valid too.
func Check(name string, src []byte) *Checked {
	m, err := ptx.Parse(name, src)
	found, entry := m.Diagnostics, ""
	if err == nil {
		spec, launchErr := launch.FromSource(m)
		if launchErr == nil {
			entry = spec.Entry
			found = append(found, slices.DeleteFunc(spec.Warnings, isRemark)...) // those are about what a run would guess
			_, launchErr = launch.Prepare(m, spec, emu.Options{})
		}
		if launchErr == nil || entry == "" && !launch.HasHeader(src) { // with the kernels that are not launched
			_, launchErr = emu.Load(m, emu.Options{})
		}
		found = withErrors(found, launchErr)
	}
	c := &Checked{Diagnostics: diagnostics(m, m.Located(found)), Entries: entries(m), Verdict: verdictOf(found),
		Header: launch.HasHeader(src), Entry: entry}
	c.OK = c.Verdict == OK
	return c
}

func isRemark(d ptx.Diagnostic) bool { return d.Severity == ptx.Info }

// withErrors appends what an error says about a module.
func withErrors(list ptx.Diagnostics, err error) ptx.Diagnostics {
	list = slices.Clip(list)
	var found ptx.Diagnostics
	switch {
	case err == nil:
		return list
	case errors.As(err, &found):
		return append(list, found...)
	}
	return append(list, ptx.Diagnostic{Code: "launch-refused", Message: err.Error()})
}

// verdictOf says whether diagnostics keep a program from running, and whose fault that is.
func verdictOf(list ptx.Diagnostics) Verdict {
	verdict := OK
	for _, d := range list.Errors() {
		switch {
		case launch.Owns(d.Code):
			verdict = BadLaunch
		case d.Code != "not-emulated":
			return NotPTX
		case verdict == OK:
			verdict = NotEmulated
		}
	}
	return verdict
}

// Options of a run. The zero value runs a program as its header says.
type Options struct {
	Settings launch.Settings
	Steps    int64         // warp instructions at most; 0: no limit
	Time     time.Duration // at most; 0: no limit
	Counters bool          // the result has counters
	Schedule uint64        // the seed of another legal schedule; 0: the usual one

	Models    bool // the result compares the models of divergence
	Schedules int  // the result says what so many other legal schedules show
}

// Run is a run that its caller drives.
type Run struct {
	name     string
	src      []byte
	module   *ptx.Module
	spec     *launch.Spec
	found    ptx.Diagnostics
	prepared *launch.Prepared // nil when nothing can run
	options  Options
	steps    int64
	deadline time.Time
	done     bool // the run itself has ended

	// Other runs after it, or nil: their caller drives them, too.
	trials *trials
	models *comparison
}

// Start reads a program and makes its launch ready.
func Start(name string, src []byte, o Options) *Run {
	m, err := ptx.Parse(name, src)
	r := &Run{name: name, src: src, module: m, options: o, found: m.Diagnostics}
	if err == nil {
		r.spec, err = launch.FromSettings(m, o.Settings)
		if err == nil {
			r.found = append(r.found, r.spec.Warnings...)
			r.prepared, err = launch.Prepare(m, r.spec,
				emu.Options{Counters: o.Counters, Schedule: emu.Seed(o.Schedule)})
		}
		r.found = withErrors(r.found, err)
	}
	r.done, r.deadline = r.prepared == nil, o.deadline()
	return r
}

// deadline is when a run that starts now has to end; 0: never.
func (o *Options) deadline() (at time.Time) {
	if o.Time > 0 {
		at = time.Now().Add(o.Time)
	}
	return at
}

var errTime = errors.New("the time limit is reached")

// Advance executes at most so many warp instructions and says whether the run has ended, with all that comes after it.
func (r *Run) Advance(steps int64) (done bool) {
	if !r.done {
		if r.advance(steps); !r.done {
			return false
		}
		if r.options.Schedules > 0 {
			r.trials = newTrials(r)
		}
		if r.options.Models {
			r.models = newComparison(r)
		}
	}
	return r.trials.advance(steps) && r.models.advance(steps)
}

func (r *Run) advance(steps int64) {
	if r.options.Steps > 0 {
		steps = min(steps, r.options.Steps-r.steps)
	}
	done, err := r.prepared.Grid.RunFor(steps)
	r.steps += steps
	switch {
	case done || err != nil:
	case r.options.Steps > 0 && r.steps >= r.options.Steps:
		err = emu.ErrMaxSteps
	case !r.deadline.IsZero() && time.Now().After(r.deadline):
		err = errTime
	}
	r.prepared.Err = err
	r.done = done || err != nil
}

// Stop ends the run where it is, and all that would come after it.
func (r *Run) Stop(why string) {
	r.trials, r.models = nil, nil
	if !r.done {
		r.prepared.Err, r.done = errors.New(why), true
	}
}

// Finish runs to the end.
func (r *Run) Finish() *Result {
	const slice = 1 << 18
	for !r.Advance(slice) {
	}
	return r.Result()
}

// Result is the result of the run, and of what has come after it. Ask for it once the run has ended.
func (r *Run) Result() *Result {
	out := r.own()
	r.trials.add(out)
	r.models.add(out)
	return out
}

// own is the result of the run itself.
func (r *Run) own() *Result {
	found := r.module.Located(r.found)
	out := &Result{
		Verdict: verdictOf(found), Diagnostics: diagnostics(r.module, found), Buffers: map[string]*Buffer{},
		Expectations: []Expectation{}, Findings: []Finding{},
	}
	if set := r.options.Settings; len(set.Lines)+len(set.Values) > 0 {
		for i, d := range found {
			if d.Span == (ptx.Span{}) && launch.Owns(d.Code) {
				out.Diagnostics[i].Place = Place{} // a setting has none
			}
		}
	}
	if s := r.spec; s != nil {
		out.Title, out.Entry, out.Defaulted = s.Title, s.Entry, s.Defaulted
		out.Grid, out.Block = triple(s.Grid), triple(s.Block)
	}
	if r.prepared == nil {
		return out
	}
	report := r.prepared.Report()
	out.Fault, out.Findings = fault(report), findings(report)
	out.Output = strings.ToValidUTF8(string(report.Output), "\ufffd")
	if report.Stopped != nil {
		out.Stopped = report.Stopped.Error()
	}
	for _, b := range r.prepared.Buffers {
		out.Buffers[b.Arg.Name] = &Buffer{b.Arg.Type, b.Arg.Dims, report.Buffers[b.Arg.Name]}
	}
	for i, e := range report.Expectations {
		line := e.Line
		if r.spec.Expects[i].Span == (ptx.Span{}) {
			line = 0
		}
		out.Expectations = append(out.Expectations, Expectation{e.Text, e.Pass, e.Got, line})
	}
	out.Fidelity = report.Fidelity()
	if r.options.Counters {
		out.Counters, out.account = counters(report.Account), report.Account
	}
	out.Stats = statsOf(&report.Stats)
	unexpected := slices.ContainsFunc(out.Findings, func(f Finding) bool { return !f.Expected })
	out.OK = report.OK() && !unexpected
	switch {
	case !out.OK:
		out.Verdict = Failed
	case report.Unchecked:
		out.Verdict = Unchecked
	}
	return out
}

func statsOf(n *emu.Stats) Stats {
	return Stats{n.WarpInstructions, n.LaneInstructions, n.Branches, n.DivergentBranches, n.Barriers, n.Threads, n.CTAs,
		n.CTAsDone}
}
