package ui

import (
	"fmt"
	"math"
	"slices"

	"warpscope/debug"
	"warpscope/ptx"
)

// markKind is how a kind of mark is named and drawn.
type markKind struct{ class, name, glyph string }

// markKindOf are the kinds by debug.MarkKind. Their glyphs are drawn in a box of 16 x 16.
var markKindOf = [debug.MarkKinds]markKind{
	debug.MarkSplit:   {"split", "divergence", "M1 7h5l6-5 1.2 1.5L7.8 8l5.4 4.5L12 14 6 9H1z"},
	debug.MarkJoin:    {"join", "reconvergence", "M15 7h-5L4 2 2.8 3.5 8.2 8l-5.4 4.5L4 14l6-5h5z"},
	debug.MarkBarrier: {"barrier", "barrier", "M4 2h3v12H4zM9 2h3v12H9z"},
	debug.MarkStop:    {"stop", "breakpoint", "M8 3a5 5 0 1 1 0 10A5 5 0 1 1 8 3z"},
	debug.MarkWatch: {"stop", "watchpoint",
		"M8 2a6 6 0 1 1 0 12A6 6 0 1 1 8 2zm0 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 1 0 0-7z"},
	debug.MarkOutput:  {"output", "output", "M2 3h12v7H8l-3 3v-3H2z"},
	debug.MarkFinding: {"finding", "finding", "M8 2l6.5 12h-13z"},
	debug.MarkFault: {"fault", "fault",
		"M8 1l7 7-7 7-7-7zM5.6 4.6l-1 1L7 8l-2.4 2.4 1 1L8 9l2.4 2.4 1-1L9 8l2.4-2.4-1-1L8 7z"},
	debug.MarkEnd: {"end", "end",
		"M3.6 2.5 8 6.9l4.4-4.4 1.1 1.1L9.1 8l4.4 4.4-1.1 1.1L8 9.1l-4.4 4.4-1.1-1.1L6.9 8 2.5 3.6z"},
}

// markRank says which kind stands for a group of several: the most remarkable.
var markRank = [debug.MarkKinds]int{debug.MarkFault: 9, debug.MarkFinding: 8, debug.MarkEnd: 7, debug.MarkStop: 6,
	debug.MarkWatch: 5, debug.MarkOutput: 4, debug.MarkBarrier: 3, debug.MarkSplit: 2, debug.MarkJoin: 1}

// markGroup is marks that are drawn as one.
type markGroup struct {
	Mark  debug.Mark // to visit
	Count int        // of its kind: the number beside its shape
	Part  float64    // of the rail, from 0 to 1
	Words string
}

// Marks closer than markGap pixels merge; the number of those that share a shape needs room as well, and some air after
// it.
const (
	markGap   = 6
	markGlyph = 12
	markDigit = 7
	markAir   = 5
)

// markGroups merges the marks of a run with end ticks for a rail of a width.
func markGroups(marks []debug.Mark, end int64, width int) (groups []markGroup) {
	if end <= 0 || width <= 0 {
		return nil
	}
	var counts [debug.MarkKinds]int
	edge, last := math.Inf(-1), int64(0)
	finish := func() {
		if n := len(groups); n > 0 {
			groups[n-1].Words = markWords(&groups[n-1], counts, last)
		}
	}
	for _, mark := range marks {
		part := float64(mark.Tick) / float64(end)
		x := part * float64(width)
		if x >= edge {
			finish()
			groups = append(groups, markGroup{Mark: mark, Part: part})
			counts = [debug.MarkKinds]int{}
			edge = x + markGap
		}
		g := &groups[len(groups)-1]
		counts[mark.Kind]++
		if markRank[mark.Kind] > markRank[g.Mark.Kind] {
			g.Mark = mark
		}
		g.Count = counts[g.Mark.Kind]
		if last = mark.Tick; g.Count > 1 {
			edge = max(edge, g.Part*float64(width)+markGlyph+markAir+float64(markDigit*len(fmt.Sprint(g.Count))))
		}
	}
	finish()
	return groups
}

// markWords says what a group holds: "barrier, step 12", "2 divergences, 1 reconvergence, steps 3 to 6".
func markWords(g *markGroup, counts [debug.MarkKinds]int, last int64) string {
	words, all := "", 0
	for kind, n := range counts {
		if all += n; n > 0 {
			if words != "" {
				words += ", "
			}
			words += ptx.Plural(n, markKindOf[kind].name)
		}
	}
	if all == 1 {
		return markKindOf[g.Mark.Kind].name + ", step " + count(g.Mark.Tick)
	}
	return fmt.Sprintf("%s, up to step %s", words, count(last))
}

// nextMark is the first mark of a kind after a tick. ok is false if none is known.
func nextMark(marks []debug.Mark, kind debug.MarkKind, tick int64) (mark debug.Mark, ok bool) {
	i := slices.IndexFunc(marks, func(m debug.Mark) bool { return m.Kind == kind && m.Tick > tick })
	if i < 0 {
		return mark, false
	}
	return marks[i], true
}

// nextMarks are the first marks of each kind after a tick. Their Tick is 0 where none is known.
func nextMarks(marks []debug.Mark, tick int64) (next [debug.MarkKinds]debug.Mark) {
	for _, m := range marks {
		if m.Tick > tick && next[m.Kind].Tick == 0 {
			next[m.Kind] = m
		}
	}
	return next
}

// kindsOf are the kinds that a run has, without its end.
func kindsOf(marks []debug.Mark) (kinds []debug.MarkKind) {
	var has [debug.MarkKinds]bool
	for _, m := range marks {
		has[m.Kind] = true
	}
	for kind := range debug.MarkEnd {
		if has[kind] {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Marks are looked for when nothing has happened for surveyDelay milliseconds, for about surveyMS at a time.
const (
	surveyDelay = 200
	surveyPause = 12
	surveyMS    = 4.0
	chartMS     = 100.0 // how often a chart that is being looked for is drawn
)

// surveySoon looks for marks when nothing else is to be done.
func (s *Store) surveySoon() {
	s.stopSurvey()
	s.cancelSurvey = s.platform.After(surveyDelay, s.survey)
}

func (s *Store) stopSurvey() {
	if s.cancelSurvey != nil {
		s.cancelSurvey()
		s.cancelSurvey = nil
	}
}

// survey looks for marks for a few milliseconds, and goes on later if there are more to find.
func (s *Store) survey() {
	s.cancelSurvey = nil
	machine := s.machine(s.model)
	if s.model.Running || s.cancelCheck != nil || s.cancelPrepare != nil || machine == nil {
		return
	}
	defer s.guard()
	start := s.platform.Now()
	s.surveyed = max(s.surveyed, minChunk)
	more := true
	for now := start; more && now-start < surveyMS; {
		more = machine.Survey(s.surveyed)
		took := s.platform.Now() - now
		now += took
		switch {
		case took < surveyMS/4:
			s.surveyed = min(2*s.surveyed, maxChunk)
		case took > surveyMS:
			s.surveyed = max(s.surveyed/2, minChunk)
		}
	}
	s.showMarks()
	if now := s.platform.Now(); !more || now-s.charted > chartMS {
		s.charted = now
		s.showChart()
	}
	if more {
		s.cancelSurvey = s.platform.After(surveyPause, s.survey)
	} else if end := s.model.View.End; end != s.model.Surveyed {
		s.update(func(m *Model) { m.Surveyed = end })
	}
}

// showMarks publishes the marks, if there are others than before.
func (s *Store) showMarks() {
	machine := s.machine(s.model)
	if machine == nil {
		return
	}
	marks, all := machine.Marks()
	turns := machine.Turns()
	if all != s.model.AllMarks || !slices.Equal(marks, s.model.Marks) || len(turns) != len(s.model.Turns) {
		s.update(func(m *Model) {
			m.Marks, m.Turns, m.AllMarks, m.MarksVersion = marks, turns, all, m.MarksVersion+1
		})
	}
}

// visit goes to a mark.
func (s *Store) visit(mark debug.Mark) {
	s.move(func() { s.session.Visit(mark) })
}
