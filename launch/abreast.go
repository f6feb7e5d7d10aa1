package launch

import (
	"fmt"
	"slices"

	"warpscope/emu"
	"warpscope/ptx"
)

// Abreast is one program under several models of divergence, which go through it in step: each time, those go on that
// have executed the fewest lane instructions. In all models a lane executes the same instructions, as long as the lanes
// do not depend on who comes first. So the runs are at about the same place of the source, however they share the work
// among warp instructions.
type Abreast struct {
	Runs  []*ModelRun
	Apart *Parting // where the runs differ first; nil as long as they do not
	left  int64    // steps for which differences are looked for
}

// ModelRun is the run under one model.
type ModelRun struct {
	*Prepared
	Model emu.Divergence
	Done  bool // ended, faulted or stopped
}

// Parting is the first moment at which two runs differ: all have executed the same warp instructions so far.
type Parting struct {
	Tick int64
	Next []Turn // by run
}

// Turn is what a run executes next.
type Turn struct {
	CTA, Warp int
	Line      int // 0 past a function's end, or if the run has ended
	Lanes     emu.Mask
	pc        *ptx.Inst
	ended     bool
}

// lookSteps is for how many steps differences are looked for: a program that goes on longer without one has none, or
// is too long to step through.
const lookSteps = 1 << 17

// NewAbreast prepares the same launch under each model.
func NewAbreast(m *ptx.Module, s *Spec, o emu.Options, models []emu.Divergence) (*Abreast, error) {
	a := &Abreast{left: lookSteps}
	for _, model := range models {
		o.Divergence = model
		p, err := Prepare(m, s, o)
		if err != nil {
			return nil, err
		}
		a.Runs = append(a.Runs, &ModelRun{Prepared: p, Model: model})
	}
	return a, nil
}

// Name is the model's name.
func (r *ModelRun) Name() string { return r.Model.String() }

// Next is what the run executes next.
func (r *ModelRun) Next() Turn {
	cta, warp, ok := r.Grid.Next()
	if !ok || r.Done {
		return Turn{ended: true}
	}
	w := emu.WarpHead(r.Grid, cta, warp)
	t := Turn{CTA: cta, Warp: warp, Lanes: w.Active, pc: w.PC}
	if w.PC != nil {
		t.Line = r.Module.Position(int(w.PC.Span.Start)).Line
	}
	return t
}

// Words say it: "line 12 in lanes 0-7", "line 49 in 23 lanes".
func (t Turn) Words() string {
	switch {
	case t.ended:
		return "nothing: it has ended"
	case t.Line == 0:
		return "the function's end in " + t.Lanes.FewLanes()
	}
	return fmt.Sprintf("line %d in %s", t.Line, t.Lanes.FewLanes())
}

// advance executes instructions of one run.
func (r *ModelRun) advance(n int64) {
	if r.Done {
		return
	}
	done, err := r.Grid.RunFor(n)
	r.Err, r.Done = err, done || err != nil
}

// Stop ends all runs that have not ended.
func (a *Abreast) Stop(why error) {
	for _, r := range a.Runs {
		if !r.Done {
			r.Err, r.Done = why, true
		}
	}
}

// Done says whether all runs have ended.
func (a *Abreast) Done() bool {
	return !slices.ContainsFunc(a.Runs, func(r *ModelRun) bool { return !r.Done })
}

// Step lets those runs execute a warp instruction that are furthest behind, and says whether there is more to run.
func (a *Abreast) Step() (more bool) {
	a.look()
	least := int64(-1)
	for _, r := range a.Runs {
		if n := r.Grid.Stats().LaneInstructions; !r.Done && (least < 0 || n < least) {
			least = n
		}
	}
	for _, r := range a.Runs {
		if !r.Done && r.Grid.Stats().LaneInstructions == least {
			r.advance(1)
		}
	}
	a.look()
	return !a.Done()
}

// look notes the first difference. Until then the runs are at the same tick.
func (a *Abreast) look() {
	if a.Apart != nil || a.left <= 0 {
		return
	}
	a.left--
	var next []Turn
	for _, r := range a.Runs {
		next = append(next, r.Next())
	}
	for _, t := range next[1:] {
		if t != next[0] {
			a.Apart = &Parting{a.Runs[0].Grid.Tick(), next}
			return
		}
	}
}

// Run executes about so many warp instructions under each model: in step up to the first difference, then one model
// after the other. It says whether there is more to run.
func (a *Abreast) Run(budget int64) (more bool) {
	for ; budget > 0 && a.Apart == nil && a.left > 0 && !a.Done(); budget-- {
		a.Step()
	}
	for _, r := range a.Runs {
		if budget > 0 {
			r.advance(budget)
		}
	}
	return !a.Done()
}

// Back begins anew.
func (a *Abreast) Back(s *Spec, o emu.Options) (*Abreast, error) {
	var models []emu.Divergence
	for _, r := range a.Runs {
		models = append(models, r.Model)
	}
	return NewAbreast(a.Runs[0].Module, s, o, models)
}

// Words say where the runs part.
func (a *Abreast) Words() string {
	if a.Apart == nil {
		if a.left <= 0 {
			return fmt.Sprintf("The models execute the same %s first.", ptx.Plural(int64(lookSteps/2), "warp instruction"))
		}
		if a.Done() {
			return "All models execute the same warp instructions."
		}
		return "So far all models execute the same warp instructions."
	}
	words := fmt.Sprintf("The models differ after %s of warp %d of CTA %d. Next,", ptx.Plural(a.Apart.Tick,
		"warp instruction"), a.Apart.Next[0].Warp, a.Apart.Next[0].CTA)
	for i, t := range a.Apart.Next {
		words += fmt.Sprintf("%s %s executes %s", map[bool]string{true: ",", false: ""}[i > 0], a.Runs[i].Name(), t.Words())
	}
	return words + "."
}

// Outcome says how the run has ended, in words; "" while it goes on.
func (r *ModelRun) Outcome() string {
	switch report := r.Report(); {
	case !r.Done:
		return ""
	case report.Fault != nil:
		return report.Fault.Error()
	case report.Stopped != nil:
		return "stopped: " + report.Stopped.Error()
	default:
		met := 0
		for _, e := range report.Expectations {
			if e.Pass {
				met++
			}
		}
		if len(report.Expectations) == 0 {
			return "finished"
		}
		return fmt.Sprintf("finished, %d of %s met", met, ptx.Plural(len(report.Expectations), "expectation"))
	}
}
