package ui

import (
	"slices"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/prop"
)

// Written is an element with rows of HTML as its content. For what changes with each step it costs less than the
// elements of the virtual DOM do: that asks the page six things of each, and this is one call for a row that changes.
type Written struct {
	vecty.Core
	ID      string                                   `vecty:"prop"`
	Tag     func(...vecty.MarkupOrChild) *vecty.HTML `vecty:"prop"` // makes the element
	Rows    []string                                 `vecty:"prop"`
	mounted bool
	part    livePart
}

// SkipRender implements vecty.RenderSkipper.
func (w *Written) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Written)
	return ok && p.ID == w.ID && slices.Equal(p.Rows, w.Rows)
}

// Mount implements vecty.Mounter.
func (w *Written) Mount() {
	w.mounted, w.part = true, liveElement(w.ID)
	w.part.writeRows(w.Rows)
}

// Unmount implements vecty.Unmounter.
func (w *Written) Unmount() { w.mounted = false }

// Render implements vecty.Component. The element has no children that Vecty knows of.
func (w *Written) Render() vecty.ComponentOrHTML {
	if w.mounted {
		w.part.writeRows(w.Rows)
	}
	return w.Tag(vecty.Markup(prop.ID(w.ID)))
}
