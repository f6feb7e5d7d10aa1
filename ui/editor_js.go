package ui

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/ptx"
)

// EditorPanel holds the text editor. The editor keeps its own state; the store calls it.
type EditorPanel struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
	Fresh func() *Model
	Card  func(offset int) (hoverCard, bool)
	Files bool // with the open programs as tabs
}

const editorID = "editor-host"

// SkipRender implements vecty.RenderSkipper. Only the panel's heading changes; the line of the warp is drawn live.
func (e *EditorPanel) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*EditorPanel)
	return ok && p.Model.Heat == e.Model.Heat &&
		(!e.Files || fileFacts(p.Model) == fileFacts(e.Model) &&
			launchLine(p.Model) == launchLine(e.Model))
}

// Mount implements vecty.Mounter.
func (e *EditorPanel) Mount() {
	whenWhole(e.open)
	at, source := liveElement("editor-at"), liveElement("editor-source")
	drawsLive("", func(m *Model) {
		line, from := editorFacts(m)
		at.text(line)
		source.text(from)
	})
}

func (e *EditorPanel) open() {
	m := e.Model
	editor := newEditor(editorID, EditorOptions{
		Text: m.Text, Dark: m.Dark, Breakpoints: m.View.Breakpoints, ReadOnly: m.ReadOnly, Fold: m.Fold,
		FoldAway: e.Files, OnFold: func(lines int, folded bool) { e.Send(HeadFolds{lines, folded}) },
		OnChange:      func(text string) { e.Send(Edit{text}) },
		OnBreakpoints: func(lines []int) { e.Send(Breakpoints{lines}) },
		OnCursor:      func(line int) { e.Send(PointText{line}) },
		Model:         e.Fresh,
		Card:          e.Card,
		Send:          e.Send,
	})
	e.Send(EditorIsHere{editor})
}

// Render implements vecty.Component.
func (e *EditorPanel) Render() vecty.ComponentOrHTML {
	facts := &Part{Draw: func() *vecty.HTML {
		return elem.Span(vecty.Markup(vecty.Class("muted")), elem.Span(vecty.Markup(prop.ID("editor-at"))),
			vecty.Text(" "), elem.Span(vecty.Markup(prop.ID("editor-source"))))
	}}
	tools := vecty.MarkupOrChild(facts)
	if e.Files {
		tools = elem.Div(&FileStrip{Model: e.Model, Send: e.Send}, facts,
			&Gutter{Counter: e.Model.Heat, Send: e.Send})
	}
	var launch vecty.MarkupOrChild
	if e.Files {
		launch = &LaunchLine{Line: launchLine(e.Model), Send: e.Send}
	}
	return region("Editor", "panel-editor", tools, launch, &Part{Draw: func() *vecty.HTML {
		return elem.Div(vecty.Markup(prop.ID(editorID), vecty.Class("editor-host")))
	}})
}

// codeMirror is the editor of editor.js; its interface is described there.
type codeMirror struct {
	handle js.Value
	heat   heat           // as the editor shows it
	later  func()         // what the next frame shows, after the page is drawn; nil for nothing
	reveal int            // … and the line that it brings into view
	marks  map[string]any // … and the lines that it marks
	after  []func()       // … and what is called then
}

// showing is the editor that shows something in the next frame, or in this one; nil if none does.
var showing *codeMirror

// afterDrawing calls f when everything has been drawn that is being drawn, the editor too if it has something to show
// in this frame. To scroll earlier makes the browser lay the page out twice.
func afterDrawing(f func()) {
	if showing != nil {
		showing.after = append(showing.after, f)
		return
	}
	js.Global().Call("queueMicrotask", once(f))
}

// call calls the editor, which by then shows all that it has been told to.
func (c *codeMirror) call(method string, args ...any) js.Value {
	c.showNow()
	return c.handle.Call(method, args...)
}

func (c *codeMirror) showNow() {
	show := c.later
	c.later = nil
	if show != nil {
		show()
	}
	if len(c.marks) > 0 {
		c.handle.Call("mark", c.marks)
		c.marks = nil
	}
	if showing == c {
		showing = nil
	}
	list := c.after
	c.after = nil
	for _, f := range list {
		f()
	}
}

// soon has the next frame show something.
func (c *codeMirror) soon() {
	if c.later == nil && len(c.marks) == 0 {
		showing = c
		newBrowser().Frame(c.showNow)
	}
}

// mark marks lines in the next frame.
func (c *codeMirror) mark(how string, lines any) {
	c.soon()
	if c.marks == nil {
		c.marks = map[string]any{}
	}
	c.marks[how] = lines
}

// newEditor makes the editor in the element with that id. It exists as long as the page.
func newEditor(id string, o EditorOptions) Editor {
	options := map[string]any{
		"doc": o.Text, "dark": o.Dark, "label": "PTX source", "breakpoints": numbers(o.Breakpoints), "fold": o.Fold,
		"foldAway": o.FoldAway,
		"onChange": js.FuncOf(func(_ js.Value, args []js.Value) any {
			o.OnChange(args[0].String())
			return nil
		}),
		"onBreakpoints": js.FuncOf(func(_ js.Value, args []js.Value) any {
			lines := make([]int, args[0].Length())
			for i := range lines {
				lines[i] = args[0].Index(i).Int()
			}
			o.OnBreakpoints(lines)
			return nil
		}),
	}
	if o.OnCursor != nil {
		options["onCursor"] = cursorMoved(o.OnCursor)
	}
	if o.FoldAway {
		options["hint"] = "Type or paste PTX here,\nor choose an example above."
		options["onFold"] = js.FuncOf(func(_ js.Value, args []js.Value) any {
			o.OnFold(args[0].Int(), args[1].Bool())
			return nil
		})
	}
	assist(options, o)
	editor := &codeMirror{handle: js.Global().Get("WarpscopeEditor").Call("create", byID(id).Value, options)}
	if o.ReadOnly {
		editor.call("setReadOnly", true)
	}
	return editor
}

func numbers(list []int) []any {
	out := make([]any, len(list))
	for i, n := range list {
		out[i] = n
	}
	return out
}

func (c *codeMirror) SetText(text string) string {
	held := c.call("setDoc", text).String()
	c.heat = heat{}
	return held
}

func (c *codeMirror) SetDiagnostics(m *Model) {
	// The editor shows at most 500 of them; a broken text of megabytes has far more.
	diagnostics := m.View.Diagnostics[:min(len(m.View.Diagnostics), 500)]
	list := make([]any, len(diagnostics))
	for i := range diagnostics {
		list[i] = diagnosticValue(&diagnostics[i])
	}
	c.call("setDiagnostics", list)
}

func diagnosticValue(d *ptx.Diagnostic) map[string]any {
	notes := make([]any, len(d.Notes))
	for i, n := range d.Notes {
		notes[i] = map[string]any{"from": n.Span.Start, "to": n.Span.End, "message": n.Message}
	}
	value := map[string]any{"from": d.Span.Start, "to": d.Span.End, "severity": d.Severity.String(),
		"message": d.Message, "code": d.Code, "section": d.Section, "notes": notes}
	if d.Fix != nil {
		value["fix"] = map[string]any{"from": d.Fix.Span.Start, "to": d.Fix.Span.End, "text": d.Fix.Text,
			"message": d.Fix.Message}
	}
	return value
}

// Show implements Editor. The editor lays the page out when it is told something; so it is told once a frame, after the
// page has been drawn, and the page is laid out once.
func (c *codeMirror) Show(m *Model, reveal int) {
	c.soon()
	c.reveal = cmp.Or(reveal, c.reveal)
	c.later = func() {
		c.show(m, m.heat(), sameLine, c.reveal)
		c.reveal = 0
	}
}

// show shows groups of lanes, each in the line that its own line stands for, and what the gutter counts. To give the
// editor thousands of counts takes longer than a step, so it gets those that have changed.
func (c *codeMirror) show(m *Model, heat heat, line func(int) int, reveal int) {
	groups, places, warps, counts := []any{}, []any{}, []any{}, map[string]any{}
	if !m.Running && !m.Stale {
		for _, g := range m.View.Groups {
			groups = append(groups, map[string]any{"line": line(g.Line), "mask": uint32(g.Mask), "top": g.Top,
				"bar": g.Bar})
		}
		for _, t := range troubles(m) {
			places = append(places, map[string]any{"line": t.Line, "fault": t.Fault, "words": t.Words})
		}
		for _, w := range otherWarps(m, line) {
			warps = append(warps, map[string]any{"line": w.Line, "warps": w.Warps, "waiting": w.Waiting})
		}
	}
	if heat.per != c.heat.per || heat.words != c.heat.words {
		c.handle.Call("show", map[string]any{"heat": nil, "markers": groups, "troubles": places, "others": warps})
		c.heat.lines = nil
	}
	for at, n := range heatChanges(c.heat.lines, heat.lines) {
		counts[strconv.Itoa(at)] = float64(n) / float64(max(heat.per, 1))
	}
	c.heat = heat
	told := map[string]any{"markers": groups, "troubles": places, "heat": counts, "unit": heat.words,
		"others": warps, "reveal": reveal}
	maps.Copy(told, c.marks)
	c.marks = nil
	c.handle.Call("show", told)
}

func (c *codeMirror) SetStripes(colours map[int]int) {
	value := make(map[string]any, len(colours))
	for line, colour := range colours {
		value[strconv.Itoa(line)] = colour
	}
	c.mark("stripes", value)
}

func (c *codeMirror) SetLit(lines []int) { c.mark("lit", numbers(lines)) }

func (c *codeMirror) Turn(from, to int, text string) string {
	c.heat = heat{}
	return c.call("turn", from, to, text).String()
}

func (c *codeMirror) SetBreakpoints(lines []int) { c.call("setBreakpoints", numbers(lines)) }
func (c *codeMirror) ToggleBreakpoint()          { c.call("toggleBreakpoint") }
func (c *codeMirror) RevealLine(line int)        { c.call("revealLine", line) }
func (c *codeMirror) ToggleFold()                { c.call("toggleFold") }
func (c *codeMirror) Select(from, to int)        { c.call("select", from, to) }
func (c *codeMirror) SetDark(dark bool)          { c.call("setTheme", dark) }

// editorFacts says where the followed warp is: the line of the text, and that of the source.
func editorFacts(m *Model) (line, source string) {
	if m.Running || m.View.Line == 0 {
		return "", ""
	}
	if source = m.Sources.place(m.View.Line); source != "" {
		source = "from " + source
	}
	return "next: line " + count(int64(m.View.Line)), source
}

// LaunchLine is the launch in one line above the text. It stays; a click opens the comments that it stands for, and the
// form.
type LaunchLine struct {
	vecty.Core
	Line launchFacts `vecty:"prop"`
	Send Send        `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (l *LaunchLine) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*LaunchLine)
	return ok && p.Line == l.Line
}

// Render implements vecty.Component.
func (l *LaunchLine) Render() vecty.ComponentOrHTML {
	lines := ""
	if l.Line.Lines > 0 {
		lines = "lines 1–" + count(int64(l.Line.Lines))
	}
	part := func(class, text string) *vecty.HTML {
		classes := append([]string{"part"}, strings.Fields(class)...)
		return elem.Span(vecty.Markup(vecty.Class(classes...), vecty.ClassMap{"empty": text == ""}), vecty.Text(text))
	}
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("launch-line"),
		aria("expanded", boolWord(!l.Line.Folded)), attr("title", "Show or hide the launch header, and show its form"),
		onClick(func() { l.Send(ToggleHead{}) })),
		glyph(glyphChevron), elem.Strong(vecty.Text("Launch")), part("", l.Line.Threads), part("mono", l.Line.Buffers),
		part("", l.Line.Expects), part("model", l.Line.Model), part("lines muted", lines))
}
