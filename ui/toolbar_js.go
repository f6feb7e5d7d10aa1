package ui

import (
	"strings"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
)

// toolbar holds the commands, the examples, the timeline and the theme. They are separate components, because a step
// changes little of it.
func toolbar(store *Store) *Group {
	m, send := store.Model(), Send(store.Do)
	v := &m.View
	examples := &ExampleChooser{Model: m, Send: send}
	commands := &Commands{Runs: v.Phase != debug.Invalid && !m.Stale, Running: m.Running,
		Started: v.Tick > 0 || v.Edits > 0, AtEnd: atEnd(m.View), Stride: m.Stride, Send: send}
	goTo := &Part{Key: isGoTo(m.Popup), Draw: func() *vecty.HTML { return goToButton(store) }}
	layout := &LayoutChooser{Preset: m.Preset, Send: send}
	theme := &Part{Key: m.Dark, Draw: func() *vecty.HTML {
		return iconButton("theme", themeLabel(m.Dark), themeLabel(m.Dark), glyphTheme, func() { send(ToggleTheme{}) })
	}}
	fixed := func(draw func() *vecty.HTML) *Part { return &Part{Draw: draw} }
	return &Group{Parts: []vecty.Component{examples, commands, goTo, layout, theme}, Draw: func() *vecty.HTML {
		return elem.Header(vecty.Markup(vecty.Class("toolbar")),
			fixed(func() *vecty.HTML {
				return elem.Div(vecty.Markup(vecty.Class("brand")), brandMark(), elem.Heading1(vecty.Text("Warpscope")))
			}),
			examples, commands, goTo, fixed(siteLinks), layout,
			fixed(func() *vecty.HTML { return shareButton(store) }),
			fixed(func() *vecty.HTML {
				return iconButton("find-button", "Palette", "Find anything (Ctrl+K)", glyphFind,
					func() { send(ShowPalette{true}) })
			}),
			fixed(func() *vecty.HTML { return helpButton(send) }),
			theme,
		)
	}}
}

// iconButton is a button of the toolbar without words.
func iconButton(class, name, title, picture string, press func()) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon", class), aria("label", name),
		attr("title", title), onClick(press)), glyph(picture))
}

// timelineRow is the row below the toolbar: where the run is, and a way to travel.
func timelineRow(m *Model, send Send) *Group {
	parts := []vecty.Component{
		&StepField{Still: still(m), Send: send},
		rail(m, send),
		&NextMarks{Marks: m.Marks, Version: m.MarksVersion, Tick: m.View.Tick, All: m.AllMarks, Send: send},
		&StaleNote{Words: staleWords(m), Tick: againTick(m), Send: send},
		&Welcome{Words: welcome(m)},
	}
	return &Group{Key: untouched(m), Parts: parts, Draw: func() *vecty.HTML {
		return elem.Section(vecty.Markup(vecty.Class("timeline-row"), vecty.ClassMap{"untouched": untouched(m)},
			attr("role", "region"), aria("label", "Timeline")), children(parts))
	}}
}

// Welcome says what to do, in the timeline's place, until something has run.
type Welcome struct {
	vecty.Core
	Words string `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (w *Welcome) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Welcome)
	return ok && p.Words == w.Words
}

// Render implements vecty.Component.
func (w *Welcome) Render() vecty.ComponentOrHTML {
	return elem.Paragraph(vecty.Markup(vecty.Class("welcome"), vecty.ClassMap{"empty": w.Words == ""}),
		elem.Strong(vecty.Text(w.Words)), elem.Span(vecty.Text(" Press "), elem.Strong(vecty.Text("Step")),
			vecty.Text(" and watch the grid.")), elem.Span(vecty.Text(" New here? "),
			elem.Anchor(vecty.Markup(prop.Href("lessons/01-lanes.html")), vecty.Text("Lesson 1"))))
}

// LayoutChooser chooses the preset of the workspace.
type LayoutChooser struct {
	vecty.Core
	Preset string `vecty:"prop"`
	Send   Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (l *LayoutChooser) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*LayoutChooser)
	return ok && p.Preset == l.Preset
}

// Render implements vecty.Component.
func (l *LayoutChooser) Render() vecty.ComponentOrHTML {
	options := make([]option, len(presetNames))
	for i, preset := range presetNames {
		options[i] = option{preset.key, preset.label}
	}
	return elem.Label(vecty.Markup(vecty.Class("layout")), span("", "Layout"),
		chooser("Layout", l.Preset, options, func(name string) { l.Send(SetPreset{name}) }))
}

// siteLinks are the links to the other pages of the site.
func siteLinks() *vecty.HTML {
	var links vecty.List
	for _, page := range sitePages {
		links = append(links, elem.Anchor(vecty.Markup(prop.Href(page.key)), vecty.Text(page.label)))
	}
	return elem.Navigation(vecty.Markup(vecty.Class("site-links"), aria("label", "Site")), links)
}

// Commands are the buttons that move the machine.
type Commands struct {
	vecty.Core
	Runs    bool   `vecty:"prop"` // the text can run
	Running bool   `vecty:"prop"`
	Started bool   `vecty:"prop"`
	AtEnd   bool   `vecty:"prop"`
	Stride  Stride `vecty:"prop"`
	Send    Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (c *Commands) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Commands)
	return ok && p.Runs == c.Runs && p.Running == c.Running && p.Started == c.Started && p.AtEnd == c.AtEnd &&
		p.Stride == c.Stride
}

// Render implements vecty.Component.
func (c *Commands) Render() vecty.ComponentOrHTML {
	still := c.Runs && !c.Running
	return elem.Div(vecty.Markup(vecty.Class("commands"), attr("role", "group"), aria("label", "Commands")),
		c.command("Run", glyphRun, "Run to the end or to a breakpoint (F5, Ctrl+Enter)", !c.Running, Run{}, true),
		c.command("Step back", glyphBack, "Undo one "+c.Stride.words()+" (Shift+F10)", still && c.Started, StepBack{}, false),
		c.command("Step", glyphStep, "Execute one "+c.Stride.words()+" (F10)", still && !c.AtEnd, StepOnce{}, false),
		c.command("Pause", glyphPause, "Stop the run where it is", c.Running, Pause{}, false),
		c.command("Reset", glyphReset, "Back to the start of the launch", c.Runs && c.Started, Reset{}, false),
	)
}

// command is one button. A command that cannot act now can still be reached, and the store says why it did nothing.
func (c *Commands) command(name, picture, title string, enabled bool, action Action, primary bool) *vecty.HTML {
	return elem.Button(
		vecty.Markup(prop.Type(prop.TypeButton), aria("label", name), attr("title", title),
			aria("keyshortcuts", shortcuts(action)), aria("disabled", boolWord(!enabled)),
			vecty.Class(commandClass(name)), vecty.ClassMap{"primary": primary}, onClick(func() { c.Send(action) })),
		glyph(picture), span("name", name), commandKey(name),
	)
}

// commandClass is a command's name in the style sheet.
func commandClass(name string) string {
	return "command-" + strings.ToLower(strings.ReplaceAll(name, " ", "-"))
}

// commandKey shows the key of the two commands that are pressed most. The style sheet writes it: it is no part of the
// button's name.
func commandKey(name string) *vecty.HTML {
	key := map[string]string{"Run": "F5", "Step": "F10"}[name]
	return vecty.Tag("kbd", vecty.Markup(vecty.ClassMap{"empty": key == ""}, aria("hidden", "true"),
		vecty.Data("key", key)))
}

// ExampleChooser lists the examples. A text that differs from every example has an entry of its own, so that choosing
// the example restores its text.
type ExampleChooser struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (t *ExampleChooser) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*ExampleChooser)
	return ok && p.Model.Example == t.Model.Example && p.Model.Edited == t.Model.Edited &&
		p.Model.renamed() == t.Model.renamed() &&
		len(p.Model.Examples) == len(t.Model.Examples)
}

// Render implements vecty.Component.
func (t *ExampleChooser) Render() vecty.ComponentOrHTML {
	m := t.Model
	own, value := "Your own text", ""
	options := make([]option, 0, len(m.Examples)+1)
	for _, e := range m.Examples {
		label := e.Title
		if label == "" {
			label = e.File
		}
		if e.File == m.Example && !m.renamed() {
			own, value = label+" (edited)", e.File
		}
		options = append(options, option{e.File, label})
	}
	if m.Edited || value == "" {
		value = ""
		options = append([]option{{"", own}}, options...)
	}
	return elem.Label(vecty.Markup(vecty.Class("example")), span("", "Example"),
		chooser("Example", value, options, func(file string) { t.Send(LoadExample{file}) }))
}

// brandMark is a warp that splits: lanes side by side, two of them apart.
func brandMark() *vecty.HTML {
	return glyph("M1 2h2v12H1zM5 2h2v4l-1 2 1 2v4H5v-3.5L4 8l1-2.5zM9 2h2v3.5L12 8l-1 2.5V14H9v-4l1-2-1-2zM13 2h2v12h-2z")
}

// Notice offers to restore the text that an example or a link has replaced. It also says when something is wrong with a
// link, or when the text cannot be stored.
type Notice struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (n *Notice) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Notice)
	return ok && p.Model.Offer == n.Model.Offer && p.Model.OfferHeld == n.Model.OfferHeld &&
		p.Model.Problem == n.Model.Problem && p.Model.Missing == n.Model.Missing && p.Model.Unsaved == n.Model.Unsaved
}

// Render implements vecty.Component.
func (n *Notice) Render() vecty.ComponentOrHTML {
	var content vecty.List
	if n.Model.Unsaved != "" {
		content = append(content, elem.Paragraph(vecty.Text(n.Model.Unsaved)))
	}
	if n.Model.Problem != "" {
		content = append(content, elem.Paragraph(vecty.Markup(attr("role", "alert")), vecty.Text(n.Model.Problem),
			n.dismiss()))
	}
	if n.Model.Missing != "" {
		content = append(content, elem.Paragraph(vecty.Markup(attr("role", "alert")),
			vecty.Text(n.Model.Missing),
			elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"), onClick(openExamples)),
				vecty.Text("Choose another")),
			n.dismiss()))
	}
	if n.Model.Offer {
		kept := "Another program was loaded; yours is saved"
		if n.Model.OfferHeld {
			kept += " until you close this page, because the browser does not store it"
		}
		content = append(content,
			elem.Paragraph(vecty.Text(kept+"."),
				elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
					onClick(func() { n.Send(RestoreText{}) })), vecty.Text("Bring my text back")),
				n.dismiss()))
	}
	return elem.Div(vecty.Markup(vecty.Class("notice"), vecty.ClassMap{"empty": len(content) == 0}), content)
}

// openExamples opens the chooser of the toolbar, where browsers can, and gives it the focus.
func openExamples() {
	list := element(htmlDocument().Call("querySelector", ".example select"))
	list.Focus()
	if list.Get("showPicker").Truthy() {
		list.Call("showPicker")
	}
}

func (n *Notice) dismiss() *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), aria("label", "Dismiss"),
		onClick(func() { n.Send(DismissNotice{}) })), glyph(glyphClose))
}

// atEnd says whether there is nothing left to step.
func atEnd(v debug.View) bool {
	return (v.Phase == debug.Finished || v.Phase == debug.Faulted) && v.Tick >= v.End
}

func themeLabel(dark bool) string {
	if dark {
		return "Use the light theme"
	}
	return "Use the dark theme"
}
