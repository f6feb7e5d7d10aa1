package ui

import (
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"

	"warpscope/ptx"
)

// compareDialog is the dialog that shows how two versions differ; d is nil while it is closed.
func compareDialog(d *Comparison, send Send) *Dialog {
	return &Dialog{ID: "compare", Title: "Compare versions", Open: d != nil, Shows: d,
		Close: func() { send(ShowCompare{false}) }, Content: func() vecty.List { return comparison(d, send) }}
}

func comparison(d *Comparison, send Send) vecty.List {
	options := make([]option, len(d.Choices))
	for i, f := range d.Choices {
		options[i] = option{strconv.Itoa(f.ID), f.Label}
	}
	changed := 0
	for _, e := range d.Edits {
		if e.Sign != ' ' {
			changed++
		}
	}
	words := "The texts are the same."
	if changed > 0 {
		words = ptx.Plural(changed, "line") + " added or removed."
	}
	return vecty.List{
		elem.Label(span("", "This program and"), chooser("Compare with", strconv.Itoa(d.With), options, func(value string) {
			if id, err := strconv.Atoi(value); err == nil {
				send(CompareWith{id})
			}
		})),
		comparedResults(d),
		elem.Heading3(vecty.Text("Text")),
		elem.Paragraph(vecty.Markup(vecty.Class("muted")), vecty.Text(words)),
		comparedText(d),
	}
}

func comparedResults(d *Comparison) *vecty.HTML {
	if d.Problem != "" {
		return elem.Paragraph(vecty.Text("Nothing was run: " + d.Problem))
	}
	if d.Running {
		return elem.Paragraph(vecty.Markup(attr("role", "status")), vecty.Text("Both are running …"))
	}
	rows := make(vecty.List, len(d.Rows))
	for i, r := range d.Rows {
		rows[i] = elem.TableRow(vecty.Markup(vecty.ClassMap{"differs": r.Differs}),
			elem.TableHeader(vecty.Markup(attr("scope", "row")), vecty.Text(r.Name)),
			elem.TableData(vecty.Text(r.Other)), elem.TableData(vecty.Text(r.This)))
	}
	return elem.Table(vecty.Markup(aria("label", "Results of both")),
		elem.TableHead(elem.TableRow(headCell("After a run to the end"), headCell("Other"), headCell("This"))),
		elem.TableBody(rows))
}

// maxHunkLines bounds the lines that are drawn.
const maxHunkLines = 1000

func comparedText(d *Comparison) *vecty.HTML {
	list := hunks(d.Edits, 3)
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	var rows vecty.List
	for _, e := range list[:min(len(list), maxHunkLines)] {
		if e.Sign == 0 {
			rows = append(rows, elem.TableRow(vecty.Markup(vecty.Class("between")),
				elem.TableData(vecty.Markup(attr("colspan", "4")), vecty.Text("⋯"))))
			continue
		}
		class := map[byte]string{'-': "removed", '+': "added", ' ': "kept"}[e.Sign]
		rows = append(rows, elem.TableRow(vecty.Markup(vecty.Class(class)), elem.TableData(vecty.Text(number(e.From))),
			elem.TableData(vecty.Text(number(e.To))), elem.TableData(vecty.Text(string(e.Sign))),
			elem.TableData(elem.Code(vecty.Text(e.Text)))))
	}
	return elem.Div(vecty.Markup(vecty.Class("diff"), attr("tabindex", "0"), attr("role", "region"),
		aria("label", "Lines that differ")), elem.Table(elem.TableBody(rows)))
}
