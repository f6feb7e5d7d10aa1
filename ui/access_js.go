package ui

import (
	"slices"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// AccessPanel shows what one access takes of memory, and a table of all accesses so far.
type AccessPanel struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (a *AccessPanel) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*AccessPanel)
	if !ok {
		return false
	}
	was, is := p.Model, a.Model
	before, rows := was.accessRows(), is.accessRows()
	return was.Access == is.Access && was.AccessOrder == is.AccessOrder && was.AccessLine == is.AccessLine &&
		was.Lane == is.Lane && was.Running == is.Running && noAccess(was) == noAccess(is) &&
		slices.Equal(before, rows) && countsWords(was, len(before) == 0) == countsWords(is, len(rows) == 0)
}

// Mount implements vecty.Mounter.
func (a *AccessPanel) Mount() {
	panel := byID("panel-access").Value
	listenTo(panel, "click", func(e js.Value) {
		if button := closest(e.Get("target"), "[data-access]"); button.Truthy() {
			line, _ := strconv.Atoi(button.GetAttribute("data-access"))
			a.Send(ChooseAccess{line})
			if body := closest(button.Value, ".body").Value; line > 0 && measured(body, "scrollTop") > 0 {
				showAnswer(body)
			}
		}
	})
}

// showAnswer brings the access that was asked for into sight: it is above the table. The focus goes with it.
func showAnswer(body js.Value) {
	scroll(body, 0)
	page := newBrowser()
	page.Frame(func() {
		page.Frame(func() { // it is drawn now
			body.Call("querySelector", `[data-access="0"]`).Call("focus", map[string]any{"preventScroll": true})
		})
	})
}

// Render implements vecty.Component.
func (a *AccessPanel) Render() vecty.ComponentOrHTML {
	m := a.Model
	rows := m.accessRows()
	return region("Access", "panel-access", elem.Div(), reads(len(rows) == 0),
		&Written{ID: "access-one", Tag: accessOne, Rows: accessHTML(m)}, a.table(rows))
}

func accessOne(content ...vecty.MarkupOrChild) *vecty.HTML {
	return elem.Div(append(content, vecty.Markup(vecty.Class("access-one")))...)
}

func (a *AccessPanel) table(rows []accessRow) *vecty.HTML {
	m := a.Model
	return elem.Div(
		elem.Table(vecty.Markup(vecty.Class("counts-table", "access-table"), aria("label", "All accesses so far"),
			vecty.ClassMap{"empty": len(rows) == 0}),
			&Part{Key: m.AccessOrder, Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(sortHeads(accessColumns, m.AccessOrder, func(by string) {
					a.Send(SortAccesses{by})
				})...))
			}},
			&LongRows{ID: "access-rows", N: len(rows), Row: func(i int) string { return accessRowHTML(m, &rows[i], i) }}),
		countsNote(m, len(rows) == 0))
}

// sortHeads are the heads of a table that can be sorted.
func sortHeads(columns []tab, o order, sort func(by string)) (heads []vecty.MarkupOrChild) {
	for _, c := range columns {
		heads = append(heads, sortHead(c.key, c.label, "", o, sort))
	}
	return heads
}

// sortHead is the head of a column, with a button over it: the head can be read while the button cannot be reached.
func sortHead(key, label, title string, o order, sort func(by string)) *vecty.HTML {
	now, mark := "none", ""
	if o.By == key {
		now, mark = "descending", " ↓"
		if o.Up {
			now, mark = "ascending", " ↑"
		}
	}
	return elem.TableHeader(vecty.Markup(attr("scope", "col"), aria("sort", now)), span("", label+mark),
		elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("label", "Sort by "+label),
			vecty.MarkupIf(title != "", attr("title", title)), onClick(func() { sort(key) }))))
}

func countsNote(m *Model, empty bool) *vecty.HTML {
	return elem.Paragraph(vecty.Markup(vecty.Class("counts-note", "muted")), vecty.Text(countsWords(m, empty)))
}

// glyphCount is a chart of three bars.
const glyphCount = "M2 8h3v6H2zM6.5 2h3v12h-3zM11 5h3v9h-3z"

// Gutter chooses what the numbers beside the lines count.
type Gutter struct {
	vecty.Core
	Counter string `vecty:"prop"`
	Send    Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (g *Gutter) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Gutter)
	return ok && p.Counter == g.Counter
}

// Render implements vecty.Component.
func (g *Gutter) Render() vecty.ComponentOrHTML {
	var options []option
	for _, c := range heatChoices() {
		options = append(options, option{c.key, c.label})
	}
	i := max(slices.IndexFunc(options, func(o option) bool { return o.value == g.Counter }), 0)
	name, _, _ := strings.Cut(options[i].label, " · ")
	return elem.Label(vecty.Markup(vecty.Class("gutter-of"),
		attr("title", "What the numbers beside the lines count: "+options[i].label)),
		glyph(glyphCount), span("muted", "Counter"), span("gutter-name", name), glyph(glyphChevron),
		chooser("Counter", g.Counter, options, func(v string) { g.Send(SetHeat{v}) }))
}
