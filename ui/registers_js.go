package ui

import (
	"slices"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"
	"honnef.co/go/js/dom/v2"
)

// Registers shows the selected lane's registers in all their readings.
type Registers struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// registersKey has everything that the panel depends on.
type registersKey struct {
	lanes   laneKey
	columns string
	shown   bool
}

func registersKeyOf(m *Model) registersKey {
	return registersKey{laneKeyOf(m), strings.Join(m.columns(), " "), m.inSight("registers")}
}

// SkipRender implements vecty.RenderSkipper.
func (r *Registers) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Registers)
	return ok && registersKeyOf(p.Model) == registersKeyOf(r.Model)
}

// Render implements vecty.Component.
func (r *Registers) Render() vecty.ComponentOrHTML {
	m := r.Model
	return region("Registers", "panel-registers",
		elem.Div(
			&LaneChooser{Lane: m.Lane, State: selectedWords(m), Send: r.Send},
			&Part{Key: strings.Join(m.columns(), " "), Draw: func() *vecty.HTML {
				return elem.Details(vecty.Markup(vecty.Class("columns")),
					elem.Summary(vecty.Text("Columns")),
					elem.Div(vecty.Markup(attr("role", "group"), aria("label", "Columns")), r.columnChoices()))
			}},
		),
		&RegisterRows{Model: m, Send: r.Send},
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(registersNote(m, len(laneGrid(m).Rows)))),
	)
}

func (r *Registers) columnChoices() (list vecty.List) {
	chosen := r.Model.columns()
	for _, c := range columns {
		list = append(list, elem.Label(elem.Input(vecty.Markup(prop.Type(prop.TypeCheckbox),
			prop.Checked(slices.Contains(chosen, c.key)),
			event.Change(func(*vecty.Event) { r.Send(ToggleColumn{c.key}) }))), span("", c.label)))
	}
	return list
}

// RegisterRows is the table. It draws the rows in sight itself, as the lane grid does.
type RegisterRows struct {
	vecty.Core
	Model   *Model `vecty:"prop"`
	Send    Send   `vecty:"prop"`
	painter *registerPainter
}

const registerRowsID = "register-rows"

// Mount implements vecty.Mounter.
func (c *RegisterRows) Mount() {
	c.painter = newRegisterPainter(byID(registerRowsID), c.Send)
	c.painter.paint(c.Model)
	askCell(byID(registerRowsID).Value, func() *Model { return c.Model }, c.Send,
		func(target js.Value) (cellRef, bool) { return registerAt(c.Model, target) })
}

// Render implements vecty.Component. The element has no children that Vecty knows of.
func (c *RegisterRows) Render() vecty.ComponentOrHTML {
	if c.painter != nil {
		c.painter.paint(c.Model)
	}
	return elem.Div(vecty.Markup(prop.ID(registerRowsID), vecty.Class("register-rows"),
		vecty.MarkupIf(c.Model.inSight("registers"), attr("tabindex", "0")), // no focus where it is covered
		attr("role", "group"), aria("label", "Registers of lane "+strconv.Itoa(c.Model.Lane))))
}

// registerPainter draws the rows in sight, and room for the others above and below.
type registerPainter struct {
	host, above, below *dom.BasicHTMLElement
	head, body         livePart
	table              *registerTable
	version            uint64
	from, to           int
	letters            int // that the column of names has room for
	top, height        int // where it is scrolled to, and its height
}

// registerRow is the height of a row in pixels (registers.css).
const registerRow = 21

func newRegisterPainter(host *dom.BasicHTMLElement, send Send) *registerPainter {
	p := &registerPainter{host: host}
	host.SetInnerHTML(`<div></div><table><thead></thead><tbody></tbody></table><div></div>`)
	parts := host.Get("children")
	p.above, p.below = element(parts.Index(0)), element(parts.Index(2))
	p.head.take(parts.Index(1).Get("children").Index(0))
	p.body.take(parts.Index(1).Get("children").Index(1))
	on := func(event string, f func(target js.Value)) {
		host.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0].Get("target"))
			return nil
		}))
	}
	on("scroll", func(js.Value) {
		p.top = measured(p.host.Value, "scrollTop")
		p.draw(false)
	})
	on("click", func(target js.Value) {
		if pin := closest(target, "button[data-pin]"); pin.Truthy() {
			send(TogglePin{pin.GetAttribute("data-pin")})
		}
	})
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.height = designed(args[0].Index(0).Get("contentRect").Get("height").Float())
		p.draw(false)
		return nil
	})).Call("observe", host.Value)
	return p
}

// paint draws the table.
func (p *registerPainter) paint(m *Model) {
	fresh := m.View.Version != p.version
	p.table, p.version = newRegisterTable(m), m.View.Version
	titles := `<tr><th scope="col">Name</th><th scope="col" class="value">Value</th>`
	for _, c := range p.table.columns {
		titles += `<th scope="col" class="` + c.key + `">` + c.label + `</th>`
	}
	p.head.write(titles + `</tr>`)
	if letters := p.table.nameLetters(); letters != p.letters {
		p.letters = letters
		p.host.Style().SetProperty("--letters", strconv.Itoa(letters), "")
	}
	if at := p.table.grid.Changed; fresh && at >= 0 && m.View.Last != nil {
		p.reveal(at)
	}
	p.draw(true)
}

// reveal brings a row into sight.
func (p *registerPainter) reveal(row int) {
	height := p.height - registerRow
	if at := row * registerRow; at < p.top || at+registerRow > p.top+height {
		p.top = max(at-height/3, 0)
		p.draw(true)
		afterDrawing(func() { scroll(p.host.Value, p.top) })
	}
}

// draw writes the rows in sight, if they are others or all is new.
func (p *registerPainter) draw(all bool) {
	if p.table == nil {
		return
	}
	const margin = 12
	rows := len(p.table.grid.Rows)
	first := p.top / registerRow
	last := first + p.height/registerRow + 1
	if !all && first >= p.from && last <= p.to || !all && first >= p.from && p.to == rows {
		return
	}
	p.from, p.to = min(max(first-margin, 0), rows), min(last+margin, rows)
	p.body.writeRows(p.table.html(p.from, p.to))
	p.space(p.from, p.to)
}

func (p *registerPainter) space(from, to int) {
	p.above.Style().SetProperty("height", px(from*registerRow), "")
	p.below.Style().SetProperty("height", px((len(p.table.grid.Rows)-to)*registerRow), "")
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
