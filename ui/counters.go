package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	counters "warpscope/emu/count"
	"warpscope/ptx"
)

// countersPanel is the panel of the counters of docs/counters.md.
const countersPanel = "counters"

// Actions of the panel and of the editor's gutter.
type (
	SetHeat      struct{ Counter string } // what the editor's gutter shows; "" for executions
	CountBy      struct{ What string }
	SortCounters struct{ By string }
	SetOccupancy struct{ Field, Value string }
)

// What the table of counters has a row for.
const (
	byLine   = "line"
	byWarp   = "warp"
	byKernel = "kernel"
)

// Counting is done for countMS at a time, with pauses, when nothing else is to be done. A step of a warp is counted at
// once.
const (
	countAtOnce = 1 << 10
	countPiece  = 1 << 14
	countPause  = 12
	countMS     = 6.0
)

// wantsCounts says whether something that is shown needs counters. Counting takes a second launch, and before the first
// step all counts are zero: then only panels that show more than counts ask for it.
func (m *Model) wantsCounts() bool {
	return m.View.Tick > 0 && (m.Heat != "" || m.inView(accessPanel)) || m.inView(countersPanel) || m.inView(flowPanel)
}

// countKey is what the account and the access in the model depend on.
type countKey struct {
	version        uint64
	counts, access bool
	holds, flow    bool
	upcoming       bool
	line           int
	heat           string
}

// recount brings the account, the access, who holds what and the control-flow graph to the step that the model shows.
func (s *Store) recount() {
	m := s.model
	if m.Running || s.cancelCheck != nil || s.cancelPrepare != nil {
		return
	}
	machine := s.machine(m)
	if machine == nil {
		return
	}
	can := m.View.State != nil
	key := countKey{m.View.Version, can && m.wantsCounts(), can && m.inView(accessPanel),
		can && m.inView(holdsPanel), can && m.inView(flowPanel), m.Upcoming, m.AccessLine, m.Heat}
	if key == s.counted {
		return
	}
	s.counted = key
	s.stopCounting()
	more := key.counts && machine.Count(countAtOnce)
	if key.access || key.holds || key.flow || m.Access != nil || m.Holding != nil || m.Flow != nil {
		s.update(func(m *Model) {
			if m.Access, m.Holding, m.Flow = nil, nil, nil; key.access {
				m.Access = machine.Access(m.AccessLine, m.Upcoming)
			}
			if key.holds {
				m.Holding = machine.Holding(m.Upcoming)
			}
			if key.flow {
				m.Flow = machine.Flow()
			}
		})
	}
	if !key.counts {
		if m.Account != nil {
			machine.StopCounting()
			s.update(func(m *Model) { m.Account, m.NoCounts = nil, "" })
			s.showHeat()
		}
		return
	}
	if m.View.Tick == 0 && m.Account != nil {
		s.update(func(m *Model) { m.Account = nil })
	}
	if more {
		s.cancelCount = s.platform.After(countPause, s.countOn)
		return
	}
	s.showAccount()
}

func (s *Store) stopCounting() {
	if s.cancelCount != nil {
		s.cancelCount()
		s.cancelCount = nil
	}
}

// countOn counts for a few milliseconds, and goes on later if there is more to count.
func (s *Store) countOn() {
	s.cancelCount = nil
	if s.model.Running || s.cancelCheck != nil || s.cancelPrepare != nil || s.machine(s.model) == nil {
		s.counted = countKey{}
		return
	}
	machine, more := s.machine(s.model), true
	for start := s.platform.Now(); more && s.platform.Now()-start < countMS; {
		more = machine.Count(countPiece)
	}
	if more {
		s.cancelCount = s.platform.After(countPause, s.countOn)
		return
	}
	if s.model.Flow != nil {
		s.update(func(m *Model) { m.Flow = machine.Flow() })
	}
	s.showAccount()
}

// showAccount publishes what is counted, in the panels and in the editor's gutter.
func (s *Store) showAccount() {
	machine := s.machine(s.model)
	account, err := machine.Account()
	s.update(func(m *Model) {
		m.Account, m.Live, m.NoCounts = account, machine.Live(), ""
		if err != nil {
			m.NoCounts = "Nothing is counted: " + err.Error() + "."
		}
	})
	s.showHeat()
}

func (s *Store) showHeat() {
	if s.editor != nil {
		s.editor.Show(s.model, 0)
	}
}

// countAction applies an action of the panels of counters.
func (s *Store) countAction(action Action) bool {
	switch a := action.(type) {
	case SetHeat:
		s.update(func(m *Model) { m.Heat = a.Counter })
		s.showHeat()
	case CountBy:
		s.update(func(m *Model) { m.CountsBy = a.What })
	case SortCounters:
		s.update(func(m *Model) { m.CountOrder = m.CountOrder.sorted(a.By) })
	case ChooseAccess:
		s.update(func(m *Model) { m.AccessLine = a.Line })
		if a.Line > 0 && s.editor != nil {
			s.editor.RevealLine(a.Line)
		}
	case SortAccesses:
		s.update(func(m *Model) { m.AccessOrder = m.AccessOrder.sorted(a.By) })
	case SetOccupancy:
		s.update(func(m *Model) { m.Occupancy.set(a.Field, a.Value) })
	default:
		return false
	}
	s.saveSettings()
	return true
}

// heat is what the gutter of the editor shows.
type heat struct {
	lines []int64 // by line
	per   int64   // what the numbers are divided by
	words string  // what they count; "" for executions
}

func (h heat) equal(o heat) bool {
	return h.per == o.per && h.words == o.words && slices.Equal(h.lines, o.lines)
}

// heat of a counter is shown in hundredths if it is a ratio.
func (m *Model) heat() heat {
	c, ok := counters.Named(m.Heat)
	if m.Heat == "" || !ok {
		return heat{m.View.Heat, 1, ""}
	}
	h := heat{nil, 1, c.Unit}
	if m.Account == nil {
		return h
	}
	if c.Ratio() {
		h.per = 100
	}
	for line, list := range byLines(m.Account) {
		if v, ok := c.Of(list); ok && v.Count != 0 {
			h.lines = append(h.lines, make([]int64, max(0, line+1-len(h.lines)))...)
			h.lines[line] = max(int64(v.Float()*float64(h.per)+.5), 1)
		}
	}
	return h
}

// heatChoices are the counters that the gutter can show: the name that expectations have, and that of Nsight Compute.
func heatChoices() []tab {
	list := []tab{{"", "instructions · " + counters.Counters[0].Name}}
	for i := range counters.Counters {
		c := &counters.Counters[i]
		switch words := strings.ReplaceAll(c.Short, "_", " "); {
		case i == 0:
		case c.Short == "" || c.Short == c.Name:
			list = append(list, tab{c.Name, c.Name})
		default:
			list = append(list, tab{c.Name, words + " · " + c.Name})
		}
	}
	return list
}

// countsWords say why a table of counts is empty, and what its numbers are.
func countsWords(m *Model, empty bool) string {
	switch {
	case m.NoCounts != "":
		return m.NoCounts
	case m.Account == nil && m.View.Tick > 0:
		return cmp.Or(m.unasked(), "Counting …")
	case empty && m.Running:
		return "Counted when the run pauses."
	case empty && m.View.Tick > 0:
		return "There was nothing to count so far."
	case empty:
		return "Nothing is counted yet: run or step first."
	}
	return "Counts so far, not times."
}

// counterColumn is a column of the table of counters.
type counterColumn struct{ Key, Title, Says string }

// counterRow is a row: of a line, a warp or a counter.
type counterRow struct {
	Head  string
	Code  string
	Go    Action // to what the row is about
	Cells []string
	key   float64 // by which rows are sorted
	Says  string
}

// shownCounters are the columns of the table, by their short names.
var shownCounters = []string{"instructions", "active_lanes", "predicated_off", "divergent", "sectors",
	"sectors_per_request", "wavefronts", "bank_conflicts", "local_sectors", "atomic_repeats", "barriers", "barrier_waits"}

// counterTable is the table of counters, for the lines or the warps, without columns that have only zeros; or the
// kernel's counters, each in a row.
func counterTable(m *Model) (columns []counterColumn, rows []counterRow) {
	if m.Account == nil {
		return nil, nil
	}
	switch m.CountsBy {
	case byKernel:
		return kernelCounters(m)
	case byWarp:
		return sortedCounters(m, warpRows(m))
	}
	return sortedCounters(m, lineRows(m))
}

// counted is one row before its cells are known.
type counted struct {
	row  counterRow
	list []counters.Inst
}

// byLines has the instructions of each line.
func byLines(a *counters.Account) map[int][]counters.Inst {
	by := map[int][]counters.Inst{}
	for _, in := range a.Insts {
		if in.Line > 0 {
			by[in.Line] = append(by[in.Line], in)
		}
	}
	return by
}

func lineRows(m *Model) (rows []counted) {
	by := byLines(m.Account)
	text, lines := m.source()
	for _, line := range slices.Sorted(maps.Keys(by)) {
		span := lines.lineSpan(line, len(text))
		rows = append(rows, counted{counterRow{Head: strconv.Itoa(line), Go: RevealLine{line},
			Code: codeOf(text[span.Start:span.End])}, by[line]})
	}
	return rows
}

// mostCountedRows bounds the rows of warps.
const mostCountedRows = 512

func warpRows(m *Model) (rows []counted) {
	warps := slices.Clone(m.Account.Warps)
	slices.SortFunc(warps, func(a, b counters.Warp) int { return cmp.Or(a.CTA-b.CTA, a.Index-b.Index) })
	for _, w := range warps[:min(len(warps), mostCountedRows)] {
		rows = append(rows, counted{counterRow{Head: fmt.Sprintf("CTA %d warp %d", w.CTA, w.Index),
			Go: Follow{w.CTA, w.Index}}, []counters.Inst{{Counts: w.Counts}}})
	}
	return rows
}

func sortedCounters(m *Model, list []counted) (columns []counterColumn, rows []counterRow) {
	var shown []*counters.Counter
	for _, name := range shownCounters {
		c, _ := counters.Named(name)
		if slices.ContainsFunc(list, func(r counted) bool { v, _ := c.Of(r.list); return v.Count != 0 }) {
			shown = append(shown, c)
			columns = append(columns, counterColumn{c.Short, strings.ReplaceAll(c.Short, "_", " "),
				c.Name + ": " + c.Says})
		}
	}
	by := slices.IndexFunc(shown, func(c *counters.Counter) bool { return c.Short == m.CountOrder.By })
	for _, r := range list {
		for i, c := range shown {
			text := ""
			v, ok := c.Of(r.list)
			if ok && v.Count != 0 {
				text = valueText(v)
			}
			r.row.Cells = append(r.row.Cells, text)
			if i == by && ok {
				r.row.key = v.Float()
			}
		}
		rows = append(rows, r.row)
	}
	if by >= 0 {
		slices.SortStableFunc(rows, func(a, b counterRow) int {
			if m.CountOrder.Up {
				return cmp.Compare(a.key, b.key)
			}
			return cmp.Compare(b.key, a.key)
		})
	}
	return columns, rows
}

// valueText is a value with its thousands apart.
func valueText(v counters.Value) string {
	if v.Count%v.Per == 0 {
		return count(v.Count / v.Per)
	}
	return v.String()
}

// kernelCounters are those of the kernel that are not 0.
func kernelCounters(m *Model) (columns []counterColumn, rows []counterRow) {
	for i := range counters.Counters {
		c := &counters.Counters[i]
		if v, ok := c.Of(m.Account.Insts); ok && v.Count != 0 {
			rows = append(rows, counterRow{Head: c.Name, Cells: []string{valueText(v), c.Unit}, Says: c.Says,
				Go: SetHeat{c.Name}})
		}
	}
	return []counterColumn{{"", "count", ""}, {"", "of", ""}}, rows
}

// occupancyForm is what the table of occupancy is made from. A field that is "" has what the launch gives.
type occupancyForm struct{ SM, Registers, Shared, Threads string }

func (f *occupancyForm) set(field, value string) {
	switch field {
	case "sm":
		f.SM = value
	case "registers":
		f.Registers = value
	case "shared":
		f.Shared = value
	case "threads":
		f.Threads = value
	}
}

// occupancy is the table of occupancy with what it was made from.
type occupancy struct {
	SM                         counters.SM
	Registers, Shared, Threads int
	Of                         counters.Occupancy
	Rows                       []occupancyRow
	Problem                    string
}

// occupancyRow is how many blocks fit with another number of registers.
type occupancyRow struct {
	Registers int
	Here      bool // it is the number of the form
	counters.Occupancy
}

// steps of registers at which one warp or another fits no more.
var registerSteps = []int{24, 32, 40, 48, 56, 64, 80, 96, 128, 168, 255}

// occupancyOf is the occupancy of the launch, changed by the form.
func occupancyOf(m *Model) (o occupancy) {
	block := m.View.Block
	o.Threads = max(block.X, 1) * max(block.Y, 1) * max(block.Z, 1)
	o.Registers = m.Live.Registers
	target := 0
	if m.Account != nil {
		o.Shared, target = m.Account.Block.Shared, m.Account.Block.Target
	}
	for _, f := range []struct {
		text string
		to   *int
	}{{m.Occupancy.Registers, &o.Registers}, {m.Occupancy.Shared, &o.Shared}, {m.Occupancy.Threads, &o.Threads},
		{m.Occupancy.SM, &target}} {
		if f.text == "" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(f.text))
		if err != nil || n < 0 || n > 1<<20 {
			o.Problem = fmt.Sprintf("%q is no number that fits.", f.text)
			n = 0
		}
		*f.to = n
	}
	var ok bool
	if o.SM, ok = counters.SMOf(target); !ok {
		o.SM, _ = counters.SMOf(90)
	}
	o.Of = o.SM.Occupancy(o.Registers, o.Shared, o.Threads)
	list := append(slices.Clone(registerSteps), o.Registers)
	slices.Sort(list)
	for _, n := range slices.Compact(list) {
		o.Rows = append(o.Rows, occupancyRow{n, n == o.Registers, o.SM.Occupancy(n, o.Shared, o.Threads)})
	}
	return o
}

// words is the verdict.
func (o *occupancy) words() string {
	if o.Of.Blocks == 0 {
		return "No block fits: " + o.Of.LimitedBy() + "."
	}
	return fmt.Sprintf("%d of %d warps, %.0f %%: %s of %s at a time. The limit is: %s.", o.Of.Warps, o.Of.Most,
		o.Of.Percent(), ptx.Plural(o.Of.Blocks, "block"), ptx.Plural(o.Threads, "thread"), o.Of.LimitedBy())
}
