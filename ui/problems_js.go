package ui

import (
	"fmt"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/ptx"
)

// Problems lists diagnostics, the fault of the run, and expectations that do not hold. A click goes to the place.
type Problems struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (p *Problems) SkipRender(prev vecty.Component) bool {
	q, ok := prev.(*Problems)
	return ok && sameProblems(q.Model, p.Model)
}

// Render implements vecty.Component.
func (p *Problems) Render() vecty.ComponentOrHTML {
	list, total := problemList(p.Model)
	items := make(vecty.List, 0, len(list))
	for i := range list {
		items = append(items, p.item(&list[i]))
	}
	note := ""
	switch {
	case total == 0:
		note = "No problems."
	case total > len(list):
		note = ptx.Plural(total-len(list), "more problem") + "."
	}
	heading := ""
	if total > 0 {
		heading = count(int64(total))
	}
	return region("Problems", "panel-problems", span("count", heading),
		elem.UnorderedList(vecty.Markup(vecty.ClassMap{"empty": total == 0}), items),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note)))
}

func (p *Problems) item(q *problem) *vecty.HTML {
	var details vecty.List
	for i := range q.Notes {
		n := &q.Notes[i]
		details = append(details, elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("note"), onClick(func() { p.Send(Reveal{n.From, n.To}) })),
			span("place", place(n.At)), span("", n.Message)))
	}
	if q.Fix != "" {
		details = append(details, elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"), onClick(func() { p.Send(ApplyFix{q.Index}) })),
			vecty.Text("Fix: "+q.Fix)))
	}
	steps := make(vecty.List, 0, 2)
	for _, step := range q.Steps {
		steps = append(steps, elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
			onClick(func() { p.Send(step.Action) })), vecty.Text(step.Name)))
	}
	if len(steps) > 0 {
		details = append(details, elem.Div(vecty.Markup(vecty.Class("steps")), steps))
	}
	if q.Ptxas != "" {
		details = append(details, span("assembler", q.Ptxas))
	}
	facts := q.Code
	if q.Section != "" {
		facts += " §" + q.Section
	}
	if q.Later {
		facts += " · later in the run"
	}
	return elem.ListItem(
		vecty.Markup(vecty.Class("problem", q.Severity), vecty.ClassMap{"later": q.Later},
			vecty.Data("line", fmt.Sprint(q.At.Line)),
			vecty.Data("severity", q.Severity)),
		elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), onClick(func() { p.Send(Reveal{q.From, q.To}) })),
			span("severity", q.Severity), span("place", place(q.At)),
			elem.Span(vecty.Markup(vecty.Class("message"), vecty.UnsafeHTML(sentenceHTML(q.Message)))), span("facts", facts)),
		elem.Div(vecty.Markup(vecty.Class("details")), details),
	)
}
