package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// dialog is a modal dialog element of the browser. Components embed it, call mount when they are mounted, and render
// the result of frame. The dialog is in the document even while it is closed; then it has no content.
type dialog struct {
	vecty.Core
	mounted bool
}

func (d *dialog) mount(id string, open bool) {
	d.mounted = true
	d.place(id, open)
}

// place opens or closes the dialog.
func (d *dialog) place(id string, open bool) {
	if box := byID(id); box.Get("open").Bool() != open {
		box.Call(map[bool]string{true: "showModal", false: "close"}[open])
	}
}

// frame is the dialog. The browser can close it too, on Escape: close tells the model.
func (d *dialog) frame(id, title string, open bool, close func(), content func() vecty.List) *vecty.HTML {
	if d.mounted {
		d.place(id, open)
	}
	children := vecty.List{}
	if open {
		children = append(vecty.List{elem.Div(vecty.Markup(vecty.Class("head")),
			elem.Heading2(vecty.Text(title)),
			elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), aria("label", "Close"), onClick(close)),
				glyph(glyphClose)))}, content()...)
	}
	return vecty.Tag("dialog", vecty.Markup(prop.ID(id), vecty.Class(id), aria("label", title),
		&vecty.EventListener{Name: "close", Listener: func(*vecty.Event) {
			if open {
				close()
			}
		}}), children)
}
