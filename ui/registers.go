package ui

import (
	"fmt"
	"html"
	"strings"

	"warpscope/launch"
	"warpscope/ptx/isa"
)

// registerRow is one register of one lane. It is comparable, so that unchanged rows are not rendered again.
type registerRow struct {
	Reg, Type           string
	Value               string // by its type
	Hex, Decimal, Float string // other readings; "" where they make no sense
	Pred, Set           bool
	Unwritten, Changed  bool
	Undefined           bool
	Pinned              bool
}

// maxRegisterRows bounds the table; the others can be reached by the filter.
const maxRegisterRows = 120

// registerRows computes the table for the selected lane, and how many registers it leaves out.
func registerRows(m *Model) (rows []registerRow, more int) {
	g := laneGrid(m)
	for i := range g.Rows {
		if len(rows) == maxRegisterRows {
			return rows, len(g.Rows) - i
		}
		rows = append(rows, g.register(&g.Rows[i]))
	}
	return rows, 0
}

func (g *LaneGrid) register(row *LaneRow) registerRow {
	cell, t := g.cell(row, g.Lane), row.view.Reg.Type
	r := registerRow{Reg: row.Reg, Type: row.Type, Value: cell.Text, Pinned: row.Pinned,
		Pred: cell.Flags&CellPred != 0, Set: cell.Flags&CellSet != 0,
		Unwritten: cell.Flags&CellUnwritten != 0, Changed: cell.Flags&CellChanged != 0,
		Undefined: cell.Flags&CellUndefined != 0}
	if r.Unwritten || r.Pred || cell.Text == "" {
		return r
	}
	lo, hi := laneValue(*row.view, g.Lane)
	r.Hex = fullHex(t, lo, hi)
	if hi != nil || cell.Flags&CellPointer != 0 {
		return r
	}
	if t.Class() != isa.Float {
		r.Decimal = launch.FormatValue(readAs(isa.BitsType(t.Bits()), AsSigned), lo, 0)
	}
	if float := readAs(isa.BitsType(t.Bits()), AsFloat); t.Class() == isa.Bits && float.Class() == isa.Float {
		r.Float = launch.FormatValue(float, lo, 0)
	} else if t.Class() == isa.Float {
		r.Float = r.Value
	}
	return r
}

// registerHTML writes the table's body. It is one piece of HTML because a step can change every row of it.
func registerHTML(rows []registerRow) string {
	var b strings.Builder
	for i := range rows {
		r := &rows[i]
		reg := html.EscapeString(r.Reg)
		value := html.EscapeString(r.Value)
		fmt.Fprintf(&b, `<tr class="%s"><th scope="row">%s<button type="button" class="pin" data-pin="%s" `+
			`aria-label="Pin %s" aria-pressed="%t" title="Keep on top">%s</button></th><td class="type">%s</td>`+
			`<td class="value%s" title="%s">%s</td><td class="hex">%s</td><td class="dec">%s</td><td class="float">%s</td></tr>`,
			r.classes(), reg, reg, reg, r.Pinned, pinPicture, r.Type, r.predClasses(), value, value, r.Hex, r.Decimal, r.Float)
	}
	return b.String()
}

func (r *registerRow) classes() string {
	class := ""
	if r.Changed {
		class += "changed "
	}
	if r.Unwritten {
		class += "unwritten "
	}
	if r.Undefined {
		class += "undefined "
	}
	if r.Pinned {
		class += "pinned"
	}
	return class
}

func (r *registerRow) predClasses() string {
	switch {
	case r.Set:
		return " pred set"
	case r.Pred:
		return " pred"
	}
	return ""
}

// pinPicture is glyphPin as text.
const pinPicture = `<svg viewBox="0 0 16 16" class="glyph" aria-hidden="true"><path d="` + glyphPin + `"/></svg>`

const glyphPin = "M5 1.5h6v1.4l-1 .7v3.1l2 1.9V10H8.7v4.5H7.3V10H4V8.6l2-1.9V3.6l-1-.7z"

// selectedWords says what the selected lane is doing.
func selectedWords(m *Model) string {
	if m.View.State == nil {
		return ""
	}
	w := withThreads(&m.View)
	return laneWords(w, laneStates(w))[m.Lane]
}
