package ui

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	counters "warpscope/emu/count"
)

// Counters shows what a run has counted, and the occupancy of its blocks.
type Counters struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (c *Counters) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Counters)
	return ok && p.Model.Account == c.Model.Account && p.Model.CountsBy == c.Model.CountsBy &&
		p.Model.CountOrder == c.Model.CountOrder && p.Model.Occupancy == c.Model.Occupancy &&
		p.Model.NoCounts == c.Model.NoCounts && p.Model.Heat == c.Model.Heat && p.Model.Running == c.Model.Running &&
		p.Model.unasked() == c.Model.unasked() && p.Model.inView(countersPanel) == c.Model.inView(countersPanel)
}

// Mount implements vecty.Mounter.
func (c *Counters) Mount() {
	listenTo(byID("panel-counters").Value, "click", func(e js.Value) {
		if button := closest(e.Get("target"), "[data-row]"); button.Truthy() {
			row, _ := strconv.Atoi(button.GetAttribute("data-row"))
			if _, rows := counterTable(c.Model); row < len(rows) {
				c.Send(rows[row].Go)
			}
		}
	})
}

// Render implements vecty.Component.
func (c *Counters) Render() vecty.ComponentOrHTML {
	m := c.Model
	columns, rows := counterTable(m)
	return region("Counters", "panel-counters", elem.Div(),
		&Part{Key: m.CountsBy, Draw: c.by}, c.table(columns, rows), countsNote(m, len(rows) == 0), c.occupancy())
}

func (c *Counters) by() *vecty.HTML {
	by := make(vecty.List, 0, 3)
	for _, t := range []tab{{byLine, "Lines"}, {byWarp, "Warps"}, {byKernel, "Kernel"}} {
		pressed := boolWord(c.Model.CountsBy == t.key)
		by = append(by, elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("pressed", pressed),
			onClick(func() { c.Send(CountBy{t.key}) })), vecty.Text(t.label)))
	}
	return elem.Div(vecty.Markup(vecty.Class("counts-by", "segmented"), attr("role", "group"), aria("label", "Count by")),
		by)
}

// countsHead is what the head of a table of counts shows.
type countsHead struct {
	by     string
	order  order
	titles string
}

func (c *Counters) table(columns []counterColumn, rows []counterRow) *vecty.HTML {
	m := c.Model
	head := countsHead{by: m.CountsBy, order: m.CountOrder}
	for _, column := range columns {
		head.titles += column.Title + "\t"
	}
	return elem.Table(vecty.Markup(vecty.Class("counts-table"), vecty.Data("by", m.CountsBy),
		aria("label", "Counters of the run so far"), vecty.ClassMap{"empty": len(rows) == 0}),
		&Part{Key: head, Draw: func() *vecty.HTML { return c.heads(columns) }},
		&LongRows{ID: "counter-rows", N: len(rows), Row: func(i int) string {
			return counterRowHTML(&rows[i], i, m.CountsBy)
		}})
}

func (c *Counters) heads(columns []counterColumn) *vecty.HTML {
	m := c.Model
	first := map[string]string{byLine: "line", byWarp: "warp", byKernel: "counter"}[m.CountsBy]
	heads := []vecty.MarkupOrChild{headCell(first)}
	if m.CountsBy == byLine {
		heads = append(heads, headCell("code"))
	}
	for _, column := range columns {
		if column.Key == "" {
			heads = append(heads, headCell(column.Title))
			continue
		}
		heads = append(heads, sortHead(column.Key, column.Title, column.Says, m.CountOrder,
			func(by string) { c.Send(SortCounters{by}) }))
	}
	return elem.TableHead(elem.TableRow(heads...))
}

// counterRowHTML writes a row of a table of counts.
func counterRowHTML(r *counterRow, index int, by string) string {
	var b strings.Builder
	says := ""
	if r.Says != "" {
		says = ` title="` + html.EscapeString(r.Says) + `"`
	}
	fmt.Fprintf(&b, `<tr aria-rowindex="%d"><td><button type="button" class="link" data-row="%d"%s><span>%s</span>`+
		`</button></td>`, index+2, index, says, html.EscapeString(r.Head))
	if by == byLine {
		code := html.EscapeString(r.Code)
		b.WriteString(`<td class="code" title="` + code + `">` + code + `</td>`)
	}
	for _, text := range r.Cells {
		b.WriteString(`<td>` + text + `</td>`)
	}
	return b.String() + `</tr>`
}

// occupancyKey is what the occupancy follows from.
type occupancyKey struct {
	sm, registers, shared, threads int
	problem                        string
}

// occupancy is how many blocks fit on a multiprocessor.
func (c *Counters) occupancy() *Part {
	o := occupancyOf(c.Model)
	return &Part{Key: occupancyKey{o.SM.Capability, o.Registers, o.Shared, o.Threads, o.Problem},
		Draw: func() *vecty.HTML { return c.drawOccupancy(&o) }}
}

func (c *Counters) drawOccupancy(o *occupancy) *vecty.HTML {
	set := func(field string) func(string) { return func(v string) { c.Send(SetOccupancy{field, v}) } }
	architectures := make([]option, len(counters.SMs))
	for i := range counters.SMs {
		sm := &counters.SMs[i]
		architectures[i] = option{strconv.Itoa(sm.Capability), "sm_" + strconv.Itoa(sm.Capability)}
	}
	number := func(label, field string, value int) *vecty.HTML {
		return elem.Label(vecty.Text(label), elem.Input(vecty.Markup(prop.Type(prop.TypeText), attr("inputmode", "numeric"),
			prop.Value(strconv.Itoa(value)), onChange(set(field)))))
	}
	var rows vecty.List
	for _, r := range o.Rows {
		rows = append(rows, elem.TableRow(vecty.Markup(vecty.ClassMap{"on": r.Here}),
			elem.TableHeader(vecty.Markup(attr("scope", "row")), vecty.Text(strconv.Itoa(r.Registers))),
			elem.TableData(vecty.Text(strconv.Itoa(r.Blocks))), elem.TableData(vecty.Text(strconv.Itoa(r.Warps))),
			elem.TableData(vecty.Text(fmt.Sprintf("%.0f %%", r.Percent()))), elem.TableData(vecty.Text(r.LimitedBy()))))
	}
	return elem.Details(vecty.Markup(vecty.Class("occupancy")),
		elem.Summary(vecty.Text("Occupancy")),
		elem.Div(vecty.Markup(vecty.Class("occupancy-form")),
			elem.Label(vecty.Text("Architecture"),
				chooser("Architecture", strconv.Itoa(o.SM.Capability), architectures, set("sm"))),
			number("Registers of a thread", "registers", o.Registers), number("Bytes of shared memory", "shared", o.Shared),
			number("Threads of a block", "threads", o.Threads)),
		elem.Paragraph(elem.Strong(vecty.Text(o.words())), fieldProblem(o.Problem)),
		elem.Table(vecty.Markup(vecty.Class("counts-table"), aria("label", "Occupancy by registers")),
			elem.TableHead(elem.TableRow(headCell("registers"), headCell("blocks"), headCell("warps"), headCell("of "+
				strconv.Itoa(o.SM.Warps)+" warps"), headCell("limited by"))), elem.TableBody(rows)),
		elem.Paragraph(vecty.Markup(vecty.Class("muted")), vecty.Text("The registers are at first those of PTX that are "+
			"live at most: an assembler gives a thread more or fewer. Limits: CUDA C++ Programming Guide, Technical "+
			"Specifications per Compute Capability.")))
}
