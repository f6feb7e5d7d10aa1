package headless

import (
	"fmt"
	"time"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Models compares a run with those under all models of divergence.
type Models struct {
	Runs  []ModelRun `json:"runs"`
	Apart string     `json:"apart"` // where they differ first, in words
}

// ModelRun is the run under one model.
type ModelRun struct {
	Model   string `json:"model"`
	Outcome string `json:"outcome"`
	Fault   *Fault `json:"fault"`
	Stats   Stats  `json:"stats"`
}

// comparison runs a program under each model, in step. A nil one has nothing to do.
type comparison struct {
	*launch.Abreast
	options  *Options
	ran      int64
	deadline time.Time
}

// newComparison prepares the launch of a run under each model; nil if that cannot be done.
func newComparison(r *Run) *comparison {
	a, err := launch.NewAbreast(r.module, r.spec, emu.Options{}, emu.Divergences())
	if err != nil {
		return nil
	}
	return &comparison{Abreast: a, options: &r.options, deadline: r.options.deadline()}
}

func (c *comparison) advance(steps int64) (done bool) {
	if c == nil || !c.Run(steps) {
		return true
	}
	switch c.ran += steps; {
	case c.options.Steps > 0 && c.ran >= c.options.Steps:
		c.Stop(emu.ErrMaxSteps)
	case !c.deadline.IsZero() && time.Now().After(c.deadline):
		c.Stop(errTime)
	}
	return false
}

func (c *comparison) add(to *Result) {
	if c == nil {
		return
	}
	to.Models = &Models{Apart: c.Words()}
	for _, r := range c.Runs {
		report := r.Report()
		to.Models.Runs = append(to.Models.Runs, ModelRun{r.Name(), r.Outcome(), fault(report), statsOf(&report.Stats)})
	}
}

// describeModels prints the comparison.
func (t *tool) describeModels(m *Models) {
	for _, r := range m.Runs {
		t.Out(fmt.Sprintf("model %-11s  %s, %s, %s\n", r.Model, ptx.Plural(r.Stats.WarpInstructions, "warp instruction"),
			ptx.Plural(r.Stats.DivergentBranches, "divergence"), r.Outcome))
	}
	t.Out(m.Apart + "\n")
}
