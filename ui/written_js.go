package ui

import (
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/prop"
)

// Written is an element with a piece of HTML as its content. For what changes with each step it costs less than the
// elements of the virtual DOM do: that asks the page six things of each, and this is one call.
type Written struct {
	vecty.Core
	ID      string                                   `vecty:"prop"`
	Tag     func(...vecty.MarkupOrChild) *vecty.HTML `vecty:"prop"` // makes the element
	HTML    string                                   `vecty:"prop"`
	mounted bool
}

// SkipRender implements vecty.RenderSkipper.
func (w *Written) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Written)
	return ok && p.ID == w.ID && p.HTML == w.HTML
}

// Mount implements vecty.Mounter.
func (w *Written) Mount() {
	w.mounted = true
	w.write()
}

// Unmount implements vecty.Unmounter.
func (w *Written) Unmount() { w.mounted = false }

func (w *Written) write() { writeHTML(byID(w.ID).Value, w.HTML) }

// Render implements vecty.Component. The element has no children that Vecty knows of.
func (w *Written) Render() vecty.ComponentOrHTML {
	if w.mounted {
		w.write()
	}
	return w.Tag(vecty.Markup(prop.ID(w.ID)))
}

// writeHTML gives an element its content, and leaves what is the same (editor/html.js).
func writeHTML(host js.Value, html string) {
	js.Global().Get("WarpscopeEditor").Call("writeHTML", host, html)
}
