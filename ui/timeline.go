package ui

import (
	"fmt"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/ptx"
)

// parseStep reads a step as people write it: "5212", "5,212".
func parseStep(text string) (int64, bool) {
	tick, err := strconv.ParseInt(strings.NewReplacer(",", "", " ", "", "\u202f", "").Replace(text), 10, 64)
	return tick, err == nil && tick >= 0
}

// untouched says whether the program could run and nothing has run yet.
func untouched(m *Model) bool {
	return m.View.Phase == debug.Ready && m.View.End == 0 && !m.Running && !m.Stale
}

// still says whether there is nothing to travel through.
func still(m *Model) bool { return m.Running || m.Stale && !m.View.Past || m.View.End == 0 }

// welcome tells a reader who has not run anything what this is; "" later.
func welcome(m *Model) string {
	if !untouched(m) {
		return ""
	}
	block := m.View.Block
	return runners(block.X*block.Y*block.Z, m.warps())
}

// runners says who runs a program: that many warps, of CTAs with so many threads. Only lanes of one warp go together.
func runners(threads, warps int) string {
	const width = 32
	of := ptx.Plural(min(threads, width), "lane")
	if threads > width && threads%width != 0 {
		of = "up to 32 lanes"
	}
	switch {
	case warps < 1:
		return ""
	case warps == 1 && threads == 1:
		return "1 lane runs this program."
	case warps == 1:
		return of + " run this program together."
	}
	return ptx.Plural(warps, "warp") + " of " + of + " run this program."
}

// railLabel is a word below the rail: a step, which has one place, or CTAs that run from one place to another. Places
// are ticks.
type railLabel struct {
	Text     string
	From, To int64
}

// Steps below the rail are at least stepGap pixels apart. A letter takes letterWidth, and a name nameAir more.
const (
	stepGap     = 90
	letterWidth = 7
	nameAir     = 8
)

// railLabels name the CTAs of a run, where they are many and known, else its steps, for a rail of a width.
func railLabels(m *Model, width int) (labels []railLabel) {
	end := m.View.End
	if end <= 0 || width <= 0 {
		return nil
	}
	if m.View.CTAs > 1 && m.AllMarks {
		if 2*m.Surveyed < end {
			return nil // most of it is still looked for
		}
		return ctaLabels(m.Turns, end, int64(width))
	}
	step := int64(1)
	for factors := 0; step*int64(width) < end*stepGap; factors++ { // 1, 2, 5, 10, 20, 50 and so on
		step = step * 2
		if factors%3 == 1 {
			step += step / 4
		}
	}
	for tick := int64(0); tick+step/2 < end; tick += step {
		labels = append(labels, railLabel{count(tick), tick, tick})
	}
	return append(labels, railLabel{count(end), end, end})
}

// ctaLabels name the CTAs that run, one after the other. Those that have no room for their names share one.
func ctaLabels(turns []debug.Turn, end, width int64) (labels []railLabel) {
	var l railLabel
	low, high := -1, -1
	for i, turn := range turns {
		if low < 0 {
			low, high, l.From = turn.CTA, turn.CTA, turn.Tick
		}
		low, high, l.To = min(low, turn.CTA), max(high, turn.CTA), end
		if i+1 < len(turns) {
			l.To = turns[i+1].Tick
		}
		if l.Text = "CTA " + count(int64(low)); low < high {
			l.Text += "-" + count(int64(high))
		}
		fits := (l.To-l.From)*width >= end*int64(letterWidth*len(l.Text)+nameAir)
		if !fits && l.To == end {
			l.Text = ""
		}
		if fits || l.To == end {
			labels, low = append(labels, l), -1
		}
	}
	return labels
}

// railHTML draws what is below the rail.
func railHTML(m *Model, width int) string {
	var b strings.Builder
	for _, l := range railLabels(m, width) {
		part := func(tick int64) float64 { return 100 * float64(tick) / float64(max(m.View.End, 1)) }
		fmt.Fprintf(&b, `<text x="%.2f%%" y="9">%s</text>`, (part(l.From)+part(l.To))/2, l.Text)
		if l.From > 0 && l.From < l.To {
			fmt.Fprintf(&b, `<line x1="%.2[1]f%%" x2="%.2[1]f%%" y1="-6" y2="12"/>`, part(l.From))
		}
	}
	return "<svg>" + b.String() + "</svg>"
}
