package ui

import (
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"

	"warpscope/ptx"
)

// Compare is the dialog that shows how two versions differ.
type Compare struct {
	dialog
	Compared *Comparison `vecty:"prop"` // nil: it is closed
	Send     Send        `vecty:"prop"`
}

const compareID = "compare"

// SkipRender implements vecty.RenderSkipper.
func (c *Compare) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Compare)
	return ok && p.Compared == c.Compared
}

// Mount implements vecty.Mounter.
func (c *Compare) Mount() { c.mount(compareID, c.Compared != nil) }

// Render implements vecty.Component.
func (c *Compare) Render() vecty.ComponentOrHTML {
	return c.frame(compareID, "Compare versions", c.Compared != nil, func() { c.Send(ShowCompare{false}) }, c.content)
}

func (c *Compare) content() vecty.List {
	d := c.Compared
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
				c.Send(CompareWith{id})
			}
		})),
		c.results(d),
		elem.Heading3(vecty.Text("Text")),
		elem.Paragraph(vecty.Markup(vecty.Class("muted")), vecty.Text(words)),
		c.text(d),
	}
}

func (c *Compare) results(d *Comparison) *vecty.HTML {
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

func (c *Compare) text(d *Comparison) *vecty.HTML {
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
