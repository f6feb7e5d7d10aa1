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
	return ok && q.Model.View.Version == p.Model.View.Version && len(q.Model.Lines) == len(p.Model.Lines)
}

// problem is one entry of the list.
type problem struct {
	Severity string // "error", "warning", "info", "fault", "failed"
	At       ptx.Position
	From, To int // byte range in the text
	Message  string
	Code     string
	Section  string
	Notes    []problem
	Fix      string // what the fix does, "" for none
	Index    int    // of the diagnostic
}

// maxProblems bounds the list; the rest is counted.
const maxProblems = 200

// problemList collects what is wrong, and counts all of it.
func problemList(m *Model) (list []problem, total int) {
	v := m.View
	total = len(v.Diagnostics)
	if v.Fault != nil {
		list = append(list, faultProblem(m))
		total++
	}
	for _, e := range v.Expect {
		if !e.Pass {
			at := m.Lines.lineSpan(e.Line, len(m.Text))
			message := "Expected " + e.Text
			if e.Got != "" {
				message += "; got " + e.Got
			}
			list = append(list, problem{Severity: "failed", At: ptx.Position{Line: e.Line, Column: 1},
				From: int(at.Start), To: int(at.End), Message: message})
			total++
		}
	}
	for i := range v.Diagnostics {
		if len(list) == maxProblems {
			break
		}
		list = append(list, diagnosticProblem(m, i))
	}
	return list, total
}

func faultProblem(m *Model) problem {
	f := m.View.Fault
	at := m.Lines.lineSpan(f.Pos.Line, len(m.Text))
	p := problem{Severity: "fault", At: f.Pos, From: int(at.Start), To: int(at.End), Message: f.Error(), Code: string(f.Kind)}
	if f.Inst != nil {
		p.From, p.To = int(f.Inst.Span.Start), int(f.Inst.Span.End)
	}
	return p
}

func diagnosticProblem(m *Model, index int) problem {
	d := &m.View.Diagnostics[index]
	p := problem{Severity: d.Severity.String(), At: m.Lines.position(d.Span.Start), From: int(d.Span.Start),
		To: int(d.Span.End), Message: d.Message, Code: d.Code, Section: d.Section, Index: index}
	if d.Fix != nil {
		p.Fix = d.Fix.Message
		if p.Fix == "" {
			p.Fix = "Apply the fix"
		}
	}
	for _, n := range d.Notes {
		p.Notes = append(p.Notes, problem{Severity: "note", At: m.Lines.position(n.Span.Start),
			From: int(n.Span.Start), To: int(n.Span.End), Message: n.Message})
	}
	return p
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
		note = plural(int64(total-len(list)), "more problem") + "."
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
	facts := q.Code
	if q.Section != "" {
		facts += " §" + q.Section
	}
	return elem.ListItem(
		vecty.Markup(vecty.Class("problem", q.Severity), vecty.Data("line", fmt.Sprint(q.At.Line)),
			vecty.Data("severity", q.Severity)),
		elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), onClick(func() { p.Send(Reveal{q.From, q.To}) })),
			span("severity", q.Severity), span("place", place(q.At)), span("message", q.Message), span("facts", facts)),
		elem.Div(vecty.Markup(vecty.Class("details")), details),
	)
}

func place(at ptx.Position) string {
	if at.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", at.Line, at.Column)
}
