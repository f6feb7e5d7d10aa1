package ui

import (
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
)

// Toolbar holds the commands, the examples, the timeline and the theme.
type Toolbar struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

type toolbarKey struct {
	phase         debug.Phase
	running, dark bool
	tick, end     int64
	example       string
	edited        bool
	examples      int
}

func (t *Toolbar) key() toolbarKey {
	m := t.Model
	return toolbarKey{m.View.Phase, m.Running, m.Dark, m.View.Tick, m.View.End, m.Example, m.Edited, len(m.Examples)}
}

// SkipRender implements vecty.RenderSkipper.
func (t *Toolbar) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Toolbar)
	return ok && p.key() == t.key()
}

// Render implements vecty.Component.
func (t *Toolbar) Render() vecty.ComponentOrHTML {
	m := t.Model
	runs := m.View.Phase != debug.Invalid
	return elem.Header(vecty.Markup(vecty.Class("toolbar")),
		elem.Div(vecty.Markup(vecty.Class("brand")), brandMark(), elem.Heading1(vecty.Text("Warpscope"))),
		elem.Label(vecty.Markup(vecty.Class("example")), span("", "Example"), t.examples()),
		elem.Div(vecty.Markup(vecty.Class("commands"), attr("role", "group"), aria("label", "Commands")),
			t.command("Run", glyphRun, "Run to the end or to a breakpoint (F5, Ctrl+Enter)", !m.Running, Run{}, true),
			t.command("Pause", glyphPause, "Stop the run where it is", m.Running, Pause{}, false),
			t.command("Step back", glyphBack, "Undo one warp instruction (Shift+F10)",
				runs && !m.Running && m.View.Tick > 0, StepBack{}, false),
			t.command("Step", glyphStep, "Execute one warp instruction (F10)",
				runs && !m.Running && !atEnd(m.View), StepOnce{}, false),
			t.command("Reset", glyphReset, "Back to the start of the launch", runs && m.View.Tick > 0, Reset{}, false),
		),
		t.timeline(),
		elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon", "theme"), aria("label", themeLabel(m.Dark)),
				attr("title", themeLabel(m.Dark)), onClick(func() { t.Send(ToggleTheme{}) })),
			glyph(glyphTheme),
		),
	)
}

// atEnd says that there is nothing left to step.
func atEnd(v debug.View) bool {
	return (v.Phase == debug.Finished || v.Phase == debug.Faulted) && v.Tick >= v.End
}

func themeLabel(dark bool) string {
	if dark {
		return "Use the light theme"
	}
	return "Use the dark theme"
}

// command is one button. A command that cannot act now stays reachable, and the store says why it did nothing.
func (t *Toolbar) command(name, picture, title string, enabled bool, action Action, primary bool) *vecty.HTML {
	return elem.Button(
		vecty.Markup(prop.Type(prop.TypeButton), aria("label", name), attr("title", title),
			aria("disabled", boolWord(!enabled)), vecty.ClassMap{"primary": primary},
			onClick(func() { t.Send(action) })),
		glyph(picture), span("", name),
	)
}

// examples lists the examples. A text that is not an example as it stands has an entry of its own, so that choosing
// the example brings back its text.
func (t *Toolbar) examples() *vecty.HTML {
	m := t.Model
	own, value := "Your own text", ""
	options := make([]option, 0, len(m.Examples)+1)
	for _, e := range m.Examples {
		label := e.Title
		if label == "" {
			label = e.File
		}
		if e.File == m.Example {
			own, value = label+" (edited)", e.File
		}
		options = append(options, option{e.File, label})
	}
	if m.Edited || value == "" {
		value = ""
		options = append([]option{{"", own}}, options...)
	}
	return chooser("Example", value, options, func(file string) { t.Send(LoadExample{file}) })
}

// timeline travels to any tick that the run has reached.
func (t *Toolbar) timeline() *vecty.HTML {
	v := t.Model.View
	return elem.Div(vecty.Markup(vecty.Class("timeline")),
		elem.Input(vecty.Markup(prop.Type(prop.TypeRange), aria("label", "Tick"),
			attr("min", "0"), attr("max", strconv.FormatInt(max(v.End, 1), 10)), attr("step", "1"),
			attr("title", "Travel to any warp instruction that has run"),
			prop.Value(strconv.FormatInt(v.Tick, 10)), prop.Disabled(v.End == 0 || t.Model.Running),
			onInput(func(value string) {
				if tick, err := strconv.ParseInt(value, 10, 64); err == nil {
					t.Send(Seek{tick})
				}
			}))),
		elem.Output(vecty.Markup(attr("role", "none"), attr("title", "warp instructions executed, of those known")),
			vecty.Text(count(v.Tick)+" / "+count(v.End))),
	)
}

// brandMark is a warp that splits: lanes side by side, two of them apart.
func brandMark() *vecty.HTML {
	return glyph("M1 2h2v12H1zM5 2h2v4l-1 2 1 2v4H5v-3.5L4 8l1-2.5zM9 2h2v3.5L12 8l-1 2.5V14H9v-4l1-2-1-2zM13 2h2v12h-2z")
}

// Notice offers back the text that an example has replaced, and says when the text cannot be kept.
type Notice struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (n *Notice) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Notice)
	return ok && p.Model.Offer == n.Model.Offer && p.Model.Unsaved == n.Model.Unsaved
}

// Render implements vecty.Component.
func (n *Notice) Render() vecty.ComponentOrHTML {
	var content vecty.List
	if n.Model.Unsaved != "" {
		content = append(content, elem.Paragraph(vecty.Text(n.Model.Unsaved)))
	}
	if n.Model.Offer {
		content = append(content,
			elem.Paragraph(vecty.Text("The example took the place of your text, which is kept."),
				elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
					onClick(func() { n.Send(RestoreText{}) })), vecty.Text("Bring my text back")),
				elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), aria("label", "Dismiss"),
					onClick(func() { n.Send(DismissNotice{}) })), glyph(glyphClose)),
			))
	}
	return elem.Div(vecty.Markup(vecty.Class("notice"), vecty.ClassMap{"empty": len(content) == 0}), content)
}
