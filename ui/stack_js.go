package ui

import (
	"fmt"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"

	"warpscope/emu"
	"warpscope/ptx"
)

// Stack shows the SIMT stack of the followed warp, or its groups of lanes, and what the last step changed there.
type Stack struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (s *Stack) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Stack)
	return ok && sameStack(p.Model, s.Model)
}

// Mount implements vecty.Mounter.
func (s *Stack) Mount() {
	askCell(byID("panel-stack").Value, func() *Model { return s.Model }, s.Send, func(target js.Value) (cellRef, bool) {
		row, ok := entryAt(target)
		if !ok {
			return cellRef{}, false
		}
		return entryRef(s.Model, row)
	})
}

// Render implements vecty.Component.
func (s *Stack) Render() vecty.ComponentOrHTML {
	m := s.Model
	rows := stackRows(m)
	body := make(vecty.List, len(rows))
	for i, r := range rows {
		body[i] = s.row(r, i)
	}
	var news vecty.List
	for _, n := range stackNews(m) {
		class := map[bool]string{true: "push", false: "pop"}[n.Push]
		news = append(news, elem.ListItem(vecty.Markup(vecty.Class(class)), vecty.Text(n.Text)))
	}
	model := m.model()
	return titledRegion(stackName, model.Title, "panel-stack", span("muted", model.Order),
		reads(true),
		elem.Table(
			vecty.Markup(attr("role", "table"), aria("label", model.Table)),
			&Part{Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(headCell("line"), headCell("lanes 0 … 31"), headCell("mask"),
					headCell("state"), headCell("meets at"), headCell("because of")))
			}},
			elem.TableBody(body),
		),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(stackNote(m))),
		elem.UnorderedList(vecty.Markup(vecty.Class("news"), vecty.ClassMap{"empty": len(news) == 0}), news),
	)
}

func (s *Stack) row(r stackRow, index int) *vecty.HTML {
	title := r.Kind
	if r.Waits != "" {
		title += ", " + r.Waits
	}
	if r.Cause != "" {
		title += ", " + r.Cause
	}
	mark, marked := map[string]string{runs: "active", atBarrier: "barrier", faulted: "faulted"}[r.State]
	if !marked {
		mark = "waiting"
	}
	pushed := ""
	if r.Pushed {
		pushed = "+ " + map[bool]string{true: "new", false: "pushed"}[s.Model.grouped()]
	}
	drawn := maskLook{r.Mask, r.Here, mark == "active" || mark == "faulted"}
	return elem.TableRow(
		vecty.Markup(vecty.ClassMap{"top": index == 0, "pushed": r.Pushed}, attr("title", title), attr("tabindex", "0"),
			vecty.Data("entry", strconv.Itoa(index))),
		elem.TableData(vecty.Markup(vecty.Class("pc")), vecty.Text(r.PC)),
		elem.TableData(vecty.Markup(vecty.Class("lanes")),
			&Part{Key: drawn, Draw: func() *vecty.HTML { return drawnMask(drawn) }}),
		elem.TableData(vecty.Markup(vecty.Class("mask")), vecty.Text(maskHex(r.Mask))),
		elem.TableData(vecty.Markup(vecty.Class("state", mark)), elem.Italic(vecty.Markup(vecty.Class("lane-mark", mark))),
			vecty.Text(r.State)),
		elem.TableData(vecty.Markup(vecty.Class("rpc")), vecty.Text(r.RPC)),
		elem.TableData(vecty.Markup(vecty.Class("because")), span("news-word", pushed), vecty.Text(r.Because)),
	)
}

// maskLook is what a drawn mask shows: its lanes, those that are at its line, and whether they run.
type maskLook struct {
	mask, here emu.Mask
	runs       bool
}

// drawnMask draws a mask with lane 0 on the left, as the lane grid does. Lanes that run are full bars, those that are
// here and wait are ruled, those still to come are outlined; lanes outside the mask are dashes.
func drawnMask(l maskLook) *vecty.HTML {
	mask, here, runs := l.mask, l.here, l.runs
	const svg = "http://www.w3.org/2000/svg"
	shapes := []struct {
		class, path string
		lanes       emu.Mask
		d           strings.Builder
	}{
		{class: "runs", path: "h3v10h-3z", lanes: mask & here},
		{class: "here", path: "h3v2h-3zm0 4h3v2h-3zm0 4h3v2h-3z", lanes: mask & here},
		{class: "later", path: "m.4 .4h2.2v9.2h-2.2z", lanes: mask &^ here},
		{class: "off", path: "m0 8h3v1.5h-3z", lanes: ^mask},
	}
	if runs {
		shapes[1].lanes = 0
	} else {
		shapes[0].lanes = 0
	}
	var paths vecty.List
	for i := range shapes {
		shape := &shapes[i]
		for lane := range 32 {
			if shape.lanes.Has(lane) {
				fmt.Fprintf(&shape.d, "M%d 0%s", lane*4+lane/8*2, shape.path)
			}
		}
		paths = append(paths, vecty.Tag("path", vecty.Markup(vecty.Namespace(svg), attr("class", shape.class),
			attr("d", shape.d.String()))))
	}
	return vecty.Tag("svg",
		vecty.Markup(vecty.Namespace(svg), attr("viewBox", "0 0 134 10"), attr("class", "mask-bars"),
			attr("preserveAspectRatio", "none"),
			attr("role", "img"), aria("label", ptx.Plural(mask.Count(), "lane"))), paths)
}
