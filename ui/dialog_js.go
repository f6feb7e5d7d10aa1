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
	placeDialog(id, open)
}

// placeDialog opens or closes a dialog.
func placeDialog(id string, open bool) {
	if box := byID(id); box.Get("open").Bool() != open {
		box.Call(map[bool]string{true: "showModal", false: "close"}[open])
	}
}

// frame is the dialog. The browser can close it too, on Escape: close tells the model.
func (d *dialog) frame(id, title string, open bool, close func(), content func() vecty.List) *vecty.HTML {
	if d.mounted {
		placeDialog(id, open)
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

// Dialog is a dialog without state of its own. It is drawn again when it shows something else.
type Dialog struct {
	dialog
	ID      string            `vecty:"prop"`
	Title   string            `vecty:"prop"`
	Open    bool              `vecty:"prop"`
	Shows   any               `vecty:"prop"` // a pointer into the model
	Close   func()            `vecty:"prop"`
	Content func() vecty.List `vecty:"prop"` // while it is open
}

// SkipRender implements vecty.RenderSkipper.
func (d *Dialog) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Dialog)
	return ok && p.Open == d.Open && p.Shows == d.Shows
}

// Mount implements vecty.Mounter.
func (d *Dialog) Mount() { d.mount(d.ID, d.Open) }

// Render implements vecty.Component.
func (d *Dialog) Render() vecty.ComponentOrHTML {
	return d.frame(d.ID, d.Title, d.Open, d.Close, d.Content)
}
