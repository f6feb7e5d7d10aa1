package ui

import (
	"fmt"
	"sort"

	"warpscope/debug"
	"warpscope/emu"
)

type fact struct{ name, value, title string }

// facts lists the counters for people.
func facts(s emu.Stats) []fact {
	return []fact{
		{"Threads", count(s.Threads), "threads of the whole grid"},
		{"CTAs done", count(s.CTAsDone) + " of " + count(s.CTAs), "thread blocks that have ended"},
		{"Warp instructions", count(s.WarpInstructions), "instructions issued, one for all lanes of a warp"},
		{"Lane instructions", count(s.LaneInstructions), "warp instructions times active lanes"},
		{"SIMD efficiency", efficiency(s), "lane instructions of 32 × warp instructions"},
		{"Divergent branches", divergence(s), "branches whose lanes disagreed, of all"},
		{"Barrier arrivals", count(s.Barriers), "warps that arrived at a barrier"},
	}
}

// fidelity says how close the results so far are to those of a GPU, with a line for each opcode that the manual only
// bounds.
func fidelity(v *debug.View) []fact {
	const title = "how close the results are to those of a GPU"
	switch n := len(v.Inexact); {
	case v.Stats.WarpInstructions == 0:
		return []fact{{"Arithmetic", "–", title}}
	case n == 0:
		return []fact{{"Arithmetic", "all exact", title}}
	}
	list := []fact{{"Arithmetic", "exact, but for", title}}
	for _, x := range v.Inexact {
		list = append(list, fact{x.Opcode, x.Bound, "the error that the manual allows in " + x.Section})
	}
	return list
}

// efficiency is the share of the 32 lanes that had work, in percent.
func efficiency(s emu.Stats) string {
	if s.WarpInstructions == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(s.LaneInstructions)/float64(32*s.WarpInstructions))
}

func divergence(s emu.Stats) string {
	return count(s.DivergentBranches) + " of " + count(s.Branches)
}

// hotLine is a source line and how often warps executed it.
type hotLine struct {
	Line    int
	Count   int64
	Percent float64 // of the hottest line
	Text    string
}

const hotLineCount = 8

// hotLines are the lines executed most, the hottest first; equal ones are in the order of the text.
func hotLines(m *Model) []hotLine {
	var lines []hotLine
	for line, n := range m.View.Heat {
		if n > 0 {
			lines = append(lines, hotLine{Line: line, Count: n})
		}
	}
	sort.Slice(lines, func(i, j int) bool {
		if lines[i].Count != lines[j].Count {
			return lines[i].Count > lines[j].Count
		}
		return lines[i].Line < lines[j].Line
	})
	lines = lines[:min(len(lines), hotLineCount)]
	for i := range lines {
		lines[i].Percent = 100 * float64(lines[i].Count) / float64(lines[0].Count)
		at := m.Lines.lineSpan(lines[i].Line, len(m.Text))
		lines[i].Text = codeOf(m.Text[at.Start:at.End])
	}
	return lines
}

// heatChanges are the lines that ran another number of times than before; 0 is for those that did not run at all.
func heatChanges(before, now []int64) map[int]int64 {
	changes := map[int]int64{}
	for line := range max(len(before), len(now)) {
		if n := countAt(now, line); n != countAt(before, line) {
			changes[line] = n
		}
	}
	return changes
}

// countAt is the count of a line, 0 after the end of the list.
func countAt(counts []int64, line int) int64 {
	if line < len(counts) {
		return counts[line]
	}
	return 0
}
