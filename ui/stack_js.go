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
		body[i] = &Part{Key: [2]any{r, m.grouped()}, Draw: func() *vecty.HTML { return s.row(r, i) }}
	}
	var news vecty.List
	for _, n := range stackNews(m) {
		news = append(news, &Part{Key: n, Draw: func() *vecty.HTML {
			class := map[bool]string{true: "push", false: "pop"}[n.Push]
			return elem.ListItem(vecty.Markup(vecty.Class(class)), vecty.Text(n.Text))
		}})
	}
	model, note := m.model(), stackNote(m)
	return titledRegion(stackName, model.Title, "panel-stack", words("muted", model.Order),
		reads(true),
		elem.Table(
			vecty.Markup(attr("role", "table"), aria("label", model.Table)),
			&Part{Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(headCell("line"), headCell("lanes 0 … 31"), headCell("mask"),
					headCell("state"), headCell("meets at"), headCell("because of")))
			}},
			elem.TableBody(body),
		),
		&Part{Key: note, Draw: func() *vecty.HTML {
			return elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note))
		}},
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
	mark, marked := map[string]string{runs: "active", atBarrier: "barrier"}[r.State]
	switch {
	case r.Failed != 0:
		mark = "faulted"
	case !marked:
		mark = "waiting"
	}
	pushed := ""
	if r.Pushed {
		pushed = "+ " + map[bool]string{true: "new", false: "pushed"}[s.Model.grouped()]
	}
	drawn := maskLook{r.Mask, r.Here, r.Failed, mark == "active" || mark == "faulted"}
	cell := func(class, text string) *Part {
		return &Part{Key: text, Draw: func() *vecty.HTML {
			return elem.TableData(vecty.Markup(vecty.Class(class)), vecty.Text(text))
		}}
	}
	return elem.TableRow(
		vecty.Markup(vecty.ClassMap{"top": index == 0, "pushed": r.Pushed}, attr("title", title), attr("tabindex", "0"),
			vecty.Data("entry", strconv.Itoa(index))),
		cell("pc", r.PC),
		&Part{Key: drawn, Draw: func() *vecty.HTML {
			return elem.TableData(vecty.Markup(vecty.Class("lanes"), vecty.UnsafeHTML(drawnMask(drawn))))
		}},
		cell("mask", maskHex(r.Mask)),
		&Part{Key: [2]string{mark, r.State}, Draw: func() *vecty.HTML {
			return elem.TableData(vecty.Markup(vecty.Class("state", mark)),
				elem.Italic(vecty.Markup(vecty.Class("lane-mark", mark))), vecty.Text(r.State))
		}},
		cell("rpc", r.RPC),
		&Part{Key: [2]string{pushed, r.Because}, Draw: func() *vecty.HTML {
			return elem.TableData(vecty.Markup(vecty.Class("because")), span("news-word", pushed), vecty.Text(r.Because))
		}},
	)
}

// maskLook is what a drawn mask shows: its lanes, those that are at its line, those of them that failed, and whether
// they run.
type maskLook struct {
	mask, here, failed emu.Mask
	runs               bool
}

// drawnMask draws a mask with lane 0 on the left, as the lane grid does. Lanes that run are full bars, those that are
// here and wait are ruled, those still to come are outlined; lanes outside the mask are dashes. It is written as HTML:
// one text is compared, and not five elements.
func drawnMask(l maskLook) string {
	here := "here"
	if l.runs {
		here = "runs"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 134 10" class="mask-bars" preserveAspectRatio="none" role="img" aria-label="%s">`,
		ptx.Plural(l.mask.Count(), "lane"))
	bar := map[bool]string{true: "h3v10h-3z", false: "h3v2h-3zm0 4h3v2h-3zm0 4h3v2h-3z"}[l.runs]
	for _, shape := range []struct {
		class, path string
		lanes       emu.Mask
	}{
		{here, bar, l.mask & l.here &^ l.failed},
		{"failed", bar, l.failed},
		{"later", "m.4 .4h2.2v9.2h-2.2z", l.mask &^ l.here},
		{"off", "m0 8h3v1.5h-3z", ^l.mask},
	} {
		b.WriteString(`<path class="` + shape.class + `" d="`)
		for lane := range 32 {
			if shape.lanes.Has(lane) {
				b.WriteString("M" + strconv.Itoa(lane*4+lane/8*2) + " 0" + shape.path)
			}
		}
		b.WriteString(`"/>`)
	}
	b.WriteString("</svg>")
	return b.String()
}
