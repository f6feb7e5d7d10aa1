package ui

import (
	"html"
	"slices"
	"strings"

	"warpscope/ptx/isa"
	"warpscope/ui/workspace"
)

// column is a column of the registers panel that can be chosen. Value is always there.
type column struct {
	key, label string
	as         Bits // how it reads values
}

// columnType is the column that is not a reading.
const columnType = "type"

var columns = []column{{columnType, "Type", ByType}, {"hex", "Hex", AsHex}, {"unsigned", "Unsigned", AsUnsigned},
	{"signed", "Signed", AsSigned}, {"float", "Float", AsFloat}, {"binary", "Binary", AsBinary}}

// columns are the keys of the chosen columns.
func (m *Model) columns() []string {
	if m.Columns == nil {
		return []string{columnType, "hex", "signed"}
	}
	return m.Columns
}

// chosenColumns are the chosen columns, in their order.
func (m *Model) chosenColumns() (list []column) {
	chosen := m.columns()
	for _, c := range columns {
		if slices.Contains(chosen, c.key) {
			list = append(list, c)
		}
	}
	return list
}

// registerTable is every register of the selected lane. Rows are worked out when they are drawn.
type registerTable struct {
	grid    LaneGrid
	columns []column
}

func newRegisterTable(m *Model) *registerTable {
	return &registerTable{laneGrid(m), m.chosenColumns()}
}

// nameLetters is the length of the longest name.
func (t *registerTable) nameLetters() int {
	letters := 4 // as "Name"
	for i := range t.grid.Rows {
		letters = max(letters, len(t.grid.Rows[i].Reg))
	}
	return letters
}

// cells are the texts of a register's row: its value, and the readings of the chosen columns.
func (t *registerTable) cells(row *LaneRow) (value LaneCell, readings []string) {
	g := &t.grid
	row.base = ""
	value = g.cell(row, g.Lane)
	typ := row.view.Reg.Type
	lo, hi := laneValue(*row.view, g.Lane)
	for _, c := range t.columns {
		text := ""
		switch {
		case c.key == columnType:
			text = row.Type
		case value.Flags&(CellUnwritten|CellPred) != 0 || value.Text == "":
		case c.as == AsHex:
			text = fullHex(typ, lo, hi)
		case c.as == AsBinary && hi == nil:
			text = formatValue(typ, lo, nil, AsBinary)
		case hi == nil && readAs(isa.BitsType(typ.Bits()), c.as) != isa.BitsType(typ.Bits()):
			text = formatValue(isa.BitsType(typ.Bits()), lo, nil, c.as)
		}
		readings = append(readings, text)
	}
	return value, readings
}

// html writes the rows from … to-1.
func (t *registerTable) html(from, to int) (rows []string) {
	for i := from; i < to; i++ {
		var b strings.Builder
		row := &t.grid.Rows[i]
		value, readings := t.cells(row)
		reg, text := html.EscapeString(row.Reg), html.EscapeString(value.Text)
		b.WriteString(`<tr class="` + rowState(row, value) + `"><th scope="row" title="` + reg + `">` + reg + pinButton(row) +
			`</th><td tabindex="-1" data-register="` + reg + `" class="value` + predClasses(value) +
			`" title="` + text + `">` + text + `</td>`)
		for k, c := range t.columns {
			b.WriteString(`<td class="` + c.key + `" title="` + readings[k] + `">` + readings[k] + `</td>`)
		}
		b.WriteString(`</tr>`)
		rows = append(rows, b.String())
	}
	return rows
}

// rowState is the class of a register's row.
func rowState(row *LaneRow, value LaneCell) string {
	var list []string
	for _, look := range []struct {
		on   bool
		name string
	}{{value.Flags&CellChanged != 0, "changed"}, {value.Flags&CellUnwritten != 0, "unwritten"},
		{value.Flags&CellUndefined != 0, "undefined"}, {row.Pinned, "pinned"}, {row.Dead, "dead"}} {
		if look.on {
			list = append(list, look.name)
		}
	}
	return strings.Join(list, " ")
}

func predClasses(value LaneCell) string {
	switch {
	case value.Flags&CellSet != 0:
		return " pred set"
	case value.Flags&CellPred != 0:
		return " pred"
	}
	return ""
}

// pinButton keeps a register on top. Tab does not stop at it: P pins the row that has the focus.
func pinButton(row *LaneRow) string {
	reg := html.EscapeString(row.Reg)
	return `<button type="button" class="pin" tabindex="-1" data-pin="` + reg + `" aria-label="Pin ` + reg +
		`" aria-pressed="` + boolWord(row.Pinned) + `" title="Keep on top (P)">` + pinPicture + `</button>`
}

// pinPicture is glyphPin as text.
const pinPicture = `<svg viewBox="0 0 16 16" class="glyph" aria-hidden="true"><path d="` + glyphPin + `"/></svg>`

const glyphPin = "M5 1.5h6v1.4l-1 .7v3.1l2 1.9V10H8.7v4.5H7.3V10H4V8.6l2-1.9V3.6l-1-.7z"

// registersNote says why the table is empty.
func registersNote(m *Model, rows int) string {
	if note := absence(m); note != "" || rows > 0 {
		return note
	}
	return noMatch(m)
}

// noMatch says that the filter leaves nothing.
func noMatch(m *Model) string { return "No register of this function matches “" + m.Filter + "”." }

// inSight says whether a panel is drawn: it is in front in its place, or the phone layout shows it. Frames draw all.
func (m *Model) inSight(panel string) bool {
	chosen := m.tab() == panel
	return slices.ContainsFunc(m.screen().Places, func(p workspace.Place) bool {
		return p.Panel == panel && m.seen(p, chosen)
	}) || m.Room.W == 0
}

// seen says whether the panel in a place is drawn; chosen is for the panel that the phone layout shows.
func (m *Model) seen(p workspace.Place, chosen bool) bool {
	return m.Room.W == 0 || chosen || p.Front && !p.Folded
}

// selectedWords says what the selected lane is doing.
func selectedWords(m *Model) string {
	if m.View.State == nil {
		return ""
	}
	w := withThreads(&m.View)
	return laneWords(w, laneStates(w))[m.Lane]
}
