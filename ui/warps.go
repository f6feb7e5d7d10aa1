package ui

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
)

// Up to mostTiles warps are tiles, more are cells. Above mostCells a cell is several warps. A filter lists at most
// mostListed warps.
const (
	mostTiles  = 256
	mostCells  = 4096
	mostListed = 1 << 14
	mostLooked = 1 << 22 // that a filter looks at
)

// warpChip is a number of warps that do the same; it filters.
type warpChip struct {
	Key   string // of the filter
	Class string
	Count string
	Words string
	On    bool
}

// warpClass is what a warp does, in the style sheet's words.
func warpClass(d debug.Doing) string {
	return [...]string{"fault", "wait", "run", "diverged", "ready", "ended", "come"}[d]
}

func chipKey(d debug.Doing, at int) string {
	if d == debug.DoesWait {
		return warpClass(d) + strconv.Itoa(at)
	}
	return warpClass(d)
}

// countOf is what the warps of a chip do.
func countOf(key string) (c debug.Count) {
	for c.Doing = debug.DoesFault; c.Doing < debug.DoesCome; c.Doing++ {
		at, found := strings.CutPrefix(key, warpClass(c.Doing))
		if c.At, _ = strconv.Atoi(at); found && chipKey(c.Doing, c.At) == key {
			break
		}
	}
	return c
}

// noWarps says that no warp passes a filter.
func noWarps(filter string) string {
	return "0 warps: " + countOf(filter).Words() + ". Press the button with the 0 to see all warps."
}

// warpChips are the counts of what warps do. The filter stays even when no warp passes it any more.
func warpChips(m *Model) (chips []warpChip) {
	on := false
	for _, c := range m.View.Warps.Counts() {
		chip := warpChip{Key: chipKey(c.Doing, c.At), Class: warpClass(c.Doing), Count: count(int64(c.N)), Words: c.Words()}
		chip.On = chip.Key == m.WarpFilter
		on = on || chip.On
		chips = append(chips, chip)
	}
	if m.WarpFilter != "" && !on {
		c := countOf(m.WarpFilter)
		chips = append(chips, warpChip{Key: m.WarpFilter, Class: warpClass(c.Doing), Count: "0", Words: c.Words(), On: true})
	}
	return chips
}

// warpChipsHTML writes them as buttons. The one that filters already takes its filter back.
func warpChipsHTML(chips []warpChip) string {
	var b strings.Builder
	for _, c := range chips {
		key := c.Key
		if c.On {
			key = ""
		}
		fmt.Fprintf(&b, `<button type="button" class="warp-chip %s" data-filter="%s" aria-pressed="%t" `+
			`title="%s %s: show these warps only">`, c.Class, key, c.On, c.Count, html.EscapeString(c.Words))
		fmt.Fprintf(&b, `<i class="warp-mark"></i><span><b>%s</b><span class="words"> %s</span></span></button>`, c.Count,
			html.EscapeString(c.Words))
	}
	return b.String()
}

// warpSheet is all that the panel of warps can draw; lines are worked out when they are drawn.
type warpSheet struct {
	m     *Model
	warps *debug.Warps
	list  []int // numbers of the warps that pass the filter; nil: all
	n     int   // places
	each  int   // warps a place
	worst map[int]debug.Tile
	tiles bool

	narrow bool // tiles have no room for words
	across int  // tiles in a full line
}

func newWarpSheet(m *Model) *warpSheet {
	w := &m.View.Warps
	s := &warpSheet{m: m, warps: w, each: 1, tiles: true}
	if w.PerCTA == 0 {
		return s
	}
	if s.n = w.Total(); m.WarpFilter != "" {
		s.list = filteredWarps(w, m.WarpFilter)
		s.n = len(s.list)
	}
	s.tiles = s.n <= mostTiles
	if s.n > mostCells && s.list == nil {
		s.group()
	}
	return s
}

// filteredWarps lists the warps that do one thing, up to mostListed of them.
func filteredWarps(w *debug.Warps, key string) []int {
	list := []int{}
	add := func(t debug.Tile) {
		if chipKey(t.Doing, t.At) == key && len(list) < mostListed {
			list = append(list, t.CTA*w.PerCTA+t.Warp)
		}
	}
	if key != warpClass(debug.DoesEnded) && key != warpClass(debug.DoesCome) {
		w.EachResident(add)
		return list
	}
	for n := 0; n < min(w.Total(), mostLooked) && len(list) < mostListed; n++ {
		add(w.At(n))
	}
	return list
}

// group puts several warps into a place.
func (s *warpSheet) group() {
	for s.each = 2; (s.n+s.each-1)/s.each > mostCells; {
		s.each *= 2
	}
	s.n = (s.n + s.each - 1) / s.each
	s.worst = map[int]debug.Tile{}
	s.warps.EachResident(func(t debug.Tile) {
		i := (t.CTA*s.warps.PerCTA + t.Warp) / s.each
		if known, ok := s.worst[i]; !ok || t.Doing < known.Doing {
			s.worst[i] = t
		}
	})
}

// at is what a place shows: a warp, or the most remarkable of several.
func (s *warpSheet) at(i int) debug.Tile {
	if s.list != nil {
		return s.warps.At(s.list[i])
	}
	t := s.warps.At(i * s.each)
	if s.each == 1 {
		return t
	}
	if last := s.warps.At(min((i+1)*s.each, s.warps.Total()) - 1); last.Doing < t.Doing {
		t = last
	}
	if worst, ok := s.worst[i]; ok && worst.Doing < t.Doing {
		t = worst
	}
	return t
}

// warpLine is a line of the panel: places From to To, which are of one CTA if they are tiles.
type warpLine struct {
	From, To int
	CTA      int
	First    bool // of its CTA
}

// Sizes in CSS pixels: of the name of a CTA, of a tile and of a cell with the space after them.
const (
	warpName = 84
	warpTile = 60
	wideTile = 88 // from here on a tile has room for "to come"
	warpCell = 12

	tileLine = 35
	cellLine = 12
)

// lines divides the places into lines for a width. For cells it makes one line for each share of places; they need no
// list of warps, so a hundred thousand cost little.
func (s *warpSheet) lines(width int) (lines []warpLine, height int) {
	if s.tiles {
		k := max((width-warpName)/warpTile, 1)
		per := max(s.warps.PerCTA, 1)
		share := (per + k - 1) / k // lines of a CTA, all with about as many tiles
		k = min(k, (per+share-1)/share)
		s.narrow = (width-warpName)/k < wideTile
		s.across = k
		for i := 0; i < s.n; {
			line := warpLine{From: i, To: i, CTA: s.at(i).CTA}
			line.First = i == 0 || s.at(i-1).CTA != line.CTA
			for line.To < s.n && line.To-i < k && s.at(line.To).CTA == line.CTA {
				line.To++
			}
			lines = append(lines, line)
			i = line.To
		}
		return lines, tileLine
	}
	k := max(width/warpCell, 1)
	if per := s.warps.PerCTA; s.each == 1 && s.list == nil && k > per {
		k -= k % per
	}
	for i := 0; i < s.n; i += k {
		lines = append(lines, warpLine{From: i, To: min(i+k, s.n)})
	}
	return lines, cellLine
}

// place is where a warp is drawn; -1 for a warp that the filter hides.
func (s *warpSheet) place(cta, warp int) int {
	n := cta*s.warps.PerCTA + warp
	if s.list == nil {
		return n / s.each
	}
	for i, at := range s.list {
		if at == n {
			return i
		}
	}
	return -1
}

// ctaWords name a CTA and say what it does as a whole.
func (s *warpSheet) ctaWords(cta int) (name, index, state string) {
	g := s.warps.Grid
	switch at := g.Index(cta); {
	case g.Z > 1:
		index = fmt.Sprintf("(%d,%d,%d)", at.X, at.Y, at.Z)
	case g.Y > 1:
		index = fmt.Sprintf("(%d,%d)", at.X, at.Y)
	}
	state = "resident"
	if t := s.warps.Tile(cta, 0); t.PC == nil && t.Doing == debug.DoesCome {
		state = "not started"
	} else if s.allEnded(cta) {
		state = "ended"
	}
	return "CTA " + count(int64(cta)), index, state
}

func (s *warpSheet) allEnded(cta int) bool {
	for warp := range s.warps.PerCTA {
		if s.warps.Tile(cta, warp).Doing != debug.DoesEnded {
			return false
		}
	}
	return true
}

// lineWarps is how many warps are at a line, and how many of them wait there for others.
type lineWarps struct{ Line, Warps, Waiting int }

// otherWarps are the warps beside the followed one, by line: each line is where a function puts it. Of very many
// nothing is said: to count them at each step takes too long.
func otherWarps(m *Model, line func(int) int) (list []lineWarps) {
	w := &m.View.Warps
	if len(w.Resident) > mostCells {
		return nil
	}
	w.EachResident(func(t debug.Tile) {
		if t.PC == nil || t.Doing == debug.DoesEnded || t.CTA == m.View.CTA && t.Warp == m.View.Warp {
			return
		}
		i, at := 0, line(m.lineOf(t.PC))
		for i < len(list) && list[i].Line != at {
			i++
		}
		if i == len(list) {
			list = append(list, lineWarps{Line: at})
		}
		list[i].Warps++
		if t.Doing == debug.DoesWait {
			list[i].Waiting++
		}
	})
	return list
}

// sameLine is for what shows the text itself.
func sameLine(line int) int { return line }

// warpWords is a warp in one sentence.
func (s *warpSheet) warpWords(t debug.Tile) string {
	words := fmt.Sprintf("CTA %s warp %d: %s", count(int64(t.CTA)), t.Warp, t.Words())
	if line := s.m.lineOf(t.PC); line > 0 {
		words += fmt.Sprintf(", line %s", count(int64(line)))
		if t.Mask != 0 {
			words += ", " + ptx.Plural(t.Mask.Count(), "lane")
		}
	}
	if s.each > 1 {
		words += fmt.Sprintf("; the most remarkable of %d warps", s.each)
	}
	return words
}

// html is one line.
func (s *warpSheet) html(line warpLine) string {
	var b strings.Builder
	if s.tiles {
		name, index, state := "", "", ""
		if line.First {
			name, index, state = s.ctaWords(line.CTA)
		}
		fmt.Fprintf(&b, `<div class="warp-line tiles"><span class="warp-cta"><b>%s</b> %s<small>%s</small></span>`,
			name, index, state)
	} else {
		b.WriteString(`<div class="warp-line cells">`)
	}
	v := &s.m.View
	followed := s.place(v.CTA, v.Warp)
	for i := line.From; i < line.To; i++ {
		t := s.at(i)
		class, words, reach := warpClass(t.Doing), html.EscapeString(s.warpWords(t)), "-1"
		if i == followed {
			class += " followed"
			reach = "0"
		}
		fmt.Fprintf(&b, `<button type="button" class="warp %s" data-cta="%d" data-warp="%d" data-state="%s" tabindex="%s" `+
			`aria-pressed="%s" aria-label="%s" title="%s">`, class, t.CTA, t.Warp, warpClass(t.Doing), reach,
			strconv.FormatBool(i == followed), words, words)
		if s.tiles {
			fmt.Fprintf(&b, `<i class="warp-mark"></i><b>%d</b><em data-at="%s"></em>%s`, t.Warp, s.tileWords(t), maskTicks(t))
		}
		b.WriteString("</button>")
	}
	if s.tiles { // a line with fewer tiles has them below those of the others
		b.WriteString(strings.Repeat(`<i class="warp-gap"></i>`, max(0, s.across-(line.To-line.From))))
	}
	b.WriteString("</div>")
	return b.String()
}

// tileWords are the line at which a warp is, or its state.
func (s *warpSheet) tileWords(t debug.Tile) string {
	if line := s.m.lineOf(t.PC); line > 0 {
		return strconv.Itoa(line)
	}
	if s.narrow {
		return ""
	}
	return t.Words()
}

// maskTicks draws 32 ticks: long for lanes that run, or wait with the warp; short for others.
func maskTicks(t debug.Tile) string {
	mask := t.Mask
	if t.Doing == debug.DoesWait {
		mask = t.Waiting
	}
	path := func(class string, mask emu.Mask, y, h int) string {
		var d strings.Builder
		for lane := 0; lane < 32; {
			end := lane
			for end < 32 && mask.Has(end) && end/8 == lane/8 {
				end++
			}
			if end == lane {
				lane++
				continue
			}
			fmt.Fprintf(&d, "M%d %dh%dv%dh-%dz", lane*4+lane/8*2, y, (end-lane)*4-1, h, (end-lane)*4-1)
			lane = end
		}
		if d.Len() == 0 {
			return ""
		}
		return fmt.Sprintf(`<path class="%s" d="%s"/>`, class, d.String())
	}
	return `<svg class="lane-ticks" viewBox="0 0 133 8" preserveAspectRatio="none" aria-hidden="true">` +
		path("off", ^mask, 4, 3) + path("on", mask, 0, 7) + "</svg>"
}

// inView says whether a panel can be seen, as far as the arrangement tells.
func (m *Model) inView(panel string) bool {
	switch {
	case m.Room.W > 0:
		return m.layout().Shows(panel)
	case len(m.Panels) > 0: // an embed has no workspace; a link can bring panels for one
		return m.shows(panel)
	}
	return m.tab() == panel
}

// endedNote says that the registers shown are the last ones of a warp that has ended; "" otherwise.
func endedNote(m *Model) string {
	w := m.View.State
	if w == nil || !w.Ended || w.Func == nil || len(w.Regs) == 0 {
		return ""
	}
	return fmt.Sprintf("Warp %d of CTA %s has ended. These are its last registers.", w.Index, count(int64(w.CTAIndex)))
}
