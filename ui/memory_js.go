package ui

import (
	"fmt"
	"slices"
	"strconv"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
	"warpscope/launch"
)

// Memory shows one region at a time: as values of its type, as bytes, or as a picture.
type Memory struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`

	fits           fitKey // whose cells these are
	letters, tight int    // of the widest: see fit
}

type memoryKey struct {
	version     uint64
	region, tab string
	page        int
	typ, words  string
	found       *memoryPlace
	base        *memoryBase
	width       int  // of the panel
	wide        bool // the screen is
}

func (c *Memory) key() memoryKey {
	m := c.Model
	return memoryKey{m.View.Version, m.Region, m.MemoryTab, m.Page, m.MemoryTypes[m.Region], m.MemoryWords, m.MemoryFound,
		m.MemoryBase, m.memoryWidth(), m.Room.W >= wideScreen}
}

// SkipRender implements vecty.RenderSkipper.
func (c *Memory) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Memory)
	if !ok {
		return false
	}
	was, is := p.key(), c.key()
	if was.version != is.version && sameMemory(p.Model, c.Model) {
		was.version = is.version
	}
	return was == is
}

// Mount implements vecty.Mounter.
func (c *Memory) Mount() {
	drawsLive("memory", func(m *Model) { c.Model = m }) // for those who ask for a cell
	panel := byID("panel-memory").Value
	panel.Call("addEventListener", "scroll", js.FuncOf(func(_ js.Value, args []js.Value) any {
		body := args[0].Get("target")
		body.Get("classList").Call("toggle", "aside", body.Get("scrollLeft").Float() > 0)
		return nil
	}), true) // it does not bubble
	askCell(panel, func() *Model { return c.Model }, c.Send,
		func(target js.Value) (cellRef, bool) {
			cell := closest(target, "[data-offset]")
			if !cell.Truthy() {
				return cellRef{}, false
			}
			offset, _ := strconv.Atoi(cell.GetAttribute("data-offset"))
			return memoryRef(c.Model, offset)
		})
}

// Render implements vecty.Component.
func (c *Memory) Render() vecty.ComponentOrHTML {
	r := c.Model.shownRegion()
	if r == nil {
		why := "No memory to show: nothing is loaded."
		if c.Model.View.State != nil {
			why = "No memory to show: the kernel has no buffers and no variables."
		}
		return region("Memory", "panel-memory", elem.Div(),
			elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(why)),
			elem.Div())
	}
	tab := c.Model.MemoryTab
	return region("Memory", "panel-memory", c.tools(r, tab),
		elem.Paragraph(vecty.Markup(vecty.Class("region-facts")), vecty.Text(regionFacts(r))),
		c.places(r, tab), c.content(r, tab),
	)
}

// places is how memory is read, where to go, and with what it is compared.
func (c *Memory) places(r *debug.Region, tab string) *Part {
	m := c.Model
	name, own, base := r.Name, m.region().Type, m.MemoryBase
	key := memoryPlacesKey{name, own, m.MemoryTypes[name], m.MemoryWords, tab, base}
	return &Part{Key: key, Draw: func() *vecty.HTML { return c.drawPlaces(key) }}
}

// memoryPlacesKey has everything that places depends on.
type memoryPlacesKey struct {
	region, own, as, words, tab string
	base                        *memoryBase
}

func (c *Memory) drawPlaces(key memoryPlacesKey) *vecty.HTML {
	types := []option{{"", key.own}}
	for _, typ := range memoryTypes {
		if typ != key.own {
			types = append(types, option{typ, typ})
		}
	}
	since, now := "", "this step on"
	sinces := []option{{"", "last step"}}
	if b := key.base; b != nil {
		since = "base"
		sinces = append(sinces, option{"base", "step " + count(b.Tick)})
	}
	sinces = append(sinces, option{"now", now})
	field := func(name, hint string, do func(string)) *vecty.HTML {
		return elem.Input(vecty.Markup(prop.Type(prop.TypeText), aria("label", name), prop.Placeholder(hint),
			attr("title", name), attr("spellcheck", "false"), attr("autocomplete", "off"),
			event.KeyDown(func(e *vecty.Event) {
				if press := keyboard(e.Value); press.Key() == "Enter" {
					press.PreventDefault()
					do(input(e.Target).Value())
				}
			})))
	}
	return elem.Div(vecty.Markup(vecty.Class("memory-places"), vecty.ClassMap{"empty": key.tab == MemoryImage}),
		elem.Div(
			elem.Label(span("", "Read as"), chooser("Read memory as", key.as, types,
				func(v string) { c.Send(SetMemoryType{v}) })),
			elem.Label(span("", "Changed since"), chooser("Changed since", since, sinces, func(v string) {
				if v != "base" {
					c.Send(CompareMemory{v == "now"})
				}
			}))),
		elem.Div(vecty.Markup(vecty.Class("memory-fields")),
			field("Address or element", "Go to 0x…, a[5], %reg", func(v string) { c.Send(GoToMemory{v}) }),
			field("Find a value", "Find a value", func(v string) { c.Send(FindMemory{v}) })),
		elem.Span(vecty.Markup(vecty.Class("memory-words"), aria("live", "polite")), vecty.Text(key.words)))
}

func (c *Memory) tools(r *debug.Region, tab string) *Part {
	options := make([]option, len(c.Model.View.Memory))
	for i, region := range c.Model.View.Memory {
		label := region.Name // the line below the head has its space
		if len(region.Changed) > 0 && c.Model.View.Last != nil {
			label += " •"
		}
		options[i] = option{region.Name, label}
	}
	key := fmt.Sprint(options, r.Name, tab, r.Image)
	return &Part{Key: key, Draw: func() *vecty.HTML { return c.drawTools(options, r.Name, tab, r.Image) }}
}

func (c *Memory) drawTools(options []option, name, tab string, image bool) *vecty.HTML {
	forms := []option{{MemoryTable, "Table"}, {MemoryHex, "Hex"}}
	if image {
		forms = append(forms, option{MemoryImage, "Image"})
	}
	var buttons vecty.List
	for _, f := range forms {
		buttons = append(buttons, elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), aria("pressed", boolWord(f.value == tab)),
				onClick(func() { c.Send(SetMemoryTab{f.value}) })),
			vecty.Text(f.label)))
	}
	var save vecty.List
	if tab == MemoryImage && !embedded() {
		save = vecty.List{elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"),
			aria("label", "Save "+name+" as a .png file"), attr("title", "Save "+name+" as a .png file"),
			onClick(func() { c.Send(SavePicture{name}) })), glyph(glyphSave))}
	}
	return elem.Div(
		elem.Label(span("", "Region"), chooser("Region", name, options, func(v string) { c.Send(SelectRegion{v}) })),
		elem.Div(vecty.Markup(vecty.Class("segmented"), attr("role", "group"), aria("label", "Show memory as")), buttons),
		save)
}

func (c *Memory) content(r *debug.Region, tab string) *vecty.HTML {
	if tab == MemoryImage && r.Image {
		return elem.Div(vecty.Markup(vecty.Class("picture")), &Picture{Region: r},
			elem.Paragraph(vecty.Markup(vecty.Class("empty-note")), vecty.Text(blank(r))))
	}
	rows, pages := memoryRows(r, c.Model.pageLayout(r), tab, c.Model.Page)
	markFault(c.Model, r, rows)
	markCells(c.Model, r, tab, rows)
	f := c.fit(r, tab, rows)
	rows, tight := widened(narrowed(rows, f), f)
	nameRows(rows, r, tab)
	page := min(c.Model.Page, pages-1)
	return elem.Div(vecty.Markup(vecty.Class("memory-"+tab), vecty.ClassMap{"tight": tight}, event.Click(c.click)),
		elem.Table(vecty.Markup(aria("label", "Contents of "+r.Name)), memoryHeads(rows, rowOf(r, tab), tab),
			&Written{ID: "memory-cells", Tag: elem.TableBody, Rows: memoryHTML(rows, tab)}),
		faultLine(beyond(c.Model, r)),
		c.pager(page, pages))
}

// fit keeps the room that the region's cells have once had in this launch: the rows become shorter at most.
func (c *Memory) fit(r *debug.Region, tab string, rows []memoryRow) fit {
	of := fitKey{c.Model.Spec, r.Name, r.Type, tab}
	width := c.Model.memoryWidth()
	if phone() { // which shows one panel at a time
		width = int(js.Global().Get("innerWidth").Float() / unit())
	}
	f := fitOf(r, tab, width)
	if c.fits == of {
		f.letters, f.tight = c.letters, c.tight
	}
	f.hold(rows)
	c.fits, c.letters, c.tight = of, f.letters, f.tight
	return f
}

// fitKey is what cells are compared within.
type fitKey struct {
	spec           *launch.Spec
	name, typ, tab string
}

// memoryHeads is the line over the cells. It is the same at each step.
func memoryHeads(rows []memoryRow, own int, tab string) *Part {
	columns := 0
	if len(rows) > 0 {
		columns = len(rows[0].Cells)
	}
	return &Part{Key: [2]any{tab, [2]int{columns, own}}, Draw: func() *vecty.HTML {
		cells := vecty.List{elem.TableData()}
		for _, head := range columnHeads(columns, own, tab) {
			cells = append(cells, headCell(head))
		}
		if tab == MemoryHex {
			cells = append(cells, elem.TableData())
		}
		return elem.TableHead(elem.TableRow(cells))
	}}
}

// click follows a pointer.
func (c *Memory) click(e *vecty.Event) {
	if to := closest(e.Target, "[data-pointer]"); to.Truthy() {
		c.Send(GoToMemory{to.GetAttribute("data-pointer")})
	}
}

// faultLine says what is after the end of a region.
func faultLine(words string) *vecty.HTML {
	return elem.Paragraph(vecty.Markup(vecty.Class("memory-fault"), vecty.ClassMap{"empty": words == ""}),
		vecty.Text(words))
}

func (c *Memory) pager(page, pages int) *vecty.HTML {
	turn := func(name string, to int) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), prop.Disabled(to < 0 || to >= pages),
			onClick(func() { c.Send(SetPage{to}) })), vecty.Text(name))
	}
	return elem.Div(vecty.Markup(vecty.Class("pager"), vecty.ClassMap{"empty": pages <= 1}),
		turn("Previous", page-1),
		span("muted", fmt.Sprintf("page %s of %s", count(int64(page+1)), count(int64(pages)))),
		turn("Next", page+1))
}

// Picture draws a buffer on a canvas.
type Picture struct {
	vecty.Core
	Region  *debug.Region `vecty:"prop"`
	mounted bool
}

// SkipRender implements vecty.RenderSkipper.
func (p *Picture) SkipRender(prev vecty.Component) bool {
	q, ok := prev.(*Picture)
	if !ok || p.Region.Name != q.Region.Name || p.Region.Type != q.Region.Type ||
		!slices.Equal(p.Region.Dims, q.Region.Dims) {
		return false
	}
	return sameBytes(p.Region.Bytes, q.Region.Bytes)
}

const pictureID = "memory-picture"

// Mount implements vecty.Mounter.
func (p *Picture) Mount() {
	p.mounted = true
	p.draw()
}

// Unmount implements vecty.Unmounter.
func (p *Picture) Unmount() { p.mounted = false }

func (p *Picture) draw() {
	if width, height, rgba := pixels(p.Region); rgba != nil {
		drawPicture(pictureID, width, height, rgba)
	}
}

// Render implements vecty.Component.
func (p *Picture) Render() vecty.ComponentOrHTML {
	if p.mounted {
		p.draw()
	}
	return elem.Canvas(vecty.Markup(prop.ID(pictureID), attr("role", "img"),
		aria("label", pictureWords(p.Region))))
}
