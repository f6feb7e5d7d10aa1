package ui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// drawn writes what is seen of a row: a value where its cell begins, "-" where a joined cell goes on, notes in [].
func drawn(m *Model, reg string) string {
	g := laneGrid(m)
	var b strings.Builder
	for i := range g.Rows {
		if g.Rows[i].Reg != reg {
			continue
		}
		for _, c := range g.cells(&g.Rows[i]) {
			if c.Flags&CellHidden != 0 {
				b.WriteString("-")
			} else {
				b.WriteString(" " + c.Text)
			}
			if c.Note != "" {
				b.WriteString("[" + c.Note + "]")
			}
			if c.Flags&CellLast != 0 {
				b.WriteString("|")
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// seen repeats what continues a joined cell.
func seen(n int) string { return strings.Repeat("-", n) }

func setRow(m *Model, i int, value func(lane int) uint64) {
	for lane := range 32 {
		m.View.State.Regs[i].Lo[lane] = value(lane)
	}
}

// The rules of density, on cells of 41 pixels, which have room for 5 letters. A text of n letters covers
// int((7.25n + 6) / 41) + 1 cells: one letter 1, "all 32 lanes" 3.
func TestDensityOfTheLaneGrid(t *testing.T) {
	m := warpModel()
	w := m.View.State
	setRow(m, 0, func(int) uint64 { return 7 })
	require.Equal(t, "7-[all 32 lanes]"+seen(30)+"|", drawn(m, "%r1"), "all agree: one wide cell")
	m.Lane = 26
	require.Equal(t, "7-[all 32 lanes]"+seen(24)+" 7"+seen(5)+"|", drawn(m, "%r1"), "the followed lane shows its value")
	m.Lane = 2
	require.Equal(t, "7- 7-[all 32 lanes]"+seen(28)+"|", drawn(m, "%r1"), "… beside the remark")
	m.Lane = 0

	m.View.Last = &emu.Step{Regs: []emu.RegWrite{{Reg: w.Regs[0].Reg, Elem: -1, Lanes: emu.FullMask}}}
	require.Equal(t, "7"+seen(31)+"|", drawn(m, "%r1"), "never a wide cell for what was just written")
	m.View.Last = nil

	// 0, 1, 4, 6, … in four lanes each
	setRow(m, 0, func(lane int) uint64 { return uint64(min(lane/4, 2) * (lane / 4)) })
	require.Equal(t, "0---| 1---| 4---| 6---| 8---| 10---| 12---| 14---|", drawn(m, "%r1"))
	setRow(m, 0, func(lane int) uint64 { return uint64(lane / 3) })
	require.NotContains(t, drawn(m, "%r1"), "-", "three neighbours are not joined")

	// Lanes in different states are not joined, unless all agree.
	setRow(m, 0, func(lane int) uint64 { return uint64(lane / 31) })
	w.Active = 0xff
	require.Equal(t, "0"+seen(7)+"| 0"+seen(22)+"| 1", drawn(m, "%r1"))
	setRow(m, 0, func(int) uint64 { return 7 })
	require.Equal(t, "7-[all 32 lanes]"+seen(30)+"|", drawn(m, "%r1"))
	w.Active = emu.FullMask

	// Addresses that grow evenly: the first, the difference, the last. 31 × 4 = 124.
	require.Equal(t, "0-[+4 a lane]"+seen(29)+" 124|", drawn(m, "%rd1"))
	m.Lane = 5
	require.Equal(t, "0-[+4 a lane]--- 20"+seen(25)+" 124|", drawn(m, "%rd1"))
	m.Lane = 0
	w.Regs[0].Written = 0xffffff00
	require.Equal(t, "·"+strings.Repeat(" ·", 7)+" 7"+seen(23)+"|", drawn(m, "%r1"), "lanes that never wrote it")
}

// Values fit their cells: in one line, or in one or two of small letters.
func TestValuesFitTheirCells(t *testing.T) {
	for _, room := range []cellRoom{gridCell(41), gridCell(29), gridCell(56), tileCell(43)} {
		for _, text := range []string{"7", "12345", "4294967295", "0xabcdef12", "-2.2250738585072014e-308", "1 -3", "T"} {
			c := LaneCell{Text: text}
			room.fit(&c)
			n, lines, letter := utf8.RuneCountInString(c.Text), 1, room.letter
			if c.Flags&(CellTwo|CellSmall) != 0 {
				letter = smallLetter
			}
			if c.Flags&CellTwo != 0 {
				lines = room.lines
			}
			perLine := int((room.width - 2) / letter)
			require.LessOrEqual(t, n, lines*perLine, "%q in %v", c.Text, room)
		}
	}
	fits := func(width float64, text string) string {
		c := LaneCell{Text: text}
		gridCell(width).fit(&c)
		return c.Text
	}
	// 39 pixels hold 5 letters of 7.25, or 2 × 6 of 6.3; 27 hold 4 of 6.3, or 8.
	require.Equal(t, "4294967295", fits(41, "4294967295"))
	require.Equal(t, "abcdef12", fits(41, "0xabcdef12"), "four and four")
	require.Equal(t, "40e00000", fits(41, "0x40e00000"), "no float")
	require.Equal(t, "99e00001", fits(29, "0x99e00001"))
	require.Equal(t, "0xabcdef12", fits(80, "0xabcdef12"))
	require.Equal(t, "0xabcdef", fits(41, "0xabcdef"))
	require.Equal(t, "abcdef12", fits(29, "0xabcdef12"))
	require.Equal(t, "4294967…", fits(29, "4294967295"))
	require.Equal(t, "812e6…3c4d5e", fits(41, "0x812e6299a33c4d5e"), "the lowest digits are the second line")
	require.Equal(t, "812…4d5e", fits(29, "0x812e6299a33c4d5e"))
	require.Equal(t, "12345678abcd", fits(41, "0x12345678abcd"))
	require.Equal(t, "0.3333", fits(41, "0.33333334"), "four digits")
	require.Equal(t, "1.235e-30", fits(41, "1.2345678e-30"))
	require.Equal(t, "0.125", fits(41, "0.125"))
	require.Equal(t, "shared", fits(29, "shared"))
	require.Equal(t, "sha… +8", fits(29, "shared+8"), "what tells neighbours apart is the second line")
	require.Equal(t, "sha… +124", fits(29, "shared+124"))
	require.Equal(t, "shared +124", fits(41, "shared+124"))
	require.Equal(t, "x+12", fits(29, "x+12"))
	require.Equal(t, "x +124", fits(29, "x+124"))
	require.Equal(t, "shared+…", fits(29, "shared+49152"), "five digits have no room in a line")
	// Two letters of air keep "10 11" and "12 13" apart, side by side: 7 letters need 50.75 pixels, and a cell has 2 more.
	for width, want := range map[float64]CellFlags{52: CellSmall, 53: 0} {
		c := LaneCell{Text: "10 11"}
		gridCell(width).fit(&c)
		require.Equal(t, want, c.Flags, width)
	}
}

// In two lines the second has four digits; three have their 0x above them.
func TestHexNumbersOfTwoLines(t *testing.T) {
	for text, want := range map[string]struct {
		text  string
		flags CellFlags
	}{
		"0x78": {"0x78", 0}, "0x780": {"0x780", CellTwo | CellHalves | CellPair},
		"0x7801": {"0x7801", CellTwo | CellHalves | CellPair}, "0x78012": {"0x78012", CellTwo | CellHalves | CellThree},
		"0x780123": {"0x780123", CellTwo | CellHalves}, "0x7801234": {"7801234", CellTwo | CellHalves | CellThree},
		"0x78012345": {"78012345", CellTwo | CellHalves}, "1234567": {"1234567", CellTwo},
	} {
		c := LaneCell{Text: text}
		gridCell(29).fit(&c)
		require.Equal(t, want.text, c.Text)
		require.Equal(t, want.flags, c.Flags, text)
	}
}

// Registers that say nothing are folded away when not all rows fit; the others keep their order.
func TestFoldedRegisters(t *testing.T) {
	m := warpModel()
	w := m.View.State
	add := func(name string, written, dead emu.Mask) {
		w.Regs = append(w.Regs, emu.RegView{Reg: &ptx.Reg{Name: name, Type: isa.U32, Vec: 1}, Elem: -1, Written: written,
			Dead: dead, Lo: new([32]uint64)})
	}
	add("%old", emu.FullMask, emu.FullMask)
	add("%half", emu.FullMask, 0xffff)
	add("%new", 0, emu.FullMask)
	add("%late", 0, 0)
	names := func(fit int) (list []string) {
		g := laneFrame(m)
		g.fill(m, fit)
		for _, r := range g.Rows {
			list = append(list, r.Reg)
		}
		return append(append(append(list, "|"), g.Dead...), append([]string{"|"}, g.Blank...)...)
	}
	all := []string{"%r1", "%p1", "%rd1", "%old", "%half", "%new", "%late", "|", "|"}
	require.Equal(t, all, names(100))
	require.Equal(t, all, names(7), "all fit")
	require.Equal(t, []string{"%r1", "%p1", "%rd1", "%old", "%half", "|", "|", "%new", "%late"}, names(5))
	require.Equal(t, []string{"%r1", "%p1", "%rd1", "%half", "|", "%old", "|", "%new", "%late"}, names(4))
	require.True(t, laneGrid(m).Rows[3].Dead)
	m.View.Last = &emu.Step{Regs: []emu.RegWrite{{Reg: w.Regs[3].Reg, Elem: -1, Lanes: 1}}}
	m.Pinned = []string{"%late"}
	require.Equal(t, []string{"%late", "%r1", "%p1", "%rd1", "%old", "%half", "|", "|", "%new"}, names(6),
		"neither what was just written nor what is pinned")
	m.View.Last, m.Pinned, m.Unfolded = nil, nil, true
	require.Equal(t, []string{"%r1", "%p1", "%rd1", "%old", "%half", "%new", "%late", "|", "%old", "|", "%new", "%late"},
		names(4))
	m.Unfolded, m.Filter = false, "old"
	require.Equal(t, []string{"%old", "|", "|"}, names(1), "what is searched for is shown")
	m.Filter = ""
	w.Ended = true
	require.Equal(t, []string{"%r1", "%p1", "%rd1", "%old", "%half", "|", "|", "%new", "%late"}, names(1),
		"of a warp that has ended, nothing is read again")
	w.Ended, w.Regs[4].Dead = false, emu.FullMask
	require.Equal(t, []string{"%r1", "%p1", "%rd1", "%half", "|", "%old", "|", "%new", "%late"}, names(4),
		"the first of two")
}

// A lane at a branch whose guard is false is not off: it goes on with the next line.
func TestFalseGuardOfABranch(t *testing.T) {
	w := warp()
	w.PC = &ptx.Inst{Guard: &ptx.Guard{Reg: w.Regs[1].Reg, Elem: -1}, Match: &isa.Bound{Form: &isa.Form{Mnemonic: "bra"}}}
	states := laneStates(w) // %p1 is true in even lanes
	require.Equal(t, []LaneState{LaneActive, LaneFalls}, states[:2])
	require.Equal(t, "falls through", laneWords(w, states)[1])
	w.PC.Match.Form = &isa.Form{Mnemonic: "mov"}
	require.Equal(t, "predicated off", laneWords(w, laneStates(w))[1])
}

// How a register is read is chosen for each, and kept.
func TestReadingsAreChosenAndKept(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(SetReading{"%r1", AsF16x2})
	store.Do(SetReading{"%r2", AsBinary})
	store.Do(SetReading{"%r2", ByType})
	store.Do(SetBits{AsSigned})
	store.Do(ToggleColumn{"binary"})
	store.Do(ToggleColumn{"signed"})
	again, _, _ := visit(platform)
	m := again.Model()
	require.Equal(t, map[string]Bits{"%r1": AsF16x2}, m.Readings)
	require.Equal(t, []string{"type", "hex", "binary"}, m.columns())
	require.Equal(t, AsF16x2, m.reading("%r1", isa.U32))
	require.Equal(t, AsSigned, m.reading("%r2", isa.B32))
	require.Equal(t, ByType, m.reading("%r2", isa.U32))
}

// The strip has the operands of the instruction: for what has run, results with what they were before.
func TestStripRows(t *testing.T) {
	m := warpModel()
	r1 := m.View.State.Regs[0].Reg
	row := debug.OperandRow{Role: debug.RoleResult, Name: "%r1", Reg: r1, Type: isa.U32, Known: 0xff, Changed: 0xff,
		Had: 0xff}
	for lane := range 8 {
		row.Values[lane], row.Old[lane] = uint64(lane), 9
	}
	address := debug.OperandRow{Role: debug.RoleAddress, Name: "[%rd1]", Type: isa.U64, Known: emu.FullMask,
		Values: *m.View.State.Regs[2].Lo}
	m.View.Ran = &debug.Instruction{Line: 4, Text: "add", At: 0xffff, Exec: 0xff, Rows: []debug.OperandRow{address, row}}
	m.View.Next = &debug.Instruction{Line: 5, Text: "sub", At: emu.FullMask}
	texts := func(g LaneGrid, i int) string {
		cells := g.cells(&g.Strip.Rows[i])
		return g.Strip.Rows[i].Type + ": " + cells[1].Text + " " + cells[9].Text + " " + cells[20].Text
	}
	g := laneGrid(m)
	require.Equal(t, "add", g.Strip.Text)
	require.Equal(t, "x+: 4 36 ", texts(g, 0), "by buffer and offset; lane 20 was elsewhere")
	require.Equal(t, "was 9: 1 · ", texts(g, 1))
	cells := g.cells(&g.Strip.Rows[0])
	require.Zero(t, cells[7].Flags&CellInactive)
	require.NotZero(t, cells[8].Flags&CellInactive, "its guard is off: it does not access this address")
	require.Len(t, g.Strip.Rows, 2)
	m.View.Ran.Rows[0].Values[9] = 0x200001064 // beyond all regions, and next to addresses of x
	require.Equal(t, "at: x+4 0x200001064 ", texts(laneGrid(m), 0))
	m.View.Ran.Rows[0].Values[9] = m.View.Ran.Rows[0].Values[8] + 1024 // over the end of x
	require.Equal(t, "x+: 4 1056 ", texts(laneGrid(m), 0))

	for lane := range m.View.Ran.Rows[0].Values {
		m.View.Ran.Rows[0].Values[lane] = 0x81ffff1000 // no lane's address is in a region
	}
	require.Equal(t, "at: 0x81ffff1000 0x81ffff1000 ", texts(laneGrid(m), 0))

	m.View.Ran.Rows[1].Had = 0
	require.Equal(t, "was ·: 1 · ", texts(laneGrid(m), 1), "no lane has written it before")
	m.View.Ran.Rows[1].Had = 0xf0
	g = laneGrid(m)
	require.Equal(t, "was: · · ", texts(g, 2), "four of eight have")
	m.View.Ran.Rows[1].Had, m.View.Ran.Rows[1].Old[3] = 0xff, 8
	g = laneGrid(m)
	require.Equal(t, "was: 9 · ", texts(g, 2), "a row of its own where lanes differ")
	kinds := func(s *Strip) (list []string) {
		for _, r := range s.Rows {
			list = append(list, r.Reg+" "+r.Type)
		}
		return list
	}
	require.Equal(t, []string{"[%rd1] at", "%r1 result", " was"}, kinds(g.Strip.within(3)))
	require.Equal(t, []string{"%r1 result", " was", "[%rd1] at"}, kinds(g.Strip.within(2)),
		"results first, where not all fit")
	require.Equal(t, []string{"[%rd1] at", "%r1 result", " was"}, kinds(g.Strip))
	source := row
	source.Role, source.Values, source.Changed = debug.RoleSource, row.Old, 0
	m.View.Ran.Rows[0] = source
	require.Equal(t, []string{"%r1 source", "%r1 result"}, kinds(laneGrid(m).Strip), "what it was is a source")
	m.Upcoming = true
	g = laneGrid(m)
	require.Equal(t, "sub", g.Strip.Text)
	m.View.Ran, m.Upcoming = nil, false
	g = laneGrid(m)
	require.True(t, g.Strip.Upcoming && !g.Strip.Ran)
}

// Neighbours that are at one place have one bracket.
func TestBrackets(t *testing.T) {
	m := warpModel()
	m.View.Tick = 3
	m.View.State.Active = 0xff
	m.View.Groups = []debug.Group{{Line: 12, Mask: 0xff, Top: true}, {Line: 20, Mask: 0xffffff00}}
	heads := laneStates(m.View.State)
	require.Equal(t, []Bracket{{0, 8, LaneActive, "run line 12", "12"}, {8, 24, LaneWaiting, "wait at line 20", "20"}},
		brackets(m, &heads))
}

// On a phone the lanes of a state are one phrase, by line.
func TestGathered(t *testing.T) {
	texts := func(list ...Bracket) (texts []string) {
		for _, b := range gathered(list) {
			texts = append(texts, b.State.String()+": "+b.Text)
		}
		return texts
	}
	require.Equal(t, []string{"active: 4 run 55", "waiting: 4 wait at 58, 8 at 62, 16 at 64"}, texts(
		Bracket{0, 16, LaneWaiting, "", "64"}, Bracket{16, 8, LaneWaiting, "", "62"},
		Bracket{24, 4, LaneActive, "", "55"}, Bracket{28, 4, LaneWaiting, "", "58"}))
	require.Equal(t, []string{"active: 24 run 9", "exited: 8 ended"}, texts(Bracket{0, 12, LaneActive, "", "9"},
		Bracket{12, 8, LaneExited, "", "ended"}, Bracket{20, 12, LaneActive, "", "9"}))
	require.Equal(t, []string{"faulted: 8 made the fault"}, texts(Bracket{0, 8, LaneFaulted, "", "fault"}))
}

// The name of a buffer is cut to the room; the sign that says that offsets follow stays.
func TestBaseWords(t *testing.T) {
	for want, room := range map[string]int{"board+": 6, "boa…+": 5, "b…+": 3, "+": 2} {
		require.Equal(t, want, baseWords("board", room))
	}
	require.Equal(t, "+", baseWords("param_2", -3))
}
