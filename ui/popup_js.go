package ui

import (
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"
)

// PopMenu draws the open menu of a button or of a cell, over a sheet that closes it.
type PopMenu struct {
	vecty.Core
	Popup  *Popup `vecty:"prop"`
	Send   Send   `vecty:"prop"`
	opened *Popup
	before js.Value // had the focus
}

const popupID = "popup"

// SkipRender implements vecty.RenderSkipper.
func (c *PopMenu) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*PopMenu)
	return ok && p.Popup == c.Popup
}

// Render implements vecty.Component.
func (c *PopMenu) Render() vecty.ComponentOrHTML {
	p := c.Popup
	if p == nil {
		c.opened = nil
		return elem.Div(vecty.Markup(vecty.Class("pop-sheet", "empty")))
	}
	if c.opened != p {
		c.opened, c.before = p, htmlDocument().Get("activeElement")
		newBrowser().After(0, func() { placePopup(p) })
	}
	var items vecty.List
	for _, item := range p.Items {
		items = append(items, c.item(item))
	}
	return elem.Div(vecty.Markup(vecty.Class("pop-sheet"), onClick(c.close),
		event.ContextMenu(func(*vecty.Event) { c.close() }).PreventDefault()),
		elem.Div(vecty.Markup(prop.ID(popupID), vecty.Class("menu", "pop"), vecty.ClassMap{"wide": len(p.Items) > 12},
			attr("role", "menu"), aria("label", p.Name),
			event.KeyDown(func(e *vecty.Event) { menuKey(e, c.close) })), items))
}

func (c *PopMenu) item(item popupItem) *vecty.HTML {
	role := vecty.Markup(attr("role", "menuitem"))
	if item.Choice {
		role = vecty.Markup(attr("role", "menuitemradio"), aria("checked", boolWord(item.Chosen)))
	}
	head := span("pop-head", item.Head)
	if item.Head == "" {
		head = elem.Span(vecty.Markup(vecty.Class("empty")))
	}
	keys, _, _ := strings.Cut(item.Keys, ", ")
	return elem.Div(vecty.Markup(attr("role", "presentation")), head, elem.Button(
		vecty.Markup(prop.Type(prop.TypeButton), attr("tabindex", "-1"), aria("disabled", boolWord(item.Off)),
			&vecty.EventListener{Name: "click", Listener: func(*vecty.Event) {
				if !item.Off {
					c.close()
					c.Send(item.Action)
				}
			}}), role,
		span("", item.Label), vecty.Tag("kbd", vecty.Markup(vecty.ClassMap{"empty": keys == ""}, aria("hidden", "true")),
			vecty.Text(keys))))
}

// close gives the focus back.
func (c *PopMenu) close() {
	c.Send(ShowPopup{nil})
	if c.before.Truthy() {
		c.before.Call("focus", map[string]any{"preventScroll": true})
	}
}

// placePopup puts an open menu where it was asked for, as far as the window has room, and gives it the focus.
func placePopup(p *Popup) {
	box := byID(popupID)
	if !box.Truthy() {
		return
	}
	window := js.Global()
	left := min(p.X, window.Get("innerWidth").Int()-int(box.OffsetWidth())-6)
	top := min(p.Y, window.Get("innerHeight").Int()-int(box.OffsetHeight())-6)
	box.Style().SetProperty("left", px(designed(float64(max(left, 6)))), "")
	box.Style().SetProperty("top", px(designed(float64(max(top, 6)))), "")
	element(box.Call("querySelector", "[role^=menuitem]")).Focus()
}

// menuKey goes from one item of a menu to the next.
func menuKey(e *vecty.Event, close func()) {
	press := keyboard(e.Value)
	menu := e.Value.Get("currentTarget")
	items := js.Global().Get("Array").Call("from", menu.Call("querySelectorAll", "[role^=menuitem]"))
	at := items.Call("indexOf", htmlDocument().Get("activeElement")).Int()
	n := items.Length()
	switch press.Key() {
	case "ArrowDown":
		at = (at + 1) % n
	case "ArrowUp":
		at = (at + n - 1) % n
	case "Home":
		at = 0
	case "End":
		at = n - 1
	case "Escape", "Tab":
		press.PreventDefault()
		press.StopPropagation()
		close()
		return
	default:
		return
	}
	press.PreventDefault()
	element(items.Index(at)).Focus()
}

// goToButton opens the menu "Go to".
func goToButton(store *Store) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("go-to"), aria("label", "Go to"),
		attr("title", "Travel to the next or the previous place, and choose what Step executes"),
		aria("haspopup", "menu"), aria("expanded", boolWord(isGoTo(store.Model().Popup))),
		event.Click(func(e *vecty.Event) {
			box := closest(e.Target, "button").GetBoundingClientRect()
			p := goToMenu(store.Model())
			p.X, p.Y = int(box.Left()), int(box.Bottom())+4
			store.Do(ShowPopup{p})
		}).PreventDefault()), glyph(glyphGoTo), span("name", "Go to"))
}

const glyphGoTo = "M1.5 7.1h9L7.2 3.8l1.2-1.2L13.8 8l-5.4 5.4-1.2-1.2 3.3-3.3h-9z"
