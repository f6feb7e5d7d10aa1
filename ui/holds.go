package ui

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
)

// holdsPanel is the panel of who holds what: elements of matrices, and values that lanes exchange.
const holdsPanel = "holds"

// Actions of the panel.
type (
	ShowMatrix  struct{ At int }
	ShowColumns struct{ From int } // of a wide matrix
	ShowRows    struct{ From int } // of a high one
	ShowPlaces  struct{ On bool }  // the memory that it is in, and not its rows
)

// heldChoice is what the panel draws of a Holding.
type heldChoice struct {
	Matrix   int // its number
	Col, Row int // the first ones that are drawn
	InPlaces bool
}

// holdsAction applies an action of the panel.
func (s *Store) holdsAction(action Action) bool {
	switch a := action.(type) {
	case ShowMatrix:
		s.update(func(m *Model) { m.Held = heldChoice{Matrix: a.At, InPlaces: m.Held.InPlaces} })
	case ShowColumns:
		s.update(func(m *Model) { m.Held.Col = a.From })
	case ShowRows:
		s.update(func(m *Model) { m.Held.Row = a.From })
	case ShowPlaces:
		s.update(func(m *Model) { m.Held = heldChoice{Matrix: m.Held.Matrix, InPlaces: a.On} })
	default:
		return false
	}
	return true
}

// noHolding is what the panel says when there is nothing to show.
func noHolding(m *Model) string {
	return cmp.Or(m.unasked(), "Neither the instruction that just ran nor the next one is a shfl, vote, match, redux, "+
		"ldmatrix, stmatrix, mma, wmma, wgmma.mma_async, tcgen05.ld, tcgen05.st, tcgen05.mma or tcgen05.cp.")
}

// holdsHead says which instruction the panel is about, and when.
func holdsHead(h *debug.Holding) (code, when string) {
	when = fmt.Sprintf("line %d, just ran", h.Line)
	if h.Upcoming {
		when = fmt.Sprintf("line %d, runs next", h.Line)
	}
	return accessCode(h.Text), when
}

// exchangeItem is what a lane gets.
type exchangeItem struct {
	Lane  int
	Text  string
	Words string
	From  emu.Mask
	Own   bool // it keeps its own value
}

// exchangeItems are what the lanes that take part get, in words.
func exchangeItems(h *debug.Holding) (items []exchangeItem) {
	e := h.Exchange
	name := h.Inst.Match.Form.Mnemonic
	for lane := range 32 {
		if !e.Lanes.Has(lane) {
			continue
		}
		it := exchangeItem{Lane: lane, From: e.From[lane], Own: e.From[lane] == 1<<lane}
		gets := ""
		if e.Gets != nil && e.Gets.Known.Has(lane) {
			gets = formatValue(e.Gets.Type, e.Gets.Values[lane], nil, exchangeBits(name))
		}
		from := lanesWords(it.From)
		switch {
		case name == "shfl" && !e.InRange.Has(lane):
			it.Text, it.Words = "own", fmt.Sprintf("lane %d is out of range and keeps its own value", lane)
		case name == "shfl":
			it.Text, it.Words = "← "+strconv.Itoa(firstOf(it.From)), fmt.Sprintf("lane %d gets the value of %s", lane, from)
		case name == "match":
			it.Text, it.Words = "", fmt.Sprintf("lane %d has the same value as %s", lane, from)
		default:
			it.Text, it.Words = "", fmt.Sprintf("lane %d gets what %s give together", lane, from)
		}
		if gets != "" {
			it.Text = strings.TrimSpace(it.Text + " " + gets)
			it.Words += ": " + gets
		}
		items = append(items, it)
	}
	return items
}

// exchangeBits is how results are read: masks in hex.
func exchangeBits(name string) Bits {
	if name == "vote" || name == "match" {
		return AsHex
	}
	return ByType
}

func firstOf(mask emu.Mask) int {
	for lane := range 32 {
		if mask.Has(lane) {
			return lane
		}
	}
	return 0
}

// The ring: lanes are on a circle, clockwise from the top.
const (
	ringSize   = 260
	ringRadius = 104
	ringDot    = 8.5
)

func ringPoint(lane int, radius float64) (x, y float64) {
	turn := 2 * math.Pi * float64(lane) / 32
	return ringSize/2 + radius*math.Sin(turn), ringSize/2 - radius*math.Cos(turn)
}

// ringLine is the way of a value from a lane to another, past the middle; from a lane to the middle where it goes to
// all.
func ringLine(from, to int) string {
	x1, y1 := ringPoint(from, ringRadius-ringDot-1)
	x2, y2 := ringPoint(to, ringRadius-ringDot-1)
	cx, cy := ringPoint(from, ringRadius*.35)
	dx, dy := ringPoint(to, ringRadius*.35)
	return fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, y1, cx, cy, dx, dy, x2, y2)
}

// ringLines are the lines of an exchange. Of shfl each goes from the source to the lane; lanes with one value of match
// are joined in turn; of vote and redux all lanes go to the middle.
func ringLines(h *debug.Holding, followed int) (lines, own string) {
	e := h.Exchange
	var all, mine strings.Builder
	add := func(d string, of ...int) {
		to := &all
		for _, lane := range of {
			if lane == followed {
				to = &mine
			}
		}
		to.WriteString(d)
	}
	for lane := range 32 {
		if !e.Lanes.Has(lane) {
			continue
		}
		switch h.Inst.Match.Form.Mnemonic {
		case "shfl":
			if from := firstOf(e.From[lane]); from != lane {
				add(ringLine(from, lane), lane)
			}
		case "match":
			if later := e.From[lane] &^ (1<<(lane+1) - 1); later != 0 {
				next := firstOf(later)
				add(ringLine(lane, next), lane, next)
			}
		default:
			x, y := ringPoint(lane, ringRadius-ringDot-1)
			cx, cy := ringPoint(lane, 26)
			add(fmt.Sprintf("M%.1f %.1fL%.1f %.1f", x, y, cx, cy), lane)
		}
	}
	return all.String(), mine.String()
}

// clipped is a text of so many characters at most.
func clipped(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// exchangeWords is the picture in a sentence.
func exchangeWords(h *debug.Holding) string {
	e := h.Exchange
	lanes := e.Lanes.Count()
	n := ptx.Plural(lanes, "lane")
	does := func(n int, one, more string) string {
		if n == 1 {
			return one
		}
		return more
	}
	switch h.Inst.Match.Form.Mnemonic {
	case "shfl":
		own := (e.Lanes &^ e.InRange).Count()
		if own == 0 {
			return n + does(lanes, " gets", " get") + " the value of another lane."
		}
		return fmt.Sprintf("%s: %d %s the value of another lane, %d %s.", n, lanes-own, does(lanes-own, "gets", "get"), own,
			does(own, "is out of range and keeps its own", "are out of range and keep their own"))
	case "match":
		groups := map[emu.Mask]bool{}
		for lane := range 32 {
			if e.Lanes.Has(lane) {
				groups[e.From[lane]] = true
			}
		}
		return fmt.Sprintf("%s %s %s; each gets the mask of the lanes that have its own.", n, does(lanes, "has", "have"),
			ptx.Plural(len(groups), "different value"))
	case "vote":
		return n + does(lanes, " gives a predicate, and gets the answer.", " give a predicate each, and get the same answer.")
	}
	return n + does(lanes, " gives a value, and gets the result.", " give a value each, and all get the result.")
}
