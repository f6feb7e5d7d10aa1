package ui

import (
	"cmp"
	"html"
	"strconv"
	"strings"
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// lanePainter draws the lane grid's cells itself. Rows are in a pool. The cells of a row are written as one piece of
// HTML, and only if the row shows something else. (One call into the browser for each of 2,048 cells would take longer
// than a frame.) Functions with very many registers get a window of rows around the scroll position; spacers replace
// the rest.
type lanePainter struct {
	host, head, above, rows, below *dom.BasicHTMLElement
	heads                          [32]*dom.BasicHTMLElement
	headWords                      [32]string
	pool                           []*rowView
	shown                          int // rows of the pool that are in the document
	start                          int // the first row of the grid that is drawn

	model  *Model
	grid   LaneGrid
	parity bool // changed cells glow by one of two equal animations in turn, so that a second change glows again
	drawn  bool

	focused     string // register of the cell that has the focus, "" for none
	focusedLane int

	room cellRoom
	size float64 // of the letters of the current row
}

// rowView is one row of the pool with what it shows.
type rowView struct {
	el    *dom.BasicHTMLElement
	class string
	html  string
	size  float64
}

// windowRows is how many rows are drawn at most.
const windowRows = 96

const headTemplate = `<div role="presentation" class="lane-sheet">` +
	`<div role="row" class="lane-head"><span role="columnheader" class="corner">lane</span></div>` +
	`<div role="presentation" class="spacer"></div><div role="rowgroup" class="lane-rows"></div>` +
	`<div role="presentation" class="spacer"></div><div role="presentation" class="lane-column"></div></div>`

func newCellPainter(id string, send Send) cellPainter {
	p := &lanePainter{host: byID(id), room: gridCell(41)}
	p.host.SetInnerHTML(headTemplate)
	parts := p.host.Get("firstChild").Get("children")
	for i, part := range []**dom.BasicHTMLElement{&p.head, &p.above, &p.rows, &p.below} {
		*part = element(parts.Index(i))
	}
	for lane := range p.heads {
		head := create("button")
		head.SetAttribute("type", "button")
		head.SetClass("lane-state absent")
		head.SetAttribute("role", "columnheader")
		head.SetAttribute("data-column", strconv.Itoa(lane))
		head.SetTextContent(strconv.Itoa(lane))
		p.head.Call("append", head.Value)
		p.heads[lane] = head
	}
	p.listen(send)
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		p.measure()
		return nil
	})).Call("observe", p.host.Value)
	return p.paint
}

// measure takes the size of cells from the head, and draws the grid again if the size has changed.
func (p *lanePainter) measure() {
	width := p.heads[0].GetBoundingClientRect().Width()
	room := gridCell(width)
	if phone() {
		room = tileCell(width)
	}
	if width > 0 && room != p.room {
		p.room = room
		if p.drawn {
			p.draw()
		}
	}
}

// phone says whether the style sheet lays lanes out as tiles.
func phone() bool {
	return js.Global().Call("matchMedia", "(max-width: 760px)").Get("matches").Bool()
}

func (p *lanePainter) listen(send Send) {
	on := func(event string, f func(event, target js.Value)) {
		p.host.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0], args[0].Get("target"))
			return nil
		}))
	}
	choose := func(target js.Value) {
		if pin := closest(target, "[data-pin]"); pin.Truthy() {
			send(TogglePin{pin.GetAttribute("data-pin")})
		} else if lane, ok := laneOf(target); ok {
			send(SelectLane{lane})
		}
	}
	on("click", func(_, target js.Value) { choose(target) })
	on("keydown", func(event, target js.Value) {
		switch press := keyboard(event); press.Key() {
		case "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End":
			press.PreventDefault()
			moveFocus(target, press.Key())
		case "Enter", " ":
			press.PreventDefault()
			choose(target)
		}
	})
	on("mouseover", func(_, target js.Value) { p.title(target) })
	on("focusin", func(_, target js.Value) {
		p.focused = ""
		if lane, ok := laneOf(target); ok {
			p.focused, p.focusedLane = element(target).GetAttribute("data-reg"), lane
		}
	})
	on("focusout", func(event, _ js.Value) {
		if event.Get("relatedTarget").Truthy() {
			p.focused = ""
		}
	})
	on("scroll", func(_, _ js.Value) {
		if start, _ := p.window(); p.drawn && start != p.start {
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
	cell := closest(target, "[data-lane],[data-column]")
	if !cell.Truthy() {
		return 0, false
	}
	lane, err := strconv.Atoi(cmp.Or(cell.GetAttribute("data-lane"), cell.GetAttribute("data-column")))
	return lane, err == nil
}

// moveFocus goes to a neighbouring cell.
func moveFocus(target js.Value, key string) {
	cell := closest(target, "[role=gridcell],[role=columnheader],[role=rowheader]")
	if !cell.Truthy() {
		return
	}
	row := cell.Get("parentElement")
	cells := js.Global().Get("Array").Call("from", row.Get("children"))
	index := cells.Call("indexOf", cell.Value).Int()
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
		grid := closest(row, "[role=grid]")
		rows := js.Global().Get("Array").Call("from", grid.Call("querySelectorAll", "[role=row]"))
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
		focus(element(cells.Index(index)), false)
	}
}

// focus gives the focus to a cell. Cells can have the focus, but Tab does not stop at each of them.
func focus(cell *dom.BasicHTMLElement, still bool) {
	if cell.TagName() != "BUTTON" {
		cell.SetTabIndex(-1)
	}
	cell.Call("focus", map[string]any{"preventScroll": still})
}

// title gives the cell under the pointer its long form.
func (p *lanePainter) title(target js.Value) {
	cell := closest(target, "[data-lane]")
	if !cell.Truthy() || p.model == nil {
		return
	}
	lane, _ := laneOf(cell.Value)
	cell.SetTitle(cellTitle(p.model, cell.GetAttribute("data-reg"), lane))
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
	for lane, words := range p.grid.words() {
		if p.headWords[lane] == words {
			continue
		}
		p.headWords[lane] = words
		p.heads[lane].SetClass("lane-state " + p.grid.Heads[lane].String())
		p.heads[lane].SetAttribute("aria-label", "lane "+strconv.Itoa(lane)+": "+words)
		p.heads[lane].SetTitle("lane " + strconv.Itoa(lane) + ": " + words)
	}
	style := p.host.Style() // the selected lane's place: of 32 columns, or of 8 × 4 tiles
	style.SetProperty("--lane", strconv.Itoa(p.grid.Lane), "")
	style.SetProperty("--lane-x", strconv.Itoa(p.grid.Lane%8), "")
	style.SetProperty("--lane-y", strconv.Itoa(p.grid.Lane/8), "")
}

// margin is how many rows are drawn, at least, above and below the visible ones.
const margin = 8

// window chooses the rows to draw: all, a window around the scroll position, or only the phone layout's register. The
// window moves only when it must, because then all of its rows are written again.
func (p *lanePainter) window() (start, end int) {
	if len(p.grid.Rows) <= windowRows {
		return 0, len(p.grid.Rows)
	}
	if phone() {
		for i := range p.grid.Rows {
			if p.grid.Rows[i].Tile {
				return i, i + 1
			}
		}
	}
	height, last := p.rowHeight(), len(p.grid.Rows)-windowRows
	first := p.host.Get("scrollTop").Int() / height
	seen := p.host.Get("clientHeight").Int()/height + 1
	start = min(p.start, last)
	if first < start+margin && start > 0 || first+seen+margin > start+windowRows && start < last {
		start = min(max(first-windowRows/3, 0), last)
	}
	return start, start + windowRows
}

// rowHeight is fixed by the style sheet.
func (p *lanePainter) rowHeight() int {
	if p.shown > 0 {
		if h := int(p.pool[0].el.OffsetHeight()); h > 0 {
			return h
		}
	}
	return 22
}

func (p *lanePainter) draw() {
	start, end := p.window()
	p.start = start
	for len(p.pool) < end-start {
		p.pool = append(p.pool, newRowView())
	}
	for ; p.shown < end-start; p.shown++ {
		p.rows.Call("append", p.pool[p.shown].el.Value)
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
	p.above.Style().SetProperty("height", strconv.Itoa(before*height)+"px", "")
	p.below.Style().SetProperty("height", strconv.Itoa(after*height)+"px", "")
}

// reveal scrolls a row into view.
func (p *lanePainter) reveal(row int) {
	height, top := p.rowHeight(), p.host.Get("scrollTop").Int()
	visible := p.host.Get("clientHeight").Int() - int(p.head.OffsetHeight())
	switch {
	case visible < height: // hidden
	case row*height < top:
		p.host.Set("scrollTop", row*height)
	case (row+1)*height > top+visible:
		p.host.Set("scrollTop", (row+1)*height-visible)
	}
}

// newRowView makes an empty row.
func newRowView() *rowView {
	el := create("div")
	el.SetAttribute("role", "row")
	return &rowView{el: el}
}

func (p *lanePainter) drawRow(r *rowView, row *LaneRow) {
	text := p.rowHTML(row)
	if class := rowClass(row); class != r.class {
		r.class = class
		r.el.SetClass(class)
	}
	if p.size != r.size {
		r.size = p.size
		r.el.Style().SetProperty("font-size", strconv.FormatFloat(p.size, 'f', -1, 64)+"px", "")
	}
	if text == r.html {
		return
	}
	r.html = text
	r.el.SetInnerHTML(text)
	if p.focused == row.Reg {
		focus(element(r.el.Get("children").Index(p.focusedLane+1)), true)
	}
}

// rowHTML writes a row: its header and 32 cells.
func (p *lanePainter) rowHTML(row *LaneRow) string {
	var b strings.Builder
	reg := html.EscapeString(row.Reg)
	b.WriteString(`<span role="rowheader"><b title="` + reg + `">` + reg + `</b><small>` + row.Type +
		`</small><button type="button" class="pin" data-pin="` + reg + `" aria-label="Pin ` + reg + `" aria-pressed="` +
		boolWord(row.Pinned) + `" title="Keep on top">` + pinPicture + `</button></span>`)
	active := p.model.View.State.Active
	cells := p.grid.cells(row)
	p.size = p.room.fit(&cells)
	for lane, cell := range cells {
		b.WriteString(`<span role="gridcell" data-lane="` + laneNames[lane] + `" data-reg="` + reg +
			`" data-active="` + boolWord(active.Has(lane)))
		if class := p.cellClass(cell); class != "" {
			b.WriteString(`" class="` + class)
		}
		b.WriteString(`">`)
		if cell.Flags&CellPointer != 0 {
			cell.Text = html.EscapeString(cell.Text)
		}
		b.WriteString(cell.Text)
		b.WriteString(`</span>`)
	}
	return b.String()
}

// laneNames are the numbers of the lanes.
var laneNames = func() (names [32]string) {
	for lane := range names {
		names[lane] = strconv.Itoa(lane)
	}
	return names
}()

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

// cellClass is the class of a cell, from which the style sheet takes its looks.
func (p *lanePainter) cellClass(cell LaneCell) string {
	if cell.Flags == 0 {
		return ""
	}
	class := ""
	for _, look := range [...]struct {
		flag CellFlags
		name string
	}{{CellInactive, "off "}, {CellUnwritten, "unwritten "}, {CellPred, "pred "}, {CellSet, "set "},
		{CellPointer, "pointer "}, {CellGone, "gone "}, {CellUndefined, "undefined "}} {
		if cell.Flags&look.flag != 0 {
			class += look.name
		}
	}
	if cell.Flags&CellChanged != 0 {
		if p.parity {
			return class + "glow-a"
		}
		return class + "glow-b"
	}
	return class
}
