package ui

import (
	"math"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"

	"warpscope/debug"
)

// Divergence is the picture of a span of the run.
type Divergence struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`

	drawn   chartDrawn
	width   int // of its frame: to ask the browser costs a layout
	height  int
	pressed bool  // a button is down in the picture
	from    int64 // where it was pressed
	at      float64
	moved   bool

	shown                         *chartKey
	area                          livePart
	future, selected, cursor, now livePart
	words, span                   livePart
}

// chartFacts are what the panel has besides what is drawn live.
type chartFacts struct {
	absent, empty bool // the picture, all
	tools         chartTools
	legend        legendKey
	shown         bool
}

func (d *Divergence) facts() chartFacts {
	m := d.Model
	return chartFacts{m.View.End == 0 || m.Chart == nil, m.View.End == 0, d.chartTools(),
		legendKey{m.Chart, m.Sources, m.sourceFile(), m.bySource()}, m.inView(chartPanel)}
}

// The place of the picture in its frame, in CSS pixels; chart.css has the same.
const (
	chartFrameID = "chart-frame"
	chartAreaID  = "chart-area"
	chartID      = "chart"

	chartLeft, chartRight, chartTop = 54, 10, 6
	chartGap, chartBars, chartFoot  = 5, 20, 15
	chartRowMost                    = 10 // of a warp
	chartLetter                     = 6.65
)

// chartDrawn is what the pixels of the picture depend on.
type chartDrawn struct {
	chart         *debug.Chart
	span          [2]int64
	lines, dark   bool
	width, height int
	ratio         float64
}

// SkipRender implements vecty.RenderSkipper. A panel that is not seen is not drawn.
func (d *Divergence) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Divergence)
	if !ok {
		return false
	}
	was, is := p.facts(), d.facts()
	return was == is || !was.shown && !is.shown
}

// Mount implements vecty.Mounter.
func (d *Divergence) Mount() {
	frame, area := byID(chartFrameID).Value, byID(chartAreaID).Value
	d.area.take(area)
	for selector, part := range map[string]*livePart{".chart-future": &d.future, ".chart-selected": &d.selected,
		".chart-cursor": &d.cursor, ".chart-now": &d.now} {
		part.take(area.Call("querySelector", selector))
	}
	d.words, d.span = liveElement("chart-at"), liveElement("chart-span")
	drawsLive(chartPanel, d.show)
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		d.width, d.height = frame.Get("clientWidth").Int(), frame.Get("clientHeight").Int()
		d.draw()
		return nil
	})).Call("observe", frame)
	for event, do := range map[string]func(js.Value){"pointerdown": d.press, "pointermove": d.drag, "pointerup": d.release,
		"pointercancel": d.cancel, "pointerleave": func(js.Value) { d.hint("") }, "keydown": d.key} {
		listenTo(area, event, do)
	}
	area.Call("addEventListener", "wheel", js.FuncOf(func(_ js.Value, args []js.Value) any {
		d.wheel(args[0])
		return nil
	}), map[string]any{"passive": false})
}

// Render implements vecty.Component.
func (d *Divergence) Render() vecty.ComponentOrHTML {
	facts := d.facts()
	return region("Divergence", "panel-divergence", d.tools(facts.tools),
		elem.Div(vecty.Markup(prop.ID(chartFrameID), vecty.Class("chart-frame"),
			vecty.ClassMap{"empty": facts.absent}),
			&Part{Draw: func() *vecty.HTML { return elem.Canvas(vecty.Markup(prop.ID(chartID), aria("hidden", "true"))) }},
			&Part{Draw: chartArea}),
		d.legend(facts.legend),
		elem.Paragraph(vecty.Markup(vecty.Class("chart-words"), vecty.ClassMap{"empty": facts.empty}),
			&Part{Draw: func() *vecty.HTML {
				return elem.Span(vecty.Markup(vecty.Class("chart-hint"), aria("hidden", "true")))
			}},
			liveSpan("chart-at"), liveSpan("chart-span")),
		&Part{Key: facts.empty, Draw: func() *vecty.HTML {
			return elem.Paragraph(vecty.Markup(vecty.Class("empty-note"), vecty.ClassMap{"empty": !facts.empty}),
				vecty.Text("Step or run: where the lanes are is drawn here, with time to the right."))
		}})
}

// chartArea is what lies over the picture.
func chartArea() *vecty.HTML {
	mark := func(class string) *vecty.HTML { return elem.Div(vecty.Markup(vecty.Class(class))) }
	return elem.Div(vecty.Markup(prop.ID(chartAreaID), vecty.Class("chart-area"), attr("role", "slider"),
		attr("tabindex", "0"), aria("label", "Step in the picture"),
		attr("title", "Click to travel, drag to select a span, wheel to zoom")),
		mark("chart-future"), mark("chart-selected"), mark("chart-cursor"), mark("chart-now"))
}

// show draws the picture and what lies over it, and says what is there.
func (d *Divergence) show(m *Model) {
	d.Model = m
	key := chartKeyOf(m)
	if d.shown != nil && (*d.shown == key || !d.shown.shown && !key.shown) {
		return
	}
	d.shown = &key
	d.draw()
	v, tick, at := &m.ChartView, m.View.Tick, chartWords(m)
	from, to := v.span(m.View.End)
	d.area.attribute("aria-valuemin", strconv.FormatInt(from, 10))
	d.area.attribute("aria-valuemax", strconv.FormatInt(max(to-1, from), 10))
	d.area.attribute("aria-valuenow", strconv.FormatInt(v.cursor(m), 10))
	d.area.attribute("aria-valuetext", at)
	d.future.band(from, to, max(tick, from), to)
	d.selected.band(from, to, v.Begin, v.Until)
	d.cursor.line(from, to, v.cursor(m), v.Pointed)
	d.now.line(from, to, tick, true)
	d.words.text(at)
	d.span.text(spanWords(m))
}

// legend names the colours where the picture itself has no room for names. It looks at all of the picture.
func (d *Divergence) legend(key legendKey) *Part {
	m := d.Model
	return &Part{Key: key, Draw: func() *vecty.HTML {
		var list vecty.List
		for _, l := range chartLegend(m) {
			list = append(list, elem.Span(elem.Italic(vecty.Markup(vecty.Class("ptx-stripe-"+strconv.Itoa(l.Colour)))),
				vecty.Text(l.Name)))
		}
		return elem.Paragraph(vecty.Markup(vecty.Class("chart-legend"), vecty.ClassMap{"empty": len(list) == 0},
			aria("hidden", "true")), list)
	}}
}

type legendKey struct {
	chart    *debug.Chart
	sources  *sources
	file     int
	bySource bool
}

// band places a part of the picture's time.
func (d *livePart) band(from, to, begin, until int64) {
	left, right := chartPart(from, to, begin), chartPart(from, to, until)
	d.hide(right <= left)
	d.style("left", percent(left))
	d.style("width", percent(max(right-left, 0)))
}

// line places a step of it.
func (d *livePart) line(from, to, at int64, shown bool) {
	d.hide(!shown || at < from || at > to)
	d.style("left", percent(chartPart(from, to, at)))
}

func chartPart(from, to, at int64) float64 {
	return min(max(float64(at-from)/float64(max(to-from, 1)), 0), 1)
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'f', 3, 64) + "%" }

// chartTools is what the buttons in the panel's head say and do.
type chartTools struct {
	whole, several, all, blocks, bySource, sources, empty bool
}

func (d *Divergence) chartTools() chartTools {
	m := d.Model
	v := &m.ChartView
	return chartTools{whole: v.To <= v.From, several: m.warps() > 1, all: m.allWarps(), blocks: v.Blocks,
		bySource: m.bySource(), sources: m.Sources != nil, empty: m.View.End < 2}
}

// tools are the buttons in the panel's head.
func (d *Divergence) tools(t chartTools) *Part {
	return &Part{Key: t, Draw: func() *vecty.HTML { return d.toolbar(t) }}
}

func (d *Divergence) toolbar(t chartTools) *vecty.HTML {
	button := func(name, title, text string, off bool, action Action) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("label", name), attr("title", title),
			prop.Disabled(off), onClick(func() { d.Send(action) })), vecty.Text(text))
	}
	toggle := func(text, title string, on, absent bool, action Action) *vecty.HTML {
		return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), aria("pressed", boolWord(on)), attr("title", title),
			vecty.ClassMap{"empty": absent}, onClick(func() { d.Send(action) })), vecty.Text(text))
	}
	return elem.Div(vecty.Markup(vecty.Class("chart-tools")),
		toggle("All warps", "A row for each warp, not for each lane", t.all && t.several, !t.several, ChartAll{!t.all}),
		toggle("Blocks", "Colours of blocks of code, not of lines of the source", !t.bySource, !t.sources,
			ChartBlocks{!t.blocks}),
		button("Zoom out", "Zoom out (-)", "−", t.whole && (t.all || !t.several), ZoomChart{false}),
		button("Zoom in", "Zoom in (+): to what is selected, or around the cursor", "+", t.empty, ZoomChart{true}),
		button("Whole run", "Show the whole run (0)", "Whole run", t.whole, ShowSpan{}))
}

// draw puts the picture on the canvas, unless it is there already, or has no place yet.
func (d *Divergence) draw() {
	m := d.Model
	if m.Chart == nil || d.width <= chartLeft+chartRight || d.height <= chartTop+chartGap+chartBars+chartFoot ||
		!m.inView(chartPanel) {
		return
	}
	c := m.drawnChart()
	is := chartDrawn{m.Chart, [2]int64{c.From, c.To}, m.bySource(), m.Dark, d.width, d.height,
		js.Global().Get("devicePixelRatio").Float()}
	if is != d.drawn {
		d.drawn = is
		afterDrawing(func() { d.paint(is) }) // it asks for the theme's colours
	}
}

func (d *Divergence) paint(is chartDrawn) {
	m, picture := d.Model, canvas(byID(chartID).Value)
	if m.Chart == nil {
		d.drawn = chartDrawn{}
		return
	}
	c := m.drawnChart()
	dots := func(n int) int { return int(math.Round(float64(n) * is.ratio)) }
	room := chartRoom{Width: dots(is.width - chartLeft - chartRight), Gap: dots(chartGap), Bars: dots(chartBars),
		Rows: dots(is.height - chartTop - chartGap - chartBars - chartFoot), Dot: max(dots(1), 1)}
	rows := 32
	if c.All {
		rows = m.chartRows()
		room.Rows = min(room.Rows, rows*dots(chartRowMost))
	}
	colours := newChartColours(m)
	pixels := newChartSheet(c, colours, room.Width).paint(room, pageLook())
	picture.SetWidth(dots(is.width))
	picture.SetHeight(dots(is.height))
	context := picture.GetContext2d()
	image := context.CreateImageData(room.Width, room.Rows+room.Gap+room.Bars)
	js.CopyBytesToJS(image.Data(), pixels)
	context.Call("putImageData", image.Value, dots(chartLeft), dots(chartTop))
	context.Call("scale", is.ratio, is.ratio)
	t := chartText{context.Value, float64(chartLeft), float64(is.width - chartLeft - chartRight),
		float64(room.Rows) / is.ratio}
	t.scale(m, rows)
	t.names(c, colours)
	t.numbers(c)
}

// pageLook reads the colours of the theme.
func pageLook() *chartLook {
	style := js.Global().Call("getComputedStyle", root().Value)
	read := func(name string) string { return strings.TrimSpace(style.Call("getPropertyValue", name).String()) }
	number := func(name string) float64 { n, _ := strconv.ParseFloat(read(name), 64); return n }
	colour := func(name string) tint {
		text := read(name)
		if !strings.HasPrefix(text, "#") { // a colour of the reader's palette
			return systemTint(text)
		}
		return hexTint(text)
	}
	ground, soft := colour("--bg"), colour("--wait-soft")
	look := &chartLook{Ground: ground, Wait: ground, Rule: soft.half(soft.half(soft.half(colour("--wait-fill")))),
		Bar: colour("--run-fill")}
	look.tints([2]float64{number("--blk-l1"), number("--blk-l2")}, number("--blk-c")*chartChroma)
	return look
}

// systemTint asks the browser for a colour by its name.
func systemTint(name string) (t tint) {
	canvas := byID(chartID)
	canvas.Style().SetProperty("color", name, "")
	text := js.Global().Call("getComputedStyle", canvas.Value).Get("color").String() // rgb(1, 2, 3), rgba(1, 2, 3, 0.5)
	canvas.Style().RemoveProperty("color")
	_, text, _ = strings.Cut(text, "(")
	for i, part := range strings.Split(strings.TrimSuffix(text, ")"), ",") {
		if n, _ := strconv.Atoi(strings.TrimSpace(part)); i < 3 {
			t[i] = byte(n)
		}
	}
	t[3] = 255
	return t
}

// chartText writes into the picture.
type chartText struct {
	context           js.Value
	left, width, rows float64
}

func (t *chartText) style(font, colour, align string) {
	style := js.Global().Call("getComputedStyle", root().Value)
	t.context.Set("font", font+" "+strings.TrimSpace(style.Call("getPropertyValue", "--mono").String()))
	t.context.Set("fillStyle", strings.TrimSpace(style.Call("getPropertyValue", colour).String()))
	t.context.Set("textAlign", align)
	t.context.Set("textBaseline", "middle")
}

func (t *chartText) write(text string, x, y float64) { t.context.Call("fillText", text, x, y) }

// scale names lanes or warps at the left.
func (t *chartText) scale(m *Model, rows int) {
	t.style("11px", "--ink3", "right")
	height := t.rows / float64(rows)
	x := t.left - 6
	t.write("active", x, chartTop+t.rows+chartGap+chartBars/2)
	if !m.Chart.All {
		for _, lane := range []int{0, 8, 16, 24, 31} {
			t.write(strconv.Itoa(lane), x, chartTop+(float64(lane)+.5)*height)
		}
		return
	}
	per := max(m.View.WarpsPerCTA, 1)
	const room = 13
	for row, last := 0, -float64(room); row < rows; row++ {
		y, warp := chartTop+(float64(row)+.5)*height, row*m.Chart.Each
		if y-last < room || warp%per != 0 && m.Chart.Each == 1 && float64(per)*height > 2*room && row > 0 {
			continue
		}
		t.write(rowName(warp, per, int(x/chartLetter)), x, y)
		last = y
	}
}

// names writes the blocks' names where there is room for them.
func (t *chartText) names(c *debug.Chart, colours *chartColours) {
	t.style("11px", "--ink", "center")
	for _, l := range chartLabels(c, colours, chartLetter/t.width) {
		above, below := float64(l.Above)*t.rows/32, float64(l.Below)*t.rows/32
		if width := (l.Right - l.Left) * t.width; width < chartLetter*float64(len(l.Text)) || below-above < 11 {
			continue
		}
		t.write(l.Text, t.left+(l.Left+l.Right)/2*t.width, chartTop+(above+below)/2)
	}
}

// numbers writes how many lanes are active below the bars of single steps.
func (t *chartText) numbers(c *debug.Chart) {
	step := t.width * float64(c.Stride) / float64(max(c.To-c.From, 1))
	if step < 2*chartLetter+2 {
		return
	}
	t.style("11px", "--ink2", "center")
	for i := range c.Moments {
		m := &c.Moments[i]
		x := t.left + t.width*(float64(m.First-c.From)+float64(c.Stride)/2)/float64(max(c.To-c.From, 1))
		t.write(strconv.Itoa(momentActive(m, c)), x, chartTop+t.rows+chartGap+chartBars+chartFoot/2)
	}
}

// tick is the step at a place on the screen.
func (d *Divergence) tick(e js.Value) int64 {
	box := byID(chartAreaID).Call("getBoundingClientRect")
	part := (e.Get("clientX").Float() - box.Get("left").Float()) / max(box.Get("width").Float(), 1)
	from, to := d.Model.ChartView.span(d.Model.View.End)
	return min(max(from+int64(part*float64(to-from)), from), max(to-1, from))
}

func (d *Divergence) press(e js.Value) {
	if e.Get("button").Int() != 0 || still(d.Model) {
		return
	}
	d.pressed, d.moved, d.from, d.at = true, false, d.tick(e), e.Get("clientX").Float()
	byID(chartAreaID).Call("setPointerCapture", e.Get("pointerId"))
}

// drag selects a span; without a button it says what is below the pointer.
func (d *Divergence) drag(e js.Value) {
	tick := d.tick(e)
	if d.pressed && (d.moved || math.Abs(e.Get("clientX").Float()-d.at) > 4) {
		d.moved = true
		d.Send(SelectSpan{min(d.from, tick), max(d.from, tick) + 1})
	}
	if d.Model.View.End > 0 {
		d.hint(chartWordsAt(d.Model, tick))
	}
}

func (d *Divergence) hint(words string) {
	element(byID("panel-divergence").Call("querySelector", ".chart-hint")).SetTextContent(words)
}

func (d *Divergence) cancel(js.Value) { d.pressed = false }

// release travels, unless the pointer was moved.
func (d *Divergence) release(e js.Value) {
	if d.pressed && !d.moved {
		d.travel(d.tick(e), e)
	}
	d.pressed = false
}

// travel goes to a step, and follows the warp in whose row that was.
func (d *Divergence) travel(tick int64, e js.Value) {
	m := d.Model
	if m.Chart != nil && m.Chart.All && d.drawn.ratio > 0 {
		rows := m.chartRows()
		height := min(d.drawn.height-chartTop-chartGap-chartBars-chartFoot, rows*chartRowMost)
		y := e.Get("clientY").Float() - byID(chartAreaID).Call("getBoundingClientRect").Get("top").Float()
		if row := int(y * float64(rows) / float64(max(height, 1))); row >= 0 && row < rows {
			warp := row * m.Chart.Each
			d.Send(Follow{warp / max(m.View.WarpsPerCTA, 1), warp % max(m.View.WarpsPerCTA, 1)})
		}
	}
	d.Send(Seek{tick})
}

// wheel zooms around the pointer, and moves the span sideways. In a frame the page scrolls unless Ctrl is held.
func (d *Divergence) wheel(e js.Value) {
	across, along := e.Get("deltaX").Float(), e.Get("deltaY").Float()
	if embedded() && !e.Get("ctrlKey").Bool() || d.Model.View.End == 0 {
		return
	}
	e.Call("preventDefault")
	if e.Get("shiftKey").Bool() {
		across, along = along, 0
	}
	if math.Abs(across) > math.Abs(along) {
		d.pan(math.Copysign(.125, across))
	} else if along != 0 {
		d.Send(WheelChart{along < 0, d.tick(e)})
	}
}

// pan moves the span by a part of its length.
func (d *Divergence) pan(part float64) {
	from, to := d.Model.ChartView.span(d.Model.View.End)
	by := int64(math.Round(part * float64(to-from)))
	if by == 0 {
		by = int64(math.Copysign(1, part))
	}
	if d.Model.ChartView.To > d.Model.ChartView.From {
		d.Send(ShowSpan{max(from+by, 0), max(from+by, 0) + to - from})
	}
}

// key moves the cursor, zooms and travels.
func (d *Divergence) key(e js.Value) {
	press := keyboard(e)
	if press.CtrlKey() || press.AltKey() || press.MetaKey() || d.Model.View.End == 0 {
		return
	}
	action, ok := chartKeyAction(d.Model, press.Key(), press.ShiftKey())
	if !ok {
		return
	}
	press.PreventDefault()
	e.Call("stopPropagation")
	for _, a := range action {
		d.Send(a)
	}
}
