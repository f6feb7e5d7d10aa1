package ui

import (
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"

	"warpscope/ptx"
)

// Registers shows the selected lane's registers in all their readings.
type Registers struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (r *Registers) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Registers)
	return ok && laneKeyOf(p.Model) == laneKeyOf(r.Model)
}

// Render implements vecty.Component.
func (r *Registers) Render() vecty.ComponentOrHTML {
	m := r.Model
	rows, more := registerRows(m)
	note := ""
	switch {
	case more > 0:
		note = ptx.Plural(more, "more register") + ": filter to see them."
	case absence(m) != "":
		note = absence(m)
	case len(rows) == 0:
		note = "No register matches the filter of the lane grid."
	}
	return region("Registers", "panel-registers", &LaneChooser{Lane: m.Lane, State: selectedWords(m), Send: r.Send},
		elem.Table(
			vecty.Markup(aria("label", "Registers of lane "+strconv.Itoa(m.Lane)), event.Click(r.click)),
			elem.TableHead(elem.TableRow(
				headCell("Name"), headCell("Type"), headCell("Value"), headCell("Hex"), headCell("Signed"), headCell("Float"),
			)),
			elem.TableBody(vecty.Markup(vecty.UnsafeHTML(registerHTML(rows)))),
		),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note)),
	)
}

func headCell(name string) *vecty.HTML {
	return elem.TableHeader(vecty.Markup(attr("scope", "col")), vecty.Text(name))
}

// LaneChooser chooses the lane of the register panel, and says what the lane is doing.
type LaneChooser struct {
	vecty.Core
	Lane  int    `vecty:"prop"`
	State string `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (l *LaneChooser) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*LaneChooser)
	return ok && p.Lane == l.Lane && p.State == l.State
}

// Render implements vecty.Component.
func (l *LaneChooser) Render() vecty.ComponentOrHTML {
	options := make([]option, 32)
	for i := range options {
		options[i] = option{strconv.Itoa(i), strconv.Itoa(i)}
	}
	return elem.Label(span("muted", l.State), span("", "Lane"),
		chooser("Lane", strconv.Itoa(l.Lane), options, func(v string) {
			if lane, err := strconv.Atoi(v); err == nil {
				l.Send(SelectLane{lane})
			}
		}))
}

// click handles the pin buttons of all rows.
func (r *Registers) click(e *vecty.Event) {
	button := closest(e.Target, "button[data-pin]")
	if button.Truthy() {
		r.Send(TogglePin{button.GetAttribute("data-pin")})
	}
}
