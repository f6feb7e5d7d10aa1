package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/ptx"
)

// modelsDialog is the dialog in which the program runs under all models of divergence, in step; p is nil while it is
// closed.
func modelsDialog(p *ModelsPicture, send Send) *Dialog {
	return &Dialog{ID: "models", Title: "Models", Open: p != nil, Shows: p, Close: func() { send(ShowModels{false}) },
		Content: func() vecty.List { return allModels(p, send) }}
}

func allModels(p *ModelsPicture, send Send) vecty.List {
	if p.Problem != "" {
		return vecty.List{elem.Paragraph(vecty.Text("Nothing can run: " + p.Problem))}
	}
	button := func(name string, off bool, action Action) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), prop.Disabled(off),
			onClick(func() { send(action) })), vecty.Text(name))
	}
	var sides vecty.List
	for i := range p.Sides {
		sides = append(sides, drawnSide(&p.Sides[i]))
	}
	return vecty.List{
		elem.Paragraph(vecty.Markup(vecty.Class("muted")), vecty.Text("The same launch under each model of divergence. "+
			"A step is taken by the model that has executed the fewest lane instructions, so all models stay together.")),
		elem.Div(vecty.Markup(vecty.Class("model-buttons"), attr("role", "group"), aria("label", "Run the models")),
			button("Step all", p.Running || p.Done, StepModels{}),
			button("To the first difference", p.Running || p.Done || p.Parted, PartModels{}),
			button("Run all", p.Running || p.Done, RunModels{}),
			button("Start again", p.Running || !p.Started, ResetModels{})),
		elem.Paragraph(vecty.Markup(attr("role", "status"), vecty.Class("model-words")), vecty.Text(p.Words)),
		elem.Div(vecty.Markup(vecty.Class("model-sides")), sides),
	}
}

// drawnSide is the run under one model.
func drawnSide(s *modelSide) *vecty.HTML {
	var groups vecty.List
	for _, g := range s.Groups {
		one := map[bool]string{true: "s"}[g.Mask.Count() == 1]
		class, does := "wait", "wait"+one
		if g.Runs {
			class, does = "run", "run"+one+" next"
		}
		groups = append(groups, elem.ListItem(vecty.Markup(vecty.Class(class)),
			elem.Strong(vecty.Text(g.Line)), elem.Code(vecty.Text(g.Text)),
			elem.Div(vecty.Markup(vecty.Class("drawn"), vecty.UnsafeHTML(drawnMask(maskLook{g.Mask, g.Mask, 0, g.Runs})))),
			span("does", ptx.Plural(g.Mask.Count(), "lane")+" "+does)))
	}
	fact := func(name, value string) *vecty.HTML {
		return elem.Div(vecty.Tag("dt", vecty.Text(name)), vecty.Tag("dd", vecty.Text(value)))
	}
	return elem.Section(vecty.Markup(vecty.Class("model-side"), vecty.ClassMap{"parts": s.Parts},
		attr("role", "region"), aria("label", "Model "+s.Label)),
		elem.Heading3(vecty.Text(s.Label)),
		elem.UnorderedList(groups),
		elem.DescriptionList(fact("Warp instructions", s.Warps), fact("Lane instructions", s.Lanes),
			fact("Divergent branches", s.Splits)),
		elem.Paragraph(vecty.Markup(vecty.Class("outcome"), vecty.ClassMap{"bad": s.Bad, "empty": s.Outcome == ""}),
			vecty.Text(s.Outcome)))
}
