package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// LaneState says what a lane will do next.
type LaneState uint8

// The lane states. Each has its shape in the grid's head.
const (
	LaneAbsent    LaneState = iota // not a thread: the warp is partial
	LaneActive                     // executes the next instruction
	LaneGuarded                    // at the next instruction, but its guard predicate is false
	LaneWaiting                    // elsewhere: its side of a branch runs later, or has run
	LaneAtBarrier                  // waits at a barrier
	LaneExited
	LaneFalls   // at a branch whose guard is false: it goes on with the next line
	LaneFaulted // it made the fault
)

func (s LaneState) String() string {
	return [...]string{"absent", "active", "guarded", "waiting", "barrier", "exited", "falls", "faulted"}[s]
}

// words describes the state to people.
func (s LaneState) words(model *emu.Model) string {
	return [...]string{"no thread", "active", "predicated off", model.Elsewhere, "at a barrier", "exited",
		"falls through", "made the fault"}[s]
}

// legend describes the state in the fewest words.
func (s LaneState) legend() string {
	return [...]string{"no thread", "runs now", "guard off", "waits", "at a barrier", "ended", "falls through",
		"fault"}[s]
}

// laneWords says what each lane is doing, and for whom it waits. w is nil when nothing can run.
func laneWords(w *emu.WarpView, states [32]LaneState) (words [32]string) {
	model, groups := modelOf(w), []emu.StackEntry(nil)
	if model.Groups {
		groups = w.Stack
	}
	for lane, s := range states {
		words[lane] = s.words(model)
	}
	for i := len(groups) - 1; i >= 0; i-- {
		text := waitWords(model, groups[i])
		for lane, s := range states {
			if s == LaneWaiting && groups[i].Mask.Has(lane) {
				words[lane] = text
			}
		}
	}
	return words
}

// waitWords says why lanes of a group are not running.
func waitWords(model *emu.Model, e emu.StackEntry) string {
	switch e.Wait {
	case emu.WaitConverge:
		return "waits to meet " + e.For.Lanes()
	case emu.WaitMembers:
		return "waits for " + e.For.Lanes()
	}
	return LaneWaiting.words(model)
}

// CellFlags are the looks of a cell.
type CellFlags uint32

// The flags.
const (
	CellInactive  CellFlags = 1 << iota
	CellUnwritten           // the lane has never written this register
	CellChanged             // written by the last step
	CellPred
	CellSet // a predicate that is true
	CellPointer
	CellGone      // the lane has exited or has no thread
	CellUndefined // in the next or the last instruction, an address, guard or store depends on what was never written
	CellJoined    // part of a run of lanes that is drawn as one cell
	CellFirst     // … the first one
	CellLast
	CellCovered // … under the text of the run
	CellHidden  // … its text is not seen
	CellEven    // the run grows evenly
	CellTwo     // its text takes two lines
	CellSmall   // its text has room in small letters
	CellHalves  // … with four letters in the second: eight hex digits are four and four
	CellThree   // … and three in the first
	CellPair    // … and two, its 0x
)

// LaneCell is one lane of one register.
type LaneCell struct {
	Text  string
	Flags CellFlags
	Note  string // a remark on the run, drawn from this cell on
}

// LaneRow is one register or operand in all lanes. Its cells are computed when the row is drawn.
type LaneRow struct {
	Reg, Type string
	Pinned    bool
	Dead      bool // no lane reads its value again
	Tile      bool // the register that the phone layout shows
	Changed   emu.Mask
	Undefined emu.Mask

	view   *emu.RegView
	as     Bits
	chosen bool     // … because the user chose that, or as a fragment
	base   string   // the region that all of its addresses are in, or shortly after; "" for none
	start  emu.Addr // of that region
	beyond bool     // lanes have addresses of one, and others of nothing that there is
	only   emu.Mask // an operand: lanes that have it
	idle   emu.Mask // an operand: lanes of these whose guard is off
	plain  bool     // an operand: its lanes are not joined to one cell
	order  int      // an operand: 0 if the instruction writes it, else 1
}

// LaneGrid has everything that the lane grid draws.
type LaneGrid struct {
	Lane    int // selected
	Heads   [32]LaneState
	Rows    []LaneRow
	Changed int      // row that the last step wrote first, -1 for none
	Dead    []string // registers that are folded away because no lane reads them again
	Blank   []string // … because no lane has written them
	Strip   *Strip   // nil: there is no instruction

	view   *debug.View
	all    []int32 // registers of the view that pass the filter, in the order of the rows
	pinned int     // how many of them are pinned
	places debug.Places
	room   cellRoom
	tiles  bool // one register is shown, as tiles
}

// laneGrid computes the grid of the followed warp: first the pinned registers, then the others in the order of their
// first use.
func laneGrid(m *Model) LaneGrid {
	g := laneFrame(m)
	g.fill(m, len(g.all))
	return g
}

// laneFrame is the grid without its rows. It knows which registers pass the filter.
func laneFrame(m *Model) LaneGrid {
	g := LaneGrid{Lane: m.Lane, Changed: -1, view: &m.View, places: m.View.Places(), room: gridCell(41)}
	w := m.View.State
	if w == nil {
		return g
	}
	g.Heads = laneStates(withThreads(&m.View))
	for lane, faulted := 0, faultedLanes(m); lane < 32; lane++ {
		if faulted.Has(lane) {
			g.Heads[lane] = LaneFaulted
		}
	}
	g.all = make([]int32, 0, len(w.Regs))
	for i := range w.Regs {
		if r := &w.Regs[i]; len(m.Pinned) > 0 && m.pinned(regName(*r)) {
			g.all = append(g.all, int32(i))
		}
	}
	g.pinned = len(g.all)
	for i := range w.Regs {
		r := &w.Regs[i]
		if pinned := g.pinned > 0 && m.pinned(regName(*r)); !pinned && matches(regName(*r), r.Reg.Type, m.Filter) {
			g.all = append(g.all, int32(i))
		}
	}
	g.Strip = g.strip(m)
	return g
}

// fill gives the grid its rows, in room for so many. If there are more, those of registers that no lane has written are
// folded away, and of those that no lane reads again as many as must be, the first of them first. Rows that are pinned,
// marked or asked for stay. A function can have thousands of registers, and few that are not folded.
func (g *LaneGrid) fill(m *Model, fit int) {
	changed, undefined := changedLanes(m.View), undefinedLanes(m.View)
	away := g.away(m, fit, func(name string) bool { return changed[name] != 0 || undefined[name] != 0 })
	g.Rows = make([]LaneRow, 0, min(len(g.all), max(fit, 0)))
	for k, i := range g.all {
		r := &m.View.State.Regs[i]
		if away != nil && away[k] {
			if g.written(r) {
				g.Dead = append(g.Dead, regName(*r))
			} else {
				g.Blank = append(g.Blank, regName(*r))
			}
			if !m.Unfolded {
				continue
			}
		}
		row := LaneRow{Reg: regName(*r), Type: r.Reg.Type.String(), Pinned: k < g.pinned, Dead: g.dead(r),
			view: r, only: emu.FullMask}
		row.Changed, row.Undefined, row.as = changed[row.Reg], undefined[row.Reg], m.reading(row.Reg, r.Reg.Type)
		row.chosen = m.Readings[row.Reg] != ByType || row.as != ByType && row.as != m.Bits
		g.Rows = append(g.Rows, row)
	}
	g.Changed = slices.IndexFunc(g.Rows, func(r LaneRow) bool { return r.Changed != 0 })
	markTile(g, m)
}

// away says which registers are folded away; nil for none. marked are those that the last step wrote, or that were
// never written and decide something.
func (g *LaneGrid) away(m *Model, fit int, marked func(name string) bool) []bool {
	over := len(g.all) - fit
	if m.Filter != "" || over <= 0 {
		return nil
	}
	away := make([]bool, len(g.all))
	for _, written := range []bool{false, true} {
		for k, i := range g.all {
			r := &g.view.State.Regs[i]
			if written && over <= 0 {
				break
			}
			name := regName(*r)
			if k < g.pinned || g.written(r) != written || written && !g.dead(r) || name == m.Tile || marked(name) {
				continue
			}
			away[k] = true
			over--
		}
	}
	return away
}

// written says whether a lane has written a register.
func (g *LaneGrid) written(r *emu.RegView) bool { return r.Written&g.view.State.Present != 0 }

// dead says whether no lane reads a register's value again.
func (g *LaneGrid) dead(r *emu.RegView) bool {
	return !g.view.State.Ended && g.view.State.Present&^r.Dead == 0
}

// recent is the register that the last step wrote, or else the one that an earlier step wrote. After a run from another
// tick, none is known.
func recent(m *Model, from int64) string {
	if changed := changedLanes(m.View); len(changed) > 0 {
		for _, r := range m.View.State.Regs {
			if name := regName(r); changed[name] != 0 {
				return name
			}
		}
	}
	if m.View.Last == nil && m.View.Tick != from {
		return ""
	}
	return m.Recent
}

// absence says why there are no registers to show; "" if there are some.
func absence(m *Model) string {
	w := m.View.State
	switch {
	case m.blank():
		return "There is no program."
	case w == nil:
		return "Nothing is loaded: the text has errors, or no kernel."
	case w.Ended && w.Func == nil:
		return "This warp has ended. Its last registers are shown when the run pauses."
	case !w.Resident && !w.Ended:
		return "This warp has not started."
	case len(w.Regs) == 0:
		return "This function uses no registers."
	}
	return ""
}

// lastCTA is the CTA that ran last. Its registers can still be shown when those of the followed CTA are gone.
func lastCTA(m *Model) (cta int, ok bool) {
	v := &m.View
	if v.State == nil || v.State.Resident || v.State.Func != nil || v.Phase != debug.Finished {
		return 0, false
	}
	return v.CTAs - 1, v.CTA != v.CTAs-1
}

// markTile chooses the register of the phone layout: the user's choice, else the one that changed last, else the first
// with a value. What changed last can be another warp's, and without a value here.
func markTile(g *LaneGrid, m *Model) {
	best := g.Changed
	valued := func(r LaneRow) bool { return r.view.Written != 0 }
	for _, reg := range []string{m.Recent, m.Tile} {
		i := slices.IndexFunc(g.Rows, func(r LaneRow) bool { return r.Reg == reg })
		if i >= 0 && (reg == m.Tile || best < 0 && valued(g.Rows[i])) {
			best = i
		}
	}
	if best < 0 {
		best = max(slices.IndexFunc(g.Rows, valued), 0)
	}
	if len(g.Rows) > 0 {
		g.Rows[best].Tile = true
	}
}

// words says what each lane is doing.
func (g *LaneGrid) words() [32]string { return laneWords(g.view.State, g.Heads) }

// cells computes one row.
func (g *LaneGrid) cells(row *LaneRow) (cells [32]LaneCell) {
	row.base = g.base(row)
	for lane := range cells {
		cells[lane] = g.cell(row, lane)
	}
	if !g.tiles {
		g.join(row, &cells)
	}
	for lane := range cells {
		if cells[lane].Flags&CellJoined == 0 {
			g.room.fit(&cells[lane])
		}
	}
	return cells
}

func (g *LaneGrid) cell(row *LaneRow, lane int) (cell LaneCell) {
	switch {
	case g.Heads[lane] == LaneAbsent:
		return LaneCell{Flags: CellInactive | CellGone}
	case !row.only.Has(lane):
		return LaneCell{Flags: CellInactive}
	case g.Heads[lane] == LaneExited:
		cell.Flags = CellInactive | CellGone
	case g.Heads[lane] == LaneWaiting || row.idle.Has(lane):
		cell.Flags = CellInactive
	}
	if row.Changed.Has(lane) {
		cell.Flags |= CellChanged
	}
	if row.Undefined.Has(lane) {
		cell.Flags |= CellUndefined
	}
	if !row.view.Written.Has(lane) {
		cell.Text, cell.Flags = "·", cell.Flags|CellUnwritten
		return cell
	}
	lo, hi := laneValue(*row.view, lane)
	t := row.view.Reg.Type
	if row.names() {
		if region, offset := g.places.Find(lo); region != "" {
			cell.Flags |= CellPointer
			switch cell.Text = strconv.FormatUint(offset, 10); {
			case row.base == "" && offset == 0:
				cell.Text = region
			case row.base == "":
				cell.Text = region + "+" + cell.Text
			}
			return cell
		}
		if row.base != "" {
			cell.Text = strconv.FormatUint(lo-row.start, 10)
			cell.Flags |= CellPointer
			return cell
		}
		if row.beyond {
			t = isa.B64
		}
	}
	if t == isa.Pred {
		cell.Flags |= CellPred | CellFlags(lo&1)*CellSet
	}
	cell.Text = formatValue(t, lo, hi, row.as)
	return cell
}

// baseWords are "out+": the offsets in the cells follow it. A name that does not fit is cut, the sign never.
func baseWords(base string, letters int) string {
	name := []rune(base)
	switch room := letters - len("+"); {
	case len(name) <= room:
		return base + "+"
	case room < 2:
		return "+"
	default:
		return string(name[:room-1]) + "…+"
	}
}

// base is the region that all addresses of a row are in, "" if there is none. Those of a program that runs over the end
// of a region still count as its own.
func (g *LaneGrid) base(row *LaneRow) (base string) {
	if !row.names() {
		return ""
	}
	var last emu.Addr
	var outside emu.Mask
	lanes := row.view.Written & row.only
	for lane, v := range row.view.Lo {
		if !lanes.Has(lane) {
			continue
		}
		switch region, offset := g.places.Find(v); {
		case region == "":
			outside |= 1 << lane
		case base != "" && region != base:
			row.beyond = outside != 0
			return ""
		default:
			base, row.start, last = region, v-offset, max(last, v)
		}
	}
	const near = 4096 // bytes
	for lane, v := range row.view.Lo {
		if outside.Has(lane) && (base == "" || v-last >= near) {
			row.beyond = base != ""
			return ""
		}
	}
	return base
}

// names says whether addresses in the row are named by their regions: unless the user reads these bits otherwise than
// in hex, which says the least of an address.
func (r *LaneRow) names() bool {
	return pointer(r.view.Reg.Type) && (r.as == ByType || r.as == AsHex && !r.chosen)
}

// pointer says whether registers of a type can hold a generic address.
func pointer(t isa.Type) bool { return t.Bits() == 64 && t.Class() != isa.Float }

// laneValue is a register's bits in one lane; hi is nil except for 128-bit registers.
func laneValue(r emu.RegView, lane int) (lo uint64, hi *uint64) {
	if r.Hi != nil {
		hi = &r.Hi[lane]
	}
	return r.Lo[lane], hi
}

// regName is the name of a register or of a component of a vector register.
func regName(r emu.RegView) string {
	if r.Elem < 0 || r.Reg.Vec <= 1 {
		return r.Reg.Name
	}
	return r.Reg.Name + [...]string{".x", ".y", ".z", ".w"}[r.Elem&3]
}

// matches says whether a register passes the filter: any of its words is part of the name or is the type.
func matches(name string, t isa.Type, filter string) bool {
	if filter == "" {
		return true
	}
	for _, word := range strings.FieldsFunc(filter, func(r rune) bool { return r == ' ' || r == ',' }) {
		if strings.Contains(name, word) || t.String() == word {
			return true
		}
	}
	return false
}

// withThreads is the followed warp. If the warp has ended and is gone, the block's shape still says which lanes were
// threads.
func withThreads(v *debug.View) *emu.WarpView {
	if !v.State.Ended || v.State.Resident {
		return v.State
	}
	w := *v.State
	threads := max(v.Block.X, 1)*max(v.Block.Y, 1)*max(v.Block.Z, 1) - 32*w.Index
	w.Present = emu.FullMask >> (32 - min(max(threads, 0), 32))
	return &w
}

// laneStates says of each lane what it will do next.
func laneStates(w *emu.WarpView) [32]LaneState {
	on := emu.FullMask
	if w.PC != nil {
		on = debug.Guard(w, w.PC.Guard) // 9.3
	}
	var states [32]LaneState
	for lane := range states {
		switch {
		case !w.Present.Has(lane):
			states[lane] = LaneAbsent
		case w.Ended || w.Exited.Has(lane):
			states[lane] = LaneExited
		case w.AtBarrier.Has(lane):
			states[lane] = LaneAtBarrier
		case w.Active.Has(lane) && on.Has(lane):
			states[lane] = LaneActive
		case w.Active.Has(lane) && branches(w.PC):
			states[lane] = LaneFalls
		case w.Active.Has(lane):
			states[lane] = LaneGuarded
		default:
			states[lane] = LaneWaiting
		}
	}
	return states
}

// branches says whether an instruction is a branch: where its guard is false, lanes go on with the next line.
func branches(in *ptx.Inst) bool { return in.Match != nil && in.Match.Form.Mnemonic == "bra" }

// changedLanes says which lanes of which registers the last step changed, if the followed warp made that step.
func changedLanes(v debug.View) map[string]emu.Mask {
	last := ownStep(&v)
	if last == nil {
		return nil
	}
	changed := map[string]emu.Mask{}
	for i := range last.Regs {
		w := &last.Regs[i]
		if w.Reg != nil {
			changed[regName(emu.RegView{Reg: w.Reg, Elem: w.Elem})] |= w.Lanes
		}
	}
	return changed
}

// cellTitle is the long form of a cell, shown on hover.
func cellTitle(m *Model, reg string, lane int) string {
	w := m.View.State
	if w == nil {
		return ""
	}
	for i := range w.Regs {
		r := w.Regs[i]
		if regName(r) != reg {
			continue
		}
		lo, hi := laneValue(r, lane)
		title := reg + " " + r.Reg.Type.String() + ", lane " + strconv.Itoa(lane) + ": "
		if !r.Written.Has(lane) {
			return title + "never written"
		}
		name := ""
		if pointer(r.Reg.Type) {
			name = m.View.Name(lo)
		}
		if text := formatValue(r.Reg.Type, lo, hi, m.reading(reg, r.Reg.Type)); name != "" {
			title += name + " = "
		} else if !strings.HasPrefix(text, "0x") {
			title += text + " = "
		}
		if title += fullHex(r.Reg.Type, lo, hi); undefinedLanes(m.View)[reg].Has(lane) {
			title += ", undefined"
		}
		return title
	}
	return ""
}

// laneKey has everything that the lane grid depends on.
type laneKey struct {
	version      uint64
	lane         int
	filter, tile string
	pinned       string
	bits         Bits
	readings     string
	upcoming     bool
	unfolded     bool
	tab          bool // the phone layout shows the panel, and hidden cells must get their places
}

func laneKeyOf(m *Model) laneKey {
	return laneKey{m.View.Version, m.Lane, m.Filter, m.Tile, strings.Join(m.Pinned, " "), m.Bits,
		fmt.Sprint(m.Readings), m.Upcoming, m.Unfolded, m.tab() == "lanes"}
}
