package ui

import "warpscope/debug"

// Travel goes to the next or the previous place that a journey looks for.
type Travel struct{ Journey debug.Journey }

// travels are the journeys that have no key of their own, for the palette.
var travels = []choice{
	goTo("Next divergence", debug.ToDivergence, false), goTo("Previous divergence", debug.ToDivergence, true),
	goTo("Next reconvergence", debug.ToReconvergence, false), goTo("Previous reconvergence", debug.ToReconvergence, true),
	goTo("Next barrier", debug.ToBarrier, false), goTo("Previous barrier", debug.ToBarrier, true),
	goTo("Next output", debug.ToOutput, false), goTo("Next finding", debug.ToFinding, false),
	goTo("Next instruction of any warp", debug.ToWarp, false),
}

func goTo(name string, goal debug.Goal, back bool) choice {
	return choice{Kind: kindCommand, Name: name, Action: Travel{debug.Journey{Goal: goal, Back: back}}}
}

// journey begins a journey. It is a run that looks where it goes: it has the same slices, and Pause ends it.
func (s *Store) journey(j debug.Journey) {
	if s.model.Running {
		s.pause()
	}
	s.parseNow()
	if s.model.View.Phase == debug.Invalid {
		s.explainInvalid()
		return
	}
	s.runner.journey = &j
	s.start(s.model.View)
}
