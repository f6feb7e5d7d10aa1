package ui

import (
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
	"honnef.co/go/js/dom/v2"
)

// What each step changes is drawn without the virtual DOM: that would compare fifty elements to find a dozen texts. The
// virtual DOM makes elements without content, and a function draws into them. It is called with each model, and looks
// first whether it shows that already.

// live has the functions that draw so. Their elements stay as long as the page.
var live struct {
	draws   []liveDraw
	m, calm *Model
}

type liveDraw struct {
	panel string // that it draws in; "" for none
	draw  func(m *Model)
}

// drawsLive adds a function when its elements are there.
func drawsLive(panel string, draw func(m *Model)) {
	d := liveDraw{panel, draw}
	live.draws = append(live.draws, d)
	d.show()
}

// drawLive draws all. Covered panels show a model of their own: see Store.Calm.
func drawLive(m, calm *Model) {
	live.m, live.calm = m, calm
	for i := range live.draws {
		live.draws[i].show()
	}
}

func (d *liveDraw) show() {
	if m := live.m; d.panel == "" || m.inSight(d.panel) {
		d.draw(m)
	} else {
		d.draw(live.calm)
	}
}

// livePart is an element that is drawn with few calls. It remembers what it shows.
type livePart struct {
	*dom.BasicHTMLElement
	content string
	rows    []string
	styles  map[string]string // and attributes
	hidden  bool
}

// liveElement is the element with an id.
func liveElement(id string) (p livePart) {
	p.take(byID(id).Value)
	return p
}

// liveSpan makes a span for one, with its id as its class.
func liveSpan(id string) *Part {
	return &Part{Draw: func() *vecty.HTML { return elem.Span(vecty.Markup(prop.ID(id), vecty.Class(id))) }}
}

func (p *livePart) take(el js.Value) {
	p.BasicHTMLElement, p.styles = element(el), map[string]string{}
}

// text sets the text if it is another.
func (p *livePart) text(text string) {
	if p.content != text {
		p.content = text
		p.into("writeText", text)
	}
}

// write sets the HTML if it is another, and says whether it was.
func (p *livePart) write(html string) bool {
	if p.content == html {
		return false
	}
	p.content = html
	p.into("writeHTML", html)
	return true
}

// writeRows sets the HTML of a part that has rows, each of one element. If most are there, only those that differ are
// written.
func (p *livePart) writeRows(rows []string) {
	var other []int
	for i, row := range rows {
		if i >= len(p.rows) || row != p.rows[i] {
			other = append(other, i)
		}
	}
	if len(p.rows) != len(rows) || 2*len(other) > len(rows) {
		p.into("writeHTML", strings.Join(rows, ""))
	} else {
		for _, i := range other {
			p.into("writeRow", i, rows[i])
		}
	}
	p.rows = rows
}

// into writes a text (editor/cells.js) or HTML (editor/html.js) into the part, and leaves what is the same.
func (p *livePart) into(method string, args ...any) {
	js.Global().Get("WarpscopeEditor").Call(method, append([]any{p.Value}, args...)...)
}

// style sets a property of the part's own style if it is another. A custom property changes all that inherits it, so
// it is set where it is used.
func (p *livePart) style(name, value string) {
	if p.styles[name] != value {
		p.styles[name] = value
		p.Style().SetProperty(name, value, "")
	}
}

// attribute sets an attribute if it is another.
func (p *livePart) attribute(name, value string) {
	if p.styles[name] != value {
		p.styles[name] = value
		p.SetAttribute(name, value)
	}
}

func (p *livePart) hide(on bool) {
	if p.hidden != on {
		p.hidden = on
		p.Set("hidden", on)
	}
}
