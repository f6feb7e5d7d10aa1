package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/require"
)

// drag moves the pressed pointer from one place to another.
func (v *visit) drag(fromX, fromY, toX, toY float64) {
	v.t.Helper()
	mouse := func(kind input.MouseType, x, y float64) {
		v.run(input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(1))
	}
	mouse(input.MousePressed, fromX, fromY)
	for i := 1.; i <= 4; i++ {
		mouse(input.MouseMoved, fromX+(toX-fromX)*i/4, fromY+(toY-fromY)*i/4)
	}
	mouse(input.MouseReleased, toX, toY)
}

// Who moves separators and tabs selects no text: what is selected could be dragged into the program. Text that was
// selected before stays where it is, too.
func TestDragsSelectNothing(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.seek(16)
	text := js[string](v, `document.querySelector("#editor-host .cm-content").innerText`)
	line := func(at int) box {
		return js[box](v, fmt.Sprintf(`(({ left, top, right, bottom }) =>
			({ Left: left, Top: top, Right: right, Bottom: bottom }))(
			document.querySelectorAll(".workspace > .lines > .line")[%d].getBoundingClientRect())`, at))
	}
	for at := range js[int](v, `document.querySelectorAll(".workspace > .lines > .line").length`) {
		before := line(at)
		x, y := before.Left+min(100, (before.Right-before.Left)/2), before.Top+min(100, (before.Bottom-before.Top)/2)
		v.drag(x, y, x-60, y-60)
		v.eventually(fmt.Sprintf("separator %d is elsewhere", at), func() (bool, string) {
			now := line(at)
			return now != before, fmt.Sprint(before, now)
		})
		require.Empty(t, js[string](v, "getSelection().toString()"), "separator %d", at)
	}

	js[any](v, "getSelection().selectAllChildren(document.body)")
	tab := v.find("tab", "Registers").box()
	panel := v.find("region", "Lane grid").box()
	v.drag(tab.Left+15, tab.Top+10, (panel.Left+panel.Right)/2, (panel.Top+panel.Bottom)/2)
	v.holds(`document.querySelector("#tab-registers-lanes")`)
	require.Equal(t, text, js[string](v, `document.querySelector("#editor-host .cm-content").innerText`))
}

// A tab that is dragged over another one takes its place in the row, in front of it or after it.
func TestTabsChangeTheirOrder(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	tabs := func(want string) {
		v.holds(fmt.Sprintf(`[...document.querySelector("[id^=tab-][id$=-registers]").parentElement.children]
			.filter(e => e.matches("[role=tab]")).map(e => e.dataset.tab).slice(0, 3).join(" ") === %q`, want))
	}
	tabs("stack registers watch")
	moved, over := v.find("tab", "Registers").box(), v.find("tab", "SIMT stack").box()
	v.drag(moved.Left+15, moved.Top+10, over.Left+4, over.Top+10)
	tabs("registers stack watch")
	moved, over = v.find("tab", "Registers").box(), v.find("tab", "Watch").box()
	v.drag(moved.Left+15, moved.Top+10, over.Right-4, over.Top+10)
	tabs("stack watch registers")
	v.find("tab", "Registers").click()
	v.drag(over.Left+15, over.Top+10, over.Left+30, over.Top+10) // within itself
	tabs("stack watch registers")
}

// In half of the width the lanes scroll sideways, and their values stay readable.
func TestLanesInANarrowPlace(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	tab, panel := v.find("tab", "Registers").box(), v.find("region", "Lane grid").box()
	v.drag(tab.Left+15, tab.Top+10, panel.Right-40, (panel.Top+panel.Bottom)/2)
	v.holds(`document.querySelector("#panel-lanes").clientWidth < 800`)
	v.holds(`document.querySelector(".lane-head [data-column='31']").clientWidth >= 25`)
	v.holds(`(body => body.scrollWidth > body.clientWidth)(document.querySelector("#panel-lanes > .body"))`)
}
