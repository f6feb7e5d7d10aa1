package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
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

// Render implements vecty.Component.
func (a *AccessPanel) Render() vecty.ComponentOrHTML {
	m := a.Model
	rows := m.accessRows()
	return region("Access", "panel-access", elem.Div(), reads(len(rows) == 0),
		elem.Div(vecty.Markup(vecty.Class("access-one")), a.head(), a.picture(), a.cure()),
		a.table(rows))
}

func (a *AccessPanel) head() *vecty.HTML {
	m := a.Model
	follow := elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
		vecty.ClassMap{"empty": m.AccessLine == 0}, onClick(func() { a.Send(ChooseAccess{0}) })),
		vecty.Text("Follow the steps"))
	if m.Access == nil {
		return elem.Div(vecty.Markup(vecty.Class("access-head")), span("muted", noAccess(m)), follow)
	}
	h := newAccessHead(m.Access)
	verdict := elem.Strong(vecty.Markup(vecty.Class("verdict-words"), vecty.ClassMap{"costly": h.Costly}),
		glyph(glyphJoined), vecty.Text(h.Verdict))
	return elem.Div(vecty.Markup(vecty.Class("access-head")), verdict, span("muted", h.Ideal), span("access-why", h.Why),
		elem.Div(vecty.Markup(vecty.Class("access-what")), elem.Code(vecty.Text(h.Code)),
			span("muted", h.Line+", "+h.When), follow))
}

// glyphJoined is two lines that meet: a conflict.
const glyphJoined = "M2 2h2.2L8 10.5 11.8 2H14L9 14H7z"

func (a *AccessPanel) cure() *vecty.HTML {
	cure := ""
	if a.Model.Access != nil {
		cure = newAccessHead(a.Model.Access).Cure
	}
	return elem.Paragraph(vecty.Markup(vecty.Class("access-cure"), vecty.ClassMap{"empty": cure == ""}), vecty.Text(cure))
}

// accessPictureKey has everything that the picture depends on. Most steps change only the table below it.
type accessPictureKey struct {
	access *debug.Access
	lane   int
}

func (a *AccessPanel) picture() *Part {
	return &Part{Key: accessPictureKey{a.Model.Access, a.Model.Lane}, Draw: a.drawPicture}
}

// drawPicture has lanes above, banks or sectors below, and a line for each lane.
func (a *AccessPanel) drawPicture() *vecty.HTML {
	m := a.Model
	var p accessPicture
	words := ""
	if m.Access != nil {
		p = newAccessPicture(m.Access, m.View.Places())
		h := newAccessHead(m.Access)
		words = h.words(&p)
	}
	lanes := make(vecty.List, 32)
	for lane := range lanes {
		label := ""
		if lane%4 == 0 || lane == m.Lane {
			label = strconv.Itoa(lane)
		}
		lanes[lane] = elem.Span(vecty.Markup(vecty.ClassMap{"followed": lane == m.Lane}), vecty.Text(label))
	}
	var places, labels vecty.List
	for i := range p.Places {
		place := &p.Places[i]
		places = append(places, elem.Span(vecty.Markup(vecty.ClassMap{"used": place.Used, "apart": place.Apart},
			attr("title", place.Words), vecty.Style("--full", strconv.Itoa(int(100*place.Full))+"%"))))
		labels = append(labels, elem.Span(vecty.Markup(vecty.ClassMap{"apart": place.Apart}), vecty.Text(place.Label)))
	}
	if p.Each != "" {
		labels = vecty.List{span("each", p.Each)}
	}
	below := map[string]string{"bank": "words", "sector": "bytes"}[p.Unit]
	n := vecty.Style("--n", strconv.Itoa(len(p.Places)))
	return elem.Div(vecty.Markup(vecty.Class("access-picture"), vecty.ClassMap{"empty": len(p.Places) == 0},
		attr("role", "img"), aria("label", words)),
		elem.Div(vecty.Markup(vecty.Class("access-row")), span("muted", "lane"), lanes),
		accessLines(&p, m.Lane),
		elem.Div(vecty.Markup(vecty.Class("access-row", "access-places"), n), span("muted", p.Unit), places),
		elem.Div(vecty.Markup(vecty.Class("access-row"), n), span("muted", below), labels),
		elem.Div(vecty.Markup(vecty.Class("access-names")), span("", p.From), span("", p.To)))
}

// accessLines are the lines of the picture: those without a conflict, those with one, and the followed lane's.
func accessLines(p *accessPicture, lane int) *vecty.HTML {
	const svg = "http://www.w3.org/2000/svg"
	var d [3]strings.Builder
	for _, line := range p.Lines {
		kind := 0
		switch {
		case line.Lane == lane:
			kind = 2
		case line.Apart:
			kind = 1
		}
		fmt.Fprintf(&d[kind], "M%d 0L%.4g 10", 10*line.Lane+5, 320*line.X/float64(len(p.Places)))
	}
	var paths vecty.List
	for i, class := range []string{"alone", "apart", "followed"} {
		paths = append(paths, vecty.Tag("path", vecty.Markup(vecty.Namespace(svg), attr("class", class),
			attr("vector-effect", "non-scaling-stroke"), attr("d", d[i].String()))))
	}
	return vecty.Tag("svg", vecty.Markup(vecty.Namespace(svg), attr("viewBox", "0 0 320 10"),
		attr("class", "access-lines"), attr("preserveAspectRatio", "none"), aria("hidden", "true")), paths)
}

// accessRowKey is what a row of the table shows: a long kernel has hundreds, and a step changes one or two.
type accessRowKey struct {
	row             accessRow
	chosen, pressed bool
}

func (a *AccessPanel) table(rows []accessRow) *vecty.HTML {
	m := a.Model
	var list []*Part
	for _, r := range rows {
		chosen := m.Access != nil && m.Access.Line == r.Line
		pressed := m.AccessLine == r.Line
		list = append(list, &Part{Key: accessRowKey{r, chosen, pressed}, Draw: func() *vecty.HTML {
			return elem.TableRow(vecty.Markup(vecty.ClassMap{"on": chosen}),
				elem.TableData(elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
					aria("pressed", boolWord(pressed)), attr("title", "Show this line's last access"),
					onClick(func() { a.Send(ChooseAccess{r.Line}) })), span("", strconv.Itoa(r.Line)))),
				elem.TableData(vecty.Markup(vecty.Class("code"), attr("title", r.Code)), vecty.Text(r.Code)),
				elem.TableData(vecty.Text(count(r.Requests))),
				elem.TableData(vecty.Text(count(r.Parts)+" "), span("muted", r.Unit)),
				elem.TableData(vecty.Markup(vecty.ClassMap{"costly": r.Costly}), vecty.Text(r.PerRequest)),
				elem.TableData(vecty.Text(r.Ideals)))
		}})
	}
	return elem.Div(
		elem.Table(vecty.Markup(vecty.Class("counts-table", "access-table"), aria("label", "All accesses so far"),
			vecty.ClassMap{"empty": len(rows) == 0}),
			&Part{Key: m.AccessOrder, Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(sortHeads(accessColumns, m.AccessOrder, func(by string) {
					a.Send(SortAccesses{by})
				})...))
			}}, grouped(list)),
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
