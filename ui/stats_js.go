package ui

import (
	"fmt"
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Statistics shows the counters of the run and where its instructions went.
type Statistics struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (s *Statistics) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Statistics)
	return ok && p.Model.View.Version == s.Model.View.Version
}

// Render implements vecty.Component.
func (s *Statistics) Render() vecty.ComponentOrHTML {
	var list vecty.List
	for _, f := range append(fidelity(&s.Model.View), facts(s.Model.View.Stats)...) {
		list = append(list, &Part{Key: f, Draw: func() *vecty.HTML {
			return elem.Div(vecty.Markup(attr("title", f.title)),
				vecty.Tag("dt", vecty.Text(f.name)), vecty.Tag("dd", vecty.Text(f.value)))
		}})
	}
	var hot vecty.List
	for _, h := range hotLines(s.Model) {
		hot = append(hot, elem.TableRow(
			elem.TableData(elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
				onClick(func() { s.Send(RevealLine{h.Line}) })), span("", strconv.Itoa(h.Line)))),
			elem.TableData(vecty.Markup(vecty.Class("code")), vecty.Text(h.Text)),
			elem.TableData(vecty.Markup(vecty.Class("times")), vecty.Text(count(h.Count)+"×"),
				elem.Italic(vecty.Markup(vecty.Class("bar"), vecty.Style("--share", fmt.Sprintf("%.1f%%", h.Percent))))),
		))
	}
	return region("Statistics", "panel-statistics", elem.Div(),
		reads(len(hot) == 0),
		elem.DescriptionList(list),
		elem.Table(vecty.Markup(vecty.Class("hot"), aria("label", "Lines executed most"),
			vecty.ClassMap{"empty": len(hot) == 0}),
			elem.TableBody(hot)))
}
