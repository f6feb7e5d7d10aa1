package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Strip is what the panel says of one instruction: above the registers, in their columns.
type Strip struct {
	Ran, Next bool // which of the two there are
	Upcoming  bool // it is about the one that runs next
	Line      int
	Text      string
	Sentence  string
	Rows      []LaneRow
}

// strip is about what has just run, or what runs next.
func (g *LaneGrid) strip(m *Model) *Strip {
	ran, next := m.View.Ran, m.View.Next
	in := ran
	if ran == nil || m.Upcoming && next != nil {
		in = next
	}
	if in == nil {
		return nil
	}
	s := &Strip{Ran: ran != nil, Next: next != nil, Upcoming: in == next, Line: in.Line, Text: in.Text,
		Sentence: in.Sentence}
	for k := range in.Rows {
		o := &in.Rows[k]
		row := g.operand(m, o, in.At)
		if !in.Branch && o.Role != debug.RoleGuard {
			row.idle = in.At &^ in.Exec
		}
		if o.Role != debug.RoleResult && o.Changed == 0 {
			row.order = 1
		}
		s.Rows = append(s.Rows, row)
		if old, differ := former(o); differ && !alsoRead(in, o.Name) {
			was := row
			was.Reg, was.Type, was.Changed, was.view = "", "was", 0, old
			s.Rows = append(s.Rows, was)
		}
	}
	return s
}

// alsoRead says whether a source of an instruction is a register that it also writes: that row has the former values.
func alsoRead(in *debug.Instruction, name string) bool {
	return slices.ContainsFunc(in.Rows, func(o debug.OperandRow) bool {
		return o.Role == debug.RoleSource && o.Name == name
	})
}

// within is the strip in room for so many rows. If there are more, what the instruction writes comes first: mma has 14
// operands, and the four that matter most are its last.
func (s *Strip) within(rows int) *Strip {
	if s == nil || len(s.Rows) <= rows {
		return s
	}
	ordered := *s
	ordered.Rows = slices.Clone(s.Rows)
	slices.SortStableFunc(ordered.Rows, func(a, b LaneRow) int { return cmp.Compare(a.order, b.order) })
	return &ordered
}

// operand is a row of the strip.
func (g *LaneGrid) operand(m *Model, o *debug.OperandRow, at emu.Mask) LaneRow {
	reg := o.Reg
	if reg == nil {
		reg = &ptx.Reg{Name: o.Name, Type: o.Type}
	}
	row := LaneRow{Reg: o.Name, Changed: o.Changed, only: at, plain: true, as: m.reading(o.Name, reg.Type),
		view: &emu.RegView{Reg: reg, Elem: -1, Written: o.Known, Lo: &o.Values, Hi: o.Hi}}
	if o.Reg == nil && o.Type.Class() == isa.Bits {
		row.as = m.Bits
	}
	switch o.Role {
	case debug.RoleGuard:
		row.Type = "guard"
	case debug.RoleSource:
		row.Type = "source"
	case debug.RoleAddress:
		row.Type = "at"
	case debug.RoleMemory:
		row.Type = strings.TrimPrefix(o.Type.String(), ".")
	case debug.RoleNext:
		row.Type = "line"
	default:
		row.Type = "result"
	}
	if row.base = g.base(&row); row.base == "" && o.Role == debug.RoleAddress {
		row.as = AsHex
	}
	switch old, differ := former(o); {
	case row.base != "":
		row.Type = row.base + "+"
	case o.Changed == 0 && (o.Role == debug.RoleMemory || o.Role == debug.RoleResult):
		row.Type = "now"
	case old != nil && !differ:
		first := LaneRow{view: old, as: row.as, only: at}
		row.Type = "was " + g.cell(&first, lowest(o.Changed)).Text
	}
	return row
}

// former is what an instruction has replaced, and whether lanes differ in that; nil if it has replaced nothing.
func former(o *debug.OperandRow) (old *emu.RegView, differ bool) {
	if o.Changed == 0 || o.Role == debug.RoleNext {
		return nil, false
	}
	reg := o.Reg
	if reg == nil {
		reg = &ptx.Reg{Type: o.Type}
	}
	first := o.Old[lowest(o.Changed)]
	differ = o.Had != 0 && o.Had != o.Changed
	for lane, v := range o.Old {
		differ = differ || o.Had.Has(lane) && v != first
	}
	return &emu.RegView{Reg: reg, Elem: -1, Written: o.Had, Lo: &o.Old}, differ && reg.Type.Bits() <= 64
}

// lowest is the first lane of a mask that is not empty.
func lowest(m emu.Mask) int {
	for lane := range 32 {
		if m.Has(lane) {
			return lane
		}
	}
	return 0
}

// Bracket says where neighbouring lanes are.
type Bracket struct {
	From, N     int
	State       LaneState
	Text, Short string
}

// brackets says where the lanes of the followed warp are, a bracket for neighbours that are at one place.
func brackets(m *Model, heads *[32]LaneState) (list []Bracket) {
	if m.View.State == nil {
		return nil
	}
	var at [32]int
	for _, g := range m.View.Groups {
		for lane := range 32 {
			if g.Mask.Has(lane) {
				at[lane] = g.Line
			}
		}
	}
	for lane, state := range heads {
		if state == LaneGuarded || state == LaneFalls {
			state = LaneActive
		}
		if n := len(list); n > 0 && list[n-1].State == state && at[lane] == at[list[n-1].From] {
			list[n-1].N++
			continue
		}
		list = append(list, Bracket{From: lane, N: 1, State: state})
	}
	for i := range list {
		b := &list[i]
		b.Text, b.Short = whereabouts(m, b.State, at[b.From], b.N)
	}
	return list
}

// gathered says in a line where lanes are, a bracket for each state: "4 run 55", "4 wait at 58, 8 at 62".
func gathered(list []Bracket) (states []Bracket) {
	verbs := map[LaneState]string{LaneActive: "run", LaneWaiting: "wait at", LaneAtBarrier: "at the barrier",
		LaneFaulted: "made the fault", LaneExited: "ended"}
	for _, state := range []LaneState{LaneActive, LaneFaulted, LaneAtBarrier, LaneWaiting, LaneExited} {
		lanes := map[int]int{}
		for _, b := range list {
			if b.State == state {
				line, _ := strconv.Atoi(b.Short)
				lanes[line] += b.N
			}
		}
		var parts []string
		verb := verbs[state]
		for _, line := range slices.Sorted(maps.Keys(lanes)) {
			part := fmt.Sprintf("%d %s", lanes[line], verb)
			if line > 0 {
				part += " " + strconv.Itoa(line)
			}
			parts, verb = append(parts, part), "at"
		}
		if len(parts) > 0 {
			states = append(states, Bracket{State: state, Text: strings.Join(parts, ", ")})
		}
	}
	return states
}

// whereabouts says what lanes do: in a few words, and in one.
func whereabouts(m *Model, state LaneState, line, n int) (text, short string) {
	number := strconv.Itoa(line)
	if short = number; line == 0 {
		short = ""
	}
	who := ""
	if n == 32 {
		who = "all 32 lanes "
	}
	switch run := "run"; state {
	case LaneAbsent:
		return "no threads", ""
	case LaneExited:
		return who + "ended", "ended"
	case LaneAtBarrier:
		return who + "at a barrier, line " + number, short
	case LaneFaulted:
		return who + "made the fault, line " + number, "fault"
	case LaneWaiting:
		return who + "wait at line " + number, short
	default:
		if m.View.Tick == 0 {
			run = "start at"
		}
		return who + run + " line " + number, short
	}
}
