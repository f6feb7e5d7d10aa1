package ui

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"warpscope/debug"
	"warpscope/emu"
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
)

func (s LaneState) String() string {
	return [...]string{"absent", "active", "guarded", "waiting", "barrier", "exited"}[s]
}

// words describes the state to people.
func (s LaneState) words(model *emu.Model) string {
	return [...]string{"no thread", "active", "predicated off", model.Elsewhere, "at a barrier", "exited"}[s]
}

// laneWords says what each lane is doing, and for whom it waits. w is nil when nothing can run.
func laneWords(w *emu.WarpView, states [32]LaneState) (words [32]string) {
	model, groups := modelOf(w), []emu.StackEntry(nil)
	if model.Progress {
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
type CellFlags uint8

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
)

// LaneCell is one lane of one register.
type LaneCell struct {
	Text  string
	Flags CellFlags
}

// LaneRow is one register in all lanes. Its cells are computed when the row is drawn.
type LaneRow struct {
	Reg, Type string
	Pinned    bool
	Tile      bool // the register that the phone layout shows
	Changed   emu.Mask
	Undefined emu.Mask
	view      *emu.RegView
}

// LaneGrid has everything that the lane grid draws.
type LaneGrid struct {
	Lane    int // selected
	Heads   [32]LaneState
	Rows    []LaneRow
	Changed int // row that the last step wrote first, -1 for none

	view *debug.View
	bits Bits
}

// laneGrid computes the grid of the followed warp: first the pinned registers, then the others in the order of their
// first use.
func laneGrid(m *Model) LaneGrid {
	g := LaneGrid{Lane: m.Lane, Changed: -1, view: &m.View, bits: m.Bits}
	w := m.View.State
	if w == nil {
		return g
	}
	g.Heads = laneStates(withThreads(&m.View))
	changed, undefined := changedLanes(m.View), undefinedLanes(m.View)
	var rest []LaneRow
	for i := range w.Regs {
		r := &w.Regs[i]
		row := LaneRow{Reg: regName(*r), Type: r.Reg.Type.String(), view: r}
		row.Pinned, row.Changed = m.pinned(row.Reg), changed[row.Reg]
		row.Undefined = undefined[row.Reg]
		switch {
		case row.Pinned:
			g.Rows = append(g.Rows, row)
		case matches(row.Reg, r.Reg.Type, m.Filter):
			rest = append(rest, row)
		}
	}
	g.Rows = append(g.Rows, rest...)
	for i := range g.Rows {
		if g.Rows[i].Changed != 0 {
			g.Changed = i
			break
		}
	}
	markTile(&g, m)
	return g
}

// recent is the register that the last step wrote, or else the one that an earlier step wrote.
func recent(m *Model) string {
	if changed := changedLanes(m.View); len(changed) > 0 {
		for _, r := range m.View.State.Regs {
			if name := regName(r); changed[name] != 0 {
				return name
			}
		}
	}
	return m.Recent
}

// absence says why there are no registers to show; "" if there are some.
func absence(m *Model) string {
	w := m.View.State
	switch {
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

// markTile chooses the register of the phone layout: the user's choice, else the one that changed last, else the first.
func markTile(g *LaneGrid, m *Model) {
	best := g.Changed
	for _, reg := range []string{m.Recent, m.Tile} {
		i := slices.IndexFunc(g.Rows, func(r LaneRow) bool { return r.Reg == reg })
		if i >= 0 && (best < 0 || reg == m.Tile) {
			best = i
		}
	}
	best = max(best, 0)
	if len(g.Rows) > 0 {
		g.Rows[best].Tile = true
	}
}

// words says what each lane is doing.
func (g *LaneGrid) words() [32]string { return laneWords(g.view.State, g.Heads) }

// cells computes one row.
func (g *LaneGrid) cells(row *LaneRow) (cells [32]LaneCell) {
	for lane := range cells {
		cells[lane] = g.cell(row, lane)
	}
	return cells
}

func (g *LaneGrid) cell(row *LaneRow, lane int) (cell LaneCell) {
	switch g.Heads[lane] {
	case LaneAbsent:
		return LaneCell{Flags: CellInactive | CellGone}
	case LaneExited:
		cell.Flags = CellInactive | CellGone
	case LaneWaiting:
		cell.Flags = CellInactive
	}
	if row.Changed.Has(lane) {
		cell.Flags |= CellChanged
	}
	if row.Undefined.Has(lane) {
		cell.Flags |= CellUndefined
	}
	if !row.view.Written.Has(lane) {
		return LaneCell{"·", cell.Flags | CellUnwritten}
	}
	lo, hi := laneValue(*row.view, lane)
	t := row.view.Reg.Type
	if pointer := g.pointer(t, lo); pointer != "" {
		return LaneCell{pointer, cell.Flags | CellPointer}
	}
	if t == isa.Pred {
		cell.Flags |= CellPred | CellFlags(lo&1)*CellSet
	}
	cell.Text = formatValue(t, lo, hi, g.bits)
	return cell
}

// cellRoom is the room that a value has in a cell, in CSS pixels.
type cellRoom struct {
	width, height float64
	largest       float64 // size of letters
}

// gridCell and tileCell give the room in cells of a width: in the grid's rows, and in the tiles of the phone layout
// (lanes.css).
func gridCell(width float64) cellRoom { return cellRoom{width - 4, 24, 11.5} }
func tileCell(width float64) cellRoom { return cellRoom{width - 4, 33, 12.5} }

// The size of letters of monospaced fonts, relative to the font size; the style sheet moves them a little closer
// together.
const (
	letterWidth = .575
	smallest    = 8
	readable    = 8.5
)

// fit chooses the size of letters for a row, so that no value touches the next. Values that are too long take several
// lines; a value that still has no room is cut, and shown in full on hover.
func (r cellRoom) fit(cells *[32]LaneCell) (size float64) {
	longest := 1
	for _, cell := range cells {
		longest = max(longest, utf8.RuneCountInString(cell.Text))
	}
	size, room := r.letters(longest)
	for lane := range cells {
		if text := cells[lane].Text; longest > room && utf8.RuneCountInString(text) > room {
			cells[lane].Text = string([]rune(text)[:room-1]) + "…"
		}
	}
	return size
}

// letters is the size of letters for a value of n letters, and how many of them there is room for.
func (r cellRoom) letters(n int) (size float64, room int) {
	lines := int(r.height / smallest)
	largest := r.largest
	for l := 1; l <= lines && size < readable; l++ {
		perLine := float64((n + l - 1) / l)
		size = max(size, min(largest, r.height/float64(l), r.width/(letterWidth*perLine)))
		largest = r.largest - 1 // lines are close together
	}
	if size >= smallest {
		return math.Floor(2*size) / 2, n
	}
	return smallest, max(lines*int(r.width/(letterWidth*smallest)), 1)
}

// pointer names the target of a 64-bit integer register; "" if it points at nothing known.
func (g *LaneGrid) pointer(t isa.Type, v uint64) string {
	if t.Bits() != 64 || t.Class() == isa.Float {
		return ""
	}
	return g.view.Name(v)
}

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
	on := guardLanes(w)
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
		case w.Active.Has(lane):
			states[lane] = LaneGuarded
		default:
			states[lane] = LaneWaiting
		}
	}
	return states
}

// guardLanes are the lanes in which the next instruction's guard is true (9.3).
func guardLanes(w *emu.WarpView) emu.Mask {
	if w.PC == nil || w.PC.Guard == nil {
		return emu.FullMask
	}
	guard := w.PC.Guard
	var mask emu.Mask
	for i := range w.Regs {
		if w.Regs[i].Reg != guard.Reg || w.Regs[i].Elem >= 0 && w.Regs[i].Elem != int(guard.Elem) {
			continue
		}
		for lane, v := range w.Regs[i].Lo {
			mask |= emu.Mask(v&1) << lane
		}
	}
	if guard.Neg {
		return ^mask
	}
	return mask
}

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
		g := LaneGrid{view: &m.View}
		if pointer := g.pointer(r.Reg.Type, lo); pointer != "" {
			title += pointer + " = "
		} else if text := formatValue(r.Reg.Type, lo, hi, m.Bits); !strings.HasPrefix(text, "0x") {
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
	tab          bool // the phone layout shows the panel, and hidden cells must get their places
}

func laneKeyOf(m *Model) laneKey {
	return laneKey{m.View.Version, m.Lane, m.Filter, m.Tile, strings.Join(m.Pinned, " "), m.Bits, m.tab() == "lanes"}
}
