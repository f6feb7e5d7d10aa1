package ui

import (
	"fmt"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// cellRef is a cell of the machine that the user points at: a register of a lane, or an element of memory.
type cellRef struct {
	Cell debug.Cell
	Name string   // as the page shows it
	Expr string   // for expressions and watchpoints; "" if they cannot name it
	Type isa.Type // as which it is read
	Text string   // its value; "" if it was never written
}

// Actions on cells.
type (
	WhoWrote   struct{ Ref cellRef } // travels to the step that wrote it
	NextWrite  struct{ Ref cellRef } // travels to the next one
	EditCell   struct{ Ref cellRef } // asks for a value
	EnterValue struct{ Text string } // gives it
	CloseEdit  struct{}              // without a value
	ShowOrigin struct{ Ref cellRef } // where its value comes from
	HideOrigin struct{}              //
	PointAt    struct{ Reg string }  // a click in the lane grid
)

// CellEdit is the open dialog for a value.
type CellEdit struct {
	Ref     cellRef
	Problem string
	Drops   int64 // steps that are known and are forgotten
}

// registerRef is a register of the followed warp in a lane.
func registerRef(m *Model, name string, lane int) (ref cellRef, ok bool) {
	if m.View.State == nil || name == "" {
		return ref, false
	}
	for i := range m.View.State.Regs {
		r := &m.View.State.Regs[i]
		if r.Reg.Name != name && regName(*r) != name {
			continue
		}
		ref.Name, ref.Expr = regName(*r), regName(*r)
		ref.Cell = debug.Cell{CTA: m.View.CTA, Warp: m.View.Warp, Lane: lane, Reg: r.Reg, Elem: r.Elem}
		ref.Type = r.Reg.Type
		if r.Reg.Type != isa.Pred {
			ref.Type = readAs(r.Reg.Type, m.reading(ref.Name, r.Reg.Type))
		}
		if r.Written.Has(lane) {
			lo, hi := laneValue(*r, lane)
			ref.Text = formatValue(r.Reg.Type, lo, hi, m.reading(ref.Name, r.Reg.Type))
		}
		return ref, true
	}
	return ref, false
}

// memoryRef is the element at an offset of the region that the memory panel shows.
func memoryRef(m *Model, offset int) (ref cellRef, ok bool) {
	r := m.shownRegion()
	if r == nil || r.Name == debug.TensorMemory {
		return ref, false
	}
	unit := pageLayout(r, m.MemoryTab).unit
	if unit > 8 || offset < 0 || offset+unit > len(r.Bytes) {
		return ref, false
	}
	ref.Cell = debug.Cell{CTA: m.View.CTA, Warp: m.View.Warp, Lane: r.Lane, Addr: r.Addr + uint64(offset), Size: unit,
		Space: r.Space}
	bytes := r.Bytes[offset : offset+unit]
	if e := parseElem(r.Type); m.MemoryTab == MemoryHex {
		ref.Name, ref.Type, ref.Text = fmt.Sprintf("byte %d of %s", offset, r.Name), isa.B8, fmt.Sprintf("0x%02x", bytes[0])
	} else {
		ref.Name = fmt.Sprintf("%s[%d]", r.Name, offset/unit)
		ref.Type, ref.Text = e.Type, launch.FormatElement(e, bytes)
		if e.Lanes > 1 {
			ref.Type, ref.Text = isa.BitsType(8*unit), fmt.Sprintf("0x%x", loadBits(bytes, unit))
		} else if own := m.region(); r.Type == own.Type && r.Name != "shared" && r.Name != "local" {
			ref.Expr = ref.Name
		}
	}
	return ref, true
}

// activeRef is a lane's bit of the active mask.
func activeRef(m *Model, lane int) (ref cellRef, ok bool) {
	return cellRef{Name: fmt.Sprintf("lane %d's bit of the active mask", lane),
		Cell: debug.Cell{CTA: m.View.CTA, Warp: m.View.Warp, Lane: lane, Active: true}}, m.View.State != nil
}

// entryRef is what a row of the stack panel shows: an entry or a group of lanes, or the barrier at which they wait.
func entryRef(m *Model, row int) (ref cellRef, ok bool) {
	w := m.View.State
	if w == nil || row < 0 || row >= len(w.Stack) {
		return ref, false
	}
	e := w.Stack[row]
	ref.Cell = debug.Cell{CTA: m.View.CTA, Warp: m.View.Warp, Stack: true, Entry: &e}
	ref.Name = "the entry of " + e.Mask.Lanes()
	if m.grouped() {
		ref.Name = "the group of " + e.Mask.Lanes()
	}
	return ref, true
}

// barrierRef is the barrier of the CTA at which lanes of a row of the stack panel wait.
func barrierRef(m *Model, row int) (ref cellRef, ok bool) {
	w := m.View.State
	if w == nil || row < 0 || row >= len(w.Stack) || w.BarrierID < 0 || w.AtBarrier&w.Stack[row].Mask == 0 {
		return ref, false
	}
	return cellRef{Name: fmt.Sprintf("barrier %d", w.BarrierID),
		Cell: debug.Cell{CTA: m.View.CTA, Warp: m.View.Warp, Barrier: w.BarrierID + 1}}, true
}

// holdsValue says whether a cell is a register or memory, so that it can be edited.
func (ref *cellRef) holdsValue() bool { return ref.Cell.Reg != nil || ref.Cell.Size > 0 }

// done is what steps have done to a cell.
func (ref *cellRef) done() string {
	if ref.holdsValue() {
		return "written"
	}
	return "changed"
}

// entryMenu is what can be asked of a row of the stack panel.
func entryMenu(m *Model, row int) *Popup {
	entry, _ := entryRef(m, row)
	p := cellMenu(m, entry)
	if barrier, ok := barrierRef(m, row); ok {
		more := cellMenu(m, barrier).Items
		more[0].Keys = "" // the key asks about the row
		p.Items = append(p.Items, more...)
	}
	return p
}

// where is the cell in words.
func (ref *cellRef) where() string {
	if ref.Cell.Reg == nil {
		return ref.Name
	}
	return fmt.Sprintf("%s in lane %d", ref.Name, ref.Cell.Lane)
}

// cellMenu is what can be asked of a cell.
func cellMenu(m *Model, ref cellRef) *Popup {
	p := &Popup{Name: ref.where()}
	head := ref.where()
	if ref.Text != "" {
		head += " = " + ref.Text
	}
	add := func(label, keys string, action Action, off bool) {
		p.Items = append(p.Items, popupItem{Head: head, Label: label, Keys: keys, Action: action, Off: off})
		head = ""
	}
	register := ref.Cell.Reg != nil
	key := func(k string) string { return map[bool]string{true: k}[register || !ref.holdsValue()] }
	still := m.Running || m.Stale
	add("Who wrote this?", key("W"), WhoWrote{ref}, still)
	if !ref.holdsValue() {
		add("Next change", "", NextWrite{ref}, still)
		return p
	}
	add("Where does this value come from?", "", ShowOrigin{ref}, still)
	add("Next change", "", NextWrite{ref}, still)
	add("Break when it changes", "", AddStop{debug.StopChange, ref.Expr}, ref.Expr == "")
	add("Watch "+ref.Name, "", SetWatch{len(m.Watches), ref.Expr}, ref.Expr == "")
	if register {
		add("Follow lane "+strconv.Itoa(ref.Cell.Lane), "", SelectLane{ref.Cell.Lane}, false)
	}
	add("Edit value…", key("F2"), EditCell{ref}, still)
	return p
}

// cellAction applies an action on a cell.
func (s *Store) cellAction(action Action) bool {
	switch action.(type) {
	case WhoWrote, NextWrite, EditCell, ShowOrigin:
		if s.model.Running || s.model.Stale || s.model.View.Phase == debug.Invalid {
			return true // the cell is of another moment
		}
	}
	switch a := action.(type) {
	case WhoWrote:
		w, ok := s.session.Writer(a.Ref.Cell)
		s.toChange(&a.Ref, &w, ok, "No step before this one has "+a.Ref.done()+" ")
	case NextWrite:
		w, ok := s.session.NextChange(a.Ref.Cell)
		s.toChange(&a.Ref, &w, ok, "No later step that is known has "+a.Ref.done()+" ")
	case EditCell:
		s.editCell(a.Ref)
	case EnterValue:
		s.enterValue(strings.TrimSpace(a.Text))
	case CloseEdit:
		s.update(func(m *Model) { m.CellEdit = nil })
	case ShowOrigin:
		o := s.session.Origin(a.Ref.Cell)
		s.update(func(m *Model) { m.Origin = originOf(m, &a.Ref, &o) })
	case HideOrigin:
		s.update(func(m *Model) { m.Origin = nil })
	case PointAt:
		s.update(func(m *Model) { m.AtHand = a.Reg })
	default:
		return false
	}
	return true
}

// toChange travels to a step that wrote a cell, and says which it was.
func (s *Store) toChange(ref *cellRef, w *debug.Change, ok bool, none string) {
	if !ok {
		s.update(func(m *Model) { m.Notice = none + ref.where() + "." })
		return
	}
	tick := w.Tick + 1
	s.move(func() { s.session.SeekTo(tick) })
	s.catchUp() // it has a sentence of its own
	s.update(func(m *Model) { m.Notice = ref.where() + " was " + ref.done() + " by " + changeWords(w) + "." })
}

// lastWrite travels to the step that wrote the register at hand.
func (s *Store) lastWrite(name string) {
	s.move(func() {})
	s.catchUp()
	if ref, ok := registerRef(s.model, name, s.model.Lane); ok {
		s.Do(WhoWrote{ref})
		return
	}
	s.update(func(m *Model) { m.Notice = "Point at a register first: the last write is looked for of that one." })
}

// editCell opens the dialog for a value.
func (s *Store) editCell(ref cellRef) {
	edit := &CellEdit{Ref: ref}
	if s.session.Future() {
		edit.Drops = s.model.View.End - s.model.View.Tick
	}
	s.update(func(m *Model) { m.CellEdit = edit })
}

// dropWords ask before an edit forgets what is known of the future.
func (e *CellEdit) dropWords() string {
	if e.Drops == 0 {
		return ""
	}
	return "This is a moment in the past. A new value drops the " + ptx.Plural(e.Drops, "step") +
		" that are known after it."
}

// enterValue writes the value, or says what is wrong with it.
func (s *Store) enterValue(text string) {
	if s.model.CellEdit == nil {
		return
	}
	edit := *s.model.CellEdit
	bits, problem := valueOf(edit.Ref.Type, text)
	if problem == "" {
		if err := s.session.Edit(edit.Ref.Cell, bits, 0); err != nil {
			problem = err.Error()
		}
	}
	if edit.Problem = problem; problem != "" {
		s.update(func(m *Model) { m.CellEdit = &edit })
		return
	}
	s.update(func(m *Model) { m.CellEdit = nil })
	s.refresh()
}

// valueOf is the bits of a value as the user writes it.
func valueOf(t isa.Type, text string) (bits uint64, problem string) {
	switch {
	case t == isa.Pred:
		switch strings.ToLower(text) {
		case "1", "t", "true":
			return 1, ""
		case "0", "f", "false":
			return 0, ""
		}
		return 0, "A predicate is 1 (true) or 0 (false)."
	case t.Bits() > 64:
		return 0, "A register of 128 bits cannot be edited here."
	}
	return launch.ParseValue(t, text)
}

// originTree is where a value comes from: a row for each step of the chain of writers.
type originTree struct {
	Title string
	Rows  []originRow
}

// originRow is a value and the instruction that wrote it.
type originRow struct {
	Depth             int
	Name, Value, Text string
	Where             string // step and line, or that nothing has written it
	Tick              int64  // after the step; 0 for none
	More              bool   // its sources were not followed further
}

// originOf lays out a tree as rows.
func originOf(m *Model, ref *cellRef, o *debug.Origin) *originTree {
	t := &originTree{Title: "Where " + ref.where() + " comes from"}
	if ref.Type != isa.NoType {
		o.Type = ref.Type
	}
	t.add(m, o, 0)
	return t
}

func (t *originTree) add(m *Model, o *debug.Origin, depth int) {
	row := originRow{Depth: depth, Name: o.Name, Where: "as the launch made it", More: o.More}
	switch reg := o.Cell.Reg; {
	case o.Text != "":
		row.Value, row.Where = o.Text, "at the same step"
	case reg != nil:
		row.Value = formatValue(reg.Type, o.Value, nil, m.reading(reg.Name, reg.Type))
	default:
		row.Value = launch.FormatValue(o.Type, o.Value, 0)
	}
	if o.Note != "" {
		row.Name += ", " + o.Note
	}
	if w := o.Write; w != nil {
		row.Text, row.Tick = strings.Trim(w.Text, "`"), w.Tick+1
		row.Where = fmt.Sprintf("step %s, line %d", count(w.Tick+1), w.Line)
	} else if o.Cell.Reg != nil || o.Cell.Carry {
		row.Where, row.Value = "never written", "·"
	}
	t.Rows = append(t.Rows, row)
	for i := range o.Sources {
		if source := &o.Sources[i]; !source.Fixed() || source.Text != "" { // not a constant
			t.add(m, source, depth+1)
		}
	}
}
