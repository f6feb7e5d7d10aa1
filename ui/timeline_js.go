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
	Still bool `vecty:"prop"` // there is nothing to travel through, or a run is going on
	Send  Send `vecty:"prop"`
	shown [2]int64
	ticks livePart
}

const timelineID = "timeline"

// SkipRender implements vecty.RenderSkipper. The place of the run is drawn live.
func (t *Timeline) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Timeline)
	return ok && p.Still == t.Still
}

// Mount implements vecty.Mounter.
func (t *Timeline) Mount() {
	t.shown, t.ticks = [2]int64{-1, -1}, liveElement("ticks")
	drawsLive("", func(m *Model) { t.place(m.View.Tick, m.View.End) })
}

func (t *Timeline) place(tick, end int64) {
	now := [2]int64{tick, end}
	if now == t.shown {
		return
	}
	slider := input(byID(timelineID).Value)
	if end != t.shown[1] { // the browser puts the thumb anew, even where it stays
		slider.SetMax(strconv.FormatInt(max(end, 1), 10))
	}
	t.shown = now
	slider.SetValue(strconv.FormatInt(tick, 10))
	part := float64(tick) / float64(max(end, 1))
	slider.Style().SetProperty("--part", strconv.FormatFloat(100*part, 'f', 2, 64), "")
	if marks := byID(markRowID); marks.Truthy() { // a frame on another page has none
		marks.Style().SetProperty("--at", strconv.FormatFloat(part, 'f', 4, 64), "")
	}
	t.ticks.text(count(tick) + " / " + count(end))
}

// Render implements vecty.Component.
func (t *Timeline) Render() vecty.ComponentOrHTML {
	return elem.Div(vecty.Markup(vecty.Class("timeline")),
		&Part{Key: t.Still, Draw: t.slider},
		&Part{Draw: func() *vecty.HTML {
			return elem.Span(vecty.Markup(prop.ID("ticks"), vecty.Class("ticks"),
				attr("title", "warp instructions executed, of those known")))
		}},
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
	Still bool `vecty:"prop"` // a run is going on
	Send  Send `vecty:"prop"`

	tick, end int64 // as shown
	field, of livePart
}

const stepFieldID = "step-field"

// SkipRender implements vecty.RenderSkipper. The step is drawn live.
func (f *StepField) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*StepField)
	return ok && p.Still == f.Still
}

// Mount implements vecty.Mounter.
func (f *StepField) Mount() {
	f.tick, f.end, f.field, f.of = -1, -1, liveElement(stepFieldID), liveElement("step-field-of")
	drawsLive("", func(m *Model) {
		if f.tick != m.View.Tick || f.end != m.View.End {
			f.tick, f.end = m.View.Tick, m.View.End
			f.write()
		}
	})
}

func (f *StepField) write() {
	f.field.Set("value", count(f.tick))
	f.field.attribute("size", strconv.Itoa(max(len(count(f.end)), 3)))
	of := ""
	if f.end > 0 {
		of = "of " + count(f.end)
	}
	f.of.text(of)
}

// Render implements vecty.Component.
func (f *StepField) Render() vecty.ComponentOrHTML {
	return elem.Label(vecty.Markup(vecty.Class("step-field")), words("", "Step"),
		elem.Input(vecty.Markup(prop.ID(stepFieldID), prop.Type(prop.TypeText), attr("inputmode", "numeric"),
			aria("label", "Go to step"), attr("autocomplete", "off"), prop.Disabled(f.Still),
			onChange(func(entered string) {
				if tick, ok := parseStep(entered); ok {
					f.Send(Seek{min(tick, f.end)})
				}
				f.write() // what was entered may be no step of the run
			}))),
		&Part{Draw: func() *vecty.HTML { return elem.Span(vecty.Markup(prop.ID("step-field-of"), vecty.Class("muted"))) }})
}
