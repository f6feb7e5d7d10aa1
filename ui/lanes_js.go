package ui

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/ptx"
)

// Lanes is the lane grid with the choice of warp and registers above it.
type Lanes struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper. The grid draws itself.
func (l *Lanes) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Lanes)
	return ok && p.notes() == l.notes() && p.tools().key() == l.tools().key()
}

// laneNotes are the words above the grid, and in its place.
type laneNotes struct {
	undefined, ended, absence string
	last, warp                int // that can be followed to registers
	isLast                    bool
}

func (l *Lanes) notes() laneNotes {
	last, ok := lastCTA(l.Model)
	return laneNotes{undefinedWords(l.Model), endedNote(l.Model), absence(l.Model), last, l.Model.View.Warp, ok}
}

func (l *Lanes) tools() *LaneTools { return &LaneTools{Model: l.Model, Send: l.Send} }

// Render implements vecty.Component.
func (l *Lanes) Render() vecty.ComponentOrHTML {
	return region("Lane grid", "panel-lanes", l.tools(),
		undefinedNote(l.Model), endedLine(l.Model),
		&LaneCells{Send: l.Send}, l.absence())
}

// absence says why no lanes are there.
func (l *Lanes) absence() *Part {
	n := l.notes()
	n.undefined, n.ended = "", "" // they have elements of their own
	return &Part{Key: n, Draw: func() *vecty.HTML {
		return elem.Paragraph(vecty.Markup(vecty.Class("empty-note", "absence")), vecty.Text(n.absence), l.seeLast(n))
	}}
}

// undefinedNote says in words what the dotted cells mean.
func undefinedNote(m *Model) vecty.ComponentOrHTML {
	words := undefinedWords(m)
	if words == "" {
		return nil
	}
	return elem.Paragraph(vecty.Markup(vecty.Class("undefined-note"), attr("role", "note")), vecty.Text(words))
}

// seeLast is a button that shows registers which still exist.
func (l *Lanes) seeLast(n laneNotes) vecty.List {
	if !n.isLast {
		return nil
	}
	return vecty.List{vecty.Text(" "), elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
		onClick(func() { l.Send(Follow{n.last, n.warp}) })), vecty.Text("See CTA "+count(int64(n.last))+", the last"))}
}

// LaneTools chooses the warp, the registers and how they are shown.
type LaneTools struct {
	vecty.Core
	Model *Model   `vecty:"prop"`
	Send  Send     `vecty:"prop"`
	tiles []string // as they are drawn: the module that they come from may have been edited since
}

type laneToolsKey struct {
	cta, ctas, warp, warps int
	bits                   Bits
	filter, tile           string
	regs                   int
	code                   laneCode
}

// laneCode is where registers come from. After an edit it is another one, mostly with the same registers.
type laneCode struct {
	function *ptx.Func
	module   *ptx.Module
}

func (l *LaneTools) key() laneToolsKey {
	m, v := l.Model, &l.Model.View
	key := laneToolsKey{cta: v.CTA, ctas: v.CTAs, warp: v.Warp, warps: v.WarpsPerCTA, bits: m.Bits, filter: m.Filter,
		tile: m.Tile, code: laneCode{module: m.Module}}
	if v.State != nil {
		key.regs, key.code.function = len(v.State.Regs), v.State.Func
	}
	return key
}

// SkipRender implements vecty.RenderSkipper.
func (l *LaneTools) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*LaneTools)
	if !ok {
		return false
	}
	was, is := p.key(), l.key()
	sameCode := was.code == is.code
	was.code = is.code
	return was == is && (sameCode || slices.Equal(p.tiles, tileNames(l.Model)))
}

// Render implements vecty.Component.
func (l *LaneTools) Render() vecty.ComponentOrHTML {
	m := l.Model
	return elem.Div(
		legend(), l.ctaChooser(), l.warpChooser(),
		elem.Label(vecty.Markup(vecty.Class("tile-choice")), span("", "Register"), l.tileChooser()),
		elem.Label(span("", "Bits as"), chooser("Bits as", string(m.Bits), readingOptions(),
			func(v string) { l.Send(SetBits{Bits(v)}) })),
		elem.Input(vecty.Markup(prop.Type(prop.TypeSearch), vecty.Class("filter"), aria("label", "Filter registers"),
			prop.Placeholder("Find register"), prop.Value(m.Filter), attr("spellcheck", "false"),
			onInput(func(v string) { l.Send(SetFilter{v}) }))),
	)
}

// ctaChooser is a number field: grids have up to billions of CTAs.
func (l *LaneTools) ctaChooser() *vecty.HTML {
	v := l.Model.View
	return elem.Label(vecty.Markup(vecty.Class("cta"), vecty.ClassMap{"only": v.CTAs <= 1}), span("", "CTA"),
		elem.Input(vecty.Markup(prop.Type(prop.TypeNumber), vecty.Class("number"), aria("label", "CTA"),
			vecty.Style("--digits", strconv.Itoa(len(strconv.Itoa(v.CTAs)))),
			attr("min", "0"), attr("max", strconv.Itoa(max(v.CTAs-1, 0))), prop.Value(strconv.Itoa(v.CTA)),
			prop.Disabled(v.CTAs <= 1),
			event.Change(func(e *vecty.Event) {
				field := input(e.Target)
				if cta, err := strconv.Atoi(field.Value()); err == nil {
					cta = min(max(cta, 0), max(v.CTAs-1, 0))
					field.SetValue(strconv.Itoa(cta)) // the model may be the same as before
					l.Send(Follow{cta, v.Warp})
				}
			}))),
		span("muted", "of "+count(int64(max(v.CTAs, 1)))))
}

func (l *LaneTools) warpChooser() *vecty.HTML {
	v := l.Model.View
	warps := max(v.WarpsPerCTA, 1)
	options := make([]option, warps)
	for i := range options {
		options[i] = option{strconv.Itoa(i), fmt.Sprintf("%d of %d", i, warps)}
	}
	return elem.Label(span("", "Warp"), chooser("Warp", strconv.Itoa(v.Warp), options, func(value string) {
		if warp, err := strconv.Atoi(value); err == nil {
			l.Send(Follow{v.CTA, warp})
		}
	}))
}

// maxTiles bounds the registers that the phone layout offers; the others can be reached by the filter.
const maxTiles = 256

func tileNames(m *Model) (names []string) {
	g := laneGrid(m)
	for i := range g.Rows[:min(len(g.Rows), maxTiles)] {
		names = append(names, g.Rows[i].Reg)
	}
	return names
}

func (l *LaneTools) tileChooser() *vecty.HTML {
	l.tiles = tileNames(l.Model)
	options, chosen := []option{{"", "follow the steps"}}, ""
	for _, name := range l.tiles {
		options = append(options, option{name, name})
		if name == l.Model.Tile {
			chosen = name
		}
	}
	return chooser("Register", chosen, options, func(v string) { l.Send(SelectTile{v}) })
}

// legend names the shapes of the lane states.
func legend() *vecty.HTML {
	var items vecty.List
	for _, s := range []LaneState{LaneActive, LaneWaiting, LaneAtBarrier, LaneGuarded, LaneExited} {
		items = append(items, elem.Span(elem.Italic(vecty.Markup(vecty.Class("lane-mark", s.String()))),
			vecty.Text(s.legend())))
	}
	return elem.Div(vecty.Markup(vecty.Class("legend"), aria("hidden", "true")), items)
}

// LaneCells is the grid itself. It draws its own cells (see cellPainter): through the virtual DOM, 32 × 64 changing
// cells would not be redrawn within a frame.
type LaneCells struct {
	vecty.Core
	Send Send `vecty:"prop"`
}

// cellPainter draws a lane grid into the element that it was made for. It is a function and not an interface: for the
// element types in the painter's fields, an interface would keep methods that nothing calls.
type cellPainter func(m *Model)

const laneBoardID = "lane-board"

// Mount implements vecty.Mounter.
func (c *LaneCells) Mount() {
	paint := newCellPainter(laneBoardID, c.Send)
	var shown *laneKey
	drawsLive("lanes", func(m *Model) {
		if key := laneKeyOf(m); shown == nil || *shown != key {
			shown = &key
			paint(m)
		}
	})
}

// SkipRender implements vecty.RenderSkipper.
func (c *LaneCells) SkipRender(vecty.Component) bool { return true }

// Render implements vecty.Component. The element has no children that Vecty knows of.
func (c *LaneCells) Render() vecty.ComponentOrHTML {
	return elem.Div(vecty.Markup(prop.ID(laneBoardID), vecty.Class("lane-board")))
}

// readingOptions are all ways to read bits.
func readingOptions() (list []option) {
	for _, as := range readings {
		list = append(list, option{string(as), string(as)})
	}
	return list
}
