package ui

import (
	"strconv"
	"strings"
	"syscall/js"
)

// lanePainter draws the lane grid's cells itself. Rows live in a pool and are compared cell by cell with what they
// show, so that a step touches only what changed. Functions with very many registers get a window of rows around the
// scroll position; spacers stand for the rest.
type lanePainter struct {
	host, head, above, rows, below js.Value
	heads                          [32]js.Value
	headStates                     [32]LaneState
	pool                           []*rowView
	shown                          int // rows of the pool that are in the document

	model  *Model
	grid   LaneGrid
	parity bool // changed cells glow through one of two equal animations, so that a second change glows again
	drawn  bool
}

// rowView is one row of the pool with what it shows.
type rowView struct {
	el, name, typ, pin js.Value
	reg, regType       string
	pinned, tile       bool
	cells              [32]cellView
}

type cellView struct {
	el, text js.Value
	value    LaneCell
	class    string
	active   bool
	drawn    bool
}

// windowRows is how many rows are drawn at most.
const windowRows = 96

const headTemplate = `<div role="row" class="lane-head"><span role="columnheader" class="corner">lane</span></div>` +
	`<div role="presentation" class="spacer"></div><div role="rowgroup" class="lane-rows"></div>` +
	`<div role="presentation" class="spacer"></div><div role="presentation" class="lane-column"></div>`

func newCellPainter(id string, send Send) cellPainter {
	doc := js.Global().Get("document")
	p := &lanePainter{host: doc.Call("getElementById", id)}
	p.host.Set("innerHTML", headTemplate)
	parts := p.host.Get("children")
	p.head, p.above, p.rows, p.below = parts.Index(0), parts.Index(1), parts.Index(2), parts.Index(3)
	for lane := range p.heads {
		head := doc.Call("createElement", "button")
		head.Set("type", "button")
		head.Set("className", "lane-state absent")
		head.Call("setAttribute", "role", "columnheader")
		head.Get("dataset").Set("column", strconv.Itoa(lane))
		head.Set("textContent", strconv.Itoa(lane))
		p.head.Call("append", head)
		p.heads[lane] = head
	}
	p.listen(send)
	return p
}

func (p *lanePainter) listen(send Send) {
	on := func(event string, f func(event, target js.Value)) {
		p.host.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0], args[0].Get("target"))
			return nil
		}))
	}
	choose := func(target js.Value) {
		if pin := target.Call("closest", "[data-pin]"); pin.Truthy() {
			send(TogglePin{pin.Get("dataset").Get("pin").String()})
		} else if lane, ok := laneOf(target); ok {
			send(SelectLane{lane})
		}
	}
	on("click", func(_, target js.Value) { choose(target) })
	on("keydown", func(event, target js.Value) {
		switch key := event.Get("key").String(); key {
		case "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End":
			event.Call("preventDefault")
			moveFocus(target, key)
		case "Enter", " ":
			event.Call("preventDefault")
			choose(target)
		}
	})
	on("mouseover", func(_, target js.Value) { p.title(target) })
	on("scroll", func(_, _ js.Value) {
		if p.drawn && len(p.grid.Rows) > windowRows {
			p.draw()
		}
	})
	js.Global().Call("addEventListener", "resize", js.FuncOf(func(js.Value, []js.Value) any {
		if p.drawn {
			p.draw()
		}
		return nil
	}))
}

func laneOf(target js.Value) (int, bool) {
	cell := target.Call("closest", "[data-lane],[data-column]")
	if !cell.Truthy() {
		return 0, false
	}
	data := cell.Get("dataset")
	value := data.Get("lane")
	if value.IsUndefined() {
		value = data.Get("column")
	}
	lane, err := strconv.Atoi(value.String())
	return lane, err == nil
}

// moveFocus goes to a neighbouring cell.
func moveFocus(target js.Value, key string) {
	cell := target.Call("closest", "[role=gridcell],[role=columnheader],[role=rowheader]")
	if !cell.Truthy() {
		return
	}
	row := cell.Get("parentElement")
	cells := js.Global().Get("Array").Call("from", row.Get("children"))
	index := cells.Call("indexOf", cell).Int()
	switch key {
	case "ArrowLeft":
		index--
	case "ArrowRight":
		index++
	case "Home":
		index = 1
	case "End":
		index = 32
	default:
		rows := js.Global().Get("Array").Call("from", row.Call("closest", "[role=grid]").Call("querySelectorAll", "[role=row]"))
		at := rows.Call("indexOf", row).Int()
		if key == "ArrowUp" {
			at--
		} else {
			at++
		}
		if at < 0 || at >= rows.Length() {
			return
		}
		cells = rows.Index(at).Get("children")
	}
	if index = max(index, 1); index < cells.Length() {
		cells.Index(index).Call("focus")
	}
}

// title gives the cell under the pointer its long form.
func (p *lanePainter) title(target js.Value) {
	cell := target.Call("closest", "[data-lane]")
	if !cell.Truthy() || p.model == nil {
		return
	}
	lane, _ := laneOf(cell)
	cell.Set("title", cellTitle(p.model, cell.Get("dataset").Get("reg").String(), lane))
}

func (p *lanePainter) paint(m *Model, g LaneGrid) {
	fresh := !p.drawn || p.model.View.Version != m.View.Version
	if fresh {
		p.parity = !p.parity
	}
	p.model, p.grid, p.drawn = m, g, true
	p.drawHeads()
	p.draw()
	if fresh && g.Changed >= 0 && m.View.Last != nil {
		p.reveal(g.Changed)
	}
}

func (p *lanePainter) drawHeads() {
	for lane, state := range p.grid.Heads {
		if p.headStates[lane] == state && p.drawn && state != LaneAbsent {
			continue
		}
		p.headStates[lane] = state
		p.heads[lane].Set("className", "lane-state "+state.String())
		p.heads[lane].Call("setAttribute", "aria-label", "lane "+strconv.Itoa(lane)+": "+state.words())
		p.heads[lane].Set("title", "lane "+strconv.Itoa(lane)+": "+state.words())
	}
	p.host.Get("style").Call("setProperty", "--lane", p.grid.Lane)
	p.host.Get("dataset").Set("lane", p.grid.Lane)
}

// window chooses the rows to draw: all, a window around the scroll position, or only the phone layout's register.
func (p *lanePainter) window() (start, end int) {
	if len(p.grid.Rows) <= windowRows {
		return 0, len(p.grid.Rows)
	}
	if js.Global().Call("matchMedia", "(max-width: 760px)").Get("matches").Bool() {
		for i := range p.grid.Rows {
			if p.grid.Rows[i].Tile {
				return i, i + 1
			}
		}
	}
	first := p.host.Get("scrollTop").Int() / p.rowHeight()
	start = min(max(first-windowRows/3, 0), len(p.grid.Rows)-windowRows)
	return start, start + windowRows
}

// rowHeight is fixed by the style sheet.
func (p *lanePainter) rowHeight() int {
	if p.shown > 0 {
		if h := p.pool[0].el.Get("offsetHeight").Int(); h > 0 {
			return h
		}
	}
	return 22
}

func (p *lanePainter) draw() {
	start, end := p.window()
	for len(p.pool) < end-start {
		p.pool = append(p.pool, newRowView())
	}
	for ; p.shown < end-start; p.shown++ {
		p.rows.Call("append", p.pool[p.shown].el)
	}
	for ; p.shown > end-start; p.shown-- {
		p.pool[p.shown-1].el.Call("remove")
	}
	for i := start; i < end; i++ {
		p.drawRow(p.pool[i-start], &p.grid.Rows[i])
	}
	p.space(start, len(p.grid.Rows)-end)
}

func (p *lanePainter) space(before, after int) {
	height := 0
	if before+after > 0 {
		height = p.rowHeight()
	}
	p.above.Get("style").Set("height", strconv.Itoa(before*height)+"px")
	p.below.Get("style").Set("height", strconv.Itoa(after*height)+"px")
}

// reveal scrolls a row into view.
func (p *lanePainter) reveal(row int) {
	height, top := p.rowHeight(), p.host.Get("scrollTop").Int()
	visible := p.host.Get("clientHeight").Int() - p.head.Get("offsetHeight").Int()
	switch {
	case visible < height: // hidden
	case row*height < top:
		p.host.Set("scrollTop", row*height)
	case (row+1)*height > top+visible:
		p.host.Set("scrollTop", (row+1)*height-visible)
	}
}

var rowTemplate js.Value

func newRowView() *rowView {
	if rowTemplate.IsUndefined() {
		rowTemplate = js.Global().Get("document").Call("createElement", "template")
		var cells strings.Builder
		for lane := range 32 {
			cells.WriteString(`<span role="gridcell" tabindex="-1" data-lane="` + strconv.Itoa(lane) + `"> </span>`)
		}
		rowTemplate.Set("innerHTML", `<div role="row" class="lane-row"><span role="rowheader" tabindex="-1"><b> </b>`+
			`<small> </small><button type="button" class="pin" title="Keep on top">`+pinPicture+`</button></span>`+
			cells.String()+`</div>`)
	}
	el := rowTemplate.Get("content").Get("firstChild").Call("cloneNode", true)
	children := el.Get("children")
	parts := children.Index(0).Get("children")
	r := &rowView{el: el, name: parts.Index(0).Get("firstChild"), typ: parts.Index(1).Get("firstChild"), pin: parts.Index(2)}
	for lane := range r.cells {
		cell := children.Index(lane + 1)
		r.cells[lane].el, r.cells[lane].text = cell, cell.Get("firstChild")
		r.cells[lane].value.Text = " "
	}
	return r
}

const pinPicture = `<svg viewBox="0 0 16 16" class="glyph" aria-hidden="true"><path d="` + glyphPin + `"/></svg>`

func (p *lanePainter) drawRow(r *rowView, row *LaneRow) {
	if r.reg != row.Reg {
		r.reg = row.Reg
		r.name.Set("nodeValue", row.Reg)
		r.el.Get("dataset").Set("row", row.Reg)
		r.pin.Get("dataset").Set("pin", row.Reg)
		r.pin.Call("setAttribute", "aria-label", "Pin "+row.Reg)
		for lane := range r.cells {
			r.cells[lane].el.Get("dataset").Set("reg", row.Reg)
		}
	}
	if r.regType != row.Type {
		r.regType = row.Type
		r.typ.Set("nodeValue", row.Type)
	}
	if class := rowClass(row); row.Pinned != r.pinned || row.Tile != r.tile {
		r.pinned, r.tile = row.Pinned, row.Tile
		r.el.Set("className", class)
		r.pin.Call("setAttribute", "aria-pressed", boolWord(row.Pinned))
	}
	for lane := range r.cells {
		p.drawCell(&r.cells[lane], p.grid.cell(row, lane), p.model.View.State.Active.Has(lane))
	}
}

func rowClass(row *LaneRow) string {
	class := "lane-row"
	if row.Pinned {
		class += " pinned"
	}
	if row.Tile {
		class += " tile"
	}
	return class
}

func (p *lanePainter) drawCell(c *cellView, cell LaneCell, active bool) {
	if c.value.Text != cell.Text {
		c.text.Set("nodeValue", cell.Text)
	}
	c.value = cell
	if class := p.cellClass(cell); class != c.class {
		c.class = class
		c.el.Set("className", class)
	}
	if active != c.active || !c.drawn {
		c.active, c.drawn = active, true
		c.el.Get("dataset").Set("active", boolWord(active))
	}
}

// cellClass names a cell's looks for the style sheet.
func (p *lanePainter) cellClass(cell LaneCell) string {
	class := ""
	for _, look := range [...]struct {
		flag CellFlags
		name string
	}{{CellInactive, " off"}, {CellUnwritten, " unwritten"}, {CellPred, " pred"}, {CellSet, " set"},
		{CellPointer, " pointer"}, {CellGone, " gone"}} {
		if cell.Flags&look.flag != 0 {
			class += look.name
		}
	}
	if cell.Flags&CellChanged != 0 {
		if p.parity {
			class += " glow-a"
		} else {
			class += " glow-b"
		}
	}
	switch n := len(cell.Text); {
	case n > 10:
		class += " tiny"
	case n > 5:
		class += " small"
	}
	return class
}
