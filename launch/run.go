package launch

import (
	"bytes"
	"context"
	"runtime"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// Run prepares a launch, runs it to its end and evaluates its expectations. The error is for runs that could not
// begin; a fault, the step limit and a cancelled context are in the report.
func Run(ctx context.Context, m *ptx.Module, s *Spec, o emu.Options) (*Report, error) {
	p, err := Prepare(m, s, o)
	if err != nil {
		return nil, err
	}
	p.Err = p.run(ctx)
	report := p.Report()
	if report.Stopped != nil && report.Stats.WarpInstructions == 0 {
		return nil, report.Stopped
	}
	return report, nil
}

// run is Grid.Run, but lets other goroutines run between slices: otherwise the timers of a context would never fire in
// a browser's single thread.
func (p *Prepared) run(ctx context.Context) error {
	const slice = 1 << 18 // warp instructions
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if done, err := p.Grid.RunFor(slice); done || err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// Unchecked says whether the launch is guessed, at least in part, and nothing is expected of it.
func (p *Prepared) Unchecked() bool { return p.Spec.Guessed() && len(p.conditions) == 0 }

// Report evaluates the expectations on the machine's current state.
func (p *Prepared) Report() *Report {
	r := &Report{
		Fault: p.Fault(), Buffers: map[string][]byte{}, Output: bytes.Clone(p.Grid.Output()),
		Findings: p.Findings(), Stats: p.Grid.Stats(), Inexact: emu.InexactOf(p.Grid),
		Fix: p.Fix(), Unchecked: p.Unchecked(), Account: emu.AccountOf(p.Grid),
	}
	if r.Fault == nil {
		r.Stopped = p.Err
	}
	for i := range p.Buffers {
		r.Buffers[p.Buffers[i].Arg.Name] = p.Read(&p.Buffers[i])
	}
	o := &outcome{r.Fault, r.Buffers, r.Output, r.Findings, &r.Stats, r.Account, p.Grid.LineCounts}
	for _, c := range p.conditions {
		f, ok := c.(faultCondition)
		r.faultExpected = r.faultExpected || ok && f.matches(r.Fault)
	}
	for i, c := range p.conditions {
		e := Expectation{Text: p.Spec.Expects[i].Text, Line: p.Module.Position(int(p.Spec.Expects[i].Span.Start)).Line}
		switch {
		case r.Stopped != nil:
			e.Got = "the run was stopped before its end: " + r.Stopped.Error()
		case r.Fault != nil && !r.faultExpected:
			e.Got = r.Fault.Error()
		default:
			e.Pass, e.Got = c.eval(o)
		}
		r.Expectations = append(r.Expectations, e)
	}
	return r
}

// OK says whether the run came to its end, or to a fault that an expectation names, and all expectations pass.
func (r *Report) OK() bool {
	if r.Stopped != nil || r.Fault != nil && !r.faultExpected {
		return false
	}
	for _, e := range r.Expectations {
		if !e.Pass {
			return false
		}
	}
	return true
}

// Fidelity says in a line how close the results are to those of a GPU: "all exact", or the executed opcodes whose error
// the manual only bounds.
func (r *Report) Fidelity() string {
	if len(r.Inexact) == 0 {
		return "all exact"
	}
	var list []string
	for _, x := range r.Inexact {
		list = append(list, x.Opcode+" ("+x.Bound+"; "+x.Section+")")
	}
	return "within the manual's bounds: " + strings.Join(list, ", ")
}
