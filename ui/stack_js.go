package ui

import (
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/ptx"
)

// Stack shows the SIMT stack of the followed warp, or its groups of lanes, and what the last step changed there.
type Stack struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`

	shown               stackKey
	entries, note, news livePart
}

// stackKey is what the stack depends on. An edit moves the lines that it names.
type stackKey struct {
	version uint64
	typed   *ptx.Module
	blank   bool
}

// SkipRender implements vecty.RenderSkipper. The entries are drawn live.
func (s *Stack) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Stack)
	return ok && p.Model.model() == s.Model.model()
}

// Mount implements vecty.Mounter.
func (s *Stack) Mount() {
	s.entries, s.note, s.news = liveElement("stack-entries"), liveElement("stack-note"), liveElement("stack-news")
	drawsLive(stackPanel, s.draw)
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
	model := s.Model.model()
	return titledRegion(stackName, model.Title, "panel-stack", words("muted", model.Order),
		reads(true),
		elem.Table(
			vecty.Markup(attr("role", "table"), aria("label", model.Table)),
			&Part{Draw: func() *vecty.HTML {
				return elem.TableHead(elem.TableRow(headCell("line"), headCell("lanes 0 … 31"), headCell("mask"),
					headCell("state"), headCell("meets at"), headCell("because of")))
			}},
			&Part{Draw: func() *vecty.HTML { return elem.TableBody(vecty.Markup(prop.ID("stack-entries"))) }},
		),
		&Part{Draw: func() *vecty.HTML {
			return elem.Paragraph(vecty.Markup(prop.ID("stack-note"), vecty.Class("empty-note")))
		}},
		&Part{Draw: func() *vecty.HTML {
			return elem.UnorderedList(vecty.Markup(prop.ID("stack-news"), vecty.Class("news")))
		}},
	)
}

// draw shows the entries, and what the last step changed.
func (s *Stack) draw(m *Model) {
	s.Model = m
	key := stackKey{m.View.Version, m.Typed, m.blank()}
	if key == s.shown {
		return
	}
	s.shown = key
	s.entries.write(stackHTML(stackRows(m), m.grouped()))
	s.note.text(stackNote(m))
	s.news.write(stackNewsHTML(stackNews(m)))
}
