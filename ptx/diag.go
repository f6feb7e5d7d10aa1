package ptx

import (
	"fmt"
	"sort"
	"strings"

	"warpscope/ptx/isa"
)

// Severity ranks a diagnostic.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
	Info
)

func (s Severity) String() string { return [...]string{"error", "warning", "info"}[s] }

// Diagnostic names the place, the rule and the way out.
type Diagnostic struct {
	Severity Severity
	Code     string // stable and documented, e.g. "modifier-not-allowed"
	Message  string
	Span     Span
	Notes    []Note
	Fix      *Fix
	Section  string // section of the PTX ISA manual that decides, or ""

	where string // "name:line:col", set when Parse ends
}

// Note is another place that matters for a diagnostic.
type Note struct {
	Span    Span
	Message string
}

// Fix replaces the text of a span.
type Fix struct {
	Span    Span
	Text    string
	Message string
}

// Diagnostics is a list sorted by position; it is the error that Parse returns.
type Diagnostics []Diagnostic

// String is "name:line:col: severity: message [code]"; without a place if the diagnostic did not come from Parse.
func (d Diagnostic) String() string {
	text := fmt.Sprintf("%s: %s [%s]", d.Severity, d.Message, d.Code)
	if d.where != "" {
		text = d.where + ": " + text
	}
	return text
}

// Error is the first error, and how many more there are.
func (ds Diagnostics) Error() string {
	errors := ds.Errors()
	switch len(errors) {
	case 0:
		return "no errors"
	case 1:
		return errors[0].String()
	}
	return fmt.Sprintf("%s (and %d more errors)", errors[0], len(errors)-1)
}

// Errors are the diagnostics of severity Error.
func (ds Diagnostics) Errors() Diagnostics {
	var errors Diagnostics
	for _, d := range ds {
		if d.Severity == Error {
			errors = append(errors, d)
		}
	}
	return errors
}

// Located sets the places of diagnostics that another package made for this module, and sorts them.
func (m *Module) Located(ds Diagnostics) Diagnostics {
	for i := range ds {
		pos := m.Position(int(ds[i].Span.Start))
		ds[i].where = fmt.Sprintf("%s:%d:%d", m.Name, pos.Line, pos.Column)
	}
	sort.SliceStable(ds, func(i, j int) bool { return ds[i].Span.Start < ds[j].Span.Start })
	return ds
}

// Position is the line and column of a byte offset; an offset outside the source counts as its nearer end.
func (m *Module) Position(offset int) Position {
	offset = max(0, min(offset, len(m.Src)))
	line := sort.Search(len(m.lines), func(i int) bool { return int(m.lines[i]) > offset })
	if line == 0 {
		return Position{1, offset + 1}
	}
	return Position{line, offset - int(m.lines[line-1]) + 1}
}

// Offset is the byte offset of a line and column, both from 1; places outside are taken as the nearest inside.
func (m *Module) Offset(pos Position) int {
	if pos.Line < 1 || len(m.lines) == 0 {
		return 0
	}
	if pos.Line > len(m.lines) {
		return len(m.Src)
	}
	end := len(m.Src)
	if pos.Line < len(m.lines) {
		end = int(m.lines[pos.Line]) - 1
	}
	return min(int(m.lines[pos.Line-1])+max(pos.Column, 1)-1, end)
}

// Text is the source of a span.
func (m *Module) Text(s Span) string {
	if s.Start < 0 || s.End < s.Start || int(s.End) > len(m.Src) {
		return ""
	}
	return string(m.Src[s.Start:s.End])
}

func lineStarts(src []byte) []int32 {
	lines := []int32{0}
	for i, c := range src {
		if c == '\n' {
			lines = append(lines, int32(i+1))
		}
	}
	return lines
}

// note adds another place to a diagnostic.
func (d *Diagnostic) note(span Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{span, fmt.Sprintf(format, args...)})
	return d
}

// fix offers a replacement.
func (d *Diagnostic) fix(span Span, text string, format string, args ...any) *Diagnostic {
	d.Fix = &Fix{span, text, fmt.Sprintf(format, args...)}
	return d
}

// section names the section of the manual that decides, when it is not the code's own.
func (d *Diagnostic) section(s string) *Diagnostic {
	d.Section = s
	return d
}

// closest finds the candidate nearest to a misspelt name, or "" when none is near enough to be meant.
func closest(name string, candidates func(yield func(string))) string {
	return isa.Closest(name, slips(name), candidates)
}

// nearest is closest with a limit on what the errors of one module can cost to explain.
func (p *parser) nearest(name string, candidates func(yield func(string))) string {
	return p.nearestWithin(slips(name), name, candidates)
}

// slips is how many letters of a word may be wrong for another one to be meant: one, or a third of them.
func slips(name string) int { return max(1, len(strings.TrimLeft(name, "%."))/3) }

// nearestWithin is such a name that differs in at most so many letters.
func (p *parser) nearestWithin(letters int, name string, candidates func(yield func(string))) string {
	const most = 20_000_000 // pairs of letters compared in one module
	if p.guesses > most {
		return ""
	}
	return isa.Closest(name, letters, func(yield func(string)) {
		candidates(func(c string) {
			if p.guesses += len(name) * len(c); p.guesses <= most {
				yield(c)
			}
		})
	})
}

// among yields the strings of a list.
func among(list ...string) func(func(string)) {
	return func(yield func(string)) {
		for _, s := range list {
			yield(s)
		}
	}
}

// orList is "a", "a or b", "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
