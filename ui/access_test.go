package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/internal/txtar"
)

// countedStore is a store with a program of debug/testdata/access.txtar that has run to its end.
func countedStore(t *testing.T, name string) *Store {
	t.Helper()
	p := newFakePlatform()
	s := NewStore(debug.New(emu.Options{}), p)
	s.Open()
	s.Do(SetRoom{Room{1440, 700}})
	for _, part := range txtar.File(t, "../debug/testdata/access.txtar") {
		if part.Name == name {
			s.setText(part.Text)
		}
	}
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	return s
}

// An embed counts only for panels that show counts.
func TestEmbedsCountForTheirPanels(t *testing.T) {
	s := countedStore(t, "banks")
	for panel, counts := range map[string]bool{"lanes": false, holdsPanel: false, watchPanel: false, flowPanel: true,
		accessPanel: true, countersPanel: true} {
		s.update(func(m *Model) { m.Room, m.Panels = Room{}, knownPanels([]string{panel}) })
		s.recount()
		require.Equal(t, []string{panel}, s.Model().Panels)
		require.Equal(t, counts, s.Model().Account != nil, panel)
	}
	s.Do(Reset{}) // before the first step all counts are zero, and only what shows more than counts takes the time
	for panel, counts := range map[string]bool{flowPanel: true, accessPanel: false, countersPanel: true} {
		s.update(func(m *Model) { m.Panels = knownPanels([]string{panel}) })
		s.recount()
		require.Equal(t, counts, s.Model().Account != nil, panel)
	}
}

func lineOfText(s *Store, words string) int {
	before, _, _ := strings.Cut(s.Model().Text, words)
	return 1 + strings.Count(before, "\n")
}

// The column of a tile takes 16 wavefronts: see TestAccessOfSharedMemory.
func TestAccessPanel(t *testing.T) {
	s := countedStore(t, "banks")
	require.Nil(t, s.Model().Account, "nothing that counts is in sight")
	require.Nil(t, s.Model().Access)
	s.Do(ShowPanel{accessPanel})
	require.NotNil(t, s.Model().Account)
	s.Do(SetRoom{}) // a phone
	require.NotNil(t, s.Model().Account)
	s.Do(SelectTab{"lanes"})
	require.Nil(t, s.Model().Account)
	s.Do(SelectTab{accessPanel})
	column := lineOfText(s, "st.shared.u32 [%column]")
	s.Do(ChooseAccess{column})
	a := s.Model().Access
	h := newAccessHead(a)
	require.Equal(t, accessHead{Code: "st.shared.u32 [%column], %lane", Line: "line 21", When: "at step 10",
		Verdict: "16 wavefronts", Ideal: "ideal 1", Why: "32 words in 2 banks, 16 in each", Cure: h.Cure, Costly: true}, h)
	p := newAccessPicture(a, s.Model().View.Places())
	require.Len(t, p.Places, 32)
	require.Len(t, p.Lines, 32)
	require.Equal(t, accessLine{Lane: 3, X: 16.5, Apart: true}, p.Lines[3], "the middle of bank 16")
	require.Equal(t, "16", p.Places[0].Label)
	require.True(t, p.Places[0].Apart)
	require.False(t, p.Places[1].Used)
	require.Equal(t, []string{"shared+0", "shared+1984"}, []string{p.From, p.To}, "16 words a lane: 31*64 bytes")
	require.Equal(t, "16 wavefronts, ideal 1. 32 words in 2 banks, 16 in each. "+
		"bank 0: 16 words for lanes 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30. "+
		"bank 16: 16 words for lanes 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31.", h.words(&p))

	require.Empty(t, p.Each)
	text := strings.Join(accessHTML(s.Model()), "")
	require.Contains(t, text, `<strong class="verdict-words costly">`)
	require.Contains(t, text, `</svg>16 wavefronts</strong><span class="muted">ideal 1</span>`)
	require.Contains(t, text, `<code>st.shared.u32 [%column], %lane</code><span class="muted">line 21, at step 10</span>`)
	require.Contains(t, text, `<span class="place" title=""></span>`, "bank 1 has no bar")
	require.Contains(t, text, `class="apart" vector-effect="non-scaling-stroke" d="M15 0L165 10`,
		"lane 1 to bank 16 of 32, in 320")
	require.NotContains(t, text, "undefined")
	s.Do(ChooseAccess{lineOfText(s, "st.shared.u32 [%row]")})
	p = newAccessPicture(s.Model().Access, s.Model().View.Places())
	require.Equal(t, "1 in each bank", p.Each, "32 equal numbers would read as one")

	s.Do(ChooseAccess{0})
	require.Nil(t, s.Model().Access, "the last instruction accesses nothing")
	s.Do(Seek{9})
	require.Equal(t, "just ran", newAccessHead(s.Model().Access).When)
	s.Do(StepOnce{})
	s.platform.(*fakePlatform).frame()
	require.Equal(t, "16 wavefronts", newAccessHead(s.Model().Access).Verdict, "it just ran")
	s.Do(ShowUpcoming{true})
	require.Equal(t, "1 wavefront", newAccessHead(s.Model().Access).Verdict, "the broadcast is next")
}

func TestAccessTable(t *testing.T) {
	s := countedStore(t, "banks")
	s.Do(ShowPanel{accessPanel})
	lines := func() (list []string) {
		for _, r := range s.Model().accessRows() {
			list = append(list, r.Code+" "+count(r.Parts)+" "+r.Unit+" "+r.PerRequest+" of "+r.Ideals)
		}
		return list
	}
	require.Equal(t, []string{"st.shared.u32 [%row], %lane; 1 wavefronts 1 of 1",
		"st.shared.u32 [%column], %lane; 16 wavefronts 16 of 1", "ld.shared.u32 %a, [tile]; 1 wavefronts 1 of 1",
		"ld.shared.b64 %wide64, [%wide]; 2 wavefronts 2 of 2", "st.global.u32 [%mine], %a; 4 sectors 4 of 4",
		"atom.shared.add.u32 %b, [tile], 1; 1 wavefronts 1 of 1"}, lines())
	row := accessRowHTML(s.Model(), &s.Model().accessRows()[1], 1)
	require.Contains(t, row, `title="st.shared.u32 [%column], %lane;">st.shared.u32 [%column], %lane;</td>`+
		`<td>1</td><td>16 <span class="muted">wavefronts</span></td>`+
		`<td class="per costly">16</td><td>1</td></tr>`)
	s.Do(SortAccesses{"parts"})
	require.Contains(t, lines()[0], "%column")
	require.Contains(t, lines()[1], "%mine")
	s.Do(SortAccesses{"parts"})
	require.Contains(t, lines()[5], "%column", "the smallest first")
	s.Do(SortAccesses{"parts"})
	require.Contains(t, lines()[0], "%row", "as in the text")
	s.Do(Seek{9})
	require.Len(t, lines(), 1, "up to this step")
	s.Do(Seek{12})
	require.Len(t, lines(), 4)
	first := &s.Model().accessRows()[0]
	s.Do(StepOnce{})
	s.platform.(*fakePlatform).frame()
	require.Same(t, first, &s.Model().accessRows()[0], "a step that loads a parameter changes nothing")
	s.Do(Seek{11})
	require.Len(t, lines(), 3)
}

// What the editor's gutter shows by a counter.
func TestHeatOfACounter(t *testing.T) {
	s := countedStore(t, "banks")
	column, row := lineOfText(s, "st.shared.u32 [%column]"), lineOfText(s, "st.shared.u32 [%row]")
	require.Equal(t, heat{s.Model().View.Heat, 1, ""}, s.Model().heat(), "executions need no counters")
	require.Nil(t, s.Model().Account)
	s.Do(SetHeat{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"})
	require.Equal(t, heat{append(make([]int64, column), 15), 1, "wavefronts"}, s.Model().heat())
	s.Do(SetHeat{"smsp__thread_inst_executed_per_inst_executed.ratio"})
	h := s.Model().heat()
	require.EqualValues(t, 100, h.per, "hundredths")
	require.EqualValues(t, 3200, h.lines[row])
	next := NewStore(debug.New(emu.Options{}), s.platform)
	require.Equal(t, s.Model().Heat, next.Model().Heat, "the choice stays")
	s.Do(SetHeat{""})
	require.Nil(t, s.Model().Account, "and off it costs nothing")
	for _, c := range heatChoices()[1:] {
		require.Contains(t, c.label, c.key)
	}
}

func TestCountersTable(t *testing.T) {
	s := countedStore(t, "banks")
	s.Do(ShowPanel{countersPanel})
	columns, rows := counterTable(s.Model())
	var titles []string
	for _, c := range columns {
		titles = append(titles, c.Title)
	}
	require.Equal(t, []string{"instructions", "active lanes", "sectors", "sectors per request", "wavefronts",
		"bank conflicts", "atomic repeats"}, titles, "without those that are 0")
	require.Len(t, rows, 18)
	s.Do(SortCounters{"bank_conflicts"})
	_, rows = counterTable(s.Model())
	require.Equal(t, "21", rows[0].Head)
	require.Equal(t, []string{"1", "32", "", "", "16", "15", ""}, rows[0].Cells)
	s.Do(CountBy{byWarp})
	_, rows = counterTable(s.Model())
	require.Len(t, rows, 1)
	require.Equal(t, "CTA 0 warp 0", rows[0].Head)
	require.Equal(t, Follow{0, 0}, rows[0].Go)
	s.Do(CountBy{byKernel})
	_, rows = counterTable(s.Model())
	require.Equal(t, "smsp__inst_executed.sum", rows[0].Head)
	require.Equal(t, "18", rows[0].Cells[0])
	s.Do(CountBy{byLine})
	_, rows = counterTable(s.Model())
	require.Equal(t, "21", rows[0].Head, "it is still sorted by bank conflicts")
}

// 4096 bytes of shared memory: on 7.0 98304/4096 = 24 blocks of one warp, of 64 warps.
func TestOccupancyOfTheLaunch(t *testing.T) {
	s := countedStore(t, "banks")
	s.Do(ShowPanel{countersPanel})
	o := occupancyOf(s.Model())
	require.Equal(t, []int{70, 4096, 32}, []int{o.SM.Capability, o.Shared, o.Threads})
	require.Equal(t, s.Model().Live.Registers, o.Registers)
	require.Contains(t, o.words(), "24 of 64 warps, 38 %: 24 blocks of 32 threads at a time. The limit is: shared memory.")
	s.Do(SetOccupancy{"registers", "255"})
	s.Do(SetOccupancy{"threads", "1024"})
	o = occupancyOf(s.Model())
	require.Equal(t, "No block fits: registers.", o.words(), "32 warps of 255 registers are more than a block may have")
	s.Do(SetOccupancy{"threads", "many"})
	require.NotEmpty(t, occupancyOf(s.Model()).Problem)
}

// An ldmatrix reads shared memory, but it is not counted: the panel says so, and does not deny the access.
func TestAccessesThatAreNotCounted(t *testing.T) {
	s := countedStore(t, "banks")
	text, err := os.ReadFile("../public/examples/49-ldmatrix.ptx")
	require.NoError(t, err)
	s.setText(string(text))
	for range 12 {
		s.Do(StepOnce{})
	}
	require.Contains(t, s.Model().View.Next.Text+s.Model().View.Ran.Text, "ldmatrix")
	require.Nil(t, s.Model().Access)
	require.Contains(t, noAccess(s.Model()), "ldmatrix and the like are not counted")
}
