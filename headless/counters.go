package headless

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/emu/count"
	"warpscope/ptx"
)

// Counters are the counters of a run by their names in docs/counters.md; those that are 0 are left out.
type Counters struct {
	Kernel  map[string]float64 `json:"kernel"`
	Lines   []LineCounters     `json:"lines"`
	Warps   []WarpCounters     `json:"warps"`
	LeftOut int64              `json:"warpsLeftOut"` // warps that the list has no place for
	Live    LiveRegisters      `json:"live"`

	Occupancy []OccupancyOf `json:"occupancy"`
}

// OccupancyOf is how many blocks fit on a multiprocessor, if the assembler gives a thread as many registers as are live
// at most.
type OccupancyOf struct {
	Capability string  `json:"capability"` // 9.0
	Blocks     int     `json:"blocks"`
	Warps      int     `json:"warps"`
	Most       int     `json:"mostWarps"`
	Percent    float64 `json:"percent"`
	LimitedBy  string  `json:"limitedBy"`
}

// LineCounters are those of the instructions of a line.
type LineCounters struct {
	Line     int                `json:"line"`
	Counters map[string]float64 `json:"counters"`
}

// WarpCounters are those of a warp.
type WarpCounters struct {
	CTA      int                `json:"cta"` // linear
	Warp     int                `json:"warp"`
	Counters map[string]float64 `json:"counters"`
}

// LiveRegisters is where most registers of the kernel are live.
type LiveRegisters struct {
	Registers  int `json:"registers"` // of 32 bits
	Predicates int `json:"predicates"`
	Line       int `json:"line"`
}

func counters(a *emu.Account) *Counters {
	if a == nil {
		return nil
	}
	c := &Counters{Kernel: values(a.Insts, nil), LeftOut: a.LeftOut, Warps: []WarpCounters{}, Lines: []LineCounters{},
		Live: LiveRegisters(a.Live)}
	for _, line := range a.Lines() {
		c.Lines = append(c.Lines, LineCounters{line, values(a.At(line), nil)})
	}
	for _, w := range a.Warps {
		// What a warp counts is not kept apart by operation.
		all := func(c *count.Counter) bool { return c.Ops == nil }
		c.Warps = append(c.Warps, WarpCounters{w.CTA, w.Index, values([]count.Inst{{Counts: w.Counts}}, all)})
	}
	c.Occupancy = occupancies(a)
	return c
}

// occupancies are those of all compute capabilities that have limits.
func occupancies(a *emu.Account) (list []OccupancyOf) {
	for i := range count.SMs {
		sm := &count.SMs[i]
		o := sm.Occupancy(a.Live.Registers, a.Block.Shared, a.Block.Threads)
		list = append(list, OccupancyOf{sm.Name(), o.Blocks, o.Warps, o.Most, o.Percent(), o.LimitedBy()})
	}
	return list
}

// values are the counters that are not 0.
func values(list []count.Inst, only func(c *count.Counter) bool) map[string]float64 {
	out := map[string]float64{}
	for i := range count.Counters {
		c := &count.Counters[i]
		if only != nil && !only(c) {
			continue
		}
		if v, ok := c.Of(list); ok && v.Count != 0 {
			out[c.Name] = v.Float()
		}
	}
	return out
}

// columns are the counters that the table of lines has, by their short names.
var columns = []string{"instructions", "active_lanes", "predicated_off", "divergent", "sectors_per_request",
	"ideal_sectors_per_request", "bank_conflicts", "local_sectors", "atomic_repeats", "barrier_waits"}

// countersText is the counters for people: those of the kernel, then a table of lines.
func countersText(a *emu.Account) string {
	var b strings.Builder
	b.WriteString("counters (counts of the emulator, no times; docs/counters.md):\n")
	for i := range count.Counters {
		c := &count.Counters[i]
		if v, ok := c.Of(a.Insts); ok && v.Count != 0 {
			fmt.Fprintf(&b, "  %-62s %12s  %s\n", c.Name, v, c.Unit)
		}
	}
	fmt.Fprintf(&b, "  live at most: %s of 32 bits, %s, before line %d\n", ptx.Plural(a.Live.Registers, "register"),
		ptx.Plural(a.Live.Predicates, "predicate"), a.Live.Line)
	fmt.Fprintf(&b, "  occupancy with %s a thread, %s of shared memory and %s a block:\n",
		ptx.Plural(a.Live.Registers, "register"), ptx.Plural(a.Block.Shared, "byte"), ptx.Plural(a.Block.Threads, "thread"))
	b.WriteString("  capability  blocks  warps  of  percent  limited by\n")
	for _, o := range occupancies(a) {
		fmt.Fprintf(&b, "  %10s  %6d  %5d  %2d  %7.0f  %s\n", o.Capability, o.Blocks, o.Warps, o.Most, o.Percent, o.LimitedBy)
	}
	used := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return cell(a.Insts, name) == "" })
	fmt.Fprintf(&b, "  line  %s\n", strings.Join(used, "  "))
	for _, line := range a.Lines() {
		row := fmt.Sprintf("  %4d", line)
		for _, name := range used {
			row += fmt.Sprintf("  %*s", len(name), cell(a.At(line), name))
		}
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String()
}

// cell is the value of a counter, or "" where it is 0.
func cell(list []count.Inst, name string) string {
	c, _ := count.Named(name)
	if v, ok := c.Of(list); ok && v.Count != 0 {
		return v.String()
	}
	return ""
}
