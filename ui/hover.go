package ui

import (
	"fmt"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// hoverCard is what the editor says about the word under the pointer.
type hoverCard struct {
	ptx.Hover
	Value  string       // of a register in the followed lane, or a sentence without one
	Lanes  []hoverRun   // of a register: neighbours with the same value
	Facts  []hoverFact  // what else is known
	Links  []hoverLink  // to read more
	Action []hoverTrack // what can be pressed
}

// hoverRun is lanes From to To with one value; Text is "·" where it was never written.
type hoverRun struct {
	From, To int
	Text     string
}

type hoverFact struct{ Name, Text string }

type hoverLink struct{ Text, Href string }

// hoverTrack is a fact that can be pressed.
type hoverTrack struct {
	Name, Text string
	do         Action
}

// manualPage is the public manual. It finds a section by its number.
const manualPage = "https://docs.nvidia.com/cuda/parallel-thread-execution/"

// cardAt is the card of the word at a byte offset of the text.
func cardAt(m *Model, offset int) (card hoverCard, ok bool) {
	h, ok := m.hover(offset)
	if !ok {
		return card, false
	}
	card.Hover = h
	card.link()
	if m.Typed == nil {
		return card, true
	}
	f := m.Typed.FuncAt(offset)
	if f == nil {
		return card, true
	}
	word := m.Text[min(int(h.Span.Start), len(m.Text)):min(int(h.Span.End), len(m.Text))]
	if in := f.InstAt(offset); in != nil && h.Span == in.OpSpan {
		card.instruction(m, in)
		return card, true
	}
	for _, l := range f.Labels {
		if l.Name == word && strings.HasSuffix(h.Title, ":") {
			line := m.Lines.position(l.Span.Start).Line
			card.track("declared", "line "+count(int64(line)), RevealLine{line})
			card.label(m, f, l)
		}
	}
	card.register(m, f, word)
	card.symbol(m, word)
	return card, true
}

// link adds the links of the section.
func (c *hoverCard) link() {
	if c.Section == "" {
		return
	}
	c.Links = append(c.Links, hoverLink{"PTX ISA " + c.Section, manualPage + "#:~:text=" + c.Section + "."})
	if c.Syntax != "" {
		c.Links = append(c.Links, hoverLink{"coverage", fmt.Sprintf("coverage.html#v%d.%d-%s", isa.TableVersion/10,
			isa.TableVersion%10, c.Section)})
	}
}

func (c *hoverCard) fact(name, format string, args ...any) {
	c.Facts = append(c.Facts, hoverFact{name, fmt.Sprintf(format, args...)})
}

func (c *hoverCard) track(name, text string, do Action) {
	c.Action = append(c.Action, hoverTrack{name, text, do})
}

// instruction adds who is at an instruction, and how often it ran.
func (c *hoverCard) instruction(m *Model, in *ptx.Inst) {
	v, line := &m.View, m.lineOf(in)
	if n := countAt(v.Heat, line); n > 0 {
		c.fact("executed", "%s", ptx.Plural(n, "time"))
	}
	for _, g := range v.Groups {
		if g.Line == line && !m.Stale {
			c.fact("here", "%s %s", g.Mask.Lanes(), map[bool]string{true: verbFor(g.Mask, "runs", "run") + " next",
				false: verbFor(g.Mask, "waits", "wait")}[g.Top])
		}
	}
	if to := in.Reconv(); to > 0 && in.Guard != nil {
		if f := m.Typed.FuncAt(int(in.Span.Start)); f != nil && to < len(f.Insts) {
			at := m.lineOf(f.Insts[to])
			c.track("they meet at", "line "+count(int64(at)), RevealLine{at})
		}
	}
}

func verbFor(lanes emu.Mask, one, many string) string {
	if lanes.Count() == 1 {
		return one
	}
	return many
}

// label adds the lanes that are at the instruction after a label.
func (c *hoverCard) label(m *Model, f *ptx.Func, l *ptx.Label) {
	for _, in := range f.Insts {
		if in.Span.Start >= l.Span.Start {
			c.instruction(m, in)
			return
		}
	}
}

// symbol adds the place of a buffer or variable.
func (c *hoverCard) symbol(m *Model, word string) {
	for i := range m.View.Memory {
		r := &m.View.Memory[i]
		if r.Name != word && r.Name != ptx.DisplayName(word) {
			continue
		}
		c.fact("address", "%#x, %s of %s", r.Addr, ptx.Plural(int64(regionSize(r)), "byte"),
			strings.TrimPrefix(r.Space.String(), "."))
		if rows, _ := memoryPage(r, MemoryTable, 0); len(rows) > 0 {
			var first []string
			for _, cell := range rows[0].Cells {
				first = append(first, cell.Text)
			}
			c.fact(r.Type, "%s …", strings.Join(first, ", "))
		}
		c.track("memory", "show "+r.Name, SelectRegion{r.Name})
	}
}

// register adds the values of a register of the followed warp.
func (c *hoverCard) register(m *Model, f *ptx.Func, word string) {
	w := m.View.State
	if w == nil || w.Func == nil || w.Func.Name != f.Name || !strings.HasPrefix(word, "%") {
		return
	}
	base, _, _ := strings.Cut(word, ".")
	for i := range w.Regs {
		r := &w.Regs[i]
		if r.Reg.Name != base && regName(*r) != word {
			continue
		}
		texts := [32]string{}
		for lane := range texts {
			if r.Written.Has(lane) {
				lo, hi := laneValue(*r, lane)
				if texts[lane] = m.View.Name(lo); texts[lane] == "" || !pointer(r.Reg.Type) {
					texts[lane] = formatValue(r.Reg.Type, lo, hi, m.reading(regName(*r), r.Reg.Type))
				}
			} else {
				texts[lane] = "·"
			}
		}
		c.Value = fmt.Sprintf("%s in lane %d", texts[m.Lane], m.Lane)
		if !r.Written.Has(m.Lane) {
			c.Value = fmt.Sprintf("lane %d has not written it yet", m.Lane)
		}
		c.Lanes = runsOf(texts, w.Present)
		c.fact("lanes", "%s", summary(texts, w.Present))
		return
	}
}

// runsOf are neighbours with one value.
func runsOf(texts [32]string, present emu.Mask) (runs []hoverRun) {
	for lane, text := range texts {
		if !present.Has(lane) {
			text = ""
		}
		if n := len(runs); n > 0 && runs[n-1].Text == text {
			runs[n-1].To = lane
			continue
		}
		runs = append(runs, hoverRun{lane, lane, text})
	}
	return runs
}

// summary says which lanes have which value: "11 in lanes 0-7, 3 in lanes 16-23"; of many values it says how many.
func summary(texts [32]string, present emu.Mask) string {
	const most = 6
	var values []string
	masks := map[string]emu.Mask{}
	for lane, text := range texts {
		if !present.Has(lane) {
			continue
		}
		if masks[text] == 0 {
			values = append(values, text)
		}
		masks[text] |= 1 << lane
	}
	if len(values) == 1 && values[0] != "·" {
		return values[0] + " in all lanes"
	}
	if len(values) > most {
		return fmt.Sprintf("%d different values, %s to %s", len(values), values[0], values[len(values)-1])
	}
	var parts []string
	for _, value := range values {
		if value == "·" {
			parts = append(parts, "not written in "+masks[value].Lanes())
		} else {
			parts = append(parts, value+" in "+masks[value].Lanes())
		}
	}
	return strings.Join(parts, ", ")
}

// Card is the card at an offset, with the steps that wrote the register before and will write it next. In a long run
// they are not looked for: that would take longer than a pointer rests.
func (s *Store) Card(offset int) (hoverCard, bool) {
	m := s.Fresh()
	card, ok := cardAt(m, offset)
	if !ok || len(card.Lanes) == 0 || m.Stale || m.Running || !m.AllMarks || m.View.Tick == 0 || s.cancelPrepare != nil {
		return card, ok
	}
	ref, ok := registerRef(m, m.Text[card.Span.Start:card.Span.End], m.Lane)
	if !ok {
		return card, true
	}
	if w, found := s.session.Writer(ref.Cell); found {
		card.track("written by", changeWords(&w), Seek{w.Tick + 1})
		card.track("comes from", "the chain of writers", ShowOrigin{ref})
	}
	if w, found := s.session.NextChange(ref.Cell); found {
		card.track("next change", changeWords(&w), Seek{w.Tick + 1})
	}
	return card, true
}

func changeWords(c *debug.Change) string {
	return "step " + count(c.Tick+1) + ", line " + strconv.Itoa(c.Line) + " " + strings.Trim(c.Text, "`")
}
