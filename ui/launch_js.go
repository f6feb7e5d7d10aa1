package ui

import (
	"strconv"
	"strings"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Launch is the launch header as a form. The text stays the one truth: a field that changes rewrites its header line.
type Launch struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper. Specs are made anew by each parse.
func (l *Launch) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Launch)
	return ok && p.Model.Spec == l.Model.Spec && p.Model.Module == l.Model.Module
}

// Render implements vecty.Component.
func (l *Launch) Render() vecty.ComponentOrHTML {
	spec := l.Model.Spec
	if spec == nil {
		return region("Launch", "panel-launch", elem.Div(),
			elem.Paragraph(vecty.Markup(vecty.Class("empty-note")),
				vecty.Text("The launch can be set when the text has no errors.")),
			elem.Div(), elem.Div())
	}
	note := ""
	if spec.Defaulted {
		note = "The text has no launch header: grid, block and arguments are made up from the parameters. " +
			"Change a field to write a header."
	}
	return region("Launch", "panel-launch", span("muted", spec.Title),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note)),
		elem.Div(vecty.Markup(vecty.Class("fields")),
			elem.Label(span("", "Entry"), l.entries(spec)),
			l.field("Grid", "grid", "", dims(spec.Grid), "x or x,y or x,y,z"),
			l.field("Block", "block", "", dims(spec.Block), "x or x,y or x,y,z"),
			l.field("Cluster", "cluster", "", clusterText(spec.Cluster), "CTAs of a cluster: x or x,y or x,y,z; empty for none"),
			l.field("Shared", "shared", "", strconv.Itoa(spec.Shared), "bytes of dynamic shared memory"),
			elem.Label(span("", "Divergence"), chooser("Divergence", spec.Model.String(), models(), func(v string) { l.Send(EditHeader{Key: "model", Value: v}) })),
		),
		elem.Table(vecty.Markup(vecty.Class("arguments"), aria("label", "Arguments"),
			vecty.ClassMap{"empty": len(spec.Args) == 0}),
			elem.TableHead(elem.TableRow(headCell("Argument"), headCell("Type"), headCell("Initial value"))),
			elem.TableBody(l.arguments(spec))),
	)
}

func models() []option {
	options := []option{{emu.Auto.String(), "by .target"}}
	for _, m := range launch.Models {
		options = append(options, option{m.String(), m.Words})
	}
	return options
}

func (l *Launch) entries(spec *launch.Spec) *vecty.HTML {
	options := []option{}
	if l.Model.Module != nil {
		for _, f := range l.Model.Module.Entries() {
			options = append(options, option{f.Name, ptx.DisplayName(f.Name)})
		}
	}
	return chooser("Entry", spec.Entry, options, func(v string) { l.Send(EditHeader{Key: "entry", Value: v}) })
}

func (l *Launch) field(name, key, arg, value, title string) *vecty.HTML {
	return elem.Label(span("", name),
		elem.Input(vecty.Markup(prop.Type(prop.TypeText), aria("label", name), attr("title", title),
			attr("spellcheck", "false"), attr("autocomplete", "off"), prop.Value(value),
			onChange(func(v string) { l.Send(EditHeader{Key: key, Name: arg, Value: strings.TrimSpace(v)}) }))))
}

func (l *Launch) arguments(spec *launch.Spec) vecty.List {
	rows := make(vecty.List, len(spec.Args))
	for i := range spec.Args {
		a := &spec.Args[i]
		title := "a number, a list 1, 2, 3, iota, random(seed) …; empty for zeros"
		rows[i] = elem.TableRow(
			elem.TableHeader(vecty.Markup(attr("scope", "row")), vecty.Text(a.Label())),
			elem.TableData(vecty.Markup(vecty.Class("type")), vecty.Text(argType(a))),
			elem.TableData(elem.Input(vecty.Markup(prop.Type(prop.TypeText), aria("label", "Initial value of "+a.Label()),
				attr("title", title), attr("spellcheck", "false"), attr("autocomplete", "off"),
				prop.Placeholder("zeros"), prop.Value(a.Init),
				onChange(func(v string) {
					l.Send(EditHeader{Key: "arg", Name: a.Name, Value: strings.TrimSpace(v)})
				})))),
		)
	}
	return rows
}

// argType is an argument's type and shape as the header writes it.
func argType(a *launch.Arg) string {
	if !a.Buffer {
		return a.Type
	}
	parts := make([]string, len(a.Dims))
	for i, d := range a.Dims {
		parts[i] = strconv.Itoa(d)
	}
	return a.Type + "[" + strings.Join(parts, ",") + "]"
}
