package ui

import (
	"slices"
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
)

// Watch shows the values of expressions in the lanes of the followed warp.
type Watch struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (w *Watch) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Watch)
	return ok && slices.Equal(p.Model.Watched, w.Model.Watched) && slices.Equal(p.Model.Watches, w.Model.Watches) &&
		p.Model.Lane == w.Model.Lane
}

// Render implements vecty.Component.
func (w *Watch) Render() vecty.ComponentOrHTML {
	m := w.Model
	var rows vecty.List
	for i, text := range m.Watches {
		watch := debug.Watch{Text: text, Error: "The values are shown when the text can run."}
		if i < len(m.Watched) {
			watch = m.Watched[i]
		}
		rows = append(rows, w.row(i, &watch))
	}
	return region("Watch", "panel-watch", elem.Div(), elem.Div(vecty.Markup(attr("role", "list"),
		aria("label", "Watched expressions")), rows),
		elem.Div(vecty.Markup(vecty.Class("watch-row", "watch-new")),
			elem.Input(vecty.Markup(prop.Type(prop.TypeText), vecty.Class("code"), aria("label", "New expression"),
				prop.Placeholder("%r1 + 1, popc(active), out[5] …"), attr("spellcheck", "false"),
				attr("autocomplete", "off"), event.Change(func(e *vecty.Event) {
					field := input(e.Target)
					w.Send(SetWatch{len(w.Model.Watches), field.Value()})
					field.SetValue("")
				})))))
}

func (w *Watch) row(i int, watch *debug.Watch) *vecty.HTML {
	var values vecty.List
	for _, run := range watchRuns(w.Model, watch) {
		values = append(values, elem.Span(vecty.Markup(vecty.Class("run"),
			vecty.ClassMap{"joined": run.To > run.From, "followed": run.From <= w.Model.Lane && w.Model.Lane <= run.To},
			vecty.Style("flex-grow", strconv.Itoa(run.To-run.From+1)), attr("title", runWords(run))),
			span("", run.Text)))
	}
	invalid := watch.Error != ""
	return elem.Div(vecty.Markup(vecty.Class("watch-row"), attr("role", "listitem")),
		elem.Input(vecty.Markup(prop.Type(prop.TypeText), vecty.Class("code"), aria("label", "Expression "+strconv.Itoa(i+1)),
			aria("invalid", boolWord(invalid)), prop.Value(watch.Text), attr("spellcheck", "false"),
			attr("autocomplete", "off"), onChange(func(text string) { w.Send(SetWatch{i, text}) }))),
		elem.Div(vecty.Markup(vecty.Class("watch-values"), vecty.ClassMap{"empty": invalid}), values),
		fieldProblem(watch.Error),
		removeButton("Remove "+watch.Text, func() { w.Send(SetWatch{i, ""}) }))
}

// runWords say which lanes have a value.
func runWords(run hoverRun) string {
	if run.From == run.To {
		return "lane " + strconv.Itoa(run.From) + ": " + run.Text
	}
	return "lanes " + strconv.Itoa(run.From) + " to " + strconv.Itoa(run.To) + ": " + run.Text
}

// fieldProblem is an error at its place.
func fieldProblem(words string) *vecty.HTML {
	return elem.Span(vecty.Markup(vecty.Class("ask-problem"), vecty.ClassMap{"empty": words == ""},
		vecty.MarkupIf(words != "", attr("role", "alert"))),
		vecty.Text(words))
}

func removeButton(name string, remove func()) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon", "remove"), aria("label", name),
		attr("title", name), onClick(remove)), glyph(glyphClose))
}

// Stops lists at what a run stops.
type Stops struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
	what  string
	kind  debug.StopKind
}

// SkipRender implements vecty.RenderSkipper.
func (c *Stops) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Stops)
	return ok && slices.Equal(stopRows(p.Model), stopRows(c.Model)) && p.Model.NoStop == c.Model.NoStop
}

// Render implements vecty.Component.
func (c *Stops) Render() vecty.ComponentOrHTML {
	var rows vecty.List
	for _, r := range stopRows(c.Model) {
		rows = append(rows, c.row(r))
	}
	return region("Breakpoints", "panel-breakpoints", elem.Div(),
		elem.Div(vecty.Markup(attr("role", "list"), aria("label", "Stop when")), rows), c.form())
}

func (c *Stops) row(r stopRow) *vecty.HTML {
	set := func(change func(stop *debug.Stop)) {
		stop := r.Stop
		change(&stop)
		c.Send(SetStop{r.At, stop})
	}
	name := vecty.MarkupOrChild(span("stop-name", r.Name))
	if r.Stop.Kind == debug.StopLine {
		name = elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link", "stop-name"),
			onClick(func() { c.Send(RevealLine{r.Stop.Line}) })), vecty.Text(r.Name))
	}
	remove := elem.Span()
	if !r.Last {
		remove = removeButton("Remove "+r.Name, func() { c.Send(RemoveStop{r.At}) })
	}
	return elem.Div(vecty.Markup(vecty.Class("stop-row"), vecty.ClassMap{"off": r.Stop.Off}, attr("role", "listitem")),
		elem.Input(vecty.Markup(prop.Type(prop.TypeCheckbox), attr("role", "switch"), aria("label", "Stop at "+r.Name),
			prop.Checked(!r.Stop.Off), event.Change(func(*vecty.Event) {
				set(func(stop *debug.Stop) { stop.Off = !stop.Off })
			}))), name,
		elem.Input(vecty.Markup(prop.Type(prop.TypeText), vecty.Class("code"), aria("label", "Condition of "+r.Name),
			aria("invalid", boolWord(r.Stop.Error != "")), prop.Placeholder("always"), prop.Value(r.Stop.Condition),
			attr("title", "In some active lane: %r4 > 10 && lane == 3, popc(active) < 8, hits == 40"),
			attr("spellcheck", "false"), attr("autocomplete", "off"), prop.Disabled(r.At >= len(c.Model.Stops)),
			onChange(func(text string) { set(func(stop *debug.Stop) { stop.Condition = text }) }))),
		span("hits", r.Hits), remove, fieldProblem(r.Stop.Error))
}

// form adds a stop.
func (c *Stops) form() *vecty.HTML {
	kinds := []option{{"0", "At line"}}
	for kind := debug.StopRead; kind <= debug.StopChange; kind++ {
		words := map[debug.StopKind]string{debug.StopRead: "When read", debug.StopWrite: "When written",
			debug.StopChange: "When changed"}[kind]
		kinds = append(kinds, option{strconv.Itoa(int(kind)), words})
	}
	return elem.Form(vecty.Markup(vecty.Class("stop-new"), event.Submit(func(e *vecty.Event) {
		stop := AddStop{c.kind, c.what}
		c.Send(stop)
		if _, problem := newStop(c.Model, stop); problem == "" {
			c.what = ""
			input(e.Target.Call("querySelector", "input")).SetValue("")
		}
	}).PreventDefault()),
		chooser("Stop when", strconv.Itoa(int(c.kind)), kinds, func(v string) {
			n, _ := strconv.Atoi(v)
			c.kind = debug.StopKind(n)
		}),
		elem.Input(vecty.Markup(prop.Type(prop.TypeText), vecty.Class("code"), aria("label", "Line, register or memory"),
			prop.Placeholder("12, %r4, out[5..9]"), attr("spellcheck", "false"), attr("autocomplete", "off"),
			onInput(func(v string) { c.what = v }))),
		elem.Button(vecty.Markup(prop.Type(prop.TypeSubmit)), vecty.Text("Add")), fieldProblem(c.Model.NoStop))
}
