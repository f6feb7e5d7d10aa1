package ui

import (
	"maps"
	"slices"

	"warpscope/debug"
)

// sparing is an editor that is told only what differs from what it was told before: each call is a transaction, which
// looks at the whole page, and a keystroke makes several of them for nothing. Marks move with their lines in the editor
// itself, so lines that have other numbers after an edit are told again.
type sparing struct {
	Editor
	stripes told[map[int]int]
	lit     told[[]int]
	shown   told[sight]
}

// newSparing is such an editor of one that shows no marks yet.
func newSparing(editor Editor) *sparing {
	e := &sparing{Editor: editor}
	e.stripes.known, e.lit.known = true, true
	return e
}

// told is what the editor was told last.
type told[T any] struct {
	value T
	known bool
}

// isNews says whether a value is another one than the editor was told last, and remembers it.
func (t *told[T]) isNews(value T, equal func(a, b T) bool) bool {
	if t.known && equal(t.value, value) {
		return false
	}
	t.value, t.known = value, true
	return true
}

// sight is what Show shows.
type sight struct {
	groups   []debug.Group
	troubles []trouble
	heat     heat
	warps    []lineWarps // the other ones
}

func sightOf(m *Model) sight {
	s := sight{heat: m.heat()}
	if !m.Running && !m.Stale {
		s.groups, s.troubles, s.warps = m.View.Groups, troubles(m), otherWarps(m, sameLine)
	}
	return s
}

func (s sight) equal(o sight) bool {
	return slices.Equal(s.groups, o.groups) && slices.Equal(s.troubles, o.troubles) && s.heat.equal(o.heat) &&
		slices.Equal(s.warps, o.warps)
}

// forget is called when the editor may hold another text.
func (e *sparing) forget() { *e = sparing{Editor: e.Editor} }

// SetText implements Editor.
func (e *sparing) SetText(text string) string {
	e.forget()
	return e.Editor.SetText(text)
}

// Turn implements Editor. The other text comes with the marks that it had.
func (e *sparing) Turn(from, to int, text string) string {
	e.forget()
	return e.Editor.Turn(from, to, text)
}

// Show implements Editor.
func (e *sparing) Show(m *Model, reveal int) {
	if e.shown.isNews(sightOf(m), sight.equal) || reveal > 0 {
		e.Editor.Show(m, reveal)
	}
}

// SetStripes implements Editor.
func (e *sparing) SetStripes(colours map[int]int) {
	if e.stripes.isNews(colours, maps.Equal) {
		e.Editor.SetStripes(colours)
	}
}

// SetLit implements Editor.
func (e *sparing) SetLit(lines []int) {
	if e.lit.isNews(lines, slices.Equal) {
		e.Editor.SetLit(lines)
	}
}
