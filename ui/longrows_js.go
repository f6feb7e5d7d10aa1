package ui

import (
	"strconv"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// LongRows is the body of a table that can have thousands of rows, one for each line of a program, all of one height.
// The browser looks at all that is there in each step. So only rows near those in sight are in the page, and the
// table's margins are as high as the others. The body of the panel scrolls.
type LongRows struct {
	vecty.Core
	ID  string           `vecty:"prop"`
	N   int              `vecty:"prop"`
	Row func(int) string `vecty:"prop"` // writes a row as HTML

	rows, table livePart
	scroller    js.Value
	top, view   int
	from, to    int
}

// Heights of a row of a table of counts, and how far below the panel's top the table can begin (access.css).
const countsRow, countsRowPhone, aboveCounts = 20, 31, 300

// Mount implements vecty.Mounter.
func (l *LongRows) Mount() {
	l.rows = liveElement(l.ID)
	l.table.take(closest(l.rows.Value, "table").Value)
	l.scroller = closest(l.rows.Value, ".body").Value
	look := func() {
		l.top, l.view = measured(l.scroller, "scrollTop"), measured(l.scroller, "clientHeight")
		if from, to := l.window(); from != l.from || to != l.to {
			l.draw()
		}
	}
	listenTo(l.scroller, "scroll", func(js.Value) { look() })
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		look()
		return nil
	})).Call("observe", l.scroller)
	l.draw()
}

// Render implements vecty.Component. The element has no children that Vecty knows of.
func (l *LongRows) Render() vecty.ComponentOrHTML {
	if !l.scroller.IsUndefined() {
		l.draw()
	}
	return elem.TableBody(vecty.Markup(prop.ID(l.ID)))
}

func (l *LongRows) window() (from, to int) {
	return rowWindow(l.top, l.view, aboveCounts, l.height(), l.N)
}

func (l *LongRows) height() int {
	if phone() {
		return countsRowPhone
	}
	return countsRow
}

// draw writes the rows of the window.
func (l *LongRows) draw() {
	l.from, l.to = l.window()
	rows := make([]string, 0, l.to-l.from)
	for i := l.from; i < l.to; i++ {
		rows = append(rows, l.Row(i))
	}
	l.rows.writeRows(rows)
	l.table.style("margin-top", px(l.from*l.height()))
	l.table.style("margin-bottom", px((l.N-l.to)*l.height()))
	l.table.attribute("aria-rowcount", strconv.Itoa(l.N+1))
}
