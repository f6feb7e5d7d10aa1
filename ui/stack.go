package ui

import (
	"fmt"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// grouped says whether the followed warp has groups of lanes in place of a stack.
func (m *Model) grouped() bool { return m.model().Groups }

// model is the followed warp's divergence model. If there is no warp, because the launch is refused, it is the one that
// .target decides.
func (m *Model) model() *emu.Model {
	if m.View.State == nil && m.Module != nil {
		return &emu.Models[emu.ByTarget(m.Module.SM)]
	}
	return modelOf(m.View.State)
}

// modelOf is a warp's divergence model, or that of hardware before Volta if nothing can run.
func modelOf(w *emu.WarpView) *emu.Model {
	if w == nil {
		return &emu.Models[emu.Stack]
	}
	return &emu.Models[w.Model]
}

const stackName = "SIMT stack" // of the panel's region, whatever the model

// stackRow is one entry of the SIMT stack, or a group of lanes, as shown.
type stackRow struct {
	PC, RPC string // lines; "end" past a function's end
	PCLine  int
	Mask    emu.Mask
	Here    emu.Mask // lanes that are at its line; the others come later
	Failed  emu.Mask // those of them that made the fault
	State   string   // what its lanes do, in two or three words
	Kind    string
	Waits   string // for whom
	Cause   string // the action of the instruction that made it: "pushed by line 2: …"
	Because string // that instruction and its line
	Pushed  bool   // by the last step
}

// stackRows lists the stack, top first; or the groups of lanes, the running one first.
func stackRows(m *Model) []stackRow {
	w := m.View.State
	if w == nil {
		return nil
	}
	rows := make([]stackRow, min(len(w.Stack), maxStack))
	var above emu.Mask
	for i := range rows {
		e := &w.Stack[i]
		rows[i] = entryRow(m, *e)
		rows[i].Here = e.Mask &^ above
		if m.grouped() {
			rows[i].Here = e.Mask
			if e.Wait == emu.WaitConverge {
				rows[i].Here &^= e.For
			}
		}
		rows[i].at(m, w.Place(rows[i].Here, e.PC))
		rows[i].State = stateWords(w, e, i == 0, rows[i].Here)
		if failed := faultedLanes(m) & rows[i].Here; rows[i].State == runs && failed != 0 {
			rows[i].Failed, rows[i].State = failed, faultState(failed, rows[i].Here)
		}
		above |= e.Mask
	}
	// The last step's pushes that have not been popped by it are the top entries.
	for i := 0; i < min(grownBy(m), len(rows)); i++ {
		rows[i].Pushed = true
	}
	return rows
}

// States that are marked by a shape of their own.
const (
	runs      = "runs"
	atBarrier = "at a barrier"
	faulted   = "made the fault"
)

// faultState says how many of the lanes that ran made the fault.
func faultState(failed, here emu.Mask) string {
	if failed == here {
		return faulted
	}
	return fmt.Sprintf("%d of %d %s", failed.Count(), here.Count(), faulted)
}

// stateWords says in a few words what the lanes of an entry or a group do.
func stateWords(w *emu.WarpView, e *emu.StackEntry, top bool, here emu.Mask) string {
	switch {
	case e.Wait == emu.WaitBarrier, here != 0 && here&^w.AtBarrier == 0:
		return atBarrier
	case e.Wait == emu.WaitMembers:
		return "waits for " + ptx.Plural(e.For.Count(), "lane")
	case e.Wait == emu.WaitConverge && e.For&e.Mask == 0 && modelOf(w).Groups:
		return "waits for " + ptx.Plural(e.For.Count(), "lane")
	case here != e.Mask || e.Wait == emu.WaitConverge:
		return fmt.Sprintf("%d of %d here", here.Count(), e.Mask.Count())
	case top:
		return runs
	}
	return "waits its turn"
}

// maxStack bounds the rows that are drawn, because a recursion makes thousands of entries.
const maxStack = 100

// stackNote is what the panel says under the table.
func stackNote(m *Model) string {
	w := m.View.State
	switch {
	case m.blank():
		return absence(m)
	case w != nil && len(w.Stack) == 0 && w.Present&^w.Exited == 0:
		return "All lanes of this warp have ended."
	case w == nil || len(w.Stack) == 0:
		return "No lane of this warp is running."
	case len(w.Stack) > maxStack:
		return "The first " + count(maxStack) + " of " + count(int64(len(w.Stack))) + " are shown."
	}
	return ""
}

// grownBy is how many of the top entries the last step pushed.
func grownBy(m *Model) int {
	fresh := 0
	for _, c := range lastChanges(m) {
		if c.Push {
			fresh++
		} else if fresh > 0 {
			fresh--
		}
	}
	return fresh
}

// lastChanges are the stack changes of the last step, if the followed warp made that step.
func lastChanges(m *Model) []emu.StackChange {
	if last := ownStep(&m.View); last != nil {
		return last.Stack
	}
	return nil
}

// at says at which instruction the row's lanes are.
func (r *stackRow) at(m *Model, in *ptx.Inst) {
	if in != nil {
		r.PCLine = m.lineOf(in)
		r.PC = strconv.Itoa(r.PCLine)
	}
}

func entryRow(m *Model, e emu.StackEntry) stackRow {
	row := stackRow{PC: "end", RPC: "end", Mask: e.Mask, Kind: e.Kind.String()}
	switch {
	case e.RPC != nil:
		row.RPC = strconv.Itoa(m.lineOf(e.RPC))
	case e.Func != nil && !e.Func.Entry:
		row.RPC = "return" // to the caller, who has an entry of its own
	}
	if e.Kind == emu.KindCall && e.Func != nil {
		row.Kind += " " + e.Func.Name
	}
	if m.grouped() {
		row.Kind, row.Waits = groupWords(e, row.Kind)
	}
	if e.Cause != nil {
		row.Because = fmt.Sprintf("%s %d", unguarded(m.statement(e.Cause)), m.lineOf(e.Cause))
		row.Cause = "pushed by " + causeText(m, e)
		if m.grouped() {
			row.Cause = "made by " + causeText(m, e)
		}
	}
	return row
}

// groupWords says what a group of lanes does, and for whom it waits.
func groupWords(e emu.StackEntry, kind string) (what, waits string) {
	switch e.Wait {
	case emu.WaitConverge:
		return "meet", "waits for " + e.For.Lanes()
	case emu.WaitMembers:
		return "at a warp operation", "waits for " + e.For.Lanes()
	case emu.WaitBarrier:
		return "at a barrier", "waits for other warps"
	}
	return kind, ""
}

// unguarded is a statement without its guard.
func unguarded(text string) string {
	if guard, rest, ok := strings.Cut(text, " "); ok && strings.HasPrefix(guard, "@") {
		return strings.TrimSpace(rest)
	}
	return text
}

func causeText(m *Model, e emu.StackEntry) string {
	return fmt.Sprintf("line %d: %s", m.lineOf(e.Cause), m.statement(e.Cause))
}

// stackNews says in words what the last step pushed and popped, or which groups of lanes are new or gone, and why.
func stackNews(m *Model) []stackChangeRow {
	var news []stackChangeRow
	changes := lastChanges(m)
	for i, c := range changes {
		row := stackChangeRow{Push: c.Push}
		lanes := ptx.Plural(c.Entry.Mask.Count(), "lane")
		entry := " the " + c.Entry.Kind.String() + " entry"
		if c.Entry.Kind == emu.KindReconv {
			entry = " the reconvergence entry"
		}
		pushed, popped := "pushed"+entry, "popped"+entry
		if m.grouped() {
			pushed, popped = "new group", "gone: group"
		}
		words, why := pushed, ": "+pushWords(m, c.Entry, lanes)
		switch {
		case !c.Push && c.Why == emu.Replaced:
			words, why = "replaced"+entry, replaceWords(m, c.Entry, changes[i+1:])
		case !c.Push:
			words, why = popped, ": "+popWords(m, c, lanes)
		}
		row.Text = words + " " + maskHex(left(m, c)) + why
		news = append(news, row)
	}
	return news
}

// left is the mask of an entry before it left the stack. When the last lanes of an entry return or exit, the machine
// pops it with an empty mask. These lanes are all that execute the instruction, because the entry had no others.
func left(m *Model, c emu.StackChange) emu.Mask {
	if !c.Push && c.Entry.Mask == 0 {
		return m.View.Last.Exec
	}
	return c.Entry.Mask
}

type stackChangeRow struct {
	Push bool
	Text string
}

func pushWords(m *Model, e emu.StackEntry, lanes string) string {
	switch e.Kind {
	case emu.KindReconv:
		return lanes + " will meet" + atLine(" at line ", m.lineOf(e.PC))
	case emu.KindCall:
		name := "a function"
		if e.Func != nil {
			name = e.Func.Name
		}
		return lanes + " enter " + name
	case emu.KindBranch:
		return lanes + " go on" + atLine(" at line ", m.lineOf(e.PC))
	}
	return lanes
}

func popWords(m *Model, c emu.StackChange, lanes string) string {
	switch e := c.Entry; {
	case c.Why == emu.Returned:
		return "its lanes have returned"
	case c.Why == emu.Exited:
		return "its lanes have exited"
	case e.RPC != nil:
		return lanes + " reached" + atLine(" line ", m.lineOf(e.RPC))
	}
	return lanes + " done"
}

// replaceWords says what replaces an entry whose lanes have branched apart. The entries of the sides are pushed next;
// lanes without such an entry have reached the place where all meet.
func replaceWords(m *Model, e emu.StackEntry, next []emu.StackChange) string {
	var sides []string
	arrived := e.Mask
	for _, c := range next {
		if !c.Push {
			break
		}
		if c.Entry.Mask&^e.Mask == 0 {
			sides = append(sides, maskHex(c.Entry.Mask))
			arrived &^= c.Entry.Mask
		}
	}
	words := " by " + strings.Join(sides, " and ")
	if arrived != 0 {
		words += fmt.Sprintf("; %d of its %s reached%s", arrived.Count(), ptx.Plural(e.Mask.Count(), "lane"),
			atLine(" line ", m.lineOf(e.RPC)))
	}
	return words
}

func atLine(words string, line int) string {
	if line == 0 {
		return strings.TrimSuffix(words, "line ") + "the function's end"
	}
	return words + strconv.Itoa(line)
}
