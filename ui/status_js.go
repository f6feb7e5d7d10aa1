package ui

import (
	"fmt"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
)

// Status is the line at the bottom that says in words what happened last, with the progress of a long run beside it.
type Status struct {
	vecty.Core
	Model *Model `vecty:"prop"`
}

// Render implements vecty.Component.
func (s *Status) Render() vecty.ComponentOrHTML {
	m := s.Model
	return elem.Footer(vecty.Markup(vecty.Class("status")),
		elem.Span(vecty.Markup(vecty.Class("phase"), aria("hidden", "true"))),
		elem.Paragraph(vecty.Markup(attr("role", "status"), aria("live", "polite")), vecty.Text(m.status())),
		elem.Div(vecty.Markup(vecty.Class("progress"), vecty.ClassMap{"empty": !m.Running && m.Rate == 0}), progress(m)),
	)
}

// progress shows a run's CTAs and speed; after the run the speed stays.
func progress(m *Model) vecty.List {
	if !m.Running {
		if m.Rate == 0 {
			return nil
		}
		return vecty.List{span("rate", rate(m.Rate))}
	}
	done, total := m.View.Stats.CTAsDone, m.View.Stats.CTAs
	return vecty.List{
		elem.Progress(vecty.Markup(attr("max", fmt.Sprint(max(total, 1))), attr("value", fmt.Sprint(done)),
			aria("label", "CTAs done"))),
		span("", fmt.Sprintf("%s of %s CTAs", count(done), count(total))),
		span("rate", count(m.View.Tick)+" warp instructions, "+rate(m.Rate)),
	}
}
