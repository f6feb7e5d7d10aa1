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
	"#panel-watch .body, #panel-breakpoints .body"

const reachable = "button:not([tabindex='-1']), a[href], input, select, [tabindex='0']"

// rove handles Tab and the arrow keys within such a panel.
func rove(e js.Value) {
	press := keyboard(e)
	target := press.Get("target")
	panel := closest(target, roving)
	if !panel.Truthy() || e.Get("defaultPrevented").Bool() || press.AltKey() || press.CtrlKey() || press.MetaKey() {
		return
	}
	switch key := press.Key(); {
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
