package ui

import (
	"fmt"
	"strconv"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
)

// rail is the timeline with its marks above it.
func rail(m *Model, send Send) *Group {
	parts := []vecty.Component{
		&MarkRow{Model: m, Version: m.MarksVersion, Room: m.Room.W, Send: send},
		&Timeline{Still: still(m), Send: send},
	}
	return &Group{Parts: parts, Draw: func() *vecty.HTML {
		return elem.Div(vecty.Markup(vecty.Class("rail")), children(parts))
	}}
}

// MarkRow are the marks above the rail, and the names of steps or CTAs below it. The marks are one tab stop; the arrow
// keys go from one to the next.
type MarkRow struct {
	vecty.Core
	Model   *Model `vecty:"prop"`
	Version int    `vecty:"prop"`
	Room    int    `vecty:"prop"`
	Send    Send   `vecty:"prop"`
	groups  []markGroup
	width   int
}

const markRowID = "marks"

// SkipRender implements vecty.RenderSkipper.
func (r *MarkRow) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*MarkRow)
	return ok && p.Version == r.Version && p.Room == r.Room && p.Model.View.End == r.Model.View.End &&
		p.Model.Surveyed == r.Model.Surveyed && p.width == r.width
}

// Mount implements vecty.Mounter.
func (r *MarkRow) Mount() {
	host := byID(markRowID)
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		if width := measured(host.Value, "clientWidth"); width > 0 && width != r.width {
			r.width = width
			vecty.Rerender(r)
		}
		return nil
	})).Call("observe", host.Value)
	listenTo(host.Value, "click", func(e js.Value) {
		mark := closest(e.Get("target"), "[data-mark]")
		if !mark.Truthy() {
			return
		}
		if i, err := strconv.Atoi(mark.GetAttribute("data-mark")); err == nil && i < len(r.groups) {
			r.Send(Visit{r.groups[i].Mark})
		}
	})
	listenTo(host.Value, "keydown", r.key)
}

func (r *MarkRow) key(e js.Value) {
	mark := closest(e.Get("target"), "[data-mark]")
	if !mark.Truthy() {
		return
	}
	i, _ := strconv.Atoi(mark.GetAttribute("data-mark"))
	press := keyboard(e)
	switch press.Key() {
	case "ArrowLeft":
		i--
	case "ArrowRight":
		i++
	case "Home":
		i = 0
	case "End":
		i = len(r.groups) - 1
	default:
		return
	}
	press.PreventDefault()
	next := byID(markRowID).Call("querySelector", `[data-mark="`+strconv.Itoa(min(max(i, 0), len(r.groups)-1))+`"]`)
	if next.Truthy() {
		next.Call("focus")
	}
}

// Render implements vecty.Component.
func (r *MarkRow) Render() vecty.ComponentOrHTML {
	r.groups = markGroups(r.Model.Marks, r.Model.View.End, r.width)
	list := make(vecty.List, len(r.groups))
	for i, g := range r.groups {
		kind, n, reach := markKindOf[g.Mark.Kind], "", "-1"
		if g.Count > 1 {
			n = strconv.Itoa(g.Count)
		}
		if i == 0 {
			reach = "0"
		}
		list[i] = elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("mark", kind.class),
			vecty.Data("mark", strconv.Itoa(i)), vecty.Data("tick", strconv.FormatInt(g.Mark.Tick, 10)),
			vecty.Data("kind", kind.name), attr("tabindex", reach), aria("label", g.Words), attr("title", g.Words),
			vecty.Style("left", fmt.Sprintf("%.3f%%", 100*g.Part))), glyph(kind.glyph), span("", n))
	}
	return elem.Div(
		elem.Div(vecty.Markup(prop.ID(markRowID), vecty.Class("marks"), attr("role", "group"), aria("label", "Marks")), list),
		elem.Div(vecty.Markup(vecty.Class("scale"), aria("hidden", "true"), vecty.UnsafeHTML(railHTML(r.Model, r.width)))))
}

// NextMarks go to the next mark of each kind that the run has.
type NextMarks struct {
	vecty.Core
	Marks   []debug.Mark `vecty:"prop"`
	Version int          `vecty:"prop"`
	Tick    int64        `vecty:"prop"`
	All     bool         `vecty:"prop"`
	Send    Send         `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (n *NextMarks) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*NextMarks)
	return ok && p.Version == n.Version && p.All == n.All &&
		nextMarks(p.Marks, p.Tick) == nextMarks(n.Marks, n.Tick)
}

// Render implements vecty.Component.
func (n *NextMarks) Render() vecty.ComponentOrHTML {
	kinds := kindsOf(n.Marks)
	buttons := make(vecty.List, len(kinds))
	for i, kind := range kinds {
		k := markKindOf[kind]
		next, ok := nextMark(n.Marks, kind, n.Tick)
		title := "No " + k.name + " is known after this step"
		if ok {
			title = "Go to step " + count(next.Tick)
		}
		if !n.All {
			title += ". This run is long: marks are looked for in parts of it only"
		}
		buttons[i] = &Part{Key: [3]any{kind, title, next}, Draw: func() *vecty.HTML {
			return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("next-mark", k.class),
				aria("label", "Next "+k.name), aria("disabled", boolWord(!ok)), attr("title", title),
				onClick(func() {
					if ok {
						n.Send(Visit{next})
					}
				})), glyph(k.glyph), span("", k.name))
		}}
	}
	return elem.Div(vecty.Markup(vecty.Class("next-marks"), vecty.ClassMap{"none": len(kinds) == 0},
		attr("role", "group"), aria("label", "Next")), span("muted", "Next"), buttons)
}
