package ui

import (
	"fmt"
	"strings"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Status is the line at the bottom that says in words what happened last, with the progress of a long run beside it.
type Status struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"` // nil in a frame, whose panels are all in sight
}

// statusFacts are what the line has besides its sentence.
type statusFacts struct {
	title, reports string
	rate           float64
	running        *Model
}

func (s *Status) facts() statusFacts {
	f := statusFacts{rate: s.Model.Rate}
	if s.Model.Running {
		f.running = s.Model
	}
	if s.Send == nil {
		f.title = s.Model.Title
	} else {
		f.reports = fmt.Sprint(s.listed())
	}
	return f
}

// SkipRender implements vecty.RenderSkipper. The sentence is drawn live.
func (s *Status) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Status)
	return ok && p.facts() == s.facts()
}

// Mount implements vecty.Mounter.
func (s *Status) Mount() {
	sentence := liveElement("status-line")
	drawsLive("", func(m *Model) { sentence.write(sentenceHTML(m.status())) })
}

// Render implements vecty.Component.
func (s *Status) Render() vecty.ComponentOrHTML {
	m := s.Model
	name := vecty.Markup()
	if s.Send == nil {
		name = embedName(m)
	}
	return elem.Footer(vecty.Markup(vecty.Class("status")), name,
		&Part{Draw: func() *vecty.HTML { return elem.Span(vecty.Markup(vecty.Class("phase"), aria("hidden", "true"))) }},
		&Part{Draw: func() *vecty.HTML {
			return elem.Paragraph(vecty.Markup(prop.ID("status-line"), attr("role", "status"), aria("live", "polite")))
		}},
		progress(m),
		s.reports(),
	)
}

// reports are the buttons of the panels that report something, with how much they have to say.
func (s *Status) reports() vecty.ComponentOrHTML {
	if s.Send == nil {
		return nil
	}
	list, shown := s.listed()
	return &Part{Key: fmt.Sprint(list, shown), Draw: func() *vecty.HTML { return s.drawReports(list, shown) }}
}

// listed are the reports, and which of their panels are in sight.
func (s *Status) listed() (list []report, shown map[string]bool) {
	layout := s.Model.layout()
	list, shown = reports(s.Model), map[string]bool{}
	for _, r := range list {
		shown[r.Panel] = layout.Shows(r.Panel)
	}
	return list, shown
}

func (s *Status) drawReports(list []report, shown map[string]bool) *vecty.HTML {
	var buttons vecty.List
	for _, r := range list {
		buttons = append(buttons, elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("report"),
				vecty.ClassMap{"bad": r.Bad, "warn": r.Warn, "good": r.Good},
				aria("expanded", boolWord(shown[r.Panel])), aria("controls", "panel-"+r.Panel),
				onClick(func() { s.Send(TogglePanel{r.Panel}) })),
			vecty.Text(r.Name), elem.Bold(vecty.Text(" "+r.Count))))
	}
	return elem.Div(vecty.Markup(vecty.Class("reports")), buttons)
}

// progress shows a run's CTAs and speed; after the run the speed stays.
func progress(m *Model) *Part {
	key := any(m.Rate)
	if m.Running {
		key = m
	}
	return &Part{Key: key, Draw: func() *vecty.HTML {
		return elem.Div(vecty.Markup(vecty.Class("progress"), vecty.ClassMap{"empty": !m.Running && m.Rate == 0}),
			progressWords(m))
	}}
}

func progressWords(m *Model) vecty.List {
	if !m.Running {
		if m.Rate == 0 {
			return nil
		}
		return vecty.List{span("rate", strings.TrimSuffix(rate(m.Rate), "/s")+" warp instructions/s")}
	}
	done, total := m.View.Stats.CTAsDone, m.View.Stats.CTAs
	return vecty.List{
		elem.Progress(vecty.Markup(attr("max", fmt.Sprint(max(total, 1))), attr("value", fmt.Sprint(done)),
			aria("label", "CTAs done"))),
		span("", fmt.Sprintf("%s of %s CTAs", count(done), count(total))),
		span("rate", count(m.View.Tick)+" warp instructions, "+rate(m.Rate)),
	}
}
