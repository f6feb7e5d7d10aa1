package ui

import (
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
	"honnef.co/go/js/dom/v2"
)

// Panels with many like controls, such as the lines of a list, are one stop of the key Tab. Arrow keys go from one
// control to the next.
const roving = "#panel-registers .body, #panel-problems .body, #panel-statistics .body, #panel-memory .body, " +
	"#panel-stack .body, #panel-watch .body, #panel-breakpoints .body, #panel-access .body, #panel-counters .body"

const reachable = "button:not([tabindex='-1']), a[href], input, select, [tabindex='0']"

// rove handles Tab and the arrow keys within such a panel.
func rove(e js.Value) {
	press := keyboard(e)
	target := press.Get("target")
	if e.Get("defaultPrevented").Bool() || press.AltKey() || press.CtrlKey() || press.MetaKey() {
		return
	}
	if cell := closest(target, cellOfMemory); cell.Truthy() {
		moveCell(press, cell)
		return
	}
	panel := closest(target, roving)
	if !panel.Truthy() {
		return
	}
	switch key := press.Key(); {
	case key == "Tab" && target.Equal(panel.Value): // its scrolling area, before its first control
	case key == "Tab":
		leave(panel, press.ShiftKey())
	case !takesText(target) && (key == "ArrowDown" || key == "ArrowUp"):
		press.PreventDefault()
		moveStop(panel, target, map[string]int{"ArrowDown": 1, "ArrowUp": -1}[key])
	}
}

// leave gives the focus to the last stop of a panel, or the first, from where the browser goes on to what is outside.
func leave(panel *dom.BasicHTMLElement, back bool) {
	stops := panel.Call("querySelectorAll", reachable)
	n := stops.Length()
	if n == 0 {
		return
	}
	i := n - 1
	if back {
		i = 0
	}
	stops.Index(i).Call("focus", map[string]any{"preventScroll": true})
}

// cellOfMemory is a cell of the table of memory. One of them is a stop of the key Tab.
const cellOfMemory = "td[data-offset]"

// moveCell handles the arrow keys in the table of memory.
func moveCell(press *dom.KeyboardEvent, from *dom.BasicHTMLElement) {
	row := closest(from.Value, "tr").Call("querySelectorAll", cellOfMemory).Length()
	by := map[string]int{"ArrowLeft": -1, "ArrowRight": 1, "ArrowUp": -row, "ArrowDown": row}[press.Key()]
	if by == 0 {
		return
	}
	press.PreventDefault()
	cells := js.Global().Get("Array").Call("from", closest(from.Value, "table").Call("querySelectorAll", cellOfMemory))
	if i := cells.Call("indexOf", from.Value).Int() + by; i >= 0 && i < cells.Length() {
		to := element(cells.Index(i))
		from.SetTabIndex(-1)
		to.SetTabIndex(0)
		to.Focus()
	}
}

func moveStop(panel *dom.BasicHTMLElement, from js.Value, by int) {
	stops := js.Global().Get("Array").Call("from", panel.Call("querySelectorAll", reachable))
	if i := stops.Call("indexOf", from).Int() + by; i >= 0 && i < stops.Length() {
		element(stops.Index(i)).Focus()
	}
}

// skipLinks are the first stops of the page, and lead past the toolbar.
func skipLinks(send Send) *vecty.HTML {
	skip := func(panel, words string) *vecty.HTML {
		return elem.Anchor(vecty.Markup(prop.Href("#slot-"+panel), onClick(func() {
			send(ShowPanel{panel})
			focusPanel(panel, false)
		})), vecty.Text(words))
	}
	return elem.Navigation(vecty.Markup(vecty.Class("skip"), aria("label", "Skip")),
		skip(editorPanel, "Skip to the editor"), skip("lanes", "Skip to the lanes"))
}
