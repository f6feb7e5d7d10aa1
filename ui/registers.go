package ui

import (
	"strconv"
	"strings"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/ptx/isa"
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

// registerRow is one register of one lane; comparable, so that unchanged rows are not rendered again.
type registerRow struct {
	Reg, Type           string
	Value               string // as its type says
	Hex, Decimal, Float string // other readings; "" where they make no sense
	Pred, Set           bool
	Unwritten, Changed  bool
	Pinned              bool
}

// maxRegisterRows bounds the table; the filter reaches the rest.
const maxRegisterRows = 120

// registerRows works out the table for the selected lane, and how many registers it leaves out.
func registerRows(m *Model) (rows []registerRow, more int) {
	g := laneGrid(m)
	for i := range g.Rows {
		if len(rows) == maxRegisterRows {
			return rows, len(g.Rows) - i
		}
		rows = append(rows, g.register(&g.Rows[i]))
	}
	return rows, 0
}

func (g *LaneGrid) register(row *LaneRow) registerRow {
	cell, t := g.cell(row, g.Lane), row.view.Reg.Type
	r := registerRow{Reg: row.Reg, Type: row.Type, Value: cell.Text, Pinned: row.Pinned,
		Pred: cell.Flags&CellPred != 0, Set: cell.Flags&CellSet != 0,
		Unwritten: cell.Flags&CellUnwritten != 0, Changed: cell.Flags&CellChanged != 0}
	if r.Unwritten || r.Pred || cell.Text == "" {
		return r
	}
	lo, hi := laneValue(*row.view, g.Lane)
	r.Hex = fullHex(t, lo, hi)
	if hi != nil {
		return r
	}
	if t.Class() != isa.Float {
		r.Decimal = strconv.FormatInt(signExtend(lo, t.Bits()), 10)
	}
	if t.Class() == isa.Bits || t.Class() == isa.Float {
		r.Float = formatBits(t.Bits(), lo, AsFloat)
		if strings.HasPrefix(r.Float, "0x") {
			r.Float = ""
		}
	}
	return r
}

// Render implements vecty.Component.
func (r *Registers) Render() vecty.ComponentOrHTML {
	m := r.Model
	rows, more := registerRows(m)
	body := make(vecty.List, len(rows))
	for i := range rows {
		body[i] = &RegisterLine{Row: rows[i]}
	}
	note := ""
	switch {
	case more > 0:
		note = plural(int64(more), "more register") + ": filter to see them."
	case m.View.State == nil:
		note = "Nothing is loaded."
	case len(rows) == 0 && m.Filter != "":
		note = "No register matches the filter of the lane grid."
	case len(rows) == 0:
		note = "This function uses no registers."
	}
	return region("Registers", "panel-registers", r.laneChooser(),
		elem.Table(
			vecty.Markup(aria("label", "Registers of lane "+strconv.Itoa(m.Lane)), event.Click(r.click)),
			elem.TableHead(elem.TableRow(
				headCell("Name"), headCell("Type"), headCell("Value"), headCell("Hex"), headCell("Signed"), headCell("Float"),
			)),
			elem.TableBody(body),
		),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note)),
	)
}

func headCell(name string) *vecty.HTML {
	return elem.TableHeader(vecty.Markup(attr("scope", "col")), vecty.Text(name))
}

func (r *Registers) laneChooser() *vecty.HTML {
	m := r.Model
	options := make([]option, 32)
	for i := range options {
		options[i] = option{strconv.Itoa(i), strconv.Itoa(i)}
	}
	state := ""
	if m.View.State != nil {
		state = laneStates(m.View.State)[m.Lane].words()
	}
	return elem.Label(span("muted", state), span("", "Lane"),
		chooser("Lane", strconv.Itoa(m.Lane), options, func(v string) {
			if lane, err := strconv.Atoi(v); err == nil {
				r.Send(SelectLane{lane})
			}
		}))
}

// click serves the pin buttons of all rows.
func (r *Registers) click(e *vecty.Event) {
	button := e.Target.Call("closest", "button[data-pin]")
	if button.Truthy() {
		r.Send(TogglePin{button.Get("dataset").Get("pin").String()})
	}
}

// RegisterLine is one row of the table.
type RegisterLine struct {
	vecty.Core
	Row registerRow `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper. A changed row glows, so it renders again to stop glowing.
func (l *RegisterLine) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*RegisterLine)
	return ok && p.Row == l.Row
}

// Render implements vecty.Component.
func (l *RegisterLine) Render() vecty.ComponentOrHTML {
	r := &l.Row
	return elem.TableRow(
		vecty.Markup(vecty.ClassMap{"changed": r.Changed, "unwritten": r.Unwritten, "pinned": r.Pinned}),
		elem.TableHeader(vecty.Markup(attr("scope", "row")), vecty.Text(r.Reg),
			elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("pin"), vecty.Data("pin", r.Reg),
				aria("label", "Pin "+r.Reg), aria("pressed", boolWord(r.Pinned)), attr("title", "Keep on top")),
				glyph(glyphPin))),
		elem.TableData(vecty.Markup(vecty.Class("type")), vecty.Text(r.Type)),
		elem.TableData(vecty.Markup(vecty.Class("value"), vecty.ClassMap{"pred": r.Pred, "set": r.Set},
			attr("title", r.Value)), vecty.Text(r.Value)),
		elem.TableData(vecty.Markup(vecty.Class("hex")), vecty.Text(r.Hex)),
		elem.TableData(vecty.Markup(vecty.Class("dec")), vecty.Text(r.Decimal)),
		elem.TableData(vecty.Markup(vecty.Class("float")), vecty.Text(r.Float)),
	)
}
