package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	counters "warpscope/emu/count"
	"warpscope/ptx"
)

// accessPanel is the panel of what one access takes of memory, and of all accesses so far.
const accessPanel = "access"

// Actions of the panel.
type (
	ChooseAccess struct{ Line int } // 0 follows the steps
	SortAccesses struct{ By string }
)

// order is how a table is sorted.
type order struct {
	By string // a column; "" for the text's order
	Up bool   // the smallest first
}

// sorted is the order after a press of a column's head: the greatest first, then the smallest, then none.
func (o order) sorted(by string) order {
	switch {
	case o.By != by:
		return order{By: by}
	case !o.Up:
		return order{by, true}
	}
	return order{}
}

// noAccess is what the panel says when there is no access to show.
func noAccess(m *Model) string {
	switch {
	case m.View.State == nil:
		return "What an access takes of memory is shown when the text can run."
	case m.unasked() != "":
		return m.unasked()
	case m.AccessLine > 0:
		return fmt.Sprintf("Line %d has no load, store or atomic whose addresses are known.", m.AccessLine)
	}
	return "Neither the instruction that just ran nor the next one is a load, store or atomic of shared, global or " +
		"local memory. Copies, ldmatrix and the like are not counted."
}

// accessHead is what the panel says of an access in words.
type accessHead struct {
	Code, Line, When string
	Verdict, Ideal   string
	Why, Cure        string
	Costly           bool
}

func newAccessHead(a *debug.Access) accessHead {
	h := accessHead{Code: accessCode(a.Text), Line: "line " + strconv.Itoa(a.Line), Cure: a.Cure(), Costly: a.Costly()}
	switch a.When {
	case debug.AccessNext:
		h.When = "runs next"
	case debug.AccessRan:
		h.When = "just ran"
	case debug.AccessEarlier:
		h.When = "at step " + count(a.Tick+1)
	default:
		h.When, h.Cure = "this warp has not executed it yet", ""
		return h
	}
	h.Verdict, h.Ideal, h.Why = ptx.Plural(a.Parts, a.Unit()), "ideal "+strconv.Itoa(a.Ideal), a.Why()
	if a.Other > 0 {
		h.Why += fmt.Sprintf("; %s of another state space", ptx.Plural(a.Other, "lane"))
	}
	return h
}

// accessCode is the text of an access without its guard.
func accessCode(text string) string {
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		_, rest, _ = strings.Cut(rest, " ")
		return rest
	}
	return text
}

// words is the picture for those who do not see it.
func (h *accessHead) words(p *accessPicture) string {
	text := strings.TrimRight(fmt.Sprintf("%s, %s. %s.", h.Verdict, h.Ideal, h.Why), " ")
	told := 0
	for i := range p.Places {
		if place := &p.Places[i]; place.Apart {
			if told++; told > 8 {
				return text + " And more."
			}
			text += " " + place.Words + "."
		}
	}
	return text
}

// accessPlace is a bank or a sector in the picture.
type accessPlace struct {
	Used, Apart bool
	Label       string // below it: words of a bank, used bytes of a sector
	Words       string
	Full        float64 // part of it that is used
}

// accessPicture has the lanes above, banks or sectors below, and a line for each lane: from the middle of the lane's
// column, of 32, to the middle of its place's, of as many as there are.
type accessPicture struct {
	Unit     string // bank or sector
	Places   []accessPlace
	Lines    []accessLine
	From, To string // names of the first and the last address
	Each     string // in place of the labels, where all places have the same
}

type accessLine struct {
	Lane  int
	X     float64 // of the place, in places
	Apart bool    // it conflicts with others
}

// newAccessPicture is the picture of an access; local memory has none.
func newAccessPicture(a *debug.Access, places debug.Places) (p accessPicture) {
	if a.When == debug.AccessNever {
		return p
	}
	switch a.Space {
	case ptx.SharedSpace:
		p = bankPicture(a)
	case ptx.LocalSpace:
		return p
	default:
		p = sectorPicture(a)
	}
	first, last := -1, -1
	for lane := range 32 {
		if a.Lanes.Has(lane) {
			if first < 0 || a.Addrs[lane] < a.Addrs[first] {
				first = lane
			}
			if last < 0 || a.Addrs[lane] > a.Addrs[last] {
				last = lane
			}
		}
	}
	p.From, p.To = placeName(places, a.Addrs[first]), placeName(places, a.Addrs[last])
	if p.From == p.To {
		p.To = ""
	}
	other := func(o accessPlace) bool { return o.Label != p.Places[0].Label }
	if p.Unit == "bank" && p.Places[0].Used && !slices.ContainsFunc(p.Places, other) {
		p.Each = p.Places[0].Label + " in each bank"
	}
	return p
}

func placeName(places debug.Places, a emu.Addr) string {
	if region, offset := places.Find(a); region != "" {
		return fmt.Sprintf("%s+%d", region, offset)
	}
	return fmt.Sprintf("0x%x", a)
}

func bankPicture(a *debug.Access) accessPicture {
	p := accessPicture{Unit: "bank"}
	wide := max(a.Size/4, 1)
	for i := range a.Banks {
		b := &a.Banks[i]
		place := accessPlace{Used: b.Words > 0, Apart: b.Words > 1, Full: 1}
		if place.Used {
			place.Label = strconv.Itoa(b.Words)
			place.Words = fmt.Sprintf("bank %d: %s for %s", i, ptx.Plural(b.Words, "word"), lanesWords(emu.Mask(b.Lanes)))
		}
		p.Places = append(p.Places, place)
	}
	for lane := range 32 {
		if a.Lanes.Has(lane) {
			bank := int(a.Addrs[lane] / 4 % 32)
			p.Lines = append(p.Lines, accessLine{lane, float64(bank) + float64(wide)/2, a.Banks[bank].Apart>>lane&1 != 0})
		}
	}
	return p
}

func sectorPicture(a *debug.Access) accessPicture {
	p := accessPicture{Unit: "sector"}
	for i, s := range a.Sectors {
		used := emu.Mask(s.Bytes).Count()
		p.Places = append(p.Places, accessPlace{Used: true, Apart: a.Costly() && used < 32, Label: strconv.Itoa(used),
			Words: fmt.Sprintf("sector %d: %d of 32 bytes for %s", i, used, lanesWords(emu.Mask(s.Lanes))),
			Full:  float64(used) / 32})
		for lane := range 32 {
			if s.Lanes>>lane&1 != 0 {
				p.Lines = append(p.Lines, accessLine{lane, float64(i) + .5, a.Costly() && used < 32})
			}
		}
	}
	return p
}

// lanesWords names lanes: "lane 3", "lanes 0–7, 9".
func lanesWords(mask emu.Mask) string {
	var parts []string
	for lane := 0; lane < 32; lane++ {
		if !mask.Has(lane) {
			continue
		}
		first := lane
		for lane < 31 && mask.Has(lane+1) {
			lane++
		}
		if part := strconv.Itoa(first); first == lane {
			parts = append(parts, part)
		} else {
			parts = append(parts, part+"–"+strconv.Itoa(lane))
		}
	}
	if mask.Count() == 1 {
		return "lane " + parts[0]
	}
	return "lanes " + strings.Join(parts, ", ")
}

// accessRow is a line of the table of all accesses.
type accessRow struct {
	Line               int
	Code               string
	Requests, Parts    int64
	Ideal              int64 // of all requests
	Unit               string
	PerRequest, Ideals string
	Costly             bool
}

// accessColumns are the columns of the table.
var accessColumns = []tab{{"line", "line"}, {"access", "access"}, {"requests", "requests"}, {"parts", "so far"},
	{"per", "each"}, {"ideal", "ideal"}}

// accessList are the rows of an account, which are asked for several times.
type accessList struct {
	account *counters.Account
	order   order
	text    string
	rows    []accessRow
}

// accessRows lists all accesses of the run so far: a row for each line and memory.
func (m *Model) accessRows() []accessRow {
	text, _ := m.source()
	switch l := m.accesses; {
	case l == nil || l.order != m.AccessOrder || l.text != text || !sameTraffic(l.account, m.Account):
		m.accesses = &accessList{m.Account, m.AccessOrder, text, listAccesses(m)}
	case l.account != m.Account:
		m.accesses = &accessList{m.Account, m.AccessOrder, text, l.rows}
	}
	return m.accesses.rows
}

// sameTraffic says whether accesses have taken the same in two accounts, as most steps are none.
func sameTraffic(a, b *counters.Account) bool {
	if a == nil || b == nil {
		return a == b
	}
	i, j := nextAccess(a.Insts, 0), nextAccess(b.Insts, 0)
	for i < len(a.Insts) && j < len(b.Insts) {
		x, y := &a.Insts[i], &b.Insts[j]
		if x.PC != y.PC || x.Shared != y.Shared || x.Global != y.Global || x.Local != y.Local {
			return false
		}
		i, j = nextAccess(a.Insts, i+1), nextAccess(b.Insts, j+1)
	}
	return i == len(a.Insts) && j == len(b.Insts)
}

// nextAccess is the place of the first instruction, from one on, that has accessed memory.
func nextAccess(list []counters.Inst, from int) int {
	for from < len(list) {
		if in := &list[from]; in.Shared.Requests|in.Global.Requests|in.Local.Requests != 0 {
			break
		}
		from++
	}
	return from
}

// accessSum is what a line's accesses of one memory have taken.
type accessSum struct {
	line, kind int // kind is a place in accessUnits
	counters.Traffic
}

// accessUnits are what accesses of shared, global and local memory are counted in.
var accessUnits = [3]string{"wavefronts", "sectors", "sectors"}

func listAccesses(m *Model) []accessRow {
	if m.Account == nil {
		return nil
	}
	text, lines := m.source()
	sums := accessSums(m.Account.Insts)
	rows := make([]accessRow, 0, len(sums))
	for i := range sums {
		t := &sums[i]
		span := lines.lineSpan(t.line, len(text))
		rows = append(rows, accessRow{Line: t.line, Code: accessCode(codeOf(text[span.Start:span.End])),
			Requests: t.Requests, Parts: t.Parts, Ideal: t.Ideal, Unit: accessUnits[t.kind],
			PerRequest: valueText(counters.Value{Count: t.Parts, Per: t.Requests}),
			Ideals:     valueText(counters.Value{Count: t.Ideal, Per: t.Requests}), Costly: t.Parts > t.Ideal})
	}
	sortAccesses(rows, m.AccessOrder)
	return rows
}

// accessSums adds up the traffic of instructions by line and memory, in the text's order.
func accessSums(insts []counters.Inst) (sums []accessSum) {
	for i := range insts {
		in := &insts[i]
		for kind, t := range [...]*counters.Traffic{&in.Shared, &in.Global, &in.Local} {
			if t.Requests > 0 && in.Line > 0 {
				sums = append(sums, accessSum{in.Line, kind, *t})
			}
		}
	}
	slices.SortStableFunc(sums, func(a, b accessSum) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.kind, b.kind))
	})
	var list []accessSum
	for i := range sums {
		if s, n := &sums[i], len(list); n > 0 && list[n-1].line == s.line && list[n-1].kind == s.kind {
			list[n-1].Add(s.Traffic)
		} else {
			list = append(list, *s)
		}
	}
	return list
}

func sortAccesses(rows []accessRow, o order) {
	if o.By == "" {
		return // as they are in the text
	}
	key := map[string]func(r *accessRow) float64{
		"line":     func(r *accessRow) float64 { return float64(r.Line) },
		"requests": func(r *accessRow) float64 { return float64(r.Requests) },
		"parts":    func(r *accessRow) float64 { return float64(r.Parts) },
		"per":      func(r *accessRow) float64 { return float64(r.Parts) / float64(r.Requests) },
		"ideal":    func(r *accessRow) float64 { return float64(r.Ideal) / float64(r.Requests) },
	}[o.By]
	slices.SortStableFunc(rows, func(a, b accessRow) int {
		by := 0
		if o.By == "access" {
			by = strings.Compare(b.Code, a.Code)
		} else if key != nil {
			by = cmp.Compare(key(&b), key(&a))
		}
		if o.Up {
			return -by
		}
		return by
	})
}
