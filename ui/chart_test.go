package ui

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
)

// charted is example 05 after its 27 steps and a pause, at a step. Its panel is in sight in the layout Learn.
func charted(t *testing.T, step int64) *Store {
	s := nested(t, 0)
	p := s.platform.(*fakePlatform)
	s.Do(SetRoom{Room{1440, 794}})
	s.Do(SetPreset{Learn})
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	for range 5 {
		p.wait(surveyDelay)
	}
	s.Do(Seek{step})
	require.NotNil(t, s.Model().Chart)
	require.True(t, s.Model().Chart.Complete)
	return s
}

// The picture of example 05: the design's drawing of it has these names and counts.
func TestChartOfExample05(t *testing.T) {
	m := charted(t, 16).Model()
	require.Equal(t, [2]int64{0, 27}, [2]int64{m.Chart.From, m.Chart.To})
	names, active := "", ""
	for _, l := range chartLabels(m.Chart, newChartColours(m), 0) {
		names += fmt.Sprintf("%s %d-%d ", l.Text, l.Above, l.Below-1)
	}
	for i := range m.Chart.Moments {
		active += fmt.Sprint(m.Chart.Moments[i].Active(), " ")
	}
	require.Equal(t, "entry 0-31 37 0-15 39 0-7 two 8-15 j1 0-15 upper 16-31 50 16-23 last 24-31 55 24-27 five 28-31 "+
		"j3 24-31 j2 16-31 j0 0-31 ", names)
	require.Equal(t, "32 32 32 16 16 8 8 8 16 16 16 16 8 8 8 8 4 4 4 8 16 32 32 32 32 32 32 ", active)
	require.Equal(t, "Step 16: lanes 24-27 in block 55, 28 lanes wait.", chartWords(m))
	require.Equal(t, "Step 27: all lanes have ended.", chartWords(charted(t, 27).Model()), "it has no column")
	require.Equal(t, "Steps 0 to 26: 27 steps, 4 divergences", spanWords(m), "lines 35, 38, 49 and 54")
}

// A sheet has the columns of each step, in proportion to the width.
func TestChartSheet(t *testing.T) {
	m := charted(t, 27).Model()
	colours := newChartColours(m)
	s := newChartSheet(m.Chart, colours, 270)
	kind := func(x, row int) cellKind { return s.Columns[x][row].kind }
	require.Equal(t, cellRuns, kind(0, 31))
	require.Equal(t, cellWaits, kind(165, 0), "step 16: lanes 0-15 wait")
	require.Equal(t, cellRuns, kind(165, 24))
	require.Equal(t, 4.0, s.Active[165])
	for x, edge := range s.Edges {
		require.Equal(t, x%10 == 0, edge, x)
	}
	few := newChartSheet(m.Chart, colours, 3) // nine steps a column
	require.Equal(t, "entry", m.Chart.Code.Blocks[few.Columns[0][0].group].Name, "three of nine; 37 has two, 39 two")
	require.Equal(t, cellWaits, few.Columns[0][31].kind, "six of nine")

	look := &chartLook{Ground: tint{1}, Wait: tint{2}, Rule: tint{3}, Bar: tint{4}}
	for i := range look.Blocks {
		look.Blocks[i] = tint{byte(100 + i)}
	}
	room := chartRoom{Width: 270, Rows: 128, Gap: 5, Bars: 32, Dot: 1}
	pixels := s.paint(room, look)
	require.Len(t, pixels, 4*270*(128+5+32))
	at := func(x, y int) byte { return pixels[4*(270*y+x)] }
	require.Equal(t, byte(100), at(5, 2), "the block entry")
	require.Equal(t, byte(1), at(30, 2), "a hairline before the next block")
	require.Equal(t, []byte{2, 2, 2, 3}, []byte{at(165, 0), at(165, 1), at(165, 2), at(165, 3)}, "rules where lanes wait")
	require.Equal(t, byte(4), at(165, 128+5+31), "four lanes of 32 in 32 pixels: four of them")
	require.Equal(t, []byte{4, 1}, []byte{at(165, 128+5+28), at(165, 128+5+27)})
}

func TestZoomOfCharts(t *testing.T) {
	s := charted(t, 16)
	span := func() [2]int64 {
		from, to := s.Model().ChartView.span(s.Model().View.End)
		return [2]int64{from, to}
	}
	s.Do(ZoomChart{true})
	require.Equal(t, [2]int64{8, 21}, span(), "step 16 stays at 16/27 of the width: 16 - 16*13/27 is 8.3")
	require.Equal(t, int64(8), s.Model().Chart.From)
	s.Do(WheelChart{true, 8})
	require.Equal(t, [2]int64{8, 14}, span())
	for range 9 {
		s.Do(WheelChart{true, 10})
	}
	require.Equal(t, int64(1), span()[1]-span()[0], "one step")
	for range 9 {
		s.Do(ZoomChart{false})
	}
	require.Equal(t, [2]int64{0, 27}, span())
	require.Zero(t, s.Model().ChartView.To, "the whole run, even when it grows")

	s.Do(SelectSpan{3, 6})
	require.Equal(t, "Selected: steps 3 to 5: 3 steps, 1 divergence", spanWords(s.Model()), "line 38")
	s.Do(ZoomChart{true})
	require.Equal(t, [2]int64{3, 6}, span())
	s.Do(Seek{20})
	require.LessOrEqual(t, span()[0], int64(20), "the span follows the machine")
	require.GreaterOrEqual(t, span()[1], int64(20))
	s.Do(ShowSpan{})
	require.Equal(t, [2]int64{0, 27}, span())
}

func TestKeysOfCharts(t *testing.T) {
	s := charted(t, 16)
	press := func(key string, shift bool) bool {
		list, ok := chartKeyAction(s.Model(), key, shift)
		for _, a := range list {
			s.Do(a)
		}
		return ok
	}
	press("ArrowRight", false)
	require.Equal(t, "Step 17: lanes 24-27 in block 55, 28 lanes wait.", chartWords(s.Model()))
	require.Equal(t, int64(16), s.Model().View.Tick)
	press("End", false)
	press("ArrowLeft", true)
	press("ArrowLeft", true)
	require.Equal(t, [2]int64{24, 27}, [2]int64{s.Model().ChartView.Begin, s.Model().ChartView.Until})
	press("ArrowRight", true)
	require.Equal(t, [2]int64{25, 27}, [2]int64{s.Model().ChartView.Begin, s.Model().ChartView.Until})
	require.True(t, press("Escape", false))
	require.False(t, press("Escape", false), "Escape is the page's when there is nothing to leave")
	require.Equal(t, "Step 16", chartWords(s.Model())[:7], "the cursor is where the machine is")
	require.False(t, press("x", false))
	press("Home", false)
	press("Enter", false)
	require.Zero(t, s.Model().View.Tick)
}

// While the panel is covered nothing is asked, and nothing is looked for.
func TestNoChartWhileCovered(t *testing.T) {
	s := charted(t, 16)
	s.Do(ShowPanel{"memory"})
	require.Nil(t, s.asked)
	require.Nil(t, s.session.Chart())
	s.Do(ShowPanel{chartPanel})
	require.NotNil(t, s.session.Chart())

	m := *s.Model()
	m.Room, m.Panels = Room{}, []string{"lanes"}
	require.False(t, m.inView(chartPanel), "an embed without it")
	m.Room = Room{1440, 794}
	require.True(t, m.inView(chartPanel), "the page, with panels for an embed that it makes")
}

// A picture of 2048 moments in 1400 x 400 pixels is painted within a frame.
func BenchmarkChart(b *testing.B) {
	c := &debug.Chart{To: 2048, Stride: 1, Code: &debug.Code{}}
	for i := range c.To {
		c.Moments = append(c.Moments, debug.Moment{Tick: i, First: i, Turn: true, Present: 0xffffffff,
			Places: []debug.Place{{Mask: 0xffff << (i % 16), Runs: true}, {Mask: 1}}})
	}
	colours := &chartColours{code: c.Code}
	for b.Loop() {
		newChartSheet(c, colours, 1400).paint(chartRoom{1400, 320, 10, 40, 2}, &chartLook{})
	}
}

// The colours are those of the stripes in the editor's gutter.
func TestBlockTints(t *testing.T) {
	text, err := os.ReadFile("sources.css")
	require.NoError(t, err)
	rows := regexp.MustCompile(`\.ptx-stripe-(\d) .*--blk-l(\d)\).* (\d+)\);`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, stripeColours)
	for i, row := range rows {
		light, _ := strconv.Atoi(row[2])
		hue, _ := strconv.ParseFloat(row[3], 64)
		require.Equal(t, strconv.Itoa(i), row[1])
		require.Equal(t, blockTint{light, hue}, blockTints[i])
	}
	// CSS Color 4 has red, #ff0000, as oklch(0.62796 0.25768 29.234).
	require.Equal(t, tint{255, 0, 0, 255}, oklch(.62796, .25768, 29.234))
	require.Equal(t, tint{255, 255, 255, 255}, oklch(1, 0, 0))
	require.Equal(t, tint{0x12, 0x91, 0x7f, 255}, hexTint("#12917f"))
	require.Equal(t, tint{255, 255, 255, 255}, hexTint("#fff"))
}

// Where one warp would be a hairline, warps have the rows, until the reader wants lanes.
func TestChartOfManyWarps(t *testing.T) {
	s := NewStore(debugSession(), newFakePlatform())
	s.Open()
	s.setText(small("//@ grid 32\n//@ block 128\n"))
	require.Equal(t, 128, s.Model().warps())
	require.True(t, s.Model().allWarps())
	s.Do(ChartAll{false})
	require.False(t, s.Model().allWarps())
	s.Do(ChartAll{true})
	require.True(t, s.Model().allWarps())
	s = NewStore(debugSession(), newFakePlatform())
	s.Open()
	s.setText(small("//@ grid 31\n//@ block 128\n"))
	require.False(t, s.Model().allWarps())
}

// Of several warps each is a row; a span of the run of one is left by zooming out.
func TestChartOfWarps(t *testing.T) {
	s := drawnRun(t, small("//@ block 64\n"))
	p := s.platform.(*fakePlatform)
	s.Do(ZoomChart{false})
	require.True(t, s.Model().allWarps())
	for range 3 {
		p.wait(surveyDelay)
	}
	m := s.Model()
	require.True(t, m.Chart.Complete)
	require.Len(t, m.Chart.Moments[0].Rows, 2)
	require.Equal(t, "Step 0: 1 warp runs, 1 is ready.", chartWordsAt(m, 0))
	sheet := newChartSheet(m.Chart, newChartColours(m), 100)
	require.Equal(t, cellRuns, sheet.Columns[0][0].kind)
	require.Equal(t, cellPauses, sheet.Columns[0][1].kind)
	require.Equal(t, debug.DoesRun, m.Chart.Moments[0].Rows[0].Doing)
}

// drawnRun is a program after its run and the pauses in which all of the picture is found.
func drawnRun(t *testing.T, text string) *Store {
	t.Helper()
	s := NewStore(debugSession(), newFakePlatform())
	s.Open()
	s.setText(text)
	s.Do(SetRoom{Room{1440, 794}})
	s.Do(SetPreset{Learn})
	p := s.platform.(*fakePlatform)
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	for range 20 {
		p.wait(surveyDelay)
	}
	require.True(t, s.Model().Chart.Complete)
	return s
}

// Where a row is several warps, the words count warps. Of 100 CTAs of 4 warps, which execute 4 instructions each, 50
// have ended after 50 x 16 steps; then the next one is there, and its first warp runs.
func TestChartCountsWarps(t *testing.T) {
	s := drawnRun(t, small("//@ grid 100\n//@ block 128\n"))
	m := s.Model()
	require.Equal(t, int64(1600), m.View.End)
	require.Equal(t, 4, m.Chart.Each)
	want := "Step 800: 1 warp runs, 3 are ready, 200 have ended, 196 are to come."
	require.Equal(t, want, chartWordsAt(m, 800))
	s.Do(Seek{800})
	require.Equal(t, want, chartWords(s.Model()))
}

func TestRowNames(t *testing.T) {
	require.Equal(t, "12:3", rowName(51, 4, 7))
	require.Equal(t, "65536:0", rowName(4*65536, 4, 7))
	require.Equal(t, "262144", rowName(4*262144, 4, 7))
}

func TestWarpsWords(t *testing.T) {
	some := func(d debug.Doing, n int) debug.Count { return debug.Count{Doing: d, N: n} }
	require.Equal(t, "1 warp runs, 46,666 have ended, 53,332 are to come", warpsWords([]debug.Count{
		some(debug.DoesRun, 1), some(debug.DoesEnded, 46_666), some(debug.DoesCome, 53_332)}))
	require.Equal(t, "2 warps wait, 1 is diverged, 1 has ended", warpsWords([]debug.Count{some(debug.DoesWait, 1),
		{Doing: debug.DoesWait, At: 1, N: 1}, some(debug.DoesDiverged, 1), some(debug.DoesEnded, 1)}))
	require.Equal(t, "1 warp has faulted, 1 waits, 1 is to come", warpsWords([]debug.Count{
		some(debug.DoesFault, 1), some(debug.DoesWait, 1), some(debug.DoesCome, 1)}))
}

// A sample is where another warp ran. At the machine's own step the words say where the machine is.
func TestChartWordsAreOfTheStep(t *testing.T) {
	text, err := os.ReadFile("../public/examples/18-matrix-product.ptx")
	require.NoError(t, err)
	s := drawnRun(t, string(text))
	s.Do(Seek{5212})
	for range 20 {
		s.platform.(*fakePlatform).wait(surveyDelay)
	}
	m := s.Model()
	require.True(t, m.Chart.Complete)
	require.Greater(t, m.Chart.Stride, int64(1))
	require.Equal(t, 62, m.View.Line)
	require.Equal(t, []debug.Group{{Line: 62, Mask: 0xffffffff, Top: true}}, m.View.Groups)
	require.Equal(t, "Step 5,212: all 32 lanes in block tile.", chartWords(m), "line 62 is in it")
	s.Do(PointChart{5216})
	require.Contains(t, chartWords(s.Model()), "Near step 5,216: ")
}

// The gutter has the colours of the picture: of blocks while that is in sight, of lines of a source where there are
// some.
func TestStripesOfBlocks(t *testing.T) {
	s := charted(t, 16)
	_, stripes := s.Model().stripes()
	colours := newChartColours(s.Model())
	for i, line := range s.Model().Chart.Code.Lines {
		require.Equal(t, colours.colour(int32(i)), stripes[line])
	}
	require.Equal(t, []int{0, 0, 1, 2}, []int{stripes[33], stripes[35], stripes[37], stripes[39]})
	s.Do(ShowPanel{"memory"})
	_, stripes = s.Model().stripes()
	require.Empty(t, stripes)
}

// Where a text says which lines of a source its instructions come from, colours and names are those of these lines.
func TestChartOfSourceLines(t *testing.T) {
	store, platform := sourceStore(t, fromCUDA)
	store.Do(SetRoom{Room{1440, 794}})
	store.Do(SetPreset{Learn})
	store.Do(Run{})
	for store.Model().Running {
		platform.frame()
	}
	for range 3 {
		platform.wait(surveyDelay)
	}
	m := store.Model()
	_, stripes := m.stripes()
	colours := newChartColours(m)
	names := map[string]bool{}
	for i := range m.Chart.Moments {
		at := m.Chart.Moments[i].Places[0].At
		if line := m.Chart.Code.Line(at); m.Sources.at[line] != nil {
			require.Equal(t, stripes[line], colours.colour(at))
			names[colours.name(at)] = true
		}
	}
	require.Equal(t, map[string]bool{"4": true, "5": true}, names, "lines of add.cu")
	store.Do(ChartBlocks{true})
	_, stripes = store.Model().stripes()
	at := m.Chart.Moments[0].Places[0].At
	require.Equal(t, "entry", newChartColours(store.Model()).name(at))
	require.Contains(t, stripes, m.Chart.Code.Line(at))
}

// Example 08 calls functions that are before and after its kernel: kernels begin with the first colour, and a called
// function's first block has another.
func TestColoursOfFunctions(t *testing.T) {
	text, err := os.ReadFile("../public/examples/08-function-call.ptx")
	require.NoError(t, err)
	s := debugSession()
	s.SetSource("k.ptx", string(text))
	code := debug.NewCode(s.Module())
	first := map[string]int{}
	for _, b := range code.Blocks {
		if _, known := first[b.Name]; !known {
			first[b.Name] = b.Colour
		}
	}
	require.Zero(t, first["entry"])
	others := 0
	for _, f := range s.Module().Funcs {
		if !f.Entry && len(f.Blocks) > 0 {
			others++
			require.NotZero(t, first[f.Name]%stripeColours, f.Name)
		}
	}
	require.Positive(t, others)
}

// The words for a span count divergences once the survey has come to its end, which may be all that changes then.
func TestChartIsDrawnWhenItIsCounted(t *testing.T) {
	m := &Model{View: debug.View{End: 27}}
	before, words := chartKeyOf(m), spanWords(m)
	m.Surveyed = 27
	require.NotEqual(t, words, spanWords(m))
	require.NotEqual(t, before, chartKeyOf(m))
}

// A program that draws has Memory in the place of the picture. The next one, which does not, gets its colours.
func TestStripesAfterAnotherProgram(t *testing.T) {
	s, _ := sourceStore(t, strings.Replace(fillable, "u32[4] = 3, 4", "u8x4[2,2] as image", 1))
	s.Do(SetRoom{Room{1440, 788}})
	s.Do(SetPreset{Learn})
	editor := &countedEditor{}
	s.Do(EditorIsHere{editor})
	require.NotContains(t, editor.since(), "1 stripes")
	s.open(document{Text: fillable})
	require.True(t, s.Model().inView(chartPanel))
	require.Contains(t, editor.since(), "1 stripes", "the line of its only instruction")
}
