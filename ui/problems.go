package ui

import (
	"fmt"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// problem is one entry of the list.
type problem struct {
	Severity string // "error", "warning", "info", "fault", "failed"
	At       ptx.Position
	From, To int // byte range in the text
	Message  string
	Code     string
	Section  string
	Ptxas    string // what NVIDIA's assembler does with such texts; "" where that is not recorded
	Notes    []problem
	Fix      string // what the fix does, "" for none
	Index    int    // of the diagnostic or the finding, or ofFault
	Steps    []goToStep
	Later    bool // the run finds it after this moment
}

// goToStep is a button that travels to a step that a finding is about.
type goToStep struct {
	Name   string
	Action GoToFinding
}

// ofFault is the index of the fix that the fault has.
const ofFault = -1

// maxProblems bounds the list; the others are only counted.
const maxProblems = 100

// sameProblems says whether the lists of two models are the same. Where the text has changed, so have places.
func sameProblems(a, b *Model) bool {
	none := problemCount(a) == 0 && problemCount(b) == 0
	return a.View.Version == b.View.Version && a.Stale == b.Stale && len(a.View.Diagnostics) == len(b.View.Diagnostics) &&
		(none || a.Text == b.Text)
}

// problemList collects the problems, and counts all of them. Errors come first while the page shows an earlier text's
// state, to which all others belong.
func problemList(m *Model) (list []problem, total int) {
	v := m.View
	errors := func() {
		for i := 0; i < len(v.Diagnostics) && len(list) < maxProblems; i++ {
			list = append(list, diagnosticProblem(m, i))
		}
	}
	if m.Stale {
		errors()
	}
	if v.Fault != nil {
		list = append(list, faultProblem(m))
	}
	for i := range len(v.Findings) + len(v.Later) {
		if len(list) == maxProblems {
			break
		}
		list = append(list, findingProblem(m, i))
	}
	for _, e := range v.Expect {
		if len(list) == maxProblems {
			break
		}
		if !e.Pass {
			at := m.Lines.lineSpan(e.Line, len(m.Text))
			message := "Expected " + e.Text
			if got := gotWords(&v, &e); got != "" {
				message += "; " + got
			}
			list = append(list, problem{Severity: "failed", At: ptx.Position{Line: e.Line, Column: 1},
				From: int(at.Start), To: int(at.End), Message: message})
		}
	}
	if !m.Stale {
		errors()
	}
	return list, problemCount(m)
}

// problemCount is how many problems there are.
func problemCount(m *Model) int {
	v := &m.View
	total := len(v.Diagnostics) + len(v.Findings) + len(v.Later)
	if v.Fault != nil {
		total++
	}
	for _, e := range v.Expect {
		if !e.Pass {
			total++
		}
	}
	return total
}

// findingProblem is a finding of this moment or, after those, one that the run is known to make later.
func findingProblem(m *Model, index int) problem {
	now := len(m.View.Findings)
	later := index >= now
	var f *emu.Finding
	if later {
		f = &m.View.Later[index-now]
	} else {
		f = &m.View.Findings[index]
	}
	at := m.Lines.lineSpan(f.Pos.Line, len(m.Text))
	p := problem{Severity: "warning", At: f.Pos, From: int(at.Start), To: int(at.End), Message: f.Message,
		Code: launch.ChecksText(f.Check), Section: f.Section, Index: index, Later: later}
	if f.With.Inst == nil {
		p.Steps = []goToStep{{"Go to the step", GoToFinding{index, false}}}
		return p
	}
	p.Steps = []goToStep{{"Go to the earlier step", GoToFinding{index, true}},
		{"Go to the later step", GoToFinding{index, false}}}
	return p
}

func faultProblem(m *Model) problem {
	f := m.View.Fault
	at := m.Lines.lineSpan(f.Pos.Line, len(m.Text))
	p := problem{Severity: "fault", At: f.Pos, From: int(at.Start), To: int(at.End), Message: faultWords(m),
		Code: string(f.Kind), Index: ofFault, Fix: fixText(m.View.Fix)}
	if f.Inst != nil {
		p.From, p.To = int(f.Inst.Span.Start), int(f.Inst.Span.End)
	}
	return p
}

func diagnosticProblem(m *Model, index int) problem {
	d := &m.View.Diagnostics[index]
	p := problem{Severity: d.Severity.String(), At: m.Lines.position(d.Span.Start), From: int(d.Span.Start),
		To: int(d.Span.End), Message: d.Message, Code: d.Code, Section: d.Section, Index: index, Ptxas: ptx.Assembler(d.Code)}
	p.Fix = fixText(d.Fix)
	for _, n := range d.Notes {
		p.Notes = append(p.Notes, problem{Severity: "note", At: m.Lines.position(n.Span.Start),
			From: int(n.Span.Start), To: int(n.Span.End), Message: n.Message})
	}
	return p
}

func fixText(f *ptx.Fix) string {
	switch {
	case f == nil:
		return ""
	case f.Message == "":
		return "Apply the fix"
	}
	return f.Message
}

func place(at ptx.Position) string {
	if at.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", at.Line, at.Column)
}
