package ui

import (
	"cmp"
	"strings"

	"warpscope/debug"
)

// Travel goes to the next or the previous place that a journey looks for.
type Travel struct{ Journey debug.Journey }

// GoToFinding goes to a place of a finding: to the step that made it, or to the other one that it names.
type GoToFinding struct {
	Index int // of the view's Findings, and of Later after them
	Other bool
}

// Journeys whose goal follows from what the user has pointed at.
type (
	ToCursor    struct{}                // to the line of the editor's cursor
	ToLastWrite struct{}                // to the step that wrote the register at hand
	SetStride   struct{ Stride Stride } // what Step executes
)

// Stride is what the buttons Step and Step back execute.
type Stride string

// The strides.
const (
	StrideWarp   Stride = "" // one instruction of the followed warp
	StrideAny    Stride = "any"
	StrideSource Stride = "source" // up to the next line of the source that .loc names
)

// strides are the words for them.
var strides = []struct {
	Stride Stride
	Words  string
}{{StrideWarp, "Instruction of this warp"}, {StrideAny, "Instruction of any warp"}, {StrideSource, "Source line"}}

// words are what a stride is, within a sentence.
func (s Stride) words() string {
	for _, one := range strides {
		if one.Stride == s {
			return strings.ToLower(one.Words)
		}
	}
	return ""
}

// destinations are what the menu "Go to" offers, in its order. The palette has them, too.
var destinations = []choice{
	goTo("Next divergence", debug.ToDivergence, false), goTo("Next reconvergence", debug.ToReconvergence, false),
	goTo("Next barrier", debug.ToBarrier, false), goTo("Next output", debug.ToOutput, false),
	goTo("Next finding", debug.ToFinding, false), goTo("Next source line", debug.ToSourceLine, false),
	goTo("Next instruction of any warp", debug.ToWarp, false), goTo("Step over", debug.OverCall, false),
	goTo("Step out", debug.OutOfCall, false),
	{Kind: kindCommand, Name: "Line of the cursor", Action: ToCursor{}},
	{Kind: kindCommand, Name: "Last write", Action: ToLastWrite{}},
	goTo("Previous breakpoint", debug.ToBreakpoint, true), goTo("Previous divergence", debug.ToDivergence, true),
	goTo("Previous reconvergence", debug.ToReconvergence, true), goTo("Previous barrier", debug.ToBarrier, true),
	goTo("Previous output", debug.ToOutput, true), goTo("Previous finding", debug.ToFinding, true),
	goTo("Previous source line", debug.ToSourceLine, true),
}

func goTo(name string, goal debug.Goal, back bool) choice {
	return choice{Kind: kindCommand, Name: name, Action: Travel{debug.Journey{Goal: goal, Back: back}}}
}

// keysOf are the keys of an action, "" for none.
func keysOf(action Action) string {
	for _, group := range Keys {
		for _, k := range group.Keys {
			if k.Action != nil && k.Action == action {
				return k.Keys
			}
		}
	}
	return ""
}

// goToMenu is the menu of the button "Go to": where to travel, and what Step executes.
func goToMenu(m *Model) *Popup {
	p := &Popup{Name: "Go to"}
	for _, d := range destinations {
		p.Items = append(p.Items, popupItem{Label: d.Name, Keys: keysOf(d.Action), Action: d.Action})
	}
	for i, s := range strides {
		item := popupItem{Label: s.Words, Action: SetStride{s.Stride}, Choice: true, Chosen: s.Stride == m.Stride}
		if i == 0 {
			item.Head = "Step executes"
		}
		p.Items = append(p.Items, item)
	}
	return p
}

// isGoTo says whether an open menu is that of the button "Go to".
func isGoTo(p *Popup) bool { return p != nil && p.Name == "Go to" }

// journeyAction applies an action that travels.
func (s *Store) journeyAction(action Action) bool {
	switch a := action.(type) {
	case Travel:
		s.journey(a.Journey)
	case ToCursor:
		s.journey(debug.Journey{Goal: debug.ToLine, Line: max(s.cursor, 1)})
	case ToLastWrite:
		s.lastWrite(cmp.Or(s.model.AtHand, s.model.Recent))
	case GoToFinding:
		s.move(func() { s.session.GoToFinding(a.Index, a.Other) })
	case SetStride:
		s.update(func(m *Model) { m.Stride = a.Stride })
		s.saveSettings()
	case StepOnce:
		s.step(false)
	case StepBack:
		s.step(true)
	case ShowPopup:
		s.update(func(m *Model) { m.Popup = a.Popup })
	default:
		return false
	}
	return true
}

// step executes what the user has chosen as a step.
func (s *Store) step(back bool) {
	if s.model.Stride != StrideWarp {
		s.catchUp()
	}
	switch {
	case s.model.Stride == StrideAny:
		s.journey(debug.Journey{Goal: debug.ToWarp, Back: back})
	case s.model.Stride == StrideSource:
		s.journey(debug.Journey{Goal: debug.ToSourceLine, Back: back})
	case back:
		s.move(s.session.StepBack)
	default:
		s.move(s.session.Step)
	}
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
	if view := &s.model.View; !j.Back && (view.Phase == debug.Finished || view.Phase == debug.Faulted) {
		s.update(func(m *Model) { m.Notice = j.Nothing() + " " + m.View.Status })
		return
	}
	s.runner.journey = &j
	s.start(s.model.View)
}
