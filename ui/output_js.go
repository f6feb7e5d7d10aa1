package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/launch"
	"warpscope/ptx"
)

// Output shows what the kernel printed and which expectations of the header hold.
type Output struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (o *Output) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Output)
	return ok && p.Model.View.Version == o.Model.View.Version
}

// Render implements vecty.Component.
func (o *Output) Render() vecty.ComponentOrHTML {
	v := o.Model.View
	passed, total := expectations(v)
	drawn, more := drawnExpectations(v)
	items := make(vecty.List, len(drawn))
	for i := range drawn {
		items[i] = o.expectation(&drawn[i])
	}
	summary := ""
	if total > 0 {
		summary = count(int64(passed)) + " of " + ptx.Plural(total, "expectation") + " met"
	}
	text, note := v.Output, ""
	if len(text) > maxOutput {
		text = "…\n" + text[len(text)-maxOutput:]
	}
	switch {
	case text == "" && total == 0 && o.Model.Spec != nil && len(o.Model.Spec.Expects) > 0:
		note = ptx.Plural(len(o.Model.Spec.Expects), "expectation") + " will be checked when the run ends."
	case text == "" && total == 0:
		note = "Nothing printed."
	}
	return region("Output", "panel-output",
		elem.Span(vecty.Markup(vecty.Class("verdict"),
			vecty.ClassMap{"pass": total > 0 && passed == total, "fail": passed < total}),
			vecty.Text(summary)),
		reads(total == 0),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(note)),
		elem.Preformatted(vecty.Markup(vecty.ClassMap{"empty": text == ""}), vecty.Text(text)),
		elem.UnorderedList(vecty.Markup(vecty.Class("expectations"), vecty.ClassMap{"empty": total == 0}), items),
		elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(more)),
	)
}

func (o *Output) expectation(e *launch.Expectation) *vecty.HTML {
	word, class := "pass", "pass"
	got := ""
	if !e.Pass {
		word, class, got = "fail", "fail", gotWords(&o.Model.View, e)
	}
	return elem.ListItem(vecty.Markup(vecty.Class("expectation", class), vecty.Data("pass", boolWord(e.Pass))),
		elem.Button(vecty.Markup(prop.Type(prop.TypeButton), onClick(func() { o.Send(RevealLine{e.Line}) })),
			span("verdict-mark", word), span("expected", e.Text), span("got", got)))
}

// maxOutput bounds the characters that are shown.
const maxOutput = 64 << 10
