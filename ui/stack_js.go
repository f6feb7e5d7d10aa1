package ui

import (
	"fmt"
	"strings"

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

// Render implements vecty.Component.
func (s *Stack) Render() vecty.ComponentOrHTML {
	m := s.Model
	rows := stackRows(m)
	body := make(vecty.List, len(rows))
	for i, r := range rows {
		body[i] = s.row(r, i == 0)
	}
	var news vecty.List
	for _, n := range stackNews(m) {
		class := map[bool]string{true: "push", false: "pop"}[n.Push]
		news = append(news, elem.ListItem(vecty.Markup(vecty.Class(class)), vecty.Text(n.Text)))
	}
	model := m.model()
	return titledRegion(stackName, model.Title, "panel-stack", span("muted", model.Order),
		elem.Table(
			vecty.Markup(attr("role", "table"), aria("label", model.Table)),
			&Part{Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(
					headCell("pc"), headCell("reconv."), headCell("mask"), headCell("lanes 0 … 31"), headCell("kind")))
			}},
			elem.TableBody(body),
		),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(stackNote(m))),
		elem.UnorderedList(vecty.Markup(vecty.Class("news"), vecty.ClassMap{"empty": len(news) == 0}), news),
	)
}

func (s *Stack) row(r stackRow, top bool) *vecty.HTML {
	title := r.Kind
	if r.Cause != "" {
		title = r.Cause
	}
	return elem.TableRow(
		vecty.Markup(vecty.ClassMap{"top": top, "pushed": r.Pushed}, attr("title", title)),
		elem.TableData(vecty.Markup(vecty.Class("pc")), vecty.Text(r.PC)),
		elem.TableData(vecty.Markup(vecty.Class("rpc")), vecty.Text(r.RPC)),
		elem.TableData(vecty.Markup(vecty.Class("mask")), vecty.Text(maskHex(r.Mask))),
		elem.TableData(vecty.Markup(vecty.Class("lanes")),
			&Part{Key: r.Mask, Draw: func() *vecty.HTML { return drawnMask(r.Mask) }}),
		elem.TableData(vecty.Markup(vecty.Class("kind")), vecty.Text(r.Kind),
			span("waits", r.Waits)),
	)
}

// drawnMask draws a mask with lane 0 on the left, as the lane grid does: lanes in it as bars, the others as dots.
func drawnMask(mask emu.Mask) *vecty.HTML {
	const svg = "http://www.w3.org/2000/svg"
	var on, off strings.Builder
	for lane := 0; lane < 32; lane++ {
		x := lane*4 + lane/8*2
		if mask.Has(lane) {
			fmt.Fprintf(&on, "M%d 0h3v10h-3z", x)
		} else {
			fmt.Fprintf(&off, "M%d 7h3v3h-3z", x)
		}
	}
	path := func(class, d string) *vecty.HTML {
		return vecty.Tag("path", vecty.Markup(vecty.Namespace(svg), attr("class", class), attr("d", d)))
	}
	return vecty.Tag("svg",
		vecty.Markup(vecty.Namespace(svg), attr("viewBox", "0 0 134 10"), attr("class", "mask-bars"),
			attr("preserveAspectRatio", "xMinYMid"),
			attr("role", "img"), aria("label", ptx.Plural(mask.Count(), "lane"))),
		path("on", on.String()), path("off", off.String()))
}
