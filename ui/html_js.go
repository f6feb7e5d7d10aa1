package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"
	"slices"
)

// Send hands an action to the store.
type Send func(Action)

// aria is an aria-… attribute.
func aria(name, value string) vecty.Applyer { return vecty.Attribute("aria-"+name, value) }

func attr(name, value string) vecty.Applyer { return vecty.Attribute(name, value) }

// region is one panel: a landmark with a heading, tools next to it, and a body.
func region(name, class string, tools vecty.MarkupOrChild, body ...vecty.MarkupOrChild) *vecty.HTML {
	return titledRegion(name, name, class, tools, body...)
}

// titledRegion is a region whose title changes while its name stays.
func titledRegion(name, title, class string, tools vecty.MarkupOrChild, body ...vecty.MarkupOrChild) *vecty.HTML {
	children := append([]vecty.MarkupOrChild{vecty.Markup(vecty.Class("body"))}, body...)
	return elem.Section(
		vecty.Markup(vecty.Class("panel", class), prop.ID(class), attr("role", "region"), aria("label", name)),
		&panelHead{Title: title, Tools: tools},
		elem.Div(children...),
	)
}

// panelHead is the head of a panel. It is drawn again only with its title or its tools.
type panelHead struct {
	vecty.Core
	Title string              `vecty:"prop"`
	Tools vecty.MarkupOrChild `vecty:"prop"` // nil or a component that can skip: the head is drawn each time if it cannot
}

// SkipRender implements vecty.RenderSkipper.
func (h *panelHead) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*panelHead)
	if !ok || p.Title != h.Title {
		return false
	}
	was, _ := p.Tools.(vecty.Component)
	is, skips := h.Tools.(vecty.RenderSkipper)
	return p.Tools == nil && h.Tools == nil || was != nil && skips && is.SkipRender(was)
}

// Render implements vecty.Component.
func (h *panelHead) Render() vecty.ComponentOrHTML {
	return elem.Div(vecty.Markup(vecty.Class("head")), elem.Heading2(vecty.Text(h.Title)),
		elem.Div(vecty.Markup(vecty.Class("tools")), h.Tools))
}

// reads makes the body of a region a stop of Tab while it has no control: it can be longer than its place, and keys
// scroll what has the focus.
func reads(alone bool) vecty.MarkupList {
	return vecty.Markup(vecty.MarkupIf(alone, attr("tabindex", "0")))
}

// span is text with a class.
func span(class, text string) *vecty.HTML {
	return elem.Span(vecty.Markup(vecty.MarkupIf(class != "", vecty.Class(class))), vecty.Text(text))
}

// words is such a span that is drawn again only with another text.
func words(class, text string) *Part {
	return &Part{Key: [2]string{class, text}, Draw: func() *vecty.HTML { return span(class, text) }}
}

// onClick prevents the browser's own action.
func onClick(f func()) vecty.Applyer {
	return event.Click(func(*vecty.Event) { f() }).PreventDefault()
}

// onInput calls f with the value of a form field at each change.
func onInput(f func(value string)) vecty.Applyer {
	return event.Input(func(e *vecty.Event) { f(input(e.Target).Value()) })
}

// onChange calls f with the value of a form field when the user has finished it.
func onChange(f func(value string)) vecty.Applyer {
	return event.Change(func(e *vecty.Event) { f(input(e.Target).Value()) })
}

// option is one entry of a chooser.
type option struct{ value, label string }

// chooser is a select element: a combobox with an accessible name.
func chooser(name, value string, options []option, onSelect func(string)) *vecty.HTML {
	entries := make(vecty.List, len(options))
	for i, o := range options {
		entries[i] = elem.Option(
			vecty.Markup(vecty.Property("value", o.value), vecty.Property("selected", o.value == value)),
			vecty.Text(o.label),
		)
	}
	return elem.Select(vecty.Markup(aria("label", name), onChange(onSelect)), entries)
}

// glyph is a small picture, drawn from one path in a 16 × 16 box.
func glyph(path string) *vecty.HTML {
	const svg = "http://www.w3.org/2000/svg"
	return vecty.Tag("svg",
		vecty.Markup(vecty.Namespace(svg), attr("viewBox", "0 0 16 16"), attr("class", "glyph"), aria("hidden", "true")),
		vecty.Tag("path", vecty.Markup(vecty.Namespace(svg), attr("d", path))),
	)
}

// The pictures on buttons.
const (
	glyphRun   = "M4 2.5v11l9-5.5z"
	glyphPause = "M4 3h3v10H4zM9 3h3v10H9z"
	glyphStep  = "M2.5 3.5v9l6.5-4.5zM10.5 3.5h2.5v9h-2.5z"
	glyphBack  = "M13.5 3.5v9l-6.5-4.5zM3 3.5h2.5v9H3z"
	glyphReset = "M8 3V.8L4.2 3.9 8 7V4.7a3.9 3.9 0 1 1-3.9 3.9H2.4A5.6 5.6 0 1 0 8 3z"
	glyphNew   = "M7.1 2.5h1.8v4.6h4.6v1.8H8.9v4.6H7.1V8.9H2.5V7.1h4.6z"
	glyphOpen  = "M1.5 3h4.7l1.4 1.7h6.9v2H6.1L3.9 12l-.9-.4 2-5h8V6H6.9L5.6 4.4H3v7.1h9.3l1.7-4h1.4l-2.2 5.4H1.5z"
	glyphSave  = "M7.2 1.5h1.6v6.7l2.5-2.5 1.1 1.1L8 11.2 3.6 6.8l1.1-1.1 2.5 2.5zM2.5 12.7h11v1.6h-11z"
	glyphTheme = "M8 1.5a6.5 6.5 0 1 0 0 13zM8 1.5a6.5 6.5 0 0 1 0 13v-1.4a5.1 5.1 0 0 0 0-10.2z"
	glyphShare = "M12 1.5a2.4 2.4 0 1 1-1.9 3.9L6.3 7.3a2.4 2.4 0 0 1 0 1.4l3.8 1.9a2.4 2.4 0 1 1-.6 1.3L5.7" +
		" 10a2.4 2.4 0 1 1 0-4l3.8-1.9A2.4 2.4 0 0 1 12 1.5z"
	glyphFind = "M6.8 1.5a5.3 5.3 0 0 1 4.2 8.5l3.7 3.7-1.2 1.2-3.7-3.7a5.3 5.3 0 1 1-3-9.7zm0 1.7a3.6 3.6 0 1 0 0 7.2 " +
		"3.6" +
		" 3.6 0 0 0 0-7.2z"
	glyphChevron = "M5.6 2.5 11.1 8l-5.5 5.5-1.1-1.1L8.9 8 4.5 3.6z"
	glyphMax     = "M9 2h5v5h-1.5V4.6L9.6 7.5 8.5 6.4l2.9-2.9H9zM2 9h1.5v2.4l2.9-2.9 1.1 1.1-2.9 2.9H7V14H2z"
	glyphDots    = "M3 6.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8zM8 6.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8z" +
		"M13 6.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8z"
	glyphClose = "M3.6 2.5 8 6.9l4.4-4.4 1.1 1.1L9.1 8l4.4 4.4-1.1 1.1L8 9.1l-4.4 4.4-1.1-1.1L6.9 8 2.5 3.6z"
)

// Part is a part of the page that is drawn again only when what it depends on has changed.
type Part struct {
	vecty.Core
	Key  any                `vecty:"prop"` // what it depends on; nil for nothing
	Draw func() *vecty.HTML `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (t *Part) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Part)
	return ok && p.Key == t.Key
}

// Render implements vecty.Component.
func (t *Part) Render() vecty.ComponentOrHTML { return t.Draw() }

// Group is an element with components in it. It is drawn again only if one of them is: to compare an element costs as
// much as to ask ten components whether they have changed.
type Group struct {
	vecty.Core
	Key   any                `vecty:"prop"` // what the element itself depends on
	Parts []vecty.Component  `vecty:"prop"` // all that can change in it
	Draw  func() *vecty.HTML `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (g *Group) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Group)
	return ok && p.Key == g.Key && slices.EqualFunc(g.Parts, p.Parts, skips)
}

// Render implements vecty.Component.
func (g *Group) Render() vecty.ComponentOrHTML { return g.Draw() }

// children are components as children of an element.
func children(parts []vecty.Component) (list vecty.List) {
	for _, part := range parts {
		list = append(list, part)
	}
	return list
}

// skips says whether a component would be drawn as it was.
func skips(is, was vecty.Component) bool {
	skipper, ok := is.(vecty.RenderSkipper)
	return ok && skipper.SkipRender(was)
}

// headCell is the head of a column.
func headCell(name string) *vecty.HTML {
	return elem.TableHeader(vecty.Markup(attr("scope", "col")), vecty.Text(name))
}
