package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
)

// shown is what the panels show that ask the session about the moment.
type shown struct {
	access   accessHead
	accesses []accessRow
	counters []counterRow
	graph    *debug.Flow
	holds    bool
	chart    string
	watches  []debug.Watch
	page     int
	changed  int
}

func shownOf(m *Model) shown {
	w := shown{accesses: m.accessRows(), graph: m.Flow, holds: m.Holding != nil, chart: chartWords(m), watches: m.Watched,
		page: m.Page}
	if m.Access != nil {
		w.access = newAccessHead(m.Access)
	}
	_, w.counters = counterTable(m)
	rows, _ := memoryPage(m.shownRegion(), m.MemoryTab, m.Page)
	for _, row := range rows {
		for _, c := range row.Cells {
			if c.Changed {
				w.changed++
			}
		}
	}
	return w
}

// product is example 18 at step 5,212, which writes into the tile ta.
func product(t *testing.T, panels ...string) *Store {
	s := ranStore(t, "../public/examples/18-matrix-product.ptx")
	s.update(func(m *Model) { m.Panels = knownPanels(panels) })
	s.Do(SetWatch{0, "%round"})
	s.Do(Seek{5212})
	settle(s)
	return s
}

func settle(s *Store) {
	for range 40 {
		s.platform.(*fakePlatform).wait(surveyDelay)
	}
}

func typed(s *Store, old, text string) {
	s.Do(Edit{strings.Replace(s.text, old, text, 1)})
	settle(s)
}

var asking = []string{accessPanel, countersPanel, flowPanel, chartPanel, "memory", holdsPanel, watchPanel}

// The panels that ask the session about the moment keep what they show of the last good text, and follow the steps in
// its run.
func TestStaleTextKeepsPanels(t *testing.T) {
	s := product(t, asking...)
	s.Do(Seek{5180})
	settle(s)
	earlier := shownOf(s.Model())
	s.Do(Seek{5212})
	settle(s)
	before := shownOf(s.Model())
	require.Equal(t, "st.shared.f32 [%mya], %u", before.access.Code)
	require.Positive(t, before.changed)
	require.Positive(t, before.page)
	require.NotEmpty(t, before.accesses)
	require.NotEqual(t, earlier, before)

	typed(s, "    ld.global.f32   %u", "x    ld.global.f32   %u")
	require.True(t, s.Model().Stale)
	require.Equal(t, before, shownOf(s.Model()))
	require.Equal(t, "", s.Model().unasked())
	require.NotEqual(t, earlier.watches, before.watches)
	s.Do(Seek{5180})
	settle(s)
	require.Equal(t, earlier, shownOf(s.Model()))
	s.Do(Seek{5212})
	settle(s)
	require.Equal(t, before, shownOf(s.Model()))
	s.Do(ShowSpan{5200, 5220})
	settle(s)
	s.Do(Seek{100})
	from, to := s.Model().ChartView.span(s.Model().View.End)
	require.True(t, from <= 100 && 100 < to, "the picture follows the steps")
	settle(s)
	require.True(t, s.Model().Chart.Complete)
	typed(s, "x    ld.global.f32   %u", "    ld.global.f32   %u")
	require.False(t, s.Model().Stale)
	require.Nil(t, s.Model().Access, "at the start")
	require.Zero(t, s.Model().Page)
}

// A panel that is opened beside an error shows the last good text as well.
func TestPanelsOpenedBesideAnError(t *testing.T) {
	s := product(t, asking...)
	want := shownOf(s.Model())
	s = product(t, "lanes")
	typed(s, "    ld.global.f32   %u", "x    ld.global.f32   %u")
	require.True(t, s.Model().Stale)
	require.Nil(t, s.Model().Chart)
	s.Do(ChoosePanels{asking})
	settle(s)
	got := shownOf(s.Model())
	want.page, got.page = 0, 0 // the page follows what steps write
	require.Equal(t, want, got)
}

// What an error interrupts is looked for in the run of the last good text.
func TestStaleTextIsLookedThrough(t *testing.T) {
	s := ranStore(t, "../public/examples/18-matrix-product.ptx")
	s.update(func(m *Model) { m.Panels = knownPanels(asking) })
	typed(s, "    ld.global.f32   %u", "x    ld.global.f32   %u")
	m := s.Model()
	require.True(t, m.Stale)
	require.True(t, m.Chart.Complete)
	require.NotEmpty(t, m.Turns)
	require.Equal(t, m.View.End, m.Surveyed)
}

// Who holds what stays, too: the first shfl of example 11.
func TestStaleTextKeepsHolding(t *testing.T) {
	s := ranStore(t, "../public/examples/11-warp-reduction.ptx")
	s.update(func(m *Model) { m.Panels = knownPanels([]string{holdsPanel}) })
	for s.Do(Seek{0}); s.Model().Holding == nil; {
		s.Do(StepOnce{})
	}
	before := s.Model().Holding
	typed(s, "    shfl.sync", "x    shfl.sync")
	require.True(t, s.Model().Stale)
	s.Do(Seek{s.Model().View.Tick - 1})
	settle(s)
	s.Do(Seek{s.Model().View.Tick + 1})
	settle(s)
	require.NotNil(t, s.Model().Holding)
	require.Equal(t, before.Exchange, s.Model().Holding.Exchange)
}

// Of a text that is so long that its run is not kept, the panels keep what they show, and those that are opened beside
// the error say why they are empty.
func TestStaleTextWhoseRunIsGone(t *testing.T) {
	s := ranStore(t, "../public/examples/18-matrix-product.ptx")
	long := s.text + strings.Repeat("// a comment\n", 1<<15)
	s.setText(long)
	s.update(func(m *Model) { m.Panels = knownPanels([]string{accessPanel, "memory", chartPanel}) })
	s.Do(Run{})
	for s.Model().Running {
		s.platform.(*fakePlatform).frame()
	}
	s.Do(Seek{5212})
	settle(s)
	require.NotNil(t, s.Model().Chart)
	s.Do(ChoosePanels{[]string{accessPanel, "memory"}})
	before := shownOf(s.Model())
	require.NotEmpty(t, before.accesses)
	typed(s, "    ld.global.f32   %u", "x    ld.global.f32   %u")
	require.True(t, s.Model().Stale)
	after := shownOf(s.Model())
	before.chart = after.chart // it was not in sight
	require.Equal(t, before, after)

	s.Do(ChoosePanels{asking})
	settle(s)
	m := s.Model()
	const why = "The text has an error: this is shown when it can run."
	require.Equal(t, why, chartWords(m))
	require.Equal(t, why, flowNote(m))
	require.Equal(t, why, noHolding(m))
	require.NotNil(t, m.Account)
	m.Access, m.Account = nil, nil
	require.Equal(t, why, noAccess(m))
	require.Equal(t, why, countsWords(m, true))
}

// Steps that change no memory need not draw it again; those that do have to.
func TestSameMemory(t *testing.T) {
	s := product(t, "memory")
	drawn := func(m *Model) string {
		r := m.shownRegion()
		rows, _ := memoryPage(r, m.MemoryTab, m.Page)
		return strings.Join(memoryHTML(rows, m.MemoryTab), "") + regionFacts(r)
	}
	same, other := 0, 0
	for _, region := range []string{"ta", "c"} {
		s.Do(SelectRegion{region})
		for tick := int64(5213); tick < 5400; tick++ {
			before := s.Model()
			s.Do(Seek{tick})
			settle(s)
			if after := s.Model(); sameMemory(before, after) {
				require.Equal(t, drawn(before), drawn(after))
				same++
			} else {
				other++
			}
		}
	}
	require.Greater(t, same, 100)
	require.Greater(t, other, 10)
}
