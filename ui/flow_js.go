package ui

import (
	"fmt"
	"strconv"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
)

// Flow shows the control-flow graph of the function that the followed warp is in.
type Flow struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`

	plan   *flowPlan
	code   bool
	zoom   float64 // 0: as wide as the panel
	at     int     // the block that a key chose; it is the one that Tab comes to
	chosen bool
	seen   int // the block in which lanes ran when the graph was drawn last
}

// SkipRender implements vecty.RenderSkipper.
func (f *Flow) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Flow)
	return ok && p.Model.Flow == f.Model.Flow && flowNote(p.Model) == flowNote(f.Model) && p.code == f.code &&
		p.zoom == f.zoom && p.at == f.at
}

const flowScroll = "flow-scroll"

// Render implements vecty.Component.
func (f *Flow) Render() vecty.ComponentOrHTML {
	g := f.Model.Flow
	if g == nil {
		note := flowNote(f.Model)
		return region("Control flow", "panel-flow", elem.Div(), elem.Paragraph(
			vecty.Markup(vecty.Class("empty-note"), vecty.ClassMap{"empty": note == ""}), vecty.Text(note)))
	}
	if f.plan == nil || f.plan.shape != g.Shape || f.plan.code != f.code {
		if f.plan != nil && f.plan.shape != g.Shape {
			f.at, f.chosen = 0, false
		}
		f.plan = planFlow(g.Shape, f.code)
	}
	running := flowRunning(g)
	if running >= 0 && running != f.seen {
		f.seen = running
		f.follow(running)
	}
	if !f.chosen {
		f.at = max(running, 0)
	}
	return region("Control flow", "panel-flow", f.tools(g),
		elem.Div(vecty.Markup(prop.ID(flowScroll), vecty.Class(flowScroll), attr("tabindex", "-1")), f.picture(g)))
}

// tools are the controls in the panel's head.
func (f *Flow) tools(g *debug.Flow) *vecty.HTML {
	button := func(name, title, text string, do func()) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("label", name), attr("title", title),
			onClick(func() {
				do()
				vecty.Rerender(f)
			})), vecty.Text(text))
	}
	return elem.Div(
		elem.Span(vecty.Markup(vecty.Class("muted"),
			attr("title", "Numbers are lanes of all warps so far; dotted: not yet taken")),
			vecty.Text(g.Func)),
		elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("pressed", boolWord(f.code)),
			attr("title", "Show the instructions of each block"), onClick(func() {
				f.code = !f.code
				f.seen = -1
				vecty.Rerender(f)
			})), vecty.Text("Code")),
		button("Zoom out", "Smaller", "−", func() { f.zoom = max(.25, f.scale()/1.25) }),
		button("Fit", "As wide as the panel", "Fit", func() { f.zoom = 0 }),
		button("Zoom in", "Larger", "+", func() { f.zoom = min(3, f.scale()*1.25) }))
}

// scale is how large the picture is drawn now.
func (f *Flow) scale() float64 {
	if f.zoom != 0 {
		return f.zoom
	}
	if picture := byID(flowScroll).Get("firstElementChild"); picture.Truthy() {
		return picture.Get("clientWidth").Float() / (f.plan.layout.W + 2*flowMargin)
	}
	return 1
}

func svgTag(name string, markup ...vecty.MarkupOrChild) *vecty.HTML {
	return vecty.Tag(name, append([]vecty.MarkupOrChild{vecty.Markup(vecty.Namespace("http://www.w3.org/2000/svg"))},
		markup...)...)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// picture is the graph.
func (f *Flow) picture(g *debug.Flow) *vecty.HTML {
	p := f.plan
	w, h := p.layout.W+2*flowMargin, p.layout.H+2*flowMargin
	width, least, most := "100%", fmt.Sprintf("%.0fpx", .6*w), fmt.Sprintf("%.0fpx", w)
	if f.zoom != 0 {
		width = fmt.Sprintf("%.0fpx", w*f.zoom)
		least, most = width, width
	}
	var arrows, labels, boxes, codes vecty.List
	for _, a := range flowArrows(g, p) {
		arrows = append(arrows, &Part{Key: a, Draw: func() *vecty.HTML { return drawnArrow(a) }})
		labels = append(labels, &Part{Key: a, Draw: func() *vecty.HTML {
			return svgTag("text", vecty.Markup(attr("class", "lanes"), attr("x", number(a.LX)), attr("y", number(a.LY))),
				vecty.Text(a.Label))
		}})
	}
	for _, b := range flowBoxes(g, p) {
		key := struct {
			flowBox
			stop bool
		}{b, b.block == f.at}
		boxes = append(boxes, &Part{Key: key, Draw: func() *vecty.HTML { return f.box(b, key.stop) }})
		codes = append(codes, &Part{Key: b, Draw: func() *vecty.HTML { return boxCode(b) }})
	}
	group := func(list vecty.List, hidden bool) *vecty.HTML {
		return svgTag("g", vecty.Markup(vecty.MarkupIf(hidden, aria("hidden", "true"))), list)
	}
	return svgTag("svg",
		vecty.Markup(attr("class", "flow"), vecty.Style("width", width), vecty.Style("min-width", least),
			vecty.Style("max-width", most), attr("role", "group"),
			aria("label", "Blocks of "+g.Func+"; arrow keys go along the edges"),
			attr("viewBox", fmt.Sprintf("%d %d %.1f %.1f", -flowMargin, -flowMargin, w, h)),
			event.KeyDown(f.key)),
		group(arrows, true), group(boxes, false), group(codes, false), group(labels, true))
}

func drawnArrow(a flowArrow) *vecty.HTML {
	class := "edge"
	if a.Cold {
		class = "edge cold"
	}
	return svgTag("g", vecty.Markup(attr("class", class)),
		svgTag("path", vecty.Markup(attr("d", a.D), attr("stroke-width", number(a.Width)))),
		svgTag("path", vecty.Markup(attr("class", "tip"), attr("d", a.Head))))
}

func svgText(class string, x, y float64, text string) *vecty.HTML {
	return svgTag("text", vecty.Markup(attr("class", class), attr("x", number(x)), attr("y", number(y))), vecty.Text(text))
}

// boxCode is the instructions in a block. They are beside the button: its name is not that long.
func boxCode(b flowBox) *vecty.HTML {
	var lines vecty.List
	if b.code {
		y := b.Y + flowTitle + 10
		if b.State != "" {
			y += flowState
		}
		for i, line := range flowCode(&b.shape.Blocks[b.block]) {
			lines = append(lines, svgText("code", b.X+12, y+flowLine*float64(i), line))
		}
	}
	return svgTag("g", lines)
}

// box is a block: a button that shows its line in the editor.
func (f *Flow) box(b flowBox, stop bool) *vecty.HTML {
	tabindex := "-1"
	if stop {
		tabindex = "0"
	}
	parts := vecty.List{
		svgTag("rect", vecty.Markup(attr("class", "box"), attr("x", number(b.X)), attr("y", number(b.Y)),
			attr("width", number(b.W)), attr("height", number(b.H)), attr("rx", "5"))),
		svgTag("rect", vecty.Markup(attr("class", fmt.Sprintf("stripe ptx-stripe-%d",
			(b.shape.Colour+b.block)%stripeColours)),
			attr("x", number(b.X)), attr("y", number(b.Y)), attr("width", "4"), attr("height", number(b.H)), attr("rx", "2"))),
		svgText("head", b.X+b.W/2+2, b.Y+15, b.Head),
		svgText("state", b.X+b.W/2+2, b.Y+28, b.State),
	}
	return svgTag("g", vecty.Markup(attr("class", "block "+b.Look), attr("role", "button"), attr("tabindex", tabindex),
		aria("label", b.Words), vecty.Data("block", strconv.Itoa(b.block)),
		onClick(func() { f.choose(b.block, b.Line) })),
		parts)
}

func (f *Flow) choose(block, line int) {
	f.at, f.chosen = block, true
	if line > 0 {
		f.Send(RevealLine{line})
	}
	vecty.Rerender(f)
}

// key handles the keys of the graph.
func (f *Flow) key(e *vecty.Event) {
	press := keyboard(e.Value)
	block := closest(press.Get("target"), "[data-block]")
	if !block.Truthy() || press.AltKey() || press.CtrlKey() || press.MetaKey() {
		return
	}
	at, err := strconv.Atoi(block.Get("dataset").Get("block").String())
	g := f.Model.Flow
	if err != nil || g == nil || at >= len(g.Blocks) {
		return
	}
	switch key := press.Key(); key {
	case "Enter", " ":
		press.PreventDefault()
		f.choose(at, g.Blocks[at].First)
	case "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End":
		press.PreventDefault()
		f.at, f.chosen = flowMove(g, f.plan, at, key), true
		vecty.Rerender(f)
		to := f.at
		afterDrawing(func() { focusBlock(to) })
	}
}

// focusBlock gives a block the focus, in the next frame: until then the graph is the old one.
func focusBlock(block int) {
	newBrowser().Frame(func() {
		if at := blockElement(block); at.Truthy() {
			at.Call("focus")
		}
	})
}

func blockElement(block int) js.Value {
	scroll := byID(flowScroll).Value
	if !scroll.Truthy() {
		return js.Null()
	}
	return scroll.Call("querySelector", fmt.Sprintf("[data-block='%d']", block))
}

// follow scrolls the block in which lanes run into view.
func (f *Flow) follow(block int) {
	newBrowser().Frame(func() {
		at, scroll := blockElement(block), byID(flowScroll)
		if !at.Truthy() {
			return
		}
		box, room := at.Call("getBoundingClientRect"), scroll.Call("getBoundingClientRect")
		for _, side := range [][3]string{{"top", "bottom", "scrollTop"}, {"left", "right", "scrollLeft"}} {
			before := box.Get(side[0]).Float() - room.Get(side[0]).Float() - 8
			after := box.Get(side[1]).Float() - room.Get(side[1]).Float() + 8
			if by := min(before, 0) + max(after, 0); by != 0 {
				scroll.Set(side[2], scroll.Get(side[2]).Float()+by)
			}
		}
	})
}
