package ui

import (
	"slices"
	"strconv"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Warps shows every warp of the grid and what it does.
type Warps struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

const warpsPanel, warpSheetID, warpChipsID = "warps", "warp-sheet", "warp-chips"

// warpKey has everything that the panel depends on.
type warpKey struct {
	version uint64
	filter  string
	room    Room
	shown   bool
	running bool
}

func warpKeyOf(m *Model) warpKey {
	return warpKey{m.View.Version, m.WarpFilter, m.Room, m.inView(warpsPanel), m.Running}
}

// SkipRender implements vecty.RenderSkipper. All that changes is drawn live.
func (w *Warps) SkipRender(prev vecty.Component) bool {
	_, ok := prev.(*Warps)
	return ok
}

// Render implements vecty.Component.
func (w *Warps) Render() vecty.ComponentOrHTML {
	return region("Warps", "panel-warps",
		&Part{Draw: func() *vecty.HTML {
			return elem.Div(vecty.Markup(prop.ID(warpChipsID), vecty.Class("warp-chips"), attr("role", "group"),
				aria("label", "Show warps that")))
		}},
		&WarpCells{Model: w.Model, Send: w.Send})
}

// endedLine says in words that the registers are those of a warp that has ended.
func endedLine(m *Model) *Part {
	words := endedNote(m)
	return &Part{Key: words, Draw: func() *vecty.HTML {
		return elem.Paragraph(vecty.Markup(vecty.Class("ended-note"), vecty.ClassMap{"empty": words == ""},
			attr("role", "note")), vecty.Text(words))
	}}
}

// WarpCells are the warps. Only the lines that are in sight exist; they are written as one piece of HTML.
type WarpCells struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`

	host     js.Value
	sheet    *warpSheet
	rows     []warpLine
	height   int
	lines    livePart // those in sight
	followed [2]int
	shown    *warpKey
	chips    livePart

	width, view, top int // of the host, and where it is scrolled to: to ask the browser for these costs a layout
}

// Mount implements vecty.Mounter.
func (c *WarpCells) Mount() {
	c.host, c.chips = byID(warpSheetID).Value, liveElement(warpChipsID)
	lines := create("div")
	lines.SetClass("warp-lines")
	c.host.Call("append", lines.Value)
	c.lines.take(lines.Value)
	drawsLive(warpsPanel, c.show)
	listenTo(byID(warpChipsID).Value, "click", func(e js.Value) {
		if chip := closest(e.Get("target"), "[data-filter]"); chip.Truthy() {
			c.Send(FilterWarps{chip.GetAttribute("data-filter")})
		}
	})
	listenTo(c.host, "scroll", func(js.Value) {
		c.top = measured(c.host, "scrollTop")
		if c.Model.inView(warpsPanel) {
			c.draw()
		}
	})
	listenTo(c.host, "click", func(e js.Value) { c.follow(closest(e.Get("target"), "[data-warp]").Value) })
	listenTo(c.host, "keydown", c.key)
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		c.width, c.view = measured(c.host, "clientWidth"), measured(c.host, "clientHeight")
		c.place()
		return nil
	})).Call("observe", c.host)
}

// show draws what another model shows otherwise. A panel that is not seen is not drawn.
func (c *WarpCells) show(m *Model) {
	c.Model = m
	key := warpKeyOf(m)
	if c.shown != nil && (*c.shown == key || !c.shown.shown && !key.shown) {
		return
	}
	c.shown = &key
	c.chips.write(warpChipsHTML(warpChips(m)))
	c.place()
}

// SkipRender implements vecty.RenderSkipper.
func (c *WarpCells) SkipRender(vecty.Component) bool { return true }

// Render implements vecty.Component. The element has no children that Vecty knows of.
func (c *WarpCells) Render() vecty.ComponentOrHTML {
	return elem.Div(vecty.Markup(prop.ID(warpSheetID), vecty.Class("warp-sheet"), attr("role", "group"),
		aria("label", "Warps of the grid")))
}

// place works out the lines again, and brings the followed warp into sight when it is another one. The panel has no
// width yet when it is made, and while it is covered.
func (c *WarpCells) place() {
	width := c.width - 20
	if width <= 0 || !c.Model.inView(warpsPanel) {
		return
	}
	v := &c.Model.View
	c.sheet = newWarpSheet(c.Model)
	c.rows, c.height = c.sheet.lines(width)
	if now := [2]int{v.CTA, v.Warp}; now != c.followed {
		c.followed = now
		c.reveal()
	}
	c.draw()
}

// reveal scrolls as little as needed for the followed warp to be in sight.
func (c *WarpCells) reveal() {
	at, line := c.sheet.place(c.followed[0], c.followed[1]), -1
	for i := range c.rows {
		if at >= c.rows[i].From && at < c.rows[i].To {
			line = i
		}
	}
	if line < 0 {
		return
	}
	y := line * c.height
	switch {
	case y < c.top:
	case y+c.height+14 > c.top+c.view:
		y += c.height + 14 - c.view
	default:
		return
	}
	scroll(c.host, y)
	c.top = measured(c.host, "scrollTop")
}

// draw writes the lines that are in sight, unless they are there already.
func (c *WarpCells) draw() {
	if c.sheet == nil {
		return
	}
	first := max(c.top/c.height-1, 0)
	last := min(first+c.view/c.height+3, len(c.rows))
	first = min(first, last)
	var rows []string
	for _, line := range c.rows[first:last] {
		rows = append(rows, c.sheet.html(line))
	}
	if len(c.rows) == 0 && c.Model.WarpFilter != "" {
		rows = []string{`<p class="empty-note" role="note">` + noWarps(c.Model.WarpFilter) + `</p>`}
	}
	c.lines.style("height", px((len(c.rows)-first)*c.height))
	c.lines.style("margin-top", px(first*c.height))
	if slices.Equal(rows, c.lines.rows) {
		return
	}
	focused := closest(htmlDocument().Get("activeElement"), "#"+warpSheetID+" [data-warp]")
	c.lines.writeRows(rows)
	if focused.Truthy() {
		c.focus(focused.GetAttribute("data-cta"), focused.GetAttribute("data-warp"))
	}
	c.reachable()
}

// reachable gives the panel one tab stop even when the followed warp is out of sight.
func (c *WarpCells) reachable() {
	if !c.host.Call("querySelector", `[tabindex="0"]`).Truthy() {
		if first := c.host.Call("querySelector", "[data-warp]"); first.Truthy() {
			first.Set("tabIndex", 0)
		}
	}
}

func (c *WarpCells) focus(cta, warp string) {
	tile := c.host.Call("querySelector", `[data-cta="`+cta+`"][data-warp="`+warp+`"]`)
	if tile.Truthy() {
		tile.Call("focus", map[string]any{"preventScroll": true})
	}
}

func (c *WarpCells) follow(tile js.Value) {
	if !tile.Truthy() {
		return
	}
	cta, _ := strconv.Atoi(tile.Call("getAttribute", "data-cta").String())
	warp, _ := strconv.Atoi(tile.Call("getAttribute", "data-warp").String())
	c.Send(Follow{cta, warp})
}

// key moves from warp to warp with the arrow keys: to the neighbours, and to the line above or below.
func (c *WarpCells) key(e js.Value) {
	tile := closest(e.Get("target"), "[data-warp]")
	if !tile.Truthy() || c.sheet == nil {
		return
	}
	cta, _ := strconv.Atoi(tile.GetAttribute("data-cta"))
	warp, _ := strconv.Atoi(tile.GetAttribute("data-warp"))
	at := c.sheet.place(cta, warp)
	line := 0
	for i := range c.rows {
		if at >= c.rows[i].From {
			line = i
		}
	}
	column := at - c.rows[line].From
	to := func(line int) int { return min(c.rows[line].From+column, c.rows[line].To-1) }
	press := keyboard(e)
	switch press.Key() {
	case "ArrowLeft":
		at--
	case "ArrowRight":
		at++
	case "ArrowUp":
		at = to(max(line-1, 0))
	case "ArrowDown":
		at = to(min(line+1, len(c.rows)-1))
	case "Home":
		at = 0
	case "End":
		at = c.sheet.n - 1
	default:
		return
	}
	press.PreventDefault()
	t := c.sheet.at(min(max(at, 0), c.sheet.n-1))
	c.followed = [2]int{t.CTA, t.Warp}
	c.reveal()
	c.draw()
	c.focus(strconv.Itoa(t.CTA), strconv.Itoa(t.Warp))
}
