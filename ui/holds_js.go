package ui

import (
	"fmt"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"
	"honnef.co/go/js/dom/v2"

	"warpscope/debug"
)

// Holds shows which lanes and registers hold the elements of matrices, and what lanes get from others.
type Holds struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`

	said *debug.Holding // that the line about what is pointed at belongs to
}

// holdsKey has everything that the panel depends on. A handler, too, knows only the model that was last drawn: region,
// tab and typ are for the cells of the panel Memory that light up.
type holdsKey struct {
	holding          *debug.Holding
	held             heldChoice
	lane             int
	region, tab, typ string
	unasked          string
}

func (h *Holds) key() holdsKey {
	m := h.Model
	return holdsKey{m.Holding, m.Held, m.Lane, m.Region, m.MemoryTab, m.MemoryTypes[m.Region], m.unasked()}
}

// SkipRender implements vecty.RenderSkipper.
func (h *Holds) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Holds)
	return ok && p.key() == h.key()
}

// Mount implements vecty.Mounter. A lane that is pointed at here lights up in the lane grid, an element in memory in
// the panel Memory, and the other way.
func (h *Holds) Mount() {
	document := js.Global().Get("document")
	var lit []js.Value
	last := ""
	light := js.FuncOf(func(_ js.Value, args []js.Value) any {
		at := closest(args[0].Get("target"), "#panel-holds [data-lane], #panel-holds [data-element], "+
			"#panel-lanes [data-lane], #panel-lanes [data-column], #panel-memory [data-offset]")
		selector, said := "", ""
		if at.Truthy() {
			selector, said = h.litBy(at), at.GetAttribute("title")
		}
		if selector == last {
			return nil
		}
		for _, e := range lit {
			e.Call("toggleAttribute", "data-lit", false)
		}
		last, lit = selector, nil
		drawn := document.Call("querySelector", "#panel-holds [data-lane], #panel-holds [data-element]")
		if selector != "" && drawn.Truthy() {
			list := document.Call("querySelectorAll", selector)
			for i := range list.Length() {
				lit = append(lit, list.Index(i))
				lit[i].Call("toggleAttribute", "data-lit", true)
			}
		}
		if line := byID("holds-said"); line.Truthy() {
			line.Set("textContent", said)
		}
		return nil
	})
	for _, kind := range []string{"mouseover", "focusin"} {
		document.Call("addEventListener", kind, light)
	}
}

// litBy selects what lights up with a lane, an element or a cell of memory.
func (h *Holds) litBy(at *dom.BasicHTMLElement) string {
	number := func(name string) int {
		n, err := strconv.Atoi(at.GetAttribute(name))
		if err != nil {
			n = -1
		}
		return n
	}
	if lane := max(number("data-lane"), number("data-column")); lane >= 0 {
		return fmt.Sprintf(`#panel-holds [data-lane="%d"], #panel-lanes [data-column="%[1]d"]`, lane)
	}
	var list []string
	add := func(format string, numbers []int) {
		for _, n := range numbers {
			list = append(list, fmt.Sprintf(format, n))
		}
	}
	if element := number("data-element"); element >= 0 {
		list = append(list, fmt.Sprintf(`#panel-holds [data-element="%d"]`, element))
		add(`#panel-memory [data-offset="%d"]`, h.Model.heldOffsets(element))
	} else if offset := number("data-offset"); offset >= 0 {
		add(`#panel-holds [data-element="%d"]`, h.Model.heldIn(offset))
		if len(list) > 0 {
			add(`#panel-memory [data-offset="%d"]`, []int{offset})
		}
	}
	return strings.Join(list, ", ")
}

// Render implements vecty.Component.
func (h *Holds) Render() vecty.ComponentOrHTML {
	m := h.Model
	if line := byID("holds-said"); m.Holding != h.said && line.Truthy() {
		line.Set("textContent", "")
	}
	h.said = m.Holding
	body := elem.Div(vecty.Markup(vecty.Class("holds-none", "muted")), vecty.Text(noHolding(m)))
	at, matrix := m.matrix()
	switch {
	case matrix:
		body = h.matrix(m.Holding, at)
	case m.Holding != nil && m.Holding.Exchange != nil:
		body = h.ring(m.Holding)
	case m.Holding != nil:
		body = elem.Div(h.head(m.Holding))
	}
	return region("Who holds what", "panel-holds", elem.Div(), reads(m.Holding == nil), body)
}

func (h *Holds) head(held *debug.Holding) *vecty.HTML {
	code, when := holdsHead(held)
	return elem.Div(elem.Div(vecty.Markup(vecty.Class("access-what", "holds-head")), elem.Code(vecty.Text(code)),
		span("muted", when)),
		elem.Paragraph(vecty.Markup(vecty.Class("holds-words"), vecty.ClassMap{"empty": held.Elsewhere == ""}),
			vecty.Text(held.Elsewhere)))
}

func (h *Holds) matrix(held *debug.Holding, at int) *vecty.HTML {
	choice := h.Model.Held
	choice.Matrix = at
	mat := newHeldTable(held, choice)
	tabs := make(vecty.List, len(held.Matrices))
	for i := range held.Matrices {
		tabs[i] = h.button(held.Matrices[i].Name, i == at, ShowMatrix{i})
	}
	head := []vecty.MarkupOrChild{elem.TableHeader(vecty.Markup(attr("scope", "col")), vecty.Text(mat.Name))}
	for _, text := range mat.Heads {
		head = append(head, headCell(text))
	}
	var rows vecty.List
	for i, row := range mat.Lines {
		cells := []vecty.MarkupOrChild{elem.TableHeader(vecty.Markup(attr("scope", "row"),
			vecty.MarkupIf(row.Title != "", attr("title", row.Title))), vecty.Text(row.Head))}
		for k := range row.Cells {
			cells = append(cells, h.cell(&row.Cells[k], i == 0 && k == 0))
		}
		rows = append(rows, elem.TableRow(cells...))
	}
	group := func(name string, buttons ...vecty.MarkupOrChild) *vecty.HTML {
		return elem.Div(append([]vecty.MarkupOrChild{vecty.Markup(vecty.Class("segmented"), attr("role", "group"),
			aria("label", name))}, buttons...)...)
	}
	as := group("Draw as", h.button("Matrix", !choice.InPlaces, ShowPlaces{false}),
		h.button("Memory", choice.InPlaces, ShowPlaces{true}))
	return elem.Div(vecty.Markup(vecty.Class("holds-matrix")), h.head(held),
		elem.Div(vecty.Markup(vecty.Class("holds-tools")), group("Matrix", tabs),
			elem.Div(vecty.Markup(vecty.ClassMap{"empty": !mat.CanPlace}), as),
			pager("rows", mat.Rows, func(from int) { h.Send(ShowRows{from}) }),
			pager("columns", mat.Cols, func(from int) { h.Send(ShowColumns{from}) }), span("muted", mat.Legend),
			elem.Div(vecty.Markup(vecty.Class("holds-said"), prop.ID("holds-said")))),
		elem.Div(
			elem.Table(vecty.Markup(vecty.Class("holds-table"), attr("role", "grid"),
				aria("label", "Elements of "+held.Matrices[at].Name+" and where they are"), event.KeyDown(moveHeld),
				event.Click(h.choose)),
				elem.TableHead(elem.TableRow(head...)), elem.TableBody(rows))))
}

func (h *Holds) button(label string, pressed bool, does Action) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("pressed", boolWord(pressed)),
		onClick(func() { h.Send(does) })), vecty.Text(label))
}

// pager turns the rows or the columns that are drawn.
func pager(what string, s heldSpan, turn func(from int)) *vecty.HTML {
	button := func(label, name string, to int, off bool) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), prop.Disabled(off), aria("label", name+" "+what),
			onClick(func() { turn(to) })), vecty.Text(label))
	}
	return elem.Div(vecty.Markup(vecty.Class("holds-pager"), vecty.ClassMap{"empty": s.N == s.All}),
		button("‹", "Previous", s.From-s.Step, s.From == 0), span("muted", s.words(what)),
		button("›", "Next", s.From+s.Step, s.From+s.N >= s.All))
}

func (h *Holds) cell(c *heldCell, first bool) *vecty.HTML {
	stop := "-1"
	if first {
		stop = "0"
	}
	return elem.TableData(vecty.Markup(attr("role", "gridcell"), attr("title", c.Words), aria("label", c.Words),
		attr("tabindex", stop), vecty.MarkupIf(c.Lane >= 0, vecty.Data("lane", strconv.Itoa(c.Lane))),
		vecty.MarkupIf(c.Lane < 0 && c.Element >= 0, vecty.Data("element", strconv.Itoa(c.Element))),
		vecty.ClassMap{"followed": c.Lane == h.Model.Lane, "odd": c.Odd, "gap": c.Element < 0}),
		span("", c.Text), elem.Italic(vecty.Text(c.Sub)))
}

// choose follows the lane of an element, or goes to its place in the panel Memory.
func (h *Holds) choose(e *vecty.Event) {
	cell := closest(e.Target, "td")
	if !cell.Truthy() {
		return
	}
	if lane, err := strconv.Atoi(cell.GetAttribute("data-lane")); err == nil {
		h.Send(SelectLane{lane})
	} else if element, err := strconv.Atoi(cell.GetAttribute("data-element")); err == nil {
		h.Send(GoToMemory{h.Model.heldAddress(element)})
	}
}

// moveHeld moves from element to element with the arrow keys, and chooses the lane with Enter.
func moveHeld(e *vecty.Event) {
	cell := closest(e.Target, "td")
	if !cell.Truthy() {
		return
	}
	row, index := cell.Get("parentElement"), cell.Get("cellIndex").Int()
	var to js.Value
	switch e.Value.Get("key").String() {
	case "ArrowRight":
		to = cell.Get("nextElementSibling")
	case "ArrowLeft":
		to = cell.Get("previousElementSibling")
	case "ArrowDown":
		to = row.Get("nextElementSibling")
	case "ArrowUp":
		to = row.Get("previousElementSibling")
	case "Enter":
		cell.Call("click")
		return
	default:
		return
	}
	e.Value.Call("preventDefault")
	if to.Truthy() && to.Get("cells").Truthy() {
		to = to.Get("cells").Index(index)
	}
	if to.Truthy() && to.Get("tagName").String() == "TD" {
		to.Call("focus")
	}
}

func (h *Holds) ring(held *debug.Holding) *vecty.HTML {
	const svg = "http://www.w3.org/2000/svg"
	e, m := held.Exchange, h.Model
	tag := func(name, text string, attributes ...string) *vecty.HTML {
		markup := []vecty.Applyer{vecty.Namespace(svg)}
		for i := 0; i < len(attributes); i += 2 {
			markup = append(markup, attr(attributes[i], attributes[i+1]))
		}
		return vecty.Tag(name, vecty.Markup(markup...), vecty.Text(text))
	}
	at := func(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
	lines, own := ringLines(held, m.Lane)
	drawn := vecty.List{tag("path", "", "class", "ring-line", "d", lines), tag("path", "", "class", "ring-own", "d", own)}
	for lane := range 32 {
		class := "ring-lane"
		if !e.Lanes.Has(lane) {
			class += " away"
		}
		if e.Gives.Reg != nil && e.Gives.Type.Bits() == 1 && e.Gives.Values[lane]&1 != 0 {
			class += " true"
		}
		if lane == m.Lane {
			class += " followed"
		}
		x, y := ringPoint(lane, ringRadius)
		vx, vy := ringPoint(lane, ringRadius+23)
		number := strconv.Itoa(lane)
		value := ""
		if e.Lanes.Has(lane) && e.Gives.Known.Has(lane) && e.Gives.Type.Bits() > 1 {
			value = formatValue(e.Gives.Type, e.Gives.Values[lane], nil, ByType)
		}
		drawn = append(drawn, tag("circle", "", "class", class, "data-lane", number, "cx", at(x), "cy", at(y), "r",
			at(ringDot)), tag("text", number, "class", class, "x", at(x), "y", at(y+3)),
			tag("text", clipped(value, 6), "class", "ring-value", "x", at(vx), "y", at(vy+3)))
	}
	var items vecty.List
	for _, it := range exchangeItems(held) {
		items = append(items, elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Data("lane", strconv.Itoa(it.Lane)),
			vecty.ClassMap{"followed": it.Lane == m.Lane, "own": it.Own}, attr("title", it.Words), aria("label", it.Words),
			onClick(func() { h.Send(SelectLane{it.Lane}) })), elem.Bold(vecty.Text(strconv.Itoa(it.Lane))),
			vecty.Text(" "+it.Text)))
	}
	return elem.Div(vecty.Markup(vecty.Class("holds-ring")), h.head(held), elem.Paragraph(vecty.Text(exchangeWords(held))),
		elem.Div(vecty.Markup(vecty.Class("ring-and-list")),
			vecty.Tag("svg", vecty.Markup(vecty.Namespace(svg),
				attr("viewBox", fmt.Sprintf("-26 -8 %d %d", ringSize+52, ringSize+16)), attr("class", "ring"),
				attr("role", "img"), aria("label", exchangeWords(held))), drawn),
			elem.Div(vecty.Markup(vecty.Class("ring-list"), attr("role", "group"), aria("label", "What each lane gets")),
				items)))
}
