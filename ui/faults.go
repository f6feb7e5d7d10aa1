package ui

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// trouble is a line at which the run has stopped, or at which something was noted.
type trouble struct {
	Line  int
	Fault bool
	Words string // short: the sentence of the fault is in the status line, those of findings in Problems
}

// troubles are the lines that the editor marks.
func troubles(m *Model) (list []trouble) {
	v := &m.View
	if f := v.Fault; f != nil && f.Pos.Line > 0 {
		list = append(list, trouble{f.Pos.Line, true, faultWho(f)})
	}
	for _, f := range v.Findings {
		known := slices.ContainsFunc(list, func(t trouble) bool { return t.Line == f.Pos.Line })
		if f.Pos.Line > 0 && !known {
			list = append(list, trouble{f.Pos.Line, false, launch.ChecksText(f.Check)})
		}
	}
	return list
}

// faultWho is whose fault it is: "lanes 24-31".
func faultWho(f *emu.Fault) string {
	if f.Lanes == 0 {
		return ""
	}
	return ptx.Plural(f.Lanes.Count(), "lane")
}

// faultedLanes are the lanes of the followed warp that made the fault.
func faultedLanes(m *Model) emu.Mask {
	v := &m.View
	if f := v.Fault; f != nil && v.State != nil && f.CTA == v.State.CTA && f.Warp == v.State.Index {
		return f.Lanes
	}
	return 0
}

// faultWords names the fault where its sentence is not repeated. The status line has another one while the text has
// errors.
func faultWords(m *Model) string {
	if m.Stale {
		return fmt.Sprintf("The last good text stopped here: %s.", m.View.Fault.Kind)
	}
	return fmt.Sprintf("Stopped here: %s. The status line says why.", m.View.Fault.Kind)
}

// faultPlace is where in a region the fault's address is: an offset, which is at or after the region's end if the
// access runs over it. ok is false if the address has nothing to do with the region.
func faultPlace(m *Model, r *debug.Region) (offset int, ok bool) {
	f := m.View.Fault
	if f == nil || f.Space == "" || r.Name == debug.TensorMemory {
		return 0, false
	}
	size := emu.Addr(regionSize(r))
	gap := emu.Addr(max(f.Size, 1) * 32) // what one access of a warp reaches beyond the end
	if f.Addr < r.Addr || f.Addr >= r.Addr+size+gap || size == 0 {
		return 0, false
	}
	for i := range m.View.Memory { // another region may begin there
		o := &m.View.Memory[i]
		if o.Name != r.Name && f.Addr >= o.Addr && f.Addr < o.Addr+emu.Addr(regionSize(o)) && o.Addr > r.Addr {
			return 0, false
		}
	}
	return int(f.Addr - r.Addr), true
}

// beyond says which access would be after the region's end; "" if the fault is no such one.
func beyond(m *Model, r *debug.Region) string {
	off, ok := faultPlace(m, r)
	if !ok || off+m.View.Fault.Size <= regionSize(r) {
		return ""
	}
	e, lanes := parseElem(r.Type), m.View.Fault.Lanes
	who, others := "a lane", ""
	if n := lanes.Count(); n > 0 { // the address is that of the first; others can have other ones
		who = (lanes & -lanes).Lanes()
		if n > 1 {
			others = "; " + ptx.Plural(n-1, "other lane") + " made the fault, too"
		}
	}
	return fmt.Sprintf("%s: %s would access this, after the end of %s%s", elementName(r, off/e.Size()), who, r.Name,
		others)
}

// gotWords is what an expectation has found instead: "got 3", or a sentence: "out[0] is 0, expected 7". That of the
// fault is not repeated.
func gotWords(v *debug.View, e *launch.Expectation) string {
	switch {
	case v.Fault != nil && strings.Contains(e.Got, v.Fault.Error()):
		return "got the fault"
	case e.Got == "" || isSentence(e.Got):
		return e.Got
	}
	return "got " + e.Got
}

// isSentence says whether what was found has a verb. What a kernel has printed is quoted, and may have one.
func isSentence(got string) bool {
	return got[0] != '"' && slices.ContainsFunc(strings.Fields(got), func(word string) bool {
		return slices.Contains([]string{"is", "are", "was", "came"}, word)
	})
}

// showFault turns to the memory that the fault is about, unless the user has chosen a region.
func showFault(m *Model) {
	if m.View.Fault == nil || m.Chosen || m.MemoryTab == MemoryImage {
		return
	}
	for i := range m.View.Memory {
		r := &m.View.Memory[i]
		if off, ok := faultPlace(m, r); ok {
			m.Region = r.Name
			m.Page = min(off, max(len(r.Bytes)-1, 0)) / m.pageLayout(r).pageBytes()
			return
		}
	}
}

// markFault marks the cell that has the fault's address.
func markFault(m *Model, r *debug.Region, rows []memoryRow) {
	off, ok := faultPlace(m, r)
	if !ok {
		return
	}
	for i := range rows {
		cells := rows[i].Cells
		for k := range cells {
			end := off + max(m.View.Fault.Size, 1)
			next := cells[k].Offset + 1
			if k+1 < len(cells) {
				next = cells[k+1].Offset
			} else if k > 0 {
				next = cells[k].Offset + cells[k].Offset - cells[k-1].Offset
			}
			cells[k].Fault = cells[k].Offset < end && off < next
		}
	}
}
