package ui

import (
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Help is the dialog of keys: the browser's own modal dialog.
type Help struct {
	vecty.Core
	Open    bool `vecty:"prop"`
	Send    Send `vecty:"prop"`
	mounted bool
}

const helpID = "help"

// SkipRender implements vecty.RenderSkipper.
func (h *Help) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Help)
	return ok && p.Open == h.Open
}

// Mount implements vecty.Mounter.
func (h *Help) Mount() { h.mounted = true }

// Render implements vecty.Component.
func (h *Help) Render() vecty.ComponentOrHTML {
	if h.mounted {
		dialog := js.Global().Get("document").Call("getElementById", helpID)
		if dialog.Get("open").Bool() != h.Open {
			dialog.Call(map[bool]string{true: "showModal", false: "close"}[h.Open])
		}
	}
	var content vecty.List
	if h.Open {
		content = h.content()
	}
	return vecty.Tag("dialog", vecty.Markup(prop.ID(helpID), vecty.Class("help"), aria("label", "Keyboard help"),
		&vecty.EventListener{Name: "close", Listener: func(*vecty.Event) {
			if h.Open {
				h.Send(ShowHelp{false})
			}
		}}), content)
}

func (h *Help) content() vecty.List {
	var groups vecty.List
	for _, g := range keyHelp {
		rows := make(vecty.List, len(g.keys))
		for i, k := range g.keys {
			rows[i] = elem.TableRow(elem.TableHeader(vecty.Markup(attr("scope", "row")), keyCaps(k.keys)),
				elem.TableData(vecty.Text(k.does)))
		}
		groups = append(groups, elem.Section(elem.Heading3(vecty.Text(g.name)), elem.Table(elem.TableBody(rows))))
	}
	return vecty.List{
		elem.Div(vecty.Markup(vecty.Class("head")),
			elem.Heading2(vecty.Text("Keyboard")),
			elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), aria("label", "Close help"),
				onClick(func() { h.Send(ShowHelp{false}) })), glyph(glyphClose))),
		elem.Div(vecty.Markup(vecty.Class("groups")), groups),
		elem.Paragraph(vecty.Markup(vecty.Class("muted")), vecty.Text("On a Mac, Cmd serves as Ctrl. "+
			"Files can be dropped anywhere on the page. All that you type is kept in this browser, and nowhere else.")),
	}
}

// keyCaps draws "Ctrl+Enter, F5".
func keyCaps(keys string) vecty.List {
	var list vecty.List
	for i, one := range strings.Split(keys, ", ") {
		if i > 0 {
			list = append(list, vecty.Text(" or "))
		}
		for j, part := range strings.Split(one, "+") {
			if j > 0 {
				list = append(list, vecty.Text("+"))
			}
			list = append(list, vecty.Tag("kbd", vecty.Text(part)))
		}
	}
	return list
}

func helpButton(send Send) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon", "help-button"),
		aria("label", "Keyboard help"), attr("title", "Keyboard help (?)"), onClick(func() { send(ShowHelp{true}) })),
		vecty.Text("?"))
}
