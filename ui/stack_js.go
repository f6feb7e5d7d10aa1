package ui

import (
	"fmt"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
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
	news := stackNews(m)
	model, note := m.model(), stackNote(m)
	return titledRegion(stackName, model.Title, "panel-stack", words("muted", model.Order),
		reads(true),
		elem.Table(
			vecty.Markup(attr("role", "table"), aria("label", model.Table)),
			&Part{Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(headCell("line"), headCell("lanes 0 … 31"), headCell("mask"),
					headCell("state"), headCell("meets at"), headCell("because of")))
			}},
			&Written{ID: "stack-entries", Tag: elem.TableBody, HTML: stackHTML(stackRows(m), m.grouped())},
		),
		&Part{Key: note, Draw: func() *vecty.HTML {
			return elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note))
		}},
		&Part{Key: fmt.Sprint(news), Draw: func() *vecty.HTML { return stackNewsList(news) }},
	)
}

// stackNewsList says what the last step changed.
func stackNewsList(news []stackChangeRow) *vecty.HTML {
	list := make(vecty.List, len(news))
	for i, n := range news {
		class := map[bool]string{true: "push", false: "pop"}[n.Push]
		list[i] = elem.ListItem(vecty.Markup(vecty.Class(class)), vecty.Text(n.Text))
	}
	return elem.UnorderedList(vecty.Markup(vecty.Class("news"), vecty.ClassMap{"empty": len(news) == 0}), list)
}
