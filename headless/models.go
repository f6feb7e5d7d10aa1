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

// tryModels runs a program under each model, in step; nil if it cannot run.
func tryModels(name string, src []byte, o Options) *Models {
	first := Start(name, src, o)
	if first.prepared == nil {
		return nil
	}
	a, err := launch.NewAbreast(first.module, first.spec, emu.Options{}, emu.Divergences())
	if err != nil {
		return nil
	}
	const slice = 1 << 18
	for ran := int64(0); a.Run(slice); {
		switch ran += slice; {
		case o.Steps > 0 && ran >= o.Steps:
			a.Stop(emu.ErrMaxSteps)
		case !first.deadline.IsZero() && time.Now().After(first.deadline):
			a.Stop(errTime)
		}
	}
	m := &Models{Apart: a.Words()}
	for _, r := range a.Runs {
		report := r.Report()
		m.Runs = append(m.Runs, ModelRun{r.Name(), r.Outcome(), fault(report), statsOf(&report.Stats)})
	}
	return m
}

// describeModels prints the comparison.
func (t *tool) describeModels(m *Models) {
	for _, r := range m.Runs {
		t.Out(fmt.Sprintf("model %-11s  %s, %s, %s\n", r.Model, ptx.Plural(r.Stats.WarpInstructions, "warp instruction"),
			ptx.Plural(r.Stats.DivergentBranches, "divergence"), r.Outcome))
	}
	t.Out(m.Apart + "\n")
}
