package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// helpDialog is the dialog of keys.
func helpDialog(open bool, send Send) *Dialog {
	return &Dialog{ID: "help", Title: "Keyboard help", Open: open, Close: func() { send(ShowHelp{false}) },
		Content: keyTables}
}

func keyTables() vecty.List {
	var groups vecty.List
	for _, g := range Keys {
		rows := make(vecty.List, len(g.Keys))
		for i, k := range g.Keys {
			rows[i] = elem.TableRow(elem.TableHeader(vecty.Markup(attr("scope", "row")), keyCaps(k)),
				elem.TableData(vecty.Text(k.Does)))
		}
		groups = append(groups, elem.Section(elem.Heading3(vecty.Text(g.Name)), elem.Table(elem.TableBody(rows))))
	}
	return vecty.List{
		elem.Div(vecty.Markup(vecty.Class("groups")), groups),
		elem.Paragraph(vecty.Markup(vecty.Class("muted")), vecty.Text(KeysNote+
			" Files can be dropped anywhere on the page. All that you type is kept in this browser, and nowhere else.")),
	}
}

// keyCaps draws "Ctrl+Enter, F5".
func keyCaps(k Key) vecty.List {
	var list vecty.List
	for i, one := range k.Combinations() {
		if i > 0 {
			list = append(list, vecty.Text(" or "))
		}
		var caps vecty.List
		for j, part := range one {
			if j > 0 {
				caps = append(caps, vecty.Text("+"))
			}
			caps = append(caps, vecty.Tag("kbd", vecty.Text(part)))
		}
		list = append(list, elem.Span(vecty.Markup(vecty.Class("keys")), caps))
	}
	return list
}

func helpButton(send Send) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon", "help-button"),
		aria("label", "Keyboard help"), attr("title", "Keyboard help (?)"), onClick(func() { send(ShowHelp{true}) })),
		vecty.Text("?"))
}
