package ui

import (
	"fmt"
	"strconv"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
)

// Holds shows which lanes and registers hold the elements of matrices, and what lanes get from others.
type Holds struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (h *Holds) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Holds)
	return ok && p.Model.Holding == h.Model.Holding && p.Model.Matrix == h.Model.Matrix &&
		p.Model.MatrixFrom == h.Model.MatrixFrom && p.Model.Lane == h.Model.Lane
}

// Mount implements vecty.Mounter. A lane that is pointed at here lights up in the lane grid, and the other way.
func (h *Holds) Mount() {
	document := js.Global().Get("document")
	lit := -1
	light := js.FuncOf(func(_ js.Value, args []js.Value) any {
		lane := -1
		if at := closest(args[0].Get("target"), "#panel-holds [data-lane], #panel-lanes [data-lane], "+
			"#panel-lanes [data-column]"); at.Truthy() {
			lane, _ = strconv.Atoi(at.GetAttribute("data-lane") + at.GetAttribute("data-column"))
		}
		if lane != lit {
			lightLane(document, lit, false)
			lightLane(document, lane, true)
			lit = lane
		}
		return nil
	})
	for _, kind := range []string{"mouseover", "focusin"} {
		document.Call("addEventListener", kind, light)
	}
}

// lightLane marks what belongs to a lane, or takes the mark away.
func lightLane(document js.Value, lane int, on bool) {
	if lane < 0 || !document.Call("querySelector", "#panel-holds [data-lane]").Truthy() {
		return
	}
	n := strconv.Itoa(lane)
	list := document.Call("querySelectorAll", `#panel-holds [data-lane="`+n+`"], #panel-lanes [data-column="`+n+`"]`)
	for i := range list.Length() {
		list.Index(i).Call("toggleAttribute", "data-lit", on)
	}
}

// Render implements vecty.Component.
func (h *Holds) Render() vecty.ComponentOrHTML {
	m := h.Model
	body := elem.Div(vecty.Markup(vecty.Class("holds-none", "muted")), vecty.Text(
		"Neither the instruction that just ran nor the next one is a shfl, vote, match, redux, ldmatrix, stmatrix, mma, "+
			"wmma, wgmma.mma_async, tcgen05.ld, tcgen05.st or tcgen05.mma."))
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
	mat := newHeldMatrix(held, at, h.Model.MatrixFrom)
	tabs := make(vecty.List, len(held.Matrices))
	for i := range held.Matrices {
		tabs[i] = elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("pressed", boolWord(i == at)),
			onClick(func() { h.Send(ShowMatrix{i}) })), vecty.Text(held.Matrices[i].Name))
	}
	head := []vecty.MarkupOrChild{elem.TableHeader(vecty.Markup(attr("scope", "col")), vecty.Text(mat.Name))}
	for col := range mat.Cols {
		head = append(head, headCell(strconv.Itoa(mat.From+col)))
	}
	var rows vecty.List
	for i, row := range mat.Rows {
		name := strconv.Itoa(i)
		if mat.RowLanes != nil {
			name += fmt.Sprintf(" (lane %d)", mat.RowLanes[i])
		}
		cells := []vecty.MarkupOrChild{elem.TableHeader(vecty.Markup(attr("scope", "row"),
			vecty.MarkupIf(mat.RowLanes != nil, attr("title", "whose address is that of the row"))), vecty.Text(name))}
		for k := range row {
			cells = append(cells, h.cell(&row[k], i == 0 && k == 0))
		}
		rows = append(rows, elem.TableRow(cells...))
	}
	return elem.Div(vecty.Markup(vecty.Class("holds-matrix")), h.head(held),
		elem.Div(vecty.Markup(vecty.Class("holds-tools")),
			elem.Div(vecty.Markup(vecty.Class("segmented"), attr("role", "group"), aria("label", "Matrix")), tabs),
			h.pager(&mat), span("muted", "value, lane · register")),
		elem.Div(
			elem.Table(vecty.Markup(vecty.Class("holds-table"), attr("role", "grid"),
				aria("label", "Elements of "+mat.Name+" and their lanes"), event.KeyDown(moveHeld)),
				elem.TableHead(elem.TableRow(head...)), elem.TableBody(rows))))
}

func (h *Holds) pager(mat *heldMatrix) *vecty.HTML {
	turn := func(label string, to int, off bool) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), prop.Disabled(off),
			onClick(func() { h.Send(ShowColumns{to}) })), vecty.Text(label))
	}
	return elem.Div(vecty.Markup(vecty.Class("holds-pager"), vecty.ClassMap{"empty": mat.All <= mostColumns}),
		turn("‹", mat.From-mostColumns, mat.From == 0),
		span("muted", fmt.Sprintf("columns %d–%d of %d", mat.From, mat.From+mat.Cols-1, mat.All)),
		turn("›", mat.From+mostColumns, mat.From+mat.Cols >= mat.All))
}

func (h *Holds) cell(c *heldCell, first bool) *vecty.HTML {
	stop := "-1"
	if first {
		stop = "0"
	}
	return elem.TableData(vecty.Markup(attr("role", "gridcell"), vecty.Data("lane", strconv.Itoa(c.Lane)),
		attr("title", c.Words), aria("label", c.Words), attr("tabindex", stop),
		vecty.ClassMap{"followed": c.Lane == h.Model.Lane, "odd": c.Lane/4%2 == 1},
		event.Click(func(*vecty.Event) { h.Send(SelectLane{c.Lane}) })),
		span("", c.Text), elem.Italic(vecty.Text(strconv.Itoa(c.Lane)+"·"+strconv.Itoa(c.Register))))
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
