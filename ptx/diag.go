package ptx

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
