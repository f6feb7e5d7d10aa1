package ui

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// The program under several models of divergence, in step. These are runs of their own: the page's machine stays where
// it is.

// Actions of the dialog "Models".
type (
	ShowModels  struct{ On bool }
	StepModels  struct{}
	PartModels  struct{} // run to the first difference
	RunModels   struct{}
	ResetModels struct{}
)

// ModelsPicture is the open dialog. A published one never changes.
type ModelsPicture struct {
	Sides   []modelSide
	Words   string // where the runs differ
	Running bool
	Started bool
	Done    bool
	Parted  bool
	Problem string // why nothing can run
}

// modelSide is the run under one model.
type modelSide struct {
	Label   string
	Groups  []sideGroup
	Warps   string // warp instructions so far
	Lanes   string // lane instructions so far
	Splits  string // divergent branches so far
	Outcome string // how it has ended
	Bad     bool   // … with a fault
	Parts   bool   // the runs differ here first
}

// sideGroup is lanes of the warp that runs next.
type sideGroup struct {
	Line string
	Text string
	Mask emu.Mask
	Runs bool
}

// modelsAction applies an action of the dialog.
func (s *Store) modelsAction(action Action) bool {
	a := s.runner.abreast
	switch act := action.(type) {
	case ShowModels:
		if !act.On {
			s.runner.abreast = nil
			s.update(func(m *Model) { m.Models = nil })
			return true
		}
		s.startModels()
		return true
	case ResetModels:
		s.startModels()
		return true
	case StepModels:
		if a != nil && !s.model.Models.Running {
			a.Step()
			s.showModels(false)
		}
	case PartModels:
		s.runModels(func() bool { return a.Apart == nil && a.Step() })
	case RunModels:
		s.runModels(func() bool { return a.Run(minChunk) })
	default:
		return false
	}
	return true
}

// startModels begins the runs anew with the text of the editor.
func (s *Store) startModels() {
	s.runner.abreast, s.runner.models = nil, nil
	m, err := ptx.Parse("kernel.ptx", []byte(s.text))
	var spec *launch.Spec
	if err == nil {
		spec, err = launch.FromSource(m)
	}
	if err == nil {
		s.runner.abreast, err = launch.NewAbreast(m, spec, emu.Options{MemoryLimit: comparedMemory}, emu.Divergences())
	}
	if err != nil {
		s.update(func(m *Model) { m.Models = &ModelsPicture{Problem: err.Error()} })
		return
	}
	s.showModels(false)
}

// runModels goes on, a frame at a time, as long as there is more.
func (s *Store) runModels(more func() bool) {
	if s.runner.abreast == nil || s.model.Models.Running {
		return
	}
	s.runner.models = more
	s.showModels(true)
	s.platform.Frame(s.sliceModels)
}

func (s *Store) sliceModels() {
	a, more := s.runner.abreast, s.runner.models
	if a == nil || more == nil {
		return
	}
	goes := true
	for start := s.platform.Now(); goes && s.platform.Now()-start < frameMS; {
		goes = more()
	}
	if slices.ContainsFunc(a.Runs, func(r *launch.ModelRun) bool { return r.Grid.Tick() >= comparedSteps }) {
		a.Stop(emu.ErrMaxSteps)
		goes = false
	}
	if !goes {
		s.runner.models = nil
	}
	s.showModels(goes)
	if goes {
		s.platform.Frame(s.sliceModels)
	}
}

// showModels publishes where the runs are.
func (s *Store) showModels(running bool) {
	a := s.runner.abreast
	p := &ModelsPicture{Words: a.Words(), Running: running, Done: a.Done(), Parted: a.Apart != nil}
	for i, r := range a.Runs {
		p.Started = p.Started || r.Grid.Tick() > 0
		p.Sides = append(p.Sides, s.side(a, i))
	}
	s.update(func(m *Model) { m.Models = p })
}

func (s *Store) side(a *launch.Abreast, i int) modelSide {
	r := a.Runs[i]
	stats := r.Grid.Stats()
	side := modelSide{Label: emu.Models[r.Model].Label, Warps: count(stats.WarpInstructions),
		Lanes: count(stats.LaneInstructions), Splits: count(stats.DivergentBranches), Outcome: r.Outcome()}
	side.Bad = r.Done && (r.Fault() != nil || r.Err != nil)
	side.Parts = a.Apart != nil && !r.Done && a.Apart.Tick == r.Grid.Tick()
	cta, warp, ok := r.Grid.Next()
	if !ok {
		return side
	}
	w := emu.WarpHead(r.Grid, cta, warp)
	left := w.Present &^ w.Exited
	for k, e := range w.Stack {
		g := sideGroup{Mask: e.Mask & left, Runs: k == 0 && e.Wait == emu.WaitNone, Line: "end"}
		if left &^= e.Mask; g.Mask == 0 {
			continue
		}
		if e.PC != nil {
			g.Line = fmt.Sprint(r.Module.Position(int(e.PC.Span.Start)).Line)
			g.Text = strings.TrimSuffix(strings.Join(strings.Fields(r.Module.Text(e.PC.Span)), " "), ";")
		}
		side.Groups = append(side.Groups, g)
	}
	return side
}
