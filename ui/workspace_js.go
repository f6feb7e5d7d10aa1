package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/ui/workspace"
)

// Workspace holds the panels. All of them are its children, always in the same order: an arrangement gives each a place
// and never moves an element, so the editor keeps its state and a list its scroll position.
type Workspace struct {
	vecty.Core
	Model  *Model                `vecty:"prop"`
	Calm   *Model                `vecty:"prop"` // that covered panels show
	Send   Send                  `vecty:"prop"`
	Panels map[string]panelMaker `vecty:"prop"`
	drag   *dragging
	opened string // the panel whose menu has been opened, and its first item has the focus
	rest   bool   // covered panels are drawn, too
	slots  []*Slot
}

// panelMaker makes the component of a panel.
type panelMaker func(m *Model) vecty.Component

const workspaceID = "workspace"

// Mount implements vecty.Mounter.
func (w *Workspace) Mount() {
	host := byID(workspaceID)
	measure := func() {
		w.Send(SetRoom{roomOf(host.Value)})
	}
	measure()
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		measure()
		return nil
	})).Call("observe", host.Value)
	w.listen(host.Value)
	newBrowser().After(calmDelay, func() { // the first screen does without what it does not show
		w.rest = true
		vecty.Rerender(w)
	})
}

// emptyRoom measures the room that the workspace will have, in a page without anything. A first screen that knows it is
// drawn and laid out once.
func emptyRoom() Room {
	app, workspace := create("div"), create("main")
	app.SetClass("app")
	workspace.SetClass("workspace")
	app.Call("append", workspace.Value)
	htmlDocument().Get("body").Call("append", app.Value)
	defer app.Call("remove")
	return roomOf(workspace.Value)
}

func roomOf(workspace js.Value) Room {
	return Room{measured(workspace, "clientWidth"), measured(workspace, "clientHeight")}
}

// SkipRender implements vecty.RenderSkipper. If no place would be drawn again, neither is the workspace.
func (w *Workspace) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Workspace)
	if !ok || p.rest != w.rest {
		return false
	}
	is, was := w.Model, p.Model
	same := is.solved() == was.solved() && is.Drop == was.Drop && is.Arranged == was.Arranged && is.Menu == "" &&
		was.Menu == ""
	return same && slices.EqualFunc(w.places(), p.slots, func(is, was *Slot) bool { return is.SkipRender(was) })
}

// places are all panels in their places.
func (w *Workspace) places() (slots []*Slot) {
	l, screen := w.Model.layout(), w.Model.screen()
	for _, key := range panelKeys() {
		i := slices.IndexFunc(screen.Places, func(p workspace.Place) bool { return p.Panel == key })
		slots = append(slots, w.slot(key, screen.Places[i], l))
	}
	return slots
}

// Render implements vecty.Component.
func (w *Workspace) Render() vecty.ComponentOrHTML {
	m := w.Model
	screen := m.screen()
	w.slots = w.places()
	var list vecty.List
	for _, slot := range w.slots {
		list = append(list, slot)
	}
	lines := make(vecty.List, len(screen.Lines))
	for i := range screen.Lines {
		lines[i] = w.line(&screen.Lines[i])
	}
	return elem.Main(vecty.Markup(prop.ID(workspaceID), vecty.Class("workspace"),
		vecty.ClassMap{"overflows": screen.W > m.Room.W || screen.H > m.Room.H}),
		list, elem.Div(vecty.Markup(vecty.Class("lines")), lines), w.drop(), w.menu(screen),
		&Part{Key: m.Arranged, Draw: func() *vecty.HTML {
			return elem.Paragraph(vecty.Markup(vecty.Class("spoken"), aria("live", "polite")), vecty.Text(m.Arranged))
		}})
}

// slot is a panel in its place.
func (w *Workspace) slot(key string, p workspace.Place, l workspace.Layout) *Slot {
	m, shown := w.Model, w.Model
	chosen := m.tab() == key
	if !m.seen(p, chosen) {
		shown = w.Calm
	}
	return &Slot{Panel: key, Model: shown, Make: w.Panels[key], Send: w.Send, Facts: slotFacts{Rect: p.Rect,
		Tabs: tabTitles(m, p), Front: p.Front, Folded: p.Folded, Narrow: p.Narrow, Drawn: l.Drawn(key),
		Crowded: crowded(m, &p),
		Alone:   len(p.Tabs) == 1, Chosen: chosen, Max: l.Max == key, Menu: m.Menu == key,
		Wanted: w.rest || key == editorPanel || m.inView(key)}}
}

// Slot is a panel in its place, with the tabs of all panels that share it.
type Slot struct {
	vecty.Core
	Panel string     `vecty:"prop"`
	Facts slotFacts  `vecty:"prop"`
	Model *Model     `vecty:"prop"`
	Make  panelMaker `vecty:"prop"`
	Send  Send       `vecty:"prop"`
	made  bool       // the panel has been wanted, and stays
	strip stripFacts // whose tab in front has been brought into sight
}

// stripFacts are what a row of tabs is laid out by.
type stripFacts struct {
	tabs  string
	width int
	front bool
}

// slotFacts is what a place looks like.
type slotFacts struct {
	workspace.Rect
	Tabs                                string
	Front, Folded, Narrow, Drawn, Alone bool
	Crowded                             bool
	Chosen, Max, Menu, Wanted           bool
}

// SkipRender implements vecty.RenderSkipper. If the panel would not be drawn again, neither is its place.
func (s *Slot) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Slot)
	if !ok || p.Facts != s.Facts || p.Model == s.Model {
		return ok && p.Facts == s.Facts
	}
	if !s.made && !s.Facts.Wanted {
		return true
	}
	return skips(s.Make(s.Model), p.Make(p.Model))
}

// Render implements vecty.Component.
func (s *Slot) Render() vecty.ComponentOrHTML {
	f := s.Facts
	s.made = s.made || f.Wanted
	if is := (stripFacts{f.Tabs, f.W, f.Front}); is != s.strip {
		s.strip = is
		if is.front {
			newBrowser().Frame(func() { showTab("#slot-" + s.Panel + " .bar-tabs") })
		}
	}
	return elem.Div(
		vecty.Markup(vecty.Class("slot"), prop.ID("slot-"+s.Panel), vecty.Data("panel", s.Panel), placed(f.Rect),
			vecty.ClassMap{"covered": !f.Front, "folded": f.Folded, "narrow": f.Narrow, "drawer": f.Drawn,
				"alone": f.Alone, "chosen": f.Chosen, "crowded": f.Crowded}),
		&PanelBar{Panel: s.Panel, Tabs: f.Tabs, Front: f.Front, Max: f.Max, Drawn: f.Drawn, Menu: f.Menu, Send: s.Send},
		when(s.made, s.Make(s.Model)),
	)
}

// tabTitles are the tabs of a place: "key title count" a line, so that bars can be compared.
func tabTitles(m *Model, p workspace.Place) string {
	var b strings.Builder
	for _, key := range p.Tabs {
		b.WriteString(key + "\t" + m.panelTitle(key) + "\n")
	}
	return b.String()
}

// placed gives an element its place.
func placed(r workspace.Rect) vecty.Applyer {
	return vecty.Markup(vecty.Style("left", px(r.X)), vecty.Style("top", px(r.Y)), vecty.Style("width", px(r.W)),
		vecty.Style("height", px(r.H)))
}

// showTab scrolls a row of tabs to its beginning, or as far as the tab in front needs. That one sticks to the edges, so
// that its neighbour says where it is.
func showTab(strip string) {
	tab := element(htmlDocument().Call("querySelector", strip+" [aria-selected=true]"))
	if !tab.Truthy() {
		return
	}
	row := tab.Get("parentElement")
	end := tab.OffsetWidth()
	if before := element(tab.Get("previousElementSibling")); before.Truthy() {
		end += before.OffsetLeft() + before.OffsetWidth()
	}
	const fade = 14
	row.Set("scrollLeft", max(0, end+fade-row.Get("clientWidth").Float()))
}

// PanelBar is the head of a place: its tabs on the left, its menu and Maximise on the right.
type PanelBar struct {
	vecty.Core
	Panel string `vecty:"prop"`
	Tabs  string `vecty:"prop"`
	Front bool   `vecty:"prop"`
	Max   bool   `vecty:"prop"`
	Drawn bool   `vecty:"prop"`
	Menu  bool   `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (b *PanelBar) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*PanelBar)
	return ok && p.Tabs == b.Tabs && p.Front == b.Front && p.Max == b.Max && p.Drawn == b.Drawn && p.Menu == b.Menu
}

// Render implements vecty.Component.
func (b *PanelBar) Render() vecty.ComponentOrHTML {
	lines := strings.Split(strings.TrimSuffix(b.Tabs, "\n"), "\n")
	var buttons vecty.List
	title := ""
	for i, line := range lines {
		key, words, _ := strings.Cut(line, "\t")
		if key == b.Panel {
			title = words
		}
		if b.Front {
			buttons = append(buttons, b.tab(lines, i, key, words))
		}
	}
	end, name := vecty.MarkupOrChild(nil), "Maximise "+title
	if b.Max {
		name = "Restore " + title
	}
	if b.Front {
		size := b.button(name, glyphMax, Maximise{b.Panel})
		if b.Drawn {
			size = b.button("Close "+title, glyphClose, CloseDrawer{})
		}
		opens := map[bool]string{false: b.Panel}[b.Menu] // a second press closes it
		end = vecty.List{
			elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), prop.ID("menu-of-"+b.Panel),
				aria("label", "Arrange "+title), attr("title", "Arrange "+title), aria("haspopup", "menu"),
				aria("expanded", boolWord(b.Menu)), onClick(func() { b.Send(OpenMenu{opens}) })),
				glyph(glyphDots)),
			size,
		}
	}
	return elem.Div(vecty.Markup(vecty.Class("bar"), vecty.ClassMap{"empty": !b.Front}),
		elem.Div(vecty.Markup(vecty.Class("bar-tabs"), attr("role", "tablist"), aria("label", "Panels with "+title)),
			buttons),
		elem.Div(vecty.Markup(vecty.Class("bar-end")), end))
}

func (b *PanelBar) button(name, picture string, action Action) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), aria("label", name),
		attr("title", name), onClick(func() { b.Send(action) })), glyph(picture))
}

func (b *PanelBar) tab(lines []string, i int, key, words string) *vecty.HTML {
	front := key == b.Panel
	reach := map[bool]string{true: "0", false: "-1"}[front]
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), prop.ID("tab-"+b.Panel+"-"+key), attr("role", "tab"),
		attr("tabindex", reach), aria("selected", boolWord(front)), vecty.Data("tab", key),
		vecty.MarkupIf(front, aria("controls", "panel-"+key)),
		onClick(func() { // this tab goes with the place of the panel that was in front
			b.Send(ShowPanel{key})
			focusPanel(key, true)
		}),
		event.KeyDown(func(e *vecty.Event) {
			press := keyboard(e.Value)
			to := i
			switch press.Key() {
			case "ArrowLeft":
				to--
			case "ArrowRight":
				to++
			case "Home":
				to = 0
			case "End":
				to = len(lines) - 1
			default:
				return
			}
			press.PreventDefault()
			next, _, _ := strings.Cut(lines[(to+len(lines))%len(lines)], "\t")
			b.Send(ShowPanel{next})
			focusPanel(next, true)
		})), vecty.Text(words))
}

// focusPanel gives the focus to a panel that is in front: to its tab, or to the text of the editor.
func focusPanel(key string, tab bool) { focusDrawn(key, tab, 10) }

// focusDrawn waits so many frames for the panel's tab: when time is short, Vecty leaves a part of its work to the next.
func focusDrawn(key string, tab bool, frames int) {
	newBrowser().Frame(func() {
		slot := byID("slot-" + key)
		if !slot.Truthy() {
			return
		}
		selector := "[role=tab][aria-selected=true]"
		if key == editorPanel && (!tab || slot.Class().Contains("alone")) { // which shows no tab
			selector = ".cm-content"
		}
		if target := element(slot.Call("querySelector", selector)); target.Truthy() {
			target.Focus()
		} else if frames > 1 {
			focusDrawn(key, tab, frames-1)
		}
	})
}

// line is a separator between two neighbours.
func (w *Workspace) line(line *workspace.Line) *Part {
	name := "Between " + w.Model.panelTitle(line.Before) + " and " + w.Model.panelTitle(line.After)
	return &Part{Key: name + fmt.Sprint(*line), Draw: func() *vecty.HTML { return w.drawLine(line, name) }}
}

func (w *Workspace) drawLine(line *workspace.Line, name string) *vecty.HTML {
	orientation := map[workspace.Way]string{workspace.Row: "vertical", workspace.Column: "horizontal"}[line.Way]
	path := line.Path
	move := func(by int) { w.Send(MoveLine{Path: path, By: by}) } // keys can be faster than the page
	at, least, most := line.At, line.Min, line.Max
	return elem.Div(vecty.Markup(vecty.Class("line", orientation), attr("role", "separator"), attr("tabindex", "0"),
		aria("orientation", orientation), aria("valuenow", strconv.Itoa(at)), aria("valuemin", strconv.Itoa(least)),
		aria("valuemax", strconv.Itoa(most)), vecty.Data("line", joined(path)),
		aria("label", name), placed(line.Rect),
		event.KeyDown(func(e *vecty.Event) {
			press := keyboard(e.Value)
			by := 16
			if press.ShiftKey() {
				by = 80
			}
			switch press.Key() {
			case "ArrowLeft", "ArrowUp":
				move(-by)
			case "ArrowRight", "ArrowDown":
				move(by)
			case "Home":
				w.Send(MoveLine{Path: path, To: least})
			case "End":
				w.Send(MoveLine{Path: path, To: most})
			default:
				return
			}
			press.PreventDefault()
		})))
}

func joined(path []int) string {
	words := make([]string, len(path))
	for i, n := range path {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "-")
}

// drop shows where the tab that is dragged would go.
func (w *Workspace) drop() *Part {
	var r workspace.Rect
	none := w.Model.Drop == nil
	if !none {
		r = w.Model.Drop.Rect
	}
	return &Part{Key: [2]any{r, none}, Draw: func() *vecty.HTML {
		return elem.Div(vecty.Markup(vecty.Class("drop"), vecty.ClassMap{"empty": none}, aria("hidden", "true"), placed(r)))
	}}
}

// menu is the open menu of a panel, below the button that opened it.
func (w *Workspace) menu(screen workspace.Screen) *vecty.HTML {
	m := w.Model
	at := slices.IndexFunc(screen.Places, func(p workspace.Place) bool { return p.Panel == m.Menu && p.Front })
	if at < 0 {
		w.opened = ""
		return elem.Div(vecty.Markup(vecty.Class("menu", "empty")))
	}
	p, panel := screen.Places[at], m.Menu
	items := panelMenu(m, panel)
	buttons := make(vecty.List, len(items))
	for i, item := range items {
		buttons[i] = elem.Button(vecty.Markup(prop.Type(prop.TypeButton), attr("role", "menuitem"), attr("tabindex", "-1"),
			onClick(func() {
				w.Send(OpenMenu{""})
				w.Send(item.Action)
				focusPanel(panel, true)
			})), vecty.Text(item.Label))
	}
	const width = 220
	top := p.Y + workspace.Head
	room := max(screen.H, m.Room.H) - top - 8
	if room < 180 {
		top, room = max(8, p.Y-320), 320
	}
	if w.opened != panel {
		newBrowser().After(0, func() { element(htmlDocument().Call("querySelector", ".menu [role=menuitem]")).Focus() })
	}
	w.opened = panel
	return elem.Div(vecty.Markup(vecty.Class("menu"), attr("role", "menu"), aria("label", "Arrange "+m.panelTitle(panel)),
		vecty.Style("left", px(max(4, p.X+p.W-width-6))), vecty.Style("top", px(top)), vecty.Style("width", px(width)),
		vecty.Style("max-height", px(room)),
		event.KeyDown(func(e *vecty.Event) {
			menuKey(e, func() {
				w.Send(OpenMenu{""})
				byID("menu-of-" + panel).Focus()
			})
		})), buttons)
}

// dragging is a separator or a tab that the pointer holds.
type dragging struct {
	path   []int // of a separator
	way    workspace.Way
	offset int
	panel  string // of a tab
	x, y   int    // where it began
	moving bool
}

// listen follows the pointer over the workspace.
func (w *Workspace) listen(host js.Value) {
	on := func(name string, f func(e js.Value)) {
		listenTo(host, name, f)
	}
	at := func(e js.Value) (x, y int) {
		box := host.Call("getBoundingClientRect")
		return designed(e.Get("clientX").Float()-box.Get("left").Float()) + measured(host, "scrollLeft"),
			designed(e.Get("clientY").Float()-box.Get("top").Float()) + measured(host, "scrollTop")
	}
	on("pointerdown", func(e js.Value) {
		if e.Get("button").Int() != 0 {
			return
		}
		x, y := at(e)
		w.drag = w.grab(e.Get("target"), x, y)
		if w.drag != nil && w.drag.path != nil {
			host.Call("setPointerCapture", e.Get("pointerId"))
		}
	})
	on("pointermove", func(e js.Value) {
		if w.drag != nil {
			x, y := at(e)
			w.moved(x, y, e)
			if w.drag.moving && w.drag.panel != "" {
				host.Call("setPointerCapture", e.Get("pointerId"))
			}
		}
	})
	for _, name := range []string{"selectstart", "dragstart"} { // what moves panels does not select text, nor drag it
		on(name, func(e js.Value) {
			if w.drag != nil {
				e.Call("preventDefault")
			}
		})
	}
	on("pointerup", func(js.Value) { w.release(true) })
	on("pointercancel", func(js.Value) { w.release(false) })
	listenTo(htmlDocument(), "keydown", func(e js.Value) {
		if w.drag != nil && keyboard(e).Key() == "Escape" {
			w.release(false)
			e.Call("stopPropagation") // it pauses nothing
		}
	})
	on("dblclick", func(e js.Value) {
		target := e.Get("target")
		if closest(target, "button:not([role=tab]), input, select, label, .file, .workspace > .menu").Truthy() {
			return
		}
		if line := closest(target, "[data-line]"); line.Truthy() {
			return
		}
		if slot := closest(target, ".slot"); slot.Truthy() && closest(target, ".bar, .slot > .panel > .head").Truthy() {
			w.Send(Maximise{slot.GetAttribute("data-panel")})
		}
	})
	on("keydown", func(e js.Value) {
		slot := closest(e.Get("target"), ".slot.drawer")
		if keyboard(e).Key() == "Escape" && slot.Truthy() && w.Model.Menu == "" {
			w.Send(CloseDrawer{})
			opener := ".report[aria-controls=panel-" + slot.GetAttribute("data-panel") + "]"
			element(htmlDocument().Call("querySelector", opener)).Focus()
		}
	})
	on("click", func(e js.Value) {
		if w.Model.Menu != "" && !closest(e.Get("target"), ".menu, [aria-haspopup=menu]").Truthy() {
			w.Send(OpenMenu{""})
		}
	})
}

// grab is what the pointer takes hold of; nil for nothing.
func (w *Workspace) grab(target js.Value, x, y int) *dragging {
	if line := closest(target, "[data-line]"); line.Truthy() {
		for _, l := range w.Model.screen().Lines {
			if joined(l.Path) != line.GetAttribute("data-line") {
				continue
			}
			d := &dragging{path: l.Path, way: l.Way, offset: x - l.At, moving: true}
			if l.Way == workspace.Column {
				d.offset = y - l.At
			}
			return d
		}
	}
	if tab := closest(target, ".bar [role=tab]"); tab.Truthy() {
		return &dragging{panel: tab.GetAttribute("data-tab"), x: x, y: y}
	}
	return nil
}

// slack is how far a pressed pointer moves before it drags.
const slack = 6

func (w *Workspace) moved(x, y int, e js.Value) {
	d := w.drag
	switch {
	case d.path != nil && d.way == workspace.Row:
		w.Send(MoveLine{Path: d.path, To: x - d.offset})
	case d.path != nil:
		w.Send(MoveLine{Path: d.path, To: y - d.offset})
	case d.moving || max(x-d.x, d.x-x, y-d.y, d.y-y) > slack:
		d.moving = true
		if drop := tabDrop(e, x, y); drop != nil && drop.Target == d.panel {
			w.Send(Dragging{nil})
		} else if drop != nil {
			w.Send(Dragging{drop})
		} else if drop, ok := w.Model.screen().DropAt(x, y); ok {
			w.Send(Dragging{&drop})
		} else {
			w.Send(Dragging{nil})
		}
	}
}

// tabDrop is a place in a row of tabs, beside the tab under the pointer; nil where there is none. The pointer is at x
// and y of the workspace.
func tabDrop(e js.Value, x, y int) *workspace.Drop {
	under := htmlDocument().Call("elementFromPoint", e.Get("clientX"), e.Get("clientY"))
	if !under.Truthy() {
		return nil
	}
	tab := closest(under, ".bar [role=tab][data-tab]")
	if !tab.Truthy() {
		return nil
	}
	box, left := tab.GetBoundingClientRect(), x-designed(e.Get("clientX").Float())
	const thick = 3
	top := y + designed(box.Top()-e.Get("clientY").Float())
	d := &workspace.Drop{Target: tab.GetAttribute("data-tab"), Side: workspace.Before,
		Rect: workspace.Rect{X: left + designed(box.Left()), Y: top, W: thick, H: designed(box.Height())}}
	if e.Get("clientX").Float() > (box.Left()+box.Right())/2 {
		d.Side, d.Rect.X = workspace.After, left+designed(box.Right())-thick
	}
	return d
}

func (w *Workspace) release(take bool) {
	d, drop := w.drag, w.Model.Drop
	w.drag = nil
	if d == nil || d.panel == "" || !d.moving {
		return
	}
	w.Send(Dragging{nil})
	if take && drop != nil {
		w.Send(MovePanel{d.panel, drop.Target, drop.Side})
	}
}

// nextPanel gives the focus to the panel after, or before, the one that has it.
func nextPanel(m *Model, back bool) {
	shown := m.layout().Shown()
	if len(shown) == 0 {
		return
	}
	at := -1
	if slot := closest(htmlDocument().Get("activeElement"), ".slot"); slot.Truthy() {
		at = slices.Index(shown, slot.GetAttribute("data-panel"))
	}
	switch {
	case back && at <= 0:
		at = len(shown) - 1
	case back:
		at--
	default:
		at = (at + 1) % len(shown)
	}
	focusPanel(shown[at], false)
}
