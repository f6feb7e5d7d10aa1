package ui

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// How much of a row of 32 cells is drawn. All cells have their texts; what this file decides is paint.
//
// If all lanes agree, the row is one wide cell. Four or more neighbours that agree and are in the same state are one
// cell with the value in its first place and in the place of the followed lane. Addresses that grow evenly show the
// first, the last and the difference. A row that has just been written is never one wide cell.

// least is how many neighbours are joined.
const least = 4

// laneKind is what neighbours must agree in.
type laneKind struct {
	state   LaneState
	flags   CellFlags
	written bool
}

// join finds the runs of lanes that are drawn as one cell.
func (g *LaneGrid) join(row *LaneRow, cells *[32]LaneCell) {
	if row.plain {
		return
	}
	wide := row.Changed == 0
	for from := 0; from < 32; {
		step, to := g.run(row, cells, from, wide)
		if wide = false; to-from >= least {
			g.paint(row, cells, from, to, step)
		} else if step == 0 {
			from = to
			continue
		} else {
			to = from + 1
		}
		from = to
	}
}

// run is the longest run from a lane on: of equal values, or of addresses that grow by step. wide says that lanes in
// different states belong together if all of them agree.
func (g *LaneGrid) run(row *LaneRow, cells *[32]LaneCell, from int, wide bool) (step int64, to int) {
	if wide && g.length(row, cells, 0, 0, false) == 32 {
		return 0, 32
	}
	if to = g.length(row, cells, from, 0, true); to-from >= least || row.base == "" || from == 31 {
		return 0, to
	}
	step = int64(row.view.Lo[from+1] - row.view.Lo[from])
	if step == 0 || cells[from].Flags&CellChanged != 0 {
		return 0, to
	}
	return step, g.length(row, cells, from, step, true)
}

// length is where a run ends.
func (g *LaneGrid) length(row *LaneRow, cells *[32]LaneCell, from int, step int64, states bool) (to int) {
	kind := func(lane int) laneKind {
		k := laneKind{flags: cells[lane].Flags & (CellChanged | CellUndefined), written: row.view.Written.Has(lane)}
		if states {
			k.state, k.flags = g.Heads[lane], cells[lane].Flags&^CellSet
			if k.state == LaneFalls || k.state == LaneGuarded {
				k.state = LaneActive
			}
		}
		return k
	}
	want, first := kind(from), row.view.Lo[from]
	if !want.written || cells[from].Text == "" {
		return from + 1
	}
	for to = from + 1; to < 32; to++ {
		lo, hi := laneValue(*row.view, to)
		_, top := laneValue(*row.view, from)
		if cells[to].Text == "" || kind(to) != want || lo != first+uint64(step)*uint64(to-from) || upper(hi) != upper(top) {
			break
		}
	}
	return to
}

// paint makes one cell of the lanes from … to-1.
func (g *LaneGrid) paint(row *LaneRow, cells *[32]LaneCell, from, to int, step int64) {
	covered := from + g.room.places(cells[from].Text)
	note := ""
	switch {
	case step != 0:
		note = "+" + strconv.FormatInt(step, 10) + " a lane"
		note = strings.Replace(note, "+-", "−", 1)
	case to-from == g.view.State.Present.Count() && row.Changed == 0:
		note = "all " + strconv.Itoa(to-from) + " lanes"
	}
	for lane := from; lane < to; lane++ {
		c := &cells[lane]
		c.Flags |= CellJoined
		switch {
		case lane == from:
			c.Flags |= CellFirst
		case lane < covered:
			c.Flags |= CellCovered | CellHidden
		case step != 0 && lane == to-1:
			c.Flags |= CellEven
		case lane != g.Lane:
			c.Flags |= CellHidden
		}
		if lane == to-1 {
			c.Flags |= CellLast
		}
	}
	at, width := covered, g.room.places(note)
	if g.Lane >= at && g.Lane < at+width && g.Lane < to {
		at = g.Lane + g.room.places(cells[g.Lane].Text)
	}
	if note != "" && at+width < to {
		cells[at].Note = note
		for lane := at; lane < at+width; lane++ {
			cells[lane].Flags |= CellCovered
		}
	}
}

// cellRoom is the room that a value has in a cell: the cell's width, and the width of a letter in a value of one line.
type cellRoom struct {
	width, letter float64
	lines         int // of a value that does not fit in one
}

// gridCell and tileCell give the room in cells of a width: in the grid's rows, and in the tiles of the phone layout
// (lanes.css, phone.css).
func gridCell(width float64) cellRoom {
	if width < 36 {
		return cellRoom{width, smallLetter, 2}
	}
	return cellRoom{width, 7.25, 2}
}

func tileCell(width float64) cellRoom { return cellRoom{width - 4, 8.45, 2} }

// smallLetter is the width of a letter of 11 pixels, of the widest common font, moved together by the style sheet.
const smallLetter = 6.3

// line is how many letters a line holds; small ones where a value takes several lines.
func (r cellRoom) line(small bool) int {
	letter := r.letter
	if small {
		letter = smallLetter
	}
	return max(int((r.width-2)/letter), 1)
}

// places is how many cells a text takes when it may leave its own.
func (r cellRoom) places(text string) int {
	return int((float64(utf8.RuneCountInString(text))*r.letter+6)/max(r.width, 1)) + 1
}

// fit makes a value fit its cell: in one line, or in several of small letters. Floats lose digits, hex numbers their
// 0x, and what still has no room is cut; hex numbers in their middle. The hover text has the whole value. Packed values
// have a line each, and so have the name and the offset of an address: a long name is cut, not the offset.
func (r cellRoom) fit(c *LaneCell) {
	most, all := r.lines*r.line(true), utf8.RuneCountInString(c.Text)
	digits, hex := strings.CutPrefix(c.Text, "0x")
	at := strings.IndexByte(c.Text, '+')
	switch n := len(digits); {
	case all <= r.line(false):
	case hex && (n == 7 || n == 8) && n <= most:
		c.Text = digits
	case at > 0 && c.Text[0] > '9' && all > r.line(true) && len(c.Text)-at <= r.line(true):
		c.Text = shorter(c.Text[:at], r.line(true)) + " " + c.Text[at:]
	default:
		c.Text = shorter(c.Text, most)
	}
	switch n, packed := utf8.RuneCountInString(c.Text), strings.Contains(c.Text, " "); {
	case n > r.line(true):
		if c.Flags |= CellTwo; hex && n <= 8 {
			c.Flags |= halves(n)
		}
	case n > r.line(false), packed && n+2 > r.line(false): // what is packed would run into what its neighbours have
		c.Flags |= CellSmall
	}
}

// halves says how many letters of a hex number of two lines are in the first: the second has its four lowest digits, or
// all that there are.
func halves(letters int) CellFlags {
	switch letters {
	case 8:
		return CellHalves
	case 7:
		return CellHalves | CellThree
	}
	return CellHalves | CellPair
}

// shorter writes a value in at most so many letters.
func shorter(text string, most int) string {
	if strings.ContainsAny(text, ".e") && !strings.Contains(text, "x") {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			short := strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "e+0", "e", 1)
			text = strings.Replace(strings.Replace(short, "e-0", "e-", 1), "e+", "e", 1)
		}
	}
	digits, hex := strings.CutPrefix(text, "0x")
	switch r := []rune(text); {
	case len(r) <= most:
		return text
	case hex && len(digits) <= most:
		return digits
	case hex: // lanes differ in the lowest digits: a line ends with these
		line := most / 2
		return digits[:most-line-1] + "…" + digits[len(digits)-line:]
	default:
		return string(r[:most-1]) + "…"
	}
}
