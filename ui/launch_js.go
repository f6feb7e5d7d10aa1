package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Launch is the launch header as a form. The text stays the only source: a field that changes rewrites its header line.
type Launch struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`

	edits int // that the user has made here: then a field shows what the header says, and not what was entered
}

// SkipRender implements vecty.RenderSkipper. Each parse makes a new Spec.
func (l *Launch) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Launch)
	return ok && p.Model.Spec == l.Model.Spec && p.Model.Module == l.Model.Module &&
		p.Model.FieldError == l.Model.FieldError
}

// Render implements vecty.Component.
func (l *Launch) Render() vecty.ComponentOrHTML {
	spec := l.Model.Spec
	if spec == nil {
		return region("Launch", "panel-launch", elem.Div(),
			elem.Paragraph(vecty.Markup(vecty.Class("empty-note")),
				vecty.Text(noForm(l.Model))),
			elem.Div(), elem.Div())
	}
	note := ""
	if spec.Defaulted {
		note = "The text has no launch header: grid, block and arguments are guessed from the parameters. " +
			"Change a field to write a header."
	}
	return region("Launch", "panel-launch", words("muted", l.Model.Title),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note)),
		elem.Div(vecty.Markup(vecty.Class("fields")),
			l.entries(spec),
			l.field("Grid", "grid", "", dims(spec.Grid), "x or x,y or x,y,z"),
			l.field("Block", "block", "", dims(spec.Block), "x or x,y or x,y,z"),
			l.field("Cluster", "cluster", "", clusterText(spec.Cluster), "CTAs of a cluster: x or x,y or x,y,z; empty for none"),
			l.field("Shared", "shared", "", strconv.Itoa(spec.Shared), "bytes of dynamic shared memory"),
			l.choice("Divergence", "model", spec.Model.String(), models()),
			l.choice("Engine", "engine", spec.Engine.String(), engines()),
		),
		elem.Table(vecty.Markup(vecty.Class("arguments"), aria("label", "Arguments"),
			vecty.ClassMap{"empty": len(spec.Args) == 0}),
			&Part{Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(headCell("Argument"), headCell("Type"), headCell("Elements"),
					headCell("Initial value"), headCell("File")))
			}},
			elem.TableBody(l.arguments(spec))),
		&Part{Key: len(spec.Args) > 0, Draw: func() *vecty.HTML { return initialHelp(len(spec.Args) > 0) }},
	)
}

// initialHelp says what can be an initial value.
func initialHelp(shown bool) *vecty.HTML {
	rows := make(vecty.List, len(initialForms))
	for i, form := range initialForms {
		rows[i] = elem.TableRow(elem.TableHeader(vecty.Markup(attr("scope", "row")), elem.Code(vecty.Text(form[0]))),
			elem.TableData(vecty.Text(form[1])))
	}
	return elem.Details(vecty.Markup(vecty.Class("initial-help"), vecty.ClassMap{"empty": !shown}),
		elem.Summary(vecty.Text("What can be an initial value?")),
		elem.Table(vecty.Markup(aria("label", "Forms of initial values")), elem.TableBody(rows)))
}

// engines are the engines to choose from.
func engines() (options []option) {
	for _, name := range emu.EngineNames() {
		options = append(options, option{name, name})
	}
	return options
}

// models are the divergence models to choose from.
func models() (options []option) {
	for _, m := range emu.Models {
		options = append(options, option{m.Name, m.Label})
	}
	return options
}

func (l *Launch) entries(spec *launch.Spec) *Part {
	options := []option{}
	if l.Model.Module != nil {
		for _, f := range l.Model.Module.Entries() {
			options = append(options, option{f.Name, ptx.DisplayName(f.Name)})
		}
	}
	return l.choice("Entry", "entry", spec.Entry, options)
}

// edit changes a line of the header.
func (l *Launch) edit(e EditHeader) {
	l.edits++
	l.Send(e)
}

// choice is a line of the header that has one of several values.
func (l *Launch) choice(name, key, value string, options []option) *Part {
	return &Part{Key: [3]any{fmt.Sprint(options), value, l.edits}, Draw: func() *vecty.HTML {
		return elem.Label(span("", name),
			chooser(name, value, options, func(v string) { l.edit(EditHeader{Key: key, Value: v}) }))
	}}
}

func (l *Launch) field(name, key, arg, value, title string) *Part {
	return &Part{Key: [3]any{value, l.Model.FieldError, l.edits}, Draw: func() *vecty.HTML {
		input, wrong := l.input(name, key, arg, value, title, "")
		return elem.Label(span("", name), input, wrong)
	}}
}

// input is a text field, and what is wrong with its entry, which it keeps.
func (l *Launch) input(name, key, arg, value, title, placeholder string) (input, wrong *vecty.HTML) {
	message, id := "", "wrong-"+key+"-"+arg
	if e := l.Model.FieldError.of(key, arg); e != nil {
		value, message = e.Value, e.Problem
	}
	input = elem.Input(vecty.Markup(prop.Type(prop.TypeText), aria("label", name), attr("title", title),
		attr("spellcheck", "false"), attr("autocomplete", "off"), prop.Placeholder(placeholder), prop.Value(value),
		aria("invalid", boolWord(message != "")), vecty.MarkupIf(message != "", aria("describedby", id)),
		onChange(func(v string) { l.edit(EditHeader{Key: key, Name: arg, Value: strings.TrimSpace(v)}) })))
	return input, elem.Span(vecty.Markup(vecty.Class("wrong"), prop.ID(id)), vecty.Text(message))
}

func (l *Launch) arguments(spec *launch.Spec) vecty.List {
	rows := make(vecty.List, 0, 2*len(spec.Args))
	for i := range spec.Args {
		a := &spec.Args[i]
		is := argumentLook{name: a.Name, label: a.Label(), key: a.Key, typ: a.Type, elements: elementsText(a),
			initial: a.Init, preview: a.Preview(previewed), typed: a.Typed(), buffer: a.Buffer,
			wrong: l.Model.FieldError, edits: l.edits}
		fields, problems := l.argument(a, &is)
		rows = append(rows, &Part{Key: is, Draw: fields}, &Part{Key: is, Draw: problems})
	}
	return rows
}

// argumentLook is what the rows of an argument show.
type argumentLook struct {
	name, label, key, typ, elements, initial, preview string
	typed, buffer                                     bool
	wrong                                             *FieldError
	edits                                             int
}

// argument draws the fields of an argument, and what is wrong with them in a row of their own, which has room.
func (l *Launch) argument(a *launch.Arg, is *argumentLook) (fields, problems func() *vecty.HTML) {
	var wrongs vecty.List
	cell := func(what, key, value, title, placeholder string) *vecty.HTML {
		input, wrong := l.input(what+" of "+is.label, key, is.name, value, title, placeholder)
		wrongs = append(wrongs, wrong)
		return elem.TableData(vecty.Markup(vecty.Class(key)), input)
	}
	typ, elements := elem.TableData(vecty.Markup(vecty.Class("type")), vecty.Text(is.key)), elem.TableData()
	if is.typed {
		typ = cell("Type", "type", is.typ, "u32, f32, u8x4, e4m3 …", "")
		elements = cell("Elements", "elements", is.elements, "1024 or 64,64; empty for a value", "value")
	}
	initial := cell("Initial value", "arg", is.initial,
		"a number, a list 1, 2, 3, iota, random(seed), address(x) …; empty for zeros", "zeros")
	wrong := is.wrong != nil && is.wrong.Name == is.name
	wrongs = append(wrongs, span("preview", is.preview))
	fields = func() *vecty.HTML {
		return elem.TableRow(vecty.Markup(vecty.MarkupIf(filled(a), vecty.Data("arg", is.name))), // a file is dropped here
			elem.TableHeader(vecty.Markup(attr("scope", "row")), vecty.Text(is.label)), typ, elements, initial, l.files(a))
	}
	problems = func() *vecty.HTML {
		return elem.TableRow(vecty.Markup(vecty.ClassMap{"empty": !wrong && is.preview == "", "wrong-row": wrong}),
			elem.TableData(vecty.Markup(attr("colspan", "5")), wrongs))
	}
	return fields, problems
}

// previewed is how many numbers of an initial value are shown.
const previewed = 12

// filled says whether an argument takes a file.
func filled(a *launch.Arg) bool { return a.Buffer && a.Typed() }

// files are the buttons that fill a buffer from a file, and save what is in it now.
func (l *Launch) files(a *launch.Arg) *vecty.HTML {
	if !filled(a) {
		return elem.TableData()
	}
	button := func(words, picture string, action Action) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), aria("label", words),
			attr("title", words), onClick(func() { l.Send(action) })), glyph(picture))
	}
	return elem.TableData(vecty.Markup(vecty.Class("files-of")),
		button("Fill "+a.Label()+" from a file: .bin, .npy or a picture", glyphOpen, PickContents{a.Name}),
		button("Save "+a.Label()+" as a file, as it is now", glyphSave, SaveBuffer{a.Label()}))
}
