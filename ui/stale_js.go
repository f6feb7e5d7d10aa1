package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// StaleNote says that the state is that of an earlier text, and runs the program again to the same step.
type StaleNote struct {
	vecty.Core
	Words string `vecty:"prop"`
	Tick  int64  `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (s *StaleNote) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*StaleNote)
	return ok && p.Words == s.Words && p.Tick == s.Tick
}

// Render implements vecty.Component.
func (s *StaleNote) Render() vecty.ComponentOrHTML {
	return elem.Div(vecty.Markup(vecty.Class("stale-note"), vecty.ClassMap{"empty": s.Words == "" && s.Tick == 0}),
		elem.Span(vecty.Markup(vecty.Class("badge"), vecty.ClassMap{"empty": s.Words == ""}, attr("role", "note")),
			vecty.Text(s.Words)),
		elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.ClassMap{"empty": s.Tick == 0},
			aria("disabled", boolWord(s.Words != "")), onClick(func() { s.Send(RunAgain{}) })),
			vecty.Text("Run again to step "+count(s.Tick))))
}
