package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
)

// The panel Divergence is a picture of a span of the run: the lanes of the followed warp, or all warps, with time to
// the right and a colour for each block of code.
const chartPanel = "divergence"

// Actions on the picture.
type (
	ZoomChart  struct{ In bool } // around the cursor, or to what is selected
	WheelChart struct {          // around a step
		In    bool
		About int64
	}
	ShowSpan    struct{ From, To int64 } // steps; the whole run if To is less
	SelectSpan  struct{ From, To int64 } // nothing if To is not more
	PointChart  struct{ Tick int64 }     // the cursor
	LeaveChart  struct{}                 // the cursor follows the machine again, and nothing is selected
	ChartAll    struct{ On bool }        // all warps, not the lanes of one
	ChartBlocks struct{ On bool }        // colours of blocks, even where there are lines of a source
)

// chartView is how the panel shows the run.
type chartView struct {
	From, To     int64 // the span; the whole run if To is not more
	Begin, Until int64 // what is selected; nothing if Until is not more
	Pointed      bool  // the cursor is apart from the machine
	Cursor       int64
	Rows         chartRowsOf
	Blocks       bool
}

// chartRowsOf says what has a row in the picture.
type chartRowsOf int

// What has a row.
const (
	rowsAsFits  chartRowsOf = iota // lanes, or warps where one warp is too little of the run to be seen
	rowsOfLanes                    // of the followed warp
	rowsOfWarps
)

// manyWarps is from how many warps on one of them is at most a hairline in the picture of a run.
const manyWarps = 128

// allWarps says that the picture has a row for each warp, or for a few of them.
func (m *Model) allWarps() bool {
	switch m.ChartView.Rows {
	case rowsOfLanes:
		return false
	case rowsOfWarps:
		return m.warps() > 1
	}
	return m.warps() >= manyWarps
}

// span is what is shown of a run with end steps.
func (v *chartView) span(end int64) (from, to int64) {
	if v.To <= v.From || v.From >= end {
		return 0, end
	}
	return v.From, min(v.To, end)
}

// show sets the span, within a run with end steps.
func (v *chartView) show(from, to, end int64) {
	length := max(to-from, 1)
	if length >= end {
		v.From, v.To = 0, 0
		return
	}
	v.From = min(max(from, 0), end-length)
	v.To = v.From + length
}

// zoom halves or doubles the span; what is at a step stays where it is.
func (v *chartView) zoom(in bool, about, end int64) {
	from, to := v.span(end)
	about = min(max(about, from), to)
	length := (to - from) * 2
	if in {
		length = max((to-from)/2, 1)
	}
	start := about
	if to > from {
		start -= int64(math.Round(float64(about-from) / float64(to-from) * float64(length)))
	}
	v.show(start, start+length, end)
}

// about is the step that the words are about: the one that is pointed at, or where the machine is, also at the end of
// what is known, where the picture has no column yet.
func (v *chartView) about(m *Model) int64 {
	if _, to := v.span(m.View.End); !v.Pointed && m.View.Tick == to {
		return to
	}
	return v.cursor(m)
}

// cursor is the column that the words are about, or the last one.
func (v *chartView) cursor(m *Model) int64 {
	from, to := v.span(m.View.End)
	at := m.View.Tick
	if v.Pointed {
		at = v.Cursor
	}
	return max(min(at, to-1), from)
}

// chartAction applies an action on the picture.
func (s *Store) chartAction(action Action) bool {
	v, end := s.model.ChartView, s.model.View.End
	switch a := action.(type) {
	case ZoomChart:
		switch {
		case a.In && v.Until > v.Begin:
			v.show(v.Begin, v.Until, end)
			v.Begin, v.Until = 0, 0
		case !a.In && v.To <= v.From && s.model.warps() > 1:
			v.Rows = rowsOfWarps // the whole run of one warp is in sight: next come the others
		default:
			v.zoom(a.In, v.cursor(s.model), end)
		}
	case WheelChart:
		v.zoom(a.In, a.About, end)
	case ShowSpan:
		v.show(a.From, a.To, end)
		if a.To <= a.From {
			v.From, v.To = 0, 0
		}
	case SelectSpan:
		v.Begin, v.Until = max(a.From, 0), min(a.To, end)
	case PointChart:
		v.Pointed, v.Cursor = true, min(max(a.Tick, 0), max(end-1, 0))
		if from, to := v.span(end); v.Cursor < from || v.Cursor >= to {
			v.show(v.Cursor-(to-from)/2, v.Cursor+(to-from)-(to-from)/2, end)
		}
	case LeaveChart:
		v.Pointed, v.Begin, v.Until = false, 0, 0
	case ChartAll:
		v.Rows = rowsOfLanes
		if a.On {
			v.Rows = rowsOfWarps
		}
	case ChartBlocks:
		v.Blocks = a.On
	default:
		return false
	}
	s.update(func(m *Model) { m.ChartView = v })
	if _, ok := action.(ChartBlocks); ok {
		s.markSources()
	}
	return true
}

// warps is the number of warps of the grid.
func (m *Model) warps() int { return m.View.CTAs * m.View.WarpsPerCTA }

// drawnChart is the chart in the span that is shown: during a run that grows, and what is new of it is not known yet.
func (m *Model) drawnChart() *debug.Chart {
	from, to := m.ChartView.span(m.View.End)
	if from == m.Chart.From && to == m.Chart.To {
		return m.Chart
	}
	c := *m.Chart
	c.From, c.To = from, to
	return &c
}

// chartRows is the number of rows of a chart of all warps.
func (m *Model) chartRows() int { return max((m.warps()+m.Chart.Each-1)/m.Chart.Each, 1) }

// charts works out the picture for a moment that the model is about to show. The span follows the machine when that
// leaves it.
func (s *Store) charts(m *Model, before int64) {
	machine := s.machine(m)
	if machine == nil {
		s.asked = nil
		return
	}
	if !m.inView(chartPanel) {
		machine.NoChart()
		m.Chart, s.asked = nil, nil
		return
	}
	v := &m.ChartView
	if now := m.View.Tick; now != before {
		v.Pointed = false
		if from, to := v.span(m.View.End); now < from || now > to {
			v.show(now-(to-from)/2, now+(to-from)-(to-from)/2, m.View.End)
		}
	}
	ask := debug.ChartAsk{From: v.From, To: v.To, All: m.allWarps()}
	s.asked = &ask
	machine.AskChart(ask)
	m.Chart = machine.Chart()
}

// tendChart asks for another picture when the user wants one, and for none when the panel is covered.
func (s *Store) tendChart() {
	v := &s.model.ChartView
	ask := debug.ChartAsk{From: v.From, To: v.To, All: s.model.allWarps()}
	shown := s.model.inView(chartPanel) && s.machine(s.model) != nil
	if shown == (s.asked != nil) && (!shown || *s.asked == ask) || s.model.Running || s.cancelPrepare != nil {
		return
	}
	other := shown != (s.asked != nil)
	s.update(func(m *Model) { s.charts(m, m.View.Tick) })
	if other {
		s.markSources()
	}
	if shown {
		s.stopSurvey()
		s.cancelSurvey = s.platform.After(surveyPause, s.survey)
	}
}

// bySource says whether colours are those of lines of a source.
func (m *Model) bySource() bool { return m.Sources != nil && !m.ChartView.Blocks }

// mostStriped is how many instructions a text has at most whose blocks the gutter shows.
const mostStriped = 20_000

// blockStripes are the colours of the blocks in the gutter, by line of the text.
func (m *Model) blockStripes() map[int]int {
	stripes, insts := map[int]int{}, 0
	if m.Typed == nil {
		return stripes
	}
	for place, f := range m.Typed.Funcs {
		if insts += len(f.Insts); insts > mostStriped {
			break
		}
		for i := range f.Blocks {
			for _, in := range f.Insts[f.Blocks[i].Start:f.Blocks[i].End] {
				if line := m.Lines.position(in.Span.Start).Line; !in.Implicit() {
					stripes[line] = (debug.FirstColour(f, place) + i) % stripeColours
				}
			}
		}
	}
	return stripes
}

// showChart publishes what has been found of the picture.
func (s *Store) showChart() {
	machine := s.machine(s.model)
	if s.asked == nil || machine == nil {
		return
	}
	if c := machine.Chart(); c != s.model.Chart {
		s.update(func(m *Model) { m.Chart = c })
	}
}

// chartColours says which colour and name an instruction has: those of its block, or of its line in the source.
type chartColours struct {
	code  *debug.Code
	lines map[int]int // colours by line of the text; nil: those of blocks
	from  map[int]int // lines of the source by line of the text
	each  bool        // colours of single instructions
}

func newChartColours(m *Model) *chartColours {
	c := &chartColours{code: m.Chart.Code}
	if m.bySource() {
		of := m.Sources.colours(m.sourceFile())
		c.from, c.lines = of.from, of.text
	}
	return c
}

// of is the number of what an instruction is in, -1 for nothing.
func (c *chartColours) of(at int32) int {
	switch {
	case c.each:
		return int(at)
	case c.lines == nil:
		return c.code.Block(at)
	}
	if n := c.from[c.code.Line(at)]; n > 0 {
		return n
	}
	return -1
}

// colour is one of stripeColours.
func (c *chartColours) colour(at int32) int {
	n := max(c.of(at), 0)
	switch {
	case c.lines != nil:
		return c.lines[c.code.Line(at)]
	case c.each || len(c.code.Blocks) == 0:
		return n % stripeColours
	}
	return c.code.Blocks[n].Colour % stripeColours
}

func (c *chartColours) name(at int32) string {
	n := c.of(at)
	switch {
	case n < 0:
		return ""
	case c.lines == nil:
		return c.code.Blocks[n].Name
	}
	return strconv.Itoa(n)
}

// legendEntry is a colour and what it is of.
type legendEntry struct {
	Name   string
	Colour int
}

// A legend has at most mostNamed entries, and is for spans from longUnnamed steps on: shorter ones have room for names.
const (
	mostNamed   = 16
	longUnnamed = 64
)

// chartLegend are the blocks or source lines of the picture, in the order in which they come.
func chartLegend(m *Model) (list []legendEntry) {
	c := m.Chart
	if c == nil || c.To-c.From < longUnnamed {
		return nil
	}
	colours, seen := newChartColours(m), map[int]bool{}
	add := func(at int32) {
		if n := colours.of(at); n >= 0 && !seen[n] && len(list) < mostNamed {
			seen[n] = true
			list = append(list, legendEntry{colours.name(at), colours.colour(at)})
		}
	}
	for i := range c.Moments {
		for _, p := range c.Moments[i].Places {
			if p.Runs {
				add(p.At)
			}
		}
		for _, r := range c.Moments[i].Rows {
			add(r.At)
		}
	}
	return list
}

// momentAt is the moment that stands for a step; nil if it is not known yet.
func momentAt(c *debug.Chart, tick int64) *debug.Moment {
	if c == nil {
		return nil
	}
	for i := len(c.Moments) - 1; i >= 0; i-- {
		if m := &c.Moments[i]; m.First <= tick {
			if tick < m.First+c.Stride {
				return m
			}
			return nil
		}
	}
	return nil
}

// chartWords say what there is at the cursor, for those who do not see the picture.
func chartWords(m *Model) string {
	switch {
	case m.View.End == 0:
		return "Nothing has run yet."
	case m.Chart == nil:
		return m.unasked()
	}
	return chartWordsAt(m, m.ChartView.about(m))
}

// chartWordsAt say what there is at a step.
func chartWordsAt(m *Model, at int64) string {
	if m.Chart == nil {
		return ""
	}
	moment, step := momentAt(m.Chart, at), "Step "+count(at)
	switch {
	case at == m.View.Tick && m.View.State != nil:
		if moment = momentNow(m); m.View.State.Ended && !m.Chart.All {
			return step + ": all lanes have ended."
		}
	case m.Chart.Stride > 1:
		step = "Near step " + count(at)
	}
	switch {
	case moment == nil && m.unasked() != "":
		return m.unasked()
	case moment == nil:
		return step + ": being drawn …"
	case m.Chart.All:
		return step + ": " + warpsWords(moment.Warps) + "."
	}
	return step + ": " + placesWords(newChartColours(m), moment) + "."
}

// momentNow is where the machine is, which a sample need not be.
func momentNow(m *Model) *debug.Moment {
	if m.Chart.All {
		return &debug.Moment{Warps: m.View.Warps.Counts()}
	}
	present, places := m.Chart.Code.Places(m.View.State)
	return &debug.Moment{Present: present, Places: places}
}

// placesWords: "lanes 24-27 in block 55, 28 lanes wait".
func placesWords(c *chartColours, moment *debug.Moment) string {
	if moment.Present == 0 {
		return "the warp has no lanes here"
	}
	var words []string
	var waits emu.Mask
	for _, p := range moment.Places {
		if p.Runs {
			what := "in block "
			if c.lines != nil {
				what = "in source line "
			}
			words = append(words, gpuLanes(p.Mask)+" "+what+c.name(p.At))
		} else {
			waits |= p.Mask
		}
	}
	if waits != 0 {
		words = append(words, ptx.Plural(waits.Count(), "lane")+verbFor(waits, " waits", " wait"))
	}
	if gone := 32 - moment.Present.Count(); gone > 0 {
		words = append(words, strconv.Itoa(gone)+" ended or absent")
	}
	return strings.Join(words, ", ")
}

func gpuLanes(mask emu.Mask) string {
	if mask == emu.FullMask {
		return "all 32 lanes"
	}
	return mask.FewLanes()
}

// warpsWords: "1 warp runs, 3 wait, 4 are to come".
func warpsWords(counts []debug.Count) string {
	var order []debug.Doing
	sums := map[debug.Doing]int{} // those that wait are counted by where
	for _, c := range counts {
		if sums[c.Doing] == 0 {
			order = append(order, c.Doing)
		}
		sums[c.Doing] += c.N
	}
	words := make([]string, len(order))
	for i, d := range order {
		n := sums[d]
		if words[i] = count(int64(n)); i == 0 {
			words[i] = ptx.Plural(n, "warp")
		}
		words[i] += " " + doingVerb(d, n == 1)
	}
	return strings.Join(words, ", ")
}

// doingVerb is what one warp does, or several: "waits", "wait".
func doingVerb(d debug.Doing, one bool) string {
	verbs := map[debug.Doing][2]string{
		debug.DoesFault: {"has faulted", "have faulted"},
		debug.DoesWait:  {"waits", "wait"},
		debug.DoesRun:   {"runs", "run"},
		debug.DoesReady: {"is ready", "are ready"},
		debug.DoesEnded: {"has ended", "have ended"},
		debug.DoesCome:  {"is to come", "are to come"},

		debug.DoesDiverged: {"is diverged", "are diverged"},
	}[d]
	if one {
		return verbs[0]
	}
	return verbs[1]
}

// chartKey has everything that the panel depends on.
type chartKey struct {
	version uint64
	chart   *debug.Chart
	view    chartView
	marks   int
	counted bool // all of the run
	room    Room
	shown   bool
	running bool
	sources *sources
	dark    bool
	unasked string
}

func chartKeyOf(m *Model) chartKey {
	return chartKey{m.View.Version, m.Chart, m.ChartView, m.MarksVersion, m.Surveyed == m.View.End, m.Room,
		m.inView(chartPanel), m.Running, m.Sources, m.Dark, m.unasked()}
}

// spanWords say what the picture, or what is selected of it, holds: "Steps 0 to 26: 27 steps, 5 divergences".
func spanWords(m *Model) string {
	v := &m.ChartView
	from, to := v.span(m.View.End)
	selected := v.Until > v.Begin
	if selected {
		from, to = v.Begin, v.Until
	}
	if to == 0 {
		return ""
	}
	words := fmt.Sprintf("Steps %s to %s: %s", count(from), count(to-1), ptx.Plural(to-from, "step"))
	if selected {
		words = "Selected: s" + words[1:]
	}
	if m.Surveyed == m.View.End {
		words += ", " + map[bool]string{false: "at least "}[m.AllMarks] + ptx.Plural(splits(m, from, to), "divergence")
	}
	if c := m.Chart; c != nil && c.Stride > 1 {
		words += fmt.Sprintf("; sampled every %s steps", count(c.Stride))
	}
	if c := m.Chart; c != nil && c.All && c.Each > 1 {
		words += fmt.Sprintf("; a row is %s warps", count(int64(c.Each)))
	}
	return words
}

// rowName is the CTA and the warp with which a row begins, "12:3", or only its CTA if both have no room.
func rowName(warp, perCTA, letters int) string {
	cta := strconv.Itoa(warp / perCTA)
	if both := cta + ":" + strconv.Itoa(warp%perCTA); len(both) <= letters {
		return both
	}
	return cta
}

// splits counts the marked divergences of the followed warp, or of all, in a span.
func splits(m *Model, from, to int64) (n int) {
	for _, mark := range m.Marks {
		own := mark.CTA == m.View.CTA && mark.Warp == m.View.Warp || m.allWarps()
		if mark.Kind == debug.MarkSplit && mark.Tick > from && mark.Tick <= to && own {
			n++
		}
	}
	return n
}

// chartKeyAction is what a key does while the picture has the focus.
func chartKeyAction(m *Model, key string, shift bool) (list []Action, ok bool) {
	v := &m.ChartView
	from, to := v.span(m.View.End)
	at, step := v.cursor(m), int64(1)
	if m.Chart != nil {
		step = m.Chart.Stride
	}
	next := at
	switch key {
	case "ArrowLeft", "ArrowDown":
		next = at - step
	case "ArrowRight", "ArrowUp":
		next = at + step
	case "PageDown":
		next = at - max((to-from)/10, step)
	case "PageUp":
		next = at + max((to-from)/10, step)
	case "Home":
		next = from
	case "End":
		next = to - 1
	case "Enter":
		return []Action{Seek{at}}, true
	case "+", "=":
		return []Action{ZoomChart{true}}, true
	case "-":
		return []Action{ZoomChart{false}}, true
	case "0":
		return []Action{ShowSpan{}}, true
	case "Escape":
		return []Action{LeaveChart{}}, v.Pointed || v.Until > v.Begin
	default:
		return nil, false
	}
	list = []Action{PointChart{next}}
	if shift {
		begin, until := v.Begin, v.Until
		if until <= begin {
			begin, until = at, at+1
		}
		if at == begin && next < at || next < begin {
			begin = next
		} else if at+1 >= until {
			until = next + 1
		} else {
			begin = next
		}
		list = append(list, SelectSpan{begin, max(until, begin+1)})
	}
	return list, true
}
