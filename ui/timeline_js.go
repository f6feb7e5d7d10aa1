package ui

import (
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Timeline travels to any tick that the run has reached. A slider cuts its value to its maximum when the value is set,
// and Vecty sets both in no fixed order, so they are set here, one after the other.
type Timeline struct {
	vecty.Core
	Tick    int64 `vecty:"prop"`
	End     int64 `vecty:"prop"`
	Still   bool  `vecty:"prop"` // there is nothing to travel through, or a run is going on
	Send    Send  `vecty:"prop"`
	mounted bool
}

const timelineID = "timeline"

// SkipRender implements vecty.RenderSkipper.
func (t *Timeline) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Timeline)
	return ok && p.Tick == t.Tick && p.End == t.End && p.Still == t.Still
}

// Mount implements vecty.Mounter.
func (t *Timeline) Mount() {
	t.mounted = true
	t.place()
}

func (t *Timeline) place() {
	slider := input(byID(timelineID).Value)
	slider.SetMax(strconv.FormatInt(max(t.End, 1), 10))
	slider.SetValue(strconv.FormatInt(t.Tick, 10))
	part := float64(t.Tick) / float64(max(t.End, 1))
	slider.Style().SetProperty("--part", strconv.FormatFloat(100*part, 'f', 2, 64), "")
	if marks := byID(markRowID); marks.Truthy() { // a frame on another page has none
		marks.Style().SetProperty("--at", strconv.FormatFloat(part, 'f', 4, 64), "")
	}
}

// Render implements vecty.Component.
func (t *Timeline) Render() vecty.ComponentOrHTML {
	if t.mounted {
		t.place()
	}
	return elem.Div(vecty.Markup(vecty.Class("timeline")),
		&Part{Key: t.Still, Draw: t.slider},
		elem.Span(vecty.Markup(vecty.Class("ticks"), attr("title", "warp instructions executed, of those known")),
			vecty.Text(count(t.Tick)+" / "+count(t.End))),
	)
}

// slider is the timeline itself, where place puts its thumb.
func (t *Timeline) slider() *vecty.HTML {
	return elem.Input(vecty.Markup(prop.Type(prop.TypeRange), prop.ID(timelineID), aria("label", "Timeline"),
		attr("min", "0"), attr("step", "1"), attr("title", "Travel to any warp instruction that has run"),
		prop.Disabled(t.Still),
		onInput(func(value string) {
			if tick, err := strconv.ParseInt(value, 10, 64); err == nil {
				t.Send(Seek{tick})
			}
		})))
}

// StepField says which step it is, and travels to the one that is entered.
type StepField struct {
	vecty.Core
	Tick  int64 `vecty:"prop"`
	End   int64 `vecty:"prop"`
	Still bool  `vecty:"prop"` // a run is going on
	Send  Send  `vecty:"prop"`

	entered bool // something that may be no step of the run
}

// SkipRender implements vecty.RenderSkipper.
func (f *StepField) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*StepField)
	return ok && !f.entered && p.Tick == f.Tick && p.End == f.End && p.Still == f.Still
}

// Render implements vecty.Component.
func (f *StepField) Render() vecty.ComponentOrHTML {
	of := ""
	if f.End > 0 {
		of = "of " + count(f.End)
	}
	value := count(f.Tick)
	f.entered = false
	return elem.Label(vecty.Markup(vecty.Class("step-field")), words("", "Step"),
		elem.Input(vecty.Markup(prop.Type(prop.TypeText), attr("inputmode", "numeric"), aria("label", "Go to step"),
			attr("autocomplete", "off"), prop.Value(value), prop.Disabled(f.Still),
			attr("size", strconv.Itoa(max(len(count(f.End)), 3))),
			onChange(func(entered string) {
				if tick, ok := parseStep(entered); ok {
					f.Send(Seek{min(tick, f.End)})
				}
				f.entered = true
				vecty.Rerender(f)
			}))),
		words("muted", of))
}
