package ui

import (
	"maps"
	"path"
	"strconv"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Source shows the source file that the text was compiled from, in an editor that cannot be typed in.
type Source struct {
	vecty.Core
	Model   *Model `vecty:"prop"`
	Send    Send   `vecty:"prop"`
	mounted bool
	editor  *codeMirror // nil until there is something to show
	drawn   sourceView
	colours *sources // that the editor's stripes are of
}

const sourceHostID = "source-host"

// SkipRender implements vecty.RenderSkipper.
func (s *Source) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Source)
	if !ok {
		return false
	}
	a, b := p.Model, s.Model
	return a.View.Version == b.View.Version && a.Sources == b.Sources && a.SourceFile == b.SourceFile &&
		a.Pointed == b.Pointed && maps.Equal(a.Given, b.Given) && a.Dark == b.Dark &&
		a.layout().Shows(sourcePanel) == b.layout().Shows(sourcePanel) && a.tab() == b.tab()
}

// Mount implements vecty.Mounter.
func (s *Source) Mount() {
	s.mounted = true
	s.draw()
}

// Render implements vecty.Component.
func (s *Source) Render() vecty.ComponentOrHTML {
	m := s.Model
	v := m.sourceView()
	if s.mounted {
		newBrowser().After(0, s.draw)
	}
	return region("Source", "panel-source", s.tools(v),
		elem.Div(vecty.Markup(vecty.Class("source-note"), vecty.ClassMap{"empty": v.Found}), s.note(v)),
		elem.Div(vecty.Markup(prop.ID(sourceHostID), vecty.Class("source-host"), vecty.ClassMap{"empty": !v.Found})))
}

func (s *Source) tools(v sourceView) *vecty.HTML {
	m := s.Model
	if m.Sources == nil {
		return elem.Div()
	}
	options := make([]option, len(m.Sources.files))
	for i, file := range m.Sources.files {
		options[i] = option{strconv.Itoa(file), path.Base(m.Sources.names[file])}
	}
	return elem.Div(
		elem.Label(span("", "File"), chooser("Source file", strconv.Itoa(v.File), options, func(value string) {
			if file, err := strconv.Atoi(value); err == nil {
				s.Send(ShowSource{file})
			}
		})),
		span("muted", m.Sources.place(m.View.Line)))
}

// note is what the panel says as long as it has no text.
func (s *Source) note(v sourceView) vecty.MarkupOrChild {
	if v.Name == "" {
		return elem.Paragraph(vecty.Text("This text does not say which lines of a source it comes from. " +
			"nvcc says so with -lineinfo, and Triton always."))
	}
	now := ""
	if v.Now > 0 {
		now = " The instruction that runs next comes from its line " + count(int64(v.Now)) + "."
	}
	return elem.Paragraph(vecty.Text("Drop "), elem.Code(vecty.Text(path.Base(v.Name))),
		vecty.Text(" on the page to see it here: the text has the numbers of its lines only."+now+" "),
		elem.Button(vecty.Markup(prop.Type(prop.TypeButton), onClick(func() { s.Send(PickFiles{}) })),
			vecty.Text("Open the file")))
}

// draw gives the editor what has changed.
func (s *Source) draw() {
	m := s.Model
	v := m.sourceView()
	if !v.Found || !m.layout().Shows(sourcePanel) && m.tab() != sourcePanel {
		return
	}
	if s.editor == nil {
		options := map[string]any{"doc": v.Text, "dark": m.Dark, "label": "Source of the program", "plain": true,
			"onCursor": cursorMoved(func(line int) { s.Send(PointSource{line}) })}
		s.editor = &codeMirror{handle: js.Global().Get("WarpscopeEditor").Call("create", byID(sourceHostID).Value, options)}
		s.editor.call("setReadOnly", true)
	}
	e := s.editor
	if text := v.Text; text != s.drawn.Text {
		e.SetText(text)
		s.colours = nil
	}
	if s.colours != m.Sources || s.drawn.File != v.File {
		colours, _ := m.stripes()
		e.SetStripes(colours)
		s.colours = m.Sources
	}
	reveal := 0
	switch {
	case v.Lit > 0 && v.Lit != s.drawn.Lit:
		reveal = v.Lit
	case v.Now > 0 && v.Now != s.drawn.Now:
		reveal = v.Now
	}
	e.SetLit([]int{v.Lit})
	e.SetDark(m.Dark)
	afterDrawing(func() {
		e.show(m, nil, func(line int) int { return lineOf(m.Sources.at[line], v.File) }, reveal)
	})
	s.drawn = v
}

// cursorMoved is the editor's callback with the cursor's line.
func cursorMoved(f func(line int)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0].Int())
		return nil
	})
}
