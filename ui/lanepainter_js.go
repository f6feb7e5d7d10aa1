package ui

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"unicode/utf8"

	"honnef.co/go/js/dom/v2"

	"warpscope/emu"
	"warpscope/ptx"
)

// lanePainter draws the lanes panel itself: who is where, the heads of the lanes, the strip of the instruction, the
// registers, and the line of those that are folded away. Rows are in a pool, and remember what each cell shows. A step
// touches only the cells that look different after it. Functions with very many registers get a window of rows around
// the scroll position; spacers replace the rest.
type lanePainter struct {
	host, grid, head, rows          *dom.BasicHTMLElement
	room, who, above, below, column livePart
	strip, title, operands, fold    livePart
	heads                           [32]*dom.BasicHTMLElement
	headWords                       [32]string
	followed                        int // the lane whose head says that it is followed; -1 for none
	pool, strips                    []*rowView
	shown, shownOperands            int // rows of them that are in the document
	start                           int // the first row of the grid that is drawn

	model *Model
	lanes LaneGrid
	drawn bool

	focused     string // register of the cell that has the focus, "" for none
	focusedLane int

	width, height float64 // of a cell and of the board
	letters       int     // that the head of a row has room for
	mostOperands  int     // of the instructions of this program that the strip has shown: it keeps their room
	top           int     // where the grid is scrolled to: to ask the browser for it costs a layout
}

// rowView is one row of the pool with what it shows.
type rowView struct {
	el    *dom.BasicHTMLElement
	from  rowSource
	was   rowValues
	looks [32]look
	class string
	label string
}

// rowSource is what a row is computed from. If it has not changed, the row has not.
type rowSource struct {
	row    LaneRow
	lane   int
	heads  [32]LaneState
	active emu.Mask
	room   cellRoom
}

// rowValues are the values of a row.
type rowValues struct {
	written emu.Mask
	lo, hi  [32]uint64
}

func valuesOf(row *LaneRow) rowValues {
	v := rowValues{written: row.view.Written, lo: *row.view.Lo}
	if row.view.Hi != nil {
		v.hi = *row.view.Hi
	}
	return v
}

// look is what a cell shows.
type look struct {
	text, class, note string
	active            bool
}

const boardTemplate = `<div class="lane-grid" role="grid" aria-label="Registers of the warp, one column per lane">` +
	`<div role="presentation" class="lane-sheet"><div role="rowgroup" class="lane-top">` +
	`<div role="presentation" class="lane-who" aria-hidden="true"></div>` +
	`<div role="row" class="lane-head"><span role="columnheader" class="corner">lane</span></div></div>` +
	`<div role="presentation" class="spacer"></div><div role="rowgroup" class="lane-rows"></div>` +
	`<div role="presentation" class="spacer"></div></div></div>` +
	`<section role="region" aria-label="Instruction" class="strip"><div class="strip-title"></div>` +
	`<div class="strip-rows" role="table" aria-label="Operands by lane"></div></section>` +
	`<div class="fold"></div><div class="lane-column"></div>`

func newCellPainter(id string, send Send) cellPainter {
	p := &lanePainter{host: byID(id), followed: -1, letters: headLetters(namesWide)}
	p.host.SetInnerHTML(boardTemplate)
	find := func(selector string) js.Value { return p.host.Call("querySelector", selector) }
	p.grid, p.head, p.rows = element(find(".lane-grid")), element(find(".lane-head")), element(find(".lane-rows"))
	for selector, part := range map[string]*livePart{".lane-top": &p.room, ".lane-who": &p.who, ".strip": &p.strip,
		".strip-title": &p.title, ".strip-rows": &p.operands, ".fold": &p.fold, ".lane-column": &p.column,
		".lane-rows + .spacer": &p.below, ".lane-top + .spacer": &p.above} {
		part.take(find(selector))
	}
	for lane := range p.heads {
		head := create("span")
		head.SetClass("lane-state absent")
		head.SetAttribute("role", "columnheader")
		head.SetAttribute("tabindex", "-1")
		head.SetAttribute("aria-selected", "false")
		head.SetAttribute("data-column", strconv.Itoa(lane))
		head.SetTextContent(strconv.Itoa(lane))
		p.head.Call("append", head.Value)
		p.heads[lane] = head
	}
	p.listen(send)
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		box := args[0].Index(0).Get("contentRect")
		p.resize(box.Get("width").Float()/unit(), box.Get("height").Float()/unit())
		return nil
	})).Call("observe", p.host.Value)
	return p.paint
}

// The sizes that lanes.css and phone.css give.
const (
	topHeight  = 37
	stripTitle = 25
	rowHeight  = 20
	foldHeight = 21
	namesWide  = 112
	pinWide    = 36 // of the phone layout
	gridEnd    = 10
)

// headLetters is how many letters the head of a row has room for, beside its padding and the gap in it.
func headLetters(width float64) int { return int((width - 25) / 7) }

// resize takes the size of the grid, and draws it again if cells have another room, or another number of rows fits.
// What the last step wrote stays in sight: the browser may not have scrolled as far as asked, with the room that there
// was.
func (p *lanePainter) resize(width, height float64) {
	p.letters = headLetters(namesWide)
	cell := (width - namesWide - gridEnd) / 32
	if phone() { // the name is over the tiles
		p.letters, cell = headLetters(width-pinWide), (width-7*3)/8
	}
	if width <= 0 || cell == p.width && height == p.height {
		return
	}
	saw := p.drawn && p.shows(p.written())
	p.width, p.height = cell, height
	if p.drawn {
		p.show(p.model, saw)
	}
	if saw {
		p.scroll()
	}
}

// room is the room that a value has in a cell.
func (p *lanePainter) cellRoom() cellRoom {
	switch {
	case p.width == 0:
		return gridCell(41)
	case phone():
		return tileCell(p.width)
	}
	return gridCell(p.width)
}

// phone says whether the style sheet lays lanes out as tiles.
func phone() bool {
	if !phoneWidth.Truthy() {
		phoneWidth = js.Global().Call("matchMedia", "(max-width: 47.5rem)")
	}
	return phoneWidth.Get("matches").Bool()
}

var phoneWidth js.Value

func (p *lanePainter) paint(m *Model) { p.show(m, !p.drawn || p.model.View.Version != m.View.Version) }

// show draws the panel, and scrolls to what the last step wrote if it is asked to.
func (p *lanePainter) show(m *Model, reveal bool) {
	g := laneFrame(m)
	if !p.drawn || p.model.Module != m.Module {
		p.mostOperands = 0
	}
	if g.Strip != nil {
		p.mostOperands = max(p.mostOperands, len(g.Strip.Rows))
	}
	fit := len(g.all)
	if p.height > 0 && !followsRows(m) && !phone() {
		room := func(foot float64) int {
			return max((int(p.height-foot)-topHeight-p.stripHeight(&g))/rowHeight, 1)
		}
		if fit > room(0) || m.Unfolded {
			fit = room(foldHeight)
		}
	}
	g.fill(m, fit)
	g.Strip = g.Strip.within(p.stripRows(&g))
	g.room, g.tiles = p.cellRoom(), phone()
	p.model, p.lanes, p.drawn = m, g, true
	p.drawHeads()
	p.drawStrip()
	p.drawFold()
	if reveal {
		p.reveal()
	}
	p.draw() // the rows at the place that is scrolled to: else the page would be drawn again after the scroll
}

// followsRows says whether the grid is as high as its rows, which is so in a frame. What depends on the height of such
// a grid must not change it: else the page would be laid out without end.
func followsRows(m *Model) bool { return m.Room.W <= 0 }

func (p *lanePainter) drawHeads() {
	var changes cellChanges
	for lane, text := range p.lanes.words() {
		head, selected := p.heads[lane], lane == p.lanes.Lane
		if selected != (lane == p.followed) {
			reach := map[bool]string{false: "-1", true: "0"}[selected]
			head.SetAttribute("tabindex", reach)
			head.SetAttribute("aria-selected", boolWord(selected))
		}
		if key := text + boolWord(selected); p.headWords[lane] != key {
			p.headWords[lane] = key
			class, title := "lane-state "+p.lanes.Heads[lane].String(), "lane "+laneNames[lane]+": "+text
			if selected {
				class += " followed"
			}
			changes.note(lane, "c", class)
			changes.note(lane, "l", title)
		}
	}
	changes.write(p.head)
	p.followed = p.lanes.Lane
	p.writeWho(brackets(p.model, &p.lanes.Heads))
	p.column.style("--lane", laneNames[p.lanes.Lane]) // the selected lane's place: of 32 columns, or of 8 × 4 tiles
	p.column.style("--lane-x", laneNames[p.lanes.Lane%8])
	p.column.style("--lane-y", laneNames[p.lanes.Lane/8])
}

// writeWho says where the lanes are: above them, or in words above the tiles.
func (p *lanePainter) writeWho(list []Bracket) {
	var b strings.Builder
	b.WriteString(`<span class="corner">lanes at</span>`)
	if p.lanes.tiles {
		for _, s := range gathered(list) {
			b.WriteString(`<span class="bracket ` + s.State.String() + `">` + s.Text + `</span>`)
		}
		p.who.write(b.String())
		return
	}
	for _, s := range list {
		text := s.Text
		if s.N < 6 {
			if text = s.Short; s.N < 2 {
				text = ""
			}
		}
		b.WriteString(`<span class="bracket ` + s.State.String() + `" title="` + s.Text + `"><b>` + text + `</b></span>`)
	}
	if p.who.write(b.String()) {
		for i, s := range list {
			style := element(p.who.Get("children").Index(i + 1)).Style()
			style.SetProperty("flex-grow", strconv.Itoa(s.N), "")
		}
	}
}

// stripRows is how many rows of the strip are in sight: the registers keep half of the grid's height. An instruction
// with fewer operands leaves the rest empty, so that the registers stay in their places while one steps.
func (p *lanePainter) stripRows(g *LaneGrid) int {
	if g.Strip == nil {
		return 0
	}
	return min(p.mostOperands, max(int(p.height-topHeight-stripTitle)/rowHeight/2, 2))
}

func (p *lanePainter) stripHeight(g *LaneGrid) int {
	if g.Strip == nil {
		return 0
	}
	return stripTitle + rowHeight*p.stripRows(g)
}

func (p *lanePainter) drawStrip() {
	s := p.lanes.Strip
	height := p.stripHeight(&p.lanes)
	p.room.style("--strip", px(height))
	p.strip.style("--strip", px(height))
	p.operands.style("--strip-rows", px(max(height-stripTitle, 0)))
	p.strip.hide(s == nil)
	if s == nil {
		s = &Strip{}
	}
	p.title.write(stripHTML(s, p.stripRows(&p.lanes)))
	for len(p.strips) < len(s.Rows) {
		p.strips = append(p.strips, newRowView())
	}
	for i := range s.Rows {
		p.drawRow(p.strips[i], &s.Rows[i], true)
	}
	for ; p.shownOperands < len(s.Rows); p.shownOperands++ {
		p.operands.Call("append", p.strips[p.shownOperands].el.Value)
	}
	for ; p.shownOperands > len(s.Rows); p.shownOperands-- {
		p.strips[p.shownOperands-1].el.Call("remove")
	}
}

// stripHTML is the line above the operands, of which so many are in sight.
func stripHTML(s *Strip, inSight int) string {
	if s.Text == "" {
		return ""
	}
	more := ""
	if n := len(s.Rows) - inSight; n > 0 {
		more = `<span class="more muted">` + ptx.Plural(n, "more operand") + ` below: scroll</span>`
	}
	moment := func(key, label string, there, on bool) string {
		disabled := ""
		if !there {
			disabled = ` disabled`
		}
		return `<button type="button" data-moment="` + key + `" aria-pressed="` + boolWord(on) + `"` + disabled +
			`>` + label +
			`</button>`
	}
	return `<span class="segmented">` + moment("ran", "Just ran", s.Ran, !s.Upcoming) +
		moment("next", "Runs next", s.Next, s.Upcoming) + `</span><span class="muted">line ` + strconv.Itoa(s.Line) +
		`</span><code>` + html.EscapeString(s.Text) + `</code><span class="sentence">` +
		html.EscapeString(s.Sentence) + `</span>` + more
}

func (p *lanePainter) drawFold() { p.fold.write(foldHTML(p.model, &p.lanes)) }

// foldHTML is the line that names the registers which are folded away.
func foldHTML(m *Model, g *LaneGrid) string {
	var parts []string
	add := func(list []string, what string) {
		if len(list) > 0 {
			names := html.EscapeString(strings.Join(list[:min(len(list), 40)], " "))
			parts = append(parts, strconv.Itoa(len(list))+" "+what+`: <code>`+names+`</code>`)
		}
	}
	add(g.Dead, "dead")
	add(g.Blank, "not written yet")
	if len(parts) == 0 {
		if len(g.Rows) == 0 && m.Filter != "" && absence(m) == "" {
			return `<span role="note">` + html.EscapeString(noMatch(m)) + `</span>`
		}
		return ""
	}
	key := ""
	if len(g.Dead) > 0 || slices.ContainsFunc(g.Rows, func(r LaneRow) bool { return r.Dead }) {
		key = `<span class="key">dead: no lane reads it again</span>`
	}
	return `<button type="button" aria-expanded="` + boolWord(m.Unfolded) + `"><span>` +
		strings.Join(parts, `</span><span>`) + `</span></button>` + key
}

// margin is how many rows are drawn, at least, above and below the visible ones. Each costs the browser a part of each
// step, visible or not.
const margin = 4

// window chooses the rows to draw: all, a window around the scroll position, or only the phone layout's register. The
// window moves only when it must, because then all of its rows are written again.
func (p *lanePainter) window() (start, end int) {
	seen := (int(p.height)-topHeight-p.stripHeight(&p.lanes))/rowHeight + 2
	most := max(seen, 0) + 3*margin
	if len(p.lanes.Rows) <= most {
		return 0, len(p.lanes.Rows)
	}
	if phone() {
		for i := range p.lanes.Rows {
			if p.lanes.Rows[i].Tile {
				return i, i + 1
			}
		}
	}
	last := len(p.lanes.Rows) - most
	first := p.top / rowHeight
	start = min(p.start, last)
	if first < start+margin && start > 0 || first+seen+margin > start+most && start < last {
		start = min(max(first-margin*3/2, 0), last)
	}
	return start, start + most
}

func (p *lanePainter) draw() {
	start, end := p.window()
	p.start = start
	moved := p.arrange(p.lanes.Rows[start:end])
	for i := start; i < end; i++ {
		p.drawRow(p.pool[i-start], &p.lanes.Rows[i], false)
	}
	if moved != nil && p.focused == moved.from.row.Reg {
		focus(moved.part(p.focusedLane+1), true)
	}
	p.above.style("height", px(start*rowHeight))
	rest := 0
	if seen := p.sight(); seen > 0 && len(p.lanes.Rows)*rowHeight > seen && !followsRows(p.model) {
		rest = seen % rowHeight // at the end of the grid, too, the first row is whole
	}
	p.below.style("height", px((len(p.lanes.Rows)-end)*rowHeight+rest))
}

// arrange gives each register the row of the pool that it had, so that one which comes or goes does not write all rows
// below it again. It returns the row that has the focus, if that was moved.
func (p *lanePainter) arrange(rows []LaneRow) (focused *rowView) {
	same := p.shown == len(rows)
	for i := 0; same && i < len(rows); i++ {
		same = p.pool[i].from.row.Reg == rows[i].Reg
	}
	if same {
		return nil
	}
	shown, pool := p.pool[:p.shown], make([]*rowView, len(rows))
	spare := slices.Clone(p.pool[p.shown:])
	had, free := map[string]*rowView{}, map[*rowView]bool{}
	for _, r := range shown {
		had[r.from.row.Reg], free[r] = r, true
	}
	for i := range rows {
		if r := had[rows[i].Reg]; r != nil {
			pool[i] = r
			delete(had, rows[i].Reg)
			delete(free, r)
		}
	}
	for i := range pool {
		if pool[i] == nil && i < len(shown) && free[shown[i]] { // that of another register, in its place
			pool[i] = shown[i]
			delete(free, shown[i])
		}
	}
	var stay []*rowView
	for _, r := range shown {
		if free[r] {
			r.el.Call("remove")
			spare = append(spare, r)
		} else {
			stay = append(stay, r)
		}
	}
	for i := range pool {
		if pool[i] == nil {
			if len(spare) == 0 {
				spare = append(spare, newRowView())
			}
			pool[i], spare = spare[0], spare[1:]
		}
	}
	p.pool, p.shown = append(pool, spare...), len(rows)
	return p.order(stay)
}

// order puts the rows into the document, in which these already are.
func (p *lanePainter) order(stay []*rowView) (focused *rowView) {
	for _, r := range p.pool[:p.shown] {
		if len(stay) > 0 && stay[0] == r {
			stay = stay[1:]
			continue
		}
		next := js.Null()
		if len(stay) > 0 {
			next = stay[0].el.Value
		}
		p.rows.Call("insertBefore", r.el.Value, next)
		if k := slices.Index(stay, r); k >= 0 {
			stay = slices.Delete(stay, k, k+1)
			if r.from.row.Reg == p.focused {
				focused = r
			}
		}
	}
	return focused
}

// sight is the height of the registers that are in sight.
func (p *lanePainter) sight() int {
	seen := int(p.height) - topHeight - p.stripHeight(&p.lanes)
	if p.fold.content != "" {
		seen -= foldHeight
	}
	return seen
}

// written are the rows that the last step wrote: from first to before end, none if they are equal.
func (p *lanePainter) written() (first, end int) {
	rows := p.lanes.Rows
	if first = p.lanes.Changed; first < 0 || p.model.View.Last == nil {
		return 0, 0
	}
	for end = first + 1; end < len(rows) && rows[end].Changed != 0; {
		end++
	}
	return first, end
}

// shows says whether rows are in sight, all of them.
func (p *lanePainter) shows(first, end int) bool {
	return first*rowHeight >= p.top && end*rowHeight <= p.top+p.sight()
}

// reveal scrolls the rows that were written into view, or at least the first of them. They come to the upper third, as
// registers in the table do, so that the next steps scroll nothing; the row at the top of the grid is whole.
func (p *lanePainter) reveal() {
	first, end := p.written()
	seen := p.sight() / rowHeight
	if first == end || seen < 1 || phone() || p.shows(first, end) {
		return
	}
	above := min(seen/3, max(seen-(end-first), 0))
	if to := rowHeight * max(min(first-above, len(p.lanes.Rows)-seen), 0); to != p.top {
		p.top = to
		p.scroll()
	}
}

// scroll scrolls the grid to its place, when it has its rows.
func (p *lanePainter) scroll() { afterDrawing(func() { scroll(p.grid.Value, p.top) }) }

// newRowView makes an empty row.
func newRowView() *rowView {
	el := create("div")
	el.SetAttribute("role", "row")
	return &rowView{el: el}
}

// source is what a row is computed from.
func (p *lanePainter) source(row *LaneRow) rowSource {
	s := rowSource{row: *row, lane: p.lanes.Lane, heads: p.lanes.Heads, room: p.lanes.room,
		active: p.model.View.State.Active}
	s.row.view = nil
	return s
}

// drawRow draws a row, if it shows something else than before. An operand's cells are not those of a register.
func (p *lanePainter) drawRow(r *rowView, row *LaneRow, operand bool) {
	row.base = p.lanes.base(row)
	from, values, old := p.source(row), valuesOf(row), r.from.row.Reg
	if r.from == from && r.was == values && r.label != "" {
		return
	}
	r.from, r.was = from, values
	cells := p.lanes.cells(row)
	var looks [32]look
	for lane := range cells {
		c := &cells[lane]
		if c.Flags&(CellUnwritten|CellHidden) != 0 && !p.lanes.tiles {
			c.Flags &^= CellInactive // it would look the same, and each cell with another class is styled again
		}
		looks[lane] = look{c.Text, cellClass(*c), c.Note, from.active.Has(lane)}
	}
	if class := rowClass(row); class != r.class {
		r.class = class
		r.el.SetClass(class)
	}
	label := rowHead(row, operand, p.letters)
	if operand && old != row.Reg {
		r.el.SetAttribute("data-operand", row.Reg)
	}
	other := old != row.Reg && !operand // the row has been another register's
	if r.label == "" || other && old == p.focused {
		r.el.SetInnerHTML(rowHTML(label, row, &looks, operand)) // the focus must not go to a cell of another register
	} else {
		r.change(label, other, operand, &looks)
	}
	if other && p.focused == row.Reg {
		focus(r.part(p.focusedLane+1), true)
	}
	r.label, r.looks = label, looks
}

// part is a part of the row: its header, then the cells.
func (r *rowView) part(i int) *dom.BasicHTMLElement { return element(r.el.Get("children").Index(i)) }

// change touches the cells that look different, in one call of the page (editor/cells.js). The row may have been that
// of another register; an operand's row has another head.
func (r *rowView) change(label string, other, operand bool, looks *[32]look) {
	var changes cellChanges
	if other {
		changes.note(0, "r", r.from.row.Reg)
	}
	if label != r.label && operand {
		name, typ, class := operandHead(&r.from.row)
		changes.note(0, "h", name+"\t"+typ+"\t"+class)
	} else if label != r.label {
		r.part(0).SetInnerHTML(label)
	}
	for lane := range looks {
		was, now := &r.looks[lane], &looks[lane]
		if now.text != was.text {
			changes.note(lane, "t", now.text)
		}
		if now.class != was.class {
			changes.note(lane, "c", now.class)
		}
		if now.note != was.note {
			changes.note(lane, "n", now.note)
		}
		if now.active != was.active {
			changes.note(lane, "a", boolWord(now.active))
		}
	}
	changes.write(r.el)
}

// cellChanges is what is written into the cells of a row, as editor/cells.js reads it.
type cellChanges []byte

func (c *cellChanges) note(lane int, key, value string) {
	*c = append(*c, "\n"+laneNames[lane]+"\t"+key+"\t"+value...)
}

// write writes all of it into a row in one call.
func (c cellChanges) write(row *dom.BasicHTMLElement) {
	if len(c) > 0 {
		js.Global().Get("WarpscopeEditor").Call("writeCells", row.Value, string(c[1:]))
	}
}

// rowHead is the name of a row, its type, which chooses how it is read, and its pin. It has room for so many letters.
func rowHead(row *LaneRow, operand bool, letters int) string {
	if operand {
		name, typ, class := operandHead(row)
		name, typ = html.EscapeString(name), html.EscapeString(typ)
		return `<b title="` + name + `">` + name + `</b><small class="` + class + `" title="` + typ + `">` + typ + `</small>`
	}
	name := html.EscapeString(row.Reg)
	typ := strings.TrimPrefix(row.Type, ".")
	whole := typ
	if row.base != "" {
		typ, whole = baseWords(row.base, letters-utf8.RuneCountInString(row.Reg)), row.base+"+"
	}
	if row.as != ByType && row.chosen {
		typ, whole = string(row.as), string(row.as)
	}
	typ, whole = html.EscapeString(typ), html.EscapeString(whole)
	return `<b title="` + name + `">` + name + `</b><button type="button" class="reading" tabindex="-1" data-read="` +
		name + `" aria-label="Read ` + name + ` as, now ` + whole + `" title="` + whole + `: choose how it is read">` +
		typ + `</button>` + pinButton(row)
}

// operandHead is what the head of a row of the strip says: the operand, its role or its region, and a class.
func operandHead(row *LaneRow) (name, typ, class string) {
	typ = strings.TrimPrefix(row.Type, ".")
	if typ == row.base+"+" { // whole: the operand's name is in the instruction, too
		class = "base"
	}
	return row.Reg, typ, class
}

// rowHTML writes a row: its header and 32 cells.
func rowHTML(label string, row *LaneRow, looks *[32]look, operand bool) string {
	var b strings.Builder
	of := `gridcell" data-reg="` + html.EscapeString(row.Reg)
	if operand { // the row says which one
		of = "cell"
	}
	b.WriteString(`<span role="rowheader" tabindex="-1">` + label + `</span>`)
	for lane := range looks {
		l := &looks[lane]
		b.WriteString(`<span role="` + of + `" data-lane="` + laneNames[lane] + `" data-active="` + boolWord(l.active))
		if l.class != "" {
			b.WriteString(`" class="` + l.class)
		}
		if l.note != "" {
			b.WriteString(`" data-note="` + l.note)
		}
		b.WriteString(`">` + html.EscapeString(l.text) + `</span>`)
	}
	return b.String()
}

// laneNames are the numbers of the lanes.
var laneNames = func() (names [32]string) {
	for lane := range names {
		names[lane] = strconv.Itoa(lane)
	}
	return names
}()

func rowClass(row *LaneRow) string {
	class := "lane-row"
	if row.Pinned {
		class += " pinned"
	}
	if row.Tile {
		class += " tile"
	}
	if row.Dead {
		class += " dead"
	}
	if row.Changed != 0 {
		class += " written"
	}
	return class
}

// cellLooks are the names of flags in the style sheet.
var cellLooks = [...]struct {
	flag CellFlags
	name string
}{{CellInactive, "off "}, {CellUnwritten, "unwritten "}, {CellPred, "pred "}, {CellSet, "set "},
	{CellPointer, "pointer "},
	{CellGone, "gone "}, {CellUndefined, "undefined "}, {CellJoined, "join "}, {CellFirst, "first "}, {CellLast, "last "},
	{CellCovered, "covered "}, {CellHidden, "hidden "}, {CellTwo, "two "}, {CellSmall, "small "},
	{CellHalves, "halves "}, {CellThree, "three "}, {CellPair, "pair "}, {CellChanged, "glow "}}

// cellClass is the class of a cell, from which the style sheet takes its looks.
func cellClass(cell LaneCell) string {
	class := ""
	for _, look := range cellLooks {
		if cell.Flags&look.flag != 0 {
			class += look.name
		}
	}
	return class
}
