package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// EditorPanel holds the text editor. The editor keeps its own state; the store speaks to it.
type EditorPanel struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

const editorID = "editor-host"

// SkipRender implements vecty.RenderSkipper. Only the panel's heading changes.
func (e *EditorPanel) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*EditorPanel)
	return ok && editorFacts(p.Model) == editorFacts(e.Model)
}

// Mount implements vecty.Mounter.
func (e *EditorPanel) Mount() {
	m := e.Model
	editor := newEditor(editorID, EditorOptions{
		Text: m.Text, Dark: m.Dark, Breakpoints: m.View.Breakpoints,
		OnChange:      func(text string) { e.Send(Edit{text}) },
		OnBreakpoints: func(lines []int) { e.Send(Breakpoints{lines}) },
		Model:         func() *Model { return e.Model },
	})
	e.Send(EditorIsHere{editor})
}

// editorFacts says where the followed warp stands.
func editorFacts(m *Model) string {
	if m.Running || m.View.Line == 0 {
		return ""
	}
	return "next: line " + count(int64(m.View.Line))
}

// Render implements vecty.Component.
func (e *EditorPanel) Render() vecty.ComponentOrHTML {
	return region("Editor", "panel-editor", span("muted", editorFacts(e.Model)),
		elem.Div(vecty.Markup(prop.ID(editorID), vecty.Class("editor-host"))))
}
